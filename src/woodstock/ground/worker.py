"""The grounder's process: reads a logic program from standard input, writes the ground program to standard output.

Run by its path, without the package around it, under limits that the operating system enforces, so that a hostile or huge
sheet can neither hang nor kill the program that asked. It is the only module that imports clingo, and it imports little
else: its start counts. Messages are `kind (1 byte), length (8 bytes), payload (marshal)`:

    P  to the worker: {"memory", "sections", "num_fact_sections", "named"}
    S  from the worker: section number k begins
    R  from the worker: {"heads", "ends", "bodies", "atoms"}; a named atom is 0 if it always holds
    E  from the worker: error text
"""

from __future__ import annotations

import contextlib
import marshal
import os
import struct
import sys
import threading
from array import array
from typing import TYPE_CHECKING, Any, BinaryIO, cast

if TYPE_CHECKING:
    import clingo

_HEADER = struct.Struct(">cQ")


def send(stream: BinaryIO, kind: bytes, payload: Any) -> None:
    """Write one message."""
    data = marshal.dumps(payload)
    stream.write(_HEADER.pack(kind, len(data)))
    stream.write(data)
    stream.flush()


def receive(stream: BinaryIO) -> tuple[bytes, Any] | None:
    """Read one message; None at the end of the stream or if it is cut."""
    header = stream.read(_HEADER.size)
    if len(header) < _HEADER.size:
        return None
    kind, length = _HEADER.unpack(header)
    data = stream.read(length)
    return (kind, marshal.loads(data)) if len(data) == length else None


class RuleCollector:
    """Observes grounding; keeps the rules in flat arrays. Choices are left out: they only say what the inputs are.

    Attributes:
        heads: Head atom of each rule.
        ends: Where the body of each rule ends in `bodies`.
        bodies: Literals: an atom's number, negative if negated.
    """

    def __init__(self) -> None:
        self.heads = array("i")
        self.ends = array("q")
        self.bodies = array("i")

    def rule(self, choice: bool, head: list[int], body: list[int]) -> None:
        """Take one ground rule; called by the grounder."""
        if not choice:
            self.bodies.extend(body)
            self.heads.extend(head)
            self.ends.append(len(self.bodies))


class _Deaf:
    """An observer that is never called: facts need not be collected."""


def _limit_memory(num_bytes: int) -> None:
    """Let the operating system hold the limit where it can."""
    with contextlib.suppress(ImportError, ValueError, OSError):
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        if hard != resource.RLIM_INFINITY:
            num_bytes = min(num_bytes, hard)
        resource.setrlimit(resource.RLIMIT_AS, (num_bytes, hard))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _die_with_parent(stream: BinaryIO) -> None:
    """End when the parent's end of the pipe closes: the parent has gone."""
    stream.read(1)
    os._exit(1)


def _ground(request: dict[str, Any], output: BinaryIO) -> dict[str, object]:
    import clingo

    control = clingo.Control(["--warn=none"], logger=lambda *_: None)
    control.register_observer(cast("clingo.Observer", _Deaf()), replace=True)
    collector = RuleCollector()
    for number, text in enumerate(request["sections"]):
        send(output, b"S", number)
        if number == request["num_fact_sections"]:
            control.register_observer(cast("clingo.Observer", collector), replace=True)
        if text:
            control.add(f"s{number}", [], text)
            control.ground([(f"s{number}", [])])
    send(output, b"S", len(request["sections"]))
    coder = _SymbolCoder()
    atoms: dict[str, list[tuple[int, tuple[object, ...]]]] = {}
    for predicate, arity in request["named"]:
        atoms[f"{predicate}/{arity}"] = [
            (0 if atom.is_fact else atom.literal, tuple(coder.code(arg) for arg in atom.symbol.arguments))
            for atom in control.symbolic_atoms.by_signature(predicate, arity)
        ]
    return {
        "heads": collector.heads.tobytes(),
        "ends": collector.ends.tobytes(),
        "bodies": collector.bodies.tobytes(),
        "atoms": atoms,
    }


class _SymbolCoder:
    """Turns the grounder's symbols into numbers and nested tuples of numbers."""

    def __init__(self) -> None:
        self._known: dict[clingo.Symbol, object] = {}

    def code(self, symbol: clingo.Symbol) -> object:
        found = self._known.get(symbol)
        if found is None:
            if symbol.type.name == "Number":
                found = symbol.number
            else:
                found = (int(symbol.name[1:]), *(self.code(arg) for arg in symbol.arguments))
            self._known[symbol] = found
        return found


def main() -> int:
    """Serve one request."""
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints must not get between the messages
    message = receive(sys.stdin.buffer)
    if message is None:
        return 1
    threading.Thread(target=_die_with_parent, args=(sys.stdin.buffer,), daemon=True).start()
    _limit_memory(message[1]["memory"])
    try:
        send(output, b"R", _ground(message[1], output))
    except MemoryError:
        send(output, b"E", "memory")
    except RuntimeError as error:
        send(output, b"E", "memory" if "bad_alloc" in str(error) else str(error))
    return 0


if __name__ == "__main__":
    sys.stdout.flush()
    os._exit(main())
