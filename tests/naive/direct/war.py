"""War with ten cards; the winner of a battle chooses how the cards go under the pile."""

from __future__ import annotations

from typing import NamedTuple

from naive.direct.protocol import DirectGame

Pile = tuple[int, ...]

RANKS, BATTLES = 5, 20
DECK = tuple((rank, colour) for rank in range(1, RANKS + 1) for colour in ("red", "black"))


class Cards(NamedTuple):
    """The deck, then the piles and the cards on the table, North's before South's, and the battles fought."""

    deck: tuple[tuple[int, str], ...] = DECK
    piles: tuple[Pile, Pile] = ((), ())
    table: tuple[Pile, Pile] = ((), ())
    battles: int = 0

    @property
    def winner(self) -> int | None:
        """Return who has to collect the table, None if the last cards on it are equal."""
        if not self.table[0] or self.table[0][-1] == self.table[1][-1]:
            return None
        return 0 if self.table[0][-1] > self.table[1][-1] else 1


class War:
    """Deal, then battles; equal cards wait on the table for the next battle."""

    roles: tuple[str, ...] = ("north", "south", "random")

    def start(self) -> Cards:
        return Cards()

    def legal(self, position: Cards, role: str) -> set[str]:
        if position.deck:
            return {f"(deal {rank} {colour})" for rank, colour in position.deck} if role == "random" else {"wait"}
        if role == "random":
            return {"wait"}
        if position.winner is None:
            return {"turn_up"}
        if self.roles[position.winner] != role:
            return {"wait"}
        return {"(collect own_first)", "(collect foe_first)"}

    def after(self, position: Cards, moves: dict[str, str]) -> Cards:
        north, south = position.piles
        if position.deck:
            _, rank, colour = moves["random"].strip("()").split()
            card = (int(rank), colour)
            deck = tuple(other for other in position.deck if other != card)
            dealt_to_north = len(position.deck) % 2 == 0
            piles = ((*north, card[0]), south) if dealt_to_north else (north, (*south, card[0]))
            return position._replace(deck=deck, piles=piles)
        winner = position.winner
        if winner is None:
            table = ((*position.table[0], north[0]), (*position.table[1], south[0]))
            return position._replace(piles=(north[1:], south[1:]), table=table, battles=position.battles + 1)
        own, foe = position.table[winner], position.table[1 - winner]
        gained = own + foe if "own" in moves[self.roles[winner]] else foe + own
        piles = (north + gained, south) if winner == 0 else (north, south + gained)
        return position._replace(piles=piles, table=((), ()))

    def is_over(self, position: Cards) -> bool:
        if position.deck or position.winner is not None:
            return False
        return position.battles == BATTLES or () in position.piles

    def goal(self, position: Cards, role: str) -> int:
        own = self.roles.index(role)
        lead = len(position.piles[own]) - len(position.piles[1 - own])
        return 100 if lead > 0 else 0 if lead < 0 else 50

    def sees(self, position: Cards, moves: dict[str, str], role: str) -> set[str]:
        if position.deck:
            return set()
        if position.winner is None:
            return {f"(turned_up {name} {pile[0]})" for name, pile in zip(self.roles, position.piles, strict=False)}
        name = self.roles[position.winner]
        return {f"(collected {name} {moves[name][9:-1]})"}


GAME: DirectGame = War()
