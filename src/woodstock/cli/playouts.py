"""`woodstock playouts`: random playouts, how fast they are and what they say."""

from __future__ import annotations

import argparse
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any

from woodstock.cli import EXIT_INTERRUPTED
from woodstock.cli.arguments import add_repair_option, positive_seconds
from woodstock.cli.output import count, print_json, print_note, print_table
from woodstock.common.errors import UsageError

if TYPE_CHECKING:
    from woodstock.circuit.rates import Progress, Rates, Trial
    from woodstock.circuit.runner import Runner
    from woodstock.common.progress import Bar
    from woodstock.gdl.rules import Rules

HELP = "make random playouts of a game: how many a second, their length, the goals"

_EPILOG = """\
A playout begins in the initial position; each role chooses among its legal moves with equal probabilities, until the
match is over or --horizon joint moves are made. Many playouts are under way at once; when the time is over these are
finished, and all count for lengths and goals. For the rates one that is under way counts with the share of its moves
made in time. Playouts that were cut at the horizon, or because a role had no legal move, count with the goals that hold
where they were cut. CPU seconds are those of the threads that play. The first run of all compiles the engine, which
takes a minute or more (see `woodstock warm`).

Intervals are 95 % confidence intervals. Ctrl-C ends the time early and shows what was measured (exit code 130).
"""

_SCALES = ((1e6, "million "), (1e3, "thousand "))

MAX_THREADS = 1024
MAX_HORIZON = 10**9


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("game", metavar="GAME", help="bundled game, rule sheet, game folder, or - for standard input")
    parser.add_argument("--seconds", metavar="S", type=positive_seconds, default=10.0, help="how long to play (10)")
    parser.add_argument("--threads", metavar="N", type=int, default=1, help="threads, each on its own processor (1)")
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="seed of the random moves (0)")
    parser.add_argument("--horizon", metavar="H", type=int, help="most joint moves of a playout (10000)")
    add_repair_option(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Make playouts; 0, or 130 if the time was cut short."""
    from woodstock.game.load import load_rules

    _refuse_wrong_numbers(args)
    rules = load_rules(args.game, args.repair, print_note)
    runner, building = _build(rules)
    from woodstock.circuit.rates import Trial

    trial = Trial(args.seconds, args.threads, args.seed, args.horizon or Trial.horizon)
    rates = _measure_visibly(runner, trial)
    document = {"game": args.game, **_to_json(runner, trial, rates), **building}
    if args.json:
        print_json(document)
    else:
        _print_text(document)
    return 0 if rates.is_complete else EXIT_INTERRUPTED


def _refuse_wrong_numbers(args: argparse.Namespace) -> None:
    if not 1 <= args.threads <= MAX_THREADS:
        raise UsageError(f"expected 1 to {MAX_THREADS} threads, found {args.threads}")
    if args.seed < 0:
        raise UsageError(f"expected a seed of at least 0, found {args.seed}")
    if args.horizon is not None and not 1 <= args.horizon <= MAX_HORIZON:
        raise UsageError(f"expected a horizon of 1 to {MAX_HORIZON} joint moves, found {args.horizon}")


def _build(rules: Rules) -> tuple[Runner, dict[str, float]]:
    """Return what makes playouts, and the seconds that it took to ground the rules and to compile them."""
    from woodstock.cli.grounding import ground_visibly
    from woodstock.cli.warm import warm_visibly
    from woodstock.common.progress import progress

    began = time.perf_counter()
    program = ground_visibly(rules)
    ground_seconds = time.perf_counter() - began
    # The kernels first: what they take has nothing to do with the game.
    warm_visibly(("circuits", "playouts"))
    from woodstock.circuit.circuit import Circuit
    from woodstock.circuit.runner import Runner

    began = time.perf_counter()
    with progress("compiling the game", unit="parts") as bar:
        runner = Runner(Circuit(program, bar.advance))
        _ = runner.tape
    compile_seconds = time.perf_counter() - began
    return runner, {"ground_seconds": round(ground_seconds, 3), "compile_seconds": round(compile_seconds, 3)}


def _measure_visibly(runner: Runner, trial: Trial) -> Rates:
    """Make the playouts with a progress bar; the first Ctrl-C ends the time, the second one the command."""
    from woodstock.circuit.rates import measure

    with _stopped_by_interrupt() as stop, _Meter(trial.seconds) as meter:
        return measure(runner, trial, stop, meter)


@contextmanager
def _stopped_by_interrupt() -> Iterator[threading.Event]:
    """Yield an event that Ctrl-C sets, instead of raising an exception; a second one raises it."""
    stop = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield stop
        return
    before = signal.getsignal(signal.SIGINT)

    def end_early(_number: int, _frame: FrameType | None) -> None:
        stop.set()
        signal.signal(signal.SIGINT, before)

    signal.signal(signal.SIGINT, end_early)
    try:
        yield stop
    finally:
        signal.signal(signal.SIGINT, before)


class _Meter(ExitStack):
    """The progress bar of playouts; how many there will be is known after the first report."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds
        self._bar: Bar | None = None
        self._noun = "playouts"
        self._unit = 1.0
        self._done = 0.0

    def __call__(self, now: Progress) -> None:
        from woodstock.common.progress import progress

        if self._bar is None:
            # Where no playout is over by now, only steps tell how long it will take.
            self._noun = "playouts" if now.playouts else "steps"
            total = getattr(now, self._noun) * self._seconds / now.seconds
            self._unit, scale = next((each for each in _SCALES if total >= 10 * each[0]), (1.0, ""))
            self._bar = self.enter_context(progress("playing", total / self._unit, scale + self._noun))
        done = getattr(now, self._noun) / self._unit
        self._bar.advance(done - self._done)
        self._done = done


def _to_json(runner: Runner, trial: Trial, rates: Rates) -> dict[str, Any]:
    from woodstock.circuit.rates import num_bytes

    circuit = runner.circuit
    goals = {role: rates.goal(number) for number, role in enumerate(circuit.program.roles)}
    return {
        "threads": trial.threads,
        "seed": trial.seed,
        "horizon": trial.horizon,
        "lanes": 64 * runner.width * trial.threads,
        "seconds": round(rates.seconds, 3),
        "cpu_seconds": round(rates.cpu_seconds, 3),
        "interrupted": not rates.is_complete,
        "playouts": rates.playouts,
        "cut": rates.cut,
        "playouts_per_second": rates.playouts_in_time / rates.seconds,
        "playouts_per_cpu_second": rates.playouts_in_time / rates.cpu_seconds,
        "steps_per_second": rates.steps / rates.seconds,
        "steps_per_cpu_second": rates.steps / rates.cpu_seconds,
        "mean_length": rates.mean_length,
        "mean_goals": {role: goal.mean for role, goal in goals.items()},
        "goal_intervals": {
            role: None if goal.error is None else [goal.mean - goal.error, goal.mean + goal.error]
            for role, goal in goals.items()
        },
        "gates": circuit.num_gates,
        "edges": circuit.num_edges,
        "phases": len(circuit.phases),
        "bytes": num_bytes(runner.tape),
    }


def _print_text(document: dict[str, Any]) -> None:
    for label, value in _lines(document):
        print(f"{label + ':':<20} {value}")
    print()
    rows = []
    for role, mean in document["mean_goals"].items():
        interval = document["goal_intervals"][role]
        rows.append((role, f"{mean:.3f}", "" if interval is None else f"± {(interval[1] - interval[0]) / 2:.3f}"))
    print_table(("role", "mean goal", "95 %"), rows, right={1, 2})


def _lines(document: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield what to print: labels and values."""
    spent = f"{document['seconds']:.2f} s on {count(document['threads'], 'thread')}"
    yield (
        "playouts",
        f"{document['playouts']:,} in {spent}, {count(document['lanes'], 'lane')}, seed {document['seed']}",
    )
    yield "playouts/s", f"{document['playouts_per_second']:,.0f}"
    yield "playouts/CPU s", f"{document['playouts_per_cpu_second']:,.0f}"
    yield "steps/s", f"{document['steps_per_second']:,.0f}"
    yield "steps/CPU s", f"{document['steps_per_cpu_second']:,.0f}"
    yield "mean length", f"{document['mean_length']:.2f}"
    if document["cut"]:
        share = document["cut"] / document["playouts"]
        yield "cut", f"{document['cut']:,} ({share:.1%}): no end within {document['horizon']} moves, or no legal move"
    yield "circuit", f"{document['gates']:,} gates, {document['edges']:,} edges, {document['bytes']:,} bytes"
    yield "phases", str(document["phases"])
    yield "grounded", f"in {document['ground_seconds']:.2f} s"
    yield "compiled", f"in {document['compile_seconds']:.2f} s"
    if document["interrupted"]:
        yield "interrupted", "the time was cut short"
