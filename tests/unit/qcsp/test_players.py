"""Players: what they must find, what they must avoid, and that time and seeds mean what they should."""

from __future__ import annotations

import math

import numpy as np
import pytest

from woodstock.common.errors import UsageError
from woodstock.common.limits import Deadline
from woodstock.qcsp import growth, lookahead
from woodstock.qcsp.match import Sides, make_players, play
from woodstock.qcsp.players import (
    PLAYERS,
    DeepPlayer,
    IntelligentPlayer,
    LookaheadPlayer,
    MonteCarloPlayer,
    make_player,
)
from woodstock.qcsp.playouts import count_wins
from woodstock.qcsp.random_networks import Parameters, random_network
from woodstock.qcsp.randomness import make_random_state
from woodstock.qcsp.situation import Compiled, Situation, Standing, follow
from woodstock.qcsp.solver import Solver

TINY = Parameters(num_turns=6, num_values=3, p=0.6, p_ee=0.4)


def trap() -> Compiled:
    """A network whose first variable has four values: propagation sees nothing wrong in three, and one wins."""
    return Compiled(random_network(Parameters(num_turns=8, num_values=4, p=1.0, p_ee=0.4), seed=41))


@pytest.mark.parametrize("name", PLAYERS)
@pytest.mark.parametrize("seed", range(3))
def test_every_player_gives_values_that_exist(name: str, seed: int) -> None:
    compiled = Compiled(random_network(TINY, seed))
    for sides in (Sides(name, "random"), Sides("random", name)):
        result = play(compiled, make_players(compiled, sides, seed), 0.02, lambda situation, changes: None)
        assert len(result.places) == 6
        assert result.is_won == compiled.quantified.is_solution(result.places)


def test_the_trap_is_one() -> None:
    compiled = trap()
    assert [Situation(compiled, [place]).standing is Standing.OPEN for place in range(4)] == [True, True, True, False]
    assert [Solver(compiled).solve([place]).is_true for place in range(4)] == [False, False, True, False]


@pytest.mark.parametrize("name", ["alphabeta", "iab", "exact"])
def test_searching_players_see_the_trap(name: str) -> None:
    compiled = trap()
    assert make_player(name, compiled, seed=1).choose(Situation(compiled), Deadline(60)) == 2


@pytest.mark.parametrize("kind", [MonteCarloPlayer, DeepPlayer])
def test_playouts_see_the_trap(kind: type[MonteCarloPlayer]) -> None:
    compiled = trap()
    player = kind(compiled, seed=1)
    grow(player, Situation(compiled), descents=2000)
    assert player._best(is_universal=False) == 2


@pytest.mark.parametrize("name", ["alphabeta", "iab", "exact"])
def test_small_networks_are_won_by_whoever_can(name: str) -> None:
    for seed in range(12):
        compiled = Compiled(random_network(TINY, seed))
        is_true = Solver(compiled).solve().is_true
        sides = Sides(name, "alphabeta") if is_true else Sides("alphabeta", name)
        result = play(compiled, make_players(compiled, sides, seed), 20)
        assert result.is_won == is_true, seed


def test_an_unknown_player_is_refused() -> None:
    with pytest.raises(UsageError, match=r"one of random first alphabeta .* found 'magic'"):
        make_player("magic", Compiled(random_network(TINY)))


def minimax(compiled: Compiled, domains: np.ndarray, turn: int, depth: int) -> float:
    """Return what a situation is worth, without pruning."""
    turn = next((t for t in range(turn, len(domains)) if int(domains[t]).bit_count() > 1), len(domains))
    if turn == len(domains):
        return lookahead.WIN
    is_universal = compiled.quantified.is_universal
    if depth == 0:
        left = [int(domains[t]).bit_count() for t in range(turn, len(domains)) if not is_universal[t]]
        return sum(math.log(count) for count in left)
    values = []
    for place in compiled.places_in(domains[turn]):
        after = domains.copy()
        after[turn] = 1 << place
        is_possible = follow(compiled.arrays, after, compiled.work, turn, True)
        values.append(minimax(compiled, after, turn + 1, depth - 1) if is_possible else lookahead.LOSS)
    return min(values) if is_universal[turn] else max(values)


@pytest.mark.parametrize("kind", [LookaheadPlayer, IntelligentPlayer])
def test_alpha_beta_finds_what_minimax_finds(kind: type[LookaheadPlayer]) -> None:
    for seed in range(15):
        compiled = Compiled(random_network(Parameters(num_turns=8, num_values=3, p=0.4, p_ee=0.4), seed))
        situation = Situation(compiled)
        if situation.standing is not Standing.OPEN or len(situation.places_left(0)) == 1:
            continue
        player = kind(compiled)
        for depth in range(1, 6):
            place, value = player._look(situation, Deadline(None), depth)
            assert value == pytest.approx(minimax(compiled, situation.domains, 0, depth)), (seed, depth)
            assert place in situation.places_left(0)


def test_the_tree_counts_what_it_does() -> None:
    for kind in (MonteCarloPlayer, DeepPlayer):
        player = kind(Compiled(random_network(Parameters(num_turns=10, num_values=3), seed=5)), seed=3)
        grow(player, Situation(player.compiled), descents=200)
        nodes, values = player.tree.nodes, player.tree.values
        assert nodes[0, growth.VISITS] == 200
        first, count = nodes[0, growth.FIRST_CHILD], nodes[0, growth.NUM_CHILDREN]
        children = slice(first, first + count)
        assert nodes[children, growth.VISITS].sum() == 200
        assert values[children, growth.WINS].sum() == values[0, growth.WINS]
        assert (values[children, growth.LEFT] <= 1).all()
        assert (values[: player.tree.sizes[0], growth.WINS] <= nodes[: player.tree.sizes[0], growth.VISITS]).all()


def grow(player: MonteCarloPlayer, situation: Situation, descents: int) -> bool:
    """Let a player's tree grow by a number of descents."""
    tree = player.tree
    tree.nodes[0], tree.values[0], tree.sizes[:] = 0, 0, (1, 1, 0)
    tree.rows[0] = situation.domains
    tree.nodes[0, growth.TURN] = situation.turn
    mode = np.array([player.propagates, player.is_deep, True], np.int64)
    state = growth.Growth(situation.arrays, player.compiled.work, tree, mode, make_random_state(1))
    return bool(growth.grow(state, descents))


def test_the_deep_update_kills_the_root_only_where_the_network_is_false() -> None:
    killed = 0
    for seed in range(25):
        compiled = Compiled(random_network(Parameters(num_turns=8, num_values=3, p=0.6, p_ee=0.55), seed))
        situation = Situation(compiled)
        if situation.standing is not Standing.OPEN:
            continue
        player = DeepPlayer(compiled)
        is_dead = grow(player, situation, descents=3000)
        is_true = Solver(compiled).solve().is_true
        if is_dead and player.tree.nodes[0, growth.STATE] == growth.DEAD:
            assert not is_true, seed
            killed += 1
    assert killed > 0


def test_the_share_of_endings_left_is_that_of_the_domains() -> None:
    compiled = Compiled(random_network(Parameters(num_turns=8, num_values=4, p=0.5, p_ee=0.5), seed=2))
    situation = Situation(compiled)
    player = MonteCarloPlayer(compiled)
    grow(player, situation, descents=1)
    first, count = player.tree.nodes[0, growth.FIRST_CHILD], player.tree.nodes[0, growth.NUM_CHILDREN]
    for child in range(first, first + count):
        if player.tree.nodes[child, growth.STATE] == growth.DEAD:
            continue
        after = Situation(compiled, [int(player.tree.nodes[child, growth.PLACE])])
        sizes = zip(after.domains[1:].tolist(), situation.domains[1:].tolist(), strict=True)
        expected = math.prod(one.bit_count() / other.bit_count() for one, other in sizes)
        assert player.tree.values[child, growth.LEFT] == pytest.approx(expected)


def test_playouts_win_as_often_as_the_definition_says() -> None:
    compiled = Compiled(random_network(Parameters(num_turns=7, num_values=4, p=1.0, p_ee=0.4), seed=3))
    assert compiled.is_consistent
    expected = chance(compiled, compiled.root.copy(), 0)
    wins = count_wins(compiled.arrays, compiled.work, compiled.root, compiled.root.copy(), make_random_state(5), 4000)
    assert 0.02 < expected < 0.98
    assert wins / 4000 == pytest.approx(expected, abs=4 * math.sqrt(expected * (1 - expected) / 4000))


def chance(compiled: Compiled, domains: np.ndarray, turn: int) -> float:
    """Return how likely a random playout with propagation is won."""
    if turn == len(domains):
        return 1.0
    total, places = 0.0, compiled.places_in(domains[turn])
    for place in places:
        after = domains.copy()
        after[turn] = 1 << place
        if follow(compiled.arrays, after, compiled.work, turn, True):
            total += chance(compiled, after, turn + 1)
    return total / len(places)


def test_the_same_seed_plays_the_same_random_values() -> None:
    compiled = Compiled(random_network(TINY, 4))
    plays = [play(compiled, make_players(compiled, Sides("random", "random"), 9), 1.0).places for _ in range(2)]
    assert plays[0] == plays[1]


def test_a_full_tree_goes_on_with_playouts() -> None:
    compiled = Compiled(random_network(Parameters(num_turns=10, num_values=3), seed=5))
    player = MonteCarloPlayer(compiled)
    player.tree = growth.make_tree(10, 3, 30, 8)
    grow(player, Situation(compiled), descents=300)
    assert player.tree.sizes[growth.NUM_NODES] <= 30
    assert player.tree.nodes[0, growth.VISITS] == 300
