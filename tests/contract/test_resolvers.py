"""Every bundled game with every resolver: the solutions of one-stage networks are the joint moves and successors."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache
from itertools import product

import numpy as np
import pytest

from woodstock.common.jit import JIT_DISABLED
from woodstock.cp.solver import Strength
from woodstock.game.ground_game import GroundGame, GroundPosition
from woodstock.game.load import load_rules
from woodstock.games import game_names
from woodstock.ground import ground
from woodstock.ground.program import GroundProgram
from woodstock.scsp.game_fluents import Encoding
from woodstock.scsp.resolver import NetworkResolver, Resolution, Resolver
from woodstock.search.circuit_resolver import CircuitResolver

RESOLVERS: dict[str, Callable[[GroundProgram], Resolver]] = {
    "MAC": NetworkResolver,
    "MAC, Boolean": lambda program: NetworkResolver(program, encoding=Encoding.BOOLEAN),
    "FC": lambda program: NetworkResolver(program, strength=Strength.FC),
    "circuit": CircuitResolver,
}
NUM_POSITIONS = 6 if JIT_DISABLED else 40
SLOW = 500
"""Ground rules of a game that is tried without the JIT compiler at most."""
MOST_RULES = 8_000 if JIT_DISABLED else 100_000
"""Ground rules times positions: large games are compared in fewer positions."""
MOST_NODES = 300 if JIT_DISABLED else 100_000
"""Ground rules times joint moves of a position that forward checking is tried on: it branches on everything."""


@cache
def program_of(name: str) -> GroundProgram:
    return ground(load_rules(name))


def positions_of(program: GroundProgram, count: int) -> list[GroundPosition]:
    """Return positions of random matches, the last ones among them."""
    game = GroundGame(program)
    rng = random.Random(1)
    found: list[GroundPosition] = []
    while len(found) < count:
        position = game.initial_position()
        found.append(position)
        while not game.is_terminal(position) and len(found) < count:
            moves = [rng.choice(game.legal_moves(position, role)) for role in range(len(game.roles))]
            position = game.next_position(position, moves)
            found.append(position)
    return found


def expected(program: GroundProgram, position: GroundPosition) -> dict[tuple[int, ...], tuple[GroundPosition, float]]:
    """Return what the ground game says: for each joint move the next position, and how likely chance's move is."""
    game = GroundGame(program)
    if game.is_terminal(position):
        return {}
    legal = [game.legal_moves(position, role) for role in range(len(game.roles))]
    chance = program.roles.index("random") if "random" in program.roles else None
    probability = 1.0 if chance is None else 1.0 / len(legal[chance])
    found = {}
    for joint in product(*legal):
        numbers = tuple(program.move_index[role][move] for role, move in enumerate(joint))
        found[numbers] = (game.next_position(position, joint), round(probability, 9))
    return found


def as_dictionary(found: Resolution) -> dict[tuple[int, ...], tuple[GroundPosition, float]]:
    return {
        tuple(moves.tolist()): (tuple(np.flatnonzero(successor).tolist()), round(float(probability), 9))
        for moves, successor, probability in zip(found.moves, found.successors, found.probabilities, strict=True)
    }


@pytest.mark.parametrize("name", game_names())
@pytest.mark.parametrize("kind", RESOLVERS)
def test_solutions_are_joint_moves_and_successors(name: str, kind: str) -> None:
    program = program_of(name)
    if JIT_DISABLED and program.num_rules > SLOW:
        pytest.skip(f"{program.num_rules} ground rules take too long without the compiler")
    resolver = RESOLVERS[kind](program)
    count = max(1, min(NUM_POSITIONS, MOST_RULES // program.num_rules))
    for position in positions_of(program, count):
        solutions = expected(program, position)
        if kind == "FC" and program.num_rules * len(solutions) > MOST_NODES:
            continue
        found = resolver.resolve(position)
        assert found.is_complete
        assert as_dictionary(found) == solutions
        assert found.moves.tolist() == sorted(found.moves.tolist())
