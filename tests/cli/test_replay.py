from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from woodstock.game.load import load_rules
from woodstock.game.reference import ReferenceGame
from woodstock.match import Answer, MatchSetup, Referee, seats, write_record
from woodstock.players import Candidate, Explanation

LAMP = """(role you) (init off) (legal you press)
(<= (next on) (does you press) (true off))
(<= terminal (true on)) (<= (goal you 100) (true on)) (<= (goal you 0) (true off))
"""


def record_of(game_name: str = "tic_tac_toe", **options: Any) -> dict[str, Any]:
    rules = load_rules(game_name)
    game = ReferenceGame(rules)
    names = ["legal"] * len(seats(game.roles))
    referee = Referee(MatchSetup(rules, game, names, game_name=game_name, max_steps=30, **options))
    while referee.ending() is None:
        referee.advance({role: Answer(referee.legal_moves(role)[0]) for role in referee.seats})
    return write_record(referee.finish())


@pytest.fixture
def save(tmp_path: Path) -> Callable[[dict[str, Any]], str]:
    """A function that writes a record to a file and returns its path."""

    def write(record: dict[str, Any]) -> str:
        path = tmp_path / "record.json"
        path.write_text(json.dumps(record))
        return str(path)

    return write


def test_a_record_is_shown_and_verified(woodstock, save) -> None:
    code, out, err = woodstock("replay", save(record_of()))
    assert (code, err) == (0, "")
    parts = out.split("\n\n")
    assert parts[0].startswith("tic_tac_toe: x (legal), o (legal); woodstock.tic_tac_toe.")
    assert parts[1].splitlines() == ["3  . . .", "2  . . .", "1  . . .", "   1 2 3", "turn: x"]
    assert parts[2] == "1. x: (place 1 1)  o: wait"
    assert len([part for part in parts if part.startswith("3  ")]) == 8
    assert out.splitlines()[-2:] == ["Finished after 7 steps: x 100, o 0", "Verified: 7 steps as the rules say"]


@pytest.mark.parametrize("name", ["monty_hall", "pig", "rock_paper_scissors", "lights_out"])
def test_chance_hidden_information_and_puzzles(woodstock, save, name: str) -> None:
    code, out, err = woodstock("replay", save(record_of(name)), "--quiet")
    assert (code, err) == (0, "")
    assert out.startswith("Verified: ")
    assert len(out.splitlines()) == 1


def test_a_difference_is_told_and_the_exit_code_is_1(woodstock, save) -> None:
    record = record_of()
    record["moves"][2][0] = "( place 1 1 )"
    code, out, err = woodstock("replay", save(record), "--quiet")
    assert (code, err) == (1, "")
    assert out.splitlines()[0].startswith("step 3: an illegal move of x: recorded (place 1 1), the rules give (place ")
    assert out.splitlines()[-1] == "1 difference in 7 steps"
    assert woodstock("replay", save(record)).code == 1


def test_one_step_of_it(woodstock, save) -> None:
    code, out, err = woodstock("replay", save(record_of()), "--step", "2")
    assert (code, err) == (0, "")
    assert out.count("turn: ") == 1
    assert "2. x: wait  o: (place 1 2)" in out
    assert woodstock("replay", save(record_of()), "--step", "0").out.count("turn: x") == 1
    code, out, err = woodstock("replay", save(record_of()), "--step", "8")
    assert (code, out) == (2, "")
    assert "--step takes 0 to 7 here, found 8" in err


def test_errors_and_expectations_are_told(woodstock, save) -> None:
    rules = load_rules("tic_tac_toe")
    referee = Referee(MatchSetup(rules, ReferenceGame(rules), ["a", "b"], game_name="tic_tac_toe"))
    why = Explanation("x", (Candidate(("place", "1", "1"), 62.54, 1.5, 900),))
    referee.advance({0: Answer(("place", "1", "1"), explanation=why), 1: Answer(None, "TO")})
    out = woodstock("replay", save(write_record(referee.finish()))).out
    assert "\n\no was late: wait was made for it\n\n1. x: (place 1 1)  o: wait\n   x expected 62.5 ± 1.5\n" in out
    assert "Aborted after 1 step: " in out


def test_json(woodstock, save) -> None:
    path = save(record_of())
    code, out, err = woodstock("replay", path, "--json", "--step", "1")
    assert (code, err) == (0, "")
    document = json.loads(out)
    assert document["record"] == path
    assert document["game"] == "tic_tac_toe"
    assert (document["steps"], document["ending"], document["goals"]) == (7, "finished", [100, 0])
    assert (document["verified"], document["differences"]) == (True, [])
    assert document["step"]["moves"] == ["(place 1 1)", "wait"]
    assert "(square 1 1 x)" in document["step"]["state"]
    record = record_of()
    record["goalValues"] = [0, 100]
    code, out, _ = woodstock("replay", save(record), "--json")
    document = json.loads(out)
    assert (code, document["verified"]) == (1, False)
    assert document["differences"][0] == {"step": 7, "what": "another goal of x", "recorded": "0", "rules": "100"}


def test_a_record_of_another_program(woodstock, save) -> None:
    record = {key: value for key, value in record_of().items() if not key.startswith("x-")}
    record["moves"] = [[move.upper() for move in row] for row in record["moves"]]
    assert woodstock("replay", save(record)).code == 0
    record["gameMetaURL"] = "http://games.ggp.org/base/games/ticTacToe/v0/"
    code, out, err = woodstock("replay", save(record))
    assert (code, out) == (2, "")
    assert "no game or file here for http://games.ggp.org/base/games/ticTacToe/v0/: name the game" in err
    assert woodstock("replay", save(record), "--game", "tic_tac_toe").code == 0


def test_the_game_is_found_beside_the_record(woodstock, save, tmp_path, monkeypatch) -> None:
    (tmp_path / "lamp.kif").write_text(LAMP)
    monkeypatch.chdir(tmp_path)
    record = record_of("lamp.kif")
    assert record["x-game"] == "lamp.kif"
    monkeypatch.chdir(tmp_path.parent)
    assert woodstock("replay", save(record)).code == 0


@pytest.mark.parametrize("name", ["nul\0l", "long" * 5000, "-", ""])
def test_a_game_that_no_file_can_be_called(woodstock, save, name: str) -> None:
    record = record_of() | {"x-game": name}
    assert woodstock("replay", save(record), "--quiet").code == 0  # its address tells which one it is
    code, _, err = woodstock("replay", save(record | {"gameMetaURL": "http://x/lost/v0/"}))
    assert code == 2
    assert "name the game that was played with --game" in err


def test_rules_that_have_changed_are_noted(woodstock, save, tmp_path) -> None:
    sheet = tmp_path / "lamp.kif"
    sheet.write_text(LAMP)
    path = save(record_of(str(sheet)))
    assert woodstock("replay", path).err == ""
    sheet.write_text(LAMP + "(legal you wait)")
    code, _, err = woodstock("replay", path, "--quiet")
    assert (code, err) == (0, f"woodstock: {sheet} has other rules today than those that the match was played by\n")
    sheet.write_text(LAMP.replace("100", "90"))
    assert woodstock("replay", path, "--quiet").code == 1


def test_a_match_of_an_archive(woodstock, tmp_path) -> None:
    path = tmp_path / "archive.jsonl"
    records = [record_of(match_id="m1"), record_of(match_id="m2")]
    path.write_text("".join(json.dumps({"url": "http://x/", "data": record}) + "\n" for record in records))
    assert "; m1\n" in woodstock("replay", str(path)).out
    assert "; m2\n" in woodstock("replay", str(path), "--match", "2").out
    code, _, err = woodstock("replay", str(path), "--match", "3")
    assert code == 2
    assert "expected at least 3 matches, found 2" in err
    assert "--match counts from 1" in woodstock("replay", str(path), "--match", "0").err


def test_what_is_no_record(woodstock, save, tmp_path) -> None:
    record = record_of()
    del record["matchId"]
    record["states"].pop()
    code, out, err = woodstock("replay", save(record))
    assert (code, out) == (2, "")
    assert "the key 'matchId' is missing" in err
    assert "expected one state more than joint moves" in err
    assert woodstock("replay", str(tmp_path / "none.json")).code == 2
    code, _, err = woodstock("replay", save(record_of()), "--game", "nim")
    assert code == 2
    assert "the record has the roles x, o, the rules have first, second" in err
