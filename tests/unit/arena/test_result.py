from __future__ import annotations

import json

import pytest

from woodstock.arena import DuelPlan, DuelResult, PlayResult, make_plan
from woodstock.arena.playing import Faults
from woodstock.arena.result import Crash
from woodstock.match import Ending
from woodstock.players import Clocks


def plan(game: str, matches: int) -> DuelPlan:
    return make_plan(game, ("uct", "random"), matches, Clocks(iterations=1))


def result(duel: DuelPlan, *goals: tuple[int, ...], crashes: tuple[Crash, ...] = ()) -> DuelResult:
    """Return the result of a duel in which the seats had these goals, play by play."""
    lost = {crash.match for crash in crashes}
    plays = [each for each in duel.plays() if each.match not in lost]
    played = [
        PlayResult(
            play=play,
            ending=Ending.FINISHED,
            goals=each,
            steps=number,
            thinking=(0.1,) * len(each),
            slowest=tuple(number + seat / 10 for seat in range(len(each))),
            faults=tuple(Faults(late=10**seat) for seat in range(len(each))),
            span=(float(number), number + 2.0),
        )
        for number, (play, each) in enumerate(zip(plays, goals, strict=False))
    ]
    return DuelResult(duel, tuple(played), crashes)


def test_wins_draws_and_losses_are_those_of_the_first_contestant_wherever_it_sits() -> None:
    duel = result(plan("tic_tac_toe", 6), (100, 0), (100, 0), (50, 50), (0, 100), (0, 100), (0, 100))
    balance = duel.balance
    assert (balance.wins, balance.draws, balance.losses, balance.matches) == (3, 1, 2, 6)
    assert duel.score.mean == pytest.approx(350 / 6)
    by_seat = duel.balance_by_seat
    assert (by_seat["x"].wins, by_seat["x"].draws, by_seat["x"].losses) == (1, 1, 1)
    assert (by_seat["o"].wins, by_seat["o"].draws, by_seat["o"].losses) == (2, 0, 1)


def test_a_match_is_decided_by_who_has_more_not_by_how_much() -> None:
    duel = result(plan("tic_tac_toe", 2), (51, 49), (99, 100))
    assert [each.score for each in duel.encounters] == [100, 100]
    assert duel.goals(0).mean == pytest.approx(75.5)
    assert duel.goals(1).mean == pytest.approx(74)


def test_with_more_seats_the_best_of_the_others_counts() -> None:
    duel = result(plan("chinese_checkers", 3), (50, 75, 0), (25, 50, 50), (0, 0, 100))
    assert [each.score for each in duel.encounters] == [0, 50, 100]
    assert [each.goals for each in duel.encounters] == [(50, 37.5), (50, 37.5), (100, 0)]
    assert {seat: balance.matches for seat, balance in duel.balance_by_seat.items()} == {
        "red": 1,
        "green": 1,
        "blue": 1,
    }


def test_separate_plays_are_compared_once_both_are_there() -> None:
    duel = result(plan("lights_out", 3), (100,), (60,), (40,), (40,), (100,))
    assert [each.score for each in duel.encounters] == [100, 50]
    assert duel.balance_by_seat == {}
    assert duel.goals(0).mean == 70
    assert duel.goals(1).mean == 50


def test_a_match_with_a_lost_play_does_not_count_and_is_not_forgotten() -> None:
    duel = result(plan("tic_tac_toe", 3), (100, 0), (0, 100), crashes=(Crash(1, "its process died"),))
    assert (duel.balance.matches, duel.balance.wins, duel.crashed) == (2, 1, 1)
    data = duel.to_json()
    assert (data["matches"], data["planned"], data["crashed"]) == (2, 3, 1)
    assert data["crashes"] == [{"match": 2, "reason": "its process died"}]


def test_faults_go_to_who_made_them() -> None:
    duel = result(plan("tic_tac_toe", 3), (100, 0), (100, 0), (100, 0))
    assert duel.faults(0).late == 1 + 10 + 1
    assert duel.faults(1).late == 10 + 1 + 10
    assert duel.slowest(0) == pytest.approx(2.0)
    assert duel.slowest(1) == pytest.approx(2.1)
    assert duel.thinking(0) == pytest.approx(0.3)
    data = duel.to_json()
    assert data["late"] == 33
    assert [each["late"] for each in data["by_player"]] == [12, 21]


def test_the_json_carries_what_was_promised_and_is_plain() -> None:
    duel = result(plan("tic_tac_toe", 2), (100, 0), (50, 50))
    data = json.loads(json.dumps(duel.to_json()))
    assert data["game"] == "tic_tac_toe"
    assert data["players"] == ["uct", "random"]
    assert (data["matches"], data["wins"], data["draws"], data["losses"]) == (2, 1, 1, 0)
    assert data["score"] == 75
    assert data["interval"][0] < 75 < data["interval"][1]
    assert data["deviation"] == pytest.approx(25 / 2**0.5)
    assert (data["late"], data["illegal"], data["errors"]) == (22, 0, 0)
    assert data["by_seat"]["x"] == {"matches": 1, "wins": 1, "draws": 0, "losses": 0, "score": 100}
    assert data["mean_steps"] == 0.5
    assert data["seconds"] == 3.0
    assert data["scores"] == [100, 50]


def test_nothing_was_played() -> None:
    data = result(plan("tic_tac_toe", 2)).to_json()
    assert (data["matches"], data["score"], data["interval"], data["mean_steps"]) == (0, None, None, None)


def test_a_cooperative_game_that_nobody_recognised() -> None:
    assert result(plan("tic_tac_toe", 2), (100, 100), (0, 0)).looks_cooperative
    assert not result(plan("tic_tac_toe", 2), (50, 50), (50, 50)).looks_cooperative
    assert not result(plan("tic_tac_toe", 2), (100, 100), (100, 0)).looks_cooperative
    assert not result(plan("lights_out", 1), (100,), (100,)).looks_cooperative
    assert not result(plan("tic_tac_toe", 2)).looks_cooperative
