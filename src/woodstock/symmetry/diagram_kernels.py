"""Binary decision diagrams: the kernel of if-then-else (Bryant 1986; Brace, Rudell and Bryant 1990).

A diagram is a number: 0 is false, 1 is true, others are nodes that ask for a variable, with a diagram for either
answer. Variables are asked in the order of their numbers and no two nodes are alike, so equal functions are equal
numbers. The kernel keeps its stack in an array and comes back after some steps, whether it is done or not.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from woodstock.common.jit import inner_kernel, jit

Int32Array = npt.NDArray[np.int32]

LAST_VARIABLE: Final = np.int32(2**31 - 1)
"""Stands in the nodes false and true: it comes after all variables."""
STEPS: Final = 200_000
"""Steps of the kernel between two looks at the clock."""

DONE, PAUSED, FULL = 0, 1, 2
_COUNT, _DEPTH, _RESULT = 0, 1, 2
_F, _G, _H, _STAGE, _VARIABLE, _LOW = 0, 1, 2, 3, 4, 5
FRAME: Final = 6


class Tables(NamedTuple):
    """The nodes of all diagrams, and what is known of them.

    Attributes:
        variable: Variable of each node, shape (max_nodes,), int32.
        low: What follows if the variable is false.
        high: What follows if it is true.
        unique: Open hash table of the nodes, -1 where empty; its length is a power of two.
        known: Results of if-then-else: three diagrams and the result, shape (a power of two, 4), int32.
        stack: Frames of the kernel, shape (depth, FRAME), int32.
        registers: Number of nodes, depth of the stack, and the last result.
    """

    variable: Int32Array
    low: Int32Array
    high: Int32Array
    unique: Int32Array
    known: Int32Array
    stack: Int32Array
    registers: Int32Array


def make_tables(max_nodes: int, num_variables: int) -> Tables:
    """Return tables with the nodes false and true."""
    size = 1 << int(2 * max_nodes - 1).bit_length()
    tables = Tables(
        variable=np.empty(max_nodes, dtype=np.int32),
        low=np.empty(max_nodes, dtype=np.int32),
        high=np.empty(max_nodes, dtype=np.int32),
        unique=np.full(size, -1, dtype=np.int32),
        known=np.full((max(16, size // 4), 4), -1, dtype=np.int32),
        stack=np.zeros((num_variables + 4, FRAME), dtype=np.int32),
        registers=np.zeros(3, dtype=np.int32),
    )
    tables.variable[:2] = LAST_VARIABLE
    tables.low[:2] = tables.high[:2] = (0, 1)
    tables.registers[_COUNT] = 2
    return tables


@inner_kernel
def _hash(one: int, two: int, three: int, mask: int) -> int:
    mixed = (int(one) * 12582917 + int(two) * 4256249 + int(three) * 741457) & 0x7FFFFFFFFFFF
    return (mixed ^ (mixed >> 15)) & mask


@inner_kernel
def _node(tables: Tables, variable: int, low: int, high: int) -> int:
    """Return the node with a variable and two answers, made if it is new; -1 if there is no more room."""
    if low == high:
        return low
    mask = len(tables.unique) - 1
    place = _hash(variable, low, high, mask)
    while tables.unique[place] >= 0:
        node = tables.unique[place]
        if tables.variable[node] == variable and tables.low[node] == low and tables.high[node] == high:
            return int(node)
        place = (place + 1) & mask
    node = tables.registers[_COUNT]
    if node >= len(tables.variable):
        return -1
    tables.variable[node] = variable
    tables.low[node] = low
    tables.high[node] = high
    tables.unique[place] = node
    tables.registers[_COUNT] = node + 1
    return int(node)


@inner_kernel
def _push(tables: Tables, f: int, g: int, h: int) -> None:
    depth = tables.registers[_DEPTH]
    frame = tables.stack[depth]
    frame[_F] = f
    frame[_G] = g
    frame[_H] = h
    frame[_STAGE] = 0
    tables.registers[_DEPTH] = depth + 1


@inner_kernel
def _push_half(tables: Tables, frame: Int32Array, answer: bool) -> None:
    """Push what is left of a frame once its variable has an answer."""
    variable = frame[_VARIABLE]
    side = tables.high if answer else tables.low
    f = side[frame[_F]] if tables.variable[frame[_F]] == variable else frame[_F]
    g = side[frame[_G]] if tables.variable[frame[_G]] == variable else frame[_G]
    h = side[frame[_H]] if tables.variable[frame[_H]] == variable else frame[_H]
    _push(tables, f, g, h)


@inner_kernel
def _simple(f: int, g: int, h: int) -> int:
    """Return what is known at first sight, or -1."""
    if f == 1:
        return g
    if f == 0:
        return h
    if g == h:
        return g
    if g == 1 and h == 0:
        return f
    return -1


@inner_kernel
def _finish(tables: Tables, result: int) -> None:
    tables.registers[_RESULT] = result
    tables.registers[_DEPTH] -= 1


@jit
def make_variable(tables: Tables, variable: int) -> int:
    """Return the diagram that is true iff a variable is; -1 if there is no more room."""
    return _node(tables, variable, 0, 1)


@jit
def start(tables: Tables, f: int, g: int, h: int) -> None:
    """Ask for: if f then g else h."""
    tables.registers[_DEPTH] = 0
    _push(tables, f, g, h)


@jit
def go_on(tables: Tables, steps: int) -> int:
    """Work on what was asked for; DONE, PAUSED after so many steps, or FULL. The result is the last register."""
    mask = len(tables.known) - 1
    for _ in range(steps):
        depth = tables.registers[_DEPTH]
        if depth == 0:
            return DONE
        frame = tables.stack[depth - 1]
        if frame[_STAGE] == 0:
            f, g, h = frame[_F], frame[_G], frame[_H]
            result = _simple(f, g, h)
            if result < 0:
                entry = tables.known[_hash(f, g, h, mask)]
                if entry[0] == f and entry[1] == g and entry[2] == h:
                    result = entry[3]
            if result >= 0:
                _finish(tables, result)
            else:
                frame[_VARIABLE] = min(tables.variable[f], tables.variable[g], tables.variable[h])
                frame[_STAGE] = 1
                _push_half(tables, frame, False)
        elif frame[_STAGE] == 1:
            frame[_LOW] = tables.registers[_RESULT]
            frame[_STAGE] = 2
            _push_half(tables, frame, True)
        else:
            result = _node(tables, frame[_VARIABLE], frame[_LOW], tables.registers[_RESULT])
            if result < 0:
                return FULL
            entry = tables.known[_hash(frame[_F], frame[_G], frame[_H], mask)]
            entry[0] = frame[_F]
            entry[1] = frame[_G]
            entry[2] = frame[_H]
            entry[3] = result
            _finish(tables, result)
    return DONE if tables.registers[_DEPTH] == 0 else PAUSED
