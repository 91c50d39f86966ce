"""The verifier: walks two reasoners side by side through a game, or one along a recorded trace.

Sets of fluents, legal moves, goals and percepts are compared in every position; the walk stops at the first difference.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from woodstock.common.errors import WoodstockError
from woodstock.game.difference import Difference, Mismatch, View, compare_by_role, compare_views
from woodstock.game.paired import PairedGame
from woodstock.game.protocol import Game, Move, P
from woodstock.game.traces import Trace, TracePosition
from woodstock.game.walk import Budget, Exploration, iter_playout
from woodstock.gdl.printer import to_kif
from woodstock.gdl.terms import GroundTerm

A = TypeVar("A")
B = TypeVar("B")

MAX_POSITIONS_EXPLORED = 5_000
"""Games with no more positions than this are walked in full, others at random."""
MAX_STEPS = 1_000
"""Where a random walk is cut."""


@dataclass(slots=True)
class Walked:
    """What a walk found.

    Attributes:
        positions: Positions compared.
        plays: Plays walked, or begun.
        complete: Every position of the game, or of the trace, was compared.
        difference: The first difference, if any.
        failure: What went wrong in a reasoner, or an empty string.
    """

    positions: int = 0
    plays: int = 0
    complete: bool = False
    difference: Difference | None = None
    failure: str = ""


def walk_together(first: Game[A], second: Game[B], budget: Budget, seed: int = 0) -> Walked:
    """Compare two reasoners in all positions of a small game, or else along random plays until the budget is spent."""
    found = Walked()
    if mismatch := _compare_roles(first.roles, second.roles):
        found.difference = Difference(0, (), (mismatch,))
        return found
    pair = PairedGame(first, second)
    rng = random.Random(seed)
    with _failures_noted(found):
        _walk_everywhere(pair, budget, found)
        while not (found.complete or found.difference or budget.exhausted):
            _walk_at_random(pair, rng, budget, found)
    return found


@contextmanager
def _failures_noted(found: Walked) -> Iterator[None]:
    """Note what a reasoner raises: a verifier that stops at it would hide what was found until then."""
    try:
        yield
    except Exception as error:  # noqa: BLE001 (a reasoner under test may raise anything)
        found.failure = describe_failure(error)


def describe_failure(error: Exception) -> str:
    """Return an error in words; one that nobody meant to raise is given with its type."""
    text = str(error).strip()
    if isinstance(error, WoodstockError):
        return text
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _walk_everywhere(pair: PairedGame[A, B], budget: Budget, found: Walked) -> None:
    exploration = Exploration(pair)
    # A game with few positions but very many moves between them must leave time for the random plays.
    share = Budget(budget.seconds_left / 2, min(budget.positions_left, 20 * MAX_POSITIONS_EXPLORED))
    for position in exploration.explore(share):
        found.positions += 1
        budget.spend()
        if mismatches := pair.mismatches(position):
            found.difference = Difference(0, exploration.line(position), mismatches)
            return
        if share.exhausted or found.positions >= MAX_POSITIONS_EXPLORED:
            break
    found.complete = exploration.complete


def _walk_at_random(pair: PairedGame[A, B], rng: random.Random, budget: Budget, found: Walked) -> None:
    line: list[tuple[Move, ...]] = []
    for position, moves in islice(iter_playout(pair, rng), MAX_STEPS):
        found.positions += 1
        budget.spend()
        if mismatches := pair.mismatches(position):
            found.difference = Difference(found.plays, tuple(line), mismatches)
            break
        line.append(moves)
        if budget.exhausted:
            break
    found.plays += 1


def follow_trace(game: Game[P], trace: Trace, budget: Budget) -> Walked:
    """Play what a trace recorded and compare every position until the budget is spent."""
    found = Walked()
    if mismatch := _compare_roles(trace.roles, game.roles, ordered=False):
        found.difference = Difference(0, (), (mismatch,))
        return found
    with _failures_noted(found):
        _follow(game, trace.with_roles(game.roles), budget, found)
    return found


def _follow(game: Game[P], trace: Trace, budget: Budget, found: Walked) -> None:
    line: list[tuple[Move, ...]] = []
    before: TracePosition | None = None
    position = game.initial_position()
    for recorded in trace.positions:
        if before is None or before.play != recorded.play:
            found.plays += 1
        if recorded.step == 0:
            position, line = game.initial_position(), []
        elif before is not None and before.joint is not None and _follows(before, recorded):
            line.append(before.joint)
            position = game.next_position(position, before.joint)
        else:  # a part of the play was not recorded
            position, line = game.position_of(recorded.fluents), []
        found.positions += 1
        budget.spend()
        if mismatches := _trace_mismatches(game, position, recorded):
            found.difference = Difference(recorded.play, tuple(line), mismatches)
            return
        before = recorded
        if budget.exhausted:
            break
    found.complete = found.positions == len(trace.positions)


def _follows(first: TracePosition, second: TracePosition) -> bool:
    return first.play == second.play and first.step + 1 == second.step


def _trace_mismatches(game: Game[P], position: P, recorded: TracePosition) -> tuple[Mismatch, ...]:
    view = View.of(game, position)
    # The recorded goals have a form of their own, so they are compared apart.
    found = list(compare_views(game.roles, View(recorded.fluents, recorded.terminal, recorded.legal, None), view))
    for role, value in enumerate(recorded.goals or ()):
        if mismatch := _compare_goal(game.roles[role], value, game.goal_values(position, role)):
            found.append(mismatch)
    if recorded.joint is not None and recorded.percepts is not None and not found:
        seen = [game.percepts(position, recorded.joint, role) for role in range(len(game.roles))]
        found.extend(compare_by_role("percepts", game.roles, recorded.percepts, seen))
    return tuple(found)


def _compare_goal(role: str, recorded: str | None, values: Sequence[GroundTerm]) -> Mismatch | None:
    """Compare a recorded goal, None for none or several values, with the values that a reasoner finds."""
    texts = tuple(sorted(map(to_kif, values)))
    if recorded is None:
        # Some recorders also write null for a value that is not a whole number.
        return Mismatch(f"goal of {role}", ("none or several",), texts) if _is_one_number(texts) else None
    if len(texts) == 1 and _normal(texts[0]) == _normal(recorded):
        return None
    return Mismatch(f"goal of {role}", (recorded,), texts or ("none",))


def _is_one_number(texts: Sequence[str]) -> bool:
    return len(texts) == 1 and texts[0].removeprefix("-").isdecimal()


def _normal(text: str) -> str:
    """Return a number without leading zeros, as `007` and `7` are one goal."""
    return (text.lstrip("0") or "0") if text.isdecimal() else text


def _compare_roles(first: Sequence[str], second: Sequence[str], ordered: bool = True) -> Mismatch | None:
    same = tuple(first) == tuple(second) if ordered else sorted(first) == sorted(second)
    return None if same else Mismatch("roles", tuple(first), tuple(second))
