"""Names: one arity, one use and one spelling each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from woodstock.gdl.checks.inspection import Inspection
from woodstock.gdl.checks.suggestions import is_one_edit
from woodstock.gdl.keywords import ARITY, CONNECTIVES
from woodstock.gdl.source import Span
from woodstock.gdl.syntax import Node, Word, iter_words
from woodstock.gdl.terms import LogicVar, Term, arity, functor, iter_variables

_Place = tuple[int, Span]
"""A rule's number and where in it."""


def check_arities(inspection: Inspection) -> None:
    """Report relations and functions with several numbers of arguments, and names that are both."""
    relations: dict[str, dict[int, list[_Place]]] = {}
    functions: dict[str, dict[int, list[_Place]]] = {}
    for number in range(len(inspection.rules)):
        if number in inspection.hopeless:
            continue
        for atom, span in inspection.atoms(number):
            name = functor(atom)
            if name not in ARITY and name not in CONNECTIVES:
                relations.setdefault(name, {}).setdefault(arity(atom), []).append((number, span))
            for function in _functions(atom):
                counts = functions.setdefault(functor(function), {})
                counts.setdefault(arity(function), []).append((number, span))
    for kind, table in (("relation", relations), ("function", functions)):
        for name, counts in table.items():
            if len(counts) > 1 and name not in inspection.explained:
                _report_arities(inspection, kind, name, counts)
    for name in relations.keys() & functions.keys():
        number, span = next(iter(functions[name].values()))[0]
        place = inspection.word(number, name, Span(span.start + 1, span.end))
        inspection.warning("relation-and-function", f"`{name}` names both a relation and a function", place)


def _report_arities(inspection: Inspection, kind: str, name: str, counts: dict[int, list[_Place]]) -> None:
    rarest = min(counts, key=lambda count: (len(counts[count]), -counts[count][0][1].start))
    usual = max(counts, key=lambda count: len(counts[count]) if count != rarest else 0)
    number, span = counts[rarest][0]
    inspection.warning(
        "arity",
        f"the {kind} `{name}` has {rarest} argument{'' if rarest == 1 else 's'} here but {usual} elsewhere"
        f" (line {inspection.line(counts[usual][0][1].start)})",
        inspection.word(number, name, span),
    )


def _functions(atom: Term) -> Iterator[Term]:
    """Yield every compound term inside the arguments of an atom."""
    stack = list(atom[1:]) if isinstance(atom, tuple) else []
    while stack:
        term = stack.pop()
        if isinstance(term, tuple):
            yield term
            stack.extend(term[1:])


def check_parentheses(inspection: Inspection) -> None:
    """Report names without arguments that are written both bare and in parentheses, `p` and `(p)`."""
    if inspection.sheet.syntax != "kif":
        return
    bare: dict[str, list[Word]] = {}
    enclosed: dict[str, list[Word]] = {}
    stack: list[Node] = list(inspection.sheet.statements)
    while stack:
        node = stack.pop()
        if isinstance(node, Word):
            bare.setdefault(node.text.lower(), []).append(node)
        elif len(node.items) == 1 and isinstance(node.items[0], Word):
            enclosed.setdefault(node.items[0].text.lower(), []).append(node.items[0])
        else:
            stack.extend(node.items[1:] if node.items and isinstance(node.items[0], Word) else node.items)
    for name in bare.keys() & enclosed.keys():
        one, other = (min(words, key=lambda word: word.span) for words in (bare[name], enclosed[name]))
        bare_is_rare = len(bare[name]) < len(enclosed[name])
        here, there = (one, other) if bare_is_rare else (other, one)
        how, elsewhere = ("bare", "in parentheses") if bare_is_rare else ("in parentheses", "bare")
        message = f"`{name}` stands {how} here but {elsewhere} in line {inspection.line(there.span.start)}"
        hint = "they mean the same, but some systems take them for two names"
        inspection.warning("mixed-parentheses", message, here.span, hint)


def check_capitalisation(inspection: Inspection) -> None:
    """Report names, and variables of one rule, that are spelt in several ways: case makes no difference in GDL."""
    names: dict[str, dict[str, list[Word]]] = {}
    for node in inspection.sheet.statements:
        variables: dict[str, dict[str, list[Word]]] = {}
        for word in iter_words(node):
            table = variables if word.text.startswith("?") else names
            table.setdefault(word.text.lower(), {}).setdefault(word.text, []).append(word)
        _report_spellings(inspection, variables)
    _report_spellings(inspection, names)


def _report_spellings(inspection: Inspection, table: dict[str, dict[str, list[Word]]]) -> None:
    for spellings in table.values():
        if len(spellings) > 1:
            rarest = min(spellings.values(), key=lambda words: (len(words), -words[0].span.start))[0]
            usual = max(spellings.values(), key=lambda words: (len(words), -words[0].span.start))[0]
            message = f"`{rarest.text}` is the same name as `{usual.text}` (line {inspection.line(usual.span.start)})"
            hint = "GDL makes no difference between upper and lower case"
            inspection.warning("capitalisation", message, rarest.span, hint)


def check_variables(inspection: Inspection) -> None:
    """Report variables that occur once in a rule and look like another one of it."""
    for number, rule in enumerate(inspection.rules):
        if not rule.body:
            continue
        atoms = [rule.head, *(literal.atom for literal in inspection.literals[number])]
        counts = Counter(variable for atom in atoms for variable in iter_variables(atom))
        once = [variable for variable, count in counts.items() if count == 1]
        for variable in once if len(counts) <= 100 else ():
            meant = next((other for other in counts if counts[other] > 1 and _is_slip(variable, other)), None)
            if meant is not None:
                message = f"{variable.name} occurs only once in this rule"
                place = inspection.word(number, variable.name)
                inspection.warning("variable-slip", message, place, f"did you mean {meant.name}?")


def _is_slip(one: LogicVar, two: LogicVar) -> bool:
    """Tell whether two names differ inside: `?row` and `?rows`, or `?posx` and `?posy`, differ on purpose."""
    first, second = one.name, two.name
    return (
        min(len(first), len(second)) >= 5
        and first[:2] == second[:2]
        and first[-1] == second[-1]
        and is_one_edit(first, second)
    )
