"""Random playouts a second of the circuit engine, and positions expanded.

    python benchmarks/playouts.py [GAME|FOLDER …] [--sheets FOLDER] [--seconds S] [--runs N] [--threads N]
                                  [--compare FILE.json] [--json FILE.json]

A game is whatever the commands take; a folder stands for the sheets in it; without any, the bundled games. `--sheets`
takes the games of SHEETS from a folder of public rule sheets instead. Each rate is the best of several short runs, by
the CPU time of the thread that plays, compiling and warming up apart. Gates, edges and passes do not depend on the
machine: passes are evaluations of the circuit, 512 lanes at once, for COUNTED playouts with seed 0. The last columns
compare threads on processors of their own with one thread: by the clock, which is right on an idle machine only, and by
CPU time, which is what it would be on one. `--compare` names rates of another engine, a JSON object from names to
playouts a second; `--json` writes such a file.
"""

from __future__ import annotations

import argparse
import json
import math
import platform
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import numpy as np

from woodstock.circuit.circuit import Circuit
from woodstock.circuit.expansion import Expander
from woodstock.circuit.lanes import STEP
from woodstock.circuit.packing import pack
from woodstock.circuit.rates import Rates, Trial, measure
from woodstock.circuit.runner import HORIZON, Runner, drive, make_queue
from woodstock.cli.output import print_table
from woodstock.common.errors import WoodstockError
from woodstock.common.limits import Deadline
from woodstock.common.progress import progress
from woodstock.common.threads import available_processors
from woodstock.game.load import GameText, find_game, find_games, playable_rules
from woodstock.games import game_names
from woodstock.gdl.sheet import read_sheet
from woodstock.ground import ground
from woodstock.search.warm import warm

SHEETS = (
    *("ticTacToe", "connectFour", "pentago", "sheepAndWolf", "dotsAndBoxesSuicide", "knightThrough", "breakthrough"),
    *("ttcc4", "connectFourLarger", "reversi", "englishDraughts", "quarto", "checkers", "amazons_8x8", "hex"),
    *("skirmish", "speedChess", "chess_200"),
)
"""Public rule sheets that are often measured, from small to large."""
EXPANDED = ("tic_tac_toe", "connect_four")
"""Bundled games whose positions are expanded."""
NUM_EXPANDED = 2000
COUNTED = 4096


@dataclass(frozen=True)
class Row:
    """What was measured of a game; `problem` is empty if all went well."""

    name: str
    gates: int = 0
    edges: int = 0
    phases: int = 0
    moves: str = ""
    length: float = 0.0
    rate: float = 0.0
    passes: int = 0
    lanes: int = 0
    seconds: float = 0.0
    speedup: float = math.nan
    cpu_speedup: float = math.nan
    problem: str = ""


def main() -> None:
    """Measure the games of the command line."""
    args = parse_arguments()
    print_machine()
    games = list(find_games(args.games or game_names()))
    if args.sheets is not None:
        games = [find_game(str(args.sheets / f"{name}.kif")) for name in SHEETS]
    others: dict[str, float] = json.loads(args.compare.read_text()) if args.compare is not None else {}
    print(f"kernels compiled or loaded in {warm():.1f} s\n")
    rows = []
    with progress("playing", total=len(games), unit="games") as bar:
        for game in games:
            rows.append(measure_game(game, args.seconds, args.runs, args.threads))
            bar.advance()
    print_rows(rows, args.threads, others)
    if args.json is not None:
        args.json.write_text(
            json.dumps({row.name: round(row.rate) for row in rows if not row.problem}, indent=2) + "\n"
        )
    print()
    print_expansion(args.seconds, args.runs)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="*", help="games or folders of sheets")
    parser.add_argument("--sheets", type=Path, metavar="FOLDER", help="measure the games of SHEETS in a folder")
    parser.add_argument("--seconds", type=float, default=0.25, help="time of each run (0.25)")
    parser.add_argument("--runs", type=int, default=3, help="runs of which the best counts (3)")
    parser.add_argument("--threads", type=int, default=2, help="threads to compare with one; 1 for none (2)")
    parser.add_argument("--compare", type=Path, metavar="FILE", help="rates of another engine, JSON")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rates as such a file")
    return parser.parse_args()


def print_machine() -> None:
    """Print what the numbers depend on, and the command that gives them."""
    versions = ", ".join(f"{name} {version(name)}" for name in ("numba", "llvmlite", "numpy"))
    print(f"{processor_name()}, {len(available_processors())} processors; {platform.system()} {platform.release()}")
    print(f"Python {platform.python_version()}, {versions}")
    print(f"python {' '.join(sys.argv)}")


def processor_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def measure_game(game: GameText, seconds: float, runs: int, threads: int) -> Row:
    """Ground and compile a game and make playouts."""
    try:
        program = ground(playable_rules(read_sheet(game.source), repair=True, report=lambda _: None))
    except WoodstockError as error:
        return Row(game.name, problem=str(error))
    circuit = Circuit(program)
    runner = Runner(circuit)
    passes = count_passes(runner)
    alone = [measure(runner, Trial(seconds)) for _ in range(runs)]
    together = [measure(runner, Trial(seconds, threads)) for _ in range(runs)] if threads > 1 else []
    return Row(
        name=game.name,
        gates=circuit.num_gates,
        edges=circuit.num_edges,
        phases=len(circuit.phases),
        moves="+".join(str(len(moves)) for moves in program.moves),
        length=mean_length(alone),
        rate=cpu_rate(alone),
        passes=passes,
        lanes=64 * runner.width,
        seconds=circuit.seconds,
        speedup=wall_rate(together) / wall_rate(alone) if together else math.nan,
        cpu_speedup=threads * cpu_rate(together) / cpu_rate(alone) if together else math.nan,
    )


def mean_length(runs: Sequence[Rates]) -> float:
    return sum(int(run.totals[2]) for run in runs) / max(1, sum(run.playouts for run in runs))


def cpu_rate(runs: Sequence[Rates]) -> float:
    """Return the playouts a CPU second of the best run."""
    return max(run.playouts_in_time / run.cpu_seconds for run in runs)


def wall_rate(runs: Sequence[Rates]) -> float:
    """Return the playouts a second of the best run."""
    return max(run.playouts_in_time / run.seconds for run in runs)


def count_passes(runner: Runner) -> int:
    """Return the number of passes for some playouts, the same ones on every machine."""
    rows = pack(runner.circuit.program.initial)[None]
    queue = make_queue(runner.tape, rows, np.array([COUNTED]), runner.circuit.phases_of(rows), HORIZON)
    lanes = runner.take_lanes(runner.tape, 0, 0, HORIZON)
    drive(runner.tape, lanes, queue, Deadline(None))
    return int(lanes.counters[STEP])


def print_rows(rows: Sequence[Row], threads: int, others: dict[str, float]) -> None:
    """Print a table of all games, the comparison with another engine, and what failed."""
    good = [row for row in rows if not row.problem]
    headers = ["game", "gates", "edges", "phases", "moves", "length", "compiled s", "lanes", "passes", "playouts/CPU s"]
    headers += ["other", "ratio"] if others else []
    headers += [f"{threads} threads", "by CPU"] if threads > 1 else []
    cells = []
    for row in good:
        line = [row.name, f"{row.gates:,}", f"{row.edges:,}", str(row.phases), row.moves, f"{row.length:.1f}"]
        line += [f"{row.seconds:.2f}", str(row.lanes), f"{row.passes:,}", f"{row.rate:,.0f}"]
        if others:
            other = others.get(row.name)
            line += [f"{other:,.0f}", f"{row.rate / other:,.1f}"] if other else ["", ""]
        line += [f"{row.speedup:.2f}", f"{row.cpu_speedup:.2f}"] if threads > 1 else []
        cells.append(line)
    print_table(headers, cells, right=range(1, len(headers)))
    compared = [row.rate / others[row.name] for row in good if others.get(row.name)]
    if compared:
        print(f"geometric mean of {len(compared)} ratios: {geometric_mean(compared):,.2f}")
    if threads > 1 and good:
        wall, cpu = (geometric_mean(getattr(row, kind) for row in good) for kind in ("speedup", "cpu_speedup"))
        print(f"geometric mean of {threads} threads against one: {wall:.2f} by the clock, {cpu:.2f} by CPU time")
    for row in rows:
        if row.problem:
            print(f"{row.name}: {row.problem}")


def geometric_mean(numbers: Iterable[float]) -> float:
    logs = [math.log(number) for number in numbers]
    return math.exp(sum(logs) / len(logs))


def print_expansion(seconds: float, runs: int) -> None:
    """Print how many positions a CPU second are found by expanding others."""
    cells = []
    for name in EXPANDED:
        circuit = Circuit(ground(playable_rules(read_sheet(find_game(name).source))))
        expander = Expander(circuit)
        rows = pack(circuit.program.initial)[None]
        while 0 < len(rows) < NUM_EXPANDED:
            rows = expander.expand(rows).rows
        rows = np.ascontiguousarray(rows[:NUM_EXPANDED])
        best = max(expansion_rate(expander, rows, seconds) for _ in range(runs))
        cells.append([name, str(len(rows)), f"{best:,.0f}"])
    print_table(("game", "positions", "children/CPU s"), cells, right={1, 2})


def expansion_rate(expander: Expander, rows: np.ndarray, seconds: float) -> float:
    """Return how many children a CPU second are made of some positions, again and again."""
    children = 0
    began = time.thread_time()
    while time.thread_time() - began < seconds:
        children += len(expander.expand(rows).parent)
    return children / (time.thread_time() - began)


if __name__ == "__main__":
    main()
