"""The variables of an XCSP3 instance: their declarations, and what texts such as `x[] y[0..2][1]` refer to.

>>> from xml.etree.ElementTree import fromstring
>>> variables = Variables()
>>> variables.declare(fromstring('<array id="x" size="[2][2]"> 0..3 7 </array>'))
>>> variables.listed("x[1][] x[0][0]")
['x[1][0]', 'x[1][1]', 'x[0][0]']
>>> variables.network.domains[variables.number("x[1][1]")]
(0, 1, 2, 3, 7)
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Sequence
from typing import Final
from xml.etree.ElementTree import Element

from woodstock.common.errors import UsageError
from woodstock.cp.network import Network

MAX_VALUES: Final = 1_000_000
"""The most values of a list, and the most variables of an array."""

NUMBER: Final = re.compile(r"[-+]?\d+")
INTERVAL: Final = re.compile(r"([-+]?\d+)\.\.([-+]?\d+)")
REFERENCE: Final = re.compile(r"([A-Za-z_]\w*)((?:\[[^\[\]]*\])+)")
SIZE: Final = re.compile(r"(?:\s*\[\s*\d+\s*\])+\s*")


def read_values(text: str) -> list[int]:
    """Return a list of whole numbers and intervals, such as `1 3..5`."""
    found: list[int] = []
    for word in text.split():
        interval = INTERVAL.fullmatch(word)
        if interval is None and NUMBER.fullmatch(word) is None:
            raise UsageError(f"expected whole numbers and intervals, found {word!r}")
        first, last = (int(interval[1]), int(interval[2])) if interval else (int(word), int(word))
        if len(found) + last - first >= MAX_VALUES:
            raise UsageError(f"expected at most {MAX_VALUES} values, found more: {word}")
        found.extend(range(first, last + 1))
    return found


class Variables:
    """The variables of an instance, in a network.

    Attributes:
        network: The network.
    """

    def __init__(self) -> None:
        self.network = Network()
        self._numbers: dict[str, int] = {}
        self._sizes: dict[str, tuple[int, ...]] = {}
        self._declared: dict[str, Element] = {}

    def number(self, name: str) -> int:
        """Return the number of a variable."""
        if name not in self._numbers:
            raise UsageError(f"expected the name of a variable, found {name!r}")
        return self._numbers[name]

    def domain(self, name: str) -> tuple[int, ...]:
        """Return the values of a variable."""
        return self.network.domains[self.number(name)]  # type: ignore[return-value]

    def declare(self, element: Element) -> None:
        """Add what an element of `variables` declares."""
        name = element.get("id", "")
        if element.tag not in {"var", "array"} or element.get("type", "integer") != "integer":
            raise UsageError(
                f"expected <var> or <array> of integers, found <{element.tag}> {name} {element.get('type')}"
            )
        if not name or name in self._declared:
            raise UsageError(f"expected a new id for <{element.tag}>, found {name!r}")
        like = self._declared.get(element.get("as", ""), element)
        self._declared[name] = like
        if element.tag == "var":
            self._add(name, like.text or "")
        else:
            self._declare_array(name, element, like)

    def _declare_array(self, name: str, element: Element, like: Element) -> None:
        size = element.get("size", like.get("size", ""))
        if SIZE.fullmatch(size) is None or element.get("startIndex", "0") != "0":
            raise UsageError(f"expected a size such as [3][4] and indices from 0 for the array {name}, found {size!r}")
        self._sizes[name] = tuple(int(number) for number in NUMBER.findall(size))
        if math.prod(self._sizes[name]) > MAX_VALUES:
            raise UsageError(f"expected at most {MAX_VALUES} variables in the array {name}, found the size {size}")
        texts: dict[str, str] = {}
        others = None if len(like) else like.text or ""
        for child in like:
            if child.get("for") == "others":
                others = child.text or ""
            else:
                cells = self.listed(child.get("for", "").replace(like.get("id", ""), name))
                texts.update(dict.fromkeys(cells, child.text or ""))
        for cell in self.listed(name + "[]" * len(self._sizes[name])):
            text = texts.get(cell, others)
            if text is not None:
                self._add(cell, text)

    def _add(self, name: str, text: str) -> None:
        self._numbers[name] = self.network.add_var(name, sorted(set(read_values(text))))

    def listed(self, text: str) -> list[str]:
        """Return the words of a list; words that stand for parts of arrays become the names of their variables."""
        return [name for word in text.split() for name in self._expanded(word)]

    def _expanded(self, word: str) -> Sequence[str]:
        reference = REFERENCE.fullmatch(word)
        if reference is None or reference[1] not in self._sizes:
            return (word,)
        array = reference[1]
        indices = reference[2][1:-1].split("][")
        if len(indices) != len(self._sizes[array]):
            raise UsageError(f"expected {len(self._sizes[array])} indices of {array}, found {word}")
        ranges = [_index_range(word, index, size) for index, size in zip(indices, self._sizes[array], strict=True)]
        return list(_cells(array, ranges))


def _index_range(word: str, index: str, size: int) -> range:
    interval = INTERVAL.fullmatch(index)
    if index == "":
        found = range(size)
    elif interval is not None:
        found = range(int(interval[1]), int(interval[2]) + 1)
    elif index.isdigit():
        found = range(int(index), int(index) + 1)
    else:
        raise UsageError(f"expected a number, an interval or nothing between brackets, found {word}")
    if not 0 <= found.start < found.stop <= size:
        raise UsageError(f"expected indices from 0 to {size - 1}, found {word}")
    return found


def _cells(array: str, ranges: Sequence[range]) -> Iterator[str]:
    for indices in itertools.product(*ranges):
        yield array + "".join(f"[{index}]" for index in indices)
