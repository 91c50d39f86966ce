"""`woodstock play`: a match on the terminal."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from woodstock.cli.arguments import add_repair_option
from woodstock.cli.output import count, print_json, print_note
from woodstock.common.errors import UsageError

if TYPE_CHECKING:
    from woodstock.game.protocol import Fluent, Game
    from woodstock.match import Match, Step

HELP = "play a match and draw the board after every move"

DEFAULT_PLAYERS = "greedy,random"
MAX_DELAY = 3600
SCOUT_STEPS = 200


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("game", metavar="GAME", help="a bundled game, a rule sheet, a folder with one, or -")
    parser.add_argument(
        "--players",
        metavar="NAME,…",
        default=DEFAULT_PLAYERS,
        help="random, legal or greedy for each role in turn, over again if there are more roles (default: %(default)s)",
    )
    parser.add_argument("--seed", metavar="N", type=int, help="makes the same match again (default: a new one)")
    parser.add_argument("--delay", metavar="S", type=float, default=0.0, help="seconds to wait after every move")
    add_repair_option(parser)
    parser.add_argument("--json", action="store_true", help="print the record of the match as JSON and draw nothing")


def run(args: argparse.Namespace) -> int:
    """Play the match."""
    from random import SystemRandom

    from woodstock.game.load import load_rules
    from woodstock.game.reference import ReferenceGame
    from woodstock.match import play_match, seats
    from woodstock.players import make_player

    if not 0 <= args.delay <= MAX_DELAY:
        raise UsageError(f"--delay takes 0 to {MAX_DELAY} seconds, found {args.delay:g}")
    rules = load_rules(args.game, args.repair, print_note)
    game = ReferenceGame(rules)
    seated = [game.roles[role] for role in seats(game.roles)]
    names = deal_seats(args.players.split(","), seated)
    players = [make_player(name) for name in names]
    seed = SystemRandom().randrange(10**6) if args.seed is None else args.seed
    hidden = any(rule.name == "sees" for rule in rules)
    if args.json:
        match = play_match(game, players, seed, hidden=hidden)
        print_json({"game": args.game, "players": dict(zip(seated, names, strict=True)), **match.to_json()})
        return 0
    cast = ", ".join(f"{role} ({name})" for role, name in zip(seated, names, strict=True))
    print(f"{args.game}: {cast}; seed {seed}", flush=True)
    narrator = Narrator(game, args.delay, scout(game))
    match = play_match(game, players, seed, hidden=hidden, watch=narrator)
    print("\n" + describe_result(match))
    return 0


def deal_seats(names: Sequence[str], roles: Sequence[str]) -> list[str]:
    """Return the name of a player for each role, starting over when there are more roles than names.

    Raises:
        UsageError: There are more names than roles.
    """
    if len(names) > len(roles) and ",".join(names) != DEFAULT_PLAYERS:
        raise UsageError(f"expected at most {len(roles)} players ({', '.join(roles)}), found {len(names)}")
    return [names[number % len(names)].strip() for number in range(len(roles))]


def scout(game: Game[Any]) -> set[Fluent]:
    """Return fluents of some random matches: they show how large a board is that begins empty."""
    from woodstock.match import play_match, seats
    from woodstock.players import RandomPlayer

    found: set[Fluent] = set()
    steps = seed = 0
    while steps < SCOUT_STEPS:
        players = [RandomPlayer() for _ in seats(game.roles)]
        match = play_match(
            game,
            players,
            seed,
            max_steps=SCOUT_STEPS - steps,
            watch=lambda position, _: found.update(game.fluents(position)),
        )
        seed += 1
        steps += max(1, len(match.steps))
    return found


class Narrator:
    """Tells a match as it goes: who moved how, and what the position looks like now.

    Args:
        game: What is played.
        delay: Seconds to wait before each step is told.
        known: Fluents of other positions; see `woodstock.draw.draw_position`.
    """

    def __init__(self, game: Game[Any], delay: float, known: set[Fluent]) -> None:
        self._game = game
        self._delay = delay
        self._known = known
        self._number = 0

    def __call__(self, position: Any, step: Step | None) -> None:
        from woodstock.draw import draw_position

        if step is not None:
            self._number += 1
            time.sleep(self._delay)
            self._tell(step)
        fluents = self._game.fluents(position)
        self._known |= fluents
        print("\n" + draw_position(fluents, self._known), flush=True)

    def _tell(self, step: Step) -> None:
        from woodstock.gdl.printer import to_kif

        roles = self._game.roles
        for fault in step.faults:
            print(f"\n{roles[fault.role]} tried the illegal move {to_kif(fault.move)}; another one was drawn for it")
        moves = "  ".join(f"{role}: {to_kif(move)}" for role, move in zip(roles, step.moves, strict=True))
        print(f"\n{self._number}. {moves}")


def describe_result(match: Match) -> str:
    """Return one line that says how a match ended; what the rules give to nature interests nobody.

    >>> from woodstock.match import Ending, Match
    >>> describe_result(Match(("x", "o"), 1, (), Ending.FINISHED, (100, 0)))
    'Finished after 0 steps: x 100, o 0'
    >>> describe_result(Match(("x",), 1, (), Ending.STUCK, (None,)))
    'Stuck after 0 steps, a role has no legal move: x has no goal'
    """
    from woodstock.gdl.keywords import RANDOM
    from woodstock.match import Ending

    reason = {
        Ending.FINISHED: "",
        Ending.STUCK: ", a role has no legal move",
        Ending.CUT: ", no end in sight",
    }[match.ending]
    goals = ", ".join(
        f"{role} has no goal" if value is None else f"{role} {value}"
        for role, value in zip(match.roles, match.goals, strict=True)
        if role != RANDOM
    )
    steps = count(len(match.steps), "step")
    return f"{match.ending.value.capitalize()} after {steps}{reason}: {goals}"
