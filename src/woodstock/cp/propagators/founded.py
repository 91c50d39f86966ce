"""Founded atoms: what rules cannot derive without going round in a circle is false.

An atom is *founded* if a rule derives it from literals that may hold: from given ones that are not false, and from
atoms that are founded already. The others form the greatest unfounded set (Van Gelder, Ross, Schlipf: "The well-founded
semantics for general logic programs", Journal of the ACM 38, 1991).

Each atom points to its *source*, a rule that derives it, such that who follows the sources never goes round in a circle
(Simons, Niemelä, Soininen: "Extending and implementing the stable model semantics", Artificial Intelligence 138, 2002).
When a literal of a source becomes false, the atom is lost, and so are all whose sources use it. Those that can be
derived from what is not lost get new sources; the rest is unfounded. So the work is in proportion to what is lost.

Sources are not restored when one goes back. A source that was found later does not use what was unfounded then, and an
unfounded atom keeps its old source: so what is there still does not go round in a circle.

Consistency: unfounded atoms are false. This is weaker than GAC: an atom that has to hold does not make true what its
only derivation needs.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from woodstock.common.jit import inner_kernel
from woodstock.cp.constraints import Founded, Int32Array, Int64Array
from woodstock.cp.domains import Domains, make_true
from woodstock.cp.draft import Draft
from woodstock.cp.engine import FOUNDED, NONE

# Record: number of atoms, where the hints begin; where each part of `Rules` begins, counted from the record, and where
# the last one ends; the parts.
# Hints: number of atoms that are to be looked at; the parts of `Sources`, each as long as there are atoms.
NUM_PARTS: Final = 7
HEAD: Final = 2


class Rules(NamedTuple):
    """Rules, in the order of their heads.

    Attributes:
        literal: The literal of each atom.
        rule_start: First rule of each atom, and the number of rules.
        head: The atom that each rule derives.
        body_start: Where the body of each rule begins, and the end.
        body: Literals, each followed by the atom that it is, or by NONE.
        use_start: Where the uses of each atom begin, and the end.
        uses: Rules that have an atom in their bodies.
    """

    literal: Int64Array
    rule_start: Int64Array
    head: Int64Array
    body_start: Int64Array
    body: Int64Array
    use_start: Int64Array
    uses: Int64Array


class Sources(NamedTuple):
    """Where atoms come from.

    Attributes:
        source: A rule for each atom, or NONE.
        is_waiting: 1 for atoms that are to be looked at.
        waiting: These atoms.
        is_lost: 1 for atoms whose source is lost.
        lost: These atoms.
        found: Atoms that have got a source again.
    """

    source: Int32Array
    is_waiting: Int32Array
    waiting: Int32Array
    is_lost: Int32Array
    lost: Int32Array
    found: Int32Array


def compile_founded(draft: Draft, founded: Founded) -> None:
    """Add the rules of a loop."""
    heads = draft.literals(founded.heads, "the heads of rules")
    data = draft.literals(founded.data, "the bodies of rules")
    start = draft.starts(founded.start, len(data), "bodies", num_lists=len(heads))
    atoms, head = np.unique(heads, return_inverse=True)
    order = np.argsort(head, kind="stable")
    sizes = np.diff(start)[order]
    body_start = np.concatenate([[0], np.cumsum(sizes)])
    rule_of = np.repeat(np.arange(len(order)), sizes)
    body = data[np.repeat(start[order] - body_start[:-1], sizes) + np.arange(len(data))]
    place = np.minimum(np.searchsorted(atoms, body), max(len(atoms) - 1, 0))
    atom_of = np.where(atoms[place] == body, place, NONE) if len(body) else body
    used = atom_of[atom_of != NONE]
    parts = [
        atoms,
        np.concatenate([[0], np.cumsum(np.bincount(head, minlength=len(atoms)))]),
        head[order],
        body_start,
        np.stack([body, atom_of], axis=1).ravel(),
        np.concatenate([[0], np.cumsum(np.bincount(used, minlength=len(atoms)))]),
        rule_of[atom_of != NONE][np.argsort(used, kind="stable")],
    ]
    begins = 3 + NUM_PARTS + np.concatenate([[0], np.cumsum([len(part) for part in parts])])
    everything = np.arange(len(atoms))
    waiting = [np.ones(len(atoms), np.int64), everything]
    hints = [np.full(len(atoms), NONE), *waiting, *[np.zeros(len(atoms), np.int64)] * 3]
    hints_at = draft.add_hints(np.concatenate([[len(atoms)], *hints]))
    scope = np.unique(draft.var_of[np.concatenate([heads, data]) >> 1])
    constraint = draft.add_constraint(FOUNDED, scope, np.concatenate([[len(atoms), hints_at], begins, *parts]))
    draft.add_reactions(body ^ 1, NONE - 1 - rule_of, np.full(len(body), constraint))


@inner_kernel
def note_blocked(numbers: Int64Array, record: int, hints: Int32Array, rule: int) -> bool:
    """Note that a literal of a rule is false; return whether an atom is to be looked at for that."""
    num_atoms, begin = numbers[record], numbers[record + 1]
    atom = numbers[record + numbers[record + 2 + HEAD] + rule]
    source, is_waiting, waiting = begin + 1, begin + 1 + num_atoms, begin + 1 + 2 * num_atoms
    if hints[source + atom] != rule:
        return False
    if hints[is_waiting + atom] == 0:
        hints[is_waiting + atom] = 1
        hints[waiting + hints[begin]] = atom
        hints[begin] += 1
    return True


@inner_kernel
def revise_founded(domains: Domains, numbers: Int64Array, record: int, hints: Int32Array, is_informed: bool) -> bool:
    """Make all atoms false that are not founded; return whether that is possible.

    Args:
        domains: The domains.
        numbers: Where the record is.
        record: Where it begins.
        hints: Where the sources are.
        is_informed: Whether only atoms that were noted need be looked at.
    """
    rules = view_rules(numbers, record)
    begin = numbers[record + 1]
    sources = view_sources(hints, begin + 1, numbers[record])
    num_lost = 0
    if not is_informed:
        for atom in range(len(rules.literal)):
            num_lost = _lose(domains, rules, sources, atom, num_lost)
    for place in range(hints[begin]):
        atom = int(sources.waiting[place])
        sources.is_waiting[atom] = 0
        num_lost = _lose(domains, rules, sources, atom, num_lost)
    hints[begin] = 0
    num_lost = _lose_users(domains, rules, sources, num_lost)
    _find_sources(domains, rules, sources, num_lost)
    is_possible = True
    for place in range(num_lost):
        atom = sources.lost[place]
        if sources.is_lost[atom] == 1:
            sources.is_lost[atom] = 0
            is_possible = is_possible and make_true(domains, int(rules.literal[atom]) ^ 1)
    return is_possible


@inner_kernel
def _lose(domains: Domains, rules: Rules, sources: Sources, atom: int, num_lost: int) -> int:
    """Add an atom to those that are lost if it may hold but its source does not derive it; return their number."""
    if sources.is_lost[atom] == 1 or domains.truth[rules.literal[atom] ^ 1] == 1:
        return num_lost
    source = int(sources.source[atom])
    if source != NONE and _derives(domains, rules, sources, source):
        return num_lost
    sources.is_lost[atom] = 1
    sources.lost[num_lost] = atom
    return num_lost + 1


@inner_kernel
def _lose_users(domains: Domains, rules: Rules, sources: Sources, num_lost: int) -> int:
    """Add all atoms whose sources use what is lost; return how many are lost."""
    place = 0
    while place < num_lost:
        atom = sources.lost[place]
        place += 1
        for use in range(rules.use_start[atom], rules.use_start[atom + 1]):
            rule = rules.uses[use]
            head = int(rules.head[rule])
            if sources.source[head] == rule:
                num_lost = _lose(domains, rules, sources, head, num_lost)
    return num_lost


@inner_kernel
def _find_sources(domains: Domains, rules: Rules, sources: Sources, num_lost: int) -> None:
    """Give new sources to the lost atoms that can be derived from what is not lost."""
    for place in range(num_lost):
        atom = int(sources.lost[place])
        top = 0
        for rule in range(rules.rule_start[atom], rules.rule_start[atom + 1]):
            top = _derive(domains, rules, sources, rule, top)
        while top > 0:
            top -= 1
            atom = int(sources.found[top])
            for use in range(rules.use_start[atom], rules.use_start[atom + 1]):
                top = _derive(domains, rules, sources, int(rules.uses[use]), top)


@inner_kernel
def _derive(domains: Domains, rules: Rules, sources: Sources, rule: int, top: int) -> int:
    """Let a rule be the source of its head if that is lost and the rule derives it; return how many were found."""
    head = int(rules.head[rule])
    if sources.is_lost[head] == 1 and _derives(domains, rules, sources, rule):
        sources.is_lost[head] = 0
        sources.source[head] = rule
        sources.found[top] = head
        return top + 1
    return top


@inner_kernel
def _derives(domains: Domains, rules: Rules, sources: Sources, rule: int) -> bool:
    """Tell whether no literal of a rule is false, and no atom lost."""
    for place in range(2 * rules.body_start[rule], 2 * rules.body_start[rule + 1], 2):
        atom = rules.body[place + 1]
        if domains.truth[rules.body[place] ^ 1] == 1 or (atom != NONE and sources.is_lost[atom] == 1):
            return False
    return True


@inner_kernel
def view_rules(numbers: Int64Array, record: int) -> Rules:
    """Return the rules of a record."""
    at = record + 2
    return Rules(
        numbers[record + numbers[at] : record + numbers[at + 1]],
        numbers[record + numbers[at + 1] : record + numbers[at + 2]],
        numbers[record + numbers[at + 2] : record + numbers[at + 3]],
        numbers[record + numbers[at + 3] : record + numbers[at + 4]],
        numbers[record + numbers[at + 4] : record + numbers[at + 5]],
        numbers[record + numbers[at + 5] : record + numbers[at + 6]],
        numbers[record + numbers[at + 6] : record + numbers[at + 7]],
    )


@inner_kernel
def view_sources(hints: Int32Array, begin: int, num_atoms: int) -> Sources:
    """Return the sources of some atoms."""
    return Sources(
        hints[begin : begin + num_atoms],
        hints[begin + num_atoms : begin + 2 * num_atoms],
        hints[begin + 2 * num_atoms : begin + 3 * num_atoms],
        hints[begin + 3 * num_atoms : begin + 4 * num_atoms],
        hints[begin + 4 * num_atoms : begin + 5 * num_atoms],
        hints[begin + 5 * num_atoms : begin + 6 * num_atoms],
    )
