"""The examples of "Constraint-Based Symmetry Detection in General Game Playing" (IJCAI 2017).

Of the symmetries in examples 3 and 5 these tests show that the permutations which the paper names keep the rules and
the one-stage network; that they are found as automorphisms of graphs is not a matter of networks.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction

import pytest

from woodstock.cp.solver import Solver
from woodstock.gdl.sheet import parse_rules
from woodstock.gdl.terms import GroundTerm
from woodstock.ground import GroundProgram, ground
from woodstock.scsp.game_fluents import Encoding
from woodstock.scsp.game_network import GameNetwork
from woodstock.scsp.one_stage import OneStage
from woodstock.scsp.sequence import StageSequence

# Example 1: randomised tic-tac-toe on a 2 × 2 grid. The paper prints the rules (6a), (6b) and three of those for
# `next`; the others are written here. A player who is to move chooses a line that has a free cell; chance marks one of
# them in the turn after. In a grid of this size any two cells are in one row, column or diagonal.
RULES = """
(role random) (role 1) (role 2)
(other 1 2) (other 2 1)
(init (cell x1 y1 *)) (init (cell x1 y2 *)) (init (cell x2 y1 *)) (init (cell x2 y2 *))
(init (control 1))
(<= (legal ?i (chooseRow ?x)) (true (control ?i)) (true (cell ?x ?y *)))
(<= (legal ?i (chooseCol ?y)) (true (control ?i)) (true (cell ?x ?y *)))
(<= (legal ?i noop) (other ?i ?j) (not (true (control ?i))))
(<= (legal random (mark ?x ?y ?i)) (true (row ?x ?i)) (true (cell ?x ?y *)))
(<= (legal random (mark ?x ?y ?i)) (true (col ?y ?i)) (true (cell ?x ?y *)))
(<= (legal random noop) (true (control ?i)))
(<= (next (row ?x ?i)) (does ?i (chooseRow ?x)))
(<= (next (col ?y ?i)) (does ?i (chooseCol ?y)))
(<= (next (cell ?x ?y ?i)) (does random (mark ?x ?y ?i)))
(<= (next (cell ?x ?y ?v)) (true (cell ?x ?y ?v)) (not (marked ?x ?y)))
(<= (marked ?x ?y) (does random (mark ?x ?y ?i)))
(<= (next (control ?j)) (does random (mark ?x ?y ?i)) (other ?i ?j))
(<= (filled ?i) (other ?i ?j) (true (cell ?x y1 ?i)) (true (cell ?x y2 ?i)))
(<= (filled ?i) (other ?i ?j) (true (cell x1 ?y ?i)) (true (cell x2 ?y ?i)))
(<= (filled ?i) (other ?i ?j) (true (cell x1 y1 ?i)) (true (cell x2 y2 ?i)))
(<= (filled ?i) (other ?i ?j) (true (cell x1 y2 ?i)) (true (cell x2 y1 ?i)))
(<= terminal (filled ?i))
(<= (goal ?i 100) (filled ?i))
(<= (goal ?i 0) (other ?i ?j) (filled ?j))
(<= (goal ?i 50) (other ?i ?j) (not (filled ?i)) (not (filled ?j)))
(goal random 100)
"""

ROWS, COLUMNS, PLAYERS = ("x1", "x2"), ("y1", "y2"), ("1", "2")
Cells = dict[tuple[str, str], str]
Body = frozenset[GroundTerm]


@pytest.fixture(scope="module")
def program() -> GroundProgram:
    return ground(parse_rules(RULES), use_cache=False)


@pytest.fixture(scope="module")
def one_stage(program: GroundProgram) -> tuple[GameNetwork, OneStage]:
    game = GameNetwork(program)
    return game, OneStage(game.stochastic())


def position(game: GameNetwork, cells: Cells, *others: GroundTerm) -> tuple[int, ...]:
    """Return the position with some marks, in which all other cells are free, and further fluents."""
    marks = {(x, y): cells.get((x, y), "*") for x in ROWS for y in COLUMNS}
    return game.number_fluents([*(("cell", x, y, mark) for (x, y), mark in marks.items()), *others])


def bodies_of_marks(program: GroundProgram) -> dict[GroundTerm, set[Body]]:
    """Return, for each mark of chance, the bodies of the rules that make it legal; all their literals are fluents."""
    start = program.move_start[program.roles.index("random")]
    found: dict[GroundTerm, set[Body]] = {}
    for number, move in enumerate(program.moves[program.roles.index("random")]):
        if move != "noop":
            rules = (program.rule_head == program.legal_atom[start + number]).nonzero()[0]
            bodies = [program.body_data[program.body_start[rule] : program.body_start[rule + 1]] for rule in rules]
            assert all((body & 1 == 0).all() and (body >> 1 <= program.num_fluents).all() for body in bodies)
            found[move] = {frozenset(program.fluents[(literal >> 1) - 1] for literal in body) for body in bodies}
    return found


def test_example_2_the_rules_are_each_replaced_with_8_ground_formulas(program: GroundProgram) -> None:
    # Both rules are "each replaced with 8 ground formulas, obtained by instantiating the variables" X, Y and I.
    bodies = bodies_of_marks(program)
    assert set(bodies) == {("mark", x, y, i) for x in ROWS for y in COLUMNS for i in PLAYERS}
    pairs = [(move, body) for move, found in bodies.items() for body in found]
    by_row = [(move, body) for move, body in pairs if ("row", move[1], move[3]) in body]
    by_column = [(move, body) for move, body in pairs if ("col", move[2], move[3]) in body]
    assert (len(by_row), len(by_column), len(pairs)) == (8, 8, 16)


def test_example_2_formulas_8a_and_8b(program: GroundProgram) -> None:
    free = ("cell", "x1", "y2", "*")
    assert bodies_of_marks(program)["mark", "x1", "y2", "1"] == {
        frozenset({("row", "x1", "1"), free}),
        frozenset({("col", "y2", "1"), free}),
    }


@pytest.mark.parametrize(("marked", "num_free"), [({}, 2), ({("x1", "y1"): "2"}, 1)])
def test_example_2_all_free_positions_of_the_row_are_equally_likely(
    one_stage: tuple[GameNetwork, OneStage], marked: Cells, num_free: int
) -> None:
    # "If we assume that in the current state s, the first player has chosen row x1, and the number of free positions in
    # x1 is y, then the probability distribution […] is simply 1/y." The profile is that of chance and two players.
    game, stage = one_stage
    state = position(game, marked, ("row", "x1", "1"))
    solutions = stage.solve(game.stages[0].fluents, game.places(state))
    assert len(solutions) == 1
    paths = list(solutions.paths(0))
    assert [path.probability for path in paths] == [Fraction(1, num_free)] * num_free
    profiles = [game.step(path.places).moves for path in paths]
    assert (("mark", "x1", "y2", "1"), "noop", "noop") in profiles
    successors = {game.step(path.places).successor for path in paths}
    assert len(successors) == num_free


def test_example_3_the_permutation_keeps_both_formulas(program: GroundProgram) -> None:
    # "An automorphism of this graph can be obtained by permuting the nodes r1, true2 and row(x1, 1), with r2, true3 and
    # col(y2, 1), respectively."
    exchanged: dict[GroundTerm, GroundTerm] = {
        ("row", "x1", "1"): ("col", "y2", "1"),
        ("col", "y2", "1"): ("row", "x1", "1"),
    }
    formulas = bodies_of_marks(program)["mark", "x1", "y2", "1"]
    image = {frozenset(exchanged.get(fluent, fluent) for fluent in body) for body in formulas}
    assert image == formulas
    assert all(body != frozenset(exchanged.get(fluent, fluent) for fluent in body) for body in formulas)


@pytest.mark.parametrize("values", list(itertools.product((False, True), repeat=3)))
def test_example_4_the_completed_rule_as_a_constraint(program: GroundProgram, values: tuple[bool, bool, bool]) -> None:
    # "the value (x1, y2, 1) is allowed for the action variable mark_0,t iff the fluent variable cell(x1, y2, *)_t is
    # true, and at least one of the fluent variables row(x1, 1)_t and col(y2, 1)_t is true."
    game = GameNetwork(program, encoding=Encoding.BOOLEAN)
    network = game.network
    solver = Solver(network)
    names = ("row x1 1 @ 1", "col y2 1 @ 1", "cell x1 y2 * @ 1", "terminal @ 1")
    variables = [network.names.index(name) for name in names]
    assert all(network.domains[var] == (False, True) for var in variables)
    assert solver.fix(variables, [*map(int, values), 0])
    action = game.stages[0].chance
    place = network.domains[action].index("mark x1 y2 1")
    row, column, free = values
    assert (place in solver.domain(action)) == (free and (row or column))


def test_example_4_the_cell_is_marked_next_if_and_only_if_that_is_drawn(program: GroundProgram) -> None:
    # "the fluent variable cell(x1, y2, 1)_t+1 is true at turn t + 1 iff the value of mark_0,t at turn t is
    # (x1, y2, 1)". With the printed rule alone a mark would vanish again; the rules above have a second one that keeps
    # it, so the cell is free here at turn t.
    game = GameNetwork(program, encoding=Encoding.BOOLEAN)
    network = game.network
    free, mine, theirs = (network.names.index(f"cell x1 y2 {mark} @ 1") for mark in ("*", "1", "2"))
    after = network.names.index("cell x1 y2 1 @ 2")
    action = game.stages[0].chance
    solver = Solver(network)
    assert solver.fix((free, mine, theirs), (1, 0, 0))
    marks = [place for place, value in enumerate(network.domains[action]) if value is not None]
    assert len(marks) == 9
    for place in marks:
        solver.push()
        assert solver.assign(action, place)
        assert solver.domain(after) == (int(network.domains[action][place] == "mark x1 y2 1"),)
        solver.pop()


Pair = tuple[GroundTerm, GroundTerm]


def exchange(pairs: dict[str, str]) -> Callable[[GroundTerm], GroundTerm]:
    """Return what exchanges symbols in the arguments of a move."""
    return lambda move: (move[0], *(pairs.get(part, part) for part in move[1:]))  # type: ignore[arg-type]


def transpose(move: GroundTerm) -> GroundTerm:
    """Exchange x and y: rows become columns, and a cell the one on the other side of the diagonal."""
    names = {"x1": "y1", "x2": "y2", "y1": "x1", "y2": "x2"}
    if move[0] == "mark":
        return ("mark", names[str(move[2])], names[str(move[1])], move[3])
    return ({"chooserow": "choosecol", "choosecol": "chooserow"}[str(move[0])], names[str(move[1])])


EXAMPLE_5 = {("x1", "y1"): "1", ("x2", "y2"): "2"}
NUMBERS = exchange({"x1": "x2", "x2": "x1", "y1": "y2", "y2": "y1"})


@pytest.fixture(scope="module")
def third(program: GroundProgram) -> set[Pair]:
    """The choices of player 1 and marks of chance that go together in the third stage of the paper.

    In the paper a stage has the choice and the mark; by the rules the mark comes one turn later.
    """
    game = GameNetwork(program, horizon=2)
    state = position(game, EXAMPLE_5, ("control", "1"))
    game.network.add(game.position_clauses(state))
    rows = Solver(game.network).enumerate().places
    chance, player = program.roles.index("random"), program.roles.index("1")
    pairs = set()
    for row in rows:
        first, second = game.step(row, 1), game.step(row, 2)
        assert first.moves is not None
        assert second.moves is not None
        pairs.add((first.moves[player], second.moves[chance]))
    return pairs


def test_example_5_the_legal_moves_of_the_third_stage(third: set[Pair]) -> None:
    assert third == {
        (("chooserow", "x1"), ("mark", "x1", "y2", "1")),
        (("chooserow", "x2"), ("mark", "x2", "y1", "1")),
        (("choosecol", "y1"), ("mark", "x2", "y1", "1")),
        (("choosecol", "y2"), ("mark", "x1", "y2", "1")),
    }


@pytest.mark.parametrize("permutation", [NUMBERS, transpose])
def test_example_5_the_permutations_keep_what_is_allowed(
    third: set[Pair], permutation: Callable[[GroundTerm], GroundTerm]
) -> None:
    # "the automorphism obtained by permuting the symbols 1 and 2 in the values of the action variables […] Analogously,
    # the automorphism given by permuting the symbols x and y in those values". As they permute the values, they keep
    # the disallowed pairs if and only if they keep the allowed ones. (1 and 2 as names of players are not permuted.)
    image = {(permutation(choice), permutation(mark)) for choice, mark in third}
    assert image == third
    assert any(permutation(choice) != choice for choice, _ in third)


def test_example_5_all_legal_moves_of_player_1_are_symmetrical(third: set[Pair]) -> None:
    # "We can here observe that all legal moves for player 1 are symmetrical."
    choices = {choice for choice, _ in third}
    reached: set[GroundTerm] = {("chooserow", "x1")}
    while True:
        more = reached | {permutation(choice) for permutation in (NUMBERS, transpose) for choice in reached}
        if more == reached:
            break
        reached = more
    assert reached == choices
    assert NUMBERS(("chooserow", "x1")) == ("chooserow", "x2")
    assert NUMBERS(("choosecol", "y1")) == ("choosecol", "y2")
    assert transpose(("chooserow", "x1")) == ("choosecol", "y1")
    assert transpose(("chooserow", "x2")) == ("choosecol", "y2")


def test_example_5_symmetrical_moves_have_the_same_worth(program: GroundProgram) -> None:
    # All of them win, whatever chance draws: player 1 gets a second cell, and any two are in one line.
    game = GameNetwork(program, horizon=2, with_outcome=True)
    game.network.add(game.position_clauses(position(game, EXAMPLE_5, ("control", "1"))))
    found = StageSequence(game.stochastic()).feasible_policies().found
    assert [policy.utilities for policy in found] == [(Fraction(1), Fraction(0))] * 4
