from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest

from woodstock.common.errors import UsageError
from woodstock.game.reference import ReferenceGame
from woodstock.game.traces import Recording, find_trace, read_trace, record_plays, write_trace
from woodstock.gdl.sheet import parse_rules

# A coin is tossed, the guesser is told whether it is right; a wrong guess ends without a goal.
GUESS = """
(role random) (role guesser) (init (turn 1))
(<= (legal random (toss heads)) (true (turn 1))) (<= (legal random (toss tails)) (true (turn 1)))
(<= (legal guesser heads) (true (turn 1))) (<= (legal guesser tails) (true (turn 1)))
(<= (next won) (does random (toss ?side)) (does guesser ?side))
(<= (next over) (does guesser ?side))
(<= (sees guesser right) (does random (toss ?side)) (does guesser ?side))
(<= terminal (true over))
(<= (goal guesser 100) (true won))
(goal random 0)
"""
GUESS_GAME = ReferenceGame(parse_rules(GUESS))


@pytest.mark.parametrize("name", ["guess.jsonl", "guess.jsonl.gz"])
@pytest.mark.parametrize("percepts", [True, False])
def test_what_is_written_can_be_read(tmp_path: Path, name: str, percepts: bool) -> None:
    trace = record_plays(GUESS_GAME, "guess", Recording(plays=8, percepts=percepts))
    write_trace(trace, tmp_path / name)
    assert read_trace(tmp_path / name) == trace
    first = (tmp_path / name).read_bytes()
    write_trace(trace, tmp_path / name)
    assert (tmp_path / name).read_bytes() == first


def test_the_written_lines(tmp_path: Path) -> None:
    trace = record_plays(GUESS_GAME, "guess", Recording(plays=8, percepts=True))
    write_trace(trace, tmp_path / "guess.jsonl")
    lines = [json.loads(line) for line in (tmp_path / "guess.jsonl").read_text().splitlines()]
    assert lines[0] == {"game": "guess", "roles": ["random", "guesser"]}
    assert {line["play"] for line in lines[1:]} == set(range(8))
    for begin, end in zip(lines[1::2], lines[2::2], strict=True):
        won = begin["joint"][0] == f"(toss {begin['joint'][1]})"
        assert begin == {
            "play": begin["play"],
            "step": 0,
            "terminal": False,
            "state": ["(turn 1)"],
            "legal": [["(toss heads)", "(toss tails)"], ["heads", "tails"]],
            "joint": begin["joint"],
            "sees": [[], ["right"] if won else []],
        }
        assert end == {
            "play": begin["play"],
            "step": 1,
            "terminal": True,
            "state": ["over", "won"] if won else ["over"],
            "goals": [0, 100 if won else None],
        }
    goals = {tuple(line["goals"]) for line in lines if line.get("terminal")}
    assert goals == {(0, 100), (0, None)}


def test_a_play_that_does_not_end_is_cut() -> None:
    game = ReferenceGame(parse_rules("(role x) (init p) (legal x a) (<= (next p) (true p)) (goal x 0)"))
    trace = record_plays(game, "endless", Recording(plays=2, max_steps=3))
    assert [(position.play, position.step) for position in trace.positions] == [
        (play, step) for play in (0, 1) for step in (0, 1, 2, 3)
    ]
    assert trace.positions[2].joint == ("a",)
    assert trace.positions[3].joint is None


def test_a_stuck_role_is_recorded(tmp_path: Path) -> None:
    game = ReferenceGame(parse_rules("(role x) (init p) (<= (legal x a) (true q)) (goal x 0)"))
    write_trace(record_plays(game, "stuck", Recording(plays=1)), tmp_path / "stuck.jsonl")
    line = json.loads((tmp_path / "stuck.jsonl").read_text().splitlines()[1])
    assert line["stuck"] is True
    assert line["legal"] == [[]]
    assert "joint" not in line


def test_foreign_spelling_is_folded(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(
        '{"game": "X", "roles": ["xPlayer"]}\n\n'
        '{"play":0,"step":0,"terminal":true,"state":["( Cell 1  (F a) )","(p)"],"goals":[null],"other":1}\n'
        '{"error": "ThreadDeath: null"}\n'
    )
    trace = read_trace(path)
    assert trace.roles == ("xplayer",)
    assert trace.positions[0].fluents == {("cell", "1", ("f", "a")), "p"}
    assert trace.error == "ThreadDeath: null"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "found an empty file"),
        ("{}", "x.jsonl:1: expected the line"),
        ("nonsense", "x.jsonl:1: expected the line"),
        ('{"game": "x", "roles": [["a"]]}', "x.jsonl:1: expected the line"),
        ('{"game": "x", "roles": [5]}', "expected a term, found 5"),
        ('{"game": "x", "roles": ["(a b)"]}', "a role is a name"),
        ('{"game": "x", "roles": ["a"]}\n{"play": 0}', "x.jsonl:2: expected a position of a trace"),
        ('{"game": "x", "roles": ["a"]}\n[]', "x.jsonl:2: expected a position of a trace"),
        (
            '{"game": "x", "roles": ["a"]}\n{"play":0,"step":0,"terminal":true,"state":["(p ?x)"],"goals":[1]}',
            r"expected a term without variables, found '\(p \?x\)'",
        ),
        (
            '{"game": "x", "roles": ["a"]}\n{"play":0,"step":0,"terminal":true,"state":[],"goals":[1, 2]}',
            "expected 1 entries in 'goals', one a role, found 2",
        ),
    ],
)
def test_a_broken_trace_is_refused_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(text)
    with pytest.raises(UsageError, match=message):
        read_trace(path)


def test_a_damaged_or_missing_file(tmp_path: Path) -> None:
    text = '{"game": "x", "roles": []}\n' + '{"play":0,"step":0,"terminal":true,"state":[]}\n' * 5000
    whole = gzip.compress(text.encode())
    for number, data in enumerate((b"not gzip", whole[:-9], whole[:20] + b"\0" * 20)):
        path = tmp_path / f"{number}.jsonl.gz"
        path.write_bytes(data)
        with pytest.raises(UsageError, match="cannot read the trace"):
            read_trace(path)
    with pytest.raises(UsageError, match="cannot read the trace"):
        read_trace(tmp_path / "none.jsonl")


def test_traces_are_found_by_name(tmp_path: Path) -> None:
    assert find_trace(tmp_path, "x") is None
    (tmp_path / "x.jsonl").touch()
    assert find_trace(tmp_path, "x") == tmp_path / "x.jsonl"
    (tmp_path / "x.jsonl.gz").touch()
    assert find_trace(tmp_path, "x") == tmp_path / "x.jsonl.gz"


def test_roles_in_another_order() -> None:
    trace = record_plays(GUESS_GAME, "guess", Recording(plays=2, percepts=True))
    turned = trace.with_roles(("guesser", "random"))
    assert turned.roles == ("guesser", "random")
    for before, after in zip(trace.positions, turned.positions, strict=True):
        for name in ("legal", "joint", "goals", "percepts"):
            value = getattr(before, name)
            assert getattr(after, name) == (None if value is None else value[::-1])
    assert turned.with_roles(trace.roles) == trace
    assert replace(turned, error="x").with_roles(trace.roles).error == "x"


@pytest.mark.parametrize("value", ["050", "12345", "9" * 5000, "win"])
def test_goals_of_any_kind_can_be_recorded(tmp_path: Path, value: str) -> None:
    game = ReferenceGame(parse_rules(f"(role x) (init p) (<= terminal (true p)) (goal x {value})"))
    write_trace(record_plays(game, "odd", Recording(plays=1)), tmp_path / "odd.jsonl")
    (position,) = read_trace(tmp_path / "odd.jsonl").positions
    assert position.goals == (value.lstrip("0"),)
