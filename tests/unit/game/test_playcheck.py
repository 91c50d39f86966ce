from __future__ import annotations

from typing import Any

import pytest

from woodstock.common.errors import LimitError
from woodstock.game.findings import Finding
from woodstock.game.playcheck import ENOUGH_PLAYOUTS, PlayLimits, check_by_play, check_game, report_by_play
from woodstock.game.reference import ReferenceGame
from woodstock.game.walk import replay
from woodstock.gdl.sheet import parse_rules

ALL = PlayLimits(seconds=None, positions=10_000, playouts=50, steps=100)
SAMPLE = PlayLimits(seconds=None, positions=1, playouts=200, steps=100)

# A walk on the numbers 0..4, one up or one or two down; the end is at 4.
WALK = """
(role walker) (init (at 0))
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
(<= (legal walker up) (true (at ?n)) (succ ?n ?m))
{legal}
(<= (next (at ?m)) (does walker up) (true (at ?n)) (succ ?n ?m))
{next}
(<= terminal (true (at 4)))
{goal}
"""
GOOD_GOAL = "(<= (goal walker 100) (true (at 4)))"


def sheet(legal: str = "", next: str = "", goal: str = GOOD_GOAL) -> str:  # noqa: A002
    return WALK.format(legal=legal, next=next, goal=goal)


def findings(text: str, limits: PlayLimits = ALL) -> dict[str, Finding]:
    found = report_by_play(parse_rules(text), limits).findings
    assert len({finding.code for finding in found}) == len(found)
    return {finding.code: finding for finding in found}


def test_nothing_is_wrong_with_a_good_sheet() -> None:
    report = report_by_play(parse_rules(sheet()), ALL)
    assert report.findings == ()
    assert report.exhaustive
    assert report.positions == 5


@pytest.mark.parametrize("limits", [ALL, SAMPLE])
@pytest.mark.parametrize(
    ("goal", "code", "message"),
    [
        ("(<= (goal walker 100) (true (at 3)))", "no-goal", "walker has no goal value in a terminal position"),
        (
            GOOD_GOAL + "(goal walker 5)",
            "several-goals",
            "walker has several goal values in a terminal position: 100, 5",
        ),
        ("(goal walker 101)", "bad-goal", "expected a whole number from 0 to 100"),
        ("(goal walker -1)", "bad-goal", "walker has the goal value -1"),
        ("(goal walker (f a))", "bad-goal", "walker has the goal value (f a)"),
    ],
)
def test_goals_at_the_end(goal: str, code: str, message: str, limits: PlayLimits) -> None:
    finding = findings(sheet(goal=goal), limits)[code]
    assert message in finding.message
    assert finding.is_error
    assert finding.line == (("up",),) * 4
    assert finding.exhaustive == (limits is ALL)


def test_goals_before_the_end_may_be_anything() -> None:
    goals = GOOD_GOAL + "(<= (goal walker 1) (true (at 2))) (<= (goal walker 2) (true (at 2)))"
    assert findings(sheet(goal=goals)) == {}


@pytest.mark.parametrize("limits", [ALL, SAMPLE])
def test_role_without_a_legal_move(limits: PlayLimits) -> None:
    text = sheet("(<= (legal walker dig) (true (at 2)))", "(<= (next (at pit)) (does walker dig))")
    finding = findings(text, limits)["no-legal-move"]
    assert finding.message == "walker has no legal move, though the position is not terminal"
    assert finding.line == (("up",), ("up",), ("dig",))
    assert finding.is_error


def test_stuck_at_the_start() -> None:
    finding = findings("(role x) (init p) (<= (legal x a) (true q)) (goal x 100) (<= terminal (true q))")[
        "no-legal-move"
    ]
    assert finding.line == ()
    assert finding.render().endswith("[no-legal-move, all positions seen]\n    in the initial position")


@pytest.mark.parametrize("limits", [ALL, SAMPLE])
def test_play_that_comes_back(limits: PlayLimits) -> None:
    down = "(<= (legal walker down) (true (at 3)))", "(<= (next (at 1)) (does walker down))"
    finding = findings(sheet(*down), limits)["no-end"]
    assert finding.message == "play can go on for ever: this line comes back to the position after 1 joint moves"
    assert finding.line == (("up",), ("up",), ("up",), ("down",))
    assert finding.is_error
    game = ReferenceGame(parse_rules(sheet(*down)))
    assert replay(game, finding.line) == replay(game, finding.line[:1])


def test_the_shortest_way_round_is_found() -> None:
    text = sheet(
        "(<= (legal walker back) (true (at 1))) (<= (legal walker jump) (true (at 3)))",
        "(<= (next (at 1)) (does walker back)) (<= (next (at 0)) (does walker jump))",
    )
    assert findings(text)["no-end"].line == (("up",), ("back",))


def test_no_end_in_sight() -> None:
    text = (
        "(role x) (init (n 0)) (legal x a) (<= (next (n (s ?n))) (true (n ?n))) (<= terminal (true (n 1))) (goal x 100)"
    )
    limits = PlayLimits(seconds=None, positions=20, playouts=2, steps=30)
    finding = findings(text, limits)["no-end"]
    assert finding.message == "no end in sight: a random play was not over after 30 joint moves"
    assert not finding.is_error
    assert not finding.exhaustive


def test_role_that_cannot_win() -> None:
    finding = findings(sheet(goal="(<= (goal walker 60) (true (at 4)))"))["never-won"]
    assert finding.message == "walker can never win: its best goal is 60"
    assert (finding.is_error, finding.exhaustive, len(finding.line)) == (False, True, 4)
    sampled = findings(sheet(goal="(<= (goal walker 60) (true (at 4)))"), SAMPLE)["never-won"]
    assert "walker was never seen to win: its best goal in 200 playouts was 60" in sampled.message


def test_random_need_not_have_goals_nor_win() -> None:
    text = "(role random) (role x) (init p) (legal random a) (legal x a) (<= (next q) (true p)) (<= terminal (true q))"
    assert findings(text + "(goal x 100)") == {}
    assert findings(text + "(goal x 100) (goal random 0) (goal random 1)") == {}


def test_errors_come_before_warnings() -> None:
    text = "(role x) (role y) (init p) (legal x a) (legal y a) (<= terminal (true p)) (goal x 60)"
    report = report_by_play(parse_rules(text), ALL)
    assert [(finding.code, finding.is_error) for finding in report.findings] == [
        ("no-goal", True),
        ("never-won", False),
    ]


def test_lines_of_playouts_are_shortened() -> None:
    """A trap three steps away that random play reaches late, in a game too large for the exploration."""
    text = """
    (role x) (init (at 0)) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3)
    (<= (legal x up)) (<= (legal x stay))
    (<= (next (at ?m)) (does x up) (true (at ?n)) (succ ?n ?m)) (<= (next (at ?n)) (does x stay) (true (at ?n)))
    (<= (next (step (s ?k))) (true (step ?k)))
    (<= terminal (true (at 3)))
    """
    limits = PlayLimits(seconds=None, positions=1, playouts=300, steps=100)
    finding = findings(text, limits)["no-goal"]
    assert finding.line == (("up",),) * 3


class Failing(ReferenceGame):
    """A reasoner that gives up at 2."""

    def next_position(self, position: Any, moves: Any) -> Any:
        if ("at", "2") in self.fluents(position):
            raise LimitError("too hard")
        return super().next_position(position, moves)


@pytest.mark.parametrize("limits", [ALL, SAMPLE])
def test_reasoner_that_gives_up_is_told(limits: PlayLimits) -> None:
    report = check_game(Failing(parse_rules(sheet())), limits)
    assert [finding.code for finding in report.findings] == ["gave-up"]
    assert report.findings[0].message == "the reasoner gave up: too hard"
    assert report.findings[0].line[:2] == (("up",), ("up",))
    assert not report.exhaustive


def test_seconds_are_enough_to_call_it() -> None:
    codes = [finding.code for finding in check_by_play(parse_rules(sheet(goal="(goal walker 101)")), seconds=60)]
    assert codes == ["bad-goal"]


def test_rendered_line_can_be_typed_in_again() -> None:
    text = findings(sheet(goal="(goal walker 101)"))["bad-goal"].render()
    expected = "expected a whole number from 0 to 100 [bad-goal, all positions seen]"
    assert text.splitlines() == [
        f"error: walker has the goal value 101 in a terminal position: {expected}",
        "    shortest line of play found, 4 joint moves:",
        "    (up)",
        "    (up)",
        "    (up)",
        "    (up)",
    ]


def test_a_few_playouts_say_nothing_about_winning() -> None:
    text = sheet(goal="(<= (goal walker 60) (true (at 4)))")
    for playouts in (ENOUGH_PLAYOUTS - 1, ENOUGH_PLAYOUTS):
        limits = PlayLimits(seconds=None, positions=1, playouts=playouts, steps=100)
        assert ("never-won" in findings(text, limits)) == (playouts == ENOUGH_PLAYOUTS)
