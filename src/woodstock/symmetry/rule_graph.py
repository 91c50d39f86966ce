"""The ground program as a coloured graph whose automorphisms are symmetries of the rules.

Every atom is a vertex, every rule is one, joined to its head and to the literals of its body; a negated atom has a
vertex for its negation. The colour of a vertex tells its kind and its level, which is the longest way down to the
inputs. So the edges need no direction: a rule has the level of its head, and what stands in its body lies lower. An
atom in a positive loop is two vertices, the one that its rules lead to and the one that bodies use, since there the
levels do not tell heads from bodies.

An edge from a fluent to a derived atom says that this atom decides whether the fluent holds next; from a move to an
atom, that it decides whether the move is legal. Where an output equals an input, two vertices in between tell which is
which. What `terminal` stands for, and the goals of roles that stay in their places, are part of the colour of an atom;
roles that may change places are vertices, and so are then the goals, between their role and their atom.

The initial position is left out on purpose: see `woodstock.symmetry.symmetry`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from woodstock.ground.program import NO_ATOM, NO_LOOP, TRUE_ATOM, GroundProgram, RoleTerms
from woodstock.symmetry.graphs import Graph, Int32Array, Int64Array, distinct_edges
from woodstock.symmetry.symmetry import Symmetry

NATURE = "random"
"""The role that chance plays never changes places with another."""

_FLUENT, _MOVE, _ATOM, _HEAD, _RULE, _NEGATION, _ROLE, _GOAL, _PERCEPT, _FROM, _TO = range(11)
_PLAIN, _IS_TRUE, _IS_FALSE = range(3)


@dataclass(frozen=True, eq=False)
class RuleGraph:
    """A graph, and which of its vertices stand for what.

    Attributes:
        graph: The graph.
        atom_vertex: Vertex of each atom (where bodies use it), shape (num_atoms,), int32.
        fluent_vertex: Vertex of each fluent.
        move_vertex: Vertex of each move.
        role_vertex: Vertex of each role; empty if roles stay in their places.
        percept_vertex: Vertex of each percept.
        num_roles: Number of roles.
    """

    graph: Graph
    atom_vertex: Int32Array
    fluent_vertex: Int32Array
    move_vertex: Int32Array
    role_vertex: Int32Array
    percept_vertex: Int32Array
    num_roles: int

    def symmetry_of(self, image: npt.NDArray[np.integer]) -> Symmetry:
        """Return what an automorphism, given by the image of each vertex, does to fluents, moves and so on."""
        number = np.full(self.graph.num_vertices, -1, dtype=np.int32)

        def part(vertices: Int32Array) -> Int32Array:
            number[vertices] = np.arange(len(vertices), dtype=np.int32)
            found: Int32Array = number[image[vertices]]
            return found

        roles = part(self.role_vertex) if len(self.role_vertex) else np.arange(self.num_roles, dtype=np.int32)
        return Symmetry(part(self.fluent_vertex), part(self.move_vertex), roles, part(self.percept_vertex))

    def atoms_of(self, image: npt.NDArray[np.integer]) -> Int32Array:
        """Return where an automorphism takes each atom."""
        number = np.full(self.graph.num_vertices, -1, dtype=np.int32)
        number[self.atom_vertex] = np.arange(len(self.atom_vertex), dtype=np.int32)
        found: Int32Array = number[image[self.atom_vertex]]
        return found


def rule_graph(program: GroundProgram, permute_roles: bool = False) -> RuleGraph:
    """Make the graph of a ground program.

    Args:
        program: The program.
        permute_roles: Whether roles may change places.
    """
    return _Builder(program, permute_roles).build()


@dataclass
class _Builder:
    program: GroundProgram
    permute_roles: bool
    _colours: list[Int64Array] = field(default_factory=list)
    _edges: list[Int64Array] = field(default_factory=list)
    _num_vertices: int = 0

    def build(self) -> RuleGraph:
        program = self.program
        atoms = self._add_atoms()
        head = self._add_heads(atoms)
        self._add_rules(atoms, head)
        roles = self._add_roles()
        fluents = atoms[1 : 1 + program.num_fluents]
        moves = atoms[1 + program.num_fluents :][: program.num_moves]
        self._add_links(fluents, program.next_atom, atoms, 0)
        self._add_links(moves, program.legal_atom, atoms, 1)
        if self.permute_roles:
            owner = np.repeat(np.arange(len(program.roles)), np.diff(program.move_start))
            self._join(moves, roles[owner])
            self._add_entries(_GOAL, program.goals, _numbers(program.goals.terms), (atoms, roles))
        percepts = np.zeros(0, dtype=np.int64)
        if program.percepts is not None:
            percepts = self._add_entries(_PERCEPT, program.percepts, None, (atoms, roles))
        return RuleGraph(
            graph=self._graph(),
            atom_vertex=atoms.astype(np.int32),
            fluent_vertex=fluents.astype(np.int32),
            move_vertex=moves.astype(np.int32),
            role_vertex=roles.astype(np.int32),
            percept_vertex=percepts.astype(np.int32),
            num_roles=len(program.roles),
        )

    def _add(self, number: int, *colour: npt.ArrayLike) -> Int64Array:
        """Add vertices with a colour of at most four parts; return their numbers."""
        parts = np.zeros((number, 4), dtype=np.int64)
        for place, part in enumerate(colour):
            parts[:, place] = part
        self._colours.append(parts)
        self._num_vertices += number
        return np.arange(self._num_vertices - number, self._num_vertices)

    def _join(self, one: Int64Array, other: Int64Array) -> None:
        self._edges.append(np.stack([one, other], axis=1))

    def _graph(self) -> Graph:
        edges = distinct_edges(np.concatenate(self._edges), self._num_vertices)
        return Graph(self._num_vertices, edges, _number_rows(np.concatenate(self._colours)))

    def _add_atoms(self) -> Int64Array:
        """Add a vertex for each atom, also for the constant true, which nothing else is like."""
        program = self.program
        kind = np.full(program.num_atoms, _ATOM)
        first_move = 1 + program.num_fluents
        kind[1:first_move] = _FLUENT
        kind[first_move : first_move + program.num_moves] = _MOVE
        kind[TRUE_ATOM] = -1
        detail = np.zeros(program.num_atoms, dtype=np.int64)
        detail[1:first_move] = _constants(program.next_atom)
        detail[first_move : first_move + program.num_moves] = _constants(program.legal_atom)
        if not self.permute_roles:
            owner = np.repeat(np.arange(len(program.roles)), np.diff(program.move_start))
            detail[first_move : first_move + program.num_moves] += 3 * owner
        return self._add(program.num_atoms, kind, program.atom_level, detail, self._labels())

    def _labels(self) -> Int64Array:
        """Return a number for each atom that tells which goals of fixed roles it stands for, and whether the end."""
        program = self.program
        labels: dict[int, list[tuple[int, str]]] = {}
        if program.terminal_atom != NO_ATOM:
            labels[program.terminal_atom] = [(-1, "")]
        if not self.permute_roles:
            goals = program.goals
            for role, term, atom in zip(goals.roles.tolist(), goals.terms, goals.atoms.tolist(), strict=True):
                labels.setdefault(atom, []).append((role, repr(term)))
        keys = {atom: tuple(sorted(each)) for atom, each in labels.items()}
        numbers = {key: number for number, key in enumerate(sorted(set(keys.values())), start=1)}
        found = np.zeros(program.num_atoms, dtype=np.int64)
        for atom, key in keys.items():
            found[atom] = numbers[key]
        return found

    def _add_heads(self, atoms: Int64Array) -> Int64Array:
        """Return the vertex that the rules of each atom lead to: another one for atoms in loops."""
        looped = np.flatnonzero(self.program.atom_loop != NO_LOOP)
        head = atoms.copy()
        head[looped] = self._add(len(looped), _HEAD, self.program.atom_level[looped])
        self._join(atoms[looped], head[looped])
        return head

    def _add_rules(self, atoms: Int64Array, head: Int64Array) -> None:
        program = self.program
        rules = self._add(program.num_rules, _RULE, program.atom_level[program.rule_head])
        self._join(rules, head[program.rule_head])
        negated = np.unique(program.body_data[program.body_data & 1 == 1])
        literal = np.full(2 * program.num_atoms, -1, dtype=np.int64)
        literal[0::2] = atoms
        literal[negated] = self._add(len(negated), _NEGATION, program.atom_level[negated >> 1])
        self._join(literal[negated], atoms[negated >> 1])
        self._join(np.repeat(rules, np.diff(program.body_start)), literal[program.body_data])

    def _add_roles(self) -> Int64Array:
        if not self.permute_roles:
            return np.zeros(0, dtype=np.int64)
        chance = [role == NATURE for role in self.program.roles]
        return self._add(len(chance), _ROLE, 0, chance)

    def _add_links(self, inputs: Int64Array, outputs: Int32Array, atoms: Int64Array, which: int) -> None:
        """Join each fluent to what it is next, or each move to what makes it legal."""
        num_inputs = 1 + self.program.num_fluents + self.program.num_moves
        derived = np.flatnonzero(outputs >= num_inputs)
        self._join(inputs[derived], atoms[outputs[derived]])
        copied = np.flatnonzero((outputs > TRUE_ATOM) & (outputs < num_inputs))
        start, end = self._add(len(copied), _FROM, which), self._add(len(copied), _TO, which)
        self._join(inputs[copied], start)
        self._join(start, end)
        self._join(end, atoms[outputs[copied]])

    def _add_entries(
        self, kind: int, entries: RoleTerms, values: Int64Array | None, ends: tuple[Int64Array, Int64Array]
    ) -> Int64Array:
        """Add a vertex for each goal or percept, joined to its atom and to its role if roles may change places."""
        atoms, roles = ends
        owner = np.zeros_like(entries.roles) if self.permute_roles else entries.roles
        found = self._add(len(entries.terms), kind, 0 if values is None else values, owner)
        self._join(found, atoms[entries.atoms])
        if self.permute_roles:
            self._join(found, roles[entries.roles])
        return found


def _number_rows(rows: Int64Array) -> Int32Array:
    """Return a number for each row, from 0 on, in the order of the rows."""
    number = np.zeros(len(rows), dtype=np.int64)
    for column in rows.T:
        low, high = int(column.min(initial=0)), int(column.max(initial=0))
        number = number * (high - low + 1) + (column - low)
        # Numbers without gaps stay small, so that there is room for the next column.
        there = np.zeros(int(number.max(initial=0)) + 1, dtype=np.bool_)
        there[number] = True
        number = (np.cumsum(there) - 1)[number]
    return number.astype(np.int32)


def _constants(outputs: Int32Array) -> Int64Array:
    """Return which outputs always hold and which never do."""
    always, never = outputs == TRUE_ATOM, outputs == NO_ATOM
    return np.where(always, _IS_TRUE, np.where(never, _IS_FALSE, _PLAIN)).astype(np.int64)


def _numbers(terms: tuple[object, ...]) -> Int64Array:
    """Return a number for each goal value, the same for the same value."""
    names = sorted({repr(term) for term in terms})
    return np.array([names.index(repr(term)) for term in terms], dtype=np.int64)
