from __future__ import annotations

from random import Random
from typing import Any

import pytest

from woodstock.common.errors import UsageError
from woodstock.game.load import load_rules
from woodstock.game.protocol import Game
from woodstock.game.reference import ReferenceGame
from woodstock.gdl.sheet import parse_rules
from woodstock.players.tracking import MAX_POSITIONS, News, Tracker


@pytest.fixture(scope="module")
def tic_tac_toe() -> Game[Any]:
    return ReferenceGame(load_rules("tic_tac_toe"))


@pytest.fixture(scope="module")
def monty_hall() -> Game[Any]:
    return ReferenceGame(load_rules("monty_hall"))


def test_joint_moves_lead_to_one_position(tic_tac_toe) -> None:
    tracker = Tracker(tic_tac_toe, 1)
    assert tracker.legal_moves() == ("wait",)
    event = tracker.advance(News(moves=(("place", "2", "2"), "wait")))
    assert (event.number, event.move, event.moves) == (1, "wait", (("place", "2", "2"), "wait"))
    assert event.percepts == {("did", "x", ("place", "2", "2")), ("did", "o", "wait")}
    assert tracker.positions == [event.position]
    assert ("square", "2", "2", "x") in tic_tac_toe.fluents(event.position)
    assert len(tracker.legal_moves()) == 8


def test_what_is_legal_can_be_asked(tic_tac_toe) -> None:
    tracker = Tracker(tic_tac_toe, 0)
    assert tracker.allows((("place", "2", "2"), "wait"))
    assert not tracker.allows((("place", "2", "2"), ("place", "1", "1")))
    assert not tracker.allows(("wait",))
    tracker.advance(News(moves=(("place", "2", "2"), "wait")))
    assert not tracker.allows((("place", "2", "2"), "wait"))


def test_a_joint_move_of_another_size_is_refused_and_changes_nothing(tic_tac_toe) -> None:
    tracker = Tracker(tic_tac_toe, 0)
    with pytest.raises(UsageError, match="expected 2 moves, one for each role, found 1"):
        tracker.advance(News(moves=("wait",)))
    assert tracker.number == 0
    assert len(tracker.legal_moves()) == 9


def test_percepts_tell_the_joint_move_where_nothing_is_hidden(tic_tac_toe) -> None:
    tracker = Tracker(tic_tac_toe, 1)
    percepts = frozenset({("did", "x", ("place", "1", "3")), ("did", "o", "wait")})
    assert tracker.explain(percepts) == (("place", "1", "3"), "wait")
    assert tracker.explain(frozenset({"nonsense"})) is None


def test_hidden_positions_are_those_that_agree_with_what_was_shown(monty_hall) -> None:
    tracker = Tracker(monty_hall, 0)
    tracker.advance(News(percepts=frozenset(), move="wait"))
    tracker.advance(News(percepts=frozenset(), move=("pick", "1")))
    event = tracker.advance(News(percepts=frozenset({("goat_behind", "3")}), move="wait"))
    assert event.position is None
    assert event.moves is None
    assert event.percepts == {("goat_behind", "3")}
    assert tracker.legal_moves() == ("stay", "switch")
    cars = [fluent for position in tracker.positions for fluent in position if fluent[0] == "car"]
    assert sorted(cars) == [("car", "1"), ("car", "2")]


def test_a_position_is_found_again_if_all_that_were_kept_turn_out_to_be_wrong(monty_hall) -> None:
    tracker = Tracker(monty_hall, 0)
    tracker.advance(News(percepts=frozenset(), move="wait"))
    tracker.positions = [position for position in tracker.positions if ("car", "3") in position]
    tracker.advance(News(percepts=frozenset(), move=("pick", "1")))
    tracker.advance(News(percepts=frozenset({("goat_behind", "3")}), move="wait"))
    assert tracker.positions
    assert all(("car", "3") not in position for position in tracker.positions)


def test_a_move_that_the_host_made_instead_is_noticed_by_what_it_shows(monty_hall) -> None:
    tracker = Tracker(monty_hall, 0)
    tracker.advance(News(percepts=frozenset(), move="wait"))
    tracker.advance(News(percepts=frozenset(), move=("pick", "9")))
    assert tracker.legal_moves() == ("wait",)
    tracker.advance(News(percepts=frozenset({("goat_behind", "1")}), move="wait"))
    assert tracker.legal_moves() == ("stay", "switch")


def test_nonsense_is_survived(monty_hall, caplog) -> None:
    tracker = Tracker(monty_hall, 0)
    tracker.advance(News(percepts=frozenset({("elephant", "1")}), move="wait"))
    assert "contradicts" in caplog.text
    assert tracker.number == 1
    assert len(tracker.legal_moves()) == 3


def test_a_step_of_which_nothing_is_known(monty_hall) -> None:
    tracker = Tracker(monty_hall, 0)
    tracker.advance(News())
    tracker.advance(News())
    assert tracker.number == 2
    assert tracker.legal_moves() == ("wait",)


def test_a_host_that_tells_the_joint_move_of_a_game_that_hides_it(monty_hall) -> None:
    tracker = Tracker(monty_hall, 0)
    tracker.advance(News(moves=("wait", ("hide_car", "2"))))
    assert tracker.positions == [monty_hall.next_position(monty_hall.initial_position(), ["wait", ("hide_car", "2")])]


def test_where_there_are_many_possibilities_some_are_kept() -> None:
    numbers = " ".join(f"(number {n})" for n in range(300))
    game = ReferenceGame(
        parse_rules(f"""
        (role guesser) (role random) {numbers} (init (step 0)) (init (secret none))
        (<= (legal random (hide ?n)) (number ?n))
        (<= (legal guesser (guess ?n)) (number ?n))
        (<= (next (secret ?n)) (does random (hide ?n)))
        (<= (next (step 1)) (true (step 0)))
        (<= (sees guesser right) (does guesser (guess ?n)) (does random (hide ?n)))
        (<= terminal (true (step 9))) (goal guesser 0) (goal random 0)""")
    )
    tracker = Tracker(game, 0, Random(1), seconds=5.0)
    tracker.advance(News(percepts=frozenset(), move=("guess", "7")))
    assert len(tracker.positions) == MAX_POSITIONS
    tracker.advance(News(percepts=frozenset({"right"}), move=("guess", "7")))
    assert [fluent for fluent in tracker.positions[0] if fluent[0] == "secret"] == [("secret", "7")]


def test_moves_legal_in_most_positions_where_none_is_legal_in_all() -> None:
    game = ReferenceGame(
        parse_rules("""
        (role you) (role random) (init start)
        (<= (legal random left) (true start)) (<= (legal random right) (true start))
        (<= (legal random noop) (not (true start)))
        (<= (legal you go) (true start)) (<= (legal you a) (true left)) (<= (legal you b) (true right))
        (<= (legal you c) (true left))
        (<= (next left) (does random left)) (<= (next right) (does random right))
        (<= (sees you nothing) (does random sing)) (<= terminal (true end)) (goal you 0) (goal random 0)""")
    )
    tracker = Tracker(game, 0)
    tracker.advance(News(percepts=frozenset(), move="go"))
    assert len(tracker.positions) == 2
    assert set(tracker.legal_moves()) == {"a", "b", "c"}
