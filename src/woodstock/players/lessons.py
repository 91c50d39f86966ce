"""Lessons: an evaluation is learnt, and it is found out by quick matches how a search makes the best use of it.

That begins in the start clock. If that was short, it goes on while the first moves are considered.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from enum import Enum
from math import isfinite
from typing import Any, Final

from woodstock.circuit.game import CircuitGame
from woodstock.common.limits import Deadline
from woodstock.gdl.keywords import RANDOM
from woodstock.players.protocol import Seat
from woodstock.players.searchers import TreeSearcher
from woodstock.search.evaluation import Model
from woodstock.search.explanation import Explanation
from woodstock.search.options import SearchOptions
from woodstock.search.self_play import SelfPlay
from woodstock.search.tree_search import KeysOf, TreeSearch
from woodstock.search.trial import Terms, Trial, Verdict


class Use(Enum):
    """How the evaluation is used."""

    LITTLE = "a little, beside playouts"
    BESIDE = "beside playouts"
    ALONE = "alone"


FEWEST_WEIGHTS: Final = 16
"""With fewer an evaluation has nothing to say: in quarto, say, nearly everything is worth the same to both."""
ENOUGH_MATCHES: Final = 100
"""With fewer nothing is learnt that is worth a trial."""
MANY_MATCHES: Final = 4000
"""Who loses after so many will not learn it."""
EARLY: Final = 0.3
"""Share of the time for learning and trying after which it may be clear."""
LEAST_TRIAL: Final = 2.0
"""Seconds without which there is no early trial: it would be too short to tell anything."""
TRIAL_MATCHES: Final = {Use.ALONE: 10, Use.BESIDE: 40}
"""How many fit into the time of a trial, about, if a move need not have more time; fewer may be enough. Beside playouts
it is the number that tells: with 2.5 ms for a move who wins is who wins with more, in most games."""
TRIAL_SECONDS: Final = 0.0015
"""What either has for a move of a trial at least."""
TRIAL_MEMORY: Final = 64.0
"""Megabytes of a tree in a trial."""
HEARING: Final = {Use.BESIDE: 0.6, Use.LITTLE: 0.2}
"""How much the evaluation counts beside playouts."""
FAVOURITES: Final = {Use.BESIDE: 2, Use.LITTLE: 0}
"""How many children of a node it recommends for playouts; 0 for all."""
SPEED: Final = {Use.ALONE: 30.0, Use.BESIDE: 9.0}
"""How many times the nodes of playouts the evaluation has to make in the same time: to be tried alone, since where
playouts are quick it wins as much beside them; to be given credit beside them, since quick playouts gain from time."""
SPEED_SECONDS: Final = 0.1
SPEED_SHARE: Final = 0.1
"""For finding that out, for either; and that share of the time of a trial at most."""
HANDICAP: Final = 4.0
"""In games of chance playouts gain from time: there they have so much more of it where the evaluation is alone."""
TERMS: Final = {Use.ALONE: Terms(least=0.9, may_lose=1.0), Use.BESIDE: Terms(clear=8.0)}
"""When trials are over. What is won alone changes with more time, for better or worse, unless it is nearly everything;
what is won beside playouts changes less."""
CREDIT: Final = 3.0
"""How many matches what is expected beforehand counts for in a trial beside playouts."""
EXPECTED: Final = {True: 0.75, False: 0.3}
"""What is expected, where the evaluation has credit and where not,"""
PAR: Final = {True: 0.45, False: 0.58}
"""and what it has to win of a match to be heard beside playouts,"""
LEAST_PAR: Final = 0.25
"""or to be heard a little: then it has something to say that playouts do not see, though they are better than it is."""
ENOUGH_AGAINST_GRAVE: Final = 6
LEAST_AGAINST_GRAVE: Final = 0.7
"""Where GRAVE is used, so many matches have to be played and so much of them has to be won by who hears the evaluation,
beside the playouts of UCT: nothing is expected beforehand."""
FIRST_SECONDS: Final = 0.8
"""Nothing is tried before so much time was spent on learning: it brings most of what there is to be learnt, and matches
take time. Until then what is expected beforehand decides."""
ENOUGH_SECONDS: Final = 3.0
"""Lessons that had less time before the first move go on during the match: in turns without a choice,"""
REST_SHARE: Final = 0.9
"""for that share of their time,"""
PLAY_SHARE: Final = 0.4
"""and for that share of the others,"""
PLAY_MOVES: Final = 16
"""if they can be over after so many of these."""


def make_rival(game: CircuitGame, options: SearchOptions, seed: int, model: Model | None = None) -> TreeSearch:
    """Return a search for a trial."""
    return TreeSearch(game, replace(options, memory=min(options.memory, TRIAL_MEMORY)), seed, model=model)


def can_learn(play: SelfPlay) -> bool:
    """Tell whether there is enough to learn for an evaluation to say anything."""
    return play.model.num_learnt >= FEWEST_WEIGHTS


class Lessons:
    """Learns an evaluation, and finds out what to make of it.

    Args:
        play: What learns.
        options: What a search does that makes playouts.
        plain: What one does that hears the evaluation, apart from how it does that.
        learning: Share of the time for learning; the rest is for trials.

    Attributes:
        use: How the evaluation is to be used; None if playouts are better.
        is_over: Nothing more is to be learnt.
    """

    def __init__(self, play: SelfPlay, options: SearchOptions, plain: SearchOptions, learning: float) -> None:
        self._play = play
        self._options = options
        self._plain = plain
        self._learning = learning
        self._seconds = 0.0
        self._learnt_for = 0.0
        self._speed: float | None = None
        self._trials: dict[Use, Trial] = {}
        self.use: Use | None = None
        self.is_over = not can_learn(play)

    @property
    def search(self) -> tuple[SearchOptions, Model | None]:
        """What a search does that makes the best use of what was learnt."""
        return self.using(self.use), None if self.use is None else self._play.model

    def using(self, use: Use | None) -> SearchOptions:
        """Return what a search does that uses the evaluation in a way, or makes playouts alone."""
        if use is None:
            return self._options
        if use is Use.ALONE:
            return replace(self._plain, samples=0, minimax=True)
        foresight = self._options.foresight
        return replace(self._plain, foresight=foresight, trust=0.0, hearing=HEARING[use], favourites=FAVOURITES[use])

    def begin(self, deadline: Deadline) -> None:
        """Learn and try before the first move.

        That is tried early, when it may be clear already, and again in the end: time that goes into learning for
        nothing is missing in the tree.
        """
        available = deadline.seconds_left
        is_long = EARLY * (1 - self._learning) * available >= LEAST_TRIAL
        for share in (EARLY, 1 - EARLY) if is_long else (1.0,):
            if self.is_over:
                break
            self._trials.clear()  # what they said was said of somebody who knew less
            self.run(Deadline(share * available))
            if self.use is Use.ALONE and share == EARLY:
                self._play.run(Deadline((1 - share) * self._learning * available))

    def goes_on(self, deadline: Deadline, *, rests: bool) -> bool:
        """Tell whether there should be lessons during a turn; while there is no choice nothing else needs the time."""
        left, missing = deadline.seconds_left, ENOUGH_SECONDS - self._seconds
        if self.is_over or not isfinite(left):
            return False
        return missing > 0 and (rests or missing <= PLAY_MOVES * PLAY_SHARE * left)

    def run(self, deadline: Deadline) -> None:
        """Learn for a part of the time, and try with the rest; decide."""
        began = time.monotonic()
        if self._speed is None:  # before anything else: what is made only once in a process may take long
            self._speed = self.measure_speed(min(SPEED_SECONDS, SPEED_SHARE * deadline.seconds_left))
        available = deadline.seconds_left
        seconds = max(self._learning * available, min(available, FIRST_SECONDS - self._learnt_for))
        self._play.run(Deadline(seconds))
        self._learnt_for += seconds
        self._try_out(deadline, self._speed)
        self._seconds += time.monotonic() - began

    def _try_out(self, deadline: Deadline, speed: float) -> None:
        """Find out what pays, knowing by how much the evaluation is quicker than playouts."""
        if self._play.num_matches < ENOUGH_MATCHES:
            return
        if speed >= SPEED[Use.ALONE] or self._options.grave:
            alone = self._try(Use.ALONE, Deadline(deadline.seconds_left / 2))
            if TERMS[Use.ALONE].is_won_by(alone):
                self.use, self.is_over = Use.ALONE, True
                return
        beside = self._try(Use.BESIDE, deadline)
        if self._options.grave:
            is_heard = beside.matches >= ENOUGH_AGAINST_GRAVE and beside.average >= LEAST_AGAINST_GRAVE
            self.use = Use.BESIDE if is_heard else None
        else:
            self.use = use_beside(beside, speed >= SPEED[Use.BESIDE])
        self.is_over = TERMS[Use.BESIDE].is_lost_by(beside) and self._play.num_matches >= MANY_MATCHES

    def _try(self, use: Use, deadline: Deadline) -> Verdict:
        """Go on with a trial; who failed alone may try again, having learnt more."""
        trial = self._trials.get(use)
        if trial is None or (use is Use.ALONE and trial.is_over):
            trial = self._trials[use] = self._make_trial(use, deadline)
        return trial.run(deadline)

    def measure_speed(self, seconds: float) -> float:
        """Return how many times the nodes of a search with playouts one by the evaluation alone makes."""
        visits = []
        for use, model in ((None, None), (Use.ALONE, self._play.model)):
            search = make_rival(self._play.game, self.using(use), self._play.num_matches, model)
            search.set_root(self._play.game.initial_position())
            search.run(Deadline(0))  # what is made only once does not count
            before = search.statistics.visits
            search.run(Deadline(seconds))
            visits.append(search.statistics.visits - before)
        return visits[1] / max(1, visits[0])

    def _make_trial(self, use: Use, deadline: Deadline) -> Trial:
        """Return a trial: a search that goes by what was learnt, against the one that makes playouts."""
        play = self._play
        champion = make_rival(play.game, self._options, play.num_matches)
        challenger = make_rival(play.game, self.using(use), play.num_matches, play.model)
        seconds = max(TRIAL_SECONDS, deadline.seconds_left / (TRIAL_MATCHES[use] * play.mean_length))
        handicap = HANDICAP if RANDOM in play.game.roles and use is Use.ALONE else 1.0
        return Trial(champion, challenger, (handicap * seconds, seconds), play.num_matches, TERMS[use])


def use_beside(beside: Verdict, has_credit: bool) -> Use | None:
    """Return how the evaluation is to be used beside playouts, after a trial that may have had no match.

    Args:
        beside: What came of the trial.
        has_credit: The evaluation makes many more nodes than playouts do. It gains with more time there; where playouts
            are quick it loses.
    """
    average = (beside.score + CREDIT * EXPECTED[has_credit]) / (beside.matches + CREDIT)
    if average >= PAR[has_credit]:
        return Use.BESIDE
    return Use.LITTLE if average >= LEAST_PAR else None


class LearningSearcher:
    """A tree search that makes the best use of what was learnt, and learns on if that had little time.

    Args:
        seat: Where the player sits.
        keys_of: Keys that symmetric positions share.
        lessons: What is learnt.
    """

    def __init__(self, seat: Seat[Any], keys_of: KeysOf | None, lessons: Lessons) -> None:
        self._seat = seat
        self._keys_of = keys_of
        self._lessons = lessons
        self._use = lessons.use
        self._tree = self._make_tree()

    def _make_tree(self) -> TreeSearcher:
        options, model = self._lessons.search
        return TreeSearcher(self._seat, options, self._keys_of, model)

    def look_at(self, position: Any) -> None:
        self._position = position
        self._tree.look_at(position)

    def run(self, deadline: Deadline, iterations: int | None, report: Callable[[], None] | None = None) -> None:
        if iterations is None and self._lessons.goes_on(deadline, rests=False):
            self._learn_on(Deadline(PLAY_SHARE * deadline.seconds_left))
        self._tree.run(deadline, iterations, report)

    def rest(self, deadline: Deadline) -> None:
        """Make use of a turn in which there is nothing to choose."""
        if self._lessons.goes_on(deadline, rests=True):
            self._learn_on(Deadline(REST_SHARE * deadline.seconds_left))

    def _learn_on(self, deadline: Deadline) -> None:
        self._lessons.run(deadline)
        if self._lessons.use is not self._use:
            self._use = self._lessons.use
            self._tree = self._make_tree()
            self._tree.look_at(self._position)

    def explain(self) -> Explanation | None:
        return self._tree.explain()

    @property
    def is_of_this_thread(self) -> bool:
        return self._tree.is_of_this_thread
