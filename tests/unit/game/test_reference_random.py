"""Random small rule sheets: the reference reasoner against its naive twin."""

from __future__ import annotations

from itertools import product

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from naive.bottom_up import consequences, match
from naive.random_sheets import FLUENTS, MOVES, RELATIONS, ROLES, X, sheets
from woodstock.game.reference import ReferenceGame
from woodstock.gdl.printer import to_kif
from woodstock.gdl.terms import LogicVar, Term, arity, functor

EXAMPLES = settings.default.max_examples // 2
"""A share of what the Hypothesis profile asks for: these sheets are large."""


def patterns(number: int) -> list[tuple[Term, ...]]:
    fresh = [LogicVar(f"?q{place}") for place in range(number)]
    choices = [[var, "a", ("g", var)] for var in fresh]
    repeated = [(X,) * number] if number > 1 else []
    return [*product(*choices), *repeated]


@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.too_slow])
@given(
    sheet=sheets(),
    position=st.frozensets(st.sampled_from(FLUENTS)),
    moves=st.tuples(st.sampled_from(MOVES), st.sampled_from(MOVES)),
)
def test_every_relation_has_the_tuples_that_the_naive_twin_derives(sheet, position, moves):
    given_atoms = [("true", fluent) for fluent in position]
    given_atoms += [("does", role, move) for role, move in zip(ROLES, moves, strict=True)]
    expected = consequences(sheet, given_atoms)
    game = ReferenceGame(sheet)
    for name, number, _ in RELATIONS:
        known = [atom for atom in expected if functor(atom) == name and arity(atom) == number]
        for args in patterns(number):
            pattern = (name, *args) if args else name
            wanted = sorted((atom for atom in known if match(pattern, atom, {}) is not None), key=to_kif)
            assert game.query(pattern, position, moves) == wanted, to_kif(pattern)


@settings(max_examples=EXAMPLES // 2)
@given(sheet=sheets(), position=st.frozensets(st.sampled_from(FLUENTS)))
def test_answers_do_not_depend_on_what_was_asked_before(sheet, position):
    used, fresh = ReferenceGame(sheet), ReferenceGame(sheet)
    for fluents in (frozenset(FLUENTS), frozenset(), position):
        for moves in (("a", "noop"), (("g", "a"), ("mark", "a", "b"))):
            for name, number, _ in RELATIONS:
                used.query(
                    (name, *[LogicVar(f"?{place}") for place in range(number)]) if number else name, fluents, moves
                )
    for role in range(len(ROLES)):
        assert used.legal_moves(position, role) == fresh.legal_moves(position, role)
