"""The worked example of the paper of JFPC 2016 on GDL-II and symmetries ("Mise en pratique", Figure 1)."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from woodstock.cp.constraints import Table
from woodstock.gdl.sheet import parse_rules
from woodstock.ground import ground
from woodstock.scsp.exact import best_policy
from woodstock.scsp.game_network import GameNetwork
from woodstock.scsp.one_stage import OneStage
from woodstock.scsp.sequence import StageSequence

# "Considérons un TicTacToe 2 × 2 contre un joueur jouant aléatoirement. Un joueur gagne si il remplit une ligne ou une
# colonne (les diagonales sont exclues). MAC-UCB-SYM joue avec le symbole o. Supposons que le symbole x est déjà présent
# en (1, 1) à l'état initial." A draw is worth one half, as the figures that follow show.
RULES = """
(role o) (role random)
(index 1) (index 2)
(init (cell 1 1 x)) (init (cell 1 2 b)) (init (cell 2 1 b)) (init (cell 2 2 b)) (init (control o))
(<= (legal ?p (mark ?i ?j)) (true (control ?p)) (true (cell ?i ?j b)))
(<= (legal o noop) (true (control random)))
(<= (legal random noop) (true (control o)))
(<= (marks ?i ?j o) (does o (mark ?i ?j)))
(<= (marks ?i ?j x) (does random (mark ?i ?j)))
(<= (marked ?i ?j) (marks ?i ?j ?s))
(<= (next (cell ?i ?j ?s)) (marks ?i ?j ?s))
(<= (next (cell ?i ?j ?s)) (true (cell ?i ?j ?s)) (not (marked ?i ?j)))
(<= (next (control random)) (true (control o)))
(<= (next (control o)) (true (control random)))
(symbol x) (symbol o)
(<= (line ?s) (symbol ?s) (true (cell ?i 1 ?s)) (true (cell ?i 2 ?s)))
(<= (line ?s) (symbol ?s) (true (cell 1 ?j ?s)) (true (cell 2 ?j ?s)))
(<= open (true (cell ?i ?j b)))
(<= terminal (line ?s))
(<= terminal (not open))
(<= (goal o 100) (line o))
(<= (goal o 0) (line x))
(<= (goal o 50) (not (line o)) (not (line x)))
(goal random 0)
"""

# "UCB renvoit une utilité attendue de 0.25", "UCB associe une utilité attendue de 0", "la même utilité 0.25".
# After (1, 2) the other player marks (2, 1) and wins, or marks (2, 2) and it is a draw: 1/2 · 0 + 1/2 · 1/2 = 1/4.
# After (2, 2) both of its moves win. After (2, 1) it is as after (1, 2).
VALUES = {("1", "2"): Fraction(1, 4), ("2", "2"): Fraction(0), ("2", "1"): Fraction(1, 4)}


def game_from(horizon: int, move: tuple[str, str] | None = None) -> GameNetwork:
    """Return the game for some stages from the start, of which the first move may be given."""
    game = GameNetwork(ground(parse_rules(RULES), use_cache=False), horizon, with_outcome=True)
    game.network.add(game.position_clauses(game.initial_position()))
    if move is not None:
        places = game.places_of_moves((("mark", *move), "noop"))
        game.network.add(Table((game.stages[0].actions[0],), [places[:1].tolist()]))
    return game


@pytest.mark.parametrize("move", VALUES)
def test_what_each_move_is_worth(move: tuple[str, str]) -> None:
    stochastic = game_from(3, move).stochastic()
    found = StageSequence(stochastic).best_policy().found
    assert found[0].utilities == (VALUES[move],)
    assert best_policy(stochastic).found[0].utilities == (VALUES[move],)


def test_the_best_of_all_policies_is_worth_a_quarter() -> None:
    # "Ainsi, l'idée est de jouer sur la même ligne ou la même colonne que le symbole x pour espérer un nul."
    stochastic = game_from(3).stochastic(threshold=(Fraction(1, 4),))
    sequence = StageSequence(stochastic)
    assert sequence.best_policy().found[0].utilities == (Fraction(1, 4),)
    feasible = sequence.feasible_policies().found
    assert sorted(policy.utilities[0] for policy in feasible) == sorted(VALUES.values())


def test_the_moves_of_equal_worth_lead_to_positions_that_are_each_others_image() -> None:
    # The permutation of the paper exchanges (1, 2) and (2, 1), in cells and in actions. (That it is found as an
    # automorphism of the microstructure is not looked at here, but that it maps the one µSCSP to the other.)
    game = GameNetwork(ground(parse_rules(RULES), use_cache=False))
    stage = OneStage(game.stochastic())
    after = {}
    for move in VALUES:
        cells = {("1", "1"): "x", ("1", "2"): "b", ("2", "1"): "b", ("2", "2"): "b", move: "o"}
        fluents = [("cell", *cell, symbol) for cell, symbol in cells.items()]
        position = game.number_fluents([*fluents, ("control", "random")])
        solutions = stage.solve(game.stages[0].fluents, game.places(position))
        steps = [(game.step(path.places), path.probability) for path in solutions.paths(0)]
        assert len(solutions) == 1
        assert sum(probability for _, probability in steps) == 1
        after[move] = {(step.moves, fluents_of(game, step.successor), probability) for step, probability in steps}
    image = {(swapped(moves), swapped(fluents), probability) for moves, fluents, probability in after["1", "2"]}
    assert image == after["2", "1"]
    assert image != after["1", "2"]


def fluents_of(game: GameNetwork, position: tuple[int, ...]) -> frozenset[object]:
    return frozenset(game.program.fluents[number] for number in position)


def swapped(thing: object) -> object:
    """Return a term, or several, with the cells (1, 2) and (2, 1) exchanged."""
    if isinstance(thing, frozenset):
        return frozenset(map(swapped, thing))
    if isinstance(thing, tuple):
        places = np.flatnonzero([part in ("1", "2") for part in thing])
        if len(places) == 2:
            parts = list(thing)
            parts[places[0]], parts[places[1]] = parts[places[1]], parts[places[0]]
            return tuple(parts)
        return tuple(map(swapped, thing))
    return thing
