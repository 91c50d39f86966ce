"""Ground programs kept on disk, so that a sheet is grounded once.

An entry is found by a hash of the rules and of the code that grounds.
"""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from woodstock.common.store import Store, code_digest
from woodstock.gdl.printer import rules_to_kif
from woodstock.gdl.rules import Rules
from woodstock.gdl.terms import GroundTerm
from woodstock.ground.program import GroundProgram, RoleTerms

STORE: Final = Store(".ground", max_bytes=1 << 30)
_ARRAYS = (
    "initial", "rule_head", "body_start", "body_data", "atom_level", "atom_loop", "next_atom", "legal_atom",
)  # fmt: skip


def load_program(rules: Rules) -> GroundProgram | None:
    """Return the ground program of some rules if it is in the cache, whole."""
    payload = STORE.load(_key(rules))
    try:
        return None if payload is None else _decode(payload)
    except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile):
        return None


def store_program(rules: Rules, program: GroundProgram) -> None:
    """Put a ground program into the cache; a cache that cannot be written to is no error."""
    STORE.save(_key(rules), _encode(program))


@cache
def _code_digest() -> bytes:
    """Return a hash of the code that grounds."""
    return code_digest(Path(__file__).parent)


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
