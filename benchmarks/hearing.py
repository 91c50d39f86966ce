"""What an evaluation is worth beside playouts, and whether quick matches tell it (`woodstock.players.lessons`).

    python benchmarks/hearing.py [GAME ...] [--learn S] [--seconds S ...] [--matches S]

For each game, a bundled one or a rule sheet: how many matches were learnt from, how many times the nodes of a search
with playouts one by the evaluation alone makes in the same time, and what searches score against playouts alone that
hear it beside them, in full or a little, for each of several times for a move, and for so many seconds of matches each.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from woodstock.circuit.game import CircuitGame
from woodstock.common.limits import Deadline
from woodstock.game.load import load_rules
from woodstock.ground import ground
from woodstock.players.lessons import Lessons, Use
from woodstock.search.options import SearchOptions
from woodstock.search.self_play import SelfPlay
from woodstock.search.tree_search import TreeSearch
from woodstock.search.trial import UNLIMITED, Trial
from woodstock.search.warm import FOR_PLAYERS, warm
from woodstock.symmetry.detection import DetectionOptions, find_symmetries

GAMES = ("reversi", "ttcc4", "nine_mens_morris", "dots_and_boxes", "dots_and_boxes_suicide", "copolymer", "majorities")
SYMMETRY_SECONDS = 5.0
SPEED_SECONDS = 0.1
MEMORY = 512
TRUST = 8.0
USES = {Use.BESIDE: "fully", Use.LITTLE: "little"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("games", nargs="*", default=GAMES, metavar="GAME")
    parser.add_argument("--learn", type=float, default=2.2, metavar="S", help="for learning (2.2)")
    parser.add_argument("--seconds", type=float, nargs="+", default=[0.0025, 0.05], metavar="S", help="for a move")
    parser.add_argument("--matches", type=float, default=8.0, metavar="S", help="play for so many seconds (8)")
    args = parser.parse_args()
    warm(names=FOR_PLAYERS)
    heads = "".join(f"{1000 * seconds:10g} ms" for seconds in args.seconds)
    print(f"{'game':24} learnt from  nodes x  heard {heads}  score (matches)")
    for name in args.games:
        game = CircuitGame(ground(load_rules(name)))
        group = find_symmetries(game.program, DetectionOptions(Deadline(SYMMETRY_SECONDS), permute_roles=True)).group
        play = SelfPlay(game, 1, group)
        play.run(Deadline(args.learn))
        options = SearchOptions(memory=MEMORY)
        lessons = Lessons(play, options, SearchOptions(memory=MEMORY, trust=TRUST), 1.0)
        row = f"{Path(name).stem:24} {play.num_matches:11}  {lessons.measure_speed(SPEED_SECONDS):7.1f}"
        for use, word in USES.items():
            scores = ""
            for seconds in args.seconds:
                champion = TreeSearch(game, options, 1)
                challenger = TreeSearch(game, lessons.using(use), 2, model=play.model)
                verdict = Trial(champion, challenger, (seconds, seconds), 1, UNLIMITED).run(Deadline(args.matches))
                scores += f"  {100 * verdict.average:5.0f} ({verdict.matches:3})"
            print(f"{row:44}  {word:6}{scores}", flush=True)
            row = ""


if __name__ == "__main__":
    main()
