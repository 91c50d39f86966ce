"""Loading: from what a person calls a game to its rules.

A game is named by a bundled name (`nim`), the path of a rule sheet, `-` for standard input, or the path of a game
folder (see `woodstock.game.folder`), of which `folder/v1` and `folder@1` are a given version. A bundled name comes
first: write `./nim` for a file of that name. Where several games are asked for, a plain folder of rule sheets
stands for all of them.
"""

from __future__ import annotations

import difflib
import logging
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from woodstock.common.errors import UsageError
from woodstock.game.folder import is_game_folder, open_folder, split_version
from woodstock.games import RULES_FILE, bundled_game, game_names, is_bundled
from woodstock.gdl.checks import blocking, check_sheet
from woodstock.gdl.diagnostics import Diagnostic, GdlError
from woodstock.gdl.repair import bind_role_variables
from woodstock.gdl.rules import Rules
from woodstock.gdl.sheet import Sheet, decode, read_sheet
from woodstock.gdl.source import SourceText

MAX_SHEET_BYTES = 4 * 1024 * 1024
"""No rule sheet is as large as this; a larger file is refused unread."""

SHEET_SUFFIXES = (".kif", ".gdl", ".hrf", ".infix")
"""What rule sheets in a folder are called."""

STANDARD_INPUT = "-"
STDIN_LABEL = "<stdin>"

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class GameText:
    """The rule sheet of a game, unread, and what it is called.

    Attributes:
        name: Short name of the game.
        title: What people call the game; the name, if nothing says.
        description: What its author says of it, perhaps nothing.
        source: The sheet.
    """

    name: str
    title: str
    description: str
    source: SourceText


def find_game(name: str) -> GameText:
    """Return the rule sheet of a game.

    Raises:
        UsageError: There is no such game, or its sheet cannot be read.
    """
    if not name:
        raise UsageError("expected the name of a game or of a file, found an empty one")
    if name == STANDARD_INPUT:
        return GameText("stdin", "standard input", "", decode(read_data(name), STDIN_LABEL))
    if is_bundled(name):
        game = bundled_game(name)
        return GameText(name, game.title, game.description, decode(game.read_rules(), f"{name}/{RULES_FILE}"))
    with _explaining(name):
        return _find_path(name)


def find_games(names: Iterable[str]) -> Iterator[GameText]:
    """Yield the rule sheets of games, those of a plain folder in the order of their names.

    Raises:
        UsageError: There is no such game, a folder holds none, or a sheet cannot be read.
    """
    for name in names:
        for member in _members(name):
            yield find_game(member)


def read_data(name: str) -> bytes:
    """Read one file, or standard input, of the size of a rule sheet.

    Raises:
        UsageError: It cannot be read, or it is too large for a rule sheet.
    """
    with _explaining(name):
        if name == STANDARD_INPUT:
            return _read_limited(sys.stdin.buffer, STDIN_LABEL)
        with Path(name).open("rb") as file:
            return _read_limited(file, name)


def load_sheet(name: str) -> Sheet:
    """Read the rule sheet of a game, whatever errors it has.

    Raises:
        UsageError: There is no such game, or its sheet cannot be read.
    """
    return read_sheet(find_game(name).source)


def load_rules(name: str, repair: bool = False, report: Callable[[str], None] = _log.warning) -> Rules:
    """Return the rules of a game that can be played.

    Args:
        name: The game.
        repair: Bind unbound variables that stand for a role first (see `woodstock.gdl.repair`).
        report: Called with a line about each repair.

    Raises:
        UsageError: There is no such game, or its sheet cannot be read.
        GdlError: The sheet has errors that leave its meaning undefined; the error lists them all.
    """
    return playable_rules(load_sheet(name), repair, report)


def repaired(sheet: Sheet) -> tuple[Sheet, tuple[Diagnostic, ...]]:
    """Return a sheet whose unbound role variables are bound, and a warning for each rule that was changed."""
    rules, done = bind_role_variables(sheet.rules)
    return replace(sheet, rules=rules), done


def playable_rules(sheet: Sheet, repair: bool = False, report: Callable[[str], None] = _log.warning) -> Rules:
    """Return the rules of a sheet; see `load_rules`.

    Raises:
        GdlError: The sheet has errors that leave its meaning undefined; the error lists them all.
    """
    if repair:
        sheet, done = repaired(sheet)
        for change in done:
            report(change.headline())
    if problems := blocking_problems(sheet):
        raise GdlError(problems)
    return sheet.rules


def blocking_problems(sheet: Sheet) -> tuple[Diagnostic, ...]:
    """Return the errors of a sheet that leave its meaning undefined; an error of syntax always does."""
    syntax = [problem for problem in sheet.diagnostics if problem.is_error]
    return tuple(dict.fromkeys((*syntax, *blocking(check_sheet(sheet)))))


def _members(name: str) -> list[str]:
    """Return the games that a name stands for: itself, or all in the plain folder that it names."""
    if name == STANDARD_INPUT or is_bundled(name):
        return [name]
    with _explaining(name):
        path = Path(name)
        if not name or not path.is_dir() or split_version(name) is not None:
            return [name]
        found = sorted(str(entry) for entry in path.iterdir() if _is_game(entry))
    if not found:
        expected = " or ".join(f"*{suffix}" for suffix in SHEET_SUFFIXES[:2])
        raise UsageError(f"there is no rule sheet in the folder {name!r}: expected files {expected}")
    return found


def _is_game(path: Path) -> bool:
    return is_game_folder(path) if path.is_dir() else path.suffix.lower() in SHEET_SUFFIXES


@contextmanager
def _explaining(name: str) -> Iterator[None]:
    """Turn whatever the file system says into an error that names the game."""
    try:
        yield
    except (OSError, ValueError) as error:
        # ValueError: a name that no file can have, with a zero byte in it.
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UsageError(f"cannot read {name!r}: {reason}") from None


def _find_path(name: str) -> GameText:
    versioned = split_version(name)
    if versioned is not None:
        folder = open_folder(*versioned)
        return GameText(folder.name, folder.title, folder.description, _read_file(str(folder.sheet)))
    path = Path(name)
    if path.is_dir():
        raise UsageError(
            f"{name!r} is a folder without a game: expected {RULES_FILE} or METADATA in it, or the path of a rule sheet"
        )
    if not path.exists():
        raise UsageError(_not_found(name))
    return GameText(path.stem, path.stem, "", _read_file(name))


def _read_file(name: str) -> SourceText:
    return decode(read_data(name), name)


def _read_limited(file: BinaryIO, name: str) -> bytes:
    data = file.read(MAX_SHEET_BYTES + 1)
    if len(data) > MAX_SHEET_BYTES:
        raise UsageError(f"{name}: expected a rule sheet, found more than {MAX_SHEET_BYTES // 2**20} MB")
    return data


def _not_found(name: str) -> str:
    known = game_names()
    if Path(name).name != name:
        return f"there is no file {name!r}"
    near = difflib.get_close_matches(name.lower(), known, n=3, cutoff=0.5)
    guess = f"did you mean {' or '.join(near)}?" if near else "'woodstock games' lists the bundled ones"
    return f"there is no game or file {name!r}; {guess}"
