"""The harness for constraints: it accepts what is right, and finds each kind of mistake."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from woodstock.common.jit import JIT_DISABLED
from woodstock.cp.constraints import Channel, Clauses, Constraint, Founded, Gates, Linear, OneHot, Predicate, Table
from woodstock.cp.harness import Consistency, Fault, Law, Places, Subject, find_fault, subject_of
from woodstock.cp.network import Network, Value
from woodstock.cp.orders import Strength
from woodstock.cp.propagators import tables

Filter = Callable[[Places], Places | None]

NUM_TRIALS = 15 if JIT_DISABLED else 60

NAMES = ("x", "y", "z")
DOMAINS = ((1, 2, 3, 4), (1, 2, 3), (2, 4, 6, 7))


def sums(values: Sequence[Value]) -> bool:
    x, y, z = (int(str(value)) for value in values)
    return x + y == z


def solutions(places: Places) -> list[tuple[int, ...]]:
    rows = itertools.product(*places)
    return [row for row in rows if sums([domain[place] for domain, place in zip(DOMAINS, row, strict=True)])]


def supported(places: Places) -> Places | None:
    """Keep the values that are in a solution."""
    found = solutions(places)
    return tuple(tuple(sorted(set(column))) for column in zip(*found, strict=True)) if found else None


def checked(places: Places) -> Places | None:
    """Keep everything, as long as some variable has two values."""
    return places if any(len(kept) > 1 for kept in places) else supported(places)


def forward_checked(places: Places) -> Places | None:
    """Keep what is in a solution, once all variables but one have a value."""
    return places if sum(len(kept) > 1 for kept in places) > 1 else supported(places)


class PlainStore:
    """Domains as tuples; a filter says what propagation leaves of them."""

    def __init__(self, places: Places, keep: Filter) -> None:
        self.places: Places | None = places
        self.keep = keep
        self.saved: list[Places | None] = []

    def propagate(self) -> bool:
        self.places = None if self.places is None else self.keep(self.places)
        return self.places is not None

    def domain(self, var: int) -> tuple[int, ...]:
        assert self.places is not None
        return self.places[var]

    def assign(self, var: int, place: int) -> bool:
        return self.put(var, (place,))

    def remove(self, var: int, place: int) -> bool:
        return self.put(var, tuple(other for other in self.domain(var) if other != place))

    def put(self, var: int, kept: tuple[int, ...]) -> bool:
        assert self.places is not None
        self.places = (*self.places[:var], kept, *self.places[var + 1 :]) if kept else None
        return self.propagate()

    def push(self) -> None:
        self.saved.append(self.places)

    def pop(self) -> None:
        self.places = self.saved.pop()


class LazyStore(PlainStore):
    """Propagates when it is told to, but not after a decision."""

    def put(self, var: int, kept: tuple[int, ...]) -> bool:
        assert self.places is not None
        self.places = (*self.places[:var], kept, *self.places[var + 1 :])
        return bool(kept)


class ForgetfulStore(PlainStore):
    """Does not restore its last variable."""

    def pop(self) -> None:
        last = self.places[-1:] if self.places is not None else ()
        super().pop()
        assert self.places is not None
        self.places = (*self.places[: len(self.places) - len(last)], *last)


class CarelessStore(PlainStore):
    """Does not notice that a domain is empty."""

    def put(self, var: int, kept: tuple[int, ...]) -> bool:
        assert self.places is not None
        self.places = (*self.places[:var], kept, *self.places[var + 1 :])
        return self.propagate() if kept else True


def fault_of(
    keep: Filter, claim: Consistency = Consistency.GAC, store: type[PlainStore] = PlainStore, seed: int = 0
) -> Fault | None:
    return find_fault(Subject("x + y = z", NAMES, DOMAINS, sums, lambda places: store(places, keep), claim), seed=seed)


@pytest.mark.parametrize(
    ("keep", "claim"),
    [
        (supported, Consistency.GAC),
        (supported, Consistency.FORWARD_CHECKING),
        (forward_checked, Consistency.FORWARD_CHECKING),
        (forward_checked, Consistency.NONE),
        (checked, Consistency.NONE),
    ],
)
def test_what_is_right_is_accepted(keep: Filter, claim: Consistency) -> None:
    assert fault_of(keep, claim) is None


def loses_last(places: Places) -> Places | None:
    """Lose the last value of a variable that has three left."""
    found = supported(places)
    return found and tuple(kept[:2] if len(kept) == 3 else kept for kept in found)


def fails_early(places: Places) -> Places | None:
    found = supported(places)
    return found if found and len(solutions(found)) != 3 else None


def accepts_all(places: Places) -> Places:
    return places


def accepts_one(places: Places) -> Places | None:
    """Take 4 + 3 = 6 for a solution."""
    more = (
        [((3,), (2,), (2,))] if all({place} <= set(kept) for place, kept in zip((3, 2, 2), places, strict=True)) else []
    )
    found = [kept for kept in (supported(places), *more) if kept is not None]
    return tuple(tuple(sorted(set().union(*columns))) for columns in zip(*found, strict=True)) if found else None


def one_at_a_time(places: Places) -> Places | None:
    """Remove one value each time."""
    for var, place in ((var, place) for var, kept in enumerate(places) for place in kept):
        without = tuple(p for p in places[var] if p != place)
        if not any(row[var] == place for row in solutions(places)):
            return (*places[:var], without, *places[var + 1 :]) if without else None
    return places


def grows(places: Places) -> Places | None:
    """Give a value back."""
    found = supported(places)
    return found and (tuple(sorted({0, *found[0]})) if len(found[0]) == 2 else found[0], *found[1:])


def filters_much_only(places: Places) -> Places | None:
    """Filter large domains only."""
    return supported(places) if sum(map(len, places)) > 6 else checked(places)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("law", "keep", "claim", "store"),
    [
        (Law.LOSES_NOTHING, loses_last, Consistency.NONE, PlainStore),
        (Law.LOSES_NOTHING, fails_early, Consistency.NONE, PlainStore),
        (Law.CHECKS, accepts_all, Consistency.NONE, PlainStore),
        (Law.CHECKS, accepts_one, Consistency.NONE, PlainStore),
        (Law.CHECKS, supported, Consistency.NONE, CarelessStore),
        (Law.IDEMPOTENT, one_at_a_time, Consistency.NONE, PlainStore),
        (Law.SHRINKS, grows, Consistency.NONE, PlainStore),
        (Law.MONOTONE, filters_much_only, Consistency.NONE, PlainStore),
        (Law.CONSISTENT, forward_checked, Consistency.GAC, PlainStore),
        (Law.CONSISTENT, checked, Consistency.FORWARD_CHECKING, PlainStore),
        (Law.CONSISTENT, supported, Consistency.GAC, LazyStore),
        (Law.RESTORES, supported, Consistency.GAC, ForgetfulStore),
    ],
)
def test_mistakes_are_found(law: Law, keep: Filter, claim: Consistency, store: type[PlainStore], seed: int) -> None:
    fault = fault_of(keep, claim, store, seed)
    assert fault is not None
    assert fault.law is law


def test_a_fault_is_small_and_in_words() -> None:
    fault = fault_of(accepts_one, Consistency.NONE)
    assert fault is not None
    assert fault.trial.wide == ((3,), (2,), (2,))
    assert fault.trial.steps == ()
    assert fault.words == (
        "x + y = z: what is no solution is accepted: "
        "(x = 4, y = 3, z = 6) is no solution, but propagation does not fail"
    )
    fault = fault_of(supported, Consistency.GAC, ForgetfulStore)
    assert fault is not None
    assert len(fault.trial.steps) == 2
    assert fault.words == (
        "x + y = z: going back does not restore the domains: on (x = 4, y ∈ {2, 3}, z ∈ {6, 7}), z = 7, back: "
        "(x = 4, y ∈ {2, 3}, z = 7) instead of (x = 4, y ∈ {2, 3}, z ∈ {6, 7})"
    )


def test_the_smallest_trial_of_a_lost_solution() -> None:
    fault = fault_of(loses_last, Consistency.NONE)
    assert fault is not None
    found = supported(fault.trial.wide)
    assert found == fault.trial.wide
    assert sorted(map(len, found))[-1] == 3
    assert "is a solution" in fault.words


class AssigningStore(PlainStore):
    """Looks at the constraint only once variables are assigned, as forward checking does."""

    def __init__(self, places: Places, keep: Filter) -> None:
        super().__init__(places, keep)
        self.assigned: frozenset[int] = frozenset()
        self.saved_assigned: list[frozenset[int]] = []

    def propagate(self) -> bool:
        self.places = None if self.places is None else supported(self.places)
        return self.places is not None

    def put(self, var: int, kept: tuple[int, ...]) -> bool:
        assert self.places is not None
        self.places = (*self.places[:var], kept, *self.places[var + 1 :]) if kept else None
        return self.places is not None and (len(self.assigned) < len(NAMES) - 1 or super().propagate())

    def assign(self, var: int, place: int) -> bool:
        self.assigned |= {var}
        return super().assign(var, place)

    def push(self) -> None:
        super().push()
        self.saved_assigned.append(self.assigned)

    def pop(self) -> None:
        super().pop()
        self.assigned = self.saved_assigned.pop()


@pytest.mark.parametrize(("keep", "is_right"), [(supported, True), (accepts_all, False)])
def test_forward_checking_counts_what_was_assigned(keep: Filter, is_right: bool) -> None:
    claim = Consistency.FORWARD_CHECKING
    subject = Subject("x + y = z", NAMES, DOMAINS, sums, lambda places: AssigningStore(places, keep), claim)
    assert find_fault(subject) is not None
    assert (find_fault(replace(subject, counts_assigned=True)) is None) == is_right


BOOLEAN_NAMES = ("p", "q", "r", "s")


def adding_network(constraint: Constraint) -> Network:
    network = Network()
    for name, domain in zip(NAMES, DOMAINS, strict=True):
        network.add_var(name, domain)
    network.add(constraint)
    return network


def boolean_network(make: Callable[[list[int]], Constraint]) -> Network:
    """Return a network of four Booleans and a choice of three values; a constraint is made from five literals."""
    network = Network()
    literals = [network.literal(var) for var in network.add_vars(BOOLEAN_NAMES)]
    literals.append(network.literal(network.add_var("x", (0, 1, 2)), 2))
    network.add(make(literals))
    return network


def rows(*lists: list[int]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
    start = np.cumsum([0, *map(len, lists)]).astype(np.int64)
    return start, np.array([literal for row in lists for literal in row], np.int32)


ALL_PLACES = (tuple(range(4)), tuple(range(3)), tuple(range(4)))
ALLOWED = solutions(ALL_PLACES)
FORBIDDEN = sorted({*itertools.product(*ALL_PLACES)} - {*ALLOWED})
GAC, FORWARD, NONE = Consistency.GAC, Consistency.FORWARD_CHECKING, Consistency.NONE

CONSTRAINTS: dict[str, tuple[Network, Callable[[Sequence[Any]], bool], Consistency]] = {
    "allowed": (adding_network(Table((0, 1, 2), ALLOWED)), sums, GAC),
    "forbidden": (adding_network(Table((0, 1, 2), FORBIDDEN, is_allowed=False)), sums, GAC),
    "few forbidden": (
        adding_network(Table((2, 0), [(0, 0), (0, 1), (0, 2), (3, 1)], is_allowed=False)),
        lambda v: (v[2], v[0]) not in {(2, 1), (2, 2), (2, 3), (7, 2)},
        GAC,
    ),
    "predicate": (adding_network(Predicate((0, 1, 2), lambda x, y, z: x + y == z)), sums, FORWARD),
    "clause": (
        boolean_network(lambda n: Clauses(*rows([n[0], n[1] ^ 1, n[2], n[4]]))),
        lambda v: v[0] or not v[1] or v[2] or v[4] == 2,
        GAC,
    ),
    "clause of two": (
        boolean_network(lambda n: Clauses(*rows([n[0] ^ 1, n[4] ^ 1]))),
        lambda v: not v[0] or v[4] != 2,
        GAC,
    ),
    "gate": (
        boolean_network(lambda n: Gates(np.array([n[4]], np.int32), *rows([n[0], n[1] ^ 1, n[3]]))),
        lambda v: (v[4] == 2) == (v[0] and not v[1] and v[3]),
        GAC,
    ),
    "exactly one": (
        boolean_network(lambda n: OneHot((n[0], n[1] ^ 1, n[2], n[4]))),
        lambda v: [v[0], not v[1], v[2], v[4] == 2].count(True) == 1,
        GAC,
    ),
    "at most one": (
        boolean_network(lambda n: OneHot((n[0], n[1] ^ 1, n[2], n[4]), exactly=False)),
        lambda v: [v[0], not v[1], v[2], v[4] == 2].count(True) <= 1,
        GAC,
    ),
    "channel": (
        boolean_network(lambda n: Channel(4, (n[2], n[0] ^ 1, n[3]))),
        lambda v: (v[2], not v[0], v[3]) == (v[4] == 0, v[4] == 1, v[4] == 2),
        GAC,
    ),
    "linear": (
        boolean_network(lambda n: Linear((n[0], n[1] ^ 1, n[2], n[3], n[4], n[4] - 4), (3, -2, 1, 2, -1, 2), 1, 3)),
        lambda v: 1 <= 3 * v[0] - 2 * (not v[1]) + v[2] + 2 * v[3] - (v[4] == 2) + 2 * (v[4] == 0) <= 3,
        FORWARD,
    ),
    "founded": (
        boolean_network(
            lambda n: Founded(np.array([n[0], n[1], n[0], n[3]], np.int32), *rows([n[1]], [n[0]], [n[4]], [n[1], n[2]]))
        ),
        lambda v: (not v[0] or v[4] == 2) and (not v[1] or (v[0] and v[4] == 2)) and (not v[3] or (v[1] and v[2])),
        NONE,
    ),
}


@pytest.mark.parametrize("strength", Strength)
@pytest.mark.parametrize("name", [*CONSTRAINTS, "few that stay forbidden"])
def test_the_constraints_of_networks(name: str, strength: Strength, monkeypatch: pytest.MonkeyPatch) -> None:
    if name == "few that stay forbidden":
        monkeypatch.setattr(tables, "SMALL", 0)
    network, solution, claim = CONSTRAINTS[name.replace("that stay ", "")]
    if strength is Strength.FC:
        claim = FORWARD if claim is GAC else claim
    fault = find_fault(subject_of(name, network, solution, claim, strength), num_trials=NUM_TRIALS)
    assert fault is None, fault.words


def test_the_harness_knows_what_the_solver_does_not_claim() -> None:
    network, solution, _ = CONSTRAINTS["predicate"]
    fault = find_fault(subject_of("x + y = z", network, solution, GAC))
    assert fault is not None
    assert fault.law is Law.CONSISTENT
    assert fault.words.endswith(", which is in no solution (generalised arc consistency)")
