"""Policies with what they are worth: which of them to keep, and how to join them after a draw."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from woodstock.cp.solver import Status
from woodstock.scsp.policy import Policy
from woodstock.scsp.stochastic import StochasticNetwork


class Valued(NamedTuple):
    """A policy, and what each player expects from it."""

    utilities: tuple[Fraction, ...]
    policy: Policy


class Policies(NamedTuple):
    """What a search for policies found.

    Attributes:
        found: Feasible policies.
        status: Whether the search ended by itself; if not, others may be missing.
    """

    found: tuple[Valued, ...]
    status: Status


Keep = Callable[[list[Valued]], list[Valued]]
"""Chooses, of policies for the same part of a network, those that are worth going on with."""


def reaches(network: StochasticNetwork, utilities: Iterable[Fraction]) -> bool:
    """Tell whether expected utilities are at least the thresholds."""
    return all(utility >= threshold for utility, threshold in zip(utilities, network.threshold, strict=True))


def keep_best(player: int) -> Keep:
    """Return what keeps one policy, the best for a player."""
    return lambda policies: [max(policies, key=lambda policy: policy.utilities[player])] if policies else []


def keep_undominated(policies: list[Valued]) -> list[Valued]:
    """Return the policies that no other is at least as good as for all players; of equal ones the first."""
    kept: list[Valued] = []
    for policy in policies:
        if not any(_dominates(other, policy) for other in kept):
            kept = [other for other in kept if not _dominates(policy, other)]
            kept.append(policy)
    return kept


def _dominates(policy: Valued, other: Valued) -> bool:
    return all(mine >= theirs for mine, theirs in zip(policy.utilities, other.utilities, strict=True))


def combine(
    places: tuple[int, ...], probabilities: Sequence[Fraction], branches: Sequence[Sequence[tuple[int, Valued]]]
) -> Iterator[Valued]:
    """Yield the policies that make the same decisions and then take one of the continuations on each branch.

    Args:
        places: The decisions.
        probabilities: How likely each branch is.
        branches: For each branch its place and the continuations.
    """
    for taken in itertools.product(*branches):
        utilities = (
            sum(map(Fraction.__mul__, probabilities, numbers), Fraction(0))
            for numbers in zip(*(continuation.utilities for _, continuation in taken), strict=True)
        )
        policy = Policy(places, tuple((place, continuation.policy) for place, continuation in taken))
        yield Valued(tuple(utilities), policy)


class Draw(NamedTuple):
    """What chance may draw at once, and how it may go on.

    Attributes:
        drawn: The place of each stochastic variable's value.
        probability: How likely it is.
        options: Policies for what follows.
    """

    drawn: tuple[int, ...]
    probability: Fraction
    options: Sequence[Valued]


def join_draws(places: tuple[int, ...], draws: Sequence[Draw], first: int = 0) -> Iterator[Valued]:
    """Yield the policies that make the same decisions and then go on with one of the options after each draw.

    Args:
        places: The decisions.
        draws: What may be drawn, in rising order.
        first: The stochastic variable that is drawn next; the draws agree on those before it.
    """
    total = sum((draw.probability for draw in draws), Fraction(0))
    probabilities, branches = [], []
    for place, group in itertools.groupby(draws, key=lambda draw: draw.drawn[first]):
        members = list(group)
        is_last = first + 1 == len(members[0].drawn)
        options = members[0].options if is_last else join_draws((), members, first + 1)
        branches.append([(place, option) for option in options])
        probabilities.append(sum((draw.probability for draw in members), Fraction(0)) / total)
    yield from combine(places, probabilities, branches)
