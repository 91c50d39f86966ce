"""Tables of duels: many games, several pairs of players, several clocks; those of the papers, and ours.

- **Table**: what is compared, and beside which table of a paper. `TABLES` has them by name.
- **TableSetup**: how much of it is played, and how fast. It is a list of duels, one a *cell*.
- **run_table**: plays what is not in the ledger yet; what is in it is not played again, in whichever table it occurs.

A cell counts what the papers count. Where the players compete, that is the score of the first one: with two roles they
swap, with more it takes each in turn and the second player all others. In cooperative games and in those with one role
they play separately, and what counts is how often each of them reaches the full goal.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Final, cast

from woodstock.arena.duel import ATTEMPTS, Workers
from woodstock.arena.ledger import Ledger, PlayKey, key_of
from woodstock.arena.plan import DuelPlan, make_plan
from woodstock.arena.playing import PlayResult, Task, play_task
from woodstock.arena.published import (
    CONSTRAINTS16_3,
    CONSTRAINTS16_4,
    IJCAI17_1,
    JFPC16_2,
    WOODSTOCK,
    Pairing,
    Published,
)
from woodstock.game.workers import Lost, run_tasks
from woodstock.players import Clocks

SPEEDUP: Final = 100.0
"""How much faster than the papers' program ours is, roughly: a second of ours stands for so many of theirs."""

WIDE: Final = (
    "awale",
    "bomberman",
    "breakthrough_suicide",
    "connect_four_simultaneous",
    "dots_and_boxes_suicide",
    "english_draughts",
    "hex",
    "kaseklau",
    "knight_through",
    "othello",
    "pickomino",
    "quarto",
    "sheep_and_wolf",
    "yahtzee",
    "chinese_checkers",
    "battlebrushes",
    "orchard",
    "lights_out",
    "two_by_two_opponent",
)
"""Games of every kind whose matches are not too long: those of the papers first, then puzzles."""

_KINDS_AMISS: Final = ("chinese_checkers", "orchard", "lights_out")
"""Three players, cooperative, one player: the kinds that Table 1 of IJCAI 2017 has no game of."""


@dataclass(frozen=True, slots=True)
class Table:
    """What is compared.

    Attributes:
        name: What the command calls it.
        title: What it shows, in a line.
        pairings: Whose score is reported, and against whom.
        games: The games that are played if nobody asks for others.
        plays: Seconds for a move, likewise; each makes columns of its own.
        published: The paper's own figures, if there are any.
    """

    name: str
    title: str
    pairings: tuple[Pairing, ...]
    games: tuple[str, ...]
    plays: tuple[float, ...] = (0.2,)
    published: Published | None = None


def _against(first: str, *opponents: str) -> tuple[Pairing, ...]:
    return tuple((first, second) for second in opponents)


TABLES: Final[dict[str, Table]] = {
    table.name: table
    for table in (
        Table(
            "constraints16-3",
            "MAC-UCB, FC-UCB and UCT against each other",
            (("mac-ucb", "uct"), ("mac-ucb", "fc-ucb"), ("fc-ucb", "uct")),
            (*CONSTRAINTS16_3.games, "lights_out"),
            published=CONSTRAINTS16_3,
        ),
        Table(
            "constraints16-4",
            "MAC-UCB against UCT by the time for a move",
            (("mac-ucb", "uct"),),
            (*CONSTRAINTS16_4.games, "lights_out"),
            plays=(0.05, 0.1, 0.2, 0.4, 0.6),
            published=CONSTRAINTS16_4,
        ),
        Table(
            "ijcai17-1",
            "MAC-UCB-SYM against the others",
            _against("mac-ucb-sym", "mac-ucb", "uct", "uct-sym", "grave", "grave-sym"),
            (*IJCAI17_1.games, *_KINDS_AMISS),
            published=IJCAI17_1,
        ),
        Table(
            "jfpc16-2",
            "MAC-UCB-SYM against the others, also where something is hidden",
            _against("mac-ucb-sym", "mac-ucb", "uct", "grave"),
            JFPC16_2.games,
            published=JFPC16_2,
        ),
        Table(
            "woodstock",
            "Woodstock against all others",
            _against("woodstock", "uct", "grave", "mac-ucb", "fc-ucb", "mac-ucb-sym", "uct-sym", "grave-sym"),
            WIDE,
            published=WOODSTOCK,
        ),
        Table(
            "symmetry",
            "What symmetries are worth to UCT and GRAVE",
            (("uct-sym", "uct"), ("grave-sym", "grave")),
            WIDE,
        ),
    )
}
"""The tables by name."""


@dataclass(frozen=True, slots=True)
class TableSetup:
    """How much of a table is played, and how fast.

    Attributes:
        table: The table; its games, pairings and clocks are those that are played.
        matches: The least number of matches in a cell. There are as many more as it takes to have each role equally
            often.
        clocks: How long players may think; each makes columns of its own.
        seed: What the seeds of all matches are made from. All cells of a game have the same.
        speedup: How many of the paper's seconds one of ours stands for; tells beside which of its clocks a column is
            put, where there are several.
    """

    table: Table
    matches: int = 20
    clocks: tuple[Clocks, ...] = field(default_factory=lambda: (Clocks(),))
    seed: int = 0
    speedup: float = SPEEDUP

    @property
    def columns(self) -> tuple[tuple[Pairing, Clocks], ...]:
        """The players and clocks of each column."""
        return tuple((pairing, clocks) for clocks in self.clocks for pairing in self.table.pairings)

    def plans(self, game: str) -> list[DuelPlan]:
        """Return the duels of a game, one for each column.

        Raises:
            UsageError: There is no such game.
            GdlError: Its sheet has errors.
        """
        return [self._plan(game, pairing, clocks) for pairing, clocks in self.columns]

    def paper_clock(self, players: Pairing, clocks: Clocks) -> float | None:
        """Return beside which clock of the paper a column is put: the nearest one, if it has any for these players."""
        published = self.table.published
        if published is None:
            return None
        return published.nearest_clock(players, (clocks.play or 1.0) * self.speedup)

    def _plan(self, game: str, players: Pairing, clocks: Clocks) -> DuelPlan:
        plan = make_plan(game, players, self.matches, clocks, self.seed)
        return plan if plan.is_separate else replace(plan, matches=_round_up(self.matches, len(plan.seats)))


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a table has come.

    Attributes:
        done: Plays that were made or given up by this run.
        total: Plays that were missing when it began.
        game: What was played last.
    """

    done: int
    total: int
    game: str


Report = Callable[[Progress], None]
"""Told whenever a play is over, or lost."""


@dataclass(frozen=True, slots=True)
class Run:
    """What came of playing a table; the results themselves are in the ledger.

    Attributes:
        made: How many plays were made.
        lost: The plays of which there is no result, and why.
        is_complete: Nobody broke it off.
    """

    made: int
    lost: dict[PlayKey, str]
    is_complete: bool


def missing_plays(setup: TableSetup, ledger: Ledger) -> dict[PlayKey, Task]:
    """Return the plays that are still to be made, each once, game by game."""
    plans = (plan for game in setup.table.games for plan in setup.plans(game))
    tasks = {key_of(plan, play): Task(plan, play) for plan in plans for play in plan.plays()}
    return {key: task for key, task in tasks.items() if key not in ledger}


def run_table(setup: TableSetup, ledger: Ledger, workers: Workers | None = None, report: Report | None = None) -> Run:
    """Play what is missing in a table, and enter it in the ledger at once.

    Ctrl-C ends it; what was entered stays. A play whose process dies is repeated once, in another one, and then given
    up until the table is run again.
    """
    waiting = missing_plays(setup, ledger)
    total, known = len(waiting), len(ledger)
    lost: dict[PlayKey, str] = {}
    is_complete = True

    def enter(key: PlayKey, outcome: PlayResult | Lost) -> None:
        lost.pop(key, None)
        game = waiting[key].plan.game
        if isinstance(outcome, Lost):
            lost[key] = outcome.reason
        else:
            ledger.enter(game, key, outcome)
        if report is not None:
            report(Progress(len(ledger) - known + len(lost), total, game))

    try:
        for _ in range(ATTEMPTS):
            _play_all(waiting, workers or Workers(), enter)
            waiting = {key: waiting[key] for key in lost}
            if not waiting:
                break
    except KeyboardInterrupt:
        is_complete = False
    return Run(len(ledger) - known, lost, is_complete)


def _play_all(
    waiting: dict[PlayKey, Task], workers: Workers, enter: Callable[[PlayKey, PlayResult | Lost], None]
) -> None:
    """Begin all plays once, and enter what comes of them."""
    keys = list(waiting)
    outcomes = run_tasks(play_task, list(waiting.values()), workers.count, workers.seconds)
    # Whatever interrupts the loop, the workers are ended before anything else is done.
    with closing(cast("Generator[tuple[int, PlayResult | Lost], None, None]", outcomes)):
        for index, outcome in outcomes:
            enter(keys[index], outcome)


def _round_up(number: int, step: int) -> int:
    """Return the least multiple that is not less.

    >>> _round_up(20, 3), _round_up(20, 2)
    (21, 20)
    """
    return -(-number // step) * step
