"""Records as files: the match JSON of ggp.org, which other programs read too.

What that format has no place for stands under keys that begin with `x-`, as it demands:

| key | value |
|---|---|
| `x-woodstock` | version of the program that wrote the record |
| `x-game` | what the game was called: a bundled name or a path |
| `x-rules-sha256` | fingerprint of the rules, see `woodstock.match.rules_fingerprint` |
| `x-roles`, `x-players` | name and player of each role |
| `x-seed` | the seed |
| `x-clocks` | `start` and `play` in seconds; the format rounds them up, and has -1 where no clock runs |
| `x-iterations` | what a search could do for each move |
| `x-ending` | why the match stopped |
| `x-goals` | goals by role, where `goalValues` may not stand: the match did not finish, or a role has no goal |
| `x-seconds` | how long each role took for each step |
| `x-analysis` | for each step, the explanations by role; only if there are any |

`errors` has a row more than `moves`: the first tells what was wrong when the players were told of the match.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, Final

from woodstock import __version__
from woodstock.common.files import write_atomically
from woodstock.game.protocol import Fluent
from woodstock.match.record import Ending, Match, Step, is_human, short_name
from woodstock.match.symbols import write_list, write_symbols

NO_CLOCK: Final = -1
"""What stands in a record for a clock that does not run."""


def write_record(match: Match) -> dict[str, Any]:
    """Return a match as ggp.org's match JSON; the same match always gives the same text."""
    is_completed = match.ending is Ending.FINISHED
    record: dict[str, Any] = {
        "matchId": match.match_id,
        "randomToken": match.random_token,
        "startTime": match.start_time,
        "gameMetaURL": match.game_url or _local_url(match.game_name),
        "isCompleted": is_completed,
        "isAborted": not is_completed,
        "states": [_write_state(state) for state in match.states],
        "moves": [[write_symbols(move) for move in step.moves] for step in match.steps],
        "stateTimes": list(match.state_times),
        "errors": [list(match.start_errors), *(list(step.errors) for step in match.steps)],
        "previewClock": NO_CLOCK,
        "startClock": _whole(match.clocks.start),
        "playClock": _whole(match.clocks.play),
        "scrambled": match.scrambled,
    }
    if match.player_names:
        record["playerNamesFromHost"] = list(match.player_names)
        record["isPlayerHuman"] = [is_human(name) for name in match.player_names]
    if _has_goal_values(match):
        record["goalValues"] = list(match.goals)
    return record | _write_extras(match)


def save_record(match: Match, path: Path) -> None:
    """Write the record of a match to a file, as one line of JSON, completely or not at all.

    Raises:
        OSError: The file cannot be written.
    """
    write_atomically(path, (json.dumps(write_record(match)) + "\n").encode())


def _write_extras(match: Match) -> dict[str, Any]:
    """Return what the format has no place for."""
    clocks = {"start": match.clocks.start, "play": match.clocks.play}
    extras: dict[str, Any] = {
        "x-woodstock": __version__,
        "x-game": match.game_name,
        "x-rules-sha256": match.rules_sha256,
        "x-roles": list(match.roles) or None,
        "x-players": list(match.player_names) or None,
        "x-seed": match.seed,
        "x-clocks": clocks,
        "x-iterations": match.clocks.iterations,
        "x-ending": match.ending.value,
        "x-seconds": [_write_seconds(step) for step in match.steps],
    }
    if match.goals and not _has_goal_values(match):
        extras["x-goals"] = dict(zip(match.roles, match.goals, strict=True))
    analysis = [_write_analysis(match.roles, step) for step in match.steps]
    if any(analysis):
        extras["x-analysis"] = analysis
    found: dict[str, Any] = _without_nulls(extras)
    return found


def _has_goal_values(match: Match) -> bool:
    """Tell whether the goals may stand where the format has them: one for each role of a completed match."""
    return match.ending is Ending.FINISHED and bool(match.goals) and None not in match.goals


def _write_state(state: frozenset[Fluent]) -> str:
    """Return a state as a symbol list, in alphabetical order.

    >>> _write_state(frozenset({("control", "x"), ("cell", "1", "1", "b")}))
    '( ( cell 1 1 b ) ( control x ) )'
    """
    return write_list(tuple(sorted(state, key=write_symbols)))


def _write_seconds(step: Step) -> list[float]:
    return [0.0 if answer is None else round(answer.seconds, 6) for answer in step.answers]


def _write_analysis(roles: tuple[str, ...], step: Step) -> dict[str, Any]:
    return {
        role: answer.explanation.to_json()
        for role, answer in zip(roles, step.answers, strict=False)  # a record may not tell the roles
        if answer is not None and answer.explanation is not None
    }


def _without_nulls(value: Any) -> Any:
    """Return JSON values without entries that are null, which the format forbids."""
    if isinstance(value, dict):
        return {key: _without_nulls(item) for key, item in value.items() if not _is_null(item)}
    return [_without_nulls(item) for item in value] if isinstance(value, list) else value


def _is_null(value: Any) -> bool:
    """Tell whether JSON has no better word for a value than null."""
    return value is None or (isinstance(value, float) and not math.isfinite(value))


def _whole(seconds: float | None) -> int:
    """Return a clock in whole seconds: a player is not told that it has less time than it has."""
    return NO_CLOCK if seconds is None else math.ceil(seconds)


def _local_url(game_name: str) -> str:
    """Return an address for a game that has none."""
    return f"http://localhost/games/{short_name(game_name)}/v0/"
