"""Records: what was played is read again and follows the rules; what was tampered with is refused or reported."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from woodstock.common.errors import UsageError
from woodstock.game.load import load_rules
from woodstock.game.reference import ReferenceGame
from woodstock.games import game_names
from woodstock.match import (
    Difference,
    Match,
    MatchSetup,
    find_differences,
    play_match,
    read_record,
    seats,
    write_record,
)
from woodstock.match.symbols import read_list, read_term, write_list, write_symbols
from woodstock.players import Player, RandomPlayer, Turn

MAX_STEPS = 30

SMALL = (
    "connect_four",
    "guess_dice",
    "kuhn_poker",
    "leduc_poker",
    "lights_out",
    "matching_pennies",
    "monty_hall",
    "nim",
    "pig",
    "rock_paper_scissors",
    "tic_tac_toe",
    "treasure_hunt",
    "tron",
    "two_by_two_random",
)
"""Games with and without chance, hidden information, simultaneous moves and opponents, all of which are short."""


class Blunderer(RandomPlayer):
    """Moves at random, says nonsense now and then, and sometimes falls over."""

    def __init__(self, blunders: frozenset[int]) -> None:
        super().__init__()
        self._blunders = blunders

    def choose(self, turn: Turn[Any]) -> Any:
        if turn.number not in self._blunders:
            return super().choose(turn)
        if turn.number % 2:
            raise RuntimeError("on purpose")
        return ("nonsense", str(turn.number))


@cache
def game(name: str) -> ReferenceGame:
    return ReferenceGame(load_rules(name))


def play(name: str, seed: int, blunders: frozenset[int] = frozenset()) -> Match:
    rules = load_rules(name)
    names = ["random"] * len(seats(rules.roles))
    players: list[Player] = [Blunderer(blunders) for _ in names]
    return play_match(MatchSetup(rules, game(name), names, seed, game_name=name, max_steps=MAX_STEPS), players)


def replay(name: str, data: str) -> list[Difference] | None:
    """Return the differences of a record from the rules, or None if it is refused."""
    try:
        return list(find_differences(read_record(data), game(name)))
    except UsageError:
        return None


@pytest.mark.parametrize("name", game_names())
def test_a_match_of_every_game_is_recorded_and_replayed(name: str) -> None:
    match = play(name, 1)
    data = json.dumps(write_record(match))
    assert replay(name, data) == []
    assert read_record(data).states == match.states


@settings(max_examples=60)
@given(st.sampled_from(SMALL), st.integers(0, 10**6), st.frozensets(st.integers(0, 6), max_size=4))
def test_what_is_read_is_what_was_written(name: str, seed: int, blunders: frozenset[int]) -> None:
    match = play(name, seed, blunders)
    again = read_record(json.dumps(write_record(match)))
    assert replay(name, json.dumps(write_record(match))) == []
    assert replace(again, steps=(), game_url="") == replace(match, steps=())
    for read, written in zip(again.steps, match.steps, strict=True):
        assert (read.moves, read.errors) == (written.moves, written.errors)


@settings(max_examples=60)
@given(st.sampled_from(SMALL), st.integers(0, 100), st.data())
def test_a_record_with_another_move_is_refused_or_reported(name: str, seed: int, data: st.DataObject) -> None:
    match = play(name, seed)
    record = write_record(match)
    assume(record["moves"])
    step = data.draw(st.integers(0, len(match.steps) - 1), "step")
    role = data.draw(st.integers(0, len(match.roles) - 1), "role")
    said = sorted({text for row in record["moves"] for text in row})
    text = data.draw(st.sampled_from([*said, "nothing", "( f x )", "( f", ")", "", "a b", "( )"]), "move")
    # Some moves make no difference to the game: to exchange them gives the record of another match, just as right.
    moves = list(match.steps[step].moves)
    if text in said:
        moves[role] = read_term(text)
        before = game(name).position_of(match.states[step])
        legal = moves[role] in game(name).legal_moves(before, role)
        assume(not legal or game(name).fluents(game(name).next_position(before, moves)) != match.states[step + 1])
    record["moves"][step][role] = text
    assert replay(name, json.dumps(record)) != []


@settings(max_examples=60)
@given(st.sampled_from(SMALL), st.integers(0, 100), st.data())
def test_a_record_with_another_state_is_refused_or_reported(name: str, seed: int, data: st.DataObject) -> None:
    match = play(name, seed)
    record = write_record(match)
    number = data.draw(st.integers(0, len(match.states) - 1), "state")
    fluents = sorted(read_list(record["states"][number]), key=write_symbols)
    known = sorted(set().union(*match.states), key=write_symbols)
    change = data.draw(st.sampled_from(["drop", "add", "exchange", "garble"]), "change")
    if change == "drop":
        assume(fluents)
        fluents.remove(data.draw(st.sampled_from(fluents)))
    elif change == "add":
        fluents.append(data.draw(st.sampled_from([*known, "fog", ("fog", "1")])))
    elif change == "exchange":
        fluents = list(data.draw(st.sampled_from(match.states)))
    text = write_list(tuple(fluents))
    if change == "garble":
        text = text.replace("(", "", 1)
    else:
        assume(frozenset(fluents) != match.states[number])
    record["states"][number] = text
    assert replay(name, json.dumps(record)) != []


@settings(max_examples=40)
@given(st.sampled_from(SMALL), st.integers(0, 100), st.data())
def test_a_record_with_another_goal_is_refused_or_reported(name: str, seed: int, data: st.DataObject) -> None:
    match = play(name, seed)
    record = write_record(match)
    role = data.draw(st.integers(0, len(match.roles) - 1), "role")
    value = data.draw(st.one_of(st.integers(-5, 105), st.none(), st.just("100")), "goal")
    assume(value != match.goals[role])
    if "goalValues" in record:
        record["goalValues"][role] = value
    else:
        record["x-goals"][match.roles[role]] = value
    assert replay(name, json.dumps(record)) != []


@settings(max_examples=40)
@given(st.sampled_from(SMALL), st.data())
def test_a_record_that_lacks_a_part_is_refused_or_reported(name: str, data: st.DataObject) -> None:
    record = write_record(play(name, 3))
    key = data.draw(st.sampled_from(["states", "moves", "stateTimes", "errors", "x-seconds", "playerNamesFromHost"]))
    assume(record[key])
    del record[key][data.draw(st.integers(0, len(record[key]) - 1))]
    assert replay(name, json.dumps(record)) != []


@settings(max_examples=40)
@given(st.floats(0, 1, exclude_max=True))
def test_a_record_that_was_cut_off_is_refused(share: float) -> None:
    text = json.dumps(write_record(play("tic_tac_toe", 3)))
    assert replay("tic_tac_toe", text[: int(share * len(text))]) is None


@settings(max_examples=100)
@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(max_size=5), st.lists, max_leaves=5), st.data())
def test_any_value_anywhere_is_read_or_refused(value: Any, data: st.DataObject) -> None:
    record = write_record(play("tic_tac_toe", 3))
    record[data.draw(st.sampled_from(sorted(record)), "key")] = value
    replay("tic_tac_toe", json.dumps(record))
