"""A constraint kernel: networks, propagation and search; it knows nothing of games.

Glossary:

- A *variable* has a finite *domain* of values; a *place* is the number of a value in its domain. A *choice* is a
  variable with one of its values, a *literal* says that a choice is made or that it is not (`woodstock.cp.network`).
- A *constraint* says which values variables may have together. It may be a table of tuples, clauses, gates, a one-hot
  constraint, a channel, a bounded sum, founded rules, or any predicate; a *soft* one says what that is worth
  (`woodstock.cp.constraints`). Variables and constraints make up a *network*.
- A *propagator* removes choices that a constraint excludes (`woodstock.cp.propagators`); *propagation* lets them do so
  in turn (`woodstock.cp.propagation`). What is left is *consistent*, to a degree (`woodstock.cp.consistency`).
- An *assignment* leaves one choice of a variable. A *solution* assigns all variables and satisfies all constraints.
- The *trail* records what happens, so that a *level* can be closed again: everything is as it was when it was opened
  (`woodstock.cp.domains`).
- A *search* assigns one variable after the other. *FC* checks each constraint of the variable once after an assignment;
  *MAC* propagates until nothing changes. The *orders* tell which variable and which value come next.
- A *solver* holds a compiled network at a node of a search (`woodstock.cp.solver`).

Three colours for a map of four countries, of which the first two are next to all others:

>>> from woodstock.cp import Network, Predicate, Solver, Table
>>> network = Network()
>>> a, b, c, d = network.add_vars("abcd", ("red", "green", "blue"))
>>> different = [(one, other) for one in range(3) for other in range(3) if one != other]
>>> network.add(*(Table(scope, different) for scope in ((a, b), (a, c), (a, d), (b, c), (b, d))))
>>> network.add(Predicate((a, c), lambda one, other: (one, other) != ("red", "blue")))
>>> solver = Solver(network)
>>> solver.assign(a, 0)
True
>>> [dict(network.values(places)) for places in solver.enumerate().places]
[{'a': 'red', 'b': 'blue', 'c': 'green', 'd': 'green'}]
"""

from __future__ import annotations

from woodstock.cp.consistency import Reduction, make_arc_consistent, make_singleton_consistent
from woodstock.cp.constraints import (
    Channel,
    Clauses,
    Constraint,
    Founded,
    Gates,
    Linear,
    OneHot,
    Predicate,
    Table,
    Utility,
)
from woodstock.cp.network import Network
from woodstock.cp.preprocess import Preprocessed, PreprocessStatistics, preprocess
from woodstock.cp.solver import Best, Solutions, Solver, Statistics, Status, Strength, ValueOrder, VariableOrder

__all__ = [
    "Network",
    "Constraint",
    "Table",
    "Clauses",
    "Gates",
    "OneHot",
    "Channel",
    "Linear",
    "Founded",
    "Predicate",
    "Utility",
    "Solver",
    "Strength",
    "VariableOrder",
    "ValueOrder",
    "Solutions",
    "Best",
    "Status",
    "Statistics",
    "Reduction",
    "make_arc_consistent",
    "make_singleton_consistent",
    "Preprocessed",
    "PreprocessStatistics",
    "preprocess",
]
