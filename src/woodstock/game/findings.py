"""Findings: what can be wrong with a position, and how it is told together with a line of play that leads there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from woodstock.game.protocol import Game, Move, P
from woodstock.game.walk import Line, render_line
from woodstock.gdl.keywords import RANDOM, goal_number
from woodstock.gdl.printer import to_kif
from woodstock.gdl.terms import GroundTerm

NO_LEGAL_MOVE: Final = "no-legal-move"
NO_GOAL: Final = "no-goal"
SEVERAL_GOALS: Final = "several-goals"
BAD_GOAL: Final = "bad-goal"
NO_END: Final = "no-end"
NEVER_WON: Final = "never-won"
GAVE_UP: Final = "gave-up"


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong that play has shown.

    Attributes:
        code: Short stable name of the problem.
        message: What is wrong, in one sentence.
        line: The shortest line of play found that shows it; it can be replayed.
        is_error: The sheet is not well formed; else it is only suspicious.
        exhaustive: All positions of the game were seen.
    """

    code: str
    message: str
    line: Line
    is_error: bool
    exhaustive: bool

    def render(self) -> str:
        """Return the message, how much was seen, and the joint moves, one a line in KIF."""
        severity = "error" if self.is_error else "warning"
        extent = "all positions seen" if self.exhaustive else "sampled"
        head = f"{severity}: {self.message} [{self.code}, {extent}]"
        if not self.line:
            return f"{head}\n    in the initial position"
        moves = "\n".join("    " + moves for moves in render_line(self.line).split("\n"))
        return f"{head}\n    shortest line of play found, {len(self.line)} joint moves:\n{moves}"


class Symptom(NamedTuple):
    """Something wrong with a position.

    Attributes:
        code: Short stable name of the problem.
        subject: Whom it concerns: a role, or another word that sets it apart from others with this code.
        message: What is wrong, in one sentence.
        is_error: The sheet is not well formed; else it is only suspicious.
    """

    code: str
    subject: str
    message: str
    is_error: bool = True


def find_symptoms(game: Game[P], position: P, legal: Sequence[Sequence[Move]]) -> Iterator[Symptom]:
    """Yield what is wrong with a position; `legal` are its legal moves, empty as a whole in a terminal one."""
    if legal:
        for role, moves in zip(game.roles, legal, strict=True):
            if not moves:
                yield Symptom(NO_LEGAL_MOVE, role, f"{role} has no legal move, though the position is not terminal")
        return
    for number, role in enumerate(game.roles):
        if role != RANDOM:
            yield from _goal_symptoms(role, game.goal_values(position, number))


def _goal_symptoms(role: str, values: Sequence[GroundTerm]) -> Iterator[Symptom]:
    values = sorted(values, key=to_kif)
    if not values:
        yield Symptom(NO_GOAL, role, f"{role} has no goal value in a terminal position")
    if len(values) > 1:
        texts = ", ".join(map(to_kif, values))
        yield Symptom(SEVERAL_GOALS, role, f"{role} has several goal values in a terminal position: {texts}")
    for value in values:
        if goal_number(value) is None:
            shown = to_kif(value)
            message = f"{role} has the goal value {shown} in a terminal position: expected a whole number from 0 to 100"
            yield Symptom(BAD_GOAL, role, message)
