"""The symmetries of bundled games: known orders, and no generator that random play refutes."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from woodstock.common.jit import JIT_DISABLED
from woodstock.game.load import load_rules
from woodstock.games import game_names
from woodstock.ground import ground
from woodstock.symmetry import DetectionOptions, GameSymmetries, find_symmetries
from woodstock.symmetry.sampling import Samples

pytest.importorskip("igraph")
pytest.importorskip("pysat")


@cache
def symmetries(name: str, permute_roles: bool = False, beyond_syntax: bool = False) -> GameSymmetries:
    options = DetectionOptions(permute_roles=permute_roles, beyond_syntax=beyond_syntax, use_cache=False)
    return find_symmetries(ground(load_rules(name)), options)


@pytest.mark.parametrize(
    ("name", "order", "with_roles"),
    [
        ("tic_tac_toe", 8, 16),
        ("connect_four", 2, 4),
        ("breakthrough", 2, 4),
        ("nine_mens_morris", 16, 32),
        ("dots_and_boxes", 16, 32),  # the sheet hides the others: see below
        ("quarto", 12288, 24576),  # 384 of the attributes of pieces, 32 of the lines of the board
        ("amazons", 8, 16),
        ("atari_go", 8, 16),
    ],
)
def test_orders_that_the_rules_show(name: str, order: int, with_roles: int) -> None:
    assert symmetries(name).order == order
    assert symmetries(name, permute_roles=True).order == with_roles


def test_a_torus_has_its_translations() -> None:
    found = symmetries("amazons_torus")
    assert found.order == 800
    program = ground(load_rules("amazons_torus"))
    images = {fluent: program.fluent_index[_shifted(fluent)] for fluent in program.fluents}
    elements = found.group.elements()
    assert any(each.fluents.tolist() == [images[fluent] for fluent in program.fluents] for each in elements)


def _shifted(fluent: object) -> object:
    """One column to the right, round the edge."""
    if isinstance(fluent, tuple) and len(fluent) > 2 and str(fluent[1]).isdigit():
        return (fluent[0], str(int(fluent[1]) % 10 + 1), *fluent[2:])
    return fluent


@pytest.mark.parametrize(
    ("name", "shown", "order", "how"),
    [
        ("pentago", 1, 8, "the rules, unfolded"),
        ("gomoku", 1, 8, "the rules, unfolded"),
        ("hex_small", 1, 2, "SAT solver"),
        ("hex", 1, 2, "SAT solver"),
        pytest.param(
            "reversi", 1, 8, "decision diagrams", marks=pytest.mark.skipif(JIT_DISABLED, reason="takes minutes")
        ),
    ],
)
def test_orders_beyond_the_syntax(name: str, shown: int, order: int, how: str) -> None:
    assert symmetries(name).order == shown
    found = symmetries(name, beyond_syntax=True)
    assert (found.order, found.proved, set(found.how)) == (order, True, {how})


@pytest.mark.parametrize("name", ["dots_and_boxes", "dots_and_boxes_suicide"])
def test_boxes_are_turned_and_reflected_and_border_lines_exchanged(name: str) -> None:
    """Counting the permutations of lines that keep boxes gives 24 for one box, and 128 for four or more."""
    found = symmetries(name, beyond_syntax=True)
    assert (found.order, found.proved) == (128, True)
    assert "SAT solver" in found.how


@pytest.mark.parametrize("name", game_names())
def test_random_play_refutes_no_generator(name: str) -> None:
    program = ground(load_rules(name))
    samples = Samples(program, num_samples=10)
    assert not any(samples.refute(symmetry) for symmetry in symmetries(name, permute_roles=True).generators)


@pytest.mark.parametrize(
    ("name", "order"),
    [("ticTacToe", 8), ("connectFour", 2), ("breakthrough", 2), ("pentago", 8), ("dotsAndBoxes", 128)],
)
def test_public_sheets(corpus: Path, name: str, order: int) -> None:
    assert symmetries(str(corpus / "games" / f"{name}.kif"), beyond_syntax=True).order == order
