"""Tables in place of gates, where a variable of a stage depends on few others with few combinations of values.

Such a table is the constraint as the paper has it (Constraints 2016, Fig. 3): it has no auxiliary variables, and its
propagation sees all of the rules at once. What it depends on is the position, the actions and `terminal`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from woodstock.gdl.keywords import goal_number
from woodstock.ground.program import GroundProgram
from woodstock.scsp.game_cones import Combinations, Cones
from woodstock.scsp.game_fluents import NO_PLACE
from woodstock.scsp.game_rules import StageRules
from woodstock.scsp.game_vars import StageVars

Int32Array = npt.NDArray[np.int32]

MAX_INPUTS: Final = 4
"""Most variables that a table depends on."""
MAX_COMBINATIONS: Final = 64
"""Most combinations of their values, as many as a machine word has bits; larger tables were no quicker than gates …"""
MAX_PER_VALUE: Final = 4
"""… or this many for each value of a part of the position that it tells about: a counter may have many values."""
MAX_TUPLES: Final = 1024
"""Most tuples of a table."""


class StageTable(NamedTuple):
    """The allowed combinations of values of some variables, numbered as in `StageVars`.

    Attributes:
        scope: Variables.
        tuples: Places of values, shape (n, len(scope)), int32.
    """

    scope: tuple[int, ...]
    tuples: Int32Array


class TableMaker:
    """Makes the tables of a stage that are small enough."""

    def __init__(self, program: GroundProgram, rules: StageRules, stage: StageVars) -> None:
        self._program = program
        self._rules = rules
        self._stage = stage
        largest = max(map(len, stage.fluents.domains), default=0)
        self._cones = Cones(
            program,
            rules,
            stage,
            max_inputs=MAX_INPUTS,
            max_combinations=max(MAX_COMBINATIONS, MAX_PER_VALUE * largest),
        )

    def terminal(self) -> StageTable | None:
        """Return the table of `terminal`."""
        if self._cones.is_input(self._rules.terminal):
            return None
        found = self._cones.combine([self._rules.terminal], limit=MAX_COMBINATIONS)
        if found is None:
            return None
        held = found.holds(self._rules.terminal)
        return _table(found, self._stage.terminal, [(~held & found.all, 0), (held, 1)])

    def legal(self, role: int) -> StageTable | None:
        """Return the table of a role's action: it is legal, or no move at all."""
        start, end = self._program.move_start[role : role + 2]
        atoms = self._rules.legal[start:end].tolist()
        found = self._cones.combine(atoms, limit=MAX_COMBINATIONS)
        if found is None:
            return None
        values = [(found.holds(atom), place) for place, atom in enumerate(atoms)]
        return _table(found, self._stage.actions[role], [*values, (found.all, len(atoms))])

    def next(self, var: int) -> StageTable | None:
        """Return the table of a part of the following position; after the end it is as it was."""
        fluents = np.flatnonzero(self._stage.fluents.var_of_fluent == var)
        atoms = self._rules.next[fluents].tolist()
        limit = max(MAX_COMBINATIONS, MAX_PER_VALUE * len(self._stage.fluents.domains[var]))
        found = self._cones.combine(atoms, [var, self._stage.terminal], limit)
        if found is None:
            return None
        over = found.of_value(self._stage.terminal, 1)
        places = self._stage.fluents.place_of_fluent[fluents].tolist()
        after = {
            place: (found.holds(atom) & ~over) | (found.of_value(var, place) & over)
            for atom, place in zip(atoms, places, strict=True)
        }
        empty = int(self._stage.fluents.empty_place[var])
        if empty != NO_PLACE:
            after[empty] = found.all & ~_any(after.values())
        return _table(found, self._stage.num_vars + var, [(mask, place) for place, mask in _alone(after).items()])

    def utility(self, role: int) -> StageTable | None:
        """Return the table of a role's utility: its goal if the match is over and it has just one, else 0."""
        goals = self._program.goals
        entries = np.flatnonzero(goals.roles == role).tolist()
        found = self._cones.combine(self._rules.goals[entries].tolist(), [self._stage.terminal], MAX_COMBINATIONS)
        if found is None:
            return None
        over = found.of_value(self._stage.terminal, 1)
        held = _alone({entry: found.holds(int(self._rules.goals[entry])) for entry in entries})
        var = self._stage.utilities[role]
        values = self._stage.variables[var].domain
        worth = [
            _any(held[entry] for entry in entries if goal_number(goals.terms[entry]) == value) & over
            for value in values
        ]
        # Whoever has no goal that counts gets nothing.
        worth[0] |= found.all & ~_any(worth)
        return _table(found, var, [(mask, place) for place, mask in enumerate(worth)])

    def percept(self, entry: int) -> StageTable | None:
        """Return the table of a percept; nothing is seen when no move is made."""
        atom = int(self._rules.percepts[entry])
        if self._cones.is_input(atom):
            return None
        terminal = [] if self._rules.needs_moves[atom] else [self._stage.terminal]
        found = self._cones.combine([atom], terminal, MAX_COMBINATIONS)
        if found is None:
            return None
        held = found.holds(atom)
        if self._stage.terminal in found.scope:
            held &= found.of_value(self._stage.terminal, 0)
        return _table(found, self._stage.percepts[entry], [(~held & found.all, 0), (held, 1)])


def _table(combinations: Combinations, var: int, values: list[tuple[int, int]]) -> StageTable | None:
    """Return the table in which a variable has each value in a set of combinations; None if it is large.

    Args:
        combinations: Combinations of values of what the variable depends on.
        var: The variable.
        values: Sets of combinations, and the place of the value in each.
    """
    rows = combinations.rows(values)
    return StageTable((*combinations.scope, var), rows) if len(rows) <= MAX_TUPLES else None


def _alone(masks: dict[int, int]) -> dict[int, int]:
    """Return each set without what is in another one."""
    return {key: mask & ~_any(other for name, other in masks.items() if name != key) for key, mask in masks.items()}


def _any(masks: Iterable[int]) -> int:
    found = 0
    for mask in masks:
        found |= mask
    return found
