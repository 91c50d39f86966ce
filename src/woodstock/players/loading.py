"""From rules to a game that players can search: its circuit, or the rules as written where they do not ground."""

from __future__ import annotations

import gc
import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from woodstock.common.errors import LimitError
from woodstock.common.limits import Deadline
from woodstock.game import statics
from woodstock.game.protocol import Game
from woodstock.game.reference import ReferenceGame
from woodstock.gdl.rules import Rules

GROUNDING_SHARE: Final = 0.5
"""Of the time there is: the rest is for the circuit, which takes about as long to compile as the rules to ground."""

_log = logging.getLogger(__name__)


def prepare_game(rules: Rules, seconds: float | None = None, report: Callable[[str], None] = _log.warning) -> Game[Any]:
    """Return a game ready to be searched: a `CircuitGame`, or a `ReferenceGame` if the rules do not ground in time.

    Args:
        rules: The rules.
        seconds: How long that may take, about; None for as long as grounding may ever take.
        report: Called with a message if the rules do not ground.
    """
    # Circuits bring Numba with them, which a process that only asks others to play does not need.
    from woodstock.circuit.game import CircuitGame
    from woodstock.ground.grounder import DEFAULT_LIMITS, ground

    deadline = Deadline(seconds)
    limits = DEFAULT_LIMITS
    if seconds is not None:
        limits = replace(limits, seconds=min(limits.seconds or seconds, max(1e-3, GROUNDING_SHARE * seconds)))
    try:
        game = CircuitGame(ground(rules, limits))
    except LimitError as error:
        report(f"{rules.source.name} is played by the slower reference reasoner: {error}")
        return ReferenceGame(rules)
    if deadline.expired:
        report(f"{rules.source.name} is played by the slower reference reasoner: there is no time for its circuit")
        return ReferenceGame(rules)
    assert game.circuit is not None
    _settle_memory()
    return game


def _settle_memory() -> None:
    """Spare the garbage collector what stays: to look through it all takes longer than a move may be late."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def hides_information(rules: Rules) -> bool:
    """Tell whether players may be in doubt about the position, so that it must not be shown to them."""
    return not statics.shows_all_moves(rules)
