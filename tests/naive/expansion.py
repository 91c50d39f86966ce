"""Plain expansion, one joint move at a time, of any game whose fluents and moves are those of a ground program."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, NamedTuple

from naive.network import literal_value, network_values
from naive.packing import pack_bits, position_key
from woodstock.circuit.expansion import NO_GOAL, Expansion
from woodstock.circuit.network import Network
from woodstock.circuit.zobrist import make_keys
from woodstock.game.protocol import Game, goal
from woodstock.gdl.terms import GroundTerm
from woodstock.ground import GroundProgram


class Child(NamedTuple):
    """What an expansion tells about a successor; rows and legal moves are lists of words."""

    parent: int
    moves: list[int]
    row: list[int]
    key: int
    terminal: bool
    goals: list[int]
    legal: list[int]


def row_of(program: GroundProgram, fluents: frozenset[GroundTerm]) -> list[bool]:
    """Return which fluents of the program hold; all that hold must be of it."""
    numbers = {program.fluent_index[fluent] for fluent in fluents}
    return [number in numbers for number in range(program.num_fluents)]


def legal_numbers(game: Game[Any], program: GroundProgram, position: Any) -> list[list[int]]:
    """Return for each role the numbers of its legal moves, in order."""
    return [
        sorted(program.move_index[role][move] for move in game.legal_moves(position, role))
        for role in range(len(program.roles))
    ]


def expand(game: Game[Any], program: GroundProgram, positions: Sequence[Any]) -> Iterator[Child]:
    """Give the successors of positions."""
    terms = [move for moves in program.moves for move in moves]
    keys = make_keys(program.num_fluents).tolist()
    for parent, position in enumerate(positions):
        if game.is_terminal(position):
            continue
        for moves in product(*legal_numbers(game, program, position)):
            child = game.next_position(position, [terms[move] for move in moves])
            bits = row_of(program, game.fluents(child))
            legal, terminal, goals = look(game, program, child)
            yield Child(parent, list(moves), pack_bits(bits), position_key(keys, bits), terminal, goals, legal)


def look(game: Game[Any], program: GroundProgram, position: Any) -> tuple[list[int], bool, list[int]]:
    """Return the legal moves of a position, packed, whether the match is over, and the goals."""
    legal = {move for moves in legal_numbers(game, program, position) for move in moves}
    goals = [goal(game, position, role) for role in range(len(program.roles))]
    return (
        pack_bits([move in legal for move in range(program.num_moves)]),
        game.is_terminal(position),
        [NO_GOAL if value is None else value for value in goals],
    )


def children_of(expansion: Expansion) -> list[Child]:
    """Return an expansion in the form of `expand`."""
    columns = (
        expansion.parent,
        expansion.moves,
        expansion.rows,
        expansion.keys,
        expansion.terminal,
        expansion.goals,
        expansion.legal,
    )
    return [Child(*values) for values in zip(*(column.tolist() for column in columns), strict=True)]


class NetworkGame:
    """A network as a game, evaluated gate by gate; positions are sorted numbers of fluents."""

    def __init__(self, program: GroundProgram, network: Network) -> None:
        self.program = program
        self.network = network

    def _values(self, position: tuple[int, ...], moves: Sequence[int] = ()) -> list[bool]:
        true = {*position, *(self.program.num_fluents + move for move in moves)}
        return network_values(self.network, [number in true for number in range(self.network.num_inputs - 1)])

    def legal_moves(self, position: tuple[int, ...], role: int) -> tuple[GroundTerm, ...]:
        values = self._values(position)
        start = self.program.move_start[role]
        literals = self.network.legal[start : start + len(self.program.moves[role])].tolist()
        pairs = zip(self.program.moves[role], literals, strict=True)
        return tuple(move for move, literal in pairs if literal_value(values, literal))

    def next_position(self, position: tuple[int, ...], moves: Sequence[GroundTerm]) -> tuple[int, ...]:
        numbers = [self.program.move_index[role][move] for role, move in enumerate(moves)]
        values = self._values(position, numbers)
        literals = enumerate(self.network.next.tolist())
        return tuple(fluent for fluent, literal in literals if literal_value(values, literal))

    def is_terminal(self, position: tuple[int, ...]) -> bool:
        return literal_value(self._values(position), self.network.terminal)

    def goal_values(self, position: tuple[int, ...], role: int) -> tuple[GroundTerm, ...]:
        values = self._values(position)
        entries = zip(self.program.goals.terms, self.program.goals.roles, self.network.goals.tolist(), strict=True)
        return tuple(term for term, owner, literal in entries if owner == role and literal_value(values, literal))

    def fluents(self, position: tuple[int, ...]) -> frozenset[GroundTerm]:
        return frozenset(self.program.fluents[number] for number in position)
