"""The best that one mind can make of a game, found the slow way; and random puzzles to try planners on."""

from __future__ import annotations

from itertools import product
from random import Random
from typing import Any

from woodstock.game.protocol import Game, goal


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
