"""Players that search: flat UCB1, UCT and GRAVE.

All of them search on the circuit of the game, or with the reference reasoner where there is none. Where the rules hide
something they search from positions that agree with what they have seen, each for its share of the time, and take the
move that does best on the whole.
"""

from __future__ import annotations

import math
import time
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Final

from woodstock.common.errors import UsageError
from woodstock.common.limits import Deadline
from woodstock.game.protocol import Move
from woodstock.players.margin import Margin, usable
from woodstock.players.protocol import Event, Player, Seat, Turn
from woodstock.players.searchers import FlatSearcher, Searcher, TreeSearcher
from woodstock.search.beliefs import Beliefs
from woodstock.search.explanation import Explanation
from woodstock.search.flat import FlatOptions
from woodstock.search.guesses import join_explanations
from woodstock.search.options import SearchOptions

PROPOSAL_SECONDS: Final = 0.1
"""How often the best move so far is told to whoever wants to know."""
GUESSES: Final = 16
"""From how many positions a search is made where the position is hidden."""
GUESSING_SHARE: Final = 0.25
"""Of the time, to find these positions."""
WARM_ITERATIONS: Final = 64
"""What is done before the first move where there is no start clock: it loads the kernels."""


MARGIN: Final = Margin(base=0.01, first=0.05, window=1000)
"""How late searches come back in this process, whoever makes them: a new match knows what the last ones learnt."""
START_MARGIN: Final = 0.1
"""What is left of a start clock at least: it is long, and many things are done in it for the first time."""
CAUTION: Final = 1.5
"""What comes next may be worse than the worst so far, by this factor."""


class _Watch:
    """Looks on while a search runs: it tells the best move so far, and measures for how long the machine does others.

    Args:
        searcher: The search.
        propose: Is told the best move; None if nobody wants to know.
    """

    def __init__(self, searcher: Searcher, propose: Callable[[Move], None] | None = None) -> None:
        self._searcher = searcher
        self._propose = propose
        self._told = self._clock = time.monotonic()
        self._worked = time.thread_time()
        self.longest_pause = 0.0

    def __call__(self) -> None:
        now, worked = time.monotonic(), time.thread_time()
        self.longest_pause = max(self.longest_pause, (now - self._clock) - (worked - self._worked))
        self._clock, self._worked = now, worked
        if self._propose is not None and now - self._told > PROPOSAL_SECONDS:
            self._told = now
            explanation = self._searcher.explain()
            if explanation is not None:
                self._propose(explanation.move)


class SearchPlayer(Player):
    """What all players that search have in common: clocks, proposals, hidden positions, explanations."""

    def start(self, seat: Seat[Any]) -> None:
        self._seat = seat
        self._explanation: Explanation | None = None
        self._searcher = self.make_searcher(seat)
        self._beliefs = Beliefs(seat.game, seat.role, seat.random) if seat.hidden else None
        self._position = seat.game.initial_position()
        if not seat.game.is_terminal(self._position):
            self._searcher.look_at(self._position)
            is_timed = seat.clocks.iterations is None and seat.clocks.start is not None
            iterations = 1 if is_timed else WARM_ITERATIONS  # in a game with thousands of moves 64 take a while
            self._searcher.run(self._own_deadline(seat.deadline, START_MARGIN), iterations)
            if is_timed:
                self._search(self._own_deadline(seat.deadline, START_MARGIN))

    @abstractmethod
    def make_searcher(self, seat: Seat[Any]) -> Searcher:
        """Return the search of this kind of player."""

    def choose(self, turn: Turn[Any]) -> Move:
        self._explanation = None
        if len(turn.legal_moves) == 1:
            return turn.legal_moves[0]
        deadline = self._own_deadline(turn.deadline)
        if self._beliefs is not None:
            self._explanation = self._search_unseen(turn, deadline)
        else:
            self._position = turn.position
            self._searcher.look_at(turn.position)
            # What an explanation draws at random must not depend on the time, in matches that can be repeated.
            self._search(deadline, turn.iterations, turn.propose if turn.iterations is None else None)
            self._explanation = self._searcher.explain()
        if deadline.expired:
            MARGIN.note(deadline.seconds_over)
        return self._seat.random.choice(turn.legal_moves) if self._explanation is None else self._explanation.move

    def observe(self, event: Event[Any]) -> None:
        if self._beliefs is not None:
            self._beliefs.observe(event.move or None, event.percepts)
        elif event.position is not None:
            self._position = event.position

    def ponder(self, deadline: Deadline) -> None:
        if self._beliefs is None and not self._seat.game.is_terminal(self._position):
            self._searcher.look_at(self._position)
            self._search(deadline)

    def explain(self) -> Explanation | None:
        return self._explanation

    def _own_deadline(self, deadline: Deadline, least: float = 0.0) -> Deadline:
        """Return when to stop searching, so that the move is there in time, with a margin of some seconds at least."""
        left = deadline.seconds_left
        if left == math.inf:
            return Deadline(None)
        return Deadline(usable(left, max(least, MARGIN.seconds + (CAUTION - 1) * MARGIN.overshoot)))

    def _search(
        self, deadline: Deadline, iterations: int | None = None, propose: Callable[[Move], None] | None = None
    ) -> None:
        """Let the search run, and learn how long the machine keeps it waiting."""
        watch = _Watch(self._searcher, propose)
        self._searcher.run(deadline, iterations, watch)
        if self._searcher.is_of_this_thread:
            MARGIN.note(watch.longest_pause)

    def _search_unseen(self, turn: Turn[Any], deadline: Deadline) -> Explanation | None:
        """Search from positions that may be the true one; return what is found on the average."""
        guesses = self._guess(turn, Deadline(deadline.seconds_left * GUESSING_SHARE))
        left = sum(guesses.values())
        found: list[Explanation] = []
        for position, weight in guesses.items():
            share = weight / left
            left -= weight
            self._searcher.look_at(position)
            iterations = None if turn.iterations is None else max(1, int(turn.iterations * weight / guesses.total()))
            self._searcher.run(Deadline(deadline.seconds_left * share), iterations)
            explanation = self._searcher.explain()
            if explanation is None or deadline.expired:
                break
            found.append(explanation)
            turn.propose(self._join(found, guesses).move)
        return self._join(found, guesses) if found else None

    def _guess(self, turn: Turn[Any], deadline: Deadline) -> Counter[Any]:
        """Return positions that may be the true one, the most likely of them, and how often each was thought of."""
        assert self._beliefs is not None
        return Counter(dict(Counter(self._beliefs.positions(turn.legal_moves, deadline)).most_common(GUESSES)))

    @staticmethod
    def _join(found: list[Explanation], guesses: Counter[Any]) -> Explanation:
        return join_explanations(found, list(guesses.values())[: len(found)])


@dataclass
class FlatPlayer(SearchPlayer):
    """Flat UCB1: many playouts through each move, most through the best.

    Attributes:
        exploration: Weight of the confidence, for utilities 0 to 1.
    """

    exploration: float = 0.7

    def make_searcher(self, seat: Seat[Any]) -> Searcher:
        return FlatSearcher(seat.game, seat.role, FlatOptions(self.exploration), seat.random)


@dataclass
class UctPlayer(SearchPlayer):
    """UCT for any number of roles; see `woodstock.search.options.SearchOptions` for what the options mean."""

    exploration: float = SearchOptions.exploration
    samples: int = SearchOptions.samples
    spread: int = SearchOptions.spread
    mixing: float = SearchOptions.mixing
    trust: float = 0.0
    mast: bool = False
    temperature: float = SearchOptions.temperature
    foresight: int = SearchOptions.foresight
    threads: int = 1
    memory: float = SearchOptions.memory
    options: SearchOptions = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.samples < 1:
            raise UsageError(f"samples must be 1 or more, found {self.samples}")
        self.options = SearchOptions(
            exploration=self.exploration,
            samples=self.samples,
            spread=self.spread,
            mixing=self.mixing,
            trust=self.trust,
            mast=self.mast,
            temperature=self.temperature,
            foresight=self.foresight,
            threads=self.threads,
            memory=self.memory,
        )

    def make_searcher(self, seat: Seat[Any]) -> Searcher:
        return TreeSearcher(seat, self.options)


@dataclass
class GravePlayer(UctPlayer):
    """GRAVE (Cazenave 2015): UCT guided by how moves did elsewhere; `ref` is what `SearchOptions` calls `enough`."""

    exploration: float = 0.0
    bias: float = SearchOptions.bias
    ref: float = SearchOptions.enough

    def __post_init__(self) -> None:
        super().__post_init__()
        self.options = replace(self.options, grave=True, bias=self.bias, enough=self.ref)
