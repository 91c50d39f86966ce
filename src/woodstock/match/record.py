"""What is kept of a match."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from woodstock.game.protocol import Move
from woodstock.gdl.printer import to_kif


class Ending(Enum):
    """Why a match stopped."""

    FINISHED = "finished"
    """The rules say that it is over."""
    STUCK = "stuck"
    """A role had no legal move although the match was not over."""
    CUT = "cut"
    """It took too many steps."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A player's illegal move, in place of which the referee made another one."""

    role: int
    move: Move


@dataclass(frozen=True, slots=True)
class Step:
    """One joint move as it was executed.

    Attributes:
        moves: One move per role.
        faults: What players tried that was not legal.
    """

    moves: tuple[Move, ...]
    faults: tuple[Fault, ...] = ()


@dataclass(frozen=True, slots=True)
class Match:
    """The record of a match.

    Attributes:
        roles: Names of the roles.
        seed: What the random numbers were made from: the same seed gives the same match.
        steps: The joint moves, in order.
        ending: Why it stopped.
        goals: The goal of each role in the last position, None where the rules give no single value 0..100.
    """

    roles: tuple[str, ...]
    seed: int
    steps: tuple[Step, ...]
    ending: Ending
    goals: tuple[int | None, ...]

    def to_json(self) -> dict[str, object]:
        """Return the record as plain JSON values, terms in KIF."""
        return {
            "roles": list(self.roles),
            "seed": self.seed,
            "moves": [[to_kif(move) for move in step.moves] for step in self.steps],
            "faults": [
                {"step": number, "role": self.roles[fault.role], "move": to_kif(fault.move)}
                for number, step in enumerate(self.steps, 1)
                for fault in step.faults
            ],
            "ending": self.ending.value,
            "goals": list(self.goals),
        }
