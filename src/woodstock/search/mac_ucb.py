"""MAC-UCB: a tree of µSCSPs, solved in sequence by MAC, whose feasible solutions UCB samples.

Koriche, Lagrue, Piette and Tabary: General Game Playing with Stochastic CSP, Constraints 21, 2016, section 4 (MAC-UCB,
FC-UCB); the same, JFPC 2015, section 3 (both prunings); Constraint-Based Symmetry Detection in General Game Playing,
IJCAI 2017, sections 2.1 and 5 (values to depth d, MAC-UCB-SYM).

| the papers | here |
|---|---|
| µSCSP_t, instantiated with a position | a stage (`mac_ucb_stages`) |
| resolution by MAC, or FC, with the feasibility constraint c_s (4.2) | `MacUcbSearch._solve`, `mac_ucb_solving` |
| feasible solutions are arms of UCB; each sample is a random playout (4.3) | `MacUcbSearch._sample`, `mac_ucb_bandit` |
| the next µSCSP is instantiated with the best solution (4.3) | `mac_ucb_bandit.descend` |
| θ := r_min of the best policy (4.4) | `MacUcbSearch._raise_threshold` |
| exact and probabilistic pruning (4.4) | `mac_ucb_values` |
| V_i^d(s), Q_i^d(s, a) (IJCAI 2017, equation 2) | `mac_ucb_values` |
| symmetric tuples, Q-value nogoods, hash table (IJCAI 2017, 4.2 and 5) | `mac_ucb_symmetry`, `mac_ucb_linking` |
| shares of the time, 90 : 10 and 45 : 30 : 25 | `mac_ucb_options.Shares` |

One *cycle* makes a batch of descents, solves the µSCSPs where they end, samples their solutions together, and carries
what is learnt up to the root.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from math import isfinite
from typing import Final

import numpy as np

from woodstock.circuit.game import CircuitGame, CircuitPosition
from woodstock.circuit.network import Int64Array
from woodstock.circuit.packing import num_words
from woodstock.circuit.runner import Batch, Runner
from woodstock.common.limits import Deadline
from woodstock.gdl.keywords import RANDOM, goal_number
from woodstock.search.mac_ucb_bandit import SHARES, SOLVE, Rule, descend, make_descents, pull_all, pull_best
from woodstock.search.mac_ucb_linking import Linker
from woodstock.search.mac_ucb_options import MacUcbOptions
from woodstock.search.mac_ucb_solving import Solutions, StageSolver
from woodstock.search.mac_ucb_stages import (
    CHOOSER,
    CLOSED,
    EXACT,
    FIRST_ARM,
    FIRST_OUTCOME,
    FLAGS,
    LEARNT,
    NOTHING,
    NUM_ARMS_USED,
    NUM_DOUBTED,
    NUM_OPTIONS_USED,
    NUM_OUTCOMES_USED,
    NUM_REMOVED,
    NUM_STAGES,
    PENDING,
    SOLVED,
    STATE,
    TERMINAL,
    TWIN,
    arms_of,
    bytes_per_stage,
    keep,
    make_stages,
)
from woodstock.search.mac_ucb_statistics import MacUcbStatistics
from woodstock.search.mac_ucb_symmetry import Learnt, Symmetries, nogoods_of
from woodstock.search.mac_ucb_values import News, learn

LONGEST_PATH: Final = 256
"""Joint moves of a descent."""
PATIENCE: Final = 8
"""A batch of descents ends when so many have collided."""
CYCLE_SECONDS: Final = 0.008
"""How long a cycle should take: so short that the end of the time is noticed, so long that its overhead is small."""
NEAREST: Final = 2
"""Symmetric moves are looked for in the root and in stages so near to it: further down they save little."""
LAST_SHARE: Final = 0.5
"""A cycle should take no more than this share of the time that is left: it may take longer than is thought."""
MOST_DESCENTS: Final = 1024
REPEATED_BATCH: Final = 64
"""Most descents of a batch where iterations count and not the clock."""
LEAST_PLAYOUTS: Final = 1024
"""A round of sampling makes so many, about, if there is time for it: fewer do not fill the lanes of a batch."""
MOST_SAMPLES: Final = 64
"""Playouts through each solution of a new µSCSP, at most, if only the lanes of a batch are to be filled."""
MOST_ROUNDS: Final = 16
"""Rounds of sampling of new stages."""
MOST_PULLS: Final = 1e15
NO_STAGES: Final = np.zeros(0, np.int64)
NO_PULLS: Final = np.zeros(0, np.float64)
KEPT_SHARE: Final = 0.5
"""When memory is full, solutions are forgotten until the tree takes no more than this share of it."""


class MacUcbSearch:
    """A tree of µSCSPs of a game, which grows when it is asked to and is kept from move to move.

    Attributes:
        game: The game.
        options: What the search does.
        statistics: What it did since `set_root`.
        tree: The stages.
        root: The stage of the position that is asked about.
    """

    def __init__(
        self,
        game: CircuitGame,
        solver: StageSolver,
        options: MacUcbOptions | None = None,
        seed: int = 0,
        symmetries: Symmetries | None = None,
    ) -> None:
        """Make a search.

        Args:
            game: The game.
            solver: Solves µSCSPs.
            options: What the search does.
            seed: What its random numbers are made from.
            symmetries: Finds symmetric positions and moves; None for plain MAC-UCB.
        """
        self.game = game
        self.options = options or MacUcbOptions()
        self.statistics = MacUcbStatistics()
        self.root = NOTHING
        self._solver = solver
        self._symmetries = symmetries
        self._runner = Runner(game.circuit)
        program = game.program
        self.chance = program.roles.index(RANDOM) if RANDOM in program.roles else None
        num_roles, words = len(program.roles), num_words(program.num_fluents)
        capacity = int(self.options.memory * 2**20 / bytes_per_stage(num_roles, words))
        self.tree = make_stages(int(np.clip(capacity, 1 << 10, 1 << 27)), num_roles, words)
        self._linker = Linker(self.tree, self.chance)
        self.rule = self._make_rule()
        self._space = np.zeros(num_roles, np.float64)
        self._descents = make_descents(MOST_DESCENTS, LONGEST_PATH)
        self._random = np.random.default_rng(seed)
        self._pace = 1e-4
        self._playout_pace = 1e-6
        self._expected = float(self.options.samples)
        self._examined: set[int] = set()
        self._is_full = False
        self._run_began = 0.0
        self._base = MacUcbStatistics()

    def _make_rule(self) -> Rule:
        program = self.game.program
        best = np.zeros(len(program.roles), np.float64)
        for role, term in zip(program.goals.roles.tolist(), program.goals.terms, strict=True):
            best[role] = max(best[role], (goal_number(term) or 0) / 100)
        options = self.options
        return Rule(
            exploration=float(options.exploration),
            depth=int(options.depth),
            paranoid=bool(options.paranoid),
            enough=float(options.enough),
            threshold=np.zeros(1, np.float64),
            best=best,
        )

    @property
    def is_closed(self) -> bool:
        """Whether nothing more can be learnt about the root."""
        return bool(self.tree.stages[self.root, FLAGS] & CLOSED)

    @property
    def is_exact(self) -> bool:
        """Whether the value of the root is proven."""
        return bool(self.tree.stages[self.root, FLAGS] & EXACT)

    def set_root(self, position: CircuitPosition) -> None:
        """Search from a position from now on; what is known of it is kept, θ begins with 0 again."""
        row, key = position.row, position.key
        shared = key
        if self._symmetries is not None:
            shared = int(self._symmetries.keys(row[None], np.array([key], np.uint64), 0.0)[0])
        self.root = self._linker.table.get(shared, NOTHING)
        if self._is_nearly_full():
            self._collect() if self.root != NOTHING else self._forget_all()
        stage = self.root
        if stage == NOTHING or not np.array_equal(self.tree.rows[stage], row):
            # The root's solutions have to be moves of this very position, not of one that is symmetric to it.
            stage = self._linker.add_stage(row, shared)
        flags = int(self.tree.stages[stage, FLAGS])
        if flags & CLOSED and not flags & (TERMINAL | SOLVED):
            self.tree.stages[stage, FLAGS] = flags & ~(CLOSED | EXACT)  # its solutions were forgotten
        self.root = stage
        self.rule.threshold[0] = 0.0
        self._begin_statistics()

    def _begin_statistics(self) -> None:
        self.statistics = MacUcbStatistics(resolver=self._solver.name)
        self._base = MacUcbStatistics()
        self._count()
        self._base = self.statistics
        self.statistics = MacUcbStatistics(resolver=self._solver.name)

    def _count(self) -> None:
        """Bring what others count into the statistics."""
        statistics, base, sizes = self.statistics, self._base, self.tree.sizes
        statistics.fallbacks = self._solver.fallbacks - base.fallbacks
        statistics.cache_hits = self._linker.num_known - base.cache_hits
        statistics.exact_prunings = int(sizes[NUM_REMOVED]) - base.exact_prunings
        statistics.probable_prunings = int(sizes[NUM_DOUBTED]) - base.probable_prunings
        statistics.threshold = 100 * float(self.rule.threshold[0])
        statistics.stages = statistics.stages_without = int(sizes[NUM_STAGES])
        found = self._symmetries
        if found is not None:
            statistics.symmetry = found.seconds - base.symmetry
            statistics.structures = found.structures - base.structures
            statistics.automorphisms = found.automorphisms - base.automorphisms
            statistics.nogoods = found.nogoods - base.nogoods
            statistics.stages_without = max(len(found.plain_keys), statistics.stages)

    def _elapsed(self) -> float:
        """Return for how long the search has run since `set_root`."""
        return self.statistics.seconds + time.perf_counter() - self._run_began

    def run(self, deadline: Deadline, iterations: int | None = None, report: Callable[[], None] | None = None) -> None:
        """Search until nothing more can be learnt, the time is over, or so many descents have been made.

        Args:
            deadline: When to stop.
            iterations: How many descents to make at most; if there is no end of the time, the clock plays no part then.
            report: Called after each cycle.
        """
        self._run_began = time.perf_counter()
        is_first = not self.tree.stages[self.root, FLAGS] & SOLVED
        while is_first or not deadline.expired:
            if self.is_closed or (iterations is not None and self.statistics.descents >= iterations):
                break
            if iterations is None and not is_first and deadline.seconds_left < self._pace:
                break  # another µSCSP would not be solved in time
            is_first = False
            self._cycle(deadline, iterations)
            if self._is_full or self._is_nearly_full():
                self._collect()
            self._count()
            if report is not None:
                report()
        self.statistics.seconds += time.perf_counter() - self._run_began

    def _cycle(self, deadline: Deadline, iterations: int | None) -> None:
        """Go down to µSCSPs with the best solutions, solve and sample them, and carry up what is learnt."""
        began = time.perf_counter()
        wanted = self._batch_size(deadline, iterations)
        expected = self._expected
        num = descend(self.tree, self.rule, self._descents, self.root, (wanted, PATIENCE), expected)
        chosen = np.flatnonzero(self._descents.kinds[:num] == SOLVE)
        ends = self._descents.ends[chosen].astype(np.int64)
        gained = np.zeros(num, np.float64)
        if len(ends) and self._solve(ends, deadline):
            self._sample(ends, self._descents.lengths[chosen].astype(np.int64), deadline, iterations)
            gained[chosen] = self.tree.pulls[ends]
            self._expected += 0.1 * (float(gained[chosen].mean()) - self._expected)
        self.tree.stages[ends, FLAGS] &= ~PENDING
        self._learn(News(NO_STAGES, NO_STAGES, gained, expected))
        self._raise_threshold()
        self._find_symmetric_moves(deadline, iterations)
        self.statistics.descents += num
        self._pace += 0.2 * ((time.perf_counter() - began) / max(1, num) - self._pace)

    def _batch_size(self, deadline: Deadline, iterations: int | None) -> int:
        """Return how many descents to make: few in a small tree, and not more than there is time for in a cycle."""
        solved = self.statistics.solved
        seconds = min(CYCLE_SECONDS, LAST_SHARE * deadline.seconds_left)
        most = REPEATED_BATCH if iterations is not None else int(seconds / self._pace)
        most = min(most, 1 + solved // 4, MOST_DESCENTS)
        if iterations is not None:
            most = min(most, iterations - self.statistics.descents)
        return max(1, most)

    def _solve(self, ends: Int64Array, deadline: Deadline) -> bool:
        """Solve the µSCSPs of some stages; tell whether there was room for their solutions."""
        began = time.perf_counter()
        seconds = None
        if isfinite(deadline.seconds_left):
            seconds = self.options.shares.solving * deadline.seconds_left / len(ends)
        found = self._solver.solve(self.tree.rows[ends], self.tree.keys[ends], seconds)
        solved = time.perf_counter()
        self.statistics.solving += solved - began
        self.statistics.solved += len(ends)
        self.statistics.solutions += len(found.parent)
        if not self._linker.has_room(found):
            self._is_full = True
            return False
        self._linker.link(ends, found, self._keys(found))
        return True

    def _keys(self, found: Solutions) -> np.ndarray:
        """Return the keys of successors in the hash table."""
        if self._symmetries is None:
            return found.keys
        return self._symmetries.keys(found.rows, found.keys, self._elapsed())

    def _sample(self, ends: Int64Array, depths: Int64Array, deadline: Deadline, iterations: int | None) -> None:
        """Sample the solutions of new stages by UCB1: each of them first, then the best ones as the time allows."""
        tree = self.tree
        first = int(tree.arms[tree.stages[ends[0], FIRST_ARM], FIRST_OUTCOME]) if len(ends) else 0
        wanted = np.zeros(int(tree.sizes[NUM_OUTCOMES_USED]) - first, np.int64)
        fresh = News(ends, depths, NO_PULLS, 0.0)
        if not len(wanted):
            self._learn(fresh)
            return
        pulls = self.options.samples
        if iterations is None:
            pulls = max(pulls, min(MOST_SAMPLES, LEAST_PLAYOUTS // len(wanted)))
        pull_all(tree, ends, pulls, float(self._random.random()), wanted)
        self._play(first, wanted, deadline)
        self._learn(fresh)
        if iterations is not None:
            pull_best(tree, self.rule, ends[:0], 0, wanted)  # with a clock it will be needed, and compiled by then
            return
        for _ in range(MOST_ROUNDS):
            step = self._round_step(len(ends), deadline)
            if step == 0:
                break
            wanted[:] = 0
            pull_best(tree, self.rule, ends, step, wanted)
            if not wanted.any():
                break
            self._play(first, wanted, deadline)
            self._learn(fresh)

    def _learn(self, news: News) -> None:
        learn(self.tree, self.rule, self._descents, news, self._space)

    def _round_step(self, num_stages: int, deadline: Deadline) -> int:
        """Return how many playouts each choice of another round gets; 0 if sampling has had its share of the time."""
        shares = self.options.shares
        owed = self.statistics.solving * shares.sampling / shares.solving - self.statistics.sampling
        seconds = min(owed, CYCLE_SECONDS, LAST_SHARE * deadline.seconds_left)
        playouts = int(seconds / self._playout_pace)
        return 0 if playouts < LEAST_PLAYOUTS else max(1, playouts // (num_stages * SHARES))

    def _play(self, first: int, wanted: Int64Array, deadline: Deadline) -> None:
        """Make the playouts that are wanted from outcomes, counted from the first one; their stages learn from them."""
        tree = self.tree
        began = time.perf_counter()
        chosen = np.flatnonzero(wanted)
        stages, inverse = np.unique(tree.outcome_stage[first + chosen], return_inverse=True)
        if not len(stages):
            return
        counts = np.bincount(inverse.reshape(-1), wanted[chosen]).astype(np.int64)
        seed = int(self._random.integers(1 << 62))
        results = self._runner.run(Batch(tree.rows[stages], counts, seed, self.options.horizon), deadline)
        before = tree.pulls[stages]
        total = np.maximum(before + results.counts, 1)
        sums = tree.values[stages] * before[:, None] + results.goal_sums / 100
        tree.values[stages] = sums / total[:, None]
        tree.pulls[stages] = before + results.counts
        made = int(results.counts.sum())
        spent = time.perf_counter() - began
        self.statistics.sampling += spent
        self.statistics.playouts += made
        if made:
            self._playout_pace += 0.2 * (spent / made - self._playout_pace)

    def _raise_threshold(self) -> None:
        """Let θ be r_min, the least that the best policy so far is expected to bring any player."""
        if not self.tree.stages[self.root, FLAGS] & SOLVED or self.tree.pulls[self.root] <= 0:
            return
        values = self.tree.values[self.root]
        players = [role for role in range(len(values)) if role != self.chance]
        self.rule.threshold[0] = float(values[players].min())

    def _find_symmetric_moves(self, deadline: Deadline, iterations: int | None) -> None:
        """Look for symmetric moves in the stages nearest to the root, if there is time for it."""
        found = self._symmetries
        if found is None:
            return
        passed = self._descents.stages[0, : min(NEAREST, int(self._descents.lengths[0]))].tolist()
        stage = next((stage for stage in passed if stage not in self._examined), None)
        left = deadline.seconds_left if iterations is None else 1e9
        if stage is None or not found.can_look(self._elapsed(), min(left, 1e9)):
            return
        self._examined.add(stage)
        role = int(self.tree.stages[stage, CHOOSER])
        if role < 0:
            return
        arms = arms_of(self.tree, stage)
        options = self.tree.arm_options[arms, role]
        moves = self.tree.option_move[options].astype(np.int64)
        values, pulls = self.tree.arm_values[arms, role], self.tree.arm_pulls[arms]
        nogoods = nogoods_of(values, pulls, float(self.rule.threshold[0]))
        row = self.tree.rows[stage]
        orbits = found.find_orbits(Learnt(row, role, moves, nogoods, self._legal(row)), min(left, 60.0))
        if orbits is not None:
            self._join_arms(arms, moves, orbits)

    def _legal(self, row: np.ndarray) -> list[set[int]]:
        """Return the legal moves of each role in a position, counted over all roles."""
        position = self.game.position(row)
        starts = self.game.program.move_start
        return [
            {int(starts[role]) + self.game.program.moves[role].index(move) for move in legal}
            for role, legal in enumerate(self.game.legal_moves(position, r) for r in range(len(self.game.roles)))
        ]

    def _join_arms(self, arms: slice, moves: Int64Array, orbits: Int64Array) -> None:
        """Let arms whose moves are in one orbit have one value: that of the arm with the least move."""
        tree = self.tree
        number = {move: arms.start + place for place, move in enumerate(moves.tolist())}
        assert self._symmetries is not None
        for arm, least in zip(range(arms.start, arms.stop), orbits.tolist(), strict=True):
            other = number[least]
            twin = int(tree.arms[other, TWIN])
            other = other if twin == NOTHING else twin
            if other != arm and tree.arms[arm, TWIN] == NOTHING and not (tree.arms[arms, TWIN] == arm).any():
                tree.arms[arm, TWIN] = other
                if not self._symmetries.options.proved:
                    tree.arms[arm, STATE] |= LEARNT

    def _is_nearly_full(self) -> bool:
        return self._use() > 0.95

    def _use(self) -> float:
        """Return the share of the memory that is used."""
        tree = self.tree
        return float(
            max(
                tree.sizes[NUM_STAGES] / len(tree.stages),
                tree.sizes[NUM_ARMS_USED] / len(tree.arms),
                tree.sizes[NUM_OUTCOMES_USED] / len(tree.outcome_stage),
                tree.sizes[NUM_OPTIONS_USED] / len(tree.option_move),
            )
        )

    def _forget_all(self) -> None:
        self.tree.sizes[:NUM_REMOVED] = 0
        self._linker.index_again()
        self._examined.clear()

    def _collect(self) -> None:
        """Keep what can be reached from the root, and forget solutions that were hardly pulled until there is room."""
        least = 1.0
        while least < MOST_PULLS:
            self.root = keep(self.tree, self.root, least)
            if self._use() <= KEPT_SHARE:
                break
            least *= 8
        self._linker.index_again()
        self._examined.clear()
        self._is_full = False
        self.statistics.collections += 1
