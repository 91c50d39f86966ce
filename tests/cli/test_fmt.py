"""`woodstock fmt`: in place, checked, shown, refused."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

UGLY = "(role   x)\n(<= (legal x ?m)\n (move ?m) ; any\n )\n"
NEAT = "(role x)\n(<= (legal x ?m)\n    (move ?m)) ; any\n"
BROKEN = "(role x\n(init p)\n"


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    path = tmp_path / "game.kif"
    path.write_text(UGLY)
    return path


def test_writes_in_place(woodstock, sheet):
    outcome = woodstock("fmt", str(sheet))
    assert (outcome.code, outcome.out, outcome.err) == (0, f"formatted {sheet}\n", "")
    assert sheet.read_text() == NEAT
    assert list(sheet.parent.iterdir()) == [sheet]
    again = woodstock("fmt", str(sheet))
    assert (again.code, again.out) == (0, "")


def test_keeps_permissions_and_links(woodstock, sheet, tmp_path):
    sheet.chmod(0o640)
    link = tmp_path / "link.kif"
    link.symlink_to(sheet)
    assert woodstock("fmt", str(link)).code == 0
    assert link.is_symlink()
    assert sheet.read_text() == NEAT
    assert stat.S_IMODE(sheet.stat().st_mode) == 0o640


def test_infix_stays_infix(woodstock, tmp_path):
    path = tmp_path / "game.hrf"
    path.write_text("role(x).\nlegal(x,M):-move(M).  % any\n")
    assert woodstock("fmt", str(path)).code == 0
    assert path.read_text() == "role(x)\nlegal(x, M) :- move(M) % any\n"


def test_check_writes_nothing(woodstock, sheet, tmp_path):
    neat = tmp_path / "neat.kif"
    neat.write_text(NEAT)
    outcome = woodstock("fmt", "--check", str(sheet), str(neat))
    assert (outcome.code, outcome.out, outcome.err) == (1, "", f"would format {sheet}\n")
    assert sheet.read_text() == UGLY
    assert woodstock("fmt", "--check", str(neat)).code == 0


def test_line_ends_count_as_a_change(woodstock, tmp_path):
    path = tmp_path / "dos.kif"
    path.write_bytes(b"(role x)\r\n")
    assert woodstock("fmt", "--check", str(path)).code == 1
    assert woodstock("fmt", str(path)).code == 0
    assert path.read_bytes() == b"(role x)\n"


def test_diff_writes_nothing(woodstock, sheet):
    outcome = woodstock("fmt", "--diff", str(sheet))
    assert outcome.code == 0
    assert outcome.out.splitlines()[:2] == [f"--- {sheet} (as it is)", f"+++ {sheet} (formatted)"]
    assert "-(role   x)\n" in outcome.out
    assert "+(role x)\n" in outcome.out
    assert sheet.read_text() == UGLY
    assert woodstock("fmt", "--diff", "--check", str(sheet)).code == 1


def test_stdout_writes_no_file(woodstock, sheet):
    outcome = woodstock("fmt", "--stdout", str(sheet))
    assert (outcome.code, outcome.out) == (0, NEAT)
    assert sheet.read_text() == UGLY


def test_standard_input_goes_to_standard_output(woodstock):
    outcome = woodstock("fmt", "-", stdin=UGLY)
    assert (outcome.code, outcome.out, outcome.err) == (0, NEAT, "")


def test_latin_1_becomes_utf_8(woodstock, tmp_path):
    path = tmp_path / "old.kif"
    path.write_bytes("(role x) ; voilà\n".encode("latin-1"))
    assert woodstock("fmt", str(path)).code == 0
    assert path.read_text(encoding="utf-8") == "(role x) ; voilà\n"


def test_sheet_with_errors_is_left_alone_and_the_others_are_not(woodstock, sheet, tmp_path):
    broken = tmp_path / "broken.kif"
    broken.write_text(BROKEN)
    outcome = woodstock("fmt", str(broken), str(sheet))
    assert outcome.code == 1
    assert f"{broken}:1:1: error: opening parenthesis is never closed" in outcome.err
    assert f"{broken}: not formatted" in outcome.err
    assert broken.read_text() == BROKEN
    assert sheet.read_text() == NEAT


def test_binary_is_refused(woodstock, tmp_path):
    path = tmp_path / "picture.kif"
    path.write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00")
    outcome = woodstock("fmt", str(path))
    assert outcome.code == 1
    assert "not text" in outcome.err
    assert path.read_bytes() == b"\x89PNG\r\n\x1a\n\x00\x00"


@pytest.mark.parametrize("name", ["nowhere.kif", ".", "a\0b"])
def test_unreadable_file(woodstock, name):
    outcome = woodstock("fmt", name)
    assert outcome.code == 2
    assert "cannot read" in outcome.err
    assert "Traceback" not in outcome.err


def test_check_and_stdout_exclude_each_other(woodstock, sheet):
    assert woodstock("fmt", "--check", "--stdout", str(sheet)).code == 2


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only for root")
def test_unwritable_folder(woodstock, sheet):
    sheet.parent.chmod(0o500)
    try:
        outcome = woodstock("fmt", str(sheet))
    finally:
        sheet.parent.chmod(0o700)
    assert outcome.code == 2
    assert sheet.read_text() == UGLY
