"""The grounder's process: reads a logic program from standard input, writes the ground program to standard output.

Run by its path, without the package around it, under limits that the operating system enforces, so that a hostile or
huge sheet can neither hang nor kill the program that asked. It is the only module that imports clingo, and it imports
little else: its start counts. Messages are `kind (1 byte), length (8 bytes), payload (marshal)`:

    G  asks to ground: {"memory", "max_rules", "sections", "num_fact_sections", "named"}
    I  asks to prove invariants: {"memory", …} as `woodstock.ground.prover.prove` has it
    S  answers that section number k begins
    R  answers with the result: the arrays of `RuleCollector` and {"atoms"}, the numbers of the atoms of each named
       relation, 0 for one that always holds, and the texts of their arguments; or the invariants
    E  answers with the text of an error
"""

from __future__ import annotations

import contextlib
import importlib
import marshal
import os
import struct
import sys
import threading
from array import array
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

if TYPE_CHECKING:
    import clingo

_HEADER = struct.Struct(">cQ")

GROUND, INVARIANTS, SECTION, RESULT, ERROR = b"G", b"I", b"S", b"R", b"E"


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
        lengths: Number of literals in the body of each rule.
        bodies: Literals: an atom's number, negative if negated.
        pair_heads, pair_lengths, pair_bodies: The same for the rules whose head holds if two literals of the body do.
    """

    def __init__(self) -> None:
        self.heads = array("i")
        self.lengths = array("i")
        self.bodies = array("i")
        self._new_heads: list[int] = []
        self._new_bodies: list[list[int]] = []
        self.pair_heads = array("i")
        self.pair_lengths = array("i")
        self.pair_bodies = array("i")

    def rule(self, choice: bool, head: list[int], body: list[int]) -> None:
        """Take one ground rule; called by the grounder, millions of times."""
        if not choice:
            self._new_heads += head
            self._new_bodies.append(body)

    def flush(self) -> None:
        """Move what came in since the last time into the arrays."""
        self.heads.extend(self._new_heads)
        self.lengths.extend(map(len, self._new_bodies))
        self.bodies.extend(chain.from_iterable(self._new_bodies))
        self._new_heads.clear()
        self._new_bodies.clear()

    def weight_rule(self, choice: bool, head: list[int], lower_bound: int, body: list[tuple[int, int]]) -> None:
        """Take a count, the only kind of weight rule that the translation writes; called by the grounder."""
        if choice or lower_bound != 2 or any(weight != 1 for _, weight in body):
            raise RuntimeError("an unexpected weight rule")
        self.pair_bodies.extend([literal for literal, _ in body])
        self.pair_heads.append(head[0])
        self.pair_lengths.append(len(body))

    def result(self) -> dict[str, bytes]:
        """Return all arrays as bytes."""
        return {name: data.tobytes() for name, data in vars(self).items() if isinstance(data, array)}


class _Deaf:
    """An observer that is never called: facts need not be collected."""


def _limit_memory(num_bytes: int) -> None:
    """Let the operating system hold the limit where it can; 0 is none."""
    if num_bytes == 0:
        return
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
        send(output, SECTION, number)
        if number == request["num_fact_sections"]:
            control.register_observer(cast("clingo.Observer", collector), replace=True)
        if text:
            control.add(f"s{number}", [], text)
            control.ground([(f"s{number}", [])])
        collector.flush()
        if len(collector.heads) > request["max_rules"]:
            raise RuntimeError("size")
    send(output, SECTION, len(request["sections"]))
    atoms = {}
    for predicate, arity in request["named"]:
        found = list(control.symbolic_atoms.by_signature(predicate, arity))
        numbers = array("i", [0 if atom.is_fact else atom.literal for atom in found])
        texts = [str(atom.symbol)[len(predicate) :] for atom in found]
        atoms[f"{predicate}/{arity}"] = (numbers.tobytes(), "\n".join(texts))
    return {**collector.result(), "atoms": atoms}


def _answer(kind: bytes, request: dict[str, Any], output: BinaryIO) -> object:
    if kind == GROUND:
        return _ground(request, output)
    sys.path.append(str(Path(__file__).parent))  # the package around this file is not imported here
    return importlib.import_module("prover").prove(request)


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
        send(output, RESULT, _answer(message[0], message[1], output))
    except BrokenPipeError:
        return 1
    except MemoryError:
        send(output, ERROR, "memory")
    except RuntimeError as error:
        send(output, ERROR, "memory" if "bad_alloc" in str(error) else str(error))
    return 0


if __name__ == "__main__":
    sys.stdout.flush()
    os._exit(main())
