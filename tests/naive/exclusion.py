"""Random ground programs, and all that can happen in them: every position, every joint move."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from woodstock.ground.evaluation import Evaluator, holds
from woodstock.ground.program import NO_ATOM, BoolArray, GroundProgram
from woodstock.ground.rulebase import RuleBase, levels_and_loops, offsets
from woodstock.ground.simplify import RawProgram, named_atoms, simplify

Position = frozenset[int]


class Step(NamedTuple):
    """A position, the atoms that hold when a joint move is made there, and the position after it."""

    before: Position
    atoms: BoolArray
    after: Position


def random_program(rng: np.random.Generator) -> GroundProgram:
    """Return a small program: fluents `p(i)` and `q(i, j)`, some roles, derived atoms, sometimes a loop."""
    fluents = [("p", str(i)) for i in range(int(rng.integers(2, 5)))]
    fluents += [("q", str(i), str(j)) for i in range(2) for j in range(int(rng.integers(0, 3)))]
    num_roles = int(rng.integers(1, 4))
    moves = [(role, f"m{number}") for role in range(num_roles) for number in range(int(rng.integers(1, 4)))]
    first_move = 1 + len(fluents)
    first_view = first_move + len(moves)
    first_effect = first_view + int(rng.integers(2, 8))
    first_next = first_effect + int(rng.integers(1, 6))
    num_atoms = first_next + len(fluents)
    rules: list[tuple[int, list[int]]] = []
    for atom in range(first_view, num_atoms):
        lower = [*range(1, first_move), *range(first_view, min(atom, first_next))]
        if atom >= first_effect:
            lower += [*range(first_move, first_view)] * 2
        if atom >= first_next:
            own, move = atom - first_next + 1, int(rng.integers(first_move, first_view))
            lower += [own] * int(rng.integers(0, 2 * len(fluents)))
            rules.append((atom, [2 * move, 2 * int(rng.integers(1, first_move)) + int(rng.random() < 0.5)]))
        for _ in range(int(rng.choice([1, 1, 2, 3]))):
            size = min(len(set(lower)), int(rng.choice([1, 1, 2, 2, 3])))
            body = {int(other) for other in rng.choice(lower, size=size)}
            rules.append((atom, [2 * other + int(rng.random() < 0.3) for other in body]))
    rules = _with_loop(rng, rules, first_view, first_effect, num_atoms)
    may_legal = range(first_view, first_effect if rng.random() < 0.95 else first_next)
    legal = [(0 if rng.random() < 0.5 else int(rng.choice(may_legal)), role, move) for role, move in moves]
    raw = RawProgram(
        roles=tuple(f"r{number}" for number in range(num_roles)),
        rules=_rule_base(rules, num_atoms),
        fluents=named_atoms([(1 + number, -1, fluent) for number, fluent in enumerate(fluents)]),
        moves=named_atoms([(first_move + number, *move) for number, move in enumerate(moves)]),
        initial=frozenset(fluent for fluent in fluents if rng.random() < 0.3),
        next=named_atoms([(first_next + number, -1, fluent) for number, fluent in enumerate(fluents)]),
        legal=named_atoms(legal),
        terminal=int(rng.choice(may_legal)) if rng.random() < 0.3 else NO_ATOM,
        goals=named_atoms([]),
        percepts=None,
    )
    return simplify(raw)


def _with_loop(
    rng: np.random.Generator, rules: list[tuple[int, list[int]]], first_view: int, first_effect: int, num_atoms: int
) -> list[tuple[int, list[int]]]:
    """Let atoms that depend on the position depend on each other, if that does not lead through a negation."""
    if rng.random() < 0.5:
        return rules
    one, two = sorted(rng.choice(range(first_view, first_effect), size=2, replace=False).tolist())
    more = [*rules, (one, [2 * two]), (two, [2 * one])]
    _, loop = levels_and_loops(_rule_base(more, num_atoms))
    is_bad = any(
        literal & 1 and loop[head] >= 0 and loop[head] == loop[literal >> 1] for head, body in more for literal in body
    )
    return rules if is_bad else more


def _rule_base(rules: list[tuple[int, list[int]]], num_atoms: int) -> RuleBase:
    return RuleBase(
        num_atoms,
        np.array([head for head, _ in rules], dtype=np.int64),
        offsets(np.array([len(body) for _, body in rules], dtype=np.int64)),
        np.array([literal for _, body in rules for literal in body], dtype=np.int64),
    )


def all_steps(program: GroundProgram, most: int = 100_000) -> Iterator[Step]:
    """Yield every step that can be made from positions that can be reached, breadth first, up to some number."""
    evaluator = Evaluator(program)
    start = frozenset(np.flatnonzero(program.initial).tolist())
    queue, seen, count = [start], {start}, 0
    for position in queue:
        values = evaluator.position(sorted(position))
        if program.terminal_atom != NO_ATOM and values[2 * program.terminal_atom]:
            continue
        legal = holds(values, program.legal_atom)
        bounds = itertools.pairwise(program.move_start)
        choices = [(first + np.flatnonzero(legal[first:last])).tolist() for first, last in bounds]
        for moves in itertools.product(*choices):
            after_values = evaluator.after(values, moves)
            after = frozenset(np.flatnonzero(holds(after_values, program.next_atom)).tolist())
            yield Step(position, after_values[::2], after)
            count += 1
            if count == most:
                return
            if after not in seen:
                seen.add(after)
                queue.append(after)


def positions_of(program: GroundProgram, steps: list[Step]) -> set[Position]:
    """Return the positions in steps, and the first one."""
    found = {frozenset(np.flatnonzero(program.initial).tolist())}
    return found | {step.before for step in steps} | {step.after for step in steps}
