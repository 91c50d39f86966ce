"""Searches as players use them: for one role, whatever the kind of search and of reasoner."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, Protocol

from woodstock.circuit.game import CircuitGame
from woodstock.common.limits import Deadline
from woodstock.game.protocol import Game
from woodstock.players.protocol import Seat
from woodstock.search.advice import advise
from woodstock.search.evaluation import Model
from woodstock.search.explanation import Explanation
from woodstock.search.flat import FlatOptions, FlatSearch
from woodstock.search.options import SearchOptions
from woodstock.search.plain import PlainSearch
from woodstock.search.tree_search import KeysOf, TreeSearch


class Searcher(Protocol):
    """A search of whatever kind, for one role."""

    def look_at(self, position: Any) -> None:
        """Search from a position from now on."""

    def run(self, deadline: Deadline, iterations: int | None, report: Callable[[], None] | None = None) -> None:
        """Search until the deadline, or for so many iterations."""

    def explain(self) -> Explanation | None:
        """Tell what is known of the moves, the chosen one first."""

    @property
    def is_of_this_thread(self) -> bool:
        """Whether the thread that calls `run` does the work."""


class TreeSearcher:
    """UCT or GRAVE on a circuit, or with any reasoner.

    Args:
        seat: Where the player sits.
        options: What the search does.
        keys_of: Keys that symmetric positions share, on a circuit.
        model: What positions are worth by themselves, on a circuit, if the options say that it is heard.
    """

    def __init__(
        self, seat: Seat[Any], options: SearchOptions, keys_of: KeysOf | None = None, model: Model | None = None
    ) -> None:
        seed = seat.random.getrandbits(40)
        self._role = seat.role
        self._random = seat.random
        self._search: TreeSearch | PlainSearch[Any]
        if isinstance(seat.game, CircuitGame):
            self._search = TreeSearch(seat.game, options, seed, keys_of, model)
        else:
            self._search = PlainSearch(seat.game, options, seed)

    def look_at(self, position: Any) -> None:
        self._search.set_root(position)

    def run(self, deadline: Deadline, iterations: int | None, report: Callable[[], None] | None = None) -> None:
        self._search.run(deadline, iterations, report)

    def explain(self) -> Explanation | None:
        if isinstance(self._search, TreeSearch):
            return advise(self._search, self._role, self._random)
        return self._search.explain(self._role)

    @property
    def is_of_this_thread(self) -> bool:
        return self._search.options.threads == 1


class FlatSearcher:
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

    @property
    def is_of_this_thread(self) -> bool:
        return True
