"""The referee: it knows the position, asks the players for moves and applies the rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, TypeVar

from woodstock.common.errors import UsageError
from woodstock.game.protocol import Game, Move, Percept, goal
from woodstock.gdl.keywords import RANDOM
from woodstock.match.record import Ending, Fault, Match, Step
from woodstock.players.protocol import Player, Turn

P = TypeVar("P")

MAX_STEPS = 1000
"""After so many joint moves a match is cut."""

Watch = Callable[[Any, Step | None], None]
"""Called with the first position and None, then with each position and the step that led to it."""


def play_match(
    game: Game[P],
    players: Sequence[Player],
    seed: int = 0,
    *,
    hidden: bool = False,
    max_steps: int = MAX_STEPS,
    watch: Watch | None = None,
) -> Match:
    """Play a match and return its record.

    A move that is not legal is replaced by a random legal one and noted in the record.

    Args:
        game: The rules.
        players: One player for each role but `random`, in role order.
        seed: What all random numbers of the match are made from.
        hidden: Whether to keep the position from the players, as a game with `sees` rules demands.
        max_steps: When to give up waiting for the end.
        watch: Is shown every position on the way.

    Raises:
        UsageError: There are not as many players as seats.
    """
    referee = _Referee(game, players, seed, hidden)
    steps: list[Step] = []
    if watch:
        watch(referee.position, None)
    while (ending := referee.ending()) is None and len(steps) < max_steps:
        steps.append(referee.step())
        if watch:
            watch(referee.position, steps[-1])
    goals = referee.dismiss()
    return Match(game.roles, seed, tuple(steps), ending or Ending.CUT, goals)


def seats(roles: Sequence[str]) -> tuple[int, ...]:
    """Return the roles that need a player: all but nature's."""
    return tuple(number for number, name in enumerate(roles) if name != RANDOM)


class _Referee:
    """The state of a match between two steps."""

    def __init__(self, game: Game[P], players: Sequence[Player], seed: int, hidden: bool) -> None:
        chairs = seats(game.roles)
        if len(players) != len(chairs):
            names = ", ".join(game.roles[role] for role in chairs)
            raise UsageError(f"the game has {len(chairs)} roles to play ({names}), found {len(players)} players")
        self._game: Game[Any] = game
        self._hidden = hidden
        self._random = Random(f"{seed} referee")
        self._players = dict(zip(chairs, players, strict=True))
        self._percepts: dict[int, frozenset[Percept]] = dict.fromkeys(chairs, frozenset())
        self._last: Step | None = None
        self._number = 0
        self._arrive(game.initial_position())
        for role, player in self._players.items():
            player.start(game, role, Random(f"{seed} role {role}"))

    def ending(self) -> Ending | None:
        """Return why the match has to stop here, or None if it goes on."""
        if self._terminal:
            return Ending.FINISHED
        return None if all(self._legal) else Ending.STUCK

    def step(self) -> Step:
        """Ask for one joint move and make it."""
        faults: list[Fault] = []
        moves = tuple(self._move_of(role, faults) for role in range(len(self._game.roles)))
        for role in self._players:
            self._percepts[role] = self._game.percepts(self.position, moves, role)
        self._arrive(self._game.next_position(self.position, moves))
        self._last = Step(moves, tuple(faults))
        self._number += 1
        return self._last

    def dismiss(self) -> tuple[int | None, ...]:
        """Tell the players that the match is over and return the goals."""
        goals = tuple(goal(self._game, self.position, role) for role in range(len(self._game.roles)))
        for player in self._players.values():
            player.finish(goals)
        return goals

    def _move_of(self, role: int, faults: list[Fault]) -> Move:
        legal = self._legal[role]
        if role not in self._players:
            return self._random.choice(legal)
        turn = Turn(
            number=self._number,
            legal_moves=legal,
            last_move=self._last.moves[role] if self._last else None,
            percepts=self._percepts[role],
            position=None if self._hidden else self.position,
        )
        move = self._players[role].choose(turn)
        if move in legal:
            return move
        faults.append(Fault(role, move))
        return self._random.choice(legal)

    def _arrive(self, position: Any) -> None:
        """Go on to a position; the legal moves of a terminal one do not matter."""
        roles = range(len(self._game.roles))
        self.position = position
        self._terminal = self._game.is_terminal(position)
        self._legal = [] if self._terminal else [self._game.legal_moves(position, role) for role in roles]
