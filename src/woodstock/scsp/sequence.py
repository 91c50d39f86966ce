"""Networks of several stages, solved as a sequence of one-stage networks.

Stage t has the constraints, tables and soft constraints whose last variable belongs to it; what was decided and drawn
before is given. How it goes on depends on those values alone that a later stage mentions, such as the fluents of a
position; so each such combination is solved once (dynamic programming).

>>> from woodstock.cp.constraints import Utility
>>> from woodstock.cp.network import Network
>>> from woodstock.scsp.chance import uniform
>>> network = Network()
>>> coin, guess = (network.add_var(name, ("heads", "tails")) for name in ("coin", "guess"))
>>> network.add(Utility((coin, guess), [(0, 0), (1, 1)], [[1.0], [1.0]]))
>>> sequence = StageSequence(StochasticNetwork(network, (uniform(network, coin),)))
>>> sequence.num_stages, sequence.best_policy().found[0].utilities
(2, (Fraction(1, 1),))
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from woodstock.common.errors import UsageError
from woodstock.common.limits import Limits
from woodstock.cp.constraints import Int32Array
from woodstock.cp.solver import Solver, Status, Strength
from woodstock.scsp.budget import Budget
from woodstock.scsp.one_stage import OneStage
from woodstock.scsp.policy import Policy
from woodstock.scsp.scopes import highest, mentions, same_variables, select_rows
from woodstock.scsp.solutions import OneStageSolutions
from woodstock.scsp.stochastic import StochasticNetwork
from woodstock.scsp.valued import Draw, Keep, Policies, Valued, join_draws, keep_best, keep_undominated


def split_stages(network: StochasticNetwork) -> tuple[StochasticNetwork, ...]:
    """Return the one-stage networks of a network; their variables have the same numbers.

    In each of them the variables of earlier stages that it mentions are decisions that come first.
    """
    stage_of = _stage_of_vars(network)
    entries = network.network.constraints
    stages_of_entries = [np.maximum(highest(network.network, entry, stage_of), 0) for entry in entries]
    made = []
    for number, stage in enumerate(network.stages):
        own = [select_rows(entry, stages == number) for entry, stages in zip(entries, stages_of_entries, strict=True)]
        soft = [entry for entry in network.network.utilities if _stage_of_scope(stage_of, entry.scope) == number]
        part = same_variables(network.network, [*own, *soft])
        tables = tuple(network.table_of[var] for var in stage.chances)
        mentioned = np.zeros(network.network.num_vars, np.bool_)
        for entry in (*part.constraints, *part.utilities):
            mentioned[mentions(part, entry)[1]] = True
        for table in tables:
            mentioned[list(table.scope)] = True
        earlier = (var for var in network.order if mentioned[var] and stage_of[var] < number)
        order = (*earlier, *stage.decisions, *stage.chances)
        made.append(StochasticNetwork(part, tables, order, network.threshold))
    return tuple(made)


def _stage_of_vars(network: StochasticNetwork) -> Int32Array:
    stage_of = np.zeros(network.network.num_vars, np.int32)
    for number, stage in enumerate(network.stages):
        stage_of[[*stage.decisions, *stage.chances]] = number
    return stage_of


def _stage_of_scope(stage_of: Int32Array, scope: tuple[int, ...]) -> int:
    return int(stage_of[list(scope)].max(initial=0))


class _OutOfBudgetError(Exception):
    """Ends a search whose limits are reached; it never leaves this module."""


class _Search(NamedTuple):
    """What a search keeps, what it may use, and what it knows: policies by stage and the values that matter for it."""

    keep: Keep
    budget: Budget
    memory: dict[tuple[int, bytes], list[Valued]]


class StageSequence:
    """A network of several stages, compiled once."""

    def __init__(self, network: StochasticNetwork, *, strength: Strength = Strength.MAC, prepares: bool = True) -> None:
        """Compile a network.

        Args:
            network: The network.
            strength: How much is propagated in each stage.
            prepares: Whether to preprocess all stages but the last, as the papers do.
        """
        self.network = network
        self._whole = Solver(network.hard_part)
        parts = split_stages(network)
        self._stages = [
            OneStage(part, strength=strength, prepares=prepares and number < len(parts) - 1)
            for number, part in enumerate(parts)
        ]
        stage_of = _stage_of_vars(network)
        self._given = [[var for var in part.order if stage_of[var] < number] for number, part in enumerate(parts)]
        self._earlier = [[var for var in network.order if stage_of[var] < number] for number in range(len(parts))]
        # What matters from a stage on is what that stage or a later one is given of those before.
        self._interfaces = [
            sorted({var for given in self._given[number:] for var in given if stage_of[var] < number})
            for number in range(len(parts))
        ]

    @property
    def num_stages(self) -> int:
        return len(self._stages)

    def feasible_policies(self, limits: Limits | None = None) -> Policies:
        """Return all feasible policies."""
        return self._run(list, limits)

    def undominated_policies(self, limits: Limits | None = None) -> Policies:
        """Return a feasible policy for each combination of expected utilities that no other one exceeds."""
        return self._run(keep_undominated, limits)

    def best_policy(self, player: int = 0, limits: Limits | None = None) -> Policies:
        """Return a feasible policy from which a player expects most; none if there is no feasible one."""
        if not 0 <= player < self.network.num_players:
            raise UsageError(f"expected a player from 0 to {self.network.num_players - 1}, found {player}")
        return self._run(keep_best(player), limits)

    def _run(self, keep: Keep, limits: Limits | None) -> Policies:
        try:
            found = self._policies(
                0, np.zeros(self.network.network.num_vars, np.int32), _Search(keep, Budget(limits), {})
            )
        except _OutOfBudgetError:
            return Policies((), Status.LIMIT)
        return Policies(tuple(found), Status.COMPLETE)

    def _policies(self, number: int, places: Int32Array, search: _Search) -> list[Valued]:
        """Return policies from a stage on, given the values of the variables before it."""
        if number == len(self._stages):
            return [Valued((Fraction(0),) * self.network.num_players, Policy(()))]
        key = number, places[self._interfaces[number]].tobytes()
        if key not in search.memory:
            solutions = self._solve_stage(number, places, search.budget)
            rows = range(len(solutions))
            found = [policy for row in rows for policy in self._row_policies(number, solutions, row, places, search)]
            search.memory[key] = search.keep(found)
        return search.memory[key]

    def _solve_stage(self, number: int, places: Int32Array, budget: Budget) -> OneStageSolutions:
        """Return the solutions of a stage, without those of which the whole network shows that nothing follows."""
        given = self._given[number]
        self._whole.push()
        try:
            self._whole.fix(self._earlier[number], places[self._earlier[number]])
            solutions = self._stages[number].solve(given, places[given], budget, context=self._whole)
        finally:
            self._whole.pop()
        if solutions.status is not Status.COMPLETE:
            raise _OutOfBudgetError
        return solutions

    def _row_policies(
        self, number: int, solutions: OneStageSolutions, row: int, before: Int32Array, search: _Search
    ) -> Iterator[Valued]:
        """Yield policies that begin with the decisions of a row of a stage's solutions."""
        stage = self.network.stages[number]
        draws = []
        for outcome, path in zip(solutions.outcomes[row], solutions.paths(row), strict=True):
            places = before.copy()
            own = list(solutions.network.order)
            places[own] = path.places[own]
            utility = solutions.network.utility(places)
            options = self._policies(number + 1, places, search)
            draws.append(Draw(outcome.drawn, outcome.probability, [_plus(option, utility) for option in options]))
        made = tuple(places[list(stage.decisions)].tolist())
        if stage.chances:
            yield from join_draws(made, draws)
        else:
            yield from (Valued(option.utilities, Policy(made)) for option in draws[0].options)


def _plus(policy: Valued, utility: tuple[Fraction, ...]) -> Valued:
    """Return a policy with what was gained before it."""
    return Valued(tuple(map(Fraction.__add__, policy.utilities, utility)), policy.policy)
