"""Traits: what kind of game it is, as data, each trait proved or sampled and saying which.

A trait is *proved* if it follows from the rules, if all positions of the game were seen, or if one position is enough
to show it (two roles that choose at once prove simultaneous moves). Else it is *sampled*: it held in so many positions.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean
from typing import Any, Generic, TypeVar

from woodstock.game import statics
from woodstock.game.protocol import Game
from woodstock.game.survey import Survey, SurveyLimits, survey
from woodstock.gdl.keywords import RANDOM
from woodstock.gdl.rules import Rules

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Trait(Generic[T]):
    """A property of a game and how it is known.

    Attributes:
        value: The property; None if nothing is known about it.
        proved: It is certain; else it was sampled.
        positions: Positions that a sampled trait was seen in.
    """

    value: T
    proved: bool = True
    positions: int = 0

    def __str__(self) -> str:
        if self.value is None:
            return "unknown"
        text = {True: "yes", False: "no"}[self.value] if isinstance(self.value, bool) else str(self.value)
        return f"{text} (proved)" if self.proved else f"{text} (sampled, {self.positions} positions)"

    def to_json(self) -> dict[str, Any]:
        return {"value": self.value, "proved": self.proved, "positions": self.positions}


@dataclass(frozen=True, slots=True)
class PlayStatistics:
    """Lengths and branching in random playouts.

    Attributes:
        playouts: Playouts that ended.
        unfinished: Playouts that were cut: they count for the branching only.
        mean_length: Average number of joint moves; None without playouts.
        max_length: The most joint moves.
        mean_branching: Average number of joint moves to choose from.
        max_branching: The most joint moves to choose from.
    """

    playouts: int
    unfinished: int
    mean_length: float | None
    max_length: int | None
    mean_branching: float | None
    max_branching: int


@dataclass(frozen=True, slots=True)
class Traits:
    """What kind of game it is. Players are all roles but `random`.

    Attributes:
        num_roles: Number of roles, `random` included.
        num_players: Number of players.
        one_player: There is one player: a puzzle, or a game against chance.
        chance: There is a role `random`.
        simultaneous: Two players have a choice in one position.
        turn_taking: Never have two roles, `random` included, a choice in one position. A player that moves while the
            dice roll takes no turn, though nobody moves simultaneously with it.
        hidden_information: A player can be in doubt about the position.
        shared_information: There is hidden information, and the players, several, are always shown the same.
        constant_sum: There are several players, and their goals always add up to the same at the end, which makes the
            game equivalent to a zero-sum one.
        goal_sum: What they add up to; None if that is not constant or if there is one player.
        cooperative: There are several players, and they always have the same goal at the end.
        num_positions: Number of positions; None if they were not all seen.
        statistics: Lengths and branching, sampled.
    """

    num_roles: Trait[int]
    num_players: Trait[int]
    one_player: Trait[bool]
    chance: Trait[bool]
    simultaneous: Trait[bool]
    turn_taking: Trait[bool]
    hidden_information: Trait[bool]
    shared_information: Trait[bool]
    constant_sum: Trait[bool | None]
    goal_sum: Trait[int | None]
    cooperative: Trait[bool | None]
    num_positions: Trait[int | None]
    statistics: PlayStatistics


def find_traits(rules: Rules, game: Game[Any], limits: SurveyLimits | None = None, seed: int = 0) -> Traits:
    """Prove the traits of a game where that is possible within the limits, and sample the others."""
    percepts = statics.has_percept_rules(rules)
    return _conclude(rules, survey(game, limits or SurveyLimits(), percepts, seed))


def _conclude(rules: Rules, seen: Survey) -> Traits:
    num_players = len(statics.players(rules))
    several = num_players > 1
    goal_sum: Trait[int | None] = _goal_sum(rules, seen) if several else Trait(None)
    return Traits(
        num_roles=Trait(len(rules.roles)),
        num_players=Trait(num_players),
        one_player=Trait(num_players == 1),
        chance=Trait(RANDOM in rules.roles),
        simultaneous=_exists(seen.most_players_choosing > 1, num_players < 2 or seen.exhaustive, seen),
        turn_taking=_never(seen.most_choosing > 1, len(rules.roles) < 2 or seen.exhaustive, seen),
        hidden_information=_hidden(rules, seen),
        shared_information=_shared(rules, seen),
        constant_sum=_constant_sum(goal_sum) if several else Trait(False),
        goal_sum=goal_sum,
        cooperative=_cooperative(rules, seen) if several else Trait(False),
        num_positions=Trait(seen.positions) if seen.exhaustive else Trait(None, False, seen.positions),
        statistics=_statistics(seen),
    )


def _exists(witnessed: bool, excluded: bool, seen: Survey) -> Trait[bool]:
    """Something that one position can prove, and only all positions, or the rules, can disprove."""
    return Trait(True) if witnessed else Trait(False, excluded, 0 if excluded else seen.positions)


def _never(witnessed: bool, excluded: bool, seen: Survey) -> Trait[bool]:
    """The opposite of something that one position can prove."""
    found = _exists(witnessed, excluded, seen)
    return Trait(not found.value, found.proved, found.positions)


def _hidden(rules: Rules, seen: Survey) -> Trait[bool]:
    everything_seen = seen.exhaustive and seen.percepts_complete
    return _exists(seen.hidden, statics.shows_all_moves(rules) or everything_seen, seen)


def _shared(rules: Rules, seen: Survey) -> Trait[bool]:
    hidden = _hidden(rules, seen)
    if len(statics.players(rules)) < 2 or not hidden.value:
        return Trait(False, len(statics.players(rules)) < 2 or hidden.proved, hidden.positions)
    everything_seen = seen.exhaustive and seen.percepts_complete
    return _never(seen.unshared, statics.percepts_are_shared(rules) or everything_seen, seen)


def _constant_sum(goal_sum: Trait[int | None]) -> Trait[bool | None]:
    if goal_sum.value is None and not goal_sum.proved:
        return Trait(None, False)
    return Trait(goal_sum.value is not None, goal_sum.proved, goal_sum.positions)


def _goal_sum(rules: Rules, seen: Survey) -> Trait[int | None]:
    if len(seen.goal_sums) > 1:
        return Trait(None)
    if (proved := statics.constant_goal_sum(rules)) is not None:
        return Trait(proved)
    if not seen.goal_sums:
        return Trait(None, False)
    return Trait(next(iter(seen.goal_sums)), seen.exhaustive, 0 if seen.exhaustive else seen.terminals)


def _cooperative(rules: Rules, seen: Survey) -> Trait[bool | None]:
    if seen.goals_differ:
        return Trait(False)
    if statics.goals_are_equal(rules):
        return Trait(True)
    if not seen.terminals:
        return Trait(None, False)
    return Trait(True, seen.exhaustive, 0 if seen.exhaustive else seen.terminals)


def _statistics(seen: Survey) -> PlayStatistics:
    return PlayStatistics(
        playouts=len(seen.lengths),
        unfinished=seen.unfinished,
        mean_length=fmean(seen.lengths) if seen.lengths else None,
        max_length=max(seen.lengths, default=None),
        mean_branching=seen.branching_total / seen.branching_positions if seen.branching_positions else None,
        max_branching=seen.branching_max,
    )
