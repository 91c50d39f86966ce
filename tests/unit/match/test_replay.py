from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from woodstock.common.errors import UsageError
from woodstock.game.load import load_rules
from woodstock.game.reference import ReferenceGame
from woodstock.gdl import parse_rules
from woodstock.match import Answer, Ending, Match, MatchSetup, Referee, find_differences, seats

ENDLESS = "(role you) (init on) (<= (next on) (true on)) (legal you go) (<= terminal (true off)) (goal you 1)"
DEAD_END = "(role you) (init on) (<= (legal you go) (true on)) (<= terminal (true off)) (goal you 7)"


def game(name: str = "tic_tac_toe") -> ReferenceGame:
    return ReferenceGame(load_rules(name))


def play(name: str = "tic_tac_toe", text: str = "", **options: Any) -> Match:
    rules = parse_rules(text) if text else load_rules(name)
    played = ReferenceGame(rules)
    names = ["legal"] * len(seats(played.roles))
    referee = Referee(replace(MatchSetup(rules, played, names), **options))
    while referee.ending() is None:
        referee.advance({role: Answer(referee.legal_moves(role)[0]) for role in referee.seats})
    return referee.finish()


def with_state(match: Match, number: int, state: set[Any]) -> Match:
    states = list(match.states)
    states[number] = frozenset(state)
    return replace(match, states=tuple(states))


def with_moves(match: Match, number: int, *moves: Any) -> Match:
    steps = list(match.steps)
    steps[number - 1] = replace(steps[number - 1], moves=moves)
    return replace(match, steps=tuple(steps))


def found(match: Match, text: str = "") -> list[str]:
    rules = ReferenceGame(parse_rules(text)) if text else game()
    return [str(difference) for difference in find_differences(match, rules)]


@pytest.mark.parametrize(
    "name", ["tic_tac_toe", "nim", "pig", "monty_hall", "rock_paper_scissors", "kuhn_poker", "lights_out"]
)
def test_a_match_as_it_was_played_follows_the_rules(name: str) -> None:
    assert list(find_differences(play(name, max_steps=60), game(name))) == []


def test_an_illegal_move() -> None:
    match = play()
    legal = "(place 1 2), (place 1 3), (place 2 1), (place 2 2), (place 2 3), (place 3 1), (place 3 2), (place 3 3)"
    assert found(with_moves(match, 2, "wait", ("place", "1", "1"))) == [
        f"step 2: an illegal move of o: recorded (place 1 1), the rules give {legal}"
    ]
    assert found(with_moves(match, 1, "wait", "dance")) == [
        f"step 1: an illegal move of x: recorded wait, the rules give (place 1 1), {legal[:-13]} and 1 more",
        "step 1: an illegal move of o: recorded dance, the rules give wait",
    ]


def test_another_legal_move_leads_to_another_state() -> None:
    match = play()
    (difference,) = found(with_moves(match, 1, ("place", "2", "2"), "wait"))
    recorded, rules = "(square 1 1 x), (square 2 2 empty)", "(square 1 1 empty), (square 2 2 x)"
    assert difference == f"step 1: another state: recorded {recorded}, the rules give {rules}"


def test_a_state_that_does_not_follow_is_seen_from_both_sides() -> None:
    match = play()
    spoilt = with_state(match, 2, match.states[2] | {("square", "2", "2", "o")})
    differences = list(find_differences(spoilt, game()))
    assert [(each.step, each.what) for each in differences] == [(2, "another state"), (3, "another state")]
    assert (differences[0].recorded, differences[0].rules) == ("(square 2 2 o)", "nothing")


def test_another_initial_state() -> None:
    match = play()
    spoilt = with_state(match, 0, (match.states[0] - {("turn", "x")}) | {("turn", "o")})
    first, *others = found(spoilt)
    assert first == "step 0: another initial state: recorded (turn o), the rules give (turn x)"
    assert others  # x may not move there


def test_a_fluent_that_no_rule_knows() -> None:
    match = play()
    assert "(fog)" not in found(with_state(match, 1, {*match.states[1], ("fog", "9")}))[0]
    assert "recorded (fog 9)" in found(with_state(match, 1, {*match.states[1], ("fog", "9")}))[0]


def test_a_match_that_goes_on_after_its_end() -> None:
    match = play()
    longer = replace(
        match,
        steps=(*match.steps, match.steps[-1]),
        states=(*match.states, match.states[-1]),
        state_times=(*match.state_times, match.state_times[-1]),
    )
    assert found(longer) == [
        f"step {len(match.steps) + 1}: the match goes on: recorded a joint move, the rules give the end of the match"
    ]


def test_a_match_that_ends_before_its_end() -> None:
    match = play()
    shorter = replace(match, steps=match.steps[:-1], states=match.states[:-1], goals=())
    assert found(shorter) == [
        f"step {len(match.steps) - 1}: another ending: recorded finished, the rules give no end yet"
    ]
    assert found(replace(shorter, ending=Ending.ABORTED)) == []
    assert found(replace(shorter, ending=Ending.CUT)) == []
    assert "recorded stuck" in found(replace(shorter, ending=Ending.STUCK))[0]


def test_other_goals() -> None:
    match = play()
    assert match.goals == (100, 0)
    end = len(match.steps)
    assert found(replace(match, goals=(0, 100))) == [
        f"step {end}: another goal of x: recorded 0, the rules give 100",
        f"step {end}: another goal of o: recorded 100, the rules give 0",
    ]
    assert found(replace(match, goals=(100, None))) == [
        f"step {end}: another goal of o: recorded none, the rules give 0"
    ]
    assert found(replace(match, goals=())) == []  # a record need not tell


def test_a_match_that_was_cut_or_got_stuck() -> None:
    cut = play(text=ENDLESS, max_steps=3)
    assert found(cut, ENDLESS) == []
    assert found(replace(cut, ending=Ending.FINISHED), ENDLESS) != []
    stuck = play(text=DEAD_END)
    assert (stuck.ending, found(stuck, DEAD_END)) == (Ending.STUCK, [])
    assert found(replace(stuck, ending=Ending.CUT), DEAD_END) == [
        "step 1: another ending: recorded cut, the rules give stuck"
    ]


def test_a_record_of_other_roles_cannot_be_compared() -> None:
    match = play("nim")
    with pytest.raises(UsageError, match="the record has the roles first, second, the rules have x, o"):
        list(find_differences(match, game()))
    with pytest.raises(UsageError, match="the record has 1 roles, the rules have 2"):
        list(find_differences(replace(play("lights_out"), roles=()), game()))
    lonely = replace(play(), roles=(), steps=(), states=play().states[:1], goals=(), player_names=("a",))
    with pytest.raises(UsageError, match="the record has 1 roles, the rules have 2"):
        list(find_differences(lonely, game()))


def test_a_record_that_tells_no_roles() -> None:
    assert found(replace(play(), roles=())) == []
