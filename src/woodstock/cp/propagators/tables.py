"""Tables: allowed or forbidden tuples, by Compact-Table.

Demeulenaere, Hartert, Lecoutre, Perez, Perron, Régin, Schaus: "Compact-Table: efficiently filtering table constraints
with reversible sparse bit-sets", CP 2016. The tuples that are still possible are the bits of *words*. When a variable
has lost choices, the tuples of those choices are struck out, or those of the choices that are left are kept, whichever
is less work (§4, delta and reset updates). Then each choice of the other variables looks for a tuple that is still
possible, first where it found one before (its *residue*). Empty words are skipped, by a sparse set of the others.

Tuples are sorted, and for each choice the words are stored in which it has a tuple, if these are not most of all: a
table with as many choices as tuples takes little more room than its tuples.

Forbidden tuples are replaced by the allowed ones if these are not many more. Otherwise (Verhaeghe, Lecoutre, Schaus:
"Extending Compact-Table to negative and short tables", AAAI 2017) the words hold the forbidden tuples that are still
possible, and a choice is removed if they are all tuples that it has.

A table over one variable is no propagator: its choices are removed from the beginning.

Consistency: GAC.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from woodstock.common.jit import inner_kernel
from woodstock.cp.constraints import Int64Array, Table
from woodstock.cp.domains import Domains, has_room, make_true, remember
from woodstock.cp.draft import Draft
from woodstock.cp.engine import CONSISTENT, FAILED, FORBIDDEN, NO_ROOM, TABLE, Engine, TableStore
from woodstock.cp.propagators.rows import WORD, TableView, add_rows, add_to_mask, count_tuples, has_tuple
from woodstock.cp.registers import WORK
from woodstock.cp.tuples import checked_tuples, complement, sorted_tuples

MANY: Final = 1 << 31
"""More tuples than any table has."""
SMALL: Final = 4096
TIMES_AS_MANY: Final = 2
"""Allowed tuples take the place of forbidden ones if there are not more, or not more times as many."""

# Record: number of variables, where its memory begins, where its word index begins; for each variable its first row.
# Memory: number of words that are not empty; for each variable its size when it was last looked at; the words.
MEMORY: Final = 1
INDEX: Final = 2
ROWS: Final = 3


def compile_table(draft: Draft, table: Table) -> None:
    """Add a table."""
    scope = draft.check_vars(table.scope, "a table")
    draft.refuse_repetition(scope, "a table")
    sizes = draft.first[scope + 1] - draft.first[scope]
    tuples = sorted_tuples(checked_tuples(table.tuples, sizes), sizes)
    is_allowed = table.is_allowed
    if not is_allowed:
        num_allowed = math.prod(sizes.tolist()) - len(tuples)
        if num_allowed <= max(SMALL, TIMES_AS_MANY * len(tuples)):
            tuples, is_allowed = complement(tuples, sizes), True
    if len(scope) == 0:
        if is_allowed != (len(tuples) > 0):
            draft.add_empty_clause()
    elif len(scope) == 1:
        excluded = np.setdiff1d(np.arange(sizes[0]), tuples[:, 0]) if is_allowed else tuples[:, 0]
        draft.remove(draft.first[scope[0]] + excluded)
    else:
        _add(draft, scope, tuples, is_allowed)


def _add(draft: Draft, scope: Int64Array, tuples: Int64Array, is_allowed: bool) -> None:
    """Add a table of two variables or more."""
    num_words = -(-len(tuples) // WORD)
    words = np.full(num_words, -1, np.int64)
    if len(tuples) % WORD:
        words[-1] = (1 << len(tuples) % WORD) - 1
    # Sizes of zero are never right, so at first every variable counts as changed.
    memory = draft.add_memory(np.concatenate([[num_words], np.zeros(len(scope), np.int64), words]))
    index = draft.add_word_index(num_words)
    rows = [add_rows(draft, tuples[:, column], var) for column, var in enumerate(scope)]
    kind = TABLE if is_allowed else FORBIDDEN
    constraint = draft.add_constraint(kind, scope, [len(scope), memory, index, *rows])
    draft.add_listeners(scope, constraint)


@inner_kernel
def revise_table(engine: Engine, constraint: int, is_allowed: bool) -> int:
    """Strike out the tuples that are not possible any more, and remove the choices that have none left."""
    domains, numbers = engine.domains, engine.wiring.numbers
    record = engine.wiring.record[constraint]
    memory = numbers[record + MEMORY]
    arity = numbers[record]
    table = TableView(
        arity, memory, memory + 1 + arity, numbers[record + INDEX], record + ROWS, engine.wiring.scope_start[constraint]
    )
    if not has_room(domains, (domains.memory[memory] + 3) * arity):
        return NO_ROOM
    domains.registers[WORK] -= domains.memory[memory] * arity
    num_changed, last_changed = 0, 0
    for column in range(arity):
        if domains.memory[memory + 1 + column] != domains.size[engine.wiring.scope_data[table.scope + column]]:
            num_changed += 1
            last_changed = column
            _update(engine, table, column)
            if domains.memory[memory] == 0:
                return FAILED if is_allowed else CONSISTENT
    if num_changed == 0:
        return CONSISTENT
    # If one variable alone has changed, its other choices have lost no tuple.
    spared = last_changed if num_changed == 1 else -1
    return _filter(engine, table, spared) if is_allowed else _filter_forbidden(engine, table, spared)


@inner_kernel
def _update(engine: Engine, table: TableView, column: int) -> None:
    """Strike out the tuples of the choices that a variable has lost."""
    domains, tables, mask = engine.domains, engine.tables, engine.tables.mask
    var = engine.wiring.scope_data[table.scope + column]
    first, size = domains.first[var], domains.size[var]
    last_size = domains.memory[table.memory + 1 + column]
    remember(domains, table.memory + 1 + column)
    domains.memory[table.memory + 1 + column] = size
    num_words = domains.memory[table.memory]
    for place in range(table.word_index, table.word_index + num_words):
        mask[tables.word_index[place]] = 0
    # What was lost since then stands just behind what is left.
    by_losses = last_size > size and last_size < 2 * size
    begin, end = (first + size, first + last_size) if by_losses else (first, first + size)
    row = engine.wiring.numbers[table.rows + column] - first
    for place in range(begin, end):
        add_to_mask(domains, tables, table, row + domains.choices[place])
    _intersect(domains, tables, table, -1 if by_losses else 0)


@inner_kernel
def _intersect(domains: Domains, tables: TableStore, table: TableView, flip: int) -> None:
    """Keep the tuples that are in the mask, each bit of which is flipped if `flip` is -1."""
    memory, word_index = domains.memory, tables.word_index
    num_words = memory[table.memory]
    left = num_words
    for place in range(table.word_index + num_words - 1, table.word_index - 1, -1):
        word = word_index[place]
        old = memory[table.words + word]
        new = old & (tables.mask[word] ^ flip)
        if new != old:
            remember(domains, table.words + word)
            memory[table.words + word] = new
            if new == 0:
                left -= 1
                word_index[place] = word_index[table.word_index + left]
                word_index[table.word_index + left] = word
    if left < num_words:
        remember(domains, table.memory)
        memory[table.memory] = left


@inner_kernel
def _filter(engine: Engine, table: TableView, spared: int) -> int:
    """Remove the choices that have no tuple; there is a tuple, so some are left of each variable."""
    domains, tables = engine.domains, engine.tables
    for column in range(table.arity):
        var = engine.wiring.scope_data[table.scope + column]
        size = domains.size[var]
        if column == spared or size == 1:
            continue
        first = domains.first[var]
        row = engine.wiring.numbers[table.rows + column] - first
        # From the end, because a choice that is removed changes places with the last one.
        for place in range(first + size - 1, first - 1, -1):
            choice = domains.choices[place]
            if not has_tuple(domains, tables, table, row + choice):
                make_true(domains, 2 * choice + 1)
        if domains.size[var] != size:
            # No tuple is lost by this: it need not be looked at again.
            remember(domains, table.memory + 1 + column)
            domains.memory[table.memory + 1 + column] = domains.size[var]
    return CONSISTENT


@inner_kernel
def _filter_forbidden(engine: Engine, table: TableView, spared: int) -> int:
    """Remove the choices all of whose tuples are forbidden."""
    domains, tables = engine.domains, engine.tables
    most = WORD * domains.memory[table.memory]
    for column in range(table.arity):
        # The sizes are those for which the words were made: choices removed here still have their tuples in them.
        num_tuples = 1
        for other in range(table.arity):
            if other != column:
                num_tuples = min(num_tuples * domains.memory[table.memory + 1 + other], MANY)
        if column == spared or num_tuples > most:
            continue
        var = engine.wiring.scope_data[table.scope + column]
        first = domains.first[var]
        row = engine.wiring.numbers[table.rows + column] - first
        for place in range(first + domains.size[var] - 1, first - 1, -1):
            choice = domains.choices[place]
            is_possible = count_tuples(domains, tables, table, row + choice) < num_tuples
            if not is_possible and not make_true(domains, 2 * choice + 1):
                return FAILED
    return CONSISTENT
