"""Best-first search of any game, one descent and one playout at a time.

It is for games that have no circuit, and the plain twin of `woodstock.search.tree_search`: the same tree, the same
choices and the same proofs, in objects instead of arrays. A descent ends at a position that is new, which gets a node
and one playout. The reasoner may be slow, so the clock is looked at in every step of a playout: one that takes too much
of the time is cut, and a descent that is broken off at the end of the time leaves no trace.

Of the `SearchOptions`, those about batches and threads mean nothing here: `spread`, `doubt`, `descents`, `threads`. And
`samples` only says what `exploration` is meant for: see `PlainSearch`.

>>> from woodstock.common.limits import Deadline
>>> from woodstock.game.load import load_rules
>>> from woodstock.game.reference import ReferenceGame
>>> game = ReferenceGame(load_rules("nim"))
>>> search = PlainSearch(game)
>>> search.set_root(game.position_of([("heap", "a", "1"), ("heap", "b", "3"), ("turn", "first")]))
>>> search.run(Deadline(None), iterations=1000)
>>> search.is_proven, search.explain(0).move
(True, ('take', 'b', '2'))
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from math import inf, sqrt
from random import Random
from typing import Any, Final, Generic, TypeVar

from woodstock.common.errors import UsageError
from woodstock.common.limits import Deadline
from woodstock.game.protocol import Game
from woodstock.gdl.keywords import RANDOM
from woodstock.search.explanation import Explanation
from woodstock.search.options import SearchOptions, SearchStatistics
from woodstock.search.plain_advice import advise
from woodstock.search.plain_backup import back_up
from woodstock.search.plain_playouts import Outcome, Playouts, greatest_utilities, utilities
from woodstock.search.plain_tree import Node, Picks, PlainPolicy, RoleMove, Table
from woodstock.search.tree_search import KEPT_SHARE, TABLE_SHARE
from woodstock.search.workspace import LONGEST_PATH

P = TypeVar("P")

NODE_BYTES: Final = 600
"""What a node takes, besides its position."""
ACTION_BYTES: Final = 200
"""What an action takes, with its move and its child's place."""
ENTRY_BYTES: Final = 300
"""What an entry of a table of moves takes."""

LEAST_PLAYOUTS: Final = 4
"""So many playouts there should be time for: where one takes longer it is cut."""
SHORT: Final = 0.1
"""A run of fewer seconds is a slice of a longer one, perhaps: playouts are not cut for its sake."""

Path = list[tuple[Node[P], Picks]]


class PlainSearch(Generic[P]):
    """A search tree of a game, which grows when it is asked to and is kept from move to move.

    Attributes:
        game: The game.
        options: What the search does.
        statistics: What it did since the root was set.
    """

    def __init__(self, game: Game[P], options: SearchOptions | None = None, seed: int = 0) -> None:
        self.game = game
        self.options = options or SearchOptions()
        self.statistics = SearchStatistics()
        self.policy = PlainPolicy(
            self.options,
            # The confidence is meant for means of `samples` playouts; that of a single one is so much wider.
            exploration=self.options.exploration * sqrt(self.options.samples),
            nature=game.roles.index(RANDOM) if RANDOM in game.roles else -1,
            best=greatest_utilities(game),
            random=Random(seed),
        )
        self._seed = seed
        self._num_roots = 0
        self._playouts = Playouts(game, self.policy)
        memory = self.options.memory * 2**20
        self._table_room = TABLE_SHARE * memory if self.options.grave else 0.0
        self._room = memory - self._table_room
        self._root: Node[P] | None = None
        self._patience: float | None = None
        self.clear()

    @property
    def num_nodes(self) -> int:
        """Nodes of the tree."""
        return len(self._nodes)

    @property
    def root(self) -> Node[P]:
        """The node that is searched from.

        Raises:
            UsageError: No root was set.
        """
        if self._root is None:
            raise UsageError("a search needs a position to start from: call set_root first")
        return self._root

    @property
    def is_proven(self) -> bool:
        """Whether the value of the root is exact."""
        return self._root is not None and self._root.is_proven

    def set_root(self, position: P) -> None:
        """Search from a position from now on; what is known of it is kept."""
        if position not in self._nodes:
            self.clear()
        node = self._nodes.get(position) or self._add_node(position)
        if node.is_proven and not node.is_terminal and node.legal is None:
            # Its children were forgotten: the move that keeps the value has to be found again.
            node.is_proven = False
        self._root = node
        self._num_roots += 1
        self.statistics = SearchStatistics()

    def clear(self) -> None:
        """Forget everything but how well moves did in playouts."""
        self._nodes: dict[P, Node[P]] = {}
        self._root = None
        self._bytes = 0
        self._table_bytes = 0

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
            report: Called after every descent.
        """
        began = time.perf_counter()
        root, statistics = self.root, self.statistics
        seconds = deadline.seconds_left
        self._patience = seconds / LEAST_PLAYOUTS if SHORT <= seconds < inf else None
        if not root.visits and self.game.is_terminal(root.position):
            root.end(utilities(self.game, root.position))
        while not root.is_proven and not deadline.expired:
            if iterations is not None and statistics.descents >= iterations:
                break
            if self._bytes > self._room:
                self._make_room()
            if self._descend(deadline):
                statistics.descents += 1
            if report is not None:
                report()
        statistics.seconds += time.perf_counter() - began

    def explain(self, role: int) -> Explanation | None:
        """Return what is known of the moves of a role at the root, the chosen one first; None if it has no move.

        Where others choose at the same time the choice is drawn: asked twice, without a descent between, it is the
        same.
        """
        draw = Random(f"{self._seed} {self._num_roots} {self.statistics.descents} {role}")
        root = self.root
        legal = self.game.legal_moves(root.position, role) if root.legal is None else root.legal[role]
        facts: dict[str, float | int | str] = {
            "seconds": self.statistics.seconds,
            "nodes": self.num_nodes,
            "descents": self.statistics.descents,
            "visits": self.statistics.visits,
            "playouts": self.statistics.playouts,
        }
        if root.is_proven:
            facts["proven in"] = root.distance
        found = advise(self.policy, root, role, legal, draw)
        if found is None:
            return None
        candidates, line = found
        return Explanation(self.game.roles[role], candidates, line, self.game.roles, facts)

    def _descend(self, deadline: Deadline) -> bool:
        """Make a descent and carry up what is learnt; False if it was broken off."""
        node = self.root
        path: Path[P] = []
        met = set()
        table: Table | None = None
        outcome: Outcome | None = None
        while not node.is_proven:
            if not node.visits and path:
                outcome = self._playouts.play(node.position, deadline, self._patience)
                if outcome is None:
                    return False
                node.visits = 1
                node.values = list(outcome.utilities)
                self.statistics.visits += 1
                self.statistics.playouts += 1
                break
            if id(node) in met or len(path) == LONGEST_PATH:
                break
            met.add(id(node))
            if node.legal is None and not self._expand(node, deadline):
                return False
            if node.is_terminal:
                break
            table = self.policy.table_for(node, table)
            picks = self.policy.choose(node, table)
            path.append((node, picks))
            if picks not in node.children:
                if deadline.expired:
                    return False
                node.children[picks] = self._visit(self.game.next_position(node.position, node.joint_move(picks)))
            node = node.children[picks]
        if outcome is not None and self.options.grave:
            self._note_moves(path, outcome)
        back_up(self.policy, path, list(node.values))
        return True

    def _expand(self, node: Node[P], deadline: Deadline) -> bool:
        """Give a node its actions; False if the time is over."""
        legal = []
        for role in range(len(self.game.roles)):
            if deadline.expired:
                return False
            legal.append(self.game.legal_moves(node.position, role))
        if not all(legal):
            node.end(utilities(self.game, node.position))
            return True
        node.open(tuple(legal), self.policy.nature)
        self._bytes += ACTION_BYTES * sum(map(len, node.actions))
        if self._table_bytes < self._table_room:
            node.table = Table()
        return True

    def _visit(self, position: P) -> Node[P]:
        """Return the node of a position, a new one if there is none."""
        node = self._nodes.get(position)
        if node is None:
            node = self._add_node(position)
            if self.game.is_terminal(position):
                node.end(utilities(self.game, position))
        return node

    def _add_node(self, position: P) -> Node[P]:
        node = Node(position, len(self.game.roles))
        self._nodes[position] = node
        self._bytes += NODE_BYTES + bytes_of(position)
        return node

    def _note_moves(self, path: Path[P], outcome: Outcome) -> None:
        """Let the tables on the path learn which moves were made, in the playout and on the way to it."""
        made: set[RoleMove] = set(outcome.made)
        for node, picks in reversed(path):
            for role, actions, pick in zip(node.roles, node.actions, picks, strict=True):
                if role != self.policy.nature:
                    made.add((role, actions[pick].move))
            if node.table is not None:
                self._table_bytes += ENTRY_BYTES * node.table.add(made, outcome.utilities)

    def _make_room(self) -> None:
        """Forget what cannot be reached any more, and what was hardly visited, until enough memory is free."""
        least = 2
        self._collect(least)
        while self._bytes > KEPT_SHARE * self._room and len(self._nodes) > 1 and least < 1 << 24:
            least *= 2
            self._collect(least)
        self.statistics.collections += 1

    def _collect(self, least: int) -> None:
        """Keep what can be reached from the root; nodes that are proven, or have fewer visits, lose their children."""
        kept = {self.root.position: self.root}
        queue = [self.root]
        self._bytes = self._table_bytes = 0
        for node in queue:
            if (node.visits < least or node.is_proven) and node is not self.root:
                node.close()
            self._bytes += NODE_BYTES + bytes_of(node.position) + ACTION_BYTES * sum(map(len, node.actions))
            self._table_bytes += ENTRY_BYTES * len(node.table.entries) if node.table is not None else 0
            for below in node.children.values():
                if below.position not in kept:
                    kept[below.position] = below
                    queue.append(below)
        self._nodes = kept


def bytes_of(value: Any) -> int:
    """Return about how much memory a position takes; constants are shared with the rules and count nothing."""
    if not isinstance(value, tuple | frozenset):
        return 0 if isinstance(value, str) else sys.getsizeof(value)
    return sys.getsizeof(value) + sum(bytes_of(part) for part in value)
