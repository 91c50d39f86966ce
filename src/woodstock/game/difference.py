"""Differences: where two accounts of one play disagree, as a small diff that can be replayed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from woodstock.game.protocol import Game, P
from woodstock.game.walk import Line, legal_moves, render_line
from woodstock.gdl.printer import to_kif
from woodstock.gdl.terms import GroundTerm

MAX_TERMS_SHOWN = 10


@dataclass(frozen=True, slots=True)
class View:
    """What a reasoner says of a position.

    Attributes:
        fluents: What is true.
        terminal: The play is over.
        legal: Legal moves of each role; None in a terminal position.
        goals: Goal values of each role; None if they are not told.
    """

    fluents: frozenset[GroundTerm]
    terminal: bool
    legal: tuple[frozenset[GroundTerm], ...] | None
    goals: tuple[frozenset[GroundTerm], ...] | None

    @classmethod
    def of(cls, game: Game[P], position: P) -> View:
        """Ask a game everything about a position."""
        terminal = game.is_terminal(position)
        goals = tuple(frozenset(game.goal_values(position, role)) for role in range(len(game.roles)))
        legal = None if terminal else tuple(map(frozenset, legal_moves(game, position)))
        return cls(game.fluents(position), terminal, legal, goals)


@dataclass(frozen=True, slots=True)
class Mismatch:
    """One thing that two accounts of a position see differently.

    Attributes:
        subject: What it is, such as `legal moves of white`.
        missing: What only the first account has, the one that is taken for right.
        extra: What only the second has.
    """

    subject: str
    missing: tuple[str, ...]
    extra: tuple[str, ...]

    def render(self) -> str:
        return "\n".join([f"  {self.subject}:", *_marked("-", self.missing), *_marked("+", self.extra)])


@dataclass(frozen=True, slots=True)
class Difference:
    """The first position of a game that two accounts see differently.

    Attributes:
        play: Number of the play; 0 also when all positions were walked.
        line: The joint moves that lead there.
        mismatches: What is different there.
    """

    play: int
    line: Line
    mismatches: tuple[Mismatch, ...]

    @property
    def step(self) -> int:
        return len(self.line)

    def render(self) -> str:
        """Return the diff and the moves that lead to it; `-` is missing, `+` is extra."""
        parts = [f"  play {self.play}, step {self.step}", *(mismatch.render() for mismatch in self.mismatches)]
        if self.line:
            parts.append("  after the joint moves:")
            parts.extend("    " + moves for moves in render_line(self.line).split("\n"))
        return "\n".join(parts)

    def to_json(self) -> dict[str, Any]:
        """Return everything as JSON values."""
        return {
            "play": self.play,
            "step": self.step,
            "line": [[to_kif(move) for move in moves] for moves in self.line],
            "mismatches": [
                {"subject": found.subject, "missing": list(found.missing), "extra": list(found.extra)}
                for found in self.mismatches
            ],
        }


def compare_views(roles: Sequence[str], first: View, second: View) -> tuple[Mismatch, ...]:
    """Return what two accounts of a position see differently; what one of them does not tell is not compared."""
    found = [compare_sets("fluents", first.fluents, second.fluents)]
    if first.terminal != second.terminal:
        found.append(Mismatch("terminal", (_yes_no(first.terminal),), (_yes_no(second.terminal),)))
    for subject, one, other in (("legal moves", first.legal, second.legal), ("goal", first.goals, second.goals)):
        if one is not None and other is not None:
            found.extend(compare_by_role(subject, roles, one, other))
    return tuple(mismatch for mismatch in found if mismatch is not None)


def compare_by_role(
    subject: str,
    roles: Sequence[str],
    first: Iterable[frozenset[GroundTerm]],
    second: Iterable[frozenset[GroundTerm]],
) -> list[Mismatch]:
    """Compare one set of terms a role."""
    triples = zip(roles, first, second, strict=True)
    found = (compare_sets(f"{subject} of {role}", one, other) for role, one, other in triples)
    return [mismatch for mismatch in found if mismatch is not None]


def compare_sets(subject: str, first: frozenset[GroundTerm], second: frozenset[GroundTerm]) -> Mismatch | None:
    """Compare two sets of terms; None if they are equal."""
    if first == second:
        return None
    return Mismatch(subject, tuple(sorted(map(to_kif, first - second))), tuple(sorted(map(to_kif, second - first))))


def _marked(mark: str, terms: Sequence[str]) -> list[str]:
    lines = [f"    {mark} {term}" for term in terms[:MAX_TERMS_SHOWN]]
    if len(terms) > MAX_TERMS_SHOWN:
        lines.append(f"    {mark} … and {len(terms) - MAX_TERMS_SHOWN} more")
    return lines


def _yes_no(value: bool) -> str:
    return "yes" if value else "no"
