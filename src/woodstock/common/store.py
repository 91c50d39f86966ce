"""A store on disk of what can be made again: bytes by key, whole or not at all.

An entry carries a hash of its content: one that is damaged, or that cannot be read for any reason, is as good as
absent. Keys hold a hash of our version and of the code that makes the entries, so that other code has other entries.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from woodstock import __version__
from woodstock.common.files import cache_folder, write_atomically

DIGEST_SIZE: Final = 32


@dataclass(frozen=True)
class Store:
    """Entries of one kind.

    Attributes:
        suffix: How the names of their files end.
        max_bytes: How much they may take; beyond it those that were used longest ago go.
    """

    suffix: str
    max_bytes: int

    def load(self, key: str) -> bytes | None:
        """Return an entry if it is there, whole."""
        folder = cache_folder()
        if folder is None:
            return None
        path = folder / (key + self.suffix)
        try:
            data = path.read_bytes()
            digest, payload = data[:DIGEST_SIZE], data[DIGEST_SIZE:]
            if hashlib.sha256(payload).digest() != digest:
                return None
            os.utime(path)
        except OSError:
            return None
        return payload

    def save(self, key: str, payload: bytes) -> None:
        """Keep an entry; a folder that cannot be written to is no error, and what is too large is not kept."""
        folder = cache_folder()
        if folder is None or len(payload) > self.max_bytes:
            return
        try:
            folder.mkdir(parents=True, exist_ok=True)
            write_atomically(folder / (key + self.suffix), hashlib.sha256(payload).digest() + payload)
            self._trim(folder)
        except OSError:
            return

    def _trim(self, folder: Path) -> None:
        """Remove the entries that were used longest ago until the rest has its size again."""
        entries = sorted(((path.stat().st_mtime, path) for path in folder.glob("*" + self.suffix)), reverse=True)
        total = 0
        for _, path in entries:
            total += path.stat().st_size
            if total > self.max_bytes:
                path.unlink(missing_ok=True)


def code_digest(folder: Path) -> bytes:
    """Return a hash of our version and of the modules in a folder: others may make other entries."""
    digest = hashlib.sha256(__version__.encode())
    for path in sorted(folder.glob("*.py")):
        digest.update(path.read_bytes())
    return digest.digest()
