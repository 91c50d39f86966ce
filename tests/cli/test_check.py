"""`woodstock check`: what is shown, and the exit codes."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Woodstock = Callable[..., Any]

GOOD = "(role x)\n(init p)\n(<= (legal x a) (true p))\n(<= (next q) (does x a))\n(<= terminal (true q))\n(goal x 100)\n"
UNSAFE = GOOD + "(<= (legal ?w b)\n    (true p))\n"
WARNING = GOOD + "(init p)\n"


@pytest.fixture
def sheet(tmp_path: Path) -> Callable[[str], str]:
    """A function that writes a rule sheet and returns its path."""

    def write(text: str) -> str:
        path = tmp_path / "game.kif"
        path.write_text(text)
        return str(path)

    return write


def test_good_sheet(woodstock: Woodstock, sheet: Callable[[str], str]) -> None:
    path = sheet(GOOD)
    assert woodstock("check", path) == (0, f"{path}: no problems\n", "")


def test_problem_with_line_caret_and_hint(woodstock: Woodstock, sheet: Callable[[str], str]) -> None:
    path = sheet(UNSAFE)
    code, out, err = woodstock("check", path)
    assert (code, err) == (1, "")
    assert out == (
        f"{path}:7:12: error: unsafe rule: ?w in the head: bound by no positive condition [unsafe]\n"
        "    (<= (legal ?w b)\n"
        "               ^~\n"
        "    hint: add the condition (role ?w): it stands for a role\n"
        f"{path}: 1 error, 0 warnings\n"
    )


def test_warnings_are_no_errors_unless_strict(woodstock: Woodstock, sheet: Callable[[str], str]) -> None:
    path = sheet(WARNING)
    assert woodstock("check", path).code == 0
    strict = woodstock("check", "--strict", path)
    assert strict.code == 1
    assert strict.out.endswith(f"{path}: 0 errors, 1 warning\n")


def test_quiet(woodstock: Woodstock, sheet: Callable[[str], str]) -> None:
    path = sheet(UNSAFE + "(init p)\n")
    lines = woodstock("check", "-q", path).out.splitlines()
    assert [line.rpartition(" ")[2] for line in lines[:-1]] == ["[unsafe]"]
    assert lines[-1] == f"{path}: 1 error, 1 warning"
    assert "[duplicate]" in woodstock("check", "-q", "--strict", path).out


def test_json(woodstock: Woodstock, sheet: Callable[[str], str]) -> None:
    path = sheet(UNSAFE)
    code, out, _ = woodstock("check", "--json", path)
    document = json.loads(out)
    assert code == 1
    assert (document["errors"], document["warnings"]) == (1, 0)
    (report,) = document["sheets"]
    assert (report["sheet"], report["play"]) == (path, None)
    assert report["problems"] == [
        {
            "severity": "error",
            "code": "unsafe",
            "message": "unsafe rule: ?w in the head: bound by no positive condition",
            "hint": "add the condition (role ?w): it stands for a role",
            "line": 7,
            "column": 12,
            "end_line": 7,
            "end_column": 14,
            "blocking": True,
        }
    ]


def test_standard_input(woodstock: Woodstock) -> None:
    outcome = woodstock("check", "-", stdin=UNSAFE)
    assert (outcome.code, outcome.out.splitlines()[0][:13]) == (1, "<stdin>:7:12:")


def test_bundled_game(woodstock: Woodstock) -> None:
    assert woodstock("check", "tic_tac_toe", "--strict").code == 0


def test_several_sheets_and_folders(woodstock: Woodstock, tmp_path: Path) -> None:
    (tmp_path / "one.kif").write_text(GOOD)
    (tmp_path / "two.gdl").write_text(UNSAFE)
    (tmp_path / "notes.txt").write_text("no rules")
    code, out, _ = woodstock("check", str(tmp_path), "tic_tac_toe")
    assert code == 1
    assert out.splitlines()[-1] == "3 sheets (1 with errors): 1 error, 0 warnings"


def test_game_folder(woodstock: Woodstock, tmp_path: Path) -> None:
    (tmp_path / "METADATA").write_text('{"rulesheet": "rules.txt"}')
    (tmp_path / "rules.txt").write_text(GOOD)
    assert woodstock("check", str(tmp_path)).code == 0


@pytest.mark.parametrize(
    "arguments", [[], ["no/such/file.kif"], ["tic_tac_toe", "--play", "-1"], ["x", "--play", "soon"]]
)
def test_wrong_usage(woodstock: Woodstock, arguments: list[str]) -> None:
    outcome = woodstock("check", *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err


def test_folder_without_sheets(woodstock: Woodstock, tmp_path: Path) -> None:
    outcome = woodstock("check", str(tmp_path))
    assert outcome.code == 2
    assert str(tmp_path) in outcome.err


class TestPlay:
    """`--play`."""

    def test_good_game(self, woodstock: Woodstock, sheet: Callable[[str], str]) -> None:
        code, out, _ = woodstock("check", "--play", "5", sheet(GOOD))
        assert code == 0
        assert "played: all 2 positions" in out

    def test_line_of_play(self, woodstock: Woodstock, sheet: Callable[[str], str]) -> None:
        stuck = GOOD.replace("(<= terminal (true q))", "(<= terminal (true r))")
        code, out, _ = woodstock("check", "--play", "5", sheet(stuck))
        assert code == 1
        assert "error: x has no legal move" in out

    def test_json(self, woodstock: Woodstock, sheet: Callable[[str], str]) -> None:
        stuck = GOOD.replace("(<= terminal (true q))", "(<= terminal (true r))")
        (report,) = json.loads(woodstock("check", "--json", "--play", "5", sheet(stuck)).out)["sheets"]
        findings = {finding["code"]: finding for finding in report["play"]["findings"]}
        assert findings["no-legal-move"]["line"] == [["a"]]
        assert report["errors"] >= 1

    def test_warnings_that_the_author_accepts(self, woodstock: Woodstock, sheet: Callable[[str], str]) -> None:
        lost = GOOD.replace("100", "50")
        assert "[never-won, " in woodstock("check", "--play", "5", sheet(lost)).out
        code, out, _ = woodstock("check", "--strict", "--play", "5", sheet("; accepted: never-won (meant)\n" + lost))
        assert (code, "never-won" in out) == (0, False)
        stuck = "; accepted: no-legal-move\n" + GOOD.replace("(<= terminal (true q))", "(<= terminal (true r))")
        assert woodstock("check", "--play", "5", sheet(stuck)).code == 1  # an error stays one

    def test_sheets_without_meaning_are_not_played(self, woodstock: Woodstock, sheet: Callable[[str], str]) -> None:
        code, out, _ = woodstock("check", "--play", "5", sheet(UNSAFE))
        assert code == 1
        assert "not played: its errors leave its meaning undefined" in out


@pytest.mark.parametrize("data", [b"", b"\x00\x01\x02", b"(((", b"\xff\xfe(\x00r\x00", "(röle x)".encode("latin-1")])
def test_no_input_leads_to_a_traceback(woodstock: Woodstock, data: bytes) -> None:
    outcome = woodstock("check", "-", stdin=data)
    assert outcome.code == 1
    assert "error" in outcome.out
    assert outcome.err == ""
