"""Messages over HTTP to players that others wrote, well and badly."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from woodstock.server.http_transport import MAX_BYTES, HttpTransport

Behaviour = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]

GOOD = b"HTTP/1.0 200 OK\r\nContent-type: text/acl\r\nContent-length: 5\r\n\r\nready"


def ask(behave: Behaviour, text: str = "( INFO )", seconds: float = 30.0) -> str:
    """Return what a program that behaves like that replies to a message."""

    async def run() -> str:
        async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                await behave(reader, writer)
            except ConnectionError:
                pass
            finally:
                writer.close()

        server = await asyncio.start_server(handle, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        try:
            async with HttpTransport() as transport:
                return await transport.ask(f"http://127.0.0.1:{port}", text, seconds, "PlayerOne")
        finally:
            server.close()

    return asyncio.run(run())


async def read_request(reader: asyncio.StreamReader) -> bytes:
    head = await reader.readuntil(b"\r\n\r\n")
    length = int(head.lower().partition(b"content-length:")[2].split()[0])
    return head + await reader.readexactly(length)


def replying(*data: bytes) -> Behaviour:
    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await read_request(reader)
        for piece in data:
            writer.write(piece)
            await writer.drain()

    return behave


def test_a_request_is_what_ggp_base_sends() -> None:
    seen = []

    async def behave(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        seen.append(await read_request(reader))
        writer.write(GOOD)

    assert ask(behave, "( PLAY m1 NIL )") == "ready"
    head, _, body = seen[0].partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines)
    assert first == "POST / HTTP/1.0"
    assert body == b"( PLAY m1 NIL )"
    assert headers["Accept"] == "text/delim"
    assert headers["Sender"] == "GAMESERVER"
    assert headers["Receiver"] == "PlayerOne"
    assert headers["Content-Type"] == "text/acl"
    assert headers["Content-Length"] == "15"
    assert headers["Host"].startswith("127.0.0.1")
    assert "User-Agent" not in headers
    assert "Transfer-Encoding" not in headers


@pytest.mark.parametrize(
    "reply",
    [
        GOOD,
        GOOD.replace(b"\r\n", b"\n"),
        b"HTTP/1.0 200 OK\r\n\r\nready",
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nready",
        b"HTTP/1.0 200 OK\r\nContent-length: 9\r\n\r\nready",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nready\r\n0\r\n\r\n",
        b"HTTP/1.0 500 Oops\r\nContent-length: 5\r\n\r\nready",
    ],
    ids=["good", "line feeds", "no length", "1.1", "too long a length", "chunks", "status"],
)
def test_replies_that_can_be_understood(reply: bytes) -> None:
    assert ask(replying(reply)) == "ready"


@pytest.mark.parametrize(
    "behave",
    [
        replying(),
        replying(b"ready"),
        replying(b"HTTP/1.0 200 OK\r\nContent-length: 9\r\n\r\n"),
        replying(b"\x00\xff\x00" * 100),
        replying(b"HTTP/1.0 200 OK\r\n\r\n", b"x" * (MAX_BYTES + 10)),
    ],
    ids=["nothing", "no HTTP", "no body", "bytes", "endless"],
)
def test_replies_that_are_none(behave: Behaviour) -> None:
    with pytest.raises(ConnectionError):
        ask(behave)


async def silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read()


async def dripping(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await read_request(reader)
    writer.write(b"HTTP/1.0 200 OK\r\nContent-length: 100000\r\n\r\n")
    while True:
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(0.02)


@pytest.mark.parametrize("behave", [silent, dripping])
def test_the_time_is_for_all_of_it(behave: Behaviour) -> None:
    with pytest.raises(TimeoutError):
        ask(behave, seconds=0.3)


@pytest.mark.parametrize("url", ["http://127.0.0.1:1", "http://no.such.host.invalid:9147", "http://[::1", "http://"])
def test_nobody_there(url: str) -> None:
    async def run() -> str:
        async with HttpTransport() as transport:
            return await transport.ask(url, "( INFO )", 10.0, "player")

    with pytest.raises((ConnectionError, TimeoutError)):
        asyncio.run(run())
