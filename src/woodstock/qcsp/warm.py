"""Warming up: the kernels of quantified networks are compiled, or loaded from the cache, before a clock runs."""

from __future__ import annotations

from woodstock.common.jit import JIT_DISABLED
from woodstock.common.limits import Deadline
from woodstock.qcsp.players import PLAYERS, make_player
from woodstock.qcsp.random_networks import Parameters, random_network
from woodstock.qcsp.situation import Compiled, Situation
from woodstock.qcsp.solver import Solver


def warm() -> None:
    """Let the solver have a look at a small network, and all players play it."""
    if JIT_DISABLED:
        return
    compiled = Compiled(random_network(Parameters(num_turns=6, num_values=4, p=1.0, p_ee=0.2), seed=1))
    Solver(compiled).solve()
    for name in PLAYERS:
        situation = Situation(compiled)
        while not situation.is_over:
            situation.give(make_player(name, compiled).choose(situation, Deadline(0.002)))
