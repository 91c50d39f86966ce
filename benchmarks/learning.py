"""How quickly an evaluation is learnt, and what its parts are worth to it (`woodstock.search.self_play`).

    python benchmarks/learning.py [GAME ...] [--without PART] [--learn S] [--seconds S] [--matches S]

For each game: how many matches are learnt from, all seeds together, by an evaluation without the part and by a whole
one, and, with `--matches`, what the latter scores against the former, both without playouts and with the same time for
a move, for so many seconds a game. The parts are weights that symmetric features share, weights of families, and
caution: first steps of the weights of pairs and families that are short.
"""

from __future__ import annotations

import argparse

from woodstock.circuit.game import CircuitGame
from woodstock.common.limits import Deadline
from woodstock.game.load import load_rules
from woodstock.ground import ground
from woodstock.search.evaluation import FIRST_SQUARE
from woodstock.search.options import SearchOptions
from woodstock.search.self_play import SelfPlay
from woodstock.search.tree_search import TreeSearch
from woodstock.search.trial import UNLIMITED, Trial, Verdict
from woodstock.search.warm import FOR_PLAYERS, warm
from woodstock.symmetry.detection import DetectionOptions, find_symmetries
from woodstock.symmetry.group import SymmetryGroup

GAMES = ("skirmish", "breakthrough", "yahtzee", "pickomino", "othello", "dots_and_boxes_suicide", "connect_four")
SEEDS = (1, 2, 3)
SYMMETRY_SECONDS = 5.0
WARM_SECONDS = 0.2
MEMORY = 512


PARTS = ("symmetries", "families", "caution")


def prepare(game: CircuitGame, seed: int, group: SymmetryGroup, without: str | None = None) -> SelfPlay:
    """Return somebody who knows nothing, and does without a part."""
    play = SelfPlay(game, seed, None if without == "symmetries" else group)
    if without == "families":
        play.model = play.model._replace(family_codes=play.model.family_codes[:, :, :0])
    if without == "caution":
        for squares in (play.model.pair_squares, play.model.family_squares):
            squares[:] = FIRST_SQUARE
    return play


def compare(plain: SelfPlay, whole: SelfPlay, seconds: float, available: float) -> Verdict:
    """Let the second play against the first."""
    options = SearchOptions(samples=0, minimax=True, memory=MEMORY)
    rivals = [TreeSearch(play.game, options, number, model=play.model) for number, play in enumerate((plain, whole))]
    return Trial(rivals[0], rivals[1], (seconds, seconds), 1, UNLIMITED).run(Deadline(available))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("games", nargs="*", default=GAMES, metavar="GAME")
    parser.add_argument("--without", choices=PARTS, default="families", help="what the other one lacks (families)")
    parser.add_argument("--learn", type=float, default=2.0, metavar="S", help="for learning (2)")
    parser.add_argument("--seconds", type=float, default=0.01, metavar="S", help="for a move (0.01)")
    parser.add_argument("--matches", type=float, default=0.0, metavar="S", help="play for so many seconds (0)")
    args = parser.parse_args()
    warm(names=FOR_PLAYERS)
    print(f"{'game':24}  without    whole  score (matches)")
    for name in args.games:
        game = CircuitGame(ground(load_rules(name)))
        options = DetectionOptions(Deadline(SYMMETRY_SECONDS), permute_roles=True)
        group = find_symmetries(game.program, options).group
        prepare(game, 0, group).run(Deadline(WARM_SECONDS))
        learnt, verdict = [0, 0], Verdict()
        for seed in SEEDS:
            plays = [prepare(game, seed, group, args.without), prepare(game, seed, group)]
            for play in plays:
                play.run(Deadline(args.learn))
            learnt = [num + play.num_matches for num, play in zip(learnt, plays, strict=True)]
            found = compare(plays[0], plays[1], args.seconds, args.matches / len(SEEDS))
            verdict = Verdict(verdict.matches + found.matches, verdict.score + found.score)
        score = f"{100 * verdict.average:.0f} ({verdict.matches})" if verdict.matches else ""
        print(f"{name:24}  {learnt[0]:7}  {learnt[1]:7}  {score}", flush=True)


if __name__ == "__main__":
    main()
