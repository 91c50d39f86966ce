"""An evaluation as dictionaries: weights of fluents, of pairs and of patterns, and steps down the slope."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

from woodstock.search.evaluation import FIRST_SQUARE, PAIR_RATE, PATTERN_RATE, PULL, RATE

RATES = (RATE, RATE, PAIR_RATE, PATTERN_RATE)
Feature = tuple[int | str, ...]
"""Nothing for the constant, a fluent, a pair of fluents, or a pattern's name or kind and how many members hold."""


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

    def __init__(self, patterns: Iterable[NaivePattern] = ()) -> None:
        self.patterns = list(patterns)
        self.weights: dict[Feature, float] = {}
        self.squares: dict[Feature, float] = {}

    def features(self, fluents: Iterable[int]) -> Counter[Feature]:
        held = sorted(fluents)
        found: Counter[Feature] = Counter([(), *((fluent,) for fluent in held), *combinations(held, 2)])
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
            self.step(feature, num * slope)

    def step(self, feature: Feature, slope: float) -> None:
        weight = self.weights.get(feature, 0.0)
        own = slope + PULL * weight if len(feature) == 1 else slope
        square = self.squares.get(feature, FIRST_SQUARE) + own * own
        self.squares[feature] = square
        self.weights[feature] = weight - RATES[len(feature)] * own / math.sqrt(square)
