"""Games as networks: their solutions are the joint moves and what they lead to, in every game and encoding."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from naive.game_network import (
    NaiveSolver,
    fixed_position,
    random_positions,
    told_by_game,
    told_by_network,
)
from naive.small_games import ALL_GAMES, program_of, random_game
from woodstock.common.errors import UsageError
from woodstock.common.jit import JIT_DISABLED
from woodstock.cp.constraints import Clauses, Founded, Int32Array
from woodstock.cp.network import Network
from woodstock.cp.solver import Solver, Status
from woodstock.game.ground_game import GroundGame, GroundPosition
from woodstock.game.load import load_rules
from woodstock.games import game_names
from woodstock.ground import GroundProgram, ground
from woodstock.ground.evaluation import Evaluator
from woodstock.ground.exclusion import Exclusions, prove_exclusions
from woodstock.scsp.game_fluents import Encoding
from woodstock.scsp.game_network import MAX_STAGES, GameNetwork
from woodstock.scsp.game_vars import NO_VAR, VarKind
from woodstock.scsp.one_stage import OneStage
from woodstock.scsp.scopes import mentions, same_variables

NUM_POSITIONS = 3 if JIT_DISABLED else 10
NUM_RANDOM_GAMES = 15 if JIT_DISABLED else 25
MAX_JOINT_MOVES = 6
NUM_LENGTHS = 3

GOALS = """
(role a) (role b) (init (n 0)) (legal a go) (legal b wait) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
(<= (next (n ?y)) (true (n ?x)) (succ ?x ?y))
(<= terminal (not (true (n 0))))
(<= (goal a 40) (true (n 1))) (<= (goal a 100) (true (n 2))) (<= (goal a 40) (true (n 2)))
(<= (goal a win) (true (n 3))) (<= (goal a 0) (true (n 4)))
(goal b 70)
"""
"""Ends at once; then one goal, two goals, one that is no number, one that is 0."""


@cache
def bundled(name: str) -> GroundProgram:
    return ground(load_rules(name))


@cache
def proved(name: str) -> Exclusions:
    return prove_exclusions(bundled(name), with_latches=False)


def network_of(
    name: str, horizon: int = 1, *, encoding: Encoding = Encoding.MULTIVALUED, **options: bool
) -> GameNetwork:
    """Return the network of a bundled game; proofs, which take long without the compiler, are made once."""
    exclusions = proved(name) if encoding == Encoding.MULTIVALUED else None
    return GameNetwork(bundled(name), horizon, encoding=encoding, exclusions=exclusions, **options)


class FastSolver:
    """The same interface as `NaiveSolver`, on the solver."""

    def __init__(self, network: Network, decisions: Iterable[int]) -> None:
        self.solver = Solver(network, decisions=tuple(decisions))

    def solutions(self, fixed: dict[int, int]) -> Int32Array:
        self.solver.push()
        try:
            if not self.solver.fix(list(fixed), list(fixed.values())):
                return np.zeros((0, self.solver.network.num_vars), np.int32)
            found = self.solver.enumerate()
            assert found.status is Status.COMPLETE
            return found.places
        finally:
            self.solver.pop()


def check(game: GameNetwork, solver: NaiveSolver | FastSolver, positions: Iterable[GroundPosition]) -> None:
    """Compare the solutions with what the ground game says."""
    ground_game = GroundGame(game.program)
    for position in positions:
        solutions = solver.solutions(fixed_position(game, position))
        assert told_by_network(game, solutions, position) == told_by_game(ground_game, position), position


@pytest.mark.parametrize("encoding", Encoding)
@pytest.mark.parametrize("name", game_names())
def test_bundled_games(name: str, encoding: Encoding) -> None:
    game = network_of(name, encoding=encoding)
    positions = random_positions(GroundGame(game.program), 5, NUM_POSITIONS)
    check(game, FastSolver(game.network, game.stages[0].actions), positions)


@pytest.mark.parametrize("encoding", Encoding)
@pytest.mark.parametrize("name", ALL_GAMES)
def test_small_games(name: str, encoding: Encoding) -> None:
    game = GameNetwork(program_of(ALL_GAMES[name]), encoding=encoding)
    check(game, NaiveSolver(game.network), random_positions(GroundGame(game.program), 6, 4))


@pytest.mark.parametrize("encoding", Encoding)
def test_random_games(encoding: Encoding) -> None:
    """Loops, chance, percepts and goals of all kinds; in the Boolean encoding any position is as good as another."""
    counts: Counter[str] = Counter()
    for seed in range(NUM_RANDOM_GAMES):
        rng = np.random.default_rng(seed)
        program = random_game(rng)
        if seed % 3 == 0:
            program = replace(program, roles=("random", *program.roles[1:]))
        game = GameNetwork(program, encoding=encoding)
        ground_game = GroundGame(program)
        positions = random_positions(ground_game, seed, 3)
        if encoding == Encoding.BOOLEAN:
            rows = rng.random((3, program.num_fluents)) < 0.5
            positions += [tuple(np.flatnonzero(row).tolist()) for row in rows]
        check(game, NaiveSolver(game.network), positions)
        counts["terminal"] += sum(map(ground_game.is_terminal, positions))
        counts["loops"] += any(isinstance(entry, Founded) for entry in game.network.constraints)
        counts["chance"] += game.stages[0].chance != NO_VAR
    assert min(counts[kind] for kind in ("terminal", "loops", "chance")) > NUM_RANDOM_GAMES // 10, counts


@pytest.mark.parametrize("encoding", Encoding)
def test_goals_that_are_not_one_number_count_as_nothing(encoding: Encoding) -> None:
    program = program_of(GOALS)
    game = GameNetwork(program, encoding=encoding)
    solver = NaiveSolver(game.network)
    goals = {}
    for number in range(5):
        position = game.number_fluents([("n", str(number))])
        (places,) = solver.solutions(fixed_position(game, position))
        goals[number] = game.step(places).goals
    assert goals == {0: (None, None), 1: (40, 70), 2: (0, 70), 3: (0, 70), 4: (0, 70)}


@pytest.mark.parametrize("encoding", Encoding)
@pytest.mark.parametrize("name", ["nim", "hex_small", "monty_hall"])
def test_stages_are_paths_of_the_game(name: str, encoding: Encoding) -> None:
    """Every path through three stages is a solution, near the end too, where the last position is repeated."""
    game = network_of(name, 3, encoding=encoding, with_outcome=True)
    ground_game = GroundGame(game.program)
    solver = FastSolver(game.network, [var for stage in game.stages for var in stage.actions])
    lengths: set[int] = set()
    for position in random_positions(ground_game, 1, 80):
        if len(told_by_game(ground_game, position)) <= MAX_JOINT_MOVES and len(lengths) < NUM_LENGTHS:
            expected = count_paths(ground_game, position, 3)
            solutions = solver.solutions(fixed_position(game, position))
            assert len(solutions) == expected
            for places in solutions[:: max(1, len(solutions) // 5)]:
                check_path(game, ground_game, places)
            lengths.add(expected)
    assert len(lengths) == NUM_LENGTHS


def count_paths(game: GroundGame, position: GroundPosition, length: int) -> int:
    """Return the number of sequences of joint moves; at the end there is one way to go on."""
    if length == 0:
        return 1
    return sum(count_paths(game, told.successor, length - 1) for told in told_by_game(game, position))


def check_path(game: GameNetwork, ground_game: GroundGame, places: Int32Array) -> None:
    """Check that the stages of a solution follow each other by legal moves."""
    for number in range(1, game.horizon + 1):
        step = game.step(places, number)
        told = {(told.moves, told.successor, told.goals) for told in told_by_game(ground_game, step.position)}
        assert (step.moves, step.successor, step.goals) in told
    last = game.stages[-1]
    fluents = game.template.stage.fluents.fluents(places[last.fluents])
    assert bool(places[last.terminal]) == ground_game.is_terminal(fluents)


def test_only_next_links_stages() -> None:
    game = network_of("tic_tac_toe", 3)
    stage_of = np.concatenate([np.full(game.template.num_vars, number) for number in (1, 2, 3)])
    stage_of = np.concatenate([stage_of, np.full(len(game.stages[3].fluents), 4)])
    for entry in game.network.constraints:
        rows, variables = mentions(game.network, entry)
        for row in np.unique(rows):
            stages = set(stage_of[variables[rows == row]].tolist())
            later = variables[(rows == row) & (stage_of[variables] == max(stages))]
            assert max(stages) - min(stages) <= 1
            assert len(stages) == 1 or (game.kinds[later] == VarKind.FLUENT).all()


def test_variables_are_called_by_the_words_of_the_game() -> None:
    game = network_of("monty_hall", 2, with_outcome=True)
    names = game.network.names
    assert len(set(names)) == len(names)
    stage = game.stages[1]
    assert names[stage.terminal] == "terminal @ 2"
    assert [names[var] for var in stage.actions] == [f"action {role} @ 2" for role in game.program.roles]
    assert {names[var].split(" ")[0] for var in stage.chance_legal} == {"may"}
    assert {names[var].split(" ")[0] for var in stage.percepts} == {"sees"}
    assert game.network.domains[stage.chance][-1] is None
    last = game.stages[2]
    assert (last.actions, last.chance, len(last.percepts)) == ((), NO_VAR, 0)
    assert names[last.terminal] == "terminal @ 3"
    assert len(game.kinds) == game.network.num_vars


@pytest.mark.parametrize("with_outcome", [False, True])
def test_kinds_tell_what_variables_are(with_outcome: bool) -> None:
    game = network_of("monty_hall", 2, with_outcome=with_outcome)
    expected = dict.fromkeys(range(game.network.num_vars), VarKind.AUXILIARY)
    for stage in game.stages:
        expected |= dict.fromkeys(stage.fluents.tolist(), VarKind.FLUENT)
        expected |= dict.fromkeys(stage.actions, VarKind.ACTION) | {stage.chance: VarKind.CHANCE}
        expected |= dict.fromkeys(stage.chance_legal, VarKind.CHANCE_LEGAL)
        expected |= dict.fromkeys(stage.percepts, VarKind.PERCEPT)
        expected |= dict.fromkeys(stage.utilities, VarKind.UTILITY) | {stage.terminal: VarKind.TERMINAL}
    expected.pop(NO_VAR, None)
    assert game.kinds.tolist() == [expected[var] for var in range(game.network.num_vars)]


@pytest.mark.parametrize(("with_outcome", "stage"), [(False, 2), (True, 3)])
def test_utilities_count_once_at_the_last_stage(with_outcome: bool, stage: int) -> None:
    game = network_of("pig", 2, with_outcome=with_outcome)
    assert game.last_outcome.number == stage
    scopes = [utility.scope for utility in game.network.utilities]
    assert scopes == [(var,) for var in game.last_outcome.utilities if var != NO_VAR]
    assert len(scopes) == len(game.players) == 2
    values = game.network.domains[scopes[1][0]]
    worth = np.asarray(game.network.utilities[1].utilities)
    assert worth.tolist() == [[0, value / 100] for value in values]  # type: ignore[operator]


def test_the_best_way_to_go_on() -> None:
    """Lights out is for one player: what the solver finds best is what the game gives at best."""
    program = program_of(
        "(role a) (init (n 0)) (succ 0 1) (succ 1 2) (<= (legal a (add ?k)) (succ ?j ?k)) (legal a stay)"
        "(<= (next (n ?k)) (does a (add ?k)) (true (n 0))) (<= (next (n ?x)) (does a stay) (true (n ?x)))"
        "(<= terminal (not (true (n 0)))) (<= (goal a 30) (true (n 1))) (<= (goal a 80) (true (n 2)))"
    )
    game = GameNetwork(program, 2, with_outcome=True)
    solver = Solver(game.network)
    assert solver.fix(game.stages[0].fluents, game.places(game.initial_position()))
    best = solver.best(0)
    assert best.utility == pytest.approx(0.8)
    assert best.places is not None
    assert [game.step(best.places, stage).moves for stage in (1, 2)].count((("add", "2"),)) == 1


def test_init_is_unary() -> None:
    game = network_of("tic_tac_toe")
    clauses = game.position_clauses(game.initial_position())
    assert isinstance(clauses, Clauses)
    assert np.diff(clauses.start).tolist() == [1] * len(game.stages[0].fluents)
    solver = Solver(same_variables(game.network, [*game.network.constraints, clauses]))
    assert len(solver.enumerate()) == 9
    second = game.position_clauses(game.initial_position(), 2)
    assert {game.network.var_of_choice(literal >> 1) for literal in second.data.tolist()} == set(
        game.stages[1].fluents.tolist()
    )


def test_propagation_of_a_position_leaves_the_legal_moves() -> None:
    game = network_of("connect_four")
    ground_game = GroundGame(game.program)
    solver = Solver(game.network)
    for position in random_positions(ground_game, 3, NUM_POSITIONS):
        solver.push()
        assert solver.fix(game.stages[0].fluents, game.places(position))
        for role, var in enumerate(game.stages[0].actions):
            left = solver.domain(var)
            moves = game.program.moves[role]
            legal = () if ground_game.is_terminal(position) else ground_game.legal_moves(position, role)
            assert tuple(moves[place] for place in left if place < len(moves)) == legal
        solver.pop()


def test_joint_moves_as_places() -> None:
    game = network_of("rock_paper_scissors")
    position = game.initial_position()
    moves = [legal[0] for legal in (GroundGame(game.program).legal_moves(position, role) for role in (0, 1))]
    solver = Solver(game.network)
    first = game.stages[0]
    assert solver.fix(first.fluents, game.places(position))
    assert solver.fix(first.actions, game.places_of_moves(moves))
    (places,) = solver.enumerate().places
    assert game.step(places).moves == tuple(moves)
    with pytest.raises(UsageError, match=r"has no move \(fly away\)"):
        game.places_of_moves([("fly", "away"), moves[1]])


def test_chance_is_uniform_over_what_is_legal() -> None:
    program = bundled("pig")
    game = network_of("pig")
    stochastic = game.stochastic()
    (table,) = stochastic.tables
    stage = game.stages[0]
    assert (table.var, stochastic.num_players) == (stage.chance, 2)
    ground_game = GroundGame(program)
    role = program.roles.index("random")
    solver = FastSolver(game.network, stage.actions)
    for position in random_positions(ground_game, 2, NUM_POSITIONS):
        for places in solver.solutions(fixed_position(game, position)):
            moves = program.moves[role]
            legal = [] if ground_game.is_terminal(position) else ground_game.legal_moves(position, role)
            expected = {moves.index(move): Fraction(1, len(legal)) for move in legal} or {len(moves): Fraction(1)}
            assert table.distribution(places) == expected


@pytest.mark.parametrize("name", ["matching_pennies", "pig", "rock_paper_scissors"])
def test_one_stage_problems_are_solved_by_the_decisions_of_the_players(name: str) -> None:
    game = network_of(name)
    ground_game = GroundGame(game.program)
    problem = OneStage(game.stochastic())
    for position in random_positions(ground_game, 9, 5):
        found = problem.solve(game.stages[0].fluents, game.places(position))
        expected = {
            told.moves and tuple(told.moves[role] for role in game.players)
            for told in told_by_game(ground_game, position)
        }
        assert found.status is Status.COMPLETE
        assert len(found) == len(expected)


def test_games_without_chance_have_no_stochastic_variable() -> None:
    assert network_of("nim").stochastic().tables == ()


def test_many_positions_at_once() -> None:
    program = bundled("breakthrough_small")
    game = network_of("breakthrough_small")
    positions = random_positions(GroundGame(program), 8, 20)
    rows = np.zeros((len(positions), program.num_fluents), np.bool_)
    for row, position in zip(rows, positions, strict=True):
        row[list(position)] = True
    assert np.array_equal(game.places_of_rows(rows), [game.places(position) for position in positions])


def test_fluents_by_their_terms() -> None:
    game = network_of("nim")
    terms = [game.program.fluents[number] for number in game.initial_position()]
    assert game.number_fluents(terms) == game.initial_position()
    with pytest.raises(UsageError, match=r"\(heap 9 9\) is no fluent of this game"):
        game.number_fluents([("heap", "9", "9")])


@pytest.mark.parametrize("horizon", [0, -1, MAX_STAGES + 1])
def test_wrong_horizons_are_refused(horizon: int) -> None:
    with pytest.raises(UsageError, match=f"expected 1 to {MAX_STAGES} stages, found {horizon}"):
        network_of("nim", horizon)


def test_an_unknown_position_is_open() -> None:
    """Without a position, the solutions are the joint moves of all positions that the encoding can write."""
    program = program_of(ALL_GAMES["endless"])
    game = GameNetwork(program, encoding=Encoding.BOOLEAN)
    evaluator = Evaluator(program)
    assert program.num_fluents == 1
    expected = sum(len(told_by_game(GroundGame(program), position)) for position in ((), (0,)))
    assert len(NaiveSolver(game.network).solutions({})) == expected
    assert evaluator.position([]).any()
