"""A program that is given one request and gives one answer, and that can be ended at any time."""

from __future__ import annotations

import signal
import subprocess
import threading
from collections.abc import Sequence
from contextlib import suppress
from types import TracebackType
from typing import Final, Self

GRACE_SECONDS: Final = 0.2
"""Time to end for a program that was interrupted."""


class Child:
    """A process that reads a request and writes an answer; a thread listens to it.

    Args:
        command: The program and its arguments.
        request: What it reads.
        ends_when_interrupted: Whether it ends in good order when it is interrupted, with a part of the answer; its
            input is closed then as soon as it has the request. Others end when their input does.
    """

    def __init__(self, command: Sequence[str], request: bytes, ends_when_interrupted: bool = False) -> None:
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._ends_when_interrupted = ends_when_interrupted
        self._data = b""
        self._thread = threading.Thread(target=self._talk, args=(request,), daemon=True)
        self._thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """End the process, whatever happened."""
        self._process.kill()
        self._thread.join()
        self._process.wait()

    def _talk(self, request: bytes) -> None:
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        with suppress(OSError):  # the process may be no more
            process.stdin.write(request)
            process.stdin.flush()
            if self._ends_when_interrupted:
                process.stdin.close()
            self._data = process.stdout.read()
        process.stdout.close()
        with suppress(OSError):
            process.stdin.close()

    def wait(self, seconds: float) -> bool:
        """Wait for the answer, so long at most; tell whether it is there."""
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def end(self) -> bytes:
        """End the process and return its answer; nothing if it did not end in good order."""
        if self._thread.is_alive() and self._ends_when_interrupted:
            self._process.send_signal(signal.SIGINT)
            self._thread.join(GRACE_SECONDS)
        if self._thread.is_alive():
            self._process.kill()
            self._thread.join()
        return self._data if self._process.wait() == 0 else b""
