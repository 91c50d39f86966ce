"""The worker's process, seen from the caller: started, asked, and ended when a limit is reached or the caller goes."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any, BinaryIO, cast

from woodstock.common.limits import Limits
from woodstock.ground import worker


class WorkerError(Exception):
    """The worker gave no answer; `reason` is "time", "memory", or what it says itself."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def ask_worker(
    kind: bytes, request: dict[str, Any], limits: Limits, report: Callable[[int], None] = lambda _: None
) -> dict[str, Any]:
    """Send one request to a new worker and return its answer.

    Args:
        kind: What is asked (see `woodstock.ground.worker`).
        request: The request; the limit on memory is added.
        limits: Time by the clock and memory; both hold whatever the worker does.
        report: Called with the number of each section that the worker begins.

    Raises:
        WorkerError: There is no answer within the limits, or the worker refuses.
    """
    process = subprocess.Popen([sys.executable, "-P", worker.__file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    expired = threading.Event()

    def expire() -> None:
        expired.set()
        process.kill()

    timer = threading.Timer(limits.seconds or threading.TIMEOUT_MAX, expire)
    timer.daemon = True
    timer.start()
    try:
        answer = _converse(process, kind, {**request, "memory": limits.bytes or 0}, report)
    finally:
        timer.cancel()
        process.kill()
        process.communicate()
    if answer is not None:
        return answer
    if expired.is_set():
        raise WorkerError("time")
    raise WorkerError("memory" if limits.bytes else f"its process ended with exit code {process.returncode}")


def _converse(
    process: subprocess.Popen[bytes], kind: bytes, request: dict[str, Any], report: Callable[[int], None]
) -> dict[str, Any] | None:
    """Return the worker's answer, or None if it ended without one."""
    try:
        worker.send(cast("BinaryIO", process.stdin), kind, request)
        while (message := worker.receive(cast("BinaryIO", process.stdout))) is not None:
            answer, payload = message
            if answer == worker.RESULT:
                return cast("dict[str, Any]", payload)
            if answer == worker.ERROR:
                raise WorkerError(payload)
            report(payload)
    except BrokenPipeError:
        return None
    return None
