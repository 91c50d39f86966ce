"""Symmetries kept on disk beside the ground programs, so that a game's are looked for once.

An entry is found by a hash of the ground program, of what was asked for and of the code of this package.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, Protocol

import numpy as np

from woodstock.common.store import Store, code_digest
from woodstock.ground.program import GroundProgram
from woodstock.symmetry.graphs import Int32Array

STORE: Final = Store(".symmetry", max_bytes=1 << 28)
_ARRAYS = ("rule_head", "body_start", "body_data", "next_atom", "legal_atom")


@dataclass(frozen=True, eq=False)
class Entry:
    """What is kept of a result: the generators as permutations of points, and words about them."""

    points: Int32Array
    seconds: float
    how: list[str]
    refused: list[str]


class Result(Protocol):
    """What is known about the generators of a group."""

    @property
    def seconds(self) -> float: ...
    @property
    def how(self) -> list[str]: ...
    @property
    def refused(self) -> list[str]: ...


def load_result(program: GroundProgram, variant: str) -> Entry | None:
    """Return what was found for a program before, if it is in the cache, whole."""
    payload = STORE.load(_key(program, variant))
    if payload is None:
        return None
    try:
        with np.load(io.BytesIO(payload), allow_pickle=False) as arrays:
            words = json.loads(arrays["words"].tobytes())
            return Entry(arrays["points"], words["seconds"], words["how"], words["refused"])
    except (OSError, ValueError, KeyError, zipfile.BadZipFile):
        return None


def store_result(program: GroundProgram, variant: str, result: Result, points: Int32Array) -> None:
    """Put a result into the cache; a cache that cannot be written to is no error."""
    words = {"seconds": result.seconds, "how": result.how, "refused": result.refused}
    stream = io.BytesIO()
    np.savez(stream, allow_pickle=False, points=points, words=np.frombuffer(json.dumps(words).encode(), dtype=np.uint8))
    STORE.save(_key(program, variant), stream.getvalue())


@cache
def _code_digest() -> bytes:
    """Return a hash of the code of this package."""
    return code_digest(Path(__file__).parent)


def _key(program: GroundProgram, variant: str) -> str:
    digest = hashlib.sha256(_code_digest() + variant.encode())
    for name in _ARRAYS:
        digest.update(np.ascontiguousarray(getattr(program, name)).tobytes() + b"\0")
    names = [program.roles, program.fluents, program.moves, program.terminal_atom]
    for entries in (program.goals, program.percepts):
        if entries is not None:
            names += [entries.roles.tolist(), entries.terms, entries.atoms.tolist()]
    digest.update(json.dumps(names).encode())
    return digest.hexdigest()
