"""An evaluation as dictionaries: weights of fluents and of pairs, and steps down the slope."""

from __future__ import annotations

import math
from collections.abc import Iterable
from itertools import combinations

from woodstock.search.evaluation import FIRST_SQUARE, PAIR_RATE, PULL, RATE

Feature = tuple[int, ...]
"""Nothing for the constant, a fluent, or a pair of fluents."""


class NaiveEvaluation:
    """The evaluation of one role."""

    def __init__(self) -> None:
        self.weights: dict[Feature, float] = {}
        self.squares: dict[Feature, float] = {}

    @staticmethod
    def features(fluents: Iterable[int]) -> list[Feature]:
        held = sorted(fluents)
        return [(), *((fluent,) for fluent in held), *combinations(held, 2)]

    def log_odds(self, fluents: Iterable[int]) -> float:
        return sum(self.weights.get(feature, 0.0) for feature in self.features(fluents))

    def learn(self, fluents: Iterable[int], target: float) -> None:
        held = list(fluents)
        slope = 1 / (1 + math.exp(-self.log_odds(held))) - target
        for feature in self.features(held):
            weight = self.weights.get(feature, 0.0)
            own = slope + PULL * weight if len(feature) == 1 else slope
            square = self.squares.get(feature, FIRST_SQUARE) + own * own
            self.squares[feature] = square
            self.weights[feature] = weight - (PAIR_RATE if len(feature) == 2 else RATE) * own / math.sqrt(square)
