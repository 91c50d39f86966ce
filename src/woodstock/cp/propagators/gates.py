"""Gates: a literal that equals a conjunction of others, by reactions and one watched clause.

A gate `out <-> l1 and … and ln` is a set of clauses (Tseitin, "On the complexity of derivation in propositional
calculus", 1968): `not out or li` for each i, and `out or not l1 or … or not ln`. The short ones are reactions: an input
that becomes false makes the output false, an output that becomes true makes all inputs true. The long one is watched,
so a gate of thousands of inputs costs no more than a small one as long as two of its literals are open.

Consistency: GAC if the literals are of different variables; else what unit propagation of the clauses finds.
"""

from __future__ import annotations

import numpy as np

from woodstock.common.jit import inner_kernel
from woodstock.cp.constraints import Gates
from woodstock.cp.domains import Domains, make_true
from woodstock.cp.draft import Draft
from woodstock.cp.engine import GATE, NONE, ClauseStore


def compile_gates(draft: Draft, gates: Gates) -> None:
    """Add gates, each a constraint, whose clause begins with the output and goes on with the inputs' complements."""
    inputs = draft.literals(gates.data, "a gate")
    outs = draft.literals(gates.outs, "a gate")
    input_start = draft.starts(gates.start, len(inputs), "gates", num_lists=len(outs))
    sizes = np.diff(input_start)
    start = input_start + np.arange(len(input_start))
    data = np.empty(len(inputs) + len(outs), np.int64)
    is_input = np.ones(len(data), np.bool_)
    is_input[start[:-1]] = False
    data[start[:-1]] = outs
    data[is_input] = inputs ^ 1
    constraints = draft.add_constraints(GATE, start, draft.var_of[data >> 1])
    draft.add_clauses(start, data, constraints)
    out_of_input, gate_of_input = np.repeat(outs, sizes), np.repeat(constraints, sizes)
    draft.add_reactions(inputs ^ 1, out_of_input ^ 1, gate_of_input)
    draft.add_reactions(out_of_input, inputs, gate_of_input)


@inner_kernel
def revise_gate(domains: Domains, clauses: ClauseStore, clause: int) -> bool:
    """Look at all literals of a gate; return whether it can be satisfied."""
    data, truth = clauses.data, domains.truth
    first, end = clauses.start[clause], clauses.start[clause + 1]
    out = data[first]
    num_open, last_open = 0, NONE
    for place in range(first + 1, end):
        complement = data[place]
        if truth[complement] == 1:
            return make_true(domains, out ^ 1)
        if truth[complement ^ 1] == 0:
            num_open += 1
            last_open = complement
    if num_open == 0:
        return make_true(domains, out)
    if truth[out] == 1:
        for place in range(first + 1, end):
            if not make_true(domains, data[place] ^ 1):
                return False
    elif truth[out ^ 1] == 1 and num_open == 1:
        return make_true(domains, last_open)
    return True
