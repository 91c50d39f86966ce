"""How far positions are from a goal, as the ground rules see it.

Every literal has a cost: what it takes to make it hold. A conjunction costs the sum, a disjunction the least of its
parts. *Near* costs take one for every fluent that would have to change, and look at what the goal says about a single
position. *Relaxed* costs take one for every move, and follow the rules for `next` and `legal` over any number of
positions as if nothing were ever undone (Bonet and Geffner 2001). They are infinite only if the goal is out of reach.
"""

from __future__ import annotations

from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from woodstock.circuit.network import BoolArray, Int32Array
from woodstock.circuit.words import U1, WordArray
from woodstock.common.jit import inner_kernel, jit
from woodstock.ground.program import NO_ATOM, NO_LOOP, TRUE_ATOM, GroundProgram
from woodstock.search.planning_effects import Effects, find_effects

INFINITE: Final = 1 << 28
MOST_ROUNDS: Final = 1000
MOST_LITERALS: Final = 100_000
"""Relaxed costs of larger programs take too long: 10 ms a position and more."""


class Rules(NamedTuple):
    """Ground rules, those of an atom together, after those of the atoms that it depends on.

    Attributes:
        head: Head of each rule, shape (n,), int32.
        start: Where the body of each rule starts, shape (n + 1,), int32.
        data: Literals, int32.
        in_loop: Whether each atom is in a positive loop, shape (num_atoms,), bool.
    """

    head: Int32Array
    start: Int32Array
    data: Int32Array
    in_loop: BoolArray


class Wiring(NamedTuple):
    """What the relaxed costs follow.

    Attributes:
        before: Rules that do not depend on moves.
        after: Rules that depend on moves and on fluents, or on the moves of several roles.
        effects: What moves do, if there is one role.
        fluents: Fluents that follow an atom instead, shape (n,), int32.
        following: That atom, which says whether the fluent holds next, shape (n,), int32.
        moves: Atoms of the moves that matter, shape (m,), int32.
        legal: The atom that says whether each is legal, shape (m,), int32.
        free: Fluents that cost nothing, shape (num_fluents,), bool.
        num_atoms: Number of all atoms.
    """

    before: Rules
    after: Rules
    effects: Effects
    fluents: Int32Array
    following: Int32Array
    moves: Int32Array
    legal: Int32Array
    free: BoolArray
    num_atoms: int


class GoalCosts:
    """Finds costs of a goal: that some atoms hold.

    Attributes:
        num_near: Literals that near costs look at.
    """

    def __init__(self, program: GroundProgram, goal: tuple[int, ...], free: BoolArray) -> None:
        """Prepare the rules.

        Args:
            program: The game.
            goal: Atoms that have to hold.
            free: Fluents that cost nothing, such as those of a counter, shape (num_fluents,), bool.
        """
        self._program = program
        self._goal = np.array([atom for atom in goal if atom != TRUE_ATOM], np.int32)
        self._near = _select(program, _close(program, self._goal, over_time=False))
        self._free = free
        self.num_near = len(self._near.data)

    @cached_property
    def wiring(self) -> Wiring:
        """What the relaxed costs follow."""
        return _make_wiring(self._program, _close(self._program, self._goal, over_time=True), self._free)

    @property
    def is_quick(self) -> bool:
        """Whether relaxed costs can be had in little time."""
        program = self._program
        most = max(len(program.body_data), program.num_fluents * program.num_moves // 32)
        return most <= MOST_LITERALS

    def near(self, rows: WordArray) -> Int32Array:
        """Return the near costs of packed positions, shape (n,), int32."""
        found = np.empty(len(rows), np.int32)
        find_near(self._near, self._free, self._program.num_atoms, rows, self._goal, found)
        return found

    def relaxed(self, rows: WordArray) -> Int32Array:
        """Return the relaxed costs of packed positions, INFINITE if the goal is out of reach, shape (n,), int32."""
        found = np.empty(len(rows), np.int32)
        find_relaxed(self.wiring, rows, self._goal, found)
        return found


def _make_wiring(program: GroundProgram, matters: BoolArray, free: BoolArray) -> Wiring:
    """Return what the relaxed costs follow, for the atoms that matter."""
    first_move = 1 + program.num_fluents
    numbers = np.arange(program.num_atoms)
    moving = _depends_on(program, (numbers >= first_move) & (numbers < first_move + program.num_moves))
    mixed = _depends_on(program, ((numbers >= 1) & (numbers < first_move)) | (program.atom_loop != NO_LOOP))
    pure = moving & ~mixed
    fluents = matters[1:first_move] & ~free
    if len(program.roles) == 1:
        effects = find_effects(program, fluents, pure)
        after = matters & moving & ~pure
        after[program.next_atom[program.next_atom != NO_ATOM]] = False
        # What is said by `next` may be asked about by other rules as well.
        after |= matters & moving & _close(program, np.flatnonzero(after).astype(np.int32), over_time=False)
        fluents = np.zeros_like(fluents)
    else:
        effects = find_effects(program, np.zeros_like(fluents), pure)
        after = matters & moving
    chosen = np.flatnonzero(fluents & (program.next_atom != NO_ATOM)).astype(np.int32)
    moves = np.flatnonzero(program.legal_atom != NO_ATOM).astype(np.int32)
    return Wiring(
        before=_select(program, matters & ~moving),
        after=_select(program, after),
        effects=effects,
        fluents=chosen,
        following=program.next_atom[chosen],
        moves=moves + np.int32(first_move),
        legal=program.legal_atom[moves],
        free=free,
        num_atoms=program.num_atoms,
    )


def _close(program: GroundProgram, atoms: Int32Array, *, over_time: bool) -> BoolArray:
    """Return the atoms that matter to some: at once, or by way of `next` and `legal` as well."""
    found = np.zeros(program.num_atoms, np.bool_)
    found[atoms] = True
    heads = np.repeat(program.rule_head, np.diff(program.body_start))
    first_move = 1 + program.num_fluents
    before = -1
    while before != (before := int(found.sum())):
        found[program.body_data[found[heads]] >> 1] = True
        if over_time:
            needed = program.next_atom[found[1:first_move]]
            found[needed[needed != NO_ATOM]] = True
            # A move that no rule asks about does something, too: what the others do does not happen.
            found[program.legal_atom[program.legal_atom != NO_ATOM]] = True
    return found


def _depends_on(program: GroundProgram, atoms: BoolArray) -> BoolArray:
    """Return which atoms depend on some atoms, these included."""
    found = atoms.copy()
    heads = np.repeat(program.rule_head, np.diff(program.body_start))
    before = -1
    while before != (before := int(found.sum())):
        found[heads[found[program.body_data >> 1]]] = True
    return found


def _select(program: GroundProgram, atoms: BoolArray) -> Rules:
    """Return the rules of some atoms."""
    chosen = np.flatnonzero(atoms[program.rule_head])
    sizes = np.diff(program.body_start)
    inside = np.repeat(atoms[program.rule_head], sizes)
    start = np.concatenate([[0], np.cumsum(sizes[chosen])]).astype(np.int32)
    return Rules(program.rule_head[chosen], start, program.body_data[inside], program.atom_loop != NO_LOOP)


@inner_kernel
def derive(rules: Rules, holds: Int32Array, fails: Int32Array) -> bool:
    """Find the costs of derived atoms to hold and to fail, from those of others; tell whether one has changed."""
    changed = False
    rule = 0
    while rule < len(rules.head):
        head = rules.head[rule]
        least, total = INFINITE, 0
        while rule < len(rules.head) and rules.head[rule] == head:
            body, weakest = 0, INFINITE
            for place in range(rules.start[rule], rules.start[rule + 1]):
                literal = rules.data[place]
                atom = literal >> 1
                cost, against = (fails[atom], holds[atom]) if literal & 1 else (holds[atom], fails[atom])
                body = min(body + cost, INFINITE)
                weakest = min(weakest, against)
            least = min(least, body)
            total = min(total + weakest, INFINITE)
            rule += 1
        if rules.in_loop[head]:
            # What holds by way of a loop is found in rounds; that it fails may have no reason outside of the loop.
            least = min(least, holds[head])
            total = 0
        if holds[head] != least or fails[head] != total:
            holds[head] = least
            fails[head] = total
            changed = True
    return changed


@inner_kernel
def apply_effects(effects: Effects, holds: Int32Array, fails: Int32Array, cheapest: Int32Array) -> bool:
    """Find what moves do at which costs; tell whether a cost has changed."""
    for number in range(len(effects.first_member) - 1):
        least = INFINITE
        for place in range(effects.first_member[number], effects.first_member[number + 1]):
            least = min(least, holds[effects.members[place]])
        cheapest[number] = least
    changed = False
    for effect in range(len(effects.outcome)):
        outcome = effects.outcome[effect]
        known = fails[outcome >> 1] if outcome & 1 else holds[outcome >> 1]
        total = cheapest[effects.moves[effect]]
        for clause in range(effects.first_clause[effect], effects.first_clause[effect + 1]):
            if total >= known:
                break
            least = INFINITE
            for place in range(effects.first_literal[clause], effects.first_literal[clause + 1]):
                literal = effects.literals[place]
                least = min(least, fails[literal >> 1] if literal & 1 else holds[literal >> 1])
            total += least
        if total < known:
            changed = True
            if outcome & 1:
                fails[outcome >> 1] = total
            else:
                holds[outcome >> 1] = total
    return changed


@jit
def find_near(
    rules: Rules, free: BoolArray, num_atoms: int, rows: WordArray, goal: Int32Array, found: Int32Array
) -> None:
    """Find near costs; see `GoalCosts.near`."""
    holds = np.full(num_atoms, INFINITE, np.int32)
    fails = np.full(num_atoms, INFINITE, np.int32)
    has_loops = False
    for rule in range(len(rules.head)):
        has_loops = has_loops or rules.in_loop[rules.head[rule]]
    holds[TRUE_ATOM] = 0
    for number in range(len(rows)):
        for fluent in range(len(free)):
            bit = (rows[number, fluent >> 6] >> np.uint64(fluent & 63)) & U1 != 0
            holds[1 + fluent] = 0 if bit or free[fluent] else 1
            fails[1 + fluent] = 0 if not bit or free[fluent] else 1
        if has_loops:
            for rule in range(len(rules.head)):
                holds[rules.head[rule]] = INFINITE
        while derive(rules, holds, fails) and has_loops:
            pass
        total = 0
        for atom in goal:
            total = min(total + holds[atom], INFINITE)
        found[number] = total


@jit
def find_relaxed(  # noqa: C901 (rounds over all that there is to follow, from top to bottom)
    wiring: Wiring, rows: WordArray, goal: Int32Array, found: Int32Array
) -> None:
    """Find relaxed costs; see `GoalCosts.relaxed`."""
    holds = np.full(wiring.num_atoms, INFINITE, np.int32)
    fails = np.full(wiring.num_atoms, INFINITE, np.int32)
    cheapest = np.empty(len(wiring.effects.first_member), np.int32)
    for number in range(len(rows)):
        holds[:] = INFINITE
        fails[:] = INFINITE
        holds[TRUE_ATOM] = 0
        for fluent in range(len(wiring.free)):
            bit = (rows[number, fluent >> 6] >> np.uint64(fluent & 63)) & U1 != 0
            if bit or wiring.free[fluent]:
                holds[1 + fluent] = 0
            if not bit or wiring.free[fluent]:
                fails[1 + fluent] = 0
        for move in wiring.moves:
            fails[move] = 0
        changed = True
        rounds = 0
        while changed and rounds < MOST_ROUNDS:
            rounds += 1
            changed = derive(wiring.before, holds, fails)
            for place in range(len(wiring.moves)):
                cost = min(holds[wiring.legal[place]] + 1, INFINITE)
                if cost < holds[wiring.moves[place]]:
                    holds[wiring.moves[place]] = cost
                    changed = True
            if derive(wiring.after, holds, fails):
                changed = True
            if apply_effects(wiring.effects, holds, fails, cheapest):
                changed = True
            for place in range(len(wiring.fluents)):
                fluent, following = 1 + wiring.fluents[place], wiring.following[place]
                if holds[following] < holds[fluent]:
                    holds[fluent] = holds[following]
                    changed = True
                if fails[following] < fails[fluent]:
                    fails[fluent] = fails[following]
                    changed = True
        total = 0
        for atom in goal:
            total = min(total + holds[atom], INFINITE)
        found[number] = total if not changed else min(total, INFINITE - 1)
