"""Images: where symmetries take positions, and what these are worth to whom."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from woodstock.circuit.game import CircuitGame, CircuitPosition
from woodstock.circuit.packing import pack, unpack
from woodstock.common.limits import Deadline
from woodstock.game.load import load_rules
from woodstock.game.protocol import goal
from woodstock.ground import ground
from woodstock.search.images import MOST, TOLD, find_images
from woodstock.search.self_play import SelfPlay
from woodstock.symmetry.detection import DetectionOptions, find_symmetries
from woodstock.symmetry.group import SymmetryGroup

SECONDS = 10.0
"""For finding symmetries; those that matter here are found in less than one."""


def _make(name: str) -> tuple[CircuitGame, SymmetryGroup]:
    game = CircuitGame(ground(load_rules(name)))
    return game, find_symmetries(game.program, DetectionOptions(Deadline(SECONDS), permute_roles=True)).group


def _play_out(game: CircuitGame, random: Random) -> CircuitPosition:
    position = game.initial_position()
    while not game.is_terminal(position):
        legal = [game.legal_moves(position, role) for role in range(len(game.roles))]
        position = game.next_position(position, [random.choice(moves) for moves in legal])
    return position


@pytest.mark.parametrize("name", ["tic_tac_toe", "breakthrough_small", "chinese_checkers", "quarto", "pickomino"])
def test_an_image_is_worth_what_it_is_said_to_be(name: str) -> None:
    """At the end of a match that is what the rules say."""
    game, group = _make(name)
    model = SelfPlay(game, 1).model
    images = find_images(model, group)
    first_of = [
        next(role for role, sign in enumerate(model.signs) if sign > 0 and model.columns[role] == column)
        for column in range(len(model.sums))
    ]
    random = Random(2)
    seen = set()
    for _ in range(6):
        position = _play_out(game, random)
        worth = [(goal(game, position, role) or 0) / 100 for role in first_of]
        fluents = np.flatnonzero(unpack(position.row[None], game.program.num_fluents)[0])
        for number in range(min(8, len(images.fluents))):
            there = np.zeros((1, game.program.num_fluents), np.bool_)
            there[0, images.fluents[number, fluents]] = True
            image = game.position(pack(there)[0])
            assert game.is_terminal(image)
            for column, value in enumerate(worth):
                role = first_of[images.columns[number, column]]
                said = 1 - value if images.turns[number, column] else value
                assert (goal(game, image, role) or 0) / 100 == said
                seen.add(said)
    assert len(seen) > 1


def test_all_symmetries_of_a_small_group_but_the_identity_are_used() -> None:
    game, group = _make("tic_tac_toe")
    images = find_images(SelfPlay(game, 1).model, group)
    assert len(images.fluents) == len(np.unique(images.fluents, axis=0)) == group.order - 1 == 15
    assert images.turns.sum() == 8
    assert images.told == TOLD


def test_some_symmetries_of_a_large_group_are_used() -> None:
    game, group = _make("quarto")
    images = find_images(SelfPlay(game, 1).model, group)
    assert group.order > MOST == len(images.fluents)
    assert len(np.unique(images.fluents, axis=0)) > MOST // 2


def test_a_group_whose_order_is_not_known_in_time_has_images() -> None:
    game, group = _make("tic_tac_toe")
    images = find_images(SelfPlay(game, 1).model, group.within(Deadline(0.0)))
    known = {each.fluents.tobytes() for each in group.elements()}
    assert len(images.fluents) == MOST
    assert {each.tobytes() for each in images.fluents} <= known


@pytest.mark.parametrize("group", [None, "trivial"])
def test_without_symmetries_there_are_no_images(group: str | None) -> None:
    game, found = _make("tic_tac_toe")
    trivial = SymmetryGroup([], found.shape)
    images = find_images(SelfPlay(game, 1).model, None if group is None else trivial)
    assert len(images.fluents) == images.told == 0
    assert images.fluents.shape[1] == game.program.num_fluents
