"""Groups, canonical keys and orbits by the definition, on lists; games solved by sweeps over all their positions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from woodstock.circuit.circuit import Circuit
from woodstock.circuit.expansion import NO_GOAL, Expander
from woodstock.circuit.packing import pack, unpack
from woodstock.ground import GroundProgram
from woodstock.symmetry._automorphism import find_generators
from woodstock.symmetry.group import SymmetryGroup
from woodstock.symmetry.rule_graph import rule_graph
from woodstock.symmetry.symmetry import Shape

Permutation = tuple[int, ...]


def compose(first: Sequence[int], second: Sequence[int]) -> Permutation:
    """Return the permutation that does the first and then the second."""
    return tuple(second[image] for image in first)


def close_group(generators: Iterable[Sequence[int]], degree: int) -> list[Permutation]:
    """Return all elements of the group that permutations generate, sorted: the identity comes first."""
    generators = [tuple(generator) for generator in generators]
    found = {tuple(range(degree))}
    waiting = list(found)
    while waiting:
        element = waiting.pop()
        for generator in generators:
            product = compose(element, generator)
            if product not in found:
                found.add(product)
                waiting.append(product)
    return sorted(found)


def image_key(numbers: Sequence[int], element: Sequence[int], position: Iterable[int]) -> int:
    """Return the Zobrist key of the image of a position, given as the fluents that hold."""
    key = 0
    for fluent in position:
        key ^= numbers[element[fluent]]
    return key


def canonical_key(numbers: Sequence[int], elements: Sequence[Sequence[int]], position: Iterable[int]) -> int:
    """Return the least key of all images."""
    held = list(position)
    return min(image_key(numbers, element, held) for element in elements)


def orbits_of_moves(
    elements: Iterable[tuple[Sequence[int], Sequence[int]]], position: Iterable[int], legal: Iterable[int]
) -> set[frozenset[int]]:
    """Return the orbits of legal moves under the elements, images of fluents and of moves, that keep a position."""
    held = set(position)
    keep = [moves for fluents, moves in elements if {fluents[fluent] for fluent in held} == held]
    return {frozenset(moves[move] for moves in keep) for move in legal}


@dataclass(eq=False)
class Solved:
    """All positions of a game with their values.

    Attributes:
        program: The game.
        rows: Packed positions, the initial one first, shape (n, num_words), uint64.
        legal: Their legal moves, packed, shape (n, num_move_words), uint64.
        terminal: Whether the match is over, shape (n,), bool.
        parent: The position that each joint move is made in, shape (num_edges,).
        moves: The joint moves, counted over all roles, shape (num_edges, num_roles).
        child: Where they lead, shape (num_edges,).
        values: What each role can be sure of: the most over its moves of the least over the others' moves of the mean
            over the moves of chance, shape (n, num_roles). If the game may go on for ever: within `depth` moves.
        depth: How many sweeps it took.
    """

    program: GroundProgram
    rows: npt.NDArray[np.uint64]
    legal: npt.NDArray[np.uint64]
    terminal: npt.NDArray[np.bool_]
    parent: npt.NDArray[np.int64]
    moves: npt.NDArray[np.int32]
    child: npt.NDArray[np.int64]
    values: npt.NDArray[np.float64]
    depth: int

    def bits(self, number: int) -> npt.NDArray[np.bool_]:
        """Return which fluents hold in a position."""
        return unpack(self.rows[number], self.program.num_fluents)

    def number_of(self) -> dict[bytes, int]:
        """Return the number of each packed position."""
        return {row.tobytes(): number for number, row in enumerate(self.rows)}

    def move_values(self, number: int) -> dict[int, float]:
        """Return what each move is worth to the role that makes it, whatever the others do."""
        found: dict[int, float] = {}
        edges = np.flatnonzero(self.parent == number)
        chance = self.program.roles.index("random") if "random" in self.program.roles else None
        joint: dict[tuple[int, ...], list[int]] = {}
        for edge in edges.tolist():
            key = tuple(move for role, move in enumerate(self.moves[edge].tolist()) if role != chance)
            joint.setdefault(key, []).append(edge)
        players = [role for role in range(len(self.program.roles)) if role != chance]
        for key, made in joint.items():
            for place, role in enumerate(players):
                value = round(float(np.mean(self.values[self.child[made], role])), 9)
                found[key[place]] = min(found.get(key[place], np.inf), value)
        return found


def enumerate_game(program: GroundProgram, limit: int) -> Solved | None:
    """Return all positions of a game without their values; None if they are more than a limit."""
    expander = Expander(Circuit(program))
    first = pack(program.initial)[None]
    seen = {first[0].tobytes(): 0}
    blocks, looks, edges = [first], [expander.look(first)], []
    frontier, numbers = first, np.zeros(1, np.int64)
    while len(frontier):
        new_rows, new_numbers = [], []
        for start in range(0, len(frontier), 2000):
            expansion = expander.expand(frontier[start : start + 2000])
            children = np.empty(len(expansion.rows), np.int64)
            for place, row in enumerate(expansion.rows):
                key = row.tobytes()
                number = seen.get(key)
                if number is None:
                    number = seen[key] = len(seen)
                    new_numbers.append(number)
                    new_rows.append(row)
                children[place] = number
            edges.append((numbers[start + expansion.parent], expansion.moves, children))
            if len(seen) > limit:
                return None
        frontier = np.array(new_rows, np.uint64).reshape(-1, first.shape[1])
        numbers = np.array(new_numbers, np.int64)
        if len(frontier):
            blocks.append(frontier)
            looks.append(expander.look(frontier))
    parent, moves, child = (np.concatenate(each) for each in zip(*edges, strict=True))
    goals = np.concatenate([look.goals for look in looks]).astype(np.float64)
    terminal = np.concatenate([look.terminal for look in looks])
    goals[~terminal] = 0.0
    goals[goals == NO_GOAL] = -1.0
    legal = np.concatenate([look.legal for look in looks])
    return Solved(program, np.concatenate(blocks), legal, terminal, parent, moves, child, goals, 0)


def solve(program: GroundProgram, limit: int = 100_000, max_depth: int = 300) -> Solved | None:
    """Return all positions of a game with their values; None if they are more than a limit."""
    game = enumerate_game(program, limit)
    if game is None:
        return None
    chance = program.roles.index("random") if "random" in program.roles else None
    players = [role for role in range(len(program.roles)) if role != chance]
    joint, edge_joint = _groups(np.column_stack([game.parent, game.moves[:, players]]))
    counts = np.bincount(edge_joint, minlength=len(joint)).astype(np.float64)
    steps = []
    for place, role in enumerate(players):
        own, joint_own = _groups(joint[:, [0, 1 + place]])
        steps.append((role, len(own), joint_own, own[:, 0]))
    start = game.values
    open_ = np.zeros(len(game.rows), np.bool_)
    open_[game.parent] = True
    for depth in range(1, max_depth + 1):
        values = start.copy()
        for role, size, joint_own, own_parent in steps:
            mean = np.bincount(edge_joint, weights=game.values[game.child, role], minlength=len(joint)) / counts
            least = np.full(size, np.inf)
            np.minimum.at(least, joint_own, np.round(mean, 9))
            best = np.full(len(values), -np.inf)
            np.maximum.at(best, own_parent, least)
            values[open_, role] = best[open_]
        if np.array_equal(values, game.values):
            break
        game.values, game.depth = values, depth
    return game


def _groups(table: npt.NDArray[np.integer]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the different rows of a table, and which of them each row is."""
    found, place = np.unique(np.asarray(table, np.int64), axis=0, return_inverse=True)
    return found, place.reshape(-1)


CONNECT_THREE = """
(role red) (role blue) (init (turn red)) (other red blue) (other blue red)
(next_to 1 2) (next_to 2 3) (side 1) (side 2) (side 3)
(<= (filled ?c ?r) (true (disc ?c ?r ?p)))
(<= (legal ?p (drop ?c)) (true (turn ?p)) (side ?c) (not (filled ?c 3)))
(<= (legal ?p wait) (other ?p ?q) (true (turn ?q)))
(<= (lands ?c 1) (side ?c) (not (filled ?c 1)))
(<= (lands ?c ?r) (next_to ?b ?r) (filled ?c ?b) (not (filled ?c ?r)))
(<= (next (disc ?c ?r ?p)) (does ?p (drop ?c)) (lands ?c ?r))
(<= (next (disc ?c ?r ?p)) (true (disc ?c ?r ?p)))
(<= (next (turn ?q)) (true (turn ?p)) (other ?p ?q))
(<= (line ?p) (true (disc 1 ?r ?p)) (true (disc 2 ?r ?p)) (true (disc 3 ?r ?p)))
(<= (line ?p) (true (disc ?c 1 ?p)) (true (disc ?c 2 ?p)) (true (disc ?c 3 ?p)))
(<= (line ?p) (true (disc 1 1 ?p)) (true (disc 2 2 ?p)) (true (disc 3 3 ?p)))
(<= (line ?p) (true (disc 1 3 ?p)) (true (disc 2 2 ?p)) (true (disc 3 1 ?p)))
(<= full (filled 1 3) (filled 2 3) (filled 3 3))
(<= terminal (line ?p)) (<= terminal full)
(<= (goal ?p 100) (line ?p))
(<= (goal ?p 0) (other ?p ?q) (line ?q))
(<= (goal ?p 50) (role ?p) (not (line red)) (not (line blue)))
"""
"""Discs fall into three columns of three; three in line win. Left and right are alike."""

CHANCY_HEAPS = """
(role a) (role b) (role random) (init (turn a)) (init (heap x 3)) (init (heap y 3)) (init (heap z 2))
(other a b) (other b a) (succ 0 1) (succ 1 2) (succ 2 3) (size 1) (size 2) (size 3)
(minus 1 1 0) (minus 2 1 1) (minus 3 1 2) (minus 1 2 0) (minus 2 2 0) (minus 3 2 1)
(<= (legal ?p (choose ?h)) (true (turn ?p)) (true (heap ?h ?n)) (size ?n))
(<= (legal ?p wait) (other ?p ?q) (true (turn ?q)))
(legal random (take 1)) (legal random (take 2))
(<= (next (heap ?h ?m)) (does ?p (choose ?h)) (does random (take ?k)) (true (heap ?h ?n)) (minus ?n ?k ?m))
(<= (next (heap ?h ?n)) (true (heap ?h ?n)) (not (chosen ?h)))
(<= (chosen ?h) (does ?p (choose ?h)))
(<= (next (turn ?q)) (true (turn ?p)) (other ?p ?q))
(<= left (true (heap ?h ?n)) (size ?n))
(<= terminal (not left))
(<= (goal ?p 100) (other ?p ?q) (true (turn ?q))) (<= (goal ?p 0) (true (turn ?p))) (goal random 0)
"""
"""A heap is chosen, and chance takes one or two from it; whoever chooses last wins. The heaps are alike."""

DOORS = """
(role a) (role b) (door 1) (door 2) (door 3) (init (round 1)) (succ 1 2) (succ 2 3)
(<= (legal ?p (open ?d)) (role ?p) (door ?d) (not (true (was ?p ?d))))
(<= (next (was ?p ?d)) (does ?p (open ?d)))
(<= (next (was ?p ?d)) (true (was ?p ?d)))
(<= (next (round ?m)) (true (round ?n)) (succ ?n ?m))
(<= (next met) (true met)) (<= (next met) (does a (open ?d)) (does b (open ?d)))
(<= terminal (true (round 3)))
(<= (goal a 100) (true met)) (<= (goal a 10) (not (true met)))
(<= (goal b 0) (true met)) (<= (goal b 70) (not (true met)))
"""
"""Two rounds in which both open a door, each another one every time; a wants to meet b. The doors are alike."""

COLLECTION = """
(role a) (role b) (item 1) (item 2) (item 3) (item 4) (item 5) (item 6) (init (turn a)) (other a b) (other b a)
(<= (legal ?p (take ?i)) (true (turn ?p)) (item ?i) (not (taken ?i)))
(<= (legal ?p wait) (other ?p ?q) (true (turn ?q)))
(<= (taken ?i) (true (has ?p ?i)))
(<= (next (has ?p ?i)) (does ?p (take ?i))) (<= (next (has ?p ?i)) (true (has ?p ?i)))
(<= (next (turn ?q)) (true (turn ?p)) (other ?p ?q))
(<= left (item ?i) (not (taken ?i))) (<= terminal (not left))
(<= pair (true (has a 1)) (true (has a 2))) (<= pair (true (has a 3)) (true (has a 4)))
(<= pair (true (has a 5)) (true (has a 6)))
(<= (goal a 100) pair) (<= (goal a 0) (not pair)) (<= (goal b 0) pair) (<= (goal b 100) (not pair))
"""
"""Items in three pairs; a wins with both of a pair. The pairs can be exchanged, and the two of each: 48 symmetries."""

TOYS = {"connect_three": CONNECT_THREE, "chancy_heaps": CHANCY_HEAPS, "doors": DOORS, "collection": COLLECTION}


def rule_symmetries(program: GroundProgram) -> SymmetryGroup:
    """Return the symmetries that the rule graph shows."""
    rules = rule_graph(program)
    found = [rules.symmetry_of(each) for each in find_generators(rules.graph).permutations]
    num_percepts = 0 if program.percepts is None else len(program.percepts.terms)
    shape = Shape(program.num_fluents, program.num_moves, len(program.roles), num_percepts)
    return SymmetryGroup(found, shape)
