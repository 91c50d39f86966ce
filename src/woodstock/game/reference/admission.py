"""Rules without a definite meaning are refused here, before anything is compiled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from woodstock.common.graphs import strongly_connected
from woodstock.game.reference.program import DISTINCT, DOES, TRUE, Program
from woodstock.gdl.dependency import Edge, Relation, relation
from woodstock.gdl.diagnostics import Diagnostic, GdlError, Severity
from woodstock.gdl.rules import NO_SPAN, Clause, Literal
from woodstock.gdl.source import Span
from woodstock.gdl.terms import LogicVar, Term, arguments, iter_variables, variables

_MAX_CLAUSES_COMPARED = 1_000


def admit(program: Program, targets: Iterable[Relation]) -> None:
    """Check every clause that one of the target relations depends on.

    Raises:
        GdlError: A clause is unsafe, negates what depends on it, or defines what only a match can define.
    """
    needed = program.graph.reached_from(targets)
    problems: dict[tuple[str, Span], Diagnostic] = {}
    for clause in program.clauses:
        if relation(clause.head) in needed:
            for problem in _clause_problems(program, clause):
                problems.setdefault((problem.code, problem.span), problem)
    for edge in _unstratified(program):
        if edge.head in needed:
            head, body = edge.head[0], edge.body[0]
            message = f"`{head}` is defined by the negation of `{body}`, which itself depends on `{head}`"
            problem = _problem(program, program.clauses[edge.clause], "unstratified", message)
            problems.setdefault((problem.code, problem.span), problem)
    if problems:
        raise GdlError(sorted(problems.values(), key=lambda problem: problem.span))


def _clause_problems(program: Program, clause: Clause) -> Iterator[Diagnostic]:
    if relation(clause.head) in (TRUE, DOES):
        message = f"`{clause.name}` is given by the match, no rule may define it"
        yield _problem(program, clause, "keyword-head", message)
    safe: set[LogicVar] = set()
    for literal in clause.body:
        if literal.name == DISTINCT[0]:
            if relation(literal.atom) != DISTINCT:
                number = len(arguments(literal.atom))
                message = f"`distinct` compares two terms, found {number}"
                yield _problem(program, clause, "distinct-arity", message, literal)
        elif literal.positive:
            safe.update(iter_variables(literal.atom))
    unsafe = [var for var in clause.variables if var not in safe]
    if unsafe:
        names = ", ".join(var.name for var in unsafe)
        where = "the head" if unsafe[0] in variables(clause.head) else "`not` or `distinct`"
        message = f"unsafe rule: {names} occurs in {where} but in no positive condition"
        yield _problem(program, clause, "unsafe-variable", message)


def _problem(program: Program, clause: Clause, code: str, message: str, place: Literal | None = None) -> Diagnostic:
    span = program.rules.rules[clause.rule].span if place is None or place.span == NO_SPAN else place.span
    return Diagnostic(Severity.ERROR, code, message, program.rules.source, span)


def _unstratified(program: Program) -> Iterator[Edge]:
    """Yield the uses of a negated relation that depends on its user, clause by clause.

    That is finer than relation by relation, as GDL demands it: `(goal ?r 0)` may be defined by `(not (goal ?r 100))`,
    since no clause for `(goal ?r 100)` depends on one for `(goal ?r 0)`.
    """
    suspects = program.graph.negative_cycle_edges()
    if not suspects:
        return
    of = program.graph.component_of
    components = {of[edge.head] for edge in suspects}
    members = [number for number, clause in enumerate(program.clauses) if of[relation(clause.head)] in components]
    if len(members) > _MAX_CLAUSES_COMPARED:
        yield from suspects
        return
    group_of = _clause_groups(program, members)
    for edge in suspects:
        for literal in program.clauses[edge.clause].body:
            if not literal.positive and relation(literal.atom) == edge.body:
                used = (number for number in members if may_unify(literal.atom, program.clauses[number].head))
                if any(group_of[number] == group_of[edge.clause] for number in used):
                    yield edge


def _clause_groups(program: Program, members: list[int]) -> dict[int, int]:
    """Return for each clause number the number of its group: clauses that depend on each other."""
    heads = {number: program.clauses[number].head for number in members}
    uses = {
        ("", number): tuple(
            ("", other)
            for other, head in heads.items()
            if any(may_unify(literal.atom, head) for literal in program.clauses[number].body)
        )
        for number in members
    }
    groups = strongly_connected(uses, uses.__getitem__)
    return {number: group for group, names in enumerate(groups) for _, number in names}


def may_unify(one: Term, other: Term) -> bool:
    """Tell whether two terms may have an instance in common; repeated variables are not compared."""
    if isinstance(one, LogicVar) or isinstance(other, LogicVar):
        return True
    if isinstance(one, str) or isinstance(other, str):
        return one == other
    return len(one) == len(other) and all(map(may_unify, one, other))
