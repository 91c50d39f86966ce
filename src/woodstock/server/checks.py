"""The checks of the conformance test, each a story of what is sent and what is expected."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote

from woodstock.match.messages import Abort, Info, Play, Preview, RulesText, Stop, write_message
from woodstock.match.replies import BUSY, READY
from woodstock.server.probe import INFO_SECONDS, Broken, Probe, Skipped
from woodstock.server.trial import Manner, Trial

ALTERNATING: Final = "tic_tac_toe"
SIMULTANEOUS: Final = "rock_paper_scissors"
HIDDEN: Final = "monty_hall"
BALLAST: Final = 10_000
"""So many facts make rules large."""
NONSENSE_BYTES: Final = 2_000_000
DRIP_SECONDS: Final = 2.0
"""How long a slow sender takes for a short message."""


Story = Callable[[Probe], Awaitable[None]]
"""Finds something out; raises `Broken` if it does not hold and `Skipped` if it cannot be told."""


@dataclass(frozen=True, slots=True)
class Check:
    """One thing to find out about a player.

    Attributes:
        name: What holds if all is well, in a few words.
        run: Finds it out.
        is_required: Whether every player must pass.
    """

    name: str
    run: Story
    is_required: bool = True


CHECKS: Final[list[Check]] = []
"""All checks, in the order in which they are made."""


def _check(name: str, required: bool = True) -> Callable[[Story], Story]:
    """Return a decorator that adds a check."""

    def register(run: Story) -> Story:
        CHECKS.append(Check(name, run, required))
        return run

    return register


async def _whole_match(probe: Probe, game: str, role: int = 0, manner: Manner | None = None) -> None:
    async with Trial(probe, game, role, manner) as trial:
        await trial.start()
        await trial.play()
        await trial.stop()


@_check("INFO is answered with a status")
async def _info(probe: Probe) -> None:
    await probe.status()


@_check("plays the first role of tic-tac-toe, legally and in time")
async def _first_role(probe: Probe) -> None:
    await _whole_match(probe, ALTERNATING, 0)


@_check("plays the second role of tic-tac-toe, legally and in time")
async def _second_role(probe: Probe) -> None:
    await _whole_match(probe, ALTERNATING, 1)


@_check("plays a game with simultaneous moves")
async def _simultaneous_moves(probe: Probe) -> None:
    await _whole_match(probe, SIMULTANEOUS, 1)


@_check("understands messages in upper case")
async def _upper_case(probe: Probe) -> None:
    async with Trial(probe, ALTERNATING, 0, Manner(upper=True)) as trial:
        await trial.start()
        await trial.play(3)
        await trial.stop()


@_check("plays a game with scrambled names")
async def _scrambled_names(probe: Probe) -> None:
    async with Trial(probe, ALTERNATING, 0, Manner(scrambled=True)) as trial:
        await trial.start()
        await trial.play(3)
        await trial.stop()


@_check("ignores superfluous arguments of START", required=False)
async def _superfluous_arguments(probe: Probe) -> None:
    async with Trial(probe, ALTERNATING, 0, Manner(extra="1 (more to come)")) as trial:
        await trial.start()
        await trial.play(1)
        await trial.stop()


@_check("takes large rules")
async def _large_rules(probe: Probe) -> None:
    async with Trial(probe, ALTERNATING, 0, Manner(facts=BALLAST)) as trial:
        await trial.start()
        await trial.play(1)
        await trial.stop()


@_check("goes on from what was executed, not from its own move")
async def _executed_moves(probe: Probe) -> None:
    async with Trial(probe, ALTERNATING, 0) as trial:
        await trial.start()
        for _ in range(4):
            move = await trial.ask()
            others = [each for each in trial.legal_moves(trial.role) if each != move]
            trial.advance(others[0] if others else move)
        await trial.stop()


@_check("says that it is busy while it plays", required=False)
async def _busy_while_playing(probe: Probe) -> None:
    async with Trial(probe, ALTERNATING) as trial:
        await trial.start()
        status = await probe.status()
        if status != BUSY:
            raise Broken(f"expected the status {BUSY!r} in a match, found {status!r}")
        await trial.abort()


@_check("is free again after an ABORT")
async def _free_after_abort(probe: Probe) -> None:
    async with Trial(probe, ALTERNATING) as trial:
        await trial.start()
        await trial.play(1)
        await trial.abort()


@_check("answers busy to a second START, and plays on")
async def _second_start(probe: Probe) -> None:
    async with Trial(probe, ALTERNATING) as trial:
        await trial.start()
        await trial.play(1)
        await probe.expect(Trial(probe, SIMULTANEOUS).start_message(), BUSY)
        await trial.play(1)
        await trial.stop()


@_check("answers busy to messages of a match that it does not play")
async def _unknown_match(probe: Probe) -> None:
    unknown = probe.new_id()
    for message in (Play(unknown, None), Stop(unknown, ("noop", "noop")), Abort(unknown)):
        await probe.expect(message, BUSY)
    async with Trial(probe, ALTERNATING) as trial:
        await trial.start()
        await probe.expect(Play(unknown, None), BUSY)
        await trial.play(1)
        await trial.stop()


@_check("answers a repeated PLAY with the same move", required=False)
async def _repeated_play(probe: Probe) -> None:
    async with Trial(probe, ALTERNATING) as trial:
        await trial.start()
        for _ in range(3):
            first, second = await trial.ask(), await trial.ask()
            if first != second:
                raise Broken(f"{first} the first time, {second} the second")
            trial.advance(first)
        await trial.stop()


@_check("survives a PLAY out of order", required=False)
async def _play_out_of_order(probe: Probe) -> None:
    async with Trial(probe, ALTERNATING) as trial:
        await trial.start()
        await trial.play(1)
        await probe.ask(Play(trial.match_id, (("place", "9", "9"), ("place", "9", "9"))))
        await trial.play(1)
        await trial.stop()


@_check("plays on after a connection that broke before its reply")
async def _broken_connection(probe: Probe) -> None:
    async with Trial(probe, ALTERNATING) as trial:
        await trial.start()
        _, writer = await probe.open()
        writer.write(probe.post(trial.turn_message()))
        with suppress(OSError):
            await writer.drain()
        writer.transport.abort()
        await asyncio.sleep(probe.play_clock)
        trial.advance(trial.legal_moves(trial.role)[-1])
        await trial.play(2)
        await trial.stop()


@_check("survives a message that is cut off")
async def _cut_message(probe: Probe) -> None:
    await probe.try_out("( START check.cut x ((role x) (role o) (<= (legal ?p")
    whole = probe.post("( PLAY check.cut NIL )")
    _, writer = await probe.open()
    writer.write(whole[:-10])
    with suppress(OSError):
        await writer.drain()
    writer.close()
    await asyncio.sleep(0.2)


@_check("survives nonsense")
async def _nonsense(probe: Probe) -> None:
    for text in ("", ")", "((((", "( )", "( DANCE tango )", "( PLAY )", "( START a b )", "\x00\xff", "{}"):
        await probe.try_out(text)
    await probe.send_raw([b"HELO example.org\r\n\r\n"], seconds=1.0)


@_check("survives a very long message that is nonsense")
async def _long_nonsense(probe: Probe) -> None:
    await probe.try_out("( PLAY " * (NONSENSE_BYTES // 7))
    await probe.try_out("nonsense " * (NONSENSE_BYTES // 9))


@_check("reads a message that comes slowly")
async def _slow_sender(probe: Probe) -> None:
    data = probe.post(write_message(Info()))
    pieces = [data[start : start + 16] for start in range(0, len(data), 16)]
    reply = await probe.send_raw(pieces, DRIP_SECONDS / len(pieces))
    if "200" not in reply.partition("\r\n")[0]:
        raise Broken(f"no reply to an INFO that took {DRIP_SECONDS:g} s to send")


@_check("answers others while one connection says nothing", required=False)
async def _silent_connection(probe: Probe) -> None:
    _, writer = await probe.open()
    try:
        writer.write(b"POST / HTTP/1.0\r\nContent-Len")
        await writer.drain()
        await probe.status()
    finally:
        writer.close()


@_check("reads the plainest request: HTTP/1.0, no Host, any path")
async def _plain_request(probe: Probe) -> None:
    body = write_message(Info())
    head = f"POST /some/where HTTP/1.0\r\nSender: Gamecontroller\r\nReceiver: me\r\nContent-Length: {len(body)}\r\n\r\n"
    reply = await probe.send_raw([(head + body).encode()])
    first, _, rest = reply.partition("\r\n")
    if not first.startswith("HTTP/1.") or " 200" not in first:
        raise Broken(f"expected the status line HTTP/1.0 200 OK, found {first!r}")
    if "content-length:" not in rest.lower():
        raise Broken("the reply has no Content-Length")


@_check("takes a message in the path of a GET", required=False)
async def _get_request(probe: Probe) -> None:
    reply = await probe.request(f"GET /{quote(write_message(Info()), safe='')} HTTP/1.0")
    if "status" not in reply.lower() and "available" not in reply.lower():
        raise Broken("no status in the reply")


@_check("lets pages of other origins talk to it (CORS)", required=False)
async def _cross_origin(probe: Probe) -> None:
    reply = await probe.request("OPTIONS / HTTP/1.0")
    if "access-control-allow-origin: *" not in reply.lower():
        raise Broken("the reply to OPTIONS has no Access-Control-Allow-Origin: *")


@_check("answers PREVIEW", required=False)
async def _preview(probe: Probe) -> None:
    reply = await probe.ask(Preview(RulesText("(role x) (role o)"), 1.0))
    if reply.lower() not in (READY, BUSY):
        raise Broken(f"expected {READY!r} or {BUSY!r}, found {reply!r}")


@_check("plays with hidden information, new form", required=False)
async def _hidden_new_form(probe: Probe) -> None:
    await _hidden_match(probe, Manner(form="new"))


@_check("plays with hidden information, old form", required=False)
async def _hidden_old_form(probe: Probe) -> None:
    await _hidden_match(probe, Manner(form="old"))


async def _hidden_match(probe: Probe, manner: Manner) -> None:
    async with Trial(probe, HIDDEN, 0, manner) as trial:
        reply = await probe.ask(trial.start_message(), probe.start_clock + INFO_SECONDS)
        if reply.lower() == BUSY:
            raise Skipped("the player does not take the match")
        await trial.play()
        await trial.stop()
