"""What the options of a tree search are worth at a game.

    python benchmarks/options.py [GAME ...] [--champion SPEC] [--challenger SPEC ...] [--seconds S ...] [--matches S]

Players that are named as on the command line, such as `uct:samples=4` or `grave:bias=0.01`, play quick matches against
each other in one process, both with the same time for a move and no start clock, for so many seconds a game. What is
compared are their searches alone: nothing is learnt, and symmetries are not looked for.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from woodstock.circuit.game import CircuitGame
from woodstock.common.errors import UsageError
from woodstock.common.limits import Deadline
from woodstock.game.load import load_rules
from woodstock.ground import ground
from woodstock.players import make_player
from woodstock.players.searching import UctPlayer
from woodstock.search.options import SearchOptions
from woodstock.search.tree_search import TreeSearch
from woodstock.search.trial import UNLIMITED, Trial
from woodstock.search.warm import FOR_PLAYERS, warm

GAMES = ("hex", "gomoku", "majorities", "copolymer", "connect_four", "othello", "quarto", "pentago")
CHALLENGERS = ("grave:samples=4,bias=0.01",)
MEMORY = 512


def options_of(spec: str) -> SearchOptions:
    """Return the options of the search that a player makes.

    Raises:
        UsageError: There is no such player, or it searches no tree.
    """
    player = make_player(spec)
    if not isinstance(player, UctPlayer):
        raise UsageError(f"expected a player that searches a tree, such as uct or grave, found {spec}")
    return replace(player.options, memory=MEMORY)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("games", nargs="*", default=GAMES, metavar="GAME")
    parser.add_argument("--champion", default="uct", metavar="SPEC", help="against whom (uct)")
    parser.add_argument("--challenger", nargs="+", default=CHALLENGERS, metavar="SPEC", help="whose score is told")
    parser.add_argument("--seconds", type=float, nargs="+", default=[0.004], metavar="S", help="for a move (0.004)")
    parser.add_argument("--matches", type=float, default=8.0, metavar="S", help="play for so many seconds (8)")
    args = parser.parse_args()
    try:
        champion, challengers = options_of(args.champion), {spec: options_of(spec) for spec in args.challenger}
    except UsageError as error:
        parser.error(str(error))
    warm(names=FOR_PLAYERS)
    heads = "".join(f"{1000 * seconds:8g} ms" for seconds in args.seconds)
    print(f"{'game':26} {'challenger':32}{heads}  score against {args.champion} (matches)")
    for name in args.games:
        game = CircuitGame(ground(load_rules(name)))
        for spec, options in challengers.items():
            row = f"{Path(name).stem:26} {spec:32}"
            for seconds in args.seconds:
                rivals = TreeSearch(game, champion, 1), TreeSearch(game, options, 2)
                verdict = Trial(*rivals, (seconds, seconds), 1, UNLIMITED).run(Deadline(args.matches))
                row += f"  {100 * verdict.average:5.0f} ({verdict.matches:3})"
            print(row, flush=True)


if __name__ == "__main__":
    main()
