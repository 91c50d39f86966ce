"""A player on the network, without the network: every message that a host may send, in any order."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

import pytest

from scripted.thinkers import ScriptedThinker, last
from woodstock.game.load import load_rules
from woodstock.match.expressions import ProtocolError
from woodstock.match.messages import RulesText, Start, write_message
from woodstock.players.process import Choice
from woodstock.server.session import Session, SessionSettings

Story = Callable[[Session, ScriptedThinker], Awaitable[None]]

TWICE = """
(role a) (role b) (init (round 1)) (then 1 2) (then 2 3) (then 3 4)
(legal a hit) (legal a wait) (legal b hit) (legal b wait)
(<= (next (round ?n)) (true (round ?m)) (then ?m ?n))
(<= terminal (true (round 4))) (goal a 50) (goal b 50)
"""
"""A game in which the same joint move can be made twice."""


def start(
    game: str = "tic_tac_toe", role: str = "x", match_id: str = "m1", clocks: tuple[float, float] = (60, 60)
) -> str:
    return write_message(Start(match_id, role, RulesText.of(load_rules(game)), *clocks))


def start_rules(text: str, role: str, clocks: str = "60 60") -> str:
    return f"( START m1 {role} ({text}) {clocks})"


def play(
    story: Story, thinker: ScriptedThinker | None = None, settings: SessionSettings | None = None
) -> ScriptedThinker:
    """Let a session live through a story."""
    used = thinker or ScriptedThinker()

    async def run() -> None:
        session = Session(used, settings)
        try:
            await asyncio.wait_for(story(session, used), 60)
        finally:
            await session.close()

    asyncio.run(run())
    return used


def test_a_match_from_beginning_to_end() -> None:
    async def story(session: Session, thinker: ScriptedThinker) -> None:
        assert await session.answer("( INFO )") == "( ( name Woodstock ) ( status available ) )"
        assert await session.answer(start(role="o")) == "ready"
        assert await session.answer("( INFO )") == "( ( name Woodstock ) ( status busy ) )"
        assert await session.answer("( PLAY m1 NIL )") == "wait"
        assert await session.answer("( PLAY m1 (( place 2 2 ) wait ) )") == "( place 1 1 )"
        assert await session.answer("( PLAY m1 (wait ( place 1 1 ) ) )") == "wait"
        assert await session.answer("( PLAY m1 (( place 2 1 ) wait ) )") == "( place 1 2 )"
        assert await session.answer("( PLAY m1 (wait ( place 3 1 ) ) )") == "wait"
        assert await session.answer("( STOP m1 (( place 2 3 ) wait ) )") == "done"
        assert await session.answer("( INFO )") == "( ( name Woodstock ) ( status available ) )"

    thinker = play(story)
    assert thinker.goals == [(100, 0)]
    assert [question.number for question in thinker.questions] == [0, 1, 2, 3, 4]
    assert thinker.briefings[0].role == 1
    assert thinker.briefings[0].clocks.play == 60


def test_a_match_in_upper_case_as_from_dresden() -> None:
    async def story(session: Session, thinker: ScriptedThinker) -> None:
        assert await session.answer(start(match_id="Match.7").upper()) == "ready"
        assert await session.answer("(PLAY MATCH.7 NIL)") == "( place 1 1 )"
        assert await session.answer("(PLAY Match.7 ((PLACE 1 1) WAIT))") == "wait"
        assert await session.answer("(STOP MATCH.7 (WAIT (PLACE 2 2)))") == "done"

    assert play(story).goals == [None]  # the match was not over


@pytest.mark.parametrize("word", ["PLAY", "STOP"])
def test_messages_of_another_match_are_answered_busy(word: str) -> None:
    async def story(session: Session, thinker: ScriptedThinker) -> None:
        assert await session.answer(f"( {word} m1 NIL )") == "busy"
        assert await session.answer("( ABORT m1 )") == "busy"
        await session.answer(start())
        assert await session.answer(f"( {word} m2 NIL )") == "busy"
        assert await session.answer("( ABORT m2 )") == "busy"
        assert await session.answer("( PLAY m1 NIL )") == "( place 1 1 )"

    assert len(play(story).questions) == 1


def test_a_second_start_is_answered_busy_and_changes_nothing() -> None:
    async def story(session: Session, thinker: ScriptedThinker) -> None:
        await session.answer(start())
        await session.answer("( PLAY m1 NIL )")
        assert await session.answer(start(match_id="m2")) == "busy"
        assert await session.answer(start()) == "busy"
        assert await session.answer("( PLAY m1 (( place 1 1 ) wait ) )") == "wait"

    assert len(play(story).briefings) == 1


def test_a_repeated_play_is_answered_alike_without_thinking_again() -> None:
    async def story(session: Session, thinker: ScriptedThinker) -> None:
        await session.answer(start())
        for _ in range(3):
            assert await session.answer("( PLAY m1 NIL )") == "( place 1 1 )"
        for _ in range(3):
            assert await session.answer("( PLAY m1 (( place 1 1 ) wait ) )") == "wait"
        assert await session.answer("( PLAY m1 (wait ( place 3 3 ) ) )") == "( place 1 2 )"
        assert await session.answer("( PLAY m1 NIL )") == "( place 1 2 )"

    assert [question.number for question in play(story).questions] == [0, 1, 2]


def test_the_same_joint_move_twice_is_two_turns_where_the_rules_allow_it() -> None:
    async def story(session: Session, thinker: ScriptedThinker) -> None:
        assert await session.answer(start_rules(TWICE, "a")) == "ready"
        await session.answer("( PLAY m1 NIL )")
        await session.answer("( PLAY m1 (hit hit) )")
        await session.answer("( PLAY m1 (hit hit) )")
        assert await session.answer("( STOP m1 (hit hit) )") == "done"

    thinker = play(story)
    assert [question.number for question in thinker.questions] == [0, 1, 2]
    assert thinker.goals == [(50, 50)]


@pytest.mark.parametrize(
    "terms",
    ["(( place 9 9 ) wait )", "(wait wait wait)", "(wait)", "()", "(( place 1 1 ) ( place 1 1 ) )", "nonsense"],
)
def test_a_play_that_cannot_be_what_happened_changes_nothing(terms: str) -> None:
    async def story(session: Session, thinker: ScriptedThinker) -> None:
        await session.answer(start())
        assert await session.answer("( PLAY m1 NIL )") == "( place 1 1 )"
        assert await session.answer(f"( PLAY m1 {terms} )") == "( place 1 1 )"
        assert await session.answer("( PLAY m1 (( place 1 1 ) wait ) )") == "wait"

    assert [question.number for question in play(story).questions] == [0, 1]


def test_a_first_play_that_was_missed() -> None:
    async def story(session: Session, thinker: ScriptedThinker) -> None:
        await session.answer(start())
        assert await session.answer("( PLAY m1 (( place 1 1 ) wait ) )") == "wait"

    assert [question.number for question in play(story).questions] == [1]


def test_a_first_play_with_nonsense_is_a_first_play() -> None:
    async def story(session: Session, thinker: ScriptedThinker) -> None:
        await session.answer(start())
        assert await session.answer("( PLAY m1 (nonsense) )") == "( place 1 1 )"

    assert [question.number for question in play(story).questions] == [0]


def test_another_move_than_the_players_own_was_executed() -> None:
    async def story(session: Session, thinker: ScriptedThinker) -> None:
        await session.answer(start())
        assert await session.answer("( PLAY m1 NIL )") == "( place 1 1 )"
        assert await session.answer("( PLAY m1 (( place 1 2 ) wait ) )") == "wait"
        assert await session.answer("( PLAY m1 (wait ( place 1 3 ) ) )") == "( place 1 1 )"

    play(story)


def test_two_at_once_are_one_question() -> None:
    async def story(session: Session, thinker: ScriptedThinker) -> None:
        await session.answer(start())
        thinker.seconds = 0.2
        answers = [session.answer("( PLAY m1 NIL )") for _ in range(5)]
        assert await asyncio.gather(*answers) == ["( place 1 1 )"] * 5

    assert len(play(story).questions) == 1


def test_a_newer_play_takes_the_place_of_one_that_is_still_thought_about() -> None:
    async def story(session: Session, thinker: ScriptedThinker) -> None:
        await session.answer(start())
        thinker.seconds = 30
        old = asyncio.create_task(session.answer("( PLAY m1 NIL )"))
        await asyncio.sleep(0.1)
        thinker.seconds = 0
        assert await session.answer("( PLAY m1 (( place 2 2 ) wait ) )") == "wait"
        assert await old == "nil"

    thinker = play(story)
    assert thinker.cancelled == 1
    assert [question.number for question in thinker.questions] == [0, 1]


@pytest.mark.parametrize(("message", "reply"), [("( ABORT m1 )", "aborted"), ("( STOP m1 NIL )", "done")])
def test_the_end_of_a_match_ends_thinking(message: str, reply: str) -> None:
    async def story(session: Session, thinker: ScriptedThinker) -> None:
        await session.answer(start())
        thinker.seconds = 30
        old = asyncio.create_task(session.answer("( PLAY m1 NIL )"))
        await asyncio.sleep(0.1)
        assert await session.answer(message) == reply
        assert await old == "nil"
        assert await session.answer("( PLAY m1 NIL )") == "busy"
        thinker.seconds = 0
        assert await session.answer(start(match_id="m2")) == "ready"
        assert await session.answer("( PLAY m2 NIL )") == "( place 1 1 )"

    thinker = play(story)
    assert thinker.cancelled == 1
    assert thinker.goals == [None, None]


def test_whoever_asked_may_go_and_the_move_is_there_all_the_same() -> None:
    async def story(session: Session, thinker: ScriptedThinker) -> None:
        await session.answer(start())
        thinker.seconds = 0.2
        gone = asyncio.create_task(session.answer("( PLAY m1 NIL )"))
        await asyncio.sleep(0.05)
        gone.cancel()
        assert await session.answer("( PLAY m1 NIL )") == "( place 1 1 )"

    thinker = play(story)
    assert len(thinker.questions) == 1
    assert thinker.cancelled == 0


def test_a_thinker_without_a_move_is_replaced_by_the_rules() -> None:
    async def story(session: Session, thinker: ScriptedThinker) -> None:
        await session.answer(start())
        reply = await session.answer("( PLAY m1 NIL )")
        assert reply in [f"( place {x} {y} )" for x in (1, 2, 3) for y in (1, 2, 3)]
        assert await session.answer(f"( PLAY m1 ({reply} wait ) )") == "wait"

    play(story, ScriptedThinker(lambda moves: Choice(None)))


def test_an_illegal_move_is_replaced_by_a_spare_one() -> None:
    async def story(session: Session, thinker: ScriptedThinker) -> None:
        await session.answer(start())
        assert await session.answer("( PLAY m1 NIL )") == "( place 3 3 )"

    play(story, ScriptedThinker(lambda moves: Choice(("castle", "1"), False, moves[-1])))


def test_a_thinker_that_fails_does_not_bring_the_session_down() -> None:
    def fail(moves: object) -> Choice:
        raise ZeroDivisionError

    async def story(session: Session, thinker: ScriptedThinker) -> None:
        await session.answer(start(role="o"))
        assert await session.answer("( PLAY m1 NIL )") == "wait"
        assert await session.answer("( ABORT m1 )") == "aborted"
        assert await session.answer(start(match_id="m2")) == "ready"

    play(story, ScriptedThinker(fail))


def test_ready_in_time_whatever_the_thinker_does() -> None:
    async def story(session: Session, thinker: ScriptedThinker) -> None:
        thinker.start_seconds = 600
        assert await session.answer(start(clocks=(0.3, 60))) == "ready"
        assert await session.answer("( ABORT m1 )") == "aborted"
        assert await session.answer(start(clocks=(0, 60))) == "ready"

    play(story)


def test_a_host_that_plays_before_the_start_is_answered() -> None:
    async def story(session: Session, thinker: ScriptedThinker) -> None:
        thinker.start_seconds = 0.3
        beginning = asyncio.create_task(session.answer(start()))
        await asyncio.sleep(0.05)
        assert await session.answer("( PLAY m1 NIL )") == "( place 1 1 )"
        assert await beginning == "ready"

    play(story)


def test_the_clock_that_is_left_for_thinking_allows_for_the_network() -> None:
    async def story(session: Session, thinker: ScriptedThinker) -> None:
        await session.answer(start(clocks=(10, 10)))
        thinker.lag.note(0.5)
        arrived = time.monotonic() - 2.0
        await session.answer("( PLAY m1 NIL )", arrived, latency=0.25)
        end = thinker.questions[0].end
        assert end is not None
        assert arrived + 9.0 < end < arrived + 10.0 - 0.5 - 0.25

    play(story)


def test_a_match_that_its_host_has_forgotten_is_given_up(caplog: pytest.LogCaptureFixture) -> None:
    async def story(session: Session, thinker: ScriptedThinker) -> None:
        await session.answer(start(clocks=(0.01, 0.01)))
        assert session.is_busy
        await asyncio.sleep(0.3)
        session.tidy()
        assert not session.is_busy
        assert await session.answer(start(match_id="m2")) == "ready"
        session.tidy()
        assert session.is_busy

    thinker = play(story, settings=SessionSettings(patience=0.01))
    assert thinker.goals == [None, None]
    assert "nothing was heard of the match m1" in caplog.text


@pytest.mark.parametrize("message", ["", "nonsense", "( PLAY m1", "( START m1 x )", "( PLAY m1 ((((( )", "x" * 100_000])
def test_what_is_no_message_is_refused_and_changes_nothing(message: str) -> None:
    async def story(session: Session, thinker: ScriptedThinker) -> None:
        await session.answer(start())
        with pytest.raises(ProtocolError):
            await session.answer(message)
        assert await session.answer("( PLAY m1 NIL )") == "( place 1 1 )"

    play(story)


def test_previews_are_looked_at_when_there_is_time() -> None:
    async def story(session: Session, thinker: ScriptedThinker) -> None:
        assert await session.answer("( PREVIEW ((role x)) 5 )") == "ready"
        await session.answer(start())
        assert await session.answer("( PREVIEW ((role x)) 5 )") == "busy"

    play(story)


REPAIRABLE = TWICE.replace("(goal a 50)", "(<= (goal ?anyone 50) (true (round 4)))")
BROKEN_RULE = TWICE + "(<= (legal ?x) (()))"


@pytest.mark.parametrize("rules", [REPAIRABLE, BROKEN_RULE], ids=["unsafe goal", "a rule that is none"])
def test_rules_with_errors_are_played_as_far_as_they_go(rules: str) -> None:
    async def story(session: Session, thinker: ScriptedThinker) -> None:
        assert await session.answer(start_rules(rules, "a")) == "ready"
        assert await session.answer("( PLAY m1 NIL )") == "hit"
        assert await session.answer("( PLAY m1 (hit wait) )") == "hit"

    play(story)


@pytest.mark.parametrize(
    ("rules", "role"),
    [("", "x"), (TWICE, "nobody"), ("(role x) (<= (legal x ?m) (not (legal x ?m)))", "x")],
    ids=["nothing", "role", "unsafe"],
)
def test_what_cannot_be_played_is_answered_busy_and_the_player_is_free(rules: str, role: str) -> None:
    async def story(session: Session, thinker: ScriptedThinker) -> None:
        assert await session.answer(start_rules(rules, role)) == "busy"
        assert not session.is_busy
        assert await session.answer(start()) == "ready"

    play(story)


def test_hidden_information_in_the_new_form() -> None:
    async def story(session: Session, thinker: ScriptedThinker) -> None:
        assert await session.answer(start("monty_hall", "guest").upper()) == "ready"
        assert await session.answer("(PLAY M1 0 NIL NIL)") == "wait"
        assert await session.answer("(PLAY M1 1 WAIT ())") == "( pick 3 )"
        assert await session.answer("(PLAY M1 1 WAIT ())") == "( pick 3 )"  # the same turn
        assert await session.answer("(PLAY M1 2 (PICK 1) NIL)") == "wait"  # the host has chosen another one
        assert await session.answer("(PLAY M1 0 NIL NIL)") == "wait"  # out of order
        assert await session.answer("(PLAY M1 3 WAIT ((GOAT_BEHIND 3)))") == "switch"
        assert await session.answer("(STOP M1 4 SWITCH ())") == "done"

    thinker = play(story, ScriptedThinker(last))
    assert [question.number for question in thinker.questions] == [0, 1, 2, 3]
    assert thinker.questions[2].news[0].move == ("pick", "1")
    assert thinker.briefings[0].hidden


def test_hidden_information_in_the_old_form() -> None:
    async def story(session: Session, thinker: ScriptedThinker) -> None:
        assert await session.answer(start("monty_hall", "guest")) == "ready"
        assert await session.answer("( PLAY m1 NIL )") == "wait"
        assert await session.answer("( PLAY m1 () )") == "( pick 3 )"
        assert await session.answer("( PLAY m1 () )") == "wait"
        assert await session.answer("( PLAY m1 ((goat_behind 1)) )") == "switch"
        assert await session.answer("( STOP m1 () )") == "done"

    thinker = play(story, ScriptedThinker(last))
    assert [question.news[0].move for question in thinker.questions[1:]] == ["wait", ("pick", "3"), "wait"]


def test_turns_that_were_missed_where_something_is_hidden() -> None:
    async def story(session: Session, thinker: ScriptedThinker) -> None:
        await session.answer(start("monty_hall", "guest"))
        assert await session.answer("( PLAY m1 0 NIL NIL )") == "wait"
        assert await session.answer("( PLAY m1 3 wait ((goat_behind 1)) )") == "switch"

    assert [len(question.news) for question in play(story, ScriptedThinker(last)).questions] == [0, 3]


def test_a_host_that_tells_the_joint_move_although_the_rules_hide_it() -> None:
    async def story(session: Session, thinker: ScriptedThinker) -> None:
        await session.answer(start("monty_hall", "guest"))
        assert await session.answer("( PLAY m1 NIL )") == "wait"
        assert await session.answer("( PLAY m1 (wait (hide_car 2)) )") == "( pick 3 )"
        assert await session.answer("( PLAY m1 ((pick 3) wait) )") == "wait"
        assert await session.answer("( PLAY m1 (wait (open 1)) )") == "switch"

    thinker = play(story, ScriptedThinker(last))
    assert thinker.questions[1].news[0].moves == ("wait", ("hide_car", "2"))


@pytest.mark.parametrize("turn", ["1 wait ", ""], ids=["new", "old"])
def test_a_game_without_secrets_told_by_percepts(turn: str) -> None:
    async def story(session: Session, thinker: ScriptedThinker) -> None:
        await session.answer(start(role="o"))
        assert await session.answer(f"( PLAY m1 {'0 NIL ' if turn else ''}NIL )") == "wait"
        assert await session.answer(f"( PLAY m1 {turn}((did o wait) (did x (place 1 1))) )") == "( place 1 2 )"

    thinker = play(story)
    assert thinker.questions[1].news[0].moves == (("place", "1", "1"), "wait")


def test_percepts_of_another_kind_that_tell_everything() -> None:
    rules = TWICE + "(<= (sees ?r (saw ?p ?m)) (role ?r) (does ?p ?m))"

    async def story(session: Session, thinker: ScriptedThinker) -> None:
        await session.answer(start_rules(rules, "a"))
        await session.answer("( PLAY m1 NIL )")
        await session.answer("( PLAY m1 ((saw a hit) (saw b wait)) )")

    assert play(story).questions[1].news[0].moves == ("hit", "wait")
