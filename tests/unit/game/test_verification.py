from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from woodstock.common.errors import LimitError, UsageError
from woodstock.game import verification
from woodstock.game.backends import GROUND, REFERENCE
from woodstock.game.reference import ReferenceGame
from woodstock.game.traces import Recording, record_plays, write_trace
from woodstock.game.verification import Task, verify_game
from woodstock.gdl.rules import Rules
from woodstock.gdl.sheet import parse_rules
from woodstock.gdl.source import SourceText

COUNT = """
(role x) (init (n 0)) (succ 0 1) (succ 1 2) (succ 2 3)
(legal x up) (legal x stay)
(<= (next (n ?m)) (does x up) (true (n ?n)) (succ ?n ?m))
(<= (next (n ?n)) (does x stay) (true (n ?n)))
(<= terminal (true (n 3)))
(<= (goal x 100) (true (n 3)))
"""
OTHER_COUNT = COUNT.replace("(<= (goal x 100)", "(<= (goal x 50)")


class OtherGame(ReferenceGame):
    """A reasoner with an opinion of its own about the goal."""

    def __init__(self, rules: Rules) -> None:
        super().__init__(parse_rules(OTHER_COUNT))


@pytest.fixture
def ground_is(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Put something in place of the ground backend."""

    def replace_by(maker: Any) -> None:
        build = verification.build_game
        monkeypatch.setattr(
            verification, "build_game", lambda rules, name: maker(rules) if name == GROUND else build(rules, name)
        )

    return replace_by


def task(sheet: str = COUNT, **changes: Any) -> Task:
    return Task("count", SourceText(sheet, "count.kif"), **changes)


def traces(folder: Path, sheet: str = COUNT) -> Path:
    write_trace(record_plays(ReferenceGame(parse_rules(sheet)), "count", Recording(plays=3)), folder / "count.jsonl")
    return folder


def test_reasoners_agree(ground_is: Any) -> None:
    ground_is(ReferenceGame)
    report = verify_game(task())
    assert (report.status, report.outcome, report.sheet.errors, report.reason) == ("agreed", "agreed", (), "")
    (comparison,) = report.comparisons
    assert (comparison.first, comparison.second) == (REFERENCE, GROUND)
    assert comparison.walked.complete
    assert report.positions == 4


def test_reasoners_differ(ground_is: Any) -> None:
    ground_is(OtherGame)
    report = verify_game(task())
    assert report.status == "differed"
    assert report.comparisons[0].difference is not None
    assert report.comparisons[0].difference.step == 3
    json.dumps(report.to_json())
    mismatch = report.to_json()["comparisons"][0]["difference"]["mismatches"][0]
    assert mismatch == {"subject": "goal of x", "missing": ["100"], "extra": ["50"]}


def test_rules_that_do_not_ground_leave_nothing_to_compare(ground_is: Any) -> None:
    def explode(rules: Rules) -> None:
        raise LimitError("rule 3 explodes")

    ground_is(explode)
    report = verify_game(task())
    assert (report.status, report.is_ungrounded) == ("not_grounded", True)
    assert report.comparisons[0].reason == "rule 3 explodes"


def test_with_a_trace_the_other_reasoner_still_agrees(ground_is: Any, tmp_path: Path) -> None:
    def explode(rules: Rules) -> None:
        raise LimitError("rule 3 explodes")

    ground_is(explode)
    report = verify_game(task(traces=traces(tmp_path)))
    assert (report.status, report.is_ungrounded) == ("agreed", True)
    assert [comparison.outcome for comparison in report.comparisons] == ["agreed", "not_grounded"]


def test_each_backend_is_compared_with_the_trace(ground_is: Any, tmp_path: Path) -> None:
    ground_is(OtherGame)
    report = verify_game(task(traces=traces(tmp_path)))
    assert report.status == "differed"
    assert [comparison.outcome for comparison in report.comparisons] == ["agreed", "differed"]
    assert [comparison.first for comparison in report.comparisons] == ["trace", "trace"]


def test_faults_of_a_reasoner_fail_the_game_alone(ground_is: Any) -> None:
    def crash(rules: Rules) -> None:
        raise ZeroDivisionError("oh")

    ground_is(crash)
    report = verify_game(task())
    assert report.status == "failed"
    assert report.comparisons[0].reason == "ZeroDivisionError: oh"


def test_missing_and_broken_traces_fail(tmp_path: Path) -> None:
    report = verify_game(task(traces=tmp_path, backends=(REFERENCE,)))
    assert (report.status, report.reason) == ("failed", f"there is no trace count.jsonl.gz in {tmp_path}")
    (tmp_path / "count.jsonl").write_text("nonsense")
    report = verify_game(task(traces=tmp_path, backends=(REFERENCE,)))
    assert report.status == "failed"
    assert "count.jsonl:1: expected the line" in report.reason


def test_sheet_without_meaning_is_invalid_and_not_played() -> None:
    report = verify_game(task(COUNT + "(<= (p ?x) (q ?y)) (q 1) (<= terminal (p 2))"))
    assert (report.status, report.comparisons) == ("invalid", ())
    assert "[unsafe]" in report.sheet.errors[0]
    assert report.sheet.errors[0].startswith("count.kif:8:")


def test_sheet_that_only_breaks_a_rule_is_invalid_but_played(tmp_path: Path) -> None:
    sheet = COUNT.replace("(<= (goal x 100)", "(<= (goal x 101)")
    report = verify_game(task(sheet, traces=traces(tmp_path, sheet), backends=(REFERENCE,)))
    assert (report.status, report.outcome) == ("invalid", "agreed")
    assert "[goal-value]" in report.sheet.errors[0]


def test_whatever_happens_there_is_a_report(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(source: SourceText) -> None:
        raise UsageError("no reading today")

    monkeypatch.setattr(verification, "read_sheet", refuse)
    report = verify_game(task())
    assert (report.status, report.reason) == ("failed", "no reading today")
    json.dumps(report.to_json())


def test_limits_are_handed_on(tmp_path: Path) -> None:
    report = verify_game(task(traces=traces(tmp_path), backends=(REFERENCE,), positions=2))
    assert report.positions == 2
    assert not report.comparisons[0].walked.complete


def test_a_known_quirk_explains_why_a_trace_differs(tmp_path: Path) -> None:
    quirky = COUNT + "(<= (legal x rest) (true (odd))) (<= (legal x rest) (true odd)) (<= (next odd) (true (n 9)))"
    report = verify_game(task(quirky, traces=traces(tmp_path, OTHER_COUNT)))
    assert report.status == "differed"
    assert report.explanations == ("mixed-parentheses at count.kif:8:27",)
    assert report.to_json()["explanations"] == list(report.explanations)


def test_without_a_quirk_there_is_no_explanation(tmp_path: Path) -> None:
    report = verify_game(task(traces=traces(tmp_path, OTHER_COUNT)))
    assert (report.status, report.explanations) == ("differed", ())


@pytest.mark.parametrize("with_trace", [True, False])
def test_a_quirk_explains_no_difference_between_our_reasoners(ground_is: Any, tmp_path: Path, with_trace: bool) -> None:
    ground_is(OtherGame)
    quirky = COUNT + "(<= (legal x up) (and (true (n 0)) (true (n 1))))"
    report = verify_game(task(quirky, traces=traces(tmp_path) if with_trace else None))
    assert (report.status, report.sheet.quirks) == ("differed", ("and at count.kif:8:18",))
    assert report.explanations == ()


def test_repaired_sheets_are_compared(ground_is: Any) -> None:
    ground_is(ReferenceGame)
    unsafe = COUNT.replace("(legal x stay)", "(<= (legal ?who stay) (true (n 0)))")
    assert verify_game(task(unsafe)).status == "invalid"
    report = verify_game(task(unsafe, repair=True))
    assert report.status == "agreed"
    assert report.to_json()["repairs"] == [
        "count.kif:3:14: warning: repaired: the condition (role ?who) was added to this rule [repaired]"
    ]
