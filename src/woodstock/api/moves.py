"""Moves as people write them."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence

from woodstock.common.errors import UsageError
from woodstock.game.protocol import Move
from woodstock.gdl.printer import to_kif


def find_move(wanted: Move | str, legal: Sequence[Move], role: str) -> Move:
    """Return the legal move that a term or a text stands for.

    >>> find_move("drop 4", [("drop", "3"), ("drop", "4")], "red")
    ('drop', '4')
    >>> find_move("( DROP 4 )", [("drop", "3"), ("drop", "4")], "red")
    ('drop', '4')

    Raises:
        UsageError: There is none.
    """
    if wanted in legal:
        return wanted
    texts = {_words(to_kif(move)): move for move in legal}
    text = _words(wanted if isinstance(wanted, str) else to_kif(wanted))
    if text in texts:
        return texts[text]
    near = difflib.get_close_matches(" ".join(text), [" ".join(each) for each in texts], n=1)
    guess = f"; did you mean {to_kif(texts[tuple(near[0].split())])}?" if near else ""
    shown = ", ".join(to_kif(move) for move in legal[:5]) + (", …" if len(legal) > 5 else "")
    found = wanted if isinstance(wanted, str) else to_kif(wanted)
    raise UsageError(f"{role} has no legal move {found!r}{guess} (legal: {shown})")


def read_moves(
    roles: Sequence[str], legal: Sequence[Sequence[Move]], wanted: Mapping[str, Move | str]
) -> tuple[Move, ...]:
    """Return the joint move in which roles make the moves that are wanted, and the others their only one.

    Raises:
        UsageError: There is no such role, or a role has a choice and nothing is wanted of it, or it has no such move.
    """
    for role in wanted:
        if role not in roles:
            raise UsageError(f"there is no role {role!r} (roles: {', '.join(roles)})")
    joint = []
    for role, moves in zip(roles, legal, strict=True):
        if not moves:
            raise UsageError(f"{role} has no legal move here: the match is over")
        if role in wanted:
            joint.append(find_move(wanted[role], moves, role))
        elif len(moves) == 1:
            joint.append(moves[0])
        else:
            raise UsageError(f"{role} has {len(moves)} legal moves here: say which one it makes")
    return tuple(joint)


def _words(text: str) -> tuple[str, ...]:
    """Return the words of a move, whatever its parentheses: `(f (g 1))` and `f g 1` are hardly ever both legal."""
    return tuple(text.lower().replace("(", " ").replace(")", " ").replace(",", " ").split())
