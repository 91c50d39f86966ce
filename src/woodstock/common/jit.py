"""The one door to Numba: the decorator of every kernel, and the folder where compiled kernels are kept.

A *kernel* is a function over arrays and numbers that is compiled to machine code when it is first called, once for
each combination of types, and releases the GIL while it runs. Compiled code is kept on disk. Numba itself notices a
change in the file of a kernel only, not in another kernel that it calls; so each package has a folder, whose name is a
hash of the source of its kernels, of those of the packages that it imports, and of the versions of Numba and NumPy.

With `NUMBA_DISABLE_JIT=1` kernels are plain Python functions, and with `NUMBA_BOUNDSCHECK=1` they check every index.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import time
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

DAYS_KEPT: Final = 30
"""Compiled kernels of other sources are removed once they are that old."""

F = TypeVar("F", bound=Callable[..., Any])

JIT_DISABLED: Final = bool(numba.config.DISABLE_JIT)  # type: ignore[attr-defined]

__all__ = ["JIT_DISABLED", "inner_kernel", "jit", "jit_folder", "overload", "register_jitable"]


def jit(function: F) -> F:
    """Compile a kernel when it is first called; see the module."""
    folder = _folder_of(function.__module__)
    if folder is not None:
        numba.config.CACHE_DIR = str(folder)  # type: ignore[attr-defined]
    return cast("F", numba.njit(nogil=True, cache=folder is not None, error_model="numpy")(function))


def inner_kernel(function: F) -> F:
    """Let a function be compiled into the kernels that call it; nothing else may.

    It is put in the place of every call: a call would copy all arrays that a tuple holds, which takes longer than most
    of what is done with them.

    Nor does such a function count references to arrays: all of them belong to the caller of the outermost kernel. So it
    may cut arrays out of others, but not make new ones.
    """
    return register_jitable(error_model="numpy", _nrt=False, no_cfunc_wrapper=True, forceinline=True)(function)


def jit_folder() -> Path | None:
    """Return the folder where compiled kernels are kept, in a folder for each package; None if nothing is."""
    folder = cache_folder()
    return None if folder is None else folder / "jit"


def _folder_of(module: str) -> Path | None:
    """Return the folder for the kernels of a module's package, made if need be; None if they are not kept."""
    names = module.split(".")
    if JIT_DISABLED or names[0] != "woodstock" or len(names) < 3:
        return None
    return _package_folder(names[1])


@cache
def _package_folder(package: str) -> Path | None:
    kept = jit_folder()
    if kept is None:
        return None
    folder = kept / f"{package}-{_fingerprint(package)}"
    try:
        if not folder.is_dir():
            folder.mkdir(parents=True, exist_ok=True)
            _remove_old(kept)
    except OSError:
        return None
    return folder if os.access(folder, os.W_OK) else None


def _remove_old(kept: Path) -> None:
    """Remove folders to which nothing was added for long."""
    for folder in kept.iterdir():
        if folder.is_dir() and time.time() - folder.stat().st_mtime > DAYS_KEPT * 86400:
            shutil.rmtree(folder, ignore_errors=True)


def _fingerprint(package: str) -> str:
    """Return a hash of everything that the compiled kernels of a package depend on."""
    digest = hashlib.sha256(f"{numba.__version__} {np.__version__}".encode())
    for setting in ("NUMBA_SLP_VECTORIZE", "NUMBA_BOUNDSCHECK", "NUMBA_OPT", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES"):
        digest.update(f" {setting}={os.environ.get(setting)}".encode())
    digest.update(Path(__file__).read_bytes())
    # A kernel may use a constant of any module beside it, so a package with kernels counts as a whole.
    for sources in _packages_used(package).values():
        if any(b"common.jit import" in source for source in sources.values()):
            for name, source in sources.items():
                digest.update(name.encode() + b"\0" + source)
    return digest.hexdigest()[:20]


def _packages_used(package: str) -> dict[str, dict[str, bytes]]:
    """Return the sources, by file, of a package and of all packages that it imports, directly or not."""
    root = Path(__file__).resolve().parent.parent
    found: dict[str, dict[str, bytes]] = {}
    waiting = {package}
    while waiting:
        name = waiting.pop()
        files = sorted((root / name).rglob("*.py"))
        found[name] = {path.relative_to(root).as_posix(): path.read_bytes() for path in files}
        imported = re.findall(rb"woodstock\.(\w+)", b"\n".join(found[name].values()))
        waiting |= {other.decode() for other in imported} - found.keys()
    return dict(sorted(found.items()))
