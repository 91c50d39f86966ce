"""Tables: allowed or forbidden tuples, by Compact-Table.

Demeulenaere, Hartert, Lecoutre, Perez, Perron, Régin, Schaus: "Compact-Table: efficiently filtering table constraints
with reversible sparse bit-sets", CP 2016. The tuples that are still possible are the bits of *words*. When a variable
has lost choices, the tuples of those choices are struck out, or those of the choices that are left are kept, whichever
is less work (§4, delta and reset updates). Then each choice of the other variables looks for a tuple that is still
possible, first where it found one before (its *residue*). Empty words are skipped, by a sparse set of the others.

Tuples are sorted, and for each choice only the words are stored in which it has a tuple: a table with as many choices
as tuples takes no more room than its tuples.

Forbidden tuples are replaced by the allowed ones if these are not many more. Otherwise (Verhaeghe, Lecoutre, Schaus:
"Extending Compact-Table to negative and short tables", AAAI 2017) the words hold the forbidden tuples that are still
possible, and a choice is removed if they are all tuples that it has.

A table over one variable is no propagator: its choices are removed from the beginning.

Consistency: GAC.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np

from woodstock.common.errors import UsageError
from woodstock.cp.constraints import Int64Array, Table
from woodstock.cp.domains import WORK, Domains, has_room, make_true, remember
from woodstock.cp.draft import Draft
from woodstock.cp.engine import CONSISTENT, FAILED, FORBIDDEN, NO_ROOM, TABLE, Engine, TableStore
from woodstock.cp.kernels import kernel

WORD: Final = 64
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


def checked_tuples(tuples: object, sizes: Int64Array) -> Int64Array:
    """Return tuples of places in domains of some sizes, shape (n, len(sizes)), int64; refuse others."""
    array = np.asarray(tuples, np.int64)
    if array.size == 0:
        array = array.reshape(len(array), len(sizes))
    if array.ndim != 2 or array.shape[1] != len(sizes):
        raise UsageError(f"expected tuples of {len(sizes)} places, found an array of shape {array.shape}")
    if array.size and (array.min() < 0 or (array >= sizes).any()):
        wrong = array[((array < 0) | (array >= sizes)).any(axis=1)][0]
        raise UsageError(f"expected places in domains of sizes {sizes.tolist()}, found {wrong.tolist()}")
    return array


def sorted_tuples(tuples: Int64Array, sizes: Int64Array) -> Int64Array:
    """Return tuples in order, each once."""
    if math.prod(sizes.tolist()) < 1 << 62:
        return from_keys(np.unique(keys_of(tuples, sizes)), sizes)
    return np.unique(tuples, axis=0)


def keys_of(tuples: Int64Array, sizes: Int64Array) -> Int64Array:
    """Return tuples as numbers, each place a digit, the first one the most significant; shape (n,), int64."""
    keys = np.zeros(len(tuples), np.int64)
    for column, size in enumerate(sizes.tolist()):
        keys = keys * size + tuples[:, column]
    return keys


def from_keys(keys: Int64Array, sizes: Int64Array) -> Int64Array:
    """Return the tuples that numbers stand for."""
    tuples = np.empty((len(keys), len(sizes)), np.int64)
    for column in range(len(sizes) - 1, -1, -1):
        keys, tuples[:, column] = np.divmod(keys, sizes[column])
    return tuples


def complement(tuples: Int64Array, sizes: Int64Array) -> Int64Array:
    """Return all tuples but these, which are in order."""
    return from_keys(np.setdiff1d(np.arange(math.prod(sizes.tolist())), keys_of(tuples, sizes)), sizes)


def _add(draft: Draft, scope: Int64Array, tuples: Int64Array, is_allowed: bool) -> None:
    """Add a table of two variables or more."""
    num_words = -(-len(tuples) // WORD)
    words = np.full(num_words, -1, np.int64)
    if len(tuples) % WORD:
        words[-1] = (1 << len(tuples) % WORD) - 1
    # Sizes of zero are never right, so at first every variable counts as changed.
    memory = draft.add_memory(np.concatenate([[num_words], np.zeros(len(scope), np.int64), words]))
    index = draft.add_word_index(num_words)
    rows = [_add_rows(draft, tuples[:, column], var) for column, var in enumerate(scope)]
    kind = TABLE if is_allowed else FORBIDDEN
    constraint = draft.add_constraint(kind, scope, [len(scope), memory, index, *rows])
    draft.add_listeners(scope, constraint)


def _add_rows(draft: Draft, column: Int64Array, var: int) -> int:
    """Add a row for each choice of a variable, given its place in each tuple; return the first one's number."""
    num_words = -(-len(column) // WORD)
    keys = column * num_words + np.arange(len(column)) // WORD
    order = np.argsort(keys, kind="stable")
    bits = (np.uint64(1) << (order % WORD).astype(np.uint64)).view(np.int64)
    found, begin = np.unique(keys[order], return_index=True)
    entry_bits = np.bitwise_or.reduceat(bits, begin) if len(begin) else bits
    size = int(draft.first[var + 1] - draft.first[var])
    row_of_entry, word_of_entry = np.divmod(found, max(num_words, 1))
    return draft.add_rows(np.bincount(row_of_entry, minlength=size), word_of_entry, entry_bits)


class TableView(NamedTuple):
    """Where the parts of a table are; see the records above."""

    arity: int
    memory: int
    words: int
    word_index: int
    rows: int
    scope: int


@kernel
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


@kernel
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
        _add_to_mask(tables, table.word_index, num_words, row + domains.choices[place])
    _intersect(domains, tables, table, -1 if by_losses else 0)


@kernel
def _add_to_mask(tables: TableStore, index: int, num_words: int, row: int) -> None:
    """Add the tuples of a row to the mask."""
    mask, entry_word, entry_bits = tables.mask, tables.entry_word, tables.entry_bits
    begin, end = tables.row_start[row], tables.row_start[row + 1]
    if num_words < end - begin and entry_word[end - 1] == end - begin - 1:
        # The row has an entry for each word up to its last one: so an entry is found by the number of its word.
        for place in range(index, index + num_words):
            word = tables.word_index[place]
            if word < end - begin:
                mask[word] |= entry_bits[begin + word]
        return
    for entry in range(begin, end):
        mask[entry_word[entry]] |= entry_bits[entry]


@kernel
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


@kernel
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
            if not _has_tuple(domains, tables, table, row + choice):
                make_true(domains, 2 * choice + 1)
        if domains.size[var] != size:
            # No tuple is lost by this: it need not be looked at again.
            remember(domains, table.memory + 1 + column)
            domains.memory[table.memory + 1 + column] = domains.size[var]
    return CONSISTENT


@kernel
def _has_tuple(domains: Domains, tables: TableStore, table: TableView, row: int) -> bool:
    """Tell whether a row has a tuple that is possible."""
    memory, entry_word, entry_bits = domains.memory, tables.entry_word, tables.entry_bits
    begin, end = tables.row_start[row], tables.row_start[row + 1]
    if begin == end:
        return False
    residue = tables.residue[row]
    if memory[table.words + entry_word[residue]] & entry_bits[residue] != 0:
        return True
    num_words = memory[table.memory]
    if num_words < end - begin and entry_word[end - 1] == end - begin - 1:
        for place in range(table.word_index, table.word_index + num_words):
            word = tables.word_index[place]
            if word < end - begin and memory[table.words + word] & entry_bits[begin + word] != 0:
                tables.residue[row] = begin + word
                return True
        return False
    for entry in range(begin, end):
        if memory[table.words + entry_word[entry]] & entry_bits[entry] != 0:
            tables.residue[row] = entry
            return True
    return False


@kernel
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
            is_possible = _count_tuples(domains, tables, table, row + choice) < num_tuples
            if not is_possible and not make_true(domains, 2 * choice + 1):
                return FAILED
    return CONSISTENT


@kernel
def _count_tuples(domains: Domains, tables: TableStore, table: TableView, row: int) -> int:
    """Return how many tuples of a row are possible."""
    count = 0
    for entry in range(tables.row_start[row], tables.row_start[row + 1]):
        count += count_bits(domains.memory[table.words + tables.entry_word[entry]] & tables.entry_bits[entry])
    return count


@kernel
def count_bits(word: int) -> int:
    """Return how many bits of a word of 64 bits are set."""
    count = 1 if word < 0 else 0
    word &= 0x7FFFFFFFFFFFFFFF
    word = (word & 0x5555555555555555) + ((word >> 1) & 0x5555555555555555)
    word = (word & 0x3333333333333333) + ((word >> 2) & 0x3333333333333333)
    word = (word & 0x0F0F0F0F0F0F0F0F) + ((word >> 4) & 0x0F0F0F0F0F0F0F0F)
    word += word >> 8
    word += word >> 16
    word += word >> 32
    return count + (word & 0x7F)
