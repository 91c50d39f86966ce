"""What always holds of ggp.org's match JSON: the checks of a record before it is used.

The same as the spectator server of ggp.org enforces, and that keys of one's own begin with `x-`, that nothing is null,
and that states and moves can be read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Any, Final

from woodstock.common.errors import WoodstockError
from woodstock.match.record import Ending
from woodstock.match.symbols import read_list, read_term

MIN_TOKEN: Final = 12
"""The shortest random token."""

_VERSIONED: Final = re.compile(r"/v\d+/$")


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_truth(value: object) -> bool:
    return isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _list_of(is_item: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(map(is_item, value))


def _object_of(is_item: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, dict) and all(map(is_item, value.values()))


_Kind = tuple[str, Callable[[Any], bool]]

_TEXT: Final[_Kind] = ("a text", _is_text)
_WHOLE: Final[_Kind] = ("a whole number", _is_whole)
_TRUTH: Final[_Kind] = ("true or false", _is_truth)
_NUMBER: Final[_Kind] = ("a number", _is_number)
_TEXTS: Final[_Kind] = ("a list of texts", _list_of(_is_text))
_WHOLES: Final[_Kind] = ("a list of whole numbers", _list_of(_is_whole))
_TRUTHS: Final[_Kind] = ("a list of true and false", _list_of(_is_truth))
_ROWS: Final[_Kind] = ("a list of lists of texts", _list_of(_list_of(_is_text)))
_NUMBER_ROWS: Final[_Kind] = ("a list of lists of numbers", _list_of(_list_of(_is_number)))

_REQUIRED: Final[dict[str, _Kind]] = {
    "matchId": _TEXT,
    "startTime": _WHOLE,
    "randomToken": _TEXT,
    "startClock": _WHOLE,
    "playClock": _WHOLE,
    "states": _TEXTS,
    "moves": _ROWS,
    "stateTimes": _WHOLES,
    "gameMetaURL": _TEXT,
}
_OPTIONAL: Final[dict[str, _Kind]] = {
    "isCompleted": _TRUTH,
    "isAborted": _TRUTH,
    "errors": _ROWS,
    "goalValues": _WHOLES,
    "previewClock": _WHOLE,
    "playerNamesFromHost": _TEXTS,
    "isPlayerHuman": _TRUTHS,
    "tournamentNameFromHost": _TEXT,
    "scrambled": _TRUTH,
    "weight": _NUMBER,
    "matchHostPK": _TEXT,
    "matchHostSignature": _TEXT,
    "gameName": _TEXT,
    "gameRulesheetHash": _TEXT,
    "gameRoleNames": _TEXTS,
}
OURS: Final = "x-woodstock"
"""The key that marks a record of ours; in one of another program the keys below may mean something else."""
_OWN: Final[dict[str, _Kind]] = {
    OURS: _TEXT,
    "x-game": _TEXT,
    "x-rules-sha256": _TEXT,
    "x-roles": _TEXTS,
    "x-players": _TEXTS,
    "x-seed": _WHOLE,
    "x-iterations": ("a positive whole number", lambda value: _is_whole(value) and value > 0),
    "x-ending": _TEXT,
    "x-seconds": _NUMBER_ROWS,
    "x-clocks": ("an object of positive numbers", _object_of(lambda value: _is_number(value) and value > 0)),
    "x-goals": ("an object of whole numbers", _object_of(_is_whole)),
    "x-analysis": ("a list of objects", _list_of(_object_of(lambda value: isinstance(value, dict)))),
}
_BY_ROLE: Final = ("goalValues", "playerNamesFromHost", "isPlayerHuman", "gameRoleNames", "x-roles", "x-players")
"""Lists with one entry per role."""
_ROWS_BY_ROLE: Final = ("moves", "errors", "x-seconds")
"""Lists of such lists."""


def find_faults(record: Mapping[str, Any]) -> list[str]:
    """Return everything that is wrong with a record, in words; nothing if it is as it should be."""
    known = _REQUIRED | _OPTIONAL | (_OWN if is_ours(record) else {})
    sound = {key: value for key, value in record.items() if key in known and known[key][1](value)}
    faults = list(_kinds(record, known))
    for check in (_lengths, _widths, _times, _result, _identity, _terms):
        faults += check(sound)
    return faults


def is_ours(record: Mapping[str, Any]) -> bool:
    """Tell whether a record was written by this program, so that its `x-` keys mean what they mean here."""
    return OURS in record


def _kinds(record: Mapping[str, Any], known: Mapping[str, _Kind]) -> Iterator[str]:
    """Yield keys that are missing or unknown, and values that are not what their key calls for."""
    for key in _REQUIRED:
        if key not in record:
            yield f"the key {key!r} is missing"
    for key, value in record.items():
        if key in known:
            expected, is_right = known[key]
            if not is_right(value):
                yield f"{key!r}: expected {expected}, found {_excerpt(value)}"
        elif not key.startswith("x-"):
            yield f"the key {key!r} is unknown: one's own begin with x-"
        elif _has_null(value):
            yield f"{key!r}: there is a null in it"


# The checks below get the entries that are of the right kind; what is missing was reported before.


def _lengths(sound: Mapping[str, Any]) -> Iterator[str]:
    """Yield lists that are not as long as others demand."""
    counts = {key: len(value) for key, value in sound.items() if isinstance(value, list)}
    states, moves = counts.get("states"), counts.get("moves")
    if states is not None and moves is not None and states != moves + 1:
        yield f"expected one state more than joint moves, found {states} states and {moves} joint moves"
    for key, noun, expected in (
        ("stateTimes", "states", states),
        ("errors", "states", states),
        ("x-seconds", "joint moves", moves),
        ("x-analysis", "joint moves", moves),
    ):
        if key in counts and expected is not None and counts[key] != expected:
            yield f"expected as many entries of {key!r} as {noun}, found {counts[key]} and {expected} {noun}"


def _widths(sound: Mapping[str, Any]) -> Iterator[str]:
    """Yield rows that are for another number of roles than the first."""
    rows = [
        (f"{key!r}, row {number}", row)
        for key in _ROWS_BY_ROLE
        if key in sound
        for number, row in enumerate(sound[key], 1)
    ]
    rows += [(repr(key), sound[key]) for key in _BY_ROLE if key in sound]
    for name, row in rows:
        if len(row) != len(rows[0][1]):
            yield f"{name}: expected {len(rows[0][1])} entries, one per role as in {rows[0][0]}, found {len(row)}"


def _times(sound: Mapping[str, Any]) -> Iterator[str]:
    """Yield moments that lie before an earlier one."""
    times = [("startTime", sound.get("startTime", 0))]
    times += [(f"state {number}", moment) for number, moment in enumerate(sound.get("stateTimes", ()))]
    if times[0][1] < 0:
        yield f"'startTime': expected milliseconds since 1970, found {times[0][1]}"
    for (earlier, before), (later, after) in pairwise(times):
        if after < before:
            yield f"the time goes back from {before} ({earlier}) to {after} ({later})"


def _result(sound: Mapping[str, Any]) -> Iterator[str]:
    """Yield what contradicts itself about the end."""
    is_completed, ending = sound.get("isCompleted"), sound.get("x-ending")
    if "goalValues" in sound and is_completed is False:
        yield "'goalValues' may stand only in the record of a completed match"
    for value in sound.get("goalValues", ()):
        if not 0 <= value <= 100:
            yield f"'goalValues': expected 0 to 100, found {value}"
    endings = [each.value for each in Ending]
    if ending is not None and ending not in endings:
        yield f"'x-ending': expected {', '.join(endings)}, found {ending!r}"
    elif ending is not None and is_completed is not None and is_completed != (ending == Ending.FINISHED.value):
        yield f"'x-ending' says {ending!r}, 'isCompleted' {str(is_completed).lower()}"


def _identity(sound: Mapping[str, Any]) -> Iterator[str]:
    """Yield what is wrong with the names of the match and of its game."""
    if sound.get("matchId") == "":
        yield "'matchId' is empty"
    token, url = sound.get("randomToken"), sound.get("gameMetaURL")
    if token is not None and len(token) < MIN_TOKEN:
        yield f"'randomToken': expected at least {MIN_TOKEN} characters, found {len(token)}"
    if url is not None and not _VERSIONED.search(url):
        yield f"'gameMetaURL': expected an address that ends in /v0/ or another version, found {_excerpt(url)}"
    if ("matchHostPK" in sound) != ("matchHostSignature" in sound):
        yield "'matchHostPK' and 'matchHostSignature' stand together or not at all"


def _terms(sound: Mapping[str, Any]) -> Iterator[str]:
    """Yield states and moves that cannot be read."""
    texts: list[tuple[str, str, Callable[[str], object]]] = [
        (f"state {number}", state, read_list) for number, state in enumerate(sound.get("states", ()))
    ]
    texts += [
        (f"joint move {number}", move, read_term)
        for number, row in enumerate(sound.get("moves", ()), 1)
        for move in row
    ]
    for place, text, read in texts:
        try:
            read(text)
        except WoodstockError as error:
            yield f"{place}: {error}"


def _has_null(value: object) -> bool:
    if isinstance(value, dict):
        return any(map(_has_null, value.values()))
    return any(map(_has_null, value)) if isinstance(value, list) else value is None


def _excerpt(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:39] + "…"
