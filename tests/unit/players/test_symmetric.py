from __future__ import annotations

from random import Random
from typing import Any

import pytest

from woodstock.circuit.game import CircuitGame
from woodstock.circuit.words import WordArray
from woodstock.common.jit import JIT_DISABLED
from woodstock.common.limits import Deadline
from woodstock.game.load import load_rules
from woodstock.game.reference import ReferenceGame
from woodstock.ground import ground
from woodstock.match import MatchSetup, play_match, seats
from woodstock.players import Clocks, Seat, Turn, make_player
from woodstock.players.loading import prepare_game
from woodstock.search import symmetric_keys
from woodstock.search.options import SearchOptions
from woodstock.search.symmetric_keys import find_symmetric_keys
from woodstock.search.tree_search import TreeSearch
from woodstock.symmetry.canonical_chain import ChainKeys
from woodstock.symmetry.group import PermutationGroup, SymmetryGroup

SPECS = ("uct-sym", "grave-sym")


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("name", ["tic_tac_toe", "rock_paper_scissors", "pig", "monty_hall", "nim"])
def test_symmetric_players_play_every_kind_of_game(spec: str, name: str) -> None:
    rules = load_rules(name)
    game = prepare_game(rules)
    setup = MatchSetup(rules, game, [spec] * len(seats(game.roles)), clocks=Clocks(iterations=30))
    match = play_match(setup, [make_player(spec) for _ in setup.player_names])
    assert match.ending.value == "finished"
    assert all(not error for step in match.steps for error in step.errors)


@pytest.mark.parametrize("spec", SPECS)
def test_what_is_symmetric_is_merged_and_the_move_is_one_of_the_real_position(spec: str) -> None:
    rules = load_rules("tic_tac_toe")
    game: Any = prepare_game(rules)
    player = make_player(spec)
    player.start(Seat(rules, game, 1, Clocks(iterations=100), False, Random(2)))
    for square in ("1", "3"):
        position = game.next_position(game.initial_position(), [("place", square, square), "wait"])
        iterations = 150 if JIT_DISABLED else 3000
        move = player.choose(Turn(1, game.legal_moves(position, 1), position, iterations=iterations))
        assert move in game.legal_moves(position, 1)
        explanation = player.explain()
        assert explanation is not None
        if not JIT_DISABLED:
            assert move == ("place", "2", "2")  # a corner is answered in the middle, whichever corner it is
            assert explanation.value == 50
    assert "merged by symmetry" in explanation.statistics


def test_a_game_without_symmetry_or_circuit_is_searched_as_usual() -> None:
    rules = load_rules("tic_tac_toe")
    player = make_player("uct-sym")
    game = ReferenceGame(rules)
    player.start(Seat(rules, game, 0, Clocks(iterations=5), False, Random(2)))
    position = game.initial_position()
    assert player.choose(Turn(0, game.legal_moves(position, 0), position, iterations=5))
    chess: Any = prepare_game(load_rules("chess"))
    assert find_symmetric_keys(chess, Deadline(20.0)) is None


@pytest.mark.skipif(JIT_DISABLED, reason="many positions")
def test_symmetries_that_do_not_pay_are_given_up() -> None:
    game: Any = prepare_game(load_rules("connect_four"))
    assert isinstance(game, CircuitGame)
    calls = 0

    def costly(rows: Any) -> Any:
        nonlocal calls
        calls += 1
        keys = rows[:, 0].copy()
        for number in range(len(rows)):  # true keys, found the slow way: nothing is ever merged by them
            keys[number] = game.position(rows[number]).key
        return keys

    search = TreeSearch(game, SearchOptions(memory=16), 1, costly)
    search.set_root(game.initial_position())
    search.run(Deadline(None), 3000)
    made = calls
    search.run(Deadline(None), 6000)
    assert calls == made
    assert search.statistics.merged == 0


def test_keys_that_take_long_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    """A stabiliser chain takes milliseconds for each position, and made moves late."""
    game = CircuitGame(ground(load_rules("tic_tac_toe")))
    assert find_symmetric_keys(game, Deadline(20.0)) is not None

    def make(group: SymmetryGroup, numbers: WordArray) -> ChainKeys:
        return ChainKeys(PermutationGroup([each.fluents for each in group.generators], len(numbers)), numbers)

    monkeypatch.setattr(symmetric_keys, "make_canonical_keys", make)
    assert find_symmetric_keys(game, Deadline(20.0)) is None
