from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from woodstock.draw import draw_position, find_boards
from woodstock.draw.board import order_coordinates
from woodstock.draw.text import MAX_LISTED, WIDTH
from woodstock.game.protocol import Fluent
from woodstock.gdl import read_sheet, to_kif


def fluents(text: str) -> list[Fluent]:
    return [rule.head for rule in read_sheet(text).rules]  # type: ignore[misc]


def test_letters_run_along_the_bottom_and_numbers_upwards_as_in_chess() -> None:
    position = fluents(
        "(cell a 1 wr) (cell b 1 wn) (cell a 2 wp) (cell b 2 b) (cell a 10 bk) (cell b 10 b) (control white)"
    )
    assert draw_position(position).splitlines() == [
        "10  bk  .",
        " 2  wp  .",
        " 1  wr wn",
        "     a  b",
        "control: white",
    ]


def test_a_board_keeps_its_size_while_squares_are_empty() -> None:
    board = fluents("(on 1 1 x) (on 1 2 x) (on 2 1 x) (on 2 2 o)")
    assert draw_position(board[:1], board).splitlines() == ["2  . .", "1  x .", "   1 2"]
    known = [*board, ("on", "1", "1", "king")]
    assert draw_position(board[:1], known).splitlines() == ["2     .    .", "1     x    .", "      1    2"]


def test_the_content_may_come_first() -> None:
    known = fluents("(at robot 1 1) (at robot 1 2) (at gold 2 2) (at robot 2 1)")
    assert draw_position(known[1:3], known).splitlines() == [
        "2  robot  gold",
        "1      .     .",
        "       1     2",
    ]


def test_arguments_before_the_coordinates_tell_boards_apart() -> None:
    squares = " ".join(f"(cell {level} {x} {y} {x}{y})" for level in ("top", "low") for x in (1, 2) for y in (1, 2))
    assert draw_position(fluents(squares)).splitlines() == [
        "(cell low):",
        "2  12 22",
        "1  11 21",
        "    1  2",
        "(cell top):",
        "2  12 22",
        "1  11 21",
        "    1  2",
    ]


def test_the_content_may_be_several_words() -> None:
    position = fluents("(cell a 1 white rook) (cell a 2 black pawn) (cell b 1 white pawn) (cell b 2 black king)")
    assert draw_position(position).splitlines() == [
        "2  blac/pawn blac/king",
        "1  whit/rook whit/pawn",
        "           a         b",
    ]


def test_two_things_on_a_square_make_no_board_and_nothing_is_lost() -> None:
    position = fluents("(at 1 1 x) (at 1 1 o) (at 1 2 x) (at 2 1 x) (at 2 2 x)")
    assert find_boards(position) == []
    assert draw_position(position) == "at: 1 1 o, 1 1 x, 1 2 x, 2 1 x, 2 2 x"


def test_names_are_no_coordinates() -> None:
    assert find_boards(fluents("(likes ann bob 1) (likes bob ann 2) (likes ann eve 3) (likes bob eve 4)")) == []


def test_other_fluents_are_listed_by_name_with_numbers_in_order() -> None:
    position = fluents("(heap 10 3) (heap 9 2) (step 4) (holds (hand left) (card 7 hearts)) ready asleep")
    assert draw_position(position).splitlines() == [
        "heap: 9 2, 10 3",
        "holds: (hand left) (card 7 hearts)",
        "step: 4",
        "true: asleep, ready",
    ]


def test_an_empty_position_says_so() -> None:
    assert draw_position([]) == "(nothing is true here)"


def test_long_names_are_cut_and_compound_contents_fit_into_a_square() -> None:
    position = fluents("(cell 1 1 (piece white king)) (cell 1 2 (p w k)) (cell 2 1 empty) (cell 2 2 elephantine)")
    assert draw_position(position).splitlines() == [
        "2      p/w/k elephant…",
        "1   pi/wh/ki         .",
        "           1         2",
    ]


def test_many_fluents_are_cut_and_counted() -> None:
    drawing = draw_position([("seen", f"thing{number}") for number in range(MAX_LISTED + 25)])
    assert drawing.endswith("… 25 more")
    assert max(map(len, drawing.splitlines())) <= WIDTH


def test_coordinates_with_a_common_prefix_count() -> None:
    assert order_coordinates(["row10", "row9"]) == ("row9", "row10")
    assert order_coordinates(["row1", "col2"]) is None
    assert order_coordinates(["-1", "0", "1", "-2"]) == ("-2", "-1", "0", "1")
    assert order_coordinates(["1"]) is None
    assert order_coordinates([str(number) for number in range(1000)]) is None


words = st.sampled_from(["a", "b", "1", "2", "3", "x", "king", "-1", "b12"])
terms = st.recursive(
    words, lambda inner: st.lists(inner, min_size=1, max_size=4).map(lambda xs: ("f", *xs)), max_leaves=8
)
positions = st.frozensets(
    st.one_of(words, st.tuples(words, terms), st.tuples(st.sampled_from(["p", "q"]), words, words, terms), terms),
    max_size=30,
)


@given(positions, positions)
def test_any_position_can_be_drawn_and_every_fluent_is_shown_once(
    here: frozenset[Fluent], known: frozenset[Fluent]
) -> None:
    boards = find_boards(here, known)
    on_boards = [fluent for board in boards for fluent in board.fluents]
    assert len(on_boards) == len(set(on_boards))
    assert set(on_boards) <= here
    assert all(len(board.content) == len(board.fluents) for board in boards)
    drawing = " ".join(draw_position(here, known).split())
    for fluent in here - set(on_boards):
        text = to_kif(fluent) if isinstance(fluent, str) else " ".join(to_kif(part) for part in fluent[1:])
        assert text in drawing


def test_numbers_of_any_length_are_sorted_by_value() -> None:
    long = "1" + "0" * 5000
    position = [("n", long), ("n", "10"), ("n", "9"), ("n", "010"), ("n", "word")]
    assert draw_position(position).split() == ["n:", "word,", "9,", "010,", "10,", long]
