"""Notations: reading what was printed gives the same rules, formatting keeps rules and comments and is stable."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from woodstock.gdl.formatter import format_sheet
from woodstock.gdl.infix import looks_like_infix
from woodstock.gdl.infix_tokens import Lexer
from woodstock.gdl.keywords import CONNECTIVES
from woodstock.gdl.printer import rules_to_infix, rules_to_kif
from woodstock.gdl.rules import Connective, Formula, Literal, Rule, Rules
from woodstock.gdl.sheet import Sheet, Syntax, read_sheet
from woodstock.gdl.syntax import Comment
from woodstock.gdl.terms import LogicVar, Term


def is_word(text: str) -> bool:
    """Tell whether a text can be a constant in KIF and is as the reader leaves it."""
    return text.lower() == text and not re.search(r"[\s();\ufeff\0]", text)


COMMON_WORDS = ("p", "q", "cell", "1", "42", "x", "true", "distinct")
ODD_WORDS = (
    "not",
    "and",
    "or",
    "_",
    "_a",
    "++",
    "8,9",
    "-1",
    "1.5",
    "a-b",
    "a-",
    "it's",
    "\\",
    "'",
    '"',
    "%",
    ".",
    ":-",
    "~",
)
TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=6).map(str.lower).filter(is_word)
WORDS = st.one_of(st.sampled_from(COMMON_WORDS), st.sampled_from(ODD_WORDS), TEXTS)
CONSTANTS = WORDS.filter(lambda text: not text.startswith("?") and text != "<=")
VARIABLES = (st.sampled_from(("x", "y", "", "_", "_1", "myvar")) | WORDS).map(lambda name: LogicVar("?" + name))
MAX_SIZE = 3


class RuleMaker:
    """Makes rules of anything that the syntax allows. (Recursive strategies are slow here, and their names endless.)"""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw

    def rule(self) -> Rule:
        return Rule(self.atom(3), tuple(self.formula(3) for _ in range(self._number(MAX_SIZE))))

    def formula(self, depth: int) -> Formula:
        kind = self._draw(st.sampled_from(("literal", "literal", "and", "or", "not"))) if depth else "literal"
        if kind == "and":
            return Connective("and", tuple(self.formula(depth - 1) for _ in range(self._number(MAX_SIZE))))
        if kind == "or":
            return Connective("or", tuple(self.formula(depth - 1) for _ in range(1 + self._number(MAX_SIZE))))
        if kind == "not":
            part = self.formula(depth - 1)
            return part.negated() if isinstance(part, Literal) and part.positive else Connective("not", (part,))
        atom = self.atom(2)
        if isinstance(atom, tuple) and atom[0] in CONNECTIVES:
            atom = ("p", *atom[1:])
        return Literal(atom, self._draw(st.booleans()))

    def atom(self, depth: int) -> Term:
        name = self._draw(CONSTANTS)
        args = tuple(self.term(depth - 1) for _ in range(self._number(MAX_SIZE)))
        return (name, *args) if args else name

    def term(self, depth: int) -> Term:
        if depth and self._number(3) == 0:
            return self.atom(depth)
        return self._draw(VARIABLES if self._draw(st.booleans()) else CONSTANTS)

    def _number(self, most: int) -> int:
        return self._draw(st.integers(0, most))


@st.composite
def any_rules(draw: st.DrawFn) -> Rules:
    maker = RuleMaker(draw)
    return Rules(maker.rule() for _ in range(draw(st.integers(0, 4))))


RULES = any_rules()


@given(RULES)
def test_reading_what_was_printed_in_kif(rules: Rules) -> None:
    sheet = read_sheet(rules_to_kif(rules), "kif")
    assert sheet.diagnostics == ()
    assert sheet.rules == rules


@given(RULES)
def test_reading_what_was_printed_in_infix(rules: Rules) -> None:
    sheet = read_sheet(rules_to_infix(rules), "infix")
    assert sheet.diagnostics == ()
    assert sheet.rules == rules


@given(RULES)
def test_the_notation_of_kif_is_recognised(rules: Rules) -> None:
    assert not looks_like_infix(rules_to_kif(Rules([Rule(("role", "x")), *rules])))


@given(RULES)
def test_the_notation_of_infix_is_recognised(rules: Rules) -> None:
    assert looks_like_infix(rules_to_infix(Rules([Rule(("role", "x")), *rules])))


SPACES = st.sampled_from(
    (" ", " ", " ", "\n", "\n  ", "\n\n", "\n\n\n", "\t", "\r\n", " ;\n", "\n;\n", "\n  ;\n\n", " ;;\n")
)


@st.composite
def spaced_sheets(draw: st.DrawFn, syntax: Syntax) -> Sheet:
    """Rules as a sheet whose words are set apart by anything that may stand between them, numbered comments too."""
    rules = draw(RULES)
    text = rules_to_kif(rules) if syntax == "kif" else rules_to_infix(rules)
    pieces = re.findall(r"[()]|[^\s()]+", text) if syntax == "kif" else infix_pieces(text)
    mark = ";" if syntax == "kif" else "%"
    spaced = []
    for number, piece in enumerate(pieces):
        space = draw(SPACES)
        spaced.append(piece + space.replace(";", mark).replace("#", f" c{number}"))
    return read_sheet("".join(spaced), syntax)


def infix_pieces(text: str) -> list[str]:
    """Cut infix text into its words; a name stays together with the parenthesis behind it."""
    lexer = Lexer(text, lambda *_: None)
    spans = [token.span for token in lexer.tokens() if token.kind != "end"]
    pieces = [text[span.start : span.end] for span in spans]
    glued = {
        index for index in range(1, len(spans)) if pieces[index] == "(" and spans[index].start == spans[index - 1].end
    }
    joined: list[str] = []
    for index, piece in enumerate(pieces):
        if index in glued and pieces[index - 1] not in ("(", "~"):
            joined[-1] += piece
        else:
            joined.append(piece)
    return joined


def bodies(comments: tuple[Comment, ...]) -> list[str]:
    return [comment.text.lstrip(";%").rstrip() for comment in comments]


def check_formatting(sheet: Sheet, to: Syntax) -> None:
    assert sheet.diagnostics == ()
    once = format_sheet(sheet, to)
    again = read_sheet(once, to)
    assert again.diagnostics == ()
    assert again.rules == sheet.rules
    assert bodies(again.comments) == bodies(sheet.comments)
    assert format_sheet(again, to) == once
    assert once == "" or (once.endswith("\n") and not once.startswith("\n") and "\n\n\n" not in once)
    assert not re.search(r"[ \t]\n", once)


@given(spaced_sheets("kif"))
def test_formatting_kif(sheet: Sheet) -> None:
    check_formatting(sheet, "kif")


@given(spaced_sheets("infix"))
def test_formatting_infix(sheet: Sheet) -> None:
    check_formatting(sheet, "infix")


@given(spaced_sheets("kif"))
def test_converting_kif_to_infix(sheet: Sheet) -> None:
    check_formatting(sheet, "infix")


@given(spaced_sheets("infix"))
def test_converting_infix_to_kif(sheet: Sheet) -> None:
    check_formatting(sheet, "kif")
