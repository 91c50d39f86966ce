"""`woodstock qcsp`: quantified constraint networks, solved exactly and played in real time."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from woodstock.cli import qcsp_experiment
from woodstock.cli.arguments import positive_seconds
from woodstock.cli.output import count, print_json, print_note, print_table
from woodstock.cli.qcsp_experiment import read_numbers
from woodstock.common.errors import UsageError

if TYPE_CHECKING:
    from woodstock.qcsp.network import QuantifiedNetwork
    from woodstock.qcsp.players import Player
    from woodstock.qcsp.random_networks import Parameters
    from woodstock.qcsp.situation import Compiled
    from woodstock.qcsp.solver import Answer

HELP = "generate, solve and play quantified constraint networks, and repeat the experiments about them"

_EPILOG = """\
A quantified network is a constraint network whose variables get their values in turn: the existential side wants all
constraints to hold at the end, the universal side does not. Files are JSON (.json), XCSP3 of type QCSP (.xml) or
quantified Boolean formulas in QDIMACS (.qdimacs); docs/qcsp.md describes them. 'woodstock qcsp COMMAND --help' tells
more. Players: random first alphabeta iab mc mc-shallow mc-deep exact.
"""

FORMS = ("json", "xcsp3", "qdimacs")


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _configure_generate(commands.add_parser("generate", help="write a network of some family"))
    _configure_solve(commands.add_parser("solve", help="tell which side wins, and how"))
    _configure_play(commands.add_parser("play", help="play a network, or watch two players"))
    qcsp_experiment.configure(commands.add_parser("experiment", help="repeat a figure of Baba et al. (IJCAI 2011)"))


def _configure_generate(parser: argparse.ArgumentParser) -> None:
    families = parser.add_subparsers(dest="family", metavar="FAMILY", required=True)
    random = families.add_parser("random", help="random networks as in Baba et al. 2011")
    _add_parameters(random)
    packing = families.add_parser("bin-packing", help="items arrive one after the other, an adversary says how large")
    packing.add_argument("--items", metavar="N", type=int, default=4, help="items (%(default)s)")
    packing.add_argument("--bins", metavar="N", type=int, default=3, help="bins (%(default)s)")
    packing.add_argument("--capacity", metavar="N", type=int, default=10, help="what fits into a bin (%(default)s)")
    packing.add_argument("--sizes", metavar="N,N", default="2,3,5", help="sizes of items (%(default)s)")
    roster = families.add_parser("breakdowns", help="each day an adversary stops a machine, then jobs are given out")
    roster.add_argument("--days", metavar="N", type=int, default=5, help="days (%(default)s)")
    roster.add_argument("--jobs", metavar="N", type=int, default=2, help="jobs of a day (%(default)s)")
    roster.add_argument("--machines", metavar="N", type=int, default=6, help="machines (%(default)s)")
    roster.add_argument("--skill", metavar="P", type=float, default=0.6, help="share that can do a job (%(default)s)")
    roster.add_argument("--wear", metavar="N", type=int, default=2, help="most jobs of a machine (%(default)s)")
    roster.add_argument("--seed", metavar="N", type=int, default=0, help="makes who can do what (%(default)s)")
    board = families.add_parser("board", help="hex, or a line of cells, for the side that connects")
    board.add_argument("--kind", choices=("hex", "lines"), default="hex", help="the game (%(default)s)")
    board.add_argument("--size", metavar="N", type=int, default=3, help="cells along a side (%(default)s)")
    board.add_argument("--first", choices=("exists", "forall"), default="exists", help="who begins (%(default)s)")
    for family in (random, packing, roster, board):
        family.add_argument("--output", metavar="FILE", help="write to a file; its name tells the form")
        family.add_argument("--form", choices=FORMS, default="json", help="of what is printed (%(default)s)")


def _add_parameters(parser: argparse.ArgumentParser) -> None:
    """Declare the parameters of random networks."""
    parser.add_argument("--variables", "-n", metavar="N", type=int, default=20, help="variables (%(default)s)")
    parser.add_argument("--values", "-d", metavar="D", type=int, default=8, help="values of each (%(default)s)")
    parser.add_argument("--p", metavar="P", type=float, default=0.2, help="share of possible constraints (%(default)s)")
    parser.add_argument(
        "--p-ee", metavar="P", type=float, default=0.65, help="share of forbidden pairs between ∃ and ∃ (%(default)s)"
    )
    parser.add_argument(
        "--p-ue",
        metavar="P",
        type=float,
        default=0.5,
        help="share of a bijection forbidden between ∀ and ∃ (%(default)s)",
    )
    parser.add_argument("--first", choices=("exists", "forall"), default="exists", help="who begins (%(default)s)")
    parser.add_argument("--seed", metavar="N", type=int, default=0, help="the (first) seed (%(default)s)")


def _configure_solve(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", metavar="FILE", nargs="*", help="networks; - for standard input")
    parser.add_argument("--random", metavar="N", type=int, help="solve so many random networks instead")
    _add_parameters(parser)
    parser.add_argument("--seconds", metavar="S", type=positive_seconds, help="give up a network after that long")
    parser.add_argument("--nodes", metavar="N", type=int, help="give up a network after so many situations")
    parser.add_argument("--strategy", metavar="N", type=int, help="show the winner's strategy for N turns of the other")
    parser.add_argument(
        "--check", metavar="N", type=int, help="play the strategy against all, or N random, lines of the other side"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def _configure_play(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", nargs="?", help="a network; a random one without it")
    _add_parameters(parser)
    parser.set_defaults(variables=8, values=4, p=0.5, p_ee=0.4)
    parser.add_argument("--exists", metavar="PLAYER", default="mc-deep", help="player, or human (%(default)s)")
    parser.add_argument("--forall", metavar="PLAYER", default="human", help="player, or human (%(default)s)")
    parser.add_argument("--time", metavar="S", type=positive_seconds, default=1.0, help="for a variable (%(default)s)")
    parser.add_argument("--json", action="store_true", help="print JSON at the end, and nothing else")


def run(args: argparse.Namespace) -> int:
    """Do what is asked for."""
    commands = {"generate": _generate, "solve": _solve, "play": _play, "experiment": qcsp_experiment.run}
    return commands[args.command](args)


def _parameters(args: argparse.Namespace) -> Parameters:
    from woodstock.qcsp.random_networks import Parameters

    return Parameters(args.variables, args.values, args.p, args.p_ee, args.p_ue, args.first == "forall")


def _generate(args: argparse.Namespace) -> int:
    from woodstock.qcsp.files import FORMS, save_network

    network = _made(args)
    if args.output is None:
        print(FORMS[args.form].write(network), end="")
    else:
        save_network(network, args.output)
    return 0


def _made(args: argparse.Namespace) -> QuantifiedNetwork:
    from woodstock.qcsp.bin_packing import BinPacking, bin_packing
    from woodstock.qcsp.boards import BoardGame, board_game
    from woodstock.qcsp.breakdowns import Breakdowns, breakdowns
    from woodstock.qcsp.random_networks import random_network

    if args.family == "random":
        return random_network(_parameters(args), args.seed)
    if args.family == "bin-packing":
        sizes = tuple(read_numbers(args.sizes, int, "--sizes"))
        return bin_packing(BinPacking(args.items, args.bins, args.capacity, sizes))
    if args.family == "breakdowns":
        return breakdowns(Breakdowns(args.days, args.jobs, args.machines, args.skill, args.wear), args.seed)
    return board_game(BoardGame(args.kind, args.size, args.first == "forall"))


def _networks(args: argparse.Namespace) -> Iterator[QuantifiedNetwork]:
    from woodstock.qcsp.files import load_network
    from woodstock.qcsp.random_networks import random_network

    if (args.random is None) == (not args.files):
        raise UsageError("expected either files or --random N")
    if args.random is not None and args.random < 1:
        raise UsageError(f"expected at least one random network, found {args.random}")
    for path in args.files:
        yield load_network(path)
    for number in range(args.random or 0):
        yield random_network(_parameters(args), args.seed + number)


def _solve(args: argparse.Namespace) -> int:
    """Solve networks; 1 if one could not be solved within the limits, or a strategy is not one."""
    from woodstock.common.limits import Limits
    from woodstock.common.progress import progress
    from woodstock.qcsp.situation import Compiled
    from woodstock.qcsp.solver import Solver
    from woodstock.qcsp.warm import warm

    limits = Limits(seconds=args.seconds, nodes=args.nodes)
    warm()
    began, cpu_began = time.perf_counter(), time.process_time()
    rows: list[dict[str, Any]] = []
    with progress("solving", len(args.files) or args.random, "networks") as bar:
        for network in _networks(args):
            solver = Solver(Compiled(network))
            answer = solver.solve(limits=limits)
            rows.append({**_answer_row(network, answer), **_shown(args, solver, answer, limits)})
            bar.advance()
    document = {
        "instances": len(rows),
        "winning": sum(row["winner"] == "exists" for row in rows),
        "unknown": sum(row["winner"] is None for row in rows),
        "seconds": round(time.perf_counter() - began, 4),
        "cpu_seconds": round(time.process_time() - cpu_began, 4),
        "nodes": sum(row["nodes"] for row in rows),
        "networks": rows,
    }
    _print_solved(args, document)
    return 1 if document["unknown"] or any(row.get("check", {}).get("fault") for row in rows) else 0


def _answer_row(network: QuantifiedNetwork, answer: Answer) -> dict[str, Any]:
    winner = None if answer.is_true is None else "exists" if answer.is_true else "forall"
    first = None if answer.place is None else network.value(0, answer.place)
    counts = {"nodes": answer.nodes, "recalled": answer.recalled, "copied": answer.copied}
    return {"name": network.name, "winner": winner, "first": first, **counts, "seconds": round(answer.seconds, 6)}


def _shown(args: argparse.Namespace, solver: Any, answer: Answer, limits: Any) -> dict[str, Any]:
    """Return the strategy and what checking it showed, as far as that is asked for."""
    from woodstock.qcsp.strategy import Strategy

    found: dict[str, Any] = {}
    if answer.is_true is None:
        return found
    strategy = Strategy(solver, not answer.is_true, limits)
    if args.strategy is not None:
        found["strategy"] = strategy.tree(args.strategy)
    if args.check is not None:
        found["check"] = strategy.check(args.check)._asdict()
    return found


def _print_solved(args: argparse.Namespace, document: dict[str, Any]) -> None:
    rows = document["networks"]
    if args.json:
        print_json(document)
        return
    if len(rows) <= 20:
        names = {"exists": "∃", "forall": "∀", None: "?"}
        table = [[row["name"], names[row["winner"]], f"{row['nodes']:,}", f"{row['seconds']:.4f}"] for row in rows]
        print_table(["network", "winner", "situations", "seconds"], table, right=[2, 3])
    for row in rows:
        if "strategy" in row:
            print(json.dumps(row["strategy"], indent=1, ensure_ascii=False))
        if "check" in row:
            lines = count(row["check"]["lines"], "line")
            which = "all" if row["check"]["is_complete"] else "random"
            fault = row["check"]["fault"]
            print(f"{row['name']}: strategy checked against {lines} ({which}): {'good' if fault is None else fault}")
    share = 100 * document["winning"] / len(rows)
    unknown = f", {document['unknown']} unknown" if document["unknown"] else ""
    won = f"∃ wins {document['winning']} of {count(len(rows), 'network')} ({share:.1f} %){unknown}"
    print(f"{won}; {document['seconds']:.2f} s, {document['cpu_seconds']:.2f} s of CPU")


def _play(args: argparse.Namespace) -> int:
    """Play; always 0, also if a person leaves."""
    from woodstock.qcsp.files import load_network
    from woodstock.qcsp.match import play
    from woodstock.qcsp.random_networks import random_network
    from woodstock.qcsp.session import Narrator, PersonLeftError, describe
    from woodstock.qcsp.situation import Compiled
    from woodstock.qcsp.warm import warm

    network = random_network(_parameters(args), args.seed) if args.file is None else load_network(args.file)
    if args.json and "human" in (args.exists, args.forall):
        raise UsageError("expected two players that are no people with --json")
    warm()
    compiled = Compiled(network)
    players = (_player(args.exists, compiled, 2 * args.seed), _player(args.forall, compiled, 2 * args.seed + 1))
    if not args.json:
        print("\n".join(describe(compiled)))
    try:
        result = play(compiled, players, args.time, None if args.json else Narrator(compiled))
    except PersonLeftError as left:
        print()
        print_note(str(left))
        return 0
    if args.json:
        values = {network.names[turn]: network.value(turn, place) for turn, place in enumerate(result.places)}
        names = {"player": args.exists, "adversary": args.forall}
        print_json({**names, "is_won": result.is_won, "values": values, "seconds": result.seconds})
    else:
        print(f"{'∃' if result.is_won else '∀'} wins.")
    return 0


def _player(name: str, compiled: Compiled, seed: int) -> Player:
    from woodstock.qcsp.players import make_player
    from woodstock.qcsp.session import Person

    return Person(compiled) if name == "human" else make_player(name, compiled, seed)
