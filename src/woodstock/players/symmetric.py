"""UCT and GRAVE with the symmetries of the rules: one node stands for all positions that are symmetric to each other.

UCT-SYM and GRAVE-SYM of the papers: a share of the start clock, 20 % and 25 %, is for finding the symmetries; a search
that finds that they cost more than they save goes on without them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from woodstock.circuit.game import CircuitGame
from woodstock.common.limits import Deadline
from woodstock.players.protocol import Seat
from woodstock.players.searchers import Searcher, TreeSearcher
from woodstock.players.searching import GravePlayer, UctPlayer
from woodstock.search.options import SearchOptions
from woodstock.search.symmetric_keys import find_symmetric_keys


@dataclass
class UctSymPlayer(UctPlayer):
    """UCT with symmetries.

    Attributes:
        share: Of the start clock, for finding the symmetries.
    """

    share: float = 0.2

    def make_searcher(self, seat: Seat[Any]) -> Searcher:
        return _make_searcher(seat, self.options, self.share)


@dataclass
class GraveSymPlayer(GravePlayer):
    """GRAVE with symmetries.

    Attributes:
        share: Of the start clock, for finding the symmetries.
    """

    share: float = 0.25

    def make_searcher(self, seat: Seat[Any]) -> Searcher:
        return _make_searcher(seat, self.options, self.share)


def _make_searcher(seat: Seat[Any], options: SearchOptions, share: float) -> Searcher:
    keys_of = None
    if isinstance(seat.game, CircuitGame):
        keys_of = find_symmetric_keys(seat.game, Deadline(share * seat.deadline.seconds_left))
    return TreeSearcher(seat, options, keys_of)
