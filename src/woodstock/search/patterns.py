"""Patterns: fluents that have to hold together for a match to be won, found in the rules.

Four discs in a line, say: what a rule below a goal or below the end of the match asks for. Where a pattern is half
complete the rules do not say so yet, and neither does any fluent or pair of fluents; so the evaluation counts how many
of its members hold. A pattern is *barred* while a fluent holds that excludes a missing member, and that is not one of
those with which a match begins: the opponent's disc, not the empty square.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Final, NamedTuple

import numpy as np

from woodstock.circuit.knowledge import MOST_WORK, WORK_PER_LITERAL
from woodstock.circuit.network import Int32Array, Int64Array
from woodstock.common.jit import inner_kernel
from woodstock.gdl.terms import functor
from woodstock.ground.exclusion import prove_exclusions
from woodstock.ground.program import NO_LOOP, GroundProgram

FEWEST_MEMBERS: Final = 3
"""Pairs of fluents have weights anyway."""
MOST_MEMBERS: Final = 8
MOST_PATTERNS: Final = 4096
"""Where there are more none are used."""
MOST_ALTERNATIVES: Final = 64
"""Fluents of a member."""
MOST_RULES: Final = 100_000
"""Larger games are not read: that would take seconds."""

Member = frozenset[int]
"""Fluents of which one has to hold."""
Pattern = frozenset[Member]


class Patterns(NamedTuple):
    """The patterns of a game, and how complete they are in a position.

    How many members hold makes a *slot*, which has a weight. Patterns of one kind, those that have as many members
    and help to the same goals, share some slots; each also has slots of its own.

    Attributes:
        start: Where the entries of each fluent start, shape (num_fluents + 1,), int32.
        entries: Twice the number of a pattern, plus one if the fluent bars it; int32.
        sizes: Number of members, shape (num_patterns,), int32.
        kinds: The number of its kind, shape (num_patterns,), int32.
        met: Space to work in: how many members hold, shape (num_patterns,), int32.
        bars: Space to work in: how many fluents bar it, shape (num_patterns,), int32.
        seen: Space to work in: when it was touched last, shape (num_patterns + 1,), int64; the last entry is the
            present.
        touched: Space to work in: patterns, shape (num_patterns,), int32.
    """

    start: Int32Array
    entries: Int32Array
    sizes: Int32Array
    kinds: Int32Array
    met: Int32Array
    bars: Int32Array
    seen: Int64Array
    touched: Int32Array


def no_patterns(num_fluents: int) -> Patterns:
    """Return that there are none."""
    return _pack([], [], [], num_fluents)


def find_patterns(program: GroundProgram) -> Patterns:
    """Return the patterns of a game."""
    found = _read_rules(program) if program.num_rules <= MOST_RULES else {}
    if not 0 < len(found) <= MOST_PATTERNS:
        return no_patterns(program.num_fluents)
    work = min(WORK_PER_LITERAL * len(program.body_data), MOST_WORK)
    rivals: dict[int, set[int]] = defaultdict(set)
    for group in prove_exclusions(program, work, with_latches=False).groups:
        for fluent in group.fluents:
            rivals[fluent].update(group.fluents)
    patterns = sorted(found, key=lambda pattern: sorted(map(sorted, pattern)))
    bars = [_bars(pattern, rivals, program) for pattern in patterns]
    return _pack(patterns, bars, [found[pattern] for pattern in patterns], program.num_fluents)


def _bars(pattern: Pattern, rivals: dict[int, set[int]], program: GroundProgram) -> set[int]:
    """Return the fluents that exclude a member."""
    barred: set[int] = set()
    for member in pattern:
        excluded = set.intersection(*(rivals[fluent] for fluent in member)) - member
        barred.update(fluent for fluent in excluded if not program.initial[fluent])
    return barred


class _Rules:
    """The rules of a program by their heads."""

    def __init__(self, program: GroundProgram) -> None:
        self._program = program
        self.bodies: dict[int, list[list[int]]] = defaultdict(list)
        for rule, head in enumerate(program.rule_head.tolist()):
            begin, end = program.body_start[rule], program.body_start[rule + 1]
            self.bodies[head].append(program.body_data[begin:end].tolist())
        self._first_derived = 1 + program.num_fluents + program.num_moves
        self._alternatives = {1 + fluent: frozenset((fluent,)) for fluent in range(program.num_fluents)}
        for atom in sorted(self.bodies):  # atoms come after those that they depend on
            self._note_alternatives(atom)

    def is_derived(self, atom: int) -> bool:
        return atom >= self._first_derived and int(self._program.atom_loop[atom]) == NO_LOOP

    def _note_alternatives(self, atom: int) -> None:
        """Find the fluents of which one has to hold for an atom, if that is all it takes."""
        if self.is_derived(atom) and all(len(body) == 1 and not body[0] & 1 for body in self.bodies[atom]):
            parts = [self._alternatives.get(body[0] >> 1) for body in self.bodies[atom]]
            known = [part for part in parts if part is not None]
            if len(known) == len(parts) and sum(map(len, known)) <= MOST_ALTERNATIVES:
                self._alternatives[atom] = frozenset().union(*known)

    def pattern(self, body: list[int]) -> Pattern:
        """Return what a body asks for, as far as there is one way; nothing if it negates or asks too much."""
        members: set[Member] = set()
        todo = list(body)
        seen: set[int] = set()
        while todo:
            literal = todo.pop()
            atom = literal >> 1
            if literal & 1 or len(members) > MOST_MEMBERS:
                return frozenset()
            if atom in seen:
                continue
            seen.add(atom)
            member = self._alternatives.get(atom)
            if member is not None:
                members.add(member)
            elif self.is_derived(atom) and len(self.bodies[atom]) == 1:
                todo += self.bodies[atom][0]
        return frozenset(members)


def _read_rules(program: GroundProgram) -> dict[Pattern, tuple[int, ...]]:
    """Return the patterns, each with the numbers of the goals that it helps to.

    What is counted square by square helps to all goals of a role: that is no pattern. Nor are things of several kinds
    that have to come together, such as a turn and a score.
    """
    rules = _Rules(program)
    goals: dict[int, set[int]] = defaultdict(set)
    roots = [*program.goals.atoms.tolist(), program.terminal_atom]
    for number, atom in enumerate(roots):
        goals[atom].add(number)
    of_role = [set(np.flatnonzero(program.goals.roles == role).tolist()) for role in range(len(program.roles))]
    found: dict[Pattern, set[int]] = defaultdict(set)
    # Atoms come after those that they depend on, but for loops.
    for atom in sorted(rules.bodies, reverse=True):
        if atom not in goals:
            continue
        helped = goals[atom]
        for body in rules.bodies[atom]:
            for literal in body:
                if literal & 1 == 0:
                    goals[literal >> 1].update(helped)
        is_looked_through = len(rules.bodies[atom]) == 1 and atom not in roots
        if not is_looked_through and not any(len(values) > 1 and values <= helped for values in of_role):
            for body in rules.bodies[atom]:
                pattern = rules.pattern(body)
                names = {functor(program.fluents[fluent]) for member in pattern for fluent in member}
                if FEWEST_MEMBERS <= len(pattern) <= MOST_MEMBERS and len(names) == 1:
                    found[pattern].update(helped)
    return {pattern: tuple(sorted(helped)) for pattern, helped in found.items()}


def _pack(patterns: list[Pattern], bars: list[set[int]], helped: list[tuple[int, ...]], num_fluents: int) -> Patterns:
    entries: list[list[int]] = [[] for _ in range(num_fluents)]
    kinds: dict[tuple[int, tuple[int, ...]], int] = {}
    for number, (pattern, goals) in enumerate(zip(patterns, helped, strict=True)):
        for member in pattern:
            for fluent in member:
                entries[fluent].append(2 * number)
        for fluent in bars[number]:
            entries[fluent].append(2 * number + 1)
        kinds.setdefault((len(pattern), goals), len(kinds))
    num = len(patterns)
    return Patterns(
        start=np.cumsum([0, *map(len, entries)]).astype(np.int32),
        entries=np.array([entry for listed in entries for entry in listed], np.int32),
        sizes=np.array([len(pattern) for pattern in patterns], np.int32),
        kinds=np.array([kinds[len(pattern), goals] for pattern, goals in zip(patterns, helped, strict=True)], np.int32),
        met=np.zeros(num, np.int32),
        bars=np.zeros(num, np.int32),
        seen=np.zeros(num + 1, np.int64),
        touched=np.zeros(num, np.int32),
    )


@inner_kernel
def shift(patterns: Patterns, fluents: Int32Array, num: int, by: int) -> None:
    """Count fluents that hold from now on, or no longer (-1)."""
    for number in range(num):
        fluent = fluents[number]
        for at in range(patterns.start[fluent], patterns.start[fluent + 1]):
            entry = patterns.entries[at]
            if entry & 1:
                patterns.bars[entry >> 1] += by
            else:
                patterns.met[entry >> 1] += by


@inner_kernel
def count_met(patterns: Patterns, held: Int32Array, num: int) -> None:
    """Find how complete the patterns are in a position, given the fluents that hold."""
    patterns.met[:] = 0
    patterns.bars[:] = 0
    shift(patterns, held, num, 1)


@inner_kernel
def place_of(patterns: Patterns, pattern: int) -> int:
    """Return in which of its slots a pattern is; 0 if it says nothing."""
    if patterns.bars[pattern] > 0:
        return 0
    return int(min(patterns.met[pattern], patterns.sizes[pattern]))


@inner_kernel
def touch(patterns: Patterns, fluents: Int32Array, num: int, num_touched: int) -> int:
    """List the patterns that fluents have to do with, each once, in `Patterns.touched`; return how many there are.

    Before the first fluents of a position are touched, the present has to move on (`Patterns.seen`).
    """
    present = patterns.seen[len(patterns.sizes)]
    for number in range(num):
        fluent = fluents[number]
        for at in range(patterns.start[fluent], patterns.start[fluent + 1]):
            pattern = patterns.entries[at] >> 1
            if patterns.seen[pattern] != present:
                patterns.seen[pattern] = present
                patterns.touched[num_touched] = pattern
                num_touched += 1
    return num_touched
