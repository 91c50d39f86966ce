from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

pytest.importorskip("igraph")

Woodstock = Callable[..., Any]


def test_people_are_told_in_the_words_of_the_game(woodstock: Woodstock) -> None:
    outcome = woodstock("symmetry", "tic_tac_toe")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith("8 symmetries\n- rows 1 2 3 reversed  (proved by the rules)\n")
    assert "4 orbits of moves" in outcome.out
    assert outcome.out.rstrip().endswith("3  a b a\n2  b c b\n1  a b a\n   1 2 3")


def test_json(woodstock: Woodstock) -> None:
    document = json.loads(woodstock("symmetry", "tic_tac_toe", "--json", "--permute-roles").out)
    assert document["order"] == 16
    assert document["proved"] is True
    assert document["finished"] is True
    assert document["seconds"] >= 0
    assert any(generator["roles"] == {"x": "o", "o": "x"} for generator in document["generators"])
    assert all(generator["words"] and generator["fluents"] for generator in document["generators"])
    assert sorted(len(orbit) for orbit in document["orbits"]) == [1, 1, 4, 4]


def test_the_library_is_chosen(woodstock: Woodstock, monkeypatch: pytest.MonkeyPatch) -> None:
    assert woodstock("symmetry", "tic_tac_toe", "--library", "igraph").out.startswith("8 symmetries\n")
    monkeypatch.setattr("woodstock.symmetry._dreadnaut.find_program", lambda: None)
    # A result on disk needs no library; what is looked for here is on none.
    monkeypatch.setenv("WOODSTOCK_CACHE_DIR", "")
    outcome = woodstock("symmetry", "tic_tac_toe", "--library", "dreadnaut")
    assert outcome.code == 2
    assert "dreadnaut" in outcome.err


def test_a_large_order_is_text(woodstock: Woodstock, tmp_path: Path) -> None:
    lamps = " ".join(f"(lamps l{number})" for number in range(20))
    sheet = tmp_path / "lamps.kif"
    sheet.write_text(
        f"(role r) {lamps} (<= (init (lamp ?l)) (lamps ?l)) (<= (legal r (press ?l)) (lamps ?l))\n"
        "(<= (next (lamp ?l)) (true (lamp ?l)) (not (does r (press ?l))))\n"
        "(<= lit (true (lamp ?l))) (<= terminal (not lit)) (goal r 100)\n"
    )
    document = json.loads(woodstock("symmetry", str(sheet), "--json").out)
    assert document["order"] == "2432902008176640000"
    assert len(document["orbits"]) == 1


def test_a_position_of_a_record(woodstock: Woodstock, tmp_path: Path) -> None:
    record = tmp_path / "match.json"
    assert woodstock("match", "tic_tac_toe", "--player", "legal", "--record", str(record), "--quiet").code == 0
    out = woodstock("symmetry", "tic_tac_toe", "--position", f"{record}:1").out
    assert "6 orbits of moves" in out
    document = json.loads(woodstock("symmetry", "tic_tac_toe", "--json", "--position", f"{record}:1").out)
    assert document["stabiliser_order"] == 2


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("match.json", "expected RECORD:STEP"),
        ("match.json:x", "expected RECORD:STEP"),
        ("match.json:99", "expected a step from 0 to"),
        ("nowhere.json:1", "nowhere.json"),
    ],
)
def test_bad_positions(
    woodstock: Woodstock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, place: str, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert woodstock("match", "tic_tac_toe", "--player", "legal", "--record", "match.json", "--quiet").code == 0
    outcome = woodstock("symmetry", "tic_tac_toe", "--position", place)
    assert outcome.code == 2
    assert message in outcome.err


def test_a_record_of_another_game(woodstock: Woodstock, tmp_path: Path) -> None:
    record = tmp_path / "match.json"
    assert woodstock("match", "nim", "--player", "legal", "--record", str(record), "--quiet").code == 0
    outcome = woodstock("symmetry", "tic_tac_toe", "--position", f"{record}:0")
    assert outcome.code == 2
    assert "no fluent of this game" in outcome.err


def test_svg(woodstock: Woodstock, tmp_path: Path) -> None:
    path = tmp_path / "orbits.svg"
    assert woodstock("symmetry", "tic_tac_toe", "--svg", str(path)).code == 0
    colours = [each.get("fill") for each in ElementTree.parse(path).getroot() if each.get("stroke")]
    assert len(colours) == 9
    assert len(set(colours)) == 3


def test_no_board_to_draw(woodstock: Woodstock, tmp_path: Path) -> None:
    outcome = woodstock("symmetry", "rock_paper_scissors", "--svg", str(tmp_path / "orbits.svg"))
    assert outcome.code == 2
    assert "nothing to draw" in outcome.err


def test_the_extra_is_named_if_it_is_missing(woodstock: Woodstock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("woodstock.symmetry._automorphism.available", lambda: False)
    outcome = woodstock("symmetry", "tic_tac_toe")
    assert outcome.code == 2
    assert "pip install 'woodstock-ggp[symmetry]'" in outcome.err
