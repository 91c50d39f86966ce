"""Programs at the other end of a connection: a player of ours in a thread, and players that misbehave."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager

from woodstock.server.http_player import HttpLimits, HttpPlayer
from woodstock.server.session import Session, SessionSettings, Thinker

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@contextmanager
def running(begin: Callable[[], Awaitable[tuple[int, Callable[[], Awaitable[None]]]]]) -> Iterator[int]:
    """Run something with an event loop in a thread; `begin` returns its port and what ends it."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    end: Callable[[], Awaitable[None]] | None = None
    try:
        port, end = asyncio.run_coroutine_threadsafe(_call(begin), loop).result(30)
        yield port
    finally:
        if end is not None:
            asyncio.run_coroutine_threadsafe(_call(end), loop).result(30)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def _call(function):  # type: ignore[no-untyped-def]
    return await function()


@contextmanager
def serving(
    thinker: Thinker, limits: HttpLimits | None = None, settings: SessionSettings | None = None
) -> Iterator[int]:
    """Serve a player, and yield its port."""

    async def begin() -> tuple[int, Callable[[], Awaitable[None]]]:
        player = HttpPlayer(Session(thinker, settings), limits)
        ((_, port),) = await player.open("127.0.0.1", 0)
        return port, player.close

    with running(begin) as port:
        yield port


def exchange(port: int, data: bytes, seconds: float = 30.0) -> bytes:
    """Send bytes and return all that comes back until the connection is closed."""
    with socket.create_connection(("127.0.0.1", port), timeout=seconds) as connection:
        connection.sendall(data)
        return read_all(connection)


def read_all(connection: socket.socket) -> bytes:
    """Return all that comes until the connection is closed, which it must be in the end."""
    data = b""
    while chunk := connection.recv(65536):
        data += chunk
    return data


def post(text: str) -> bytes:
    """Return a request as ggp-base writes it, byte for byte."""
    return (
        "POST / HTTP/1.0\r\n"
        "Accept: text/delim\r\n"
        "Host: 127.0.0.1\r\n"
        "Sender: GAMESERVER\r\n"
        "Receiver: PlayerOne\r\n"
        "Content-Type: text/acl\r\n"
        f"Content-Length: {len(text)}\r\n"
        "\r\n"
        f"{text}"
    ).encode()
