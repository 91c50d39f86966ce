"""Reading records: ours, those of any other program that writes ggp.org's match JSON, and archives of them.

An archive is a file of JSON lines, `{"url": …, "data": {…}}` or the records themselves, one a line. Files may be
compressed by gzip.
"""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import IO, Any, Final

from woodstock.common.errors import UsageError, WoodstockError
from woodstock.game.protocol import Fluent, Move
from woodstock.gdl.keywords import RANDOM
from woodstock.match.invariants import find_faults, is_ours
from woodstock.match.record import ILLEGAL, Answer, Ending, Match, Step
from woodstock.match.symbols import read_list, read_term
from woodstock.players.protocol import Clocks
from woodstock.search.explanation import Candidate, Explanation

MAX_LINE: Final = 256 * 1024 * 1024
"""No record is as long as this, in characters; what comes after them is not read."""
MAX_FAULTS: Final = 30
"""So many faults of a record are listed; the others are counted."""

_GZIP: Final = b"\x1f\x8b"


def read_record(data: Mapping[str, Any] | str | bytes, name: str = "<record>") -> Match:
    """Return the match that a record in ggp.org's match JSON tells of.

    Args:
        data: The JSON object or its text, perhaps a line of an archive.
        name: What messages call the record.

    Raises:
        UsageError: It is no such record; the message lists everything that is wrong with it.
    """
    with _explaining(name):
        record = data if isinstance(data, Mapping) else json.loads(data)
        if isinstance(record, Mapping) and isinstance(record.get("data"), Mapping):
            record = record["data"]
        if not isinstance(record, Mapping):
            raise UsageError(f"{name}: expected the record of a match, a JSON object, found {type(record).__name__}")
        if faults := find_faults(record):
            raise UsageError(_list_faults(name, faults))
        return _read_match(record)


def load_record(path: Path, number: int = 1) -> Match:
    """Read the record of a match from a file.

    Args:
        path: A file with one record, or an archive.
        number: Which record of an archive, from 1.

    Raises:
        UsageError: There is no such file or no such record in it, or it is no record.
    """
    with _explaining(str(path)), _open(path) as file:
        lines = (line for line in iter(lambda: file.readline(MAX_LINE), "") if not line.isspace())
        first = next(lines, "")
        if not _is_json(first):
            # One record on many lines, or nothing that can be read, which its reader will say.
            first += file.read(MAX_LINE)
        for count, line in enumerate(chain([first], lines), 1):
            if count == number:
                return read_record(line, str(path) if number == 1 else f"{path}, match {number}")
    raise UsageError(f"{path}: expected at least {number} matches, found {count}")


@contextmanager
def _explaining(name: str) -> Iterator[None]:
    """Turn whatever a file or its text can be wrong in into an error that names it."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"cannot read the record {name}: {error.strerror or error}") from None
    except RecursionError:
        raise UsageError(f"{name}: expected the record of a match, found JSON that is nested too deep") from None
    except (ValueError, EOFError, zlib.error) as error:
        raise UsageError(f"{name}: expected the record of a match in JSON: {error}") from None


def _open(path: Path) -> IO[str]:
    with path.open("rb") as file:
        is_compressed = file.read(len(_GZIP)) == _GZIP
    return gzip.open(path, "rt", encoding="utf-8") if is_compressed else path.open(encoding="utf-8")


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def _list_faults(name: str, faults: list[str]) -> str:
    lines = [f"{name}: this is not the record of a match as it should be:", *faults[:MAX_FAULTS]]
    if len(faults) > MAX_FAULTS:
        lines.append(f"… and {len(faults) - MAX_FAULTS} more")
    return "\n  ".join(lines)


def _read_match(record: Mapping[str, Any]) -> Match:
    """Return the match of a record that holds no faults."""
    ours = {key: value for key, value in record.items() if key.startswith("x-")} if is_ours(record) else {}
    roles = tuple(str(name).lower() for name in ours.get("x-roles", record.get("gameRoleNames", ())))
    errors = record.get("errors", [[""] * len(row) for row in (record["moves"][:1] or [roles])])
    return Match(
        match_id=record["matchId"],
        game_name=ours.get("x-game", ""),
        roles=roles,
        player_names=tuple(record.get("playerNamesFromHost", ())),
        seed=ours.get("x-seed", 0),
        clocks=_read_clocks(record, ours),
        steps=tuple(_read_step(record, ours, roles, number) for number in range(len(record["moves"]))),
        states=tuple(map(_read_state, record["states"])),
        state_times=tuple(record["stateTimes"]),
        ending=_read_ending(record, ours),
        goals=_read_goals(record, ours, roles),
        random_token=record["randomToken"],
        start_time=record["startTime"],
        start_errors=tuple(errors[0]),
        rules_sha256=ours.get("x-rules-sha256", ""),
        game_url=record["gameMetaURL"],
        scrambled=record.get("scrambled", False),
    )


def _read_clocks(record: Mapping[str, Any], ours: Mapping[str, Any]) -> Clocks:
    """Return the clocks; those in whole seconds are told apart from none by being positive."""
    exact = ours.get("x-clocks", {key: record[f"{key}Clock"] for key in ("start", "play") if record[f"{key}Clock"] > 0})
    return Clocks(exact.get("start"), exact.get("play"), ours.get("x-iterations"))


def _read_ending(record: Mapping[str, Any], ours: Mapping[str, Any]) -> Ending:
    if "x-ending" in ours:
        return Ending(ours["x-ending"])
    return Ending.FINISHED if record.get("isCompleted", "goalValues" in record) else Ending.ABORTED


def _read_goals(record: Mapping[str, Any], ours: Mapping[str, Any], roles: tuple[str, ...]) -> tuple[int | None, ...]:
    if "goalValues" in record:
        return tuple(record["goalValues"])
    return tuple(ours["x-goals"].get(role) for role in roles) if "x-goals" in ours else ()


def _read_state(text: str) -> frozenset[Fluent]:
    """Return what is true in a state, freed of the `true` that some programs leave around it."""
    terms = read_list(text)
    return frozenset(term[1] if len(term) == 2 and term[0] == "true" else term for term in terms)


def _read_step(record: Mapping[str, Any], ours: Mapping[str, Any], roles: tuple[str, ...], number: int) -> Step:
    moves = tuple(map(read_term, record["moves"][number]))
    errors = record["errors"][number + 1] if "errors" in record else [""] * len(moves)
    seconds = ours["x-seconds"][number] if "x-seconds" in ours else [0.0] * len(moves)
    analysis = ours["x-analysis"][number] if "x-analysis" in ours else {}
    answers: list[Answer | None] = []
    for role, move in enumerate(moves):
        name = roles[role] if roles else ""
        said = _read_said(errors[role]) if errors[role] else move
        explanation = _read_explanation(analysis[name], roles) if name in analysis else None
        answers.append(None if name == RANDOM else Answer(said, errors[role], seconds[role], explanation))
    return Step(moves, tuple(answers))


def _read_said(error: str) -> Move | None:
    """Return the move that an error tells of, if it does."""
    kind, _, text = error.partition(" ")
    try:
        return read_term(text) if kind == ILLEGAL and text != "nil" else None
    except WoodstockError:
        return None


def _read_explanation(data: Mapping[str, Any], roles: tuple[str, ...]) -> Explanation:
    """Return an explanation from its JSON; see `Explanation.to_json`."""
    try:
        candidates = tuple(map(_read_candidate, data["candidates"]))
        line = tuple(tuple(map(read_term, moves)) for moves in data.get("line", ()))
        if not candidates:
            raise ValueError("there is no candidate")
        return Explanation(str(data["role"]), candidates, line, roles, dict(data.get("statistics", {})))
    except (LookupError, TypeError, ValueError, AttributeError, WoodstockError) as error:
        raise ValueError(f"'x-analysis' holds no explanation: {type(error).__name__}: {error}") from None


def _read_candidate(data: Mapping[str, Any]) -> Candidate:
    value, margin = (None if data.get(key) is None else float(data[key]) for key in ("value", "margin"))
    return Candidate(read_term(data["move"]), value, margin, int(data["visits"]), bool(data.get("proven", False)))
