"""Random small games: the ground program against the reference reasoner."""

from __future__ import annotations

from hypothesis import HealthCheck, assume, given, note, settings
from hypothesis import strategies as st

from naive.random_sheets import FLUENTS, ROLES, sheets
from woodstock.common.errors import LimitError
from woodstock.common.limits import Limits
from woodstock.game.ground_game import GroundGame
from woodstock.game.reference import ReferenceGame
from woodstock.gdl.printer import rules_to_kif, to_kif
from woodstock.gdl.rules import Rules
from woodstock.gdl.sheet import parse_rules
from woodstock.ground import ground

EXAMPLES = settings.default.max_examples // 2
"""A share of what the Hypothesis profile asks for: each example starts a grounder."""

FRAME = """
(small a) (small b) (small gz) (small (g a)) (small (g b))
(legal r1 a) (legal r2 noop) (legal r2 (mark a b))
(<= (next (out ?x)) (v ?x) (small ?x))
(<= (next ?x) (p ?x) (small ?x))
(<= (next (cell ?x ?y)) (t ?x ?y) (small ?x) (small ?y) (not (s)))
(<= (next (cell ?x ?y)) (true (cell ?x ?y)) (u ?x ?z ?y))
(<= terminal (s) (t a b))
(<= (goal ?r 100) (role ?r) (q ?x ?y) (distinct ?x ?y))
(<= (goal ?r 10) (role ?r) (not (v a)))
"""
"""Makes a game of a random sheet: `next` asks for its relations, over terms that cannot grow."""


def make_game(sheet: Rules) -> Rules:
    starts = " ".join(f"(init {to_kif(fluent)})" for fluent in FLUENTS[::2])
    return Rules([*sheet, *parse_rules(FRAME + starts, "kif")])


@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.too_slow])
@given(sheet=sheets(), choices=st.lists(st.integers(0, 100), min_size=8, max_size=8))
def test_both_reasoners_see_the_same_game(sheet: Rules, choices: list[int]) -> None:
    rules = make_game(sheet)
    note(rules_to_kif(sheet))
    reference = ReferenceGame(rules)
    try:
        grounded = GroundGame(ground(rules, Limits(seconds=10, bytes=1 << 31), use_cache=False))
        one, two = reference.initial_position(), grounded.initial_position()
        for pick in zip(choices[::2], choices[1::2], strict=True):
            assert reference.fluents(one) == grounded.fluents(two)
            assert reference.is_terminal(one) == grounded.is_terminal(two)
            moves = []
            for role in range(len(ROLES)):
                assert set(reference.goal_values(one, role)) == set(grounded.goal_values(two, role))
                legal = sorted(reference.legal_moves(one, role), key=to_kif)
                assert legal == sorted(grounded.legal_moves(two, role), key=to_kif)
                moves.append(legal[pick[role] % len(legal)])
            one, two = reference.next_position(one, moves), grounded.next_position(two, moves)
    except LimitError:
        assume(False)
