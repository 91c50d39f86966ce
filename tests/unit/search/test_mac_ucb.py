"""MAC-UCB: exact values where they can be found, one tree whatever solves the µSCSPs, and prunings that do no harm."""

from __future__ import annotations

from functools import cache
from random import Random

import numpy as np
import pytest

from naive.search_tree import keeps_value, solve
from woodstock.circuit.game import CircuitGame, CircuitPosition
from woodstock.common.errors import UsageError
from woodstock.common.jit import JIT_DISABLED
from woodstock.common.limits import Deadline, Limits
from woodstock.game.ground_game import GroundPosition
from woodstock.game.load import load_rules
from woodstock.gdl import parse_rules
from woodstock.ground import ground
from woodstock.scsp.resolver import Resolution, Resolver
from woodstock.search import mac_ucb_stages as layout
from woodstock.search.circuit_resolver import CircuitResolver
from woodstock.search.mac_ucb import MacUcbSearch
from woodstock.search.mac_ucb_advice import advise
from woodstock.search.mac_ucb_options import MacUcbOptions, Shares
from woodstock.search.mac_ucb_solving import CircuitSolver, NetworkSolver, StageSolver, can_build, make_solver
from woodstock.search.mac_ucb_symmetry import Symmetries, SymmetryOptions
from woodstock.search.symmetric_keys import find_symmetric_keys

# A coin is tossed after you have chosen: `safe` brings 60 for sure, `risky` 100 or 30, `bad` 40 or 10.
GAMBLE = """
(role random) (role you) (init start)
(<= (legal you safe) (true start)) (<= (legal you risky) (true start)) (<= (legal you bad) (true start))
(<= (legal random heads) (true start)) (<= (legal random tails) (true start))
(<= (next (got ?x ?c)) (does you ?x) (does random ?c) (true start))
(<= terminal (true (got ?x ?c)))
(<= (goal you 60) (true (got safe ?c)))
(<= (goal you 100) (true (got risky heads))) (<= (goal you 30) (true (got risky tails)))
(<= (goal you 40) (true (got bad heads))) (<= (goal you 10) (true (got bad tails)))
(goal random 0)
"""

# Everyone in turn gives the win to one of the three; who gets the most of it first, wins. The last one decides.
KINGMAKER = """
(role a) (role b) (role c) (init (turn a))
(after a b) (after b c) (after c end)
(<= (legal ?r (give ?q)) (true (turn ?r)) (role ?q))
(<= (legal ?r noop) (role ?r) (not (true (turn ?r))))
(<= (next (turn ?q)) (true (turn ?r)) (after ?r ?q))
(<= (next (given ?r ?q)) (does ?r (give ?q)))
(<= (next (given ?r ?q)) (true (given ?r ?q)))
(<= terminal (true (turn end)))
(<= (goal ?r 100) (true (given c ?r)))
(<= (goal ?r 40) (true (given ?q ?r)) (not (true (given c ?r))) (true (given a ?r)))
(<= (goal ?r 0) (role ?r) (not (true (given c ?r))) (not (true (given a ?r))))
"""

# Both choose at once. For `one`, to play `low` is best whatever the other does.
DOMINATED = """
(role one) (role two) (init start)
(<= (legal ?r high) (role ?r) (true start)) (<= (legal ?r low) (role ?r) (true start))
(<= (next (did ?r ?m)) (does ?r ?m))
(<= terminal (true (did one ?m)))
(<= (goal one 70) (true (did one low)) (true (did two low)))
(<= (goal one 80) (true (did one low)) (true (did two high)))
(<= (goal one 20) (true (did one high)) (true (did two low)))
(<= (goal one 50) (true (did one high)) (true (did two high)))
(<= (goal two 30) (true (did one low)) (true (did two low)))
(<= (goal two 20) (true (did one low)) (true (did two high)))
(<= (goal two 80) (true (did one high)) (true (did two low)))
(<= (goal two 50) (true (did one high)) (true (did two high)))
"""

# A walk without an end, but for the door.
CIRCLE = """
(role you) (init (at 1)) (step 1 2) (step 2 3) (step 3 1)
(legal you on) (<= (legal you leave) (true (at 3))) (legal you stay)
(<= (next (at ?y)) (does you on) (true (at ?x)) (step ?x ?y))
(<= (next (at ?x)) (does you stay) (true (at ?x)))
(<= (next out) (does you leave))
(<= terminal (true out)) (<= (goal you 70) (true out)) (<= (goal you 0) (not (true out)))
"""


@cache
def game_of(name: str) -> CircuitGame:
    return CircuitGame(ground(parse_rules(name) if name.startswith("\n") else load_rules(name)))


def search_of(
    game: CircuitGame,
    position: CircuitPosition | None = None,
    iterations: int | None = None,
    resolver: str = "circuit",
    **options: object,
) -> MacUcbSearch:
    symmetries = options.pop("symmetries", None)
    solver = make_solver(game, resolver, 1e9)
    chosen = MacUcbOptions(**{"memory": 16, "samples": 4, **options})  # type: ignore[arg-type]
    search = MacUcbSearch(game, solver, chosen, 1, symmetries)  # type: ignore[arg-type]
    search.set_root(game.initial_position() if position is None else position)
    search.run(Deadline(None), 10**6 if iterations is None else iterations)
    return search


def some_positions(game: CircuitGame, count: int, steps: tuple[int, int], seed: int = 3) -> list[CircuitPosition]:
    random = Random(seed)
    found = []
    while len(found) < count:
        position = game.initial_position()
        for _ in range(random.randrange(*steps)):
            if not game.is_terminal(position):
                moves = [random.choice(game.legal_moves(position, role)) for role in range(len(game.roles))]
                position = game.next_position(position, moves)
        if not game.is_terminal(position):
            found.append(position)
    return found


def chooser_of(game: CircuitGame, position: CircuitPosition) -> int | None:
    return next((role for role in range(len(game.roles)) if len(game.legal_moves(position, role)) > 1), None)


def symmetries_of(game: CircuitGame, *, proved: bool) -> Symmetries:
    keys_of = find_symmetric_keys(game, Deadline(20.0))
    return Symmetries(game, SymmetryOptions(0.9, keys_of, proved))


@pytest.mark.parametrize("variant", ["plain", "paranoid", "proved", "learnt", "deep", "flat"])
@pytest.mark.parametrize("name", ["nim", "tic_tac_toe"])
def test_values_and_moves_are_exact_in_any_position(name: str, variant: str) -> None:
    """Exact pruning and symmetries leave the best move there, and the value is that of brute force."""
    game = game_of(name)
    options: dict[str, object] = {"deep": {"depth": 50}, "flat": {"depth": 0}}.get(variant, {})
    count = 1 if JIT_DISABLED else 3 if variant in ("proved", "learnt") else 8
    for position in some_positions(game, count, (4, 7) if name == "tic_tac_toe" else (2, 5)):
        symmetries = symmetries_of(game, proved=variant == "proved") if variant in ("proved", "learnt") else None
        search = search_of(game, position, symmetries=symmetries, paranoid=variant == "paranoid", **options)
        known: dict[object, tuple[float, ...]] = {}
        values = solve(game, position, known)
        assert search.is_exact
        assert (100 * search.tree.values[search.root]).tolist() == pytest.approx(list(values))
        role = chooser_of(game, position)
        if role is not None:
            explanation = advise(search, role)
            assert explanation is not None
            assert explanation.candidates[0].proven
            assert keeps_value(game, position, role, explanation.move, known)


@pytest.mark.skipif(JIT_DISABLED, reason="thousands of positions without the compiler")
def test_tic_tac_toe_is_solved_with_and_without_symmetry() -> None:
    game = game_of("tic_tac_toe")
    plain = search_of(game)
    merged = search_of(game, symmetries=symmetries_of(game, proved=True))
    for search in (plain, merged):
        assert search.is_exact
        assert search.tree.values[search.root].tolist() == [0.5, 0.5]
    assert merged.statistics.stages < plain.statistics.stages / 3
    assert merged.statistics.stages_without > merged.statistics.stages
    assert merged.statistics.solved < plain.statistics.solved
    assert plain.statistics.exact_prunings > 0
    assert plain.statistics.threshold == 50


def same_trees(one: MacUcbSearch, other: MacUcbSearch) -> None:
    assert one.tree.sizes.tolist() == other.tree.sizes.tolist()
    stages, arms, outcomes, options = one.tree.sizes[:4].tolist()
    for name in ("stages", "pulls", "values", "rows", "keys"):
        np.testing.assert_array_equal(getattr(one.tree, name)[:stages], getattr(other.tree, name)[:stages], name)
    for name in ("arms", "arm_pulls", "arm_values", "arm_options"):
        np.testing.assert_array_equal(getattr(one.tree, name)[:arms], getattr(other.tree, name)[:arms], name)
    np.testing.assert_array_equal(one.tree.outcome_stage[:outcomes], other.tree.outcome_stage[:outcomes])
    np.testing.assert_array_equal(one.tree.option_move[:options], other.tree.option_move[:options])


@pytest.mark.parametrize(
    "name", ["tic_tac_toe", "two_by_two_random", "rock_paper_scissors", "pig", "lights_out", GAMBLE]
)
def test_all_resolvers_give_the_same_tree(name: str) -> None:
    game = game_of(name)
    iterations = 10 if JIT_DISABLED else 60
    found = [search_of(game, iterations=iterations, resolver=resolver) for resolver in ("circuit", "mac", "fc")]
    for other in found[1:]:
        same_trees(found[0], other)
        assert other.statistics.fallbacks == 0
    assert [search.statistics.resolver for search in found] == ["circuit", "mac", "fc"]


def test_iterations_make_a_search_repeatable() -> None:
    game = game_of("two_by_two_random")
    same_trees(search_of(game, iterations=50), search_of(game, iterations=50))


def test_chance_is_averaged_exactly() -> None:
    search = search_of(game_of(GAMBLE), iterations=100)
    explanation = advise(search, 1)
    assert explanation is not None
    assert explanation.move == "risky"
    assert {each.move: each.value for each in explanation.candidates} == {"risky": 65, "safe": 60, "bad": 25}
    assert all(each.proven for each in explanation.candidates)
    assert search.statistics.threshold == pytest.approx(65)


@pytest.mark.parametrize("paranoid", [True, False])
def test_roles_that_move_at_once(paranoid: bool) -> None:
    """With a saddle point the value is exact; the rows of regret matching agree with the paranoid ones."""
    search = search_of(game_of(DOMINATED), iterations=100, paranoid=paranoid)
    assert search.is_exact
    assert (100 * search.tree.values[search.root]).tolist() == pytest.approx([70, 30])
    for role in range(2):
        explanation = advise(search, role)
        assert explanation is not None
        assert explanation.move == "low"


def test_without_a_saddle_point_choices_are_mixed() -> None:
    game = game_of("rock_paper_scissors")
    search = search_of(game, iterations=200)
    assert search.is_closed
    assert not search.is_exact
    random = Random(1)
    moves = {explanation.move for _ in range(60) if (explanation := advise(search, 0, random)) is not None}
    assert len(moves) == 3
    assert search.tree.values[search.root][0] == pytest.approx(search.tree.values[search.root][1], abs=0.1)


def test_three_roles_want_their_own_best_or_fear_the_others() -> None:
    """The last role takes the win for itself; so the first can get 40 at most, if it gives to itself."""
    game = game_of(KINGMAKER)
    search = search_of(game)
    assert search.is_exact
    assert (100 * search.tree.values[search.root]).tolist() == [40, 0, 100]
    explanation = advise(search, 0)
    assert explanation is not None
    assert explanation.move == ("give", "a")
    paranoid = search_of(game, paranoid=True)
    assert paranoid.is_exact
    assert (100 * paranoid.tree.values[paranoid.root]).tolist() == [40, 0, 100]


def test_one_player_finds_its_way() -> None:
    game = game_of("lights_out")
    position = game.initial_position()
    search = search_of(game, iterations=50 if JIT_DISABLED else 4000)
    explanation = advise(search, 0)
    assert explanation is not None
    assert explanation.move in game.legal_moves(position, 0)
    circle = search_of(game_of(CIRCLE), iterations=100, horizon=50)
    assert 100 * circle.tree.values[circle.root][0] > 30
    explanation = advise(circle, 0)
    assert explanation is not None
    assert explanation.statistics["µSCSPs"] == 3


@pytest.mark.skipif(JIT_DISABLED, reason="many playouts")
def test_probabilistic_pruning_removes_what_is_bad_in_all_likelihood() -> None:
    """In pig it is the share of the rolls that counts; what is pruned is never the best move of the root."""
    game = game_of("pig")
    strict = search_of(game, iterations=400, samples=64, enough=0.5)
    off = search_of(game, iterations=400, samples=64, enough=2.0)
    assert off.statistics.probable_prunings == 0
    for search in (strict, off):
        role = chooser_of(game, game.initial_position())
        assert role is not None
        explanation = advise(search, role)
        assert explanation is not None
    tree = strict.tree
    num = int(tree.sizes[layout.NUM_STAGES])
    for stage in range(num):
        arms = layout.arms_of(tree, stage)
        states = tree.arms[arms, layout.STATE]
        if len(states) and int(tree.stages[stage, layout.CHOOSER]) >= 0:
            best = int(np.argmax(tree.arm_values[arms, tree.stages[stage, layout.CHOOSER]]))
            assert not states[best] & layout.DOUBTED


class Slow:
    """A resolver that never comes to an end."""

    def __init__(self, resolver: Resolver) -> None:
        self.program = resolver.program
        self._resolver = resolver

    def resolve(self, position: GroundPosition, limits: Limits | None = None) -> Resolution:
        return self._resolver.resolve(position, limits)._replace(is_complete=False)


def test_what_a_resolver_does_not_solve_the_circuit_does() -> None:
    game = game_of("tic_tac_toe")
    solver = NetworkSolver(game, Slow(CircuitResolver(game.program)), "slow")
    search = MacUcbSearch(game, solver, MacUcbOptions(memory=16, samples=4), 1)
    search.set_root(game.initial_position())
    search.run(Deadline(None), 20)
    same_trees(search, search_of(game, iterations=20))
    assert search.statistics.fallbacks == search.statistics.solved > 0


class Asked:
    """Notes the limits that it is given."""

    def __init__(self, resolver: Resolver) -> None:
        self.program = resolver.program
        self.limits: list[Limits | None] = []
        self._resolver = resolver

    def resolve(self, position: GroundPosition, limits: Limits | None = None) -> Resolution:
        self.limits.append(limits)
        return self._resolver.resolve(position, limits)


@pytest.mark.parametrize(("seconds", "iterations"), [(30.0, 1), (30.0, None), (None, 1)])
def test_a_micro_scsp_has_a_share_of_the_time_that_there_is(seconds: float | None, iterations: int | None) -> None:
    game = game_of("tic_tac_toe")
    resolver = Asked(CircuitResolver(game.program))
    search = MacUcbSearch(game, NetworkSolver(game, resolver, "asked"), MacUcbOptions(memory=16, samples=4), 1)
    search.set_root(game.initial_position())
    search.run(Deadline(seconds), iterations)
    first = resolver.limits[0]
    if seconds is None:
        assert first is None
    else:
        assert first is not None
        assert first.seconds == pytest.approx(search.options.shares.solving * seconds, rel=0.1)


def test_large_networks_are_not_built_in_no_time() -> None:
    game = game_of("connect_four")
    assert can_build(game, 10.0)
    assert not can_build(game, 1e-4)
    solver: StageSolver = make_solver(game, "mac", 1e-4)
    assert isinstance(solver, CircuitSolver)
    assert solver.name == "circuit (no time for mac)"
    with pytest.raises(UsageError, match="expected the resolver mac, fc or circuit, found 'sat'"):
        make_solver(game, "sat", 1.0)


@pytest.mark.skipif(JIT_DISABLED, reason="many positions")
def test_memory_is_bounded_and_what_is_known_is_kept() -> None:
    game = game_of("connect_four")
    search = search_of(game, iterations=20_000, memory=4)
    assert search.statistics.collections > 0
    sizes = search.tree.sizes[:4]
    room = (
        len(search.tree.stages),
        len(search.tree.arms),
        len(search.tree.outcome_stage),
        len(search.tree.option_move),
    )
    assert (sizes <= np.array(room)).all()
    explanation = advise(search, 0)
    assert explanation is not None
    assert explanation.move == ("drop", "4")
    arms = layout.arms_of(search.tree, search.root)
    assert search.tree.arm_pulls[arms].sum() == pytest.approx(search.tree.pulls[search.root])


def test_what_is_known_of_a_position_is_kept_from_move_to_move() -> None:
    game = game_of("tic_tac_toe")
    search = search_of(game, iterations=100)
    position = game.next_position(game.initial_position(), [("place", "2", "2"), "wait"])
    search.set_root(position)
    assert search.tree.pulls[search.root] > 0
    assert search.statistics.solved == 0


@pytest.mark.parametrize("text", ["90", "90:x", "0:10", "90:0", "1:2:3:4", "50:-1"])
def test_shares_that_make_no_sense(text: str) -> None:
    with pytest.raises(UsageError, match="expected shares SOLVING:SAMPLING"):
        Shares.read(text)


def test_shares() -> None:
    assert Shares.read("45:30:25") == Shares(0.45, 0.3, 0.25)
    assert Shares.read("75:25") == Shares(0.75, 0.25, 0.0)
    with pytest.raises(UsageError, match="samples must be 1 or more, found 0"):
        MacUcbOptions(samples=0)
