from __future__ import annotations

from random import Random
from typing import Any

import pytest

from woodstock.common.errors import UsageError
from woodstock.game.protocol import Game, Move
from woodstock.game.reference import ReferenceGame
from woodstock.gdl import parse_rules
from woodstock.match import Ending, Fault, play_match, seats
from woodstock.players import Turn, make_player

# Two players call heads or tails while nature throws the coin; three rounds, one point for each right call.
COIN = """
(role random) (role left) (role right)
(init (round 1))
(after 1 2) (after 2 3) (after 3 over)
(side heads) (side tails)
(<= (legal ?r ?s) (role ?r) (side ?s))
(<= (next (round ?n)) (true (round ?m)) (after ?m ?n))
(<= (next (right ?r ?n)) (true (round ?n)) (does random ?s) (does ?r ?s) (distinct ?r random))
(<= (next (right ?r ?n)) (true (right ?r ?n)))
(<= terminal (true (round over)))
(<= (goal ?r 100) (role ?r) (true (right ?r ?n)))
(<= (goal ?r 0) (role ?r) (not (lucky ?r)))
(<= (lucky ?r) (true (right ?r ?n)))
"""
# Only `left` is shown the coin.
SECRET_COIN = COIN + "(<= (sees left (coin ?s)) (does random ?s))"


class Script:
    """A player that does as it was told and remembers what it was told."""

    def __init__(self, *moves: Move) -> None:
        self.moves = list(moves)
        self.turns: list[Turn[Any]] = []
        self.goals: tuple[int | None, ...] | None = None

    def start(self, game: Game[Any], role: int, random: Random) -> None:
        self.role = game.roles[role]

    def choose(self, turn: Turn[Any]) -> Move:
        self.turns.append(turn)
        return self.moves[turn.number % len(self.moves)]

    def finish(self, goals: tuple[int | None, ...]) -> None:
        self.goals = goals


def game(text: str) -> ReferenceGame:
    return ReferenceGame(parse_rules(text))


def test_everybody_moves_at_once_and_nature_draws_its_own_moves() -> None:
    left, right = Script("heads"), Script("tails")
    match = play_match(game(COIN), [left, right], seed=4)
    assert (left.role, right.role) == ("left", "right")
    assert match.ending is Ending.FINISHED
    assert [step.moves[1:] for step in match.steps] == [("heads", "tails")] * 3
    assert {step.moves[0] for step in match.steps} <= {"heads", "tails"}
    thrown = [step.moves[0] for step in match.steps]
    assert match.goals[1:] == (100 * ("heads" in thrown), 100 * ("tails" in thrown))
    assert left.goals == right.goals == match.goals


def test_nature_is_fair() -> None:
    thrown = [
        step.moves[0]
        for seed in range(60)
        for step in play_match(game(COIN), [Script("heads"), Script("tails")], seed).steps
    ]
    assert 70 <= thrown.count("heads") <= 110


def test_the_same_seed_gives_the_same_match_and_another_one_another() -> None:
    def play(seed: int) -> list[tuple[Move, ...]]:
        match = play_match(game(COIN), [make_player("random"), make_player("random")], seed)
        return [step.moves for step in match.steps]

    assert play(1) == play(1)
    assert len({tuple(play(seed)) for seed in range(10)}) > 5


def test_an_illegal_move_is_replaced_by_a_legal_one_and_noted() -> None:
    left = Script("heads", ("edge", "1"), "heads")
    match = play_match(game(COIN), [left, Script("tails")])
    assert [step.faults for step in match.steps] == [(), (Fault(1, ("edge", "1")),), ()]
    assert match.steps[1].moves[1] in {"heads", "tails"}
    assert left.turns[2].last_move == match.steps[1].moves[1]
    assert match.to_json()["faults"] == [{"step": 2, "role": "left", "move": "(edge 1)"}]


def test_players_are_told_the_position_the_legal_moves_and_what_they_did() -> None:
    left = Script("heads")
    rules = game(COIN)
    match = play_match(rules, [left, Script("tails")])
    assert [turn.number for turn in left.turns] == [0, 1, 2]
    assert [turn.last_move for turn in left.turns] == [None, "heads", "heads"]
    assert all(set(turn.legal_moves) == {"heads", "tails"} for turn in left.turns)
    first = rules.initial_position()
    assert left.turns[0].position == first
    assert left.turns[1].position == rules.next_position(first, match.steps[0].moves)
    assert left.turns[1].percepts == rules.percepts(first, match.steps[0].moves, 1)


def test_hidden_positions_are_kept_from_players_and_percepts_go_to_those_who_see() -> None:
    left, right = Script("heads"), Script("tails")
    match = play_match(game(SECRET_COIN), [left, right], hidden=True)
    assert all(turn.position is None for turn in (*left.turns, *right.turns))
    assert [turn.percepts for turn in left.turns[1:]] == [frozenset({("coin", s.moves[0])}) for s in match.steps[:-1]]
    assert {turn.percepts for turn in right.turns} == {frozenset()}


def test_a_role_without_a_move_stops_the_match() -> None:
    match = play_match(game("(role you) (init on) (<= (legal you go) (true on)) (goal you 7)"), [Script("go")])
    assert (match.ending, len(match.steps), match.goals) == (Ending.STUCK, 1, (7,))


def test_a_match_without_end_is_cut() -> None:
    endless = "(role you) (init on) (<= (next on) (true on)) (legal you go) (<= (goal you 1) (true off))"
    match = play_match(game(endless), [Script("go")], max_steps=12)
    assert (match.ending, len(match.steps), match.goals) == (Ending.CUT, 12, (None,))


def test_a_match_may_be_over_before_it_begins() -> None:
    match = play_match(game("(role you) (legal you go) terminal (goal you 50)"), [Script("go")])
    assert (match.ending, match.steps, match.goals) == (Ending.FINISHED, (), (50,))


def test_the_watcher_sees_every_position_and_step_in_order() -> None:
    rules = game(COIN)
    seen: list[tuple[object, object]] = []
    match = play_match(rules, [Script("heads"), Script("tails")], watch=lambda *event: seen.append(event))
    assert [step for _, step in seen] == [None, *match.steps]
    position = rules.initial_position()
    for (shown, _), step in zip(seen, match.steps, strict=False):
        assert shown == position
        position = rules.next_position(position, step.moves)
    assert seen[-1][0] == position


def test_nature_needs_no_seat_and_every_other_role_does() -> None:
    assert seats(("random", "left", "right")) == (1, 2)
    with pytest.raises(UsageError, match=r"2 roles to play \(left, right\), found 3 players"):
        play_match(game(COIN), [Script("heads")] * 3)


def test_the_record_as_json() -> None:
    match = play_match(game(COIN), [Script("heads"), Script("tails")], seed=9)
    record = match.to_json()
    assert record["roles"] == ["random", "left", "right"]
    assert record["seed"] == 9
    assert record["moves"] == [list(step.moves) for step in match.steps]
    assert record["ending"] == "finished"
    assert record["goals"] == list(match.goals)
