"""Matches against a player that is tried: they are written in any manner, and can take any turn."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from random import Random
from typing import Any

from woodstock.game.load import load_rules
from woodstock.game.protocol import JointMove, Move
from woodstock.game.reference import ReferenceGame
from woodstock.gdl.printer import to_kif
from woodstock.gdl.terms import GroundTerm
from woodstock.match.expressions import ProtocolError
from woodstock.match.messages import Abort, Message, Play, RulesText, Start, Stop, write_message
from woodstock.match.replies import ABORTED, DONE, READY, read_move
from woodstock.server.contestants import Form
from woodstock.server.probe import GRACE_SECONDS, Broken, Probe
from woodstock.server.scrambling import Scrambler


@dataclass(frozen=True, slots=True)
class Manner:
    """How the messages of a match are written.

    Attributes:
        upper: All in upper case, as in Dresden.
        scrambled: With other names for all things.
        form: The form of PLAY and STOP in a game that hides something.
        extra: Something to add to the arguments of START.
        facts: So many facts are added to the rules that mean nothing.
    """

    upper: bool = False
    scrambled: bool = False
    form: Form | None = None
    extra: str = ""
    facts: int = 0


class Trial:
    """A match against the player, in which all other roles move at random.

    Args:
        probe: The player.
        game: A bundled game.
        role: The role of the player.
        manner: How messages are written.
    """

    def __init__(self, probe: Probe, game: str, role: int = 0, manner: Manner | None = None) -> None:
        self.probe = probe
        self.match_id = probe.new_id()
        self.role = role
        self._manner = manner or Manner()
        self._rules = load_rules(game)
        self._game = ReferenceGame(self._rules)
        self._random = Random(f"{probe.seed} {game} {role}")
        self._scrambler = Scrambler(self._rules, probe.seed) if self._manner.scrambled else None
        self.position: Any = self._game.initial_position()
        self.number = 0
        self._last: tuple[tuple[GroundTerm, ...], Move] | None = None
        self._is_open = False

    async def __aenter__(self) -> Trial:
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._is_open:  # whatever went wrong must not go on in the next check
            with suppress(Broken):
                await self.probe.ask(self._dress(Abort(self.match_id)), GRACE_SECONDS)

    @property
    def is_over(self) -> bool:
        """Whether the match has come to its end."""
        return self._game.is_terminal(self.position)

    def legal_moves(self, role: int) -> tuple[Move, ...]:
        """Return what a role may do."""
        return self._game.legal_moves(self.position, role)

    def start_message(self) -> str:
        """Return the START of the match."""
        rules = self._rules if self._scrambler is None else self._scrambler.rules()
        text = RulesText.of(rules).text + "".join(f" (ballast {n} {n + 1})" for n in range(self._manner.facts))
        role = str(self._told(self._game.roles[self.role]))
        probe = self.probe
        message = self._dress(Start(self.match_id, role, RulesText(text), probe.start_clock, probe.play_clock))
        return message[:-1] + f" {self._manner.extra})" if self._manner.extra else message

    def turn_message(self, kind: type[Play] | type[Stop] = Play) -> str:
        """Return the PLAY or STOP for what happened in the last step."""
        new = self._manner.form == "new"
        if self._last is None:
            return self._dress(kind(self.match_id, None, 0 if new else None))
        terms, move = self._last
        told = tuple(self._told(term) for term in terms)
        return self._dress(kind(self.match_id, told, *((self.number, self._told(move)) if new else ())))

    async def start(self) -> None:
        """Begin the match.

        Raises:
            Broken: The player is not ready.
        """
        self._is_open = True
        await self.probe.expect(self.start_message(), READY, self.probe.start_clock + GRACE_SECONDS)

    async def ask(self) -> Move:
        """Return the player's move.

        Raises:
            Broken: It is late, or not legal.
        """
        return self.judge(await self.probe.ask(self.turn_message()))

    def judge(self, reply: str) -> Move:
        """Return the move that a reply is.

        Raises:
            Broken: It is none, or it is not legal.
        """
        try:
            move = read_move(reply)
        except ProtocolError as error:
            raise Broken(str(error)) from None
        move = move if self._scrambler is None else self._scrambler.unscramble(move)
        legal = self.legal_moves(self.role)
        if move not in legal:
            raise Broken(f"{to_kif(move)} is not legal in turn {self.number}; {to_kif(legal[0])} would be")
        return move

    def advance(self, move: Move) -> JointMove:
        """Make a move of the player and random ones of the others, and return the joint move."""
        moves = [self._random.choice(self.legal_moves(role)) for role in range(len(self._game.roles))]
        moves[self.role] = move
        percepts = self._game.percepts(self.position, moves, self.role)
        shown = tuple(moves) if self._manner.form is None else tuple(sorted(percepts, key=str))
        self._last = (shown, move)
        self.position = self._game.next_position(self.position, moves)
        self.number += 1
        return moves

    async def play(self, steps: int = 1000) -> None:
        """Play so many steps, or to the end.

        Raises:
            Broken: A move is late, or not legal.
        """
        for _ in range(steps):
            if self.is_over:
                return
            self.advance(await self.ask())

    async def stop(self) -> None:
        """End the match by a STOP.

        Raises:
            Broken: The player does not take it.
        """
        self._is_open = False
        await self.probe.expect(self.turn_message(Stop), DONE)

    async def abort(self) -> None:
        """End the match by an ABORT.

        Raises:
            Broken: The player does not take it.
        """
        self._is_open = False
        await self.probe.expect(self._dress(Abort(self.match_id)), ABORTED)

    def _told(self, term: GroundTerm) -> GroundTerm:
        return term if self._scrambler is None else self._scrambler.scramble(term)

    def _dress(self, message: Message) -> str:
        text = write_message(message)
        return text.upper() if self._manner.upper else text
