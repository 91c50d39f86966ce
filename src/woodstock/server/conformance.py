"""A conformance test of any GGP player: what it does with good, bad and strange messages.

Each check is a small story: what is sent, and what is expected. A check that is *required* must hold of every player
that takes part in matches; the others are good manners, or about games that not everyone plays.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Final

from woodstock.server.checks import CHECKS, Check
from woodstock.server.probe import Broken, Probe, Skipped


class Verdict(Enum):
    """What came of a check."""

    HOLDS = "holds"
    BROKEN = "does not hold"
    NOT_APPLICABLE = "not applicable"


@dataclass(frozen=True, slots=True)
class Finding:
    """A check that was made.

    Attributes:
        check: What was checked.
        verdict: What came of it.
        detail: What the player did, if it did not hold.
        seconds: How long it took.
    """

    check: Check
    verdict: Verdict
    detail: str
    seconds: float

    @property
    def is_failure(self) -> bool:
        """Whether something is broken that must not be."""
        return self.check.is_required and self.verdict is Verdict.BROKEN

    def to_json(self) -> dict[str, object]:
        """Return plain JSON values."""
        return {
            "name": self.check.name,
            "verdict": self.verdict.value,
            "required": self.check.is_required,
            "detail": self.detail,
            "seconds": round(self.seconds, 3),
        }


Report = Callable[[Finding], None]

ALL: Final[tuple[Check, ...]] = tuple(CHECKS)


async def check_player(probe: Probe, report: Report = lambda _: None, checks: Iterable[Check] = ALL) -> list[Finding]:
    """Make all checks, one after the other, and return what was found.

    Args:
        probe: The player.
        report: Called with each finding as soon as it is there.
        checks: What to check.
    """
    findings = []
    for check in checks:
        finding = await _make(check, probe)
        findings.append(finding)
        report(finding)
    return findings


async def _make(check: Check, probe: Probe) -> Finding:
    began = time.monotonic()
    verdict, detail = await _judge(check.run(probe))
    if verdict is Verdict.HOLDS:  # whatever was done to it, a player must be there for the next
        verdict, detail = await _judge(probe.expect_free())
        detail = f"afterwards: {detail}" if detail else ""
    return Finding(check, verdict, detail, time.monotonic() - began)


async def _judge(story: Awaitable[None]) -> tuple[Verdict, str]:
    try:
        await story
    except Broken as fault:
        return Verdict.BROKEN, str(fault)
    except Skipped as reason:
        return Verdict.NOT_APPLICABLE, str(reason)
    return Verdict.HOLDS, ""
