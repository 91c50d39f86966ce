"""The keywords of GDL and GDL-II, with what each may be applied to."""

from __future__ import annotations

from typing import Final

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
