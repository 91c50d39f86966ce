"""The stages of a game's network, put together: copies of a template, one behind the other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from woodstock.cp.constraints import Clauses, Founded, Gates, Int32Array, Table, Utility
from woodstock.cp.network import BOOLEANS, Network
from woodstock.scsp.game_completion import Bodies
from woodstock.scsp.game_stage import Region, Rows, StageTemplate
from woodstock.scsp.game_vars import NO_ROLE, NO_VAR


@dataclass(frozen=True, eq=False)
class GameStage:
    """The variables of one stage; of the last, which is a position alone, there are not all.

    Attributes:
        number: From 1.
        fluents: The parts of the position, shape (num_parts,), int32.
        terminal: Whether the match is over, or NO_VAR.
        utilities: What each role gets, NO_VAR for `random` or if there are none.
        actions: The move of each role; none in a stage without moves.
        chance: The move of `random`, or NO_VAR.
        chance_legal: Whether each move of `random` may be drawn.
        percepts: Whether each percept is seen, in the order of the program's percepts.
    """

    number: int
    fluents: Int32Array
    terminal: int
    utilities: tuple[int, ...]
    actions: tuple[int, ...]
    chance: int
    chance_legal: range
    percepts: range


class Assembly:
    """Makes the network of some stages.

    Attributes:
        template: The stage that all are copies of.
        horizon: Number of stages with moves.
        with_outcome: Whether the position after the last stage has `terminal` and utilities as well.
        stages: The variables of each stage, and of the position after the last one.
    """

    def __init__(self, template: StageTemplate, horizon: int, with_outcome: bool) -> None:
        self.template = template
        self.horizon = horizon
        self.with_outcome = with_outcome
        self.stages = tuple(self._stage(number) for number in range(1, horizon + 2))

    def network(self) -> Network:
        """Return the network."""
        network = Network()
        for number in range(1, self.horizon + 2):
            self._add_vars(network, number)
        self._add_constraints(network)
        self._add_utilities(network)
        return network

    @property
    def last_outcome(self) -> GameStage:
        """The last stage that has `terminal` and utilities."""
        return self.stages[self.horizon if self.with_outcome else self.horizon - 1]

    @property
    def num_last_vars(self) -> int:
        """Number of variables of the position after the last stage."""
        template = self.template
        return template.num_outcome_vars if self.with_outcome else template.stage.fluents.num_vars

    def _stage(self, number: int) -> GameStage:
        """Return the variables of a stage."""
        template, stage = self.template, self.template.stage
        first = (number - 1) * template.num_vars
        has_moves = number <= self.horizon
        has_outcome = has_moves or self.with_outcome
        actions = tuple(first + template.var(var) for var in stage.actions) if has_moves else ()

        def placed(part: range) -> range:
            start = first + template.var(part.start) if has_moves and part else 0
            return range(start, start + len(part)) if has_moves else range(0)

        return GameStage(
            number=number,
            fluents=first + np.arange(stage.fluents.num_vars, dtype=np.int32),
            terminal=first + stage.terminal if has_outcome else NO_VAR,
            utilities=tuple(first + var if has_outcome and var != NO_VAR else NO_VAR for var in stage.utilities),
            actions=actions,
            chance=actions[stage.chance_role] if actions and stage.chance_role != NO_ROLE else NO_VAR,
            chance_legal=placed(stage.chance_legal),
            percepts=placed(stage.percepts),
        )

    def _add_vars(self, network: Network, number: int) -> None:
        """Add the variables of a stage, in the order that its template says."""
        template, stage = self.template, self.template.stage
        suffix = f" @ {number}"
        auxiliaries = [name + suffix for name in template.auxiliary_names]
        is_last = number > self.horizon
        num_outcome = self.num_last_vars if is_last else template.num_outcome_vars
        for var in stage.variables[: min(stage.num_outcome, num_outcome)]:
            network.add_var(var.name + suffix, var.domain)
        if num_outcome == template.num_outcome_vars:
            network.add_vars(auxiliaries[: template.num_outcome_auxiliaries], BOOLEANS)
        if not is_last:
            for var in stage.variables[stage.num_outcome :]:
                network.add_var(var.name + suffix, var.domain)
            network.add_vars(auxiliaries[template.num_outcome_auxiliaries :], BOOLEANS)

    def _add_constraints(self, network: Network) -> None:
        """Copy the constraints of the template for every stage, those of one kind in one."""
        template = self.template
        gates = self._copies(template.gates)
        clauses = self._copies(template.clauses)
        if len(gates.outs):
            network.add(Gates(gates.outs.astype(np.int32), gates.start, gates.data.astype(np.int32)))
        if len(clauses.outs):
            network.add(Clauses(clauses.start, clauses.data.astype(np.int32)))
        for number in range(len(self.stages)):
            is_outcome_only = number == self.horizon
            if is_outcome_only and not self.with_outcome:
                continue
            first_var, first_literal = number * template.num_vars, 2 * number * template.num_choices
            for table, region in template.tables:
                if region == Region.OUTCOME or not is_outcome_only:
                    network.add(Table(tuple(first_var + var for var in table.scope), table.tuples))
            for rules, region in template.loops:
                if region == Region.OUTCOME or not is_outcome_only:
                    heads, data = ((part + first_literal).astype(np.int32) for part in (rules.outs, rules.data))
                    network.add(Founded(heads, rules.start, data))

    def _copies(self, rows: Rows) -> Bodies:
        """Return a copy of constraints for every stage."""
        bodies, step = rows.bodies, 2 * self.template.num_choices
        num_outcome = int(np.searchsorted(rows.regions, Region.LEGAL)) if self.with_outcome else 0
        end = int(bodies.start[num_outcome])
        shift = step * np.arange(self.horizon + 1)
        outs = [bodies.outs + shift[number] for number in range(self.horizon)]
        data = [bodies.data + shift[number] for number in range(self.horizon)]
        lengths = np.diff(bodies.start)
        sizes = np.concatenate([np.tile(lengths, self.horizon), lengths[:num_outcome]])
        return Bodies(
            np.concatenate([*outs, bodies.outs[:num_outcome] + shift[-1]]),
            np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64),
            np.concatenate([*data, bodies.data[:end] + shift[-1]]),
        )

    def _add_utilities(self, network: Network) -> None:
        """Add the soft constraints: the utilities of the last stage that has them."""
        stage = self.last_outcome
        players = [role for role, var in enumerate(stage.utilities) if var != NO_VAR]
        for place, role in enumerate(players):
            values = network.domains[stage.utilities[role]]
            worth = np.zeros((len(values), len(players)))
            worth[:, place] = np.array(values, dtype=np.float64) / 100
            tuples = np.arange(len(values), dtype=np.int32)[:, None]
            network.add(Utility((stage.utilities[role],), tuples, worth))
