"""The table of the bundled games in the documentation: `python benchmarks/games.py [--seconds S] [--write] [--keep]`.

For every game its roles, traits, fluents, moves and ground rules, the gates of a step, seconds to ground and to
compile, random playouts a second of CPU time with their mean length, and the order of the group of its symmetries, all
of them proved, with roles in their places. `--write` writes docs/games.md; `--keep` measures nothing and finds only the
symmetries anew.
"""

from __future__ import annotations

import argparse
import re
import time
from pathlib import Path

from woodstock.circuit.circuit import Circuit
from woodstock.circuit.rates import Trial, measure
from woodstock.circuit.runner import Runner
from woodstock.common.limits import Deadline
from woodstock.common.progress import progress
from woodstock.game.load import load_rules
from woodstock.games import BundledGame, catalogue
from woodstock.ground import ground
from woodstock.search.warm import warm
from woodstock.symmetry import DetectionOptions, find_symmetries

DOCUMENT = Path(__file__).resolve().parent.parent / "docs" / "games.md"
TRAITS = {
    "chance": "chance",
    "simultaneous": "simultaneous",
    "hidden_information": "hidden",
    "shared_information": "shared view",
    "cooperative": "cooperative",
    "one_player": "one player",
}
HEAD = (
    "game",
    "roles",
    "kind",
    "in the papers",
    "fluents",
    "moves",
    "rules",
    "gates",
    "ground s",
    "compile s",
    "playouts/s",
    "length",
    "symmetries",
)
SYMMETRY_SECONDS = 120.0


def main() -> None:
    """Print the table, or write it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=0.2, help="time of play of each game (0.2)")
    parser.add_argument("--write", action="store_true", help=f"write {DOCUMENT}")
    parser.add_argument("--keep", action="store_true", help="measure nothing, but find the symmetries")
    args = parser.parse_args()
    known = read_rows() if args.keep else {}
    if not args.keep:
        warm(names=("circuits", "playouts"))
    games = catalogue()
    rows = [HEAD]
    with progress("measuring", len(games), "games") as bar:
        for game in games:
            row = known.get(f"`{game.name}`") or measure_game(game, args.seconds)
            rows.append((*row, count_symmetries(game)))
            bar.advance()
    lines = [f"| {' | '.join(row)} |" for row in rows]
    lines.insert(1, "|---" * 4 + "|---:" * (len(HEAD) - 4) + "|")
    text = "\n".join(lines)
    if not args.write:
        print(text)
        return
    command = f"python benchmarks/games.py --seconds {args.seconds} --write"
    found = re.search(r"Written by `(.+?)`", DOCUMENT.read_text(encoding="utf-8")) if args.keep else None
    DOCUMENT.write_text(
        "# The bundled games\n\n`woodstock games` lists them, `woodstock show GAME` shows one. Written by "
        f"`{found[1] if found else command}`: one thread, CPU time, on a machine with other work; gates are those of "
        "one step, seconds those of a first run without the cache. Symmetries are those that keep every role in its "
        "place, the one that moves nothing included; all are proved (`woodstock symmetry GAME`), and where the time "
        f"for that was up there may be more (≥).\n\n{text}\n",
        encoding="utf-8",
    )


def read_rows() -> dict[str, tuple[str, ...]]:
    """Return the rows that the document has, by the name of the game, without the symmetries."""
    lines = DOCUMENT.read_text(encoding="utf-8").splitlines()
    cells = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines if line.startswith("| `")]
    return {row[0]: row[: len(HEAD) - 1] for row in cells}


def count_symmetries(game: BundledGame) -> str:
    """Return the order of the group of symmetries that are proved."""
    options = DetectionOptions(deadline=Deadline(SYMMETRY_SECONDS))
    found = find_symmetries(ground(load_rules(game.name)), options)
    return f"{'' if found.finished else '≥ '}{found.order:,}"


def measure_game(game: BundledGame, seconds: float) -> tuple[str, ...]:
    """Return the row of a game."""
    rules = load_rules(game.name)
    began = time.perf_counter()
    program = ground(rules, use_cache=False)
    ground_seconds = time.perf_counter() - began
    circuit = Circuit(program)
    rates = measure(Runner(circuit), Trial(seconds))
    kinds = [word for trait, word in TRAITS.items() if game.traits.get(trait)]
    speed = rates.playouts / rates.cpu_seconds if rates.playouts else 0.0
    return (
        *(f"`{game.name}`", str(len(program.roles)), ", ".join(kinds), game.paper or ""),
        *(f"{number:,}" for number in (program.num_fluents, program.num_moves, program.num_rules, circuit.num_gates)),
        *(f"{ground_seconds:.2f}", f"{circuit.seconds:.2f}", f"{speed:,.0f}", f"{rates.mean_length:.1f}"),
    )


if __name__ == "__main__":
    main()
