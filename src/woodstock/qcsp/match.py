"""One play of a network: the two sides give values in turn, each within the time for a variable.

>>> from woodstock.qcsp.random_networks import Parameters, random_network
>>> compiled = Compiled(random_network(Parameters(num_turns=6, num_values=3, p_ee=0.4), seed=1))
>>> play(compiled, make_players(compiled, Sides("first", "random"), seed=2), seconds=1.0).is_won
True
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from woodstock.common.limits import Deadline
from woodstock.qcsp.players import Player, make_player
from woodstock.qcsp.situation import Change, Compiled, Situation, Standing


class Sides(NamedTuple):
    """Names of the players.

    Attributes:
        existential: Who wants all constraints to hold.
        universal: Who does not.
    """

    existential: str
    universal: str


@dataclass
class Play:
    """What came of it.

    Attributes:
        is_won: Whether the existential side won.
        places: The values that were given; the play may end before all are.
        seconds: The time that each side took.
        latest: The most by which each side was over the time for a variable.
        steps: How many playouts or situations each side looked at.
    """

    is_won: bool = False
    places: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=lambda: [0.0, 0.0])
    latest: list[float] = field(default_factory=lambda: [0.0, 0.0])
    steps: list[int] = field(default_factory=lambda: [0, 0])


Watch = Callable[[Situation, list[Change]], None]
"""Told of the situation after every value, and of what the value did to other domains."""


def make_players(compiled: Compiled, sides: Sides, seed: int = 0) -> tuple[Player, Player]:
    """Return the players of both sides; the seed makes their random numbers."""
    return make_player(sides.existential, compiled, 2 * seed), make_player(sides.universal, compiled, 2 * seed + 1)


def play(compiled: Compiled, players: tuple[Player, Player], seconds: float, watch: Watch | None = None) -> Play:
    """Play until it is certain who wins; with somebody who watches, until all variables have values.

    Args:
        compiled: The network.
        players: The existential one and the universal one.
        seconds: Time for each variable.
        watch: Who watches.
    """
    situation = Situation(compiled)
    result = Play()
    while not situation.is_over:
        if watch is None and _is_certain(situation, players[0]):
            break
        side = int(situation.is_universal)
        began = time.perf_counter()
        place = players[side].choose(situation, Deadline(seconds))
        took = time.perf_counter() - began
        result.seconds[side] += took
        result.latest[side] = max(result.latest[side], took - seconds)
        changes = situation.give(place)
        if watch is not None:
            watch(situation, changes)
    result.places = list(situation.places)
    result.steps = [player.steps for player in players]
    is_certain_win = situation.standing is Standing.WON
    result.is_won = compiled.quantified.is_solution(situation.places) if situation.is_over else is_certain_win
    return result


def _is_certain(situation: Situation, existential: Player) -> bool:
    """Tell whether it is certain who wins; a win needs a player who sees that one value is left each time."""
    return situation.standing is Standing.LOST or (situation.standing is Standing.WON and existential.propagates)
