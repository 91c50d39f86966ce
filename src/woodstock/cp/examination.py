"""One trial of a constraint: what propagation leaves of given domains, compared with all solutions; see `harness`."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple, Protocol

from woodstock.cp.network import Domain, Value

Places = tuple[tuple[int, ...], ...]
"""For each variable, the places of the values that it may have."""


class Consistency(Enum):
    """What propagation claims to remove."""

    NONE = "none"
    """Whatever it likes, as long as it tells solutions once all variables have a value."""
    FORWARD_CHECKING = "forward checking"
    """If all variables but one have a value: the values of that one which are in no solution."""
    GAC = "generalised arc consistency"
    """All values that are in no solution."""


class Law(Enum):
    """What propagation has to obey."""

    LOSES_NOTHING = "a solution is lost"
    CHECKS = "what is no solution is accepted"
    SHRINKS = "domains grow"
    IDEMPOTENT = "propagating again changes something"
    MONOTONE = "smaller domains leave more values"
    CONSISTENT = "the claimed consistency does not hold"
    RESTORES = "going back does not restore the domains"


class Store(Protocol):
    """Domains that shrink by propagation and can be restored: what the harness asks of a solver."""

    def propagate(self) -> bool: ...

    def domain(self, var: int, /) -> tuple[int, ...]: ...

    def assign(self, var: int, place: int, /) -> bool: ...

    def remove(self, var: int, place: int, /) -> bool: ...

    def push(self) -> None: ...

    def pop(self) -> None: ...


@dataclass(frozen=True)
class Subject:
    """A constraint to be examined.

    Attributes:
        name: How messages call it.
        names: Those of its variables.
        domains: All values of each variable.
        solution: Tells whether the constraint allows these values, one of each variable.
        post: Given the places of the values that each variable may have, returns a store that was not propagated.
        consistency: What it claims.
        counts_assigned: Whether in a search only variables that were assigned count as having a value: forward checking
            does not look at what became the only value of a variable.
    """

    name: str
    names: tuple[str, ...]
    domains: tuple[Domain, ...]
    solution: Callable[[Sequence[Value]], bool]
    post: Callable[[Places], Store]
    consistency: Consistency = Consistency.GAC
    counts_assigned: bool = False


class Step(NamedTuple):
    """A decision on a value, before which the domains are saved, or the way back to the last ones that were.

    Attributes:
        var: The variable.
        rank: Which of the values that are left is meant, counted round.
        is_assigned: Whether the variable gets the value; else it loses it.
        is_back: Whether it is the way back.
    """

    var: int
    rank: int
    is_assigned: bool
    is_back: bool


@dataclass(frozen=True)
class Trial:
    """Domains, smaller ones inside, and steps of a search in the smaller ones."""

    wide: Places
    narrow: Places
    steps: tuple[Step, ...] = ()


@dataclass(frozen=True)
class Fault:
    """A law that was broken.

    Attributes:
        law: The law.
        trial: The smallest case that was found.
        words: What happens in that case.
    """

    law: Law
    trial: Trial
    words: str


def examine(subject: Subject, trial: Trial) -> Fault | None:
    """Return the first law that a trial breaks, if any."""
    return next(_Examination(subject, trial).faults(), None)


class _Examination:
    """One trial: posts its domains, walks its steps and compares everything with the solutions."""

    def __init__(self, subject: Subject, trial: Trial) -> None:
        self._subject = subject
        self._trial = trial

    def faults(self) -> Iterator[Fault]:
        """Yield the laws that are broken; what follows the first one means little."""
        wide_store, wide = self._posted(self._trial.wide)
        yield from self._compare(self._trial.wide, wide)
        yield from self._propagate_again(wide_store, wide)
        store, narrow = self._posted(self._trial.narrow)
        yield from self._compare(self._trial.narrow, narrow)
        if narrow is not None and not _inside(narrow, wide):
            left = "propagation fails" if wide is None else f"{self._words(wide)} are left"
            words = f"on {self._words(self._trial.wide)} {left}, "
            words += f"but on {self._words(self._trial.narrow)} there are {self._words(narrow)}"
            yield self._fault(Law.MONOTONE, words)
        if narrow is not None:
            yield from self._walk(store, narrow)

    def _posted(self, places: Places) -> tuple[Store, Places | None]:
        store = self._subject.post(places)
        return store, self._domains(store) if store.propagate() else None

    def _propagate_again(self, store: Store, found: Places | None) -> Iterator[Fault]:
        if found is None:
            return
        again = self._domains(store) if store.propagate() else None
        if again != found:
            words = f"{self._words(self._trial.wide)} become {self._words(found)}, then {self._words(again)}"
            yield self._fault(Law.IDEMPOTENT, words)

    def _walk(self, store: Store, found: Places) -> Iterator[Fault]:
        """Take the steps; the domains are saved before each decision, and restored by a step back."""
        saved: list[tuple[Places, frozenset[int]]] = []
        current: Places | None = found
        assigned: frozenset[int] = frozenset()
        path = f"on {self._words(self._trial.narrow)}"
        for step in self._trial.steps:
            if step.is_back or current is None:
                if not saved:
                    continue
                store.pop()
                path += ", back"
                before, assigned = saved.pop()
                current = self._domains(store)
                if current != before:
                    words = f"{path}: {self._words(current)} instead of {self._words(before)}"
                    yield self._fault(Law.RESTORES, words)
                continue
            var, place = step.var, current[step.var][step.rank % len(current[step.var])]
            store.push()
            saved.append((current, assigned))
            if step.is_assigned:
                decide, sign, decided = store.assign, "=", with_places(current, var, (place,))
                assigned |= {var}
            else:
                decide, sign, decided = store.remove, "≠", without_place(current, var, place)
            path += f", {self._subject.names[var]} {sign} {self._subject.domains[var][place]}"
            current = self._domains(store) if decide(var, place) else None
            yield from self._compare(decided, current, f"{path}: ", assigned)

    def _compare(
        self, given: Places, found: Places | None, path: str = "", assigned: frozenset[int] | None = None
    ) -> Iterator[Fault]:
        """Compare what is left of domains with their solutions; in a search, some variables were assigned."""
        solutions = self._solutions(given)
        lost = next((places for places in solutions if not _inside(tuple((p,) for p in places), found)), None)
        if lost is not None:
            left = "fails" if found is None else f"leaves {self._words(found)}"
            solution = self._words(tuple((place,) for place in lost))
            yield self._fault(Law.LOSES_NOTHING, f"{path}{self._words(given)} {left}, but {solution} is a solution")
        if found is None:
            return
        if not _inside(found, given):
            yield self._fault(Law.SHRINKS, f"{path}{self._words(given)} become {self._words(found)}")
        num_open = sum(len(places) > 1 for places in given)
        if self._subject.counts_assigned and assigned is not None:
            num_open = len(given) - len(assigned)
        if not solutions and (num_open == 0 or () in given):
            yield self._fault(Law.CHECKS, f"{path}{self._words(given)} is no solution, but propagation does not fail")
        claim = self._subject.consistency
        if claim is Consistency.GAC or (claim is Consistency.FORWARD_CHECKING and num_open <= 1):
            yield from self._unsupported(given, found, solutions, path)

    def _unsupported(
        self, given: Places, found: Places, solutions: Sequence[tuple[int, ...]], path: str
    ) -> Iterator[Fault]:
        for var, places in enumerate(found):
            for place in set(places) - {solution[var] for solution in solutions}:
                value = self._words(((place,),), (var,))
                words = f"{path}{self._words(given)} keeps {value}, which is in no solution"
                yield self._fault(Law.CONSISTENT, f"{words} ({self._subject.consistency.value})")

    def _solutions(self, places: Places) -> list[tuple[int, ...]]:
        domains = self._subject.domains
        return [
            row
            for row in itertools.product(*places)
            if self._subject.solution([domain[place] for domain, place in zip(domains, row, strict=True)])
        ]

    def _domains(self, store: Store) -> Places:
        return tuple(tuple(sorted(store.domain(var))) for var in range(len(self._subject.domains)))

    def _fault(self, law: Law, words: str) -> Fault:
        return Fault(law, self._trial, f"{self._subject.name}: {law.value}: {words}")

    def _words(self, places: Places | None, variables: Sequence[int] | None = None) -> str:
        """Return domains in words."""
        if places is None:
            return "a failure"
        parts = []
        for var, kept in zip(range(len(places)) if variables is None else variables, places, strict=True):
            values = [str(self._subject.domains[var][place]) for place in kept]
            is_in = f"= {values[0]}" if len(values) == 1 else f"∈ {{{', '.join(values)}}}"
            parts.append(f"{self._subject.names[var]} {is_in}")
        return f"({', '.join(parts)})"


def _inside(places: Places, others: Places | None) -> bool:
    """Tell whether domains are part of others; nothing is part of a failure."""
    return others is not None and all(set(a) <= set(b) for a, b in zip(places, others, strict=True))


def with_places(places: Places, var: int, kept: tuple[int, ...]) -> Places:
    """Return domains in which a variable has these values."""
    return (*places[:var], kept, *places[var + 1 :])


def without_place(places: Places, var: int, removed: int) -> Places:
    """Return domains in which a variable lacks a value."""
    return with_places(places, var, tuple(place for place in places[var] if place != removed))
