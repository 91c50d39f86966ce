"""Whether the library that speaks HTTP is installed."""

from __future__ import annotations

import importlib.util

from woodstock.common.errors import UsageError


def require_http() -> None:
    """Do nothing if the library is there.

    Raises:
        UsageError: It is not; the message says how to install it.
    """
    if importlib.util.find_spec("aiohttp") is None:
        raise UsageError("the network needs aiohttp, which is not installed: pip install 'woodstock-ggp[server]'")
