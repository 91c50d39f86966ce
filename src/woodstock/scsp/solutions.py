"""The solutions of a one-stage network: decisions, and what may follow them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from woodstock.cp.constraints import Int32Array
from woodstock.cp.solver import Status
from woodstock.scsp.feasibility import Feasibility, Outcome
from woodstock.scsp.policy import Path, Policy
from woodstock.scsp.split import Split
from woodstock.scsp.stochastic import StochasticNetwork
from woodstock.scsp.valued import Draw, Valued, join_draws


@dataclass(frozen=True, eq=False)
class OneStageSolutions:
    """The solutions of a one-stage network.

    Attributes:
        network: The network.
        split: Its parts.
        decisions: A row for each solution: the places of the values of `split.decisions`, int32.
        outcomes: For each solution what chance may draw, and how it goes on.
        feasibility: What forward checking found; None if chance had no choice.
        status: Whether the search ended by itself; if not, solutions may be missing.
    """

    network: StochasticNetwork
    split: Split
    decisions: Int32Array
    outcomes: tuple[tuple[Outcome, ...], ...]
    feasibility: Feasibility | None
    status: Status

    def __len__(self) -> int:
        return len(self.decisions)

    def satisfaction(self, row: int) -> Fraction:
        """Return the probability that the constraints hold after the decisions of a row."""
        return sum((outcome.probability for outcome in self.outcomes[row]), Fraction(0))

    def paths(self, row: int) -> Iterator[Path]:
        """Yield what may follow the decisions of a row, as complete assignments."""
        for outcome in self.outcomes[row]:
            for later in outcome.later:
                yield Path(self._places(row, outcome, later), outcome.probability)

    def policies(self, row: int) -> Iterator[Valued]:
        """Yield the feasible policies that begin with the decisions of a row: one, if nothing is open later.

        If a satisfaction of less than one was asked for, draws that break constraints have no branch.
        """
        made = tuple(self.decisions[row].tolist())
        if not self.split.chances:
            yield Valued(self.network.utility(next(self.paths(row)).places), Policy(made))
            return
        draws = [
            Draw(outcome.drawn, outcome.probability, self._options(row, outcome)) for outcome in self.outcomes[row]
        ]
        yield from join_draws(made, draws)

    def _options(self, row: int, outcome: Outcome) -> list[Valued]:
        """Return the ways to make the later decisions, with what is reached by then."""
        return [
            Valued(self.network.utility(self._places(row, outcome, later)), Policy(tuple(later.tolist())))
            for later in outcome.later
        ]

    def _places(self, row: int, outcome: Outcome, later: Int32Array) -> Int32Array:
        places = np.zeros(self.network.network.num_vars, np.int32)
        places[self.split.decision_columns] = self.decisions[row]
        places[self.split.chance_columns] = outcome.drawn
        places[self.split.later_columns] = later
        return places
