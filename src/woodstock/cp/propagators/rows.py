"""Rows of tables: the tuples that have a choice, as bits of the table's words.

A row consists of *entries*: a word, and its bits. A row that is at least half full has an entry for each word up to its
last one, which is found by the number of the word; a sparse row has entries for the words in which it has a tuple.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from woodstock.common.jit import inner_kernel
from woodstock.cp.constraints import Int32Array, Int64Array
from woodstock.cp.domains import Domains
from woodstock.cp.draft import Draft
from woodstock.cp.engine import NONE, TableStore
from woodstock.cp.registers import WORK

WORD: Final = 64
"""Tuples in a word."""
LOOK_UP: Final = 8
"""To look up an entry of a sparse row takes as long as to look at so many."""


def add_rows(draft: Draft, column: Int64Array, var: int) -> int:
    """Add a row for each choice of a variable, given its place in each tuple; return the first one's number."""
    num_words = -(-len(column) // WORD)
    keys = column * num_words + np.arange(len(column)) // WORD
    order = np.argsort(keys, kind="stable")
    bits = (np.uint64(1) << (order % WORD).astype(np.uint64)).view(np.int64)
    found, begin = np.unique(keys[order], return_index=True)
    entry_bits = np.bitwise_or.reduceat(bits, begin) if len(begin) else bits
    row, word = np.divmod(found, max(num_words, 1))
    counts = np.bincount(row, minlength=int(draft.first[var + 1] - draft.first[var]))
    ends = np.cumsum(counts)
    num_words_of_row = np.zeros(len(counts), np.int64)
    num_words_of_row[counts > 0] = word[ends[counts > 0] - 1] + 1
    # A row that is half full has an entry for each word, so that an entry is found by the number of its word.
    is_full = 2 * counts >= num_words_of_row
    sizes = np.where(is_full, num_words_of_row, counts)
    start = np.cumsum(sizes) - sizes
    place = start[row] + np.where(is_full[row], word, np.arange(len(row)) - (ends - counts)[row])
    words, all_bits = np.arange(sizes.sum()) - np.repeat(start, sizes), np.zeros(int(sizes.sum()), np.int64)
    words[place], all_bits[place] = word, entry_bits
    return draft.add_rows(sizes, words, all_bits)


class TableView(NamedTuple):
    """Where the parts of a table are; see the records above."""

    arity: int
    memory: int
    words: int
    word_index: int
    rows: int
    scope: int


@inner_kernel
def add_to_mask(domains: Domains, tables: TableStore, table: TableView, row: int) -> None:
    """Add the tuples of a row to the mask, as far as words are not empty."""
    mask, entry_word, entry_bits = tables.mask, tables.entry_word, tables.entry_bits
    begin, end = tables.row_start[row], tables.row_start[row + 1]
    num_words = domains.memory[table.memory]
    if _is_quicker_by_words(tables, begin, end, num_words):
        domains.registers[WORK] -= num_words
        for place in range(table.word_index, table.word_index + num_words):
            word = tables.word_index[place]
            entry = _find_entry(entry_word, begin, end, word)
            if entry != NONE:
                mask[word] |= entry_bits[entry]
    else:
        domains.registers[WORK] -= end - begin
        for entry in range(begin, end):
            mask[entry_word[entry]] |= entry_bits[entry]


@inner_kernel
def _is_quicker_by_words(tables: TableStore, begin: int, end: int, num_words: int) -> bool:
    """Tell whether to look up the entries of the words that are not empty, instead of looking at all entries."""
    is_full = begin < end and tables.entry_word[end - 1] == end - begin - 1
    return bool((num_words if is_full else LOOK_UP * num_words) < end - begin)


@inner_kernel
def _find_entry(entry_word: Int32Array, begin: int, end: int, word: int) -> int:
    """Return the entry of a row, which has some, that is about a word, or NONE."""
    if entry_word[end - 1] == end - begin - 1:
        return begin + word if word < end - begin else NONE
    low, high = begin, end
    while high - low > 1:
        middle = (low + high) // 2
        if entry_word[middle] <= word:
            low = middle
        else:
            high = middle
    return low if entry_word[low] == word else NONE


@inner_kernel
def has_tuple(domains: Domains, tables: TableStore, table: TableView, row: int) -> bool:
    """Tell whether a row has a tuple that is possible."""
    memory, entry_word, entry_bits = domains.memory, tables.entry_word, tables.entry_bits
    begin, end = tables.row_start[row], tables.row_start[row + 1]
    if begin == end:
        return False
    residue = tables.residue[row]
    if memory[table.words + entry_word[residue]] & entry_bits[residue] != 0:
        return True
    num_words = memory[table.memory]
    if _is_quicker_by_words(tables, begin, end, num_words):
        domains.registers[WORK] -= num_words
        for place in range(table.word_index, table.word_index + num_words):
            word = tables.word_index[place]
            entry = _find_entry(entry_word, begin, end, word)
            if entry != NONE and memory[table.words + word] & entry_bits[entry] != 0:
                tables.residue[row] = entry
                return True
        return False
    domains.registers[WORK] -= end - begin
    for entry in range(begin, end):
        if memory[table.words + entry_word[entry]] & entry_bits[entry] != 0:
            tables.residue[row] = entry
            return True
    return False


@inner_kernel
def count_tuples(domains: Domains, tables: TableStore, table: TableView, row: int) -> int:
    """Return how many tuples of a row are possible."""
    memory, entry_bits = domains.memory, tables.entry_bits
    begin, end = tables.row_start[row], tables.row_start[row + 1]
    num_words = memory[table.memory]
    count = 0
    if _is_quicker_by_words(tables, begin, end, num_words):
        domains.registers[WORK] -= num_words
        for place in range(table.word_index, table.word_index + num_words):
            word = tables.word_index[place]
            entry = _find_entry(tables.entry_word, begin, end, word)
            if entry != NONE:
                count += count_bits(memory[table.words + word] & entry_bits[entry])
    else:
        domains.registers[WORK] -= end - begin
        for entry in range(begin, end):
            count += count_bits(memory[table.words + tables.entry_word[entry]] & entry_bits[entry])
    return count


@inner_kernel
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
