"""What the tests of the checks share: a sheet without problems, and a short way to check additions to it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import pytest

from woodstock.gdl.checks import check_sheet
from woodstock.gdl.sheet import read_sheet

GOOD = """
(role x)
(init (step 1))
(succ 1 2)
(succ 2 3)
(<= (legal x (go ?n)) (true (step ?n)))
(<= (next (step ?m)) (does x (go ?n)) (succ ?n ?m))
(<= terminal (true (step 3)))
(<= (goal x 100) (true (step 3)))
(<= (goal x 0) (not (true (step 3))))
"""


class Problem(NamedTuple):
    """A diagnostic in a form that is easy to compare."""

    place: str
    severity: str
    code: str
    message: str
    hint: str


Check = Callable[..., list[Problem]]


@pytest.fixture
def check() -> Check:
    """A function that checks statements, followed by a good sheet unless `alone`."""

    def run(text: str, alone: bool = False) -> list[Problem]:
        sheet = read_sheet(text if alone else text + GOOD, "kif")
        found = []
        for problem in check_sheet(sheet):
            line, column = problem.source.position(problem.span.start)
            place = f"{line}:{column}"
            found.append(Problem(place, problem.severity.value, problem.code, problem.message, problem.hint))
        return found

    return run


@pytest.fixture
def only(check: Check) -> Callable[..., Problem]:
    """Like `check`, for statements that have exactly one problem."""

    def run(text: str, alone: bool = False) -> Problem:
        found = check(text, alone)
        assert len(found) == 1, found
        return found[0]

    return run
