"""Proofs by induction over the positions of a game; part of the grounder's process.

A candidate is a condition on positions. All candidates hold at the start. Suppose that they hold in some position that
is not terminal, and that every role makes a legal move: if one of them may then fail, it is dropped, with all others
that fail in the same counter-example, and the question is asked again (the Houdini algorithm of Flanagan and Leino
2001). What is left holds in every position that can be reached. The question is put to clingo's solver, whose stable
models are the least fixpoints that the rules mean.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import clingo


def prove(request: dict[str, Any]) -> dict[str, list[int]]:
    """Prove what can be proved.

    Args:
        request: A ground program in plain values, and the candidates: lists of fluents of which `at_most_one` or
            `at_least_one` holds, and the fluents that may be a latch, `stays_true` or `stays_false`.

    Returns:
        The numbers of the candidates of each kind that hold.
    """
    import clingo

    control = clingo.Control(["--warn=none", "--sign-def=pos", "--sign-fix"])
    with control.backend() as backend:
        encoding = _Encoding(backend, request)
    left = _refine(control, encoding.invariants, encoding.query_invariants, encoding.query_latches)
    held = {encoding.invariants[place][0] for place in left}
    assumptions = [(switch, place in left) for place, (_, switch, _) in enumerate(encoding.invariants)]
    latches = _refine(control, encoding.latches, encoding.query_latches, encoding.query_invariants, assumptions)
    held |= {encoding.latches[place][0] for place in latches}
    kinds = ("at_most_one", "at_least_one", "stays_true", "stays_false")
    return {kind: sorted(number for name, number in held if name == kind) for kind in kinds}


Candidate = tuple[tuple[str, int], int, int]
"""Kind and number, the literal that switches it on, and the literal that says that it fails."""


def _refine(
    control: clingo.Control,
    candidates: list[Candidate],
    query: int,
    other_query: int,
    assumptions: list[tuple[int, bool]] | None = None,
) -> set[int]:
    """Return the places of the candidates that survive."""
    left = set(range(len(candidates)))
    while left:
        switches = [(switch, place in left) for place, (_, switch, _) in enumerate(candidates)]
        known = [*(assumptions or []), *switches, (query, True), (other_query, False)]
        with control.solve(yield_=True, assumptions=[lit if sign else -lit for lit, sign in known]) as handle:
            model = handle.model()
            if model is None:
                return left
            failed = {place for place in left if model.is_true(candidates[place][2])}
        left -= failed
    return left


class _Encoding:
    """A position, a joint move and the next position as a logic program, with a switch for every candidate."""

    def __init__(self, backend: clingo.Backend, request: dict[str, Any]) -> None:
        self._backend = backend
        self._atoms = [backend.add_atom() for _ in range(request["num_atoms"])]
        backend.add_rule([self._atoms[0]])
        for head, body in request["rules"]:
            backend.add_rule([self._atoms[head]], [self._literal(code) for code in body])
        self._now = [self._atoms[1 + fluent] for fluent in range(request["num_fluents"])]
        self._next = [self._output(atom) for atom in request["next_atom"]]
        backend.add_rule(self._now, choice=True)
        self._add_moves(request)
        if request["terminal_atom"] >= 0:
            backend.add_rule([], [self._atoms[request["terminal_atom"]]])
        self.query_invariants, self.query_latches = self._fresh(choice=True), self._fresh(choice=True)
        self.invariants: list[Candidate] = []
        self.latches: list[Candidate] = []
        self._add_invariants(request)
        self._add_latches(request)

    def _literal(self, code: int) -> int:
        atom = self._atoms[code >> 1]
        return -atom if code & 1 else atom

    def _output(self, atom: int) -> int:
        """Return the literal of an output; one that never holds is an atom without rules."""
        return self._atoms[atom] if atom >= 0 else self._backend.add_atom()

    def _fresh(self, *, choice: bool = False) -> int:
        atom = self._backend.add_atom()
        if choice:
            self._backend.add_rule([atom], choice=True)
        return atom

    def _add_moves(self, request: dict[str, Any]) -> None:
        """Every role makes exactly one move, and a legal one."""
        first = 1 + request["num_fluents"]
        starts = request["move_start"]
        for start, end in pairwise(starts):
            moves = self._atoms[first + start : first + end]
            self._backend.add_rule(moves, choice=True)
            self._backend.add_rule([], [-move for move in moves])
            self._backend.add_weight_rule([], 2, [(move, 1) for move in moves])
            for move, legal in zip(moves, request["legal_atom"][start:end], strict=True):
                self._backend.add_rule([], [move, -self._output(legal)])

    def _add_invariants(self, request: dict[str, Any]) -> None:
        for kind in ("at_most_one", "at_least_one"):
            for number, group in enumerate(request[kind]):
                switch, failed = self._fresh(choice=True), self._fresh()
                before = self._violation(kind, [self._now[fluent] for fluent in group])
                after = self._violation(kind, [self._next[fluent] for fluent in group])
                self._backend.add_rule([], [switch, before])
                self._backend.add_rule([failed], [switch, after])
                self.invariants.append(((kind, number), switch, failed))
        self._ask(self.query_invariants, self.invariants)

    def _violation(self, kind: str, atoms: list[int]) -> int:
        violated = self._fresh()
        if kind == "at_most_one":
            self._backend.add_weight_rule([violated], 2, [(atom, 1) for atom in atoms])
        else:
            self._backend.add_rule([violated], [-atom for atom in atoms])
        return violated

    def _add_latches(self, request: dict[str, Any]) -> None:
        for kind, sign in (("stays_true", 1), ("stays_false", -1)):
            for fluent in request[kind]:
                switch, failed = self._fresh(choice=True), self._fresh()
                self._backend.add_rule([failed], [switch, sign * self._now[fluent], -sign * self._next[fluent]])
                self.latches.append(((kind, fluent), switch, failed))
        self._ask(self.query_latches, self.latches)

    def _ask(self, query: int, candidates: list[Candidate]) -> None:
        """Demand, where `query` holds, that some candidate fails; the solver is to let as many fail as it can."""
        some = self._fresh()
        for _, _, failed in candidates:
            self._backend.add_rule([some], [failed])
        self._backend.add_rule([], [query, -some])
