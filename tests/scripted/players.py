"""Players that think too long, crash, or cheat; they are found by the entry points that `install` makes."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from woodstock.players import Event, Player, Seat, Turn

NAMES = {
    "slow": "SlowPlayer",
    "deaf": "DeafPlayer",
    "thinker": "ThinkingPlayer",
    "suicidal": "SuicidalPlayer",
    "crashing": "CrashingPlayer",
    "cheating": "CheatingPlayer",
    "broken-start": "BrokenStartPlayer",
    "observer": "ObservingPlayer",
}


def install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the players be found in this process and in those that it spawns."""
    info = folder / "scripted_players-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: scripted-players\nVersion: 1.0\n")
    lines = [f"{name} = scripted.players:{kind}" for name, kind in NAMES.items()]
    (info / "entry_points.txt").write_text("\n".join(["[woodstock.players]", *lines, ""]))
    monkeypatch.syspath_prepend(str(folder))
    # A process that a test starts as a command finds them as well.
    paths = [str(folder), str(Path(__file__).parent.parent), os.environ.get("PYTHONPATH", "")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, paths)))


class SlowPlayer(Player):
    """Proposes its last move at once, and thinks far too long."""

    def __init__(self, seconds: float = 60.0) -> None:
        self.seconds = seconds

    def choose(self, turn: Turn[Any]) -> Any:
        turn.propose(turn.legal_moves[-1])
        time.sleep(self.seconds)
        return turn.legal_moves[0]


class DeafPlayer(Player):
    """Proposes nothing, and thinks far too long."""

    def choose(self, turn: Turn[Any]) -> Any:
        time.sleep(60)
        return turn.legal_moves[0]


class ThinkingPlayer(Player):
    """Thinks until its deadline and makes its last move then."""

    def choose(self, turn: Turn[Any]) -> Any:
        time.sleep(turn.deadline.seconds_left)
        return turn.legal_moves[-1]


class SuicidalPlayer(Player):
    """Kills its process when it has to move, before or after a proposal, as often as it is told."""

    def __init__(self, times: int = 1, proposes: bool = False, notes: str = "") -> None:
        self.times = times
        self.proposes = proposes
        self.notes = Path(notes)

    def choose(self, turn: Turn[Any]) -> Any:
        if self.proposes:
            turn.propose(turn.legal_moves[-1])
        done = self.notes.stat().st_size if self.notes.exists() else 0
        if done < self.times:
            with self.notes.open("a") as file:
                file.write("x")
            os.kill(os.getpid(), signal.SIGKILL)
        return turn.legal_moves[-1]


class CrashingPlayer(Player):
    """Raises an exception when it has to move."""

    def choose(self, turn: Turn[Any]) -> Any:
        raise ZeroDivisionError("out of ideas")


class CheatingPlayer(Player):
    """Makes a move that is not legal."""

    def choose(self, turn: Turn[Any]) -> Any:
        turn.propose(("castle", "kingside"))
        return ("castle", "kingside")


class BrokenStartPlayer(Player):
    """Cannot begin."""

    def start(self, seat: Seat[Any]) -> None:
        raise RuntimeError("no such luck")

    def choose(self, turn: Turn[Any]) -> Any:
        raise AssertionError("never started")


class ObservingPlayer(Player):
    """Writes down what it is told; makes its first move."""

    def __init__(self, notes: str = "") -> None:
        self.notes = Path(notes)

    def _note(self, *what: object) -> None:
        with self.notes.open("a") as file:
            print(*what, file=file)

    def start(self, seat: Seat[Any]) -> None:
        self._note("start", seat.role, seat.hidden, seat.clocks.play)

    def choose(self, turn: Turn[Any]) -> Any:
        self._note("choose", turn.number, turn.position is None, len(turn.legal_moves))
        return turn.legal_moves[0]

    def observe(self, event: Event[Any]) -> None:
        self._note("observe", event.number, event.move, sorted(map(str, event.percepts)), event.moves)

    def ponder(self, deadline: Any) -> None:
        time.sleep(min(0.01, deadline.seconds_left))

    def stop(self, goals: tuple[int | None, ...] | None) -> None:
        self._note("stop", goals)
        sys.stdout.flush()
