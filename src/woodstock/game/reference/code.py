"""Lines of Python in the making: conditions, loops and their indentation."""

from __future__ import annotations

MAX_LOOPS = 12
"""CPython refuses more than 20 statically nested blocks."""
MAX_INDENT = 40
"""CPython refuses more than 100 levels of indentation."""


class Code:
    """The body of a function under construction.

    Conditions are collected and written as one `if` when a statement follows them. Inside a loop a failed condition
    continues with the next round, so that the code does not wander to the right.
    """

    def __init__(self, header: str) -> None:
        self.lines = [header]
        self._conditions: list[str] = []
        self._indent = 1
        self._loop_indents: list[int] = []

    @property
    def loops(self) -> int:
        """Number of loops that are open."""
        return len(self._loop_indents)

    @property
    def is_deep(self) -> bool:
        """Whether the rest had better go into a function of its own."""
        return self.loops >= MAX_LOOPS or self._indent >= MAX_INDENT

    def require(self, condition: str) -> None:
        """Go on only if an expression is true."""
        self._conditions.append(condition)

    def add(self, *statements: str) -> None:
        """Add statements that are reached when all conditions hold."""
        self._flush()
        self.lines += ["    " * self._indent + statement for statement in statements]

    def loop(self, targets: str, rows: str) -> None:
        """Open a loop."""
        self.add(f"for {targets} in {rows}:")
        self._loop_indents.append(self._indent)
        self._indent += 1

    def count_step(self, arguments: str) -> None:
        """Count a step of the meter, which checks the limits now and then."""
        self.add("if (left := steps[0] - 1) < 0:", f"    left = check({arguments})", "steps[0] = left")

    def leave_loops(self, number: int) -> None:
        """After a success, leave that many of the innermost loops: any further success would only repeat it."""
        if number:
            self.add("break")
        for _ in range(number - 1):
            self._indent = self._loop_indents.pop()
            self.add("else:", "    continue", "break")

    def close(self) -> None:
        """End all loops and conditions: what follows stands at the top of the function."""
        self._flush()
        if self._indent > 1 and self.lines[-1].endswith(":"):
            self.add("pass")
        self._indent = 1
        self._loop_indents.clear()

    def _flush(self) -> None:
        if not self._conditions:
            return
        test = " and ".join(self._conditions)
        self._conditions.clear()
        pad = "    " * self._indent
        if self._loop_indents:
            self.lines += [f"{pad}if not ({test}):", f"{pad}    continue"]
        else:
            self.lines.append(f"{pad}if {test}:")
            self._indent += 1


def tuple_of(items: list[str]) -> str:
    """Return the items as one expression: a single item for itself, else a tuple."""
    return items[0] if len(items) == 1 else "(" + ", ".join(items) + ")"


def exact_tuple(items: list[str]) -> str:
    """Return a tuple of the items, also of one."""
    return "(" + "".join(f"{item}, " for item in items).rstrip() + ")"
