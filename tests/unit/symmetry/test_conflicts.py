from __future__ import annotations

from itertools import permutations
from math import factorial, prod

import pytest

from naive.symmetric_sheets import program_of
from woodstock.games import bundled_game
from woodstock.gdl.printer import to_kif
from woodstock.ground import GroundProgram
from woodstock.ground.exclusion import prove_exclusions
from woodstock.symmetry import DetectionOptions, find_symmetries
from woodstock.symmetry.conflicts import Conflicts
from woodstock.symmetry.sampling import Samples
from woodstock.symmetry.unfolding import unfold

DUEL = """
    (role x) (role o) (init (turn x)) (other x o) (other o x)
    (<= (legal ?r (say ?w)) (word ?w) (free ?w) (true (turn ?r))) (word a) (word b)
    (<= (free ?w) (word ?w) (not (true (said ?w))))
    (<= (legal ?r wait) (other ?r ?s) (true (turn ?s)))
    (<= (next (turn ?r)) (other ?r ?s) (true (turn ?s)))
    (<= (next (said ?w)) (true (said ?w))) (<= (next (said ?w)) (does ?r (say ?w)))
    (<= terminal (true (said a)) (true (said b))) (<= (goal ?r 50) (role ?r))
"""


def literal(program: GroundProgram, text: str) -> int:
    """Return the literal of a fluent, a negated fluent, or a role and its move."""
    negated = text.startswith("not ")
    for number, fluent in enumerate(program.fluents):
        if to_kif(fluent) == text.removeprefix("not "):
            return 2 * (1 + number) + negated
    moves = [(role, move) for role, of_role in zip(program.roles, program.moves, strict=True) for move in of_role]
    texts = [f"{role} {to_kif(move)}" for role, move in moves]
    return 2 * (1 + program.num_fluents + texts.index(text))


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["(turn x)", "(turn o)"], True),
        (["(turn x)", "(said a)"], False),
        (["x (say a)", "x (say b)"], True),
        (["x (say a)", "x wait"], True),
        (["x (say a)", "o (say b)"], True),  # whose turn would it be?
        (["x (say a)", "o wait"], False),
        (["x (say a)", "(turn o)"], True),
        (["x (say a)", "(said a)"], True),  # a word that was said is not free
        (["x (say a)", "not (said a)", "(said b)"], False),
        (["not (turn x)", "x (say b)"], True),
        (["(said a)", "not (said a)"], True),
    ],
)
def test_what_cannot_hold_together(texts: list[str], expected: bool) -> None:
    program = program_of(DUEL)
    conflicts = Conflicts(program, prove_exclusions(program, with_latches=False).groups)
    assert conflicts.excludes([literal(program, text) for text in texts]) == expected


def test_without_a_conflict_there_is_nothing_to_drop() -> None:
    program = program_of(DUEL)
    assert unfold(program, conflicts=Conflicts(program, [])) is None


def boxes(size: int) -> GroundProgram:
    """Dots and boxes on a smaller grid: the bundled sheet with fewer dots, and less to win."""
    text = bundled_game("dots_and_boxes").read_rules().decode()
    for number in range(size + 1, 7):
        text = text.replace(f"(dot {number})", "")
    return program_of(text.replace("(more_than_half 13)", f"(more_than_half {(size - 1) ** 2 // 2 + 1})"))


def count_symmetries(size: int) -> int:
    """Count the permutations of lines that take boxes to boxes, which is what matters about a line."""
    places = range(1, size)
    sides = {
        (column, row): {
            ("right", column, row),
            ("right", column, row + 1),
            ("up", column, row),
            ("up", column + 1, row),
        }
        for column in places
        for row in places
    }
    lines = sorted(set().union(*sides.values()))
    owners = [frozenset(box for box, of_box in sides.items() if line in of_box) for line in lines]
    total = 0
    for image in permutations(sides):
        taken = dict(zip(sides, image, strict=True))
        moved = [frozenset(taken[box] for box in owner) for owner in owners]
        if all(moved.count(each) == owners.count(each) for each in owners):
            total += prod(factorial(owners.count(each)) for each in set(owners))
    return total


@pytest.mark.parametrize(("size", "order"), [(2, 24), (3, 128)])
def test_lines_are_alike_as_long_as_one_is_drawn_at_a_time(size: int, order: int) -> None:
    pytest.importorskip("igraph")
    pytest.importorskip("pysat")
    program = boxes(size)
    found = find_symmetries(program, DetectionOptions(use_cache=False))
    assert found.order == order == count_symmetries(size)
    assert "SAT solver" in found.how
    samples = Samples(program)
    assert not any(samples.refute(symmetry) for symmetry in found.generators)


def test_the_bundled_grid_has_its_reflections_and_its_corners() -> None:
    pytest.importorskip("igraph")
    pytest.importorskip("pysat")
    found = find_symmetries(boxes(6), DetectionOptions(use_cache=False))
    assert found.order == 8 * 2**4  # the two lines of a corner close the same box
    assert set(found.how) == {"the rules", "SAT solver"}
