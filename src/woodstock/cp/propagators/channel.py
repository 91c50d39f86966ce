"""Channels: a variable, and literals that say which value it has.

Each choice of the variable and its literal are equivalent, and so are their complements: four reactions.

Consistency: GAC if the literals are of different variables.
"""

from __future__ import annotations

import numpy as np

from woodstock.common.errors import UsageError
from woodstock.common.jit import inner_kernel
from woodstock.cp.constraints import Channel, Int64Array
from woodstock.cp.domains import Domains, make_true
from woodstock.cp.draft import Draft
from woodstock.cp.engine import CHANNEL

# Record: the number of values; for each the literal of the choice, and the literal that equals it.


def compile_channel(draft: Draft, channel: Channel) -> None:
    """Add a channel."""
    draft.check_vars((channel.var,), "a channel")
    first, end = draft.first[channel.var], draft.first[channel.var + 1]
    if len(channel.literals) != end - first:
        name = draft.network.names[channel.var]
        raise UsageError(f"expected a literal for each of the {end - first} values of {name}, found {channel.literals}")
    literals = draft.literals(channel.literals, f"the channel of {draft.network.names[channel.var]}")
    choices = draft.literals(2 * np.arange(first, end), "a channel")
    pairs = np.stack([choices, literals], axis=1).ravel()
    scope = np.concatenate([[channel.var], draft.var_of[literals >> 1]])
    constraint = draft.add_constraint(CHANNEL, scope, [len(literals), *pairs])
    constraints = np.full(len(literals), constraint)
    for one, other in ((choices, literals), (literals, choices)):
        draft.add_reactions(one, other, constraints)
        draft.add_reactions(one ^ 1, other ^ 1, constraints)


@inner_kernel
def revise_channel(domains: Domains, numbers: Int64Array, record: int) -> bool:
    """Look at all values; return whether the constraint can be satisfied."""
    # What the literals say first, and then what the variable says in its turn: so one pass is enough.
    for side in range(2):
        for place in range(record + 1, record + 1 + 2 * numbers[record], 2):
            one, other = numbers[place + 1 - side], numbers[place + side]
            if domains.truth[one] == 1 and not make_true(domains, other):
                return False
            if domains.truth[one ^ 1] == 1 and not make_true(domains, other ^ 1):
                return False
    return True
