from __future__ import annotations

from random import Random
from typing import Any

import pytest

from woodstock.circuit.game import CircuitGame
from woodstock.common.errors import UsageError
from woodstock.common.jit import JIT_DISABLED
from woodstock.common.limits import Deadline
from woodstock.game.load import load_rules
from woodstock.game.protocol import Game, Move
from woodstock.game.reference import ReferenceGame
from woodstock.ground import ground
from woodstock.match import MatchSetup, play_match, seats
from woodstock.players import Clocks, Player, Seat, Turn, make_player
from woodstock.players.loading import hides_information, prepare_game

SEARCHERS = ("flat", "uct", "grave", "uct:mast=yes,samples=2", "grave:mast=yes", "uct:trust=8", "woodstock")

WON = [
    [("place", "1", "1"), "wait"],
    ["wait", ("place", "3", "2")],
    [("place", "2", "2"), "wait"],
    ["wait", ("place", "3", "1")],
]
"""x wins at once with (place 3 3); o, if it were to move, with (place 3 3) as well."""


@pytest.fixture(scope="module", params=["circuit", "reference"])
def game(request: pytest.FixtureRequest) -> Game[Any]:
    rules = load_rules("tic_tac_toe")
    return CircuitGame(ground(rules)) if request.param == "circuit" else ReferenceGame(rules)


def seated(spec: str, game: Game[Any], role: int, name: str = "tic_tac_toe", seed: int = 1) -> Player:
    rules = load_rules(name)
    player = make_player(spec)
    clocks = Clocks(iterations=200)
    player.start(Seat(rules, game, role, clocks, hides_information(rules), Random(seed)))
    return player


def after(game: Game[Any], line: list[Any]) -> Any:
    position = game.initial_position()
    for moves in line:
        position = game.next_position(position, moves)
    return position


@pytest.mark.parametrize("spec", SEARCHERS)
def test_searchers_win_when_they_can_and_explain_it(spec: str, game: Game[Any]) -> None:
    player = seated(spec, game, 0)
    position = after(game, WON)
    move = player.choose(Turn(4, game.legal_moves(position, 0), position, iterations=200))
    assert move == ("place", "3", "3")
    explanation = player.explain()
    assert explanation is not None
    assert explanation.move == move
    assert explanation.value == pytest.approx(100)
    assert {candidate.move for candidate in explanation.candidates} == set(game.legal_moves(position, 0))
    if not spec.startswith("flat"):
        assert explanation.candidates[0].proven
        assert "proven" in str(explanation)
        assert explanation.line[0][0] == move


@pytest.mark.parametrize("spec", ["uct", "grave"])
def test_tree_search_prevents_a_loss_in_two(spec: str, game: Game[Any]) -> None:
    line: list[Any] = [[("place", "1", "1"), "wait"]]
    position = after(game, line)
    player = seated(spec, game, 1)
    iterations = 400 if JIT_DISABLED or isinstance(game, ReferenceGame) else 3000
    move = player.choose(Turn(1, game.legal_moves(position, 1), position, iterations=iterations))
    assert move == ("place", "2", "2")  # all else loses to a corner opening


@pytest.mark.parametrize("spec", SEARCHERS)
def test_iterations_and_seed_make_the_move(spec: str, game: Game[Any]) -> None:
    def choose() -> tuple[Move, Any]:
        player = seated(spec, game, 0, seed=9)
        position = game.initial_position()
        move = player.choose(Turn(0, game.legal_moves(position, 0), position, iterations=60))
        explanation = player.explain()
        assert explanation is not None
        return move, [(each.move, each.visits, each.value) for each in explanation.candidates]

    assert choose() == choose()


@pytest.mark.parametrize("spec", ["flat", "uct"])
def test_a_forced_move_needs_no_search(spec: str, game: Game[Any]) -> None:
    player = seated(spec, game, 1)
    position = game.initial_position()
    assert player.choose(Turn(0, game.legal_moves(position, 1), position, Deadline(1e-9))) == "wait"
    assert player.explain() is None


def test_the_best_move_so_far_is_proposed() -> None:
    rules = load_rules("connect_four")
    game = prepare_game(rules)
    player = make_player("uct")
    player.start(Seat(rules, game, 0, Clocks(iterations=50), False, Random(1)))
    position = game.initial_position()
    legal = game.legal_moves(position, 0)
    proposed: list[Move] = []
    assert player.choose(Turn(0, legal, position, Deadline(0.5), propose=proposed.append)) in legal
    assert proposed
    assert set(proposed) <= set(legal)


def test_pondering_goes_on_from_what_happened() -> None:
    rules = load_rules("connect_four")
    game = prepare_game(rules)
    player = make_player("uct")
    player.start(Seat(rules, game, 0, Clocks(iterations=50), False, Random(1)))
    player.ponder(Deadline(0.05))
    position = game.initial_position()
    assert player.choose(Turn(0, game.legal_moves(position, 0), position, iterations=50)) in game.legal_moves(
        position, 0
    )


@pytest.mark.parametrize("name", ["monty_hall", "kuhn_poker", "rock_paper_scissors", "pig", "two_by_two_random"])
@pytest.mark.parametrize("spec", ["flat", "uct"])
def test_matches_of_every_kind_come_to_an_end_without_a_fault(name: str, spec: str) -> None:
    rules = load_rules(name)
    game = prepare_game(rules)
    setup = MatchSetup(rules, game, [spec] * len(seats(game.roles)), clocks=Clocks(iterations=20))
    match = play_match(setup, [make_player(spec) for _ in setup.player_names])
    assert match.ending.value == "finished"
    assert all(not error for step in match.steps for error in step.errors)


@pytest.mark.skipif(JIT_DISABLED, reason="many matches")
def test_the_hidden_door_is_changed() -> None:
    rules = load_rules("monty_hall")
    game = prepare_game(rules)
    goals = []
    for seed in range(30):
        setup = MatchSetup(rules, game, ["flat"], seed=seed, clocks=Clocks(iterations=320))
        goals.append(play_match(setup, [make_player("flat")]).goals[seats(game.roles)[0]])
    assert 13 <= sum(goal == 100 for goal in goals) <= 27  # two thirds, within three standard deviations


def test_options_are_read_and_checked() -> None:
    assert make_player("uct:exploration=0.7,threads=2,mast=yes").options.threads == 2  # type: ignore[attr-defined]
    with pytest.raises(UsageError, match=r"no option 'exploratoin'; did you mean 'exploration'\?"):
        make_player("uct:exploratoin=0.7")
    with pytest.raises(UsageError, match="uct:threads takes a whole number, found 'two'"):
        make_player("uct:threads=two")
    with pytest.raises(UsageError, match="threads must be 1 or more, found 0"):
        make_player("uct:threads=0")
