"""Foresight by looking: all moves are made, and all answers to them."""

from __future__ import annotations

from typing import Any

from woodstock.game.protocol import Game, Move, goal
from woodstock.game.walk import joint_moves, legal_moves
from woodstock.gdl.keywords import RANDOM


def foreseeing_moves(game: Game[Any], position: Any, role: int, foresight: int, ends: tuple[int, int]) -> set[Move]:
    """Return the moves that a role makes if it foresees so many.

    Args:
        game: The game.
        position: Not over.
        role: The role.
        foresight: 1 or 2.
        ends: The least and the most that any role can get.
    """
    legal = set(legal_moves(game, position)[role])
    if len(legal) == 1 or game.roles[role] == RANDOM:
        return legal
    winning = {move for move in legal if _wins(game, position, role, move, ends)}
    if winning or foresight == 1:
        return winning or legal
    return {move for move in legal if not _is_careless(game, position, role, move, ends)} or legal


def _after(game: Game[Any], position: Any, role: int, move: Move) -> list[Any]:
    """Return the positions that a move may lead to."""
    moves = [joint for joint in joint_moves(legal_moves(game, position)) if joint[role] == move]
    return [game.next_position(position, joint) for joint in moves]


def _ends_with(game: Game[Any], position: Any, role: int, value: int) -> bool:
    return game.is_terminal(position) and goal(game, position, role) == value


def _wins(game: Game[Any], position: Any, role: int, move: Move, ends: tuple[int, int]) -> bool:
    return all(_ends_with(game, after, role, ends[1]) for after in _after(game, position, role, move))


def _can_win(game: Game[Any], position: Any, role: int, ends: tuple[int, int]) -> bool:
    legal = legal_moves(game, position)
    if game.roles[role] == RANDOM or (len(legal[role]) == 1 and any(len(moves) > 1 for moves in legal)):
        return False  # it only waits
    return any(_wins(game, position, role, move, ends) for move in legal[role])


def _is_careless(game: Game[Any], position: Any, role: int, move: Move, ends: tuple[int, int]) -> bool:
    """Tell whether a move loses, or lets another one win, whatever the others do at the same time."""
    others = [other for other in range(len(game.roles)) if other != role]
    return all(
        _ends_with(game, after, role, ends[0])
        if game.is_terminal(after)
        else any(_can_win(game, after, other, ends) for other in others)
        for after in _after(game, position, role, move)
    )
