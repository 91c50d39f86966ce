"""Propagation: events of literals and revisions of constraints, until nothing changes.

The trail is the queue of events. A literal that became true makes others true at once (reactions, watched clauses);
what takes longer waits in a queue of constraints until there are no more events. Forward checking is the same without
the events: only the constraints that were queued by an assignment are revised, each once.
"""

from __future__ import annotations

from woodstock.common.jit import inner_kernel
from woodstock.cp.agenda import clear_agenda, next_constraint, note_change, queue_constraint, queue_listeners
from woodstock.cp.domains import make_true
from woodstock.cp.engine import (
    CHANNEL,
    CLAUSE,
    CONSISTENT,
    FAILED,
    FORBIDDEN,
    GATE,
    LINEAR,
    NO_ROOM,
    NONE,
    ONE_HOT,
    PAUSED,
    PREDICATE,
    TABLE,
    Engine,
)
from woodstock.cp.propagators.channel import revise_channel
from woodstock.cp.propagators.clauses import revise_clause, wake_clauses
from woodstock.cp.propagators.founded import note_blocked, revise_founded
from woodstock.cp.propagators.gates import revise_gate
from woodstock.cp.propagators.linear import revise_linear
from woodstock.cp.propagators.one_hot import revise_one_hot
from woodstock.cp.propagators.predicates import revise_predicate
from woodstock.cp.propagators.tables import revise_table
from woodstock.cp.registers import (
    ASSIGNS_FIXED,
    CASCADES,
    FAILURES,
    HEAD,
    IS_FAILED,
    PROPAGATIONS,
    QUEUE_SIZE,
    TRAIL_SIZE,
    WORK,
)


@inner_kernel
def propagate(engine: Engine) -> int:
    """Work off all events and the queue; return CONSISTENT, FAILED, or what is needed before it can go on."""
    registers, agenda, wiring = engine.domains.registers, engine.agenda, engine.wiring
    if registers[IS_FAILED] == 1:
        return FAILED
    while True:
        if registers[CASCADES] == 1:
            failing = handle_events(engine)
            if failing != NONE:
                return fail(engine, failing)
            if registers[HEAD] < registers[TRAIL_SIZE]:
                return PAUSED
            queue_listeners(agenda, registers, wiring.listener_start, wiring.listeners)
        if registers[QUEUE_SIZE] == 0:
            return CONSISTENT
        if registers[WORK] <= 0:
            return PAUSED
        constraint = next_constraint(agenda, registers)
        registers[PROPAGATIONS] += 1
        registers[WORK] -= 1 + wiring.scope_start[constraint + 1] - wiring.scope_start[constraint]
        outcome = revise(engine, constraint)
        if outcome == FAILED:
            return fail(engine, constraint)
        if outcome == NO_ROOM:
            queue_constraint(agenda, registers, constraint)
        if outcome != CONSISTENT:
            return outcome


@inner_kernel
def handle_events(engine: Engine) -> int:
    """Work off the trail as long as there is work allowed; return a constraint that fails, or NONE."""
    domains, clauses, agenda, registers = engine.domains, engine.clauses, engine.agenda, engine.domains.registers
    truth, trail = domains.truth, domains.trail
    reaction_start, reactions = engine.wiring.reaction_start, engine.wiring.reactions
    listener_start, var_of = engine.wiring.listener_start, domains.var_of
    head = registers[HEAD]
    work = registers[WORK]
    failing = NONE
    while head < registers[TRAIL_SIZE] and work > 0 and failing == NONE:
        literal = int(trail[head])
        head += 1
        begin, end = reaction_start[literal], reaction_start[literal + 1]
        work -= 1 + end - begin
        for reaction in range(2 * begin, 2 * end, 2):
            target = reactions[reaction]
            if target < 0:
                _react(engine, target, int(reactions[reaction + 1]))
            elif truth[target] == 0 and not make_true(domains, int(target)):
                failing = int(reactions[reaction + 1])
                break
        if failing == NONE and clauses.watch_first[literal ^ 1] != NONE:
            failing = wake_clauses(domains, clauses, literal ^ 1)
        if literal & 1 == 1:
            var = int(var_of[literal >> 1])
            if listener_start[var] < listener_start[var + 1]:
                note_change(agenda, registers, var)
    registers[PROPAGATIONS] += head - registers[HEAD]
    registers[HEAD] = head
    registers[WORK] = work
    return failing


@inner_kernel
def _react(engine: Engine, code: int, constraint: int) -> None:
    """Queue a constraint if it is to be revised; see `Wiring` for what the code says."""
    wiring = engine.wiring
    if code == NONE or note_blocked(wiring.numbers, wiring.record[constraint], engine.agenda.hints, NONE - 1 - code):
        queue_constraint(engine.agenda, engine.domains.registers, constraint)


@inner_kernel
def revise(engine: Engine, constraint: int) -> int:
    """Let a constraint remove what it can by looking at all of its scope."""
    domains, numbers = engine.domains, engine.wiring.numbers
    kind, record = engine.wiring.kind[constraint], engine.wiring.record[constraint]
    if kind in (TABLE, FORBIDDEN):
        return revise_table(engine, constraint, kind == TABLE)
    if kind == PREDICATE:
        return revise_predicate(domains, engine.wiring, constraint)
    if kind == CLAUSE:
        is_consistent = revise_clause(domains, engine.clauses, record)
    elif kind == GATE:
        is_consistent = revise_gate(domains, engine.clauses, record)
    elif kind == ONE_HOT:
        is_consistent = revise_one_hot(domains, numbers, record)
    elif kind == CHANNEL:
        is_consistent = revise_channel(domains, numbers, record)
    elif kind == LINEAR:
        is_consistent = revise_linear(domains, numbers, record)
    else:
        is_informed = domains.registers[ASSIGNS_FIXED] == 1
        is_consistent = revise_founded(domains, numbers, record, engine.agenda.hints, is_informed)
    return CONSISTENT if is_consistent else FAILED


@inner_kernel
def fail(engine: Engine, constraint: int) -> int:
    """Note that a constraint fails: its variables weigh more, and nothing is left to be done."""
    registers, agenda, wiring = engine.domains.registers, engine.agenda, engine.wiring
    registers[IS_FAILED] = 1
    registers[FAILURES] += 1
    if constraint != NONE:
        for place in range(wiring.scope_start[constraint], wiring.scope_start[constraint + 1]):
            agenda.weights[wiring.scope_data[place]] += 1.0
    clear_agenda(agenda, registers)
    return FAILED


def forget_answer(engine: Engine, constraint: int) -> None:
    """Let a predicate be asked again that has given no answer."""
    engine.domains.memory[engine.wiring.numbers[engine.wiring.record[constraint]]] = 0
    queue_constraint(engine.agenda, engine.domains.registers, constraint)
