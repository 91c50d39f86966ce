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


KINDS = ("at_most_one", "at_least_one")


def prove(request: dict[str, Any]) -> dict[str, list[int]]:
    """Prove what can be proved.

    Args:
        request: A ground program in plain values, and the candidates: lists of fluents of which `at_most_one` or
            `at_least_one` holds.

    Returns:
        The numbers of the candidates of each kind that hold.
    """
    import clingo

    control = clingo.Control(["--warn=none", "--sign-def=pos", "--sign-fix"])
    with control.backend() as backend:
        encoding = _Encoding(backend, request)
    held = _refine(control, encoding, _first_candidates(request))
    proved = [frozenset(request["at_most_one"][number]) for kind, number in held if kind == "at_most_one"]
    rest = {
        ("at_most_one", number)
        for number, group in enumerate(request["at_most_one"])
        if not any(proved_group.issuperset(group) for proved_group in proved)
    }
    held = _refine(control, encoding, held | rest)
    return {kind: sorted(number for name, number in held if name == kind) for kind in KINDS}


def _first_candidates(request: dict[str, Any]) -> set[Candidate]:
    """Return the groups that are no part of another: if they hold, so do their parts."""
    largest = set(request["largest"])
    return {(kind, number) for kind in KINDS for number, group in enumerate(request[kind]) if group in largest}


Candidate = tuple[str, int]
"""Kind and number of a candidate."""


def _refine(control: clingo.Control, encoding: _Encoding, candidates: set[Candidate]) -> set[Candidate]:
    """Return the candidates that survive."""
    left = set(candidates)
    while left:
        assumptions = [
            switch if candidate in left else -switch for candidate, (switch, _) in encoding.candidates.items()
        ]
        with control.solve(yield_=True, assumptions=assumptions) as handle:
            model = handle.model()
            if model is None:
                break
            left -= {candidate for candidate in left if model.is_true(encoding.candidates[candidate][1])}
    return left


class _Encoding:
    """A position, a joint move and the next position as a logic program.

    Attributes:
        candidates: For every candidate the literal that switches it on and the one that says that it fails.
    """

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
        self.candidates: dict[Candidate, tuple[int, int]] = {}
        self._add_candidates(request)

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

    def _add_candidates(self, request: dict[str, Any]) -> None:
        """Suppose what is switched on, and demand that some of it fails next."""
        some = self._fresh()
        for kind in KINDS:
            for number, group in enumerate(request[kind]):
                switch, failed = self._fresh(choice=True), self._fresh()
                before = self._violation(kind, [self._now[fluent] for fluent in group])
                after = self._violation(kind, [self._next[fluent] for fluent in group])
                self._backend.add_rule([], [switch, before])
                self._backend.add_rule([failed], [switch, after])
                self._backend.add_rule([some], [failed])
                self.candidates[kind, number] = switch, failed
        self._backend.add_rule([], [-some])

    def _violation(self, kind: str, atoms: list[int]) -> int:
        violated = self._fresh()
        if kind == "at_most_one":
            self._backend.add_weight_rule([violated], 2, [(atom, 1) for atom in atoms])
        else:
            self._backend.add_rule([violated], [-atom for atom in atoms])
        return violated
