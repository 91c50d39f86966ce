"""Best-first search on a circuit: many descents at once, expanded in one pass, sampled in one batch of playouts.

One *cycle* makes a batch of descents through the tree. The nodes where they end are expanded together, the new children
are sampled together, each by a few playouts, and what is learnt is carried up. Several threads make cycles side by
side: the tree is locked while descents are made and carried up, not while positions are expanded and sampled, which is
where the time goes.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

import numpy as np

from woodstock.circuit.expansion import Expander
from woodstock.circuit.game import CircuitGame, CircuitPosition
from woodstock.circuit.network import Int32Array, Int64Array
from woodstock.circuit.packing import num_words
from woodstock.circuit.runner import Batch, PlayoutResults, Runner
from woodstock.circuit.words import WordArray
from woodstock.circuit.zobrist import find_keys
from woodstock.common.errors import UsageError
from woodstock.common.limits import Deadline
from woodstock.common.threads import PinnedThreads
from woodstock.gdl.keywords import RANDOM, goal_number
from woodstock.search.amaf import make_tables
from woodstock.search.backup import back_up, record_samples
from woodstock.search.collection import collect, forget_all
from woodstock.search.evaluation import Model, evaluate
from woodstock.search.growth import children_of, keep_favourites, link_children, open_nodes
from woodstock.search.mast import MoveAverages
from woodstock.search.options import SearchOptions, SearchStatistics
from woodstock.search.selection import GRAVE, UCB, Policy, select
from woodstock.search.tables import add_playouts
from woodstock.search.tree import (
    EXPANDED,
    FLAGS,
    NO_NODE,
    NUM_ACTIONS_USED,
    NUM_CHILDREN_USED,
    NUM_LINKED,
    NUM_NODES,
    NUM_TURNED,
    PROVEN,
    TERMINAL,
    VISITS,
    add_node,
    bytes_per_node,
    find_node,
    find_twin,
    make_tree,
)
from woodstock.search.workspace import Workspace

KeysOf = Callable[[WordArray], WordArray]
"""Finds the keys of packed positions: shape (n, num_words) gives shape (n,), both uint64."""

PATIENCE: Final = 8
"""A batch ends when so many descents have collided."""
CYCLE_SECONDS: Final = 0.004
"""How long a cycle should take: so short that the end of the time is noticed, so long that its overhead is small."""
LEAST_PLAYOUTS: Final = 1024
"""A cycle makes at least so many, about, whatever time they take: fewer do not fill the lanes of a batch."""
MAX_DESCENTS: Final = 4096
TABLE_SHARE: Final = 0.5
"""Of the memory, for tables of moves, if there are any."""
ENOUGH_LINKED: Final = 4096
"""So many children are looked at before symmetries are given up because they do not pay."""
COLLECTION_SECONDS: Final = 4e-6
"""For each node: a collection takes a half of that on a busy machine."""
MOST_ROUNDS: Final = 24
KEPT_SHARE: Final = 0.5
"""When memory is full, visits are forgotten until the tree takes no more than this share of it."""
NEW_SHARE: Final = 0.5
"""When it is full and there is no time for that, a search from a new root starts over, unless so much of the tree is
its own: then it has done what it can."""


class TreeSearch:
    """A search tree of a game, which grows when it is asked to and is kept from move to move."""

    def __init__(
        self,
        game: CircuitGame,
        options: SearchOptions | None = None,
        seed: int = 0,
        keys_of: KeysOf | None = None,
        model: Model | None = None,
    ) -> None:
        """Make a search.

        Args:
            game: The game.
            options: What the search does.
            seed: What its random numbers are made from.
            keys_of: Finds keys that positions share if they are symmetric to each other: these have one node then.
            model: What positions are worth by themselves; it is heard if there are no playouts, or beside them.
        """
        self.game = game
        self.model = model
        if options is not None and options.samples == 0 and model is None:
            raise UsageError("samples must be 1 or more, found 0: an evaluation is needed to do without playouts")
        if options is not None and options.hearing > 0 and model is None:
            raise UsageError(f"hearing must be 0, found {options.hearing}: there is no evaluation to hear")
        self._keys_of = keys_of
        self.options = options or SearchOptions()
        self.statistics = SearchStatistics()
        program = game.program
        self._runner = Runner(game.foreseeing(self.options.foresight) or game.circuit)
        self._expander = Expander(game.circuit)
        self.policy = self._make_policy()
        self._num_roles = len(program.roles)
        self._num_words = num_words(program.num_fluents)
        share = 1 - TABLE_SHARE if self.options.grave else 1.0
        memory = self.options.memory * 2**20
        num_judged = self._num_roles if self.options.hearing > 0 else 0
        capacity = int(share * memory / bytes_per_node(self._num_roles, self._num_words, num_judged))
        num_nodes = int(np.clip(capacity, 1 << 10, 1 << 27))
        self.tree = make_tree(num_nodes, self._num_roles, self._num_words, num_judged)
        num_tables = int(TABLE_SHARE * memory / (8 * program.num_moves + 4)) if self.options.grave else 0
        self.tables = make_tables(min(num_tables, capacity), program.num_moves)
        self.root = NO_NODE
        self._averages = None
        if self.options.mast:
            self._averages = MoveAverages(self.policy.move_start, self.options.temperature, self.policy.nature)
        self._random = np.array([(seed & 0xFFFFFFFFFFFF) * 2 + 1], np.uint64)
        self._seed = seed
        self._batches = 0
        self._pace = 1e-5
        self._lock = threading.Lock()
        self._in_flight = 0
        self._is_full = False
        self._num_old = 0
        self._symmetry_pays = True

    def _make_policy(self) -> Policy:
        program = self.game.program
        best = np.zeros(len(program.roles), np.float64)
        for role, term in zip(program.goals.roles.tolist(), program.goals.terms, strict=True):
            best[role] = max(best[role], (goal_number(term) or 0) / 100)
        return Policy(
            rule=GRAVE if self.options.grave else UCB,
            exploration=float(self.options.exploration),
            bias=float(self.options.bias),
            enough=float(self.options.enough),
            samples=int(self.options.samples),
            minimax=bool(self.options.minimax),
            doubt=float(self.options.doubt),
            merges=self._keys_of is not None,
            mixing=float(self.options.mixing),
            nature=program.roles.index(RANDOM) if RANDOM in program.roles else -1,
            hearing=float(self.options.hearing),
            favourites=int(self.options.favourites),
            trust=float(self.options.trust),
            advantages=np.zeros(program.num_moves),
            times_seen=np.zeros(program.num_moves),
            best=best,
            move_start=np.asarray(program.move_start, np.int64),
        )

    @property
    def num_nodes(self) -> int:
        """Nodes of the tree."""
        return int(self.tree.sizes[NUM_NODES])

    @property
    def is_proven(self) -> bool:
        """Whether the value of the root is exact."""
        return bool(self.tree.nodes[self.root, FLAGS] & PROVEN)

    def set_root(self, position: CircuitPosition) -> None:
        """Search from a position from now on; what is known of it is kept."""
        row = position.row
        keys = [np.uint64(position.key)]
        if self._keys_of is not None:
            keys.insert(0, self._keys_of(row[None])[0])  # plain keys are used, too, once symmetries do not pay
        found = [find_node(self.tree, key, row) for key in keys]
        node = max(found)
        if node == NO_NODE:
            # A position that is symmetric to one in the tree has children there, too.
            if find_twin(self.tree, keys[0]) == NO_NODE or self._is_nearly_full():
                self.clear()
            node = add_node(self.tree, keys[0], row)
        flags = int(self.tree.nodes[node, FLAGS])
        if flags & PROVEN and not flags & (TERMINAL | EXPANDED):
            # Its children were forgotten: the move that keeps the value has to be found again.
            self.tree.nodes[node, FLAGS] = flags & ~PROVEN
        if node != self.root:
            self._num_old = self.num_nodes
        self.root = node
        self.statistics = SearchStatistics()

    def clear(self) -> None:
        """Forget everything."""
        forget_all(self.tree)
        self._num_old = 0
        self._is_full = False

    def run(
        self,
        deadline: Deadline,
        iterations: int | None = None,
        report: Callable[[], None] | None = None,
    ) -> None:
        """Search until the value of the root is proven, the time is over, or so many descents have been made.

        Args:
            deadline: When to stop.
            iterations: How many descents to make at most.
            report: Called now and then; nothing else happens to the tree meanwhile.
        """
        began = time.perf_counter()
        if self.options.threads == 1:
            self._make_cycles(deadline, iterations, report)
        else:
            with PinnedThreads(self.options.threads) as threads:
                tasks = range(self.options.threads)
                threads.map(lambda task: self._make_cycles(deadline, iterations, None if task else report), tasks)
        self.statistics.seconds += time.perf_counter() - began

    def _make_cycles(self, deadline: Deadline, iterations: int | None, report: Callable[[], None] | None) -> None:
        """Make cycles until it is time to stop."""
        workspace = Workspace(self._num_roles, self._num_words)
        is_first = self.statistics.descents == 0
        began = time.perf_counter()
        while is_first or not deadline.expired:
            if self.is_proven or (iterations is not None and self.statistics.descents >= iterations):
                break
            if self._is_full and self._is_new and not self._can_collect(deadline):
                break  # there is no time for a collection, and no room to go on
            is_first = False
            if not self._cycle(workspace, deadline, iterations):
                time.sleep(0.0005)  # other threads hold the nodes that this one wants, or the memory
            if self._symmetry_pays and self._keys_of is not None:
                with self._lock:
                    self._judge_symmetry(began)
            if report is not None:
                with self._lock:
                    report()

    def _cycle(self, workspace: Workspace, deadline: Deadline, iterations: int | None) -> bool:
        """Make one batch of descents; tell whether there was anything to do."""
        began = time.perf_counter()
        with self._lock:
            if self._is_full and not self._make_room(deadline):
                return False
            wanted = self._batch_size(iterations)
            workspace.reserve(wanted)
            limits = (self.root, wanted, PATIENCE)
            num = select(self.tree, self.tables, self.policy, workspace.paths, limits, self._random)
            if num == 0:
                return False
            self._in_flight += 1
            self._batches += 1
            stream = self._batches
            requests, rows, keys = workspace.list_requests(self.tree, num)
        num_visits, playouts = 0, 0
        if len(requests):
            num_visits, playouts = self._grow(workspace, (requests, rows, keys), stream, deadline)
        with self._lock:
            back_up(self.tree, self.policy, workspace.paths, num, workspace.sample)
            self._in_flight -= 1
            self.statistics.descents += num
            self.statistics.visits += num_visits
            self.statistics.playouts += playouts
            pace = (time.perf_counter() - began) / num
            self._pace += 0.2 * (pace - self._pace)
        return True

    def _batch_size(self, iterations: int | None) -> int:
        """Return how many descents the next batch makes: few in a small tree, and not more than there is time for."""
        most = self.options.descents
        if most is None:
            visits = int(self.tree.nodes[self.root, VISITS])
            done = self.statistics
            playouts = done.playouts + self.options.samples
            least = LEAST_PLAYOUTS * (done.descents + 1) // playouts if playouts else 1
            most = 256 if iterations is not None else max(least, int(CYCLE_SECONDS / self._pace))
            most = min(most, 1 + visits // 4)
        if iterations is not None:
            most = min(most, iterations - self.statistics.descents)
        return max(1, min(most, MAX_DESCENTS))

    def _grow(
        self,
        workspace: Workspace,
        wanted: tuple[Int32Array, WordArray, WordArray],
        stream: int,
        deadline: Deadline,
    ) -> tuple[int, int]:
        """Expand and sample what descents asked for; return the number of nodes sampled and of playouts."""
        requests, rows, keys = wanted
        legal = self._expander.look(rows).legal
        with self._lock:
            use = (self.options.spread, self._random)
            if not open_nodes(self.tree, self.tables, self.policy, workspace.paths, (requests, legal), use):
                self._is_full = True
        expansion = self._expander.expand(rows, keys, legal)
        made = children_of(expansion)
        if self._keys_of is not None:
            made = made._replace(keys=self._find_keys(made.rows))
        fresh = workspace.make_fresh(len(made.parent))
        with self._lock:
            num = link_children(self.tree, self.policy, workspace.paths, requests, made, fresh)
            self._is_full |= self._is_nearly_full()
            if self.model is not None and (self.options.samples == 0 or self.options.hearing > 0):
                evaluate(self.tree, self.model, fresh.nodes[:num], rows, made.parent[fresh.child[:num]])
            if self.options.favourites > 0:
                num = keep_favourites(self.tree, self.policy, workspace.paths, fresh, num)
            nodes = fresh.nodes[:num]
            sampled = made.rows[fresh.child[:num]]
            counts = np.full(num, self.options.samples, np.int64)
        if num == 0 or self.options.samples == 0:
            return num, 0
        results = self._sample(sampled, counts, stream, deadline)
        with self._lock:
            record_samples(self.tree, nodes, results.counts, results.goal_sums)
            if self._averages is not None:
                self._averages.add(results)
            if self.options.grave:
                moves = made.moves[fresh.child[:num]]
                add_playouts(
                    self.tree,
                    self.tables,
                    self.policy,
                    workspace.paths,
                    (nodes, fresh.descents[:num], moves),
                    (results.counts, results.goal_sums, results.move_visits, results.move_rewards),
                )
        return num, int(results.counts.sum())

    def _find_keys(self, rows: WordArray) -> WordArray:
        """Return the keys that symmetric positions share, or plain ones once that has turned out not to pay."""
        if self._keys_of is None or not self._symmetry_pays:
            keys = np.empty(len(rows), np.uint64)
            find_keys(self.game.keys, rows, keys)
            return keys
        began = time.perf_counter()
        keys = self._keys_of(rows)
        with self._lock:
            self.statistics.symmetry_seconds += time.perf_counter() - began
        return keys

    def _judge_symmetry(self, began: float) -> None:
        """Do without symmetries if they take a greater share of the time than of the nodes."""
        linked, turned = int(self.tree.sizes[NUM_LINKED]), int(self.tree.sizes[NUM_TURNED])
        self.tree.sizes[NUM_LINKED] = self.tree.sizes[NUM_TURNED] = 0
        self.statistics.linked += linked
        self.statistics.merged += turned
        if self.statistics.linked >= ENOUGH_LINKED:
            spent = self.statistics.symmetry_seconds / (self.statistics.seconds + time.perf_counter() - began)
            self._symmetry_pays = spent <= self.statistics.merged / self.statistics.linked

    def _sample(self, rows: WordArray, counts: Int64Array, stream: int, deadline: Deadline) -> PlayoutResults:
        """Make playouts."""
        averages = self._averages
        batch = Batch(
            rows,
            counts,
            seed=hash((self._seed, stream)) & 0x7FFFFFFFFFFFFFFF,
            horizon=self.options.horizon,
            weights=None if averages is None else averages.weights,
            with_moves=averages is not None or self.options.grave,
        )
        return self._runner.run(batch, deadline)

    def _is_nearly_full(self) -> bool:
        """Tell whether another batch may find no room."""
        sizes, tree = self.tree.sizes, self.tree
        return bool(
            sizes[NUM_NODES] > 0.95 * len(tree.nodes)
            or sizes[NUM_ACTIONS_USED] > 0.95 * len(tree.actions)
            or sizes[NUM_CHILDREN_USED] > 0.95 * len(tree.children)
        )

    def _can_collect(self, deadline: Deadline) -> bool:
        """Tell whether there is time for a collection."""
        return deadline.seconds_left >= COLLECTION_SECONDS * self.num_nodes

    @property
    def _is_new(self) -> bool:
        """Whether most of the tree was made since there is this root."""
        return self.num_nodes - self._num_old >= NEW_SHARE * self.num_nodes

    def _make_room(self, deadline: Deadline) -> bool:
        """Forget what is not needed; tell whether that was possible, which it is not while other threads work."""
        if self._in_flight:
            return False
        if self._can_collect(deadline):
            self.collect()
        else:
            row, key = self.tree.rows[self.root].copy(), self.tree.keys[self.root]
            self.clear()
            self.root = add_node(self.tree, key, row)
        return True

    def collect(self) -> None:
        """Remove what cannot be reached from the root, and forget what was hardly visited until there is room."""
        place = np.empty(self.num_nodes, np.int32)
        most = KEPT_SHARE * len(self.tree.nodes)
        for _ in range(MOST_ROUNDS):
            self.root = collect(self.tree, self.tables, self.root, int(most), place)
            if self._use() <= KEPT_SHARE:
                break
            most /= 2  # nodes have more actions or children than there is room for
        self.statistics.collections += 1
        self._num_old = self.num_nodes
        self._is_full = False

    def _use(self) -> float:
        """Return the share of the memory that is used."""
        sizes, tree = self.tree.sizes, self.tree
        return float(
            max(
                sizes[NUM_NODES] / len(tree.nodes),
                sizes[NUM_ACTIONS_USED] / len(tree.actions),
                sizes[NUM_CHILDREN_USED] / len(tree.children),
            )
        )
