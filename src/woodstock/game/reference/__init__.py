"""The reference reasoner: any game on its lifted rules, slowly by the standards of ground programs, but certainly.

Words used here:

*Relation*: a name and an arity. *Clause*: a rule with a flat body. *Component*: relations that depend on each other.
*Level*: what a relation depends on: nothing (static), the position, or the moves made. *Mode*: what is known of an
argument when a relation is asked for. *Goal*: a relation with modes. *Table*: the answers to a goal found so far, by
key. *Key*: the known arguments of a goal. *Row*: an answer, the values of its wanted arguments.

The way of a question: `Program` sorts the clauses, `admission` refuses what has no definite meaning, the `Planner`
orders the conditions of a clause by the estimates of `Statistics`, the `Compiler` turns every goal that is needed
into a Python function with a table, and recursive components are solved by `tabling`. Evaluation is goal-directed:
nothing is derived that the question does not need, so that rules over lists or numbers, which have no end bottom-up,
can be used.

>>> from woodstock.gdl.sheet import parse_rules
>>> from woodstock.game.reference import ReferenceGame
>>> game = ReferenceGame(parse_rules("(succ 1 2) (succ 2 3) (<= (less ?x ?y) (succ ?x ?y))"
...     "(<= (less ?x ?z) (succ ?x ?y) (less ?y ?z))"))
>>> game.holds(("less", "1", "3"), game.position_of([]))
True
"""

from woodstock.game.reference.game import ReferenceGame
from woodstock.game.reference.limits import Limits

__all__ = ["Limits", "ReferenceGame"]
