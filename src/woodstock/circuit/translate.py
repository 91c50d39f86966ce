"""From the ground program to a network of gates.

Atoms are taken level by level; each becomes the disjunction of its bodies. What `legal`, `terminal` and `goal` need is
built first, as if no move were made; then what `next` and `sees` need, where a move that is made is known to be legal
and the position not to be terminal.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from woodstock.circuit.builder import (
    FULL,
    GATES,
    NO_GROUP,
    STATUS,
    Builder,
    Facts,
    Groups,
    make_builder,
)
from woodstock.circuit.factoring import CUBES, DATA, OUTS, Cubes, factor, make_cubes, push_cube
from woodstock.circuit.loops import Loops, close_loop, finish_network, make_loops, open_stand_in, resolve
from woodstock.circuit.network import FALSE, NO_LOOP, TRUE, BoolArray, Int32Array, Int64Array, Network, Outputs
from woodstock.common.jit import jit
from woodstock.ground.invariants import FluentGroup
from woodstock.ground.program import NO_ATOM, GroundProgram

MAX_FACTS: Final = 32
"""Most facts that are kept for a move."""


class _Rules(NamedTuple):
    """The arrays of a ground program.

    Attributes:
        rule_start: Where the rules of each atom begin, shape (num_atoms + 1,), int64.
        body_start: Where the body of each rule begins, int32.
        body_data: Literals over atoms, int32.
        order: Atoms that have rules, by level, those of one loop together, int64.
        atom_loop: The loop of each atom or NO_LOOP, int32.
    """

    rule_start: Int64Array
    body_start: Int32Array
    body_data: Int32Array
    order: Int64Array
    atom_loop: Int32Array


def translate(
    program: GroundProgram,
    groups: tuple[FluentGroup, ...] = (),
    *,
    assume_legal: bool = False,
    impossible: BoolArray | None = None,
) -> Network:
    """Return the network of a ground program.

    Args:
        program: The game.
        groups: Fluents that exclude each other; the network is right in positions where they do.
        assume_legal: The moves that are made are legal, and none is made in a terminal position; the network need not
            be right for others, and gets smaller.
        impossible: Atoms that never hold after moves, if these are legal, shape (num_atoms,), bool.
    """
    rules = _make_rules(program)
    kinds = make_groups(program, groups)
    room = 2 * (len(program.body_data) + program.num_rules + program.num_atoms + program.num_moves) + 1024
    while True:
        builder = make_builder(kinds, _no_facts(program.num_moves, assume_legal), room)
        network = _build(program, rules, builder, assume_legal, impossible)
        if network is not None:
            return network
        room *= 2


def _make_rules(program: GroundProgram) -> _Rules:
    has_rules = np.zeros(program.num_atoms, dtype=np.bool_)
    has_rules[program.rule_head] = True
    atoms = np.flatnonzero(has_rules)
    order = atoms[np.lexsort((atoms, program.atom_loop[atoms], program.atom_level[atoms]))]
    counts = np.bincount(program.rule_head, minlength=program.num_atoms)
    return _Rules(
        np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        program.body_start,
        program.body_data,
        order.astype(np.int64),
        program.atom_loop,
    )


def make_groups(program: GroundProgram, fluent_groups: tuple[FluentGroup, ...]) -> Groups:
    """Return the groups of inputs: the moves of each role, and of the fluents' groups the largest that each is in."""
    first_move = 1 + program.num_fluents
    of_node = np.full(first_move + program.num_moves, NO_GROUP, dtype=np.int32)
    members: list[Int32Array] = []
    is_exact: list[bool] = []
    for first, end in pairwise(program.move_start):
        of_node[first_move + first : first_move + end] = len(members)
        members.append(np.arange(first_move + first, first_move + end, dtype=np.int32))
        is_exact.append(True)
    for group in sorted(fluent_groups, key=lambda group: -len(group.fluents)):
        nodes = 1 + np.array(sorted(group.fluents), dtype=np.int32)
        free = nodes[of_node[nodes] == NO_GROUP]
        if len(free) > 1:
            of_node[free] = len(members)
            members.append(free)
            is_exact.append(group.exactly_one and len(free) == len(nodes))
    start = np.concatenate([[0], np.cumsum([len(group) for group in members])]).astype(np.int64)
    data = np.concatenate([np.zeros(0, dtype=np.int32), *members])
    return Groups(of_node, start, data, np.array(is_exact, dtype=np.bool_))


def _no_facts(num_moves: int, has_room: bool) -> Facts:
    """Return facts about moves that say nothing yet."""
    return Facts(np.zeros(num_moves + 1, np.int64), np.zeros(MAX_FACTS * num_moves if has_room else 0, np.int32))


def _build(
    program: GroundProgram, rules: _Rules, builder: Builder, assume_legal: bool, impossible: BoolArray | None
) -> Network | None:
    """Build all gates; return None if there was not enough room."""
    in_loop = program.atom_loop[program.atom_loop != NO_LOOP]
    loops = make_loops(builder, int(np.bincount(in_loop).max()) if len(in_loop) else 0)
    rule_counts = np.diff(rules.rule_start)
    literal_counts = np.diff(program.body_start[rules.rule_start])
    num_nodes = builder.num_inputs + len(builder.start) + len(loops.alias)
    cubes = make_cubes(int(rule_counts.max(initial=1)), int(literal_counts.max(initial=1)), num_nodes)

    literal_of = np.full(program.num_atoms, FALSE, dtype=np.int32)
    literal_of[: builder.first_move] = 2 * np.arange(builder.first_move)
    moves = np.arange(builder.first_move, builder.num_inputs)
    about_position = _needed(
        program, rules, [program.legal_atom, program.goals.atoms, np.array([program.terminal_atom], np.int32)]
    )
    _build_atoms(builder, cubes, rules, loops, about_position, literal_of)
    legal, goals = _literals(literal_of, program.legal_atom), _literals(literal_of, program.goals.atoms)
    terminal = int(_literals(literal_of, np.array([program.terminal_atom]))[0])

    if assume_legal:
        _collect_facts(builder, legal, terminal)
        if program.terminal_atom > 0:
            literal_of[program.terminal_atom] = FALSE
    uses_moves = np.zeros(program.num_atoms, dtype=np.bool_)
    uses_moves[moves] = True
    _mark_users(rules, uses_moves)
    percept_atoms = np.zeros(0, np.int32) if program.percepts is None else program.percepts.atoms
    about_moves = _needed(program, rules, [program.next_atom, percept_atoms]) & ~(about_position & ~uses_moves)
    if impossible is not None:
        about_moves &= ~impossible
    literal_of[moves] = 2 * moves
    _build_atoms(builder, cubes, rules, loops, about_moves, literal_of)
    if builder.counts[STATUS] == FULL:
        return None
    outputs = [_literals(literal_of, program.next_atom), legal, [terminal], goals, _literals(literal_of, percept_atoms)]
    return finish_network(builder, loops, Outputs(*(np.asarray(output, dtype=np.int32) for output in outputs)))


def _literals(literal_of: Int32Array, atoms: Int32Array) -> Int32Array:
    """Return the literals of some atoms; NO_ATOM never holds."""
    found: Int32Array = np.where(atoms == NO_ATOM, FALSE, literal_of[np.maximum(atoms, 0)]).astype(np.int32)
    return found


def _needed(program: GroundProgram, rules: _Rules, roots: list[Int32Array]) -> BoolArray:
    """Return which atoms some outputs depend on, themselves included."""
    wanted = np.zeros(program.num_atoms, dtype=np.bool_)
    atoms = np.concatenate([np.asarray(root, dtype=np.int64) for root in roots])
    wanted[atoms[atoms != NO_ATOM]] = True
    _mark_needed(rules, wanted)
    return wanted


@jit
def _mark_needed(rules: _Rules, wanted: BoolArray) -> None:
    """Mark what marked atoms depend on; a loop may need several rounds."""
    changed = True
    while changed:
        changed = False
        for place in range(len(rules.order) - 1, -1, -1):
            atom = rules.order[place]
            if not wanted[atom]:
                continue
            first, last = rules.body_start[rules.rule_start[atom]], rules.body_start[rules.rule_start[atom + 1]]
            for number in range(first, last):
                other = rules.body_data[number] >> 1
                if not wanted[other]:
                    wanted[other] = True
                    changed = changed or rules.atom_loop[other] != NO_LOOP


@jit
def _mark_users(rules: _Rules, marked: BoolArray) -> None:
    """Mark what depends on marked atoms; a loop may need several rounds."""
    changed = True
    while changed:
        changed = False
        for atom in rules.order:
            if marked[atom]:
                continue
            first, last = rules.body_start[rules.rule_start[atom]], rules.body_start[rules.rule_start[atom + 1]]
            for number in range(first, last):
                if marked[rules.body_data[number] >> 1]:
                    marked[atom] = True
                    changed = changed or rules.atom_loop[atom] != NO_LOOP
                    break


@jit
def _build_atoms(
    builder: Builder, cubes: Cubes, rules: _Rules, loops: Loops, wanted: BoolArray, literal_of: Int32Array
) -> None:
    """Build the gates of the wanted atoms, and set the literals of these."""
    place = 0
    while place < len(rules.order) and builder.counts[STATUS] == 0:
        atom = rules.order[place]
        loop = rules.atom_loop[atom]
        end = place + 1
        if loop != NO_LOOP:
            while end < len(rules.order) and rules.atom_loop[rules.order[end]] == loop:
                end += 1
            if wanted[atom]:
                _build_loop(builder, cubes, rules, loops, rules.order[place:end], literal_of)
        elif wanted[atom]:
            literal_of[atom] = _build_atom(builder, cubes, rules, atom, literal_of)
        place = end


@jit
def _build_atom(builder: Builder, cubes: Cubes, rules: _Rules, atom: int, literal_of: Int32Array) -> int:
    """Return the literal of the disjunction of an atom's bodies."""
    cubes.tops[DATA] = 0
    cubes.tops[CUBES] = 0
    cubes.tops[OUTS] = 0
    for rule in range(rules.rule_start[atom], rules.rule_start[atom + 1]):
        count = 0
        for place in range(rules.body_start[rule], rules.body_start[rule + 1]):
            literal = rules.body_data[place]
            cubes.scratch[count] = literal_of[literal >> 1] ^ (literal & 1)
            count += 1
        if push_cube(builder, cubes, count) == 0:
            return TRUE
    return factor(builder, cubes, cubes.tops[CUBES])


@jit
def _build_loop(
    builder: Builder, cubes: Cubes, rules: _Rules, loops: Loops, atoms: Int64Array, literal_of: Int32Array
) -> None:
    """Build the gates of the atoms of a loop."""
    begin = builder.counts[GATES]
    for number in range(len(atoms)):
        literal_of[atoms[number]] = open_stand_in(loops, number, True)
    for number in range(len(atoms)):
        loops.alias[number] = _build_atom(builder, cubes, rules, atoms[number], literal_of)
    close_loop(builder, loops, begin)
    for number in range(len(atoms)):
        literal_of[atoms[number]] = resolve(loops, literal_of[atoms[number]])


@jit
def _collect_facts(builder: Builder, legal: Int32Array, terminal: int) -> None:
    """Note for each move what holds when it is made: its legality, and everything that this asks for."""
    facts = builder.facts
    found = np.zeros(MAX_FACTS, dtype=np.int32)
    total = 0
    for move in range(len(legal)):
        count = 0
        if legal[move] > FALSE:
            found[0] = legal[move]
            count = 1
        if terminal > FALSE:
            found[count] = terminal ^ 1
            count += 1
        place = 0
        while place < count:
            literal = found[place]
            place += 1
            gate = (literal >> 1) - builder.num_inputs
            if literal & 1 == 1 or gate < 0:
                continue
            for number in range(builder.start[gate], builder.start[gate + 1]):
                if count < MAX_FACTS:
                    found[count] = builder.data[number]
                    count += 1
        found[:count].sort()
        for number in range(count):
            if number == 0 or found[number] != found[number - 1]:
                facts.data[total] = found[number]
                total += 1
        facts.start[move + 1] = total
