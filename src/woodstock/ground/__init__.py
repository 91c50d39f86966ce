"""From rules to a ground program."""

from __future__ import annotations

from woodstock.ground.grounder import DEFAULT_LIMITS, ground_rules
from woodstock.ground.program import GroundProgram

ground = ground_rules

__all__ = ["DEFAULT_LIMITS", "GroundProgram", "ground"]
