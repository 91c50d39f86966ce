from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Woodstock = Callable[..., Any]


def test_counts_by_depth(woodstock: Woodstock) -> None:
    outcome = woodstock("perft", "tic_tac_toe", "3", "--backend", "reference")
    assert outcome.code == 0
    rows = [line.split() for line in outcome.out.splitlines()[:-1]]
    assert rows == [["depth", "paths", "terminal"], ["1", "9", "0"], ["2", "72", "0"], ["3", "504", "-"]]


def test_unique_positions(woodstock: Woodstock) -> None:
    outcome = woodstock("perft", "tic_tac_toe", "3", "--backend", "reference", "--unique", "--json")
    assert json.loads(outcome.out)["levels"] == [
        {"depth": 1, "paths": 9, "terminal": 0, "unique": 9},
        {"depth": 2, "paths": 72, "terminal": 0, "unique": 72},
        {"depth": 3, "paths": 504, "terminal": 0, "unique": 252},
    ]


def test_divide(woodstock: Woodstock) -> None:
    outcome = woodstock("perft", "tic_tac_toe", "3", "--backend", "reference", "--divide")
    rows = outcome.out.splitlines()
    assert rows[0].split() == ["joint", "move", "paths"]
    assert len(rows) == 1 + 9 + 2
    assert all(row.endswith(" 56") for row in rows[1:10])
    assert rows[10].split() == ["total", "504"]
    document = json.loads(woodstock("perft", "tic_tac_toe", "3", "--backend", "reference", "--divide", "--json").out)
    assert document["paths"] == sum(document["divide"].values()) == 504


def test_game_that_is_shorter_than_the_depth(woodstock: Woodstock, tmp_path: Path) -> None:
    sheet = "(role x) (init p) (legal x a) (<= (next q) (true p)) (<= terminal (true q)) (goal x 100)"
    outcome = woodstock("perft", "-", "5", "--backend", "reference", stdin=sheet)
    assert outcome.code == 0
    assert "no path is longer than 1" in outcome.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tic_tac_toe", "0"], "expected a depth of at least 1, found 0"),
        (["tic_tac_toe", "two"], "invalid int value: 'two'"),
        (["nosuchgame", "2"], "there is no game or file 'nosuchgame'"),
        (["tic_tac_toe", "2", "--backend", "magic"], "invalid choice: 'magic'"),
    ],
)
def test_wrong_usage(woodstock: Woodstock, arguments: list[str], message: str) -> None:
    outcome = woodstock("perft", *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert message in outcome.err


def test_invalid_sheet_is_refused_with_its_errors(woodstock: Woodstock) -> None:
    outcome = woodstock("perft", "-", "1", stdin="(role x) (init ?y)")
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith("<stdin>:1:")
