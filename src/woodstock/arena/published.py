"""The tables of the papers: what they report of their players, as printed.

Games have the names of ours. Where two of ours go by one name, it is the one with the paper's traits: Pacman is
`pacman` where nothing is hidden and `pacman_shared` where it is.

>>> CONSTRAINTS16_3.figure("othello", ("mac-ucb", "uct"), 30.0)
Figure(percent=79.3, deviation=1.41, other=None)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import log
from typing import Final, TypeAlias

Pairing: TypeAlias = "tuple[str, str]"
"""Whose percentage is reported, and against whom."""

Column: TypeAlias = "tuple[Pairing, float]"
"""A pairing and the seconds for a move."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of a paper.

    Attributes:
        percent: How many matches the first player wins; in a cooperative or one-player game, its own rate of success.
        deviation: The standard deviation of that, in points; None if the paper prints none.
        other: The second player's own rate of success, where the paper prints one.
    """

    percent: float
    deviation: float | None = None
    other: float | None = None


@dataclass(frozen=True, slots=True)
class Published:
    """A table of a paper.

    Attributes:
        source: Where it stands.
        start: Seconds before the first move; None if the paper does not tell.
        matches: How many matches stand behind a figure, in words.
        figures: By players, seconds for a move, and game.
    """

    source: str
    start: float | None
    matches: str
    figures: Mapping[Column, Mapping[str, Figure]]

    @property
    def games(self) -> tuple[str, ...]:
        """All games, in the order of the paper."""
        return tuple(dict.fromkeys(game for column in self.figures.values() for game in column))

    def nearest_clock(self, players: Pairing, seconds: float) -> float | None:
        """Return the clock of two players that is nearest to some seconds by its ratio to them, if they met."""
        clocks = [clock for pairing, clock in self.figures if pairing == players]
        return min(clocks, key=lambda clock: abs(log(clock / seconds)), default=None)

    def figure(self, game: str, players: Pairing, seconds: float) -> Figure | None:
        """Return what the paper reports, if it does."""
        return self.figures.get((players, seconds), {}).get(game)


def _against(first: str, opponents: str) -> list[Pairing]:
    return [(first, second) for second in opponents.split()]


def _read(
    text: str, columns: Sequence[Column], figures_of: Callable[[list[float]], list[Figure]]
) -> dict[Column, dict[str, Figure]]:
    """Return the figures of rows, each a game and its numbers, of which a figure is made for every column."""
    figures: dict[Column, dict[str, Figure]] = {column: {} for column in columns}
    for line in text.strip().splitlines():
        game, *numbers = line.split()
        for column, figure in zip(columns, figures_of([float(number) for number in numbers]), strict=True):
            figures[column][game] = figure
    return figures


def _plain(numbers: list[float]) -> list[Figure]:
    """A percentage for each column."""
    return [Figure(percent) for percent in numbers]


def _with_deviations(numbers: list[float]) -> list[Figure]:
    """A percentage and its standard deviation for each column."""
    return [Figure(percent, deviation) for percent, deviation in zip(numbers[::2], numbers[1::2], strict=True)]


def _alone(numbers: list[float]) -> list[Figure]:
    """The first player's own percentage, then that of the second player of each column."""
    own, *others = numbers
    return [Figure(own, other=percent) for percent in others]


CONSTRAINTS16_3: Final = Published(
    source="Koriche, Lagrue, Piette, Tabary: General Game Playing with Stochastic CSP (Constraints, 2016), Table 3",
    start=None,
    matches="5000",
    figures=_read(
        """
        awale             56.7 1.63  77.7 1.92  43.2 2.34
        backgammon        68.2 5.49  84.8 6.36  47.3 5.87
        bomberman         65.4 6.32  75.7 5.34  58.4 5.46
        cant_stop         71.7 6.43  65.9 4.87  54.7 5.34
        checkers          61.2 2.12  76.9 1.61  57.5 1.43
        chess             53.8 1.75  68.5 1.76  39.4 1.75
        chinese_checkers  55.4 8.24  78.1 7.23  32.7 6.51
        hex               69.7 2.45  73.2 3.24  55.3 3.12
        kaseklau          71.4 6.56  58.9 7.87  68.3 7.34
        orchard           70.2 3.41  70.2 3.45  70.0 2.45
        othello           79.3 1.41  75.1 0.89  61.3 1.14
        pacman            69.1 2.73  74.1 3.12  61.8 3.78
        pickomino         63.4 4.89  65.9 6.10  52.1 5.34
        tic_tac_toe       65.7 0.89  51.8 0.76  64.9 0.73
        yahtzee           71.2 5.48  74.0 5.12  58.6 5.34
        """,
        [(("mac-ucb", "uct"), 30.0), (("mac-ucb", "fc-ucb"), 30.0), (("fc-ucb", "uct"), 30.0)],
        _with_deviations,
    ),
)

CONSTRAINTS16_4: Final = Published(
    source="Koriche, Lagrue, Piette, Tabary: General Game Playing with Stochastic CSP (Constraints, 2016), Table 4",
    start=None,
    matches="5000",
    figures=_read(
        """
        awale             38.6 43.3 47.4 51.6 56.7 57.9 61.3 63.0
        backgammon        53.1 58.1 61.4 65.8 68.2 71.3 77.0 79.6
        bomberman         58.3 60.0 60.2 64.7 65.4 70.1 72.4 75.6
        cant_stop         50.3 54.7 59.9 62.2 71.7 74.9 76.3 78.9
        checkers          43.4 49.6 51.4 56.8 61.2 67.2 71.3 75.7
        chess             34.0 39.3 46.1 49.9 53.8 56.4 57.6 60.8
        chinese_checkers  27.4 35.5 43.7 50.7 55.4 59.1 63.2 65.4
        hex               54.7 56.2 58.5 67.4 69.7 71.4 71.9 72.5
        kaseklau          63.6 65.2 68.3 70.2 71.4 73.2 74.7 75.1
        orchard           65.3 68.5 69.9 70.2 70.2 70.1 70.2 70.2
        othello           61.9 64.0 70.6 75.8 79.3 82.0 84.2 84.9
        pacman            64.4 66.2 67.1 67.9 69.1 69.4 69.8 70.5
        pickomino         52.4 55.3 58.0 61.1 63.4 65.8 66.1 68.6
        tic_tac_toe       63.6 64.4 64.9 65.4 65.7 65.9 65.8 65.4
        yahtzee           43.5 50.1 53.7 64.3 71.2 75.2 77.1 78.9
        """,
        [(("mac-ucb", "uct"), seconds) for seconds in (1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0)],
        _plain,
    ),
)

IJCAI17_1: Final = Published(
    source="Koriche, Lagrue, Piette, Tabary: Constraint-Based Symmetry Detection in General Game Playing (IJCAI 2017), "
    "Table 1",
    start=180.0,
    matches="300, 1000 in games of chance",
    figures=_read(
        """
        amazons_torus              84.2 1.2   96.0 2.2   98.1 1.7  78.4 3.4  86.7 2.7   86.2 3.1
        breakthrough_suicide       93.0 2.3   93.1 1.6   81.9 3.7  59.4 0.9  73.2 2.9   77.8 4.0
        chess                      76.4 2.5   95.8 1.8   95.3 2.1  88.1 4.2  95.4 2.5   87.9 2.1
        connect_four_large         87.5 3.5   97.0 1.2  100.0 0.0  65.1 3.1  88.5 2.2   96.0 0.9
        connect_four_simultaneous  73.7 2.8   87.8 1.7   96.1 0.9  77.2 3.4  93.2 3.6   82.0 2.6
        copolymer                  73.9 1.5   87.2 2.3   93.3 0.5  80.2 1.6  91.6 1.8   77.9 3.6
        dots_and_boxes_suicide     65.4 1.7   95.2 0.9   83.7 2.4  80.5 1.6  70.3 2.7   88.0 1.5
        english_draughts           85.1 2.8   97.9 1.3   97.4 1.3  70.1 4.1  71.2 3.1   59.3 1.5
        free_for_all               53.4 0.7   81.5 2.4   84.8 1.9  61.2 0.7  72.3 1.6   71.2 2.3
        hex                        84.0 1.4  100.0 0.0  100.0 0.0  74.2 3.2  89.8 2.9   78.1 1.5
        knight_through             81.2 2.4   96.0 1.3   90.6 2.6  82.1 3.5  81.2 2.3   88.1 2.6
        majorities                 84.4 2.6   95.7 1.6   96.8 1.4  81.2 2.6  92.3 2.3   87.2 3.2
        pentago                    53.1 1.5   84.8 3.1   66.2 2.8  72.1 2.3  58.4 2.8   54.3 0.9
        quarto                     54.9 1.6   87.1 3.4   65.6 2.6  65.2 3.2  63.8 1.6   57.9 2.3
        sheep_and_wolf             74.8 3.2   92.5 2.4   94.6 0.9  64.4 3.7  63.2 3.6   62.1 1.5
        shmup                      58.0 1.7   88.2 2.6   63.7 2.2  55.3 1.5  52.1 0.2   53.0 0.6
        skirmish_zero_sum          85.4 2.5   98.7 0.4  100.0 0.0  77.7 1.6  95.8 2.3   67.4 4.2
        tic_tac_chess              94.9 3.4   97.6 0.7   96.5 0.4  76.3 1.3  93.2 2.3   86.1 3.3
        ttcc4                      84.4 2.3   97.3 1.2   97.2 2.1  62.4 2.3  85.7 3.1   65.8 4.1
        reversi_suicide            72.2 3.2  100.0 0.0  100.0 0.0  66.1 2.7  78.7 2.2   58.2 2.2
        backgammon                 92.1 2.7   98.0 0.6   96.1 1.4  70.2 4.5  86.8 3.9  100.0 0.0
        cant_stop                  88.2 1.7   94.1 2.3   96.8 1.7  93.4 1.3  93.7 3.2  100.0 0.0
        kaseklau                   73.5 3.6   73.4 1.3   72.1 0.9  67.4 2.8  60.2 3.2   88.1 2.6
        pickomino                  75.4 1.8   74.3 2.4   82.4 2.8  87.1 3.0  95.6 1.0   92.1 2.9
        yahtzee                    87.4 1.6   88.2 2.3   83.1 3.3  64.1 3.2  60.9 2.5   91.8 3.3
        """,
        [(pair, 15.0) for pair in _against("mac-ucb-sym", "mac-ucb uct uct-sym grave grave-sym sancho")],
        _with_deviations,
    ),
)

_JFPC16_COLUMNS: Final = [(pair, 15.0) for pair in _against("mac-ucb-sym", "mac-ucb uct cfr sancho grave")]
_JFPC16_HIDDEN: Final = [(pair, 15.0) for pair in _against("mac-ucb-sym", "mac-ucb uct cfr grave")]

_JFPC16_OPEN: Final = _read(
    """
    amazons_torus              81   96   95   81   76
    battlebrushes              46   76   56   47   53
    breakthrough_suicide       92   93   95   78   58
    chess                      77   94   90   87   86
    connect_four_large         86   98   96   96   62
    connect_four_simultaneous  74   89   64   81   74
    copolymer                  74   87   88   76   80
    dots_and_boxes_suicide     63   96   95   86   80
    english_draughts           84   98   98   58   66
    free_for_all               52   84   82   71   59
    hex                        84  100  100   79   72
    knight_through             81   97   95   87   80
    majorities                 83   97   94   84   80
    pentago                    52   84   73   52   70
    quarto                     53   86   71   56   64
    shmup                      56   86   76   51   53
    skirmish_zero_sum          84   98   99   67   79
    tic_tac_chess              95   98   94   85   74
    ttcc4                      82   97   98   68   60
    reversi_suicide            71  100  100   57   62
    backgammon               91.2 98.7 94.1  100   68
    cant_stop                88.5 93.5 88.5  100   92
    kaseklau                 72.1 69.4 78.4 86.4   67
    pickomino                74.6 73.7 71.1 91.4 86.4
    yahtzee                  86.7 86.4 89.4 90.4 62.4
    """,
    _JFPC16_COLUMNS,
    _plain,
)
_JFPC16_ALONE: Final = _read(
    """
    guess_dice      15.6  15.0 15.7 16.0 16.5
    mastermind      63.9  67.8 53.8 68.1 60.1
    monty_hall      65.1  65.2 62.5 63.1 64.3
    vacuum_cleaner  74.8  61.5 34.0 46.0 58.8
    wumpus          71.2  32.1 40.1 44.1 51.2
    """,
    _JFPC16_HIDDEN,
    _alone,
)
_JFPC16_SHARED: Final = _read(
    """
    pacman_shared          62.3 61.2 64.2 60.4
    schnappt_hubi          79.3 84.4 76.2 74.7
    sheep_and_wolf_shared  84.1 90.2 74.3 73.2
    tic_tac_toe_latent     84.5 95.1 91.7 84.6
    war                    63.2 71.3 68.4 62.4
    """,
    _JFPC16_HIDDEN,
    _plain,
)

JFPC16_2: Final = Published(
    source="Koriche, Lagrue, Piette, Tabary, on GDL-II with shared observations (JFPC 2016, in French), Table 2",
    start=180.0,
    matches="100, 400 in games of chance",
    figures={
        column: {**_JFPC16_OPEN[column], **_JFPC16_ALONE.get(column, {}), **_JFPC16_SHARED.get(column, {})}
        for column in _JFPC16_COLUMNS
    },
)

WOODSTOCK: Final = Published(
    source="the papers' player of that name is MAC-UCB-SYM: its figures from Table 1 of IJCAI 2017, and against FC-UCB "
    "those of MAC-UCB from Table 3 of Constraints 2016",
    start=180.0,
    matches="300 to 5000",
    figures={
        **{(("woodstock", pair[1]), clock): column for (pair, clock), column in IJCAI17_1.figures.items()},
        (("woodstock", "fc-ucb"), 30.0): CONSTRAINTS16_3.figures[("mac-ucb", "fc-ucb"), 30.0],
    },
)
"""What the papers report of the player that they sent to tournaments."""
