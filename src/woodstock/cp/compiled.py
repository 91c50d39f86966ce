"""Compiled networks: a network as arrays, ready for the kernels."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from woodstock.cp.agenda import Agenda
from woodstock.cp.constraints import (
    Channel,
    Clauses,
    Constraint,
    Founded,
    Gates,
    Int32Array,
    Int64Array,
    Linear,
    OneHot,
    Predicate,
    Table,
)
from woodstock.cp.domains import Domains
from woodstock.cp.draft import Draft
from woodstock.cp.engine import NONE, ClauseStore, Engine, Pools, TableStore, Tree, Wiring, pack
from woodstock.cp.network import Network
from woodstock.cp.propagators.channel import compile_channel
from woodstock.cp.propagators.clauses import compile_clauses
from woodstock.cp.propagators.founded import compile_founded
from woodstock.cp.propagators.gates import compile_gates
from woodstock.cp.propagators.linear import compile_linear
from woodstock.cp.propagators.one_hot import compile_one_hot
from woodstock.cp.propagators.predicates import compile_predicate
from woodstock.cp.propagators.tables import compile_table
from woodstock.cp.registers import ASSIGNS_FIXED, CASCADES, NUM_OPEN, NUM_REGISTERS, NUM_SAVED, TRAIL_SIZE
from woodstock.cp.soft import SoftConstraints, compile_soft

SPARE_LEVELS = 64
FIRST_UNDO = 1024


class Compiled(NamedTuple):
    """A network, compiled.

    Attributes:
        pools: The arrays.
        removed: Choices that unary constraints remove, int64.
        predicates: Predicates by the number of their constraint.
        num_players: Players that soft constraints give something to.
    """

    pools: Pools
    removed: Int64Array
    predicates: dict[int, Predicate]
    num_players: int


def compile_network(network: Network, *, cascades: bool, decisions: Int32Array) -> Compiled:
    """Compile a network.

    Args:
        network: The network.
        cascades: Whether events wake constraints (MAC); else all constraints of a variable listen to it (FC).
        decisions: Variables to branch on first, int32.
    """
    draft = Draft(network)
    for constraint in network.constraints:
        add_constraint(draft, constraint)
    soft = compile_soft(draft, network.utilities)
    domains = make_domains(draft, cascades)
    engine = Engine(
        domains,
        make_wiring(draft, cascades),
        make_clauses(draft, cascades),
        make_tables(draft),
        make_agenda(draft),
        make_tree(draft, decisions, soft),
    )
    return Compiled(pack(engine), draft.removed.joined(), draft.predicates, soft.num_players)


def add_constraint(draft: Draft, constraint: Constraint) -> None:
    """Add what an entry of a network holds."""
    match constraint:
        case Table():
            compile_table(draft, constraint)
        case Clauses():
            compile_clauses(draft, constraint)
        case Gates():
            compile_gates(draft, constraint)
        case OneHot():
            compile_one_hot(draft, constraint)
        case Channel():
            compile_channel(draft, constraint)
        case Linear():
            compile_linear(draft, constraint)
        case Founded():
            compile_founded(draft, constraint)
        case Predicate():
            compile_predicate(draft, constraint)


def make_domains(draft: Draft, cascades: bool) -> Domains:
    """Return full domains; variables of one value are on the trail."""
    num_vars, num_choices = draft.network.num_vars, draft.network.num_choices
    sizes = np.diff(draft.first)
    fixed = np.flatnonzero(sizes == 1)
    truth = np.zeros(2 * num_choices, np.uint8)
    truth[2 * draft.first[fixed]] = 1
    trail = np.zeros(num_choices + num_vars, np.int32)
    trail[: len(fixed)] = 2 * draft.first[fixed]
    # The variables that are not assigned come first; one with a single value is not to be assigned (MAC).
    open_vars = np.argsort(sizes == 1, kind="stable") if cascades else np.arange(num_vars)
    open_place = np.empty(num_vars, np.int32)
    open_place[open_vars] = np.arange(num_vars)
    registers = np.zeros(NUM_REGISTERS, np.int64)
    registers[TRAIL_SIZE] = len(fixed)
    registers[NUM_OPEN] = num_vars - (len(fixed) if cascades else 0)
    registers[ASSIGNS_FIXED] = registers[CASCADES] = int(cascades)
    choices = np.arange(num_choices)
    return Domains(
        first=small(draft.first),
        var_of=small(draft.var_of),
        truth=truth,
        size=small(sizes),
        choices=small(choices),
        place_of=small(choices),
        trail=trail,
        open_vars=small(open_vars),
        open_place=open_place,
        registers=registers,
        memory=draft.memory.joined(),
        undo=np.zeros((FIRST_UNDO, 2), np.int64),
        levels=np.zeros((num_vars + SPARE_LEVELS, NUM_SAVED), np.int64),
    )


def make_wiring(draft: Draft, cascades: bool) -> Wiring:
    """Return the constraints, and who is told about what."""
    scope_start = starts_of(draft.scope_sizes.joined())
    scope_data = draft.scope_data.joined()
    if cascades:
        sources = draft.reaction_sources.joined()
        targets, causes = draft.reaction_targets.joined(), draft.reaction_constraints.joined()
        listening_vars, listening = draft.listening_vars.joined(), draft.listening_constraints.joined()
    else:
        sources = targets = causes = np.zeros(0, np.int64)
        listening_vars = scope_data
        listening = np.repeat(np.arange(draft.num_constraints), np.diff(scope_start))
    reaction_start, order = grouped(sources, 2 * draft.network.num_choices)
    listener_start, listener_order = grouped(listening_vars, draft.network.num_vars)
    return Wiring(
        kind=small(draft.kinds.joined()),
        record=small(draft.records.joined()),
        scope_start=scope_start,
        scope_data=small(scope_data),
        numbers=draft.numbers.joined(),
        reaction_start=reaction_start,
        reactions=small(np.stack([targets[order], causes[order]], axis=1).ravel()),
        listener_start=listener_start,
        listeners=small(listening[listener_order]),
    )


def make_clauses(draft: Draft, cascades: bool) -> ClauseStore:
    """Return the clauses; those of three literals or more watch the first two, if they are to be woken."""
    sizes = draft.clause_sizes.joined()
    start, data = starts_of(sizes), draft.clause_data.joined()
    watch_first = np.full(2 * draft.network.num_choices, NONE, np.int32)
    watches = np.full((2 * len(sizes), 2), NONE, np.int32)
    clauses = np.flatnonzero(sizes > 2) if cascades else np.zeros(0, np.int64)
    numbers = np.concatenate([2 * clauses, 2 * clauses + 1])
    watched = np.concatenate([data[start[clauses]], data[start[clauses] + 1]])
    order = np.argsort(watched, kind="stable")
    numbers, watched = numbers[order], watched[order]
    # Each watch is followed by the next one of the same literal.
    is_last = np.append(watched[1:] != watched[:-1], True)[: len(watched)]
    watches[numbers, 0] = np.where(is_last, NONE, np.append(numbers[1:], NONE)[: len(numbers)])
    watches[numbers, 1] = numbers & 1
    is_first = np.append(True, watched[1:] != watched[:-1])[: len(watched)]
    watch_first[watched[is_first]] = numbers[is_first]
    return ClauseStore(start, small(data), small(draft.clause_constraints.joined()), watch_first, watches.ravel())


def make_tables(draft: Draft) -> TableStore:
    """Return the rows of all tables."""
    row_start = starts_of(draft.row_sizes.joined())
    return TableStore(
        row_start=row_start,
        entry_word=small(draft.entry_word.joined()),
        entry_bits=draft.entry_bits.joined(),
        residue=row_start[:-1].copy(),
        word_index=small(draft.word_index.joined()),
        mask=np.zeros(draft.longest_table, np.int64),
    )


def make_agenda(draft: Draft) -> Agenda:
    """Return an empty agenda; each constraint weighs 1, and a variable without constraints as much as with one."""
    num_vars = draft.network.num_vars
    degrees = np.bincount(draft.scope_data.joined(), minlength=num_vars)
    return Agenda(
        queue=np.zeros(draft.num_constraints + 1, np.int32),
        is_queued=np.zeros(draft.num_constraints, np.uint8),
        changed=np.zeros(num_vars, np.int32),
        is_changed=np.zeros(num_vars, np.uint8),
        hints=small(draft.hints.joined()),
        weights=np.maximum(degrees, 1).astype(np.float64),
    )


def make_tree(draft: Draft, decisions: Int32Array, soft: SoftConstraints) -> Tree:
    """Return a search tree without nodes."""
    return Tree(
        frames=np.zeros(3 * (draft.network.num_vars + 1), np.int32),
        values=np.zeros(draft.network.num_choices, np.int32),
        decisions=decisions,
        soft=small(soft.heads),
        soft_data=small(soft.choices),
        utilities=soft.utilities,
        bound=np.zeros(1, np.float64),
    )


def small(numbers: npt.NDArray[np.integer]) -> Int32Array:
    """Return numbers as int32."""
    return numbers.astype(np.int32)


def starts_of(sizes: Int64Array) -> Int32Array:
    """Return where lists of these sizes begin, and the end."""
    return small(np.concatenate([[0], np.cumsum(sizes)]))


def grouped(keys: Int64Array, num_keys: int) -> tuple[Int32Array, Int64Array]:
    """Return where the entries of each key begin once they are sorted by key, and the order that sorts them."""
    return starts_of(np.bincount(keys, minlength=num_keys)), np.argsort(keys, kind="stable")
