from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from scripted.network import exchange, post
from scripted.players import install
from woodstock.game.load import load_rules
from woodstock.match.messages import RulesText, Start, write_message
from woodstock.match.replies import read_move


@contextmanager
def server(*options: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Run `woodstock serve` and yield the process and its port."""
    command = [sys.executable, "-m", "woodstock", "serve", "--port", "0", "--no-warm", *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.search(r"plays at http://127\.0\.0\.1:(\d+); Ctrl-C ends it", line)
        assert found, (line, process.stderr and process.stderr.read())
        yield process, int(found[1])
    finally:
        process.kill()
        process.communicate()


def ask(port: int, text: str, seconds: float = 60) -> str:
    head, _, body = exchange(port, post(text), seconds).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.0 200 OK"), head
    return body.decode()


def children(pid: int) -> list[int]:
    """Return the processes that a process has started."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            found.append(int(path.parent.name))
    return found


def test_a_match_and_the_end() -> None:
    with server("--player", "legal", "--name", "Some Bird") as (process, port):
        assert ask(port, "( INFO )") == "( ( name Some_Bird ) ( status available ) )"
        start = write_message(Start("m1", "x", RulesText.of(load_rules("tic_tac_toe")), 60, 60))
        assert ask(port, start) == "ready"
        assert read_move(ask(port, "( PLAY m1 NIL )")) == ("place", "1", "1")
        assert ask(port, "( PLAY m1 (( place 1 1 ) wait ) )") == "wait"
        player = max(children(process.pid))  # the resource tracker of multiprocessing is the other one
        os.kill(player, signal.SIGKILL)
        assert read_move(ask(port, "( PLAY m1 (wait ( place 1 2 ) ) )"))[0] == "place"
        assert "busy" in ask(port, "( INFO )")
        assert ask(port, "( ABORT m1 )") == "aborted"
        started = children(process.pid)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline and any(Path(f"/proc/{pid}").exists() for pid in started):
            time.sleep(0.05)
        assert not any(Path(f"/proc/{pid}").exists() for pid in started)
        assert process.stderr is not None
        assert "has died (signal 9)" in process.stderr.read()


def test_ctrl_c_while_it_thinks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path / "site", monkeypatch)
    with server("--player", "slow", "--verbose", "--no-ponder", "--memory", "4000") as (process, port):
        # Where nothing was compiled before, the player is ready after a minute or two.
        start = write_message(Start("m1", "x", RulesText.of(load_rules("tic_tac_toe")), 600, 5))
        assert ask(port, start, 600) == "ready"
        assert ask(port, "( PLAY m1 NIL )") == "( place 3 3 )"
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0
        assert process.stderr is not None
        messages = process.stderr.read()
        assert "( PLAY m1 NIL ) => ( place 3 3 )" in messages
        assert "Traceback" not in messages


def test_an_option_that_the_player_does_not_have() -> None:
    command = [sys.executable, "-m", "woodstock", "serve", "--port", "0", "--player", "legal:colour=red"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 2
    assert "woodstock: error: the player 'legal' has no option 'colour'" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("args", "complaint"),
    [
        (["--player", "lgeal"], "no player is called 'lgeal'; did you mean 'legal'?"),
        (["--port", "70000"], "--port takes 0 to 65535, found 70000"),
        (["--memory", "0"], "--memory takes a positive number, found 0"),
        (["--max-message", "-1"], "--max-message takes a positive number, found -1"),
        (["--player", "legal", "--host", "256.1.1.1"], "cannot listen on 256.1.1.1, port 9147"),
    ],
)
def test_what_cannot_be_served(woodstock, args: list[str], complaint: str) -> None:
    code, out, err = woodstock("serve", *args)
    assert (code, out) == (2, "")
    assert complaint in err


@pytest.mark.parametrize("command", [["serve"], ["check-player", "http://127.0.0.1:9147"]])
def test_without_the_library_for_the_network(woodstock, monkeypatch: pytest.MonkeyPatch, command: list[str]) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    code, out, err = woodstock(*command)
    assert (code, out) == (2, "")
    assert "pip install 'woodstock-ggp[server]'" in err
