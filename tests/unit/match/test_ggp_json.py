from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from woodstock import __version__
from woodstock.game.load import load_rules
from woodstock.game.reference import ReferenceGame
from woodstock.gdl import parse_rules
from woodstock.match import Answer, Ending, Match, MatchSetup, Referee, save_record, seats, write_record
from woodstock.match.invariants import find_faults
from woodstock.players import Candidate, Clocks, Explanation

REQUIRED = {
    "matchId",
    "startTime",
    "randomToken",
    "startClock",
    "playClock",
    "states",
    "moves",
    "stateTimes",
    "gameMetaURL",
}


def play(name: str = "tic_tac_toe", steps: int = 1000, **options: Any) -> Match:
    """Play a match in which every player is late and all moves are drawn."""
    rules = load_rules(name)
    game = ReferenceGame(rules)
    names = ["uct:threads=2", "human"][: len(seats(game.roles))]
    referee = Referee(replace(MatchSetup(rules, game, names, game_name=name), **options))
    while referee.ending() is None and referee.number < steps:
        referee.advance({role: Answer(referee.legal_moves(role)[0], seconds=0.25) for role in referee.seats})
    return referee.finish()


def has_null(value: object) -> bool:
    if isinstance(value, dict):
        return any(has_null(item) for item in value.values())
    return any(has_null(item) for item in value) if isinstance(value, list) else value is None


@pytest.mark.parametrize("name", ["tic_tac_toe", "pig", "monty_hall", "rock_paper_scissors", "lights_out"])
def test_the_invariants_of_the_format_hold(name: str) -> None:
    record = json.loads(json.dumps(write_record(play(name, 60))))
    assert record.keys() >= REQUIRED
    assert len(record["states"]) == len(record["stateTimes"]) == len(record["errors"]) == len(record["moves"]) + 1
    width = len(record["x-roles"])
    rows = (record["moves"], record["errors"], [record["playerNamesFromHost"]], [record["isPlayerHuman"]])
    assert all(len(row) == width for part in rows for row in part)
    times = [record["startTime"], *record["stateTimes"]]
    assert times == sorted(times)
    assert ("goalValues" in record) == record["isCompleted"]
    assert record["isAborted"] != record["isCompleted"]
    assert re.fullmatch(rf"http://localhost/games/{name}/v0/", record["gameMetaURL"])
    assert len(record["randomToken"]) == 32
    assert not has_null(record)
    assert find_faults(record) == []


def test_states_and_moves_are_symbol_lists_as_ggp_base_writes_them() -> None:
    record = write_record(play())
    assert record["states"][0] == (
        "( ( square 1 1 empty ) ( square 1 2 empty ) ( square 1 3 empty ) ( square 2 1 empty ) ( square 2 2 empty )"
        " ( square 2 3 empty ) ( square 3 1 empty ) ( square 3 2 empty ) ( square 3 3 empty ) ( turn x ) )"
    )
    assert record["moves"][0] == ["( place 1 1 )", "wait"]


def test_a_state_in_which_nothing_is_true() -> None:
    rules = parse_rules("(role you) (legal you go) terminal (goal you 50)")
    match = Referee(MatchSetup(rules, ReferenceGame(rules), ["legal"])).finish()
    assert write_record(match)["states"] == ["( )"]


def test_our_own_data_stands_under_x() -> None:
    record = write_record(play(seed=12, clocks=Clocks(iterations=500)))
    assert record["x-woodstock"] == __version__
    assert record["x-game"] == "tic_tac_toe"
    assert record["x-roles"] == ["x", "o"]
    assert record["x-players"] == record["playerNamesFromHost"] == ["uct:threads=2", "human"]
    assert record["isPlayerHuman"] == [False, True]
    assert (record["x-seed"], record["x-iterations"], record["x-clocks"]) == (12, 500, {})
    assert (record["startClock"], record["playClock"], record["previewClock"]) == (-1, -1, -1)
    assert record["x-ending"] == "finished"
    assert record["x-seconds"][0] == [0.25, 0.25]
    assert len(record["x-rules-sha256"]) == 64
    assert "x-analysis" not in record
    assert "x-goals" not in record


def test_clocks_are_rounded_up_and_kept_exactly() -> None:
    record = write_record(play(clocks=Clocks(2.5, 0.3)))
    assert (record["startClock"], record["playClock"]) == (3, 1)
    assert record["x-clocks"] == {"start": 2.5, "play": 0.3}


@pytest.mark.parametrize("ending", [Ending.ABORTED, Ending.CUT, Ending.STUCK])
def test_goals_are_ours_alone_in_a_match_that_was_not_completed(ending: Ending) -> None:
    record = write_record(replace(play(steps=2), ending=ending, goals=(50, None)))
    assert (record["isCompleted"], record["isAborted"], record["x-ending"]) == (False, True, ending.value)
    assert "goalValues" not in record
    assert record["x-goals"] == {"x": 50}


def test_a_goal_that_the_rules_do_not_give_is_left_out() -> None:
    record = write_record(replace(play(), goals=(100, None)))
    assert "goalValues" not in record
    assert record["x-goals"] == {"x": 100}


def test_errors_have_a_row_for_the_start_and_one_for_each_step() -> None:
    rules = load_rules("tic_tac_toe")
    referee = Referee(MatchSetup(rules, ReferenceGame(rules), ["a", "b"]))
    referee.note_start(1, "CE")
    referee.advance({0: Answer(("place", "9", "9")), 1: Answer(None, "TO")})
    record = write_record(referee.finish())
    assert record["errors"] == [["", "CE"], ["IL ( place 9 9 )", "TO"]]


def test_explanations_are_kept_without_nulls() -> None:
    rules = load_rules("tic_tac_toe")
    referee = Referee(MatchSetup(rules, ReferenceGame(rules), ["a", "b"]))
    candidates = (Candidate(("place", "1", "1"), 62.5, 1.5, 900), Candidate(("place", "1", "2"), None, None, 0))
    line = ((("place", "1", "1"), "wait"),)
    why = Explanation("x", candidates, line, ("x", "o"), {"nodes": 5, "ratio": float("nan")})
    referee.advance({0: Answer(("place", "1", "1"), explanation=why), 1: Answer("wait")})
    referee.advance({0: Answer("wait"), 1: Answer(("place", "2", "2"))})
    record = write_record(referee.finish())
    assert record["x-analysis"] == [
        {
            "x": {
                "role": "x",
                "candidates": [
                    {"move": "(place 1 1)", "value": 62.5, "margin": 1.5, "visits": 900, "proven": False},
                    {"move": "(place 1 2)", "visits": 0, "proven": False},
                ],
                "line": [["(place 1 1)", "wait"]],
                "statistics": {"nodes": 5},
            }
        },
        {},
    ]
    assert find_faults(record) == []


def test_a_scrambled_match_says_so() -> None:
    assert write_record(play())["scrambled"] is False
    assert write_record(play(scrambled=True))["scrambled"] is True


def test_the_same_match_gives_the_same_text(tmp_path: Path) -> None:
    match = play()
    save_record(match, tmp_path / "a.json")
    save_record(match, tmp_path / "b.json")
    text = (tmp_path / "a.json").read_text()
    assert text == (tmp_path / "b.json").read_text()
    assert text.count("\n") == 1
    assert json.loads(text) == write_record(match)
    assert {path.name for path in tmp_path.iterdir()} == {"a.json", "b.json"}
