from __future__ import annotations

import gzip
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from woodstock.games import game_names

Woodstock = Callable[..., Any]

SHEET = """
(role x) (init (n 0)) (succ 0 1) (succ 1 2)
(legal x up) (legal x stay)
(<= (next (n ?m)) (does x up) (true (n ?n)) (succ ?n ?m))
(<= (next (n ?n)) (does x stay) (true (n ?n)))
(<= terminal (true (n 2)))
(<= (goal x {goal}) (true (n 2)))
"""
KEYS = {
    "games", "agreed", "differed", "explained", "not_grounded", "invalid", "failed", "positions", "seconds", "details",
}  # fmt: skip


@pytest.fixture
def sheets(tmp_path: Path) -> Path:
    """A folder with two good sheets, of which one has a trace that tells another goal, and two bad ones."""
    folder = tmp_path / "sheets"
    folder.mkdir()
    (folder / "alike.kif").write_text(SHEET.format(goal=100))
    (folder / "unlike.kif").write_text(SHEET.format(goal=100))
    (folder / "odd.kif").write_text(SHEET.format(goal=101))
    (folder / "broken.gdl").write_text(SHEET.format(goal=100) + "(<= (p ?x) (q ?y)) (q 1) (<= terminal (p 2))")
    (folder / "README.txt").write_text("not a sheet")
    return folder


@pytest.fixture
def traces(tmp_path: Path, sheets: Path, woodstock: Woodstock) -> Path:
    folder = tmp_path / "traces"
    for name in ("alike", "unlike", "odd"):
        assert woodstock("verify", str(sheets / f"{name}.kif"), "--record", str(folder), "--plain").code == 0
    path = folder / "unlike.jsonl"
    path.write_text(path.read_text().replace('"goals":[100]', '"goals":[50]'))
    return folder


def against(woodstock: Woodstock, traces: Path, *arguments: str | Path) -> Any:
    return woodstock("verify", *map(str, arguments), "--against", str(traces), "--backend", "reference")


def test_folder_against_traces(woodstock: Woodstock, sheets: Path, traces: Path) -> None:
    outcome = against(woodstock, traces, sheets, "--jobs", "2")
    assert outcome.code == 1
    lines = outcome.out.splitlines()
    heads = [line for line in lines if not line.startswith(" ")]
    assert [line.split(":")[:2] for line in heads[:-1]] == [
        ["alike", " agreed"],
        ["broken", " invalid"],
        ["odd", " invalid"],
        ["unlike", " differed"],
    ]
    assert heads[-1].startswith("4 games: 1 agreed, 1 differed (0 explained), 2 invalid; ")
    diff = lines[lines.index("  trace (-) and reference (+) differ:") :]
    assert diff[2:5] == ["  goal of x:", "    - 50", "    + 100"]
    assert any("[unsafe]" in line for line in lines)


def test_json(woodstock: Woodstock, sheets: Path, traces: Path) -> None:
    outcome = against(woodstock, traces, sheets, "--json")
    assert outcome.code == 1
    document = json.loads(outcome.out)
    assert set(document) == KEYS
    assert document["games"] == ["alike", "broken", "odd", "unlike"]
    assert document["agreed"] == ["alike"]
    assert document["differed"] == ["unlike"]
    assert document["explained"] == []
    assert document["invalid"] == ["broken", "odd"]
    assert document["failed"] == document["not_grounded"] == []
    details = {entry["name"]: entry for entry in document["details"]}
    assert details["odd"]["outcome"] == "agreed"
    assert details["broken"]["reason"] == "its errors leave its meaning undefined"
    assert details["unlike"]["comparisons"][0]["difference"]["play"] == 0
    assert document["positions"] == sum(entry["positions"] for entry in document["details"])


def test_a_difference_with_a_known_cause_is_explained(woodstock: Woodstock, sheets: Path, traces: Path) -> None:
    path = sheets / "unlike.kif"
    path.write_text(path.read_text() + "(<= (legal x up) (and (true (n 0)) (true (n 1))))")
    outcome = woodstock("verify", str(path), "--against", str(traces))
    assert outcome.code == 0
    head, *_, same, summary = outcome.out.splitlines()
    assert head.startswith(f"unlike: differed (explained: and at {path}:8:18): ")
    assert same == "  trace and ground differ in the same way"
    assert summary.startswith("1 game: 0 agreed, 1 differed (1 explained); ")
    document = json.loads(woodstock("verify", str(path), "--against", str(traces), "--json").out)
    assert document["differed"] == document["explained"] == ["unlike"]


def test_lines_say_each_thing_once(woodstock: Woodstock, sheets: Path, traces: Path) -> None:
    outcome = against(woodstock, traces, sheets / "alike.kif", sheets / "odd.kif")
    lines = outcome.out.splitlines()
    assert re.fullmatch(r"alike: agreed: \d+ positions \(all\) by reference in \d+\.\d s", lines[0])
    assert re.fullmatch(r"odd: invalid: agreed, \d+ positions \(all\) by reference in \d+\.\d s", lines[1])
    assert lines[-1].startswith("2 games: 1 agreed, 0 differed, 1 invalid; ")


def test_repair(woodstock: Woodstock, tmp_path: Path) -> None:
    path = tmp_path / "unsafe.kif"
    path.write_text(SHEET.format(goal=100).replace("(legal x stay)", "(<= (legal ?who stay) (true (n 0)))"))
    assert woodstock("verify", str(path)).out.startswith("unsafe: invalid: its errors leave its meaning undefined\n")
    outcome = woodstock("verify", str(path), "--repair")
    assert outcome.code == 0
    assert "[repaired]" in outcome.out
    assert woodstock("verify", str(path), "--record", str(tmp_path)).code == 2
    outcome = woodstock("verify", str(path), "--record", str(tmp_path), "--repair")
    assert outcome.code == 0
    assert "[repaired]" in outcome.err


def test_exit_codes(woodstock: Woodstock, sheets: Path, traces: Path) -> None:
    assert against(woodstock, traces, sheets / "alike.kif").code == 0
    assert (
        against(woodstock, traces, sheets / "alike.kif", sheets / "odd.kif").code == 0
    )  # an invalid one does not count
    assert against(woodstock, traces, sheets / "odd.kif").code == 1  # nothing that counts was compared
    (traces / "alike.jsonl").unlink()
    outcome = against(woodstock, traces, sheets / "alike.kif")
    assert outcome.code == 1
    assert outcome.out.startswith("alike: failed: there is no trace alike.jsonl.gz in ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nosuchgame"], "there is no game or file 'nosuchgame'"),
        (["tic_tac_toe", "--against", "nowhere"], "expected a folder of traces after --against, found 'nowhere'"),
        (["tic_tac_toe", "--backend", "reference"], "leaves nothing to compare with: add --against"),
        (["tic_tac_toe", "--record", __file__], "expected a folder after --record, found "),
        ([""], "expected the name of a game or of a file, found an empty one"),
        (["tic_tac_toe", "--jobs", "-1"], "expected --jobs to be greater than zero, found -1"),
        (["EMPTY"], "there is no rule sheet in the folder"),
    ],
)
def test_wrong_usage(woodstock: Woodstock, tmp_path: Path, arguments: list[str], message: str) -> None:
    outcome = woodstock("verify", *(str(tmp_path) if word == "EMPTY" else word for word in arguments))
    assert (outcome.code, outcome.out) == (2, "")
    assert message in outcome.err


def test_standard_input(woodstock: Woodstock, tmp_path: Path) -> None:
    sheet = SHEET.format(goal=100)
    assert woodstock("verify", "-", "--record", str(tmp_path), stdin=sheet).code == 0
    options = ("--against", str(tmp_path), "--backend", "reference")
    outcome = woodstock("verify", "-", *options, stdin=sheet)
    assert outcome.code == 0
    assert outcome.out.startswith("stdin: agreed")


def test_reasoners_side_by_side(woodstock: Woodstock) -> None:
    outcome = woodstock("verify", "tic_tac_toe", "nim", "--seconds", "2", "--json")
    assert outcome.code == 0
    document = json.loads(outcome.out)
    assert document["agreed"] == ["tic_tac_toe", "nim"]
    (comparison,) = document["details"][1]["comparisons"]
    assert (comparison["first"], comparison["second"]) == ("reference", "ground")
    assert comparison["positions"] > 0


def test_without_arguments_all_bundled_games(woodstock: Woodstock, tmp_path: Path) -> None:
    assert woodstock("verify", "--record", str(tmp_path), "--plays", "1", "--plain").code == 0
    assert sorted(path.stem for path in tmp_path.iterdir()) == sorted(game_names())


def test_recorded_traces_are_the_same_each_time_and_depend_on_the_seed(woodstock: Woodstock, tmp_path: Path) -> None:
    def record(seed: int) -> bytes:
        folder = tmp_path / "new" / "folder"
        outcome = woodstock("verify", "nim", "--record", str(folder), "--seed", str(seed), "--plays", "2")
        assert outcome.out.startswith(f"{folder / 'nim.jsonl.gz'}: 2 plays, ")
        return gzip.decompress((folder / "nim.jsonl.gz").read_bytes())

    assert record(0) == record(0) != record(1)


def test_percepts_are_recorded_where_the_rules_speak_of_them(woodstock: Woodstock, tmp_path: Path) -> None:
    woodstock("verify", "nim", "monty_hall", "--record", str(tmp_path), "--plain")
    assert '"sees"' in (tmp_path / "monty_hall.jsonl").read_text()
    assert '"sees"' not in (tmp_path / "nim.jsonl").read_text()


def wait_until(condition: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    assert condition()


def is_gone(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.fixture
def long_run(sheets: Path, tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A verification under way that takes long, in a group of processes of its own: its trace has very many lines."""
    if not Path("/proc/self/task").is_dir():
        pytest.skip("needs /proc")
    position = json.dumps({"play": 0, "step": 0, "terminal": False, "state": ["(n 0)"], "legal": [["up", "stay"]]})
    lines = [json.dumps({"game": "alike", "roles": ["x"]}), *([position] * 300_000)]
    (tmp_path / "alike.jsonl").write_text("\n".join(lines))
    command = ["verify", str(sheets / "alike.kif"), "--against", str(tmp_path), "--backend", "reference"]
    process = subprocess.Popen(
        [sys.executable, "-m", "woodstock", *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    wait_until(lambda: len(children.read_text().split()) == 2)  # the worker, and what multiprocessing keeps beside it
    yield process
    if not is_gone(process.pid):
        os.killpg(process.pid, signal.SIGKILL)


def test_ctrl_c_ends_all_processes(long_run: subprocess.Popen[str]) -> None:
    os.killpg(long_run.pid, signal.SIGINT)  # as a terminal does
    out, err = long_run.communicate(timeout=30)
    assert (long_run.returncode, out) == (130, "")
    assert "Traceback" not in err
    wait_until(lambda: is_gone(long_run.pid))


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_no_process_outlives_one_that_is_killed(long_run: subprocess.Popen[str], how: signal.Signals) -> None:
    os.kill(long_run.pid, how)
    long_run.communicate(timeout=30)
    assert long_run.returncode == -how
    wait_until(lambda: is_gone(long_run.pid))
