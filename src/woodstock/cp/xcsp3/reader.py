"""Instances of XCSP3 as networks: the part of XCSP3-core that is used most, with whole numbers as values.

It reads variables and arrays of them; the constraints `extension`, `intension`, `sum`, `count`, `allDifferent` and
`instantiation`; groups of constraints and blocks.

>>> network = read_xcsp3('''
...     <instance format="XCSP3" type="CSP">
...       <variables> <array id="x" size="[3]"> 1..3 </array> </variables>
...       <constraints>
...         <allDifferent> x[] </allDifferent>
...         <intension> lt(x[0],x[2]) </intension>
...       </constraints>
...     </instance>
... ''')
>>> network.names, network.domains[0], network.num_constraints
(['x[0]', 'x[1]', 'x[2]'], (1, 2, 3), 4)
"""

from __future__ import annotations

import copy
import itertools
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import numpy as np

from woodstock.common.errors import UsageError
from woodstock.cp.constraints import OneHot, Table
from woodstock.cp.network import Network
from woodstock.cp.xcsp3.expressions import Call, parse_expression
from woodstock.cp.xcsp3.posting import Posting
from woodstock.cp.xcsp3.variables import NUMBER, Variables, read_values

MAX_TUPLES: Final = 1_000_000
"""The most tuples that those with `*` may stand for."""

TUPLE: Final = re.compile(r"\(([^()]*)\)")
PARAMETER: Final = re.compile(r"%(\d+|\.\.\.)")
REIFICATIONS: Final = ("reifiedBy", "hreifiedFrom", "hreifiedTo")


def read_xcsp3(text: str) -> Network:
    """Return an instance as a network; the variables of arrays have names such as `x[2][0]`.

    Raises:
        UsageError: The text is no instance of type CSP, or holds something that is not read.
    """
    try:
        root = ElementTree.fromstring(text.strip())
    except ElementTree.ParseError as error:
        raise UsageError(f"expected an XCSP3 instance, found what is no XML: {error}") from None
    if root.tag != "instance" or root.get("type") != "CSP":
        raise UsageError(f"expected an <instance> of type CSP, found <{root.tag}> of type {root.get('type')}")
    reader = _Reader()
    for element in root.findall("variables/*"):
        reader.variables.declare(element)
    for number, element in enumerate(_constraints(root), 1):
        try:
            reader.read(element)
        except UsageError as error:
            raise UsageError(f"constraint {number}, <{element.tag}>: {error}") from None
    return reader.posting.finish()


def _constraints(root: Element) -> Iterator[Element]:
    """Yield the constraints and groups of an instance, those of blocks too."""
    waiting = [iter(root.findall("constraints/*"))]
    while waiting:
        for element in waiting[-1]:
            if element.tag == "block":
                waiting.append(iter(element))
                break
            yield element
        else:
            waiting.pop()


class _Reader:
    """Adds the constraints of elements to a network."""

    def __init__(self) -> None:
        self.variables = Variables()
        self.posting = Posting(self.variables)
        self._network = self.variables.network
        self._readers: Mapping[str, Callable[[Element], None]] = {
            "extension": self._read_extension,
            "intension": self._read_intension,
            "sum": self._read_sum,
            "count": self._read_count,
            "allDifferent": self._read_all_different,
            "instantiation": self._read_instantiation,
        }

    def read(self, element: Element) -> None:
        """Add a constraint, or those of a group."""
        if element.tag == "group":
            templates = [child for child in element if child.tag != "args"]
            if len(templates) != 1:
                raise UsageError(f"expected one constraint and its arguments, found {len(templates)} constraints")
            for args in element.findall("args"):
                self.read(_instantiated(templates[0], self.variables.listed(args.text or "")))
            return
        reader = self._readers.get(element.tag)
        if reader is None or any(name in element.attrib for name in REIFICATIONS):
            raise UsageError(f"expected one of {' '.join(self._readers)}, not reified; found <{element.tag}>")
        reader(element)

    def _read_extension(self, element: Element) -> None:
        parts = _parts(element, ("list",), ("supports", "conflicts"))
        names = self.variables.listed(parts["list"])
        if len(parts) != 2 or len(set(names)) != len(names) or not names:
            raise UsageError("expected a <list> of different variables, and <supports> or <conflicts>")
        is_allowed = "supports" in parts
        scope = tuple(self.variables.number(name) for name in names)
        places = [{value: place for place, value in enumerate(self.variables.domain(name))} for name in names]
        tuples = _read_tuples(parts["supports" if is_allowed else "conflicts"], places)
        self._network.add(Table(scope, np.array(tuples, np.int32).reshape(-1, len(scope)), is_allowed))

    def _read_intension(self, element: Element) -> None:
        text = _parts(element, (), ("function",)).get("function", element.text or "")
        self.posting.post(parse_expression(text))

    def _read_sum(self, element: Element) -> None:
        parts = _parts(element, ("list", "condition"), ("coeffs",))
        terms = [parse_expression(word) for word in self.variables.listed(parts["list"])]
        weights = read_values(parts["coeffs"]) if "coeffs" in parts else [1] * len(terms)
        if len(terms) != len(weights):
            raise UsageError(f"expected {len(terms)} coefficients, found {len(weights)}")
        self.posting.post_sum(list(zip(terms, weights, strict=True)), parts["condition"])

    def _read_count(self, element: Element) -> None:
        parts = _parts(element, ("list", "values", "condition"), ())
        values = read_values(parts["values"])
        terms = [parse_expression(word) for word in self.variables.listed(parts["list"])]
        self.posting.post_sum([(Call("in", (term, *values)), 1) for term in terms], parts["condition"])

    def _read_all_different(self, element: Element) -> None:
        names = self.variables.listed(_parts(element, (), ("list",)).get("list", element.text or ""))
        if len(set(names)) != len(names):
            self.posting.post(0)
            return
        literals: dict[int, list[int]] = {}
        for name in names:
            for value in self.variables.domain(name):
                literals.setdefault(value, []).append(self._network.literal(self.variables.number(name), value))
        self._network.add(*(OneHot(tuple(equal), exactly=False) for equal in literals.values() if len(equal) > 1))

    def _read_instantiation(self, element: Element) -> None:
        parts = _parts(element, ("list", "values"), ())
        names, values = self.variables.listed(parts["list"]), read_values(parts["values"])
        if len(names) != len(values):
            raise UsageError(f"expected {len(names)} values, found {len(values)}")
        for name, value in zip(names, values, strict=True):
            self.posting.post(Call("eq", (name, value)))


def _instantiated(template: Element, arguments: Sequence[str]) -> Element:
    """Return a constraint with arguments instead of parameters; `%...` stands for those that no other one names."""
    texts = [element.text or "" for element in template.iter()]
    named = [int(number) for text in texts for number in re.findall(r"%(\d+)", text)]
    rest = " ".join(arguments[max(named, default=-1) + 1 :])
    if max(named, default=-1) >= len(arguments):
        raise UsageError(f"expected at least {max(named) + 1} arguments, found {len(arguments)}")
    made = copy.deepcopy(template)
    for element, text in zip(made.iter(), texts, strict=True):
        element.text = PARAMETER.sub(lambda match: rest if match[1] == "..." else arguments[int(match[1])], text)
    return made


def _parts(element: Element, needed: Sequence[str], possible: Sequence[str]) -> dict[str, str]:
    """Return the texts of the parts of a constraint, by their names."""
    parts = {child.tag: child.text or "" for child in element}
    if len(parts) != len(element) or not set(needed) <= parts.keys() <= {*needed, *possible}:
        expected = " ".join(f"<{name}>" for name in needed) + "".join(f" [<{name}>]" for name in possible)
        found = " ".join(f"<{child.tag}>" for child in element)
        raise UsageError(f"expected {expected or 'a text alone'}, found {found or 'no parts'}")
    return parts


def _read_tuples(text: str, places: Sequence[Mapping[int, int]]) -> list[tuple[int, ...]]:
    """Return tuples of values as tuples of places; those with values that no variable has are left out."""
    if len(places) == 1:
        return [(places[0][value],) for value in read_values(text) if value in places[0]]
    if TUPLE.sub("", text).strip():
        raise UsageError(f"expected tuples such as (1,2), found {TUPLE.sub('', text).strip()[:50]!r}")
    found: list[tuple[int, ...]] = []
    for inner in TUPLE.findall(text):
        words = [word.strip() for word in inner.split(",")]
        if len(words) != len(places) or not all(word == "*" or NUMBER.fullmatch(word) for word in words):
            raise UsageError(f"expected {len(places)} whole numbers or *, found ({inner})")
        columns = [
            range(len(known)) if word == "*" else [known[int(word)]] if int(word) in known else []
            for word, known in zip(words, places, strict=True)
        ]
        if len(found) + math.prod(map(len, columns)) > MAX_TUPLES:
            raise UsageError(f"expected at most {MAX_TUPLES} tuples, found more")
        found.extend(itertools.product(*columns))
    return found
