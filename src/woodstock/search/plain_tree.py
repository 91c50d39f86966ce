"""The search tree of any game, as objects, and how a descent chooses its way through it.

Nodes, actions and children are what they are in `woodstock.search.tree`, and descents choose as in
`woodstock.search.selection`; but there is one descent at a time, so nothing waits for a result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log, prod, sqrt
from random import Random
from typing import Generic, TypeVar

from woodstock.game.protocol import Move
from woodstock.search.options import SearchOptions
from woodstock.search.tree import NATURE, NOBODY, SEVERAL

P = TypeVar("P")

Picks = tuple[int, ...]
"""A combination of actions: for each role that chooses, in role order, which of its actions."""
RoleMove = tuple[int, Move]
"""A role and a move of it."""


class Action:
    """A legal move of a role that has a choice.

    Attributes:
        move: The move.
        count: How often it was tried.
        mean: What it is worth to its role.
        regret: How much more it would have brought than what was chosen, in all.
        is_settled: The node that it leads to is proven: no descent goes there any more.
    """

    __slots__ = ("count", "is_settled", "mean", "move", "regret")

    def __init__(self, move: Move) -> None:
        self.move = move
        self.count = 0
        self.mean = 0.0
        self.regret = 0.0
        self.is_settled = False


class Table:
    """How playouts below a node went in which a move was made, whenever it was made (`woodstock.search.amaf`).

    Attributes:
        playouts: Number of playouts below the node.
        entries: For each move how many of these it was made in, and the mean utility of the role that made it.
    """

    __slots__ = ("entries", "playouts")

    def __init__(self) -> None:
        self.playouts = 0
        self.entries: dict[RoleMove, tuple[int, float]] = {}

    def add(self, made: set[RoleMove], utilities: Sequence[float]) -> int:
        """Add a playout in which some moves were made; return how many of these are new to the table."""
        before = len(self.entries)
        self.playouts += 1
        for role_move in made:
            count, mean = self.entries.get(role_move, (0, 0.0))
            count += 1
            self.entries[role_move] = (count, mean + (utilities[role_move[0]] - mean) / count)
        return len(self.entries) - before


class Node(Generic[P]):
    """A position and what is known of it.

    Attributes:
        position: The position.
        values: Its value for each role, a utility.
        visits: How often descents came by.
        is_proven: The value is exact.
        has_proven: Some child is proven.
        is_terminal: The match is over, or some role has no move.
        distance: If it is proven, how many joint moves away the end is: see `woodstock.search.tree.DISTANCE`.
        legal: The legal moves of each role; None if it is not expanded.
        chooser: The role that chooses, or NATURE, NOBODY or SEVERAL.
        roles: All roles that have a choice, nature among them.
        actions: The actions of each of these.
        children: The nodes that combinations of actions lead to, if somebody went there.
        table: What playouts say about moves, for GRAVE.
    """

    __slots__ = (
        "actions",
        "children",
        "chooser",
        "distance",
        "has_proven",
        "is_proven",
        "is_terminal",
        "legal",
        "position",
        "roles",
        "table",
        "values",
        "visits",
    )

    def __init__(self, position: P, num_roles: int) -> None:
        self.position = position
        self.values = [0.0] * num_roles
        self.visits = 0
        self.is_proven = False
        self.is_terminal = False
        self.distance = 0
        self.close()

    def close(self) -> None:
        """Make it a node that is not expanded; it keeps its value."""
        self.has_proven = False
        self.legal: tuple[tuple[Move, ...], ...] | None = None
        self.chooser = NOBODY
        self.roles: tuple[int, ...] = ()
        self.actions: tuple[tuple[Action, ...], ...] = ()
        self.children: dict[Picks, Node[P]] = {}
        self.table: Table | None = None

    def open(self, legal: tuple[tuple[Move, ...], ...], nature: int) -> None:
        """Give it its actions; every role has a legal move."""
        self.legal = legal
        self.roles = tuple(role for role, moves in enumerate(legal) if len(moves) > 1)
        self.actions = tuple(tuple(map(Action, legal[role])) for role in self.roles)
        if len(self.roles) == 1:
            self.chooser = NATURE if self.roles[0] == nature else self.roles[0]
        else:
            self.chooser = SEVERAL if self.roles else NOBODY

    def end(self, values: list[float]) -> None:
        """Note that the match goes no further, and what that is worth."""
        self.values = values
        self.is_terminal = self.is_proven = True
        self.visits += 1

    @property
    def num_children(self) -> int:
        """How many combinations of actions there are."""
        return prod(map(len, self.actions))

    def joint_move(self, picks: Picks) -> tuple[Move, ...]:
        """Return the moves of all roles that a combination of actions stands for."""
        assert self.legal is not None
        moves = [each[0] for each in self.legal]
        for role, pick in zip(self.roles, picks, strict=True):
            moves[role] = self.legal[role][pick]
        return tuple(moves)


@dataclass(frozen=True, eq=False)
class PlainPolicy:
    """What guides a search.

    Attributes:
        options: What the search does.
        exploration: Weight of the confidence in UCB1.
        nature: The role `random`, or a negative number.
        best: The greatest utility that each role can get.
        random: Where random numbers come from.
    """

    options: SearchOptions
    exploration: float
    nature: int
    best: tuple[float, ...]
    random: Random

    def choose(self, node: Node[P], table: Table | None) -> Picks:
        """Choose a child of an expanded node; `table` is the table of moves to use, if there is any."""
        if node.chooser == NOBODY:
            return ()
        if node.chooser >= 0:
            return (self._best(node, node.chooser, node.actions[0], table),)
        return tuple(
            self._rarest(actions)
            if role == self.nature
            else self._mixed(actions)
            if self.options.mixing >= 0
            else self._best(node, role, actions, table)
            for role, actions in zip(node.roles, node.actions, strict=True)
        )

    def table_for(self, node: Node[P], above: Table | None) -> Table | None:
        """Return the table to use in a node: its own once that has enough playouts, else the one used above."""
        own = node.table
        return own if own is not None and (above is None or own.playouts >= self.options.enough) else above

    def _best(self, node: Node[P], role: int, actions: Sequence[Action], table: Table | None) -> int:
        """Return the action with the greatest upper bound; one that is settled only if all are."""
        size = len(actions)
        width = self.exploration * sqrt(log(node.visits + size))
        best, best_score = 0, -1e30
        skip = node.visits % size  # so that among equals the first is not always taken
        for offset in range(size):
            pick = (offset + skip) % size
            action = actions[pick]
            if action.is_settled:
                continue
            mean = action.mean if action.count else node.values[role]
            if table is not None:
                mean = self._blend(mean, action.count, table.entries.get((role, action.move)))
            score = mean + width / sqrt(max(1, action.count))
            if score > best_score:
                best, best_score = pick, score
        return best

    def _blend(self, mean: float, count: int, entry: tuple[int, float] | None) -> float:
        """Return the mean of an action, mixed with what a table says about its move (Gelly and Silver 2007)."""
        if entry is None:
            return mean
        others, other_mean = entry
        beta = others / (others + count + self.options.bias * others * count)
        return mean + beta * (other_mean - mean)

    def _rarest(self, actions: Sequence[Action]) -> int:
        """Return an action of nature that was tried least, any of these; not one that is settled unless all are."""
        picks = [pick for pick, action in enumerate(actions) if not action.is_settled] or range(len(actions))
        fewest = min(actions[pick].count for pick in picks)
        return self.random.choice([pick for pick in picks if actions[pick].count == fewest])

    def _mixed(self, actions: Sequence[Action]) -> int:
        """Return an action drawn by regret matching: as likely as it is regretted, or sometimes any."""
        regrets = [max(0.0, action.regret) for action in actions]
        if self.random.random() < self.options.mixing or not any(regrets):
            return self.random.randrange(len(actions))
        return self.random.choices(range(len(actions)), regrets)[0]
