"""Relations, fluents and moves that are used and never made, or made and never used; the nearest name is suggested."""

from __future__ import annotations

from dataclasses import dataclass, field

from woodstock.gdl.checks.inspection import Inspection
from woodstock.gdl.checks.suggestions import NameIndex
from woodstock.gdl.dependency import Relation, relation
from woodstock.gdl.keywords import ARITY, CONNECTIVES
from woodstock.gdl.source import Span
from woodstock.gdl.terms import LogicVar, Term, arity, functor

_KNOWN = frozenset({*ARITY, *CONNECTIVES, "knows", "percept", "sees_xml"})
"""Names that are never reported: keywords, what has a check of its own, and names that only certain servers read."""


@dataclass(slots=True)
class _Ledger:
    """Where each name of one kind is made and used first: rule number and place."""

    made: dict[Relation, tuple[int, Span]] = field(default_factory=dict)
    used: dict[Relation, tuple[int, Span]] = field(default_factory=dict)
    is_open: bool = False
    """Whether a variable stands for a made one: then anything may be made."""


def check_relations(inspection: Inspection) -> None:
    """Report relations that are used and never defined, or defined and never used."""
    if inspection.is_broken:
        return
    ledger = _relations(inspection)
    fluents, moves = _fluents(inspection), _moves(inspection)
    _report_undefined(inspection, ledger, fluents, moves)
    _report_unused(inspection, ledger)
    _check_terms(inspection, fluents, "fluent", "true", "`init` or `next`")
    _check_terms(inspection, moves, "move", "does", "`legal`")


def _report_undefined(inspection: Inspection, ledger: _Ledger, fluents: _Ledger, moves: _Ledger) -> None:
    index = NameIndex([*(name for name, _ in ledger.made), *ARITY])
    arities = _arities(ledger.made)
    for (name, count), (number, span) in ledger.used.items():
        if (name, count) in ledger.made or name in _KNOWN:
            continue
        code, hint = "undefined", ""
        if name in arities:
            code = "arity"
            hint = f"it is defined with {_count(arities[name])}"
            inspection.explained.add(name)
        elif (name, count) in fluents.made:
            hint = "it is a fluent: ask for it by `true`"
        elif (name, count) in moves.made:
            hint = "it is a move: ask for it by `does`"
        elif meant := index.nearest(name):
            hint = f"did you mean `{meant}`?"
            inspection.explained.add(meant)
        message = f"`{name}` with {_count([count])} is never defined, so this never holds"
        inspection.warning(code, message, inspection.word(number, name, span), hint)


def _report_unused(inspection: Inspection, ledger: _Ledger) -> None:
    keywords = NameIndex(ARITY)
    for (name, count), (number, span) in ledger.made.items():
        if (name, count) in ledger.used or name in _KNOWN:
            continue
        if name in inspection.explained or number in inspection.hopeless:
            continue
        meant = keywords.nearest(name)
        hint = f"did you mean `{meant}`?" if meant is not None else ""
        message = f"`{name}` with {_count([count])} is defined but never used"
        inspection.warning("unused", message, inspection.word(number, name, span), hint)


def _check_terms(inspection: Inspection, ledger: _Ledger, kind: str, reader: str, makers: str) -> None:
    """Report fluents or moves that are asked for and never made."""
    if ledger.is_open or not ledger.made:
        return
    index = NameIndex(name for name, _ in ledger.made)
    arities = _arities(ledger.made)
    for (name, count), (number, span) in ledger.used.items():
        if (name, count) in ledger.made:
            continue
        hint = ""
        if name in arities:
            hint = f"it is made with {_count(arities[name])}"
        elif meant := index.nearest(name):
            hint = f"did you mean `{meant}`?"
        message = f"no {makers} makes the {kind} `{name}` with {_count([count])}, so this `{reader}` never holds"
        place = inspection.word(number, name, Span(span.start + 1, span.end))
        inspection.warning(f"undefined-{kind}", message, place, hint)


def _relations(inspection: Inspection) -> _Ledger:
    ledger = _Ledger()
    for number, rule in enumerate(inspection.rules):
        ledger.made.setdefault(relation(rule.head), (number, inspection.head_node(number).span))
        for literal in inspection.literals[number]:
            ledger.used.setdefault(relation(literal.atom), (number, literal.span))
    return ledger


def _fluents(inspection: Inspection) -> _Ledger:
    ledger = _Ledger()
    for number, rule in enumerate(inspection.rules):
        match rule.head:
            case ("init" | "next", fluent):
                kept = any(
                    literal.positive and literal.atom == ("true", fluent) for literal in inspection.literals[number]
                )
                _enter(ledger, fluent, number, inspection.head_node(number).span, made=not kept)
        for literal in inspection.literals[number]:
            match literal.atom:
                case ("true", fluent):
                    _enter(ledger, fluent, number, literal.span, made=False)
    return ledger


def _moves(inspection: Inspection) -> _Ledger:
    ledger = _Ledger()
    for number, rule in enumerate(inspection.rules):
        match rule.head:
            case ("legal", _, move):
                _enter(ledger, move, number, inspection.head_node(number).span, made=True)
        for literal in inspection.literals[number]:
            match literal.atom:
                case ("does", _, move):
                    _enter(ledger, move, number, literal.span, made=False)
    return ledger


def _enter(ledger: _Ledger, term: Term, number: int, span: Span, made: bool) -> None:
    if isinstance(term, LogicVar):
        ledger.is_open = ledger.is_open or made
        return
    (ledger.made if made else ledger.used).setdefault((functor(term), arity(term)), (number, span))


def _arities(made: dict[Relation, tuple[int, Span]]) -> dict[str, list[int]]:
    arities: dict[str, list[int]] = {}
    for name, count in made:
        arities.setdefault(name, []).append(count)
    return arities


def _count(counts: list[int]) -> str:
    if counts == [0]:
        return "no arguments"
    numbers = " or ".join(str(count) for count in sorted(counts))
    return f"{numbers} argument{'' if counts == [1] else 's'}"
