"""The variables and constraints of a network in words, as Fig. 3 of the paper shows them (Constraints 2016)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import numpy as np

from woodstock.cp.constraints import Clauses, Founded, Gates, Int32Array, Table, Utility
from woodstock.cp.network import BOOLEANS, Network


class Listing:
    """Writes the parts of a network in words.

    >>> network = Network()
    >>> x, y = network.add_var("coin", ("heads", "tails", "unset")), network.add_var("won")
    >>> literal = network.literal
    >>> network.add(Gates(np.array([literal(y)]), np.array([0, 1]), np.array([literal(x, "unset", holds=False)])))
    >>> listing = Listing(network)
    >>> list(listing.variables()), list(listing.constraints())
    (['coin: heads, tails, unset', 'won: False, True'], ['won ⇔ coin ≠ unset'])
    """

    def __init__(self, network: Network) -> None:
        self._network = network
        self._first = np.array(network.first_choices)

    def variables(self) -> Iterator[str]:
        """Yield a line for each variable: its name and its values."""
        for name, domain in zip(self._network.names, self._network.domains, strict=True):
            yield f"{name}: {', '.join(map(str, domain))}"

    def constraints(self) -> Iterator[str]:
        """Yield a line for each constraint, hard ones first; for a table one for each tuple besides."""
        for constraint in self._network.constraints:
            match constraint:
                case Table():
                    yield from self._table(constraint)
                case Gates():
                    rows = zip(constraint.outs.tolist(), pairwise(constraint.start.tolist()), strict=True)
                    for out, (start, end) in rows:
                        yield self._gate(out, constraint.data[start:end].tolist())
                case Clauses():
                    for start, end in pairwise(constraint.start.tolist()):
                        yield self._join(constraint.data[start:end].tolist(), " ∨ ")
                case Founded():
                    yield from self._loop(constraint)
                case _:
                    yield str(constraint)
        for utility in self._network.utilities:
            yield from self._utility(utility)

    def _table(self, table: Table) -> Iterator[str]:
        kind = "" if table.is_allowed else " (forbidden)"
        yield f"({', '.join(self._network.names[var] for var in table.scope)}) in{kind}"
        for row in np.asarray(table.tuples).tolist():
            yield f"    ({', '.join(self._values(table.scope, row))})"

    def _values(self, scope: Sequence[int], row: Sequence[int]) -> Iterator[str]:
        for var, place in zip(scope, row, strict=True):
            yield str(self._network.domains[var][place])

    def _gate(self, out: int, body: list[int]) -> str:
        """Return a gate in words; one of complements is a disjunction."""
        if out & 1:
            return f"{self._literal(out ^ 1)} ⇔ {self._join([literal ^ 1 for literal in body], ' ∨ ')}"
        return f"{self._literal(out)} ⇔ {self._join(body, ' ∧ ')}"

    def _join(self, literals: Sequence[int], sign: str) -> str:
        empty = "false" if "∨" in sign else "true"
        return sign.join(map(self._literal, literals)) or empty

    def _literal(self, literal: int) -> str:
        choice = literal >> 1
        var = int(np.searchsorted(self._first, choice, side="right")) - 1
        name, domain = self._network.names[var], self._network.domains[var]
        if domain == BOOLEANS:
            holds = (choice == self._first[var] + 1) != bool(literal & 1)
            return name if holds else f"¬ {name}"
        return f"{name} {'≠' if literal & 1 else '='} {domain[choice - self._first[var]]}"

    def _loop(self, founded: Founded) -> Iterator[str]:
        yield "derived without circles by"
        for head, (start, end) in zip(founded.heads.tolist(), pairwise(founded.start.tolist()), strict=True):
            yield f"    {self._literal(head)} ⇐ {self._join(founded.data[start:end].tolist(), ' ∧ ')}"

    def _utility(self, utility: Utility) -> Iterator[str]:
        yield f"utility of ({', '.join(self._network.names[var] for var in utility.scope)})"
        tuples: Int32Array = np.asarray(utility.tuples, dtype=np.int32)
        for row, worth in zip(tuples.tolist(), np.asarray(utility.utilities).tolist(), strict=True):
            shares = ", ".join(f"{share:g}" for share in worth)
            yield f"    ({', '.join(self._values(utility.scope, row))}): {shares}"
