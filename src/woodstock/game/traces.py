"""Traces: recorded plays, position by position, in a text format that any reasoner can write.

A trace is a file of JSON lines, perhaps compressed: `NAME.jsonl` or `NAME.jsonl.gz`. The first line is
`{"game": name, "roles": [role, …]}`. Each other line is a position:

    {"play": p, "step": k, "terminal": false, "state": [fluent, …], "legal": [[move, …], …], "joint": [move, …]}
    {"play": p, "step": k, "terminal": true, "state": [fluent, …], "goals": [value or null, …]}

with terms in KIF, lists of moves in role order. The line after one with `joint` is the successor, unless the play was
cut. `"stuck": true` stands in place of `joint` where a role has no legal move; a goal is null where the rules give none
or several; `"sees": [[percept, …], …]` beside `joint` tells what each role is shown. A line `{"error": message}` says
that the recorder gave up.
"""

from __future__ import annotations

import gzip
import json
import random
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from woodstock.common.errors import UsageError
from woodstock.game.protocol import Fluent, Game, Move, P, Percept
from woodstock.game.walk import iter_playout, legal_moves
from woodstock.gdl.printer import to_kif
from woodstock.gdl.sheet import read_sheet
from woodstock.gdl.terms import GroundTerm, is_ground

T = TypeVar("T")

SUFFIXES = (".jsonl.gz", ".jsonl")
"""How the name of a trace may end, the preferred one first."""


@dataclass(frozen=True, slots=True)
class TracePosition:
    """One recorded position.

    Attributes:
        play: Number of the play.
        step: Number of joint moves made before.
        terminal: The play is over.
        fluents: What is true.
        legal: Legal moves of each role; None in a terminal position.
        joint: The joint move made; None at the end of a play.
        goals: Goal of each role, None for none or several values; None in a position that is not terminal.
        percepts: What each role is shown when `joint` is made; None if that was not recorded.
    """

    play: int
    step: int
    terminal: bool
    fluents: frozenset[Fluent]
    legal: tuple[frozenset[Move], ...] | None = None
    joint: tuple[Move, ...] | None = None
    goals: tuple[str | None, ...] | None = None
    percepts: tuple[frozenset[Percept], ...] | None = None


@dataclass(frozen=True, slots=True)
class Trace:
    """A recorded game.

    Attributes:
        game: Name of the game.
        roles: Its roles, in the order of the recorded lists.
        positions: All positions, play after play.
        error: Why the recorder gave up, or an empty string.
    """

    game: str
    roles: tuple[str, ...]
    positions: tuple[TracePosition, ...]
    error: str = ""

    def with_roles(self, roles: Sequence[str]) -> Trace:
        """Return the trace with everything in another order of the same roles."""
        if tuple(roles) == self.roles:
            return self
        order = [self.roles.index(role) for role in roles]
        positions = (
            replace(
                position,
                legal=_permute(position.legal, order),
                joint=_permute(position.joint, order),
                goals=_permute(position.goals, order),
                percepts=_permute(position.percepts, order),
            )
            for position in self.positions
        )
        return Trace(self.game, tuple(roles), tuple(positions), self.error)


def _permute(items: tuple[T, ...] | None, order: Sequence[int]) -> tuple[T, ...] | None:
    return None if items is None else tuple(items[index] for index in order)


def find_trace(folder: Path, name: str) -> Path | None:
    """Return the trace of a game in a folder of traces, if there is one."""
    candidates = (folder / f"{name}{suffix}" for suffix in SUFFIXES)
    return next((path for path in candidates if path.is_file()), None)


def read_trace(path: Path) -> Trace:
    """Read a trace.

    Raises:
        UsageError: The file cannot be read or is no trace; the message names the line.
    """
    lines = _read_lines(path)
    try:
        header = _read_header(next(lines))
    except StopIteration:
        raise UsageError(f"{path}: expected a trace, found an empty file") from None
    except (LookupError, TypeError, ValueError) as error:
        raise UsageError(f"{path}:1: expected the line {{'game': …, 'roles': […]}} of a trace: {error}") from None
    positions: list[TracePosition] = []
    failure = ""
    for number, line in enumerate(lines, start=2):
        try:
            record = json.loads(line)
            if not isinstance(record, dict):
                raise TypeError(f"found {type(record).__name__}")
            if "error" in record:
                failure = str(record["error"])
            else:
                positions.append(_read_position(record, len(header[1])))
        except (LookupError, TypeError, ValueError) as error:
            raise UsageError(f"{path}:{number}: expected a position of a trace: {error}") from None
    return Trace(header[0], header[1], tuple(positions), failure)


@dataclass(frozen=True, slots=True)
class Recording:
    """How to record plays.

    Attributes:
        plays: How many.
        seed: Each seed gives its own plays, the same with every reasoner.
        max_steps: Where to cut a play that does not end.
        percepts: Also record what each role is shown.
    """

    plays: int = 3
    seed: int = 0
    max_steps: int = 500
    percepts: bool = False


def record_plays(game: Game[P], name: str, recording: Recording) -> Trace:
    """Play at random and return the trace, in which the game has the given name."""
    rng = random.Random(recording.seed)
    positions: list[TracePosition] = []
    for play in range(recording.plays):
        for step, (position, joint) in enumerate(iter_playout(game, rng)):
            cut = step >= recording.max_steps
            found = _record_position(game, position, None if cut or not joint else joint)
            percepts = found.percepts if recording.percepts else None
            positions.append(replace(found, play=play, step=step, percepts=percepts))
            if cut:
                break
    return Trace(name, game.roles, tuple(positions))


def write_trace(trace: Trace, path: Path) -> None:
    """Write a trace, compressed if the name ends in `.gz`. The same trace always gives the same bytes."""
    lines: list[dict[str, Any]] = [{"game": trace.game, "roles": list(trace.roles)}]
    lines.extend(_write_position(position) for position in trace.positions)
    if trace.error:
        lines.append({"error": trace.error})
    text = "".join(json.dumps(line, separators=(",", ":"), ensure_ascii=False) + "\n" for line in lines)
    data = text.encode()
    path.write_bytes(gzip.compress(data, mtime=0) if path.suffix == ".gz" else data)


def _read_lines(path: Path) -> Iterator[str]:
    opener = gzip.open if path.suffix == ".gz" else open
    try:
        with opener(path, "rt", encoding="utf-8") as file:
            yield from (line for line in file if not line.isspace())
    except (OSError, EOFError, UnicodeDecodeError, zlib.error) as error:
        raise UsageError(f"cannot read the trace {path}: {error}") from None


def _read_header(line: str) -> tuple[str, tuple[str, ...]]:
    record = json.loads(line)
    roles = tuple(_term(role) for role in record["roles"])
    if not all(isinstance(role, str) for role in roles):
        raise ValueError("a role is a name")
    return str(record["game"]), tuple(str(role) for role in roles)


def _read_position(record: dict[str, Any], num_roles: int) -> TracePosition:
    joint = record.get("joint")
    goals = record.get("goals")
    position = TracePosition(
        play=int(record["play"]),
        step=int(record["step"]),
        terminal=bool(record["terminal"]),
        fluents=frozenset(map(_term, record["state"])),
        legal=_terms_by_role(record.get("legal")),
        joint=None if joint is None else tuple(map(_term, joint)),
        goals=None if goals is None else tuple(None if value is None else str(value) for value in goals),
        percepts=_terms_by_role(record.get("sees")),
    )
    for key, value in (("legal", position.legal), ("joint", joint), ("goals", goals), ("sees", position.percepts)):
        if value is not None and len(value) != num_roles:
            raise ValueError(f"expected {num_roles} entries in {key!r}, one a role, found {len(value)}")
    return position


def _terms_by_role(lists: list[list[str]] | None) -> tuple[frozenset[GroundTerm], ...] | None:
    return None if lists is None else tuple(frozenset(map(_term, terms)) for terms in lists)


@lru_cache(maxsize=100_000)
def _term(text: object) -> GroundTerm:
    """Read a ground term; case is folded as in rules."""
    if not isinstance(text, str):
        raise TypeError(f"expected a term, found {text!r}")
    sheet = read_sheet(text, "kif")
    if sheet.has_errors or len(sheet.rules) != 1 or not is_ground(sheet.rules.rules[0].head):
        raise ValueError(f"expected a term without variables, found {text!r}")
    term: GroundTerm = sheet.rules.rules[0].head  # type: ignore[assignment]
    return term


def _record_position(game: Game[P], position: P, joint: tuple[Move, ...] | None) -> TracePosition:
    fluents = game.fluents(position)
    roles = range(len(game.roles))
    if game.is_terminal(position):
        values = (game.goal_values(position, role) for role in roles)
        goals = tuple(to_kif(found[0]) if len(found) == 1 else None for found in values)
        return TracePosition(0, 0, True, fluents, goals=goals)
    legal = tuple(map(frozenset, legal_moves(game, position)))
    percepts = None if joint is None else tuple(game.percepts(position, joint, role) for role in roles)
    return TracePosition(0, 0, False, fluents, legal, joint, percepts=percepts)


def _write_position(position: TracePosition) -> dict[str, Any]:
    line: dict[str, Any] = {
        "play": position.play,
        "step": position.step,
        "terminal": position.terminal,
        "state": _sorted(position.fluents),
    }
    if position.legal is not None:
        line["legal"] = [_sorted(moves) for moves in position.legal]
        if not all(position.legal):
            line["stuck"] = True
    if position.joint is not None:
        line["joint"] = [to_kif(move) for move in position.joint]
    if position.percepts is not None:
        line["sees"] = [_sorted(percepts) for percepts in position.percepts]
    if position.goals is not None:
        line["goals"] = [_number_or_text(value) for value in position.goals]
    return line


def _number_or_text(value: str | None) -> int | str | None:
    # A JSON number is read back as any program reads it, a very long one by few.
    return int(value) if value is not None and value.isdecimal() and len(value) <= 15 else value


def _sorted(terms: frozenset[GroundTerm]) -> list[str]:
    return sorted(map(to_kif, terms))
