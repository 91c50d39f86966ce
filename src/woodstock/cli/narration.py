"""A match as it is told on the terminal: boards, moves, what went wrong, the result."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from woodstock.cli.output import count

if TYPE_CHECKING:
    from woodstock.game.protocol import Fluent, Game, Move
    from woodstock.match import Match, Step

SCOUT_STEPS = 200


class Narrator:
    """Tells a match as it goes: who moved how and why, and what the position looks like now.

    Args:
        game: What is played.
        delay: Seconds to wait before each step is told.
        known: Fluents of other positions; see `woodstock.draw.draw_position`.
    """

    def __init__(self, game: Game[Any], delay: float, known: set[Fluent]) -> None:
        self._game = game
        self._delay = delay
        self._known = known
        self._number = 0

    def __call__(self, position: Any, step: Step | None) -> None:
        """Tell of a step, if there is one, and draw the position that it led to."""
        from woodstock.draw import draw_position

        if step is not None:
            self._number += 1
            time.sleep(self._delay)
            roles = self._game.roles
            for line in (*describe_thoughts(roles, step), *describe_step(roles, self._number, step)):
                print(line)
        fluents = self._game.fluents(position)
        self._known |= fluents
        print("\n" + draw_position(fluents, self._known), flush=True)


def describe_step(roles: Sequence[str], number: int, step: Step) -> Iterator[str]:
    """Yield what there is to say of a step, line by line: errors, then the moves.

    Args:
        roles: Names of the roles.
        number: Number of the step, from 1.
        step: The step.
    """
    from woodstock.gdl.printer import to_kif

    for role, move, error in zip(roles, step.moves, step.errors, strict=True):
        if error:
            yield "\n" + describe_error(role, error, move)
    moves = "  ".join(f"{role}: {to_kif(move)}" for role, move in zip(roles, step.moves, strict=True))
    yield f"\n{number}. {moves}"


def describe_thoughts(roles: Sequence[str], step: Step) -> Iterator[str]:
    """Yield why the moves of a step were chosen, line by line, as far as the players tell."""
    for role, answer in zip(roles, step.answers, strict=True):
        if answer is not None and answer.explanation is not None:
            yield f"\n{role}:"
            yield from answer.explanation.lines()


def describe_expectations(roles: Sequence[str], step: Step) -> Iterator[str]:
    """Yield what each role expected of its move, one line a role, as far as the players tell."""
    for role, answer in zip(roles, step.answers, strict=True):
        if answer is not None and answer.explanation is not None:
            chosen = answer.explanation.candidates[0]
            value = "nothing certain" if chosen.value is None else f"{chosen.value:.1f}"
            margin = "" if chosen.margin is None or chosen.proven else f" ± {chosen.margin:.1f}"
            yield f"   {role} expected {value}{margin}{', proven' if chosen.proven else ''}"


def describe_error(role: str, error: str, move: Move) -> str:
    """Return what was wrong with the answer of a role, and what was done about it.

    >>> describe_error("x", "TO", ("place", "1", "1"))
    'x was late: (place 1 1) was made for it'
    >>> describe_error("x", "IL ( place 9 9 )", ("place", "1", "1"))
    'x said ( place 9 9 ), which is no legal move: (place 1 1) was made for it'
    """
    from woodstock.gdl.printer import to_kif
    from woodstock.match import ILLEGAL, LATE, LOST

    kind, _, text = error.partition(" ")
    known = {LATE: "was late", LOST: "crashed or was lost", ILLEGAL: f"said {text or 'nil'}, which is no legal move"}
    return f"{role} {known.get(kind, f'made the error {error!r}')}: {to_kif(move)} was made for it"


def describe_result(match: Match) -> str:
    """Return one line that says how a match ended; what the rules give to nature interests nobody."""
    from woodstock.gdl.keywords import RANDOM
    from woodstock.match import Ending

    reason = {Ending.STUCK: ", a role has no legal move", Ending.CUT: ", no end in sight"}.get(match.ending, "")
    goals = ", ".join(
        f"{role} has no goal" if value is None else f"{role} {value}"
        for role, value in zip(match.roles, match.goals, strict=bool(match.goals))
        if role != RANDOM
    )
    steps = count(len(match.steps), "step")
    return f"{match.ending.value.capitalize()} after {steps}{reason}" + (f": {goals}" if goals else "")
