"""Guesses: one search cannot see the position, so several are made from positions that it may be, and joined."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

from woodstock.game.protocol import Move
from woodstock.search.explanation import Candidate, Explanation


def join_explanations(found: Sequence[Explanation], weights: Sequence[float]) -> Explanation:
    """Return the mean of what searches from several positions say, the best move first.

    A move is proven only if it is so in all of them, and to the same value. A search that did not look at a move counts
    it as worth what its moves are worth on the average.

    Args:
        found: What the searches say, at least one.
        weights: How likely their positions are, in any unit.
    """
    moves: list[Move] = list(dict.fromkeys(each.move for item in found for each in item.candidates))
    known = [{each.move: each for each in item.candidates} for item in found]
    shares = [weight / sum(weights) for weight in weights]
    joined = sorted((_join(move, known, shares) for move in moves), key=lambda each: -(each.value or 0.0))
    statistics: dict[str, float | int | str] = {"positions": len(found)}
    for item in found:
        for name, value in item.statistics.items():
            if isinstance(value, int | float):
                before = statistics.get(name, 0)
                statistics[name] = value + before if isinstance(before, int | float) else value
    return Explanation(found[0].role, tuple(joined), (), found[0].roles, statistics)


def _join(move: Move, known: Sequence[dict[Move, Candidate]], shares: Sequence[float]) -> Candidate:
    values, variance = [], 0.0
    for item, share in zip(known, shares, strict=True):
        candidate = item.get(move)
        if candidate is None or candidate.value is None:
            others = [each.value for each in item.values() if each.value is not None]
            values.append(sum(others) / len(others) if others else 0.0)
        else:
            values.append(candidate.value)
            variance += (share * (candidate.margin or 0.0)) ** 2
    same = [item[move] for item in known if move in item]
    proven = len(same) == len(known) and all(each.proven for each in same) and max(values) == min(values)
    mean = sum(share * value for share, value in zip(shares, values, strict=True))
    return Candidate(move, mean, sqrt(variance), sum(each.visits for each in same), proven)
