"""A game played on its circuit: one position at a time for the `Game` protocol, thousands at once for the rest.

>>> from woodstock.circuit.game import CircuitGame
>>> from woodstock.game.load import load_rules
>>> from woodstock.ground import ground
>>> game = CircuitGame(ground(load_rules("tic_tac_toe")))
>>> start = game.initial_position()
>>> len(game.legal_moves(start, role=0))
9
>>> result = game.playouts([start], [1000], seed=1)
>>> int(result.counts[0]), bool(result.cuts[0])
(1000, False)
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from woodstock.circuit.circuit import Circuit
from woodstock.circuit.expansion import Expander, Expansion
from woodstock.circuit.foresight import foresee
from woodstock.circuit.packing import num_words, pack, unpack
from woodstock.circuit.runner import HORIZON, Batch, PlayoutResults, Runner
from woodstock.circuit.scalar import ScalarPath, choose_path
from woodstock.circuit.translate import translate
from woodstock.circuit.words import WordArray
from woodstock.circuit.zobrist import find_key, make_keys, update_key
from woodstock.common.errors import UsageError
from woodstock.common.limits import Deadline
from woodstock.common.threads import PinnedThreads
from woodstock.game.protocol import Fluent, JointMove, Move, Percept, default_percepts
from woodstock.gdl.printer import to_kif
from woodstock.gdl.terms import GroundTerm
from woodstock.ground.program import GroundProgram, RoleTerms


class CircuitPosition:
    """A position: packed fluents, and the key that stands for them in tables.

    Attributes:
        words: The words of the packed position (`woodstock.circuit.packing`), as bytes.
        key: Its Zobrist key.
    """

    __slots__ = ("key", "words")

    def __init__(self, words: bytes, key: int) -> None:
        self.words = words
        self.key = key

    @property
    def row(self) -> WordArray:
        """The packed position, shape (num_words,), uint64."""
        return np.frombuffer(self.words, np.uint64)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CircuitPosition) and self.words == other.words

    def __hash__(self) -> int:
        return self.key

    def __repr__(self) -> str:
        return f"CircuitPosition({self.key:016x})"


class CircuitGame:
    """Plays a `GroundProgram` on circuits.

    Single positions are evaluated by whichever path `choose_path` measures to be faster. Those answers are right for
    any position and any moves; the batches, `expand` and `playouts`, take it that a position can be reached, or is at
    least like one that can, which `position_of` does not check.
    """

    def __init__(self, program: GroundProgram) -> None:
        self.program = program
        self.keys = make_keys(program.num_fluents)
        self._now: CircuitPosition | None = None
        self._foreseeing: dict[int, Circuit | None] = {}

    @property
    def roles(self) -> tuple[str, ...]:
        return self.program.roles

    @cached_property
    def circuit(self) -> Circuit:
        """The circuit of the batches, compiled when it is first needed."""
        return Circuit(self.program)

    def foreseeing(self, foresight: int, deadline: Deadline | None = None) -> Circuit | None:
        """Return the circuit of playouts in which roles foresee so many moves; None if there is no such.

        Args:
            foresight: How many: none, 1 or 2; see `woodstock.circuit.foresight`.
            deadline: When to give up, if it was not asked for before.
        """
        if foresight == 0:
            return self.circuit
        if foresight not in self._foreseeing:
            self._foreseeing[foresight] = foresee(self.circuit, foresight, deadline)
        return self._foreseeing[foresight]

    @cached_property
    def _path(self) -> ScalarPath:
        return choose_path(translate(self.program), self.program.initial, self.program.move_start)

    @cached_property
    def _runner(self) -> Runner:
        return Runner(self.circuit)

    @cached_property
    def _expander(self) -> Expander:
        return Expander(self.circuit)

    def position(self, row: WordArray, parent: CircuitPosition | None = None) -> CircuitPosition:
        """Return a packed position as a position of its own; the key follows from that of a parent if there is one."""
        if parent is None:
            return CircuitPosition(row.tobytes(), int(find_key(self.keys, row)))
        return CircuitPosition(row.tobytes(), int(update_key(self.keys, np.uint64(parent.key), parent.row, row)))

    def _at(self, position: CircuitPosition) -> ScalarPath:
        """Return the path, with a position as the current one and no moves."""
        if self._now != position:
            self._path.set_position(position.row)
            self._now = position
        else:
            self._path.unmake_moves()
        return self._path

    def _after(self, position: CircuitPosition, moves: JointMove) -> ScalarPath:
        """Return the path, with moves made in a position."""
        path = self._at(position)
        path.make_moves([self._move_number(role, move) for role, move in enumerate(moves)])
        return path

    def _move_number(self, role: int, move: Move) -> int:
        number = self.program.move_index[role].get(move)
        if number is None:
            raise UsageError(f"{self.roles[role]} has no move {to_kif(move)}")
        return number

    def initial_position(self) -> CircuitPosition:
        return self.position(pack(self.program.initial))

    def legal_moves(self, position: CircuitPosition, role: int) -> tuple[Move, ...]:
        start, end = self.program.move_start[role : role + 2]
        legal = unpack(self._at(position).legal(), self.program.num_moves)
        return tuple(self.program.moves[role][number] for number in np.flatnonzero(legal[start:end]).tolist())

    def next_position(self, position: CircuitPosition, moves: JointMove) -> CircuitPosition:
        return self.position(self._after(position, moves).next_position(), position)

    def is_terminal(self, position: CircuitPosition) -> bool:
        return self._at(position).is_terminal()

    def goal_values(self, position: CircuitPosition, role: int) -> tuple[GroundTerm, ...]:
        return _terms_of(self.program.goals, self._at(position).goals(), role)

    def percepts(self, position: CircuitPosition, moves: JointMove, role: int) -> frozenset[Percept]:
        if self.program.percepts is None:
            return default_percepts(self.roles, moves)
        return frozenset(_terms_of(self.program.percepts, self._after(position, moves).percepts(), role))

    def fluents(self, position: CircuitPosition) -> frozenset[Fluent]:
        holds = unpack(position.row, self.program.num_fluents)
        return frozenset(self.program.fluents[number] for number in np.flatnonzero(holds).tolist())

    def position_of(self, fluents: Iterable[Fluent]) -> CircuitPosition:
        holds = np.zeros(self.program.num_fluents, np.bool_)
        for fluent in fluents:
            number = self.program.fluent_index.get(fluent)
            if number is None:
                raise UsageError(f"{to_kif(fluent)} is no fluent of this game that can ever be true")
            holds[number] = True
        return self.position(pack(holds))

    def rows(self, positions: Sequence[CircuitPosition]) -> WordArray:
        """Return positions as one array, shape (n, num_words), uint64."""
        size = num_words(self.program.num_fluents)
        return np.frombuffer(b"".join(position.words for position in positions), np.uint64).reshape(-1, size)

    def expand(self, positions: Sequence[CircuitPosition], **options: Any) -> Expansion:
        """Return all joint moves of many positions and what they lead to; see `Expander.expand`."""
        keys = np.array([position.key for position in positions], np.uint64)
        return self._expander.expand(self.rows(positions), keys, **options)

    def playouts(
        self,
        positions: Sequence[CircuitPosition],
        counts: Sequence[int],
        *,
        seed: int = 0,
        horizon: int = HORIZON,
        deadline: Deadline | None = None,
        threads: PinnedThreads | None = None,
    ) -> PlayoutResults:
        """Make random playouts from many positions, each with a number of its own; see `Runner.run`."""
        batch = Batch(self.rows(positions), np.asarray(counts, np.int64), seed, horizon)
        return self._runner.run(batch, deadline, threads)


def _terms_of(entries: RoleTerms, applies: WordArray, role: int) -> tuple[GroundTerm, ...]:
    """Return the terms of a role whose entries apply."""
    found = np.flatnonzero((entries.roles == role) & unpack(applies, len(entries.roles)))
    return tuple(entries.terms[number] for number in found.tolist())
