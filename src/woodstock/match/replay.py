"""Replay: a recorded match against the rules, step by step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from woodstock.common.errors import UsageError
from woodstock.game.protocol import Game, Move, goal
from woodstock.gdl.printer import to_kif
from woodstock.gdl.terms import GroundTerm
from woodstock.match.record import Ending, Match

MAX_TERMS: Final = 8
"""So many terms of a kind are listed in a difference; the others are counted."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A place where a record does not follow the rules.

    Attributes:
        step: Number of the joint move, from 1; the state that it leads to has the same, the initial one 0.
        what: What is wrong there.
        recorded: What the record says.
        rules: What the rules say.
    """

    step: int
    what: str
    recorded: str
    rules: str

    def __str__(self) -> str:
        return f"step {self.step}: {self.what}: recorded {self.recorded}, the rules give {self.rules}"


def find_differences(match: Match, game: Game[Any]) -> Iterator[Difference]:
    """Yield every place where a record does not follow the rules, in order.

    Each recorded state is held against the state and the moves recorded before it, so one difference does not lead to
    others.

    Args:
        match: The record.
        game: The rules; a reasoner that knows any fluent, as `woodstock.game.reference.ReferenceGame` does.

    Raises:
        UsageError: The record is one of a game with other roles.
    """
    _check_roles(match, game)
    first = game.fluents(game.initial_position())
    if match.states[0] != first:
        yield Difference(0, "another initial state", *_compare(match.states[0], first))
    for number in range(len(match.steps)):
        yield from _step_differences(match, game, number)
    yield from _end_differences(match, game)


def _check_roles(match: Match, game: Game[Any]) -> None:
    if match.roles and match.roles != game.roles:
        raise UsageError(f"the record has the roles {', '.join(match.roles)}, the rules have {', '.join(game.roles)}")
    rows = (*(step.moves for step in match.steps), match.goals, match.player_names)
    for row in rows:
        if row and len(row) != len(game.roles):
            raise UsageError(f"the record has {len(row)} roles, the rules have {len(game.roles)}")


def _step_differences(match: Match, game: Game[Any], number: int) -> Iterator[Difference]:
    """Yield what is wrong with a joint move and what it led to."""
    position, moves = game.position_of(match.states[number]), match.steps[number].moves
    if game.is_terminal(position):
        yield Difference(number + 1, "the match goes on", "a joint move", "the end of the match")
        return
    is_legal = True
    for role, move in enumerate(moves):
        legal = game.legal_moves(position, role)
        if move not in legal:
            is_legal = False
            yield Difference(number + 1, f"an illegal move of {game.roles[role]}", to_kif(move), _list(legal))
    if not is_legal:
        return
    following = game.fluents(game.next_position(position, moves))
    if following != match.states[number + 1]:
        yield Difference(number + 1, "another state", *_compare(match.states[number + 1], following))


def _end_differences(match: Match, game: Game[Any]) -> Iterator[Difference]:
    """Yield what is wrong with how the match ended."""
    number, position = len(match.steps), game.position_of(match.states[-1])
    ending = _ending(game, position)
    recorded = match.ending
    # Where the rules let it go on, a match may be cut or aborted; an abort may come too late to matter.
    is_possible = recorded is ending or recorded is Ending.ABORTED or (recorded is Ending.CUT and ending is None)
    if not is_possible:
        yield Difference(number, "another ending", recorded.value, ending.value if ending else "no end yet")
    for role, value in enumerate(match.goals):
        given = goal(game, position, role)
        if given != value:
            yield Difference(number, f"another goal of {game.roles[role]}", _goal(value), _goal(given))


def _ending(game: Game[Any], position: Any) -> Ending | None:
    """Return how a match ends in a position, None if it goes on."""
    if game.is_terminal(position):
        return Ending.FINISHED
    stuck = not all(game.legal_moves(position, role) for role in range(len(game.roles)))
    return Ending.STUCK if stuck else None


def _compare(recorded: frozenset[GroundTerm], rules: frozenset[GroundTerm]) -> tuple[str, str]:
    """Return what only the record and what only the rules have in a state."""
    return _list(recorded - rules), _list(rules - recorded)


def _list(terms: Iterable[Move]) -> str:
    """Return some terms in words."""
    texts = sorted(map(to_kif, terms))
    listed = ", ".join(texts[:MAX_TERMS]) or "nothing"
    return listed + (f" and {len(texts) - MAX_TERMS} more" if len(texts) > MAX_TERMS else "")


def _goal(value: int | None) -> str:
    return "none" if value is None else str(value)
