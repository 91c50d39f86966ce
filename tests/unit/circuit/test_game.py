"""Games on circuits: positions as values, moves and fluents by name, positions side by side."""

from __future__ import annotations

import numpy as np
import pytest

from naive.small_games import CAPTURE, SIMULTANEOUS, STEP_COUNTER, program_of
from woodstock.circuit.game import CircuitGame, CircuitPosition
from woodstock.circuit.packing import unpack
from woodstock.circuit.zobrist import find_key
from woodstock.common.errors import UsageError


@pytest.fixture(scope="module")
def game() -> CircuitGame:
    return CircuitGame(program_of(CAPTURE))


def test_positions_are_values(game: CircuitGame) -> None:
    start = game.initial_position()
    one = game.next_position(start, (("put", "1"), "wait"))
    two = game.next_position(start, (("put", "2"), "wait"))
    assert start == game.initial_position()
    assert hash(start) == hash(game.initial_position())
    assert len({start, one, two, game.initial_position()}) == 3
    assert one != two
    assert start != "start"
    assert repr(start) == f"CircuitPosition({start.key:016x})"


def test_keys_follow_from_those_of_parents(game: CircuitGame) -> None:
    position = game.initial_position()
    for number, point in enumerate("1526"):
        moves = [("put", point), "wait"]
        position = game.next_position(position, moves if number % 2 == 0 else moves[::-1])
        assert position.key == int(find_key(game.keys, position.row))
        assert game.position_of(game.fluents(position)) == position
        assert game.position_of(game.fluents(position)).key == position.key


def test_two_ways_to_one_position(game: CircuitGame) -> None:
    ends = set()
    for points in ("152", "251"):
        position = game.initial_position()
        for number, point in enumerate(points):
            moves = [("put", point), "wait"]
            position = game.next_position(position, moves if number % 2 == 0 else moves[::-1])
        ends.add(position)
    assert len(ends) == 1


def test_questions_in_any_order_and_about_any_position(game: CircuitGame) -> None:
    start = game.initial_position()
    after = game.next_position(start, (("put", "1"), "wait"))
    assert len(game.legal_moves(start, 0)) == 6
    assert game.legal_moves(start, 1) == ("wait",)
    assert len(game.legal_moves(after, 1)) == 5
    assert game.goal_values(start, 0) == ()
    assert not game.is_terminal(after)
    assert game.next_position(start, (("put", "1"), "wait")) == after
    assert len(game.legal_moves(start, 0)) == 6
    assert game.percepts(start, (("put", "1"), "wait"), 1) == game.percepts(start, (("put", "1"), "wait"), 0)


def test_what_is_seen() -> None:
    game = CircuitGame(program_of(SIMULTANEOUS))
    start = game.initial_position()
    assert game.percepts(start, ("x", "y", "heads"), 0) == {("was", "y")}
    assert game.percepts(start, ("x", "y", "heads"), 1) == {"luck"}
    assert game.percepts(start, ("x", "y", "tails"), 1) == frozenset()


def test_what_is_unknown_is_refused(game: CircuitGame) -> None:
    with pytest.raises(UsageError, match="a has no move jump"):
        game.next_position(game.initial_position(), ("jump", "wait"))
    with pytest.raises(UsageError, match="is no fluent of this game"):
        game.position_of([("stone", "9", "a")])


def test_rows(game: CircuitGame) -> None:
    start = game.initial_position()
    after = game.next_position(start, (("put", "3"), "wait"))
    rows = game.rows([start, after, start])
    assert rows.shape == (3, 1)
    assert np.array_equal(rows[0], rows[2])
    assert np.array_equal(unpack(rows[0], game.program.num_fluents), game.program.initial)
    assert game.rows([]).shape == (0, 1)
    assert game.position(rows[1]) == after
    assert isinstance(game.position(rows[1], start), CircuitPosition)


def test_playouts_of_positions() -> None:
    game = CircuitGame(program_of(STEP_COUNTER))
    start = game.initial_position()
    after = game.next_position(start, (("put", "a"), "wait"))
    results = game.playouts([after, start], [3, 100])
    assert results.finished
    assert results.counts.tolist() == [3, 100]
    assert results.moves.tolist() == [15, 600]
