"""The best that one mind can make of a game, and what planners rest on, found the slow way; random puzzles for them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from math import exp
from random import Random
from typing import Any

from woodstock.game.protocol import Game, goal
from woodstock.ground.program import TRUE_ATOM
from woodstock.search.planning_costs import INFINITE, Rules, Wiring


def best_value(game: Game[Any], position: Any) -> float | None:
    """Return the best value of all positions in which a match may end, by looking at all; None if it never does."""
    found: float | None = None
    seen, stack = {position}, [position]
    while stack:
        here = stack.pop()
        if game.is_terminal(here):
            value = (goal(game, here, 0) or 0) / 100
            found = value if found is None else max(found, value)
            continue
        for moves in product(*(game.legal_moves(here, role) for role in range(len(game.roles)))):
            following = game.next_position(here, moves)
            if following not in seen:
                seen.add(following)
                stack.append(following)
    return found


def make_maze(seed: int) -> str:
    """Return the rules of a walk through rooms, some of which are exits; time is limited.

    Goals depend on the room, in some mazes on the time or on a key that lies in a room as well. In some there is no
    goal that is mentioned and can be reached.
    """
    rng = Random(seed)
    size, last = rng.randint(4, 8), rng.randint(2, 9)
    rooms = range(1, size + 1)
    lines = ["(role you) (init (at 1)) (init (step 0))"]
    lines += [f"(succ {time} {time + 1})" for time in range(last)]
    doors = {(rng.choice(rooms), rng.choice(rooms)) for _ in range(2 * size)} | {(1, 2)}
    lines += [f"(door {one} {other})" for one, other in sorted(doors)]
    lines += [f"(exit {room})" for room in rng.sample(list(rooms)[1:], rng.randint(0, 2))]
    lines += [f"(worth {room} {rng.choice((0, 0, 20, 50, 90))})" for room in rooms]
    lines += ["(<= (legal you (go ?y)) (true (at ?x)) (door ?x ?y))", "(legal you wait)"]
    lines += ["(<= (next (at ?y)) (does you (go ?y)))", "(<= (next (at ?x)) (true (at ?x)) (does you wait))"]
    lines += ["(<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))"]
    lines += ["(<= (next key) (true key))", f"(<= (next key) (does you (go {rng.choice(rooms)})))"]
    lines += ["(<= terminal (true (at ?x)) (exit ?x))", f"(<= terminal (true (step {last})))"]
    kind = rng.randrange(4)
    if kind == 1:  # the goal depends on the time
        lines += [f"(<= early (true (step ?t)) (succ ?t ?s) (distinct ?t {rng.randrange(last)}))"]
        lines += ["(<= (goal you ?v) (true (at ?x)) (worth ?x ?v) early)", "(<= (goal you 95) (not early))"]
    elif kind == 2:  # a reason for the end that mixes board and time
        lines += [f"(<= terminal (true key) (true (step {rng.randrange(1, last + 1)})))"]
        lines += ["(<= (goal you ?v) (true (at ?x)) (worth ?x ?v))"]
    else:
        lines += ["(<= (goal you ?v) (true (at ?x)) (worth ?x ?v) (not won))", "(<= (goal you 100) won)"]
        lines += [f"(<= won (true key) (true (at {rng.choice(rooms)})))"]
        lines += ["(<= over terminal)", "(<= (goal you 100) over (true nothing))"] if kind == 3 else []
    return "\n".join(lines)


def bodies_of(rules: Rules) -> dict[int, list[list[int]]]:
    """Return the bodies of the rules of each atom."""
    found: dict[int, list[list[int]]] = defaultdict(list)
    for number, head in enumerate(rules.head.tolist()):
        found[head].append(rules.data[rules.start[number] : rules.start[number + 1]].tolist())
    return found


def near_cost(bodies: Mapping[int, list[list[int]]], fluents: Mapping[int, bool | None], goal: Iterable[int]) -> int:
    """Return how many fluents have to change, about, for some atoms to hold, if no rule depends on itself.

    Args:
        bodies: The rules of each atom.
        fluents: Whether each fluent's atom holds; None if it costs nothing to have it either way.
        goal: The atoms.
    """

    def cost(atom: int, wanted: bool) -> int:
        if atom == TRUE_ATOM:
            return 0 if wanted else INFINITE
        if atom in fluents:
            return int(fluents[atom] is not None and fluents[atom] != wanted)
        if atom not in bodies:
            return INFINITE
        parts = [[cost(literal >> 1, wanted != bool(literal & 1)) for literal in body] for body in bodies[atom]]
        if wanted:
            return min(min(sum(part), INFINITE) for part in parts)
        return min(sum(min(part, default=INFINITE) for part in parts), INFINITE)

    return min(sum(cost(atom, True) for atom in goal), INFINITE)


def relaxed_cost(wiring: Wiring, held: Sequence[bool], goal: Iterable[int]) -> int:
    """Return what it takes for some atoms to hold if nothing is ever undone, in passes over everything."""
    costs: dict[int, int] = defaultdict(lambda: INFINITE, {2 * TRUE_ATOM: 0})
    for fluent, holds in enumerate(held):
        for is_negated in (False, True):
            if wiring.free[fluent] or holds != is_negated:
                costs[2 * (1 + fluent) + is_negated] = 0
    for move in wiring.moves.tolist():
        costs[2 * move + 1] = 0
    bodies = {**bodies_of(wiring.before), **bodies_of(wiring.after)}
    before: dict[int, int] = {}
    while before != costs:
        before = dict(costs)
        for atom, rules in bodies.items():
            least = min(sum(costs[literal] for literal in body) for body in rules)
            costs[2 * atom] = min(costs[2 * atom], least)
            against = sum(min((costs[literal ^ 1] for literal in body), default=INFINITE) for body in rules)
            costs[2 * atom + 1] = min(costs[2 * atom + 1], 0 if wiring.before.in_loop[atom] else against)
        for move, legal in zip(wiring.moves.tolist(), wiring.legal.tolist(), strict=True):
            costs[2 * move] = min(costs[2 * move], costs[2 * legal] + 1)
        for outcome, total in _effects(wiring, costs):
            costs[outcome] = min(costs[outcome], total)
        for fluent, following in zip(wiring.fluents.tolist(), wiring.following.tolist(), strict=True):
            for is_negated in (0, 1):
                literal = 2 * (1 + fluent) + is_negated
                costs[literal] = min(costs[literal], costs[2 * following + is_negated])
    return min(sum(costs[2 * atom] for atom in goal), INFINITE)


def _effects(wiring: Wiring, costs: Mapping[int, int]) -> list[tuple[int, int]]:
    """Return the literals that moves make hold, and what that costs."""
    effects = wiring.effects
    found = []
    for number, outcome in enumerate(effects.outcome.tolist()):
        which = effects.moves[number]
        members = effects.members[effects.first_member[which] : effects.first_member[which + 1]].tolist()
        total = min((costs[2 * move] for move in members), default=INFINITE)
        for clause in range(effects.first_clause[number], effects.first_clause[number + 1]):
            literals = effects.literals[effects.first_literal[clause] : effects.first_literal[clause + 1]].tolist()
            total += min((costs[literal] for literal in literals), default=INFINITE)
        found.append((outcome, total))
    return found


def narrowed(
    held: set[int], legal: set[int], clauses: Sequence[set[int]], achievers: Sequence[set[int]], order: Iterable[int]
) -> set[int]:
    """Return the legal moves that can meet the requirement which fewest of them can, the first in an order; or all.

    Args:
        held: Atoms of fluents that hold.
        legal: Legal moves.
        clauses: Literals of each requirement, one of which has to hold.
        achievers: Moves that can meet it.
        order: In which order they are looked at.
    """
    unmet = [each for each in order if not any((lit >> 1 in held) != bool(lit & 1) for lit in clauses[each])]
    ways = [legal & achievers[each] for each in unmet]
    return min((way for way in ways if way), key=len, default=legal)


def adapted(
    policy: Sequence[float], groups: Sequence[range], steps: Sequence[tuple[Sequence[int], set[int]]], step: float
) -> list[float]:
    """Return a policy after the moves of a sequence were made more likely (nested rollout policy adaptation).

    Args:
        policy: Number of each move.
        groups: The moves of each role.
        steps: The joint move that was made at each step, and all that was legal.
        step: How far numbers move.
    """
    found = list(policy)
    for moves, legal in steps:
        for made, group in zip(moves, groups, strict=True):
            rivals = [move for move in group if move in legal]
            total = sum(exp(policy[move]) for move in rivals)
            for move in rivals:
                found[move] -= step * exp(policy[move]) / total
            found[made] += step
    return found


def spread(rules: Sequence[tuple[int, Sequence[int]]], marked: set[int], blocked: int, *, up: bool) -> set[int]:
    """Return marked atoms and those that depend on them, or (`up=False`) that they depend on.

    The rules of one atom are not followed. Rules are given as head and literals.
    """
    found: set[int] = set()
    after = set(marked)
    while found != after:
        found = set(after)
        for head, body in rules:
            atoms = {literal >> 1 for literal in body}
            if head != blocked and up and atoms & found:
                after.add(head)
            if head != blocked and not up and head in found:
                after |= atoms
    return found
