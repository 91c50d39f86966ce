"""`woodstock fmt`: rule sheets in one layout."""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

HELP = "lay out rule sheets anew, in place, with their comments"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="rule sheet in KIF or infix; - for standard input to standard output",
    )
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--check", action="store_true", help="write nothing; exit 1 if a sheet would change")
    mode.add_argument("--stdout", action="store_true", help="print the formatted sheets instead of writing them")
    parser.add_argument("--diff", action="store_true", help="write nothing; show what would change")


def run(args: argparse.Namespace) -> int:
    """Format the files; the exit code is 1 if one has syntax errors, or with `--check` if one would change."""
    outcomes = [_format(name, args) for name in args.files]
    return 1 if any(outcome.is_refused or (args.check and outcome.is_changed) for outcome in outcomes) else 0


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What became of a sheet."""

    is_changed: bool = False
    is_refused: bool = False


def _format(name: str, args: argparse.Namespace) -> _Outcome:
    from woodstock.common.files import write_atomically
    from woodstock.game.load import STANDARD_INPUT, STDIN_LABEL, read_data
    from woodstock.gdl.diagnostics import GdlError
    from woodstock.gdl.formatter import format_sheet
    from woodstock.gdl.sheet import decode, read_sheet

    data = read_data(name)
    label = STDIN_LABEL if name == STANDARD_INPUT else name
    sheet = read_sheet(decode(data, label))
    try:
        text = format_sheet(sheet)
    except GdlError as error:
        print(f"{error}\n{label}: not formatted, it has syntax errors", file=sys.stderr)
        return _Outcome(is_refused=True)
    changed = text.encode() != data
    if args.diff:
        _print_diff(sheet.source.text, text, label)
    elif args.check:
        pass
    elif args.stdout or name == STANDARD_INPUT:
        write_text(text)
    elif changed:
        write_atomically(Path(name), text.encode())
        print(f"formatted {name}")
    if args.check and changed:
        print(f"would format {label}", file=sys.stderr)
    return _Outcome(is_changed=changed)


def write_text(text: str) -> None:
    """Write a rule sheet to standard output, in UTF-8 as its file would be, whatever the terminal's encoding."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode())
    sys.stdout.buffer.flush()


def _print_diff(old: str, new: str, label: str) -> None:
    import difflib

    lines = difflib.unified_diff(
        old.splitlines(), new.splitlines(), f"{label} (as it is)", f"{label} (formatted)", lineterm=""
    )
    for line in lines:
        print(line)
