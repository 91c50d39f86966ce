"""Rules without a definite meaning are refused here, before anything is compiled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from woodstock.game.reference.program import DISTINCT, DOES, TRUE, Program
from woodstock.gdl.dependency import Relation, relation
from woodstock.gdl.diagnostics import Diagnostic, GdlError, Severity
from woodstock.gdl.rules import NO_SPAN, Clause, Literal
from woodstock.gdl.source import Span
from woodstock.gdl.terms import LogicVar, arguments, iter_variables, variables


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
    for edge in program.graph.unstratified_edges():
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
