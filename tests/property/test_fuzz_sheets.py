"""Bad input: whatever the text, there is an answer or a message, and it comes in time.

WOODSTOCK_FUZZ_EXAMPLES sets how many sheets are made in all, in equal shares of eight kinds; they are the same ones
every time unless HYPOTHESIS_PROFILE=explore asks for new ones.
"""

from __future__ import annotations

import os
import random
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from woodstock.common.errors import WoodstockError
from woodstock.common.limits import Limits
from woodstock.game.ground_game import GroundGame
from woodstock.game.load import playable_rules
from woodstock.game.protocol import Game, JointMove
from woodstock.game.reference import ReferenceGame
from woodstock.game.reference.limits import Limits as ReferenceLimits
from woodstock.games import bundled_game
from woodstock.gdl.checks import check_sheet
from woodstock.gdl.diagnostics import GdlError
from woodstock.gdl.formatter import format_sheet
from woodstock.gdl.printer import rules_to_infix, rules_to_kif
from woodstock.gdl.rules import Rules
from woodstock.gdl.sheet import Sheet, decode, read_sheet
from woodstock.ground import ground

EXAMPLES = max(8, int(os.environ.get("WOODSTOCK_FUZZ_EXAMPLES", "800"))) // 8
HANG_SECONDS = 60
"""No sheet of this size takes a hundredth of this; a test that waits longer has found a hang."""

LIMITS = ReferenceLimits(seconds=2.0, tuples=20_000)
GROUND_LIMITS = Limits(seconds=3, bytes=1 << 30)
STEPS = 5

SEEDS = tuple(
    bundled_game(name).read_rules().decode()
    for name in (
        "hex_small",
        "lights_out",
        "matching_pennies",
        "monty_hall",
        "nim",
        "rock_paper_scissors",
        "tic_tac_toe",
    )
)
INFIX_SEEDS = tuple(format_sheet(read_sheet(text), "infix") for text in SEEDS)

fuzz = settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


@contextmanager
def alarm() -> Iterator[None]:
    """Fail instead of waiting for ever."""

    def fail(signum: int, frame: object) -> None:
        raise AssertionError(f"no answer within {HANG_SECONDS} seconds")

    previous = signal.signal(signal.SIGALRM, fail)
    signal.setitimer(signal.ITIMER_REAL, HANG_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)


def survive(data: bytes | str) -> None:
    """Put a sheet through everything; only a `WoodstockError` may come out of it, and no rule may be lost."""
    with alarm():
        sheet = read_sheet(decode(data) if isinstance(data, bytes) else data)
        for problem in (*sheet.diagnostics, *check_sheet(sheet)):
            assert problem.render()
        check_printers(sheet.rules)
        check_formatter(sheet)
        with suppress(WoodstockError):
            play(playable_rules(sheet))


def check_printers(rules: Rules) -> None:
    for text, syntax in ((rules_to_kif(rules), "kif"), (rules_to_infix(rules), "infix")):
        again = read_sheet(text, syntax)  # type: ignore[arg-type]
        assert again.diagnostics == ()
        assert again.rules == rules


def check_formatter(sheet: Sheet) -> None:
    if sheet.has_errors:
        with suppress(GdlError):
            raise AssertionError(format_sheet(sheet))
        return
    for syntax in ("kif", "infix"):
        text = format_sheet(sheet, syntax)  # type: ignore[arg-type]
        again = read_sheet(text, syntax)  # type: ignore[arg-type]
        assert again.diagnostics == ()
        assert again.rules == sheet.rules
        assert len(again.comments) == len(sheet.comments)
        assert format_sheet(again) == text


def play(rules: Rules) -> None:
    """Play a few random steps and ask for everything on the way."""
    game = ReferenceGame(rules, limits=LIMITS)
    for position, moves in walk(game):
        for role in range(len(game.roles)):
            game.goal_values(position, role)
            if moves is not None:
                game.percepts(position, moves, role)


def walk(game: ReferenceGame) -> Iterator[tuple[Any, JointMove | None]]:
    """Yield a few positions and the moves that lead from each to the next; none from the last one."""
    rng = random.Random(0)
    position = game.initial_position()
    for _ in range(STEPS):
        choices = [sorted(game.legal_moves(position, role), key=repr) for role in range(len(game.roles))]
        if game.is_terminal(position) or not all(choices):
            break
        moves = [rng.choice(moves) for moves in choices]
        yield position, moves
        position = game.next_position(position, moves)
    yield position, None


def compare(reference: ReferenceGame, other: Game[Any]) -> None:
    """Play a few random steps with two reasoners side by side."""
    assert other.roles == reference.roles
    mirrored = other.initial_position()
    for position, moves in walk(reference):
        assert other.fluents(mirrored) == reference.fluents(position)
        assert other.is_terminal(mirrored) == reference.is_terminal(position)
        for role in range(len(reference.roles)):
            assert set(other.legal_moves(mirrored, role)) == set(reference.legal_moves(position, role))
            assert set(other.goal_values(mirrored, role)) == set(reference.goal_values(position, role))
            if moves is not None:
                assert other.percepts(mirrored, moves, role) == reference.percepts(position, moves, role)
        if moves is not None:
            mirrored = other.next_position(mirrored, moves)


STATEMENTS = (
    "(role x)",
    "(role random)",
    "(init (p a))",
    "(init (p ?x))",
    "(succ 0 1)",
    "(succ ?x (s ?x))",
    "(<= (q (s ?x)) (q ?x))",
    "(q 0)",
    "(<= (r ?x ?y) (r ?y ?x))",
    "(<= (r ?x ?z) (r ?x ?y) (r ?y ?z))",
    "(<= (r ?x ?y) (q ?x) (q ?y))",
    "(<= (t ?x) (q ?x) (not (t ?x)))",
    "(<= (t ?x) (not (q ?x)))",
    "(<= (next (p ?x)) (does ?r ?x))",
    "(<= (next (p (s ?x))) (true (p ?x)))",
    "(<= (next ?f) (true ?f))",
    "(<= (legal ?r ?x) (role ?r) (true (p ?x)))",
    "(legal x a)",
    "(<= (legal x (f ?x ?x)) (true (p ?x)))",
    "(<= (legal random ?x) (q ?x))",
    "(<= terminal (true (p b)))",
    "terminal",
    "(goal x 100)",
    "(<= (goal ?r ?n) (role ?r) (true (p ?n)))",
    "(<= (sees ?r ?m) (role ?r) (does ?r ?m))",
    "(<= (true ?x) (q ?x))",
    "(<= (distinct ?x ?y) (q ?x))",
    "(<= (q ?x) (or (true (p ?x)) (not (q ?x))) (distinct ?x ?y))",
    "(<= h (or a b) (or c d) (or e f) (or g h))",
    "(init (p (f (f (f (f a))))))",
)


ODD_TEXTS = ("(", ")", "()", "(<=", " <= ", "?", "?x", "'", ";", "%", ".", ":-", "\0", "\ufeff", "\r", "|")
PIECE = re.compile(r"[()]|[^\s()]+|\s+")


class Mutator:
    """Damages a text in one of many ways."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw

    def damage(self, text: str) -> str:
        kinds = (
            self.cut,
            self.double,
            self.delete,
            self.swap,
            self.insert,
            self.shuffle,
            self.drop,
            self.change,
        )
        return self._draw(st.sampled_from(kinds))(text)

    def change(self, text: str) -> str:
        """Change what the rules say, but not their syntax."""
        kinds = (self.replace_word, self.wrap_word, self.negate, self.drop_statement, self.mix)
        return self._draw(st.sampled_from(kinds))(text)

    def cut(self, text: str) -> str:
        start, end = self._range(text)
        return text[start:end]

    def double(self, text: str) -> str:
        start, end = self._range(text)
        return text[:end] + text[start:]

    def delete(self, text: str) -> str:
        start, end = self._range(text, most=200)
        return text[:start] + text[end:]

    def swap(self, text: str) -> str:
        start, end = self._range(text)
        return text[end:] + text[start:end] + text[:start]

    def insert(self, text: str) -> str:
        start, _ = self._range(text)
        odd = st.sampled_from(
            ("(", ")", "()", "(<=", " <= ", "?", "?x", "'", ";", "%", ".", ":-", "\0", "\ufeff", "\r", "|")
        )
        return text[:start] + self._draw(odd | st.text(max_size=5)) + text[start:]

    def replace_word(self, text: str) -> str:
        pieces, words = self._words(text)
        if words:
            pieces[self._choose(words)] = pieces[self._choose(words)]
        return "".join(pieces)

    def wrap_word(self, text: str) -> str:
        """Make a word the argument of a function: the easiest way to rules with no end of consequences."""
        pieces, words = self._words(text)
        if words:
            index = self._choose(words)
            pieces[index] = f"(f {pieces[index]})"
        return "".join(pieces)

    def negate(self, text: str) -> str:
        places = [match.span() for match in re.finditer(r"(?<=\n    )\([^()]*(?:\([^()]*\)[^()]*)*\)", text)]
        if not places:
            return text
        start, end = places[self._number(len(places) - 1)]
        return f"{text[:start]}(not {text[start:end]}){text[end:]}"

    def drop_statement(self, text: str) -> str:
        statements = re.split(r"\n(?=\()", text)
        del statements[self._number(len(statements) - 1)]
        return "\n".join(statements)

    def mix(self, text: str) -> str:
        """Add a statement of another kind."""
        return f"{text}\n{self._draw(st.sampled_from(STATEMENTS))}\n"

    def shuffle(self, text: str) -> str:
        lines = text.split("\n")
        random.Random(self._number(1000)).shuffle(lines)
        return "\n".join(lines)

    def drop(self, text: str) -> str:
        places = [match.start() for match in re.finditer(r"[()]", text)]
        if not places:
            return text
        place = self._choose(places)
        return text[:place] + text[place + 1 :]

    def _words(self, text: str) -> tuple[list[str], list[int]]:
        pieces = PIECE.findall(text)
        return pieces, [index for index, piece in enumerate(pieces) if piece.strip() and piece not in "()"]

    def _choose(self, indices: list[int]) -> int:
        return indices[self._number(len(indices) - 1)]

    def _range(self, text: str, most: int | None = None) -> tuple[int, int]:
        start = self._number(len(text))
        rest = len(text) - start
        return start, start + self._number(rest if most is None else min(rest, most))

    def _number(self, most: int) -> int:
        return self._draw(st.integers(0, most))


@st.composite
def mutated(draw: st.DrawFn, is_infix: bool) -> str:
    text = draw(st.sampled_from(INFIX_SEEDS if is_infix else SEEDS))
    mutator = Mutator(draw)
    for _ in range(draw(st.integers(1, 5))):
        text = mutator.damage(text)
    return text


@st.composite
def changed(draw: st.DrawFn) -> str:
    text = draw(st.sampled_from(SEEDS))
    mutator = Mutator(draw)
    for _ in range(draw(st.integers(1, 3))):
        text = mutator.change(text)
    return text


@fuzz
@given(changed())
def test_changed_rules(text: str) -> None:
    survive(text)


@settings(fuzz, max_examples=max(1, EXAMPLES // 4))
@given(changed())
def test_grounding_agrees_or_gives_up(text: str) -> None:
    with alarm(), suppress(WoodstockError):
        rules = playable_rules(read_sheet(text))
        compare(ReferenceGame(rules, limits=LIMITS), GroundGame(ground(rules, GROUND_LIMITS)))


@fuzz
@given(mutated(is_infix=False))
def test_mutated_kif(text: str) -> None:
    survive(text)


@fuzz
@given(mutated(is_infix=True))
def test_mutated_infix(text: str) -> None:
    survive(text)


VOCABULARY = (
    *("(", ")", "(", ")", "(<=", "<=", "\n", ";", "%", ":-", "&", "|", "~", ",", ".", "'", "role(", "p("),
    *(
        "role",
        "init",
        "true",
        "does",
        "next",
        "legal",
        "goal",
        "terminal",
        "distinct",
        "base",
        "input",
        "sees",
        "random",
    ),
    *(
        "not",
        "and",
        "or",
        "?x",
        "?y",
        "X",
        "_",
        "x",
        "p",
        "q",
        "f",
        "0",
        "100",
        "-1",
        "++",
        "8,9",
        "()",
        "(p)",
        "(p ?x)",
    ),
    *("(role x)", "(init p)", "(legal x a)", "(true p)", "(does x a)", "(next p)", "(goal x 100)"),
)


@fuzz
@given(st.lists(st.sampled_from(VOCABULARY), max_size=60).map(" ".join))
def test_words_in_any_order(text: str) -> None:
    survive(text)


@fuzz
@given(st.lists(st.sampled_from(STATEMENTS), max_size=14).map("\n".join))
def test_statements_in_any_combination(text: str) -> None:
    survive("(role x) (init (p a)) (legal x a) (goal x 0)\n" + text)


@fuzz
@given(st.binary(max_size=400))
@example(b"\xff\xfe(\x00r\x00")
@example(b"\xef\xbb\xbf(role x)")
@example(b"\x89PNG\r\n\x1a\n\x00\x00")
def test_bytes(data: bytes) -> None:
    survive(data)


@fuzz
@given(st.text(max_size=200))
def test_any_characters(text: str) -> None:
    survive(text)


NESTS = (
    ("(", ")"),
    ("(p ", ")"),
    ("(<= h (and ", "))"),
    ("(not ", ")"),
    ("(<= p ", ")"),
    ("p(", ")"),
    ("h :- (", ")"),
    ("h :- ~", ""),
    ("h :- not ", ""),
    ("h :- a | (b & ", ")"),
    ("'", "'"),
    (")", "("),
)


@fuzz
@given(
    st.sampled_from(NESTS),
    st.integers(0, 20_000),
    st.integers(0, 20_000),
    st.sampled_from(("", "x", "?x", "X", "(role x)")),
)
def test_deep_nesting(nest: tuple[str, str], opened: int, closed: int, middle: str) -> None:
    survive(nest[0] * opened + middle + nest[1] * closed)


def test_disjunctions_that_multiply_out() -> None:
    options = " ".join(f"(or (p a{number}) (q b{number}) (r c{number}))" for number in range(40))
    survive(f"(role x) (init (p a)) (legal x a) (goal x 0) (<= terminal {options})")


def test_large_sheets() -> None:
    survive("(role x)\n" * 5_000)
    survive("(p " * 90 + "x" * 100_000)
    survive("(q " + "(p a) " * 5_000 + ")")
    survive("; comment\n" * 20_000)
    survive("(q " + "(p a) ; comment\n" * 5_000 + ")")
    survive("p(a) :- q(b)\n" * 2_000)
