from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from woodstock.game.load import load_rules
from woodstock.game.reference import ReferenceGame
from woodstock.match import MatchSetup, Referee, write_record
from woodstock.match.invariants import find_faults


@pytest.fixture
def record() -> dict[str, Any]:
    """A record of three steps, as sound as can be."""
    rules = load_rules("tic_tac_toe")
    referee = Referee(MatchSetup(rules, ReferenceGame(rules), ["a", "b"]))
    for _ in range(3):
        referee.advance({})
    found = write_record(referee.finish())
    assert find_faults(found) == []
    return found


def foreign(record: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in record.items() if not key.startswith("x-")}


def put(key: str, value: Any) -> Callable[[dict[str, Any]], None]:
    return lambda record: record.__setitem__(key, value)


@pytest.mark.parametrize(
    "key",
    ["matchId", "startTime", "randomToken", "startClock", "playClock", "states", "moves", "stateTimes", "gameMetaURL"],
)
def test_every_required_key_is_missed(record: dict[str, Any], key: str) -> None:
    del record[key]
    assert f"the key {key!r} is missing" in find_faults(record)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda r: r["states"].pop(), "expected one state more than joint moves, found 3 states and 3 joint moves"),
        (lambda r: r["stateTimes"].pop(), "expected as many entries of 'stateTimes' as states, found 3 and 4 states"),
        (lambda r: r["errors"].pop(), "expected as many entries of 'errors' as states, found 3 and 4 states"),
        (lambda r: r["x-seconds"].pop(), "expected as many entries of 'x-seconds' as joint moves, found 2"),
        (lambda r: r["moves"][1].append("wait"), "'moves', row 2: expected 2 entries, one per role"),
        (lambda r: r["errors"][3].pop(), "'errors', row 4: expected 2 entries, one per role"),
        (lambda r: r["playerNamesFromHost"].pop(), "'playerNamesFromHost': expected 2 entries"),
        (lambda r: r["isPlayerHuman"].append(True), "'isPlayerHuman': expected 2 entries"),
        (lambda r: r["x-roles"].append("z"), "'x-roles': expected 2 entries"),
        (lambda r: r["stateTimes"].__setitem__(2, 5), "the time goes back from"),
        (lambda r: r["stateTimes"].__setitem__(0, 5), "(startTime) to 5 (state 0)"),
        (put("startTime", -1), "'startTime': expected milliseconds since 1970, found -1"),
        (put("goalValues", [100, 0]), "'goalValues' may stand only in the record of a completed match"),
        (put("randomToken", "short"), "'randomToken': expected at least 12 characters, found 5"),
        (put("matchId", ""), "'matchId' is empty"),
        (put("gameMetaURL", "http://games.ggp.org/base/games/nim/"), "'gameMetaURL': expected an address"),
        (put("gameMetaURL", "http://games.ggp.org/base/games/nim/v0"), "'gameMetaURL': expected an address"),
        (put("matchHostPK", "0abc"), "'matchHostPK' and 'matchHostSignature' stand together"),
        (put("colour", "red"), "the key 'colour' is unknown: one's own begin with x-"),
        (put("weight", None), "'weight': expected a number, found None"),
        (put("x-other", {"a": [1, None]}), "'x-other': there is a null in it"),
        (put("startClock", 1.5), "'startClock': expected a whole number, found 1.5"),
        (put("startClock", True), "'startClock': expected a whole number, found True"),
        (put("moves", [["a"], "b"]), "'moves': expected a list of lists of texts"),
        (put("isCompleted", "yes"), "'isCompleted': expected true or false"),
        (put("isCompleted", True), "'x-ending' says 'aborted', 'isCompleted' true"),
        (put("x-ending", "over"), "'x-ending': expected finished, stuck, cut, aborted, found 'over'"),
        (put("x-clocks", {"start": 0}), "'x-clocks': expected an object of positive numbers"),
        (put("x-iterations", 0), "'x-iterations': expected a positive whole number, found 0"),
        (put("x-analysis", [{"x": 1}] * 3), "'x-analysis': expected a list of objects"),
        (lambda r: r["states"].__setitem__(1, "( ( turn x )"), "state 1: "),
        (lambda r: r["states"].__setitem__(1, "turn"), "state 1: expected a list in parentheses, found 'turn'"),
        (lambda r: r["moves"][0].__setitem__(1, "a b"), "joint move 1: expected one term, found 'a b'"),
        (lambda r: r["moves"][0].__setitem__(1, ""), "joint move 1: expected one term, found ''"),
    ],
)
def test_one_fault_is_named(record: dict[str, Any], spoil: Callable[[dict[str, Any]], object], message: str) -> None:
    spoil(record)
    assert any(fault.startswith(message) or message in fault for fault in find_faults(record)), find_faults(record)


def test_goals_are_for_completed_matches_and_between_0_and_100(record: dict[str, Any]) -> None:
    record = foreign(record) | {"isCompleted": True, "goalValues": [50, 101]}
    assert find_faults(record) == ["'goalValues': expected 0 to 100, found 101"]
    record["goalValues"] = [50, 50, 0]
    assert find_faults(record) == ["'goalValues': expected 2 entries, one per role as in 'moves', row 1, found 3"]


def test_all_faults_are_found_at_once(record: dict[str, Any]) -> None:
    del record["matchId"]
    record["weight"] = "heavy"
    record["randomToken"] = ""
    record["states"].pop()
    record["moves"][2].pop()
    assert len(find_faults(record)) == 7  # one state less is one less than times and errors, too


def test_keys_of_other_programs_may_mean_anything(record: dict[str, Any]) -> None:
    record = foreign(record) | {"x-ending": 5, "x-seconds": "long", "x-roles": [], "x-analysis": {"deep": [1]}}
    assert find_faults(record) == []


def test_only_what_is_required_is_required(record: dict[str, Any]) -> None:
    keys = ("matchId", "startTime", "randomToken", "startClock", "playClock", "states", "moves", "stateTimes")
    assert find_faults({key: record[key] for key in (*keys, "gameMetaURL")}) == []


def test_a_match_without_a_step_has_a_state(record: dict[str, Any]) -> None:
    empty = foreign(record) | {"states": record["states"][:1], "moves": [], "stateTimes": record["stateTimes"][:1]}
    assert find_faults(empty | {"errors": [["", ""]]}) == []
    assert find_faults(empty | {"errors": [["", ""]], "states": [], "stateTimes": []})
