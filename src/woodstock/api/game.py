"""Games as a Python program meets them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import sqrt
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, Final

from woodstock.common.errors import UsageError
from woodstock.draw import scout
from woodstock.game.load import find_game, load_rules, playable_rules
from woodstock.game.protocol import Fluent, Game, goal
from woodstock.game.walk import iter_playout
from woodstock.gdl.rules import Rules
from woodstock.gdl.sheet import read_sheet
from woodstock.gdl.source import SourceText
from woodstock.match import Match, MatchSetup, play_match, seats
from woodstock.players import Clocks, Player, make_player
from woodstock.players.loading import hides_information, prepare_game

if TYPE_CHECKING:
    from woodstock.api.position import PlayedPosition

HORIZON: Final = 10_000
"""Most joint moves of a playout."""


def load(source: str | Path, *, repair: bool = False) -> LoadedGame:
    """Load a game.

    Args:
        source: The name of a bundled game, the path of a rule sheet or of a folder with one, or rules as a text, in
            KIF or in infix notation.
        repair: Bind unbound variables that stand for a role first.

    Raises:
        UsageError: There is no such game.
        GdlError: The rules have errors; the message lists them all.
    """
    text = str(source)
    if isinstance(source, str) and _is_rules(text):
        return LoadedGame("rules", playable_rules(read_sheet(SourceText(text, "<rules>")), repair))
    return LoadedGame(text, load_rules(text, repair), find_game(text).title)


def _is_rules(text: str) -> bool:
    """Tell rules from names and paths: these have several lines, or parentheses and a role."""
    return "\n" in text.strip() or ("role" in text and "(" in text)


@dataclass(frozen=True, slots=True)
class PlayoutSummary:
    """What came of random playouts from a position.

    Attributes:
        count: How many there were.
        goals: Mean goal of each role, by name; nature is left out.
        margins: Half the width of the 95 % confidence interval of each mean.
        length: Mean number of joint moves.
        cut: How many were cut because they took too long or because a role had no move.
    """

    count: int
    goals: dict[str, float]
    margins: dict[str, float]
    length: float
    cut: int


class LoadedGame:
    """A game: its rules, ready to be looked at and played.

    Args:
        name: What it is called.
        rules: Its rules.
        title: What people call it; the name, if nothing else is said.

    Attributes:
        name: What it was loaded by.
        title: What people call it.
        rules: Its rules.
    """

    def __init__(self, name: str, rules: Rules, title: str | None = None) -> None:
        self.name = name
        self.title = title or name
        self.rules = rules

    @property
    def roles(self) -> tuple[str, ...]:
        """Names of the roles, in the order of the rules."""
        return self.rules.roles

    @property
    def players(self) -> tuple[str, ...]:
        """Names of the roles that somebody plays: all but nature's, `random`."""
        return tuple(self.roles[role] for role in seats(self.roles))

    @cached_property
    def reasoner(self) -> Game[Any]:
        """What answers questions about positions: a circuit, or the reference reasoner where rules do not ground."""
        return prepare_game(self.rules)

    @cached_property
    def is_hidden(self) -> bool:
        """Whether players may be in doubt about the position."""
        return hides_information(self.rules)

    @cached_property
    def start(self) -> PlayedPosition:
        """The position in which every match starts."""
        from woodstock.api.position import PlayedPosition

        return PlayedPosition(self, self.reasoner.initial_position())

    def position(self, fluents: Iterable[Fluent]) -> PlayedPosition:
        """Return the position in which just these fluents, as terms, are true."""
        from woodstock.api.position import PlayedPosition

        return PlayedPosition(self, self.reasoner.position_of(fluents))

    def match(
        self,
        *players: str | Player,
        clocks: Clocks | None = None,
        seed: int = 0,
        explain: bool = False,
    ) -> Match:
        """Play a match between players in this process.

        Args:
            players: One for each role that somebody plays, in the order of the rules: specs such as
                `uct:exploration=0.3`, or players of your own.
            clocks: How long they may think; a second a move if nothing is said.
            seed: What all random numbers are made from; matches under a clock of iterations are the same again.
            explain: Keep why moves were chosen.

        Raises:
            UsageError: There are not as many players as roles to play, or a spec names none.
        """
        if len(players) != len(self.players):
            names = ", ".join(self.players)
            raise UsageError(
                f"{self.name} has {len(self.players)} roles to play ({names}), found {len(players)} players"
            )
        made = [make_player(player) if isinstance(player, str) else player for player in players]
        setup = MatchSetup(
            self.rules,
            self.reasoner,
            [player if isinstance(player, str) else type(player).__name__ for player in players],
            seed=seed,
            clocks=clocks or Clocks(play=1.0),
            game_name=self.name,
            explain=explain,
        )
        return play_match(setup, made)

    def make_playouts(self, position: Any, count: int, seed: int) -> PlayoutSummary:
        """Make random playouts from a position of the reasoner."""
        from woodstock.circuit.game import CircuitGame

        if count < 1:
            raise UsageError(f"expected 1 playout or more, found {count}")
        game = self.reasoner
        if isinstance(game, CircuitGame) and not game.is_terminal(position):
            found = game.playouts([position], [count], seed=seed, horizon=HORIZON)
            sums, squares = found.goal_sums[0].tolist(), found.goal_squares[0].tolist()
            return self._summarise(count, sums, squares, int(found.moves[0]), int(found.cuts[0]))
        results = [_play_out(game, position, Random(f"{seed} {number}")) for number in range(count)]
        roles = range(len(self.roles))
        sums = [sum(goals[role] for goals, _, _ in results) for role in roles]
        squares = [sum(goals[role] ** 2 for goals, _, _ in results) for role in roles]
        return self._summarise(count, sums, squares, sum(each[1] for each in results), sum(each[2] for each in results))

    def _summarise(
        self, count: int, sums: Sequence[int], squares: Sequence[int], moves: int, cut: int
    ) -> PlayoutSummary:
        means, margins = {}, {}
        for role in seats(self.roles):
            mean = sums[role] / count
            means[self.roles[role]] = mean
            variance = max(0.0, squares[role] / count - mean * mean)
            margins[self.roles[role]] = 1.96 * sqrt(variance / count)
        return PlayoutSummary(count, means, margins, moves / count, cut)

    @cached_property
    def known_fluents(self) -> frozenset[Fluent]:
        """Fluents of some positions: they show how large a board is that begins empty."""
        return frozenset(scout(self.reasoner))

    def __repr__(self) -> str:
        return f"<{self.title}: {', '.join(self.roles)}>"


def _play_out(game: Game[Any], position: Any, random: Random) -> tuple[list[int], int, int]:
    """Return the goals of one random playout, its length, and 1 if it was cut."""
    steps = 0
    for steps, (reached, _) in enumerate(iter_playout(game, random, position)):
        position = reached
        if steps >= HORIZON:
            break
    goals = [goal(game, position, role) or 0 for role in range(len(game.roles))]
    return goals, steps, int(not game.is_terminal(position))
