"""The child process of a player and the pipe to it, seen from the event loop that talks to it."""

from __future__ import annotations

import asyncio
import multiprocessing
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import resource_tracker
from multiprocessing.context import SpawnProcess
from queue import SimpleQueue
from typing import Any, Final

from woodstock.players.child import work

GRACE_SECONDS: Final = 1.0
"""How long a process may take to end before it is killed."""

Receive = Callable[["Child", object], None]
"""Called in the event loop with each message of a child, and with None when there will be no more."""


class Child:
    """A process that plays.

    Messages are sent and received by threads: neither a large message nor a child that is busy, or not there yet, holds
    up the event loop.

    Args:
        args: What `woodstock.players.child.work` gets besides its connection.
        receive: Gets the messages of the child.
    """

    def __init__(self, args: tuple[Any, ...], receive: Receive) -> None:
        context = multiprocessing.get_context("spawn")
        self._connection, far_end = context.Pipe()
        # Not a daemon: such a process may have no children, and a player may want some.
        self._process: SpawnProcess = context.Process(target=work, args=(far_end, *args))
        _start_deaf(self._process)
        far_end.close()
        self._receive = receive
        self._loop = asyncio.get_running_loop()
        self._outbox: SimpleQueue[object] = SimpleQueue()
        threading.Thread(target=self._listen, daemon=True).start()
        threading.Thread(target=self._deliver, daemon=True).start()

    @property
    def pid(self) -> int | None:
        """The number of the process."""
        return self._process.pid

    def send(self, message: object) -> None:
        """Send a message, some time soon; to a process that has ended nothing is sent."""
        self._outbox.put(message)

    def kill(self) -> None:
        """End the process at once."""
        self._process.kill()

    def close(self) -> None:
        """End the process and wait until it has ended."""
        self._process.terminate()
        self._process.join(GRACE_SECONDS)
        if self._process.is_alive():
            self._process.kill()
            self._process.join()

    def fate(self) -> str:
        """Return how the process ended, in words."""
        self._process.join(0.1)
        code = self._process.exitcode
        return "it still runs" if code is None else f"signal {-code}" if code < 0 else f"exit code {code}"

    def _listen(self) -> None:
        """Hand on what the child says, until it has ended."""
        message: object = ""
        while message is not None:
            try:
                message = self._connection.recv()
            except Exception:  # noqa: BLE001 (a process that is killed may leave half a message behind)
                message = None
            with suppress(RuntimeError):  # the loop is closed: nobody wants to know
                self._loop.call_soon_threadsafe(self._receive, self, message)
        self._outbox.put(None)

    def _deliver(self) -> None:
        """Send what is in the outbox, until the child has ended."""
        while (message := self._outbox.get()) is not None:
            with suppress(OSError):
                self._connection.send(message)
        self._connection.close()


def _start_deaf(process: SpawnProcess) -> None:
    """Start a process that Ctrl-C does not reach, not even while it is still importing: the caller ends it."""
    # The tracker, once it runs, leaves the signal mask alone; starting it would clear the mask.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
