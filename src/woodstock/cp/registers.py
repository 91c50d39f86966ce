"""Registers: the single numbers that the kernels keep, as places in one array.

A level keeps the first ones and brings them back.
"""

from __future__ import annotations

from typing import Final

TRAIL_SIZE: Final = 0
"""Literals on the trail."""
HEAD: Final = 1
"""Literals on the trail whose events are over."""
NUM_OPEN: Final = 2
"""Variables that are not assigned."""
UNDO_SIZE: Final = 3
"""Numbers that `memory` held before."""
IS_FAILED: Final = 4
"""Whether a constraint cannot be satisfied any more."""
NUM_SAVED: Final = 5
"""How many registers a level keeps."""

LEVEL: Final = 5
"""How many levels are open."""

# Propagation.
ASSIGNS_FIXED: Final = 6
"""Whether a variable counts as assigned as soon as one choice is left (MAC), not only by a decision (FC)."""
CASCADES: Final = 7
"""Whether what a constraint removes wakes other constraints."""
WORK: Final = 8
"""How much may be done before a kernel returns to let its caller look at the clock."""
ASKED: Final = 9
"""The predicate that the caller is to ask."""
QUEUE_FIRST: Final = 10
"""Where the queue of constraints begins in its ring."""
QUEUE_SIZE: Final = 11
"""How many constraints wait to be revised."""
NUM_CHANGED: Final = 12
"""How many variables wait for their constraints to be woken."""
PROPAGATIONS: Final = 13
"""Events and revisions so far."""
FAILURES: Final = 14
"""Failures so far."""

# Search.
NODES: Final = 15
"""Nodes of the search so far."""
NODES_LEFT: Final = 16
"""How many more there may be."""
PHASE: Final = 17
"""Where the search goes on."""
BASE: Final = 18
"""The level below which the search, or whoever closes levels, does not go."""
NUM_FRAMES: Final = 19
"""How many variables on the current path were branched on."""
CHOSEN: Final = 20
"""The variable to branch on next."""
NUM_GIVEN: Final = 21
"""How many values it has."""
NUM_ROWS: Final = 22
"""How many solutions have been written down."""
VARIABLE_ORDER: Final = 23
VALUE_ORDER: Final = 24
"""Codes of the orders."""
RANDOM: Final = 25
"""State of the random numbers."""
PLAYER: Final = 26
"""The player to whom the solution is to be worth as much as possible, or NONE."""

NUM_REGISTERS: Final = 27
