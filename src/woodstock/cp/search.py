"""Search: depth first, with an explicit path, so that it can stop at any moment and go on later.

A *node* is a decision: a level is opened, a variable assigned, and what follows is propagated. The *frames* of the path
hold the variables that were branched on and the values that are still to be tried; values are tried one after the other
(d-way branching). The kernel returns whenever it cannot go on alone; `PHASE` tells where it goes on when it is called
again:

- PROPAGATE: propagation is under way. If it succeeds the node is a solution or is to be branched on.
- CHOOSE: a variable is to be chosen; if none is open a solution is to be written down.
- ORDER: a variable has been chosen, and its values are to be put in order.
- ENTER: the values are in order; a frame is to be made of them.
- NEXT: the next value is to be tried.
"""

from __future__ import annotations

from typing import Final

from woodstock.common.jit import inner_kernel, jit
from woodstock.cp.agenda import clear_agenda, queue_constraint
from woodstock.cp.constraints import Int32Array, Int64Array
from woodstock.cp.domains import make_true, mark_assigned, pop_level, push_level
from woodstock.cp.engine import (
    ASK_VALUES,
    ASK_VARIABLE,
    CONSISTENT,
    DONE,
    FAILED,
    NODES_OVER,
    NONE,
    REFUSED,
    ROWS_FULL,
    Engine,
    Pools,
    view,
)
from woodstock.cp.orders import PLUG_IN, choose_variable, write_values
from woodstock.cp.propagation import fail, propagate
from woodstock.cp.registers import (
    ASKED,
    ASSIGNS_FIXED,
    BASE,
    CHOSEN,
    IS_FAILED,
    LEVEL,
    NODES,
    NODES_LEFT,
    NUM_FRAMES,
    NUM_GIVEN,
    NUM_OPEN,
    NUM_ROWS,
    PHASE,
    PLAYER,
    VALUE_ORDER,
    VARIABLE_ORDER,
    WORK,
)
from woodstock.cp.soft import upper_bound

# Phases.
PROPAGATE: Final = 0
CHOOSE: Final = 1
ORDER: Final = 2
ENTER: Final = 3
NEXT: Final = 4

# What the kernel may be told to do.
SETTLE: Final = 0
"""Propagate."""
ASSIGN: Final = 1
"""Assign values to variables, and propagate."""
REMOVE: Final = 2
"""Remove values of variables."""
REVISE_ALL: Final = 3
"""Queue all constraints, and propagate."""
REVISE_UNARY: Final = 4
"""Queue all constraints of at most one variable, and propagate."""
POP: Final = 5
"""Close levels until `BASE` are left."""
SEARCH: Final = 6
"""Go on with the search."""

GO_ON: Final = -1
"""There is more to do."""

WORK_AT_ONCE: Final = 100_000
"""Events and revisions before a kernel lets its caller look at the clock: a few milliseconds."""


@jit
def run(pools: Pools, task: int, variables: Int64Array, places: Int64Array, rows: Int32Array) -> int:
    """Do a task; return CONSISTENT, FAILED or DONE, or what is needed before it can go on.

    Args:
        pools: All arrays.
        task: One of the constants above. If something is needed, SETTLE goes on with a propagation and SEARCH with a
            search.
        variables: Variables to assign, or whose values to remove; in a search, those that make up the rows.
        places: Places of the values.
        rows: Where solutions go, shape (n, len(variables)).
    """
    engine = view(pools)
    outcome = prepare(engine, task, variables, places)
    return outcome if outcome != GO_ON else work(engine, task == SEARCH, variables, rows)


@inner_kernel
def prepare(engine: Engine, task: int, variables: Int64Array, places: Int64Array) -> int:
    """Do what comes before the propagation or the search; return GO_ON, or what came out if nothing is to follow."""
    registers, agenda = engine.domains.registers, engine.agenda
    registers[WORK] = WORK_AT_ONCE
    if task == SEARCH:
        return GO_ON
    if task == POP:
        while registers[LEVEL] > registers[BASE]:
            pop_level(engine.domains)
        clear_agenda(agenda, registers)
        return DONE
    if registers[IS_FAILED] == 1:
        return FAILED
    if task in (ASSIGN, REMOVE):
        outcome = change(engine, variables, places, task == ASSIGN)
        return GO_ON if task == ASSIGN and outcome == CONSISTENT else outcome
    if task != SETTLE:
        scope_start = engine.wiring.scope_start
        for constraint in range(len(scope_start) - 1):
            if task == REVISE_ALL or scope_start[constraint + 1] - scope_start[constraint] < 2:
                queue_constraint(agenda, registers, constraint)
    return GO_ON


@inner_kernel
def change(engine: Engine, variables: Int64Array, places: Int64Array, assigns: bool) -> int:
    """Assign or remove values, if there are such variables and values."""
    domains = engine.domains
    if len(variables) != len(places):
        return REFUSED
    for number in range(len(variables)):
        var = variables[number]
        if var < 0 or var >= len(domains.size):
            return REFUSED
        if places[number] < 0 or places[number] >= domains.first[var + 1] - domains.first[var]:
            return REFUSED
    for number in range(len(variables)):
        var, place = variables[number], places[number]
        if assigns:
            is_possible = assign(engine, var, place)
        else:
            is_possible = make_true(domains, 2 * (domains.first[var] + place) + 1)
        if not is_possible:
            return fail(engine, domains.registers[ASKED])
    return CONSISTENT


@inner_kernel
def assign(engine: Engine, var: int, place: int) -> bool:
    """Assign a value to a variable; return whether it has it."""
    domains = engine.domains
    if not make_true(domains, 2 * (domains.first[var] + place)):
        return False
    if domains.registers[ASSIGNS_FIXED] == 0:
        mark_assigned(domains, var)
        wiring = engine.wiring
        for listener in range(wiring.listener_start[var], wiring.listener_start[var + 1]):
            queue_constraint(engine.agenda, domains.registers, wiring.listeners[listener])
    return True


@inner_kernel
def work(engine: Engine, searches: bool, columns: Int64Array, rows: Int32Array) -> int:
    """Propagate, or go on with the search until it is done or needs something."""
    registers = engine.domains.registers
    while True:
        # There is one call of the propagation for all: it takes seconds to compile.
        phase = registers[PHASE] if searches else PROPAGATE
        if phase == PROPAGATE:
            outcome = propagate(engine)
            if not searches or (outcome != CONSISTENT and outcome != FAILED):
                return outcome
            is_promising = outcome == CONSISTENT and _may_be_better(engine)
            registers[PHASE] = CHOOSE if is_promising else NEXT
        elif phase == CHOOSE:
            if registers[NUM_OPEN] > 0:
                registers[PHASE] = ORDER
                if registers[VARIABLE_ORDER] == PLUG_IN:
                    return ASK_VARIABLE
                registers[CHOSEN] = choose_variable(
                    engine.domains, engine.agenda, engine.tree, registers[VARIABLE_ORDER]
                )
            elif registers[NUM_ROWS] == len(rows):
                return ROWS_FULL
            else:
                _write_solution(engine, columns, rows)
                registers[PHASE] = NEXT
        elif phase == ORDER:
            registers[PHASE] = ENTER
            if registers[VALUE_ORDER] == PLUG_IN:
                return ASK_VALUES
            begin = first_free(engine.tree.frames, registers[NUM_FRAMES])
            registers[NUM_GIVEN] = write_values(
                engine.domains, engine.tree.values, begin, registers[CHOSEN], registers[VALUE_ORDER]
            )
        elif phase == ENTER:
            _enter(engine)
            registers[PHASE] = NEXT
        else:
            outcome = _try_next(engine)
            if outcome != CONSISTENT:
                return outcome


@inner_kernel
def first_free(frames: Int32Array, num_frames: int) -> int:
    """Return where the values of the next frame begin."""
    return int(frames[3 * num_frames - 1]) if num_frames > 0 else 0


@inner_kernel
def _enter(engine: Engine) -> None:
    """Make a frame for the chosen variable, whose values are in order."""
    registers, frames = engine.domains.registers, engine.tree.frames
    num_frames = registers[NUM_FRAMES]
    begin = first_free(frames, num_frames)
    frames[3 * num_frames] = registers[CHOSEN]
    frames[3 * num_frames + 1] = begin
    frames[3 * num_frames + 2] = begin + registers[NUM_GIVEN]
    registers[NUM_FRAMES] = num_frames + 1


@inner_kernel
def _try_next(engine: Engine) -> int:
    """Go back to the last node that has values left, and try the next one; return what to do if there is none."""
    domains, registers, frames = engine.domains, engine.domains.registers, engine.tree.frames
    while True:
        num_frames = registers[NUM_FRAMES]
        if num_frames == 0:
            return DONE
        # The value that was tried last has a level of its own.
        if registers[LEVEL] == registers[BASE] + num_frames:
            pop_level(domains)
        top = 3 * (num_frames - 1)
        if frames[top + 1] < frames[top + 2]:
            break
        registers[NUM_FRAMES] = num_frames - 1
    if registers[NODES_LEFT] == 0:
        return NODES_OVER
    registers[NODES_LEFT] -= 1
    registers[NODES] += 1
    push_level(domains)
    assign(engine, int(frames[top]), int(engine.tree.values[frames[top + 1]]))
    frames[top + 1] += 1
    registers[PHASE] = PROPAGATE
    return CONSISTENT


@inner_kernel
def _may_be_better(engine: Engine) -> bool:
    """Tell whether a solution below the node may be worth more than the best one so far, if that is asked for."""
    player = engine.domains.registers[PLAYER]
    return bool(player == NONE or upper_bound(engine.domains, engine.tree, player) > engine.tree.bound[0])


@inner_kernel
def _write_solution(engine: Engine, columns: Int64Array, rows: Int32Array) -> None:
    """Write down a solution; the best one so far stands alone."""
    domains, registers = engine.domains, engine.domains.registers
    player = registers[PLAYER]
    if player != NONE:
        engine.tree.bound[0] = upper_bound(domains, engine.tree, player)
        registers[NUM_ROWS] = 0
    row = rows[registers[NUM_ROWS]]
    for number in range(len(columns)):
        var = columns[number]
        row[number] = domains.choices[domains.first[var]] - domains.first[var]
    registers[NUM_ROWS] += 1
