"""A harness for the authors of constraints: it looks for a small case in which propagation breaks one of its laws.

The author says what the constraint means (`solution`) and how it is posted on given domains; the harness draws small
domains and steps of a search, compares what propagation leaves with all solutions, and tells the smallest failure that
it finds in words. The laws (`Law`) are those of propagators (Schulte & Stuckey, "Efficient Constraint Propagation
Engines", TOPLAS 2008) and of a solver that backtracks.

>>> from woodstock.cp.constraints import Table
>>> from woodstock.cp.network import Network
>>> network = Network()
>>> x, y = network.add_vars(("x", "y"), (1, 2, 3))
>>> network.add(Table((x, y), [(0, 1), (0, 2), (1, 2)]))
>>> less = subject_of("x < y", network, lambda values: values[0] < values[1])
>>> find_fault(less, num_trials=20) is None
True
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from woodstock.cp.constraints import Table
from woodstock.cp.examination import (
    Consistency,
    Fault,
    Law,
    Places,
    Step,
    Store,
    Subject,
    Trial,
    examine,
    with_places,
    without_place,
)
from woodstock.cp.network import Network, Value
from woodstock.cp.orders import Strength
from woodstock.cp.solver import Solver

__all__ = ["Consistency", "Fault", "Law", "Places", "Store", "Subject", "draw_trial", "find_fault", "subject_of"]


def subject_of(
    name: str,
    network: Network,
    solution: Callable[[Sequence[Value]], bool],
    consistency: Consistency = Consistency.GAC,
    strength: Strength = Strength.MAC,
) -> Subject:
    """Return a network with the constraint as a subject; `solution` is given a value of each of its variables."""

    def post(places: Places) -> Solver:
        posted = replace(network, constraints=list(network.constraints))
        posted.add(*(Table((var,), [(place,) for place in kept]) for var, kept in enumerate(places)))
        return Solver(posted, strength=strength)

    is_forward = strength is Strength.FC
    return Subject(name, tuple(network.names), tuple(network.domains), solution, post, consistency, is_forward)


def find_fault(subject: Subject, *, num_trials: int = 200, seed: int = 0) -> Fault | None:
    """Look for a case in which a law is broken; return the smallest one found, None if there was none."""
    rng = random.Random(f"{subject.name} {seed}")
    for _ in range(num_trials):
        fault = examine(subject, draw_trial(subject, rng))
        if fault is not None:
            return _shrunk(subject, fault)
    return None


def draw_trial(subject: Subject, rng: random.Random) -> Trial:
    """Return random domains and steps; now and then most variables have one value."""
    share_single = rng.choice((0.0, 0.0, 0.3, 0.8, 1.0))
    share_whole = rng.choice((0.0, 0.5, 1.0))
    wide, narrow = [], []
    for domain in subject.domains:
        size = 1 if rng.random() < share_single else rng.randint(1, len(domain))
        wide.append(tuple(sorted(rng.sample(range(len(domain)), size))))
        size = size if rng.random() < share_whole else rng.randint(1, size)
        narrow.append(tuple(sorted(rng.sample(wide[-1], size))))
    steps = [_draw_step(subject, rng) for _ in range(rng.randint(0, 8))] if subject.domains else []
    return Trial(tuple(wide), tuple(narrow), tuple(steps))


def _draw_step(subject: Subject, rng: random.Random) -> Step:
    var = rng.randrange(len(subject.domains))
    rank = rng.randrange(len(subject.domains[var]))
    return Step(var, rank, is_assigned=rng.random() < 0.6, is_back=rng.random() < 0.25)


def _shrunk(subject: Subject, fault: Fault) -> Fault:
    """Return a fault of the same law in a trial of which nothing can be left out."""
    while True:
        smaller = (examine(subject, trial) for trial in _smaller_trials(fault.trial))
        found = next((other for other in smaller if other is not None and other.law is fault.law), None)
        if found is None:
            return fault
        fault = found


def _smaller_trials(trial: Trial) -> Iterator[Trial]:
    """Yield the trials with one thing less: a step, a value of the wide domains, a value of the narrow ones."""
    for number in range(len(trial.steps)):
        yield replace(trial, steps=(*trial.steps[:number], *trial.steps[number + 1 :]))
    for var, places in enumerate(trial.wide):
        for place in places if len(places) > 1 else ():
            wide, narrow = without_place(trial.wide, var, place), without_place(trial.narrow, var, place)
            yield Trial(wide, narrow if narrow[var] else with_places(narrow, var, wide[var]), trial.steps)
    for var, places in enumerate(trial.narrow):
        for place in places if len(places) > 1 else ():
            yield replace(trial, narrow=without_place(trial.narrow, var, place))
