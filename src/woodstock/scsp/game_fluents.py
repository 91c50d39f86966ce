"""How the position of a game is divided into variables: one for each fluent, or one for each group that is proved.

In the Boolean encoding every fluent has a variable of its own. In the multi-valued one the fluents of a group of which
at most one ever holds, such as the contents of a cell, share a variable; its values are the fluents, and `None` if it
may be that none of them holds. Groups are proved and never guessed, but for positions that can be reached only: other
positions, which break them, cannot be written in that encoding.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

import numpy as np
import numpy.typing as npt

from woodstock.common.errors import UsageError
from woodstock.cp.network import BOOLEANS, Domain
from woodstock.gdl.printer import to_kif
from woodstock.gdl.terms import GroundTerm, arguments, functor
from woodstock.ground.invariants import FluentGroup
from woodstock.ground.program import BoolArray, GroundProgram

Int32Array = npt.NDArray[np.int32]

NO_PLACE: Final = -1


class Encoding(Enum):
    """How fluents become variables."""

    BOOLEAN = "boolean"
    """A Boolean variable for each fluent."""
    MULTIVALUED = "multivalued"
    """A variable for each group of fluents that exclude each other, as far as that is proved."""


@dataclass(frozen=True, eq=False)
class FluentVars:
    """The variables that hold a position.

    Attributes:
        names: The name of each variable.
        domains: Its values.
        var_of_fluent: The variable of each fluent, shape (num_fluents,), int32.
        place_of_fluent: The place in its variable's domain that says that a fluent holds, shape (num_fluents,), int32.
        empty_place: For each variable the place that says that none of its fluents holds, or NO_PLACE if one always
            does; shape (num_vars,), int32.
        fluent_names: The name of each fluent, for messages.
    """

    names: tuple[str, ...]
    domains: tuple[Domain, ...]
    var_of_fluent: Int32Array
    place_of_fluent: Int32Array
    empty_place: Int32Array
    fluent_names: tuple[str, ...]

    @property
    def num_vars(self) -> int:
        return len(self.names)

    def places(self, position: Iterable[int]) -> Int32Array:
        """Return the places of the values in the position with these fluents, shape (num_vars,), int32.

        Raises:
            UsageError: Fluents that exclude each other hold, or none of those of which one always does.
        """
        fluents = np.fromiter(position, dtype=np.int64)
        found: Int32Array = self.places_of_rows(_as_row(fluents, len(self.var_of_fluent)))[0]
        return found

    def places_of_rows(self, positions: BoolArray) -> Int32Array:
        """Return the places of the values in some positions.

        Args:
            positions: Whether each fluent holds, shape (n, num_fluents), bool.

        Returns:
            Places of values, shape (n, num_vars), int32.

        Raises:
            UsageError: As `places` does.
        """
        rows, fluents = np.nonzero(positions)
        found = np.tile(self.empty_place, (len(positions), 1))
        found[rows, self.var_of_fluent[fluents]] = self.place_of_fluent[fluents]
        lost = found[rows, self.var_of_fluent[fluents]] != self.place_of_fluent[fluents]
        if lost.any():
            self._refuse_clash(rows[lost][0], self.var_of_fluent[fluents[lost][0]], positions)
        if (found == NO_PLACE).any():
            _, var = np.argwhere(found == NO_PLACE)[0]
            raise UsageError(f"expected a value of {self.names[var]}, of which every position has one, found none")
        return found

    def _refuse_clash(self, row: int, var: int, positions: BoolArray) -> None:
        held = np.flatnonzero(positions[row] & (self.var_of_fluent == var))
        names = " and ".join(self.fluent_names[fluent] for fluent in held.tolist())
        raise UsageError(f"expected one value of {self.names[var]} at most, as in every position, found {names}")

    def fluents_of_rows(self, places: Int32Array) -> BoolArray:
        """Return which fluents hold, given the places of values.

        Args:
            places: Shape (n, num_vars), int32.

        Returns:
            Shape (n, num_fluents), bool.
        """
        found: BoolArray = places[:, self.var_of_fluent] == self.place_of_fluent
        return found

    def fluents(self, places: Int32Array) -> tuple[int, ...]:
        """Return the numbers of the fluents that hold, in order, given the places of values, shape (num_vars,)."""
        return tuple(np.flatnonzero(places[self.var_of_fluent] == self.place_of_fluent).tolist())


def _as_row(fluents: npt.NDArray[np.int64], num_fluents: int) -> BoolArray:
    row = np.zeros((1, num_fluents), dtype=np.bool_)
    row[0, fluents] = True
    return row


def divide_fluents(program: GroundProgram, groups: Sequence[FluentGroup]) -> FluentVars:
    """Divide the fluents of a game into variables.

    Args:
        program: The game.
        groups: Fluents that exclude each other; none gives the Boolean encoding.
    """
    shares = _partition(program.num_fluents, groups)
    names: dict[str, int] = {}
    domains: list[Domain] = []
    var_of_fluent = np.zeros(program.num_fluents, dtype=np.int32)
    place_of_fluent = np.ones(program.num_fluents, dtype=np.int32)
    empty_place = np.zeros(len(shares), dtype=np.int32)
    for var, (members, is_exact) in enumerate(shares):
        terms = [program.fluents[fluent] for fluent in members]
        name, values = _describe(terms)
        names[name if name not in names else f"{name} / {words(terms[0])}"] = var
        var_of_fluent[members] = var
        if len(members) > 1:
            place_of_fluent[members] = np.arange(len(members))
            empty_place[var] = NO_PLACE if is_exact else len(members)
            domains.append(values if is_exact else (*values, None))
        else:
            domains.append(BOOLEANS)
    texts = tuple(to_kif(fluent) for fluent in program.fluents)
    return FluentVars(tuple(names), tuple(domains), var_of_fluent, place_of_fluent, empty_place, texts)


def _partition(num_fluents: int, groups: Sequence[FluentGroup]) -> list[tuple[list[int], bool]]:
    """Return the fluents of each variable, and whether one of them always holds; the largest groups are taken first."""
    free = np.ones(num_fluents, dtype=np.bool_)
    found: list[tuple[list[int], bool]] = []
    for group in sorted(groups, key=lambda group: (-len(group.fluents), not group.exactly_one, group.fluents)):
        members = [fluent for fluent in sorted(group.fluents) if free[fluent]]
        if len(members) > 1:
            free[members] = False
            found.append((members, group.exactly_one and len(members) == len(group.fluents)))
    found += [([fluent], False) for fluent in np.flatnonzero(free).tolist()]
    return sorted(found)


def _describe(fluents: Sequence[GroundTerm]) -> tuple[str, Domain]:
    """Return a name for the variable of some fluents, and what to call its values: the arguments that differ.

    >>> _describe([("cell", "1", "x"), ("cell", "1", "o")])
    ('cell 1', ('x', 'o'))
    >>> _describe([("at", "1", "king"), ("at", "2", "king")])
    ('at ? king', ('1', '2'))
    >>> _describe([("to", "1"), "from"])
    ('to or from', ('to 1', 'from'))
    """
    if len(fluents) == 1:
        return words(fluents[0]), BOOLEANS
    shapes = dict.fromkeys((functor(fluent), len(arguments(fluent))) for fluent in fluents)
    if len(shapes) > 1:
        return " or ".join(dict.fromkeys(name for name, _ in shapes)), tuple(words(fluent) for fluent in fluents)
    columns = list(zip(*(arguments(fluent) for fluent in fluents), strict=True))
    varied = [len(set(column)) > 1 for column in columns]
    fixed = ["?" if differs else _nested(column[0]) for column, differs in zip(columns, varied, strict=True)]
    while fixed and varied[len(fixed) - 1]:
        fixed.pop()
    values = tuple(
        " ".join(_nested(column[row]) for column, differs in zip(columns, varied, strict=True) if differs)
        for row in range(len(fluents))
    )
    return " ".join([functor(fluents[0]), *fixed]), values


def words(term: GroundTerm) -> str:
    """Return a term in the game's own words, without the outer brackets.

    >>> words(("mark", "1", ("cell", "2")))
    'mark 1 (cell 2)'
    """
    text = to_kif(term)
    return text[1:-1] if isinstance(term, tuple) else text


def _nested(term: object) -> str:
    return to_kif(term)  # type: ignore[arg-type]  # an argument of a ground term is a ground term
