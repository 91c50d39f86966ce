"""The one tree of errors: everything that a caller may want to catch is a `WoodstockError`."""

from __future__ import annotations


class WoodstockError(Exception):
    """Base of every error that Woodstock raises on purpose.

    The message is meant for the user: it says what was expected, what was found and where.
    """


class UsageError(WoodstockError):
    """The caller asked for something that does not exist: a game, a role, a file, an option."""


class LimitError(WoodstockError):
    """A limit on time, memory or size was reached before there was an answer."""
