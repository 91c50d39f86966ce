"""A game manager and the players that it has to do with, good and bad."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any, TypeVar

import pytest

from scripted.players import install
from scripted.thinkers import ScriptedThinker, last
from woodstock.common.errors import UsageError
from woodstock.game.load import load_rules
from woodstock.game.reference import ReferenceGame
from woodstock.match import Ending, Match, MatchSetup, find_differences, read_record, write_record
from woodstock.match.messages import read_message
from woodstock.players import Clocks
from woodstock.server.contestants import Contestant, LocalContestant, RemoteContestant, RemoteSettings
from woodstock.server.host import HostedMatch, host_match
from woodstock.server.scrambling import Scrambler
from woodstock.server.session import Session

T = TypeVar("T")
Reply = Callable[[str], Awaitable[str]]


class ScriptedTransport:
    """Carries messages to functions of this process, and writes down what was said."""

    def __init__(self, **players: Reply) -> None:
        self._players = players
        self.said: list[tuple[str, str]] = []
        self.seconds: list[float] = []

    async def ask(self, url: str, text: str, seconds: float, receiver: str) -> str:
        self.said.append((url, text))
        self.seconds.append(seconds)
        async with asyncio.timeout(seconds):
            return await self._players[url](text)

    async def close(self) -> None:
        """Let the good players go."""
        for reply in self._players.values():
            if isinstance(getattr(reply, "__self__", None), Session):
                await reply.__self__.close()  # type: ignore[attr-defined]

    def words(self, url: str) -> list[str]:
        """Return the names of the messages that a player got."""
        return [text.split()[1] for to, text in self.said if to == url]


def good(choose: Any = None) -> Reply:
    """Return a player that does everything right."""
    session = Session(ScriptedThinker(choose) if choose else ScriptedThinker())
    return session.answer


def bad(play: Callable[[], Awaitable[str]], others: str = "ready") -> Reply:
    """Return a player that does something wrong when it has to move."""

    async def answer(text: str) -> str:
        return await play() if text.startswith("( PLAY") else others

    return answer


def setup(game: str = "tic_tac_toe", clocks: Clocks | None = None, **more: Any) -> MatchSetup:
    rules = load_rules(game)
    names = [f"player {number}" for number, role in enumerate(rules.roles) if role != "random"]
    return MatchSetup(rules, ReferenceGame(rules), names, 1, clocks or Clocks(60, 60), game_name=game, **more)


def run(transport: ScriptedTransport, work: Coroutine[Any, Any, T]) -> T:
    """Return what some work returns; the players are let go."""

    async def whole() -> T:
        try:
            return await asyncio.wait_for(work, 60)
        finally:
            await transport.close()

    return asyncio.run(whole())


def host(transport: ScriptedTransport, plan: MatchSetup, settings: RemoteSettings | None = None) -> Match:
    contestants = [RemoteContestant(url, transport, settings) for url in ("a", "b")[: len(plan.player_names)]]
    match = run(transport, host_match(plan, contestants))
    read_record(write_record(match))
    assert list(find_differences(match, plan.game)) == []
    return match


def test_a_match_between_two_good_players() -> None:
    transport = ScriptedTransport(a=good(), b=good(last))
    match = host(transport, setup())
    assert match.ending is Ending.FINISHED
    assert match.goals == (100, 0)
    assert not any(error for step in match.steps for error in step.errors)
    assert transport.words("a") == ["START", *["PLAY"] * len(match.steps), "STOP"]
    texts = [text for to, text in transport.said if to == "a"]
    assert texts[1] == f"( PLAY {match.match_id} NIL )"
    assert texts[2] == f"( PLAY {match.match_id} (( place 1 1 ) wait ) )"
    assert texts[3] == f"( PLAY {match.match_id} (wait ( place 3 3 ) ) )"
    assert re.fullmatch(r"\( START \S+ x \(\(role x\) .*\) 60 60\)", texts[0])
    assert texts[-1].startswith(f"( STOP {match.match_id} (")
    assert transport.seconds[0] == 61  # the clock and a grace


async def never() -> str:
    await asyncio.sleep(600)
    return "noop"


async def lost() -> str:
    raise ConnectionResetError("gone")


def saying(text: str) -> Callable[[], Awaitable[str]]:
    async def say() -> str:
        return text

    return say


@pytest.mark.parametrize(
    ("play", "error"),
    [
        (never, "TO"),
        (lost, "CE"),
        (saying("( place 9 9 )"), "IL ( place 9 9 )"),
        (saying("nil"), "IL nil"),
        (saying("busy"), "IL busy"),
        (saying(""), "IL"),
        (saying("( place 1"), "IL ( place 1"),
        (saying("x" * 10_000), "IL " + "x" * 10_000),
    ],
    ids=["late", "lost", "illegal", "nil", "busy", "empty", "cut", "long"],
)
def test_bad_moves_are_noted_and_replaced(play: Callable[[], Awaitable[str]], error: str) -> None:
    transport = ScriptedTransport(a=bad(play), b=good())
    clocks = Clocks(60, 0.05) if play is never else Clocks(60, 60)
    match = host(transport, setup(clocks=clocks), RemoteSettings(grace=0.1 if play is never else 1.0))
    assert match.ending is Ending.FINISHED
    assert {step.errors[0] for step in match.steps} == {error}
    if play is not never:  # whose opponent may be late as well, on a busy machine
        assert {step.errors[1] for step in match.steps} == {""}
    assert transport.words("a")[-1] == transport.words("b")[-1] == "STOP"


def test_a_player_that_does_not_take_the_match_is_asked_nevertheless() -> None:
    transport = ScriptedTransport(a=bad(saying("wait"), others="busy"), b=good())
    match = host(transport, setup())
    assert match.start_errors == ("IL busy", "")
    assert transport.words("a")[-1] == "STOP"


@pytest.mark.parametrize(("fault", "error"), [(never, "TO"), (lost, "CE"), (saying("((("), "IL (((")])
def test_what_goes_wrong_at_the_start_is_noted(fault: Callable[[], Awaitable[str]], error: str) -> None:
    async def answer(text: str) -> str:
        return await fault() if "START" in text else "done"

    clocks = Clocks(0.05, 60) if fault is never else Clocks(60, 60)
    match = host(ScriptedTransport(a=answer, b=good()), setup(clocks=clocks), RemoteSettings(grace=0.5))
    assert match.start_errors[0] == error


def test_the_first_legal_move_in_place_of_none() -> None:
    match = host(ScriptedTransport(a=bad(lost), b=good(last)), setup(fallback="first"))
    assert match.steps[0].moves == (("place", "1", "1"), "wait")


@pytest.mark.parametrize("form", ["new", "old"])
def test_hidden_information(form: Any) -> None:
    transport = ScriptedTransport(a=good(last))
    match = host(transport, setup("monty_hall"), RemoteSettings(form))
    assert match.ending is Ending.FINISHED
    assert not any(step.errors[0] for step in match.steps)
    texts = [text for _, text in transport.said]
    door = match.steps[2].moves[1][1]
    if form == "new":
        assert texts[1] == f"( PLAY {match.match_id} 0 NIL NIL )"
        assert texts[3] == f"( PLAY {match.match_id} 2 ( pick 3 ) () )"
        assert texts[4] == f"( PLAY {match.match_id} 3 wait (( goat_behind {door} ) ) )"
        assert texts[5] == f"( STOP {match.match_id} 4 switch () )"
    else:
        assert texts[3] == f"( PLAY {match.match_id} () )"
        assert texts[4] == f"( PLAY {match.match_id} (( goat_behind {door} ) ) )"
    assert not any("car" in text for text in texts[1:])


def test_scrambled_names() -> None:
    plan = setup()
    transport = ScriptedTransport(a=good(), b=good(last))
    match = host(transport, plan, RemoteSettings(scrambler=Scrambler(plan.rules, 5)))
    assert match.ending is Ending.FINISHED
    assert not any(error for step in match.steps for error in step.errors)
    assert match.steps[0].moves[0][0] == "place"
    assert not any("place" in text or "square" in text for _, text in transport.said)


def test_an_interrupted_match_is_aborted_and_its_record_is_there() -> None:
    transport = ScriptedTransport(a=bad(never), b=good())

    async def interrupt() -> HostedMatch:
        contest = HostedMatch(setup(), [RemoteContestant(url, transport) for url in ("a", "b")])
        task = asyncio.create_task(contest.play())
        while transport.words("b").count("PLAY") == 0:
            await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return contest

    contest = run(transport, interrupt())
    assert transport.words("a")[-1] == transport.words("b")[-1] == "ABORT"
    match = contest.referee.finish(Ending.ABORTED)
    assert write_record(match)["isAborted"] is True


def test_whoever_watches_may_fail_and_the_players_are_told() -> None:
    transport = ScriptedTransport(a=good(), b=good())

    def watch(position: object, step: object) -> None:
        if step is not None:
            raise BrokenPipeError

    contestants = [RemoteContestant(url, transport) for url in ("a", "b")]
    with pytest.raises(BrokenPipeError):
        run(transport, host_match(setup(), contestants, watch))
    assert transport.words("a") == transport.words("b") == ["START", "PLAY", "ABORT"]


def test_a_contestant_that_raises_is_lost() -> None:
    class Faulty(RemoteContestant):
        async def play(self) -> Any:
            raise ZeroDivisionError

    transport = ScriptedTransport(a=good(), b=good())
    contestants: list[Contestant] = [Faulty("a", transport), RemoteContestant("b", transport)]
    match = run(transport, host_match(setup(), contestants))
    assert {step.errors[0] for step in match.steps} == {"CE"}


def test_as_many_contestants_as_seats() -> None:
    with pytest.raises(UsageError, match="expected 2 players, one per seat, found 1"):
        HostedMatch(setup(), [LocalContestant("legal")])


def test_players_of_ours_beside_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path / "site", monkeypatch)

    def play(spec: str) -> Match:
        transport = ScriptedTransport(a=good())

        async def work() -> Match:
            local = LocalContestant(spec)
            assert await local.prepare() == ""
            return await host_match(setup(), [RemoteContestant("a", transport), local])

        return run(transport, work())

    match = play("legal")
    assert match.ending is Ending.FINISHED
    assert not any(error for step in match.steps for error in step.errors)
    assert match.start_errors == ("", "")
    assert {step.errors[1] for step in play("cheating").steps} == {"IL ( castle kingside )"}
    assert {step.errors[1] for step in play("crashing").steps} == {"CE"}


def test_every_message_of_a_host_can_be_read() -> None:
    transport = ScriptedTransport(a=good(), b=good())
    host(transport, setup("rock_paper_scissors"))
    for _, text in transport.said:
        read_message(text)
