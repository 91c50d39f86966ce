"""Grounding in front of a user: with a progress bar."""

from __future__ import annotations

from woodstock.common.progress import progress
from woodstock.gdl.rules import Rules
from woodstock.ground import GroundProgram, ground


def ground_visibly(rules: Rules) -> GroundProgram:
    """Ground some rules and show, on a terminal, how far it has come."""
    with progress("grounding", total=100, unit="%") as bar:
        done = 0.0

        def report(section: int, num_sections: int) -> None:
            nonlocal done
            bar.advance(100 * section / num_sections - done)
            done = 100 * section / num_sections

        return ground(rules, report=report)
