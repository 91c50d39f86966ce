"""`ReferenceGame`: any game, answered from its rules as they are written."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from threading import RLock
from types import MappingProxyType
from typing import TypeGuard

from woodstock.common.errors import LimitError, UsageError
from woodstock.game.protocol import Fluent, JointMove, Move, Percept
from woodstock.game.reference.admission import admit
from woodstock.game.reference.engine import Engine
from woodstock.game.reference.goals import BOUND, FREE
from woodstock.game.reference.limits import Limits
from woodstock.game.reference.matching import match
from woodstock.game.reference.program import DISTINCT, Kind, Program
from woodstock.gdl.dependency import Relation, relation
from woodstock.gdl.keywords import ARITY
from woodstock.gdl.printer import to_kif
from woodstock.gdl.rules import Rules
from woodstock.gdl.terms import GroundTerm, Term, arguments, functor, is_ground

Position = frozenset[GroundTerm]

_ENTRIES = ("init", "next", "legal", "goal", "terminal", "sees")
_EMPTY: Position = frozenset()
_NO_MOVES: Mapping[str, Move] = MappingProxyType({})


class ReferenceGame:
    """A game on the lifted rules: a position is the frozen set of its fluents.

    It is slow beside what works on ground rules, but certain, and it needs no grounding. It may be used by several
    threads; they wait for each other.

    >>> from woodstock.gdl.sheet import parse_rules
    >>> game = ReferenceGame(parse_rules('''
    ...     (role robot) (init (light off))
    ...     (<= (legal robot push) (true (light off)))
    ...     (<= (next (light on)) (does robot push))
    ...     (<= terminal (true (light on))) (<= (goal robot 100) terminal)'''))
    >>> position = game.initial_position()
    >>> game.legal_moves(position, 0)
    ('push',)
    >>> game.is_terminal(game.next_position(position, ["push"]))
    True
    """

    def __init__(self, rules: Rules, *, limits: Limits | None = None) -> None:
        """Accept the rules, or refuse them; nothing is evaluated yet.

        Args:
            rules: The rules. Those that no answer of the protocol depends on, such as unused `base` rules, are ignored.
            limits: What one question may cost.

        Raises:
            GdlError: Rules are unsafe, not stratified, or define `true` or `does`; all of these are listed.
        """
        self._program = Program(rules)
        self._admitted = {(name, ARITY[name]) for name in _ENTRIES}
        admit(self._program, self._admitted)
        self._limits = limits if limits is not None else Limits()
        self._lock = RLock()
        self._initial: Position | None = None
        self._is_tuned = False
        self._engine = Engine(self._program, self._limits)
        self._has_sees = bool(self._program.clauses_of.get(("sees", 2)))

    @property
    def rules(self) -> Rules:
        """The rules that the game is played by."""
        return self._program.rules

    @property
    def roles(self) -> tuple[str, ...]:
        """Names of the roles, in the order of the rules."""
        return self._program.rules.roles

    def initial_position(self) -> Position:
        """Return the position in which every match starts."""
        with self._lock:
            if self._initial is None:
                self._engine.load(_EMPTY, {})
                self._initial = frozenset(self._engine.answers(("init", 1), "f"))
                self._engine = Engine(self._program, self._limits, typical=self._initial)
            return self._initial

    def legal_moves(self, position: Position, role: int) -> tuple[Move, ...]:
        """Return the legal moves of a role, each once, in the order of their text."""
        return _ordered(self._answers(("legal", 2), "bf", (self.roles[role],), position))

    def next_position(self, position: Position, moves: JointMove) -> Position:
        """Return the position after every role has made its move."""
        return frozenset(self._answers(("next", 1), "f", (), position, self._moves_by_role(moves)))

    def is_terminal(self, position: Position) -> bool:
        """Tell whether the match is over."""
        return bool(self._answers(("terminal", 0), "", (), position))

    def goal_values(self, position: Position, role: int) -> tuple[GroundTerm, ...]:
        """Return every value that the rules give a role here, as they write it."""
        return _ordered(self._answers(("goal", 2), "bf", (self.roles[role],), position))

    def percepts(self, position: Position, moves: JointMove, role: int) -> frozenset[Percept]:
        """Return what a role is shown when `moves` are made in `position`: all moves, in a game without `sees`."""
        made = self._moves_by_role(moves)
        if self._has_sees:
            return frozenset(self._answers(("sees", 2), "bf", (self.roles[role],), position, made))
        return frozenset(("did", name, move) for name, move in made.items())

    def fluents(self, position: Position) -> frozenset[Fluent]:
        """Return what is true in a position."""
        return position

    def position_of(self, fluents: Iterable[Fluent]) -> Position:
        """Return the position in which just these fluents are true."""
        return frozenset(fluents)

    def holds(self, atom: GroundTerm, position: Position, moves: JointMove | None = None) -> bool:
        """Tell whether an atom holds, of any relation of the sheet, `true`, `does` and `distinct` included."""
        return bool(self.query(atom, position, moves))

    def query(self, pattern: Term, position: Position, moves: JointMove | None = None) -> list[GroundTerm]:
        """Return every atom that holds and has the form of a pattern, in the order of their text.

        Args:
            pattern: An atom, which may have variables.
            position: The position to ask about.
            moves: The moves made in it; without them `does` holds for none.

        Raises:
            GdlError: The relation depends on rules that are unsafe or not stratified.
        """
        made = {} if moves is None else self._moves_by_role(moves)
        name = relation(pattern)
        args = arguments(pattern)
        kind = self._program.kind(name)
        rows: Iterable[Sequence[GroundTerm]]
        if name == DISTINCT:
            rows = _differing(args)
        elif kind is Kind.FLUENTS:
            rows = [(fluent,) for fluent in position]
        elif kind is Kind.MOVES:
            rows = made.items()
        else:
            rows = self._rows(name, args, position, made)
        atoms = [(functor(pattern), *row) if row else functor(pattern) for row in rows]
        return list(_ordered([atom for atom in atoms if match(pattern, atom) is not None]))

    def _rows(
        self, name: Relation, args: Sequence[Term], position: Position, moves: Mapping[str, Move]
    ) -> list[tuple[GroundTerm, ...]]:
        """Return the argument tuples of a relation that agree with the ground ones among `args`."""
        with self._lock:
            if name not in self._admitted:
                admit(self._program, [name])
                self._admitted.add(name)
        bound = [arg for arg in args if _is_ground(arg)]
        modes = "".join(BOUND if is_ground(arg) else FREE for arg in args)
        rows: list[tuple[GroundTerm, ...]] = []
        for answer in self._answers(name, modes, bound, position, moves):
            free = iter((answer,) if modes.count(FREE) == 1 else answer)
            rows.append(tuple(arg if _is_ground(arg) else next(free) for arg in args))
        return rows

    def _answers(
        self,
        name: Relation,
        modes: str,
        bound: Sequence[GroundTerm],
        position: Position,
        moves: Mapping[str, Move] = _NO_MOVES,
    ) -> Collection[GroundTerm]:
        with self._lock:
            if not self._is_tuned:
                self._tune()
            self._engine.load(position, moves)
            return self._engine.answers(name, modes, bound)

    def _tune(self) -> None:
        """Let the engine see the initial position, if there is one: its planner does better then."""
        self._is_tuned = True
        with suppress(LimitError):
            self.initial_position()

    def _moves_by_role(self, moves: JointMove) -> dict[str, Move]:
        if len(moves) != len(self.roles):
            raise UsageError(f"expected {len(self.roles)} moves, one for each role, found {len(moves)}")
        return dict(zip(self.roles, moves, strict=True))


def _differing(args: Sequence[Term]) -> list[tuple[GroundTerm, GroundTerm]]:
    """Return the two arguments of a question about `distinct`, if they are."""
    left, right = args
    if _is_ground(left) and _is_ground(right):
        return [(left, right)] if left != right else []
    raise UsageError(f"`distinct` can only be asked about ground terms, found {to_kif(left)} and {to_kif(right)}")


def _is_ground(term: Term) -> TypeGuard[GroundTerm]:
    return is_ground(term)


_text = lru_cache(maxsize=100_000)(to_kif)


def _ordered(terms: Collection[GroundTerm]) -> tuple[GroundTerm, ...]:
    """Return terms in the order of their text, which is the same in every run."""
    return tuple(sorted(terms, key=_text)) if len(terms) > 1 else tuple(terms)
