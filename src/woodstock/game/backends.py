"""Backends by name: the reasoners that can play given rules."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from woodstock.common.errors import LimitError, UsageError
from woodstock.game.protocol import Game
from woodstock.gdl.rules import Rules

if TYPE_CHECKING:
    from woodstock.ground import GroundProgram

REFERENCE: Final = "reference"
"""The slow and certain reasoner on the rules as written."""
GROUND: Final = "ground"
"""The evaluation of the ground program."""
CIRCUIT: Final = "circuit"
"""The circuit, one position at a time."""
LANES: Final = ("lanes1", "lanes8")
"""The circuit's batches, one position at a time in a lane, for each width: for comparisons."""
AUTO: Final = "auto"
"""The ground program, or the reference reasoner for rules that are too large to ground."""

_CLASS_OF: Final[dict[str, tuple[str, str, tuple[int, ...]]]] = {
    GROUND: ("woodstock.game.ground_game", "GroundGame", ()),
    CIRCUIT: ("woodstock.circuit.game", "CircuitGame", ()),
    "lanes1": ("woodstock.circuit.lane_game", "LaneGame", (1,)),
    "lanes8": ("woodstock.circuit.lane_game", "LaneGame", (8,)),
}
"""The module and the class of each backend that plays a ground program, and what the class wants besides. They are
named, not imported: backends may stand in any package above this one."""

ON_GROUND: Final = tuple(_CLASS_OF)
"""The backends that play a ground program."""
BACKENDS: Final = (REFERENCE, *ON_GROUND, AUTO)

_log = logging.getLogger(__name__)


def build_game(
    rules: Rules,
    backend: str = AUTO,
    report: Callable[[str], None] = _log.warning,
    grounder: Callable[[Rules], GroundProgram] | None = None,
) -> Game[Any]:
    """Return a reasoner for some rules.

    Args:
        rules: What to play.
        backend: One of `BACKENDS`.
        report: Called with a message if `auto` falls back to the reference reasoner.
        grounder: Grounds the rules, `woodstock.ground.ground` if not given.

    Raises:
        UsageError: There is no such backend.
        LimitError: The rules do not ground within the limits, and a backend that plays ground programs was asked for.
    """
    if backend not in BACKENDS:
        raise UsageError(f"unknown backend {backend!r}; there are {', '.join(BACKENDS)}")
    if backend == REFERENCE:
        return _build_reference(rules)
    if backend != AUTO:
        return _build_on_ground(rules, backend, grounder)
    try:
        return _build_on_ground(rules, GROUND, grounder)
    except LimitError as error:
        report(f"falling back to the slower reference reasoner: {error}")
        return _build_reference(rules)


def _build_reference(rules: Rules) -> Game[Any]:
    from woodstock.game.reference import ReferenceGame

    return ReferenceGame(rules)


def _build_on_ground(rules: Rules, backend: str, grounder: Callable[[Rules], GroundProgram] | None) -> Game[Any]:
    from woodstock.ground import ground

    module, name, options = _CLASS_OF[backend]
    game: Game[Any] = getattr(importlib.import_module(module), name)((grounder or ground)(rules), *options)
    return game
