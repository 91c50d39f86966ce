"""Leduc Poker: the table as cards and the actions of each round."""

from __future__ import annotations

from typing import NamedTuple

from naive.direct.protocol import DirectGame

CARDS = [f"{colour}_{rank}" for rank in ("jack", "queen", "king") for colour in ("red", "black")]
RAISE = (2, 4)


def strength(card: str, common: str) -> int:
    """Return how good a card is beside the common one: pairs above all."""
    place = CARDS.index(card) // 2
    return 10 if place == CARDS.index(common) // 2 else place


def closed(actions: tuple[str, ...]) -> bool:
    """Tell whether a round of betting is over."""
    return actions[-1:] in (("call",), ("fold",)) or actions == ("check", "check")


class Table(NamedTuple):
    """Cards by the order of dealing (Ann, Ben, common) and what was done in each round."""

    cards: tuple[str, ...] = ()
    first: tuple[str, ...] = ()
    second: tuple[str, ...] = ()


class LeducPoker:
    """Two rounds; Ann opens both, so actions alternate from her."""

    roles: tuple[str, ...] = ("ann", "ben", "random")

    def start(self) -> Table:
        return Table()

    def _turn(self, position: Table) -> str:
        actions = position.first if len(position.cards) < 3 else position.second
        if not position.cards or closed(actions):
            return "random"
        return self.roles[len(actions) % 2]

    def legal(self, position: Table, role: str) -> set[str]:
        if role != self._turn(position):
            return {"wait"}
        if role == "random":
            left = [card for card in CARDS if card not in position.cards]
            if position.cards:
                return {f"(turn_up {card})" for card in left}
            return {f"(deal {one} {other})" for one in left for other in left if one != other}
        actions = position.first if len(position.cards) == 2 else position.second
        raises = actions.count("raise")
        allowed = {"call", "fold"} if raises else {"check"}
        return allowed | {"raise"} if raises < 2 else allowed

    def after(self, position: Table, moves: dict[str, str]) -> Table:
        turn = self._turn(position)
        if turn == "random":
            return position._replace(cards=position.cards + tuple(moves["random"].strip("()").split()[1:]))
        if len(position.cards) == 2:
            return position._replace(first=(*position.first, moves[turn]))
        return position._replace(second=(*position.second, moves[turn]))

    def is_over(self, position: Table) -> bool:
        return "fold" in position.first or closed(position.second)

    def _paid(self, position: Table) -> list[int]:
        """Return what Ann and Ben have put in: a raise tops the other, a call evens."""
        paid = [1, 1]
        for size, actions in zip(RAISE, (position.first, position.second), strict=True):
            for number, action in enumerate(actions):
                player = number % 2
                if action == "raise":
                    paid[player] = paid[1 - player] + size
                elif action == "call":
                    paid[player] = paid[1 - player]
        return paid

    def goal(self, position: Table, role: str) -> int:
        player = self.roles.index(role)
        paid = self._paid(position)
        actions = position.second if len(position.cards) == 3 else position.first
        if actions[-1:] == ("fold",):
            lost = (len(actions) - 1) % 2 == player
        else:
            own, other = (strength(position.cards[owner], position.cards[2]) for owner in (player, 1 - player))
            if own == other:
                return 50
            lost = own < other
        return 50 - 3 * paid[player] if lost else 50 + 3 * paid[1 - player]

    def sees(self, position: Table, moves: dict[str, str], role: str) -> set[str]:
        turn = self._turn(position)
        if turn != "random":
            return {f"(did {turn} {moves[turn]})"}
        shown = moves["random"].strip("()").split()
        if shown[0] == "turn_up":
            return {f"(turned_up {shown[1]})"}
        return {f"(dealt {shown[1 + self.roles.index(role)]})"}


GAME: DirectGame = LeducPoker()
