"""Files that are written completely or not at all."""

from __future__ import annotations

import os
import shutil
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
