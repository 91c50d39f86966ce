"""Symmetric tuples: what is known of a position or a move is taken for those that are symmetric to it.

Positions: the keys of the hash table are those that the symmetries of the rules share (`symmetric_keys`), so that one
stage stands for all positions that are symmetric to each other.

Moves of a position: the orbits of the microstructure complement of its one-stage network (IJCAI 2017, section 4.2),
with the Q-value nogoods of the stage, the moves whose expected utility is below the threshold. That graph alone joins
moves of different value; so it is linked to the rules of what follows, which makes it sound (`proved`), or its orbits
are taken for as good as the estimates are, and dropped when values become exact.

Everything here has a share of the time. What turns out not to pay is given up.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from woodstock.circuit.game import CircuitGame
from woodstock.circuit.network import Int32Array, Int64Array
from woodstock.circuit.packing import unpack
from woodstock.circuit.words import WordArray
from woodstock.common.errors import LimitError, UsageError
from woodstock.common.limits import Deadline
from woodstock.ground.program import NO_LOOP
from woodstock.scsp.game_fluents import Encoding
from woodstock.scsp.game_network import GameNetwork
from woodstock.search.clausal_form import clausal_form
from woodstock.search.mac_ucb_solving import can_build
from woodstock.search.tree import Float64Array
from woodstock.search.tree_search import KeysOf
from woodstock.symmetry.microstructure import Microstructure, Stage
from woodstock.symmetry.one_stage import make_stage
from woodstock.symmetry.rule_graph import RuleGraph, rule_graph

LITERAL_SECONDS: Final = 4e-5
"""The first microstructure takes about so long for each literal of the ground rules."""
GROWTH: Final = 2.0
"""The next microstructure may take longer than the longest so far, by this factor."""
TRIES: Final = 16
"""So many microstructures in a row without an orbit of several moves, and no more are made."""
ENOUGH_KEYS: Final = 4096
"""So many keys are found before they are given up because they take too long."""


@dataclass
class SymmetryOptions:
    """What is done about symmetries.

    Attributes:
        share: Of the time of a move.
        keys_of: Keys that symmetric positions share; None if the game has none, or they were not found.
        proved: Whether orbits of moves have to be sound.
        from_network: Whether microstructures come from the network that MAC solves, or from the ground rules.
    """

    share: float
    keys_of: KeysOf | None
    proved: bool = True
    from_network: bool = True


class Learnt(NamedTuple):
    """What UCB has learnt about a stage: the moves of its only chooser, and whether each is a Q-value nogood.

    Attributes:
        row: The packed position.
        role: The chooser.
        moves: Its moves, counted over all roles, shape (n,), int64.
        nogoods: Whether the expected utility of each is below the threshold, shape (n,), bool.
        others: The moves of the other roles, one each, chance's all, as sets by role.
    """

    row: WordArray
    role: int
    moves: Int64Array
    nogoods: np.ndarray
    others: list[set[int]]


class Symmetries:
    """Finds symmetric positions and moves within a share of the time.

    Attributes:
        seconds: How long it took, since the search began.
        automorphisms: How many moves were found to be in an orbit with another one.
        structures: Microstructure complements that were made.
        nogoods: Q-value nogoods that were in them.
        plain_keys: Positions that were met, by their own keys: the stages that there would be without symmetry.
    """

    def __init__(self, game: CircuitGame, options: SymmetryOptions) -> None:
        self.options = options
        self.seconds = 0.0
        self.automorphisms = 0
        self.structures = 0
        self.nogoods = 0
        self.plain_keys: set[int] = set()
        self._game = game
        self._longest = LITERAL_SECONDS * len(game.program.body_data)
        self._idle = 0
        self._num_keys = 0
        self._keys_pay = True

    def keys(self, rows: WordArray, plain: WordArray, elapsed: float) -> WordArray:
        """Return the keys of positions that symmetric ones share, or plain ones if these are there alone.

        Args:
            rows: Packed positions, shape (n, num_words), uint64.
            plain: Their Zobrist keys, shape (n,), uint64.
            elapsed: For how long the search has run; keys that take more than their share of it are given up.
        """
        if self.options.keys_of is None:
            return plain
        self.plain_keys.update(plain.tolist())
        if not self._keys_pay:
            return plain
        began = time.perf_counter()
        found = self.options.keys_of(rows)
        self.seconds += time.perf_counter() - began
        self._num_keys += len(rows)
        if self._num_keys > ENOUGH_KEYS and elapsed > 0:
            self._keys_pay = self.seconds <= self.options.share * elapsed
        return found

    def can_look(self, elapsed: float, left: float) -> bool:
        """Tell whether there is time for another microstructure, and it may be worth it.

        Args:
            elapsed: For how long the search has run.
            left: How much time there is.
        """
        needed = GROWTH * self._longest
        return self._idle < TRIES and self.seconds + needed <= self.options.share * (elapsed + left) and needed <= left

    def find_orbits(self, learnt: Learnt, left: float) -> Int64Array | None:
        """Return the least move of the orbit of each move of a stage; None if nothing is found.

        Args:
            learnt: What is known of the stage.
            left: How much time there is.
        """
        began = time.perf_counter()
        program = self._game.program
        orbits: Int32Array | None = None
        try:
            structure = Microstructure(self._make_stage(learnt))
            values: dict[tuple[int, ...], tuple[float, ...]] = {
                (move,): (float(not nogood),) for move, nogood in zip(*self._named(learnt), strict=True)
            }
            structure.add_values([learnt.role], values)
            if self.options.proved:
                structure.link_rules(self._rules)
            orbits = structure.stage_orbits(program.num_moves, Deadline(left))
        except (LimitError, UsageError):
            self._idle = TRIES
        spent = time.perf_counter() - began
        self.seconds += spent
        self._longest = spent if self.structures == 0 else max(self._longest, spent)
        self.structures += 1
        self.nogoods += int(learnt.nogoods.sum())
        if orbits is None:
            return None
        found = orbits[learnt.moves].astype(np.int64)
        merged = int((found != learnt.moves).sum())
        self.automorphisms += merged
        self._idle = 0 if merged else self._idle + 1
        return found

    @staticmethod
    def _named(learnt: Learnt) -> tuple[list[int], list[bool]]:
        return learnt.moves.tolist(), learnt.nogoods.tolist()

    @cached_property
    def _rules(self) -> RuleGraph:
        return rule_graph(self._game.program)

    @cached_property
    def _network(self) -> GameNetwork:
        return GameNetwork(self._game.program, encoding=Encoding.BOOLEAN)

    def _make_stage(self, learnt: Learnt) -> Stage:
        held = unpack(learnt.row, self._game.program.num_fluents)
        # That atoms of positive loops are derived from something takes more clauses than can be written.
        has_loops = bool((self._game.program.atom_loop != NO_LOOP).any())
        if self.options.from_network and not has_loops and can_build(self._game, self.options.share):
            position = tuple(np.flatnonzero(held).tolist())
            return clausal_form(self._network, position, learnt.others)
        return make_stage(self._game.program, held)


def nogoods_of(values: Float64Array, pulls: Float64Array, threshold: float) -> np.ndarray:
    """Return which solutions UCB predicts to be below the threshold, shape (n,), bool; unpulled ones are not."""
    found: np.ndarray = (values < threshold) & (pulls > 0)
    return found
