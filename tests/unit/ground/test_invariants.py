"""Invariants: what is proved holds in every position, and what is wanted is found."""

from __future__ import annotations

import itertools

import pytest

from woodstock.common.errors import LimitError
from woodstock.common.limits import Limits
from woodstock.game.ground_game import GroundGame
from woodstock.game.load import load_rules
from woodstock.gdl.printer import to_kif
from woodstock.gdl.sheet import parse_rules
from woodstock.ground import GroundProgram, ground
from woodstock.ground.invariants import Invariants, prove_invariants


def reachable(program: GroundProgram, most: int = 3000) -> list[tuple[tuple[int, ...], list[tuple[int, ...]]]]:
    """Return positions, breadth first, each with its successors."""
    game = GroundGame(program)
    queue, seen = [game.initial_position()], {game.initial_position()}
    found = []
    for position in queue:
        successors = []
        if not game.is_terminal(position):
            choices = [game.legal_moves(position, role) for role in range(len(game.roles))]
            successors = [game.next_position(position, moves) for moves in itertools.product(*choices)]
        found.append((position, successors))
        for successor in successors:
            if successor not in seen and len(seen) < most:
                seen.add(successor)
                queue.append(successor)
    return found


def group_texts(program: GroundProgram, invariants: Invariants) -> set[tuple[frozenset[str], bool]]:
    return {
        (frozenset(to_kif(program.fluents[fluent]) for fluent in group.fluents), group.exactly_one)
        for group in invariants.groups
    }


@pytest.mark.parametrize(
    "name", ["tic_tac_toe", "nim", "monty_hall", "rock_paper_scissors", "lights_out", "treasure_hunt"]
)
def test_what_is_proved_holds(name: str) -> None:
    program = ground(load_rules(name))
    invariants = prove_invariants(program)
    for position, successors in reachable(program):
        held = set(position)
        for group in invariants.groups:
            count = len(held.intersection(group.fluents))
            assert count == 1 if group.exactly_one else count <= 1
        for successor in successors:
            gained, lost = set(successor) - held, held - set(successor)
            assert not any(invariants.stays_true[fluent] for fluent in lost)
            assert not any(invariants.stays_false[fluent] for fluent in gained)
        assert all(fluent in held for fluent, constant in enumerate(invariants.constant) if constant)


def test_cells_and_control_of_tic_tac_toe_are_found() -> None:
    program = ground(load_rules("tic_tac_toe"))
    invariants = prove_invariants(program)
    covered = {fluent for group in invariants.groups for fluent in group.fluents}
    assert covered == set(range(program.num_fluents))
    assert len(invariants.groups) == 10


MODES = """
(role x)
(init select) (init (cell 1 empty)) (init (cell 2 empty))
(<= (legal x (pick ?n)) (true select) (num ?n))
(<= (legal x (put ?n)) (true (picked ?n)))
(<= (next (picked ?n)) (does x (pick ?n)))
(<= (next select) (does x (put ?n)))
(<= (next (cell ?n full)) (does x (put ?n)))
(<= (next (cell ?n ?c)) (true (cell ?n ?c)) (true select))
(<= (next (cell ?n ?c)) (true (cell ?n ?c)) (does x (put ?m)) (distinct ?n ?m))
(num 1) (num 2)
(<= terminal (true (cell 1 full)) (true (cell 2 full)))
(goal x 100)
"""


def test_fluents_of_several_names_are_joined() -> None:
    """`select` and `picked` take turns; without that the cells cannot be proved either."""
    program = ground(parse_rules(MODES), use_cache=False)
    assert group_texts(program, prove_invariants(program)) == {
        (frozenset({"select", "(picked 1)", "(picked 2)"}), True),
        (frozenset({"(cell 1 empty)", "(cell 1 full)"}), True),
        (frozenset({"(cell 2 empty)", "(cell 2 full)"}), True),
    }


def test_what_random_play_hardly_ever_refutes_is_not_proved() -> None:
    """The two lamps are never seen on together in a sample, but they can be."""
    doors = " ".join(f"(succ {number} {number + 1})" for number in range(30))
    text = (
        "(role x) (init (depth 0)) (init (lamp a)) (legal x left) (legal x right)"
        "(<= (next (depth ?n)) (true (depth ?m)) (succ ?m ?n) (does x left))"
        "(<= (next (depth 0)) (does x right))"
        "(<= (next (lamp a)) (true (lamp a))) (<= (next (lamp b)) (true (depth 29)) (does x left))"
        "(<= terminal (true (lamp b))) (goal x 100)" + doors
    )
    program = ground(parse_rules(text), use_cache=False)
    lamps = {frozenset(group.fluents) for group in prove_invariants(program).groups}
    assert frozenset(program.fluent_index[("lamp", name)] for name in "ab") not in lamps


def test_the_limit_holds() -> None:
    with pytest.raises(LimitError, match="more time"):
        prove_invariants(ground(load_rules("connect_four")), Limits(seconds=0.001))
