"""Rule sheets against direct programs of the same games, on random walks."""

from __future__ import annotations

import importlib
import random
from pathlib import Path
from typing import Any

import pytest

from naive import direct
from naive.direct.protocol import DirectGame
from woodstock.common.jit import JIT_DISABLED
from woodstock.game.ground_game import GroundGame
from woodstock.game.load import load_rules
from woodstock.games import game_names
from woodstock.gdl.printer import to_kif
from woodstock.ground import ground

NAMES = sorted(path.stem for path in Path(direct.__path__[0]).glob("*.py") if path.stem in game_names())
MOST_POSITIONS = 60 if JIT_DISABLED else 300
"""Positions of all walks of a game."""


def program_of(name: str) -> DirectGame:
    found: DirectGame = importlib.import_module(f"naive.direct.{name}").GAME
    return found


def compare(game: GroundGame, program: DirectGame, position: Any, mirrored: Any, where: str) -> None:
    """Compare all that can be said about a position."""
    assert game.is_terminal(position) == program.is_over(mirrored), where
    for role, name in enumerate(program.roles):
        if program.is_over(mirrored):
            if name != "random":
                assert list(map(to_kif, game.goal_values(position, role))) == [str(program.goal(mirrored, name))], where
        else:
            assert set(map(to_kif, game.legal_moves(position, role))) == program.legal(mirrored, name), where


@pytest.mark.parametrize("name", NAMES)
def test_the_sheet_plays_as_the_program(name: str) -> None:
    game, program = GroundGame(ground(load_rules(name))), program_of(name)
    assert tuple(map(to_kif, game.roles)) == program.roles
    rng = random.Random(name)
    count, walk = 0, 0
    while count < MOST_POSITIONS:
        walk += 1
        position, mirrored, step = game.initial_position(), program.start(), 0
        while True:
            compare(game, program, position, mirrored, f"walk {walk}, step {step}")
            count += 1
            if game.is_terminal(position) or count >= MOST_POSITIONS:
                break
            legal = [sorted(game.legal_moves(position, role), key=to_kif) for role in range(len(game.roles))]
            moves = [rng.choice(choices) for choices in legal]
            texts = {role: to_kif(move) for role, move in zip(program.roles, moves, strict=True)}
            sees = getattr(program, "sees", None)
            for role, of_role in enumerate(program.roles):
                if sees is not None and of_role != "random":
                    seen = set(map(to_kif, game.percepts(position, moves, role)))
                    assert seen == set(sees(mirrored, texts, of_role)), f"walk {walk}, step {step}"
            position, mirrored = game.next_position(position, moves), program.after(mirrored, texts)
            step += 1
