"""Can't Stop for two players."""

from __future__ import annotations

from typing import NamedTuple

TOPS = {2: 3, 3: 5, 4: 7, 5: 9, 6: 11, 7: 13, 8: 11, 9: 9, 10: 7, 11: 5, 12: 3}

Heights = tuple[int, ...]
"""How high in each column, from 2 to 12."""


class Position(NamedTuple):
    """The camps of both, the climbers (None where there is none), the dice, and what is to be done."""

    camps: tuple[Heights, Heights] = ((0,) * 11, (0,) * 11)
    climbers: tuple[int | None, ...] = (None,) * 11
    dice: tuple[int, ...] = ()
    turn: int = 0
    deciding: bool = False
    turns: int = 0


def climb(position: Position, columns: tuple[int, ...]) -> Position | None:
    """Let climbers go up the columns one after the other; None if one of them cannot."""
    climbers = list(position.climbers)
    for column in columns:
        i, top = column - 2, TOPS[column]
        if any(camps[i] == top for camps in position.camps):
            return None
        height = climbers[i]
        if height is None:
            if sum(climber is not None for climber in climbers) == 3:
                return None
            height = position.camps[position.turn][i]
        if height == top:
            return None
        climbers[i] = height + 1
    return position._replace(climbers=tuple(climbers))


def choices(position: Position) -> dict[str, Position]:
    """Return what the player in turn can do with the dice."""
    a, b, c, d = position.dice
    found: dict[str, Position] = {}
    for sums in ((a + b, c + d), (a + c, b + d), (a + d, b + c)):
        low, high = sorted(sums)
        each = {column: climb(position, (column,)) for column in (low, high)}
        both = climb(position, (low, high))
        if low == high and both is None:
            both = each[low]
        if both is not None:
            found[f"(climb_both {low} {high})"] = both
        else:
            found |= {f"(climb {column})": after for column, after in each.items() if after is not None}
    return found


class CantStop:
    """The game; it is over after a hundred turns at the latest."""

    roles = ("ann", "ben", "random")

    def start(self) -> Position:
        return Position()

    def legal(self, position: Position, role: str) -> set[str]:
        if not position.deciding and len(position.dice) < 4:
            return {f"(throw {i} {j})" for i in range(1, 7) for j in range(1, 7)} if role == "random" else {"wait"}
        if role != self.roles[position.turn]:
            return {"wait"}
        if position.deciding:
            return {"go_on", "stop"}
        return set(choices(position)) or {"fall"}

    def after(self, position: Position, moves: dict[str, str]) -> Position:
        if not position.deciding and len(position.dice) < 4:
            faces = (int(word) for word in moves["random"].strip("()").split()[1:])
            return position._replace(dice=(*position.dice, *faces))
        move = moves[self.roles[position.turn]]
        if move == "go_on":
            return position._replace(deciding=False)
        if move in {"stop", "fall"}:
            camps = list(position.camps)
            if move == "stop":
                pairs = zip(position.climbers, camps[position.turn], strict=True)
                camps[position.turn] = tuple(camp if climber is None else climber for climber, camp in pairs)
            return Position((camps[0], camps[1]), turn=1 - position.turn, turns=position.turns + 1)
        return choices(position)[move]._replace(dice=(), deciding=True)

    def _owned(self, position: Position, player: int) -> int:
        return sum(camp == top for camp, top in zip(position.camps[player], TOPS.values(), strict=True))

    def is_over(self, position: Position) -> bool:
        return position.turns == 100 or max(self._owned(position, player) for player in (0, 1)) >= 3

    def goal(self, position: Position, role: str) -> int:
        own = self.roles.index(role)
        lead = self._owned(position, own) - self._owned(position, 1 - own)
        return 50 if lead == 0 else 100 if lead > 0 else 0


GAME = CantStop()
