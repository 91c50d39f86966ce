"""What is left of the rules after a position: the latched residual, its canonical form and its symmetries.

Fluents that can never change again (`woodstock.symmetry.latches`) are replaced by their values in all rules, and what
that makes constant, equal or superfluous is folded away. What remains is a game of its own that starts in the position:
how the match goes on from there, and for what goals, depends on nothing else. So two positions whose residuals differ
only in the names of fluents and moves have the same values for all roles; and so do two moves that a symmetry of the
residual, which keeps the position, takes to each other. That joins positions that no symmetry of the whole game does: a
line of tic-tac-toe that is blocked is gone, whoever blocked it.

The residual is a graph whose edges need no direction: a rule is joined to its head, and to a vertex for each literal of
its body, which is joined to its atom. An output, such as whether a fluent holds next, is joined in the same way.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import Final

import numpy as np

from woodstock.common.limits import Deadline
from woodstock.ground.program import NO_ATOM, TRUE_ATOM, GroundProgram
from woodstock.ground.rulebase import IntArray, RuleBase
from woodstock.symmetry._automorphism import canonical_order, find_generators
from woodstock.symmetry.folding import find_needed, simplify_rules
from woodstock.symmetry.graphs import Graph, Int32Array
from woodstock.symmetry.group import orbits_of
from woodstock.symmetry.latches import KNOWN_FALSE, KNOWN_TRUE, BoolArray, Latches, rules_of

NO_ORBIT: Final = -1
"""Stands for a move that is never legal from a position on."""


class _Kind(IntEnum):
    """What a vertex stands for; colours follow from it."""

    TRUE = 0
    FALSE_FLUENT = 1
    TRUE_FLUENT = 2
    ATOM = 3
    RULE = 4
    POSITIVE = 5
    NEGATIVE = 6
    NEXT = 7
    LEGAL = 8
    TERMINAL = 9
    OTHERS = 10
    """Moves by role, then goals by role and term, then percepts by role."""


@dataclass(frozen=True, eq=False)
class Residual:
    """What is left of the rules after a position.

    Attributes:
        base: The rules; atoms are those of the program, inputs included.
        position: Which fluents hold, shape (num_fluents,), bool.
        fluents: Numbers of the fluents that may change and that matter, int64.
        moves: Numbers of the moves that may be legal, counted over all roles, int64.
        next_atom: For each of `fluents` the atom that tells whether it holds next, or NO_ATOM, int64.
        legal_atom: For each of `moves` the atom that tells whether it is legal, int64.
        terminal_atom: Tells whether the match is over, or NO_ATOM.
        entries: Numbers of the goals, and behind them of the percepts, that may apply, int64.
        entry_atom: The atom of each, int64.
    """

    base: RuleBase
    position: BoolArray
    fluents: IntArray
    moves: IntArray
    next_atom: IntArray
    legal_atom: IntArray
    terminal_atom: int
    entries: IntArray
    entry_atom: IntArray


class ResidualForms:
    """Canonical forms of positions by what is left of the rules after them.

    >>> from woodstock.game.load import load_rules
    >>> from woodstock.ground import ground
    >>> program = ground(load_rules("tic_tac_toe"))
    >>> forms = ResidualForms(program)
    >>> orbits = forms.move_orbits(program.initial)
    >>> [program.moves[0][move] for move in sorted(set(orbits[:10].tolist()))]
    ['wait', ('place', '1', '1'), ('place', '1', '2'), ('place', '2', '2')]
    """

    def __init__(self, program: GroundProgram) -> None:
        self.program = program
        self._latches = Latches(program)
        self._base = rules_of(program)

    def form(self, position: BoolArray, deadline: Deadline | None = None) -> bytes:
        """Return 16 bytes that positions have in common if their residuals differ in names only, and no others.

        Args:
            position: Which fluents hold, shape (num_fluents,), bool.
            deadline: When to give up; to be able to, the library runs in a process of its own, which takes a while.

        Raises:
            LimitError: The deadline comes first.
        """
        graph, _ = self.draw(self.residual(position))
        form = graph.renamed(canonical_order(graph, deadline))
        code = hashlib.blake2b(digest_size=16)
        code.update(form.colours.tobytes() + b"/" + form.edge_keys().tobytes())
        return code.digest()

    def move_orbits(self, position: BoolArray, deadline: Deadline | None = None) -> Int32Array:
        """Return which moves are equivalent in a position: for each the least one that a symmetry takes it to.

        Args:
            position: Which fluents hold, shape (num_fluents,), bool.
            deadline: When to stop; moves that are not known to be equivalent then count as different.

        Returns:
            The least equivalent move, counted over all roles; NO_ORBIT for moves that are never legal from here on. (A
            move may be legal later only.) Shape (num_moves,), int32.
        """
        residual = self.residual(position)
        graph, move_vertex = self.draw(residual)
        least = orbits_of(find_generators(graph, deadline).permutations, graph.num_vertices)[move_vertex]
        move_at = np.full(graph.num_vertices, NO_ORBIT, dtype=np.int64)
        # Vertices of moves are numbered in the order of the moves, so the least vertex is that of the least move.
        move_at[move_vertex] = residual.moves
        found = np.full(self.program.num_moves, NO_ORBIT, dtype=np.int32)
        found[residual.moves] = move_at[least]
        return found

    def residual(self, position: BoolArray) -> Residual:
        """Return what is left of the rules after a position."""
        program = self.program
        first_move = 1 + program.num_fluents
        values = self._latches.values_after(position)
        moves = np.flatnonzero(values[first_move : first_move + program.num_moves] != KNOWN_FALSE)
        base, alias = simplify_rules(self._base, values, first_move + program.num_moves)

        def resolve(atoms: IntArray) -> IntArray:
            """Return what stands for some atoms now: a constant, or the atom that they equal."""
            known = np.where(atoms == NO_ATOM, KNOWN_FALSE, values[atoms])
            return np.where(known == KNOWN_TRUE, TRUE_ATOM, np.where(known == KNOWN_FALSE, NO_ATOM, alias[atoms]))

        entry_atom = resolve(self._entry_atoms)
        entries = np.flatnonzero(entry_atom != NO_ATOM)
        legal_atom = resolve(program.legal_atom[moves].astype(np.int64))
        terminal_atom = int(resolve(np.array([program.terminal_atom], dtype=np.int64))[0])
        next_atom = resolve(program.next_atom.astype(np.int64))
        outputs = np.concatenate([legal_atom, entry_atom[entries], [terminal_atom]])
        needed = find_needed(base, outputs[outputs != NO_ATOM], next_atom)
        fluents = np.flatnonzero(needed[1:first_move])
        return Residual(
            base=base.select(needed[base.head]),
            position=position,
            fluents=fluents,
            moves=moves,
            next_atom=next_atom[fluents],
            legal_atom=legal_atom,
            terminal_atom=terminal_atom,
            entries=entries,
            entry_atom=entry_atom[entries],
        )

    @cached_property
    def _entry_atoms(self) -> IntArray:
        """The atoms of goals and percepts."""
        percepts = self.program.percepts
        parts = [self.program.goals.atoms] + ([] if percepts is None else [percepts.atoms])
        return np.concatenate(parts).astype(np.int64)

    @cached_property
    def _entry_colours(self) -> IntArray:
        """The colours of goals and percepts: by role and term for goals, by role for percepts."""
        program = self.program
        first = _Kind.OTHERS + len(program.roles)
        names = list(zip(program.goals.roles.tolist(), map(repr, program.goals.terms), strict=True))
        number = {name: place for place, name in enumerate(sorted(set(names)))}
        colours = [first + number[name] for name in names]
        if program.percepts is not None:
            colours += [first + len(number) + role for role in program.percepts.roles.tolist()]
        return np.array(colours, dtype=np.int64)

    @cached_property
    def _move_colours(self) -> IntArray:
        """The colours of moves: by role."""
        sizes = np.diff(self.program.move_start)
        return _Kind.OTHERS + np.repeat(np.arange(len(sizes)), sizes)

    def draw(self, residual: Residual) -> tuple[Graph, IntArray]:
        """Return the graph of a residual and the vertices of its moves; colours mean the same in all residuals."""
        fluents, moves = residual.fluents, residual.moves
        drawing = _Drawing(residual.base)
        drawing.add_atoms(np.array([TRUE_ATOM]), np.array([_Kind.TRUE]))
        held = residual.position[fluents]
        fluent_vertex = drawing.add_atoms(1 + fluents, np.where(held, _Kind.TRUE_FLUENT, _Kind.FALSE_FLUENT))
        move_vertex = drawing.add_atoms(1 + self.program.num_fluents + moves, self._move_colours[moves])
        drawing.add_rules()
        drawing.add_outputs(residual.next_atom, _Kind.NEXT, fluent_vertex)
        drawing.add_outputs(residual.legal_atom, _Kind.LEGAL, move_vertex)
        drawing.add_outputs(np.array([residual.terminal_atom]), _Kind.TERMINAL, None)
        drawing.add_outputs(residual.entry_atom, self._entry_colours[residual.entries], None)
        return drawing.graph(), move_vertex


class _Drawing:
    """A graph that grows."""

    def __init__(self, base: RuleBase) -> None:
        self._base = base
        self._colours: list[IntArray] = []
        self._edges: list[tuple[IntArray, IntArray]] = []
        self._size = 0
        self._vertex = np.full(base.num_atoms, -1, dtype=np.int64)
        self._literal = np.full(2 * base.num_atoms, -1, dtype=np.int64)

    def _add(self, colours: IntArray) -> IntArray:
        first = self._size
        self._size += len(colours)
        self._colours.append(np.asarray(colours, dtype=np.int64))
        return np.arange(first, self._size)

    def add_atoms(self, atoms: IntArray, colours: IntArray) -> IntArray:
        """Add vertices for atoms; return them."""
        found = self._add(colours)
        self._vertex[atoms] = found
        return found

    def _literals(self, literals: IntArray) -> IntArray:
        """Return the vertices of literals, added if need be."""
        new = np.unique(literals[self._literal[literals] < 0])
        found = self._add(np.where(new & 1, _Kind.NEGATIVE, _Kind.POSITIVE))
        self._literal[new] = found
        self._edges.append((found, self._vertex[new >> 1]))
        return self._literal[literals]

    def add_rules(self) -> None:
        """Add derived atoms and rules."""
        base = self._base
        heads = np.unique(base.head)
        self.add_atoms(heads, np.full(len(heads), _Kind.ATOM))
        rules = self._add(np.full(base.num_rules, _Kind.RULE))
        self._edges.append((rules, self._vertex[base.head]))
        self._edges.append((rules[base.rule_of_literal()], self._literals(base.data)))

    def add_outputs(self, atoms: IntArray, colours: IntArray | int, inputs: IntArray | None) -> None:
        """Add a vertex for each output that may hold, joined to its atom's literal and to the input that it decides."""
        real = np.flatnonzero(atoms != NO_ATOM)
        found = self._add(np.broadcast_to(colours, len(atoms))[real])
        self._edges.append((found, self._literals(2 * atoms[real])))
        if inputs is not None:
            self._edges.append((found, inputs[real]))

    def graph(self) -> Graph:
        edges = np.stack([np.concatenate(ends) for ends in zip(*self._edges, strict=True)], axis=1)
        return Graph(self._size, edges.astype(np.int32), np.concatenate(self._colours).astype(np.int32))
