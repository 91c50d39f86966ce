"""The order in which the conditions of a rule are tried.

Greedy: a condition whose variables are all known is a test and comes at once, cheap ones first; otherwise the
condition that is expected to have the fewest answers comes next. Relations that depend on themselves and are asked
for everything, or that build terms, come last, with as much known as possible: some of them have no end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from heapq import heapify, heappop, heappush

from woodstock.game.reference.goals import BOUND, FREE, modes_of
from woodstock.game.reference.program import DISTINCT, Kind, Level, Program
from woodstock.game.reference.statistics import Statistics
from woodstock.gdl.dependency import relation
from woodstock.gdl.rules import Clause, Literal
from woodstock.gdl.terms import LogicVar, Term, iter_variables, variables

_RECURSIVE_PENALTY = 1e6
_TEST_COST = {Kind.EMPTY: 0, Kind.FACTS: 1, Kind.FLUENTS: 1, Kind.MOVES: 1, Kind.RULES: 3, Kind.RECURSIVE: 5}

_Rank = tuple[float, float]
"""Expected answers, then cost: the least comes first."""


class Planner:
    """Orders the conditions of clauses."""

    def __init__(self, program: Program, statistics: Statistics) -> None:
        self._program = program
        self._statistics = statistics

    def order(self, clause: Clause, bound: Iterable[LogicVar], wanted: Iterable[Term]) -> list[Literal]:
        """Return the body in the order of evaluation.

        Args:
            clause: The clause.
            bound: Variables known from the start.
            wanted: Terms whose variables are needed at the end.
        """
        body = clause.body
        known = set(bound)
        once = used_once(body, known, wanted)
        users: dict[LogicVar, list[int]] = {}
        for place, literal in enumerate(body):
            for var in variables(literal.atom):
                users.setdefault(var, []).append(place)
        ranks: list[_Rank | None] = [self._rank(literal, known, once) for literal in body]
        heap = [(rank, place) for place, rank in enumerate(ranks) if rank is not None]
        heapify(heap)
        order: list[Literal] = []
        while heap:
            rank, place = heappop(heap)
            if ranks[place] != rank:
                continue  # Ranked anew since, or done.
            ranks[place] = None
            order.append(body[place])
            new = [var for var in variables(body[place].atom) if var not in known]
            known.update(new)
            for other in sorted({other for var in new for other in users[var] if ranks[other] is not None}):
                rank = ranks[other] = self._rank(body[other], known, once)
                heappush(heap, (rank, other))
        return order

    def _rank(self, literal: Literal, known: set[LogicVar], once: set[LogicVar]) -> _Rank:
        """Return the rank of a condition when some variables are known; one that cannot be tested yet comes last."""
        name = relation(literal.atom)
        if name == DISTINCT or not literal.positive:
            if any(var not in known for var in iter_variables(literal.atom)):
                return float("inf"), 0.0
            return (0.0, 0.0) if name == DISTINCT else (0.0, self._test_cost(literal))
        args, size = self._statistics.arguments(literal)
        modes = modes_of(args, known, once)
        if modes.count(BOUND) == len(modes):
            return 0.0, self._test_cost(literal)
        answers = size.answers(modes)
        cost = self._test_cost(literal)
        if self._program.kind(name) is Kind.RECURSIVE and (BOUND not in modes or self._program.is_constructive(name)):
            return _RECURSIVE_PENALTY ** modes.count(FREE) + answers, cost
        return answers, cost

    def _test_cost(self, literal: Literal) -> float:
        name = relation(literal.atom)
        level = self._program.levels.get(name, Level.STATIC)
        return _TEST_COST[self._program.kind(name)] + level / 2


def used_once(body: Iterable[Literal], bound: Iterable[LogicVar], wanted: Iterable[Term]) -> set[LogicVar]:
    """Return the variables that nothing but one occurrence in the body needs."""
    count = Counter(var for literal in body for var in iter_variables(literal.atom))
    needed = {*bound, *variables(*wanted)}
    return {var for var, number in count.items() if number == 1 and var not in needed}
