"""`woodstock convert`: a rule sheet from one notation to the other."""

from __future__ import annotations

import argparse
from pathlib import Path

from woodstock.common.errors import UsageError

HELP = "write a rule sheet in the other notation, KIF or infix, with its comments"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("game", metavar="GAME", help="bundled name, rule sheet, game folder, or - for standard input")
    parser.add_argument("--to", required=True, choices=("kif", "infix"), help="the notation to write")
    parser.add_argument("-o", "--output", metavar="FILE", help="file to write, instead of standard output")


def run(args: argparse.Namespace) -> int:
    """Convert the sheet."""
    from woodstock.cli.fmt import write_text
    from woodstock.common.files import write_atomically
    from woodstock.game.load import load_sheet
    from woodstock.gdl.formatter import format_sheet

    text = format_sheet(load_sheet(args.game), args.to)
    if args.output is None:
        write_text(text)
        return 0
    try:
        write_atomically(Path(args.output), text.encode())
    except OSError as error:
        raise UsageError(f"cannot write {args.output!r}: {error.strerror or error}") from None
    return 0
