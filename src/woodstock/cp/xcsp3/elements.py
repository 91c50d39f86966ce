"""Constraints as elements of an XCSP3 file.

Solvers are picky about expressions, so they are simplified: no operand is there twice or beside its complement, none
is a constant, `or` and `and` have at least two, and a variable alone is no expression.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from woodstock.common.errors import UsageError
from woodstock.cp.constraints import Channel, Clauses, Constraint, Founded, Gates, Linear, OneHot, Predicate, Table
from woodstock.cp.network import Network

MAX_COMBINATIONS: Final = 100_000
"""A predicate with more combinations of values is not written."""

TRUE: Final = -2
FALSE: Final = TRUE ^ 1
"""What stands for literals that always have the same value."""

NEVER: Final = "<intension> lt(v0,0) </intension>"
"""A constraint that nothing satisfies: there is no value below 0."""


class Loop(NamedTuple):
    """Rules to be unrolled: as many rounds as there are heads derive all that can be derived.

    Attributes:
        number: Which loop of the network it is.
        heads: The literals that are derived, each once.
        rules: The head and the body of each rule.
    """

    number: int
    heads: tuple[int, ...]
    rules: tuple[tuple[int, tuple[int, ...]], ...]

    @property
    def rounds(self) -> range:
        return range(1, len(self.heads) + 1)

    def derived(self, head: int, number: int) -> str:
        """Return the name of the variable that says that a head is derived by a round."""
        return f"f{self.number}_{number}_{self.heads.index(head)}"

    def fires(self, rule: int, number: int) -> str:
        """Return the name of the variable that says that a rule fires in a round."""
        return f"f{self.number}_{number}_{len(self.heads) + rule}"

    def names(self) -> Iterator[str]:
        """Yield the names of all variables."""
        for number in self.rounds:
            yield from (self.derived(head, number) for head in self.heads)
            yield from (self.fires(rule, number) for rule in range(len(self.rules)))


def loops_of(network: Network) -> Iterator[Loop]:
    """Yield what is to be unrolled."""
    entries = [entry for entry in network.constraints if isinstance(entry, Founded)]
    same = _same_literals(network) if entries else []
    for number, founded in enumerate(entries):
        heads = [same[head] for head in founded.heads]
        bodies = (tuple(same[literal] for literal in body) for body in _rows(founded))
        yield Loop(number, tuple(dict.fromkeys(heads)), tuple(zip(heads, bodies, strict=True)))


def _same_literals(network: Network) -> list[int]:
    """Return for each literal one that says the same; of a variable with two values, all are about the second."""
    same = list(range(2 * network.num_choices))
    for first, domain in zip(network.first_choices, network.domains, strict=False):
        if len(domain) == 2:
            same[2 * first : 2 * first + 2] = [2 * first + 3, 2 * first + 2]
    return same


def _rows(constraint: Clauses | Gates | Founded) -> Iterator[list[int]]:
    """Yield the literals of each clause, conjunction or body."""
    for start, end in itertools.pairwise(constraint.start):
        yield constraint.data[start:end].tolist()


class Elements:
    """Writes the constraints of a network."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self._simple = _same_literals(network)
        self._texts: list[str] = []
        for var, domain in enumerate(network.domains):
            if len(domain) == 1:
                self._simple[len(self._texts) : len(self._texts) + 2] = [TRUE, FALSE]
            for place in range(len(domain)):
                self._texts += _literal_texts(var, place, len(domain))

    def lines(self) -> Iterator[str]:
        """Yield all constraints, an element on each line."""
        for constraint in self._network.constraints:
            yield from self._of(constraint)
        for loop in loops_of(self._network):
            yield from self._unrolled(loop)

    def _of(self, constraint: Constraint) -> Iterator[str]:
        match constraint:
            case Table():
                yield from _extension(constraint.scope, np.asarray(constraint.tuples).tolist(), constraint.is_allowed)
            case Predicate():
                yield from _extension(constraint.scope, self._tabulated(constraint), is_allowed=True)
            case Clauses():
                for clause in _rows(constraint):
                    yield from self._clause(clause)
            case Gates():
                for out, body in zip(constraint.outs.tolist(), _rows(constraint), strict=True):
                    yield from self._gate(out, body)
            case OneHot():
                low = 1 if constraint.exactly else 0
                yield from self._sum(constraint.literals, [1] * len(constraint.literals), low, 1)
            case Linear():
                yield from self._sum(constraint.literals, constraint.weights, constraint.low, constraint.high)
            case Channel():
                first = self._network.first_choices[constraint.var]
                for place, literal in enumerate(constraint.literals):
                    yield from self._gate(literal, [2 * (first + place)])
            case Founded():
                return  # unrolled after all others

    def _tabulated(self, constraint: Predicate) -> list[tuple[int, ...]]:
        """Return the places of the values that a predicate allows."""
        domains = [self._network.domains[var] for var in constraint.scope]
        combinations = math.prod(map(len, domains))
        if combinations > MAX_COMBINATIONS:
            expected = f"expected at most {MAX_COMBINATIONS} combinations of values for {constraint.name}"
            raise UsageError(f"{expected}, to write them as a table, found {combinations}")
        places = itertools.product(*(range(len(domain)) for domain in domains))
        values = itertools.product(*domains)
        return [row for row, asked in zip(places, values, strict=True) if constraint.holds(*asked)]

    def _conjunction(self, literals: Iterable[int]) -> list[int] | None:
        """Return simple literals, each once and none constant; None if they cannot hold together."""
        kept = dict.fromkeys(self._simple[literal] for literal in literals)
        kept.pop(TRUE, None)
        return None if FALSE in kept or any(literal ^ 1 in kept for literal in kept) else list(kept)

    def _clause(self, literals: Iterable[int]) -> Iterator[str]:
        """Yield a disjunction, unless it always holds."""
        complements = self._conjunction(literal ^ 1 for literal in literals)
        if complements is not None:
            yield _disjunction([self._texts[literal ^ 1] for literal in complements])

    def _gate(self, out: int, body: Iterable[int]) -> Iterator[str]:
        """Yield that a literal equals a conjunction."""
        literals = self._conjunction(body)
        simple_out = self._simple[out]
        if literals is None or simple_out == FALSE:
            yield from self._clause([out ^ 1] if literals is None else [literal ^ 1 for literal in literals])
        elif not literals or simple_out == TRUE:
            for literal in literals or [out]:
                yield from self._clause([literal])
        elif simple_out in literals:
            for literal in literals:
                yield from self._clause([out ^ 1, literal])
        elif simple_out ^ 1 in literals:
            yield from self._clause([out ^ 1])
            yield from self._clause(literal ^ 1 for literal in literals if literal != simple_out ^ 1)
        else:
            yield _equality(self._texts[simple_out], "and", [self._texts[literal] for literal in literals])

    def _sum(self, literals: Sequence[int], weights: Sequence[int], low: int, high: int) -> Iterator[str]:
        """Yield a bounded sum, over choices, each once."""
        totals: dict[int, int] = {}
        constant = 0
        for literal, weight in zip(literals, weights, strict=True):
            simple = self._simple[literal]
            sign = 1
            if simple & 1:
                constant, sign, simple = constant + weight, -1, simple ^ 1
            totals[simple] = totals.get(simple, 0) + sign * weight
        constant += totals.pop(TRUE, 0)
        terms = {self._texts[literal]: weight for literal, weight in totals.items() if weight}
        yield from _bounded_sum(terms, low - constant, high - constant)

    def _unrolled(self, loop: Loop) -> Iterator[str]:
        """Yield the rounds of a derivation, and that a head holds only if it is derived by the last one."""
        for number in loop.rounds:
            for rule, (_, body) in enumerate(loop.rules):
                literals = self._conjunction(body)
                before = sorted({literal for literal in body if literal in loop.heads})
                fires = loop.fires(rule, number)
                if literals is None or (before and number == 1):
                    yield _disjunction([f"not({fires})"])
                    continue
                derived = [loop.derived(literal, number - 1) for literal in before]
                yield _equality(fires, "and", [self._texts[literal] for literal in literals] + derived)
            for head in loop.heads:
                rules = [rule for rule, (other, _) in enumerate(loop.rules) if other == head]
                yield _equality(loop.derived(head, number), "or", [loop.fires(rule, number) for rule in rules])
        for head in loop.heads:
            derived_last = loop.derived(head, len(loop.heads))
            if self._simple[head] != FALSE:
                holds = [] if self._simple[head] == TRUE else [self._texts[head ^ 1]]
                yield _disjunction([*holds, derived_last])


def _literal_texts(var: int, place: int, size: int) -> tuple[str, str]:
    """Return a choice and its complement as expressions."""
    if size != 2:
        return f"eq(v{var},{place})", f"ne(v{var},{place})"
    return (f"v{var}", f"not(v{var})") if place else (f"not(v{var})", f"v{var}")


def _intension(expression: str) -> str:
    alone = "" if "(" in expression else f"eq({expression},1)"
    return f"<intension> {alone or expression} </intension>"


def _disjunction(operands: Sequence[str]) -> str:
    return _intension(_joined("or", operands)) if operands else NEVER


def _equality(out: str, operator: str, operands: Sequence[str]) -> str:
    """Return that an expression equals a conjunction or a disjunction; the conjunction of nothing holds."""
    return _intension(f"iff({out},{_joined(operator, operands)})" if operands else out)


def _joined(operator: str, operands: Sequence[str]) -> str:
    return operands[0] if len(operands) == 1 else f"{operator}({','.join(operands)})"


def _bounded_sum(terms: dict[str, int], low: int, high: int) -> Iterator[str]:
    """Yield a sum of weighted expressions that are 0 or 1, unless it is within its bounds anyway."""
    least = sum(weight for weight in terms.values() if weight < 0)
    most = sum(weight for weight in terms.values() if weight > 0)
    if low <= least and most <= high:
        return
    if max(low, least) > min(high, most):
        yield NEVER
    elif len(terms) == 1:
        ((text, weight),) = terms.items()
        yield _intension(text if low <= weight <= high else f"not({text})")
    else:
        between = f"(eq,{low})" if low == high else f"(in,{low}..{high})"
        condition = f"(le,{high})" if low <= least else f"(ge,{low})" if most <= high else between
        factors = f"<coeffs> {' '.join(map(str, terms.values()))} </coeffs>"
        yield f"<sum> <list> {' '.join(terms)} </list> {factors} <condition> {condition} </condition> </sum>"


def _extension(scope: Sequence[int], tuples: Iterable[Sequence[int]], is_allowed: bool) -> Iterator[str]:
    """Yield a table; the tuples come in lexicographic order, as the format wants it."""
    rows = sorted(set(map(tuple, tuples)))
    if not rows or not scope:
        if bool(rows) != is_allowed:
            yield NEVER
        return
    texts = [str(row[0]) for row in rows] if len(scope) == 1 else [f"({','.join(map(str, row))})" for row in rows]
    tag = "supports" if is_allowed else "conflicts"
    variables = " ".join(f"v{var}" for var in scope)
    joined = (" " if len(scope) == 1 else "").join(texts)
    yield f"<extension> <list> {variables} </list> <{tag}> {joined} </{tag}> </extension>"
