"""Quantified networks as JSON, a form that is easily written by hand.

    {"name": "different",
     "variables": [{"name": "x", "quantifier": "forall", "domain": [0, 1]},
                   {"name": "y", "quantifier": "exists", "domain": [0, 1]}],
     "constraints": [{"scope": ["x", "y"], "forbidden": [[0, 0], [1, 1]]}]}

Variables stand in the order in which they get their values. A domain is a list of numbers, texts and truth values, or a
number d for 0 to d-1. The tuples of a constraint, `allowed` or `forbidden`, are of values. Two kinds of constraints can
be written without tuples, so that they may have many variables:

    {"clause": [["x", 0, true], ["y", 1, false]]}           x is 0, or y is not 1
    {"sum": [["x", 0, 1], ["y", 0, 2]], "low": 0, "high": 2}  what those add that hold, within bounds
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np

from woodstock.common.errors import UsageError
from woodstock.cp.constraints import Clauses, Constraint, Linear, OneHot, Table
from woodstock.cp.network import Network, Value
from woodstock.qcsp.diagrams import REJECT, Diagram, diagrams_of
from woodstock.qcsp.network import QuantifiedNetwork, blocks_of
from woodstock.qcsp.semantics import literals_of

MAX_TUPLES: Final = 200_000
"""A constraint with more tuples, allowed as well as forbidden, is not written."""

KINDS: Final = ("allowed", "forbidden", "clause", "sum")
"""What a constraint may be given as."""

QUANTIFIERS: Final = {"exists": False, "forall": True}


def read_json(text: str, name: str = "network") -> QuantifiedNetwork:
    """Return the network that a text describes.

    Raises:
        UsageError: It describes none; the message names everything that is wrong.
    """
    try:
        data = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise UsageError(f"expected a network in JSON, found what is no JSON: {error}") from None
    if not isinstance(data, dict) or not isinstance(data.get("variables"), list):
        raise UsageError('expected an object with a list of "variables", found something else')
    problems: list[str] = []
    network = Network()
    universal = [_read_variable(network, number, entry, problems) for number, entry in enumerate(data["variables"], 1)]
    constraints = data.get("constraints", [])
    if not isinstance(constraints, list):
        raise UsageError('expected a list of "constraints", found something else')
    if not problems:
        for number, entry in enumerate(constraints, 1):
            _read_constraint(network, number, entry, problems)
    if problems:
        more = f"\n… and {len(problems) - 20} more" if len(problems) > 20 else ""
        raise UsageError("\n".join(problems[:20]) + more)
    title = data.get("name", name)
    return QuantifiedNetwork(network, blocks_of(universal), title if isinstance(title, str) else name)


def _read_variable(network: Network, number: int, entry: object, problems: list[str]) -> bool:
    """Add a variable; return whether it is universal."""
    where = f"variable {number}"
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
        problems.append(f'{where}: expected an object with a text "name", found {_short(entry)}')
        return False
    where = f"variable {number}, {entry['name']!r}"
    if entry["name"] in network.names:
        problems.append(f"{where}: expected a new name, found one that is there already")
    quantifier = entry.get("quantifier")
    if not isinstance(quantifier, str) or quantifier not in QUANTIFIERS:
        problems.append(f'{where}: expected the quantifier "exists" or "forall", found {_short(quantifier)}')
        quantifier = "exists"
    domain = _read_domain(entry.get("domain"))
    if domain is None:
        problems.append(
            f"{where}: expected a domain of different values, at least one, found {_short(entry.get('domain'))}"
        )
        domain = (0,)
    network.add_var(entry["name"], domain)
    return QUANTIFIERS[quantifier]


def _read_domain(given: object) -> tuple[Value, ...] | None:
    if isinstance(given, int) and not isinstance(given, bool):
        return tuple(range(given)) if 0 < given <= 100_000 else None
    if not isinstance(given, list) or not all(isinstance(value, int | str | bool) for value in given):
        return None
    # True equals 1 to Python, but not to whoever wrote both.
    return tuple(given) if given and len(set(given)) == len(given) else None


def _read_constraint(network: Network, number: int, entry: object, problems: list[str]) -> None:
    where = f"constraint {number}"
    kinds = [kind for kind in KINDS if isinstance(entry, dict) and kind in entry]
    if not isinstance(entry, dict) or len(kinds) != 1:
        problems.append(f"{where}: expected an object with one of {' '.join(KINDS)}, found {_short(entry)}")
    elif kinds[0] in ("clause", "sum"):
        _read_literals(network, where, entry, problems)
    else:
        _read_table(network, where, entry, problems)


def _read_literals(network: Network, where: str, entry: dict[str, Any], problems: list[str]) -> None:
    """Add a clause or a sum."""
    is_clause = "clause" in entry
    terms = entry["clause" if is_clause else "sum"]
    bounds: list[Any] = [entry.get("low"), entry.get("high")]
    if not is_clause and not all(isinstance(bound, int) for bound in bounds):
        problems.append(f'{where}: expected whole numbers "low" and "high", found {_short(bounds)}')
        return
    literals: list[int] = []
    for term in terms if isinstance(terms, list) else [terms]:
        literal = _read_literal(network, term, bool if is_clause else int)
        if literal is None:
            expected = "a variable, its value and true or false" if is_clause else "a variable, its value and a weight"
            problems.append(f"{where}: expected {expected}, found {_short(term)}")
            return
        literals.append(literal ^ (is_clause and not term[2]))
    if is_clause:
        network.add(Clauses(np.array([0, len(literals)], np.int64), np.array(literals, np.int32)))
    else:
        network.add(Linear(tuple(literals), tuple(term[2] for term in terms), *bounds))


def _read_literal(network: Network, term: object, kind: type) -> int | None:
    """Return that a variable has a value; None if the term does not say so."""
    if not isinstance(term, list) or len(term) != 3 or type(term[2]) is not kind or term[0] not in network.names:
        return None
    var = network.names.index(term[0])
    if not isinstance(term[1], int | str | bool) or term[1] not in network.domains[var]:
        return None
    return network.literal(var, term[1])


def _read_table(network: Network, where: str, entry: dict[str, Any], problems: list[str]) -> None:
    """Add a table."""
    scope = entry.get("scope")
    numbers = {name: var for var, name in enumerate(network.names)}
    if not isinstance(scope, list) or not all(isinstance(name, str) and name in numbers for name in scope):
        problems.append(f"{where}: expected a scope of variables, found {_short(scope)}")
        return
    if len(set(scope)) != len(scope) or not scope:
        problems.append(f"{where}: expected a scope of different variables, at least one, found {_short(scope)}")
        return
    kind = "allowed" if "allowed" in entry else "forbidden"
    variables = tuple(numbers[name] for name in scope)
    places = [{value: place for place, value in enumerate(network.domains[var])} for var in variables]
    rows = entry[kind]
    wrong = None if isinstance(rows, list) else rows
    if wrong is None:
        wrong = next((row for row in rows if not _fits(row, places)), None)
    if wrong is not None:
        problems.append(f"{where}: expected tuples of values of {' '.join(scope)}, found {_short(wrong)}")
        return
    tuples = [[known[value] for known, value in zip(places, row, strict=True)] for row in rows]
    network.add(Table(variables, np.array(tuples, np.int32).reshape(-1, len(variables)), kind == "allowed"))


def _fits(row: object, places: Sequence[Mapping[Value, int]]) -> bool:
    if not isinstance(row, list) or len(row) != len(places):
        return False
    pairs = zip(row, places, strict=True)
    return all(isinstance(value, int | str | bool) and value in known for value, known in pairs)


def _short(found: object) -> str:
    text = json.dumps(found)
    return text if len(text) <= 60 else text[:57] + "..."


def to_json(quantified: QuantifiedNetwork) -> dict[str, Any]:
    """Return a network as plain values; each constraint as its allowed tuples or its forbidden ones, which are fewer.

    Raises:
        UsageError: A constraint has too many of both, or values are not such that JSON has.
    """
    for name, domain in zip(quantified.names, quantified.domains, strict=True):
        if not all(isinstance(value, int | str | bool) for value in domain):
            raise UsageError(
                f"expected numbers, texts and truth values for {name}, to be written as JSON, found {domain}"
            )
    quantifiers = {is_universal: word for word, is_universal in QUANTIFIERS.items()}
    return {
        "name": quantified.name,
        "variables": [
            {"name": name, "quantifier": quantifiers[universal], "domain": list(domain)}
            for name, universal, domain in zip(
                quantified.names, quantified.is_universal, quantified.domains, strict=True
            )
        ],
        "constraints": [
            written for constraint in quantified.network.constraints for written in _written(quantified, constraint)
        ],
    }


def _written(quantified: QuantifiedNetwork, constraint: Constraint) -> Iterator[dict[str, Any]]:
    """Yield the constraints of an entry."""
    network = quantified.network
    match constraint:
        case Clauses():
            for clause in literals_of(constraint):
                yield {"clause": [[*_choice(network, literal), not literal & 1] for literal in clause]}
        case Linear():
            yield _sum(network, constraint)
        case OneHot():
            weights = (1,) * len(constraint.literals)
            yield _sum(network, Linear(constraint.literals, weights, int(constraint.exactly), 1))
        case _:
            alone = replace(quantified, network=replace(network, constraints=[constraint]))
            yield from (_table(quantified, diagram) for diagram in diagrams_of(alone))


def _choice(network: Network, literal: int) -> tuple[str, Value]:
    """Return the variable and the value that a literal is about."""
    var = network.var_of_choice(literal >> 1)
    return network.names[var], network.domains[var][(literal >> 1) - network.first_choices[var]]


def _sum(network: Network, linear: Linear) -> dict[str, Any]:
    """Return a sum over choices: a literal that denies one adds its weight unless the choice is made."""
    pairs = list(zip(linear.literals, linear.weights, strict=True))
    always = sum(weight for literal, weight in pairs if literal & 1)
    terms = [[*_choice(network, literal), -weight if literal & 1 else weight] for literal, weight in pairs]
    return {"sum": terms, "low": linear.low - always, "high": linear.high - always}


def _table(quantified: QuantifiedNetwork, diagram: Diagram) -> dict[str, Any]:
    domains = [quantified.domains[turn] for turn in diagram.turns]
    scope = [quantified.names[turn] for turn in diagram.turns]
    sizes = [len(domain) for domain in domains]
    for limit in (1000, MAX_TUPLES):
        for kind, is_allowed in (("forbidden", False), ("allowed", True)):
            rows = list(itertools.islice(tuples_of(diagram, sizes, is_allowed), limit + 1))
            if len(rows) <= limit:
                shown = [[domain[place] for domain, place in zip(domains, row, strict=True)] for row in rows]
                return {"scope": scope, kind: shown}
    raise UsageError(f"expected constraints of at most {MAX_TUPLES} tuples, found more for {' '.join(scope)}")


def tuples_of(diagram: Diagram, sizes: Sequence[int], is_allowed: bool) -> Iterator[tuple[int, ...]]:
    """Yield the places that a constraint allows together, or those that it forbids, in domains of these sizes."""

    def below(layer: int, node: int, prefix: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if layer == len(sizes):
            if is_allowed:
                yield prefix
            return
        for place, child in enumerate(diagram.layers[layer][node]):
            if child != REJECT:
                yield from below(layer + 1, child, (*prefix, place))
            elif not is_allowed:
                rest = itertools.product(*map(range, sizes[layer + 1 :]))
                yield from ((*prefix, place, *others) for others in rest)

    return below(0, 0, ())


def write_json(quantified: QuantifiedNetwork) -> str:
    """Return a network as a JSON text, a variable or a constraint on each line."""
    data = to_json(quantified)
    variables = ",\n  ".join(json.dumps(entry) for entry in data["variables"])
    constraints = ",\n  ".join(json.dumps(entry) for entry in data["constraints"])
    name = json.dumps(data["name"])
    return f'{{"name": {name},\n "variables": [\n  {variables}],\n "constraints": [\n  {constraints}]}}\n'
