from __future__ import annotations

import time

import pytest

from woodstock.game.load import load_rules
from woodstock.match.expressions import ProtocolError
from woodstock.match.messages import (
    MAX_CHARACTERS,
    Abort,
    Info,
    Message,
    Play,
    Preview,
    RulesText,
    Start,
    Stop,
    read_message,
    write_message,
)

RULES = RulesText("(role x) (<= (legal x ?m) (true (can ?m))) ")


@pytest.mark.parametrize(
    ("message", "text"),
    [
        (Info(), "( INFO )"),
        (Preview(RULES, 10), f"( PREVIEW ({RULES.text}) 10 )"),
        (Start("m1", "xplayer", RULES, 30, 5), f"( START m1 xplayer ({RULES.text}) 30 5)"),
        (Start("m1", "xplayer", RULES, 2.5, 0.3), f"( START m1 xplayer ({RULES.text}) 2.5 0.3)"),
        (Play("m1", None), "( PLAY m1 NIL )"),
        (Play("m1", (("mark", "2", "2"), "noop")), "( PLAY m1 (( mark 2 2 ) noop ) )"),
        (Play("m1", (("move", ("at", "1", "1"), "up"),)), "( PLAY m1 (( move ( at 1 1 ) up ) ) )"),
        (Stop("m1", ("noop", ("mark", "3", "3"))), "( STOP m1 (noop ( mark 3 3 ) ) )"),
        (Abort("m1"), "( ABORT m1 )"),
        (Play("m7", None, 0), "( PLAY m7 0 NIL NIL )"),
        (Play("m7", (("door", "3"),), 1, ("choose", "2")), "( PLAY m7 1 ( choose 2 ) (( door 3 ) ) )"),
        (Stop("m7", (), 3, "noop"), "( STOP m7 3 noop () )"),
    ],
)
def test_messages_are_written_as_ggp_base_does_and_read_again(message: Message, text: str) -> None:
    assert write_message(message) == text
    assert read_message(text) == message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("info", Info()),
        ("INFO", Info()),
        ("(Info)", Info()),
        ("( info please )", Info()),
        ("\ufeff( INFO )\r\n", Info()),
        ("(play M1 nil)", Play("M1", None)),
        ("(PLAY M1 ((MARK 2 2) NOOP))", Play("M1", (("mark", "2", "2"), "noop"))),
        ("(PLAY m1\n ; what happened\n ( (mark\t2 2)\r\n noop ) )", Play("m1", (("mark", "2", "2"), "noop"))),
        ("; a comment first\n(STOP m1 NIL)", Stop("m1", None)),
        ("(STOP m1)", Stop("m1", None)),
        ("(PLAY m1 ((noop) (wait)))", Play("m1", ("noop", "wait"))),
        ("(PLAY m1 (((mark) 1)))", Play("m1", (("mark", "1"),))),
        ("(PLAY m1 noop)", Play("m1", ("noop",))),
        ("(PLAY m1 (noop noop) and more)", Play("m1", ("noop", "noop"))),
        ("(PLAY m7 0 NIL NIL)", Play("m7", None, 0, None)),
        ("(PLAY m7 1 (CHOOSE 2) ((DOOR_OPENED 3) ))", Play("m7", (("door_opened", "3"),), 1, ("choose", "2"))),
        ("(STOP m7 3 NOOP ((CAR 1) ))", Stop("m7", (("car", "1"),), 3, "noop")),
        ("(PLAY m7 ())", Play("m7", ())),
        ("(abort M1 now)", Abort("M1")),
    ],
)
def test_what_other_programs_send_is_understood(text: str, message: Message) -> None:
    assert read_message(text) == message


def test_a_start_in_upper_case_with_superfluous_arguments() -> None:
    message = read_message("(START M1 XPLAYER ((ROLE XPLAYER) (<= TERMINAL (TRUE (STEP 3)))) 60 15 EXTRA (MORE 1))")
    assert isinstance(message, Start)
    assert (message.match_id, message.role, message.start_clock, message.play_clock) == ("M1", "xplayer", 60, 15)
    sheet = message.rules.read()
    assert not sheet.has_errors
    assert sheet.rules.roles == ("xplayer",)
    assert sheet.rules.rules[1].head == "terminal"


def test_comments_and_line_breaks_in_the_rules() -> None:
    message = read_message("(START m x (\n(role x) ; who :-( plays\n(init (cell 1 ; one\n b))\n) 1 1)")
    assert isinstance(message, Start)
    assert [rule.head for rule in message.rules.read().rules] == [("role", "x"), ("init", ("cell", "1", "b"))]


@pytest.mark.parametrize("name", ["tic_tac_toe", "monty_hall", "chess"])
def test_the_rules_arrive_as_they_were_sent(name: str) -> None:
    rules = load_rules(name)
    message = read_message(write_message(Start("m", rules.roles[0], RulesText.of(rules), 10, 1)))
    assert isinstance(message, Start)
    sheet = message.rules.read()
    assert sheet.diagnostics == ()
    assert sheet.rules == rules


def test_errors_in_rules_are_told_with_their_place_in_the_message() -> None:
    message = read_message("(START m x (\n(role x)\n  (<= (legal x) (true ())) ) 1 1)")
    assert isinstance(message, Start)
    (problem,) = message.rules.read("message").diagnostics
    assert problem.headline().startswith("message:3:23: error: ")
    one_line = read_message("(START m x ((role x) (legal ())) 1 1)")
    assert isinstance(one_line, Start)
    assert one_line.rules.read("message").diagnostics[0].headline().startswith("message:1:29: error: ")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "found nothing"),
        ("   \n ", "found nothing"),
        ("; only a comment", "expected a message"),
        ("()", "expected a message"),
        ("(())", "expected a message"),
        ("hello there", "expected a message (INFO, PREVIEW, START, PLAY, STOP, ABORT), found 'hello there'"),
        ("( DANCE tango )", "found '( DANCE tango )'"),
        ("( INFO ) ( INFO )", "expected one message"),
        ("( PLAY m1 ((mark 1 1) noop )", "the parenthesis at 1:1 is never closed"),
        ("( PLAY m1 NIL ) )", "closing parenthesis without an opening one at 1:17"),
        ("( PLAY )", "expected ( PLAY id moves )"),
        ("( PLAY (m1) NIL )", "expected the name of a match, found the list '(m1)'"),
        ("( PLAY m1 (()) )", "expected a name"),
        ("( PLAY m1 ((mark ?x 1)) )", "expected a term without variables, found '?x'"),
        ("( PLAY m7 one NIL NIL )", "expected the number of a turn, found 'one'"),
        ("( START m1 x )", "expected ( START id role (rules) startclock playclock )"),
        ("( START m1 x rules 10 10 )", "expected a list of rules, found 'rules'"),
        ("( START m1 x ((role x)) ten 10 )", "expected a number of seconds, found 'ten'"),
        ("( START m1 x ((role x)) -5 10 )", "expected a number of seconds, found '-5'"),
        ("( START m1 x ((role x)) 10 0 )", "expected seconds for each move, found 0"),
        ("( START m1 x ((role x)) 10 nan )", "expected a number of seconds"),
        (f"( START m1 x ((role x)) 10 {'9' * 400} )", "expected a number of seconds"),
        ("( START m1 x ((role x)", "is never closed"),
        ("( ABORT )", "expected ( ABORT id )"),
        ("( STOP )", "expected ( STOP id moves )"),
        ("( PREVIEW x 3 )", "expected a list of rules"),
        ("\x00\x01\x02", "expected a message"),
    ],
)
def test_what_is_no_message_is_refused_with_a_reason(text: str, complaint: str) -> None:
    with pytest.raises(ProtocolError) as caught:
        read_message(text)
    assert complaint in str(caught.value)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    "text",
    [
        "x" * 10_000_000,
        "(" * 10_000_000,
        "( PLAY m " + "(a " * 1_000_000,
        "( PLAY m (" + "(" * 1000 + ")" * 1000 + "))",
        "( START m x (" + "()" * (MAX_CHARACTERS // 2 - 100),
        "( PLAY m " * (MAX_CHARACTERS // 10),
        "; " + "x" * (MAX_CHARACTERS - 10),
        ")" * 1_000_000,
    ],
    ids=["words", "parentheses", "nested", "deep", "pairs", "messages", "comment", "closed"],
)
def test_huge_and_deep_nonsense_is_refused_quickly(text: str) -> None:
    began = time.perf_counter()
    with pytest.raises(ProtocolError):
        read_message(text)
    assert time.perf_counter() - began < 30  # seconds of a busy machine; milliseconds otherwise


def test_long_rules_are_read_quickly_enough() -> None:
    facts = " ".join(f"(fact {number} {number + 1})" for number in range(100_000))
    message = read_message(f"( START m x ((role x) {facts}) 10 10)")
    assert isinstance(message, Start)
    assert len(message.rules.text) > 1_500_000
