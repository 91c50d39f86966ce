"""A player of ours at the other end of a socket: what goes over the wire, and what does not bring it down."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from urllib.parse import quote, quote_plus

import pytest

from scripted.network import exchange, post, read_all, serving
from scripted.thinkers import ScriptedThinker
from woodstock.common.errors import UsageError
from woodstock.game.load import load_rules
from woodstock.match.messages import RulesText, Start, write_message
from woodstock.players.process import Choice
from woodstock.server.http_player import HttpLimits

RULES = RulesText.of(load_rules("tic_tac_toe"))

HEADERS = {
    "Content-Type": "text/acl",
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Allow-Methods": "POST, GET, OPTIONS",
    "Access-Control-Allow-Headers": "Content-Type",
    "Access-Control-Allow-Age": "86400",
}


@pytest.fixture
def port() -> Iterator[int]:
    with serving(ScriptedThinker()) as number:
        yield number


def start(role: str, match_id: str = "m1") -> str:
    return write_message(Start(match_id, role, RULES, 30, 5))


def ask(port: int, text: str) -> str:
    """Send a message as ggp-base does and return the body of the reply."""
    head, _, body = exchange(port, post(text)).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.0 200 OK\r\n"), head
    return body.decode()


def test_a_worked_match_byte_for_byte() -> None:
    moves = iter([("place", "2", "2"), "wait", ("place", "1", "1")])
    thinker = ScriptedThinker(lambda legal: Choice(next(moves)))
    with serving(thinker) as port:
        for sent, expected in [
            (start("x"), "ready"),
            ("( PLAY m1 NIL )", "( place 2 2 )"),
            ("( PLAY m1 (( place 2 2 ) wait ) )", "wait"),
            ("( PLAY m1 (wait ( place 3 3 ) ) )", "( place 1 1 )"),
            ("( STOP m1 (( place 1 1 ) wait ) )", "done"),
        ]:
            head, _, body = exchange(port, post(sent)).partition(b"\r\n\r\n")
            status, *lines = head.decode("ascii").split("\r\n")
            headers = dict(line.split(": ", 1) for line in lines)
            assert status == "HTTP/1.0 200 OK"
            assert body == expected.encode()
            assert headers.pop("Content-Length") == str(len(expected))
            headers.pop("Date")
            assert headers.pop("Server") == "Woodstock"
            assert headers == HEADERS


def test_requests_as_the_dresden_controller_sends_them(port: int) -> None:
    for text, reply in [(start("X", "M.1").upper(), "ready"), ("(PLAY M.1 NIL)", "( place 1 1 )")]:
        head = f"POST / HTTP/1.0\r\nSender: Gamecontroller\r\nReceiver: me\r\nContent-Length: {len(text)}\r\n\r\n"
        request = head + text
        assert exchange(port, request.encode()).endswith(b"\r\n\r\n" + reply.encode())


@pytest.mark.parametrize("encode", [quote_plus, quote], ids=["plus", "percent"])
def test_messages_in_the_path_of_a_get(port: int, encode) -> None:
    for text, reply in [("( INFO )", "available"), (start("x"), "ready"), ("( PLAY m1 NIL )", "( place 1 1 )")]:
        answer = exchange(port, f"GET /{encode(text)} HTTP/1.0\r\n\r\n".encode())
        assert answer.startswith(b"HTTP/1.0 200 OK\r\n")
        assert reply.encode() in answer


def test_a_pre_flight_request(port: int) -> None:
    answer = exchange(port, b"OPTIONS / HTTP/1.0\r\nOrigin: http://example.org\r\n\r\n").decode()
    head, _, body = answer.partition("\r\n\r\n")
    assert head.startswith("HTTP/1.0 200 OK\r\n")
    assert body == ""
    for name, value in HEADERS.items():
        assert f"{name}: {value}" in head


@pytest.mark.parametrize("path", ["/", "/a/b?c=d", "http://127.0.0.1/"])
def test_any_path_will_do(port: int, path: str) -> None:
    request = f"POST {path} HTTP/1.0\r\nContent-Length: 8\r\n\r\n( INFO )"
    assert b"( status available )" in exchange(port, request.encode())


def test_several_messages_on_one_connection(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        for _ in range(3):
            connection.sendall(b"POST / HTTP/1.1\r\nHost: me\r\nContent-Length: 8\r\n\r\n( INFO )")
            answer = b""
            while not answer.endswith(b"available ) )"):
                chunk = connection.recv(4096)
                assert chunk, answer
                answer += chunk
            assert answer.startswith(b"HTTP/1.1 200 OK\r\n")


def test_a_body_in_chunks(port: int) -> None:
    head = b"POST / HTTP/1.1\r\nHost: me\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    assert b"( status available )" in exchange(port, head + b"2\r\n( \r\n6\r\nINFO )\r\n0\r\n\r\n")


def test_other_letters_than_those_of_english(port: int) -> None:
    text = "( PLAY é NIL )"
    for encoding in ("utf-8", "latin-1"):
        body = text.encode(encoding)
        request = f"POST / HTTP/1.0\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body
        assert exchange(port, request).endswith(b"\r\n\r\nbusy")


@pytest.mark.parametrize(
    "request_bytes",
    [
        post("nonsense"),
        post(""),
        b"POST / HTTP/1.0\r\n\r\n",
        b"GET / HTTP/1.0\r\n\r\n",
        b"GET /favicon.ico HTTP/1.1\r\nHost: me\r\nConnection: close\r\n\r\n",
        b"POST / HTTP/1.0\r\nContent-Length: many\r\n\r\n( INFO )",
        b"hello\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 50 + b"\r\n\r\n",
        b"DELETE / HTTP/1.0\r\n\r\n",
    ],
)
def test_what_is_not_understood_is_refused(port: int, request_bytes: bytes, caplog: pytest.LogCaptureFixture) -> None:
    status = exchange(port, request_bytes).split(b"\r\n")[0]
    assert b" 40" in status
    assert "available" in ask(port, "( INFO )")
    assert "Traceback" not in caplog.text


def test_a_refusal_says_why(port: int) -> None:
    answer = exchange(port, post("( DANCE tango )")).decode()
    assert answer.startswith("HTTP/1.0 400 ")
    assert answer.endswith("expected a message (INFO, PREVIEW, START, PLAY, STOP, ABORT), found '( DANCE tango )'")


@pytest.mark.parametrize("text", ["x" * 10_000_000, "(" * 10_000_000, "( PLAY m1 " * 1_000_000])
def test_ten_megabytes_of_nonsense(port: int, text: str) -> None:
    ask(port, start("x"))
    assert exchange(port, post(text)).startswith(b"HTTP/1.0 400 ")
    assert ask(port, "( PLAY m1 NIL )") == "( place 1 1 )"


def test_more_than_may_be_sent_is_not_read_to_the_end() -> None:
    with serving(ScriptedThinker(), HttpLimits(num_bytes=1000)) as port:
        with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
            connection.sendall(b"POST / HTTP/1.0\r\nContent-Length: 1000000000\r\n\r\n" + b"x" * 5000)
            assert read_all(connection).startswith(b"HTTP/1.0 400 ")
        assert "available" in ask(port, "( INFO )")


def test_a_body_that_does_not_come() -> None:
    with serving(ScriptedThinker(), HttpLimits(body_seconds=0.2)) as port:
        with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
            connection.sendall(post("( INFO )")[:-3])
            assert read_all(connection).startswith(b"HTTP/1.0 408 ")
        assert "available" in ask(port, "( INFO )")


def test_a_head_that_comes_too_slowly() -> None:
    with serving(ScriptedThinker(), HttpLimits(header_seconds=0.3)) as port:
        with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
            try:
                for _ in range(1000):
                    connection.sendall(b"X")
                    time.sleep(0.02)
            except OSError:
                return
        pytest.fail("the connection was never closed")


def test_idle_connections_are_closed() -> None:
    with serving(ScriptedThinker(), HttpLimits(header_seconds=0.3)) as port:
        with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
            assert read_all(connection) == b""
        with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
            connection.sendall(b"POST / HTTP/1.1\r\nHost: me\r\nContent-Length: 8\r\n\r\n( INFO )")
            assert read_all(connection).endswith(b"available ) )")


def test_many_idle_connections_do_not_shut_others_out() -> None:
    with serving(ScriptedThinker(), HttpLimits(connections=20)) as port:
        idle = [socket.create_connection(("127.0.0.1", port), timeout=30) for _ in range(100)]
        try:
            assert "available" in ask(port, "( INFO )")
            assert read_all(idle[0]) == b""
        finally:
            for connection in idle:
                connection.close()


def test_a_sender_that_goes_before_its_reply() -> None:
    thinker = ScriptedThinker()
    with serving(thinker) as port:
        ask(port, start("x"))
        thinker.seconds = 0.3
        with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
            connection.sendall(post("( PLAY m1 NIL )"))
            while not thinker.questions:
                time.sleep(0.01)
        assert ask(port, "( PLAY m1 NIL )") == "( place 1 1 )"
        assert ask(port, "( PLAY m1 (( place 1 1 ) wait ) )") == "wait"
    assert len(thinker.questions) == 2


def test_a_sender_that_goes_in_the_middle_of_its_message(port: int) -> None:
    ask(port, start("x"))
    for length in (10, 100, len(post("( PLAY m1 NIL )")) - 3):
        with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
            connection.sendall(post("( PLAY m1 NIL )")[:length])
    assert ask(port, "( PLAY m1 NIL )") == "( place 1 1 )"


def test_info_is_answered_while_the_player_thinks() -> None:
    thinker = ScriptedThinker()
    with serving(thinker) as port:
        ask(port, start("x"))
        thinker.seconds = 30
        with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
            connection.sendall(post("( PLAY m1 NIL )"))
            while not thinker.questions:
                time.sleep(0.01)
            assert "( status busy )" in ask(port, "( INFO )")
            assert ask(port, start("x", "m2")) == "busy"
            assert ask(port, "( ABORT m1 )") == "aborted"
            assert read_all(connection).endswith(b"\r\n\r\nnil")


def test_an_address_that_is_taken(port: int) -> None:
    import asyncio

    from woodstock.server.http_player import HttpPlayer
    from woodstock.server.session import Session

    async def open_again() -> None:
        await HttpPlayer(Session(ScriptedThinker())).open("127.0.0.1", port)

    with pytest.raises(UsageError, match=f"cannot listen on 127.0.0.1, port {port}: "):
        asyncio.run(open_again())
