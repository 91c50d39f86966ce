"""Checks by play: what is wrong with a sheet and only shows when it is played.

The language demands that every role has a legal move until the end, that the end comes, and that each role then has
exactly one goal, a whole number from 0 to 100; each player should be able to win. What breaks that is found here with
the shortest line of play that was found to show it: first breadth first, so that a small game is checked in full, then
by random playouts, whose lines are shortened as long as there is time.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Generic

from woodstock.common.errors import WoodstockError
from woodstock.game.backends import REFERENCE, build_game
from woodstock.game.findings import GAVE_UP, NEVER_WON, NO_END, Finding, Symptom, find_symptoms
from woodstock.game.lasso import find_lasso
from woodstock.game.protocol import Game, Move, P, goal
from woodstock.game.walk import Budget, Exploration, Line, find_line, legal_moves
from woodstock.gdl.keywords import RANDOM
from woodstock.gdl.rules import Rules

ENOUGH_PLAYOUTS = 20
"""Random playouts after which it is worth a word that a role has not won: in fewer that is mere chance."""

_CYCLE = "cycle"
_CAP = "cap"


@dataclass(frozen=True, slots=True)
class PlayLimits:
    """How much may be played.

    Attributes:
        seconds: Time in all.
        positions: Successors made before the attempt to see all positions is given up.
        playouts: Random playouts, and as many again to shorten what they found.
        steps: A playout longer than this has no end in sight.
    """

    seconds: float | None = 5.0
    positions: int = 200_000
    playouts: int = 10_000
    steps: int = 1_000


@dataclass(frozen=True, slots=True)
class PlayReport:
    """What play has shown.

    Attributes:
        findings: What is wrong, errors first.
        exhaustive: All positions of the game were seen.
        positions: Positions seen breadth first.
        playouts: Random playouts made.
    """

    findings: tuple[Finding, ...]
    exhaustive: bool
    positions: int
    playouts: int


def check_by_play(rules: Rules, seconds: float, seed: int = 0) -> tuple[Finding, ...]:
    """Return what is wrong with rules, as far as it shows in so many seconds of play."""
    return report_by_play(rules, PlayLimits(seconds), seed).findings


def report_by_play(rules: Rules, limits: PlayLimits, seed: int = 0) -> PlayReport:
    """Play rules within limits and report what was found and how much was seen."""
    try:
        # The reference reasoner needs no time to ground, and its word is final.
        game = build_game(rules, REFERENCE)
        game.initial_position()
    except WoodstockError as error:
        symptom = _gave_up(error)
        return PlayReport((Finding(symptom.code, symptom.message, (), True, False),), False, 0, 0)
    return check_game(game, limits, seed)


def check_game(game: Game[Any], limits: PlayLimits, seed: int = 0) -> PlayReport:
    """Play a game within limits and report what was found and how much was seen."""
    return _Search(game, limits, seed).run()


def _gave_up(error: WoodstockError) -> Symptom:
    return Symptom(GAVE_UP, "", f"the reasoner gave up: {error}")


class _Search(Generic[P]):
    """The search for lines of play that show something wrong."""

    def __init__(self, game: Game[P], limits: PlayLimits, seed: int) -> None:
        self._game = game
        self._limits = limits
        self._rng = random.Random(seed)
        self._exploration = Exploration(game)
        self._shown: dict[tuple[str, str], tuple[Symptom, Line]] = {}
        self._best_goals: dict[int, tuple[int, Line]] = {}
        self._playouts = 0
        self._has_failed = False

    def run(self) -> PlayReport:
        self._explore(Budget(self._share(0.5), self._limits.positions))
        self._look_for_cycle()
        if not self._is_exhaustive:
            self._play_at_random(Budget(self._share(0.25)))
            self._shorten(Budget(self._share(0.125)))
            self._explore(Budget(self._share(0.125), self._limits.positions))
        findings = sorted(self._findings(), key=lambda finding: not finding.is_error)
        return PlayReport(tuple(findings), self._is_exhaustive, len(self._exploration), self._playouts)

    @property
    def _is_exhaustive(self) -> bool:
        return self._exploration.complete and not self._has_failed

    def _share(self, part: float) -> float | None:
        return None if self._limits.seconds is None else part * self._limits.seconds

    def _explore(self, budget: Budget) -> None:
        """Look at positions breadth first, so that the first line to a symptom is a shortest one."""
        exploration = self._exploration
        try:
            for position in exploration.explore(budget):
                self._inspect(position, exploration.depth(position), lambda at=position: exploration.line(at))  # type: ignore[misc]
        except WoodstockError as error:
            self._has_failed = True
            current = exploration.current
            self._note(_gave_up(error), () if current is None else exploration.line(current))

    def _look_for_cycle(self) -> None:
        lasso = find_lasso(self._exploration)
        if lasso is not None:
            self._note(_cycle(lasso.index(lasso[-1])), find_line(self._game, lasso))

    def _play_at_random(self, budget: Budget) -> None:
        while not budget.exhausted and self._playouts < self._limits.playouts:
            self._play((), self._limits.steps, budget)
            self._playouts += 1

    def _shorten(self, budget: Budget) -> None:
        """Play on from the middle of lines that show something, to find shorter ones."""
        for _ in range(self._limits.playouts):
            lines = [line for _, line in self._shown.values() if line]
            if budget.exhausted or not lines:
                return
            line = self._rng.choice(lines)
            self._play(line[: self._rng.randrange(len(line))], len(line) - 1, budget)

    def _play(self, prefix: Line, max_steps: int, budget: Budget) -> None:
        """Play a given line and then at random, and look at every position."""
        line: list[tuple[Move, ...]] = []
        steps_at: dict[P, int] = {}
        position = self._game.initial_position()
        try:
            while position not in steps_at:
                steps_at[position] = len(line)
                legal = self._inspect(position, len(line), lambda: tuple(line))
                if not legal or not all(legal) or budget.exhausted:
                    return
                if len(line) >= max_steps:
                    if max_steps == self._limits.steps:
                        self._note(_no_end_in_sight(max_steps), tuple(line))
                    return
                on_prefix = len(line) < len(prefix)
                line.append(prefix[len(line)] if on_prefix else tuple(self._rng.choice(moves) for moves in legal))
                position = self._game.next_position(position, line[-1])
                budget.spend()
            self._note(_cycle(steps_at[position]), tuple(line))
        except WoodstockError as error:
            self._note(_gave_up(error), tuple(line))

    def _inspect(self, position: P, length: int, line: Callable[[], Line]) -> Sequence[Sequence[Move]]:
        """Take note of what a position shows; return its legal moves, none if it is terminal."""
        legal = () if self._game.is_terminal(position) else legal_moves(self._game, position)
        for symptom in find_symptoms(self._game, position, legal):
            known = self._shown.get(symptom[:2])
            if known is None or length < len(known[1]):
                self._note(symptom, line())
        if not legal:
            for role in range(len(self._game.roles)):
                value = goal(self._game, position, role)
                best = self._best_goals.get(role)
                if value is not None and (best is None or (-value, length) < (-best[0], len(best[1]))):
                    self._best_goals[role] = (value, line())
        return legal

    def _note(self, symptom: Symptom, line: Line) -> None:
        known = self._shown.get(symptom[:2])
        if known is None or len(line) < len(known[1]):
            self._shown[symptom[:2]] = (symptom, line)

    def _findings(self) -> Iterator[Finding]:
        shown = dict(self._shown)
        if (NO_END, _CYCLE) in shown:
            shown.pop((NO_END, _CAP), None)
        for symptom, line in shown.values():
            yield Finding(symptom.code, symptom.message, line, symptom.is_error, self._is_exhaustive)
        for role, (value, line) in self._best_goals.items():
            name = self._game.roles[role]
            if value == 100 or name == RANDOM:
                continue
            if self._is_exhaustive:
                message = f"{name} can never win: its best goal is {value}"
            elif self._playouts < ENOUGH_PLAYOUTS:
                continue
            else:
                message = f"{name} was never seen to win: its best goal in {self._playouts} playouts was {value}"
            yield Finding(NEVER_WON, message, line, False, self._is_exhaustive)


def _cycle(step: int) -> Symptom:
    place = f"the position after {step} joint moves" if step else "the initial position"
    return Symptom(NO_END, _CYCLE, f"play can go on for ever: this line comes back to {place}")


def _no_end_in_sight(steps: int) -> Symptom:
    return Symptom(NO_END, _CAP, f"no end in sight: a random play was not over after {steps} joint moves", False)
