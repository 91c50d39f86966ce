"""Trial: which of two searches plays a game better is found out by short matches between them.

Matches come in rounds. All matches of a round begin with the same few moves, any moves; the challenger takes each role
once, and the champion all others. Where there are more than two roles that alone would not be fair, since most matches
are lost by most of them: there the champion takes each role once against the challenger as well.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import dataclass
from math import inf
from random import Random
from typing import Final

from woodstock.circuit.game import CircuitGame, CircuitPosition
from woodstock.common.limits import Deadline
from woodstock.game.protocol import Move, goal
from woodstock.gdl.keywords import RANDOM
from woodstock.search.advice import choose_move
from woodstock.search.tree_search import TreeSearch

OPENING: Final = 4
"""Up to so many joint moves at the beginning of a match are any moves."""
LONGEST: Final = 2000
"""A match that takes longer counts as a draw."""
CLEAR: Final = 4.0
"""With such a lead no more matches are needed."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What came of a trial.

    Attributes:
        matches: How many matches were played to their end.
        score: What the challenger won of them: a match is worth one, a draw a half.
    """

    matches: int = 0
    score: float = 0.0

    @property
    def lead(self) -> float:
        """How many matches more the challenger won than it lost."""
        return 2 * self.score - self.matches

    @property
    def lost(self) -> float:
        """What the challenger lost of them."""
        return self.matches - self.score

    @property
    def average(self) -> float:
        """What it won of a match, a half if there was none."""
        return self.score / self.matches if self.matches else 0.5


@dataclass(frozen=True, slots=True)
class Terms:
    """When a trial is over.

    Attributes:
        clear: With such a lead of either no more matches are needed,
        least: if the challenger, when it leads, has won so much of a match on the average.
        may_lose: If it has lost more it has failed, and not even the round is played to its end.
    """

    clear: float = CLEAR
    least: float = 0.0
    may_lose: float = inf

    def is_won_by(self, verdict: Verdict) -> bool:
        """Tell whether the challenger leads clearly, and has won enough."""
        return verdict.lead >= self.clear and verdict.average >= self.least

    def is_lost_by(self, verdict: Verdict) -> bool:
        """Tell whether the champion leads clearly."""
        return verdict.lead <= -self.clear


UNLIMITED: Final = Terms(clear=inf)
"""As many matches as there is time for."""


class Trial:
    """Matches between two searches.

    Args:
        champion: A search.
        challenger: Another search of the same game.
        seconds: What the champion and the challenger have for a move.
        seed: What the random numbers are made from.
        terms: When it is over.

    Attributes:
        verdict: What came of it so far.
        is_over: It is clear who is better, or the challenger has failed.
    """

    def __init__(
        self,
        champion: TreeSearch,
        challenger: TreeSearch,
        seconds: tuple[float, float],
        seed: int = 0,
        terms: Terms | None = None,
    ) -> None:
        self._champion = champion
        self._challenger = challenger
        self._game: CircuitGame = champion.game
        self._seconds = seconds
        self._random = Random(seed)
        self._terms = terms or Terms()
        self._minds = {role for role, name in enumerate(self._game.roles) if name != RANDOM}
        self._seatings = [{role} for role in self._minds]
        if len(self._minds) > 2:
            self._seatings += [self._minds - {role} for role in self._minds]
        self.verdict = Verdict()
        self.is_over = False
        self._moves = self._play_rounds()

    def run(self, deadline: Deadline) -> Verdict:
        """Play until it is clear who is better, the challenger has failed, or the time is over.

        A match for which there is no more time goes on with the next call.
        """
        while not (deadline.expired or self.is_over):
            next(self._moves)
        return self.verdict

    def _play_rounds(self) -> Iterator[None]:
        """Play one match after the other, and stop after each joint move."""
        while True:
            start = self._open()
            for seats in self._seatings:
                score = yield from self._play(start, seats)
                self.verdict = Verdict(self.verdict.matches + 1, self.verdict.score + score)
                self.is_over = self.verdict.lost > self._terms.may_lose
                yield
            self.is_over |= self._terms.is_won_by(self.verdict) or self._terms.is_lost_by(self.verdict)
            yield

    def _open(self) -> CircuitPosition:
        """Return a position not far from the beginning."""
        game = self._game
        position = game.initial_position()
        for _ in range(self._random.randint(0, OPENING)):
            after = game.next_position(position, [self._any_move(position, role) for role in range(len(game.roles))])
            if game.is_terminal(after):
                break
            position = after
        return position

    def _any_move(self, position: CircuitPosition, role: int) -> Move:
        return self._random.choice(self._game.legal_moves(position, role))

    def _play(self, position: CircuitPosition, of_challenger: set[int]) -> Generator[None, None, float]:
        """Return what the challenger wins with some roles, 0 to 1."""
        game = self._game
        for search in (self._champion, self._challenger):
            search.clear()
        for _ in range(LONGEST):
            if game.is_terminal(position):
                return self._judge(position, of_challenger)
            moves = [self._choose(position, role, role in of_challenger) for role in range(len(game.roles))]
            position = game.next_position(position, moves)
            yield
        return 0.5

    def _choose(self, position: CircuitPosition, role: int, is_challenger: bool) -> Move:
        legal = self._game.legal_moves(position, role)
        if len(legal) == 1 or self._game.roles[role] == RANDOM:
            return self._random.choice(legal)
        search = self._challenger if is_challenger else self._champion
        search.set_root(position)
        search.run(Deadline(self._seconds[is_challenger]))
        chosen = choose_move(search, role, self._random)
        return self._random.choice(legal) if chosen is None else chosen

    def _judge(self, position: CircuitPosition, of_challenger: set[int]) -> float:
        """Compare what the challenger gets on the average with what the champion gets."""
        own, others = (
            sum(goal(self._game, position, role) or 0 for role in roles) / max(1, len(roles))
            for roles in (of_challenger, self._minds - of_challenger)
        )
        return 0.5 if own == others else float(own > others)
