"""What is known about games, found again in the bundled ones."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import pytest

from woodstock.circuit.game import CircuitGame
from woodstock.common.jit import JIT_DISABLED
from woodstock.game.ground_game import GroundGame
from woodstock.game.load import load_rules
from woodstock.gdl.printer import to_kif
from woodstock.ground import ground


def game_of(name: str) -> GroundGame:
    return GroundGame(ground(load_rules(name)))


def goal(game: GroundGame, position: Any, role: int = 0) -> Fraction:
    (found,) = game.goal_values(position, role)
    return Fraction(str(found))


def best_value(game: GroundGame, position: Any, known: dict[Any, Fraction]) -> Fraction:
    """Return what the one player expects, who sees everything, when the others' moves are drawn with equal chances."""
    if game.is_terminal(position):
        return goal(game, position)
    if position not in known:
        own, *others = (game.legal_moves(position, role) for role in range(len(game.roles)))
        draws = list(product(*others))
        known[position] = max(
            sum((best_value(game, game.next_position(position, (move, *draw)), known) for draw in draws), Fraction())
            / len(draws)
            for move in own
        )
    return known[position]


@pytest.mark.parametrize("face", range(1, 7))
def test_a_die_is_guessed_once_in_six_times(face: int) -> None:
    game = game_of("guess_dice")
    start = game.initial_position()
    results = []
    for throw in game.legal_moves(start, 1):
        thrown = game.next_position(start, ("wait", throw))
        results.append(goal(game, game.next_position(thrown, (("guess", str(face)), "wait"))))
    assert sum(results) / len(results) == Fraction(100, 6)


def test_two_by_two_against_chance() -> None:
    """The figures of JFPC'16: 0.25, 0 and 0.25 for the three squares that are free."""
    game = game_of("two_by_two_opponent")
    start = game.initial_position()
    values = {}
    for move in game.legal_moves(start, 0):
        known: dict[Any, Fraction] = {}
        values[to_kif(move)] = best_value(game, game.next_position(start, (move, "wait")), known)
    assert values == {"(mark 1 2)": 25, "(mark 2 1)": 25, "(mark 2 2)": 0}


# An equilibrium of Kuhn poker (Kuhn 1950): how often each bets or calls, by card. Ann bluffs with a third of what she
# may; any other third gives the same value.
ANN_BETS = {"jack": Fraction(1, 9), "queen": Fraction(0), "king": Fraction(1, 3)}
ANN_CALLS = {"jack": Fraction(0), "queen": Fraction(1, 9) + Fraction(1, 3), "king": Fraction(1)}
BEN_BETS = {"jack": Fraction(1, 3), "queen": Fraction(0), "king": Fraction(1)}
BEN_CALLS = {"jack": Fraction(0), "queen": Fraction(1, 3), "king": Fraction(1)}
POLICIES = {("ann", "bet"): ANN_BETS, ("ann", "call"): ANN_CALLS, ("ben", "bet"): BEN_BETS, ("ben", "call"): BEN_CALLS}


def test_kuhn_poker_costs_the_first_player_an_eighteenth_of_a_chip() -> None:
    game = game_of("kuhn_poker")

    def value(position: Any) -> Fraction:
        if game.is_terminal(position):
            return (goal(game, position) - 50) / 25
        moves = [game.legal_moves(position, role) for role in range(3)]
        mover = next(role for role in range(3) if moves[role] != ("wait",))
        total = Fraction()
        for move in moves[mover]:
            joint: list[Any] = ["wait"] * 3
            joint[mover] = move
            total += chance(position, mover, moves[mover], move) * value(game.next_position(position, joint))
        return total

    def chance(position: Any, mover: int, moves: tuple[Any, ...], move: Any) -> Fraction:
        if mover == 2:
            return Fraction(1, len(moves))
        name = game.roles[mover]
        cards = {fluent[1]: fluent[2] for fluent in game.fluents(position) if fluent[0] == "hand"}
        bold = "bet" if "bet" in moves else "call"
        often = POLICIES[name, bold][cards[name]]
        return often if move == bold else 1 - often

    assert value(game.initial_position()) == Fraction(-1, 18)


def success(fruits: tuple[int, ...], raven: int, picks: int, choose: Callable[[list[float]], float]) -> float:
    """Return how often the orchard is picked in time, by dynamic programming over its published rules."""

    @cache
    def value(fruits: tuple[int, ...], raven: int, picks: int) -> float:
        if not fruits or raven == 9:
            return float(not fruits)
        fewer = [_pick(fruits, tree) for tree in range(len(fruits))]
        if picks:
            return choose([value(rest, raven, picks - 1) for rest in fewer])
        faces = [*(value(rest, raven, 0) for rest in fewer), value(fruits, raven, 2), value(fruits, raven + 1, 0)]
        return sum(faces) / len(faces)

    return value(fruits, raven, picks)


def _pick(fruits: tuple[int, ...], tree: int) -> tuple[int, ...]:
    """Take a fruit from a tree; bare trees are forgotten."""
    rest = [number - (place == tree) for place, number in enumerate(fruits)]
    return tuple(sorted(number for number in rest if number))


def test_the_orchard_is_picked_in_time_about_as_often_as_published() -> None:
    best = success((10, 10, 10, 10), 0, 0, max)
    assert best == pytest.approx(0.684, abs=0.0005)  # published: about 70 %
    at_random = success((10, 10, 10, 10), 0, 0, lambda values: sum(values) / len(values))
    assert at_random < best
    game = CircuitGame(ground(load_rules("orchard")))
    count = 300 if JIT_DISABLED else 100_000
    found = game.playouts([game.initial_position()], [count], seed=1)
    rate = found.goal_sums[0, 0] / 100 / count
    assert rate == pytest.approx(at_random, abs=4 * (at_random * (1 - at_random) / count) ** 0.5)
