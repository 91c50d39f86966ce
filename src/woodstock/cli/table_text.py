"""Tables of duels for people: on the screen, and as a section of a Markdown file.

A section of a file stands between two comments, which stay where they are:

    <!-- table NAME -->
    <!-- end of table NAME -->
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from woodstock.cli.output import count, print_table
from woodstock.common.errors import UsageError
from woodstock.common.files import write_atomically

if TYPE_CHECKING:
    from woodstock.arena.published import Figure
    from woodstock.arena.statistics import Interval
    from woodstock.arena.table_result import Cell, TableColumn, TableResult

FIRST: Final = 0
SECOND: Final = 1
SEPARATE: Final = "+"
"""Marks games that each plays by itself."""
NOTHING: Final = "-"


def print_result(result: TableResult, command: str) -> None:
    """Print a table, what its figures mean, and the command that makes it."""
    print(f"{result.setup.table.name}: {result.setup.table.title}")
    print(describe_pace(result))
    print()
    headers = _headers(result)
    print_table(headers, [*_game_rows(result), *_average_rows(result)], right=range(1, len(headers)))
    print()
    for line in textwrap.wrap(describe_figures(result), 120):
        print(line)
    print()
    print(command)


def to_markdown(result: TableResult, command: str) -> str:
    """Return a table as a section of a Markdown file."""
    headers = _headers(result)
    lines = [describe_pace(result), "", _markdown_row(headers), _markdown_row(["---"] + ["---:"] * (len(headers) - 1))]
    lines += [_markdown_row([_code(game), *cells]) for game, *cells in _game_rows(result)]
    lines += [_markdown_row([f"*{label}*", *cells]) for label, *cells in _average_rows(result)]
    # A command that could close its block, or a cell, does not exist: names of games and players are words.
    return "\n".join([*lines, "", describe_figures(result), "", "```sh", command, "```"])


def describe_pace(result: TableResult) -> str:
    """Return how the matches were played, in a line."""
    setup, published = result.setup, result.setup.table.published
    clocks = setup.clocks[0]
    if clocks.play is None:
        pace = f"{count(clocks.iterations or 0, 'iteration')} a move"
    else:
        plays = ", ".join(f"{each.play:g}" for each in setup.clocks)
        pace = f"{clocks.start:g} s before the first move, {plays} s for each"
    text = f"{setup.matches} matches a cell or a few more, {pace}; seed {setup.seed}."
    if not result.is_complete:
        text += " Not all of them have been played."
    if published is None:
        return text
    seconds = sorted({column.paper_seconds for column in result.columns if column.paper_seconds is not None})
    start = "" if published.start is None else f"{published.start:g} s before the first move, "
    moves = ", ".join(f"{each:g}" for each in seconds)
    return f"{text} In the paper: {published.matches} matches, {start}{moves} s for each."


def describe_figures(result: TableResult) -> str:
    """Return what the figures of a table mean."""
    parts = [
        "Percentage of the first player, a draw being half a win, with its 95 % interval (Wilson).",
        "Averages are over games, with their interval over games (Student).",
    ]
    cells = [cell for column in result.columns for cell in column.cells]
    if any(len(cell.result.plan.seats) > 2 and not cell.is_separate for cell in cells):
        parts.append("With n roles the first player has one and its opponent all others: 100/n would be a fair share.")
    if any(cell.is_separate for cell in cells):
        parts.append(
            f"{SEPARATE} each plays all roles by itself: how often the first player reaches the full goal, then how "
            "often the second one does."
        )
    parts.append("Late, illegal, errors: moves of the first players / of the others.")
    published = result.setup.table.published
    if published is not None:
        parts.append(f"Paper: {published.source}; ± is its standard deviation.")
    versions = sorted({version for cell in cells for version in cell.versions})
    if versions:
        parts.append(f"Played by Woodstock {', '.join(versions)}.")
    return " ".join(parts)


def check_section(path: Path, name: str) -> None:
    """Find out whether a file has the section that a table is to be written to.

    Raises:
        UsageError: It has not, or not once.
    """
    _split(path, name)


def write_section(path: Path, name: str, body: str) -> None:
    """Put a text between the two comments of a section, in place of what is there.

    Raises:
        UsageError: The file has no such section, or has it twice.
    """
    before, after = _split(path, name)
    write_atomically(path, f"{before}\n{body.strip()}\n{after}".encode())


def _split(path: Path, name: str) -> tuple[str, str]:
    """Return what stands before a section, with its first comment, and what stands behind it, with its last."""
    begin, end = f"<!-- table {name} -->", f"<!-- end of table {name} -->"
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"expected a Markdown file after --write, found '{path}': {error}") from None
    if text.count(begin) != 1 or text.count(end) != 1 or text.index(begin) > text.index(end):
        raise UsageError(f"{path}: expected '{begin}' and '{end}' behind it, each once")
    return text[: text.index(begin) + len(begin)], text[text.index(end) :]


def _headers(result: TableResult) -> list[str]:
    """Return the headers: two for each column if there is a paper."""
    firsts = {column.players[FIRST] for column in result.columns}
    headers = [f"{firsts.pop()} against" if len(firsts) == 1 else "game"]
    for column in result.columns:
        first, second = column.players
        label = f"{first} : {second}" if firsts else second
        headers.append(f"{label}, {column.clocks.play:g} s" if len(result.setup.clocks) > 1 else label)
        if _has_paper(result):
            several = len({each.paper_seconds for each in result.columns}) > 1
            with_clock = several and column.paper_seconds is not None
            headers.append(f"paper, {column.paper_seconds:g} s" if with_clock else "paper")
    return [*headers, "matches", "late", "illegal", "errors"]


def _has_paper(result: TableResult) -> bool:
    return result.setup.table.published is not None


def _game_rows(result: TableResult) -> list[list[str]]:
    rows = []
    for game, cells in result.rows:
        row = [_label(game, cells[0])]
        for cell in cells:
            row.append(_cell_text(cell))
            if _has_paper(result):
                row.append(_figure_text(cell.figure))
        rows.append([*row, _range_text([cell.matches for cell in cells]), *_fault_texts(cells)])
    return rows


def _label(game: str, cell: Cell) -> str:
    """Return the name of a game, with what one has to know to read its percentages."""
    seats = len(cell.result.plan.seats)
    if cell.is_separate:
        return f"{game} {SEPARATE}"
    return f"{game} ({seats} roles)" if seats > 2 else game


def _cell_text(cell: Cell) -> str:
    text = _mean_text(cell.score.mean, cell.score.interval)
    other = cell.success(SECOND).mean if cell.is_separate else None
    return text if other is None else f"{text} : {other:.1f}"


def _mean_text(mean: float | None, interval: Interval | None) -> str:
    if mean is None:
        return NOTHING
    return f"{mean:.1f}" if interval is None else f"{mean:.1f} ({interval.low:.0f}-{interval.high:.0f})"


def _figure_text(figure: Figure | None) -> str:
    if figure is None:
        return ""
    deviation = "" if figure.deviation is None else f" ±{figure.deviation:.1f}"
    other = "" if figure.other is None else f" : {figure.other:.1f}"
    return f"{figure.percent:.1f}{deviation}{other}"


def _range_text(numbers: Sequence[int]) -> str:
    least, most = min(numbers), max(numbers)
    return str(least) if least == most else f"{least}-{most}"


def _fault_texts(cells: Sequence[Cell]) -> list[str]:
    """Return the late, illegal and missing moves of some duels, of the first players and of the others."""
    first, second = ([cell.result.faults(side) for cell in cells] for side in (FIRST, SECOND))
    kinds = ("late", "illegal", "errors")
    return ["/".join(str(sum(getattr(each, kind) for each in side)) for side in (first, second)) for kind in kinds]


def _average_rows(result: TableResult) -> list[list[str]]:
    """Return the rows at the bottom: averages of the scores, with the paper's, and of the rates of success."""
    columns = result.columns
    cells = [cell for column in columns for cell in column.cells]
    rows = []
    if any(not cell.is_separate for cell in cells):
        texts = [(_mean_text(each.score.mean, each.score.interval), "") for each in columns]
        rows.append(_average_row(result, "average", texts))
    if any(not cell.is_separate and cell.figure is not None for cell in cells):
        rows.append(_average_row(result, "average, games of the paper", [_compared_texts(each) for each in columns]))
    if any(cell.is_separate for cell in cells):
        rows.append(_average_row(result, f"average {SEPARATE}", [(_success_text(each), "") for each in columns]))
    rows.append(["all", *[""] * (len(_headers(result)) - 4), *_fault_texts(cells)])
    return rows


def _average_row(result: TableResult, label: str, texts: Sequence[tuple[str, str]]) -> list[str]:
    """Return a row with a text for each column, and one for the paper beside it if there is one."""
    shown = [text for pair in texts for text in pair[: 1 + _has_paper(result)]]
    return [label, *shown, "", "", "", ""]


def _compared_texts(column: TableColumn) -> tuple[str, str]:
    ours, theirs = column.compared
    return _mean_text(ours.mean, ours.interval), _mean_text(theirs.mean, None) if theirs.games else ""


def _success_text(column: TableColumn) -> str:
    first, second = column.success
    text = _mean_text(first.mean, first.interval)
    return text if second.mean is None else f"{text} : {second.mean:.1f}"


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _code(label: str) -> str:
    """Return the label of a game, its name as code.

    >>> _code("orchard +")
    '`orchard` +'
    """
    name, *mark = label.split()
    return " ".join([f"`{name}`", *mark])
