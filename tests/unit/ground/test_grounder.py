"""Grounding: the program that comes out, the limits that hold, the messages."""

from __future__ import annotations

import numpy as np
import pytest

from woodstock.common.errors import LimitError, WoodstockError
from woodstock.common.limits import Limits
from woodstock.game.ground_game import GroundGame
from woodstock.game.load import load_rules
from woodstock.gdl.sheet import parse_rules
from woodstock.gdl.source import SourceText
from woodstock.ground import GroundProgram, ground
from woodstock.ground.program import NO_ATOM, TRUE_ATOM

SWITCH = """
(role x)
(init off)
(legal x push) (legal x wait)
(<= (next on) (does x push))
(<= (next off) (true off) (does x wait))
(<= (next on) (true on))
(<= terminal (true on))
(<= (goal x 100) (true on)) (<= (goal x 0) (not (true on)))
"""


def grounded(text: str, **limits: float) -> GroundProgram:
    return ground(parse_rules(SourceText(text, "sheet.kif")), Limits(**limits) if limits else Limits(), use_cache=False)


def test_names_and_tables() -> None:
    program = grounded(SWITCH)
    assert program.roles == ("x",)
    assert set(program.fluents) == {"on", "off"}
    assert set(program.moves[0]) == {"push", "wait"}
    assert program.legal_atom.tolist() == [TRUE_ATOM, TRUE_ATOM]
    assert dict(zip(program.fluents, program.initial.tolist(), strict=True)) == {"on": False, "off": True}
    assert {(role, term) for role, term in zip(program.goals.roles.tolist(), program.goals.terms, strict=True)} == {
        (0, "100"),
        (0, "0"),
    }
    assert program.percepts is None


def test_the_arrays_keep_their_promises() -> None:
    program = ground(load_rules("hex_small"), use_cache=False)
    heads = np.repeat(program.rule_head, np.diff(program.body_start))
    atoms = program.body_data >> 1
    in_loop = program.atom_loop[heads] >= 0
    inside = in_loop & (program.atom_loop[heads] == program.atom_loop[atoms])
    assert (np.diff(program.body_start) > 0).all()
    assert (np.diff(program.rule_head) >= 0).all()
    assert (program.atom_level[heads] > program.atom_level[atoms])[~inside].all()
    assert program.num_loops > 0
    inputs = 1 + program.num_fluents + program.num_moves
    assert (program.rule_head >= inputs).all()
    assert (program.atom_level[:inputs] == 0).all()


def test_what_can_never_happen_is_dropped() -> None:
    program = grounded(SWITCH + "(<= (next ghost) (true ghost)) (<= (legal x boo) (true ghost))")
    assert "ghost" not in program.fluents
    assert "boo" not in program.moves[0]


def test_a_game_that_never_ends_has_no_terminal_atom() -> None:
    program = grounded("(role x) (init p) (<= (next p) (true p)) (legal x a) (<= (goal x 100) (true p))")
    assert program.terminal_atom == NO_ATOM
    assert not GroundGame(program).is_terminal((0,))


def test_relations_of_other_roles_are_left_out() -> None:
    program = grounded(SWITCH + "(legal nobody push)")
    assert [len(moves) for moves in program.moves] == [2]


def test_a_goal_that_asks_for_moves_sees_none() -> None:
    """The language forbids it; both reasoners take it the same way."""
    game = GroundGame(grounded(SWITCH + "(<= (goal x 7) (not (does x push))) (<= (goal x 8) (does x wait))"))
    assert set(game.goal_values(game.initial_position(), 0)) == {"0", "7"}


def test_least_fixpoint_of_a_loop() -> None:
    game = GroundGame(
        grounded(
            "(role x) (init (at a)) (edge a b) (edge b c) (edge c b) (edge d a)"
            "(<= (reach ?p) (true (at ?p))) (<= (reach ?q) (reach ?p) (edge ?p ?q) (not (true (cut ?p ?q))))"
            "(<= (legal x (cut ?p ?q)) (edge ?p ?q)) (<= (next (cut ?p ?q)) (does x (cut ?p ?q)))"
            "(<= (next (at a)) (true (at a))) (<= (next (seen ?p)) (reach ?p))"
            "(<= (goal x 100) (reach c)) (<= (goal x 0) (not (reach c))) (<= terminal (true (seen a)))"
        )
    )
    start = game.initial_position()
    assert game.goal_values(start, 0) == ("100",)
    cut = game.position_of([("at", "a"), ("cut", "a", "b")])
    assert game.goal_values(cut, 0) == ("0",)  # b and c hold each other up, but nothing holds up both


UNBOUNDED = (
    "(role x) (init (n z)) (legal x a) (<= (next (n (s ?x))) (true (n ?x))) (<= terminal (true (n q))) (goal x 0)"
)
WIDE = (
    "(role x) (init p) (legal x a) (<= (next p) (true p)) (goal x 0) (<= terminal (not (true p)))\n"
    + " ".join(f"(num {number})" for number in range(60))
    + "\n(<= (next (q ?a ?b ?c ?d ?e)) (true p) (num ?a) (num ?b) (num ?c) (num ?d) (num ?e))"
)


@pytest.mark.parametrize(("text", "line"), [(UNBOUNDED, 1), (WIDE, 3)])
def test_a_limit_on_time_holds_and_names_the_rule(text: str, line: int) -> None:
    with pytest.raises(LimitError, match=rf"more than 0\.5 seconds; .*sheet\.kif:{line}:"):
        grounded(text, seconds=0.5)


def test_a_limit_on_memory_holds() -> None:
    with pytest.raises(LimitError, match=r"more than 0\.25 GiB of memory; .*sheet\.kif:3:"):
        grounded(WIDE, seconds=60, bytes=1 << 28)


def test_a_limit_on_size_holds() -> None:
    text = WIDE.replace("?a ?b ?c ?d ?e", "?a ?b").replace("(num ?c) (num ?d) (num ?e)", "")
    assert grounded(text, nodes=10_000).num_fluents == 3601
    with pytest.raises(LimitError, match=r"more than 1000 ground rules; .*sheet\.kif:3:"):
        grounded(text, nodes=1000)


def test_an_atom_that_depends_on_its_own_negation_is_refused() -> None:
    text = SWITCH + "(<= (p ?x) (q ?x) (true on) (not (p 1))) (q 1) (<= (goal x 7) (p 1))"
    with pytest.raises(WoodstockError, match=r"sheet\.kif: .* own negation"):
        grounded(text)


def test_odd_names_survive() -> None:
    program = grounded('(role x) (init (c 8,9 ++ é "q)) (legal x a.b) (<= terminal (true (c 8,9 ++ é "q))) (goal x 1)')
    assert program.fluents == (("c", "8,9", "++", "é", '"q'),)
    assert program.moves == (("a.b",),)
