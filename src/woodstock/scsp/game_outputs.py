"""What the variables of a stage equal, as rules for atoms of their own that stand behind those of the game.

A fluent holds next if the rules of `next` say so, or if the match is over and it holds now. A body that asks for a move
is false after the end anyway, as no move is made there, and one that asks for the fluent itself does no harm; any other
has to say that the match is not over. An atom that nothing but one variable asks for gives its rules to this variable.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from woodstock.cp.network import BOOLEANS
from woodstock.gdl.keywords import goal_number
from woodstock.ground.program import NO_ATOM, NO_LOOP, TRUE_ATOM, GroundProgram
from woodstock.ground.rulebase import RuleBase, offsets
from woodstock.scsp.game_choices import NO_GROUP, Choices
from woodstock.scsp.game_completion import NO_LITERAL
from woodstock.scsp.game_fluents import NO_PLACE
from woodstock.scsp.game_rules import StageRules, join_rules, make_rules
from woodstock.scsp.game_vars import StageVars

IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Tabled:
    """Which variables of a stage tables tell about, so that no rules need to.

    Attributes:
        terminal: Whether `terminal` is one.
        utilities: For each role, whether its utility is, bool.
        actions: For each role, whether its action is, bool.
        next: For each variable of the position, whether the one of the following position is, bool.
        percepts: For each percept, whether it is, bool.
    """

    terminal: bool
    utilities: BoolArray
    actions: BoolArray
    next: BoolArray
    percepts: BoolArray


@dataclass(frozen=True, eq=False)
class Outputs:
    """Rules for what the variables of a stage equal, together with those of the game.

    Attributes:
        rules: All rules, sorted by head.
        loop: The positive loop of each atom, or NO_LOOP, int64.
        choices: Atoms of which exactly one holds: the values of the parts of the position, and of the actions.
        given: The literal over choices of `StageVars` that each atom is, or NO_LITERAL, int64.
        outcome: Atoms that tell whether the match is over and the utilities, int64.
        legal: Atoms that tell what may be done, int64.
        moves: Atoms that tell what follows from the moves, int64.
    """

    rules: RuleBase
    loop: IntArray
    choices: Choices
    given: IntArray
    outcome: IntArray
    legal: IntArray
    moves: IntArray


def make_outputs(program: GroundProgram, rules: StageRules, stage: StageVars, tabled: Tabled) -> Outputs:
    """Return the rules for the variables of a stage that no table tells about."""
    return _OutputMaker(program, rules, stage, tabled).make()


class _OutputMaker:
    """Makes the rules. Atoms of its own are numbered behind those of the game, kind by kind."""

    def __init__(self, program: GroundProgram, rules: StageRules, stage: StageVars, tabled: Tabled) -> None:
        self.program, self.source, self.stage, self.tabled = program, rules, stage, tabled
        self.empty_choices = self._find_empty_choices()
        counts = [1, program.num_fluents, len(stage.chance_legal), len(stage.percepts)]
        counts += [len(self._utility_choices()), len(self.empty_choices)]
        first = offsets(np.array(counts)) + rules.rules.num_atoms
        self.num_atoms = int(first[-1])
        self.terminal = int(first[0])
        self.next, self.chance_legal, self.percepts, self.utilities, self.empty = (
            np.arange(start, end) for start, end in pairwise(first[1:].tolist())
        )
        self.ends = rules.terminal != NO_ATOM

    def _find_empty_choices(self) -> IntArray:
        """Return the choices of `None`: that no fluent of a group holds, that a role makes no move."""
        fluents = self.stage.fluents
        is_group = np.array([len(domain) > 2 or domain != BOOLEANS for domain in fluents.domains], dtype=np.bool_)
        empty = np.flatnonzero((fluents.empty_place != NO_PLACE) & is_group)
        return np.concatenate(
            [self.stage.first_choices[empty] + fluents.empty_place[empty], self.stage.no_move_choices]
        )

    def _utility_choices(self) -> IntArray:
        """Return the choices of utilities other than 0, which is the first value of all."""
        first = self.stage.first_choices
        parts = [np.arange(first[var] + 1, first[var + 1]) for var in self.stage.utilities if var >= 0]
        return np.concatenate([np.zeros(0, dtype=np.int64), *parts])

    def make(self) -> Outputs:
        """Make the rules and tell what they are about."""
        base = self.source.rules
        next_kept = ~self.tabled.next[self.stage.fluents.var_of_fluent]
        fluents = np.flatnonzero(next_kept)
        percept_kept = np.flatnonzero(~self.tabled.percepts)
        pairs = [
            (self.next[fluents], self.source.next[fluents], 2 * (1 + fluents)),
            (self.chance_legal, self._chance_atoms(), np.full(len(self.chance_legal), NO_LITERAL)),
            (self.percepts[percept_kept], self.source.percepts[percept_kept], np.full(len(percept_kept), NO_LITERAL)),
        ]
        outs, sources, own = (np.concatenate(part) for part in zip(*pairs, strict=True))
        inlined = self._inlined(outs, sources)
        moved = inlined[base.head] != NO_ATOM
        kept = ~moved
        if self.tabled.terminal:
            kept &= base.head != self.source.terminal
        own_of_atom = np.full(base.num_atoms, NO_LITERAL, dtype=np.int64)
        is_plain = inlined[np.maximum(sources, 0)] != outs
        own_of_atom[sources[~is_plain]] = own[~is_plain]
        parts = [
            base.select(kept),
            self._guarded(base, moved, inlined, own_of_atom),
            make_rules(self._plain_rules(outs[is_plain], sources[is_plain], own[is_plain])),
            make_rules(self._repetitions(fluents)),
            make_rules(self._terminal_rules()),
            make_rules(self._utility_rules()),
        ]
        return Outputs(
            rules=join_rules(self.num_atoms, parts),
            loop=np.concatenate([self.source.loop, np.full(self.num_atoms - base.num_atoms, NO_LOOP)]),
            choices=self._choices(),
            given=self._given(),
            outcome=self._outcome_roots(),
            legal=self._legal_roots(),
            moves=np.concatenate([self.next[fluents], self.percepts[percept_kept]]),
        )

    def _chance_atoms(self) -> IntArray:
        """Return the atoms that tell which moves of `random` are legal."""
        if not len(self.stage.chance_legal):
            return np.zeros(0, dtype=np.int64)
        start, end = self.program.move_start[self.stage.chance_role : self.stage.chance_role + 2]
        return self.source.legal[start:end]

    def _inlined(self, outs: IntArray, sources: IntArray) -> IntArray:
        """Return for each atom the output that takes its rules over, or NO_ATOM: nothing else may ask for it."""
        base = self.source.rules
        asked = [self.source.next, self.source.legal, self.source.goals, self.source.percepts]
        atoms = np.concatenate([*asked, [self.source.terminal], base.data >> 1])
        uses = np.bincount(atoms[atoms >= 0], minlength=base.num_atoms)
        is_free = (uses == 1) & (self.source.loop == NO_LOOP)
        is_free[: 1 + self.program.num_fluents + self.program.num_moves] = False
        found = np.full(base.num_atoms, NO_ATOM, dtype=np.int64)
        chosen = (sources != NO_ATOM) & is_free[np.maximum(sources, 0)]
        found[sources[chosen]] = outs[chosen]
        return found

    def _guarded(self, base: RuleBase, moved: BoolArray, inlined: IntArray, own_of_atom: IntArray) -> RuleBase:
        """Return the rules that outputs take over; where a rule has to say that the match is not over it does."""
        exempt = np.zeros(base.num_rules, dtype=np.bool_)
        of = base.rule_of_literal()
        needs_move = self.source.needs_moves[base.data >> 1] & (base.data & 1 == 0)
        exempt[of[needs_move | (base.data == own_of_atom[base.head[of]])]] = True
        rules = base.select(moved)
        guarded = ~exempt[moved] & self.ends
        ends = rules.start[1:][guarded]
        data = np.insert(rules.data, ends, 2 * self.terminal + 1)
        return RuleBase(base.num_atoms, inlined[rules.head], offsets(np.diff(rules.start) + guarded), data)

    def _plain_rules(self, outs: IntArray, sources: IntArray, own: IntArray) -> list[tuple[int, list[int]]]:
        """Return the rules of outputs that equal an atom, unless the match is over."""
        found = []
        for out, source, own_literal in zip(outs.tolist(), sources.tolist(), own.tolist(), strict=True):
            if source != NO_ATOM:
                guarded = self.ends and not self.source.needs_moves[source] and own_literal != 2 * source
                found.append((out, [2 * source, 2 * self.terminal + 1] if guarded else [2 * source]))
        return found

    def _repetitions(self, fluents: IntArray) -> list[tuple[int, list[int]]]:
        """Return the rules that let the position be as it was, after the end."""
        if not self.ends:
            return []
        stays = self.source.next[fluents] == 1 + fluents
        return [(int(self.next[fluent]), [2 * self.terminal, 2 * (1 + fluent)]) for fluent in fluents[~stays].tolist()]

    def _terminal_rules(self) -> list[tuple[int, list[int]]]:
        """Return the rule of `terminal` if it is a fluent or a constant; a derived atom is the variable itself."""
        is_plain = self.ends and not self._is_derived(self.source.terminal)
        return [(self.terminal, [2 * self.source.terminal])] if is_plain else []

    def _is_derived(self, atom: int) -> bool:
        return atom > self.program.num_fluents + self.program.num_moves

    def _utility_rules(self) -> list[tuple[int, list[int]]]:
        """Return the rules of utilities: the match is over, and this goal is the only one of the role."""
        out_of_choice = dict(zip(self._utility_choices().tolist(), self.utilities.tolist(), strict=True))
        found = []
        for role, var in enumerate(self.stage.utilities):
            if var < 0 or self.tabled.utilities[role]:
                continue
            entries = np.flatnonzero(self.program.goals.roles == role).tolist()
            first, domain = int(self.stage.first_choices[var]), self.stage.variables[var].domain
            for entry in entries:
                value = goal_number(self.program.goals.terms[entry])
                if value:
                    others = [2 * int(self.source.goals[other]) + 1 for other in entries if other != entry]
                    body = [2 * self.terminal, 2 * int(self.source.goals[entry]), *others]
                    found.append((out_of_choice[first + domain.index(value)], body))
        return found

    def _choices(self) -> Choices:
        """Return the atoms of the values of each part of the position and of each action; Booleans need none."""
        given = self._given()
        inputs = np.concatenate([np.arange(1, 1 + self.program.num_fluents + self.program.num_moves), self.empty])
        var = np.searchsorted(self.stage.first_choices, given[inputs] >> 1, side="right") - 1
        order = np.argsort(var, kind="stable")
        found, start = np.unique(var[order], return_index=True)
        is_whole = np.diff(np.append(start, len(order))) == self.stage.sizes[found]
        kept = np.isin(var[order], found[is_whole])
        atoms = inputs[order][kept]
        _, starts, group_of = np.unique(var[order][kept], return_index=True, return_inverse=True)
        group = np.full(self.num_atoms, NO_GROUP, dtype=np.int64)
        group[atoms] = group_of
        return Choices(group, np.append(starts, len(atoms)), atoms)

    def _given(self) -> IntArray:
        """Return the literals of the inputs and the outputs."""
        given = np.full(self.num_atoms, NO_LITERAL, dtype=np.int64)
        num_fluents, first = self.program.num_fluents, self.stage.first_choices
        given[1 : 1 + num_fluents] = 2 * self.stage.fluent_choices
        given[1 + num_fluents : 1 + num_fluents + self.program.num_moves] = 2 * self.stage.move_choices
        given[self.terminal] = 2 * (first[self.stage.terminal] + 1)
        if self.ends and self._is_derived(self.source.terminal):
            given[self.source.terminal] = given[self.terminal]
        given[self.next] = 2 * self.stage.next_choices
        given[self.chance_legal] = 2 * (first[list(self.stage.chance_legal)] + 1)
        given[self.percepts] = 2 * (first[list(self.stage.percepts)] + 1)
        given[self.utilities] = 2 * self._utility_choices()
        given[self.empty] = 2 * self.empty_choices
        return given

    def _outcome_roots(self) -> IntArray:
        first = self.stage.first_choices
        choices = self._utility_choices()
        kept = np.ones(len(choices), dtype=np.bool_)
        for role, var in enumerate(self.stage.utilities):
            if var >= 0 and self.tabled.utilities[role]:
                kept &= (choices < first[var]) | (choices >= first[var + 1])
        terminal = [] if self.tabled.terminal else [self.terminal]
        if not self.tabled.terminal and self.ends and self._is_derived(self.source.terminal):
            terminal.append(self.source.terminal)
        return np.concatenate([np.array(terminal, dtype=np.int64), self.utilities[kept]])

    def _legal_roots(self) -> IntArray:
        """Return what chance may draw, and the legal moves of the roles that no table tells about."""
        parts = [self.chance_legal]
        for role in range(len(self.program.roles)):
            start, end = self.program.move_start[role : role + 2]
            if role != self.stage.chance_role and not self.tabled.actions[role]:
                atoms = self.source.legal[start:end]
                # If a move is legal at the end only, its atom is that of `terminal`, which is told elsewhere.
                parts.append(atoms[(atoms > TRUE_ATOM) & (atoms != self.source.terminal)])
        return np.concatenate(parts)
