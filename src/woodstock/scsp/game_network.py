"""A game as a constraint network: its stages, each a position with the moves that lead to the next one.

Stages are numbered from 1 to the horizon T. Stage t has, all with `@ t` behind their names, the parts of the position,
`terminal`, `utility` of each player, `action` of each role, and what is only there in some games: `may draw …`, which
tells what chance may do, and `sees …`. Behind the last stage stands the position that it leads to, stage T + 1;
if it is asked for, with `terminal` and the utilities. Everything else is auxiliary, and follows from these.

A solution is a way in which the game may go on: legal moves and the positions that they lead to. At the end no move is
made (the value `None` of every action), and the position is repeated by all later stages. A utility is the goal of a
player at the end, and 0 before it, and where the rules give no goal or several; soft constraints count those of the
last stage that has them, once.

>>> from woodstock.game.load import load_rules
>>> from woodstock.ground import ground
>>> game = GameNetwork(ground(load_rules("tic_tac_toe")))
>>> stage = game.stages[0]
>>> [game.network.names[var] for var in stage.fluents[:2]]
['square 1 1 @ 1', 'square 1 2 @ 1']
>>> game.network.domains[stage.actions[0]][1]
'place 1 1'
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from woodstock.common.errors import UsageError
from woodstock.cp.constraints import Clauses, Int32Array
from woodstock.game.ground_game import GroundPosition
from woodstock.game.protocol import Fluent, Move, Percept, default_percepts
from woodstock.gdl.printer import to_kif
from woodstock.ground.exclusion import Exclusions, prove_exclusions
from woodstock.ground.program import GroundProgram
from woodstock.scsp.chance import Number, UniformTable
from woodstock.scsp.game_assembly import Assembly, GameStage
from woodstock.scsp.game_fluents import Encoding, divide_fluents
from woodstock.scsp.game_stage import make_template
from woodstock.scsp.game_vars import NO_VAR, VarKind
from woodstock.scsp.stochastic import StochasticNetwork

MAX_STAGES = 10_000


class Step(NamedTuple):
    """What a solution says about a stage.

    Attributes:
        position: Numbers of the fluents that hold.
        is_terminal: Whether the match is over.
        goals: The goal of each role at the end, None before it and for `random`.
        moves: The move of each role, None at the end.
        successor: Numbers of the fluents that hold in the next stage.
        percepts: What each role sees; nothing at the end.
    """

    position: GroundPosition
    is_terminal: bool
    goals: tuple[int | None, ...]
    moves: tuple[Move, ...] | None
    successor: GroundPosition
    percepts: tuple[frozenset[Percept], ...]


class GameNetwork:
    """A game as a constraint network over some stages.

    Attributes:
        program: The game.
        encoding: How fluents became variables.
        horizon: Number of stages with moves.
        with_outcome: Whether the position after the last stage has `terminal` and utilities as well.
        template: The stage that all are copies of.
        network: Variables and constraints. It is for all positions, but for those that cannot be reached and that the
            multi-valued encoding cannot write.
        stages: The variables of each stage, and of the position after the last one.
    """

    def __init__(
        self,
        program: GroundProgram,
        horizon: int = 1,
        *,
        encoding: Encoding = Encoding.MULTIVALUED,
        with_outcome: bool = False,
        exclusions: Exclusions | None = None,
    ) -> None:
        """Make the network of a game.

        Args:
            program: The game.
            horizon: Number of stages with moves.
            encoding: How fluents become variables.
            with_outcome: Whether the position after the last stage has `terminal` and utilities as well.
            exclusions: What is proved about the fluents; it is proved here if it is needed and not given.

        Raises:
            UsageError: The horizon is no number of stages.
        """
        if not 1 <= horizon <= MAX_STAGES:
            raise UsageError(f"expected 1 to {MAX_STAGES} stages, found {horizon}")
        if encoding == Encoding.BOOLEAN:
            template = make_template(program, divide_fluents(program, ()))
        else:
            proved = prove_exclusions(program, with_latches=False) if exclusions is None else exclusions
            template = make_template(program, divide_fluents(program, proved.groups), proved.impossible)
        self.program = program
        self.encoding = encoding
        self.horizon = horizon
        self.with_outcome = with_outcome
        self.template = template
        self._assembly = Assembly(template, horizon, with_outcome)
        self.stages = self._assembly.stages
        self.network = self._assembly.network()

    @property
    def last_outcome(self) -> GameStage:
        """The last stage that has `terminal` and utilities."""
        return self._assembly.last_outcome

    @property
    def players(self) -> tuple[int, ...]:
        """The roles that have utilities, in the order in which soft constraints have them."""
        return tuple(role for role in range(len(self.program.roles)) if role != self.template.stage.chance_role)

    def number_fluents(self, fluents: Iterable[Fluent]) -> GroundPosition:
        """Return the position in which just these fluents hold.

        Raises:
            UsageError: There is no such fluent.
        """
        index = self.program.fluent_index
        numbers = set()
        for fluent in fluents:
            if fluent not in index:
                raise UsageError(f"{to_kif(fluent)} is no fluent of this game that can ever be true")
            numbers.add(index[fluent])
        return tuple(sorted(numbers))

    def places(self, position: GroundPosition) -> Int32Array:
        """Return the places of the values that say what holds in a position, shape (num_parts,), int32.

        They belong to the variables `fluents` of any stage.

        Raises:
            UsageError: No position that can be reached is like this.
        """
        return self.template.stage.fluents.places(position)

    def places_of_rows(self, positions: npt.NDArray[np.bool_]) -> Int32Array:
        """Return the same for many positions, given as which fluents hold, shape (n, num_fluents): (n, num_parts)."""
        return self.template.stage.fluents.places_of_rows(positions)

    def places_of_moves(self, moves: Sequence[Move]) -> Int32Array:
        """Return the places of a joint move, which belong to the variables `actions` of any stage.

        Raises:
            UsageError: A role has no such move.
        """
        found = []
        for role, (name, move) in enumerate(zip(self.program.roles, moves, strict=True)):
            number = self.program.move_index[role].get(move)
            if number is None:
                raise UsageError(f"{name} has no move {to_kif(move)}")
            found.append(number - self.program.move_start[role])
        return np.array(found, dtype=np.int32)

    def position_clauses(self, position: GroundPosition, stage: int = 1) -> Clauses:
        """Return the unary constraints that say which position a stage begins with, such as `init`."""
        vars_ = self.stages[stage - 1].fluents
        first = np.array(self.network.first_choices, dtype=np.int64)[vars_]
        return Clauses(np.arange(len(vars_) + 1), (2 * (first + self.places(position))).astype(np.int32))

    def initial_position(self) -> GroundPosition:
        """Return the position in which every match starts."""
        return tuple(np.flatnonzero(self.program.initial).tolist())

    def step(self, places: Int32Array, stage: int = 1) -> Step:
        """Return what a solution says about a stage with moves.

        Args:
            places: The place of each variable's value, shape (num_vars,), int32.
            stage: Its number.
        """
        here, following = self.stages[stage - 1 : stage + 1]
        fluents = self.template.stage.fluents
        is_terminal = bool(places[here.terminal])
        moves = None if is_terminal else self._moves(places, here)
        return Step(
            position=fluents.fluents(places[here.fluents]),
            is_terminal=is_terminal,
            goals=tuple(self._goal(places, var) if is_terminal else None for var in here.utilities),
            moves=moves,
            successor=fluents.fluents(places[following.fluents]),
            percepts=self._percepts(places, here, moves),
        )

    def _moves(self, places: Int32Array, stage: GameStage) -> tuple[Move, ...]:
        return tuple(
            moves[place] for moves, place in zip(self.program.moves, places[list(stage.actions)].tolist(), strict=True)
        )

    def _goal(self, places: Int32Array, var: int) -> int | None:
        if var == NO_VAR:
            return None
        goal = self.network.domains[var][places[var]]
        assert isinstance(goal, int)
        return goal

    def _percepts(
        self, places: Int32Array, stage: GameStage, moves: tuple[Move, ...] | None
    ) -> tuple[frozenset[Percept], ...]:
        """Return what each role sees: all moves, in a game without `sees`."""
        roles, percepts = self.program.roles, self.program.percepts
        if moves is None:
            return (frozenset(),) * len(roles)
        if percepts is None:
            return (default_percepts(roles, moves),) * len(roles)
        seen = np.flatnonzero(places[list(stage.percepts)]).tolist()
        return tuple(
            frozenset(percepts.terms[entry] for entry in seen if percepts.roles[entry] == role)
            for role in range(len(roles))
        )

    def stochastic(self, threshold: Sequence[Number] = ()) -> StochasticNetwork:
        """Return the game as a stochastic network: `random` draws one of its legal moves, all equally likely.

        Args:
            threshold: What each player has to expect at least, in [0, 1].
        """
        tables = []
        for stage in self.stages:
            if stage.chance != NO_VAR:
                # At the end no move is legal for chance, and to make none is all that is possible.
                conditions = (*stage.chance_legal, stage.terminal)
                ones = (1,) * len(conditions)
                tables.append(UniformTable(stage.chance, conditions, ones, (True,) * len(conditions)))
        return StochasticNetwork(self.network, tuple(tables), threshold=tuple(threshold))

    @cached_property
    def kinds(self) -> npt.NDArray[np.int8]:
        """What each variable stands for, a `VarKind`, shape (num_vars,), int8."""
        template = self.template
        own = np.full(template.num_vars, VarKind.AUXILIARY, dtype=np.int8)
        for number, var in enumerate(template.stage.variables):
            own[template.var(number)] = var.kind
        return np.concatenate([np.tile(own, self.horizon), own[: self._assembly.num_last_vars]])
