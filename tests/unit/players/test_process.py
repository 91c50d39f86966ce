from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest

from scripted.players import install
from woodstock.game.load import load_rules
from woodstock.players import Clocks
from woodstock.players.dialogue import Briefing, ProcessSettings, Question
from woodstock.players.process import Choice, ProcessPlayer
from woodstock.players.tracking import News

MIDDLE = ("place", "2", "2")
PLENTY = 60.0
"""Seconds that a busy machine may need to start a process; nothing waits so long otherwise."""


@pytest.fixture(autouse=True)
def scripted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path / "site", monkeypatch)


def briefing(game: str = "tic_tac_toe", role: int = 0, play: float = 1.0, **more: object) -> Briefing:
    rules = load_rules(game)
    end = time.monotonic() + PLENTY
    return Briefing(rules, role, Clocks(PLENTY, play), game == "monty_hall", "1", end, **more)  # type: ignore[arg-type]


def ask(number: int, *news: News, seconds: float = PLENTY, **more: object) -> Question:
    return Question(number, news, end=time.monotonic() + seconds, **more)  # type: ignore[arg-type]


def play(spec: str, story: Callable[[ProcessPlayer], Awaitable[None]], **settings: object) -> None:
    """Let something happen to a player in a process."""

    async def run() -> None:
        player = ProcessPlayer(spec, ProcessSettings(**settings))  # type: ignore[arg-type]
        try:
            assert await player.greet() == ""
            await story(player)
        finally:
            await player.close()

    asyncio.run(run())


def test_a_match_and_what_the_player_is_told_of_it(tmp_path: Path) -> None:
    notes = tmp_path / "notes"

    async def story(player: ProcessPlayer) -> None:
        assert await player.start(briefing(role=1))
        assert (await player.choose(ask(0))).move == "wait"
        moves = (MIDDLE, "wait")
        choice = await player.choose(ask(1, News(moves=moves)))
        assert choice == Choice(("place", "1", "1"), True, ("place", "1", "1"))
        await player.stop((0, 100))
        assert await player.start(briefing(role=0))
        assert (await player.choose(ask(0))).move == ("place", "1", "1")

    play(f"observer:notes={notes}", story)
    told = notes.read_text().splitlines()
    assert told[:2] == ["start 1 False 1.0", "choose 0 False 1"]
    assert told[2].startswith("observe 1 wait [\"('did', 'o', 'wait')\"")
    assert told[2].endswith("(('place', '2', '2'), 'wait')")
    assert told[3:5] == ["choose 1 False 8", "stop (0, 100)"]
    assert told[5] == "start 0 False 1.0"


def test_hidden_information_with_and_without_the_legal_moves(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    steps = (News(percepts=frozenset(), move="wait"), News(percepts=frozenset(), move=("pick", "1")))

    async def story(player: ProcessPlayer) -> None:
        await player.start(briefing("monty_hall", history=steps[:1]))
        assert (await player.choose(ask(2, steps[1]))).move == "wait"
        shown = News(percepts=frozenset({("goat_behind", "3")}), move="wait")
        assert (await player.choose(ask(3, shown))).move == "stay"
        await player.stop(None)
        await player.start(briefing("monty_hall", tells_moves=True))
        assert (await player.choose(ask(1, steps[0], legal_moves=("sing", "dance")))).move == "sing"

    play(f"observer:notes={notes}", story, ponder=False)
    told = notes.read_text().splitlines()
    assert "choose 3 True 2" in told
    assert "observe 3 wait [\"('goat_behind', '3')\"] None" in told
    assert told[-1] == "choose 1 True 2"


def test_a_player_that_thinks_too_long_makes_the_move_that_it_proposed() -> None:
    async def story(player: ProcessPlayer) -> None:
        await player.start(briefing())
        end = time.monotonic() + 2.0
        choice = await player.choose(Question(0, end=end))
        assert time.monotonic() < end + 10  # a player that is waited for takes a minute
        assert choice == Choice(("place", "3", "3"), True, ("place", "3", "3"))

    play("slow", story)


def test_a_player_that_says_nothing_has_a_legal_move_proposed_for_it() -> None:
    async def story(player: ProcessPlayer) -> None:
        await player.start(briefing())
        choice = await player.choose(ask(0, seconds=2.0))
        assert choice.move == ("place", "1", "1")
        # It is still busy with the first question: nothing is known but what the caller tells.
        moves = ((MIDDLE, "wait"), (("place", "1", "1"), "wait"))
        assert await player.choose(ask(1, News(moves=moves[1]), seconds=0.2)) == Choice(None)
        choice = await player.choose(ask(1, seconds=0.2, legal_moves=(MIDDLE,)))
        assert choice == Choice(MIDDLE, True, MIDDLE)

    play("deaf", story)


def test_the_child_is_told_to_be_done_before_the_deadline() -> None:
    async def story(player: ProcessPlayer) -> None:
        await player.start(briefing())
        end = time.monotonic() + 3.0
        choice = await player.choose(Question(0, end=end))
        assert choice.move == ("place", "3", "3")
        assert player.lag.overshoot >= 0

    play("thinker", story)


def test_a_process_that_dies_is_replaced_and_catches_up(tmp_path: Path) -> None:
    async def story(player: ProcessPlayer) -> None:
        await player.start(briefing())
        choice = await player.choose(ask(1, News(moves=(("place", "3", "3"), "wait"))))
        assert choice == Choice("wait", True, "wait")
        choice = await player.choose(ask(2, News(moves=("wait", ("place", "3", "2")))))
        assert choice == Choice(("place", "3", "1"), True, ("place", "1", "1"))

    play(f"suicidal:times=1,notes={tmp_path / 'deaths'}", story)


def test_a_process_that_dies_again_and_again_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("woodstock.players.process.MAX_DEATHS", 1)
    notes = tmp_path / "deaths"

    async def story(player: ProcessPlayer) -> None:
        await player.start(briefing())
        choice = await player.choose(ask(0))
        assert choice == Choice(("place", "3", "3"), True, ("place", "3", "3"), None, True)
        assert notes.stat().st_size == 2
        assert await player.choose(ask(1, News(moves=(MIDDLE, "wait")))) == Choice(None, True, None, None, True)
        await player.stop(None)
        assert await player.start(briefing())  # another match, another chance

    play(f"suicidal:times=99,proposes=yes,notes={notes}", story)


def test_a_player_that_crashes_has_a_spare_move(caplog: pytest.LogCaptureFixture) -> None:
    async def story(player: ProcessPlayer) -> None:
        await player.start(briefing())
        choice = await player.choose(ask(0))
        assert choice == Choice(("place", "1", "1"), True, ("place", "1", "1"), None, True)

    play("crashing", story)
    assert "ZeroDivisionError: out of ideas" in caplog.text


def test_an_illegal_move_is_known_to_be_one() -> None:
    async def story(player: ProcessPlayer) -> None:
        await player.start(briefing())
        choice = await player.choose(ask(0))
        assert choice == Choice(("castle", "kingside"), False, ("place", "1", "1"))

    play("cheating", story)


def test_for_a_player_that_cannot_start_another_one_moves_that_thinks(caplog: pytest.LogCaptureFixture) -> None:
    async def story(player: ProcessPlayer) -> None:
        begun = replace(briefing("nim"), is_under_way=True)  # there is no start clock to think in
        assert await player.start(begun)
        choice = await player.choose(ask(0, seconds=30.0, explain=True))
        assert choice.explanation is not None
        assert choice.explanation.candidates[0].proven

    play("broken-start", story, ponder=False)
    assert "broken-start failed in its start" in caplog.text
    assert "RuntimeError: no such luck" in caplog.text


def test_a_match_that_cannot_be_followed_is_a_failure_and_the_process_lives_on() -> None:
    async def story(player: ProcessPlayer) -> None:
        await player.start(briefing())
        choice = await player.choose(ask(1, News(moves=("wait",))))
        assert choice == Choice(None, True, None, None, True)
        await player.stop(None)
        assert await player.start(briefing())
        assert (await player.choose(ask(0))).move == ("place", "1", "1")

    play("legal", story)


def test_what_is_compiled_before_a_match(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")  # in the child, which then has nothing to compile

    async def story(player: ProcessPlayer) -> None:
        await player.warm_up()
        assert await player.start(briefing())

    play("legal", story, warm=True)


def test_a_player_that_does_not_exist() -> None:
    async def run() -> str:
        player = ProcessPlayer("legal:colour=red")
        problem = await player.greet()
        assert not await player.start(briefing())
        assert (await player.choose(ask(0))) == Choice(None, True, None, None, True)
        await player.close()
        return problem

    assert "the player 'legal' has no option 'colour'" in asyncio.run(run())


def test_a_killed_process_between_two_turns() -> None:
    async def story(player: ProcessPlayer) -> None:
        await player.start(briefing())
        await player.choose(ask(0))
        child = player._child
        assert child is not None
        assert child.pid is not None
        os.kill(child.pid, signal.SIGKILL)
        choice = await player.choose(ask(1, News(moves=(MIDDLE, "wait"))))
        assert choice.move == "wait"

    play("legal", story)


PARENT = """
import asyncio, sys
from woodstock.players.process import ProcessPlayer

async def main():
    player = ProcessPlayer("legal")
    await player.greet()
    print(player._child.pid, flush=True)
    await asyncio.sleep(600)

if __name__ == "__main__":
    asyncio.run(main())
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_the_process_ends_with_its_parent(tmp_path: Path, number: int) -> None:
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    with subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        parent.send_signal(number)
        parent.wait()
        deadline = time.monotonic() + PLENTY
        while time.monotonic() < deadline and is_running(pid):
            time.sleep(0.05)
        assert not is_running(pid)


def is_running(pid: int) -> bool:
    """Tell whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_the_parent_imports_nothing_heavy() -> None:
    program = "import woodstock.players.process, sys; print('numba' in sys.modules, 'woodstock.circuit' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "False False\n", done.stderr


def test_whoever_waits_can_be_cancelled_at_any_moment() -> None:
    async def story() -> None:
        player = ProcessPlayer("legal")
        waiting = asyncio.create_task(player._wait(lambda: False, time.monotonic() + 60))
        await asyncio.sleep(0.01)
        player._changed.set()  # as when a message of the child comes just then
        waiting.cancel()
        done, _ = await asyncio.wait([waiting], timeout=30)
        assert done
        assert waiting.cancelled()

    asyncio.run(story())
