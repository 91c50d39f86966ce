"""Perft: how many lines of play there are, by length, as chess programmers count to test their move generators.

A *path* of length d is a sequence of d joint moves, each legal, from the initial position; nature's moves (role
`random`) count as those of any role. Terminal positions have no successors, nor have positions in which a role has no
legal move, so paths that ended earlier are not counted again. Two paths to one position are two paths but one *unique
position*.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

from woodstock.common.progress import progress
from woodstock.game.protocol import Game, Move
from woodstock.game.walk import joint_moves, legal_moves, num_joint_moves

P = TypeVar("P")


@dataclass(frozen=True, slots=True)
class Level:
    """What perft counts at one depth.

    Attributes:
        depth: Number of joint moves.
        paths: Paths of exactly this length.
        unique: Distinct positions at their ends; None if they were not made.
        terminal: Paths whose last position is terminal; None if they were not made.
    """

    depth: int
    paths: int
    unique: int | None = None
    terminal: int | None = None


def perft(game: Game[P], depth: int, unique: bool = False) -> Iterator[Level]:
    """Yield the counts for depth 1, 2, …, `depth`; it ends early when no path is longer.

    Each position is expanded once a depth however many paths lead to it. The positions at the last depth are made only
    if `unique` is set: the number of paths alone follows from the legal moves one step before.
    """
    paths_to: dict[P, int] = {game.initial_position(): 1}
    for number in range(1, depth + 1):
        if number == depth and not unique:
            total = _count_moves(game, paths_to, number)
            if total:
                yield Level(number, total)
            return
        paths_to = _advance(game, paths_to, number)
        if not paths_to:
            return
        yield _describe(game, paths_to, number)


def divide(game: Game[P], depth: int) -> dict[tuple[Move, ...], int]:
    """Return the number of paths of length `depth` that begin with each joint move."""
    start = game.initial_position()
    children = {moves: game.next_position(start, moves) for moves in _moves_in(game, start)}
    # First forwards, all positions with their successors; then backwards, the paths from each to the last depth.
    levels: list[dict[P, list[P]]] = []
    frontier = dict.fromkeys(children.values())
    for number in range(2, depth):
        successors: dict[P, list[P]] = {}
        with progress(f"depth {number}", total=len(frontier), unit="positions") as bar:
            for position in frontier:
                successors[position] = [game.next_position(position, moves) for moves in _moves_in(game, position)]
                bar.advance()
        levels.append(successors)
        frontier = dict.fromkeys(child for found in successors.values() for child in found)
    paths_from = {position: _num_moves(game, position) if depth > 1 else 1 for position in frontier}
    for successors in reversed(levels):
        paths_from = {position: sum(paths_from[child] for child in found) for position, found in successors.items()}
    return {moves: paths_from[child] for moves, child in children.items()}


def _advance(game: Game[P], paths_to: dict[P, int], depth: int) -> dict[P, int]:
    """Return the positions one step on, with the number of paths to each."""
    found: dict[P, int] = {}
    with progress(f"depth {depth}", total=len(paths_to), unit="positions") as bar:
        for position, paths in paths_to.items():
            for moves in _moves_in(game, position):
                successor = game.next_position(position, moves)
                found[successor] = found.get(successor, 0) + paths
            bar.advance()
    return found


def _count_moves(game: Game[P], paths_to: dict[P, int], depth: int) -> int:
    total = 0
    with progress(f"depth {depth}", total=len(paths_to), unit="positions") as bar:
        for position, paths in paths_to.items():
            total += paths * _num_moves(game, position)
            bar.advance()
    return total


def _describe(game: Game[P], paths_to: dict[P, int], depth: int) -> Level:
    terminal = sum(paths for position, paths in paths_to.items() if game.is_terminal(position))
    return Level(depth, sum(paths_to.values()), len(paths_to), terminal)


def _num_moves(game: Game[P], position: P) -> int:
    return 0 if game.is_terminal(position) else num_joint_moves(legal_moves(game, position))


def _moves_in(game: Game[P], position: P) -> Iterator[tuple[Move, ...]]:
    return iter(()) if game.is_terminal(position) else joint_moves(legal_moves(game, position))
