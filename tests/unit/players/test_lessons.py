"""Lessons: when an evaluation is used, and how; and lessons that go on during a match."""

from __future__ import annotations

import math
from random import Random
from typing import Any

import numpy as np
import pytest

from woodstock.circuit.game import CircuitGame
from woodstock.common.limits import Deadline
from woodstock.game.load import load_rules
from woodstock.gdl.keywords import RANDOM
from woodstock.ground import ground
from woodstock.players import Clocks, Seat
from woodstock.players import lessons as module
from woodstock.players.lessons import LearningSearcher, Lessons, Use, use_beside
from woodstock.search.evaluation import make_model
from woodstock.search.options import SearchOptions
from woodstock.search.tree_search import TreeSearch
from woodstock.search.trial import Terms, Verdict

PLAYOUTS = SearchOptions(memory=4, foresight=1)
PLAIN = SearchOptions(memory=4, trust=3.0, exploration=0.3)
LEARNING = 0.6
SLOW, QUICK = (dict.fromkeys(Use, speed) for speed in (0.0, math.inf))
"""So much quicker than playouts the evaluation has to be: playouts are slow in any game, or quick."""


class Learner:
    """Plays no matches, and says what it is told about them."""

    mean_length = 20.0

    def __init__(self, name: str = "nim", num_matches: int = 1000) -> None:
        self.game = CircuitGame(ground(load_rules(name)))
        self.num_matches = num_matches
        self.model = make_model(self.game.program.num_fluents, [True] * len(self.game.roles))
        self.asked: list[float] = []

    def run(self, deadline: Deadline) -> None:
        self.asked.append(deadline.seconds_left)


class Judge:
    """Says what it is told about trials of the evaluation, alone and beside playouts."""

    alone = Verdict(4, 4.0)
    beside = Verdict(4, 4.0)
    is_over = False
    asked: list[Use]

    def __init__(
        self,
        champion: TreeSearch,
        challenger: TreeSearch,
        seconds: tuple[float, float],
        seed: int,
        terms: Terms,
    ) -> None:
        assert champion.model is None
        assert challenger.model is not None
        self._is_alone = challenger.options.minimax
        assert (challenger.options.samples == 0) == self._is_alone
        assert (challenger.options.hearing > 0) != self._is_alone
        assert terms is module.TERMS[Use.ALONE if self._is_alone else Use.BESIDE]
        has_handicap = self._is_alone and RANDOM in champion.game.roles
        assert seconds[0] == pytest.approx((module.HANDICAP if has_handicap else 1.0) * seconds[1])

    def run(self, deadline: Deadline) -> Verdict:
        self.asked.append(Use.ALONE if self._is_alone else Use.BESIDE)
        return self.alone if self._is_alone else self.beside


@pytest.fixture(autouse=True)
def _judge(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "Trial", Judge)
    monkeypatch.setattr(module, "SPEED", SLOW)
    monkeypatch.setattr(Judge, "asked", [], raising=False)


def _make(learner: Learner, options: SearchOptions = PLAYOUTS) -> Lessons:
    play: Any = learner
    return Lessons(play, options, PLAIN, LEARNING)


@pytest.mark.parametrize(
    ("name", "matches", "alone", "beside", "use"),
    [
        ("nim", 1000, Verdict(4, 4.0), Verdict(), Use.ALONE),
        ("nim", 1000, Verdict(6, 5.0), Verdict(4, 2.0), Use.BESIDE),  # it loses now and then
        ("nim", 1000, Verdict(3, 3.0), Verdict(4, 2.0), Use.BESIDE),  # that may be chance
        ("nim", 1000, Verdict(), Verdict(5, 2.5), Use.BESIDE),
        ("nim", 1000, Verdict(4, 2.0), Verdict(4, 0.5), Use.LITTLE),
        ("nim", 1000, Verdict(4, 2.0), Verdict(20, 2.0), None),
        ("nim", 1000, Verdict(4, 2.0), Verdict(1, 0.0), Use.BESIDE),  # one match alone is not against it
        ("nim", 1000, Verdict(4, 2.0), Verdict(), Use.BESIDE),  # there was no time for a trial, and playouts are slow
        ("nim", 10, Verdict(4, 4.0), Verdict(4, 4.0), None),
        ("pig", 1000, Verdict(4, 4.0), Verdict(), Use.ALONE),
        ("pig", 1000, Verdict(4, 2.0), Verdict(4, 2.0), Use.BESIDE),
    ],
)
def test_the_evaluation_is_used_as_it_does_well_in_trials(
    name: str, matches: int, alone: Verdict, beside: Verdict, use: Use | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Judge, "alone", alone)
    monkeypatch.setattr(Judge, "beside", beside)
    learner = Learner(name, matches)
    lessons = _make(learner)
    lessons.begin(Deadline(10))
    assert lessons.use is use
    options, model = lessons.search
    assert model is (None if use is None else learner.model)
    assert (
        options.samples,
        options.minimax,
        options.hearing,
        options.favourites,
        options.foresight,
        options.trust,
    ) == {
        None: (16, False, 0.0, 0, 1, 0.0),
        Use.LITTLE: (16, False, 0.2, 0, 1, 0.0),
        Use.BESIDE: (16, False, 0.6, 2, 1, 0.0),
        Use.ALONE: (0, True, 0.0, 0, 0, 3.0),
    }[use]
    assert options.exploration == (PLAYOUTS if use is None else PLAIN).exploration


@pytest.mark.parametrize(
    ("beside", "is_heard"),
    [
        (Verdict(), False),
        (Verdict(2, 2.0), False),
        (Verdict(6, 5.0), True),
        (Verdict(18, 11.0), False),
        (Verdict(8, 1.0), False),
    ],
)
def test_where_grave_won_its_own_trial_the_evaluation_has_to_win_some_matches(
    beside: Verdict, is_heard: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Judge, "alone", Verdict(4, 2.0))
    monkeypatch.setattr(Judge, "beside", beside)
    grave = SearchOptions(memory=4, grave=True, samples=4)
    lessons = _make(Learner(), grave)
    lessons.begin(Deadline(10))
    assert lessons.use is (Use.BESIDE if is_heard else None)
    options, _ = lessons.search
    assert options.grave == (not is_heard)


@pytest.mark.parametrize(("speed", "expected"), [(QUICK, {Use.BESIDE}), (SLOW, {Use.ALONE, Use.BESIDE})])
def test_where_playouts_are_quick_the_evaluation_is_not_tried_alone(
    speed: dict[Use, float], expected: set[Use], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SPEED", speed)
    monkeypatch.setattr(Judge, "alone", Verdict(4, 2.0))
    _make(Learner()).begin(Deadline(10))
    assert set(Judge.asked) == expected


@pytest.mark.parametrize(
    ("matches", "has_credit", "to_be_heard", "to_be_heard_a_little"),
    [
        (0, True, -math.inf, -math.inf),
        (0, False, math.inf, -math.inf),
        (2, True, 0.0, 0.0),
        (2, False, 2.0, 0.5),
        (4, True, 1.0, 0.0),
        (4, False, 3.5, 1.0),
        (10, True, 4.0, 1.0),
        (10, False, 7.0, 2.5),
        (100, True, 44.5, 23.5),
        (100, False, 59.0, 25.0),
    ],
)
def test_what_is_expected_of_the_evaluation_counts_for_some_matches(
    matches: int, has_credit: bool, to_be_heard: float, to_be_heard_a_little: float
) -> None:
    for score in np.arange(0, matches + 0.5, 0.5).tolist():
        use = use_beside(Verdict(matches, score), has_credit)
        if score >= to_be_heard:
            assert use is Use.BESIDE
        else:
            assert use is (Use.LITTLE if score >= to_be_heard_a_little else None)


def test_without_a_trial_the_evaluation_is_heard_a_little_where_playouts_are_quick(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "SPEED", QUICK)
    monkeypatch.setattr(Judge, "beside", Verdict())
    lessons = _make(Learner())
    lessons.begin(Deadline(10))
    assert lessons.use is Use.LITTLE


def test_grave_is_not_mixed_with_an_evaluation(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where GRAVE is used it may lose against an evaluation, alone or beside the playouts of UCT."""
    monkeypatch.setattr(module, "SPEED", QUICK)
    monkeypatch.setattr(Judge, "alone", Verdict(4, 2.0))
    grave = SearchOptions(memory=4, grave=True, exploration=0.0)
    for beside, use in ((Verdict(8, 0.0), None), (Verdict(8, 8.0), Use.BESIDE)):
        monkeypatch.setattr(Judge, "beside", beside)
        lessons = _make(Learner(num_matches=module.MANY_MATCHES), grave)
        lessons.begin(Deadline(4))
        assert set(Judge.asked) == {Use.ALONE, Use.BESIDE}
        assert lessons.use is use
    assert not lessons.search[0].grave


@pytest.mark.parametrize(
    ("matches", "verdict", "trials", "learnt"),
    [
        (1_000_000, Verdict(8, 0.0), 2, 1),  # it has learnt much, and loses: the tree gets the rest of the time
        (1000, Verdict(8, 0.0), 4, 2),  # it may still learn
        (1000, Verdict(8, 8.0), 1, 2),  # alone it wins: trials are over, not the learning
        (1000, Verdict(8, 4.0), 4, 2),
    ],
)
def test_what_is_clear_early_is_not_tried_again(
    matches: int, verdict: Verdict, trials: int, learnt: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Judge, "alone", verdict)
    monkeypatch.setattr(Judge, "beside", verdict)
    learner = Learner(num_matches=matches)
    _make(learner).begin(Deadline(30))
    assert (len(Judge.asked), len(learner.asked)) == (trials, learnt)


def test_who_can_say_nothing_learns_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    learner = Learner()
    monkeypatch.setattr(module, "FEWEST_WEIGHTS", learner.model.num_learnt + 1)
    lessons = _make(learner)
    lessons.begin(Deadline(10))
    assert lessons.is_over
    assert not learner.asked
    assert not lessons.goes_on(Deadline(10), rests=True)


@pytest.mark.parametrize(
    ("spent", "seconds", "goes_on", "goes_on_at_rest"),
    [
        (0.5, 1.0, True, True),
        (0.5, 0.5, True, True),
        (0.5, 0.1, False, True),  # that would take all of the match, unless there is nothing to choose
        (2.9, 0.1, True, True),
        (3.0, 10.0, False, False),
        (0.5, None, False, False),  # nobody knows how long a move may take
    ],
)
def test_lessons_that_had_little_time_go_on(
    spent: float, seconds: float | None, goes_on: bool, goes_on_at_rest: bool
) -> None:
    lessons = _make(Learner())
    lessons._seconds = spent
    assert lessons.goes_on(Deadline(seconds), rests=False) == goes_on
    assert lessons.goes_on(Deadline(seconds), rests=True) == goes_on_at_rest


def test_a_short_time_is_for_learning(monkeypatch: pytest.MonkeyPatch) -> None:
    """Trials begin when enough was learnt."""
    monkeypatch.setattr(Judge, "alone", Verdict(4, 2.0))
    learner = Learner()
    lessons = _make(learner)
    lessons._speed = 20.0
    for available, learning in ((0.5, 0.5), (0.5, 0.3), (1.0, LEARNING), (0.1, 0.1 * LEARNING)):
        lessons.run(Deadline(available))
        assert learner.asked[-1] == pytest.approx(learning, abs=0.01)


def test_how_quick_playouts_are_is_measured_once_and_first(monkeypatch: pytest.MonkeyPatch) -> None:
    learner = Learner()
    lessons = _make(learner)
    measured: list[tuple[float, int]] = []
    monkeypatch.setattr(
        lessons, "measure_speed", lambda seconds: measured.append((seconds, len(learner.asked))) or 20.0
    )
    for available in (0.5, 2.0):
        lessons.run(Deadline(available))
    assert measured == [(pytest.approx(module.SPEED_SHARE * 0.5, abs=0.001), 0)]


def test_trials_go_on_with_the_lessons(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Judge, "alone", Verdict(4, 2.0))
    monkeypatch.setattr(Judge, "beside", Verdict(4, 0.0))
    lessons = _make(Learner())
    lessons.begin(Deadline(1.0))
    assert lessons.use is Use.LITTLE
    trials = dict(lessons._trials)
    monkeypatch.setattr(Judge, "beside", Verdict(10, 8.0))
    lessons.run(Deadline(0.2))
    assert lessons._trials == trials
    assert lessons.use is Use.BESIDE
    trials[Use.ALONE].is_over = True  # it has failed, and may do better when it has learnt more
    lessons.run(Deadline(0.2))
    assert lessons._trials[Use.ALONE] is not trials[Use.ALONE]
    assert lessons._trials[Use.BESIDE] is trials[Use.BESIDE]


def test_a_search_changes_when_lessons_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    learner = Learner()
    rules, game = load_rules("nim"), learner.game
    lessons = _make(learner)
    seat = Seat(rules, game, 0, Clocks(1, 1), False, Random(2))
    searcher = LearningSearcher(seat, None, lessons)
    position = game.initial_position()
    searcher.look_at(position)
    first = searcher._tree
    searcher.run(Deadline(None), 5)  # without a clock nothing is learnt
    assert not learner.asked
    assert searcher._tree is first
    monkeypatch.setattr(Judge, "alone", Verdict(4, 2.0))
    for beside in (Verdict(4, 3.0), Verdict(6, 4.0), Verdict(8, 0.0)):
        monkeypatch.setattr(Judge, "beside", beside)
        before = searcher._tree
        searcher.run(Deadline(1.0), None)
        changed = beside != Verdict(6, 4.0)
        assert (searcher._tree is not before) == changed
        explanation = searcher.explain()
        assert explanation is not None
        assert explanation.move in game.legal_moves(position, 0)
    assert len(learner.asked) == 3
    monkeypatch.setattr(Judge, "beside", Verdict(4, 4.0))
    searcher.rest(Deadline(1.0))
    assert learner.asked[3] == pytest.approx(module.REST_SHARE * LEARNING, abs=0.01)
    assert lessons.use is Use.BESIDE
    lessons._seconds = module.ENOUGH_SECONDS
    searcher.rest(Deadline(1.0))
    assert len(learner.asked) == 4
    monkeypatch.setattr(Judge, "beside", Verdict(8, 0.0))
    lessons._seconds = 0.0
    searcher.rest(Deadline(1.0))
    assert lessons.use is None
    search: Any = searcher._tree._search
    assert search.model is None
    assert searcher.is_of_this_thread
