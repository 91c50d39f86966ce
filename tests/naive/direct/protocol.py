"""What a direct program of a game offers, so that a rule sheet can be compared with it on random walks."""

from __future__ import annotations

from typing import Any, Protocol


class DirectGame(Protocol):
    """A game as a program; positions are whatever the program likes, as long as they are never changed."""

    roles: tuple[str, ...]
    """The roles in the order of the rule sheet, `random` among them."""

    def start(self) -> Any:
        """Return the first position."""

    def legal(self, position: Any, role: str) -> set[str]:
        """Return the legal moves of a role in a position that is not over, as the sheet writes them in KIF."""

    def after(self, position: Any, moves: dict[str, str]) -> Any:
        """Return the position after a joint move."""

    def is_over(self, position: Any) -> bool:
        """Tell whether the match is over."""

    def goal(self, position: Any, role: str) -> int:
        """Return the goal of a role, not `random`, at the end."""

    # A game with hidden information also has:
    # def sees(self, position, moves: dict[str, str], role: str) -> set[str]: what a role sees after the joint move
