"""Symmetries kept on disk beside the ground programs, so that a game's are looked for once.

An entry is found by a hash of the ground program, of what was asked for, of our version and of the code of this
package; it carries a hash of its own content, and one that is damaged is as good as absent.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final, Protocol

import numpy as np

from woodstock import __version__
from woodstock.common.files import cache_folder, write_atomically
from woodstock.ground.program import GroundProgram
from woodstock.symmetry.graphs import Int32Array

MAX_BYTES: Final = 1 << 28
"""Size of the cache; beyond it the entries that were used longest ago go."""
_SUFFIX = ".symmetry"
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
    folder = cache_folder()
    if folder is None:
        return None
    path = folder / (_key(program, variant) + _SUFFIX)
    try:
        data = path.read_bytes()
        if hashlib.sha256(data[32:]).digest() != data[:32]:
            return None
        with np.load(io.BytesIO(data[32:]), allow_pickle=False) as arrays:
            words = json.loads(arrays["words"].tobytes())
            entry = Entry(arrays["points"], words["seconds"], words["how"], words["refused"])
        os.utime(path)
    except (OSError, ValueError, KeyError, zipfile.BadZipFile):
        return None
    return entry


def store_result(program: GroundProgram, variant: str, result: Result, points: Int32Array) -> None:
    """Put a result into the cache; a cache that cannot be written to is no error."""
    folder = cache_folder()
    if folder is None:
        return
    words = {"seconds": result.seconds, "how": result.how, "refused": result.refused}
    stream = io.BytesIO()
    np.savez(stream, allow_pickle=False, points=points, words=np.frombuffer(json.dumps(words).encode(), dtype=np.uint8))
    payload = stream.getvalue()
    if len(payload) > MAX_BYTES:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(folder / (_key(program, variant) + _SUFFIX), hashlib.sha256(payload).digest() + payload)
        _trim(folder)
    except OSError:
        return


def _trim(folder: Path) -> None:
    """Remove the entries that were used longest ago until the cache has its size again."""
    entries = sorted(((path.stat().st_mtime, path) for path in folder.glob("*" + _SUFFIX)), reverse=True)
    total = 0
    for _, path in entries:
        total += path.stat().st_size
        if total > MAX_BYTES:
            path.unlink(missing_ok=True)


@cache
def _code_digest() -> bytes:
    """Return a hash of our version and of the code of this package: another one may find something else."""
    digest = hashlib.sha256(__version__.encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.digest()


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
