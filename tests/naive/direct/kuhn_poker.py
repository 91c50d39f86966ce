"""Kuhn Poker, by the history of its betting."""

from __future__ import annotations

from typing import NamedTuple

from naive.direct.protocol import DirectGame

CARDS = ("jack", "queen", "king")
PAYS = {"check check": 1, "bet call": 2, "check bet call": 2}
FOLDED_BY = {"bet fold": "ben", "check bet fold": "ann"}


class Deal(NamedTuple):
    """The cards of Ann and Ben, and what was done since, in one text."""

    ann: str = ""
    ben: str = ""
    history: str = ""


class KuhnPoker:
    """Three cards, an ante of one chip, one bet of one chip."""

    roles: tuple[str, ...] = ("ann", "ben", "random")

    def start(self) -> Deal:
        return Deal()

    def _turn(self, position: Deal) -> str:
        if not position.ann:
            return "random"
        return "ann" if position.history in ("", "check bet") else "ben"

    def legal(self, position: Deal, role: str) -> set[str]:
        if role != self._turn(position):
            return {"wait"}
        if role == "random":
            return {f"(deal {first} {second})" for first in CARDS for second in CARDS if first != second}
        return {"call", "fold"} if position.history.endswith("bet") else {"check", "bet"}

    def after(self, position: Deal, moves: dict[str, str]) -> Deal:
        move = moves[self._turn(position)]
        if not position.ann:
            _, ann, ben = move.strip("()").split()
            return Deal(ann, ben)
        return position._replace(history=f"{position.history} {move}".strip())

    def is_over(self, position: Deal) -> bool:
        return position.history in PAYS or position.history in FOLDED_BY

    def goal(self, position: Deal, role: str) -> int:
        if position.history in FOLDED_BY:
            chips = -1 if FOLDED_BY[position.history] == role else 1
        else:
            ann_wins = CARDS.index(position.ann) > CARDS.index(position.ben)
            chips = PAYS[position.history] * (1 if ann_wins == (role == "ann") else -1)
        return 50 + 25 * chips

    def sees(self, position: Deal, moves: dict[str, str], role: str) -> set[str]:
        turn = self._turn(position)
        if turn != "random":
            return {f"(did {turn} {moves[turn]})"}
        cards = moves["random"].strip("()").split()
        return {f"(dealt {cards[1 + self.roles.index(role)]})"}


GAME: DirectGame = KuhnPoker()
