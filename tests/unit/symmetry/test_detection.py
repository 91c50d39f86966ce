from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from naive.symmetric_sheets import HELPED_LAMPS, PLAIN_LAMPS, STRIP, program_of
from woodstock.common.limits import Deadline
from woodstock.symmetry import DetectionOptions, detection, find_symmetries
from woodstock.symmetry._automorphism import Generators
from woodstock.symmetry.graphs import Graph
from woodstock.symmetry.verification import keeps_program

pytest.importorskip("igraph")

MANY_LAMPS = """
    (role r) (lamps a) (lamps b) (lamps c) (lamps d) (lamps e) (lamps f)
    (<= (init (lamp ?l)) (lamps ?l)) (<= (legal r (press ?l)) (lamps ?l))
    (<= (next (lamp ?l)) (true (lamp ?l)) (not (does r (press ?l))))
    (<= lit (true (lamp ?l))) (<= terminal (not lit)) (goal r 100)
"""


def test_how_each_generator_is_proved() -> None:
    assert find_symmetries(program_of(PLAIN_LAMPS), DetectionOptions(use_cache=False)).how == ["the rules"]
    assert find_symmetries(program_of(HELPED_LAMPS), DetectionOptions(use_cache=False)).how == ["the rules, unfolded"]


def test_no_time_is_no_error() -> None:
    found = find_symmetries(program_of(STRIP), DetectionOptions(deadline=Deadline(0), use_cache=False))
    assert (found.order, found.finished, found.generators) == (1, False, [])


class Looks(Deadline):
    """A deadline that comes after so many looks at the clock."""

    def __init__(self, number: int) -> None:
        super().__init__(None)
        self._left = number

    @property
    def expired(self) -> bool:
        self._left -= 1
        return self._left < 0


def test_what_was_found_before_the_deadline_is_used() -> None:
    program = program_of(MANY_LAMPS)
    orders = []
    for looks in (1, 10, 14, 1000):
        found = find_symmetries(program, DetectionOptions(Looks(looks), beyond_syntax=False, use_cache=False))
        assert all(keeps_program(program, symmetry) for symmetry in found.generators)
        assert found.finished == (found.order == 720)
        orders.append(found.order)
    assert orders[0] == 1 < orders[1] < orders[2] < orders[3] == 720


def test_a_result_is_kept_on_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WOODSTOCK_CACHE_DIR", str(tmp_path))
    program = program_of(HELPED_LAMPS)
    first = find_symmetries(program)
    assert len(list(tmp_path.glob("*.symmetry"))) == 1
    monkeypatch.setattr(detection, "_Detection", None)
    again = find_symmetries(program)
    assert (again.order, again.how, again.seconds, again.finished) == (2, first.how, first.seconds, True)
    assert np.array_equal(again.generators[0].points(), first.generators[0].points())


@pytest.mark.parametrize("damage", [lambda data: b"", lambda data: data[:-1] + b"x", lambda data: data[:40]])
def test_a_damaged_entry_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: object) -> None:
    monkeypatch.setenv("WOODSTOCK_CACHE_DIR", str(tmp_path))
    program = program_of(PLAIN_LAMPS)
    find_symmetries(program)
    (entry,) = tmp_path.glob("*.symmetry")
    entry.write_bytes(damage(entry.read_bytes()))  # type: ignore[operator]
    assert find_symmetries(program).order == 2


def test_another_question_has_another_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WOODSTOCK_CACHE_DIR", str(tmp_path))
    program = program_of(STRIP)
    orders = [
        find_symmetries(program, DetectionOptions(permute_roles=permuted, beyond_syntax=False)).order
        for permuted in (False, True, False)
    ]
    assert orders == [1, 2, 1]
    assert len(list(tmp_path.glob("*.symmetry"))) == 2


def test_what_is_cut_short_is_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WOODSTOCK_CACHE_DIR", str(tmp_path))
    find_symmetries(program_of(STRIP), DetectionOptions(deadline=Deadline(0)))
    assert not list(tmp_path.glob("*.symmetry"))


def test_an_automorphism_that_breaks_the_rules_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def lie(graph: Graph, *_: object) -> Generators:
        image = np.arange(graph.num_vertices, dtype=np.int32)
        image[[1, 2]] = 2, 1
        return Generators([image], None, True, 0.0)

    monkeypatch.setattr(detection, "find_generators", lie)
    found = find_symmetries(program_of(PLAIN_LAMPS), DetectionOptions(beyond_syntax=False, use_cache=False))
    assert found.order == 1
    assert "does not take the rules to themselves" in found.refused[0]
