from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from woodstock.common.errors import UsageError
from woodstock.game.load import load_rules
from woodstock.game.protocol import Move
from woodstock.game.reference import ReferenceGame
from woodstock.match import Ending, LocalMatch, Match, MatchSetup, play_match
from woodstock.players import Candidate, Clocks, Event, Explanation, Player, Seat, Turn, make_player

NAMES = ("a", "b")


class Script(Player):
    """A player that does as it was told and remembers what it was told."""

    def __init__(self, act: Callable[[Turn[Any]], Move] = lambda turn: turn.legal_moves[0]) -> None:
        self.act = act
        self.seats: list[Seat[Any]] = []
        self.turns: list[Turn[Any]] = []
        self.events: list[Event[Any]] = []
        self.ends: list[tuple[int | None, ...] | None] = []

    def start(self, seat: Seat[Any]) -> None:
        self.seats.append(seat)

    def choose(self, turn: Turn[Any]) -> Move:
        self.turns.append(turn)
        return self.act(turn)

    def observe(self, event: Event[Any]) -> None:
        self.events.append(event)

    def stop(self, goals: tuple[int | None, ...] | None) -> None:
        self.ends.append(goals)


class Clock:
    """A clock that goes on only when it is told to."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        monkeypatch.setattr("woodstock.match.local.time.monotonic", lambda: self.now)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def setup(name: str = "tic_tac_toe", **options: Any) -> MatchSetup:
    rules = load_rules(name)
    return replace(MatchSetup(rules, ReferenceGame(rules), NAMES, game_name=name), **options)


def test_players_are_started_asked_shown_and_stopped() -> None:
    left, right = Script(), Script()
    match = play_match(setup(seed=2, clocks=Clocks(60, 60)), [left, right])
    assert match.ending is Ending.FINISHED
    assert [seat.role for seat in (*left.seats, *right.seats)] == [0, 1]
    assert left.seats[0].deadline.seconds_left > 30
    for role, player in enumerate((left, right)):
        assert [turn.number for turn in player.turns] == list(range(len(match.steps)))
        assert [event.number for event in player.events] == list(range(1, len(match.steps) + 1))
        assert [event.moves for event in player.events] == [step.moves for step in match.steps]
        assert [event.move for event in player.events] == [step.moves[role] for step in match.steps]
        assert player.ends == [match.goals]
        assert all(30 < turn.deadline.seconds_left <= 60 for turn in player.turns)
    assert left.turns[1].position == left.events[0].position


@pytest.mark.parametrize("name", ["tic_tac_toe", "rock_paper_scissors", "pig", "monty_hall", "kuhn_poker"])
def test_a_match_is_repeatable_from_its_seed_when_iterations_count(name: str) -> None:
    def play(seed: int) -> Match:
        rules = load_rules(name)
        game = ReferenceGame(rules)
        specs = ["greedy", "random"][: sum(role != "random" for role in game.roles)]
        chosen = MatchSetup(rules, game, specs, seed, Clocks(iterations=10), max_steps=40)
        return play_match(chosen, [make_player(spec) for spec in specs])

    first, again = play(1), play(1)
    assert [step.moves for step in first.steps] == [step.moves for step in again.steps]
    assert first.states == again.states
    assert (first.ending, first.goals) == (again.ending, again.goals)
    assert len({tuple(step.moves for step in play(seed).steps) for seed in range(8)}) > 1


def test_a_late_player_is_noted_and_a_random_move_made_for_it(clock: Clock) -> None:
    def dawdle(turn: Turn[Any]) -> Move:
        turn.propose(turn.legal_moves[0])
        clock.now += 1.5 if turn.number in (0, 2) else 0.5
        return turn.legal_moves[0]

    moves = set()
    for seed in range(20):
        player = Script(dawdle)
        match = play_match(setup(seed=seed, clocks=Clocks(play=1)), [player, Script()])
        assert [step.errors for step in match.steps[:3]] == [("TO", ""), ("", ""), ("TO", "")]
        assert match.steps[0].answers[0].seconds == 1.5
        assert player.events[0].move == match.steps[0].moves[0]
        moves.add(match.steps[0].moves[0])
    assert len(moves) > 4


def test_a_person_is_never_late(clock: Clock) -> None:
    def ponder(turn: Turn[Any]) -> Move:
        clock.now += 100
        return turn.legal_moves[0]

    match = play_match(setup(player_names=("human", "b"), clocks=Clocks(10, 1)), [Script(ponder), Script(ponder)])
    assert {step.errors for step in match.steps} == {("", "TO")}


def test_without_a_clock_nobody_is_late(clock: Clock) -> None:
    def dawdle(turn: Turn[Any]) -> Move:
        clock.now += 1e6
        return turn.legal_moves[0]

    match = play_match(setup(clocks=Clocks(iterations=5)), [Script(dawdle), Script(dawdle)])
    assert not any(any(step.errors) for step in match.steps)
    assert match.start_errors == ("", "")


def test_a_player_that_crashes_goes_on_with_fallback_moves(caplog: pytest.LogCaptureFixture) -> None:
    def crash(turn: Turn[Any]) -> Move:
        if turn.number == 1:
            raise ZeroDivisionError("no way out")
        return turn.legal_moves[0]

    player = Script(crash)
    with caplog.at_level(logging.WARNING):
        match = play_match(setup(), [Script(), player])
    assert match.ending is Ending.FINISHED
    assert [step.errors[1] for step in match.steps[:3]] == ["", "CE", ""]
    assert match.steps[1].answers[1].move is None
    assert player.ends == [match.goals]
    assert "the player b (o) crashed in choose: ZeroDivisionError: no way out" in caplog.text


def test_a_crash_anywhere_else_ends_nothing(caplog: pytest.LogCaptureFixture) -> None:
    class Fragile(Player):
        def start(self, seat: Seat[Any]) -> None:
            raise OSError("start")

        def choose(self, turn: Turn[Any]) -> Move:
            return turn.legal_moves[0]

        def observe(self, event: Event[Any]) -> None:
            raise OSError("observe")

        def stop(self, goals: tuple[int | None, ...] | None) -> None:
            raise OSError("stop")

        def explain(self) -> Explanation | None:
            raise OSError("explain")

    other = Script()
    match = play_match(setup(explain=True), [Fragile(), other])
    assert match.ending is Ending.FINISHED
    assert match.start_errors == ("CE", "")
    assert not any(any(step.errors) for step in match.steps)
    assert other.ends == [match.goals]
    assert {record.getMessage().rpartition(" ")[2] for record in caplog.records} == {
        "start",
        "observe",
        "stop",
        "explain",
    }


def test_too_long_a_start_is_noted_and_the_match_goes_on(clock: Clock) -> None:
    class Slow(Script):
        def start(self, seat: Seat[Any]) -> None:
            clock.now += 11

    match = play_match(setup(clocks=Clocks(10, 1)), [Slow(), Script()])
    assert match.start_errors == ("TO", "")
    assert match.ending is Ending.FINISHED


def test_explanations_are_asked_for_only_if_wanted() -> None:
    class Talker(Script):
        def explain(self) -> Explanation:
            return Explanation("x", (Candidate("noop", 50.0, 1.0, 3),))

    match = play_match(setup(explain=True), [Talker(), Script()])
    assert match.steps[0].answers[0].explanation.value == 50.0
    assert match.steps[0].answers[1].explanation is None
    assert play_match(setup(), [Talker(), Script()]).steps[0].answers[0].explanation is None


def test_the_watcher_sees_every_position_and_step_in_order() -> None:
    chosen = setup()
    seen: list[tuple[Any, Any]] = []
    match = play_match(chosen, [Script(), Script()], lambda *event: seen.append(event))
    assert [step for _, step in seen] == [None, *match.steps]
    assert [chosen.game.fluents(position) for position, _ in seen] == list(match.states)


def test_an_interrupt_stops_the_players_and_leaves_the_match_so_far() -> None:
    def interrupt(turn: Turn[Any]) -> Move:
        if turn.number == 3:
            raise KeyboardInterrupt
        return turn.legal_moves[0]

    players = [Script(), Script(interrupt)]
    contest = LocalMatch(setup(), players)
    with pytest.raises(KeyboardInterrupt):
        contest.play()
    assert [player.ends for player in players] == [[None], [None]]
    match = contest.referee.finish(Ending.ABORTED)
    assert (len(match.steps), len(match.states), match.ending) == (3, 4, Ending.ABORTED)


def test_players_are_stopped_when_the_watcher_fails() -> None:
    def fail(position: Any, step: Any) -> None:
        raise BrokenPipeError

    players = [Script(), Script()]
    with pytest.raises(BrokenPipeError):
        play_match(setup(), players, fail)
    assert [player.ends for player in players] == [[None], [None]]


def test_there_is_a_player_for_every_seat() -> None:
    with pytest.raises(UsageError, match="expected 2 players, one per seat, found 1"):
        play_match(setup(), [Script()])
