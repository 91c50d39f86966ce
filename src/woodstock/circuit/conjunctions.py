"""Conjunctions and disjunctions, said as shortly as groups and facts allow, and made into gates.

A conjunction with one member of a group needs no complement of another, with two it never holds, and the complements of
most members of an exact group are the disjunction of the others; what the facts of a move say need not be said again.
Constants, repetitions and complements are dealt with as well.
"""

from __future__ import annotations

import numpy as np

from woodstock.circuit.builder import (
    ANY_KIND,
    GATES,
    MARK,
    MEMBER,
    NO_GROUP,
    NOTED,
    ONE_GROUP,
    OTHERS,
    TALLY,
    VOTES,
    Builder,
    find_or_add,
)
from woodstock.circuit.network import FALSE, TRUE, Int32Array
from woodstock.common.jit import jit


@jit
def tidy_literals(literals: Int32Array, count: int) -> int:
    """Sort literals in place and drop repeated ones and TRUE; return how many are left, -1 if they contradict."""
    if count < 24:
        for number in range(1, count):
            literal = literals[number]
            place = number
            while place > 0 and literals[place - 1] > literal:
                literals[place] = literals[place - 1]
                place -= 1
            literals[place] = literal
    else:
        literals[:count].sort()
    kept = 0
    for number in range(count):
        literal = literals[number]
        if literal == TRUE or (kept > 0 and literals[kept - 1] == literal):
            continue
        if literal == FALSE or (kept > 0 and literals[kept - 1] == literal ^ 1):
            return -1
        literals[kept] = literal
        kept += 1
    return kept


@jit
def _use_facts(builder: Builder, literals: Int32Array, count: int) -> int:
    """Drop what the moves in a conjunction say anyway; return how many literals are left, -1 if they contradict."""
    facts = builder.facts
    first_move = builder.first_move
    for number in range(count):
        literal = literals[number]
        move = (literal >> 1) - first_move
        if literal & 1 == 1 or move < 0 or literal >> 1 >= builder.num_inputs:
            continue
        known = facts.data[facts.start[move] : facts.start[move + 1]]
        if len(known) == 0:
            continue
        kept = 0
        for other in range(count):
            place = np.searchsorted(known, literals[other] & ~1)
            if place < len(known) and known[place] >> 1 == literals[other] >> 1:
                if known[place] != literals[other]:
                    return -1
                continue
            literals[kept] = literals[other]
            kept += 1
        return kept
    return count


@jit
def _use_members(builder: Builder, literals: Int32Array, count: int) -> int:
    """Drop complements of what a member of a group excludes; return how many are left, -1 if two are asked for."""
    groups = builder.groups
    found = 0
    clash = False
    for number in range(count):
        node = literals[number] >> 1
        if node < builder.num_inputs and groups.of_node[node] != NO_GROUP and literals[number] & 1 == 0:
            group = groups.of_node[node]
            clash = clash or builder.of_group[MEMBER, group] != 0
            builder.of_group[MEMBER, group] = node
            found += 1
    if found == 0:
        return count
    kept = 0
    for number in range(count):
        node = literals[number] >> 1
        if node < builder.num_inputs and groups.of_node[node] != NO_GROUP:
            holder = builder.of_group[MEMBER, groups.of_node[node]]
            if holder != 0 and holder != node:
                continue
        literals[kept] = literals[number]
        kept += 1
    for number in range(kept):
        node = literals[number] >> 1
        if node < builder.num_inputs and groups.of_node[node] != NO_GROUP:
            builder.of_group[MEMBER, groups.of_node[node]] = 0
    return -1 if clash else kept


@jit
def _is_none_of(builder: Builder, literal: int) -> bool:
    """Tell whether a literal says that none of some members of exact groups holds."""
    node = literal >> 1
    if node < builder.num_inputs:
        group = builder.groups.of_node[node]
        return literal & 1 == 1 and group != NO_GROUP and builder.groups.is_exact[group]
    gate = node - builder.num_inputs
    return bool(literal & 1 == 0 and gate < builder.counts[GATES] and builder.kind[gate] != ANY_KIND)


@jit
def _one_of(builder: Builder, literal: int) -> int:
    """Return the exact group of which a literal says that one of some members holds, or NO_GROUP."""
    gate = (literal >> 1) - builder.num_inputs
    if literal & 1 == 0 or gate < 0 or gate >= builder.counts[GATES] or builder.kind[gate] != ONE_GROUP:
        return NO_GROUP
    return int(builder.groups.of_node[builder.data[builder.start[gate]] >> 1])


@jit
def _none_of(builder: Builder, literal: int) -> int:
    """Return the exact group of which a literal says that none of some members holds, and no more, or NO_GROUP."""
    if not _is_none_of(builder, literal):
        return NO_GROUP
    gate = (literal >> 1) - builder.num_inputs
    if gate < 0:
        return int(builder.groups.of_node[literal >> 1])
    return (
        int(builder.groups.of_node[builder.data[builder.start[gate]] >> 1])
        if builder.kind[gate] == ONE_GROUP
        else NO_GROUP
    )


@jit
def _note_member(builder: Builder, node: int, count: int) -> int:
    """Note a member of a group as excluded, if it is not yet; return how many are noted."""
    if builder.of_input[MARK, node] != 0:
        return count
    builder.of_input[MARK, node] = 1
    builder.of_group[TALLY, builder.groups.of_node[node]] += 1
    builder.of_input[NOTED, count] = node
    return count + 1


@jit
def _note_members(builder: Builder, literal: int, count: int) -> int:
    """Note the members of groups that a literal excludes; return how many are noted."""
    node = literal >> 1
    if node < builder.num_inputs:
        return _note_member(builder, node, count)
    gate = node - builder.num_inputs
    for place in range(builder.start[gate], builder.start[gate + 1]):
        count = _note_member(builder, builder.data[place] >> 1, count)
    return count


@jit
def _vote(builder: Builder, literals: Int32Array, count: int) -> int:
    """Let each literal that asks for one of some members vote for these, and others strike out what they exclude.

    Returns the number of groups that were voted on, which `noted` then has.
    """
    groups = 0
    for number in range(count):
        group = _one_of(builder, literals[number])
        if group != NO_GROUP:
            if builder.of_group[TALLY, group] == 0:
                builder.of_input[NOTED, groups] = group
                groups += 1
            builder.of_group[TALLY, group] += 1
            gate = (literals[number] >> 1) - builder.num_inputs
            for place in range(builder.start[gate], builder.start[gate + 1]):
                builder.of_input[VOTES, builder.data[place] >> 1] += 1
    if groups == 0:
        return 0
    for number in range(count):
        if _none_of(builder, literals[number]) != NO_GROUP:
            node = literals[number] >> 1
            gate = node - builder.num_inputs
            if gate < 0:
                builder.of_input[VOTES, node] = 0
            else:
                for place in range(builder.start[gate], builder.start[gate + 1]):
                    builder.of_input[VOTES, builder.data[place] >> 1] = 0
    return groups


@jit
def _merge_alternatives(builder: Builder, literals: Int32Array, count: int) -> int:
    """Make one literal of all that ask for one of some members of a group: one of those that they have in common.

    Returns how many literals are left, -1 if they have none.
    """
    groups = _vote(builder, literals, count)
    if groups == 0:
        return count
    kept = 0
    clash = False
    for number in range(count):
        literal = literals[number]
        group = _one_of(builder, literal)
        if group == NO_GROUP:
            excluded = _none_of(builder, literal)
            if excluded == NO_GROUP or builder.of_group[TALLY, excluded] == 0:
                literals[kept] = literal
                kept += 1
            continue
        gate = (literal >> 1) - builder.num_inputs
        common = 0
        for place in range(builder.start[gate], builder.start[gate + 1]):
            node = builder.data[place] >> 1
            if builder.of_input[VOTES, node] == builder.of_group[TALLY, group]:
                builder.of_input[OTHERS, common] = builder.data[place]
                common += 1
            builder.of_input[VOTES, node] = 0
        if builder.of_group[TALLY, group] > 0:
            builder.of_group[TALLY, group] = -1  # the others of this group say no more
            clash = clash or common == 0
            literals[kept] = (
                builder.of_input[OTHERS, 0] if common == 1 else find_or_add(builder, builder.of_input[OTHERS], common)
            )
            literals[kept] ^= 1
            kept += 1
    for number in range(groups):
        builder.of_group[TALLY, builder.of_input[NOTED, number]] = 0
    return -1 if clash else kept


@jit
def _is_crowded(builder: Builder, group: int) -> bool:
    """Tell whether so many members of a group are excluded that it is shorter to name the others."""
    others = builder.groups.start[group + 1] - builder.groups.start[group] - builder.of_group[TALLY, group]
    return bool(others <= 1 or builder.of_group[TALLY, group] > others + 1)


@jit
def _any_other(builder: Builder, group: int) -> int:
    """Return the literal of the disjunction of the members of a group that are not excluded."""
    groups = builder.groups
    count = 0
    for place in range(groups.start[group], groups.start[group + 1]):
        if builder.of_input[MARK, groups.data[place]] == 0:
            builder.of_input[OTHERS, count] = 2 * groups.data[place] + 1
            count += 1
    if count == 0:
        return FALSE
    return builder.of_input[OTHERS, 0] ^ 1 if count == 1 else find_or_add(builder, builder.of_input[OTHERS], count) ^ 1


@jit
def _mark_groups(builder: Builder, literal: int, mark: int) -> bool:
    """Mark the groups of which a literal excludes members; tell whether one was marked before, or has two members."""
    node = literal >> 1
    groups = builder.groups
    if node < builder.num_inputs:
        group = groups.of_node[node]
        found = builder.of_group[MEMBER, group] != 0 or groups.start[group + 1] - groups.start[group] <= 2
        builder.of_group[MEMBER, group] = mark
        return bool(found)
    gate = node - builder.num_inputs
    found = False
    last_group = NO_GROUP
    for place in range(builder.start[gate], builder.start[gate + 1]):
        group = groups.of_node[builder.data[place] >> 1]
        if group != last_group:
            found = found or builder.of_group[MEMBER, group] != 0
            last_group = group
    for place in range(builder.start[gate], builder.start[gate + 1]):
        builder.of_group[MEMBER, groups.of_node[builder.data[place] >> 1]] = mark
        if builder.kind[gate] == ONE_GROUP:
            break
    return bool(found)


@jit
def _can_merge(builder: Builder, literals: Int32Array, count: int) -> bool:
    """Tell whether two literals exclude members of one exact group: each alone is as short as it can be already."""
    found = False
    for number in range(count):
        if _is_none_of(builder, literals[number]) or _one_of(builder, literals[number]) != NO_GROUP:
            found = _mark_groups(builder, literals[number], 1) or found
    for number in range(count):
        if _is_none_of(builder, literals[number]) or _one_of(builder, literals[number]) != NO_GROUP:
            _mark_groups(builder, literals[number], 0)
    return found


@jit
def _use_complements(builder: Builder, literals: Int32Array, count: int) -> int:
    """Say shorter what literals say about the members of exact groups.

    Returns how many literals are left, -1 if they contradict.
    """
    if not _can_merge(builder, literals, count):
        return count
    count = _merge_alternatives(builder, literals, count)
    if count > 1:
        count = _replace_most(builder, literals, count)
    return count if count <= 0 else tidy_literals(literals, count)


@jit
def _replace_most(builder: Builder, literals: Int32Array, count: int) -> int:
    """Where literals exclude most members of an exact group, ask for one of the others, if that is shorter.

    Returns how many literals are left, -1 if they contradict.
    """
    noted = 0
    pure = 0
    for number in range(count):
        if _is_none_of(builder, literals[number]):
            noted = _note_members(builder, literals[number], noted)
            pure += 1
    cost = count - pure
    crowded = False
    for number in range(noted):
        group = builder.groups.of_node[builder.of_input[NOTED, number]]
        if builder.of_group[MEMBER, group] == 0:
            builder.of_group[MEMBER, group] = 1
            crowded = crowded or _is_crowded(builder, group)
            cost += 1 if _is_crowded(builder, group) else builder.of_group[TALLY, group]
    if crowded and cost <= count:
        count = _replace_excluded(builder, literals, count, noted)
    for number in range(noted):
        node = builder.of_input[NOTED, number]
        builder.of_input[MARK, node] = 0
        builder.of_group[TALLY, builder.groups.of_node[node]] = 0
        builder.of_group[MEMBER, builder.groups.of_node[node]] = 0
    return count


@jit
def _replace_excluded(builder: Builder, literals: Int32Array, count: int, noted: int) -> int:
    """Write a conjunction anew: what excludes members of groups is replaced by the shorter way to say so."""
    kept = 0
    for number in range(count):
        if not _is_none_of(builder, literals[number]):
            literals[kept] = literals[number]
            kept += 1
    for number in range(noted):
        node = builder.of_input[NOTED, number]
        group = builder.groups.of_node[node]
        if not _is_crowded(builder, group):
            literals[kept] = 2 * node + 1
            kept += 1
        elif builder.of_group[MEMBER, group] == 1:
            builder.of_group[MEMBER, group] = 2
            literals[kept] = _any_other(builder, group)
            if literals[kept] == FALSE:
                return -1
            kept += 1
    return kept


@jit
def simplify(builder: Builder, literals: Int32Array, count: int) -> int:
    """Simplify a conjunction in place; return how many literals are left, -1 if it never holds."""
    count = tidy_literals(literals, count)
    # Most conjunctions have nothing to do with groups: these are not handed on, which costs more than this look.
    members = excluded = 0
    num_inputs, num_gates = builder.num_inputs, builder.counts[GATES]
    for number in range(count):
        node = literals[number] >> 1
        if node >= num_inputs:
            excluded += node < num_inputs + num_gates and builder.kind[node - num_inputs] != ANY_KIND
        elif node >= builder.first_move or builder.groups.of_node[node] != NO_GROUP:
            members += 1 - (literals[number] & 1)
            excluded += literals[number] & 1
    if count > 1 and members > 0:
        count = _use_facts(builder, literals, count)
        if count > 1:
            count = _use_members(builder, literals, count)
    if count > 1 and excluded > 0:
        count = _use_complements(builder, literals, count)
    return count


@jit
def make_and(builder: Builder, literals: Int32Array, count: int) -> int:
    """Return the literal of a conjunction; the array is used as scratch."""
    return _to_literal(builder, literals, simplify(builder, literals, count))


@jit
def make_known_and(builder: Builder, literals: Int32Array, count: int) -> int:
    """Return the literal of a conjunction that groups and facts do not make simpler; the array is used as scratch."""
    return _to_literal(builder, literals, tidy_literals(literals, count))


@jit
def _to_literal(builder: Builder, literals: Int32Array, count: int) -> int:
    if count < 0:
        return FALSE
    if count == 0:
        return TRUE
    if count == 1:
        return int(literals[0])
    return find_or_add(builder, literals, count)


@jit
def make_or(builder: Builder, literals: Int32Array, count: int) -> int:
    """Return the literal of a disjunction; the array is used as scratch."""
    for number in range(count):
        literals[number] ^= 1
    return make_and(builder, literals, count) ^ 1
