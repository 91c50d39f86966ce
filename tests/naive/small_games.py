"""Small games written for tests, and random ground programs with goals, percepts and larger loops."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from naive.exclusion import random_program
from woodstock.gdl.rules import Rules
from woodstock.gdl.sheet import parse_rules
from woodstock.ground import GroundProgram, ground
from woodstock.ground.program import NO_ATOM, RoleTerms
from woodstock.ground.rulebase import RuleBase, levels_and_loops, offsets
from woodstock.ground.simplify import RawProgram, named_atoms, simplify

ENDLESS = """
(role a) (role b) (init on)
(legal a flip) (legal a keep) (legal b look)
(<= (next on) (true on) (does a keep))
(<= (next on) (not (true on)) (does a flip))
(<= (goal a 30) (true on)) (<= (goal a 70) (not (true on))) (goal b 5)
"""
"""Never ends."""

STUCK = """
(role a) (init (left 3)) (succ 0 1) (succ 1 2) (succ 2 3)
(<= (legal a (take ?n)) (true (left ?x)) (succ ?n ?x))
(<= (legal a stay) (true (left 3)))
(<= (next (left ?n)) (does a (take ?n)))
(<= (next (left ?x)) (true (left ?x)) (does a stay))
(<= terminal (true over))
(<= (goal a 40) (true (left 0)))
"""
"""At 0 nothing is left to do, and the match is not over."""

THREE_IN_TURN = """
(role a) (role b) (role c) (init (control a)) (init (count 0))
(follows a b) (follows b c) (follows c a)
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7)
(<= (legal ?r (add 0)) (true (control ?r)))
(<= (legal ?r (add 1)) (true (control ?r)))
(<= (legal ?r wait) (role ?r) (not (true (control ?r))))
(<= (next (control ?s)) (true (control ?r)) (follows ?r ?s))
(<= (next (count ?n)) (true (count ?n)) (does ?r (add 0)))
(<= (next (count ?m)) (true (count ?n)) (succ ?n ?m) (does ?r (add 1)))
(<= terminal (true (count 7)))
(<= (goal ?r 100) (role ?r) (true (control ?r))) (<= (goal ?r 0) (role ?r) (not (true (control ?r))))
"""
"""Three roles in turn; a counter of no fixed course; no bound on the length."""

STEP_COUNTER = """
(role a) (role b) (init (control a)) (init (step 0)) (init (mark none))
(succ 0 1) (succ 1 2) (succ 2 3)
(<= (legal ?r (put ?r)) (true (control ?r)))
(<= (legal ?r pass) (true (control ?r)))
(<= (legal ?r wait) (role ?r) (not (true (control ?r))))
(<= (next (control b)) (true (control a))) (<= (next (control a)) (true (control b)))
(<= (next (step ?m)) (true (control b)) (true (step ?n)) (succ ?n ?m))
(<= (next (step ?n)) (true (control a)) (true (step ?n)))
(<= (next (mark ?r)) (does ?r (put ?r)))
(<= (next (mark ?r)) (true (mark ?r)) (not placed))
(<= placed (does ?r (put ?r)))
(<= terminal (true (step 3)))
(<= (goal ?r 100) (role ?r) (true (mark ?r))) (<= (goal ?r 0) (role ?r) (not (true (mark ?r))))
"""
"""The step goes on when both have moved: it depends on whose turn it is."""

FREE_CONTROL = """
(role a) (role b) (init (control a)) (init (left 5))
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (follows a b) (follows b a)
(<= (legal ?r again) (true (control ?r))) (<= (legal ?r over) (true (control ?r)))
(<= (legal ?r wait) (role ?r) (not (true (control ?r))))
(<= (next (control ?r)) (does ?r again))
(<= (next (control ?s)) (does ?r over) (follows ?r ?s))
(<= (next (left ?n)) (true (left ?m)) (succ ?n ?m))
(<= terminal (true (left 0)))
(<= (goal ?r 100) (role ?r) (true (control ?r))) (<= (goal ?r 0) (role ?r) (not (true (control ?r))))
"""
"""Whose turn it is depends on the moves."""

SIMULTANEOUS = """
(role a) (role b) (role random) (init (round 0)) (succ 0 1) (succ 1 2) (succ 2 3)
(move x) (move y) (move z)
(<= (legal a ?m) (move ?m)) (<= (legal b ?m) (move ?m) (distinct ?m z))
(legal random heads) (legal random tails)
(<= (next (round ?n)) (true (round ?m)) (succ ?m ?n))
(<= (next lucky) (does random heads) (does a x))
(<= (next same) (does a ?m) (does b ?m))
(<= (next same) (true same) (not (true lucky)))
(<= terminal (true (round 3))) (<= terminal (true lucky) (true same))
(<= (goal a 100) (true same)) (<= (goal a 25) (not (true same)))
(<= (goal b 60) (true lucky)) (<= (goal b 10) (not (true lucky))) (goal random 0)
(<= (sees a (was ?m)) (does b ?m)) (<= (sees b luck) (does random heads))
"""
"""All move at once, one of them is chance; some things are hidden."""

REACHABILITY = """
(role a) (init (at 1)) (init (wall 5)) (init (togo 4))
(edge 1 2) (edge 2 3) (edge 1 4) (edge 2 5) (edge 3 6) (edge 4 5) (edge 5 6) (edge 4 7) (edge 5 8) (edge 6 9)
(edge 7 8) (edge 8 9) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
(<= (joined ?x ?y) (edge ?x ?y)) (<= (joined ?x ?y) (edge ?y ?x))
(<= (cell ?x) (joined ?x ?y))
(<= (reached ?x) (true (at ?x)))
(<= (reached ?y) (reached ?x) (joined ?x ?y) (not (true (wall ?y))))
(<= (legal a (go ?x)) (reached ?x))
(<= (legal a (build ?x)) (cell ?x) (not (reached ?x)))
(<= (legal a (block ?x)) (reached ?x) (not (true (at ?x))))
(<= (next (at ?x)) (does a (go ?x)))
(<= (next (at ?x)) (true (at ?x)) (not moved)) (<= moved (does a (go ?x)))
(<= (next (wall ?x)) (true (wall ?x)) (not (does a (build ?x))))
(<= (next (wall ?x)) (does a (block ?x)))
(<= (next (togo ?n)) (true (togo ?m)) (succ ?n ?m))
(<= terminal (true (togo 0))) (<= terminal (not (reached 9)))
(<= (goal a 100) (reached 9)) (<= (goal a 0) (not (reached 9)))
"""
"""What can be reached on a board of three by three, where walls come and go."""

CAPTURE = """
(role a) (role b) (init (control a))
(edge 1 2) (edge 2 3) (edge 1 4) (edge 2 5) (edge 3 6) (edge 4 5) (edge 5 6)
(<= (joined ?x ?y) (edge ?x ?y)) (<= (joined ?x ?y) (edge ?y ?x)) (<= (cell ?x) (joined ?x ?y))
(<= (taken ?x) (true (stone ?x ?r)))
(<= (breathes ?x) (true (stone ?x ?r)) (joined ?x ?y) (not (taken ?y)))
(<= (breathes ?x) (true (stone ?x ?r)) (joined ?x ?y) (true (stone ?y ?r)) (breathes ?y))
(<= (legal ?r (put ?x)) (true (control ?r)) (cell ?x) (not (taken ?x)))
(<= (legal ?r wait) (role ?r) (not (true (control ?r))))
(<= (next (control b)) (true (control a))) (<= (next (control a)) (true (control b)))
(<= (next (stone ?x ?r)) (does ?r (put ?x)))
(<= (next (stone ?x ?r)) (true (stone ?x ?r)))
(<= dead (true (stone ?x ?r)) (not (breathes ?x)))
(<= terminal dead)
(<= (goal ?r 100) (role ?r) dead (not (true (control ?r)))) (<= (goal ?r 0) (role ?r) dead (true (control ?r)))
"""
"""The first stones without a free point beside their group end the match."""

MUTUAL = """
(role a) (init (n 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5)
(<= (even ?x) (true (n ?x)) (true base))
(<= (even ?y) (odd ?x) (succ ?x ?y)) (<= (odd ?y) (even ?x) (succ ?x ?y))
(<= (even ?x) (odd ?y) (succ ?x ?y) (not (true (cut ?x)))) (<= (odd ?x) (even ?y) (succ ?x ?y) (true (cut ?x)))
(<= (lonely ?x) (lonely ?x)) (<= (lonely ?x) (lonelier ?x)) (<= (lonelier ?x) (lonely ?x) (true (n ?x)))
(init base)
(<= (number ?x) (succ ?x ?y)) (<= (number ?y) (succ ?x ?y))
(<= (legal a (cut ?x)) (number ?x) (not (lonely ?x))) (<= (legal a (move ?x)) (even ?x)) (legal a drop)
(<= (next (cut ?x)) (does a (cut ?x))) (<= (next (cut ?x)) (true (cut ?x)) (not (does a drop)))
(<= (next (n ?x)) (does a (move ?x))) (<= (next (n ?x)) (true (n ?x)) (not moved)) (<= moved (does a (move ?x)))
(<= (next base) (true base) (not (does a drop))) (<= (next base) (does a (cut ?x)))
(<= terminal (odd 5) (even 5))
(<= (goal a 50) (odd 3)) (<= (goal a 20) (not (odd 3)))
"""
"""Relations that need each other, and some that nothing but themselves supports."""

ASKING = """
(role a) (init (n 0)) (succ 0 1) (succ 1 2)
(<= busy (does a ?m))
(<= (legal a go) (not busy)) (<= (legal a never) busy) (<= (legal a (pick ?x)) (succ ?y ?x))
(<= (next (n ?y)) (true (n ?x)) (succ ?x ?y) busy)
(<= (next went) (does a go) busy)
(<= terminal (true (n 2))) (<= terminal busy)
(<= (goal a 100) busy) (<= (goal a 50) (not busy))
"""
"""`legal`, `terminal` and `goal` ask for moves: they see none."""

ONLY_MOVE = """
(role a) (role b) (init (left 3)) (succ 0 1) (succ 1 2) (succ 2 3)
(legal a stay) (legal a down)
(<= (legal b watch) (not (true (left 1))))
(<= (next (left ?n)) (true (left ?m)) (succ ?n ?m) (does a down))
(<= (next (left ?m)) (true (left ?m)) (does a stay))
(<= terminal (true (left 0)))
(<= (goal a 80) (true (left 1))) (<= (goal b 20) (true (left 1)))
"""
"""One role has a single move, which is not always legal: no match comes to its end."""

NO_MOVES = """
(role a) (role b) (init on) (legal a flip) (legal a keep)
(<= (next on) (true on) (does a keep)) (<= terminal (not (true on))) (goal a 1) (goal b 2)
"""
"""One role never has a move: nothing ever happens."""

NO_WAITING = """
(role a) (role b) (init (control a)) (init (left 2)) (succ 0 1) (succ 1 2)
(<= (legal a (go ?m)) (succ ?m ?n)) (<= (legal b ?m) (true (control b)) (move ?m)) (move x) (move y)
(<= (next (control b)) (true (control a))) (<= (next (control a)) (true (control b)))
(<= (next (left ?m)) (does a (go ?m)))
(<= terminal (true (left 0))) (goal a 7) (<= (goal b 9) (true (control a)))
"""
"""In one phase of two one role has no moves."""

RECURSIVE = {"reachability": REACHABILITY, "capture": CAPTURE, "mutual": MUTUAL, "asking": ASKING}
ALL_GAMES = {
    **RECURSIVE,
    "endless": ENDLESS,
    "stuck": STUCK,
    "only_move": ONLY_MOVE,
    "no_moves": NO_MOVES,
    "no_waiting": NO_WAITING,
    "three_in_turn": THREE_IN_TURN,
    "step_counter": STEP_COUNTER,
    "free_control": FREE_CONTROL,
    "simultaneous": SIMULTANEOUS,
}


def choice_sheet(count: int) -> str:
    """Return a game of one move of many; the goal is its number, or 100 if that is greater."""
    moves = " ".join(f"(number {number} {min(number, 100)})" for number in range(count))
    return f"""
    (role a) {moves}
    (<= (legal a (pick ?n)) (number ?n ?v) (not done)) (<= (legal a none) done) (<= done (true (picked ?n)))
    (<= (next (picked ?n)) (does a (pick ?n)))
    (<= terminal done)
    (<= (goal a ?v) (true (picked ?n)) (number ?n ?v))
    """


@cache
def rules_of(text: str) -> Rules:
    return parse_rules(text, "kif")


@cache
def program_of(text: str) -> GroundProgram:
    return ground(rules_of(text))


def random_game(rng: np.random.Generator) -> GroundProgram:
    """Return a random program whose goals and percepts are atoms of all kinds, those about moves too."""
    program = random_program(rng) if rng.random() < 0.5 else random_loops(rng)
    return with_outputs(program, rng.integers(0, program.num_atoms, 6), rng.integers(0, program.num_atoms, 6))


def with_all_atoms(program: GroundProgram) -> GroundProgram:
    """Return a program that tells the value of every atom, before moves as goals and after them as percepts."""
    return with_outputs(program, np.arange(program.num_atoms), np.arange(program.num_atoms))


def with_outputs(program: GroundProgram, goals: np.ndarray, percepts: np.ndarray) -> GroundProgram:
    """Return a program with other goals and percepts, each an atom."""
    num_roles = len(program.roles)
    parts = [
        RoleTerms((np.arange(len(atoms)) % num_roles).astype(np.int32), terms, atoms.astype(np.int32))
        for atoms, terms in (
            (goals, tuple(map(str, range(len(goals))))),
            (percepts, tuple(map(str, range(len(percepts))))),
        )
    ]
    return replace(program, goals=parts[0], percepts=parts[1])


def random_loops(rng: np.random.Generator) -> GroundProgram:
    """Return a small program in blocks of atoms that depend positively on each other, and in any way on lower ones."""
    num_fluents, sizes = int(rng.integers(2, 7)), [int(size) for size in rng.integers(1, 5, int(rng.integers(1, 4)))]
    first_move = 1 + num_fluents
    first_view = first_move + sum(sizes)
    block_sizes = rng.integers(1, 6, int(rng.integers(2, 6))).tolist()
    num_atoms = first_view + sum(block_sizes)
    rules: list[tuple[int, list[int]]] = []
    first = first_view
    position_end = first_view + sum(block_sizes[: (len(block_sizes) + 1) // 2])
    for size in block_sizes:
        lower = [*range(1, first_move), *range(first_view, first)]
        lower += [] if first < position_end else list(range(first_move, first_view))
        for atom in range(first, first + size):
            for _ in range(int(rng.integers(1, 5))):
                body = [
                    2 * int(other) + int(rng.random() < 0.4) for other in rng.choice(lower, int(rng.integers(0, 3)))
                ]
                body += [2 * int(rng.integers(first, first + size)) for _ in range(int(rng.integers(0, 3)))]
                rules.append((atom, sorted(set(body)) or [2 * int(rng.choice(lower))]))
        first += size
    derived = range(first_view, num_atoms)
    about_position = range(first_view, position_end)
    roles = [role for role, size in enumerate(sizes) for _ in range(size)]
    fluents = [f"f{number}" for number in range(num_fluents)]
    raw = RawProgram(
        roles=tuple(f"r{number}" for number in range(len(sizes))),
        rules=RuleBase(
            num_atoms,
            np.array([head for head, _ in rules], dtype=np.int64),
            offsets(np.array([len(body) for _, body in rules], dtype=np.int64)),
            np.array([literal for _, body in rules for literal in body], dtype=np.int64),
        ),
        fluents=named_atoms([(1 + number, -1, fluent) for number, fluent in enumerate(fluents)]),
        moves=named_atoms([(first_move + number, role, f"m{number}") for number, role in enumerate(roles)]),
        initial=frozenset(fluent for fluent in fluents if rng.random() < 0.4),
        next=named_atoms([(int(rng.choice(derived)), -1, fluent) for fluent in fluents]),
        legal=named_atoms(
            [
                (0 if rng.random() < 0.5 else int(rng.choice(about_position)), role, f"m{number}")
                for number, role in enumerate(roles)
            ]
        ),
        terminal=int(rng.choice(about_position)) if rng.random() < 0.3 else NO_ATOM,
        goals=named_atoms([(atom, 0, str(atom)) for atom in derived]),
        percepts=None,
    )
    return simplify(raw)


def make_program(
    num_fluents: int, num_moves: int, rules: list[tuple[int, list[int]]], following: list[int]
) -> GroundProgram:
    """Return the program of one role with exactly these rules, sorted by head, and all atoms as goals.

    Args:
        num_fluents: Number of fluents, none of which holds at first.
        num_moves: Number of moves, all of them legal.
        rules: Head and literals; derived atoms begin at `1 + num_fluents + num_moves`.
        following: For each fluent the atom that says whether it holds next.
    """
    num_atoms = 1 + max([num_fluents + num_moves, *(head for head, _ in rules)])
    starts = offsets(np.array([len(body) for _, body in rules], dtype=np.int64))
    heads = np.array([head for head, _ in rules], dtype=np.int64)
    data = np.array([literal for _, body in rules for literal in body], dtype=np.int64)
    level, loop = levels_and_loops(RuleBase(num_atoms, heads, starts, data))
    nothing = RoleTerms(np.zeros(0, np.int32), (), np.zeros(0, np.int32))
    program = GroundProgram(
        roles=("a",),
        fluents=tuple(f"f{number}" for number in range(num_fluents)),
        moves=(tuple(f"m{number}" for number in range(num_moves)),),
        initial=np.zeros(num_fluents, np.bool_),
        rule_head=heads.astype(np.int32),
        body_start=starts.astype(np.int32),
        body_data=data.astype(np.int32),
        atom_level=level.astype(np.int32),
        atom_loop=loop.astype(np.int32),
        next_atom=np.array(following, np.int32),
        legal_atom=np.zeros(num_moves, np.int32),
        terminal_atom=NO_ATOM,
        goals=nothing,
        percepts=None,
    )
    return with_all_atoms(program)
