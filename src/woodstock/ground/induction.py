"""Induction over the positions of a game: groups of fluents that exclude each other now do so after a step.

All candidates are supposed at once; those that may fail after one step are dropped, until the rest holds (the Houdini
algorithm of Flanagan and Leino 2001). Cases are refuted by propagation, within an allowance of work: a proof that is
cut short proves nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from woodstock.ground.alternatives import Hints, Unproved, exclude, find_alternatives, sift
from woodstock.ground.candidates import Candidate, make_groups, maximal
from woodstock.ground.cases import HEADER, MAX_DEPTH, OPEN, ROUNDS, Cases, search
from woodstock.ground.implied import imply
from woodstock.ground.plan import (
    ALL,
    LANES,
    Groups,
    IntArray,
    WordArray,
    atoms_of_moves,
    first_facts,
    make_plan,
)
from woodstock.ground.program import NO_ATOM, GroundProgram
from woodstock.ground.turns import Domains, find_turns, narrow, settle, with_derived_turns

MAX_ITERATIONS = 20
"""Times that candidates are dropped before the rest is given up too."""
TURN_ROUNDS = 12
"""Rounds of propagation that the search for turns is counted as."""
PROBED_LANES = 300
"""Alternatives from which on a look at some fluents of each group comes first."""
MAX_EXACT = 1000
"""Largest group of which it is tried to prove that one always holds."""
MAX_ROWS, MAX_GROUP_ROWS = 400_000, 16_384
"""Rows of what the first stage leaves open, in all and for one group."""
MAX_CASES = 100_000
"""Cases for the last stage, before they are split."""
FEWEST_CASES, MOST_CASES = 512, 65_536
"""Bounds of the cases that one goal may take."""
GOAL_SHARE, LEAST_GOAL_WORK = 16, 20_000_000
"""What part of the work that is left one goal may take, and how much of it in any case."""
SMALL_PART = 25
"""What part of the work that is left is little."""
SOME_LANES = 4
"""Alternatives of a fluent for a first look."""
ROOM = 20_000
"""Room for cases that cases are split into."""
MAX_DOMAIN_WORDS = 8_000_000
"""Words of the domains of literals and of alternatives."""
SEARCH_ROUNDS = 4
"""Rounds of propagation that a batch of the last stage is counted as."""


class Induction:
    """Proves candidates of one game.

    Attributes:
        program: The game.
        uses_moves: Whether each atom depends on the moves, shape (num_atoms,), bool.
        plan: The rules in an order to work through.
        facts: What is known in all cases, shape (2 * num_atoms,), uint64.
    """

    def __init__(self, program: GroundProgram, work: int) -> None:
        self.program = program
        self.uses_moves = atoms_of_moves(program)
        self.plan = make_plan(program, self.uses_moves)
        self.facts = first_facts(program, self.uses_moves)
        self._left = work
        self._turns = np.zeros(0, dtype=np.int64)
        self._has_domains = False
        self._domain_start = np.zeros(1, dtype=np.int64)
        self._alternatives = find_alternatives(program, np.zeros(0, dtype=np.int64))

    def prepare(self, candidates: Sequence[Candidate]) -> None:
        """Find the alternatives of the fluents of candidates."""
        fluents = np.unique([fluent for candidate in candidates for fluent in candidate.fluents]).astype(np.int64)
        self._alternatives = find_alternatives(self.program, fluents)

    def costs_little(self, batches: int) -> bool:
        """Tell whether batches of 64 cases take a small part of the work that is left."""
        return SMALL_PART * batches * len(self.plan.body) <= self._left

    def may_spend(self, batches: int) -> bool:
        """Spend work for batches of 64 cases, if there is enough of it left."""
        cost = batches * len(self.plan.body)
        if cost > self._left:
            return False
        self._left -= cost
        return True

    def close(self, groups: Groups) -> WordArray:
        """Return what is known in all cases if groups hold."""
        known = self.facts.copy()
        imply(self.plan, groups, known, ROUNDS)
        return known

    def num_alternatives(self, candidates: Sequence[Candidate]) -> int:
        """Return how many alternatives the fluents of candidates have."""
        return len(self._lanes(candidates, self.facts))

    def prove(self, candidates: Sequence[Candidate], given: Sequence[Candidate]) -> list[Candidate]:
        """Return the candidates that hold by induction, and what is given; only that if it is too much work."""
        alive = list(candidates)
        for _ in range(MAX_ITERATIONS):
            active = maximal(alive, given)
            if not active:
                break
            states = self._try(active, given)
            if states is None:
                break
            if not states.any():
                return [*given, *active]
            failed = {candidate.fluents for candidate, state in zip(active, states[0], strict=True) if state}
            inexact = {candidate.fluents for candidate, state in zip(active, states[1], strict=True) if state}
            alive = [
                replace(candidate, is_exact=candidate.is_exact and candidate.fluents not in inexact)
                for candidate in alive
                if candidate.fluents not in failed
            ]
        return list(given)

    def prove_exact(self, given: Sequence[Candidate], wanted: Collection[tuple[int, ...]]) -> list[Candidate]:
        """Find out of which of some given groups one fluent always holds; return all that is given."""
        alive = {candidate.fluents for candidate in given if not candidate.is_exact} & set(wanted)
        for _ in range(MAX_ITERATIONS):
            supposed = [
                replace(candidate, is_exact=True) if candidate.fluents in alive else candidate for candidate in given
            ]
            active = [candidate for candidate in supposed if candidate.fluents in alive]
            if not active:
                break
            groups = make_groups([*active, *(other for other in supposed if other.fluents not in alive)])
            cases, height = self._cases_of_none(active, np.zeros(len(active), dtype=np.int64), 0)
            self._search(groups, self.close(groups), cases, height)
            if not cases.state.any():
                return supposed
            states = cases.state[len(active) :]
            alive -= {candidate.fluents for candidate, state in zip(active, states, strict=True) if state}
        return list(given)

    def _try(self, active: Sequence[Candidate], given: Sequence[Candidate]) -> IntArray | None:
        """Tell which candidates may fail after a step, and of which none may hold; None if it is too much work.

        Returns:
            States, shape (2, num_active), int64.
        """
        groups = make_groups([*active, *given])
        base = self.close(groups)
        if not self.may_spend(TURN_ROUNDS):
            return None
        groups = with_derived_turns(self.plan, groups, base)
        base = self.close(groups)
        lanes = self._lanes(active, base)
        if len(lanes) > PROBED_LANES:
            # What is wrong is mostly wrong everywhere: a look at two fluents of each group saves the rest.
            few = [
                replace(candidate, fluents=(candidate.fluents[0], candidate.fluents[-1]), is_exact=False)
                for candidate in active
            ]
            states = self._try_goals(few, groups, self._some_lanes(few, base), base)
            if states is None or states.any():
                return states
        return self._try_goals(active, groups, lanes, base, given)

    def _try_goals(
        self,
        goals: Sequence[Candidate],
        groups: Groups,
        lanes: IntArray,
        base: WordArray,
        given: Sequence[Candidate] | None = None,
    ) -> IntArray | None:
        """Do as `_try` for goals, which are groups or parts of them, if all groups are supposed; learn if need be."""
        if not self.may_spend(-(-len(lanes) // LANES)):
            return None
        unproved = Unproved(
            np.empty((MAX_ROWS, 4), dtype=np.int64),
            np.zeros(1, dtype=np.int64),
            np.full(len(goals), MAX_GROUP_ROWS, dtype=np.int64),
            np.zeros(len(goals), dtype=np.int64),
            make_groups(goals),
        )
        exclude(self.plan, groups, base, self._alternatives, lanes, unproved)
        pairs, rows = _open_pairs(unproved, self.program.num_fluents)
        if len(pairs) and given is not None and not self._has_domains:
            self.learn(given)
            base = self.close(groups)
        cases, height = self._cases_of_none(goals, unproved.state, MAX_CASES if len(pairs) else 0)
        cases.spent[:] = self._max_cases()
        height += sift(pairs, rows, self._alternatives, self._hints(groups), cases._replace(stack=cases.stack[height:]))
        self._search(groups, base, cases, height)
        return cases.state.reshape(2, len(goals))

    def _max_cases(self) -> int:
        """Return how many cases one goal may take."""
        work = max(self._left // GOAL_SHARE, LEAST_GOAL_WORK)
        batches = work // (SEARCH_ROUNDS * len(self.plan.body) + 1)
        return int(np.clip(LANES * batches, FEWEST_CASES, MOST_CASES))

    def _search(self, groups: Groups, base: WordArray, cases: Cases, height: int) -> None:
        """Refute cases, with half of the work that is left at most."""
        max_batches = self._left // (2 * SEARCH_ROUNDS * len(self.plan.body) + 1)
        cases.spent[:] = 0
        num_batches = search(self.plan, groups, base, cases, height, (max_batches, self._max_cases(), MAX_DEPTH))
        self._left = max(0, self._left - SEARCH_ROUNDS * num_batches * len(self.plan.body))

    def _lanes(self, active: Sequence[Candidate], base: WordArray) -> IntArray:
        """Return the alternatives of the fluents of candidates that are not refuted anyway."""
        alternatives = self._alternatives
        if not len(alternatives.owner):
            return alternatives.owner
        is_active = np.zeros(self.program.num_fluents, dtype=np.bool_)
        is_active[[fluent for candidate in active for fluent in candidate.fluents]] = True
        wanted = np.logical_or.reduceat(is_active[alternatives.owner], alternatives.owner_start[:-1])
        fails = np.logical_or.reduceat(base[alternatives.literal ^ 1] != 0, alternatives.start[:-1])
        return np.flatnonzero(wanted & ~fails)

    def _some_lanes(self, goals: Sequence[Candidate], base: WordArray) -> IntArray:
        """Return a few alternatives of each fluent of candidates, from all over its rules."""
        lanes = self._lanes(goals, base)
        starts = self._alternatives.owner_start
        owner = self._alternatives.owner[starts[lanes]]
        order = np.argsort(owner, kind="stable")
        _, first, number = np.unique(owner[order], return_index=True, return_counts=True)
        places = first[:, None] + np.linspace(0, number - 1, SOME_LANES, axis=1).astype(np.int64)
        return lanes[np.unique(order[places])]

    def _cases_of_none(self, active: Sequence[Candidate], state: IntArray, room: int) -> tuple[Cases, int]:
        """Return cases for the question whether one fluent of a group always holds, and their number.

        Args:
            active: Groups; goal number `len(active) + n` is that one of group n always holds, if it is exact.
            state: State of each goal that not more than one holds, shape (num_active,), int64.
            room: How many more cases are to come.
        """
        alternatives = self._alternatives
        is_exact = np.array([candidate.is_exact for candidate in active], dtype=np.bool_)
        is_tried = is_exact & (np.array([len(candidate.fluents) for candidate in active]) <= MAX_EXACT)
        tried = [(number, np.array(active[number].fluents)) for number in np.flatnonzero(is_tried).tolist()]
        none_next = [2 * atoms[atoms != NO_ATOM] + 1 for atoms in (self.plan.next[fluents] for _, fluents in tried)]
        lengths = np.concatenate([np.diff(alternatives.start), [len(literals) for literals in none_next]])
        size = sum(len(fluents) for _, fluents in tried)
        cases = Cases(
            _offsets(lengths),
            np.concatenate([alternatives.literal, *none_next]),
            np.zeros((size + room + ROOM, HEADER + MAX_DEPTH), dtype=np.int64),
            np.concatenate([state, is_exact & ~is_tried]),
            np.zeros(2 * len(active), dtype=np.int64),
        )
        height = 0
        for place, (number, fluents) in enumerate(tried):
            block = cases.stack[height : height + len(fluents)]
            block[:, :HEADER] = len(active) + number, len(alternatives.start) - 1 + place, -1, 1
            block[:, HEADER] = -1 - 2 * (1 + fluents)
            height += len(fluents)
        return cases, height

    def _hints(self, groups: Groups) -> Hints:
        """Return what it takes to see that two literals cannot hold together."""
        number = np.repeat(np.arange(len(groups.start) - 1), np.diff(groups.start))
        order = np.argsort(groups.atom, kind="stable")
        start = np.searchsorted(groups.atom[order], np.arange(1, self.program.num_fluents + 2))
        return Hints(start, number[order], len(self.plan.roles.start) - 1, self._domain_start)

    def learn(self, proved: Sequence[Candidate], *, with_domains: bool = True) -> None:
        """Find facts that hold whatever moves are made, and the moves that can be made when an alternative holds."""
        groups = make_groups(proved)
        groups = with_derived_turns(self.plan, groups, self.close(groups))
        self._turns = find_turns(self.plan, groups, self.facts)
        if not self.may_spend(TURN_ROUNDS + self.num_turn_batches()):
            return
        literals, place = np.unique(self._alternatives.literal, return_inverse=True)
        if not with_domains or len(place) * self.num_turn_batches() > MAX_DOMAIN_WORDS:
            literals = literals[:0]
        domains = self._make_domains(literals)
        settled = settle(self.plan, groups, self.facts, self._turns, domains)
        self.facts[settled == ALL] = ALL
        if len(literals):
            self._has_domains = True
            self._domain_start = domains.start
            domain = narrow(self._alternatives.start, place, domains.word, int(domains.start[-1]))
            self._alternatives = self._alternatives._replace(domain=domain)

    def num_turn_batches(self) -> int:
        """Return how many batches it takes at most to suppose every move in every turn."""
        words = -(-np.diff(self.plan.roles.start) // LANES)
        return max(1, len(self._turns)) * (ROUNDS + int(words.sum()))

    def _make_domains(self, literals: IntArray) -> Domains:
        """Return room for the domains of literals."""
        num_segments = max(1, len(self._turns)) * (len(self.plan.roles.start) - 1)
        words = np.zeros((len(literals), self.num_turn_batches()), dtype=np.uint64)
        return Domains(literals, words, np.zeros(num_segments + 1, dtype=np.int64))


def _offsets(lengths: Sequence[int] | npt.NDArray[np.integer]) -> IntArray:
    """Return where parts of these lengths begin, and the end."""
    return np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])


def _open_pairs(unproved: Unproved, num_fluents: int) -> tuple[IntArray, IntArray]:
    """Return the pairs of fluents that either may leave room for the other, as `sift` wants them.

    An alternative that excludes the other fluent needs no look at the alternatives of that.
    """
    rows = unproved.row[: unproved.size[0]]
    rows = rows[unproved.state[rows[:, 0]] == OPEN]
    low, high = rows[:, 2:].min(axis=1), rows[:, 2:].max(axis=1)
    key = (rows[:, 0] * num_fluents + low) * num_fluents + high
    is_second = rows[:, 2] == high
    order = np.argsort(2 * key + is_second, kind="stable")
    _, first, number = np.unique(key[order], return_index=True, return_counts=True)
    seconds = np.add.reduceat(is_second[order].astype(np.int64), first) if len(first) else first
    last = first + number
    pairs = np.stack([rows[order[first], 0], first, last - seconds, last], axis=1)
    return pairs[(seconds > 0) & (seconds < number)], rows[order, 1]
