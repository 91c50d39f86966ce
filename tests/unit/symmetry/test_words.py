from __future__ import annotations

import pytest

from naive.symmetric_sheets import PLAIN_LAMPS, program_of
from woodstock.game.load import load_rules
from woodstock.ground import GroundProgram, ground
from woodstock.symmetry.picture import MIXED, draw_svg, draw_text, letter, make_picture
from woodstock.symmetry.symmetry import Symmetry
from woodstock.symmetry.words import describe


def moved(program: GroundProgram, change: dict[str, str], transpose: bool = False) -> Symmetry:
    """A symmetry of tic-tac-toe: coordinates change, then change places."""

    def image(term: object) -> object:
        if not isinstance(term, tuple) or len(term) < 3:
            return term
        one, other = (change.get("c" + term[1], term[1]), change.get("r" + term[2], term[2]))
        return (term[0], other, one, *term[3:]) if transpose else (term[0], one, other, *term[3:])

    fluents = [program.fluent_index[image(fluent)] for fluent in program.fluents]  # type: ignore[index]
    moves = [
        program.move_index[role][image(move)]  # type: ignore[index]
        for role, of_role in enumerate(program.moves)
        for move in of_role
    ]
    return Symmetry.of(fluents, moves, [0, 1])


@pytest.mark.parametrize(
    ("change", "transpose", "words"),
    [
        ({}, False, []),
        ({"r1": "3", "r3": "1"}, False, ["rows 1 2 3 reversed"]),
        ({"c1": "3", "c3": "1"}, False, ["columns 1 2 3 reversed"]),
        ({"c1": "2", "c2": "3", "c3": "1"}, False, ["columns 1 2 3 shifted by 1"]),
        ({"c1": "2", "c2": "1", "r1": "2", "r2": "1"}, False, ["columns 1 and 2 exchanged", "rows 1 and 2 exchanged"]),
        ({}, True, ["columns and rows exchanged"]),
        ({"r1": "3", "r3": "1"}, True, ["columns and rows exchanged", "columns 1 2 3 reversed"]),
    ],
)
def test_boards(change: dict[str, str], transpose: bool, words: list[str]) -> None:
    program = ground(load_rules("tic_tac_toe"))
    assert describe(program, moved(program, change, transpose)) == words


def test_other_names() -> None:
    program = program_of(PLAIN_LAMPS)
    a, b = program.move_index[0]["press", "a"], program.move_index[0]["press", "b"]
    moves = list(range(program.num_moves))
    moves[a], moves[b] = b, a
    assert describe(program, Symmetry.of([1, 0], moves, [0])) == ["argument 1 of lamp a and b exchanged"]


def test_orbits_on_a_board() -> None:
    picture = make_picture(
        ["1", "2"], ["a", "b"], [[("put", "1", "a"), ("put", "2", "b")], [("put", "2", "b")], ["wait"]]
    )
    assert picture is not None
    assert picture.orbits == {("1", "a"): 0, ("2", "b"): MIXED}
    assert draw_text(picture).splitlines() == ["b  . +", "a  a .", "   1 2"]
    svg = draw_svg(picture, "a < b")
    assert svg.startswith("<svg ")
    assert "a &lt; b" in svg
    assert svg.count("<rect") == 5


def test_a_move_that_names_a_column_marks_its_top() -> None:
    picture = make_picture(["1", "2"], ["1", "2"], [[("drop", "2")]])
    assert picture is not None
    assert picture.orbits == {("2", "2"): 0}
    assert make_picture(["1", "2"], ["1", "2"], [["wait"]]) is None
    assert (letter(0), letter(26), letter(1000)) == ("a", "A", "*")
