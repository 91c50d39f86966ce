"""Solving µSCSPs for the tree: by MAC or FC on the constraint network, or on the circuit.

The networks are those of `woodstock.scsp`; what is beyond them, whether a successor is terminal and its goals, is
looked up on the circuit. All solvers give the same solutions in the same order. A µSCSP that is not solved within its
time is solved on the circuit instead, and counted.
"""

from __future__ import annotations

from typing import Final, NamedTuple, Protocol

import numpy as np

from woodstock.circuit.expansion import Expander
from woodstock.circuit.game import CircuitGame
from woodstock.circuit.network import BoolArray, Int32Array
from woodstock.circuit.packing import num_words, pack, unpack
from woodstock.circuit.words import WordArray
from woodstock.circuit.zobrist import find_keys
from woodstock.common.errors import UsageError
from woodstock.common.limits import Limits
from woodstock.cp.orders import Strength
from woodstock.gdl.keywords import RANDOM
from woodstock.scsp.resolver import NetworkResolver, Resolution, Resolver
from woodstock.search.tree import Float64Array

MOST_SOLUTIONS: Final = 20_000
"""Of more joint moves than that of a position, only the first are taken."""
LITERAL_SECONDS: Final = 3e-5
"""A network takes no longer to build than that for each literal of the ground rules; see `can_build`."""
SHORTEST: Final = 1e-3
"""Seconds that a network may take in any case."""


class Solutions(NamedTuple):
    """The solutions of some µSCSPs, one after the other, each in the order of its joint moves.

    Attributes:
        parent: Which µSCSP each belongs to, shape (n,), int32.
        moves: The moves, counted over all roles, shape (n, num_roles), int32.
        shares: How likely chance makes its move, shape (n,), float64.
        rows: The packed position that it leads to, shape (n, num_words), uint64.
        keys: Its Zobrist key, shape (n,), uint64.
        terminal: Whether the match is over there, shape (n,), bool.
        utilities: Its goals, divided by 100, shape (n, num_roles), float64.
        is_complete: Whether all solutions of each µSCSP are there, shape (num_stages,), bool.
    """

    parent: Int32Array
    moves: Int32Array
    shares: Float64Array
    rows: WordArray
    keys: WordArray
    terminal: BoolArray
    utilities: Float64Array
    is_complete: BoolArray


class StageSolver(Protocol):
    """Solves the µSCSPs of many positions.

    Attributes:
        name: How it solves them.
        fallbacks: How many the circuit had to solve instead.
    """

    name: str
    fallbacks: int

    def solve(self, rows: WordArray, keys: WordArray, seconds: float | None) -> Solutions:
        """Solve the µSCSPs of packed positions.

        Args:
            rows: Packed positions where the match is not over, shape (n, num_words), uint64.
            keys: Their Zobrist keys, or any other numbers if they are not known, shape (n,), uint64.
            seconds: How long each may take; None for as long as it likes.
        """


class CircuitSolver:
    """Solves µSCSPs on the circuit, all at once."""

    def __init__(self, game: CircuitGame) -> None:
        self.name = "circuit"
        self.fallbacks = 0
        self.game = game
        self.expander = Expander(game.circuit)
        roles = game.program.roles
        self._chance = roles.index(RANDOM) if RANDOM in roles else None

    def solve(self, rows: WordArray, keys: WordArray, seconds: float | None) -> Solutions:
        found = self.expander.expand(rows, max_children=MOST_SOLUTIONS * len(rows))
        is_complete = np.arange(len(rows)) < found.num_expanded
        if not found.finished and len(rows) > 1:
            parts = [self.solve(rows[number : number + 1], keys[:1], seconds) for number in range(len(rows))]
            return _join(parts)
        shares = np.ones(len(found.parent), np.float64)
        if self._chance is not None:
            shares = _even_shares(found.parent, found.moves[:, self._chance], len(rows))
        utilities = np.maximum(found.goals, 0) / 100.0
        return Solutions(
            found.parent, found.moves, shares, found.rows, found.keys, found.terminal, utilities, is_complete
        )


class NetworkSolver:
    """Solves µSCSPs one at a time by a `Resolver`, such as MAC or FC on the network of a stage."""

    def __init__(self, game: CircuitGame, resolver: Resolver, name: str) -> None:
        self.name = name
        self.fallbacks = 0
        self.resolver = resolver
        self._game = game
        self._circuit = CircuitSolver(game)

    def solve(self, rows: WordArray, keys: WordArray, seconds: float | None) -> Solutions:
        program = self._game.program
        held = unpack(rows, program.num_fluents)
        found = [self._resolve(held[number], rows[number], seconds) for number in range(len(rows))]
        parent = np.repeat(np.arange(len(rows), dtype=np.int32), [len(each.moves) for each in found])
        successors = pack(np.concatenate([each.successors for each in found])).reshape(
            len(parent), num_words(program.num_fluents)
        )
        new_keys = np.empty(len(parent), np.uint64)
        find_keys(self._game.keys, successors, new_keys)
        look = self._circuit.expander.look(successors)
        return Solutions(
            parent,
            np.concatenate([each.moves for each in found]),
            np.concatenate([each.probabilities for each in found]),
            successors,
            new_keys,
            look.terminal,
            np.maximum(look.goals, 0) / 100.0,
            np.array([each.is_complete for each in found], np.bool_),
        )

    def _resolve(self, held: BoolArray, row: WordArray, seconds: float | None) -> Resolution:
        """Solve one µSCSP, on the circuit if the resolver does not come to an end, or does not know such positions."""
        limits = None if seconds is None else Limits(seconds=max(SHORTEST, seconds))
        try:
            found = self.resolver.resolve(tuple(np.flatnonzero(held).tolist()), limits)
        except UsageError:
            found = None
        if found is not None and found.is_complete and len(found.moves) <= MOST_SOLUTIONS:
            return found
        self.fallbacks += 1
        made = self._circuit.solve(row[None], np.zeros(1, np.uint64), None)
        num_fluents = self._game.program.num_fluents
        return Resolution(made.moves, unpack(made.rows, num_fluents), made.shares, bool(made.is_complete[0]))


def can_build(game: CircuitGame, seconds: float) -> bool:
    """Tell whether the network of a game should be ready within so many seconds, by the size of its rules."""
    return LITERAL_SECONDS * len(game.program.body_data) <= seconds


def make_solver(game: CircuitGame, name: str, seconds: float) -> StageSolver:
    """Return a solver: `mac`, `fc` or `circuit`, and the circuit as well if there is no time to build a network.

    Raises:
        UsageError: There is no such solver.
    """
    if name not in ("mac", "fc", "circuit"):
        raise UsageError(f"expected the resolver mac, fc or circuit, found {name!r}")
    if name == "circuit":
        return CircuitSolver(game)
    if not can_build(game, seconds):
        solver = CircuitSolver(game)
        solver.name = f"circuit (no time for {name})"
        return solver
    strength = Strength.MAC if name == "mac" else Strength.FC
    return NetworkSolver(game, NetworkResolver(game.program, strength=strength), name)


def _even_shares(parent: Int32Array, drawn: Int32Array, num: int) -> Float64Array:
    """Return how likely what chance does in each joint move is, all that it may do in a position being alike."""
    pairs = np.unique(np.stack([parent, drawn], axis=1), axis=0)
    found: Float64Array = (1.0 / np.maximum(np.bincount(pairs[:, 0], minlength=num), 1))[parent]
    return found


def _join(parts: list[Solutions]) -> Solutions:
    """Return solutions of one µSCSP each as those of several."""
    parent = np.concatenate([np.full(len(part.parent), number, np.int32) for number, part in enumerate(parts)])
    return Solutions(parent, *(np.concatenate(each) for each in list(zip(*parts, strict=True))[1:]))
