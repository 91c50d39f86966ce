from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from woodstock.common.errors import UsageError
from woodstock.common.limits import Deadline
from woodstock.game.backends import build_game
from woodstock.game.load import load_rules
from woodstock.game.reference import ReferenceGame
from woodstock.gdl import parse_rules
from woodstock.match import Answer, Ending, MatchSetup, Referee, Step, rules_fingerprint, seats
from woodstock.players import Clocks

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

CALLS = {1: Answer("heads"), 2: Answer("tails")}


def setup(text: str = COIN, names: tuple[str, ...] = ("a", "b"), **options: object) -> MatchSetup:
    rules = parse_rules(text)
    return replace(MatchSetup(rules, ReferenceGame(rules), names), **options)


def test_a_match_from_the_first_step_to_the_last() -> None:
    referee = Referee(setup(seed=4, clocks=Clocks(10, 1), game_name="coin", match_id="m1"))
    assert (referee.seats, referee.number, referee.ending()) == ((1, 2), 0, None)
    assert referee.legal_moves(1) == ("heads", "tails")
    while referee.ending() is None:
        step = referee.advance(CALLS)
        assert step.moves[1:] == ("heads", "tails")
        assert step.errors == ("", "", "")
        assert step.answers == (None, CALLS[1], CALLS[2])
    match = referee.finish()
    thrown = [step.moves[0] for step in match.steps]
    assert set(thrown) <= {"heads", "tails"}
    assert match.goals[1:] == (100 * ("heads" in thrown), 100 * ("tails" in thrown))
    assert (match.ending, match.match_id, match.game_name, match.seed) == (Ending.FINISHED, "m1", "coin", 4)
    assert (match.roles, match.player_names) == (("random", "left", "right"), ("random", "a", "b"))
    assert match.clocks == Clocks(10, 1)
    assert len(match.states) == len(match.state_times) == len(match.steps) + 1 == 4
    assert match.states[0] == {("round", "1")}
    assert ("round", "over") in match.states[3]
    assert len(match.random_token) == 32
    assert match.start_errors == ("", "", "")
    assert match.rules_sha256 == rules_fingerprint(parse_rules(COIN))


def test_nature_is_fair_and_repeatable() -> None:
    def throw(seed: int) -> list[object]:
        referee = Referee(setup(seed=seed))
        return [referee.advance(CALLS).moves[0] for _ in range(3)]

    thrown = [side for seed in range(60) for side in throw(seed)]
    assert 70 <= thrown.count("heads") <= 110
    assert throw(5) == throw(5)
    assert len({tuple(throw(seed)) for seed in range(20)}) > 4


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (Answer(("edge", "1")), "IL ( edge 1 )"),
        (Answer("noses"), "IL noses"),
        (Answer(None), "IL nil"),
        (Answer(None, "IL ( ( heads"), "IL ( ( heads"),
        (Answer(None, "TO"), "TO"),
        (Answer("heads", "TO"), "TO"),
        (Answer(None, "CE"), "CE"),
        (Answer(17), "IL 17"),
        (Answer(["heads"]), "IL ( heads )"),
        (Answer(("edge", 1)), "IL ('edge', 1)"),
        (None, "TO"),
    ],
)
def test_what_is_no_legal_move_in_time_is_replaced_and_noted(answer: Answer | None, error: str) -> None:
    drawn = Counter()
    for seed in range(40):
        referee = Referee(setup(seed=seed))
        step = referee.advance({2: Answer("tails")} if answer is None else {1: answer, 2: Answer("tails")})
        assert step.errors == ("", error, "")
        assert referee.event(1).move == step.moves[1]
        assert step.moves[2] == "tails"
        drawn[step.moves[1]] += 1
    assert set(drawn) == {"heads", "tails"}
    assert min(drawn.values()) > 5


def test_the_fallback_may_be_the_first_legal_move() -> None:
    for seed in range(10):
        step = Referee(setup(seed=seed, fallback="first")).advance({1: Answer(None, "TO"), 2: Answer("noses")})
        assert step.moves[1:] == ("heads", "heads")
    thrown = {Referee(setup(seed=seed, fallback="first")).advance(CALLS).moves[0] for seed in range(20)}
    assert thrown == {"heads", "tails"}  # nature is not a player that failed


def test_players_are_told_what_they_may_know() -> None:
    referee = Referee(setup(clocks=Clocks(9, 2, 77)))
    deadline = Deadline(None)
    seat = referee.seat(2, deadline)
    assert (seat.role, seat.hidden, seat.clocks, seat.deadline) == (2, False, Clocks(9, 2, 77), deadline)
    assert seat.rules == parse_rules(COIN)
    proposals: list[object] = []
    turn = referee.turn(1, deadline, proposals.append)
    assert (turn.number, turn.legal_moves, turn.iterations) == (0, ("heads", "tails"), 77)
    assert (turn.position, turn.deadline) == (referee.position, deadline)
    turn.propose("heads")
    assert proposals == ["heads"]
    step = referee.advance(CALLS)
    event = referee.event(1)
    assert (event.number, event.move, event.moves) == (1, "heads", step.moves)
    assert event.position == referee.position
    assert ("did", "random", step.moves[0]) in event.percepts
    assert referee.turn(1, deadline).number == 1


def test_hidden_information_is_kept_from_players() -> None:
    referee = Referee(setup(SECRET_COIN))
    assert referee.hidden
    assert referee.seat(1, Deadline(None)).hidden
    assert referee.turn(1, Deadline(None)).position is None
    step = referee.advance(CALLS)
    seen, unseen = referee.event(1), referee.event(2)
    assert (seen.moves, seen.position, seen.percepts) == (None, None, {("coin", step.moves[0])})
    assert (unseen.moves, unseen.position, unseen.percepts) == (None, None, frozenset())
    assert (unseen.move, unseen.number) == ("tails", 1)


def test_what_is_hidden_can_be_settled_otherwise() -> None:
    assert Referee(setup(hidden=True)).turn(1, Deadline(None)).position is None
    assert Referee(setup(SECRET_COIN, hidden=False)).turn(1, Deadline(None)).position is not None


def test_each_role_has_random_numbers_of_its_own_from_the_seed() -> None:
    def draw(seed: int, role: int) -> float:
        return Referee(setup(seed=seed)).seat(role, Deadline(None)).random.random()

    assert draw(1, 1) == draw(1, 1)
    assert len({draw(1, 1), draw(1, 2), draw(2, 1), draw(2, 2)}) == 4


@pytest.mark.parametrize("name", ["tic_tac_toe", "pig"])
def test_every_reasoner_plays_the_same_match_from_one_seed(name: str) -> None:
    def play(backend: str) -> tuple[Step, ...]:
        rules = load_rules(name)
        game = build_game(rules, backend)
        referee = Referee(MatchSetup(rules, game, ["x"] * len(seats(game.roles)), seed=3, max_steps=30))
        while referee.ending() is None:
            referee.advance({})  # everybody is late: all moves are drawn
        return referee.steps

    assert play("reference") == play("ground")


def test_a_role_without_a_move_stops_the_match() -> None:
    referee = Referee(setup("(role you) (init on) (<= (legal you go) (true on)) (goal you 7)", ("a",)))
    referee.advance({0: Answer("go")})
    assert referee.ending() is Ending.STUCK
    assert referee.finish().goals == (7,)
    with pytest.raises(ValueError, match="cannot go on"):
        referee.advance({})


def test_a_match_without_end_is_cut() -> None:
    endless = "(role you) (init on) (<= (next on) (true on)) (legal you go) (<= (goal you 1) (true off))"
    referee = Referee(setup(endless, ("a",), max_steps=12))
    while referee.ending() is None:
        referee.advance({0: Answer("go")})
    match = referee.finish()
    assert (match.ending, len(match.steps), match.goals) == (Ending.CUT, 12, (None,))


def test_a_match_may_be_over_before_it_begins() -> None:
    referee = Referee(setup("(role you) (legal you go) terminal (goal you 50)", ("a",)))
    assert referee.ending() is Ending.FINISHED
    match = referee.finish()
    assert (match.steps, match.goals, len(match.states)) == ((), (50,), 1)
    with pytest.raises(ValueError, match="no joint move"):
        referee.event(0)
    with pytest.raises(ValueError, match="cannot go on"):
        referee.advance({})


def test_a_match_that_is_broken_off_is_aborted() -> None:
    referee = Referee(setup())
    referee.advance(CALLS)
    assert referee.finish().ending is Ending.ABORTED
    assert referee.finish(Ending.ABORTED).goals[0] is not None
    assert len(referee.finish().steps) == 1


def test_times_never_go_back_even_if_the_clock_does(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter([5000, 6000, 4000, 7000, 1000])
    monkeypatch.setattr("woodstock.match.referee._now", lambda: next(ticks))
    referee = Referee(setup())
    while referee.ending() is None:
        referee.advance(CALLS)
    match = referee.finish()
    assert (match.start_time, match.state_times) == (5000, (6000, 6000, 7000, 7000))


def test_errors_of_the_start_are_kept() -> None:
    referee = Referee(setup())
    referee.note_start(2, "TO")
    assert referee.finish().start_errors == ("", "", "TO")


def test_every_match_has_a_name_and_a_token_of_its_own() -> None:
    matches = [Referee(setup(game_name="sheets/Coin Toss.kif")).finish() for _ in range(3)]
    assert len({match.match_id for match in matches}) == len({match.random_token for match in matches}) == 3
    assert all(match.match_id.startswith("woodstock.coin_toss.") for match in matches)


def test_nature_needs_no_seat_and_every_other_role_does() -> None:
    assert seats(("random", "left", "right")) == (1, 2)
    with pytest.raises(UsageError, match=r"2 roles to play \(left, right\), found 3 players"):
        Referee(setup(names=("a", "b", "c")))


def test_the_fingerprint_is_of_the_rules_and_not_of_their_layout() -> None:
    rules = parse_rules("(role x) (<= (next on) (true off))")
    assert rules_fingerprint(rules) == rules_fingerprint(parse_rules("(ROLE x)\n; comment\n(<= (next on)  (true off))"))
    assert rules_fingerprint(rules) != rules_fingerprint(parse_rules("(role x) (<= (next on) (true on))"))
