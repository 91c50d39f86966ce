"""Constraints as decision diagrams, whose layers are in the order of the prefix.

A *diagram* has a layer for each variable of a constraint. A node of it leads for each value to a node of the next
layer, or nowhere (`REJECT`); values that lead through all layers satisfy the constraint. Equal nodes are one, so a sum
over many variables, or a clause, has a small diagram though its table would be huge.

A diagram is made by a *reader*, which is shown a value after the other and keeps what matters as its state.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from woodstock.common.errors import UsageError
from woodstock.cp.constraints import Channel, Clauses, Constraint, Founded, Gates, Linear, OneHot, Predicate, Table
from woodstock.cp.network import Network
from woodstock.qcsp.network import QuantifiedNetwork
from woodstock.qcsp.semantics import literals_of

REJECT: Final = -1
MAX_STATES: Final = 2_000_000
"""A constraint whose reader has more states than that is not made into a diagram."""

State = Hashable
Reader = Callable[[State, int, int], State]
"""Given a state, a layer and a place, returns the next state, or None if that can only end badly."""

FREE: Final = "free"
"""The state of a reader that is satisfied whatever comes."""


class Diagram(NamedTuple):
    """A constraint as a diagram.

    Attributes:
        turns: The turn of each layer, ascending.
        layers: For each layer and node the number of the next node, or REJECT, for each place; the first layer has one
            node, behind the last one all nodes are 0.
    """

    turns: tuple[int, ...]
    layers: list[list[tuple[int, ...]]]

    @property
    def num_nodes(self) -> int:
        return sum(map(len, self.layers))


def diagrams_of(quantified: QuantifiedNetwork) -> Iterator[Diagram]:
    """Yield a diagram for each constraint.

    Raises:
        UsageError: A constraint is of a kind, or of a size, that has no diagram.
    """
    for constraint in quantified.network.constraints:
        for diagram in constraint_diagrams(quantified, constraint):
            if diagram.turns:
                yield diagram
            elif not _is_true_of_nothing(constraint):
                yield Diagram((0,), [[(REJECT,) * len(quantified.domains[0])]])


def _is_true_of_nothing(constraint: Constraint) -> bool:
    """Tell whether a constraint without variables holds."""
    match constraint:
        case Table():
            return (len(constraint.tuples) > 0) == constraint.is_allowed
        case Predicate():
            return constraint.holds()
        case OneHot():
            return not constraint.exactly
        case Linear():
            return constraint.low <= 0 <= constraint.high
        case _:
            return False  # an empty clause


def constraint_diagrams(quantified: QuantifiedNetwork, constraint: Constraint) -> Iterator[Diagram]:
    """Yield a diagram for each constraint of an entry."""
    network = quantified.network
    match constraint:
        case Table():
            yield _table_diagram(quantified, constraint)
        case Predicate():
            yield _predicate_diagram(quantified, constraint)
        case Clauses():
            for clause in literals_of(constraint):
                yield _literal_diagram(quantified, clause, _clause_reader)
        case Gates():
            for out, body in zip(constraint.outs.tolist(), literals_of(constraint), strict=True):
                yield _gate_diagram(quantified, out, body)
        case Channel():
            first = network.first_choices[constraint.var]
            for place, literal in enumerate(constraint.literals):
                yield _gate_diagram(quantified, literal, [2 * (first + place)])
        case OneHot():
            weights = (1,) * len(constraint.literals)
            yield _sum_diagram(quantified, Linear(constraint.literals, weights, int(constraint.exactly), 1))
        case Linear():
            yield _sum_diagram(quantified, constraint)
        case Founded():
            raise UsageError("expected constraints over given values, found founded rules: they are not quantified")


def build(sizes: Sequence[int], start: State, reader: Reader) -> list[list[tuple[int, ...]]]:
    """Return the layers of what a reader accepts, with equal nodes joined."""
    states: list[list[State]] = [[start]]
    arcs: list[list[list[State]]] = []
    total = 0
    for layer, size in enumerate(sizes):
        rows = [[reader(state, layer, place) for place in range(size)] for state in states[-1]]
        following = dict.fromkeys(state for row in rows for state in row if state is not None)
        arcs.append(rows)
        states.append(list(following))
        total += len(following)
        if total > MAX_STATES:
            raise UsageError(f"expected a constraint whose diagram has at most {MAX_STATES} nodes, found a larger one")
    return _reduced(states, arcs)


def _reduced(states: list[list[State]], arcs: list[list[list[State]]]) -> list[list[tuple[int, ...]]]:
    """Join equal nodes, from the last layer to the first; nodes that lead nowhere go."""
    numbers: dict[State, int] = dict.fromkeys(states[-1], 0)
    layers: list[list[tuple[int, ...]]] = []
    for layer in range(len(arcs) - 1, -1, -1):
        nodes: dict[tuple[int, ...], int] = {}
        found: dict[State, int] = {}
        for state, row in zip(states[layer], arcs[layer], strict=True):
            node = tuple(REJECT if nxt is None else numbers.get(nxt, REJECT) for nxt in row)
            if layer == 0 or any(child != REJECT for child in node):
                found[state] = nodes.setdefault(node, len(nodes))
        layers.append(list(nodes))
        numbers = found
    return layers[::-1]


def _table_diagram(quantified: QuantifiedNetwork, table: Table) -> Diagram:
    turns, columns = _sorted_scope(quantified, table.scope)
    sizes = [len(quantified.domains[turn]) for turn in turns]
    tuples = np.asarray(table.tuples, np.int64).reshape(len(table.tuples), len(turns))
    rows = sorted(set(map(tuple, tuples[:, columns].tolist())))
    return Diagram(turns, build(sizes, (0, len(rows), ()), _table_reader(rows, len(turns), table.is_allowed)))


def _table_reader(rows: list[tuple[int, ...]], arity: int, is_allowed: bool) -> Reader:
    def read(state: State, layer: int, place: int) -> State:
        if state == FREE:
            return FREE
        low, high, prefix = state  # type: ignore[misc]
        prefix = (*prefix, place)  # type: ignore[has-type]
        low = bisect_left(rows, prefix, low, high)  # type: ignore[has-type]
        high = bisect_left(rows, (*prefix[:-1], place + 1), low, high)  # type: ignore[has-type]
        if low == high:
            return None if is_allowed else FREE
        if layer == arity - 1:
            return FREE if is_allowed else None
        return low, high, prefix

    return read


def _predicate_diagram(quantified: QuantifiedNetwork, predicate: Predicate) -> Diagram:
    turns, columns = _sorted_scope(quantified, predicate.scope)
    domains = [quantified.domains[turn] for turn in turns]
    if math.prod(map(len, domains)) > MAX_STATES:
        found = math.prod(map(len, domains))
        raise UsageError(f"expected at most {MAX_STATES} combinations of values for {predicate.name}, found {found}")

    def read(state: State, layer: int, place: int) -> State:
        values = (*state, domains[layer][place])  # type: ignore[misc]
        if layer < len(turns) - 1:
            return values
        asked = [values[columns.index(column)] for column in range(len(columns))]
        return FREE if predicate.holds(*asked) else None

    return Diagram(turns, build(list(map(len, domains)), (), read))


def _sorted_scope(quantified: QuantifiedNetwork, scope: Sequence[int]) -> tuple[tuple[int, ...], list[int]]:
    """Return the turns of variables in ascending order, and where each stands in the scope."""
    columns = sorted(range(len(scope)), key=lambda column: quantified.turn_of_var[scope[column]])
    return tuple(quantified.turn_of_var[scope[column]] for column in columns), columns


class _Literals(NamedTuple):
    """Literals by turn.

    Attributes:
        turns: Their turns, ascending.
        of_layer: For each turn the literals there, as pairs of a place and whether the variable has it.
    """

    turns: tuple[int, ...]
    of_layer: list[list[tuple[int, bool]]]

    def holding(self, layer: int, place: int) -> list[bool]:
        """Tell which literals of a layer hold."""
        return [(place == wanted) == is_equal for wanted, is_equal in self.of_layer[layer]]


def _grouped(quantified: QuantifiedNetwork, literals: Sequence[int]) -> _Literals:
    network = quantified.network
    found: dict[int, list[tuple[int, bool]]] = {}
    for literal in literals:
        turn, place = _turn_and_place(network, quantified, literal)
        found.setdefault(turn, []).append((place, not literal & 1))
    turns = tuple(sorted(found))
    return _Literals(turns, [found[turn] for turn in turns])


def _turn_and_place(network: Network, quantified: QuantifiedNetwork, literal: int) -> tuple[int, int]:
    var = network.var_of_choice(literal >> 1)
    return quantified.turn_of_var[var], (literal >> 1) - network.first_choices[var]


def _literal_diagram(
    quantified: QuantifiedNetwork, literals: Sequence[int], make: Callable[[_Literals], Reader]
) -> Diagram:
    grouped = _grouped(quantified, literals)
    sizes = [len(quantified.domains[turn]) for turn in grouped.turns]
    return Diagram(grouped.turns, build(sizes, "open", make(grouped)))


def _clause_reader(grouped: _Literals) -> Reader:
    last = len(grouped.turns) - 1

    def read(state: State, layer: int, place: int) -> State:
        if state == FREE or any(grouped.holding(layer, place)):
            return FREE
        return None if layer == last else state

    return read


def _gate_diagram(quantified: QuantifiedNetwork, out: int, body: Sequence[int]) -> Diagram:
    """Return the diagram of a literal that equals a conjunction."""
    grouped = _grouped(quantified, [out, *body])
    inputs = _grouped(quantified, body)
    out_turn, out_place = _turn_and_place(quantified.network, quantified, out)
    last = len(grouped.turns) - 1

    def read(state: State, layer: int, place: int) -> State:
        is_body_true, is_out_true = state  # type: ignore[misc]
        turn = grouped.turns[layer]
        if turn in inputs.turns:
            is_body_true = is_body_true and all(inputs.holding(inputs.turns.index(turn), place))  # type: ignore[has-type]
        if turn == out_turn:
            is_out_true = (place == out_place) != bool(out & 1)
        return None if layer == last and is_body_true != is_out_true else (is_body_true, is_out_true)

    sizes = [len(quantified.domains[turn]) for turn in grouped.turns]
    return Diagram(grouped.turns, build(sizes, (True, False), read))


def _sum_diagram(quantified: QuantifiedNetwork, linear: Linear) -> Diagram:
    grouped = _grouped(quantified, linear.literals)
    sizes = [len(quantified.domains[turn]) for turn in grouped.turns]
    added = [[0] * size for size in sizes]
    for literal, weight in zip(linear.literals, linear.weights, strict=True):
        turn, place = _turn_and_place(quantified.network, quantified, literal)
        layer = grouped.turns.index(turn)
        for other in range(sizes[layer]):
            added[layer][other] += weight * ((other == place) != bool(literal & 1))
    least = [sum(map(min, added[layer:])) for layer in range(len(added) + 1)]
    most = [sum(map(max, added[layer:])) for layer in range(len(added) + 1)]

    def read(state: State, layer: int, place: int) -> State:
        if state == FREE:
            return FREE
        total: int = state + added[layer][place]  # type: ignore[operator]
        low, high = total + least[layer + 1], total + most[layer + 1]
        if high < linear.low or low > linear.high:
            return None
        return FREE if linear.low <= low and high <= linear.high else total

    return Diagram(grouped.turns, build(sizes, 0, read))
