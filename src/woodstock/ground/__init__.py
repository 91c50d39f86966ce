"""From rules to a ground program: every relation spelt out over the constants of the game, without variables.

| word | meaning |
|---|---|
| atom | a relation with its arguments, such as `legal(x, mark(1, 1))`; here a number |
| literal | an atom or its negation; here `2 * atom + negated` |
| input | an atom that the position or the moves decide: `true(f)`, `does(r, m)` |
| level | how far above the inputs an atom lies |
| loop | atoms that depend on each other without negation: they hold in the least fixpoint |
| invariant | what holds in every position that can be reached, proved by induction |

>>> from woodstock.gdl.sheet import parse_rules
>>> rules = parse_rules("(role x) (init off) (legal x push) (<= (next on) (does x push)) (<= terminal (true on))")
>>> program = ground(rules, use_cache=False)
>>> program.fluents, program.moves
(('off', 'on'), (('push',),))
"""

from __future__ import annotations

from woodstock.ground.grounder import DEFAULT_LIMITS, ground
from woodstock.ground.program import GroundProgram

__all__ = ["DEFAULT_LIMITS", "GroundProgram", "ground"]
