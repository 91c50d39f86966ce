"""Boolean functions as tables of all their values: the twin of decision diagrams."""

from __future__ import annotations

from itertools import product


class Tables:
    """Functions of some variables; a function is a tuple of its values, in the order of `product`."""

    def __init__(self, num_variables: int) -> None:
        self._points = list(product((False, True), repeat=num_variables))

    def variable(self, number: int) -> tuple[bool, ...]:
        return tuple(point[number] for point in self._points)

    def choose(self, condition: tuple[bool, ...], one: tuple[bool, ...], other: tuple[bool, ...]) -> tuple[bool, ...]:
        """Return: if the condition then one else the other."""
        return tuple(two if first else three for first, two, three in zip(condition, one, other, strict=True))

    def constant(self, value: bool) -> tuple[bool, ...]:
        return (value,) * len(self._points)


def least_nodes(table: tuple[bool, ...]) -> int:
    """Count the nodes of the only reduced diagram of a function: its distinct parts that depend on their variable."""
    parts = {table}
    found: set[tuple[bool, ...]] = set()
    while parts:
        part = parts.pop()
        if part in found or len(set(part)) == 1:
            continue
        half = len(part) // 2
        low, high = part[:half], part[half:]
        if low == high:
            parts.add(low)
        else:
            found.add(part)
            parts |= {low, high}
    return len(found)
