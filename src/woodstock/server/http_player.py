"""A session behind HTTP: one message a request, as ggp-base and the Dresden game controller send them.

The message is the body of a POST to any path, or the path of a GET. Replies carry the headers that let a page of any
origin read them. Whoever sends too much, or too slowly, or opens connections and says nothing, is cut off.
"""

from __future__ import annotations

import asyncio
import logging
import socket
import struct
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import unquote_plus

from aiohttp import web

from woodstock.common.errors import UsageError
from woodstock.match.expressions import ProtocolError
from woodstock.server.session import Session

HEADERS: Final = {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "POST, GET, OPTIONS",
    "Access-Control-Allow-Headers": "Content-Type",
    "Access-Control-Allow-Age": "86400",
    "Server": "Woodstock",
}
CONTENT_TYPE: Final = "text/acl"
TIDY_SECONDS: Final = 1.0
"""How often it is looked for what has been given up."""

_TCP_INFO_ROUND_TRIP: Final = struct.Struct("@68xI")
"""Where the operating system's report on a connection has the time to the other end and back, in microseconds."""

_log: Final = logging.getLogger(__name__)
_requests: Final = logging.getLogger(f"{__name__}.requests")
# The library would show where in it a request that is no HTTP was refused, which helps nobody.
_requests.setLevel(logging.CRITICAL)


@dataclass(frozen=True, slots=True)
class HttpLimits:
    """What a sender may take.

    Attributes:
        num_bytes: The size of a message.
        header_seconds: How long a connection may go without a request.
        body_seconds: How long the body of a request may take.
        connections: How many connections may be open; of more, those are closed that have been idle longest.
    """

    num_bytes: int = 16 * 2**20
    header_seconds: float = 10.0
    body_seconds: float = 30.0
    connections: int = 200


class HttpPlayer:
    """A player that can be reached.

    Args:
        session: Answers the messages.
        limits: What a sender may take.
    """

    def __init__(self, session: Session, limits: HttpLimits | None = None) -> None:
        self._session = session
        self._limits = limits or HttpLimits()
        self._door = _Door(self._handle, self._limits)
        self._runner = web.ServerRunner(self._door, shutdown_timeout=0.5)
        self._tidying: asyncio.Task[None] | None = None

    async def open(self, host: str, port: int) -> list[tuple[str, int]]:
        """Listen, and return the addresses; port 0 stands for any that is free.

        Raises:
            UsageError: The address cannot be had.
        """
        await self._runner.setup()
        try:
            await web.TCPSite(self._runner, host, port).start()
        except OSError as error:
            await self._runner.cleanup()
            reason = error.strerror or str(error)
            raise UsageError(f"cannot listen on {host}, port {port}: {reason}") from None
        self._tidying = asyncio.create_task(self._tidy())
        return [(str(address[0]), int(address[1])) for address in self._runner.addresses]

    async def close(self) -> None:
        """Listen no more, and leave the match."""
        if self._tidying is not None:
            self._tidying.cancel()
        await self._session.close()
        await self._runner.cleanup()

    async def _tidy(self) -> None:
        while True:
            await asyncio.sleep(min(TIDY_SECONDS, self._limits.header_seconds / 4))
            self._door.close_idle()
            self._session.tidy()

    async def _handle(self, request: web.BaseRequest) -> web.Response:
        """Answer one request, whatever it is."""
        self._door.begin(request.protocol)
        try:
            return await self._answer(request, time.monotonic())
        except Exception:  # noqa: BLE001 (the player goes on)
            _log.exception("a request could not be answered")
            return _reply("", 500)
        finally:
            self._door.end(request.protocol)

    async def _answer(self, request: web.BaseRequest, arrived: float) -> web.Response:
        if request.method == "OPTIONS":
            return _reply("")
        if request.method == "GET":
            text = unquote_plus(request.raw_path.removeprefix("/"))
        elif request.method == "POST":
            try:
                text = await self._read(request)
            except web.HTTPException as refusal:
                return _reply(refusal.text or "", refusal.status, closes=True)
        else:
            return _reply(f"expected POST, GET or OPTIONS, found {request.method}", 405, closes=True)
        try:
            reply = await self._session.answer(text, arrived, _round_trip(request))
        except ProtocolError as error:
            _log.info("not understood: %s", error)
            return _reply(str(error), 400)
        _log.info("%.100s => %s in %.3f s", text, reply, time.monotonic() - arrived)
        return _reply(reply)

    async def _read(self, request: web.BaseRequest) -> str:
        """Return the body of a request.

        Raises:
            HTTPException: It is too large, too slow, or the sender has gone.
        """
        body = bytearray()
        try:
            async with asyncio.timeout(self._limits.body_seconds):
                async for chunk in request.content.iter_any():
                    body += chunk
                    if len(body) > self._limits.num_bytes:
                        raise web.HTTPBadRequest(text=f"more than {self._limits.num_bytes} bytes")
        except TimeoutError:
            raise web.HTTPRequestTimeout(text=f"no message within {self._limits.body_seconds:g} s") from None
        except (OSError, web.RequestPayloadError):
            raise web.HTTPBadRequest(text="half a message") from None
        try:
            return body.decode()
        except UnicodeDecodeError:
            return body.decode("latin-1")


class _Door(web.Server):
    """A server that knows how long each connection has been idle."""

    def __init__(self, handler: Any, limits: HttpLimits) -> None:
        super().__init__(
            handler,
            access_log=None,
            logger=_requests,
            max_line_size=2**20,  # a START fits into the path of a GET
            keepalive_timeout=limits.header_seconds,
            lingering_time=1.0,
            auto_decompress=False,
        )
        self._limits = limits
        self._idle_since: dict[web.RequestHandler, float] = {}

    def connection_made(self, handler: web.RequestHandler, transport: asyncio.Transport) -> None:
        """Take notice of a new connection; called by the library."""
        super().connection_made(handler, transport)
        self._idle_since[handler] = time.monotonic()
        if len(self.connections) > self._limits.connections and self._idle_since:
            self._close(min(self._idle_since, key=self._idle_since.__getitem__))

    def connection_lost(self, handler: web.RequestHandler, exc: BaseException | None = None) -> None:
        """Take notice that a connection is gone; called by the library."""
        self._idle_since.pop(handler, None)
        super().connection_lost(handler, exc)

    def begin(self, handler: web.RequestHandler) -> None:
        """Take notice that a connection has a request."""
        self._idle_since.pop(handler, None)

    def end(self, handler: web.RequestHandler) -> None:
        """Take notice that the request of a connection is answered."""
        if handler in self.connections:
            self._idle_since[handler] = time.monotonic()

    def close_idle(self) -> None:
        """Close the connections that have been idle for too long, or send the head of a request too slowly."""
        latest = time.monotonic() - self._limits.header_seconds
        for handler in [handler for handler, since in self._idle_since.items() if since < latest]:
            self._close(handler)

    def _close(self, handler: web.RequestHandler) -> None:
        self._idle_since.pop(handler, None)
        handler.force_close()


def _reply(text: str, status: int = 200, closes: bool = False) -> web.Response:
    kind = CONTENT_TYPE if status == 200 else "text/plain"
    response = web.Response(text=text, status=status, headers=HEADERS, content_type=kind)
    # The type stands alone, as hosts know it.
    response.headers["Content-Type"] = kind
    if closes:
        response.force_close()
    return response


def _round_trip(request: web.BaseRequest) -> float:
    """Return how long a message takes to the sender and back, in seconds, as far as the operating system tells."""
    transport = request.transport
    connection = None if transport is None else transport.get_extra_info("socket")
    if connection is None or not hasattr(socket, "TCP_INFO"):
        return 0.0
    with suppress(OSError, struct.error):
        data = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCP_INFO_ROUND_TRIP.size)
        return float(_TCP_INFO_ROUND_TRIP.unpack(data)[0]) / 1e6
    return 0.0
