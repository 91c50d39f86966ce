"""Line charts of shares with their intervals, as SVG; as PNG with matplotlib, if that is there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple
from xml.sax.saxutils import escape

from woodstock.common.errors import UsageError
from woodstock.common.files import write_atomically

WIDTH: Final = 640
HEIGHT: Final = 400
LEFT: Final = 60
RIGHT: Final = 150
TOP: Final = 40
BOTTOM: Final = 50
COLOURS: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000", "#999999")
"""Colours that people with any kind of sight can tell apart (Okabe & Ito)."""


class Point(NamedTuple):
    """A share at some x, with its interval; all from 0 to 1 but x."""

    x: float
    share: float
    low: float
    high: float


class Series(NamedTuple):
    """The points of one player."""

    name: str
    points: tuple[Point, ...]


class Chart(NamedTuple):
    """What is drawn."""

    title: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]


def write_chart(chart: Chart, path: Path) -> None:
    """Write a chart; the file's name tells whether as PNG or as SVG.

    Raises:
        UsageError: PNG is wanted and matplotlib is not there.
    """
    if path.suffix.lower() == ".png":
        _write_png(chart, path)
    else:
        write_atomically(path, to_svg(chart).encode())


def to_svg(chart: Chart) -> str:
    """Return a chart as SVG."""
    box = f"0 0 {WIDTH} {HEIGHT}"
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        f'<text x="{LEFT}" y="22" font-size="14">{escape(chart.title)}</text>',
        *_axes(chart),
    ]
    for number, series in enumerate(chart.series):
        lines += _drawn(chart, number, series)
    return "\n".join([*lines, "</svg>", ""])


def _range(chart: Chart) -> tuple[float, float]:
    xs = [point.x for series in chart.series for point in series.points]
    low, high = min(xs, default=0.0), max(xs, default=1.0)
    return (low, high) if low < high else (low - 0.5, high + 0.5)


def _x(chart: Chart, x: float) -> float:
    low, high = _range(chart)
    return LEFT + 10 + (x - low) / (high - low) * (WIDTH - LEFT - RIGHT - 20)


def _y(share: float) -> float:
    return TOP + (1 - share) * (HEIGHT - TOP - BOTTOM)


def _axes(chart: Chart) -> Iterator[str]:
    right, bottom = WIDTH - RIGHT, HEIGHT - BOTTOM
    for percent in range(0, 101, 20):
        y = _y(percent / 100)
        yield f'<line x1="{LEFT}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}" stroke="#ddd"/>'
        yield f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{percent}</text>'
    for x in sorted({point.x for series in chart.series for point in series.points}):
        yield f'<line x1="{_x(chart, x):.1f}" x2="{_x(chart, x):.1f}" y1="{bottom}" y2="{bottom + 4}" stroke="black"/>'
        yield f'<text x="{_x(chart, x):.1f}" y="{bottom + 18}" text-anchor="middle">{x:g}</text>'
    yield f'<path d="M{LEFT} {TOP} V{bottom} H{right}" fill="none" stroke="black"/>'
    yield f'<text x="{(LEFT + right) / 2}" y="{HEIGHT - 10}" text-anchor="middle">{escape(chart.x_label)}</text>'
    middle = (TOP + bottom) / 2
    turned = f'text-anchor="middle" transform="rotate(-90 16 {middle})"'
    yield f'<text x="16" y="{middle}" {turned}>{escape(chart.y_label)}</text>'


def _drawn(chart: Chart, number: int, series: Series) -> Iterator[str]:
    colour = COLOURS[number % len(COLOURS)]
    shift = 2.0 * (number - (len(chart.series) - 1) / 2)  # so that intervals do not hide each other
    spots = [(_x(chart, point.x) + shift, point) for point in series.points]
    way = " ".join(f"{x:.1f},{_y(point.share):.1f}" for x, point in spots)
    yield f'<polyline points="{way}" fill="none" stroke="{colour}" stroke-width="1.5"/>'
    for x, point in spots:
        low, high, middle = _y(point.low), _y(point.high), _y(point.share)
        yield f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{low:.1f}" y2="{high:.1f}" stroke="{colour}" opacity="0.6"/>'
        yield f'<circle cx="{x:.1f}" cy="{middle:.1f}" r="3" fill="{colour}"/>'
    y = TOP + 10 + 20 * number
    right = WIDTH - RIGHT + 14
    yield f'<line x1="{right}" x2="{right + 20}" y1="{y}" y2="{y}" stroke="{colour}" stroke-width="2"/>'
    yield f'<text x="{right + 26}" y="{y + 4}">{escape(series.name)}</text>'


def _write_png(chart: Chart, path: Path) -> None:
    try:
        import matplotlib  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        raise UsageError(
            "expected matplotlib for a picture as PNG, found none: pip install 'woodstock-ggp[plots]', or take SVG"
        ) from None
    matplotlib.use("agg")
    from matplotlib import pyplot  # type: ignore[import-not-found,unused-ignore]

    figure, axes = pyplot.subplots(figsize=(WIDTH / 100, HEIGHT / 100))
    for number, series in enumerate(chart.series):
        errors = _errors(series.points)
        xs, shares = [point.x for point in series.points], [100 * point.share for point in series.points]
        axes.errorbar(xs, shares, yerr=errors, label=series.name, color=COLOURS[number % len(COLOURS)], marker="o")
    axes.set(title=chart.title, xlabel=chart.x_label, ylabel=chart.y_label, ylim=(0, 100))
    axes.legend()
    figure.savefig(path)
    pyplot.close(figure)


def _errors(points: Sequence[Point]) -> list[list[float]]:
    return [
        [100 * (point.share - point.low) for point in points],
        [100 * (point.high - point.share) for point in points],
    ]
