"""The one door to Numba: the decorator of every kernel, and the folder where compiled kernels are kept.

A *kernel* is a function over arrays and numbers that is compiled to machine code when it is first called, once for
each combination of types, and releases the GIL while it runs. Compiled code is kept on disk. Numba itself notices a
change in the file of a kernel only, not in another kernel that it calls; so the folder's name is a hash of the source
of all kernels and of the versions of Numba and NumPy.

With `NUMBA_DISABLE_JIT=1` kernels are plain Python functions, and with `NUMBA_BOUNDSCHECK=1` they check every index.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeVar, cast

# Numba reads its settings when it is imported. Neighbouring operations on 64-bit words become vector instructions by
# this one, which is off by default: it makes circuits twice as fast (docs/decisions).
os.environ.setdefault("NUMBA_SLP_VECTORIZE", "1")

import numba
import numpy as np
from numba.extending import overload, register_jitable

from woodstock.common.files import cache_folder

F = TypeVar("F", bound=Callable[..., Any])

JIT_DISABLED: Final = bool(numba.config.DISABLE_JIT)  # type: ignore[attr-defined]

__all__ = ["JIT_DISABLED", "jit", "jit_folder", "overload", "register_jitable"]


def jit(function: F) -> F:
    """Compile a kernel when it is first called; see the module."""
    return cast("F", numba.njit(nogil=True, cache=_caches(), error_model="numpy")(function))


def jit_folder() -> Path | None:
    """Return the folder where compiled kernels are kept; None if nothing is."""
    folder = cache_folder()
    return None if folder is None else folder / "jit" / _fingerprint()


@cache
def _caches() -> bool:
    """Point Numba to our folder; tell whether there is one."""
    folder = jit_folder()
    if folder is None or JIT_DISABLED:
        return False
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    if not os.access(folder, os.W_OK):
        return False
    numba.config.CACHE_DIR = str(folder)  # type: ignore[attr-defined]
    return True


@cache
def _fingerprint() -> str:
    """Return a hash of everything that compiled kernels depend on."""
    digest = hashlib.sha256(f"{numba.__version__} {np.__version__}".encode())
    for setting in ("NUMBA_SLP_VECTORIZE", "NUMBA_BOUNDSCHECK", "NUMBA_OPT", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES"):
        digest.update(f" {setting}={os.environ.get(setting)}".encode())
    package = Path(__file__).resolve().parent.parent
    sources = {path: path.read_bytes() for path in sorted(package.rglob("*.py"))}
    # A kernel may use a constant of any module beside it, so its whole folder counts.
    folders = {path.parent for path, source in sources.items() if b"common.jit import" in source}
    for path, source in sources.items():
        if path.parent in folders or path == Path(__file__).resolve():
            digest.update(path.relative_to(package).as_posix().encode() + b"\0" + source)
    return digest.hexdigest()[:20]
