"""Warming up: every kernel is compiled, or loaded from the cache, before somebody waits for it.

Kernels are compiled when they are first called, which takes a minute or more for all of them together, and are kept on
disk. Each *step* of the warm-up does what a later caller does, on small games, so that exactly the kernels are compiled
that will be called, for the same types.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from functools import cache
from typing import Final

import numpy as np

from woodstock.circuit.expansion import Expander
from woodstock.circuit.game import CircuitGame
from woodstock.circuit.rates import Trial, measure
from woodstock.circuit.runner import Batch, Runner
from woodstock.common.jit import JIT_DISABLED
from woodstock.common.limits import Deadline
from woodstock.cp.orders import Strength
from woodstock.game.ground_game import GroundGame
from woodstock.game.load import load_rules
from woodstock.ground import ground
from woodstock.qcsp import warm as quantified
from woodstock.scsp.resolver import NetworkResolver
from woodstock.search.mac_ucb import MacUcbSearch
from woodstock.search.mac_ucb_solving import make_solver
from woodstock.search.options import SearchOptions
from woodstock.search.planning import PARTS, Planner, PlanningOptions
from woodstock.search.self_play import SelfPlay
from woodstock.search.symmetric_keys import can_find_symmetries
from woodstock.search.tree_search import TreeSearch
from woodstock.symmetry.canonical import ExplicitKeys
from woodstock.symmetry.detection import DetectionOptions, find_symmetries
from woodstock.symmetry.group import orbits_of

SAMPLES: Final = ("tic_tac_toe", "hex_small", "rock_paper_scissors", "monty_hall")
"""Bundled games: with a clock, with positive loops, with simultaneous moves, with chance and hidden information; the
last two are without a clock."""
PUZZLE: Final = "lights_out"
"""A bundled game of one mind."""

CIRCUITS: Final = "circuits"
PLAYOUTS: Final = "playouts"
POLICIES: Final = "policies"
EXPANSION: Final = "expansion"
POSITIONS: Final = "positions"
TREES: Final = "trees"
SYMMETRIES: Final = "symmetries"
PLANS: Final = "plans"
NETWORKS: Final = "networks"
STAGES: Final = "stages"
QUANTIFIED: Final = "quantified"
"""Names of the steps: circuits are compiled, playouts made, playouts with weights and counts of moves, positions
expanded, positions evaluated one at a time, evaluations learnt and search trees grown, symmetries and keys of symmetric
positions found, puzzles planned, constraint networks solved, trees of them searched, and quantified ones
solved."""

FOR_PLAYERS: Final = (CIRCUITS, PLAYOUTS, POLICIES, EXPANSION, POSITIONS, TREES, SYMMETRIES, PLANS, NETWORKS, STAGES)
"""What players need before a clock runs."""

Report = Callable[[str, float], None]
"""Told the name of a step that is done, and how many seconds it took."""


def warm(report: Report | None = None, names: Collection[str] | None = None) -> float:
    """Compile the kernels, or load them; return how many seconds it took.

    Args:
        report: Told about each step when it is done.
        names: The steps to make, of `STEPS`; None for all.
    """
    if JIT_DISABLED:
        return 0.0
    began = time.perf_counter()
    for name, step in STEPS.items():
        if names is None or name in names:
            step_began = time.perf_counter()
            for sample in SAMPLES:
                step(_game(sample))
            if report is not None:
                report(name, time.perf_counter() - step_began)
    return time.perf_counter() - began


@cache
def _game(name: str) -> CircuitGame:
    """Return a bundled game; all steps take the same one, so that its circuit is compiled once."""
    return CircuitGame(ground(load_rules(name)))


def _compile_circuits(game: CircuitGame) -> None:
    """Compile the plans for all phases, that for positions of none, and those of playouts with foresight."""
    assert game.circuit.general is not None
    game.foreseeing(2)


def _make_playouts(game: CircuitGame) -> None:
    """Make playouts from one position and from several, in phase with the clock and out of it."""
    start, empty = game.initial_position(), game.position_of(())
    game.playouts([start, start, empty], [1, 1, 1], horizon=2)
    measure(Runner(game.circuit), Trial(1e-6, horizon=2))


def _follow_policies(game: CircuitGame) -> None:
    """Make playouts whose moves have weights and are counted."""
    rows = game.rows([game.initial_position()])
    weights = np.ones(game.program.num_moves, np.int64)
    Runner(game.circuit).run(Batch(rows, np.array([1]), horizon=2, weights=weights, with_moves=True))


def _expand_positions(game: CircuitGame) -> None:
    """Expand positions of all kinds, with many lanes and with few."""
    start, empty = game.initial_position(), game.position_of(())
    expansion = game.expand([start, empty])
    for width in (8, 1):
        Expander(game.circuit, width).expand(expansion.rows, expansion.keys, expansion.legal)


def _evaluate_positions(game: CircuitGame) -> None:
    """Ask everything about a position."""
    start = game.initial_position()
    moves = [game.legal_moves(start, role)[0] for role in range(len(game.roles))]
    after = game.next_position(start, moves)
    for role in range(len(game.roles)):
        game.percepts(start, moves, role)
        game.goal_values(after, role)
    game.is_terminal(game.position_of(game.fluents(after)))


def _grow_trees(game: CircuitGame) -> None:
    """Search in all ways, and collect what is not needed."""
    play = SelfPlay(game)
    play.run(Deadline(None), steps=64)
    by_model = SearchOptions(samples=0, minimax=True, memory=1)
    by_both = SearchOptions(hearing=0.5, favourites=1, memory=1)
    for options in (SearchOptions(memory=1), SearchOptions(memory=1, grave=True, mast=True), by_model, by_both):
        search = TreeSearch(game, options, model=play.model)
        search.set_root(game.initial_position())
        search.run(Deadline(None), 8)
        search.collect()


def _find_symmetric_keys(game: CircuitGame) -> None:
    """Find keys under a group, as large as it need be; whether it is one of the game does not matter here."""
    rows = game.rows([game.initial_position()])
    keys = ExplicitKeys(np.tile(np.arange(game.program.num_fluents), (2, 1)), game.keys)
    keys.keys(rows)
    keys.update(rows, keys.vectors(rows), np.zeros(1, np.int64), rows)
    orbits_of([np.arange(1, dtype=np.int32)], 1)
    if can_find_symmetries():
        find_symmetries(game.program, DetectionOptions(beyond_syntax=False, use_cache=False))


def _make_plans(sample: CircuitGame) -> None:
    """Plan a puzzle by all means, once: the samples are none."""
    if sample is not _game(SAMPLES[0]):
        return
    game = _game(PUZZLE)
    for part in PARTS:
        planner = Planner(game, 0, options=PlanningOptions((part,), memory=1))
        planner.look_at(game.initial_position())
        planner.run(Deadline(0.1))


def _solve_networks(game: CircuitGame) -> None:
    """Solve the first position's network by all means."""
    for strength in Strength:
        NetworkResolver(game.program, strength=strength).resolve(GroundGame(game.program).initial_position())


def _search_stages(game: CircuitGame) -> None:
    """Search in a tree of networks."""
    search = MacUcbSearch(game, make_solver(game, "mac", 60.0))
    search.set_root(game.initial_position())
    search.run(Deadline(None), 20)


def _solve_quantified_networks(_: CircuitGame) -> None:
    """Solve and play a quantified network; that has nothing to do with the game."""
    quantified.warm()


STEPS: Final[dict[str, Callable[[CircuitGame], None]]] = {
    CIRCUITS: _compile_circuits,
    PLAYOUTS: _make_playouts,
    POLICIES: _follow_policies,
    EXPANSION: _expand_positions,
    POSITIONS: _evaluate_positions,
    TREES: _grow_trees,
    SYMMETRIES: _find_symmetric_keys,
    PLANS: _make_plans,
    NETWORKS: _solve_networks,
    STAGES: _search_stages,
    QUANTIFIED: _solve_quantified_networks,
}
"""What is done with each sample to warm up, by name."""
