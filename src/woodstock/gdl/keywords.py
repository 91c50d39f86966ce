"""The keywords of GDL and GDL-II, with what each may be applied to."""

from __future__ import annotations

import re
from typing import Final

from woodstock.gdl.terms import Term

ARITY: Final[dict[str, int]] = {
    "role": 1,
    "init": 1,
    "true": 1,
    "does": 2,
    "next": 1,
    "legal": 2,
    "goal": 2,
    "terminal": 0,
    "distinct": 2,
    "base": 1,
    "input": 2,
    "sees": 2,
}
"""Relations with a fixed meaning, and their number of arguments."""

CONNECTIVES: Final = frozenset({"and", "or", "not"})

RULE: Final = "<="

RANDOM: Final = "random"
"""The role that nature plays in GDL-II, uniformly at random."""

_GOAL: Final = re.compile(r"0*([0-9]{1,2}|100)")


def goal_number(value: Term) -> int | None:
    """Return the number that a goal value stands for, or None if it is not a whole number from 0 to 100.

    >>> goal_number("050"), goal_number("101"), goal_number("win")
    (50, None, None)
    """
    match = _GOAL.fullmatch(value) if isinstance(value, str) else None
    return int(match[1]) if match else None
