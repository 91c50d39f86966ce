"""An evaluation as dictionaries: weights of fluents, families, pairs and patterns, and steps down the slope."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

from woodstock.search.evaluation import (
    FAMILY_RATE,
    FIRST_SQUARE,
    FIRST_SQUARE_OF_MANY,
    PAIR_RATE,
    PATTERN_RATE,
    PULL,
    RATE,
)

Feature = tuple[int | str, ...]
"""Nothing for the constant, a fluent, a pair of fluents, or the name of what has a weight, first its sort: that of a
family, or a pattern's own or common to its kind, and how many members hold."""
RATES = {"constant": RATE, "fluent": RATE, "pair": PAIR_RATE, "family": FAMILY_RATE, "slot": PATTERN_RATE}
FIRST_SQUARES = {"pair": FIRST_SQUARE_OF_MANY, "family": FIRST_SQUARE_OF_MANY}


def sort_of(feature: Feature) -> str:
    """Return what sort of feature it is."""
    if feature and isinstance(feature[0], str):
        return "family" if feature[0] == "family" else "slot"
    return ("constant", "fluent", "pair")[len(feature)]


@dataclass(frozen=True)
class NaivePattern:
    """Members, the fluents that bar it, and its kind."""

    name: str
    kind: str
    members: tuple[frozenset[int], ...]
    bars: frozenset[int] = frozenset()

    def num_met(self, held: set[int]) -> int:
        return 0 if held & self.bars else sum(bool(held & member) for member in self.members)


class NaiveEvaluation:
    """The evaluation of one role."""

    def __init__(self, patterns: Iterable[NaivePattern] = (), families: Iterable[tuple[int, ...]] = ()) -> None:
        self.patterns = list(patterns)
        self.families = list(families)
        self.weights: dict[Feature, float] = {}
        self.squares: dict[Feature, float] = {}

    def features(self, fluents: Iterable[int]) -> Counter[Feature]:
        held = sorted(fluents)
        found: Counter[Feature] = Counter([(), *((fluent,) for fluent in held), *combinations(held, 2)])
        for number, family in enumerate(self.families):
            found["family", number] += len(set(family) & set(held))
        for pattern in self.patterns:
            num = pattern.num_met(set(held))
            if num:
                found.update([("own", pattern.name, num), ("common", pattern.kind, num)])
        return found

    def log_odds(self, fluents: Iterable[int]) -> float:
        return sum(num * self.weights.get(feature, 0.0) for feature, num in self.features(fluents).items())

    def learn(self, fluents: Iterable[int], target: float) -> None:
        held = list(fluents)
        slope = 1 / (1 + math.exp(-self.log_odds(held))) - target
        for feature, num in self.features(held).items():
            if sort_of(feature) == "family":
                self.step(feature, slope, num)
            else:
                self.step(feature, num * slope)

    def step(self, feature: Feature, slope: float, num: int = 1) -> None:
        """Go down the slope, so many times as far, but the square of the way counts once."""
        if num == 0:
            return
        weight, sort = self.weights.get(feature, 0.0), sort_of(feature)
        own = slope + PULL * weight if sort == "fluent" else slope
        square = self.squares.get(feature, FIRST_SQUARES.get(sort, FIRST_SQUARE)) + own * own
        self.squares[feature] = square
        self.weights[feature] = weight - RATES[sort] * num * own / math.sqrt(square)
