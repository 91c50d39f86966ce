"""`woodstock warm`: everything compiled that later commands would compile."""

from __future__ import annotations

import argparse
import time
from collections.abc import Collection
from typing import Any

from woodstock.cli.output import print_json, print_table

HELP = "compile all kernels now, so that later commands start at once"

_EPILOG = """\
Woodstock compiles the inner loops of its engine on the machine where it runs, once, which takes a minute or more. They
are kept in the user's cache folder, or in $WOODSTOCK_CACHE_DIR, until Woodstock, NumPy or Numba change; if that
variable is empty nothing is kept. Where all are kept already, they are only loaded.
"""


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = _EPILOG
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    """Warm up; always 0."""
    began = time.perf_counter()
    from woodstock.common.jit import JIT_DISABLED, jit_folder

    steps = warm_visibly()
    folder = None if JIT_DISABLED else jit_folder()
    document = {
        "seconds": round(time.perf_counter() - began, 3),
        "steps": {name: round(seconds, 3) for name, seconds in steps.items()},
        "folder": None if folder is None else str(folder),
        "jit": not JIT_DISABLED,
    }
    if args.json:
        print_json(document)
    else:
        _print_text(document)
    return 0


def warm_visibly(names: Collection[str] | None = None) -> dict[str, float]:
    """Make all steps of the warm-up, or some, with a progress bar; return the seconds of each."""
    from woodstock.common.progress import progress

    steps: dict[str, float] = {}
    with progress("preparing kernels", unit="steps") as bar:
        began = time.perf_counter()
        from woodstock.search.warm import warm

        steps["imports"] = time.perf_counter() - began

        def report(name: str, seconds: float) -> None:
            steps[name] = seconds
            bar.advance()

        warm(report, names)
    return steps


def _print_text(document: dict[str, Any]) -> None:
    if not document["jit"]:
        print("The compiler is switched off (NUMBA_DISABLE_JIT): there is nothing to prepare.")
        return
    rows = [(name, f"{seconds:.2f}") for name, seconds in document["steps"].items()]
    print_table(("step", "seconds"), [*rows, ("total", f"{document['seconds']:.2f}")], right={1})
    if document["folder"] is None:
        print("WOODSTOCK_CACHE_DIR is empty: nothing is kept, and every command compiles what it needs again.")
    else:
        print(f"Compiled kernels are kept in {document['folder']}")
