"""One-stage networks: their parts, forward checking, and all solutions."""

from __future__ import annotations

import random
from fractions import Fraction

import numpy as np
import pytest

from naive.networks import brute_force
from naive.stochastic import feasible_policies as naive_policies
from naive.stochastic import random_one_stage, relation, satisfactions
from woodstock.common.errors import UsageError
from woodstock.common.limits import Limits
from woodstock.cp.constraints import Gates
from woodstock.cp.network import Network
from woodstock.cp.solver import Solver, Status, Strength
from woodstock.game.ground_game import GroundGame
from woodstock.game.load import load_rules
from woodstock.ground import ground
from woodstock.scsp.chance import ProbabilityTable, uniform
from woodstock.scsp.feasibility import find_feasible
from woodstock.scsp.game_fluents import Encoding
from woodstock.scsp.game_network import GameNetwork
from woodstock.scsp.one_stage import OneStage
from woodstock.scsp.scopes import same_variables
from woodstock.scsp.split import split_network
from woodstock.scsp.stochastic import StochasticNetwork

THIRD = Fraction(1, 3)


# The two parts.


def test_both_parts_together_have_the_solutions_of_the_network() -> None:
    rng = random.Random(11)
    for _ in range(40):
        network = random_one_stage(rng)
        split = split_network(network)
        parts = same_variables(network.network, [*split.decision_part.constraints, *split.stochastic_part.constraints])
        assert brute_force(parts) == brute_force(network.network)
        assert (*split.decisions, *split.chances, *split.later) == network.order
        assert set(split.scope) <= set(split.decisions)


def test_a_gate_that_defines_what_the_stochastic_part_mentions_belongs_to_both() -> None:
    network = Network()
    a, b, c, defined, further, y = network.add_vars(("a", "b", "c", "defined", "further", "y"))
    rows = [[network.literal(a), network.literal(further)], [network.literal(b), network.literal(c)]]
    outs = np.array([network.literal(defined), network.literal(further)], np.int32)
    network.add(Gates(outs, np.array([0, 2, 4]), np.array(rows, np.int32).ravel()))
    network.add(relation(network, (defined, y), lambda defined, y: defined or not y))
    stochastic = StochasticNetwork(network, (uniform(network, y),))
    split = split_network(stochastic)
    assert split.decision_part.num_constraints == 2
    assert split.stochastic_part.num_constraints == 3
    # Decisions come before what is defined by them; and each is tried with one value of that only.
    assert split.scope == (a, b, c, defined, further)
    found = find_feasible(stochastic, split, Solver(split.stochastic_part))
    assert np.asarray(found.constraint.tuples).tolist() == [[1, 1, 1, 1, 1]]


def test_a_network_in_which_chance_draws_again_later_is_refused() -> None:
    network = Network()
    network.add_vars("abcd")
    stochastic = StochasticNetwork(network, (uniform(network, 1), uniform(network, 3)))
    with pytest.raises(UsageError, match="one stage, found 2 stages"):
        OneStage(stochastic)


# Forward checking.


@pytest.mark.parametrize("strength", Strength)
def test_forward_checking_finds_the_decisions_that_hold_often_enough(strength: Strength) -> None:
    rng = random.Random(12)
    sizes = []
    for number in range(60):
        network = random_one_stage(rng)
        split = split_network(network)
        others = np.setdiff1d(range(network.network.num_vars), (*split.scope, *split.chances, *split.later))
        solver = Solver(split.stochastic_part, strength=strength)
        solver.fix(others, np.zeros(len(others), np.int64))
        required = (Fraction(1), Fraction(1, 2), Fraction(1, 10))[number % 3]
        found = find_feasible(network, split, solver, required)
        assert found.status is Status.COMPLETE
        part = StochasticNetwork(split.stochastic_part, network.tables, network.order)
        columns = [split.decisions.index(var) for var in split.scope]
        expected = {
            tuple(places[column] for column in columns): share
            for places, share in satisfactions(part).items()
            if share >= required
        }
        constraint = found.constraint
        order = [constraint.scope.index(var) for var in split.scope]
        rows = np.asarray(constraint.tuples)[:, order].tolist()
        totals = [sum(outcome.probability for outcome in outcomes) for outcomes in found.outcomes]
        assert dict(zip(map(tuple, rows), totals, strict=True)) == expected
        assert len(rows) == len(expected)
        sizes.append(len(rows))
    assert sum(size > 1 for size in sizes) > 10


def test_a_branch_is_given_up_as_soon_as_chance_can_break_it() -> None:
    network = Network()
    x = network.add_var("x", range(5))
    others = network.add_vars("abc", range(4))
    y = network.add_var("y", range(3))
    network.add(relation(network, (x, y), lambda x, y: x + y > 1))
    network.add(*(relation(network, (other, y), lambda other, y: True) for other in others))
    stochastic = StochasticNetwork(network, (uniform(network, y),))
    split = split_network(stochastic)
    found = find_feasible(stochastic, split, Solver(split.stochastic_part))
    assert len(found.tuples) == 3 * 4**3
    # x = 0 and x = 1 are left at once; below the others there is a node for each value and each draw.
    inner = 5 + 3 * (4 + 4**2 + 4**3)
    assert found.nodes == inner + 3 * len(found.tuples)


def test_the_probabilities_that_are_left_of_several_draws_are_multiplied() -> None:
    # Each of two coins alone keeps to its constraint in half of all cases, both in a quarter.
    network = Network()
    x, free = network.add_var("x", range(2)), network.add_var("free", range(50))
    first, second = network.add_vars(("first", "second"))
    for coin in (first, second):
        network.add(relation(network, (x, coin), lambda x, coin: x == 0 or coin))
    network.add(relation(network, (free, first), lambda free, first: True))
    stochastic = StochasticNetwork(network, (uniform(network, first), uniform(network, second)))
    split = split_network(stochastic)
    solver = Solver(split.stochastic_part)
    assert len(find_feasible(stochastic, split, solver, Fraction(1, 4)).tuples) == 100
    found = find_feasible(stochastic, split, solver, Fraction(1, 3))
    assert len(found.tuples) == 50
    # Below x = 1 no value of the other variable is tried.
    assert found.nodes == 2 + 50 + 50 * (2 + 4)


def test_the_solver_is_where_it_was() -> None:
    network = random_one_stage(random.Random(14))
    split = split_network(network)
    solver = Solver(split.stochastic_part)
    before = [solver.domain(var) for var in range(network.network.num_vars)]
    find_feasible(network, split, solver)
    assert solver.level == 0
    assert [solver.domain(var) for var in range(network.network.num_vars)] == before


# All solutions.


@pytest.mark.parametrize("strength", Strength)
@pytest.mark.parametrize("prepares", [False, True])
def test_the_policies_are_those_that_trying_all_finds(strength: Strength, prepares: bool) -> None:
    rng = random.Random(15)
    kinds = set()
    for _ in range(30):
        network = random_one_stage(rng, most_policies=500)
        expected = naive_policies(network)
        solutions = OneStage(network, strength=strength, prepares=prepares).solve()
        found = [tuple(policy) for row in range(len(solutions)) for policy in solutions.policies(row)]
        assert solutions.status is Status.COMPLETE
        assert len(found) == len(set(found))
        assert set(found) == expected
        kinds.add((bool(expected), solutions.feasibility is None, bool(solutions.split.later)))
    assert len(kinds) >= 6


def test_the_feasibility_constraint_added_to_the_csp_gives_the_same_decisions() -> None:
    rng = random.Random(16)
    num_rows = 0
    for _ in range(30):
        network = random_one_stage(rng)
        solutions = OneStage(network).solve()
        if solutions.feasibility is None:
            continue
        split = solutions.split
        joined = same_variables(network.network, [*split.decision_part.constraints, solutions.feasibility.constraint])
        solver = Solver(joined)
        others = [*split.chances, *split.later]
        solver.fix(others, [0] * len(others))
        rows = solver.enumerate(columns=split.decisions).places.tolist()
        assert sorted(rows) == sorted(solutions.decisions.tolist())
        num_rows += len(rows)
    assert num_rows > 20


def test_given_values_leave_the_solutions_that_have_them() -> None:
    rng = random.Random(17)
    num_rows = 0
    for _ in range(30):
        network = random_one_stage(rng)
        stage = OneStage(network)
        decisions = stage.split.decisions
        everything = stage.solve()
        given = rng.sample(decisions, rng.randint(0, len(decisions)))
        places = [rng.randrange(len(network.network.domains[var])) for var in given]
        columns = [decisions.index(var) for var in given]
        kept = [row for row in everything.decisions.tolist() if [row[column] for column in columns] == places]
        assert sorted(stage.solve(given, places).decisions.tolist()) == sorted(kept)
        assert sorted(stage.solve().decisions.tolist()) == sorted(everything.decisions.tolist())
        num_rows += len(kept)
    assert num_rows > 10


def test_satisfaction_below_one() -> None:
    rng = random.Random(18)
    shares = set()
    for _ in range(30):
        network = random_one_stage(rng)
        expected = {places: share for places, share in satisfactions(network).items() if share >= THIRD}
        solutions = OneStage(network, satisfaction=THIRD).solve()
        rows = map(tuple, solutions.decisions.tolist())
        assert {row: solutions.satisfaction(number) for number, row in enumerate(rows)} == expected
        assert len(solutions) == len(expected)
        shares |= set(expected.values())
    assert len(shares) > 2
    with pytest.raises(UsageError, match="satisfaction above 0 and not above 1, found 0"):
        OneStage(network, satisfaction=Fraction(0))


def test_values_that_a_larger_network_forbids_are_not_tried() -> None:
    network = Network()
    x, y = network.add_var("x", range(4)), network.add_var("y", range(2))
    stochastic = StochasticNetwork(network, (uniform(network, y),))
    larger = same_variables(network, [relation(network, (x,), lambda x: x in (1, 2))])
    stage = OneStage(stochastic)
    assert stage.solve(context=Solver(larger)).decisions.tolist() == [[1], [2]]
    assert len(stage.solve()) == 4
    failed = same_variables(network, [relation(network, (x,), lambda x: False)])
    assert len(stage.solve(context=Solver(failed))) == 0


def test_chance_with_one_possibility_needs_no_feasibility_constraint() -> None:
    network = Network()
    x, y, z = network.add_vars("xyz")
    network.add(relation(network, (x, y, z), lambda x, y, z: z == (x and y)))
    table = ProbabilityTable(y, (x,), [(0,), (1,)], [(0, 1), (Fraction(1, 2), Fraction(1, 2))])
    stage = OneStage(StochasticNetwork(network, (table,)))
    certain, open_draw = stage.solve((x,), (0,)), stage.solve((x,), (1,))
    assert (certain.feasibility is None, open_draw.feasibility is None) == (True, False)
    assert [path.places.tolist() for path in certain.paths(0)] == [[0, 1, 0]]
    assert [path.places.tolist() for path in open_draw.paths(0)] == [[1, 0, 0], [1, 1, 1]]


def test_only_decisions_before_the_draw_can_be_given() -> None:
    network = Network()
    network.add_vars("xyz")
    stage = OneStage(StochasticNetwork(network, (uniform(network, 1),)))
    for var in (1, 2):
        with pytest.raises(UsageError, match="before the draw"):
            stage.solve((var,), (0,))


def test_limits_end_it_with_a_status() -> None:
    network = Network()
    variables = network.add_vars("abcd", range(3))
    y = network.add_var("y")
    network.add(*(relation(network, (var, y), lambda var, y: True) for var in variables))
    stage = OneStage(StochasticNetwork(network, (uniform(network, y),)))
    some = stage.solve(limits=Limits(nodes=50))
    assert some.status is Status.LIMIT
    assert len(some) < 50
    assert stage.solve(limits=Limits(seconds=1e-9)).status is Status.LIMIT
    everything = stage.solve(limits=Limits(seconds=600, nodes=10**6))
    assert (everything.status, len(everything)) == (Status.COMPLETE, 3**4)


# Games.


@pytest.mark.parametrize("encoding", Encoding)
@pytest.mark.parametrize("name", ["matching_pennies", "monty_hall", "pig", "rock_paper_scissors", "tic_tac_toe"])
def test_the_solutions_of_a_position_are_the_ways_in_which_the_game_goes_on(name: str, encoding: Encoding) -> None:
    program = ground(load_rules(name), use_cache=False)
    game, network = GroundGame(program), GameNetwork(program, encoding=encoding)
    stage = OneStage(network.stochastic())
    rng = random.Random(19)
    position = game.initial_position()
    num_chance = 0
    for _ in range(25):
        if game.is_terminal(position):
            position = game.initial_position()
        legal = [game.legal_moves(position, role) for role in range(len(program.roles))]
        chance = program.roles.index("random") if "random" in program.roles else None
        share = Fraction(1, 1 if chance is None else len(legal[chance]))
        solutions = stage.solve(network.stages[0].fluents, network.places(position))
        found = {}
        for row in range(len(solutions)):
            assert solutions.satisfaction(row) == 1
            for path in solutions.paths(row):
                step = network.step(path.places)
                assert step.moves is not None
                assert step.moves not in found
                found[step.moves] = step.successor, path.probability
        num_profiles = int(np.prod([len(moves) for role, moves in enumerate(legal) if role != chance]))
        assert len(solutions) == num_profiles
        assert len(found) == num_profiles / share
        for moves, (successor, probability) in found.items():
            assert all(move in options for move, options in zip(moves, legal, strict=True))
            assert successor == game.next_position(position, moves)
            assert probability == share
        num_chance += share < 1
        position = game.next_position(position, tuple(rng.choice(moves) for moves in legal))
    assert (num_chance > 0) == ("random" in program.roles)
