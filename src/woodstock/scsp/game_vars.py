"""The variables of one stage of a game, but for auxiliary ones: which there are, their values, and how they are called.

A stage has a variable for each part of the position, `terminal`, a utility for each player, a Boolean for each move of
`random` that tells whether it may be drawn, an action for each role, and a Boolean for each percept. Behind them stand
the parts of the position of the following stage. These are numbered here as if there were nothing else; so are their
choices. `woodstock.scsp.game_stage` puts auxiliary variables between them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from woodstock.cp.network import BOOLEANS, Domain
from woodstock.gdl.keywords import RANDOM, goal_number
from woodstock.gdl.printer import to_kif
from woodstock.ground.program import GroundProgram
from woodstock.scsp.game_fluents import FluentVars, words

IntArray = npt.NDArray[np.int64]

NO_VAR: Final = -1
NO_ROLE: Final = -1


class VarKind(IntEnum):
    """What a variable of a game's network stands for."""

    FLUENT = 0
    """A part of the position."""
    TERMINAL = 1
    """Whether the match is over."""
    UTILITY = 2
    """What a player gets: its goal if the match is over, else 0."""
    CHANCE_LEGAL = 3
    """Whether `random` may draw a move."""
    ACTION = 4
    """The move of a role, None if the match is over."""
    CHANCE = 5
    """The move of `random`, None if the match is over."""
    PERCEPT = 6
    """Whether a role sees something."""
    AUXILIARY = 7
    """A relation of the rules, or a part of a rule."""


class StageVar(NamedTuple):
    """A variable of a stage.

    Attributes:
        kind: What it stands for.
        name: What it is called.
        domain: Its values.
        role: Whose it is, or NO_ROLE.
    """

    kind: VarKind
    name: str
    domain: Domain
    role: int = NO_ROLE


@dataclass(frozen=True, eq=False)
class StageVars:
    """The variables of a stage that have a meaning of their own, in order.

    Attributes:
        program: The game.
        fluents: How its position is divided.
    """

    program: GroundProgram
    fluents: FluentVars

    @cached_property
    def variables(self) -> tuple[StageVar, ...]:
        """All variables: the position, terminal, utilities, what chance may draw, actions, percepts."""
        parts = (self._position(), self._utilities(), self._chance_legal(), self._actions(), self._percepts())
        return tuple(var for part in parts for var in part)

    def _position(self) -> Iterator[StageVar]:
        for name, domain in zip(self.fluents.names, self.fluents.domains, strict=True):
            yield StageVar(VarKind.FLUENT, name, domain)
        yield StageVar(VarKind.TERMINAL, "terminal", BOOLEANS)

    def _utilities(self) -> Iterator[StageVar]:
        goals = self.program.goals
        for role, name in enumerate(self.program.roles):
            if name != RANDOM:
                entries = np.flatnonzero(goals.roles == role).tolist()
                values = {goal_number(goals.terms[entry]) for entry in entries} - {None}
                domain = tuple(sorted({0, *(value for value in values if value is not None)}))
                yield StageVar(VarKind.UTILITY, f"utility {name}", domain, role)

    def _chance_legal(self) -> Iterator[StageVar]:
        if self.chance_role != NO_ROLE:
            for move in self.program.moves[self.chance_role]:
                yield StageVar(VarKind.CHANCE_LEGAL, f"may draw {to_kif(move)}", BOOLEANS, self.chance_role)

    def _actions(self) -> Iterator[StageVar]:
        """Yield the actions, that of `random` last: chance draws when all others have decided."""
        for role in sorted(range(len(self.program.roles)), key=lambda role: role == self.chance_role):
            domain = (*(words(move) for move in self.program.moves[role]), None)
            kind = VarKind.CHANCE if role == self.chance_role else VarKind.ACTION
            yield StageVar(kind, f"action {self.program.roles[role]}", domain, role)

    def _percepts(self) -> Iterator[StageVar]:
        percepts = self.program.percepts
        if percepts is not None:
            for role, term in zip(percepts.roles.tolist(), percepts.terms, strict=True):
                yield StageVar(VarKind.PERCEPT, f"sees {self.program.roles[role]} {to_kif(term)}", BOOLEANS, role)

    @cached_property
    def chance_role(self) -> int:
        """The role that chance plays, or NO_ROLE."""
        return self.program.roles.index(RANDOM) if RANDOM in self.program.roles else NO_ROLE

    @cached_property
    def _first_of_kind(self) -> tuple[int, ...]:
        return tuple(np.searchsorted([var.kind for var in self.variables], list(VarKind)).tolist())

    @property
    def num_vars(self) -> int:
        return len(self.variables)

    @property
    def terminal(self) -> int:
        """The variable that tells whether the match is over."""
        return self.fluents.num_vars

    @property
    def num_outcome(self) -> int:
        """How many of the first variables tell the position and what it is worth."""
        return self._first_of_kind[VarKind.CHANCE_LEGAL]

    @cached_property
    def utilities(self) -> tuple[int, ...]:
        """The utility of each role, NO_VAR for `random`."""
        return self._by_role(VarKind.UTILITY)

    @cached_property
    def actions(self) -> tuple[int, ...]:
        """The action of each role."""
        return self._by_role(VarKind.ACTION, VarKind.CHANCE)

    def _by_role(self, *kinds: VarKind) -> tuple[int, ...]:
        found = {var.role: number for number, var in enumerate(self.variables) if var.kind in kinds}
        return tuple(found.get(role, NO_VAR) for role in range(len(self.program.roles)))

    @property
    def chance_legal(self) -> range:
        """What chance may draw: a variable for each of its moves."""
        return range(self._first_of_kind[VarKind.CHANCE_LEGAL], self._first_of_kind[VarKind.ACTION])

    @property
    def percepts(self) -> range:
        """A variable for each entry of the program's percepts."""
        return range(self._first_of_kind[VarKind.PERCEPT], self.num_vars)

    @cached_property
    def sizes(self) -> IntArray:
        """The number of values of each variable, and behind them of the following position."""
        own = [len(var.domain) for var in self.variables]
        return np.array([*own, *own[: self.fluents.num_vars]], dtype=np.int64)

    @cached_property
    def first_choices(self) -> IntArray:
        """The first choice of each variable, and behind them of the following position, and their number."""
        return np.concatenate([[0], np.cumsum(self.sizes)])

    @cached_property
    def fluent_choices(self) -> IntArray:
        """The choice that says that each fluent holds, shape (num_fluents,)."""
        return self.first_choices[self.fluents.var_of_fluent] + self.fluents.place_of_fluent

    @cached_property
    def next_choices(self) -> IntArray:
        """The choice that says that each fluent holds in the following position, shape (num_fluents,)."""
        found: IntArray = self.fluent_choices + self.first_choices[self.num_vars]
        return found

    @cached_property
    def move_choices(self) -> IntArray:
        """The choice of each move, counted over all roles, shape (num_moves,)."""
        parts = [
            self.first_choices[var] + np.arange(len(moves))
            for var, moves in zip(self.actions, self.program.moves, strict=True)
        ]
        return np.concatenate([np.zeros(0, dtype=np.int64), *parts])

    @cached_property
    def no_move_choices(self) -> IntArray:
        """The choice of no move of each role, shape (num_roles,)."""
        found: IntArray = self.first_choices[np.array(self.actions, dtype=np.int64) + 1] - 1
        return found
