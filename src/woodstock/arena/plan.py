"""Plans of duels: which matches are played, who sits where, and from which seeds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Final

from woodstock.common.errors import UsageError
from woodstock.game import statics
from woodstock.game.load import find_game, playable_rules
from woodstock.games import bundled_game, is_bundled
from woodstock.gdl.rules import Rules
from woodstock.gdl.sheet import read_sheet
from woodstock.gdl.source import SourceText
from woodstock.match import MAX_STEPS
from woodstock.players import Clocks, make_player
from woodstock.players.registry import split_spec

MAX_SEED: Final = 2**48
"""Seeds of matches are below this, which every reader of JSON understands exactly."""

FIRST: Final = 0
SECOND: Final = 1
CONTESTANTS: Final = ("first", "second")
"""The two that meet in a duel, by their place in `DuelPlan.players`."""


@dataclass(frozen=True, slots=True, order=True)
class Play:
    """One play of the game; a match is one of them, or one by each contestant.

    Attributes:
        match: Number of the match, from 0.
        seed: What its random numbers are made from.
        seating: Who plays each seat: `FIRST` or `SECOND`.
    """

    match: int
    seed: int
    seating: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class DuelPlan:
    """What is played in a duel; the same plan always gives the same matches, if the players count iterations.

    With two seats, the contestants exchange them from match to match. With more, the first contestant takes each seat
    in turn, and the second one all others, with a player of its own for each. The matches of such a round, in which
    the first contestant sits once in every seat, have the same seed.

    Where they play *separately*, a match is two plays from one seed: in one the first contestant has all seats, in the
    other the second. Games with one seat are always played so; for cooperative ones nothing else makes sense.

    Attributes:
        game: What the game is called: a bundled name or a path.
        source: Its rule sheet.
        players: The specs of both contestants.
        matches: How many matches to play.
        clocks: How long players may think.
        seed: What the seeds of all matches are made from.
        separate: Whether they play separately.
        repair: Whether to bind unbound variables that stand for a role.
        record: The folder for the records of the matches; None to write none.
        max_steps: When a match is cut.
    """

    game: str
    source: SourceText
    players: tuple[str, str]
    matches: int
    clocks: Clocks = field(default_factory=Clocks)
    seed: int = 0
    separate: bool = False
    repair: bool = False
    record: Path | None = None
    max_steps: int = MAX_STEPS

    def check(self, report: Callable[[str], None] | None = None) -> None:
        """Find out now what would else go wrong in every match.

        Args:
            report: Called with a line about each repair of the rules.

        Raises:
            UsageError: There is no such player, or it cannot play a duel, or there is nothing to play.
            GdlError: The sheet has errors.
        """
        if self.matches < 1:
            raise UsageError(f"expected at least 1 match, found {self.matches}")
        for spec in self.players:
            if split_spec(spec)[0] == "human":
                raise UsageError("a person cannot play a duel, which goes on in other processes: try 'woodstock play'")
            make_player(spec)
        if report is not None:
            playable_rules(read_sheet(self.source), self.repair, report)
        if not self.seats:
            raise UsageError(f"{self.game} has no role to play")

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        return read_rules(self.source.text, self.source.name, self.repair)

    @property
    def seats(self) -> tuple[str, ...]:
        """Names of the roles that need a player."""
        return statics.players(self.rules)

    @property
    def is_separate(self) -> bool:
        """Whether the contestants play separately."""
        return self.separate or len(self.seats) == 1

    @property
    def num_plays(self) -> int:
        """How often the game is played."""
        return 2 * self.matches if self.is_separate else self.matches

    def plays(self) -> list[Play]:
        """Return all plays, match by match."""
        seats = len(self.seats)
        if self.is_separate:
            sides = (FIRST, SECOND)
            return [Play(n, self.seed_of(n), (side,) * seats) for n in range(self.matches) for side in sides]
        return [Play(n, self.seed_of(n // seats), _seating(n % seats, seats)) for n in range(self.matches)]

    def record_of(self, play: Play) -> Path | None:
        """Return the file for the record of a play, if there is to be one."""
        if self.record is None:
            return None
        who = f"-{CONTESTANTS[play.seating[0]]}" if self.is_separate else ""
        return self.record / f"{play.match + 1:0{len(str(self.matches))}}{who}.json"

    def seed_of(self, number: int) -> int:
        """Return the seed of a round of matches that differ in who sits where alone."""
        return Random(f"{self.seed} duel {number}").randrange(MAX_SEED)


def make_plan(
    game: str, players: tuple[str, str], matches: int, clocks: Clocks, seed: int = 0, repair: bool = False
) -> DuelPlan:
    """Return the plan of a duel in a game that is named; `dataclasses.replace` sets the rest.

    The contestants play separately if the game is cooperative.

    Raises:
        UsageError: There is no such game, or its sheet cannot be read.
        GdlError: The sheet has errors.
    """
    plan = DuelPlan(game, find_game(game).source, players, matches, clocks, seed, repair=repair)
    return replace(plan, separate=is_cooperative(plan))


def is_cooperative(plan: DuelPlan) -> bool:
    """Tell whether all seats always have the same goal, as far as the rules prove it or the catalogue says so.

    What is not known may be so all the same: then all matches of a duel end in draws.
    """
    if is_bundled(plan.game) and bundled_game(plan.game).traits.get("cooperative", False):
        return True
    return statics.goals_are_equal(plan.rules)


@lru_cache(maxsize=8)
def read_rules(text: str, name: str, repair: bool) -> Rules:
    """Return the rules of a sheet; a plan is sent to workers with every play, and its rules are not."""
    return playable_rules(read_sheet(SourceText(text, name)), repair, lambda _: None)


def _seating(seat: int, seats: int) -> tuple[int, ...]:
    """Return who plays each seat if the first contestant has one of them."""
    return tuple(FIRST if place == seat else SECOND for place in range(seats))
