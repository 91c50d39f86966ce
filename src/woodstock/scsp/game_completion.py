"""Clark's completion of rules as gates: each atom equals the disjunction of its bodies, each body a conjunction.

Atoms become *signals*: numbers that stand for the literals of a network before its variables are numbered. An atom that
equals a literal of another gets no signal of its own; a body of one literal needs no gate, and bodies that are alike
share one. In a positive loop the completion is too weak, so such rules are kept besides, for `Founded`.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from woodstock.ground.program import NO_LOOP
from woodstock.ground.rulebase import RuleBase, offsets, ranges, tidy

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

NO_LITERAL: Final = -1
NO_REGION: Final = -1
"""Of an atom: nothing needs it."""


class Bodies(NamedTuple):
    """Lists of literals with what each is for.

    Attributes:
        outs: A literal for each list, int64.
        start: Where each list begins, and the end of the last, int64.
        data: Literals, int64.
    """

    outs: IntArray
    start: IntArray
    data: IntArray

    def select(self, rows: IntArray) -> Bodies:
        """Return some of the lists, in the given order."""
        places = ranges(self.start[rows], self.start[rows + 1])
        return Bodies(self.outs[rows], offsets(self.start[rows + 1] - self.start[rows]), self.data[places])


class Completion(NamedTuple):
    """The completion of some rules, in signals.

    Attributes:
        literal_of: The literal of each atom, NO_LITERAL for those that nothing needs, int64.
        atom_of_new: The atom of each new signal, NO_LITERAL for those of shared bodies, int64.
        region_of_new: The region of each new signal, int64.
        gates: Literals that equal conjunctions.
        units: Literals that always hold, int64.
        loop_rules: The rules of atoms in positive loops.
        loop_of_rule: The loop of each of these, int64.
    """

    literal_of: IntArray
    atom_of_new: IntArray
    region_of_new: IntArray
    gates: Bodies
    units: IntArray
    loop_rules: Bodies
    loop_of_rule: IntArray


def complete(rules: RuleBase, loop: IntArray, region: IntArray, given: IntArray, num_signals: int) -> Completion:
    """Return the completion of the rules of all atoms that are needed.

    Args:
        rules: Rules, sorted by head.
        loop: The positive loop of each atom, or NO_LOOP.
        region: For each atom a number, which new signals inherit, or NO_REGION if it is not needed.
        given: For each atom the literal that it has already, or NO_LITERAL; heads of rules have positive ones.
        num_signals: Number of signals that exist already.
    """
    rules = rules.select(region[rules.head] != NO_REGION)
    literal_of, own_atoms = _name_atoms(rules, loop, region, given, num_signals)
    is_defined = np.zeros(num_signals + len(own_atoms), dtype=np.bool_)
    outputs = np.flatnonzero((given != NO_LITERAL) & (region != NO_REGION))
    is_defined[literal_of[outputs] >> 1] = True
    is_defined[num_signals:] = True
    region_of = np.full(len(is_defined), NO_REGION, dtype=np.int64)
    region_of[literal_of[outputs] >> 1] = region[outputs]
    region_of[num_signals:] = region[own_atoms]

    loop_rows = np.flatnonzero(loop[rules.head] != NO_LOOP)
    named = Bodies(literal_of[rules.head], rules.start, literal_of[rules.data >> 1] ^ (rules.data & 1))
    has_own = (named.outs & 1 == 0) & is_defined[named.outs >> 1] & ~_is_alias(rules, loop, given)
    signal_rules = tidy(RuleBase(len(is_defined), named.outs >> 1, named.start, named.data).select(has_own))
    signal_rules = signal_rules.permuted(np.argsort(signal_rules.head, kind="stable"))
    gates, units, body_regions = _make_gates(signal_rules, is_defined, region_of)
    return Completion(
        literal_of=literal_of,
        atom_of_new=np.concatenate([own_atoms, np.full(len(body_regions), NO_LITERAL)]),
        region_of_new=np.concatenate([region[own_atoms], body_regions]),
        gates=gates,
        units=units,
        loop_rules=named.select(loop_rows),
        loop_of_rule=loop[rules.head[loop_rows]],
    )


def _is_alias(rules: RuleBase, loop: IntArray, given: IntArray) -> BoolArray:
    """Return which rules say that an atom equals a literal: it has no other rule, no literal yet and is in no loop."""
    num_rules = np.bincount(rules.head, minlength=rules.num_atoms)
    free = (given[rules.head] == NO_LITERAL) & (loop[rules.head] == NO_LOOP)
    found: BoolArray = (np.diff(rules.start) == 1) & (num_rules[rules.head] == 1) & free
    return found


def _name_atoms(
    rules: RuleBase, loop: IntArray, region: IntArray, given: IntArray, num_signals: int
) -> tuple[IntArray, IntArray]:
    """Return the literal of each atom, and the atoms that got signals of their own, in order."""
    is_alias = _is_alias(rules, loop, given)
    heads = rules.head[is_alias]
    targets = rules.data[rules.start[:-1][is_alias]]
    # What is needed and has no rule at all gets a signal too: it never holds.
    missing = (given == NO_LITERAL) & (region != NO_REGION)
    missing[heads] = False
    own_atoms = np.flatnonzero(missing)
    literal_of = given.copy()
    literal_of[own_atoms] = 2 * (num_signals + np.arange(len(own_atoms)))
    waiting = np.ones(len(heads), dtype=np.bool_)
    while waiting.any():
        known = waiting & (literal_of[targets >> 1] != NO_LITERAL)
        literal_of[heads[known]] = literal_of[targets[known] >> 1] ^ (targets[known] & 1)
        waiting &= ~known
    return literal_of, own_atoms


def _make_gates(rules: RuleBase, is_defined: BoolArray, region_of: IntArray) -> tuple[Bodies, IntArray, IntArray]:
    """Return the gates of rules over signals, the literals that always hold, and the regions of shared bodies."""
    always = np.zeros(rules.num_atoms, dtype=np.bool_)
    always[rules.head[np.diff(rules.start) == 0]] = True
    num_rules = np.bincount(rules.head, minlength=rules.num_atoms)
    never = is_defined & (num_rules == 0)
    units = np.concatenate([2 * np.flatnonzero(always), 2 * np.flatnonzero(never) + 1])

    rules = rules.select(~always[rules.head])
    lengths = np.diff(rules.start)
    is_single = num_rules[rules.head] == 1
    bodies = Bodies(2 * rules.head, rules.start, rules.data)
    shared = np.flatnonzero(~is_single & (lengths > 1))
    body_of = _alike(rules, shared)
    num_bodies = int(body_of.max(initial=-1)) + 1
    first = np.zeros(num_bodies, dtype=np.int64)
    first[body_of[::-1]] = shared[::-1]
    body_region = np.full(num_bodies, np.iinfo(np.int64).max)
    np.minimum.at(body_region, body_of, region_of[rules.head[shared]])

    alternative = np.full(rules.num_rules, NO_LITERAL, dtype=np.int64)
    is_literal = ~is_single & (lengths == 1)
    alternative[is_literal] = rules.data[rules.start[:-1][is_literal]]
    alternative[shared] = 2 * (rules.num_atoms + body_of)
    several = np.flatnonzero(~is_single)
    heads, starts = np.unique(rules.head[several], return_index=True)
    gates = (
        bodies.select(np.flatnonzero(is_single)),
        bodies.select(first)._replace(outs=2 * (rules.num_atoms + np.arange(num_bodies))),
        Bodies(2 * heads + 1, np.append(starts, len(several)), alternative[several] ^ 1),
    )
    return join_bodies(gates), units, body_region


def join_bodies(parts: tuple[Bodies, ...]) -> Bodies:
    """Return the lists of all parts."""
    lengths = np.concatenate([np.diff(part.start) for part in parts])
    outs, data = (np.concatenate([getattr(part, name) for part in parts]) for name in ("outs", "data"))
    return Bodies(outs, offsets(lengths), data)


def _alike(rules: RuleBase, rows: IntArray) -> IntArray:
    """Return a number for the body of each of some rules, the same for bodies that are alike, int64."""
    lengths = np.diff(rules.start)[rows]
    found = np.zeros(len(rows), dtype=np.int64)
    total = 0
    for length in np.unique(lengths).tolist():
        chosen = np.flatnonzero(lengths == length)
        columns = rules.data[rules.start[rows[chosen]][:, None] + np.arange(length)]
        key = columns[:, 0]
        # A literal and the number of a beginning fit into 64 bits together.
        for place in range(1, length):
            _, key = np.unique((key << 32) | columns[:, place], return_inverse=True)
        found[chosen] = total + key
        total += int(key.max()) + 1
    return found
