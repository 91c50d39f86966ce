"""Pickomino: eight dice, sixteen tiles, two piles."""

from __future__ import annotations

from typing import NamedTuple

from naive.direct.protocol import DirectGame

FACES = ("1", "2", "3", "4", "5", "worm")
TILES = range(21, 37)


def worms(tiles: tuple[int, ...]) -> int:
    """Return the worms on tiles: one on each of the first four, two on the next four, and so on."""
    return sum(1 + (tile - 21) // 4 for tile in tiles)


class Table(NamedTuple):
    """The tiles, and the turn that is being played.

    The piles of tiles end with their tops. `kept` has a pair of face and number for each face set aside, `throw` what
    is thrown so far or lies there to choose from, None once it has been chosen.
    """

    grill: frozenset[int] = frozenset(TILES)
    piles: tuple[tuple[int, ...], tuple[int, ...]] = ((), ())
    turns: int = 0
    kept: tuple[tuple[str, int], ...] = ()
    throw: tuple[str, ...] | None = ()

    @property
    def dice(self) -> int:
        """Return how many dice are not set aside."""
        return 8 - sum(number for _, number in self.kept)

    @property
    def total(self) -> int:
        """Return the value of the dice set aside."""
        return sum(number * (5 if face == "worm" else int(face)) for face, number in self.kept)


class Pickomino:
    """The game; the turn is told from the number of turns, the phase from the dice."""

    roles: tuple[str, ...] = ("ann", "ben", "random")

    def start(self) -> Table:
        return Table()

    def legal(self, position: Table, role: str) -> set[str]:
        throwing = position.throw is not None and len(position.throw) < position.dice
        if role != ("random" if throwing else self.roles[position.turns % 2]):
            return {"wait"}
        if throwing:
            if position.throw is not None and position.dice - len(position.throw) == 1:
                return {f"(throw_last {face})" for face in FACES}
            return {f"(throw {one} {other})" for one in FACES for other in FACES}
        if position.throw is not None:
            moves = {f"(keep {face})" for face in set(position.throw) - {face for face, _ in position.kept}}
        else:
            moves = {f"(take {tile})" for tile in self._offers(position)} | ({"roll"} if position.dice else set())
        return moves or {"fail"}

    def _offers(self, position: Table) -> set[int]:
        if all(face != "worm" for face, _ in position.kept):
            return set()
        other = position.piles[1 - position.turns % 2]
        offers = {tile for tile in other[-1:] if tile == position.total}
        return offers | set(sorted(tile for tile in position.grill if tile <= position.total)[-1:])

    def after(self, position: Table, moves: dict[str, str]) -> Table:
        if moves["random"] != "wait":
            thrown = moves["random"].strip("()").split()[1:]
            return position._replace(throw=(*(position.throw or ()), *thrown))
        player = position.turns % 2
        move = moves[self.roles[player]].strip("()").split()
        if move[0] == "keep":
            number = (position.throw or ()).count(move[1])
            return position._replace(kept=(*position.kept, (move[1], number)), throw=None)
        if move[0] == "roll":
            return position._replace(throw=())
        own, other = position.piles[player], position.piles[1 - player]
        grill = set(position.grill)
        if move[0] == "take":
            tile = int(move[1])
            own += (tile,)
            other = tuple(held for held in other if held != tile)
            grill.discard(tile)
        else:
            grill |= set(own[-1:])
            if own[-1:] != (max(grill),):
                grill.remove(max(grill))
            own = own[:-1]
        piles = (own, other) if player == 0 else (other, own)
        return Table(frozenset(grill), piles, position.turns + 1)

    def is_over(self, position: Table) -> bool:
        return not position.grill or position.turns == 40

    def goal(self, position: Table, role: str) -> int:
        if position.piles == ((), ()):
            return 50
        ann, ben = ((worms(pile), max(pile, default=0)) for pile in position.piles)
        return 100 if (ann > ben) == (role == "ann") else 0


GAME: DirectGame = Pickomino()
