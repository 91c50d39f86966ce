"""Explanations: why a move was chosen, as data that prints itself as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from woodstock.game.protocol import JointMove, Move
from woodstock.gdl.printer import to_kif


@dataclass(frozen=True, slots=True)
class Candidate:
    """A move that could have been chosen.

    Attributes:
        move: The move.
        value: The expected goal of the role, 0 to 100; None if the move was not looked at.
        margin: Half the width of the 95 % confidence interval of the value; 0 if it is proven, None if unknown.
        visits: How often the search went that way.
        proven: The value is exact.
    """

    move: Move
    value: float | None
    margin: float | None
    visits: int
    proven: bool = False


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a move was chosen.

    Attributes:
        role: Name of the role that moves.
        candidates: The moves, the chosen one first, then the best.
        line: The play that is expected: joint moves, the first with the chosen move in it.
        roles: Names of all roles.
        statistics: What the search did, by name: seconds, nodes, samples, …
    """

    role: str
    candidates: tuple[Candidate, ...]
    line: tuple[JointMove, ...] = ()
    roles: tuple[str, ...] = ()
    statistics: dict[str, float | int | str] = field(default_factory=dict)

    @property
    def move(self) -> Move:
        """The chosen move."""
        return self.candidates[0].move

    @property
    def value(self) -> float | None:
        """What the chosen move is expected to bring."""
        return self.candidates[0].value

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self, most: int = 10) -> list[str]:
        """Return a table for people: the best moves, the expected line, and what was done."""
        rows = [("move", "value", "±", "visits", "")]
        rows += [_row(candidate) for candidate in self.candidates[:most]]
        widths = [max(len(row[column]) for row in rows) for column in range(5)]
        found = [
            "  ".join((row[0].ljust(widths[0]), *(row[column].rjust(widths[column]) for column in (1, 2, 3)), row[4]))
            for row in rows
        ]
        if len(self.candidates) > most:
            found.append(f"… and {len(self.candidates) - most} more")
        if self.line:
            found.append("line: " + " · ".join(_joint(moves) for moves in self.line))
        if self.statistics:
            found.append(", ".join(f"{name} {_number(value)}" for name, value in self.statistics.items()))
        return [line.rstrip() for line in found]

    def to_json(self) -> dict[str, Any]:
        """Return plain JSON values, terms in KIF."""
        return {
            "role": self.role,
            "candidates": [
                {
                    "move": to_kif(candidate.move),
                    "value": candidate.value,
                    "margin": candidate.margin,
                    "visits": candidate.visits,
                    "proven": candidate.proven,
                }
                for candidate in self.candidates
            ],
            "line": [[to_kif(move) for move in moves] for moves in self.line],
            "statistics": self.statistics,
        }


def _row(candidate: Candidate) -> tuple[str, str, str, str, str]:
    value = "" if candidate.value is None else f"{candidate.value:.1f}"
    margin = "" if candidate.margin is None or candidate.proven else f"{candidate.margin:.1f}"
    return to_kif(candidate.move), value, margin, str(candidate.visits), "proven" if candidate.proven else ""


def _joint(moves: Sequence[Move]) -> str:
    return " ".join(to_kif(move) for move in moves)


def _number(value: float | int | str) -> str:
    return f"{value:,.2f}" if isinstance(value, float) else f"{value:,}" if isinstance(value, int) else value
