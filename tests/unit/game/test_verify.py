from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

from woodstock.common.errors import LimitError
from woodstock.game import verify
from woodstock.game.reference import ReferenceGame
from woodstock.game.traces import Recording, record_plays
from woodstock.game.verify import follow_trace, walk_together
from woodstock.game.walk import Budget, replay
from woodstock.gdl.rules import Rules
from woodstock.gdl.sheet import parse_rules

# Two players raise a number in turn by one or two; who reaches five wins.
RACE = """
(role white) (role black) (init (number 0)) (init (turn white))
(plus 0 1 1) (plus 1 1 2) (plus 2 1 3) (plus 3 1 4) (plus 4 1 5) (plus 0 2 2) (plus 1 2 3) (plus 2 2 4) (plus 3 2 5)
(other white black) (other black white)
(<= (legal ?r (add ?k)) (true (turn ?r)) (true (number ?n)) (plus ?n ?k ?m))
(<= (legal ?r wait) (true (turn ?q)) (other ?q ?r))
(<= (next (number ?m)) (does ?r (add ?k)) (true (number ?n)) (plus ?n ?k ?m))
(<= (next (turn ?r)) (true (turn ?q)) (other ?q ?r))
(<= (sees ?r (did ?q ?m)) (role ?r) (does ?q ?m))
(<= terminal (true (number 5)))
(<= (goal ?r 100) (true (number 5)) (true (turn ?q)) (other ?q ?r))
(<= (goal ?r 0) (true (turn ?r)))
"""
RULES = parse_rules(RACE)
FOUR = ("number", "4")


class Lying(ReferenceGame):
    """A reasoner that is wrong in one way, in positions where the number is four, or just before."""

    def __init__(self, rules: Rules, lie: str) -> None:
        super().__init__(rules)
        self.lie = lie

    def lies(self, position: Any, lie: str) -> bool:
        return self.lie == lie and FOUR in super().fluents(position)

    def fluents(self, position: Any) -> Any:
        found = super().fluents(position)
        return found - {FOUR} | {("number", "9")} if self.lies(position, "fluents") else found

    def is_terminal(self, position: Any) -> bool:
        return super().is_terminal(position) != self.lies(position, "terminal")

    def legal_moves(self, position: Any, role: int) -> Any:
        found = super().legal_moves(position, role)
        return (*found, "resign") if role == 1 and self.lies(position, "legal moves of black") else found

    def goal_values(self, position: Any, role: int) -> Any:
        found = super().goal_values(position, role)
        return () if role == 0 and self.lies(position, "goal of white") else found

    def percepts(self, position: Any, moves: Any, role: int) -> Any:
        found = super().percepts(position, moves, role)
        return frozenset() if self.lies(position, "percepts") else found

    def next_position(self, position: Any, moves: Any) -> Any:
        if self.lies(position, "failure"):
            raise LimitError("too hard")
        return super().next_position(position, moves)


LIES = ("fluents", "terminal", "legal moves of black", "goal of white", "percepts")


@pytest.fixture
def truth() -> ReferenceGame:
    return ReferenceGame(RULES)


def test_small_game_is_walked_in_full(truth: ReferenceGame) -> None:
    found = walk_together(truth, ReferenceGame(RULES), Budget())
    assert found.difference is None
    assert found.complete
    assert found.plays == 0
    # The number grows by one or two, so all numbers with either turn but 0 and 1 with the wrong one.
    assert found.positions == 10


@pytest.mark.parametrize("lie", LIES)
def test_every_kind_of_difference_is_found_with_a_shortest_line(truth: ReferenceGame, lie: str) -> None:
    found = walk_together(truth, Lying(RULES, lie), Budget())
    assert found.difference is not None
    assert found.difference.step == 2  # 0, 2, 4
    assert FOUR in truth.fluents(replay(truth, found.difference.line))
    subjects = [mismatch.subject for mismatch in found.difference.mismatches]
    assert any(subject.startswith(lie) for subject in subjects)
    assert not found.complete


@pytest.mark.parametrize("lie", LIES)
def test_differences_are_found_at_random_too(truth: ReferenceGame, lie: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verify, "MAX_POSITIONS_EXPLORED", 1)
    found = walk_together(truth, Lying(RULES, lie), Budget(positions=500))
    assert found.difference is not None
    assert FOUR in truth.fluents(replay(truth, found.difference.line))


def test_random_walks_go_on_until_the_budget_is_spent(truth: ReferenceGame, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verify, "MAX_POSITIONS_EXPLORED", 1)
    found = walk_together(truth, ReferenceGame(RULES), Budget(positions=100))
    assert found.positions == 100
    assert found.plays > 10
    assert not found.complete


def test_failure_of_a_reasoner_is_noted(truth: ReferenceGame) -> None:
    found = walk_together(truth, Lying(RULES, "failure"), Budget())
    assert (found.failure, found.difference) == ("too hard", None)
    assert found.positions > 0


def test_unexpected_failures_are_told_with_their_type(truth: ReferenceGame, monkeypatch: pytest.MonkeyPatch) -> None:
    other = ReferenceGame(RULES)
    monkeypatch.setattr(other, "is_terminal", lambda position: 1 // 0)
    assert walk_together(truth, other, Budget()).failure == "ZeroDivisionError: integer division or modulo by zero"


def test_roles_are_compared_first(truth: ReferenceGame) -> None:
    other = ReferenceGame(parse_rules(RACE.replace("(role white) (role black)", "(role black) (role white)")))
    found = walk_together(truth, other, Budget())
    assert found.difference is not None
    assert found.difference.mismatches[0].subject == "roles"


def test_own_trace_is_followed_to_its_end(truth: ReferenceGame) -> None:
    trace = record_plays(truth, "race", Recording(plays=5, percepts=True))
    found = follow_trace(ReferenceGame(RULES), trace, Budget())
    assert (found.difference, found.complete, found.plays) == (None, True, 5)
    assert found.positions == len(trace.positions)


@pytest.mark.parametrize("lie", [lie for lie in LIES if lie != "goal of white"])
def test_every_kind_of_difference_with_a_trace_is_found(truth: ReferenceGame, lie: str) -> None:
    trace = record_plays(truth, "race", Recording(plays=20, percepts=True))
    found = follow_trace(Lying(RULES, lie), trace, Budget())
    assert found.difference is not None
    assert found.difference.mismatches[0].subject.startswith(lie)
    recorded = [item for item in trace.positions if item.play == found.difference.play][: found.difference.step]
    assert found.difference.line == tuple(item.joint for item in recorded)


def test_goals_of_a_trace_are_compared(truth: ReferenceGame) -> None:
    trace = record_plays(truth, "race", Recording(plays=1))
    last = trace.positions[-1]
    assert last.goals is not None
    accepted = [last.goals, tuple("0" + value for value in last.goals if value is not None)]
    refused = [last.goals[::-1], (None, last.goals[1]), ("50", last.goals[1])]
    for goals, agrees in [*((goals, True) for goals in accepted), *((goals, False) for goals in refused)]:
        changed = replace(trace, positions=(*trace.positions[:-1], replace(last, goals=goals)))
        found = follow_trace(truth, changed, Budget())
        assert (found.difference is None) == agrees, goals
        if found.difference is not None:
            assert {mismatch.subject for mismatch in found.difference.mismatches} <= {"goal of white", "goal of black"}


def test_recorded_null_stands_for_none_or_several() -> None:
    sheet = "(role x) (init p) (legal x a) (<= terminal (true p)) {}"
    for goals, agrees in [("", True), ("(goal x 1) (goal x 2)", True), ("(goal x high)", True), ("(goal x 1)", False)]:
        trace = record_plays(ReferenceGame(parse_rules(sheet.format(""))), "x", Recording(plays=1))
        assert trace.positions[0].goals == (None,)
        found = follow_trace(ReferenceGame(parse_rules(sheet.format(goals))), trace, Budget())
        assert (found.difference is None) == agrees, goals


def test_trace_with_roles_in_another_order_is_followed(truth: ReferenceGame) -> None:
    trace = record_plays(truth, "race", Recording(plays=3, percepts=True)).with_roles(("black", "white"))
    assert follow_trace(truth, trace, Budget()).complete


def test_trace_of_other_roles_differs(truth: ReferenceGame) -> None:
    trace = replace(record_plays(truth, "race", Recording(plays=1)), roles=("white", "red"))
    found = follow_trace(truth, trace, Budget())
    assert found.difference is not None
    assert found.difference.mismatches[0].subject == "roles"


def test_trace_with_a_gap_is_taken_up_again(truth: ReferenceGame) -> None:
    trace = record_plays(truth, "race", Recording(plays=1))
    gap = replace(trace, positions=trace.positions[:1] + trace.positions[2:])
    assert follow_trace(truth, gap, Budget()).complete


def test_budget_cuts_a_trace(truth: ReferenceGame) -> None:
    trace = record_plays(truth, "race", Recording(plays=5))
    found = follow_trace(truth, trace, Budget(positions=3))
    assert (found.positions, found.complete, found.difference) == (3, False, None)


def test_difference_is_rendered_as_a_diff_that_can_be_replayed(truth: ReferenceGame) -> None:
    found = walk_together(truth, Lying(RULES, "fluents"), Budget())
    assert found.difference is not None
    assert found.difference.render().splitlines() == [
        "  play 0, step 2",
        "  fluents:",
        "    - (number 4)",
        "    + (number 9)",
        "  after the joint moves:",
        "    ((add 2) wait)",
        "    (wait (add 2))",
    ]
    assert found.difference.to_json() == {
        "play": 0,
        "step": 2,
        "line": [["(add 2)", "wait"], ["wait", "(add 2)"]],
        "mismatches": [{"subject": "fluents", "missing": ["(number 4)"], "extra": ["(number 9)"]}],
    }


def test_long_differences_are_cut_when_shown() -> None:
    many = verify.Mismatch("fluents", tuple(f"f{number}" for number in range(25)), ())
    assert many.render().splitlines()[-1] == "    - … and 15 more"


def test_seeds_give_different_walks(truth: ReferenceGame) -> None:
    assert random.Random(0).random() != random.Random(1).random()
    plays = [record_plays(truth, "race", Recording(plays=10, seed=seed)) for seed in (0, 0, 1)]
    assert plays[0] == plays[1] != plays[2]
