from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from woodstock.common.errors import UsageError
from woodstock.game.load import load_rules
from woodstock.game.reference import ReferenceGame
from woodstock.match import (
    Answer,
    Ending,
    Match,
    MatchSetup,
    Referee,
    load_record,
    read_record,
    save_record,
    seats,
    write_record,
)
from woodstock.players import Candidate, Clocks, Explanation


def play(name: str = "tic_tac_toe", seed: int = 0, **options: Any) -> Match:
    rules = load_rules(name)
    game = ReferenceGame(rules)
    names = ["greedy"] * len(seats(game.roles))
    referee = Referee(replace(MatchSetup(rules, game, names, seed, game_name=name, max_steps=20), **options))
    while referee.ending() is None:
        referee.advance({role: Answer(referee.legal_moves(role)[-1], seconds=0.125) for role in referee.seats})
    return referee.finish()


def foreign(match: Match) -> dict[str, Any]:
    """Return a record as another program might write it: nothing of ours, upper case, its own spacing."""
    record = {key: value for key, value in write_record(match).items() if not key.startswith("x-")}
    record["states"] = [text.upper().replace("( ", "(").replace(" )", ")") for text in record["states"]]
    record["moves"] = [
        [text.upper().replace("( ", "(").replace(" )", "\n)") for text in row] for row in record["moves"]
    ]
    return record


@pytest.mark.parametrize("name", ["tic_tac_toe", "pig", "monty_hall", "rock_paper_scissors"])
def test_what_is_written_is_read_again(name: str) -> None:
    match = play(name, clocks=Clocks(12.5, 0.3, 40))
    again = read_record(json.dumps(write_record(match)))
    assert again == replace(match, game_url=f"http://localhost/games/{name}/v0/")


def test_errors_and_what_was_said_are_read_again() -> None:
    rules = load_rules("tic_tac_toe")
    referee = Referee(MatchSetup(rules, ReferenceGame(rules), ["a", "b"]))
    referee.note_start(0, "TO")
    referee.advance({0: Answer(("place", "9", "9")), 1: Answer(None, "CE")})
    referee.advance({0: Answer(None, "IL ((("), 1: Answer(None)})
    match = read_record(write_record(referee.finish()))
    assert match.start_errors == ("TO", "")
    assert [step.errors for step in match.steps] == [("IL ( place 9 9 )", "CE"), ("IL (((", "IL nil")]
    assert [answer.move for step in match.steps for answer in step.answers] == [("place", "9", "9"), None, None, None]


def test_explanations_are_read_again() -> None:
    rules = load_rules("tic_tac_toe")
    referee = Referee(MatchSetup(rules, ReferenceGame(rules), ["a", "b"]))
    candidates = (Candidate(("place", "1", "1"), 62.5, 1.5, 900, True), Candidate(("place", "1", "2"), None, None, 0))
    why = Explanation("x", candidates, ((("place", "1", "1"), "wait"),), ("x", "o"), {"nodes": 5, "how": "fast"})
    referee.advance({0: Answer(("place", "1", "1"), explanation=why), 1: Answer("wait")})
    match = read_record(write_record(referee.finish()))
    assert match.steps[0].answers[0].explanation == why
    assert match.steps[0].answers[1].explanation is None


def test_a_record_of_another_program() -> None:
    ours = play(clocks=Clocks(30, 5))
    match = read_record(foreign(ours))
    assert (match.roles, match.game_name, match.seed, match.rules_sha256) == ((), "", 0, "")
    assert (match.states, match.goals, match.ending) == (ours.states, ours.goals, Ending.FINISHED)
    assert [step.moves for step in match.steps] == [step.moves for step in ours.steps]
    assert match.clocks == Clocks(30, 5)
    assert match.player_names == ("greedy", "greedy")


def test_what_is_optional_may_be_missing() -> None:
    record = foreign(play())
    for key in ("errors", "playerNamesFromHost", "isPlayerHuman", "isAborted", "previewClock", "scrambled"):
        del record[key]
    match = read_record(record)
    assert (match.player_names, match.start_errors) == ((), ("", ""))
    assert not any(any(step.errors) for step in match.steps)
    del record["isCompleted"]
    assert read_record(record).ending is Ending.FINISHED
    del record["goalValues"]
    assert (read_record(record).ending, read_record(record).goals) == (Ending.ABORTED, ())


def test_a_true_around_a_fluent_is_stripped() -> None:
    record = foreign(play())
    record["states"][0] = record["states"][0].replace("(TURN X)", "(TRUE (TURN X))")
    assert ("turn", "x") in read_record(record).states[0]


@pytest.mark.parametrize("ending", [Ending.CUT, Ending.STUCK, Ending.ABORTED])
def test_how_a_match_stopped_and_its_goals_are_read_again(ending: Ending) -> None:
    match = read_record(write_record(replace(play(), ending=ending, goals=(None, 30))))
    assert (match.ending, match.goals) == (ending, (None, 30))


def test_a_record_of_another_program_can_be_written_again() -> None:
    for change in ({}, {"isCompleted": False, "isAborted": True}):
        record = foreign(play()) | change
        if change:
            del record["goalValues"]
        match = read_record(record)
        again = read_record(write_record(match))
        assert (again.states, again.goals, again.ending) == (match.states, match.goals, match.ending)
        assert [step.moves for step in again.steps] == [step.moves for step in match.steps]


def test_every_fault_stands_in_one_error() -> None:
    record = write_record(play())
    del record["matchId"]
    record["colour"] = "red"
    record["states"].pop()
    with pytest.raises(UsageError) as caught:
        read_record(record, "r.json")
    lines = str(caught.value).splitlines()
    assert lines[0] == "r.json: this is not the record of a match as it should be:"
    assert {"  the key 'matchId' is missing", "  the key 'colour' is unknown: one's own begin with x-"} <= set(lines)
    assert any("expected one state more than joint moves" in line for line in lines)


def test_a_flood_of_faults_is_cut() -> None:
    record = write_record(play()) | {f"key {number}": 1 for number in range(100)}
    with pytest.raises(UsageError, match="… and 70 more"):
        read_record(record)


@pytest.mark.parametrize(
    "explanation",
    [
        {"role": "x"},
        {"role": "x", "candidates": []},
        {"role": "x", "candidates": [7]},
        {"role": "x", "candidates": [{"move": "wait"}]},
        {"role": "x", "candidates": [{"move": "( a", "visits": 1}]},
        {"role": "x", "candidates": [{"move": "wait", "visits": 1, "value": "much"}]},
        {"role": "x", "candidates": [{"move": "wait", "visits": 1}], "line": 5},
        {"role": "x", "candidates": [{"move": "wait", "visits": 1}], "statistics": 5},
    ],
)
def test_an_analysis_that_is_none(explanation: dict[str, Any]) -> None:
    match = play()
    record = write_record(match) | {"x-analysis": [{"x": explanation}, *([{}] * (len(match.steps) - 1))]}
    with pytest.raises(UsageError, match="'x-analysis' holds no explanation"):
        read_record(record)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "expected the record of a match in JSON"),
        ("{", "expected the record of a match in JSON"),
        ("[1, 2]", "expected the record of a match, a JSON object, found list"),
        ("17", "found int"),
        ("null", "found NoneType"),
        ("[" * 100_000, "nested too deep"),
        (b"\xff\xfe{", "expected the record of a match in JSON"),
    ],
)
def test_what_is_no_record(text: str | bytes, message: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=message):
        read_record(text, "r.json")
    path = tmp_path / "r.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(UsageError, match=message):
        load_record(path)


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("compressed", [False, True])
def test_a_file_with_one_record(tmp_path: Path, indent: int | None, compressed: bool) -> None:
    match, path = play(), tmp_path / "r.json"
    data = json.dumps(write_record(match), indent=indent).encode()
    path.write_bytes(gzip.compress(data) if compressed else data)
    assert load_record(path).match_id == match.match_id
    with pytest.raises(UsageError, match="expected at least 2 matches, found 1"):
        load_record(path, 2)


def test_an_archive(tmp_path: Path) -> None:
    matches = [play(seed=seed, match_id=f"m{seed}") for seed in range(3)]
    lines = [json.dumps({"url": f"http://x/{match.match_id}", "data": write_record(match)}) for match in matches]
    path = tmp_path / "archive.jsonl"
    path.write_text(lines[0] + "\n\n" + lines[1] + "\n" + json.dumps(write_record(matches[2])))
    assert [load_record(path, number).match_id for number in (1, 2, 3)] == ["m0", "m1", "m2"]
    with pytest.raises(UsageError, match="expected at least 4 matches, found 3"):
        load_record(path, 4)
    path.write_text(lines[0] + "\n{}\n")
    with pytest.raises(UsageError, match=r"archive.jsonl, match 2: this is not the record"):
        load_record(path, 2)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot read the record .*no.json: No such file"):
        load_record(tmp_path / "no.json")
    with pytest.raises(UsageError, match="cannot read the record"):
        load_record(tmp_path)
    (tmp_path / "cut.gz").write_bytes(gzip.compress(b"{}" * 1000)[:-10])
    with pytest.raises(UsageError, match="expected the record of a match"):
        load_record(tmp_path / "cut.gz")


def test_a_saved_record_is_loaded(tmp_path: Path) -> None:
    match = play()
    save_record(match, tmp_path / "r.json")
    assert load_record(tmp_path / "r.json").steps == match.steps
