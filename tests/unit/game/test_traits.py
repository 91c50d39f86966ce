from __future__ import annotations

import pytest

from woodstock.game import statics
from woodstock.game.backends import REFERENCE, build_game
from woodstock.game.load import load_rules
from woodstock.game.reference import ReferenceGame
from woodstock.game.survey import SurveyLimits
from woodstock.game.traits import Trait, Traits, find_traits
from woodstock.games import bundled_game
from woodstock.gdl.sheet import parse_rules

ALL = SurveyLimits(seconds=None, positions=1000, playouts=20, steps=50)
SAMPLE = SurveyLimits(seconds=None, positions=1, playouts=20, steps=50)

# Two players choose at once; then the position tells what they chose.
MATCH = """
(role x) (role y) (init start)
(side heads) (side tails)
(<= (legal ?r ?s) (role ?r) (side ?s))
(<= (next (chose ?r ?s)) (does ?r ?s))
(<= terminal (true (chose x ?s)))
(<= same (true (chose x ?s)) (true (chose y ?s)))
"""
ZERO_SUM_GOALS = "(<= (goal x 100) same) (<= (goal y 0) same) (<= (goal x 0) (not same)) (<= (goal y 100) (not same))"
COOPERATIVE_GOALS = "(<= (goal ?r 100) (role ?r) same) (<= (goal ?r 0) (role ?r) (not same))"
# The same as ZERO_SUM_GOALS, but no condition of x is a condition of y.
OBSCURE_GOALS = """
(<= (goal x 100) same) (<= (goal x 0) (not same))
(<= different (true (chose x ?s)) (true (chose y ?t)) (distinct ?s ?t))
(<= (goal y 100) different) (<= (goal y 0) (not different))
"""
OTHER_GOALS = "(<= (goal x 100) same) (<= (goal x 0) (not same)) (<= (goal y 50) same) (<= (goal y 0) (not same))"

# A coin is tossed in secret and guessed in the next step.
SECRET = """
(role random) (role x) (role y) (init (step 1))
(<= (legal random (toss heads)) (true (step 1))) (<= (legal random (toss tails)) (true (step 1)))
(<= (legal random wait) (true (step 2)))
(<= (legal ?r wait) (role ?r) (distinct ?r random) (true (step 1)))
(<= (legal ?r (guess heads)) (role ?r) (distinct ?r random) (true (step 2)))
(<= (legal ?r (guess tails)) (role ?r) (distinct ?r random) (true (step 2)))
(<= (next (step 2)) (true (step 1))) (<= (next (step 3)) (true (step 2)))
(<= (next (coin ?s)) (does random (toss ?s))) (<= (next (coin ?s)) (true (coin ?s)))
(<= (next (guessed ?r ?s)) (does ?r (guess ?s)))
(<= terminal (true (step 3)))
(<= (goal ?r 100) (true (guessed ?r ?s)) (true (coin ?s)))
(<= (goal ?r 0) (true (guessed ?r ?s)) (true (coin ?t)) (distinct ?s ?t))
(goal random 0)
"""
ALL_SEEN = "(<= (sees ?r (did ?p ?m)) (role ?r) (does ?p ?m))"
X_SEES_COIN = (
    "(<= (sees x (coin ?s)) (does random (toss ?s)))"
    "(<= (sees ?r (did ?p ?m)) (does ?p ?m) (player ?p) (player ?r)) (player x) (player y)"
)
GUESSES_SEEN = "(<= (sees ?r (did ?p ?m)) (role ?r) (does ?p ?m) (distinct ?p random))"
ALL_SEEN_BUT_NOT_PLAINLY = (
    "(<= (sees ?r (did x ?m)) (role ?r) (does x ?m)) (<= (sees ?r (did y ?m)) (role ?r) (does y ?m))"
    "(<= (sees ?r (did random ?m)) (role ?r) (does random ?m))"
)


def traits(sheet: str, limits: SurveyLimits = ALL) -> Traits:
    rules = parse_rules(sheet)
    return find_traits(rules, ReferenceGame(rules), limits)


def test_what_the_rules_alone_tell() -> None:
    found = traits(SECRET, SAMPLE)
    assert found.num_roles == Trait(3)
    assert found.num_players == Trait(2)
    assert found.one_player == Trait(False)
    assert found.chance == Trait(True)
    assert found.hidden_information == Trait(False)  # without `sees` rules all moves are seen
    assert found.shared_information == Trait(False)


def test_exhaustive_survey_proves() -> None:
    found = traits(MATCH + ZERO_SUM_GOALS)
    assert found.simultaneous == Trait(True)
    assert found.turn_taking == Trait(False)
    assert found.num_positions == Trait(5)
    assert (found.constant_sum, found.goal_sum) == (Trait(True), Trait(100))
    assert found.cooperative == Trait(False)


def test_one_position_proves_that_moves_are_simultaneous() -> None:
    found = traits(MATCH + ZERO_SUM_GOALS, SAMPLE)
    assert found.simultaneous == Trait(True)
    assert found.turn_taking == Trait(False)
    assert found.num_positions.value is None


def test_samples_prove_no_absence() -> None:
    sheet = "(role x) (role y) (init (n 0)) (<= (next (n 1)) (true (n 0))) (<= (next (n 2)) (true (n 1)))"
    sheet += "(legal x a) (legal x b) (legal y a) (<= terminal (true (n 2))) (goal x 50) (goal y 40)"
    seen = traits(sheet)
    assert (seen.simultaneous, seen.turn_taking) == (Trait(False), Trait(True))
    sampled = traits(sheet, SAMPLE)
    assert (sampled.simultaneous.value, sampled.simultaneous.proved) == (False, False)
    assert (sampled.turn_taking.value, sampled.turn_taking.proved) == (True, False)
    assert sampled.turn_taking.positions >= 20
    assert str(sampled.turn_taking).startswith("yes (sampled, ")
    assert str(seen.turn_taking) == "yes (proved)"


@pytest.mark.parametrize(
    ("goals", "goal_sum", "cooperative"),
    [
        (ZERO_SUM_GOALS, 100, False),
        (COOPERATIVE_GOALS, None, True),
        (OBSCURE_GOALS, 100, False),
        (OTHER_GOALS, None, False),
    ],
)
def test_goals_seen_in_full(goals: str, goal_sum: int | None, cooperative: bool) -> None:
    found = traits(MATCH + goals)
    assert found.goal_sum == Trait(goal_sum)
    assert found.constant_sum == Trait(goal_sum is not None)
    assert found.cooperative == Trait(cooperative)


@pytest.mark.parametrize(
    ("goals", "goal_sum", "cooperative"),
    [
        (ZERO_SUM_GOALS, 100, False),
        ("(<= (goal x 70) same) (<= (goal y 30) same)", 100, False),
        (
            "(<= (goal x 70) same) (<= (goal y 30) same) (<= (goal x 10) (not same)) (<= (goal y 91) (not same))",
            None,
            False,
        ),
        ("(<= (goal ?r 50) (role ?r) same) (<= (goal ?p 50) (not same) (role ?p))", 100, True),
        (COOPERATIVE_GOALS, None, True),
        (OBSCURE_GOALS, None, False),
        ("(<= (goal x 100) (true (p ?a ?b))) (<= (goal y 0) (true (p ?c ?d)))", 100, False),
        ("(<= (goal x 100) (true (p ?a ?b))) (<= (goal y 0) (true (p ?c ?c)))", None, False),
        ("(<= (goal x 100) same) (<= (goal x 50) same) (<= (goal y 0) same)", None, False),
        ("(<= (goal x ?n) (true (points ?n))) (<= (goal y 0) same)", None, False),
        ("(<= (goal ?r 100) (role ?r) (distinct ?r x) same) (<= (goal x 0) same)", 100, False),
        ("", None, False),
    ],
)
def test_goals_from_the_rules_alone(goals: str, goal_sum: int | None, cooperative: bool) -> None:
    rules = parse_rules("(role x) (role y) " + goals)
    assert statics.constant_goal_sum(rules) == goal_sum
    assert statics.goals_are_equal(rules) == cooperative


def test_a_role_random_has_no_goal_to_count() -> None:
    rules = parse_rules("(role random) (role x) (role y) (<= (goal random 7) same)" + ZERO_SUM_GOALS)
    assert statics.constant_goal_sum(rules) == 100


def test_chance_at_the_same_time_as_a_player_is_neither_simultaneous_nor_turn_taking() -> None:
    dice = "(role random) (role x) (init p) (legal random 1) (legal random 2) (legal x stop) (legal x go) (goal x 100)"
    found = traits(dice + "(<= (next (q ?n)) (does random ?n)) (<= terminal (true (q ?n)))")
    assert (found.simultaneous, found.turn_taking) == (Trait(False), Trait(False))


@pytest.mark.parametrize(
    ("sees", "hidden", "shared"),
    [
        ("", False, False),
        (ALL_SEEN, False, False),
        (X_SEES_COIN, True, False),
        (GUESSES_SEEN, True, True),
        (ALL_SEEN_BUT_NOT_PLAINLY, False, False),
    ],
)
def test_hidden_information(sees: str, hidden: bool, shared: bool) -> None:
    found = traits(SECRET + sees)
    assert found.hidden_information == Trait(hidden)
    assert found.shared_information == Trait(shared)


def test_hidden_information_in_a_sample() -> None:
    found = traits(SECRET + X_SEES_COIN, SAMPLE)
    assert found.hidden_information == Trait(True)
    assert found.shared_information == Trait(False)
    clear = traits(SECRET + ALL_SEEN_BUT_NOT_PLAINLY, SAMPLE)
    assert (clear.hidden_information.value, clear.hidden_information.proved) == (False, False)


@pytest.mark.parametrize(
    ("sees", "all_moves"),
    [
        (ALL_SEEN, True),
        ("(<= (sees ?r (did ?p ?m)) (does ?p ?m) (role ?r))", True),
        (GUESSES_SEEN, False),
        ("(<= (sees x (did ?p ?m)) (does ?p ?m))", False),
        ("(<= (sees ?r (did ?r ?m)) (does ?r ?m))", False),
        ("(<= (sees ?r (someone ?m)) (role ?r) (does ?p ?m))", False),
        ("(<= (sees ?r (did ?p ?m)) (role ?r) (does ?p ?m) (true dawn))", False),
    ],
)
def test_rules_that_show_all_moves(sees: str, all_moves: bool) -> None:
    assert statics.shows_all_moves(parse_rules("(role x) (role y)" + sees)) == all_moves


def test_playout_statistics() -> None:
    sheet = "(role x) (init (n 0)) (<= (next (n 1)) (true (n 0))) (<= (next (n 2)) (true (n 1)))"
    sheet += "(legal x a) (<= (legal x b) (true (n 1))) (<= terminal (true (n 2))) (goal x 100)"
    found = traits(sheet).statistics
    assert (found.playouts, found.unfinished) == (20, 0)
    assert (found.mean_length, found.max_length) == (2, 2)
    assert (found.mean_branching, found.max_branching) == (1.5, 2)


def test_a_game_that_never_ends_has_unknown_goals() -> None:
    found = traits(
        "(role x) (role y) (init p) (<= (next p) (true p)) (legal x a) (legal y a) (goal x 0) (goal y 1)", SAMPLE
    )
    assert found.statistics.playouts == 0
    assert found.statistics.unfinished == 20
    assert found.statistics.mean_length is None
    assert found.goal_sum == Trait(1)  # the rules prove it
    assert found.cooperative.value is None
    assert str(found.cooperative) == "unknown"


# All games are surveyed on their ground programs in tests/contract; here by the reference reasoner.
@pytest.mark.parametrize(
    "name",
    [
        *(
            "atari_go",
            "breakthrough_small",
            "connect_four",
            "hex_small",
            "lights_out",
            "matching_pennies",
            "monty_hall",
        ),
        *("nim", "pig", "rock_paper_scissors", "tic_tac_toe", "treasure_hunt"),
    ],
)
def test_bundled_games_are_what_their_authors_say(name: str) -> None:
    rules = load_rules(name)
    limits = SurveyLimits(seconds=None, positions=500, playouts=5, steps=200)
    found = find_traits(rules, build_game(rules, REFERENCE), limits)
    assert bundled_game(name).players == found.num_players.value
    for trait, value in bundled_game(name).traits.items():
        assert getattr(found, trait).value == value, trait
