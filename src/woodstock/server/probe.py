"""How a conformance test talks to a player: good messages, bad ones, and matches that can take any turn."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

from woodstock.common.errors import UsageError
from woodstock.match.expressions import ProtocolError, excerpt
from woodstock.match.messages import Info, Message, write_message
from woodstock.match.replies import AVAILABLE, read_info, read_word
from woodstock.server.contestants import Transport

GRACE_SECONDS: Final = 1.0
"""What a player has beyond every clock."""

INFO_SECONDS: Final = 5.0
"""How long a player may take to say whether it is free."""


class Broken(Exception):  # noqa: N818 (it is what a check finds, not an error of ours)
    """The player does not do what is expected; the text says what it did."""


class Skipped(Exception):  # noqa: N818 (as above)
    """There is nothing to check; the text says why."""


@dataclass(frozen=True)
class Probe:
    """A player to be tried.

    Attributes:
        url: Where it is.
        transport: Carries the messages.
        start_clock: Seconds before the first move.
        play_clock: Seconds for each move.
        seed: What the moves of the others are made from.
    """

    url: str
    transport: Transport
    start_clock: float = 5.0
    play_clock: float = 1.0
    seed: int = 0
    _numbers: list[int] = field(default_factory=lambda: [0])

    def new_id(self) -> str:
        """Return the name of a match that there was not before."""
        self._numbers[0] += 1
        return f"check.{time.time_ns() // 1_000_000}.{self._numbers[0]}"

    async def ask(self, message: Message | str, seconds: float | None = None) -> str:
        """Return the reply to a message.

        Raises:
            Broken: There is none in time.
        """
        text = message if isinstance(message, str) else write_message(message)
        limit = self.play_clock + GRACE_SECONDS if seconds is None else seconds
        try:
            return (await self.transport.ask(self.url, text, limit, "player")).strip()
        except TimeoutError:
            raise Broken(f"no reply to {excerpt(text)} within {limit:g} s") from None
        except ConnectionError:
            raise Broken(f"no reply to {excerpt(text)}: the connection was refused or broken off") from None

    async def expect(self, message: Message | str, word: str, seconds: float | None = None) -> None:
        """Ask, and take no reply but one word.

        Raises:
            Broken: It is something else.
        """
        reply = await self.ask(message, seconds)
        try:
            said = read_word(reply)
        except ProtocolError:
            said = ""
        if said != word:
            raise Broken(f"expected {word!r} in reply to {_name(message)}, found {excerpt(reply)}")

    async def status(self) -> str:
        """Return what the player says of itself.

        Raises:
            Broken: It says nothing that can be read.
        """
        reply = await self.ask(Info(), INFO_SECONDS)
        try:
            return read_info(reply)["status"]
        except ProtocolError as error:
            raise Broken(str(error)) from None

    async def expect_free(self) -> None:
        """Make sure that the player is there and free.

        Raises:
            Broken: It is not.
        """
        status = await self.status()
        if status != AVAILABLE:
            raise Broken(f"expected the status {AVAILABLE!r}, found {excerpt(status)}")

    async def open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Return a plain connection, for what no library would send.

        Raises:
            Broken: There is none to be had.
        """
        parts = urlsplit(self.url)
        try:
            async with asyncio.timeout(INFO_SECONDS):
                return await asyncio.open_connection(parts.hostname, parts.port or 80)
        except OSError as error:
            raise Broken(f"no connection: {error}") from None

    async def send_raw(self, pieces: Sequence[bytes], pause: float = 0.0, seconds: float = INFO_SECONDS) -> str:
        """Send bytes, perhaps with pauses, and return all that comes back until the player closes the connection."""
        reader, writer = await self.open()
        data = b""
        try:
            async with asyncio.timeout(seconds + pause * len(pieces)):
                for piece in pieces:
                    writer.write(piece)
                    await writer.drain()
                    await asyncio.sleep(pause)
                while chunk := await reader.read(65536):
                    data += chunk
        except OSError:  # a timeout among others: what came by then is the answer
            pass
        finally:
            writer.close()
        return data.decode("utf-8", errors="replace")

    async def try_out(self, text: str) -> None:
        """Send something that needs no reply."""
        with suppress(Broken):
            await self.ask(text, INFO_SECONDS)

    async def request(self, line: str) -> str:
        """Send a request without a body and return all of the reply.

        Raises:
            Broken: It is not answered well.
        """
        reply = await self.send_raw([f"{line}\r\nHost: {urlsplit(self.url).netloc}\r\n\r\n".encode()])
        first = reply.partition("\r\n")[0]
        if " 200" not in first:
            raise Broken(f"expected the status 200, found {excerpt(first)}")
        return reply

    def post(self, text: str) -> bytes:
        """Return the request that carries a message, as ggp-base sends it."""
        head = (
            "POST / HTTP/1.0\r\nAccept: text/delim\r\n"
            f"Host: {urlsplit(self.url).hostname}\r\nSender: GAMESERVER\r\nReceiver: player\r\n"
            f"Content-Type: text/acl\r\nContent-Length: {len(text)}\r\n\r\n"
        )
        return (head + text).encode()


def check_url(url: str) -> str:
    """Return the address of a player.

    Raises:
        UsageError: It is none.
    """
    try:
        parts = urlsplit(url)
        if parts.scheme != "http" or not parts.hostname or parts.port == 0:
            raise ValueError
    except ValueError:
        raise UsageError(f"expected the URL of a player, such as http://127.0.0.1:9147, found {url!r}") from None
    return url


def _name(message: Message | str) -> str:
    return excerpt(message) if isinstance(message, str) else type(message).__name__.upper()
