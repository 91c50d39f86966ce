"""Disjunctions of conjunctions (*cubes*) as gates: what several cubes share is taken out first.

`a b + a c + d` becomes `a (b + c) + d`. The literal that most cubes have is taken out, again and again (the quick
factoring of multi-level logic synthesis, Brayton 1987).
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from woodstock.circuit.builder import Builder
from woodstock.circuit.conjunctions import make_and, make_or, simplify
from woodstock.circuit.network import TRUE, Int32Array, Int64Array
from woodstock.common.jit import jit

MANY_CUBES: Final = 96
"""Of more cubes each goes to the literal that was most frequent at first: to count anew each time is quadratic."""

DATA: Final = 0
CUBES: Final = 1
OUTS: Final = 2
"""Places in `Cubes.tops`."""

FIRST: Final = 0
LAST: Final = 1
PLACE: Final = 2
BOTTOM: Final = 3
TOP_CUBES: Final = 4
TOP_DATA: Final = 5
LITERAL: Final = 6
"""Places in a frame: the cubes from FIRST to before LAST, of which those before PLACE are done; the outs begin at
BOTTOM; TOP_CUBES and TOP_DATA are the tops of the stacks; LITERAL is what was taken out."""


class Cubes(NamedTuple):
    """Stacks of cubes and of literals.

    Attributes:
        start: Where each cube begins in `data`, int64.
        size: How many literals each cube has, 0 for one that is done with, int64.
        data: Literals of the cubes, int32.
        outs: Literals of disjunctions, int32.
        tops: How much of `data`, of `start` and of `outs` is in use, shape (3,), int64.
        favourite: The literal that each of many cubes goes to, int64.
        frames: A stack of disjunctions under construction, shape (max depth, 7), int64; see FIRST and those after it.
        occurs: How often each literal occurs in what is looked at, else 0, int32.
        scratch: Room for one conjunction, int32.
    """

    start: Int64Array
    size: Int64Array
    data: Int32Array
    outs: Int32Array
    tops: Int64Array
    favourite: Int64Array
    frames: Int64Array
    occurs: Int32Array
    scratch: Int32Array


def make_cubes(max_cubes: int, max_literals: int, num_nodes: int) -> Cubes:
    """Return empty stacks for disjunctions of so many cubes and literals over so many nodes."""
    room = 6 * max_literals + 64
    num_cubes = 3 * max_cubes + room // 2
    return Cubes(
        start=np.zeros(num_cubes, dtype=np.int64),
        size=np.zeros(num_cubes, dtype=np.int64),
        data=np.zeros(room, dtype=np.int32),
        outs=np.zeros(max_literals + 2 * max_cubes + 64, dtype=np.int32),
        tops=np.zeros(3, dtype=np.int64),
        favourite=np.zeros(num_cubes, dtype=np.int64),
        frames=np.zeros((64, 7), dtype=np.int64),
        occurs=np.zeros(2 * num_nodes, dtype=np.int32),
        scratch=np.zeros(max_literals + max_cubes + 64, dtype=np.int32),
    )


@jit
def push_cube(builder: Builder, cubes: Cubes, count: int) -> int:
    """Push the conjunction of the first `count` literals of `scratch`, simplified; return its size, -1 if it is empty.

    One that never holds is not pushed. `scratch` is lost.
    """
    count = simplify(builder, cubes.scratch, count)
    if count < 0:
        return -1
    top = cubes.tops[DATA]
    cube = cubes.tops[CUBES]
    for number in range(count):
        cubes.data[top + number] = cubes.scratch[number]
    cubes.start[cube] = top
    cubes.size[cube] = count
    cubes.tops[DATA] = top + count
    cubes.tops[CUBES] = cube + 1
    return count


@jit
def _conjunction(builder: Builder, cubes: Cubes, cube: int) -> int:
    """Return the literal of a cube."""
    size = cubes.size[cube]
    for number in range(size):
        cubes.scratch[number] = cubes.data[cubes.start[cube] + number]
    return make_and(builder, cubes.scratch, size)


@jit
def _absorb(cubes: Cubes, first: int, last: int) -> None:
    """Drop the cubes that a cube of one literal implies, and from the others the complement of such a literal."""
    singles = 0
    for cube in range(first, last):
        if cubes.size[cube] == 1:
            singles += 1
            cubes.occurs[cubes.data[cubes.start[cube]]] = 1
    if singles == 0:
        return
    for cube in range(first, last):
        size = cubes.size[cube]
        if size <= 1:
            continue
        kept = 0
        start = cubes.start[cube]
        for number in range(size):
            literal = cubes.data[start + number]
            if cubes.occurs[literal] != 0:
                kept = -1
                break
            if cubes.occurs[literal ^ 1] == 0:
                cubes.data[start + kept] = literal
                kept += 1
        # A cube of which all literals are complements of others that stand alone: one of these always holds.
        cubes.size[cube] = max(kept, 0)
        if kept == 0:
            cubes.size[cube] = 1
            cubes.data[start] = TRUE
    for cube in range(first, last):
        if cubes.size[cube] == 1:
            cubes.occurs[cubes.data[cubes.start[cube]]] = 0


@jit
def _count(cubes: Cubes, first: int, last: int) -> int:
    """Count the literals of the cubes of two and more; return the most frequent one."""
    best = 0
    most = 0
    for cube in range(first, last):
        if cubes.size[cube] < 2:
            continue
        for place in range(cubes.start[cube], cubes.start[cube] + cubes.size[cube]):
            literal = cubes.data[place]
            cubes.occurs[literal] += 1
            if cubes.occurs[literal] > most or (cubes.occurs[literal] == most and literal < best):
                most = cubes.occurs[literal]
                best = literal
    return best


@jit
def _uncount(cubes: Cubes, first: int, last: int) -> None:
    for cube in range(first, last):
        for place in range(cubes.start[cube], cubes.start[cube] + cubes.size[cube]):
            cubes.occurs[cubes.data[place]] = 0


@jit
def _push_rest(cubes: Cubes, cube: int, literal: int) -> int:
    """Push a copy of a cube without one literal; return the size of it."""
    top = cubes.tops[DATA]
    new = cubes.tops[CUBES]
    cubes.start[new] = top
    for place in range(cubes.start[cube], cubes.start[cube] + cubes.size[cube]):
        if cubes.data[place] != literal:
            cubes.data[top] = cubes.data[place]
            top += 1
    cubes.size[new] = top - cubes.start[new]
    cubes.tops[DATA] = top
    cubes.tops[CUBES] = new + 1
    return int(cubes.size[new])


@jit
def _has(cubes: Cubes, cube: int, literal: int) -> bool:
    found = False
    for place in range(cubes.start[cube], cubes.start[cube] + cubes.size[cube]):
        found = found or cubes.data[place] == literal
    return found


@jit
def _favourite(cubes: Cubes, cube: int) -> int:
    """Return the literal of a cube that was counted most often."""
    best = cubes.data[cubes.start[cube]]
    for place in range(cubes.start[cube] + 1, cubes.start[cube] + cubes.size[cube]):
        literal = cubes.data[place]
        if cubes.occurs[literal] > cubes.occurs[best]:
            best = literal
    return int(best)


@jit
def _emit(cubes: Cubes, literal: int) -> None:
    cubes.outs[cubes.tops[OUTS]] = literal
    cubes.tops[OUTS] += 1


@jit
def _emit_all(builder: Builder, cubes: Cubes, first: int, last: int) -> None:
    """Turn the cubes that are left into gates of their own."""
    for cube in range(first, last):
        if cubes.size[cube] > 0:
            _emit(cubes, _conjunction(builder, cubes, cube))


@jit
def _disjunction(builder: Builder, cubes: Cubes, bottom: int) -> int:
    """Return the literal of the disjunction of the outs above a place, and take them off."""
    count = cubes.tops[OUTS] - bottom
    for number in range(count):
        cubes.scratch[number] = cubes.outs[bottom + number]
    cubes.tops[OUTS] = bottom
    return make_or(builder, cubes.scratch, count)


@jit
def _has_room(cubes: Cubes, first: int, last: int) -> bool:
    """Tell whether the stacks can take another copy of some cubes."""
    size = 0
    for cube in range(first, last):
        size += cubes.size[cube]
    return bool(
        cubes.tops[DATA] + size <= len(cubes.data)
        and cubes.tops[CUBES] + last - first <= len(cubes.start)
        and cubes.tops[OUTS] + last - first <= len(cubes.outs)
    )


@jit
def _sort_by_favourite(cubes: Cubes, first: int, last: int) -> None:
    """Put cubes with the same favourite side by side; those of less than two literals have none, and come first."""
    _count(cubes, first, last)
    chosen = np.zeros(last - first, dtype=np.int64)
    for cube in range(first, last):
        if cubes.size[cube] > 1:
            chosen[cube - first] = _favourite(cubes, cube)
    _uncount(cubes, first, last)
    order = np.argsort(chosen, kind="mergesort")
    start, size = cubes.start[first:last].copy(), cubes.size[first:last].copy()
    for number in range(last - first):
        cubes.start[first + number] = start[order[number]]
        cubes.size[first + number] = size[order[number]]
        cubes.favourite[first + number] = chosen[order[number]]


@jit
def _push_favourites(cubes: Cubes, frame: Int64Array) -> int:
    """Push the rests of the next cubes that share a favourite; return that literal, or 0 if there are none left."""
    place, last = frame[PLACE], frame[LAST]
    while place < last:
        literal = cubes.favourite[place]
        end = place + 1
        while end < last and cubes.favourite[end] == literal:
            end += 1
        if literal != 0 and end - place > 1:
            for cube in range(place, end):
                _push_rest(cubes, cube, literal)
                cubes.size[cube] = 0
            frame[PLACE] = end
            return int(literal)
        place = end
    return 0


@jit
def _push_most_frequent(cubes: Cubes, frame: Int64Array) -> int:
    """Push the rests of the cubes that have the most frequent literal; return that, or 0 if no two cubes share any."""
    first, last = frame[FIRST], frame[LAST]
    literal = _count(cubes, first, last)
    times = cubes.occurs[literal]
    _uncount(cubes, first, last)
    if times < 2:
        return 0
    for cube in range(first, last):
        if cubes.size[cube] > 1 and _has(cubes, cube, literal):
            _push_rest(cubes, cube, literal)
            cubes.size[cube] = 0
    return literal


@jit
def _enter(cubes: Cubes, depth: int, first: int, last: int) -> None:
    """Begin with a disjunction."""
    frame = cubes.frames[depth]
    frame[FIRST], frame[LAST], frame[PLACE], frame[BOTTOM] = first, last, first, cubes.tops[OUTS]
    frame[TOP_CUBES], frame[TOP_DATA] = cubes.tops[CUBES], cubes.tops[DATA]
    _absorb(cubes, first, last)
    if last - first > MANY_CUBES:
        _sort_by_favourite(cubes, first, last)


@jit
def factor(builder: Builder, cubes: Cubes, last: int) -> int:
    """Return the literal of the disjunction of the first `last` cubes, which are used up.

    What would be recursion is a stack of frames here: compiled recursive functions do not survive the cache on disk.
    """
    depth = 0
    _enter(cubes, depth, 0, last)
    while True:
        frame = cubes.frames[depth]
        first, last = frame[FIRST], frame[LAST]
        literal = 0
        if depth + 1 < len(cubes.frames) and _has_room(cubes, first, last):
            are_many = last - first > MANY_CUBES
            literal = _push_favourites(cubes, frame) if are_many else _push_most_frequent(cubes, frame)
        if literal != 0:
            frame[LITERAL] = literal
            depth += 1
            _enter(cubes, depth, frame[TOP_CUBES], cubes.tops[CUBES])
            continue
        _emit_all(builder, cubes, first, last)
        result = _disjunction(builder, cubes, frame[BOTTOM])
        if depth == 0:
            return result
        depth -= 1
        frame = cubes.frames[depth]
        cubes.scratch[0] = frame[LITERAL]
        cubes.scratch[1] = result
        _emit(cubes, make_and(builder, cubes.scratch, 2))
        cubes.tops[CUBES], cubes.tops[DATA] = frame[TOP_CUBES], frame[TOP_DATA]
