"""Drafts: where the propagators write down their constraints while a network is compiled.

Everything comes in arrays, which are put together at the end: a network has hundreds of thousands of clauses and gates.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from woodstock.common.errors import UsageError
from woodstock.cp.constraints import Int64Array, Predicate
from woodstock.cp.engine import CLAUSE
from woodstock.cp.network import Network

Numbers = Sequence[int] | npt.NDArray[Any]


class Pieces:
    """Arrays of numbers that are to become one."""

    def __init__(self) -> None:
        self._pieces: list[Int64Array] = []
        self.length = 0

    def add(self, numbers: Numbers) -> int:
        """Add numbers; return where they begin."""
        piece = np.asarray(numbers, np.int64)
        begin = self.length
        self._pieces.append(piece)
        self.length += len(piece)
        return begin

    def joined(self) -> Int64Array:
        return np.concatenate([np.zeros(0, np.int64), *self._pieces])


class Draft:
    """The constraints of a network, in the making.

    Attributes:
        network: The network.
        first: First choice of each variable, and the number of choices, int64.
        var_of: Variable of each choice, int64.
        predicates: Predicates by the number of their constraint.
        num_constraints: Constraints so far.
    """

    def __init__(self, network: Network) -> None:
        self.network = network
        self.first = np.array(network.first_choices, np.int64)
        self.var_of = np.repeat(np.arange(network.num_vars), np.diff(self.first))
        self.predicates: dict[int, Predicate] = {}
        self.num_constraints = 0
        self._canonical = self._canonical_literals()
        self.kinds, self.records, self.scope_sizes, self.scope_data = Pieces(), Pieces(), Pieces(), Pieces()
        self.numbers, self.memory, self.hints, self.removed = Pieces(), Pieces(), Pieces(), Pieces()
        self.reaction_sources, self.reaction_targets, self.reaction_constraints = Pieces(), Pieces(), Pieces()
        self.listening_vars, self.listening_constraints = Pieces(), Pieces()
        self.clause_sizes, self.clause_data, self.clause_constraints = Pieces(), Pieces(), Pieces()
        self.row_sizes, self.entry_word, self.entry_bits, self.word_index = Pieces(), Pieces(), Pieces(), Pieces()
        self.longest_table = 0

    def _canonical_literals(self) -> Int64Array:
        """Return for each literal the one that stands for it.

        A variable of two values is not the one if and only if it is the other: all its literals are written with its
        second choice, so that events of the first one concern nobody.
        """
        canonical = np.arange(2 * self.network.num_choices)
        of_two = self.first[:-1][np.diff(self.first) == 2]
        canonical[2 * of_two] = 2 * of_two + 3
        canonical[2 * of_two + 1] = 2 * of_two + 2
        return canonical

    def literals(self, literals: Numbers, where: str) -> Int64Array:
        """Return literals in their canonical form; refuse what is none."""
        array = np.asarray(literals, np.int64)
        if array.ndim != 1:
            raise UsageError(f"expected a list of literals in {where}, found an array of shape {array.shape}")
        wrong = array[(array < 0) | (array >= len(self._canonical))]
        if len(wrong):
            raise UsageError(f"expected literals from 0 to {len(self._canonical) - 1} in {where}, found {wrong[0]}")
        return self._canonical[array]

    def starts(self, start: Numbers, length: int, where: str, num_lists: int | None = None) -> Int64Array:
        """Return where lists begin; refuse what does not divide data of a length into so many lists."""
        array = np.asarray(start, np.int64)
        if not len(array) or array[0] != 0 or array[-1] != length or (np.diff(array) < 0).any():
            raise UsageError(f"expected places in data of length {length}, from 0 to its end, as the start of {where}")
        if num_lists is not None and len(array) != num_lists + 1:
            raise UsageError(f"expected the start of {num_lists} {where} and their end, found {len(array)} numbers")
        return array

    def check_vars(self, scope: Sequence[int], where: str) -> Int64Array:
        """Return the variables of a scope; refuse what is none."""
        array = np.asarray(scope, np.int64)
        wrong = array[(array < 0) | (array >= self.network.num_vars)]
        if len(wrong):
            raise UsageError(f"expected variables from 0 to {self.network.num_vars - 1} in {where}, found {wrong[0]}")
        return array

    def refuse_repetition(self, scope: Int64Array, where: str) -> None:
        """Refuse a scope that has a variable twice."""
        if len(np.unique(scope)) < len(scope):
            names = [self.network.names[var] for var in scope.tolist()]
            raise UsageError(f"expected different variables in {where}, found {names}")

    def add_constraints(self, kind: int, scope_start: Int64Array, scope_data: Int64Array) -> Int64Array:
        """Add constraints, each described by one of the clauses that are added next; return their numbers."""
        count = len(scope_start) - 1
        self.kinds.add(np.full(count, kind))
        self.records.add(self.clause_sizes.length + np.arange(count))
        self.scope_sizes.add(np.diff(scope_start))
        self.scope_data.add(scope_data)
        self.num_constraints += count
        return np.arange(self.num_constraints - count, self.num_constraints)

    def add_constraint(self, kind: int, scope: Numbers, record: Numbers) -> int:
        """Add a constraint that is described by numbers; return its number."""
        self.kinds.add([kind])
        self.records.add([self.numbers.add(record)])
        self.scope_sizes.add([len(scope)])
        self.scope_data.add(scope)
        self.num_constraints += 1
        return self.num_constraints - 1

    def add_clauses(self, start: Int64Array, data: Int64Array, constraints: Int64Array) -> None:
        """Add clauses that belong to constraints; those of two literals are reactions too."""
        sizes = np.diff(start)
        self.clause_sizes.add(sizes)
        self.clause_data.add(data)
        self.clause_constraints.add(constraints)
        of_two = start[:-1][sizes == 2]
        for one, other in ((of_two, of_two + 1), (of_two + 1, of_two)):
            self.add_reactions(data[one] ^ 1, data[other], constraints[sizes == 2])

    def add_empty_clause(self) -> None:
        """Add a constraint that nothing satisfies."""
        nothing = np.zeros(0, np.int64)
        self.add_clauses(np.zeros(2, np.int64), nothing, self.add_constraints(CLAUSE, np.zeros(2, np.int64), nothing))

    def add_reactions(self, sources: Int64Array, targets: Int64Array, constraints: Int64Array) -> None:
        """Let literals react to others that become true; see `Wiring`."""
        self.reaction_sources.add(sources)
        self.reaction_targets.add(targets)
        self.reaction_constraints.add(constraints)

    def add_listeners(self, variables: Int64Array, constraint: int) -> None:
        """Let a constraint be revised whenever variables have lost choices."""
        self.listening_vars.add(variables)
        self.listening_constraints.add(np.full(len(variables), constraint))

    def add_memory(self, numbers: Numbers) -> int:
        """Add numbers that are restored; return where they begin."""
        return self.memory.add(numbers)

    def add_word_index(self, num_words: int) -> int:
        """Add the sparse set of the words of a table; return where it begins."""
        self.longest_table = max(self.longest_table, num_words)
        return self.word_index.add(np.arange(num_words))

    def add_rows(self, sizes: Int64Array, words: Int64Array, bits: Int64Array) -> int:
        """Add rows with so many entries each; return the first one's number."""
        self.entry_word.add(words)
        self.entry_bits.add(bits)
        return self.row_sizes.add(sizes)

    def add_hints(self, numbers: Numbers) -> int:
        """Add numbers that change and are not restored; return where they begin."""
        return self.hints.add(numbers)

    def remove(self, choices: Int64Array) -> None:
        """Remove choices from the beginning."""
        self.removed.add(choices)
