from __future__ import annotations

import pytest

from woodstock.match.expressions import ProtocolError
from woodstock.match.replies import as_word, read_info, read_move, read_word, write_info, write_move


@pytest.mark.parametrize(
    ("text", "word"), [("ready", "ready"), (" READY\r\n", "ready"), ("(busy)", "busy"), ("Done ; at last", "done")]
)
def test_words(text: str, word: str) -> None:
    assert read_word(text) == word


@pytest.mark.parametrize("text", ["", "ready now", "( mark 1 1 )", "((", "ready" * 1_000_000])
def test_what_is_no_word(text: str) -> None:
    with pytest.raises(ProtocolError):
        read_word(text)


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("noop", "noop"),
        ("NOOP", "noop"),
        ("( mark 2 2 )", ("mark", "2", "2")),
        ("(MARK 2 2)\n", ("mark", "2", "2")),
        ("(noop)", "noop"),
        ("(move (at 1 2) up)", ("move", ("at", "1", "2"), "up")),
        ('(mark 2 2) (explanation "the middle (of course)") (taunt "ha")', ("mark", "2", "2")),
        ('noop (TAUNT "you wait )")', "noop"),
    ],
)
def test_moves(text: str, move: object) -> None:
    assert read_move(text) == move


@pytest.mark.parametrize(
    "text", ["", "  ", "( )", "mark 2 2", "(mark 2 2", "(mark ?x)", "((mark 2 2))", "noop (resign)"]
)
def test_what_is_no_move(text: str) -> None:
    with pytest.raises(ProtocolError):
        read_move(text)


def test_a_move_is_written_as_ggp_base_does_and_read_again() -> None:
    move = ("move", ("at", "1", "2"), "up")
    assert write_move(move) == "( move ( at 1 2 ) up )"
    assert read_move(write_move(move)) == move


@pytest.mark.parametrize(
    ("text", "status"),
    [
        ("( ( name Foo ) ( status available ) ( species alien ) )", "available"),
        ("((NAME FOO)(STATUS BUSY))", "busy"),
        ("busy", "busy"),
        ("(available)", "available"),
        ("((status (available)))", "(available"),
        ('((name "My Player") (status available) odd)', "available"),
    ],
)
def test_info(text: str, status: str) -> None:
    assert read_info(text)["status"].startswith(status.rstrip(")"))


@pytest.mark.parametrize("text", ["", "((name Foo))", "(", "a b c", "()" * 10])
def test_what_is_no_info(text: str) -> None:
    with pytest.raises(ProtocolError):
        read_info(text)


def test_info_that_we_write() -> None:
    text = write_info("Woodstock (the bird)", "busy", species="bird")
    assert text == "( ( name Woodstock_the_bird ) ( status busy ) ( species bird ) )"
    assert read_info(text) == {"name": "Woodstock_the_bird", "status": "busy", "species": "bird"}


def test_words_of_anything() -> None:
    assert as_word("()") == "_"
    assert as_word("a\tb;c") == "a_b_c"
