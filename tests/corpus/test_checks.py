"""The checker on public games: it says something about every sheet, and errors are rare among games that are played."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from woodstock.game.reference import ReferenceGame
from woodstock.gdl.checks import blocking, check_sheet
from woodstock.gdl.diagnostics import Diagnostic, GdlError
from woodstock.gdl.sheet import decode, read_sheet

Problems = dict[str, tuple[Diagnostic, ...]]

EXPECTED_ERRORS = {
    "asylum": {"dependence"},
    "bigMoney": {"keyword-arity-aside", "unsafe"},
    "blind_breakthrough_5x5": {"keyword-in-body", "unsafe"},
    "blind_breakthrough_6x6": {"keyword-in-body", "unsafe"},
    "blind_breakthrough_7x7": {"keyword-in-body", "unsafe"},
    "bonaparte": {"recursion", "unsafe-aside"},
    "dominion": {"keyword-arity-aside", "unsafe"},
    "majorities": {"unstratified-by-name"},
    "mastermind2x3": {"keyword-in-body"},
    "mastermind__safetyinobscurity": {"keyword-in-body"},
    "nineBoardTicTacToePie": {"unstratified-by-name"},
    "queens06ug": {"unstratified-by-name"},
    "queens08lg": {"unstratified-by-name"},
    "queens08ug": {"unstratified-by-name"},
    "queens12ug": {"unstratified-by-name"},
    "queens16ug": {"unstratified-by-name"},
    "queens31lg": {"unstratified-by-name"},
    "simultaneousTicTacToe": {"unsafe"},
    "vis_pacman3p": {"keyword-in-body"},
}
"""Games whose sheets break the specification, and how; all others are valid."""


def check_folder(folder: Path) -> Problems:
    return {
        path.name.removesuffix(".kif"): check_sheet(read_sheet(decode(path.read_bytes(), path.name)))
        for path in sorted(folder.iterdir())
    }


def errors(problems: tuple[Diagnostic, ...]) -> set[str]:
    return {problem.code for problem in problems if problem.is_error}


@pytest.fixture(scope="module")
def games(corpus: Path) -> Problems:
    return check_folder(corpus / "games")


@pytest.fixture(scope="module")
def malformed(corpus: Path) -> Problems:
    return check_folder(corpus / "malformed")


def test_every_sheet_is_checked_and_errors_are_those_of_the_specification(games: Problems) -> None:
    found = {name: errors(problems) for name, problems in games.items() if errors(problems)}
    for name, codes in found.items():
        print(f"{name:35} {'blocking' if blocking(games[name]) else 'playable':9} {', '.join(sorted(codes))}")
    assert len(games) >= 430
    assert found == EXPECTED_ERRORS


def test_what_blocks_is_what_the_reasoner_refuses(corpus: Path, games: Problems) -> None:
    for name, problems in games.items():
        rules = read_sheet(decode((corpus / "games" / f"{name}.kif").read_bytes(), name)).rules
        try:
            ReferenceGame(rules)
        except GdlError:
            assert blocking(problems), name
        else:
            assert not blocking(problems), name


def test_warnings_are_rare(games: Problems) -> None:
    counts = Counter(problem.code for problems in games.values() for problem in problems if not problem.is_error)
    print(dict(counts))
    clean = sum(not problems for problems in games.values())
    assert clean > 0.6 * len(games)


def test_broken_sheets_have_errors(malformed: Problems) -> None:
    good = [name for name, problems in malformed.items() if not errors(problems)]
    print("without errors:", *good)
    assert len(good) <= 0.25 * len(malformed)


def test_every_problem_can_be_shown(games: Problems, malformed: Problems) -> None:
    for problems in (*games.values(), *malformed.values()):
        for problem in problems:
            headline, line, caret = problem.render().split("\n")[:3]
            assert headline.startswith(f"{problem.source.name}:")
            assert len(caret) <= len(line) + 1
