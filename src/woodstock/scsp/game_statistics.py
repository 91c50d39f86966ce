"""The size of a game's network, as Table 2 of the paper has it (Constraints 2016), and the paper's own figures.

The paper has a table for each relation of the rules; here a relation is mostly gates over auxiliary variables, which
are counted apart. Its sheets are not public, so its figures stand beside those of another sheet of the same game.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from woodstock.cp.constraints import Clauses, Founded, Gates, Table
from woodstock.cp.network import Network
from woodstock.scsp.game_network import GameNetwork
from woodstock.scsp.game_vars import VarKind


@dataclass(frozen=True, slots=True)
class NetworkSize:
    """How large the network of a game is.

    Attributes:
        variables: Variables with a meaning of their own: the position, terminal, utilities, actions, what chance may
            draw, percepts, and the position after the last stage.
        auxiliaries: All other variables.
        max_domain: Most values of a variable.
        constraints: Hard and soft constraints, each clause and gate counted.
        soft: Soft ones among these.
        tables: Tables among these.
        tuples: Tuples of the tables.
        clauses: Clauses among these.
        gates: Gates among these.
        loops: Positive loops of the rules among these.
        literals: Literals of clauses and gates.
    """

    variables: int
    auxiliaries: int
    max_domain: int
    constraints: int
    soft: int
    tables: int
    tuples: int
    clauses: int
    gates: int
    loops: int
    literals: int


def measure_network(game: GameNetwork, network: Network | None = None) -> NetworkSize:
    """Return the size of a network.

    Args:
        game: The game's network.
        network: The same with further constraints, if there are some.
    """
    network = game.network if network is None else network
    auxiliaries = int((game.kinds == VarKind.AUXILIARY).sum())
    tables = [entry for entry in network.constraints if isinstance(entry, Table)]
    clauses = [entry for entry in network.constraints if isinstance(entry, Clauses)]
    gates = [entry for entry in network.constraints if isinstance(entry, Gates)]
    sizes = np.diff(network.first_choices)
    return NetworkSize(
        variables=network.num_vars - auxiliaries,
        auxiliaries=auxiliaries,
        max_domain=int(sizes.max(initial=0)),
        constraints=network.num_constraints + len(network.utilities),
        soft=len(network.utilities),
        tables=len(tables),
        tuples=sum(len(entry.tuples) for entry in tables),
        clauses=sum(len(entry.start) - 1 for entry in clauses),
        gates=sum(len(entry.outs) for entry in gates),
        loops=sum(isinstance(entry, Founded) for entry in network.constraints),
        literals=sum(len(entry.data) for entry in clauses) + sum(len(entry.data) + len(entry.outs) for entry in gates),
    )


class PaperSize(NamedTuple):
    """What the paper says of a game: variables, largest domain, constraints, seconds to build."""

    variables: int
    max_domain: int
    constraints: int
    seconds: int


PAPER_TABLE: Final[dict[str, PaperSize]] = {
    "Awale": PaperSize(19, 37, 73, 94),
    "Backgammon": PaperSize(76, 768, 86, 347),
    "Bomberman": PaperSize(145, 64, 42, 31),
    "Can't Stop": PaperSize(16, 1296, 409, 248),
    "Checkers": PaperSize(86, 262144, 52, 43),
    "Chess": PaperSize(71, 4096, 50, 76),
    "Chinese Checkers": PaperSize(103, 192, 87, 54),
    "Hex": PaperSize(22, 6561, 27, 91),
    "Kaseklau": PaperSize(18, 7776, 106, 35),
    "Orchard": PaperSize(9, 146410, 40, 12),
    "Othello": PaperSize(81, 65, 29, 51),
    "Pacman": PaperSize(93, 64, 22, 36),
    "Pickomino": PaperSize(29, 1679616, 223, 172),
    "TicTacToe": PaperSize(19, 18, 37, 0),
    "Yahtzee": PaperSize(12, 30, 8862, 182),
}
"""Table 2 of Koriche, Lagrue, Piette, Tabary: General Game Playing with Stochastic CSP, Constraints 21, 2016."""


class PaperGame(NamedTuple):
    """A game of the paper that a sheet is about.

    Attributes:
        name: What the paper calls it.
        difference: In what the sheet is known to differ, in words; it is another sheet in any case.
    """

    name: str
    difference: str = ""


_PAPER_GAMES: Final[dict[str, PaperGame]] = {
    "awale": PaperGame("Awale"),
    "backgammon": PaperGame("Backgammon"),
    "bomberman": PaperGame("Bomberman"),
    "bomberman2p": PaperGame("Bomberman", "two players"),
    "cantstop": PaperGame("Can't Stop"),
    "checkers": PaperGame("Checkers"),
    "checkerssmall": PaperGame("Checkers", "a smaller board"),
    "checkerstiny": PaperGame("Checkers", "a smaller board"),
    "chess": PaperGame("Chess"),
    "chess200": PaperGame("Chess", "at most 200 steps"),
    "chinesecheckers": PaperGame("Chinese Checkers"),
    "chinesecheckers3": PaperGame("Chinese Checkers"),
    "hex": PaperGame("Hex"),
    "hexsmall": PaperGame("Hex", "a board of 5 × 5, the paper's is 9 × 9"),
    "kaseklau": PaperGame("Kaseklau"),
    "orchard": PaperGame("Orchard"),
    "othello": PaperGame("Othello"),
    "pacman": PaperGame("Pacman"),
    "pacman2p": PaperGame("Pacman", "players move the ghosts"),
    "pacman3p": PaperGame("Pacman", "players move the ghosts"),
    "pickomino": PaperGame("Pickomino"),
    "reversi": PaperGame("Othello"),
    "tictactoe": PaperGame("TicTacToe"),
    "yahtzee": PaperGame("Yahtzee"),
}


def find_paper_game(name: str) -> PaperGame | None:
    """Return the game of the paper that a sheet of this name is about, if it is one.

    >>> find_paper_game("ticTacToe")
    PaperGame(name='TicTacToe', difference='')
    """
    return _PAPER_GAMES.get(re.sub("[^a-z0-9]", "", name.lower()))
