"""Everything that the kernels work on: the arrays of a compiled network, grouped by subject.

A kernel that is called from Python takes longer to look at each array it is given than to make a small propagation. So
the arrays are parts of a few large ones, the *pools*: `view` cuts them out, in kernels and in Python alike.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np

from woodstock.common.jit import register_jitable
from woodstock.cp.agenda import Agenda
from woodstock.cp.constraints import FloatArray, Int32Array, Int64Array
from woodstock.cp.domains import Domains, UInt8Array

# Kinds of constraints.
CLAUSE: Final = 0
GATE: Final = 1
TABLE: Final = 2
FORBIDDEN: Final = 3
ONE_HOT: Final = 4
CHANNEL: Final = 5
LINEAR: Final = 6
FOUNDED: Final = 7
PREDICATE: Final = 8

NONE: Final = -1
"""Stands for no constraint, no variable, the end of a list."""

# What a kernel found, or what it needs before it can go on.
CONSISTENT: Final = 0
FAILED: Final = 1
PAUSED: Final = 2
"""The work that was allowed is done."""
NO_ROOM: Final = 3
"""The undo array is to be enlarged."""
ASK_PREDICATE: Final = 4
ASK_VARIABLE: Final = 5
ASK_VALUES: Final = 6
ROWS_FULL: Final = 7
"""There is no room for another solution."""
NODES_OVER: Final = 8
"""There may be no more nodes."""
DONE: Final = 9
"""The search is over."""
REFUSED: Final = 10
"""There is no such variable or value."""


class Wiring(NamedTuple):
    """The constraints, and who is told about what.

    A *reaction* to a literal that becomes true is a pair: another literal that becomes true for that reason, and the
    constraint that says so. NONE in place of the literal means that the constraint is to be revised. `NONE - 1 - r`
    means that rule r of the constraint derives nothing any more; see `propagators.founded`.

    Attributes:
        kind: Of each constraint, int32.
        record: Where each constraint is described: the number of its clause, or a place in `numbers`; int32.
        scope_start: Where the variables of each constraint begin, shape (num_constraints + 1,), int32.
        scope_data: Variables, int32.
        numbers: What the constraints consist of; each propagator says how. int64.
        reaction_start: Where the reactions to each literal begin, shape (2 * num_choices + 1,), int32.
        reactions: Literals and constraints, shape (2 * n,), int32.
        listener_start: Where the listeners of each variable begin, shape (num_vars + 1,), int32.
        listeners: Constraints that are revised when a variable has lost choices, int32. (FC: when it is assigned.)
    """

    kind: Int32Array
    record: Int32Array
    scope_start: Int32Array
    scope_data: Int32Array
    numbers: Int64Array
    reaction_start: Int32Array
    reactions: Int32Array
    listener_start: Int32Array
    listeners: Int32Array


class ClauseStore(NamedTuple):
    """Clauses, and for those of three literals or more the two that are watched; see `propagators.clauses`.

    Attributes:
        start: Where each clause begins, shape (num_clauses + 1,), int32.
        data: Literals, int32.
        constraint: The constraint that each clause is, or is part of, int32.
        watch_first: The first watch in the list of each literal, or NONE, shape (2 * num_choices,), int32.
        watches: For watch `2 * clause + side` the next one in its list, and which literal of the clause it watches,
            shape (4 * num_clauses,), int32.
    """

    start: Int32Array
    data: Int32Array
    constraint: Int32Array
    watch_first: Int32Array
    watches: Int32Array


class TableStore(NamedTuple):
    """Which tuples support which choices; see `propagators.tables`.

    Attributes:
        row_start: Where the entries of each row begin; a row is a choice in the scope of a table. int32.
        entry_word: The word of the table that each entry is about, int32.
        entry_bits: The tuples of that word that have the choice, int64.
        residue: For each row the entry that supported it last, int32.
        word_index: Sparse sets of the words that are not empty, int32.
        mask: Scratch, as long as the longest table, int64.
    """

    row_start: Int32Array
    entry_word: Int32Array
    entry_bits: Int64Array
    residue: Int32Array
    word_index: Int32Array
    mask: Int64Array


class Tree(NamedTuple):
    """The search tree's current path, and what search is about; see `woodstock.cp.search`.

    Attributes:
        frames: Variable, next value and end of the values of each node on the path, shape (3 * (num_vars + 1),), int32.
        values: Places of values that the nodes on the path try, shape (num_choices,), int32.
        decisions: Variables to branch on first, int32.
        soft: First tuple, number of variables and first place in `soft_data` of each soft constraint, and those of the
            end, shape (3 * (n + 1),), int32.
        soft_data: The choices of the tuples, int32.
        utilities: By player and tuple, float64.
        bound: What the best solution so far is worth; float64, shape (1,).
    """

    frames: Int32Array
    values: Int32Array
    decisions: Int32Array
    soft: Int32Array
    soft_data: Int32Array
    utilities: FloatArray
    bound: FloatArray


class Engine(NamedTuple):
    """All arrays."""

    domains: Domains
    wiring: Wiring
    clauses: ClauseStore
    tables: TableStore
    agenda: Agenda
    tree: Tree


class Pools(NamedTuple):
    """The few arrays that hold all others, by the type of their numbers.

    Attributes:
        layout: Where each array of int32, int64, uint8 and float64 begins, in the order of `view`, int64.
        int32: Numbers of 32 bits.
        int64: Numbers of 64 bits.
        uint8: Bytes.
        float64: Real numbers.
        undo: See `Domains`; it may grow.
        levels: See `Domains`; it may grow.
    """

    layout: Int64Array
    int32: Int32Array
    int64: Int64Array
    uint8: UInt8Array
    float64: FloatArray
    undo: Int64Array
    levels: Int64Array


def pack(engine: Engine) -> Pools:
    """Copy all arrays into pools."""
    arrays = [array for group in engine for array in group if array.ndim == 1]
    parts: dict[str, list[Any]] = {name: [] for name in ("int32", "int64", "uint8", "float64")}
    lengths = dict.fromkeys(parts, 0)
    layout = []
    for array in arrays:
        name = str(array.dtype)
        layout += [lengths[name], lengths[name] + len(array)]
        lengths[name] += len(array)
        parts[name].append(array)
    pools = {name: np.concatenate(parts[name]) for name in parts}
    return Pools(layout=np.array(layout, np.int64), **pools, undo=engine.domains.undo, levels=engine.domains.levels)


@register_jitable
def view(pools: Pools) -> Engine:
    """Return all arrays, as parts of the pools; in the order of `pack`."""
    at, i32, i64, u8, f64 = pools.layout, pools.int32, pools.int64, pools.uint8, pools.float64
    domains = Domains(
        i32[at[0] : at[1]],
        i32[at[2] : at[3]],
        u8[at[4] : at[5]],
        i32[at[6] : at[7]],
        i32[at[8] : at[9]],
        i32[at[10] : at[11]],
        i32[at[12] : at[13]],
        i32[at[14] : at[15]],
        i32[at[16] : at[17]],
        i64[at[18] : at[19]],
        i64[at[20] : at[21]],
        pools.undo,
        pools.levels,
    )
    wiring = Wiring(
        i32[at[22] : at[23]],
        i32[at[24] : at[25]],
        i32[at[26] : at[27]],
        i32[at[28] : at[29]],
        i64[at[30] : at[31]],
        i32[at[32] : at[33]],
        i32[at[34] : at[35]],
        i32[at[36] : at[37]],
        i32[at[38] : at[39]],
    )
    clauses = ClauseStore(
        i32[at[40] : at[41]],
        i32[at[42] : at[43]],
        i32[at[44] : at[45]],
        i32[at[46] : at[47]],
        i32[at[48] : at[49]],
    )
    tables = TableStore(
        i32[at[50] : at[51]],
        i32[at[52] : at[53]],
        i64[at[54] : at[55]],
        i32[at[56] : at[57]],
        i32[at[58] : at[59]],
        i64[at[60] : at[61]],
    )
    agenda = Agenda(
        i32[at[62] : at[63]],
        u8[at[64] : at[65]],
        i32[at[66] : at[67]],
        u8[at[68] : at[69]],
        i32[at[70] : at[71]],
        f64[at[72] : at[73]],
    )
    tree = Tree(
        i32[at[74] : at[75]],
        i32[at[76] : at[77]],
        i32[at[78] : at[79]],
        i32[at[80] : at[81]],
        i32[at[82] : at[83]],
        f64[at[84] : at[85]],
        f64[at[86] : at[87]],
    )
    return Engine(domains, wiring, clauses, tables, agenda, tree)
