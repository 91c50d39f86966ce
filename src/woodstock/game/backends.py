"""Backends by name: the reasoners that can play given rules."""

from __future__ import annotations

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
AUTO: Final = "auto"
"""The ground program, or the reference reasoner for rules that are too large to ground."""

BACKENDS: Final = (REFERENCE, GROUND, AUTO)

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
        LimitError: The rules do not ground within the limits, and `ground` was asked for.
    """
    if backend == REFERENCE:
        return _build_reference(rules)
    if backend == GROUND:
        return _build_ground(rules, grounder)
    if backend != AUTO:
        raise UsageError(f"unknown backend {backend!r}; there are {', '.join(BACKENDS)}")
    try:
        return _build_ground(rules, grounder)
    except LimitError as error:
        report(f"falling back to the slower reference reasoner: {error}")
        return _build_reference(rules)


def _build_reference(rules: Rules) -> Game[Any]:
    from woodstock.game.reference import ReferenceGame

    return ReferenceGame(rules)


def _build_ground(rules: Rules, grounder: Callable[[Rules], GroundProgram] | None) -> Game[Any]:
    from woodstock.game.ground_game import GroundGame
    from woodstock.ground import ground

    return GroundGame((grounder or ground)(rules))
