"""The conformance test, made of our player, which passes, and of players that do not."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from scripted.network import running, serving
from scripted.thinkers import ScriptedThinker, last
from woodstock.players.process import Choice
from woodstock.server.conformance import ALL, Finding, Verdict, check_player
from woodstock.server.http_transport import HttpTransport
from woodstock.server.probe import Probe


def examine(port: int, *words: str, play: float = 30.0) -> dict[str, Finding]:
    """Return what is found of the player at a port; only of checks with one of these words, if there are any."""
    checks = [check for check in ALL if not words or any(word in check.name for word in words)]
    assert checks

    async def run() -> list[Finding]:
        async with HttpTransport() as transport:
            probe = Probe(f"http://127.0.0.1:{port}", transport, start_clock=30.0, play_clock=play)
            return await check_player(probe, checks=checks)

    return {finding.check.name: finding for finding in asyncio.run(run())}


def test_checks_have_different_names() -> None:
    assert len({check.name for check in ALL}) == len(ALL) > 20
    assert any(not check.is_required for check in ALL)


def test_our_player_passes_everything() -> None:
    with serving(ScriptedThinker(last)) as port:
        # The check of a broken connection waits for the play clock.
        findings = examine(port, play=2.0)
    broken = {name: finding.detail for name, finding in findings.items() if finding.verdict is not Verdict.HOLDS}
    assert broken == {}


def test_illegal_moves_are_found() -> None:
    with serving(ScriptedThinker(lambda moves: Choice(("castle", "1")))) as port:
        findings = examine(port, "INFO", "first role", "is free again", "cut off")
    verdicts = [finding.verdict for finding in findings.values()]
    assert verdicts == [Verdict.HOLDS, Verdict.BROKEN, Verdict.BROKEN, Verdict.HOLDS]
    finding = findings["plays the first role of tic-tac-toe, legally and in time"]
    assert finding.detail == "(castle 1) is not legal in turn 0; (place 1 1) would be"
    assert finding.is_failure
    assert finding.to_json()["verdict"] == "does not hold"


def test_late_moves_are_found() -> None:
    thinker = ScriptedThinker()
    thinker.seconds = 60
    with serving(thinker) as port:
        findings = examine(port, "first role", play=0.1)
    (finding,) = findings.values()
    assert finding.detail.startswith("no reply to '( PLAY check.")
    assert finding.detail.endswith("within 1.1 s")


def misbehaving(reply: Callable[[bytes], bytes]) -> Callable[[], Awaitable[tuple[int, Callable[[], Awaitable[None]]]]]:
    """Return what begins a program that replies to the whole request of ggp-base in some way."""

    async def begin() -> tuple[int, Callable[[], Awaitable[None]]]:
        async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            try:
                data = await reader.read(100_000)
                writer.write(reply(data))
                await writer.drain()
            except ConnectionError:
                pass
            finally:
                writer.close()

        server = await asyncio.start_server(handle, "127.0.0.1", 0)

        async def end() -> None:
            server.close()

        return server.sockets[0].getsockname()[1], end

    return begin


def test_a_program_that_is_always_available_and_ready() -> None:
    def reply(data: bytes) -> bytes:
        body = b"available" if b"INFO" in data else b"ready"
        return b"HTTP/1.0 200 OK\r\n\r\n" + body

    with running(misbehaving(reply)) as port:
        findings = examine(port, "INFO", "second START", "superfluous", "plainest", "CORS", "says that it is busy")
    assert findings["INFO is answered with a status"].verdict is Verdict.HOLDS
    assert all(finding.verdict is Verdict.BROKEN for name, finding in findings.items() if "INFO" not in name)
    assert not findings["lets pages of other origins talk to it (CORS)"].is_failure
    assert "no Content-Length" in next(found.detail for name, found in findings.items() if "plainest" in name)


def test_a_program_that_does_not_take_games_with_secrets() -> None:
    def reply(data: bytes) -> bytes:
        body = b"available" if b"INFO" in data else b"busy"
        return b"HTTP/1.0 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)

    with running(misbehaving(reply)) as port:
        findings = examine(port, "hidden")
    assert {finding.verdict for finding in findings.values()} == {Verdict.NOT_APPLICABLE}


def test_a_program_that_does_not_survive() -> None:
    alive = [True]

    def reply(data: bytes) -> bytes:
        alive[0] = alive[0] and b"INFO" in data
        return b"HTTP/1.0 200 OK\r\nContent-Length: 9\r\n\r\navailable" if alive[0] else b""

    with running(misbehaving(reply)) as port:
        findings = examine(port, "survives nonsense", "cut off")
    assert all(finding.detail.startswith("afterwards: no reply to '( INFO )'") for finding in findings.values())


@pytest.mark.parametrize("status", ["busy", "((name Foo))"])
def test_a_player_that_is_not_free(status: str) -> None:
    def reply(data: bytes) -> bytes:
        return f"HTTP/1.0 200 OK\r\nContent-Length: {len(status)}\r\n\r\n{status}".encode()

    with running(misbehaving(reply)) as port:
        (finding,) = examine(port, "INFO").values()
    assert finding.verdict is Verdict.BROKEN
    assert "status" in finding.detail
