"""The functional expressions of XCSP3, such as `iff(x,and(eq(y,2),not(z)))`.

>>> expression = parse_expression("le(add(x,1),y[2])")
>>> variables_of(expression)
['x', 'y[2]']
>>> evaluate(expression, {"x": 3, "y[2]": 4})
1
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from woodstock.common.errors import UsageError

MAX_DEPTH: Final = 200
"""How deep expressions may be nested."""

TOKEN: Final = re.compile(r"\s*([-+]?\d+|[A-Za-z_][\w]*(?:\[\d+\])*|[(),])")


class Call(NamedTuple):
    """An operator with its operands."""

    operator: str
    operands: tuple[Expression, ...]


Expression = int | str | Call
"""A number, the name of a variable, or an operator with its operands."""


def _truncated_quotient(dividend: int, divisor: int) -> int:
    quotient = abs(dividend) // abs(divisor)
    return quotient if (dividend < 0) == (divisor < 0) else -quotient


def _all_pairs(compare: Callable[[int, int], bool]) -> Callable[..., int]:
    return lambda *operands: int(all(compare(a, b) for a, b in pairwise(operands)))


# The signature of each operator: what it does, and how many operands it takes at least and at most.
OPERATORS: Final[Mapping[str, tuple[Callable[..., int], int, int | None]]] = {
    "neg": (lambda x: -x, 1, 1),
    "abs": (abs, 1, 1),
    "sqr": (lambda x: x * x, 1, 1),
    "add": (lambda *operands: sum(operands), 2, None),
    "sub": (lambda x, y: x - y, 2, 2),
    "mul": (lambda *operands: math.prod(operands), 2, None),
    "div": (_truncated_quotient, 2, 2),
    "mod": (lambda x, y: x - y * _truncated_quotient(x, y), 2, 2),
    "dist": (lambda x, y: abs(x - y), 2, 2),
    "min": (min, 2, None),
    "max": (max, 2, None),
    "lt": (lambda x, y: int(x < y), 2, 2),
    "le": (lambda x, y: int(x <= y), 2, 2),
    "ge": (lambda x, y: int(x >= y), 2, 2),
    "gt": (lambda x, y: int(x > y), 2, 2),
    "ne": (lambda x, y: int(x != y), 2, 2),
    "eq": (_all_pairs(lambda x, y: x == y), 2, None),
    "not": (lambda x: int(not x), 1, 1),
    "and": (lambda *operands: int(all(operands)), 2, None),
    "or": (lambda *operands: int(any(operands)), 2, None),
    "xor": (lambda *operands: sum(map(bool, operands)) % 2, 2, None),
    "iff": (_all_pairs(lambda x, y: bool(x) == bool(y)), 2, None),
    "imp": (lambda x, y: int(not x or bool(y)), 2, 2),
    "if": (lambda condition, x, y: x if condition else y, 3, 3),
    "in": (lambda x, *members: int(x in members), 2, None),
    "notin": (lambda x, *members: int(x not in members), 2, None),
}


def parse_expression(text: str) -> Expression:
    """Read an expression."""
    return _Parser(text).parse()


class _Parser:
    """Reads the tokens of an expression from left to right, with the calls that are still open on a stack."""

    def __init__(self, text: str) -> None:
        self._text = text.strip()
        self._open: list[tuple[str, list[Expression]]] = []

    def parse(self) -> Expression:
        tokens = list(self._tokens())
        for place, token in enumerate(tokens):
            following = tokens[place + 1] if place + 1 < len(tokens) else ""
            done = self._read(token, following)
            if done is not None:
                if following:
                    raise self._error(f"the end after {token}", following)
                return done
        raise self._error("an expression" if not tokens else "a closing bracket", "the end")

    def _tokens(self) -> Iterator[str]:
        place = 0
        while place < len(self._text):
            match = TOKEN.match(self._text, place)
            if match is None:
                raise self._error("a number, a name, a bracket or a comma", self._text[place : place + 20].strip())
            yield match[1]
            place = match.end()

    def _read(self, token: str, following: str) -> Expression | None:
        """Read a token; return the whole expression if it ends here."""
        if token in "(,":
            if following in {")", ",", "("} or (token == "," and not self._open):
                raise self._error(f"an operand after {token}", following or token)
            return None
        if token == ")":
            return self._close(following)
        if following == "(":
            if len(self._open) >= MAX_DEPTH:
                raise self._error(f"at most {MAX_DEPTH} nested operators", "more")
            self._open.append((token, []))
            return None
        return self._operand(int(token) if token.lstrip("+-").isdigit() else token, following)

    def _close(self, following: str) -> Expression | None:
        if not self._open:
            raise self._error("an expression", ")")
        operator, operands = self._open.pop()
        if operator == "set":
            if not self._open or self._open[-1][0] not in {"in", "notin"}:
                raise self._error("set(…) as the second operand of in or notin", "it elsewhere")
            self._open[-1][1].extend(operands)
            return self._operand(None, following)
        if operator not in OPERATORS:
            raise self._error(f"one of the operators {' '.join(OPERATORS)}", operator)
        _, least, most = OPERATORS[operator]
        if not least <= len(operands) <= (most or len(operands)):
            expected = f"{least} operands" if most == least else f"at least {least} operands"
            raise self._error(expected, f"{operator} with {len(operands)}")
        return self._operand(Call(operator, tuple(operands)), following)

    def _operand(self, expression: Expression | None, following: str) -> Expression | None:
        """Add an operand to the innermost call; without one, it is the whole expression."""
        if not self._open:
            return expression
        if expression is not None:
            self._open[-1][1].append(expression)
        if following not in {",", ")"}:
            raise self._error("a comma or a closing bracket", following or "the end")
        return None

    def _error(self, expected: str, found: str) -> UsageError:
        return UsageError(f"expected {expected}, found {found} in {self._text[:200]!r}")


def variables_of(expression: Expression) -> list[str]:
    """Return the names of the variables of an expression, each once, in the order in which they appear."""
    found: dict[str, None] = {}
    waiting = [expression]
    while waiting:
        part = waiting.pop()
        if isinstance(part, str):
            found[part] = None
        elif isinstance(part, Call):
            waiting.extend(reversed(part.operands))
    return list(found)


def evaluate(expression: Expression, values: Mapping[str, int]) -> int:
    """Return the value of an expression, given those of its variables.

    Raises:
        ZeroDivisionError: It divides by zero.
    """
    if isinstance(expression, Call):
        return OPERATORS[expression.operator][0](*(evaluate(operand, values) for operand in expression.operands))
    return expression if isinstance(expression, int) else values[expression]


def holds(expression: Expression, names: Sequence[str]) -> Callable[..., bool]:
    """Return a function of the values of these variables, which tells whether an expression holds."""

    def is_true(*values: int) -> bool:
        try:
            return bool(evaluate(expression, dict(zip(names, values, strict=True))))
        except ZeroDivisionError:
            return False

    return is_true
