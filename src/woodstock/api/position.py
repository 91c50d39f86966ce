"""Positions as a Python program meets them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from html import escape
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING, Any, TypeAlias

from woodstock.api.moves import find_move, read_moves
from woodstock.common.errors import UsageError
from woodstock.common.limits import Deadline
from woodstock.draw import draw_position
from woodstock.game.protocol import Fluent, Move, goal
from woodstock.gdl.keywords import RANDOM
from woodstock.match import seats
from woodstock.players import Candidate, Clocks, Event, Explanation, Player, Seat, Turn, make_player

if TYPE_CHECKING:
    from woodstock.api.game import LoadedGame, PlayoutSummary

MoveLike: TypeAlias = "Move | str"
"""A move as a term, or as a text: `(drop 4)` or `drop 4`."""


class PlayedPosition:
    """A position of a game, and the way that led there; it never changes, playing on gives another one.

    Args:
        game: The game.
        state: The position, as the game's reasoner has it.
        previous: The position before, if there was one.
        moves: The joint move that led from there to here.

    Attributes:
        game: The game.
        previous: The position before; None at the start.
        moves: The joint move that led here, in the order of the roles; None at the start.
    """

    def __init__(
        self,
        game: LoadedGame,
        state: Any,
        previous: PlayedPosition | None = None,
        moves: tuple[Move, ...] | None = None,
    ) -> None:
        self.game = game
        self.state = state
        self.previous = previous
        self.moves = moves

    @cached_property
    def fluents(self) -> frozenset[Fluent]:
        """What is true here, as terms."""
        return self.game.reasoner.fluents(self.state)

    @cached_property
    def is_terminal(self) -> bool:
        """Whether the match is over."""
        return self.game.reasoner.is_terminal(self.state)

    @cached_property
    def goals(self) -> dict[str, int | None]:
        """The goal of each role here, by name; None where the rules give no single one."""
        return {role: goal(self.game.reasoner, self.state, number) for number, role in enumerate(self.game.roles)}

    @cached_property
    def _legal(self) -> tuple[tuple[Move, ...], ...]:
        if self.is_terminal:
            return tuple(() for _ in self.game.roles)
        reasoner = self.game.reasoner
        return tuple(reasoner.legal_moves(self.state, role) for role in range(len(self.game.roles)))

    @property
    def to_move(self) -> tuple[str, ...]:
        """Names of the roles that have a choice here, nature's among them."""
        return tuple(role for role, legal in zip(self.game.roles, self._legal, strict=True) if len(legal) > 1)

    def legal_moves(self, role: str | None = None) -> tuple[Move, ...]:
        """Return the legal moves of a role; of the one that has a choice if none is named."""
        return self._legal[self._number(role)]

    @property
    def line(self) -> tuple[tuple[Move, ...], ...]:
        """The joint moves that led here."""
        found = []
        here: PlayedPosition | None = self
        while here is not None and here.moves is not None:
            found.append(here.moves)
            here = here.previous
        return tuple(reversed(found))

    def play(self, move: MoveLike | Mapping[str, MoveLike] | None = None, **moves: MoveLike) -> PlayedPosition:
        """Return the position after a move.

        Roles that have one legal move make it; every other one needs its move to be named.

        Args:
            move: The move of the only role that has a choice, or the moves of roles by their names.
            moves: The same, by keywords.

        Raises:
            UsageError: The match is over, a move is missing or not legal.
        """
        named = dict(move) if isinstance(move, Mapping) else {}
        if move is not None and not isinstance(move, Mapping):
            named[self.game.roles[self._number(None)]] = move
        joint = read_moves(self.game.roles, self._legal, {**named, **moves})
        return PlayedPosition(self.game, self.game.reasoner.next_position(self.state, joint), self, joint)

    def undo(self, steps: int = 1) -> PlayedPosition:
        """Return the position some joint moves ago.

        Raises:
            UsageError: There were not as many.
        """
        here = self
        for _ in range(steps):
            if here.previous is None:
                raise UsageError(f"there is nothing to take back: {steps} asked for, {len(self.line)} made")
            here = here.previous
        return here

    def playouts(self, count: int = 10_000, seed: int = 0) -> PlayoutSummary:
        """Make random playouts from here, and say what came of them."""
        return self.game.make_playouts(self.state, count, seed)

    def ask(
        self,
        player: str | Player = "uct",
        role: str | None = None,
        *,
        seconds: float | None = None,
        iterations: int | None = None,
        seed: int = 0,
    ) -> Explanation:
        """Ask a player for a move, and why; nothing is played.

        Args:
            player: A spec such as `uct:exploration=0.3`, or a player of your own.
            role: For which role; the one that has a choice if none is named.
            seconds: How long it may think; a second, if nothing is said about iterations either.
            iterations: How much it may do, in its own iterations: the answer can be had again.
            seed: What its random numbers are made from.

        Returns:
            An explanation, whose `move` is the answer.

        Raises:
            UsageError: The match is over, there is no such role, or no such player.
        """
        if self.is_terminal:
            raise UsageError("the match is over: there is no move to ask for")
        number = self._number(role)
        if seconds is None and iterations is None:
            seconds = 1.0
        asked = make_player(player) if isinstance(player, str) else player
        clocks = Clocks(play=seconds, iterations=iterations)
        asked.start(
            Seat(
                self.game.rules,
                self.game.reasoner,
                number,
                clocks,
                self.game.is_hidden,
                Random(f"{seed} role {number}"),
            )
        )
        self._retell(asked, number)
        shown = None if self.game.is_hidden else self.state
        legal = self._legal[number]
        move = asked.choose(Turn(len(self.line), legal, shown, Deadline(seconds), iterations))
        explanation = asked.explain()
        asked.stop(None)
        if explanation is None:
            return Explanation(self.game.roles[number], (Candidate(move, None, None, 0),), (), self.game.roles)
        return explanation

    def _retell(self, player: Player, role: int) -> None:
        """Let a player see how the match came here."""
        way: list[PlayedPosition] = [self]
        while way[-1].previous is not None:
            way.append(way[-1].previous)
        way.reverse()
        for count, (before, after) in enumerate(pairwise(way), 1):
            assert after.moves is not None
            percepts = self.game.reasoner.percepts(before.state, after.moves, role)
            hidden = self.game.is_hidden
            shown = None if hidden else after.moves
            player.observe(Event(count, after.moves[role], percepts, shown, None if hidden else after.state))

    def _number(self, role: str | None) -> int:
        """Return the number of a role; of the only one that has a choice if none is named."""
        roles = self.game.roles
        if role is not None:
            if role not in roles:
                raise UsageError(f"{self.game.name} has no role {role!r} (roles: {', '.join(roles)})")
            return roles.index(role)
        if self.is_terminal:
            raise UsageError("the match is over: nobody has a move")
        choosing = [number for number in range(len(roles)) if len(self._legal[number]) > 1]
        if not choosing:
            return seats(roles)[0]
        if len(choosing) > 1:
            names = ", ".join(roles[number] for number in choosing)
            raise UsageError(f"several roles have a choice here ({names}): name one")
        return choosing[0]

    def move(self, text: MoveLike, role: str | None = None) -> Move:
        """Return the legal move of a role that a text stands for.

        Raises:
            UsageError: It is not legal.
        """
        number = self._number(role)
        return find_move(text, self._legal[number], self.game.roles[number])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PlayedPosition) and self.game is other.game and self.state == other.state

    def __hash__(self) -> int:
        return hash(self.state)

    def __str__(self) -> str:
        return draw_position(self.fluents, set(self.game.known_fluents))

    def __repr__(self) -> str:
        state = "over" if self.is_terminal else f"{', '.join(self.to_move) or 'nobody'} to move"
        return f"<{self.game.name} after {len(self.line)} moves, {state}>"

    def _repr_html_(self) -> str:
        """Show the board in a notebook."""
        goals = ", ".join(f"{role} {value}" for role, value in self.goals.items() if role != RANDOM)
        below = f"over: {goals}" if self.is_terminal else f"to move: {', '.join(self.to_move) or 'nobody'}"
        return f"<pre>{escape(str(self))}</pre><p>{escape(self.game.title)}, {escape(below)}</p>"
