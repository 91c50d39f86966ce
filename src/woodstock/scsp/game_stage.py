"""One stage of a game as constraints: a template that every stage of a network is a copy of.

What the rules say becomes constraints so:

- `terminal`, what chance may draw, the percepts and the utilities equal what the rules derive;
- a move can be chosen only if it is legal, and no move is chosen if and only if the match is over;
- a fluent holds next if the rules say so; after the end the position stays as it is, so that later stages repeat it.

All of this is said by gates (Clark's completion, with `Founded` for positive loops), or by a table where that is small.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import IntEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from woodstock.gdl.printer import to_kif
from woodstock.ground.program import NO_ATOM, TRUE_ATOM, GroundProgram
from woodstock.ground.rulebase import needed_atoms, offsets
from woodstock.scsp.game_choices import simplify_choices
from woodstock.scsp.game_completion import NO_LITERAL, NO_REGION, Bodies, Completion, complete, join_bodies
from woodstock.scsp.game_fluents import FluentVars
from woodstock.scsp.game_outputs import Outputs, Tabled, make_outputs
from woodstock.scsp.game_rules import StageRules, make_stage_rules
from woodstock.scsp.game_tables import StageTable, TableMaker
from woodstock.scsp.game_vars import StageVars

IntArray = npt.NDArray[np.int64]


class Region(IntEnum):
    """What a constraint or an auxiliary variable is about; each may need those before it."""

    OUTCOME = 0
    """Whether the match is over, and the utilities."""
    LEGAL = 1
    """What may be done."""
    MOVES = 2
    """What follows from the moves."""


class Rows(NamedTuple):
    """Constraints of one kind, sorted by region.

    Attributes:
        bodies: Gates, or clauses, whose `outs` mean nothing.
        regions: The region of each, int64.
    """

    bodies: Bodies
    regions: IntArray


@dataclass(frozen=True, eq=False)
class StageTemplate:
    """The constraints of a stage, over choices of its own variables and of the following position.

    Variables are in the order: position, `terminal`, utilities, auxiliary variables of the region OUTCOME, what chance
    may draw, actions, percepts, other auxiliary variables; then comes the next stage. Their choices follow each other.

    Attributes:
        stage: The variables with a meaning of their own.
        auxiliary_names: Names of the auxiliary variables, those of the region OUTCOME first.
        num_outcome_auxiliaries: Number of these.
        gates: Literals that equal conjunctions.
        clauses: Disjunctions.
        tables: Small tables with their regions, over variables of the stage and of the next one.
        loops: The rules of each positive loop with its region.
    """

    stage: StageVars
    auxiliary_names: tuple[str, ...]
    num_outcome_auxiliaries: int
    gates: Rows
    clauses: Rows
    tables: tuple[tuple[StageTable, Region], ...]
    loops: tuple[tuple[Bodies, Region], ...]

    @property
    def num_vars(self) -> int:
        """Number of variables of a stage."""
        return self.stage.num_vars + len(self.auxiliary_names)

    @property
    def num_choices(self) -> int:
        """Number of choices of a stage."""
        return int(self.stage.first_choices[self.stage.num_vars]) + 2 * len(self.auxiliary_names)

    @property
    def num_outcome_vars(self) -> int:
        """Number of variables that tell a position and its outcome; they come first."""
        return self.stage.num_outcome + self.num_outcome_auxiliaries

    def var(self, number: int) -> int:
        """Return the variable of the stage, or of the next one, that `StageVars` gives a number."""
        if number < self.stage.num_outcome:
            return number
        if number < self.stage.num_vars:
            return number + self.num_outcome_auxiliaries
        return number - self.stage.num_vars + self.num_vars


def make_template(
    program: GroundProgram, fluents: FluentVars, impossible: npt.NDArray[np.bool_] | None = None
) -> StageTemplate:
    """Return the template of a stage of a game.

    Args:
        program: The game.
        fluents: How its position is divided.
        impossible: Atoms that never hold when moves are made, shape (num_atoms,), bool; see `Exclusions`.
    """
    stage = StageVars(program, fluents)
    rules = make_stage_rules(program, impossible)
    tables, tabled = _make_tables(TableMaker(program, rules, stage), stage)
    outputs = make_outputs(program, rules, stage, tabled)
    regions = _find_regions(program, outputs)
    simple = simplify_choices(outputs.rules, outputs.choices)
    completion = complete(simple, outputs.loop, regions, outputs.given, int(stage.first_choices[-1]))
    return _Numbering(stage, completion).template(
        _auxiliary_names(program, rules, completion),
        _legal_clauses(program, rules, stage, completion, tabled),
        tables,
    )


def _make_tables(maker: TableMaker, stage: StageVars) -> tuple[list[tuple[StageTable, Region]], Tabled]:
    """Return the tables that are small, and what they tell about."""
    terminal = maker.terminal()
    roles = range(len(stage.actions))
    utilities = [maker.utility(role) if stage.utilities[role] >= 0 else None for role in roles]
    actions = [maker.legal(role) if role != stage.chance_role else None for role in roles]
    following = [maker.next(var) for var in range(stage.fluents.num_vars)]
    percepts = [maker.percept(entry) for entry in range(len(stage.percepts))]
    found = [
        (table, region)
        for region, group in (
            (Region.OUTCOME, [terminal, *utilities]),
            (Region.LEGAL, actions),
            (Region.MOVES, [*following, *percepts]),
        )
        for table in group
        if table is not None
    ]
    return found, Tabled(terminal is not None, *map(_is_there, (utilities, actions, following, percepts)))


def _is_there(tables: list[StageTable | None]) -> npt.NDArray[np.bool_]:
    return np.array([table is not None for table in tables], dtype=np.bool_)


def _find_regions(program: GroundProgram, outputs: Outputs) -> IntArray:
    """Return the first region that needs each derived atom, or NO_REGION."""
    found = np.full(outputs.rules.num_atoms, NO_REGION, dtype=np.int64)
    for region, roots in (
        (Region.MOVES, outputs.moves),
        (Region.LEGAL, outputs.legal),
        (Region.OUTCOME, outputs.outcome),
    ):
        found[needed_atoms(outputs.rules, roots)] = region
    found[: 1 + program.num_fluents + program.num_moves] = NO_REGION
    # What a table tells about has a literal, and no rules; it is asked for but not defined here.
    is_asked = np.zeros(len(found), dtype=np.bool_)
    is_asked[np.concatenate([outputs.outcome, outputs.legal, outputs.moves])] = True
    found[(outputs.given != NO_LITERAL) & ~is_asked] = NO_REGION
    return found


def _legal_clauses(
    program: GroundProgram, rules: StageRules, stage: StageVars, completion: Completion, tabled: Tabled
) -> Bodies:
    """Return the clauses that a move is not made, or is legal."""
    found: list[list[int]] = []
    for role in range(len(program.roles)):
        if tabled.actions[role]:
            continue
        start, end = program.move_start[role : role + 2]
        made = (2 * stage.move_choices[start:end] + 1).tolist()
        if role == stage.chance_role:
            legal = (2 * (stage.first_choices[list(stage.chance_legal)] + 1)).tolist()
            found += [list(clause) for clause in zip(made, legal, strict=True)]
            continue
        for literal, atom in zip(made, rules.legal[start:end].tolist(), strict=True):
            if atom == NO_ATOM:
                found.append([literal])
            elif atom != TRUE_ATOM:
                found.append([literal, int(completion.literal_of[atom])])
    lengths = np.array([len(clause) for clause in found], dtype=np.int64)
    data = np.array([literal for clause in found for literal in clause], dtype=np.int64)
    return Bodies(np.zeros(len(found), dtype=np.int64), offsets(lengths), data)


def _auxiliary_names(program: GroundProgram, rules: StageRules, completion: Completion) -> list[str]:
    """Return what to call the new signals: by their atoms where these have names."""
    names = {}
    goals = zip(program.goals.roles.tolist(), program.goals.terms, rules.goals.tolist(), strict=True)
    for role, term, atom in goals:
        names[atom] = f"goal {program.roles[role]} {to_kif(term)}"
    for role, moves in enumerate(program.moves):
        for move, atom in zip(moves, rules.legal[program.move_start[role] :].tolist(), strict=False):
            names.setdefault(atom, f"legal {program.roles[role]} {to_kif(move)}")
    return [
        f"body {number}" if atom == NO_LITERAL else names.get(atom, f"derived {atom}")
        for number, atom in enumerate(completion.atom_of_new.tolist())
    ]


class _Numbering:
    """Gives the signals of a completion their choices in a stage."""

    def __init__(self, stage: StageVars, completion: Completion) -> None:
        self.stage = stage
        self.completion = completion
        is_outcome = completion.region_of_new == Region.OUTCOME
        self.order = np.argsort(~is_outcome, kind="stable")
        self.num_outcome = int(is_outcome.sum())
        rank = np.empty(len(self.order), dtype=np.int64)
        rank[self.order] = np.arange(len(self.order))
        first, last = (int(stage.first_choices[var]) for var in (stage.num_outcome, stage.num_vars))
        named = np.arange(stage.first_choices[-1])
        named[first:] += 2 * self.num_outcome
        named[last:] += 2 * (len(rank) - self.num_outcome)
        new = 2 * rank + 1 + np.where(rank < self.num_outcome, first, last)
        self.choice_of = np.concatenate([named, new])
        regions = np.full(len(named), Region.MOVES, dtype=np.int64)
        regions[: int(stage.first_choices[min(stage.actions, default=stage.num_vars)])] = Region.LEGAL
        regions[:first] = Region.OUTCOME
        self.region_of = np.concatenate([regions, completion.region_of_new])

    def template(self, names: list[str], legal: Bodies, tables: list[tuple[StageTable, Region]]) -> StageTemplate:
        """Return the template."""
        idle = 2 * self.stage.no_move_choices
        over = np.full(len(idle), 2 * (self.stage.first_choices[self.stage.terminal] + 1))
        no_moves = Bodies(idle, np.arange(len(idle) + 1), over)
        gates = self.completion.gates
        units = self.completion.units
        unit_clauses = Bodies(np.zeros_like(units), np.arange(len(units) + 1), units)
        found = StageTemplate(
            stage=self.stage,
            auxiliary_names=tuple(names[number] for number in self.order.tolist()),
            num_outcome_auxiliaries=self.num_outcome,
            gates=self._rows((gates, self._regions(gates.outs)), (no_moves, np.full(len(idle), Region.LEGAL))),
            clauses=self._rows((unit_clauses, self._regions(units)), (legal, np.full(len(legal.outs), Region.LEGAL))),
            tables=(),
            loops=tuple(self._loops()),
        )
        placed = tuple((table._replace(scope=tuple(map(found.var, table.scope))), region) for table, region in tables)
        return replace(found, tables=placed)

    def _regions(self, literals: IntArray) -> IntArray:
        found: IntArray = self.region_of[literals >> 1]
        return found

    def _literals(self, literals: IntArray) -> IntArray:
        found: IntArray = 2 * self.choice_of[literals >> 1] + (literals & 1)
        return found

    def _rows(self, *parts: tuple[Bodies, IntArray]) -> Rows:
        bodies = join_bodies(tuple(bodies for bodies, _ in parts))
        regions = np.concatenate([regions for _, regions in parts])
        order = np.argsort(regions, kind="stable")
        return Rows(self._placed(bodies.select(order)), regions[order])

    def _placed(self, bodies: Bodies) -> Bodies:
        return Bodies(self._literals(bodies.outs), bodies.start, self._literals(bodies.data))

    def _loops(self) -> Iterator[tuple[Bodies, Region]]:
        for loop in np.unique(self.completion.loop_of_rule):
            rules = self.completion.loop_rules.select(np.flatnonzero(self.completion.loop_of_rule == loop))
            yield self._placed(rules), Region(int(self._regions(rules.outs)[0]))
