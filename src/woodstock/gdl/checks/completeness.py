"""Completeness: what every game must have, and roles that the rules forget or do not know."""

from __future__ import annotations

import re

from woodstock.gdl.checks.inspection import Inspection
from woodstock.gdl.checks.suggestions import NameIndex
from woodstock.gdl.keywords import ARITY, RANDOM, goal_number
from woodstock.gdl.source import Span
from woodstock.gdl.terms import LogicVar, Term

_NEEDED = {
    "role": "no role is stated: nobody plays this game",
    "legal": "no move is ever legal: there is no rule for `legal`",
    "terminal": "the game never ends: there is no rule for `terminal`",
    "goal": "the game has no goals: there is no rule for `goal`",
}
_USUAL = {
    "init": "nothing holds at the start: there is no `init`",
    "next": "nothing holds after a move: there is no rule for `next`",
}
_TAKES_ROLE = frozenset({"legal", "does", "goal", "sees", "input"})


def check_missing(inspection: Inspection) -> None:
    """Report keywords that no statement defines, and what may be meant to."""
    defined = {rule.name: number for number, rule in reversed(list(enumerate(inspection.rules)))}
    used = {literal.name for literals in inspection.literals for literal in literals}
    others = NameIndex(name for name in defined if name not in ARITY and name not in used)
    for name, message in (_NEEDED | _USUAL).items():
        if name in defined or (inspection.is_broken and _is_mentioned(inspection, name)):
            continue
        report = inspection.error if name in _NEEDED else inspection.warning
        meant = others.nearest(name)
        if meant is None:
            start = inspection.rules[0].span.start if inspection.rules else 0
            report(f"missing-{name}", message, Span(start, start + 1), "")
        else:
            inspection.explained.add(meant)
            number = defined[meant]
            place = inspection.word(number, meant, inspection.head_node(number).span)
            report(f"missing-{name}", message, place, f"is `{meant}` meant to be `{name}`?")


def _is_mentioned(inspection: Inspection, name: str) -> bool:
    return re.search(rf"(?<![^\s()]){name}(?![^\s()])", inspection.source.text, re.IGNORECASE) is not None


def check_roles(inspection: Inspection) -> None:
    """Report roles without moves or goals, and moves or goals of roles that do not exist."""
    roles = inspection.sheet.rules.roles
    if not roles:
        return
    misspelt = _check_known(inspection, roles)
    if not inspection.is_broken:
        _check_share(inspection, "legal", "no rule gives {} a legal move", misspelt)
        _check_share(inspection, "goal", "no rule gives {} a goal", {*misspelt, RANDOM})


def _check_known(inspection: Inspection, roles: tuple[str, ...]) -> set[Term]:
    """Report what stands where a role should and is none; return the roles that were probably meant."""
    index = NameIndex(roles)
    seen: set[Term] = set(roles)
    misspelt: set[Term] = set()
    for number in range(len(inspection.rules)):
        for atom, span in inspection.atoms(number):
            match atom:
                case (str(name), role, _) if name in _TAKES_ROLE and role not in seen:
                    seen.add(role)
                    if isinstance(role, LogicVar):
                        continue
                    hint, place = f"stated roles: {', '.join(roles[:10])}", span
                    if isinstance(role, str):
                        place = inspection.word(number, role, span)
                        if meant := index.nearest(role):
                            misspelt.add(meant)
                            hint = f"did you mean {meant}?"
                    inspection.warning("unknown-role", f"{inspection.show(role)} is not a role", place, hint)
    return misspelt


def _check_share(inspection: Inspection, keyword: str, message: str, excused: set[Term]) -> None:
    """Report roles that no head of a keyword can be about."""
    served = {rule.head[1] for rule in inspection.rules if isinstance(rule.head, tuple) and rule.name == keyword}
    if not served or any(isinstance(role, LogicVar) for role in served):
        return
    for number, rule in enumerate(inspection.rules):
        match rule.head:
            case ("role", str(role)) if not rule.body and role not in served and role not in excused:
                inspection.warning(f"role-without-{keyword}", message.format(role), inspection.head_node(number).span)


def check_goal_values(inspection: Inspection) -> None:
    """Report goal values that are written in the rules and are not whole numbers from 0 to 100."""
    for number, rule in enumerate(inspection.rules):
        match rule.head:
            case ("goal", _, value) if not isinstance(value, LogicVar):
                if goal_number(value) is None:
                    span = inspection.head_node(number).span
                    place = inspection.word(number, value, span) if isinstance(value, str) else span
                    message = f"a goal must be a whole number from 0 to 100, found {inspection.show(value)}"
                    inspection.error("goal-value", message, place)
