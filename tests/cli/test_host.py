from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripted.network import serving
from scripted.players import install
from scripted.thinkers import ScriptedThinker


@pytest.fixture
def url() -> Iterator[str]:
    """The address of a player that makes its first legal move."""
    with serving(ScriptedThinker()) as port:
        yield f"http://127.0.0.1:{port}"


def test_a_match_against_a_player_of_ours(woodstock, url: str, tmp_path: Path) -> None:
    record = tmp_path / "record.json"
    options = ("--start", "60", "--play", "30", "--seed", "1", "--record", str(record))
    code, out, err = woodstock("host", "tic_tac_toe", "--player", url, "--player", "legal", *options)
    assert (code, err) == (0, "")
    assert out.startswith(f"tic_tac_toe: x ({url}), o (legal); seed 1\n")
    assert "1. x: (place 1 1)  o: wait" in out
    assert out.endswith("Finished after 7 steps: x 100, o 0\n")
    data = json.loads(record.read_text())
    assert data["playerNamesFromHost"] == [url, "legal"]
    assert (data["startClock"], data["playClock"]) == (60, 30)
    assert data["goalValues"] == [100, 0]
    assert woodstock("replay", str(record), "--quiet").code == 0


def test_the_record_as_the_only_output(woodstock, url: str) -> None:
    code, out, err = woodstock("host", "monty_hall", "--player", url, "--json", "--play", "30", "--scramble")
    assert (code, err) == (0, "")
    data = json.loads(out)
    assert data["isCompleted"] is True
    assert data["scrambled"] is True
    assert data["moves"][1][0] == "( pick 1 )"


def test_only_the_result(woodstock, url: str) -> None:
    code, out, _ = woodstock("host", "monty_hall", "--player", url, "--quiet", "--play", "30", "--gdl-ii", "old")
    assert code == 0
    assert out.count("\n") == 1
    assert out.startswith("Finished after 4 steps: guest ")


def test_nobody_is_there(woodstock) -> None:
    code, out, err = woodstock("host", "monty_hall", "--player", "http://127.0.0.1:1", "--quiet", "--fallback", "first")
    assert code == 0
    assert out.startswith("Finished after 4 steps")
    assert err == "woodstock: the player of guest could not be told of the match (CE)\n"


@pytest.mark.parametrize(
    ("args", "complaint"),
    [
        (["--player", "legl"], "no player is called 'legl'; did you mean 'legal'?"),
        (["--player", "legal"] * 3, "expected at most 2 players, one for each role (x, o), found 3"),
        (["--player", "legal", "--grace", "-1"], "--grace takes 0 to 3600 seconds, found -1"),
        (["--player", "legal", "--record", "/no/such/folder/record.json"], "there is no folder"),
    ],
)
def test_what_cannot_be_hosted(woodstock, args: list[str], complaint: str) -> None:
    code, out, err = woodstock("host", "tic_tac_toe", "--quiet", *args)
    assert (code, out) == (2, "")
    assert complaint in err


def test_without_the_library_for_the_network(woodstock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    code, out, err = woodstock(
        "host", "tic_tac_toe", "--quiet", "--player", "http://127.0.0.1:9147", "--player", "legal"
    )
    assert (code, out) == (2, "")
    assert "pip install 'woodstock-ggp[server]'" in err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_match(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    install(tmp_path / "site", monkeypatch)
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")  # there is nothing to compile before the match then
    record = tmp_path / "record.json"
    thinker = ScriptedThinker()
    with serving(thinker) as port:
        players = ("--player", f"http://127.0.0.1:{port}", "--player", "slow")
        command = [sys.executable, "-m", "woodstock", "host", "tic_tac_toe", *players]
        options = ("--start", "60", "--play", "60", "--quiet", "--record", str(record))
        with subprocess.Popen(
            [*command, *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as process:
            while not thinker.questions and process.poll() is None:
                time.sleep(0.02)
            process.send_signal(number)
            out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, "", "woodstock: interrupted\n")
    data = json.loads(record.read_text())
    assert (data["isAborted"], data["isCompleted"], data["moves"]) == (True, False, [])
    assert thinker.goals == [None]
