from __future__ import annotations

import json
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from woodstock.arena import Crash, DuelResult
from woodstock.match import load_record

SAME_GOALS = """
(role ann) (role ben) (init here)
(<= (legal ?r ?m) (player ?r) (move ?m)) (player ann) (player ben) (move left) (move right)
(<= terminal (true there)) (<= (next there) (true here))
(<= (next same) (does ann ?m) (does ben ?m))
(<= (goal ?r 100) (player ?r) (true same)) (<= (goal ?r 0) (player ?r) (not (true same)))
"""
"""A cooperative game, which is not plain to see."""


def duel(woodstock, *args: str) -> dict:
    """Return the JSON of a duel that goes well."""
    code, out, err = woodstock("duel", *args, "--json")
    assert (code, err) == (0, "")
    return json.loads(out)


def test_a_duel_as_json(woodstock) -> None:
    data = duel(woodstock, "tic_tac_toe", "greedy", "random", "--matches", "8", "--iterations", "1", "--seed", "3")
    assert data["game"] == "tic_tac_toe"
    assert data["players"] == ["greedy", "random"]
    assert data["matches"] == data["planned"] == 8 == data["wins"] + data["draws"] + data["losses"]
    assert data["score"] == 100 * (data["wins"] + data["draws"] / 2) / 8
    assert (data["late"], data["illegal"], data["errors"], data["crashed"]) == (0, 0, 0, 0)
    assert data["clocks"] == {"start": None, "play": None, "iterations": 1}
    assert {seat: each["matches"] for seat, each in data["by_seat"].items()} == {"x": 4, "o": 4}
    assert [each["player"] for each in data["by_player"]] == ["greedy", "random"]
    assert data["seed"] == 3
    again = duel(woodstock, *shlex.split(data["command"])[2:])
    assert (again["scores"], again["command"]) == (data["scores"], data["command"])


def test_the_text_says_the_same(woodstock) -> None:
    args = ("nim", "greedy", "random", "--matches", "6", "--seed", "2", "--jobs", "2", "--iterations", "1")
    data = duel(woodstock, *args)
    code, out, err = woodstock("duel", *args)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "nim: greedy (A) against random (B); 1 iteration; seed 2"
    assert lines[1] == "They exchange the roles (first, second) from match to match."
    rows = {line.partition("  ")[0]: line.split() for line in lines[3:]}
    counts = [str(data[key]) for key in ("matches", "wins", "draws", "losses")]
    assert rows["all"][1:6] == [*counts, f"{data['score']:.1f}"]
    low, high = data["interval"]
    assert rows["all"][6:] == [f"{low:.1f}", "-", f"{high:.1f}", f"{data['deviation']:.1f}"]
    assert rows["A is first"][3:5] == ["3", str(data["by_seat"]["first"]["wins"])]
    assert float(rows["greedy"][1]) == pytest.approx(data["by_player"][0]["goals"]["mean"], abs=0.05)
    assert lines[-1].startswith(f"{data['mean_steps']:.1f} steps on average; ")


def test_the_clocks_are_told(woodstock) -> None:
    args = ("nim", "legal", "random", "--matches", "1")
    assert "; start 1 s, play 1 s; " in woodstock("duel", *args).out
    data = duel(woodstock, *args, "--start", "30", "--play", "20")
    assert data["clocks"] == {"start": 30, "play": 20, "iterations": None}


def test_records(woodstock, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "records"
    data = duel(woodstock, "nim", "legal", "random", "--matches", "2", "--iterations", "1", "--record", str(folder))
    records = [load_record(folder / name) for name in ("1.json", "2.json")]
    assert [record.player_names for record in records] == [("legal", "random"), ("random", "legal")]
    won = [record.goals[place] > record.goals[1 - place] for place, record in enumerate(records)]  # type: ignore[operator]
    assert [score == 100 for score in data["scores"]] == won


def test_playing_separately(woodstock) -> None:
    out = woodstock("duel", "lights_out", "legal", "legal", "--matches", "2", "--iterations", "1").out
    assert out.splitlines()[1] == "Each plays all roles, from the same seeds."
    assert "A is" not in out
    data = duel(woodstock, "tic_tac_toe", "legal", "random", "--matches", "1", "--iterations", "1", "--separate")
    assert (data["separate"], data["matches"], data["by_seat"]) == (True, 1, {})


def test_more_than_two_roles(woodstock) -> None:
    args = ("chinese_checkers", "greedy", "random", "--matches", "3", "--iterations", "1")
    out = woodstock("duel", *args).out
    assert out.splitlines()[1] == "A has one role (red, green, blue) in turn, B all others."


def test_a_cooperative_game_that_was_not_recognised_is_pointed_out(woodstock, tmp_path: Path) -> None:
    sheet = tmp_path / "same.kif"
    sheet.write_text(SAME_GOALS)
    args = ("duel", str(sheet), "random", "random", "--matches", "4", "--iterations", "1")
    code, _, err = woodstock(*args)
    assert code == 0
    assert "--separate" in err
    assert woodstock(*args, "--separate").err == ""


def test_more_processes_than_processors_are_noted(woodstock, monkeypatch) -> None:
    monkeypatch.setattr("woodstock.common.threads.available_processors", lambda: [0])
    code, _, err = woodstock("duel", "nim", "legal", "random", "--matches", "1", "--jobs", "2")
    assert code == 0
    assert "--jobs 2 on 1 processor: " in err


def test_crashes_are_reported(woodstock, monkeypatch) -> None:
    def crash(plan, report, workers):
        return DuelResult(plan, (), (Crash(0, "its process died"),), repeated=1)

    monkeypatch.setattr("woodstock.arena.run_duel", crash)
    code, out, err = woodstock("duel", "nim", "legal", "random", "--matches", "1")
    assert code == 1
    assert "1 crashed" in out
    assert "match 1 crashed: its process died" in err
    assert "1 play had to be repeated" in err


def test_a_match_that_takes_too_long_is_given_up(woodstock) -> None:
    args = ("duel", "nim", "legal", "random", "--matches", "1", "--limit", "0.001", "--json")
    code, out, err = woodstock(*args)
    assert code == 1
    assert json.loads(out)["crashed"] == 1
    assert "given up after 0.001 s" in err


def test_ctrl_c_prints_what_is_known(tmp_path: Path) -> None:
    args = ["duel", "tic_tac_toe", "random", "greedy", "--matches", "20000", "--record", str(tmp_path), "--json"]
    command = [sys.executable, "-m", "woodstock", *args]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        end = time.monotonic() + 60
        while len(list(tmp_path.glob("*.json"))) < 3:
            assert time.monotonic() < end
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    data = json.loads(out)
    assert data["interrupted"] is True
    assert 1 <= data["matches"] == data["wins"] + data["draws"] + data["losses"] < data["planned"] == 20000
    assert f"interrupted: {data['matches']} of 20000 matches were played" in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["nim", "gredy", "random"], "no player is called 'gredy'; did you mean 'greedy'?"),
        (["nim", "random", "human"], "a person cannot play a duel"),
        (["nim", "random", "random:speed=1"], "no option 'speed'"),
        (["nim", "random", "random", "--matches", "0"], "expected 1 to 10000000 matches, found 0"),
        (["nim", "random", "random", "--jobs", "0"], "expected 1 to 1024 jobs, found 0"),
        (["nim", "random", "random", "--iterations", "0"], "--iterations takes a positive number, found 0"),
        (["nim", "random", "random", "--iterations", "5", "--play", "1"], "--iterations takes the place of clocks"),
        (["nim", "random", "random", "--play", "0"], "expected a positive number of seconds, found '0'"),
        (["nim", "random", "random", "--record", "/dev/null/x"], "expected a folder after --record"),
        (["nimm", "random", "random"], "there is no game or file 'nimm'"),
        (["nim", "random"], "the following arguments are required: B"),
    ],
)
def test_wrong_arguments(woodstock, args, message) -> None:
    code, out, err = woodstock("duel", *args)
    assert (code, out) == (2, "")
    assert message in err
