"""Keywords: where each may stand, how many arguments it takes, and what it may depend on."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from woodstock.gdl.checks.inspection import Inspection, is_rule
from woodstock.gdl.dependency import Relation, relation
from woodstock.gdl.keywords import ARITY, CONNECTIVES
from woodstock.gdl.rules import Connective, Formula
from woodstock.gdl.source import Span
from woodstock.gdl.terms import Term, arguments, arity, functor

_ARGUMENTS: dict[str, tuple[str, ...]] = {
    "role": ("name",),
    "init": ("fluent",),
    "true": ("fluent",),
    "does": ("role", "move"),
    "next": ("fluent",),
    "legal": ("role", "move"),
    "goal": ("role", "value"),
    "terminal": (),
    "distinct": ("term", "term"),
    "base": ("fluent",),
    "input": ("role", "move"),
    "sees": ("role", "percept"),
}
"""What each keyword is applied to."""
_MAX_SHOWN = 3
"""A statement of a given keyword is reported so many times; then only the number follows."""
_MAX_CHAIN = 10
"""So many relations of a chain of dependences are shown."""
_NEVER_HEAD = frozenset({"true", "does", "distinct"})
_NEVER_BODY = frozenset({"init", "next", "base", "input", "sees"})
_INPUTS: tuple[Relation, ...] = (("true", 1), ("does", 2))
_FORBIDDEN_INPUTS: dict[Relation, tuple[Relation, ...]] = {
    ("role", 1): _INPUTS,
    ("init", 1): _INPUTS,
    ("base", 1): _INPUTS,
    ("input", 2): _INPUTS,
    ("legal", 2): _INPUTS[1:],
    ("goal", 2): _INPUTS[1:],
    ("terminal", 0): _INPUTS[1:],
}
"""What each keyword must not depend on."""


def check_heads(inspection: Inspection) -> None:
    """Report keywords that are defined although their meaning is given, and roles that are not stated as facts."""
    given: dict[str, list[int]] = {}
    for number, rule in enumerate(inspection.rules):
        span = inspection.head_node(number).span
        if rule.name in CONNECTIVES or rule.name in _NEVER_HEAD:
            given.setdefault(rule.name, []).append(number)
            inspection.hopeless.add(number)
        elif rule.name == "role" and rule.body:
            hint = f"state each role as a fact: {inspection.example('role', 'name')}"
            inspection.error("role-rule", "roles must be stated as facts, not derived by a rule", span, hint)
        elif rule.name == "role" and isinstance(rule.head, tuple) and isinstance(rule.head[1], tuple):
            inspection.error("role-name", f"a role is a plain name, found {inspection.show(rule.head[1])}", span)
    for name, numbers in given.items():
        _report_given(inspection, name, numbers)


def _report_given(inspection: Inspection, name: str, numbers: list[int]) -> None:
    """Report the statements about something whose meaning is given."""
    message = f"`{name}` cannot be stated or defined: its meaning is given"
    hint = "`init` says what holds at the start, `next` what holds after a move" if name == "true" else ""
    for position, number in enumerate(numbers[:_MAX_SHOWN]):
        more = len(numbers) - _MAX_SHOWN
        rest = f" (and {more} more such statements)" if more > 0 and position == _MAX_SHOWN - 1 else ""
        inspection.rule_error(number, "keyword-head", message + rest, inspection.head_node(number).span, hint)


def check_bodies(inspection: Inspection) -> None:
    """Report keywords that stand in a body although they are only ever defined."""
    for literals in inspection.literals:
        for literal in literals:
            if literal.name in _NEVER_BODY:
                hint = "use a relation of its own for what both rules need"
                if literal.name in ("init", "next"):
                    hint = "`true` asks what holds now; for what both rules need use a relation of its own"
                message = f"`{literal.name}` must not be used as a condition"
                inspection.error("keyword-in-body", message, literal.span, hint)


def check_knowledge(inspection: Inspection) -> None:
    """Report GDL-III: a condition `knows` that no rule of the sheet defines."""
    if any(rule.name == "knows" for rule in inspection.rules):
        return
    for literals in inspection.literals:
        for literal in literals:
            if literal.name == "knows" and arity(literal.atom) in (1, 2):
                message = "`knows` is GDL-III, which is not supported; GDL and GDL-II are"
                inspection.error("gdl-iii", message, literal.span)


def check_dependence(inspection: Inspection) -> None:
    """Report keywords that depend on the position or on the moves although they must not."""
    towards = {name: _towards(inspection, name) for name in _INPUTS}
    reported: set[tuple[Relation, Relation, Relation]] = set()
    for rule, literals in zip(inspection.rules, inspection.literals, strict=True):
        head = relation(rule.head)
        for literal in literals:
            body = relation(literal.atom)
            for name in _FORBIDDEN_INPUTS.get(head, ()):
                if body in towards[name] and (head, body, name) not in reported:
                    reported.add((head, body, name))
                    chain = [head[0], *_chain(towards[name], body, name)]
                    what = "the moves" if name[0] == "does" else "the position"
                    message = f"`{head[0]}` must not depend on {what} (`{name[0]}`): {' -> '.join(chain)}"
                    inspection.error("dependence", message, literal.span)


def _towards(inspection: Inspection, target: Relation) -> dict[Relation, Relation]:
    """Return, for every relation that depends on `target`, the next one on a shortest way there."""
    users: dict[Relation, list[Relation]] = {}
    for user, used in inspection.graph.uses.items():
        for name in used:
            users.setdefault(name, []).append(user)
    towards = {target: target}
    queue = deque([target])
    while queue:
        name = queue.popleft()
        for user in users.get(name, ()):
            if user not in towards:
                towards[user] = name
                queue.append(user)
    return towards


def _chain(towards: dict[Relation, Relation], start: Relation, target: Relation) -> list[str]:
    """Return the names on the way from a relation to one that it depends on; a long way is cut."""
    chain = [start]
    while chain[-1] != target and len(chain) < _MAX_CHAIN:
        chain.append(towards[chain[-1]])
    cut = [] if chain[-1] == target else ["...", target[0]]
    return [name for name, _ in chain] + cut


def check_arity(inspection: Inspection) -> None:
    """Report keywords with a wrong number of arguments."""
    for number, rule in enumerate(inspection.rules):
        for atom, span in inspection.atoms(number):
            name, found = functor(atom), arity(atom)
            expected = ARITY.get(name, found)
            if found == expected:
                continue
            hint = f"expected: {inspection.example(name, *_ARGUMENTS[name])}"
            if found > expected and atom is rule.head and not rule.body and is_rule(inspection.nodes[number]):
                hint = "a parenthesis is closed too late: the conditions of this rule stand inside its head"
                inspection.hopeless.add(number)
            takes = "no arguments" if expected == 0 else f"{expected} argument{'s' if expected > 1 else ''}"
            inspection.rule_error(number, "keyword-arity", f"`{name}` takes {takes}, found {found}", span, hint)


def check_negations(inspection: Inspection) -> None:
    """Report `not` around anything but one sentence: GDL negates atoms only."""
    for rule in inspection.rules:
        stack: list[Formula] = list(rule.body)
        while stack:
            formula = stack.pop()
            if isinstance(formula, Connective):
                stack.extend(formula.parts)
                if formula.kind == "not":
                    message = "`not` may only be applied to a single sentence, not to `and`, `or` or another `not`"
                    inspection.error("negation", message, formula.span, "name the condition by a relation of its own")


def check_terms(inspection: Inspection) -> None:
    """Report keywords and connectives that stand inside terms, where they are ordinary names."""
    reported: set[str] = set()
    for number in range(len(inspection.rules)):
        for atom, span in inspection.atoms(number):
            for name in _names_inside(atom):
                if name in CONNECTIVES:
                    message = f"`{name}` joins conditions; it cannot stand inside a term"
                    inspection.error("connective-in-term", message, inspection.word(number, name, span))
                elif name in ARITY and name not in reported:
                    reported.add(name)
                    message = f"the keyword `{name}` is used here as an ordinary name"
                    place = inspection.word(number, name, Span(span.start + 1, span.end))
                    inspection.warning("keyword-as-name", message, place)


def _names_inside(atom: Term) -> Iterator[str]:
    """Yield every name inside the arguments of an atom."""
    stack = list(arguments(atom))
    while stack:
        term = stack.pop()
        if isinstance(term, str):
            yield term
        elif isinstance(term, tuple):
            yield functor(term)
            stack.extend(term[1:])
