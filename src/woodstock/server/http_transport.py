"""Messages to players elsewhere, over HTTP, as ggp-base sends them: one connection a message, HTTP/1.0."""

from __future__ import annotations

import asyncio
from io import BytesIO
from types import TracebackType
from typing import Final, Self

import aiohttp

CONNECT_SECONDS: Final = 5.0
MAX_BYTES: Final = 2**20
"""Longer replies are broken off."""


class HttpTransport:
    """Carries messages; a context manager, so that nothing stays open."""

    def __init__(self) -> None:
        self._client: aiohttp.ClientSession | None = None

    async def __aenter__(self) -> Self:
        self._client = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(force_close=True, limit=0),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=CONNECT_SECONDS),
            version=aiohttp.HttpVersion10,
            skip_auto_headers=("User-Agent", "Accept-Encoding"),
            auto_decompress=False,
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._client is not None:
            await self._client.close()

    async def ask(self, url: str, text: str, seconds: float, receiver: str) -> str:
        """Send a message and return the reply.

        Raises:
            TimeoutError: The reply was not there in time.
            ConnectionError: The player cannot be reached, or broke off.
        """
        assert self._client is not None
        headers = {
            "Accept": "text/delim",
            "Sender": "GAMESERVER",
            "Receiver": receiver,
            "Content-Type": "text/acl",
        }
        body = bytearray()
        try:
            data = BytesIO(text.encode())
            async with asyncio.timeout(seconds), self._client.post(url, data=data, headers=headers) as reply:
                async for chunk in reply.content.iter_any():
                    body += chunk
                    if len(body) > MAX_BYTES:
                        raise ConnectionError(f"{url} replied with more than {MAX_BYTES} bytes")
        except aiohttp.ClientPayloadError:
            # Some players count the length of their reply wrongly, and close the connection: what came is the reply.
            if not body:
                raise ConnectionError(f"{url} broke off its reply") from None
        except (aiohttp.ServerTimeoutError, aiohttp.ConnectionTimeoutError) as error:
            raise TimeoutError(str(error)) from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            if isinstance(error, TimeoutError):
                raise
            raise ConnectionError(f"{url}: {error}") from None
        return body.decode("utf-8", errors="replace")
