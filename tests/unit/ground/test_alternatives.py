"""Alternatives: they are the bodies of the rules of `next`, one literal shared by all that have it."""

from __future__ import annotations

import numpy as np
import pytest

from naive.exclusion import random_program
from woodstock.game.load import load_rules
from woodstock.ground import GroundProgram, ground
from woodstock.ground.alternatives import find_alternatives
from woodstock.ground.program import NO_ATOM


def expected(program: GroundProgram, fluents: list[int]) -> set[tuple[int, tuple[int, ...]]]:
    """Return each fluent with each of its alternatives."""
    found = set()
    for fluent in fluents:
        atom = int(program.next_atom[fluent])
        rules = np.flatnonzero(program.rule_head == atom).tolist()
        for rule in rules:
            body = program.body_data[program.body_start[rule] : program.body_start[rule + 1]]
            found.add((fluent, tuple(body.tolist())))
        if atom != NO_ATOM and not rules:
            found.add((fluent, (2 * atom,)))
    return found


def check(program: GroundProgram, fluents: list[int]) -> None:
    alternatives = find_alternatives(program, np.array(fluents, dtype=np.int64))
    bodies = [
        tuple(alternatives.literal[first:last].tolist())
        for first, last in zip(alternatives.start[:-1], alternatives.start[1:], strict=True)
    ]
    units = [body for body in bodies if len(body) == 1]
    assert len(units) == len(set(units))
    found = [
        (int(owner), body)
        for number, body in enumerate(bodies)
        for owner in alternatives.owner[alternatives.owner_start[number] : alternatives.owner_start[number + 1]]
    ]
    assert set(found) == expected(program, fluents)


@pytest.mark.parametrize("seed", range(30))
def test_alternatives_of_random_programs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    program = random_program(rng)
    check(program, np.flatnonzero(rng.random(program.num_fluents) < 0.7).tolist())


@pytest.mark.parametrize("name", ["tic_tac_toe", "nim", "atari_go"])
def test_alternatives_of_games(name: str) -> None:
    program = ground(load_rules(name))
    check(program, list(range(program.num_fluents)))


def test_no_fluents_have_no_alternatives() -> None:
    check(ground(load_rules("nim")), [])
