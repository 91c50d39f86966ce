"""Loading: from what a person calls a game to its rules.

A game is named by a bundled name (`tictactoe`), the path of a rule sheet, `-` for standard input, or the path of a game
folder (see `woodstock.game.folder`), of which `folder/v1` and `folder@1` are a given version. A bundled name comes
first: write `./tictactoe` for a file of that name.
"""

from __future__ import annotations

import difflib
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from woodstock.common.errors import UsageError
from woodstock.game.folder import open_folder, split_version
from woodstock.games import RULES_FILE, bundled_game, game_names, is_bundled
from woodstock.gdl.checks import blocking, check_sheet
from woodstock.gdl.diagnostics import Diagnostic, GdlError
from woodstock.gdl.rules import Rules
from woodstock.gdl.sheet import Sheet, decode, read_sheet
from woodstock.gdl.source import SourceText

MAX_SHEET_BYTES = 16 * 1024 * 1024
"""No rule sheet is as large as this; a larger file is refused unread."""

STANDARD_INPUT = "-"


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
    if name == STANDARD_INPUT:
        return GameText("stdin", "standard input", "", decode(_read_limited(sys.stdin.buffer, "<stdin>"), "<stdin>"))
    if is_bundled(name):
        game = bundled_game(name)
        return GameText(name, game.title, game.description, decode(game.read_rules(), f"{name}/{RULES_FILE}"))
    try:
        return _find_path(name)
    except (OSError, ValueError) as error:
        # ValueError: a name that no file can have, with a zero byte in it.
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise UsageError(f"cannot read {name!r}: {reason}") from None


def load_sheet(name: str) -> Sheet:
    """Read the rule sheet of a game, whatever errors it has.

    Raises:
        UsageError: There is no such game, or its sheet cannot be read.
    """
    return read_sheet(find_game(name).source)


def load_rules(name: str) -> Rules:
    """Return the rules of a game that can be played.

    Raises:
        UsageError: There is no such game, or its sheet cannot be read.
        GdlError: The sheet has errors that leave its meaning undefined; the error lists them all.
    """
    return playable_rules(load_sheet(name))


def playable_rules(sheet: Sheet) -> Rules:
    """Return the rules of a sheet.

    Raises:
        GdlError: The sheet has errors that leave its meaning undefined; the error lists them all.
    """
    problems = blocking_problems(sheet)
    if problems:
        raise GdlError(problems)
    return sheet.rules


def blocking_problems(sheet: Sheet) -> tuple[Diagnostic, ...]:
    """Return the errors of a sheet that leave its meaning undefined; an error of syntax always does."""
    syntax = [problem for problem in sheet.diagnostics if problem.is_error]
    return tuple(dict.fromkeys((*syntax, *blocking(check_sheet(sheet)))))


def _find_path(name: str) -> GameText:
    versioned = split_version(name)
    if versioned is not None:
        folder = open_folder(*versioned)
        return GameText(folder.name, folder.title, folder.description, _read_file(folder.sheet))
    path = Path(name)
    if path.is_dir():
        raise UsageError(
            f"{name!r} is a folder without a game: expected {RULES_FILE} or METADATA in it, or the path of a rule sheet"
        )
    if not path.exists():
        raise UsageError(_not_found(name))
    return GameText(path.stem, path.stem, "", _read_file(path))


def _read_file(path: Path) -> SourceText:
    with path.open("rb") as file:
        return decode(_read_limited(file, str(path)), str(path))


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
