from __future__ import annotations

import io
import json
import signal
import sys
from collections.abc import Callable
from typing import Any

import pytest

from woodstock.cli import grounding, playouts
from woodstock.common.errors import LimitError

Woodstock = Callable[..., Any]

QUICK = ("--seconds", "0.01")
ENDLESS = (
    "(role a) (role b) (init p) (legal a x) (legal a y) (legal b n) (<= (next p) (true p))"
    "(<= terminal (true q)) (<= (next q) (true q)) (goal a 30) (goal b 70)"
)


def test_text(woodstock: Woodstock) -> None:
    outcome = woodstock("playouts", "tic_tac_toe", *QUICK)
    assert (outcome.code, outcome.err) == (0, "")
    text, table = outcome.out.split("\n\n")
    lines = dict(line.split(":", 1) for line in text.splitlines())
    assert list(lines) == [
        *("playouts", "playouts/s", "playouts/CPU s", "steps/s", "steps/CPU s", "mean length"),
        *("circuit", "phases", "grounded", "compiled"),
    ]
    assert "1 thread, 512 lanes, seed 0" in lines["playouts"]
    assert lines["phases"].strip() == "2"
    rows = [line.split() for line in table.splitlines()]
    assert [row[0] for row in rows] == ["role", "x", "o"]
    assert float(rows[1][1]) + float(rows[2][1]) == pytest.approx(100, abs=0.01)


def test_json(woodstock: Woodstock) -> None:
    arguments = ("tic_tac_toe", *QUICK, "--threads", "2", "--seed", "5", "--horizon", "20")
    document = json.loads(woodstock("playouts", *arguments, "--json").out)
    assert (document["game"], document["threads"], document["seed"], document["horizon"]) == ("tic_tac_toe", 2, 5, 20)
    assert document["playouts"] >= document["lanes"] == 1024
    assert (document["cut"], document["interrupted"], document["phases"]) == (0, False, 2)
    assert document["gates"] > 0
    assert document["bytes"] > document["edges"] > 0
    assert document["seconds"] >= 0.01
    assert 5 <= document["mean_length"] <= 9
    for kind in ("second", "cpu_second"):
        rates = document[f"steps_per_{kind}"], document[f"playouts_per_{kind}"]
        assert rates[0] == pytest.approx(document["mean_length"] * rates[1])
    assert sum(document["mean_goals"].values()) == pytest.approx(100)
    for role, (low, high) in document["goal_intervals"].items():
        assert low < document["mean_goals"][role] < high
    assert document["ground_seconds"] >= 0
    assert document["compile_seconds"] >= 0


def test_game_without_an_end(woodstock: Woodstock) -> None:
    outcome = woodstock("playouts", "-", *QUICK, "--horizon", "3", "--json", stdin=ENDLESS)
    document = json.loads(outcome.out)
    assert document["cut"] == document["playouts"] > 0
    assert document["mean_length"] == 3
    assert document["goal_intervals"] == {"a": [30, 30], "b": [70, 70]}
    assert "(100.0%)" in woodstock("playouts", "-", *QUICK, "--horizon", "3", stdin=ENDLESS).out


def test_game_that_does_not_ground(woodstock: Woodstock, monkeypatch: pytest.MonkeyPatch) -> None:
    def explode(rules: object) -> None:
        raise LimitError("rule 3 explodes")

    monkeypatch.setattr(grounding, "ground_visibly", explode)
    assert woodstock("playouts", "nim", *QUICK) == (2, "", "woodstock: error: rule 3 explodes\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nosuchgame"], "there is no game or file 'nosuchgame'"),
        (["nim", "--seconds", "0"], "expected a positive number of seconds"),
        (["nim", "--threads", "0"], "expected 1 to 1024 threads, found 0"),
        (["nim", "--seed", "-1"], "expected a seed of at least 0, found -1"),
        (["nim", "--horizon", "0"], "expected a horizon of 1 to 1000000000 joint moves, found 0"),
    ],
)
def test_wrong_usage(woodstock: Woodstock, arguments: list[str], message: str) -> None:
    outcome = woodstock("playouts", *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert message in outcome.err


def test_repaired_rules(woodstock: Woodstock) -> None:
    sheet = (
        "(role a) (init p) (legal a x) (<= (next q) (true p)) (<= terminal (true q)) (<= (goal ?r 50) (not (true p)))"
    )
    assert woodstock("playouts", "-", *QUICK, stdin=sheet).code == 2
    outcome = woodstock("playouts", "-", *QUICK, "--repair", "--json", stdin=sheet)
    assert json.loads(outcome.out)["mean_goals"] == {"a": 50}
    assert "(role ?r)" in outcome.err


@pytest.mark.parametrize(("times", "shows"), [(1, True), (2, False)])
def test_interruption(woodstock: Woodstock, monkeypatch: pytest.MonkeyPatch, times: int, shows: bool) -> None:
    def interrupt(meter: object, now: object) -> None:
        for _ in range(times):
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(playouts._Meter, "__call__", interrupt)
    before = signal.getsignal(signal.SIGINT)
    outcome = woodstock("playouts", "tic_tac_toe", "--seconds", "1000")
    assert outcome.code == 130
    assert ("the time was cut short" in outcome.out) == shows
    assert outcome.err == ("" if shows else "woodstock: interrupted\n")
    assert signal.getsignal(signal.SIGINT) == before


@pytest.mark.parametrize(("sheet", "unit"), [("tic_tac_toe", "playouts"), ("-", "steps")])
def test_a_terminal_shows_the_progress(
    woodstock: Woodstock, monkeypatch: pytest.MonkeyPatch, sheet: str, unit: str
) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    horizon = "1000" if sheet == "-" else "20"
    seconds = "1e-9" if sheet == "-" else "0.05"
    assert woodstock("playouts", sheet, "--seconds", seconds, "--horizon", horizon, stdin=ENDLESS).code == 0
    shown = terminal.getvalue()
    assert all(word in shown for word in ("grounding", "preparing kernels", "compiling the game", "playing", unit))
