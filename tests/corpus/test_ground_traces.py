"""The ground program against an independent reasoner: the whole traces of a share of the public games."""

from __future__ import annotations

from pathlib import Path

import pytest

from woodstock.game.backends import GROUND
from woodstock.game.verification import Task, verify_game
from woodstock.gdl.sheet import decode

PARTS = 8
SHARE = 3
"""Every so-manieth game is compared."""

MAX_NAIVE_RULES = 20_000
"""Games that a naive grounding makes larger than this take too long for the gate."""


def chosen_games(corpus: Path) -> list[str]:
    rows = [line.split("\t") for line in (corpus / "index.tsv").read_text(encoding="utf-8").splitlines()]
    column = rows[0].index("naive_ground_rules")
    sizes = {row[0]: row[column] for row in rows[1:]}
    small = [name for name, size in sorted(sizes.items()) if size.isdecimal() and int(size) <= MAX_NAIVE_RULES]
    return small[::SHARE]


@pytest.mark.parametrize("part", range(PARTS))
def test_traces_are_reproduced(corpus: Path, part: int) -> None:
    games = chosen_games(corpus)[part::PARTS]
    assert games
    wrong = []
    for name in games:
        source = decode((corpus / "games" / f"{name}.kif").read_bytes(), name)
        report = verify_game(Task(name, source, (GROUND,), corpus / "traces"))
        if report.status not in ("agreed", "invalid") and not report.sheet.quirks:
            wrong.append(f"{name}: {report.status} {[comparison.reason for comparison in report.comparisons]}")
    assert not wrong, "\n".join(wrong)
