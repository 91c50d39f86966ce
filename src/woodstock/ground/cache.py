"""Ground programs kept on disk, so that a sheet is grounded once.

An entry is found by a hash of the rules, of our version and of the code that grounds. It carries a hash of its own
content: one that is damaged, or that cannot be read for any reason, is as good as absent and is made anew.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
import zipfile
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from woodstock import __version__
from woodstock.common.files import cache_folder, write_atomically
from woodstock.gdl.printer import rules_to_kif
from woodstock.gdl.rules import Rules
from woodstock.gdl.terms import GroundTerm
from woodstock.ground.program import GroundProgram, RoleTerms

MAX_BYTES: Final = 1 << 30
"""Size of the cache; beyond it the entries that were used longest ago go."""

_SUFFIX = ".ground"
_ARRAYS = (
    "initial", "rule_head", "body_start", "body_data", "atom_level", "atom_loop", "next_atom", "legal_atom",
)  # fmt: skip


def load_program(rules: Rules) -> GroundProgram | None:
    """Return the ground program of some rules if it is in the cache, whole."""
    folder = cache_folder()
    if folder is None:
        return None
    path = folder / (_key(rules) + _SUFFIX)
    try:
        data = path.read_bytes()
        digest, payload = data[:32], data[32:]
        if hashlib.sha256(payload).digest() != digest:
            raise ValueError("damaged entry")
        program = _decode(payload)
        os.utime(path)
    except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile):
        return None
    return program


def store_program(rules: Rules, program: GroundProgram) -> None:
    """Put a ground program into the cache; a cache that cannot be written to is no error."""
    folder = cache_folder()
    if folder is None:
        return
    payload = _encode(program)
    if len(payload) > MAX_BYTES:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_atomically(folder / (_key(rules) + _SUFFIX), hashlib.sha256(payload).digest() + payload)
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
    """Return a hash of our version and of the code that grounds: another one may ground otherwise."""
    digest = hashlib.sha256(__version__.encode())
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.digest()


def _key(rules: Rules) -> str:
    return hashlib.sha256(_code_digest() + rules_to_kif(rules).encode()).hexdigest()


def _encode(program: GroundProgram) -> bytes:
    entries = {"goals": program.goals, "percepts": program.percepts}
    terms: dict[str, Any] = {name: found.terms for name, found in entries.items() if found is not None}
    terms |= {"roles": program.roles, "fluents": program.fluents, "moves": program.moves}
    terms["terminal_atom"] = program.terminal_atom
    arrays = {name: getattr(program, name) for name in _ARRAYS}
    for name, found in entries.items():
        if found is not None:
            arrays |= {f"{name}_roles": found.roles, f"{name}_atoms": found.atoms}
    arrays["terms"] = np.frombuffer(json.dumps(terms).encode(), dtype=np.uint8)
    stream = io.BytesIO()
    np.savez(stream, allow_pickle=False, **arrays)
    return stream.getvalue()


def _decode(payload: bytes) -> GroundProgram:
    with np.load(io.BytesIO(payload), allow_pickle=False) as arrays:
        terms = json.loads(arrays["terms"].tobytes())

        def role_terms(name: str) -> RoleTerms:
            return RoleTerms(arrays[f"{name}_roles"], _terms(terms[name]), arrays[f"{name}_atoms"])

        return GroundProgram(
            roles=tuple(terms["roles"]),
            fluents=_terms(terms["fluents"]),
            moves=tuple(_terms(moves) for moves in terms["moves"]),
            terminal_atom=terms["terminal_atom"],
            goals=role_terms("goals"),
            percepts=role_terms("percepts") if "percepts" in terms else None,
            **{name: arrays[name] for name in _ARRAYS},
        )


def _terms(found: list[Any]) -> tuple[GroundTerm, ...]:
    """Turn the lists of JSON into terms again."""
    return tuple(_terms(item) if isinstance(item, list) else item for item in found)
