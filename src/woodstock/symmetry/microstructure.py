"""The microstructure complement of a one-stage network, and which moves of a position it shows to be equivalent.

As in Koriche, Lagrue, Piette and Tabary (IJCAI 2017, section 4.2): the vertices are the choices, pairs of a variable
and a value; what is disallowed joins them; the colour of a choice tells its stage and what it stands for. Tables would
be too large, so constraints come as clauses: a clause is a vertex that is joined to its literals. A variable is a
vertex too, joined to its choices, which says that it takes exactly one of them.

The graph of a stage alone says nothing about the value of what comes next, and its automorphisms join moves of
different value. So a microstructure gives no equivalent moves before one of two things is there:

- the values of all joint moves, exact ones (`add_values`; what is learnt by sampling may be added beside the rules), or
- the rules of what follows (`link_rules`): the fluents of the next position are those of the rule graph of the game.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Final, Protocol

import numpy as np

from woodstock.common.errors import UsageError
from woodstock.common.limits import Deadline
from woodstock.symmetry._automorphism import find_generators
from woodstock.symmetry.graphs import Graph, Int32Array, Int64Array, make_graph
from woodstock.symmetry.group import orbits_of
from woodstock.symmetry.rule_graph import RuleGraph

NO_ORBIT: Final = -1
"""Stands for a move that is not legal."""

ANY: Final = "*"
"""Stands in a colour for whatever it is, as in the paper."""

Colour = tuple[Hashable, Hashable, Hashable]
"""(stage, role, value); ANY where it does not matter."""


class ClausalStage(Protocol):
    """A one-stage network in clausal form, of a position, from wherever it comes.

    Literals are coded `2 * choice + negated`.
    """

    @property
    def var_of_choice(self) -> Int32Array:
        """The variable of each choice, shape (num_choices,), int32."""
        ...

    @property
    def colours(self) -> Sequence[Colour]:
        """The colour of each choice."""
        ...

    @property
    def clauses(self) -> tuple[Int64Array, Int32Array]:
        """Where each clause begins, shape (num_clauses + 1,), int64, and their literals, int32."""
        ...

    @property
    def moves(self) -> Sequence[Mapping[int, int]]:
        """For each role the choices of its legal moves, by their numbers, counted over all roles."""
        ...

    @property
    def next_choices(self) -> Int32Array:
        """For each fluent the choice that says that it holds next, shape (num_fluents,), int32."""
        ...


@dataclass(frozen=True, eq=False)
class Stage:
    """A `ClausalStage` that is written out; see there."""

    var_of_choice: Int32Array
    colours: Sequence[Colour]
    clauses: tuple[Int64Array, Int32Array]
    moves: Sequence[Mapping[int, int]]
    next_choices: Int32Array


class Microstructure:
    """The microstructure complement of a stage, to which values and rules can be added."""

    def __init__(self, stage: ClausalStage) -> None:
        self.stage = stage
        self._colours: list[Hashable] = []
        self._edges: list[tuple[int, int]] = []
        self._negated: dict[int, int] = {}
        self._is_linked = False
        self._is_valued = False
        self._add_choices(stage.var_of_choice.tolist(), list(stage.colours))
        starts, data = (each.tolist() for each in stage.clauses)
        for start, end in pairwise(starts):
            self._add_clause(data[start:end])

    def _add_vertex(self, colour: Hashable) -> int:
        self._colours.append(colour)
        return len(self._colours) - 1

    def _add_choices(self, var_of_choice: list[int], colours: list[Colour]) -> None:
        """Add the choices of all variables, which are the first vertices, and the variables."""
        for colour in colours:
            self._add_vertex(("choice", *colour))
        self._choices: dict[int, list[int]] = {}
        for choice, var in enumerate(var_of_choice):
            self._choices.setdefault(var, []).append(choice)
        for choices in self._choices.values():
            self._add_variable(choices)
        self._other = {one: two for pair in self._choices.values() if len(pair) == 2 for one, two in (pair, pair[::-1])}

    def _add_variable(self, choices: Sequence[int]) -> None:
        variable = self._add_vertex("variable")
        self._edges += [(variable, choice) for choice in choices]

    def _literal(self, literal: int) -> int:
        """Return the vertex of a literal: of two choices, not to take one is to take the other."""
        choice = literal >> 1
        if not literal & 1:
            return choice
        if choice in self._other:
            return self._other[choice]
        if choice not in self._negated:
            self._negated[choice] = self._add_vertex("negated")
            self._edges.append((self._negated[choice], choice))
        return self._negated[choice]

    def _add_clause(self, literals: Sequence[int], *more: int) -> None:
        clause = self._add_vertex("clause")
        self._edges += [(clause, vertex) for vertex in {*map(self._literal, literals), *more}]

    def add_values(self, players: Sequence[int], values: Mapping[tuple[int, ...], Sequence[float]]) -> None:
        """Add what joint moves are worth: if they are made, the values of the players are these (Q-value constraints).

        Args:
            players: The roles that have values.
            values: For joint moves of the players, by their numbers, counted over all roles, a value for each player.
                If all joint moves are there and the values are exact, equivalent moves have one value.

        Raises:
            UsageError: A move is not legal.
        """
        for joint in values:
            for role, move in zip(players, joint, strict=True):
                if move not in self.stage.moves[role]:
                    raise UsageError(f"move {move} is not legal for role {role}, so it has no value")
        for place, role in enumerate(players):
            vertex = {
                v: self._add_vertex(("value", role, v))
                for v in sorted({float(each[place]) for each in values.values()})
            }
            self._add_variable(list(vertex.values()))
            for joint, each in values.items():
                made = [2 * self.stage.moves[player][move] + 1 for player, move in zip(players, joint, strict=True)]
                self._add_clause(made, vertex[float(each[place])])
        every = product(*(self.stage.moves[role] for role in players))
        self._is_valued = self._is_valued or all(joint in values for joint in every)

    def link_rules(self, rules: RuleGraph) -> None:
        """Add the rules of what follows: an automorphism must then be a symmetry of the game on the next position.

        Args:
            rules: The graph of the game's rules, with the roles in their places.
        """
        if len(rules.role_vertex):
            raise UsageError("the roles must stay in their places where moves are to have equal values")
        first = len(self._colours)
        self._colours += [("rules", colour) for colour in rules.graph.colours.tolist()]
        self._edges += (rules.graph.edges.astype(np.int64) + first).tolist()
        pairs = zip(self.stage.next_choices.tolist(), rules.fluent_vertex.tolist(), strict=True)
        self._edges += [(choice, first + vertex) for choice, vertex in pairs]
        self._is_linked = True

    def graph(self) -> Graph:
        """Return the graph; choice c is vertex c."""
        return make_graph(len(self._colours), np.array(self._edges, dtype=np.int64), self._colours)

    def move_orbits(self, num_moves: int, deadline: Deadline | None = None) -> Int32Array:
        """Return which moves are equivalent: for each legal move the least one that an automorphism takes it to.

        Args:
            num_moves: Number of moves of all roles.
            deadline: When to stop; moves that are not known to be equivalent then count as different.

        Returns:
            Moves counted over all roles, NO_ORBIT for those that are not legal, shape (num_moves,), int32.

        Raises:
            UsageError: Neither all values are there nor the rules, so that equivalent moves might differ in value.
        """
        if not (self._is_linked or self._is_valued):
            raise UsageError("the graph of a stage alone does not tell values: add those of all moves, or the rules")
        return self.stage_orbits(num_moves, deadline)

    def stage_orbits(self, num_moves: int, deadline: Deadline | None = None) -> Int32Array:
        """Return the same for what is there, values or not: moves that are alike as far as this stage goes."""
        graph = self.graph()
        least = orbits_of(find_generators(graph, deadline).permutations, graph.num_vertices)
        found = np.full(num_moves, NO_ORBIT, dtype=np.int32)
        for moves in self.stage.moves:
            first: dict[int, int] = {}
            for move in sorted(moves):
                found[move] = first.setdefault(int(least[moves[move]]), move)
        return found
