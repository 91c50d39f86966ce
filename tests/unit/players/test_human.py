from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import pytest

from woodstock.common.errors import UsageError
from woodstock.common.limits import Deadline
from woodstock.game.protocol import Move
from woodstock.game.reference import ReferenceGame
from woodstock.gdl import parse_rules
from woodstock.match import Ending, LocalMatch, MatchSetup, play_match
from woodstock.players import Clocks, Event, Turn, make_player
from woodstock.players.human import Console, HumanPlayer, MoveMenu, Wish, Wished

PLACES = [("place", str(x), str(y)) for x in (1, 2, 10) for y in (1, 2)]

TAKE = """
(role you) (role other) (init (left 4)) (less 4 3) (less 3 2) (less 2 1) (less 1 0)
(legal you (take 1)) (<= (legal you (take 2)) (true (left ?n)) (distinct ?n 1)) (legal other noop)
(<= (next (left ?n)) (does you (take 1)) (true (left ?m)) (less ?m ?n))
(<= (next (left ?k)) (does you (take 2)) (true (left ?m)) (less ?m ?n) (less ?n ?k))
(<= terminal (true (left 0))) (goal you 100) (goal other 0)
"""
"""Four matches, of which one or two are taken at a time; the last one alone leaves no choice."""


def person(*lines: str, grants: Sequence[Wish] = ()) -> tuple[HumanPlayer, io.StringIO]:
    """Return a player who types some lines, and what it reads."""
    screen = io.StringIO()
    return HumanPlayer(Console(io.StringIO("".join(f"{line}\n" for line in lines)), screen), grants), screen


def turn(*moves: Move, number: int = 0, seconds: float | None = None) -> Turn[Any]:
    return Turn(number, moves, None, Deadline(seconds))


def choose(text: str, *moves: Move) -> Move:
    """Return what somebody chooses who types one line and then leaves."""
    return person(text)[0].choose(turn(*moves))


def test_moves_are_in_order_numbers_by_value_and_mere_words_last() -> None:
    menu = MoveMenu(["pass", *reversed(PLACES), ("place", "a10", "1"), ("place", "a9", "1")])
    assert menu.moves == [*PLACES, ("place", "a9", "1"), ("place", "a10", "1"), "pass"]
    assert menu.labels == [str(number) for number in range(1, 10)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3", PLACES[2]),
        ("(place 10 2)", PLACES[5]),
        ("place 10 2", PLACES[5]),
        ("PLACE  10 2", PLACES[5]),
        ("place(10, 2)", PLACES[5]),
        ("10 1", PLACES[4]),
        ("pl 2 2", PLACES[3]),
    ],
)
def test_a_move_is_typed_in_many_ways(text: str, expected: Move) -> None:
    assert choose(text, *PLACES) == expected


def test_the_beginning_of_a_number_is_not_a_number() -> None:
    # "1 1" is not a beginning of "10 1", and "1" alone is a label.
    assert MoveMenu(PLACES).find("1 1") == [("place", "1", "1")]
    assert MoveMenu(PLACES).find("place 1") == [("place", "1", "1"), ("place", "1", "2")]


def test_moves_that_are_told_apart_by_their_number_are_called_by_it() -> None:
    menu = MoveMenu([("drop", "7"), ("drop", "3"), ("drop", "10")])
    assert menu.lines(80) == [" 3  drop 3     7  drop 7    10  drop 10"]
    assert menu.find("3") == [("drop", "3")]
    assert menu.find("1") == []


def test_moves_that_are_numbers_are_called_by_them_and_the_others_by_their_words() -> None:
    menu = MoveMenu(["5", "pass", "2"])
    assert menu.lines(80) == ["2  2      5  5         pass"]
    assert menu.find("2") == ["2"]
    assert menu.find("pa") == ["pass"]
    assert menu.find("") == menu.find("1") == []


def test_parentheses_matter_only_where_nothing_else_does() -> None:
    moves = [("f", ("g", "a"), "b"), ("f", ("g", "a", "b"))]
    assert len(MoveMenu(moves).find("f g a b")) == 2
    assert MoveMenu(moves).find("(f (g a) b)") == [moves[0]]
    assert MoveMenu(moves).find("(F  (g a b))") == [moves[1]]


def test_a_list_fills_columns_and_is_cut_when_it_is_long() -> None:
    moves = [("go", str(number)) for number in range(1, 101)]
    narrow = MoveMenu(moves).lines(40)
    assert max(map(len, narrow)) <= 40
    assert narrow[0].split() == ["1", "go", "1", "35", "go", "35", "69", "go", "69"]
    assert len(narrow) == 34
    cut = MoveMenu(moves).lines(40, most=5)
    assert cut[:5] == narrow[:5]
    assert cut[5:] == ["… and 85 more: 'moves' lists all, and a part of a move those that it fits"]
    assert MoveMenu(moves).lines(3) == [f"{number:>3}  go {number}" for number in range(1, 101)]


def test_what_is_not_clear_is_asked_again() -> None:
    player, screen = person("place", "", "knight", "2 1")
    assert player.choose(turn(*PLACES)) == ("place", "2", "1")
    text = screen.getvalue()
    assert "Which one? 6 moves fit:" in text
    assert "You have no move like 'knight'" in text
    assert text.count("> ") == 4


def test_a_move_without_an_alternative_needs_nobody() -> None:
    player, screen = person()
    assert player.choose(turn("noop")) == "noop"
    assert screen.getvalue() == ""


def test_words_that_help() -> None:
    player, screen = person("help", "moves", "board", "1", grants=[Wish.UNDO])
    player.choose(turn("left", "right"))
    text = screen.getvalue()
    assert "\n  undo " in text
    assert "\n  quit " in text
    assert "\n  hint " not in text
    assert text.count("1  left") == 2
    assert "The rules hide the position." in text


@pytest.mark.parametrize("text", ["undo", "UNDO", ":undo", "takeback"])
def test_a_wish_reaches_whoever_grants_it(text: str) -> None:
    player, _ = person(text, grants=list(Wish))
    with pytest.raises(Wished) as caught:
        player.choose(turn("left", "right"))
    assert caught.value.wish is Wish.UNDO


def test_a_wish_that_nobody_grants_is_refused() -> None:
    player, screen = person("hint", "left")
    assert player.choose(turn("left", "right")) == "left"
    assert "There is no 'hint' in this match." in screen.getvalue()


def test_a_move_may_be_called_like_a_wish() -> None:
    assert choose("resign", "resign", "fight") == "resign"
    assert choose("quit", "quit", "stay") == "quit"
    player, _ = person(":resign", grants=list(Wish))
    with pytest.raises(Wished):
        player.choose(turn("resign", "fight"))
    player, _ = person(grants=list(Wish))
    with pytest.raises(Wished) as caught:
        player.choose(turn("quit", "stay"))
    assert caught.value.wish is Wish.QUIT


@pytest.mark.parametrize("lines", [[], ["quit"], ["exit"]])
def test_who_leaves_interrupts_a_match_that_is_not_prepared_for_it(lines: list[str]) -> None:
    player, _ = person(*lines)
    with pytest.raises(KeyboardInterrupt):
        player.choose(turn("left", "right"))


def test_the_moves_are_not_listed_again_after_a_wish() -> None:
    player, screen = person("hint", "left", "left", grants=[Wish.HINT])
    with pytest.raises(Wished):
        player.choose(turn("left", "right", number=3))
    player.choose(turn("left", "right", number=3))
    assert screen.getvalue().count("1  left") == 1
    player.choose(turn("left", "right", number=4))
    assert screen.getvalue().count("1  left") == 2


def test_the_clock_is_told_and_not_enforced() -> None:
    player, screen = person("left", "right")
    assert player.choose(turn("left", "right", seconds=60)) == "left"
    assert ", 60 s left> " in screen.getvalue()
    assert player.choose(turn("left", "right", number=1, seconds=0)) == "right"
    assert "longer than the clock allows" in screen.getvalue()


def test_percepts_are_told_where_the_rest_is_hidden() -> None:
    player, screen = person()
    player.observe(Event(2, "wait", frozenset({("coin", "heads"), "bell"}), None, None))
    player.observe(Event(3, "wait", frozenset(), None, None))
    player.observe(Event(4, "wait", frozenset({"bell"}), ("wait",), object()))
    assert screen.getvalue().splitlines() == [
        "",
        "2. you: wait; you see: (coin heads), bell",
        "",
        "3. you: wait; you see: nothing",
    ]


def test_a_person_plays_a_match() -> None:
    rules = parse_rules(TAKE)
    player, screen = person("board", "take 2", "1")
    match = play_match(MatchSetup(rules, ReferenceGame(rules), ["human", "legal"]), [player, make_player("legal")])
    assert [step.moves[0] for step in match.steps] == [("take", "2"), ("take", "1"), ("take", "1")]
    assert (match.ending, match.goals) == (Ending.FINISHED, (100, 0))
    assert "left: 4" in screen.getvalue()
    assert screen.getvalue().count("you> ") == 3


def test_a_match_that_a_person_leaves_can_still_be_recorded() -> None:
    rules = parse_rules(TAKE)
    setup = MatchSetup(rules, ReferenceGame(rules), ["human", "legal"], clocks=Clocks(start=60, play=60))
    contest = LocalMatch(setup, [person("take 1")[0], make_player("legal")])
    with pytest.raises(KeyboardInterrupt):
        contest.play()
    assert len(contest.referee.finish(Ending.ABORTED).steps) == 1


def test_the_player_has_a_name_and_no_options() -> None:
    assert repr(make_player("human")) == "HumanPlayer()"
    with pytest.raises(UsageError, match="no option 'console'"):
        make_player("human:console=x")


def test_questions_go_where_a_person_reads(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("right\n"))
    assert make_player("human").choose(turn("left", "right")) == "right"
    out, err = capsys.readouterr()
    assert out == ""
    assert "1  left" in err
