"""The command `woodstock`.

Each command is a module of this package with `HELP` (one line), `configure(parser)` and `run(args)`, which returns the
exit code; `COMMANDS` names them all. What is heavy is imported in `run`, so that help and errors come at once.

Exit codes: 0 done, 1 the answer is no (a sheet with errors, reasoners that differ), 2 wrong usage or unusable input,
70 an error of Woodstock itself, 130 interrupted, 141 nobody reads the output any more.
"""

from __future__ import annotations

import argparse
import difflib
import importlib
import io
import os
import sys
import traceback
from collections.abc import Sequence
from typing import Final, Protocol, TextIO

from woodstock import __version__
from woodstock.common.errors import UsageError, WoodstockError

COMMANDS: Final[dict[str, str]] = {
    "check": "woodstock.cli.check",
    "fmt": "woodstock.cli.fmt",
    "convert": "woodstock.cli.convert",
    "info": "woodstock.cli.info",
    "perft": "woodstock.cli.perft",
    "verify": "woodstock.cli.verify",
    "network": "woodstock.cli.network",
    "symmetry": "woodstock.cli.symmetry",
    "qcsp": "woodstock.cli.qcsp",
    "games": "woodstock.cli.games",
    "show": "woodstock.cli.show",
    "play": "woodstock.cli.play",
    "match": "woodstock.cli.match",
    "replay": "woodstock.cli.replay",
    "duel": "woodstock.cli.duel",
    "table": "woodstock.cli.table",
    "serve": "woodstock.cli.serve",
    "host": "woodstock.cli.host",
    "check-player": "woodstock.cli.check_player",
    "playouts": "woodstock.cli.playouts",
    "warm": "woodstock.cli.warm",
}
"""Name of each command and the module that holds it, in the order of the help."""

EXIT_OK: Final = 0
EXIT_USAGE: Final = 2
EXIT_INTERNAL: Final = 70
EXIT_INTERRUPTED: Final = 130
EXIT_BROKEN_PIPE: Final = 141

TRACEBACK_VARIABLE: Final = "WOODSTOCK_TRACEBACK"
"""Environment variable: set to anything, it makes every error show where in the program it arose."""


class Command(Protocol):
    """What a module of a command provides."""

    HELP: str

    def configure(self, parser: argparse.ArgumentParser) -> None:
        """Declare the command's arguments."""

    def run(self, args: argparse.Namespace) -> int:
        """Do it and return the exit code."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code; no exception leaves this function."""
    for stream in (sys.stdout, sys.stderr):
        _survive_odd_characters(stream)
    try:
        code = _dispatch(list(sys.argv[1:] if argv is None else argv))
        print(end="", flush=True)  # here, where a closed pipe is caught
        return code
    except KeyboardInterrupt:
        _complain("interrupted")
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        _discard_output()
        return EXIT_BROKEN_PIPE
    except (WoodstockError, OSError, MemoryError) as error:
        _show_traceback()
        _complain(_describe(error))
        return EXIT_USAGE
    except Exception as error:  # noqa: BLE001 (the last net: a user gets one line, not a traceback)
        shown = _show_traceback()
        _complain(f"internal error: {type(error).__name__}: {error}")
        how = "" if shown else f"; {TRACEBACK_VARIABLE}=1 in the environment shows where it arose"
        print(f"Please report this with the command that you ran{how}.", file=sys.stderr)
        return EXIT_INTERNAL


def load_command(name: str) -> Command:
    """Return the module of a command.

    Raises:
        UsageError: There is no such command; the message names the nearest one.
    """
    if name not in COMMANDS:
        near = difflib.get_close_matches(name, COMMANDS, n=1)
        guess = f"; did you mean {near[0]!r}?" if near else ""
        kind = "option" if name.startswith("-") else "command"
        raise UsageError(f"unknown {kind} {name!r}{guess}\n'woodstock --help' lists the commands")
    command: Command = importlib.import_module(COMMANDS[name])
    return command


def make_parser(name: str) -> argparse.ArgumentParser:
    """Return the argument parser of a command."""
    command = load_command(name)
    text = command.HELP[:1].upper() + command.HELP[1:]
    parser = argparse.ArgumentParser(prog=f"woodstock {name}", description=text.rstrip(".") + ".")
    command.configure(parser)
    return parser


def _dispatch(arguments: list[str]) -> int:
    if not arguments or arguments[0] in ("-h", "--help"):
        print(_overview())
        return EXIT_OK
    if arguments[0] in ("-V", "--version"):
        print(f"woodstock {__version__}")
        return EXIT_OK
    name, *rest = arguments
    parser = make_parser(name)
    try:
        args = parser.parse_args(rest)
    except SystemExit as stop:  # how argparse ends after --help or a wrong argument
        return stop.code if isinstance(stop.code, int) else EXIT_OK
    return load_command(name).run(args)


def _overview() -> str:
    width = max(map(len, COMMANDS))
    commands = "\n".join(f"  {name:<{width}}  {load_command(name).HELP}" for name in COMMANDS)
    return (
        "usage: woodstock COMMAND [ARGUMENT …]\n\n"
        "Woodstock reads the rules of any game, written in GDL, and plays it.\n\n"
        f"commands:\n{commands}\n\n"
        "'woodstock COMMAND --help' tells more about a command; 'woodstock --version' prints the version.\n"
        "A GAME is the name of a bundled game, a rule sheet, a folder with one, or - for standard input."
    )


def _describe(error: Exception) -> str:
    if isinstance(error, MemoryError):
        return "error: out of memory"
    from woodstock.gdl.diagnostics import GdlError

    return str(error) if isinstance(error, GdlError) else f"error: {error}"


def _complain(message: str) -> None:
    """Print a message on stderr, under our name unless it starts with a place in a file."""
    named = message if ": error: " in message.partition("\n")[0] else f"woodstock: {message}"
    print(named, file=sys.stderr)


def _show_traceback() -> bool:
    if not os.environ.get(TRACEBACK_VARIABLE):
        return False
    traceback.print_exc()
    return True


def _survive_odd_characters(stream: TextIO) -> None:
    """Let a stream write what its encoding lacks as an escape instead of failing."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")


def _discard_output() -> None:
    """Point stdout to nowhere, so that the interpreter's last flush does not complain."""
    with open(os.devnull, "w") as nowhere:  # noqa: PTH123 (a device, not a path)
        os.dup2(nowhere.fileno(), sys.__stdout__.fileno() if sys.__stdout__ else 1)
