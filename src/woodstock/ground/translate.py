"""From rules to a logic program that a grounder understands.

The program has three sections, grounded one after the other:

1. *static*: relations that depend neither on the position nor on the moves; they become facts;
2. *reachability*: the rules with negation of dynamic relations left out, where `true` is whatever was ever `init` or
   `next` and `does` whatever was ever `legal`; all of it is facts as well. It over-approximates what can happen;
3. *dynamic*: the rules proper, component by component, over a free choice of the reachable fluents and moves.

Before that the rules are rewritten so that they have few instances: `unfold`, `others`, `demand`, `split` and `union`
say how.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from woodstock.gdl.dependency import DependencyGraph, Relation, relation
from woodstock.gdl.rules import Clause, Literal, Rules
from woodstock.gdl.terms import LogicVar
from woodstock.ground.demand import restrict
from woodstock.ground.others import rewrite_others
from woodstock.ground.split import AUX, Splitter, binds
from woodstock.ground.unfold import unfold_static
from woodstock.ground.union import join_alternatives
from woodstock.ground.writer import RELAXED, Section, SymbolTable, Writer, relaxed

OUTPUTS: tuple[Relation, ...] = (("next", 1), ("legal", 2), ("terminal", 0), ("goal", 2), ("sees", 2))
"""What a game is asked for; relations that none of these needs are not grounded."""

NUM_FACT_SECTIONS = 2
"""The first sections derive nothing but facts."""

_TRUE, _DOES = ("true", 1), ("does", 2)


@dataclass(frozen=True, slots=True)
class LogicProgram:
    """The translation of a game.

    Attributes:
        sections: In the order in which they are to be grounded.
        symbols: The numbers of names; the predicate of relation number k is `p<k>`.
        named: Relations whose ground atoms are wanted by name.
    """

    sections: tuple[Section, ...]
    symbols: SymbolTable
    named: tuple[Relation, ...]

    def predicate(self, name: str) -> str:
        """Return what a relation is called in the program."""
        return f"p{self.symbols.number(name)}"


def translate(rules: Rules) -> LogicProgram:
    """Translate the rules of a game."""
    dynamic = DependencyGraph(rules.clauses).dynamic
    roots = frozenset([*OUTPUTS, ("init", 1), ("role", 1)])
    unfolded = unfold_static(rules.clauses, dynamic)
    needed = DependencyGraph(unfolded).reached_from(roots)
    wanted, new = rewrite_others([clause for clause in unfolded if relation(clause.head) in needed], dynamic)
    dynamic = dynamic | new | {_TRUE, _DOES}
    writer = Writer(dynamic)
    clauses, static_needs, dynamic_needs = restrict(wanted, dynamic, roots)
    static = [clause for clause in clauses if relation(clause.head) not in dynamic]
    moving = [clause for clause in clauses if relation(clause.head) in dynamic]
    splitter = Splitter(writer.guard, writer.is_fact)
    parts = [part for clause in moving for part in splitter.split(clause)]
    proper = [writer.bounded(part) for part in join_alternatives(parts, writer.is_fact)]
    sections = [
        writer.section(_split_static([*static_needs, *static]), binds),
        writer.section(_reachability(moving, dynamic_needs, dynamic, writer.guarded), binds),
        Section(writer.choices(), ()),
        *(writer.section(part, writer.is_fact) for part in _by_component(proper)),
    ]
    named = [_TRUE, _DOES, ("init", 1), ("role", 1), *OUTPUTS]
    return LogicProgram(tuple(sections), writer.symbols, tuple(named))


def _split_static(clauses: Sequence[Clause]) -> list[Clause]:
    splitter = Splitter(prefix=AUX + "s")
    return [part for clause in clauses for part in splitter.split(clause)]


def _reachability(
    clauses: Sequence[Clause], needs: Sequence[Clause], dynamic: frozenset[Relation], guarded: set[Relation]
) -> list[Clause]:
    """Return the clauses of the reachability section: all that `next`, `legal`, the demands and the guards need."""
    loose = [_relax(clause, dynamic) for clause in (*needs, *clauses)]
    fluent, role, move = LogicVar("?f"), LogicVar("?r"), LogicVar("?m")
    follows = Clause(("true", fluent), (Literal(("next", fluent)),))
    made = Clause(("does", role, move), (Literal(("legal", role, move)), Literal(("role", role))))
    loose += [_relax(follows, dynamic), _relax(made, dynamic)]
    can_true, can_does = relaxed(("true", fluent)), relaxed(("does", role, move))
    loose.append(Clause(can_true, (Literal(("init", fluent)),)))
    roots = [relation(can_true), relation(can_does), *(relation(need.head) for need in needs)]
    roots.extend((RELAXED + name, arity) for name, arity in guarded)
    graph = DependencyGraph(loose)
    wanted = graph.reached_from(roots)
    splitter = Splitter(prefix=AUX + "r")
    kept = [clause for clause in loose if relation(clause.head) in wanted]
    return [part for clause in kept for part in splitter.split(clause)]


def _relax(clause: Clause, dynamic: frozenset[Relation]) -> Clause:
    """Forget the negated dynamic literals and rename the others."""
    body = []
    for literal in clause.body:
        if literal.name == "distinct" or relation(literal.atom) not in dynamic:
            body.append(literal)
        elif literal.positive:
            body.append(Literal(relaxed(literal.atom)))
    head = relaxed(clause.head) if relation(clause.head) in dynamic else clause.head
    return Clause(head, tuple(body), clause.rule)


def _by_component(clauses: Sequence[Clause]) -> list[list[Clause]]:
    """Group clauses so that each group uses only itself and those before it: single clauses where there is no loop."""
    graph = DependencyGraph(clauses)
    groups: list[list[Clause]] = []
    members: dict[int, list[Clause]] = {}
    for clause in clauses:
        members.setdefault(graph.component_of[relation(clause.head)], []).append(clause)
    for number in range(len(graph.components)):
        found = members.get(number, [])
        if any(graph.is_recursive(relation(clause.head)) for clause in found):
            groups.append(found)
        else:
            groups.extend([clause] for clause in found)
    return groups
