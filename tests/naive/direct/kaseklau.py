"""Käseklau for two players, each card one cheese."""

from __future__ import annotations

from typing import NamedTuple


class Position(NamedTuple):
    """The cheese of the rooms, where the animals are (from 0), the booty, and what is to be done."""

    rooms: tuple[int, ...] = (6,) * 5
    cat: int = 0
    mouse: int = 2
    home: tuple[int, int] = (0, 0)
    booty: int = 0
    turn: int = 0
    deciding: bool = False
    throws: int = 0


class Kaseklau:
    """The game; it is over after a hundred throws at the latest."""

    roles = ("ann", "ben", "random")

    def start(self) -> Position:
        return Position()

    def legal(self, position: Position, role: str) -> set[str]:
        if position.deciding:
            return {"go_on", "stop"} if role == self.roles[position.turn] else {"wait"}
        return {f"(throw {i} {j})" for i in (1, 2, 3) for j in (1, 2, 3)} if role == "random" else {"wait"}

    def after(self, position: Position, moves: dict[str, str]) -> Position:
        turn, rooms = position.turn, position.rooms
        if position.deciding:
            if moves[self.roles[turn]] == "go_on":
                return position._replace(deciding=False)
            home = list(position.home)
            home[turn] += position.booty
            return position._replace(home=(home[0], home[1]), booty=0, turn=1 - turn, deciding=False)
        _, for_cat, for_mouse = moves["random"].strip("()").split()
        cat, mouse = (position.cat + int(for_cat)) % 5, (position.mouse + int(for_mouse)) % 5
        moved = position._replace(cat=cat, mouse=mouse, throws=position.throws + 1)
        if cat == mouse:
            return moved._replace(booty=0, turn=1 - turn)
        if rooms[mouse]:
            rooms = (*rooms[:mouse], rooms[mouse] - 1, *rooms[mouse + 1 :])
            return moved._replace(rooms=rooms, booty=position.booty + 1, deciding=True)
        return moved._replace(deciding=True)

    def is_over(self, position: Position) -> bool:
        return position.rooms.count(0) >= 3 or position.throws == 100

    def goal(self, position: Position, role: str) -> int:
        total = list(position.home)
        total[position.turn] += position.booty
        own = self.roles.index(role)
        if total[0] == total[1]:
            return 50
        return 100 if total[own] > total[1 - own] else 0


GAME = Kaseklau()
