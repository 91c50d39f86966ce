"""Woodstock: the player for tournaments, with everything that was found to pay.

There are three searches. The first is UCT on the circuit with more: one node for all positions that are symmetric to
each other; GRAVE; roles that foresee the next move or two in playouts; where roles move at once, one combination of
moves at a time. The second makes no playouts: it goes by an evaluation that is learnt from matches against itself, and
looks many more moves ahead. The third hears both. What of all this pays at a game is found out by quick matches before
the first move (`choose_better`), and, as far as the evaluation is concerned, during the first moves after a short start
clock (`players.lessons`); where it loses, it is heard a little. Games of one mind are planned as well.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random
from typing import Any, Final, NamedTuple

import numpy as np

from woodstock.circuit.game import CircuitGame
from woodstock.circuit.runner import Batch, Runner
from woodstock.common.limits import Deadline
from woodstock.game.protocol import Move
from woodstock.gdl.keywords import RANDOM
from woodstock.players.lessons import LearningSearcher, Lessons, can_learn, make_rival
from woodstock.players.protocol import Seat, Turn
from woodstock.players.searchers import Searcher, TreeSearcher
from woodstock.players.searching import MARGIN, UctPlayer
from woodstock.search.explanation import Candidate, Explanation
from woodstock.search.options import SearchOptions
from woodstock.search.planning import Planner, PlanningOptions, is_puzzle
from woodstock.search.self_play import SelfPlay
from woodstock.search.symmetric_keys import can_find_symmetries, find_group, keys_of_group
from woodstock.search.trial import Terms, Trial

LONGEST_START: Final = 60.0
"""Seconds of a start clock that are divided, at most; the rest is for the search."""
WAIT: Final = 2.0
"""Seconds for all that if there is no start clock: somebody waits for the first move."""
RESERVE: Final = 0.1
"""Share of the start clock that is left for the search."""
LEAST_RESERVE: Final = 0.4
"""Seconds that are left for it at least, if that is not more than half of the clock: kernels may have to be loaded."""
LOOK_AHEAD: Final = 32
"""Joint moves that are made to see whether roles move at once. Where they do nothing is learnt, and most of the start
clock is left to the search: symmetries, foresight and evaluation lost there, since minimax has no say."""
NARROW_SPREAD: Final = 8
"""Where they do, and have more combinations than that, one is sampled at a time if that pays, and roles choose by UCB1:
all combinations of a node are many, and most of them are of no interest."""
NARROW_SECONDS: Final = 0.004
"""What either has for a move of the trial of that at least."""
TABLE_SAMPLES: Final = 4
"""Playouts for each new node with GRAVE: what is known of a move elsewhere counts there, too;"""
TABLE_BIAS: Final = 0.01
"""and how quickly it forgets that."""
TABLE_SECONDS: Final = 0.0015
"""What either has for a move of the trial of GRAVE at least, where it is not clear beforehand."""
TABLE_TERMS: Final = Terms(clear=8.0, least=0.7)
"""When that is over, and what GRAVE has to win of a match: in quick games a small lead comes and goes."""
TABLE_LEAD: Final = 4.0
"""The lead that is asked for there: much else builds on UCT."""
TABLE_PLAYOUTS: Final = 512
TABLE_SHARE: Final = 0.05
RECURRENCE: Final = 0.2
"""A move recurs if so many playouts, or those that fit into a share of the start clock, make it so often."""
LEAD: Final = 2.0
"""A smaller lead in a trial may be chance,"""
FEWEST_TRIED: Final = 4
"""and so may be what fewer matches say."""
TRIAL_MATCHES: Final = 20
"""How many fit into the time of a trial, about, if a move need not have more time; fewer may be enough."""
FORESIGHT_SECONDS: Final = 0.003
"""What either has for a move of a trial at least: with a third of that quarto's best foresight loses."""
LEAST_TRYING: Final = 0.3
"""Seconds without which nothing is found out about playouts."""
ALL_TRYING: Final = 0.75
"""Share of the time for that where nothing is to be learnt."""
SHORTER: Final = 0.5
"""How long matches of a trial are, about, beside playouts: in many positions there is one move only."""
LENGTH_SHARE: Final = 0.05
"""Of the time for trials, to find out how long matches are."""
MAKING: Final = 0.5
"""Of the time that is left for finding out which foresight pays, for making a circuit."""
PLANNING: Final = 0.7
"""Share of the time, of a game of one mind, that is spent on planning while no plan is proven to be best."""


@dataclass
class WoodstockPlayer(UctPlayer):
    """The player for tournaments.

    Attributes:
        trust: How many visits what is known of a move elsewhere is worth to a search that goes by its evaluation.
        foresight: How many moves roles foresee in playouts, at most; what pays is found out.
        symmetry: Share of the start clock for finding symmetries.
        trying: Share of what is left then, for finding out which playouts pay: with GRAVE, with foresight, or without.
        learning: Share of what is left then, for matches from which an evaluation is learnt; the rest is for finding
            out whether to go by it. Nothing is learnt if it is 0.
    """

    trust: float = 8.0
    foresight: int = 2
    symmetry: float = 0.1
    trying: float = 0.3
    learning: float = 0.6

    def __post_init__(self) -> None:
        super().__post_init__()
        self.options = replace(self.options, foresight=0, trust=0.0)  # more has to be found to pay

    def make_searcher(self, seat: Seat[Any]) -> Searcher:
        if not isinstance(seat.game, CircuitGame):
            return TreeSearcher(seat, self.options)
        # Without clocks a match can be repeated: nothing may depend on the time then.
        is_timed = seat.clocks.iterations is None
        available = min(seat.deadline.seconds_left, WAIT if seat.clocks.start is None else LONGEST_START)
        reserve = max(RESERVE * available, min(LEAST_RESERVE, available / 2))
        preparation = Deadline(available - reserve if is_timed else 0)
        group, keys_of = None, None
        at_once = roles_move_at_once(seat.game)
        if self.symmetry > 0 and can_find_symmetries() and not at_once:
            share = Deadline(self.symmetry * available if is_timed else None)
            group = find_group(seat.game, share, permute_roles=True)
            keys_of = keys_of_group(seat.game, group)
        if is_puzzle(seat.game.program) and not seat.hidden and is_timed:
            # Players of one team should find the same plans, so the seed is not the seat's.
            planner = Planner(seat.game, 0, keys_of, PlanningOptions(memory=self.memory))
            return PlanSearcher(seat, TreeSearcher(seat, self.options, keys_of), planner)
        options = self.options
        if moves_recur(seat.game, self.spread, Deadline(TABLE_SHARE * available if is_timed else None)):
            options = with_tables(options)
        if preparation.expired:
            return TreeSearcher(seat, options, keys_of)
        seed = seat.random.getrandbits(40)
        if at_once:
            seconds = self.trying * preparation.seconds_left
            if seconds >= LEAST_TRYING:
                share = Deadline(seconds)
                narrow = replace(options, spread=min(NARROW_SPREAD, self.spread), mixing=-1.0)
                rivals = Rivals(options, narrow, NARROW_SECONDS, _length_of_playouts(seat.game, share))
                options = choose_better(seat.game, rivals, seed, share)
            return TreeSearcher(seat, options)
        play = SelfPlay(seat.game, seed, group) if self.learning > 0 else None
        seconds = (self.trying if play and can_learn(play) else ALL_TRYING) * preparation.seconds_left
        if seconds >= LEAST_TRYING:
            options = self._choose_playouts(seat.game, options, seed, Deadline(seconds))
        if play is None:
            return TreeSearcher(seat, options, keys_of)
        lessons = Lessons(play, options, replace(self.options, trust=self.trust), self.learning)
        lessons.begin(preparation)
        return LearningSearcher(seat, keys_of, lessons)

    def choose(self, turn: Turn[Any]) -> Move:
        if len(turn.legal_moves) == 1 and turn.iterations is None and isinstance(self._searcher, LearningSearcher):
            deadline = self._own_deadline(turn.deadline)
            self._searcher.rest(deadline)
            if deadline.expired:
                MARGIN.note(deadline.seconds_over)
        return super().choose(turn)

    def _choose_playouts(
        self, game: CircuitGame, options: SearchOptions, seed: int, deadline: Deadline
    ) -> SearchOptions:
        """Return options that pay: GRAVE if it wins clearly, and the foresight that wins against the best of less."""
        length = _length_of_playouts(game, deadline)
        left = self.foresight + 1
        if not options.grave:
            share = Deadline(deadline.seconds_left / left)
            rivals = Rivals(options, with_tables(options), TABLE_SECONDS, length, TABLE_LEAD, TABLE_TERMS)
            if rivals.have_time(share):
                options = choose_better(game, rivals, seed, share)
        for foresight in range(1, self.foresight + 1):
            left -= 1
            rivals = Rivals(options, replace(options, foresight=foresight), FORESIGHT_SECONDS, length)
            if not rivals.have_time(Deadline(deadline.seconds_left / left)):
                break
            if game.foreseeing(foresight, Deadline(MAKING * deadline.seconds_left)) is None:
                break
            options = choose_better(game, rivals, seed, Deadline(deadline.seconds_left / left))
        return options


class Rivals(NamedTuple):
    """What is to be compared in a trial.

    Attributes:
        champion: What is used if nothing speaks against it.
        challenger: What may be better.
        seconds: What either has for a move at least.
        length: How many joint moves a playout has on the average.
        lead: How many matches more the challenger has to win than it loses.
        terms: When the trial is over, and what the challenger has to win of a match.
    """

    champion: SearchOptions
    challenger: SearchOptions
    seconds: float
    length: float
    lead: float = LEAD
    terms: Terms = Terms()

    def have_time(self, deadline: Deadline) -> bool:
        """Tell whether there is time for as many matches as say something."""
        return FEWEST_TRIED * self.seconds * SHORTER * self.length <= deadline.seconds_left


def choose_better(game: CircuitGame, rivals: Rivals, seed: int, deadline: Deadline) -> SearchOptions:
    """Return the options that win a trial; those of the champion unless the challenger is clearly ahead."""
    seconds = max(rivals.seconds, deadline.seconds_left / (TRIAL_MATCHES * rivals.length))
    champion, challenger = (make_rival(game, each, seed) for each in (rivals.champion, rivals.challenger))
    verdict = Trial(champion, challenger, (seconds, seconds), seed, rivals.terms).run(deadline)
    is_clear = verdict.lead >= rivals.lead and verdict.matches >= FEWEST_TRIED
    return rivals.challenger if is_clear and verdict.average >= rivals.terms.least else rivals.champion


def with_tables(options: SearchOptions) -> SearchOptions:
    """Return options for GRAVE, which keeps tables of how moves did."""
    return replace(options, grave=True, exploration=0.0, samples=TABLE_SAMPLES, bias=TABLE_BIAS)


def roles_move_at_once(game: CircuitGame) -> bool:
    """Tell whether several roles have a choice at once in some position of a random match's beginning."""
    random = Random(0)
    position = game.initial_position()
    for _ in range(LOOK_AHEAD):
        if game.is_terminal(position):
            break
        legal = [game.legal_moves(position, role) for role in range(len(game.roles))]
        if sum(len(moves) > 1 for moves, role in zip(legal, game.roles, strict=True) if role != RANDOM) > 1:
            return True
        if not all(legal):
            break
        position = game.next_position(position, tuple(random.choice(moves) for moves in legal))
    return False


def _length_of_playouts(game: CircuitGame, deadline: Deadline) -> float:
    """Return how many joint moves a playout has on the average, found in a small share of the time."""
    share = Deadline(LENGTH_SHARE * deadline.seconds_left)
    results = game.playouts([game.initial_position()], [TABLE_PLAYOUTS], deadline=share)
    return max(1.0, float(results.moves[0]) / max(1, int(results.counts[0])))


def moves_recur(game: CircuitGame, spread: int, deadline: Deadline) -> bool:
    """Tell whether there are many moves at first, more than can be sampled at once, and playouts make each of them."""
    position, program = game.initial_position(), game.program
    for role, name in enumerate(game.roles):
        legal = game.legal_moves(position, role)
        if name != RANDOM and len(legal) > spread:
            numbers = [program.move_start[role] + program.moves[role].index(move) for move in legal]
            batch = Batch(game.rows([position]), np.array([TABLE_PLAYOUTS]), with_moves=True)
            results = Runner(game.circuit).run(batch, deadline)
            return bool(results.move_visits[0, numbers].mean() >= RECURRENCE * results.counts[0] > 0)
    return False


class PlanSearcher:
    """A planner, and a tree search for what it does not find.

    Args:
        seat: Where the player sits.
        tree: The tree search.
        planner: The planner.
    """

    def __init__(self, seat: Seat[Any], tree: TreeSearcher, planner: Planner) -> None:
        self._tree = tree
        self._planner = planner
        self._role = seat.role
        self._roles = seat.game.roles

    def look_at(self, position: Any) -> None:
        self._planner.look_at(position)
        self._tree.look_at(position)

    def run(self, deadline: Deadline, iterations: int | None, report: Callable[[], None] | None = None) -> None:
        if iterations is None:
            self._planner.run(Deadline(PLANNING * deadline.seconds_left), report)
        if self._planner.plan is None or not self._planner.plan.is_proven:
            self._tree.run(deadline, iterations, report)

    def explain(self) -> Explanation | None:
        plan, said = self._planner.plan, self._tree.explain()
        if plan is None or not plan.moves:
            return said
        best = None if said is None else said.candidates[0].value
        if not plan.is_proven and best is not None and best > 100 * plan.value:
            return said
        chosen = Candidate(plan.moves[0][self._role], 100 * plan.value, 0.0, 0, plan.is_proven)
        return Explanation(
            role=self._roles[self._role],
            candidates=(chosen,),
            line=plan.moves,
            roles=self._roles,
            statistics={**self._planner.statistics.seconds, "plan of": self._planner.statistics.finder},
        )

    @property
    def is_of_this_thread(self) -> bool:
        return self._tree.is_of_this_thread
