"""What commands share that play matches: clocks, a player for every seat, a game ready to be played."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from woodstock.cli.arguments import positive_seconds
from woodstock.cli.output import print_note
from woodstock.common.errors import UsageError

if TYPE_CHECKING:
    from woodstock.game.protocol import Game
    from woodstock.gdl.rules import Rules
    from woodstock.players import Clocks

DEFAULT_START: Final = 10.0
SOON: Final = 1.0
"""Seconds before the first move where a command should begin soon: players that search use all of them."""
DEFAULT_PLAY: Final = 1.0


def add_clock_options(parser: argparse.ArgumentParser, start: float = DEFAULT_START) -> None:
    """Declare `--start`, `--play` and `--iterations`.

    Args:
        parser: Of the command.
        start: The start clock if nobody asks for another one.
    """
    parser.set_defaults(default_start=start)
    parser.add_argument(
        "--start", metavar="S", type=positive_seconds, help=f"seconds before the first move (default: {start:g})"
    )
    parser.add_argument(
        "--play", metavar="S", type=positive_seconds, help=f"seconds for each move (default: {DEFAULT_PLAY:g})"
    )
    parser.add_argument(
        "--iterations",
        metavar="N",
        type=int,
        help="in place of clocks: what a search may do for each move, which makes matches repeatable",
    )


def clocks_of(args: argparse.Namespace) -> Clocks:
    """Return the clocks that the options ask for.

    Raises:
        UsageError: They contradict each other, or no such clock exists.
    """
    from woodstock.players import Clocks

    if args.iterations is None:
        return Clocks(args.start or args.default_start, args.play or DEFAULT_PLAY)
    if args.start is not None or args.play is not None:
        raise UsageError("--iterations takes the place of clocks: give it without --start and --play")
    if args.iterations < 1:
        raise UsageError(f"--iterations takes a positive number, found {args.iterations}")
    return Clocks(iterations=args.iterations)


def choose_seed(seed: int | None) -> int:
    """Return the seed that was asked for, or a new one that is short enough to type."""
    from random import SystemRandom

    return SystemRandom().randrange(10**6) if seed is None else seed


def deal_seats(specs: Sequence[str], roles: Sequence[str]) -> list[str]:
    """Return the spec of a player for each role, starting over when there are more roles than specs.

    >>> deal_seats(["uct", "random"], ["red", "green", "blue"])
    ['uct', 'random', 'uct']

    Raises:
        UsageError: There are more specs than roles.
    """
    if len(specs) > len(roles):
        seats = f"one for each role ({', '.join(roles)})" if roles else "none, for nobody has a choice"
        raise UsageError(f"expected at most {len(roles)} players, {seats}, found {len(specs)}")
    return [specs[number % len(specs)].strip() for number in range(len(roles))]


def prepare_visibly(rules: Rules, specs: Sequence[str]) -> Game[Any]:
    """Return a game ready for some players, with what they need compiled before any clock runs.

    Args:
        rules: The rules.
        specs: The players.
    """
    from woodstock.cli.warm import warm_visibly
    from woodstock.common.progress import progress
    from woodstock.game.reference import ReferenceGame
    from woodstock.players.loading import prepare_game
    from woodstock.players.registry import any_searches
    from woodstock.search.warm import FOR_PLAYERS

    if not any_searches(specs):
        return ReferenceGame(rules)
    warm_visibly(FOR_PLAYERS)
    with progress("preparing the game"):
        return prepare_game(rules, report=print_note)
