"""Players of quantified networks, for either side, each of which has an answer whenever its time is over.

| name | how it chooses |
|---|---|
| `random` | any value, all equally likely |
| `first` | the first value that propagation leaves |
| `alphabeta` | alpha-beta search with iterative deepening and Dynamic Geelen's Promise |
| `iab` | the same with the best children first: Intelligent Alpha Beta |
| `mc` | UCT without propagation |
| `mc-shallow`, `mc-deep` | UCT with propagation, and one of the two updates |
| `exact` | the exact solver, if that comes to an end in half the time, else `mc-deep`; `mc-shallow` where it has lost |

All but `random` and `mc` see their situation through propagation. Where the universal side can win, as propagation sees
it, a strict search of the existential side would find all values equally bad; it searches what is not strict then: it
hopes.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from random import Random
from typing import Final

import numpy as np

from woodstock.common.errors import UsageError
from woodstock.common.limits import Deadline, Limits
from woodstock.qcsp import growth, lookahead
from woodstock.qcsp.randomness import make_random_state
from woodstock.qcsp.situation import Compiled, Situation, Standing
from woodstock.qcsp.solver import Solver

SLICE_SECONDS: Final = 0.008
"""How long a call of a kernel should take."""

MARGIN_SECONDS: Final = 0.001
MAX_NODES: Final = 1 << 20
MAX_ROW_BYTES: Final = 1 << 26


class Player(ABC):
    """Gives values to the variables of one side.

    Attributes:
        propagates: Whether it sees what propagation leaves of the domains.
        steps: How much it did in its searches so far: playouts or situations.
    """

    propagates = True

    def __init__(self, compiled: Compiled, seed: int = 0) -> None:
        self.compiled = compiled
        self.random = Random(seed)
        self.steps = 0

    @abstractmethod
    def choose(self, situation: Situation, deadline: Deadline) -> int:
        """Return the place of a value for the next turn, by the deadline."""


class RandomPlayer(Player):
    """Takes any value."""

    propagates = False

    def choose(self, situation: Situation, deadline: Deadline) -> int:
        return self.random.randrange(len(self.compiled.quantified.domains[situation.turn]))


class FirstPlayer(Player):
    """Takes the first value that is left."""

    def choose(self, situation: Situation, deadline: Deadline) -> int:
        return choices(situation)[0]


def choices(situation: Situation) -> list[int]:
    """Return the places among which a choice makes sense; never none."""
    left = situation.places_left(situation.turn) if situation.standing is not Standing.LOST else []
    return left or list(range(len(situation.compiled.quantified.domains[situation.turn])))


def is_strict(situation: Situation) -> bool:
    """Tell whether a search below a situation should take the universal side for able."""
    return situation.standing in (Standing.OPEN, Standing.WON)


class Pace:
    """How much a kernel should do in a call, so that calls take as long as they should."""

    def __init__(self, amount: int = 4) -> None:
        self.amount = amount

    def run(self, kernel: Callable[[int], bool], deadline: Deadline) -> bool:
        """Call a kernel until it is done or the time is over; tell whether it is done."""
        while deadline.seconds_left > MARGIN_SECONDS:
            began = time.perf_counter()
            if kernel(self.amount):
                return True
            took = max(1e-6, time.perf_counter() - began)
            wanted = min(SLICE_SECONDS, max(MARGIN_SECONDS, deadline.seconds_left - MARGIN_SECONDS))
            self.amount = max(1, min(1 << 20, int(self.amount * min(4.0, wanted / took))))
        return False


class LookaheadPlayer(Player):
    """Alpha-beta search; see `woodstock.qcsp.lookahead`."""

    is_ordered = False

    def __init__(self, compiled: Compiled, seed: int = 0) -> None:
        super().__init__(compiled, seed)
        width = max(map(len, compiled.quantified.domains))
        self._search = lookahead.make_search(compiled.num_turns, width)
        self._pace = Pace()

    def choose(self, situation: Situation, deadline: Deadline) -> int:
        left = choices(situation)
        best = left[0]
        if len(left) == 1 or situation.standing is Standing.LOST:
            return best
        for depth in range(1, self.compiled.num_turns - situation.turn + 1):
            place, value = self._look(situation, deadline, depth)
            if place is None:
                break
            is_lost = value == (lookahead.WIN if situation.is_universal else lookahead.LOSS)
            # Where all values lose, the one that did so last at least asks most of the other side.
            if not is_lost or depth == 1:
                best = place
            if abs(value) == lookahead.WIN or not self._search.registers[lookahead.IS_CUT]:
                break
        return best

    def _look(self, situation: Situation, deadline: Deadline, depth: int) -> tuple[int | None, float]:
        """Return the best value at a depth and what it is worth; None if the time was too short."""
        search, work = self._search, self.compiled.work
        registers = search.registers
        registers[:] = 0
        registers[lookahead.DEPTH], registers[lookahead.ORDERED] = depth, self.is_ordered
        registers[lookahead.STRICT] = is_strict(situation)
        search.domains[0] = situation.domains
        search.frames[0, lookahead.TURN] = situation.turn
        search.bounds[0, lookahead.ALPHA], search.bounds[0, lookahead.BETA] = 2 * lookahead.LOSS, 2 * lookahead.WIN
        done = self._pace.run(lambda n: lookahead.look_ahead(situation.arrays, work, search, n), deadline)
        self.steps += int(registers[lookahead.NODES])
        if not done:
            return None, 0.0
        return int(search.frames[0, lookahead.BEST_PLACE]), float(search.bounds[0, lookahead.RESULT])


class IntelligentPlayer(LookaheadPlayer):
    """Intelligent Alpha Beta."""

    is_ordered = True


class MonteCarloPlayer(Player):
    """UCT; see `woodstock.qcsp.growth`."""

    is_deep = False

    def __init__(self, compiled: Compiled, seed: int = 0) -> None:
        super().__init__(compiled, seed)
        width = max(map(len, compiled.quantified.domains))
        rows = max(1024, min(MAX_NODES // 4, MAX_ROW_BYTES // (8 * compiled.num_turns)))
        self.tree = growth.make_tree(compiled.num_turns, width, MAX_NODES, rows)
        self._state = make_random_state(self.random.getrandbits(62))
        self._pace = Pace()

    def choose(self, situation: Situation, deadline: Deadline) -> int:
        left = (
            choices(situation)
            if self.propagates
            else list(range(len(self.compiled.quantified.domains[situation.turn])))
        )
        if len(left) == 1 or (self.propagates and situation.standing is Standing.LOST):
            return self.random.choice(left)
        self.search(situation, deadline, is_strict(situation))
        best = self._best(situation.is_universal)
        if best is None and self.propagates and is_strict(situation):
            # Everything loses against an able side: search once more for what is left to hope.
            self.search(situation, Deadline(max(deadline.seconds_left, 0.2 * SLICE_SECONDS)), strict=False)
            best = self._best(situation.is_universal)
        return self.random.choice(left) if best is None else best

    def search(self, situation: Situation, deadline: Deadline, strict: bool) -> None:
        """Grow a tree below a situation."""
        tree = self.tree
        tree.nodes[0], tree.values[0], tree.sizes[:] = 0, 0, (1, 1, 0)
        tree.rows[0] = situation.domains if self.propagates else self._given(situation)
        tree.nodes[0, growth.TURN] = situation.turn
        mode = np.array([self.propagates, self.is_deep, strict], np.int64)
        net = situation.arrays if self.propagates else self.compiled.full
        state = growth.Growth(net, self.compiled.work, tree, mode, self._state)
        self._pace.run(lambda descents: growth.grow(state, descents), deadline)
        self.steps += int(tree.sizes[growth.PLAYOUTS])

    def _given(self, situation: Situation) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """Return the domains without propagation."""
        domains = self.compiled.full.domains.copy()
        domains[: situation.turn] = [1 << place for place in situation.places]
        return domains

    def _best(self, is_universal: bool) -> int | None:
        """Return the value to be given; None if all children of the root are dead, or there are none."""
        nodes, values = self.tree.nodes, self.tree.values
        first, count = nodes[0, growth.FIRST_CHILD], nodes[0, growth.NUM_CHILDREN]
        best, best_value = None, -np.inf
        for child in range(first, first + count):
            is_dead = nodes[child, growth.STATE] == growth.DEAD
            if is_dead and not is_universal:
                continue
            value = values[child, growth.WINS] / max(1, nodes[child, growth.VISITS]) * values[child, growth.LEFT]
            value = (1.0 if is_dead else -value) if is_universal else value
            if value > best_value:
                best, best_value = int(nodes[child, growth.PLACE]), value
        return best


class BlindPlayer(MonteCarloPlayer):
    """UCT without propagation."""

    propagates = False


class DeepPlayer(MonteCarloPlayer):
    """UCT with the deep update."""

    is_deep = True


class ExactPlayer(Player):
    """The exact solver as soon as it is quick enough; until then UCT with the deep update.

    Where the other side can win, what is left to hope for is a mistake: the shallow update takes that into account.
    """

    def __init__(self, compiled: Compiled, seed: int = 0) -> None:
        super().__init__(compiled, seed)
        self._solver = Solver(compiled)
        self._guess = DeepPlayer(compiled, seed)
        self._hope = MonteCarloPlayer(compiled, seed)

    def choose(self, situation: Situation, deadline: Deadline) -> int:
        left = choices(situation)
        if len(left) == 1:
            return left[0]
        if is_strict(situation):
            seconds = deadline.seconds_left / 2
            answer = self._solver.solve_situation(situation, Limits(seconds=max(1e-4, min(seconds, 1e6))))
            self.steps += answer.nodes
            if answer.place is not None:
                return answer.place
            if answer.is_true is not None:
                return self._hope.choose(situation, deadline)
        return self._guess.choose(situation, deadline)


PLAYERS: Final[dict[str, type[Player]]] = {
    "random": RandomPlayer,
    "first": FirstPlayer,
    "alphabeta": LookaheadPlayer,
    "iab": IntelligentPlayer,
    "mc": BlindPlayer,
    "mc-shallow": MonteCarloPlayer,
    "mc-deep": DeepPlayer,
    "exact": ExactPlayer,
}
"""All players by name."""


def make_player(name: str, compiled: Compiled, seed: int = 0) -> Player:
    """Return a player for a network.

    Raises:
        UsageError: There is no such player.
    """
    if name not in PLAYERS:
        raise UsageError(f"expected a player, one of {' '.join(PLAYERS)}, found {name!r}")
    return PLAYERS[name](compiled, seed)
