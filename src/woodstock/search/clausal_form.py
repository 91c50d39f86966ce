"""The network of a game, over one or several stages, as clauses with the colours of IJCAI 2017.

It is the microstructure complement's input (`woodstock.symmetry.microstructure`) from the very network that MAC solves,
while `woodstock.symmetry.one_stage` makes a smaller one, with the position folded away, from the ground program.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, product
from math import prod
from typing import Final

import numpy as np

from woodstock.common.errors import LimitError
from woodstock.cp.constraints import Clauses, Gates, Table
from woodstock.cp.network import Network
from woodstock.game.ground_game import GroundPosition
from woodstock.scsp.game_network import GameNetwork
from woodstock.scsp.game_vars import VarKind
from woodstock.symmetry.microstructure import ANY, Colour, Stage

MOST_TUPLES: Final = 100_000
"""A table whose variables have more combinations of values is not written as clauses."""


def clausal_form(game: GameNetwork, position: GroundPosition, legal: list[set[int]]) -> Stage:
    """Return the network of a game that begins with a position.

    Args:
        game: The network, Boolean: every fluent has its variable. Its rules form no positive loop.
        position: Numbers of the fluents that hold at first.
        legal: The legal moves of each role there, counted over all roles.

    Raises:
        LimitError: A table of the network is too large to be written as clauses.
    """
    network = game.network
    clauses = [clause for constraint in network.constraints for clause in _clauses(network, constraint)]
    clauses += list(_split(game.position_clauses(position)))
    start = np.concatenate([[0], np.cumsum([len(clause) for clause in clauses])])
    data = np.array([literal for clause in clauses for literal in clause], dtype=np.int32)
    sizes = np.diff(network.first_choices)
    first = np.array(network.first_choices)
    moves = [
        {move: int(first[var]) + move - game.program.move_start[role] for move in sorted(legal[role])}
        for role, var in enumerate(game.stages[0].actions)
    ]
    fluents = game.template.stage.fluents
    next_vars = game.stages[1].fluents[fluents.var_of_fluent]
    return Stage(
        var_of_choice=np.repeat(np.arange(network.num_vars), sizes).astype(np.int32),
        colours=list(_colours(game)),
        clauses=(start.astype(np.int64), data),
        moves=moves,
        next_choices=(first[next_vars] + fluents.place_of_fluent).astype(np.int32),
    )


def _clauses(network: Network, constraint: object) -> Iterator[list[int]]:
    """Give a constraint as clauses of literals."""
    if isinstance(constraint, Clauses):
        yield from _split(constraint)
    elif isinstance(constraint, Gates):
        for number, out in enumerate(constraint.outs.tolist()):
            body = constraint.data[constraint.start[number] : constraint.start[number + 1]].tolist()
            yield [out, *(literal ^ 1 for literal in body)]
            yield from ([out ^ 1, literal] for literal in body)
    elif isinstance(constraint, Table):
        first = [network.first_choices[var] for var in constraint.scope]
        size = prod(len(network.domains[var]) for var in constraint.scope)
        if size > MOST_TUPLES:
            raise LimitError(f"a table of {size:,} combinations is too large to be written as clauses")
        listed = {tuple(int(place) for place in row) for row in constraint.tuples}
        for row in product(*(range(len(network.domains[var])) for var in constraint.scope)):
            if (row in listed) != constraint.is_allowed:
                yield [2 * (start + place) + 1 for start, place in zip(first, row, strict=True)]
    else:
        raise TypeError(f"no clauses for {type(constraint).__name__}")


def _split(clauses: Clauses) -> Iterator[list[int]]:
    data, starts = clauses.data.tolist(), clauses.start.tolist()
    for start, end in pairwise(starts):
        yield data[start:end]


def _colours(game: GameNetwork) -> Iterator[Colour]:
    """Give the colour of each choice, as in section 4.2 of the paper."""
    stage_of = {}
    role_of = {}
    for stage in game.stages:
        own = [*stage.fluents.tolist(), stage.terminal, *stage.utilities, *stage.actions, *stage.chance_legal]
        stage_of.update(dict.fromkeys([*own, *stage.percepts], stage.number))
        for vars_ in (stage.utilities, stage.actions):
            role_of.update({var: role for role, var in enumerate(vars_)})
    for var, domain in enumerate(game.network.domains):
        kind = VarKind(game.kinds[var])
        stage_number = stage_of.get(var, ANY)
        for value in domain:
            if kind == VarKind.FLUENT:
                yield (stage_number, ANY, ANY)
            elif kind == VarKind.TERMINAL:
                yield (stage_number, ANY, value)
            elif kind in {VarKind.ACTION, VarKind.CHANCE}:
                yield (stage_number, role_of[var], "none" if value is None else ANY)
            elif kind == VarKind.UTILITY:
                yield (stage_number, role_of[var], value)
            else:
                yield (stage_number, kind.name, ANY)
