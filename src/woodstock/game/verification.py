"""Verification of a whole game: from its sheet through every comparison that was asked for to one report."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from typing import Literal as OneOf

from woodstock.common.errors import UsageError, WoodstockError
from woodstock.game.backends import GROUND, ON_GROUND, REFERENCE, build_game
from woodstock.game.difference import Difference
from woodstock.game.load import repaired
from woodstock.game.protocol import Game
from woodstock.game.traces import SUFFIXES, Trace, find_trace, read_trace
from woodstock.game.verify import Walked, describe_failure, follow_trace, walk_together
from woodstock.game.walk import Budget
from woodstock.gdl.checks import QUIRKS, blocking, check_sheet
from woodstock.gdl.diagnostics import Diagnostic
from woodstock.gdl.rules import Rules
from woodstock.gdl.sheet import read_sheet
from woodstock.gdl.source import SourceText

Outcome = OneOf["agreed", "differed", "not_grounded", "failed"]
Status = Outcome | OneOf["invalid"]

TRACE: Final = "trace"


@dataclass(frozen=True, slots=True)
class Task:
    """One game to verify.

    Attributes:
        name: What reports call it.
        source: Its rule sheet.
        backends: The reasoners to compare with each other, the first with each other one, or each with the trace.
        traces: Folder with the game's recorded trace, or None to compare reasoners.
        seconds: Limit on the time of play of each comparison.
        seed: Seed of the random walks.
        positions: Limit on the number of positions of each comparison.
        repair: Bind unbound role variables first.
    """

    name: str
    source: SourceText
    backends: tuple[str, ...] = (REFERENCE, GROUND)
    traces: Path | None = None
    seconds: float | None = None
    seed: int = 0
    positions: int = 1_000_000
    repair: bool = False


@dataclass(frozen=True, slots=True)
class Comparison:
    """How one reasoner compares with another or with the trace.

    Attributes:
        first: The account taken for right: a backend, or `trace`.
        second: The backend that is tried.
        outcome: `failed` means that a reasoner gave up before there was a difference.
        walked: What was compared.
        build_seconds: Time to make the reasoners, grounding included.
        play_seconds: Time of play.
        reason: Why it is not `agreed` if there is no difference to show.
    """

    first: str
    second: str
    outcome: Outcome
    walked: Walked = field(default_factory=Walked)
    build_seconds: float = 0.0
    play_seconds: float = 0.0
    reason: str = ""

    @property
    def difference(self) -> Difference | None:
        return self.walked.difference

    def to_json(self) -> dict[str, Any]:
        """Return everything as JSON values."""
        return {
            "first": self.first,
            "second": self.second,
            "outcome": self.outcome,
            "positions": self.walked.positions,
            "plays": self.walked.plays,
            "complete": self.walked.complete,
            "build_seconds": round(self.build_seconds, 3),
            "play_seconds": round(self.play_seconds, 3),
            "reason": self.reason,
            "difference": None if self.difference is None else self.difference.to_json(),
        }


@dataclass(frozen=True, slots=True)
class SheetNotes:
    """What matters about a rule sheet when reasoners are compared on it, one line each.

    Attributes:
        errors: They make the sheet invalid.
        repairs: Rules that were changed.
        quirks: Code and first place of each warning about what reasoners are known to take differently.
    """

    errors: tuple[str, ...] = ()
    repairs: tuple[str, ...] = ()
    quirks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Report:
    """What the verifier has to say about a game.

    Attributes:
        name: The game.
        comparisons: One entry a pair of accounts; none if the game could not be played at all.
        sheet: What is to be said about its sheet.
        reason: Why there is no comparison.
        seconds: Time in all.
    """

    name: str
    comparisons: tuple[Comparison, ...] = ()
    sheet: SheetNotes = field(default_factory=SheetNotes)
    reason: str = ""
    seconds: float = 0.0

    @property
    def status(self) -> Status:
        """`invalid` for a sheet with errors, whatever the comparisons say; else the worst of their outcomes.

        A game that does not ground has agreed if another reasoner did.
        """
        return "invalid" if self.sheet.errors else self.outcome

    @property
    def outcome(self) -> Outcome:
        """The worst outcome of the comparisons, whether the sheet is valid or not."""
        outcomes = {comparison.outcome for comparison in self.comparisons}
        worst_first: tuple[Outcome, ...] = ("differed", "failed", "agreed", "not_grounded")
        return next((outcome for outcome in worst_first if outcome in outcomes), "failed")

    @property
    def explanations(self) -> tuple[str, ...]:
        """The quirks of the sheet that probably explain why its trace differs.

        They do so only if all our reasoners that were tried see one and the same difference.
        """
        tried = [comparison for comparison in self.comparisons if comparison.outcome != "not_grounded"]
        explained = bool(tried) and all(
            comparison.first == TRACE and comparison.difference is not None and comparison.walked == tried[0].walked
            for comparison in tried
        )
        return self.sheet.quirks if explained else ()

    @property
    def is_ungrounded(self) -> bool:
        return any(comparison.outcome == "not_grounded" for comparison in self.comparisons)

    @property
    def positions(self) -> int:
        return sum(comparison.walked.positions for comparison in self.comparisons)

    def to_json(self) -> dict[str, Any]:
        """Return everything as JSON values."""
        return {
            "name": self.name,
            "status": self.status,
            "outcome": self.outcome,
            "problems": list(self.sheet.errors),
            "repairs": list(self.sheet.repairs),
            "explanations": list(self.explanations),
            "reason": self.reason,
            "positions": self.positions,
            "seconds": round(self.seconds, 3),
            "comparisons": [comparison.to_json() for comparison in self.comparisons],
        }


def verify_game(task: Task) -> Report:
    """Verify one game. Whatever the sheet, the trace or a reasoner does, there is a report."""
    begin = time.perf_counter()
    notes = SheetNotes()
    try:
        rules, notes = _read(task)
        comparisons = () if rules is None else _compare(task, rules)
        reason = "" if rules is not None else "its errors leave its meaning undefined"
        return Report(task.name, comparisons, notes, reason, time.perf_counter() - begin)
    except Exception as error:  # noqa: BLE001 (one bad game must not end the run over all the others)
        return Report(task.name, (), notes, describe_failure(error), time.perf_counter() - begin)


def _read(task: Task) -> tuple[Rules | None, SheetNotes]:
    """Return the rules, None if they have no meaning, and what is to be said about the sheet."""
    sheet = read_sheet(task.source)
    repairs: tuple[Diagnostic, ...] = ()
    if task.repair:
        sheet, repairs = repaired(sheet)
    found = tuple(dict.fromkeys((*sheet.diagnostics, *check_sheet(sheet))))
    places = {problem.code: problem.source.where(problem.span.start) for problem in reversed(found)}
    notes = SheetNotes(
        errors=tuple(problem.headline() for problem in found if problem.is_error),
        repairs=tuple(problem.headline() for problem in repairs),
        quirks=tuple(f"{code} at {places[code]}" for code in sorted(QUIRKS & places.keys())),
    )
    return None if sheet.has_errors or blocking(found) else sheet.rules, notes


def _compare(task: Task, rules: Rules) -> tuple[Comparison, ...]:
    if task.traces is None:
        first, *others = task.backends
        return tuple(_compare_pair(task, rules, first, backend) for backend in others)
    path = find_trace(task.traces, task.name)
    if path is None:
        raise UsageError(f"there is no trace {task.name}{SUFFIXES[0]} in {task.traces}")
    trace = read_trace(path)
    return tuple(_compare_pair(task, rules, trace, backend) for backend in task.backends)


def _compare_pair(task: Task, rules: Rules, account: str | Trace, second: str) -> Comparison:
    """Compare a backend with another one or with a trace."""
    first = TRACE if isinstance(account, Trace) else account
    begin = time.perf_counter()
    built: dict[str, Game[Any]] = {}
    for backend in (first, second):
        try:
            if backend != TRACE:
                built[backend] = build_game(rules, backend)
        except Exception as error:  # noqa: BLE001 (see verify_game)
            seconds, reason = time.perf_counter() - begin, describe_failure(error)
            return Comparison(first, second, _build_failure(backend, error), build_seconds=seconds, reason=reason)
    middle = time.perf_counter()
    budget = Budget(task.seconds, task.positions)
    if isinstance(account, Trace):
        found = follow_trace(built[second], account, budget)
    else:
        found = walk_together(built[first], built[second], budget, task.seed)
    outcome: Outcome = "failed" if found.failure else "differed" if found.difference else "agreed"
    return Comparison(first, second, outcome, found, middle - begin, time.perf_counter() - middle, found.failure)


def _build_failure(backend: str, error: Exception) -> Outcome:
    """An error that the grounder raises on purpose says that it cannot; anything else is a fault."""
    return "not_grounded" if backend in ON_GROUND and isinstance(error, WoodstockError) else "failed"
