from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from naive.small_games import rules_of
from woodstock.common.errors import UsageError
from woodstock.common.limits import Deadline
from woodstock.game.load import load_rules
from woodstock.game.protocol import Move, Percept
from woodstock.game.reference import ReferenceGame
from woodstock.game.walk import Line
from woodstock.gdl.terms import GroundTerm
from woodstock.search.beliefs import Beliefs
from woodstock.search.particles import thin

Position = frozenset[GroundTerm]
Sight = tuple[Move, frozenset[Percept]]

# Nature hides a number of two digits; the guest is told the second one, and later whether the first is even.
NUMBER = """
(role guest) (role random) (init (stage 1)) (succ 1 2) (succ 2 3) (succ 3 4)
(digit 0) (digit 1) (digit 2) (digit 3) (digit 4) (even 0) (even 2) (even 4)
(<= (legal random (first ?d)) (true (stage 1)) (digit ?d)) (<= (legal random (second ?d)) (true (stage 2)) (digit ?d))
(<= (legal random wait) (true (stage 3))) (<= (legal guest wait) (not (true (stage 4))))
(<= (legal guest low) (true (stage 4)) (true (second 0))) (<= (legal guest high) (true (stage 4)))
(<= (legal random wait) (true (stage 4)))
(<= (next (stage ?n)) (true (stage ?m)) (succ ?m ?n)) (<= (next (first ?d)) (does random (first ?d)))
(<= (next (second ?d)) (does random (second ?d)))
(<= (next (first ?d)) (true (first ?d))) (<= (next (second ?d)) (true (second ?d)))
(<= (sees guest even) (true (stage 3)) (true (first ?d)) (even ?d))
(<= terminal (true (stage over))) (goal guest 0) (goal random 0)
"""


class Expiring(Deadline):
    """A deadline that is over."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(0)


def make(game: ReferenceGame, seed: int = 1, size: int = 64, role: int = 0) -> Beliefs[Position]:
    return Beliefs(game, role, Random(seed), size)


def agrees(game: ReferenceGame, role: int, line: Line, sights: list[Sight], position: Position) -> bool:
    """Tell whether a line is legal, shows what was seen, and leads to a position."""
    if len(line) != len(sights):
        return False
    reached = game.initial_position()
    for moves, (own, percepts) in zip(line, sights, strict=True):
        legal = all(move in game.legal_moves(reached, each) for each, move in enumerate(moves))
        if game.is_terminal(reached) or not legal or moves[role] != own:
            return False
        if game.percepts(reached, moves, role) != percepts:
            return False
        reached = game.next_position(reached, moves)
    return reached == position


def watch(name: str, role: int, seed: int, size: int, most: int = 100) -> tuple[int, int]:
    """Follow a random match, and check every belief; return how many turns there were, and in how many it was right."""
    game = ReferenceGame(load_rules(name))
    random = Random(seed)
    beliefs = make(game, seed, size, role)
    position = game.initial_position()
    sights: list[Sight] = []
    turns = right = 0
    while not game.is_terminal(position) and turns < most:
        legal = game.legal_moves(position, role)
        found = beliefs.positions(legal)
        assert len(found) == size
        assert set(found) <= set(beliefs.chances())
        for line, possible in zip(beliefs.lines(), beliefs.chances(), strict=True):
            assert agrees(game, role, line, sights, possible)
            assert set(game.legal_moves(possible, role)) == set(legal)
        turns += 1
        right += position in found
        moves = tuple(random.choice(game.legal_moves(position, each)) for each in range(len(game.roles)))
        sights.append((moves[role], game.percepts(position, moves, role)))
        beliefs.observe(*sights[-1])
        position = game.next_position(position, moves)
        assert beliefs.number == turns
    return turns, right


@pytest.mark.parametrize(("name", "role"), [("monty_hall", 0), ("kuhn_poker", 0), ("kuhn_poker", 1)])
def test_small_games_are_known_exactly(name: str, role: int) -> None:
    for seed in range(6):
        turns, right = watch(name, role, seed, 64)
        assert turns == right


@pytest.mark.parametrize(("name", "size"), [("mastermind", 8), ("kuhn_poker", 1), ("monty_hall", 2), ("wumpus", 8)])
def test_some_positions_of_many_agree_with_all_that_was_seen(name: str, size: int) -> None:
    turns, _ = watch(name, 0, 3, size, most=14)
    assert turns >= 2


def show_goat(beliefs: Beliefs[Position]) -> None:
    beliefs.observe("wait", frozenset())
    beliefs.observe(("pick", "1"), frozenset())
    beliefs.observe("wait", frozenset({("goat_behind", "3")}))


def test_the_car_is_behind_the_door_that_was_picked_in_a_third_of_the_cases() -> None:
    game = ReferenceGame(load_rules("monty_hall"))
    beliefs = make(game)
    show_goat(beliefs)
    found = beliefs.positions(["stay", "switch"])
    assert beliefs.is_complete
    assert sum(("car", "1") in position for position in found) in (21, 22)
    # Every beginning of the list is typical.
    for num in range(1, 64):
        assert abs(sum(("car", "1") in position for position in found[:num]) - num / 3) <= 1
    assert not any(("car", "3") in position for position in found)


def hidden(num: int, shown: str) -> ReferenceGame:
    """Return a game in which nature hides a car behind one of some doors, and then shows something."""
    doors = " ".join(f"(door {number})" for number in range(1, num + 1))
    return ReferenceGame(
        rules_of(f"""
        (role guest) (role random) (init (stage 1)) (succ 1 2) (succ 2 3) {doors}
        (<= (legal random (hide ?d)) (true (stage 1)) (door ?d)) (legal guest wait)
        (<= (next (stage ?n)) (true (stage ?m)) (succ ?m ?n))
        (<= (next (car ?d)) (does random (hide ?d))) (<= (next (car ?d)) (true (car ?d)))
        (<= terminal (true (stage 3))) (goal guest 0) (goal random 0) {shown}""")
    )


def mean_chance(game: ReferenceGame, size: int, percept: Percept, doors: set[str]) -> float:
    """Return how likely it is thought to be, on the average, that the car is behind one of some doors."""
    total = 0.0
    for seed in range(50):
        beliefs = make(game, seed, size)
        beliefs.observe("wait", frozenset())
        beliefs.observe("wait", frozenset({percept}))
        total += sum(chance for each, chance in beliefs.chances().items() if each & {("car", door) for door in doors})
        assert not beliefs.is_complete
    return total / 50


def test_samples_are_weighed_by_how_likely_they_make_what_was_seen() -> None:
    # The lamp is red in a half of the cases if the car is behind one of the first twelve doors, else in a quarter.
    low = " ".join(f"(low {number})" for number in range(1, 13))
    game = hidden(
        24,
        f"""{low} (lamp red) (lamp green) (lamp blue) (lamp white) (<= is_low (true (car ?d)) (low ?d))
        (<= (legal random red) (true (stage 2))) (<= (legal random green) (true (stage 2)))
        (<= (legal random blue) (true (stage 2)) (not is_low)) (<= (legal random white) (true (stage 2)) (not is_low))
        (<= (sees guest ?c) (lamp ?c) (does random ?c))""",
    )
    assert mean_chance(game, 8, "red", set(map(str, range(1, 13)))) == pytest.approx(2 / 3, abs=0.08)


def test_what_is_made_later_is_weighed_alike() -> None:
    # All doors are opened but the first and one other: any if the car is behind the first, else that with the car.
    game = hidden(
        24,
        """(<= (legal random (leave ?d)) (true (stage 2)) (true (car ?d)) (distinct ?d 1))
        (<= (legal random (leave ?d)) (true (stage 2)) (true (car 1)) (door ?d) (distinct ?d 1))
        (<= (sees guest (left ?d)) (does random (leave ?d)))""",
    )
    assert 0.02 < mean_chance(game, 12, ("left", "7"), {"1"}) < 0.12


def test_what_kuhn_poker_shows_leaves_two_cards() -> None:
    game = ReferenceGame(load_rules("kuhn_poker"))
    beliefs = make(game)
    beliefs.observe("wait", frozenset({("dealt", "queen")}))
    cards = Counter(next(f[2] for f in position if f[:2] == ("hand", "ben")) for position in beliefs.positions())
    assert cards == {"king": 32, "jack": 32}
    assert list(beliefs.chances().values()) == [0.5, 0.5]


def test_percepts_and_legal_moves_narrow_down_what_is_hidden() -> None:
    game = ReferenceGame(rules_of(NUMBER))
    for size in (64, 6):
        beliefs = make(game, size=size)
        beliefs.observe("wait", frozenset())
        beliefs.observe("wait", frozenset())
        assert len(set(beliefs.positions(["wait"]))) == min(size, 25)
        beliefs.observe("wait", frozenset({"even"}))
        assert all(position & {("first", digit) for digit in "024"} for position in beliefs.positions())
        assert all(("second", "0") in position for position in beliefs.positions(["low", "high"]))
        assert len(beliefs.chances()) <= 3
        if size == 64:
            assert sorted(beliefs.chances().values()) == pytest.approx([1 / 3] * 3)


def test_histories_are_taken_up_again_when_the_positions_that_are_kept_are_wrong() -> None:
    # Of 625 codes eight are kept; only one agrees with what comes later.
    digits = " ".join(f"(digit {number})" for number in range(5))
    sheet = f"""
        (role guest) (role random) (init (stage 1)) {digits}
        (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8) (succ 8 9)
        (digits_at 1) (digits_at 2) (digits_at 3) (digits_at 4) (shown 5 1) (shown 6 2) (shown 7 3) (shown 8 4)
        (<= (legal random (hide ?d)) (true (stage ?n)) (digits_at ?n) (digit ?d))
        (<= (legal random wait) (true (stage ?n)) (not (digits_at ?n))) (legal guest wait)
        (<= (next (stage ?n)) (true (stage ?m)) (succ ?m ?n))
        (<= (next (code ?n ?d)) (true (stage ?n)) (does random (hide ?d))) (<= (next (code ?n ?d)) (true (code ?n ?d)))
        (<= (sees guest (is ?d)) (true (stage ?n)) (shown ?n ?p) (true (code ?p ?d)))
        (<= terminal (true (stage 9))) (goal guest 0) (goal random 0)"""
    game = ReferenceGame(rules_of(sheet))
    for seed in range(5):
        beliefs = make(game, seed, size=8)
        for _ in range(4):
            beliefs.observe("wait", frozenset())
        assert len(set(beliefs.positions())) == 8
        for digit in "3142":
            beliefs.observe("wait", frozenset({("is", digit)}))
            assert beliefs.positions()
        (position,) = beliefs.chances()
        assert {("code", str(place + 1), digit) for place, digit in enumerate("3142")} < position


@pytest.mark.parametrize("size", [64, 2])
def test_what_contradicts_the_rules_leaves_nothing(size: int) -> None:
    game = ReferenceGame(load_rules("monty_hall"))
    beliefs = make(game, size=size)
    beliefs.observe("wait", frozenset({("goat_behind", "7")}))
    assert beliefs.positions() == []
    assert beliefs.chances() == {}
    assert beliefs.lines() == []
    beliefs.observe(("pick", "1"), frozenset())
    assert beliefs.positions(["wait"], Deadline(0.1)) == []
    beliefs.restart()
    show_goat(beliefs)
    assert beliefs.positions(["stay"]) == []
    beliefs.restart()
    beliefs.observe(("pick", "1"), frozenset())
    assert beliefs.positions() == []


def test_contradictions_among_many_possibilities_end_with_the_time() -> None:
    game = ReferenceGame(load_rules("mastermind"))
    beliefs = make(game, size=8)
    for _ in range(4):
        beliefs.observe("wait", frozenset())
    for colour in ("red", "red", "red"):
        beliefs.observe(("lay", colour), frozenset())
    beliefs.observe(("lay", "red"), frozenset({("answer", "9", "9")}))
    assert beliefs.positions(deadline=Deadline(0.2)) == []
    assert beliefs.positions(deadline=Expiring()) == []


def test_without_time_there_is_nothing_yet_but_nothing_is_lost() -> None:
    game = ReferenceGame(load_rules("monty_hall"))
    beliefs = make(game)
    beliefs.observe("wait", frozenset(), Expiring())
    beliefs.observe(("pick", "1"), frozenset())
    assert beliefs.positions(deadline=Expiring()) == []
    assert not beliefs.is_complete
    beliefs.observe("wait", frozenset({("goat_behind", "3")}))
    beliefs.update()
    assert beliefs.is_complete
    assert sorted(beliefs.chances().values()) == pytest.approx([1 / 3, 2 / 3])


def test_an_observation_with_time_is_thought_about_at_once() -> None:
    beliefs = make(ReferenceGame(load_rules("monty_hall")))
    beliefs.observe("wait", frozenset(), Deadline(None))
    assert len(beliefs.lines()) == 3
    beliefs.observe(("pick", "1"), frozenset())
    assert beliefs.lines() == []
    beliefs.update()
    assert len(beliefs.lines()) == 3


def test_a_move_that_is_not_known_may_have_been_any() -> None:
    beliefs = make(ReferenceGame(load_rules("monty_hall")))
    beliefs.observe(None, frozenset())
    beliefs.observe(None, frozenset())
    assert len(beliefs.chances()) == 9


def test_where_nothing_is_hidden_there_is_one_position() -> None:
    game = ReferenceGame(load_rules("tic_tac_toe"))
    beliefs = make(game, size=4)
    moves = (("place", "2", "2"), "wait")
    beliefs.observe(moves[0], game.percepts(game.initial_position(), moves, 0))
    assert beliefs.positions(["wait"]) == [game.next_position(game.initial_position(), moves)] * 4


def test_beliefs_repeat_themselves() -> None:
    game = ReferenceGame(load_rules("mastermind"))

    def believe() -> list[Position]:
        beliefs = make(game, 7, size=8)
        for _ in range(4):
            beliefs.observe("wait", frozenset())
        return beliefs.positions()

    assert believe() == believe()


def test_beliefs_need_room() -> None:
    with pytest.raises(UsageError, match="size = 0"):
        make(ReferenceGame(load_rules("monty_hall")), size=0)


def test_thinning_draws_in_proportion() -> None:
    random = Random(1)
    weights = [1.0, 0.0, 2.5, 0.5]
    totals: Counter[int] = Counter()
    for _ in range(200):
        drawn = Counter(thin(weights, 8, random))
        assert drawn.total() == 8
        assert drawn[0] == 2
        assert drawn[2] == 5
        assert drawn[3] == 1
        totals += drawn
    assert totals[1] == 0
    for _ in range(400):
        totals[10 + thin([3.0, 1.0], 1, random)[0]] += 1
    assert 270 < totals[10] < 330
