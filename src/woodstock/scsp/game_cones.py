"""What the atoms of a stage depend on, and whether they hold for each combination of values of few variables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from functools import cached_property
from itertools import pairwise
from math import prod

import numpy as np
import numpy.typing as npt

from woodstock.ground.program import NO_ATOM, NO_LOOP, TRUE_ATOM, GroundProgram
from woodstock.scsp.game_rules import StageRules
from woodstock.scsp.game_vars import StageVars

Int32Array = npt.NDArray[np.int32]

Support = frozenset[int]
"""Variables that something depends on."""


class Cones:
    """The rules of a stage, seen from the atoms that are asked for.

    Variables are numbered as in `StageVars`. Only what has at most `max_inputs` variables with at most
    `max_combinations` combinations of values is looked at.
    """

    def __init__(
        self,
        program: GroundProgram,
        rules: StageRules,
        stage: StageVars,
        *,
        max_inputs: int,
        max_combinations: int,
    ) -> None:
        self._program = program
        self._rules = rules
        self._stage = stage
        self._max_inputs = max_inputs
        self._max_combinations = max_combinations
        self.sizes: list[int] = stage.sizes.tolist()
        starts = np.searchsorted(rules.rules.head, np.arange(rules.rules.num_atoms + 1))
        self._rule_start: list[int] = starts.tolist()
        self._body_start: list[int] = rules.rules.start.tolist()
        self._data: list[int] = rules.rules.data.tolist()

    def is_input(self, atom: int) -> bool:
        """Tell whether an atom is a fluent or a move."""
        return atom <= self._program.num_fluents + self._program.num_moves

    def combine(
        self, atoms: Iterable[int], others: Iterable[int] = (), limit: int | None = None
    ) -> Combinations | None:
        """Return all combinations of values of what some atoms depend on and of some variables.

        Args:
            atoms: Atoms; constants depend on nothing.
            others: Variables.
            limit: Most combinations, at most `max_combinations`, which is meant if it is not given.

        Returns:
            The combinations, or None if they are too many, or of no variable at all.
        """
        limit = self._max_combinations if limit is None else limit
        scope = set(others)
        for atom in atoms:
            support = frozenset() if atom in (NO_ATOM, TRUE_ATOM) else self._supports[atom]
            if support is None:
                return None
            scope |= support
        if not scope or not self._is_small(scope, limit):
            return None
        return Combinations(self, tuple(sorted(scope)))

    def _is_small(self, scope: AbstractSet[int], limit: int) -> bool:
        return len(scope) <= self._max_inputs and prod(self.sizes[var] for var in scope) <= limit

    @cached_property
    def _supports(self) -> list[Support | None]:
        """For each atom the variables that it depends on, None if these have too many combinations of values."""
        known: dict[Support, Support | None] = {}
        rules = self._rule_start
        found: list[Support | None] = [frozenset()] * self._rules.rules.num_atoms
        for atom, var in self._vars_of_inputs():
            found[atom] = frozenset([var])
        loops = self._rules.loop.tolist()
        for atom in range(1 + self._program.num_fluents + self._program.num_moves, len(found)):
            support: Support | None = None if loops[atom] != NO_LOOP else frozenset()
            for literal in self._data[self._body_start[rules[atom]] : self._body_start[rules[atom + 1]]]:
                other = found[literal >> 1]
                if support is None or other is None:
                    support = None
                    break
                if not other <= support:
                    wider = support | other
                    if wider not in known:
                        known[wider] = wider if self._is_small(wider, self._max_combinations) else None
                    support = known[wider]
            found[atom] = support
        return found

    def _vars_of_inputs(self) -> Iterator[tuple[int, int]]:
        """Yield the atoms of fluents and moves, with their variables."""
        yield from enumerate(self._stage.fluents.var_of_fluent.tolist(), 1)
        first = 1 + self._program.num_fluents
        for role, moves in enumerate(self._program.moves):
            yield from ((first + number, self._stage.actions[role]) for number in range(len(moves)))
            first += len(moves)

    def place_of_input(self, atom: int) -> tuple[int, int]:
        """Return the variable of a fluent or a move, and the place of the value that says that it holds."""
        fluent = atom - 1
        if fluent < self._program.num_fluents:
            fluents = self._stage.fluents
            return int(fluents.var_of_fluent[fluent]), int(fluents.place_of_fluent[fluent])
        move = fluent - self._program.num_fluents
        role = int(np.searchsorted(self._program.move_start, move, side="right")) - 1
        return self._stage.actions[role], move - self._program.move_start[role]

    def bodies(self, atom: int) -> list[list[int]]:
        """Return the bodies of an atom's rules."""
        starts = self._body_start[self._rule_start[atom] : self._rule_start[atom + 1] + 1]
        return [self._data[start:end] for start, end in pairwise(starts)]

    def is_consistent(self, scope: tuple[int, ...], places: Int32Array) -> npt.NDArray[np.bool_]:
        """Return which combinations agree that no move is made if and only if the match is over."""
        kept = np.ones(len(places), dtype=np.bool_)
        if self._stage.terminal not in scope:
            return kept
        over = places[:, scope.index(self._stage.terminal)] == 1
        for var in set(scope) & set(self._stage.actions):
            kept &= (places[:, scope.index(var)] == self.sizes[var] - 1) == over
        return kept


class Combinations:
    """All combinations of values of some variables; a set of them is a number with a bit for each."""

    def __init__(self, cones: Cones, scope: tuple[int, ...]) -> None:
        self._cones = cones
        self.scope = scope
        every = np.indices([cones.sizes[var] for var in scope]).reshape(len(scope), -1).T.astype(np.int32)
        self._places = every[cones.is_consistent(scope, every)]
        self.all = (1 << len(self._places)) - 1
        self._held: dict[int, int] = {TRUE_ATOM: self.all, NO_ATOM: 0}

    def of_value(self, var: int, place: int) -> int:
        """Return the combinations in which a variable has a value."""
        return _mask(self._places[:, self.scope.index(var)] == place)

    def holds(self, atom: int) -> int:
        """Return the combinations in which an atom holds."""
        # Atoms come after those that they depend on, so their order is an order of evaluation.
        for other in sorted(self._cone(atom)):
            if self._cones.is_input(other):
                self._held[other] = self.of_value(*self._cones.place_of_input(other))
                continue
            held = 0
            for body in self._cones.bodies(other):
                part = self.all
                for literal in body:
                    value = self._held[literal >> 1]
                    part &= ~value if literal & 1 else value
                held |= part
            self._held[other] = held
        return self._held[atom]

    def _cone(self, atom: int) -> set[int]:
        """Return what an atom depends on and is not known yet, itself included."""
        found: set[int] = set()
        waiting = [atom]
        while waiting:
            other = waiting.pop()
            if other not in self._held and other not in found:
                found.add(other)
                if not self._cones.is_input(other):
                    waiting += [literal >> 1 for body in self._cones.bodies(other) for literal in body]
        return found

    def rows(self, values: Iterable[tuple[int, int]]) -> Int32Array:
        """Return the combinations with a value for each.

        Args:
            values: Sets of combinations, and a place for those of each.

        Returns:
            Places of the values of the scope, then that place, shape (n, len(scope) + 1), int32, in order.
        """
        found = [np.zeros((0, len(self.scope) + 1), dtype=np.int32)]
        for mask, place in values:
            chosen = self._places[_rows(mask, len(self._places))]
            found.append(np.column_stack([chosen, np.full(len(chosen), place, dtype=np.int32)]))
        rows = np.concatenate(found)
        ordered: Int32Array = rows[np.lexsort(rows.T[::-1])]
        return ordered


def _mask(rows: npt.NDArray[np.bool_]) -> int:
    return int.from_bytes(np.packbits(rows, bitorder="little").tobytes(), "little")


def _rows(mask: int, count: int) -> npt.NDArray[np.int64]:
    data = np.frombuffer(mask.to_bytes((count + 7) // 8, "little"), dtype=np.uint8)
    return np.flatnonzero(np.unpackbits(data, bitorder="little", count=count))
