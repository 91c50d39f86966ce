"""Players that search: flat UCB1, UCT and GRAVE.

All of them search on the circuit of the game, or with the reference reasoner where there is none. Where the rules hide
something they search from positions that agree with what they have seen, each for its share of the time, and take the
move that does best on the whole.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final, Protocol

from woodstock.circuit.game import CircuitGame
from woodstock.common.limits import Deadline
from woodstock.game.protocol import Game, Move
from woodstock.players.margin import Margin, usable
from woodstock.players.protocol import Event, Player, Seat, Turn
from woodstock.search.advice import advise
from woodstock.search.beliefs import Beliefs
from woodstock.search.explanation import Explanation
from woodstock.search.flat import FlatOptions, FlatSearch
from woodstock.search.guesses import join_explanations
from woodstock.search.plain import PlainSearch
from woodstock.search.tree_search import SearchOptions, TreeSearch

PROPOSAL_SECONDS: Final = 0.1
"""How often the best move so far is told to whoever wants to know."""
GUESSES: Final = 16
"""From how many positions a search is made where the position is hidden."""
GUESSING_SHARE: Final = 0.25
"""Of the time, to find these positions."""
WARM_ITERATIONS: Final = 64
"""What is done before the first clock runs out, whatever else: it loads the kernels."""


class Searcher(Protocol):
    """A search of whatever kind, for one role."""

    def look_at(self, position: Any) -> None:
        """Search from a position from now on."""

    def run(self, deadline: Deadline, iterations: int | None, report: Callable[[], None] | None = None) -> None:
        """Search until the deadline, or for so many iterations."""

    def explain(self) -> Explanation | None:
        """Tell what is known of the moves, the chosen one first."""


class _TreeSearcher:
    """UCT or GRAVE on a circuit, or with any reasoner."""

    def __init__(self, game: Game[Any], role: int, options: SearchOptions, random: Random) -> None:
        seed = random.getrandbits(40)
        self._role = role
        self._random = random
        self._search: TreeSearch | PlainSearch[Any]
        if isinstance(game, CircuitGame):
            self._search = TreeSearch(game, options, seed)
        else:
            self._search = PlainSearch(game, options, seed)

    def look_at(self, position: Any) -> None:
        self._search.set_root(position)

    def run(self, deadline: Deadline, iterations: int | None, report: Callable[[], None] | None = None) -> None:
        self._search.run(deadline, iterations, report)

    def explain(self) -> Explanation | None:
        if isinstance(self._search, TreeSearch):
            return advise(self._search, self._role, self._random)
        return self._search.explain(self._role)


class _FlatSearcher:
    """Flat UCB1."""

    def __init__(self, game: Game[Any], role: int, options: FlatOptions, random: Random) -> None:
        self._role = role
        self._search = FlatSearch(game, options, random.getrandbits(40))

    def look_at(self, position: Any) -> None:
        self._search.set_root(position, self._role)

    def run(self, deadline: Deadline, iterations: int | None, report: Callable[[], None] | None = None) -> None:
        self._search.run(deadline, iterations, report)

    def explain(self) -> Explanation | None:
        return self._search.explain()


class SearchPlayer(Player):
    """What all players that search have in common: clocks, proposals, hidden positions, explanations."""

    def start(self, seat: Seat[Any]) -> None:
        self._seat = seat
        self._margin = Margin(base=0.005, first=0.02)
        self._explanation: Explanation | None = None
        self._searcher = self.make_searcher(seat)
        self._beliefs = Beliefs(seat.game, seat.role, seat.random) if seat.hidden else None
        self._position = seat.game.initial_position()
        if not seat.game.is_terminal(self._position):
            self._searcher.look_at(self._position)
            self._searcher.run(seat.deadline, WARM_ITERATIONS)
            if seat.clocks.iterations is None and seat.clocks.start is not None:
                self._searcher.run(self._own_deadline(seat.deadline), None)

    @abstractmethod
    def make_searcher(self, seat: Seat[Any]) -> Searcher:
        """Return the search of this kind of player."""

    def choose(self, turn: Turn[Any]) -> Move:
        self._explanation = None
        if len(turn.legal_moves) == 1:
            return turn.legal_moves[0]
        if self._beliefs is not None:
            return self._choose_unseen(turn)
        self._position = turn.position
        self._searcher.look_at(turn.position)
        deadline = self._own_deadline(turn.deadline)
        self._searcher.run(deadline, turn.iterations, self._proposer(turn))
        self._note(deadline)
        self._explanation = self._searcher.explain()
        return turn.legal_moves[0] if self._explanation is None else self._explanation.move

    def observe(self, event: Event[Any]) -> None:
        if self._beliefs is not None:
            self._beliefs.observe(event.move or None, event.percepts)
        elif event.position is not None:
            self._position = event.position

    def ponder(self, deadline: Deadline) -> None:
        if self._beliefs is None and not self._seat.game.is_terminal(self._position):
            self._searcher.look_at(self._position)
            self._searcher.run(deadline, None)

    def explain(self) -> Explanation | None:
        return self._explanation

    def _own_deadline(self, deadline: Deadline) -> Deadline:
        """Return when to stop searching, so that the move is there in time."""
        left = deadline.seconds_left
        return Deadline(None if left == float("inf") else usable(left, self._margin.seconds))

    def _note(self, deadline: Deadline) -> None:
        """Measure how long after its deadline a search came back."""
        if deadline.expired:
            self._margin.note(deadline.seconds_over)

    def _proposer(self, turn: Turn[Any]) -> Callable[[], None]:
        """Return what tells the best move so far, now and then."""
        told = time.monotonic()

        def tell() -> None:
            nonlocal told
            if time.monotonic() - told > PROPOSAL_SECONDS:
                told = time.monotonic()
                explanation = self._searcher.explain()
                if explanation is not None:
                    turn.propose(explanation.move)

        return tell

    def _choose_unseen(self, turn: Turn[Any]) -> Move:
        """Search from positions that may be the true one; take the move that is best on the average."""
        deadline = self._own_deadline(turn.deadline)
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
        self._note(deadline)
        if not found:
            return self._seat.random.choice(turn.legal_moves)
        self._explanation = self._join(found, guesses)
        return self._explanation.move

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
        return _FlatSearcher(seat.game, seat.role, FlatOptions(self.exploration), seat.random)


@dataclass
class UctPlayer(SearchPlayer):
    """UCT for any number of roles; see `woodstock.search.tree_search.SearchOptions` for what the options mean."""

    exploration: float = SearchOptions.exploration
    samples: int = SearchOptions.samples
    spread: int = SearchOptions.spread
    mixing: float = SearchOptions.mixing
    mast: bool = False
    temperature: float = SearchOptions.temperature
    threads: int = 1
    memory: float = SearchOptions.memory
    options: SearchOptions = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.options = SearchOptions(
            exploration=self.exploration,
            samples=self.samples,
            spread=self.spread,
            mixing=self.mixing,
            mast=self.mast,
            temperature=self.temperature,
            threads=self.threads,
            memory=self.memory,
        )

    def make_searcher(self, seat: Seat[Any]) -> Searcher:
        return _TreeSearcher(seat.game, seat.role, self.options, seat.random)


@dataclass
class GravePlayer(SearchPlayer):
    """GRAVE (Cazenave 2015); see `woodstock.search.tree_search.SearchOptions` for what the options mean."""

    exploration: float = 0.0
    bias: float = SearchOptions.bias
    ref: float = SearchOptions.enough
    samples: int = SearchOptions.samples
    spread: int = SearchOptions.spread
    mixing: float = SearchOptions.mixing
    mast: bool = False
    temperature: float = SearchOptions.temperature
    threads: int = 1
    memory: float = SearchOptions.memory
    options: SearchOptions = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.options = SearchOptions(
            grave=True,
            exploration=self.exploration,
            bias=self.bias,
            enough=self.ref,
            samples=self.samples,
            spread=self.spread,
            mixing=self.mixing,
            mast=self.mast,
            temperature=self.temperature,
            threads=self.threads,
            memory=self.memory,
        )

    def make_searcher(self, seat: Seat[Any]) -> Searcher:
        return _TreeSearcher(seat.game, seat.role, self.options, seat.random)
