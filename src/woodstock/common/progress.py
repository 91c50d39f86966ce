"""Progress bars for long work: on a terminal only, silent in a pipe.

>>> from woodstock.common.progress import progress
>>> with progress("counting", total=3, unit="games") as bar:
...     for game in range(3):
...         bar.advance()
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Bar(Protocol):
    """What the worker sees of a progress bar."""

    def advance(self, steps: float = 1) -> None:
        """Tell that some more of the work is done."""

    def describe(self, text: str) -> None:
        """Say how it stands, beside the bar."""


class _SilentBar:
    """The bar of a program whose messages nobody watches."""

    def advance(self, steps: float = 1) -> None:
        pass

    def describe(self, text: str) -> None:
        pass


@contextmanager
def progress(label: str, total: float | None = None, unit: str = "") -> Iterator[Bar]:
    """Show how far some work has come while the block runs; the bar vanishes at the end.

    Args:
        label: What is being done.
        total: Number of steps, or None if nobody knows.
        unit: What is counted, in the plural.
    """
    if not sys.stderr.isatty():
        yield _SilentBar()
        return
    with _terminal_bar(label, total, unit) as bar:
        yield bar


@contextmanager
def _terminal_bar(label: str, total: float | None, unit: str) -> Iterator[Bar]:
    # rich takes longer to import than many commands run, so only a terminal pays for it.
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    class RateColumn(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text("" if task.speed is None else f"{task.speed:.1f}/s")

    display = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(unit),
        RateColumn(),
        TimeRemainingColumn(elapsed_when_finished=True),
        TextColumn("{task.fields[standing]}"),
        console=Console(stderr=True),
        transient=True,
        # With stdout in a pipe, rich would print the program's own output on the terminal instead.
        redirect_stdout=sys.stdout.isatty(),
    )
    with display:
        task = display.add_task(label, total=total, standing="")

        class TerminalBar:
            def advance(self, steps: float = 1) -> None:
                display.advance(task, steps)

            def describe(self, text: str) -> None:
                display.update(task, standing=text)

        yield TerminalBar()
