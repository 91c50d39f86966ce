r"""Quantified networks as quantified Boolean formulas in QDIMACS, and back.

A formula becomes a network of truth values whose constraints are its clauses. A network becomes a formula so:

- An existential variable has a Boolean for each value; at least one of them holds, and at most one.
- A universal variable has as many universal Booleans as its values have binary digits; codes that are too large stand
  for the first values once more. A Boolean for each value, existential and to be chosen afterwards, must hold for its
  codes.
- A constraint has a Boolean for each node of its diagram (`woodstock.qcsp.diagrams`): the first one holds; where one
  holds, and the value that leads on, the next one does; a value that leads nowhere does not hold then.

>>> from woodstock.qcsp.network import Block
>>> formula = read_qdimacs("p cnf 2 2\na 1 0\ne 2 0\n1 2 0\n-1 -2 0\n")
>>> print(formula)
∀1 ∃2, 2 constraints
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from woodstock.common.errors import UsageError
from woodstock.cp.constraints import Clauses
from woodstock.cp.network import Network
from woodstock.qcsp.diagrams import REJECT, Diagram, diagrams_of
from woodstock.qcsp.network import Block, QuantifiedNetwork

MAX_VARS = 1_000_000


def read_qdimacs(text: str, name: str = "formula") -> QuantifiedNetwork:
    """Return a formula as a network; variables that no quantifier names are existential, and the outermost.

    Raises:
        UsageError: The text is no formula in QDIMACS.
    """
    reader = _Reader()
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if not words or words[0] == "c":
            continue
        try:
            reader.read(words)
        except UsageError as error:
            raise UsageError(f"line {number}: {error}") from None
    return reader.finish(name)


class _Reader:
    """Takes a formula line by line."""

    def __init__(self) -> None:
        self._num_vars = -1
        self._num_clauses = 0
        self._prefix: list[tuple[bool, list[int]]] = []
        self._clauses: list[list[int]] = []

    def read(self, words: list[str]) -> None:
        if words[0] == "p":
            self._read_header(words)
            return
        if self._num_vars < 0:
            raise UsageError(f"expected 'p cnf VARIABLES CLAUSES' first, found {' '.join(words)[:40]!r}")
        numbers = _numbers(words[1:] if words[0] in ("a", "e") else words)
        if not numbers or numbers[-1] != 0 or 0 in numbers[:-1]:
            raise UsageError(f"expected a 0 at the end of the line and nowhere else, found {' '.join(words)[:40]!r}")
        wrong = next((number for number in numbers if abs(number) > self._num_vars), None)
        if wrong is not None:
            raise UsageError(f"expected variables from 1 to {self._num_vars}, found {abs(wrong)}")
        if words[0] not in ("a", "e"):
            self._clauses.append(numbers[:-1])
            return
        if self._clauses:
            raise UsageError("expected clauses, found a quantifier after the first of them")
        known = {var for _, given in self._prefix for var in given}
        for var in numbers[:-1]:
            if var < 0 or var in known:
                raise UsageError(f"expected each variable once behind the quantifiers, found {var}")
            known.add(var)
        self._prefix.append((words[0] == "a", numbers[:-1]))

    def _read_header(self, words: list[str]) -> None:
        if self._num_vars >= 0 or len(words) != 4 or words[1] != "cnf" or min(_numbers(words[2:])) < 0:
            raise UsageError(f"expected one line 'p cnf VARIABLES CLAUSES', found {' '.join(words)[:40]!r}")
        self._num_vars, self._num_clauses = _numbers(words[2:])
        if not 0 < self._num_vars <= MAX_VARS:
            raise UsageError(f"expected 1 to {MAX_VARS} variables, found {self._num_vars}")

    def finish(self, name: str) -> QuantifiedNetwork:
        if self._num_vars < 0:
            raise UsageError("expected a formula in QDIMACS, with a line 'p cnf VARIABLES CLAUSES', found none")
        if len(self._clauses) != self._num_clauses:
            raise UsageError(
                f"expected {self._num_clauses} clauses, as the first line says, found {len(self._clauses)}"
            )
        network = Network()
        network.add_vars([str(var) for var in range(1, self._num_vars + 1)])
        rows = [[4 * (abs(number) - 1) + (2 if number > 0 else 0) for number in clause] for clause in self._clauses]
        if rows:
            start = np.cumsum([0, *map(len, rows)]).astype(np.int64)
            network.add(Clauses(start, np.array([literal for row in rows for literal in row], np.int32)))
        named = {var for _, given in self._prefix for var in given}
        free = tuple(var - 1 for var in range(1, self._num_vars + 1) if var not in named)
        blocks = [Block(False, free)] if free else []
        blocks += [
            Block(is_universal, tuple(var - 1 for var in given)) for is_universal, given in self._prefix if given
        ]
        return QuantifiedNetwork(network, tuple(blocks), name)


def _numbers(words: list[str]) -> list[int]:
    try:
        return [int(word) for word in words]
    except ValueError:
        raise UsageError(f"expected whole numbers, found {' '.join(words)[:40]!r}") from None


@dataclass
class _Formula:
    """A formula being made.

    Attributes:
        num_vars: How many variables it has.
        prefix: Quantifiers with their variables.
        clauses: Its clauses.
    """

    num_vars: int = 0
    prefix: list[tuple[bool, list[int]]] = field(default_factory=list)
    clauses: list[list[int]] = field(default_factory=list)

    def add_vars(self, count: int, is_universal: bool) -> list[int]:
        made = list(range(self.num_vars + 1, self.num_vars + count + 1))
        self.num_vars += count
        if made and self.prefix and self.prefix[-1][0] == is_universal:
            self.prefix[-1][1].extend(made)
        elif made:
            self.prefix.append((is_universal, list(made)))
        return made

    def text(self) -> str:
        lines = [f"p cnf {self.num_vars} {len(self.clauses)}"]
        lines += [f"{'a' if universal else 'e'} {' '.join(map(str, names))} 0" for universal, names in self.prefix]
        lines += [" ".join(map(str, [*clause, 0])) for clause in self.clauses]
        return "\n".join(lines) + "\n"


def write_qdimacs(quantified: QuantifiedNetwork) -> str:
    """Return a formula that is true if and only if a network is.

    Raises:
        UsageError: A constraint cannot be made into a diagram.
    """
    formula = _Formula()
    values: list[list[int]] = []
    for turn, is_universal in enumerate(quantified.is_universal):
        size = len(quantified.domains[turn])
        values.append(_add_universal(formula, size) if is_universal else _add_existential(formula, size))
    for diagram in diagrams_of(quantified):
        _add_constraint(formula, diagram, values)
    return formula.text()


def _add_existential(formula: _Formula, size: int) -> list[int]:
    made = formula.add_vars(size, is_universal=False)
    formula.clauses.append(list(made))
    formula.clauses += [[-one, -other] for place, one in enumerate(made) for other in made[place + 1 :]]
    return made


def _add_universal(formula: _Formula, size: int) -> list[int]:
    bits = formula.add_vars((size - 1).bit_length(), is_universal=True)
    made = formula.add_vars(size, is_universal=False)
    for code in range(1 << len(bits)):
        differs = [-bit if code >> place & 1 else bit for place, bit in enumerate(bits)]
        formula.clauses.append([*differs, made[code % size]])
    return made


def _add_constraint(formula: _Formula, diagram: Diagram, values: list[list[int]]) -> None:
    nodes = [formula.add_vars(len(layer), is_universal=False) for layer in diagram.layers]
    formula.clauses.append([nodes[0][0]])
    for depth, (turn, layer) in enumerate(zip(diagram.turns, diagram.layers, strict=True)):
        for node, children in zip(nodes[depth], layer, strict=True):
            for value, child in zip(values[turn], children, strict=True):
                if child == REJECT:
                    formula.clauses.append([-node, -value])
                elif depth + 1 < len(nodes):
                    formula.clauses.append([-node, -value, nodes[depth + 1][child]])
