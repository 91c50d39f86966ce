"""What expressions and sums of an XCSP3 instance become in a network."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from typing import Final

import numpy as np

from woodstock.common.errors import UsageError
from woodstock.cp.constraints import Clauses, Gates, Int32Array, Int64Array, Linear, Predicate, Table
from woodstock.cp.network import Network
from woodstock.cp.xcsp3.expressions import Call, Expression, evaluate, holds, variables_of
from woodstock.cp.xcsp3.variables import INTERVAL, NUMBER, Variables, read_values

MAX_COMBINATIONS: Final = 10_000
"""An expression with more combinations of values does not become a table: it is asked."""

CONDITION: Final = re.compile(r"\s*\(\s*(\w+)\s*,\s*(.+?)\s*\)\s*", re.DOTALL)

Operand = int | range | list[int]
"""What a sum is compared with: a number, an interval or a set."""


class Posting:
    """Adds constraints to a network; clauses and gates are gathered and added at the end."""

    def __init__(self, variables: Variables) -> None:
        self._variables = variables
        self._network = variables.network
        self._clauses: list[list[int]] = []
        self._gates: list[tuple[int, list[int]]] = []

    def finish(self) -> Network:
        """Return the network."""
        if self._clauses:
            self._network.add(Clauses(*_packed(self._clauses)))
        if self._gates:
            outs = np.array([out for out, _ in self._gates], np.int32)
            self._network.add(Gates(outs, *_packed([body for _, body in self._gates])))
        return self._network

    def post(self, expression: Expression) -> None:
        """Add that an expression holds: as clauses or as a gate if it is like that, else as a table or a predicate."""
        if isinstance(expression, Call) and expression.operator == "and":
            for operand in expression.operands:
                self.post(operand)
            return
        clause = self._literals("or", expression)
        if clause is not None:
            self._clauses.append(clause)
        elif not self._post_gate(expression):
            self._post_relation(expression)

    def _post_gate(self, expression: Expression) -> bool:
        """Add the equality of a literal and a conjunction or disjunction, if the expression is one."""
        if not isinstance(expression, Call) or expression.operator != "iff" or len(expression.operands) != 2:
            return False
        for left, right in itertools.permutations(expression.operands):
            out = self._literal(left)
            if out is None:
                continue
            conjunction, disjunction = self._literals("and", right), self._literals("or", right)
            if conjunction is not None:
                self._gates.append((out, conjunction))
            elif disjunction is not None:
                self._gates.append((out ^ 1, [literal ^ 1 for literal in disjunction]))
            else:
                continue
            return True
        return False

    def _literals(self, operator: str, expression: Expression) -> list[int] | None:
        """Return the operands of an operator, or an expression alone, as literals, if all of them are some."""
        is_joined = isinstance(expression, Call) and expression.operator == operator
        operands = expression.operands if isinstance(expression, Call) and is_joined else (expression,)
        literals = [self._literal(operand) for operand in operands]
        return None if None in literals else [literal for literal in literals if literal is not None]

    def _literal(self, expression: Expression) -> int | None:
        """Return an expression as a literal, if it is one."""
        match expression:
            case str() if self._variables.domain(expression) in {(0, 1), (1,)}:
                return self._network.literal(self._variables.number(expression), 1)
            case Call("not", (operand,)):
                literal = self._literal(operand)
                return None if literal is None else literal ^ 1
            case Call(("eq" | "ne") as operator, (str() as name, int() as value) | (int() as value, str() as name)):
                if value in self._variables.domain(name):
                    return self._network.literal(self._variables.number(name), value, holds=operator == "eq")
        return None

    def _post_relation(self, expression: Expression) -> None:
        names = variables_of(expression)
        scope = tuple(self._variables.number(name) for name in names)
        domains = [self._variables.domain(name) for name in names]
        is_true = holds(expression, names)
        if math.prod(map(len, domains)) > MAX_COMBINATIONS:
            self._network.add(Predicate(scope, is_true, f"expression of {', '.join(names)}"))
        elif scope:
            rows = zip(itertools.product(*(range(len(d)) for d in domains)), itertools.product(*domains), strict=True)
            allowed = [places for places, values in rows if is_true(*values)]
            self._network.add(Table(scope, np.array(allowed, np.int32).reshape(-1, len(scope))))
        elif not is_true():
            self._clauses.append([])

    def post_sum(self, terms: list[tuple[Expression, int]], condition: str) -> None:
        """Add a condition on a weighted sum: as a bounded sum of literals if each term is about one variable."""
        match = CONDITION.fullmatch(condition)
        if match is None:
            raise UsageError(f"expected a condition such as (le,3), found {condition!r}")
        operator, operand = match[1], self._operand(match[2])
        if isinstance(operand, str):
            terms, operand = [*terms, (operand, -1)], 0
        weighted = [self._weighted_literals(term, weight) for term, weight in terms]
        bounds = _bounds(operator, operand)
        if bounds is None or None in weighted:
            total = Call("add", tuple(Call("mul", (term, weight)) for term, weight in terms))
            self._post_relation(_condition(total, operator, operand))
            return
        literals = [pair for pairs in weighted if pairs is not None for pair in pairs]
        least = sum(min(weight, 0) for _, weight in literals)
        most = sum(max(weight, 0) for _, weight in literals)
        low, high = (limit if known is None else known for known, limit in zip(bounds, (least, most), strict=True))
        weights = tuple(weight for _, weight in literals)
        self._network.add(Linear(tuple(literal for literal, _ in literals), weights, low, high))

    def _operand(self, text: str) -> int | str | range | list[int]:
        """Return the right side of a condition."""
        interval = INTERVAL.fullmatch(text)
        if interval is not None:
            return range(int(interval[1]), int(interval[2]) + 1)
        if text.startswith("{") and text.endswith("}"):
            return read_values(text[1:-1].replace(",", " "))
        if NUMBER.fullmatch(text) is not None:
            return int(text)
        self._variables.number(text)
        return text

    def _weighted_literals(self, term: Expression, weight: int) -> list[tuple[int, int]] | None:
        """Return a literal for each value of a term about one variable, with what it adds to a sum."""
        names = variables_of(term)
        if len(names) != 1:
            return None
        var = self._variables.number(names[0])
        try:
            added = [weight * evaluate(term, {names[0]: value}) for value in self._variables.domain(names[0])]
        except ZeroDivisionError:
            return None
        first = self._network.first_choices[var]
        return [(2 * (first + place), value) for place, value in enumerate(added) if value]


def _packed(rows: Sequence[Sequence[int]]) -> tuple[Int64Array, Int32Array]:
    """Return where each row begins, and all rows one after the other."""
    start = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    return start, np.array([literal for row in rows for literal in row], np.int32)


def _bounds(operator: str, operand: Operand) -> tuple[int | None, int | None] | None:
    """Return the least and the most that a condition allows, None if there is no such limit or that is not all."""
    match operator, operand:
        case "lt", int():
            return None, operand - 1
        case "le", int():
            return None, operand
        case "ge", int():
            return operand, None
        case "gt", int():
            return operand + 1, None
        case "eq", int():
            return operand, operand
        case "in", range():
            return operand.start, operand.stop - 1
    return None


def _condition(total: Expression, operator: str, operand: Operand) -> Expression:
    """Return a condition on an expression as another one."""
    if isinstance(operand, int) and operator in {"lt", "le", "ge", "gt", "eq", "ne"}:
        return Call(operator, (total, operand))
    if isinstance(operand, range | list) and operator in {"in", "notin"}:
        return Call(operator, (total, *operand))
    raise UsageError(
        f"expected a number after lt le ge gt eq ne, an interval or a set after in notin, found {operator}"
    )
