"""Files that are written completely or not at all, and where those are kept that can be made again."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from pathlib import Path


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file in one step: whoever reads it finds the old content or the new one, even after a crash.

    An existing file keeps its permissions; a symbolic link stays and the file that it points to is replaced.

    Raises:
        OSError: The file cannot be written; what was there before still is.
    """
    target = path.resolve()
    handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name[:100]}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        _copy_permissions(target, Path(temporary))
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _copy_permissions(target: Path, temporary: Path) -> None:
    """Give a temporary file, which only its owner can read, the permissions that the file has or would be made with."""
    if target.exists():
        shutil.copymode(target, temporary)
        return
    mask = os.umask(0)
    os.umask(mask)
    temporary.chmod(0o666 & ~mask)


def cache_folder() -> Path | None:
    """Return where entries are kept: `$WOODSTOCK_CACHE_DIR`, or the user's cache; None if that variable is empty."""
    chosen = os.environ.get("WOODSTOCK_CACHE_DIR")
    if chosen is not None:
        return Path(chosen) if chosen else None
    if sys.platform == "win32":
        root = Path(os.environ.get("LOCALAPPDATA", Path.home() / "AppData" / "Local"))
    elif sys.platform == "darwin":
        root = Path.home() / "Library" / "Caches"
    else:
        root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return root / "woodstock"
