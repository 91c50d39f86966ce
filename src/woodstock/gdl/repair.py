"""Repairs: rules that are unsafe to the letter although everybody knows what they mean.

>>> from woodstock.gdl.printer import rules_to_kif
>>> from woodstock.gdl.sheet import parse_rules
>>> rules, done = bind_role_variables(parse_rules("(role x) (<= (legal ?p noop) (true waiting))"))
>>> print(rules_to_kif(rules), end="")
(role x)
(<= (legal ?p noop) (true waiting) (role ?p))
>>> [repair.message for repair in done]
['repaired: the condition (role ?p) was added to this rule']
"""

from __future__ import annotations

from woodstock.gdl.checks.safety import role_variables, unbound_variables
from woodstock.gdl.diagnostics import Diagnostic, Severity
from woodstock.gdl.printer import to_kif
from woodstock.gdl.rules import Literal, Rule, Rules


def bind_role_variables(rules: Rules) -> tuple[Rules, tuple[Diagnostic, ...]]:
    """Bind every unbound variable that stands for a role by `(role ?x)`.

    Returns:
        The repaired rules, and a warning for each rule that was changed; other unsafe variables stay as they are, and
        `check_sheet(replace(sheet, rules=repaired))` tells of them.
    """
    repaired: list[Rule] = []
    done: list[Diagnostic] = []
    for rule in rules:
        roles = role_variables(rule)
        unbound = dict.fromkeys(item.variable for item in unbound_variables(rule) if item.variable in roles)
        added = tuple(Literal(("role", name), True, rule.span) for name in unbound)
        repaired.append(Rule(rule.head, (*rule.body, *added), rule.span) if added else rule)
        if added:
            literals = " and ".join(to_kif(literal.atom) for literal in added)
            conditions = "conditions" if len(added) > 1 else "condition"
            message = f"repaired: the {conditions} {literals} {'were' if len(added) > 1 else 'was'} added to this rule"
            done.append(Diagnostic(Severity.WARNING, "repaired", message, rules.source, rule.span))
    return Rules(repaired, rules.source), tuple(done)
