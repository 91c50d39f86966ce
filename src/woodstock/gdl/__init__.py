"""GDL, the language that rules are written in: reading, checking and printing rule sheets.

- **Sheet**: a text as read: its syntax tree, its rules, and what was wrong with it. `read_sheet` never fails.
- **Rules**: what the sheet says: `Rule`s as written, and the same as flat `Clause`s of `Literal`s.
- **Term**: a constant is a lower-case `str`, a compound term a `tuple`, a variable a `LogicVar`.
- **Diagnostic**: one problem, with the place where it stands; a `GdlError` carries all that make a sheet unusable.
- **DependencyGraph**: which relation uses which.
- KIF is the prefix notation `(next (control o))`, infix the notation `next(control(o))`; both make the same rules.

>>> from woodstock.gdl import parse_rules, to_kif
>>> rules = parse_rules("(role x) (role o) (<= (next (control o)) (true (control x)))")
>>> rules.roles
('x', 'o')
>>> rules.clauses[2].head
('next', ('control', 'o'))
>>> to_kif(rules.clauses[2].head)
'(next (control o))'
>>> parse_rules("(role x")
Traceback (most recent call last):
woodstock.gdl.diagnostics.GdlError: <text>:1:1: error: ...
"""

from woodstock.gdl.dependency import DependencyGraph, Relation
from woodstock.gdl.diagnostics import Diagnostic, GdlError, Severity
from woodstock.gdl.printer import to_kif
from woodstock.gdl.rules import Clause, Connective, Formula, Literal, Rule, Rules
from woodstock.gdl.sheet import Sheet, Syntax, decode, parse_rules, read_sheet
from woodstock.gdl.source import SourceText, Span
from woodstock.gdl.terms import GroundTerm, LogicVar, Term

__all__ = [
    "read_sheet",
    "parse_rules",
    "decode",
    "Sheet",
    "Syntax",
    "SourceText",
    "Span",
    "Rules",
    "Rule",
    "Formula",
    "Connective",
    "Clause",
    "Literal",
    "Term",
    "GroundTerm",
    "LogicVar",
    "to_kif",
    "Diagnostic",
    "Severity",
    "GdlError",
    "DependencyGraph",
    "Relation",
]
