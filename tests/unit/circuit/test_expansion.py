"""Expansion against plain reasoners: every child of positions that random play comes to."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import islice, product
from typing import Any

import numpy as np
import pytest

from naive.expansion import NetworkGame, children_of, expand, look, row_of
from naive.small_games import ALL_GAMES, choice_sheet, program_of, random_game
from woodstock.circuit import expansion as module
from woodstock.circuit.circuit import NO_PHASE, Circuit
from woodstock.circuit.expansion import NO_GOAL, Expander, Expansion
from woodstock.circuit.expansion_ledger import (
    COUNT,
    KNOWS_KEYS,
    KNOWS_LEGAL,
    ORDER,
    PHASE,
    START,
    WINDOW,
    begin_ledger,
    count_children,
    new_ledger,
)
from woodstock.circuit.expansion_wiring import make_wiring
from woodstock.circuit.packing import num_words, pack
from woodstock.circuit.words import WIDTHS
from woodstock.common.errors import UsageError
from woodstock.common.jit import JIT_DISABLED
from woodstock.common.limits import Deadline
from woodstock.game.ground_game import GroundGame
from woodstock.game.load import load_rules
from woodstock.game.protocol import Game
from woodstock.game.reference import ReferenceGame
from woodstock.games import game_names
from woodstock.ground import GroundProgram, ground

QUICK = ["tic_tac_toe", "rock_paper_scissors", "matching_pennies", "pig", "monty_hall", "nim"]
GAMES = QUICK if JIT_DISABLED else game_names()
NUM_POSITIONS = 6 if JIT_DISABLED else 20
NUM_PROGRAMS = 5 if JIT_DISABLED else 40
MANY_LANES = 600
"""More than there are in a pass."""

GOALS = """
(role a) (role b) (init (n 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
(<= (legal a (to ?n)) (succ ?m ?n)) (legal b wait)
(<= (next (n ?n)) (does a (to ?n))) (<= terminal (true (n 4)))
(<= (goal a 10) (true (n 1))) (<= (goal a 20) (true (n 1)))
(<= (goal a win) (true (n 2))) (<= (goal a 101) (true (n 3))) (<= (goal a 100) (true (n 4)))
(<= (goal b 0) (not (true (n 0)))) (<= (goal b 00) (true (n 4)))
"""
"""Goals that are several, no numbers, too large, or the same number twice."""


@cache
def compiled(name: str) -> tuple[GroundProgram, GroundGame, Circuit]:
    program = ground(load_rules(name)) if name not in ALL_GAMES else program_of(ALL_GAMES[name])
    return program, GroundGame(program), Circuit(program)


def pack_positions(game: Game[Any], program: GroundProgram, positions: list[Any]) -> np.ndarray:
    bits = [row_of(program, game.fluents(position)) for position in positions]
    return pack(np.array(bits, np.bool_).reshape(len(positions), program.num_fluents))


def random_positions(game: Game[Any], count: int, seed: int) -> list[Any]:
    """Positions of random matches, those at the end too, in no order."""
    random = np.random.default_rng(seed)
    found = []
    position = game.initial_position()
    while len(found) < count:
        found.append(position)
        legal = [game.legal_moves(position, role) for role in range(len(game.roles))]
        if game.is_terminal(position) or not all(legal):
            position = game.initial_position()
        else:
            position = game.next_position(position, [moves[random.integers(len(moves))] for moves in legal])
    return [found[number] for number in random.permutation(count)]


def repeat(rows: np.ndarray, found: Expansion) -> np.ndarray:
    """The positions again and again, so that their children are more than the lanes of a pass."""
    return np.tile(rows, (2 + MANY_LANES // max(len(found.rows), 1), 1)) if len(found.rows) else rows


def assert_same(left: Expansion, right: Expansion) -> None:
    assert children_of(left) == children_of(right)
    assert (left.num_expanded, left.finished) == (right.num_expanded, right.finished)


def check(game: Game[Any], program: GroundProgram, circuit: Circuit, positions: list[Any]) -> None:
    """Compare expansions with a plain one, with both widths, of few positions and of many."""
    rows = pack_positions(game, program, positions)
    wanted = list(expand(game, program, positions))
    for width in WIDTHS:
        expander = Expander(circuit, width)
        found = expander.expand(rows)
        assert children_of(found) == wanted
        assert found.finished
        assert found.num_expanded == len(positions)
        many = expander.expand(repeat(rows, found))
        again = [
            child._replace(parent=child.parent + first)
            for first in range(0, many.num_expanded, len(positions))
            for child in wanted
        ]
        assert children_of(many) == again
        seen = expander.look(rows)
        assert [
            (legal.tolist(), bool(terminal), goals.tolist()) for legal, terminal, goals in zip(*seen, strict=True)
        ] == [look(game, program, position) for position in positions]


@pytest.mark.parametrize("name", GAMES)
def test_bundled_games(name: str) -> None:
    program, game, circuit = compiled(name)
    check(game, program, circuit, random_positions(game, NUM_POSITIONS, seed=3))


@pytest.mark.parametrize("name", GAMES)
def test_bundled_games_by_their_rules(name: str) -> None:
    program, _, circuit = compiled(name)
    game = ReferenceGame(load_rules(name))
    check(game, program, circuit, random_positions(game, 3, seed=5))


@pytest.mark.parametrize("name", ALL_GAMES)
def test_written_games(name: str) -> None:
    program, game, circuit = compiled(name)
    check(game, program, circuit, random_positions(game, NUM_POSITIONS, seed=7))


@pytest.mark.parametrize("seed", range(NUM_PROGRAMS))
def test_random_programs(seed: int) -> None:
    program = random_game(np.random.default_rng(seed))
    game = GroundGame(program)
    check(game, program, Circuit(program), random_positions(game, 5, seed))


def test_goals() -> None:
    program = program_of(GOALS)
    game = GroundGame(program)
    found = Expander(Circuit(program)).expand(pack(program.initial)[None])
    assert children_of(found) == list(expand(game, program, [game.initial_position()]))
    assert found.goals.tolist() == [[NO_GOAL, 0], [NO_GOAL, 0], [NO_GOAL, 0], [100, NO_GOAL]]


def test_without_goals() -> None:
    program, game, circuit = compiled("tic_tac_toe")
    rows = pack_positions(game, program, random_positions(game, 6, seed=2))
    full, found = Expander(circuit).expand(rows), Expander(circuit).expand(rows, with_goals=False)
    assert (found.goals == NO_GOAL).all()
    found.goals = full.goals
    assert_same(found, full)


@pytest.mark.parametrize("name", ["tic_tac_toe", "matching_pennies"])
def test_what_is_known(name: str) -> None:
    """Keys and legal moves that are known change nothing; keys are taken at their word."""
    program, game, circuit = compiled(name)
    expander = Expander(circuit)
    rows = pack_positions(game, program, [game.initial_position()])
    first = expander.expand(rows)
    going_on = ~first.terminal
    rows, keys, legal = first.rows[going_on], first.keys[going_on], first.legal[going_on]
    plain = expander.expand(rows)
    for known in ((keys, legal), (keys, None), (None, legal)):
        assert_same(expander.expand(rows, *known), plain)
    other = expander.expand(rows, keys ^ np.uint64(5), legal)
    assert (other.keys == plain.keys ^ np.uint64(5)).all()


@pytest.mark.parametrize("name", ["tic_tac_toe", "three_in_turn"])
def test_positions_like_no_other(name: str) -> None:
    """Positions of no phase among others: their plan is the general one."""
    program, game, circuit = compiled(name)
    assert circuit.clock is not None
    control = set(circuit.clock.fluents.tolist())
    positions = random_positions(game, 6, seed=4)
    nobody = [tuple(number for number in position if number not in control) for position in positions[:3]]
    mixed = [nobody[0], positions[3], nobody[1], positions[4], positions[5], nobody[2]]
    rows = pack_positions(game, program, mixed)
    assert (circuit.phases_of(rows) == NO_PHASE).tolist() == [True, False, True, False, False, True]
    check(NetworkGame(program, circuit.general.network), program, circuit, mixed)


def test_few_children_at_a_time() -> None:
    program, game, circuit = compiled("tic_tac_toe")
    expander = Expander(circuit)
    rows = pack_positions(game, program, random_positions(game, 12, seed=1))
    whole = children_of(expander.expand(rows))
    found, first = [], 0
    while first < len(rows):
        part = expander.expand(rows[first:], max_children=20)
        assert part.num_expanded > 0
        assert len(part.rows) <= 20
        assert part.finished == (first + part.num_expanded == len(rows))
        assert (part.parent < part.num_expanded).all()
        found += [child._replace(parent=child.parent + first) for child in children_of(part)]
        first += part.num_expanded
    assert found == whole


@pytest.mark.parametrize("width", WIDTHS)
def test_more_children_than_there_is_room_for(width: int) -> None:
    """The first joint moves of 40 to the power of 14: the number is larger than a word."""
    sheet = " ".join([*(f"(role r{number})" for number in range(14)), *(f"(move m{number})" for number in range(40))])
    sheet += "(<= (legal ?r ?m) (role ?r) (move ?m)) (<= (next (did ?r ?m)) (does ?r ?m))"
    program = program_of(sheet + "(<= (goal ?r 1) (role ?r)) (<= terminal (true (did r13 m7)))")
    game = GroundGame(program)
    found = Expander(Circuit(program), width).expand(pack(np.array([program.initial] * 2)), max_children=MANY_LANES)
    numbers = [range(start, start + 40) for start in program.move_start[:-1]]
    assert found.moves.tolist() == [list(moves) for moves in islice(product(*numbers), MANY_LANES)]
    assert (found.num_expanded, found.finished) == (0, False)
    start = game.initial_position()
    assert children_of(found)[:10] == list(islice(expand(game, program, [start]), 10))
    terms = [move for moves in program.moves for move in moves]
    after = [game.next_position(start, [terms[move] for move in moves]) for moves in found.moves[-3:].tolist()]
    assert (found.rows[-3:] == pack_positions(game, program, after)).all()


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    program, _, circuit = compiled("tic_tac_toe")
    rows = pack(np.array([program.initial] * 5))
    size = 8 * (rows.shape[1] + num_words(program.num_moves)) + 6 * len(program.roles) + 13
    monkeypatch.setattr(module, "MAX_BYTES", 20 * size)
    found = Expander(circuit).expand(rows)
    assert (len(found.rows), found.num_expanded, found.finished) == (18, 2, False)


@pytest.mark.parametrize("width", WIDTHS)
def test_many_moves(width: int) -> None:
    """More moves than are written one word at a time; one position has more children than there are lanes."""
    program = program_of(choice_sheet(MANY_LANES))
    game = GroundGame(program)
    start = game.initial_position()
    picked = game.next_position(start, [program.moves[0][7]])
    found = Expander(Circuit(program), width).expand(pack_positions(game, program, [picked, start, picked]))
    assert found.moves[:, 0].tolist() == [
        number for number, move in enumerate(program.moves[0]) if isinstance(move, tuple)
    ]
    assert (found.parent == 1).all()
    some = list(range(0, MANY_LANES, 1 if MANY_LANES < 100 else 37))
    after = [game.next_position(start, [program.moves[0][found.moves[number, 0]]]) for number in some]
    assert [(found.legal[n].tolist(), bool(found.terminal[n]), found.goals[n].tolist()) for n in some] == [
        look(game, program, position) for position in after
    ]
    assert (found.rows[some] == pack_positions(game, program, after)).all()


@pytest.mark.parametrize("knows", [False, True])
def test_the_time_is_over(knows: bool) -> None:
    """What is found is the beginning of what there is: after one pass in phase 0 the first position is done."""
    program, _, circuit = compiled("tic_tac_toe")
    start = pack(program.initial)
    after = Expander(circuit).expand(start[None])
    rows = np.array([start, after.rows[0]] * 600)
    seen = Expander(circuit).look(rows)
    legal = seen.legal if knows else None
    whole = Expander(circuit).expand(rows)
    found = Expander(circuit).expand(rows, legal=legal, deadline=Deadline(0))
    assert not found.finished
    assert found.num_expanded == (1 if knows else 0)
    assert children_of(found) == children_of(whole)[: 9 if knows else 0]
    enough = Expander(circuit).expand(rows, legal=legal, deadline=Deadline(600))
    assert_same(enough, whole)


def test_the_time_is_over_in_the_first_position() -> None:
    program = program_of(choice_sheet(MANY_LANES))
    expander = Expander(Circuit(program))
    rows = pack(np.array([program.initial] * 3))
    found = expander.expand(rows, legal=expander.look(rows).legal, deadline=Deadline(0))
    assert (found.num_expanded, found.finished) == (0, False)
    assert children_of(found) == children_of(expander.expand(rows[:1]))[:512]


def test_the_time_is_over_before_positions_like_no_other() -> None:
    program, _, circuit = compiled("tic_tac_toe")
    rows = pack(np.array([program.initial] * 100))
    rows[0] = 0
    found = Expander(circuit, 1).expand(rows, legal=Expander(circuit).look(rows).legal, deadline=Deadline(0))
    assert (found.num_expanded, len(found.rows)) == (0, 0)


def test_no_positions() -> None:
    program, _, circuit = compiled("tic_tac_toe")
    found = Expander(circuit).expand(np.zeros((0, num_words(program.num_fluents)), np.uint64))
    assert (len(found.rows), found.num_expanded, found.finished) == (0, 0, True)
    assert len(Expander(circuit).look(found.rows).terminal) == 0


def test_arrays_of_other_kinds() -> None:
    program, game, circuit = compiled("tic_tac_toe")
    expander = Expander(circuit)
    rows = pack_positions(game, program, random_positions(game, 8, seed=2))
    wanted = expander.expand(rows[::2])
    assert wanted.num_expanded == 4
    frozen = rows[::2].copy()
    frozen.flags.writeable = False
    for other in (frozen, frozen.astype(np.int64), np.asfortranarray(frozen)):
        assert_same(expander.expand(other), wanted)
    for arguments in ((rows[0],), (rows, rows), (rows, None, rows[:3]), (np.hstack([rows, rows]),)):
        with pytest.raises(UsageError, match="expected words of shape"):
            expander.expand(*arguments)


def test_threads() -> None:
    program, game, circuit = compiled("tic_tac_toe")
    expander = Expander(circuit)
    rows = pack_positions(game, program, random_positions(game, 8, seed=6))
    wanted = children_of(expander.expand(rows))
    with ThreadPoolExecutor(3) as pool:
        assert all(children_of(found) == wanted for found in pool.map(expander.expand, [rows] * 30))


def test_order_of_positions() -> None:
    """By phase inside of windows; what has no phase comes last."""
    program, _, circuit = compiled("tic_tac_toe")
    start = pack(program.initial)
    rows = np.array([start, Expander(circuit).expand(start[None]).rows[0]])
    random = np.random.default_rng(1)
    rows = rows[random.integers(0, 2, 5000)]
    rows[random.integers(0, 5000, 7)] = 0
    legal = pack(random.random((5000, program.num_moves)) < 0.5)
    wiring = make_wiring(circuit, 1, is_general=False)[1]
    ledger = new_ledger(len(rows))
    begin_ledger(wiring, rows, np.zeros(5000, np.uint64), ledger, KNOWS_KEYS + KNOWS_LEGAL)
    total = count_children(wiring, legal, np.zeros(0, np.bool_), ledger, 1 << 30)
    phases = circuit.phases_of(rows)
    assert np.where(phases == NO_PHASE, 255, phases).tolist() == ledger[PHASE, :5000].tolist()
    bits = np.unpackbits(legal.view(np.uint8), axis=1, count=program.num_moves, bitorder="little").astype(int)
    counts = np.add.reduceat(bits, program.move_start[:-1], axis=1).prod(axis=1)
    assert counts.tolist() == ledger[COUNT, :5000].tolist()
    assert [0, *np.cumsum(counts)] == ledger[START, :5001].tolist()
    assert total == counts.sum() > 2 * WINDOW
    windows, begin = [], 0
    for position in range(5000):
        begin = position if counts[begin : position + 1].sum() > WINDOW else begin
        windows.append(begin)
    wanted = sorted(range(5000), key=lambda position: (windows[position], phases[position], position))
    wanted = [position for position in wanted if phases[position] != NO_PHASE]
    assert [*wanted, *np.flatnonzero(phases == NO_PHASE)] == ledger[ORDER, :5000].tolist()
