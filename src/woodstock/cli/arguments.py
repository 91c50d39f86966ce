"""Arguments that several commands take."""

from __future__ import annotations

import argparse


def positive_seconds(text: str) -> float:
    """Return a positive number of seconds.

    >>> positive_seconds("2.5")
    2.5

    Raises:
        argparse.ArgumentTypeError: It is something else.
    """
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value < 1e9:
        raise argparse.ArgumentTypeError(f"expected a positive number of seconds, found {text!r}")
    return value


def add_repair_option(parser: argparse.ArgumentParser) -> None:
    """Declare `--repair`."""
    parser.add_argument("--repair", action="store_true", help="bind unbound role variables by (role ?x), and say so")
