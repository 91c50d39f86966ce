"""MAC-UCB, FC-UCB and MAC-UCB-SYM, the players of the papers (`woodstock.search.mac_ucb`).

A share of the start clock is for the network, and for MAC-UCB-SYM another one for the symmetries of the rules. Where a
network is too large to be built in its share, µSCSPs are solved on the circuit, and the statistics say so; where there
is no circuit, the game is searched with its plain reasoner.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from woodstock.circuit.game import CircuitGame
from woodstock.common.errors import UsageError
from woodstock.common.limits import Deadline
from woodstock.players.protocol import Seat
from woodstock.players.searchers import Searcher, TreeSearcher
from woodstock.players.searching import SearchPlayer
from woodstock.search.explanation import Explanation
from woodstock.search.mac_ucb import MacUcbSearch
from woodstock.search.mac_ucb_advice import advise
from woodstock.search.mac_ucb_options import MacUcbOptions, Shares
from woodstock.search.mac_ucb_solving import make_solver
from woodstock.search.mac_ucb_statistics import MacUcbStatistics
from woodstock.search.mac_ucb_symmetry import Symmetries, SymmetryOptions
from woodstock.search.options import SearchOptions
from woodstock.search.symmetric_keys import find_symmetric_keys

BUILDING_SHARE: Final = 0.5
"""Of the start clock, for the network."""


class MacUcbSearcher:
    """MAC-UCB on a circuit, for one role."""

    def __init__(self, seat: Seat[Any], search: MacUcbSearch) -> None:
        self._role = seat.role
        self._random = seat.random
        self._search = search

    def look_at(self, position: Any) -> None:
        self._search.set_root(position)

    def run(self, deadline: Deadline, iterations: int | None, report: Callable[[], None] | None = None) -> None:
        self._search.run(deadline, iterations, report)

    def explain(self) -> Explanation | None:
        return advise(self._search, self._role, self._random)

    @property
    def statistics(self) -> MacUcbStatistics:
        """What the search did since it was asked about a position."""
        return self._search.statistics

    @property
    def is_of_this_thread(self) -> bool:
        return True


@dataclass
class MacUcbPlayer(SearchPlayer):
    """MAC-UCB; see `woodstock.search.mac_ucb.MacUcbOptions` for what the options mean.

    Attributes:
        resolver: What solves µSCSPs: `mac`, `fc` or `circuit`.
        shares: How the time is divided: solving, sampling and symmetry.
        values: Whom minimax values take the others for: `maxn` (each wants its own best) or `paranoid`.
    """

    resolver: str = "mac"
    shares: str = "90:10"
    values: str = "maxn"
    exploration: float = MacUcbOptions.exploration
    samples: int = MacUcbOptions.samples
    depth: int = MacUcbOptions.depth
    enough: float = MacUcbOptions.enough
    horizon: int = MacUcbOptions.horizon
    memory: float = MacUcbOptions.memory

    def __post_init__(self) -> None:
        if self.values not in ("maxn", "paranoid"):
            raise UsageError(f"expected the values maxn or paranoid, found {self.values!r}")
        if self.resolver not in ("mac", "fc", "circuit"):
            raise UsageError(f"expected the resolver mac, fc or circuit, found {self.resolver!r}")
        self._options = MacUcbOptions(
            shares=Shares.read(self.shares),
            exploration=self.exploration,
            samples=self.samples,
            depth=self.depth,
            paranoid=self.values == "paranoid",
            enough=self.enough,
            horizon=self.horizon,
            memory=self.memory,
        )

    def make_searcher(self, seat: Seat[Any]) -> Searcher:
        if not isinstance(seat.game, CircuitGame):
            return TreeSearcher(seat, SearchOptions(memory=self.memory))
        solver = make_solver(seat.game, self.resolver, BUILDING_SHARE * seat.deadline.seconds_left)
        symmetries = self.find_symmetries(seat, seat.game)
        search = MacUcbSearch(seat.game, solver, self._options, seat.random.getrandbits(40), symmetries)
        return MacUcbSearcher(seat, search)

    def find_symmetries(self, seat: Seat[Any], game: CircuitGame) -> Symmetries | None:
        """Return what finds symmetric positions and moves, if the player wants it."""
        return None

    @property
    def statistics(self) -> MacUcbStatistics | None:
        """What the search did for the last move; None where there is no circuit."""
        searcher = self._searcher
        return searcher.statistics if isinstance(searcher, MacUcbSearcher) else None


@dataclass
class FcUcbPlayer(MacUcbPlayer):
    """FC-UCB: MAC-UCB with forward checking."""

    resolver: str = "fc"


@dataclass
class MacUcbSymPlayer(MacUcbPlayer):
    """MAC-UCB with symmetries.

    Attributes:
        symmetry: Which symmetries of moves are taken: `proved` ones, or those that are `learnt` as in the paper.
    """

    shares: str = "45:30:25"
    symmetry: str = "proved"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.symmetry not in ("proved", "learnt"):
            raise UsageError(f"expected the symmetry proved or learnt, found {self.symmetry!r}")

    def find_symmetries(self, seat: Seat[Any], game: CircuitGame) -> Symmetries | None:
        share = self._options.shares.symmetry
        if share <= 0:
            return None
        keys_of = find_symmetric_keys(game, Deadline(share * seat.deadline.seconds_left))
        return Symmetries(
            game, SymmetryOptions(share, keys_of, self.symmetry == "proved", from_network=self.resolver != "circuit")
        )
