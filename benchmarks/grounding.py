"""How long games take to ground, and how large they become.

    python benchmarks/grounding.py [GAME|FOLDER …] [--seconds S] [--memory GIB] [--slowest N] [--invariants]

A game is whatever the commands take; a folder stands for the sheets in it; without any, the bundled games. Time is CPU
time of this process and of the grounder's, from the rules to the simplified program, without the cache. Sheets that
have no defined meaning are counted apart.
"""

from __future__ import annotations

import argparse
import resource
from typing import NamedTuple

from woodstock.cli.output import print_table
from woodstock.common.errors import WoodstockError
from woodstock.common.limits import Limits
from woodstock.common.progress import progress
from woodstock.game.load import GameText, find_games, playable_rules
from woodstock.games import game_names
from woodstock.gdl.sheet import read_sheet
from woodstock.ground import ground
from woodstock.ground.invariants import prove_invariants


class Result(NamedTuple):
    """What was measured of a game; `problem` is empty if it grounds."""

    name: str
    seconds: float = 0.0
    num_rules: int = 0
    num_fluents: int = 0
    num_moves: int = 0
    proof_seconds: float = 0.0
    num_covered: int = 0
    problem: str = ""


def cpu_seconds() -> float:
    """Return the CPU time of this process and of its children that have ended."""
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def measure(game: GameText, limits: Limits, with_invariants: bool) -> Result | None:
    """Ground one game; return None for a sheet that has no defined meaning."""
    name = game.name
    try:
        rules = playable_rules(read_sheet(game.source))
    except WoodstockError:
        return None
    start = cpu_seconds()
    try:
        program = ground(rules, limits, use_cache=False)
        seconds = cpu_seconds() - start
        result = Result(name, seconds, program.num_rules, program.num_fluents, program.num_moves)
        if not with_invariants:
            return result
        groups = prove_invariants(program, limits).groups
        covered = {fluent for group in groups for fluent in group.fluents}
        return result._replace(proof_seconds=cpu_seconds() - start - seconds, num_covered=len(covered))
    except WoodstockError as error:
        return Result(name, cpu_seconds() - start, problem=str(error))


def main() -> None:
    """Measure the games of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", help="games or folders of sheets")
    parser.add_argument("--seconds", type=float, default=60, help="limit for each game, by the clock")
    parser.add_argument("--memory", type=float, default=8, help="limit for each game, in GiB")
    parser.add_argument("--slowest", type=int, default=20, help="how many of the slowest to list")
    parser.add_argument("--invariants", action="store_true", help="prove invariants too")
    args = parser.parse_args()
    limits = Limits(seconds=args.seconds, bytes=int(args.memory * 2**30))
    games = list(find_games(args.games or game_names()))
    results: list[Result] = []
    num_invalid = 0
    with progress("grounding", total=len(games), unit="games") as bar:
        for game in games:
            result = measure(game, limits, args.invariants)
            if result is None:
                num_invalid += 1
            else:
                results.append(result)
            bar.advance(1)
    print_results(results, args.slowest, args.invariants)
    grounded = [result for result in results if not result.problem]
    quick = sum(result.seconds <= 1 for result in grounded)
    print(f"\n{len(results)} valid games, {num_invalid} without a defined meaning")
    print(
        f"{len(grounded)} ground ({len(grounded) / len(results):.1%}), {quick} within 1 s ({quick / len(results):.1%})"
    )


def print_results(results: list[Result], most: int, with_invariants: bool) -> None:
    """Print the slowest games and all that failed."""
    headers = ["game", "seconds", "rules", "fluents", "moves"]
    if with_invariants:
        headers += ["proof seconds", "fluents in groups"]
    rows = []
    for result in sorted(results, key=lambda result: -result.seconds)[:most]:
        row = [result.name, f"{result.seconds:.2f}", *map(str, result[2:5])]
        rows.append([*row, f"{result.proof_seconds:.2f}", str(result.num_covered)] if with_invariants else row)
    print_table(headers, rows, right=range(1, len(headers)))
    for result in results:
        if result.problem:
            print(f"{result.name}: {result.problem}")


if __name__ == "__main__":
    main()
