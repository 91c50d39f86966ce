from __future__ import annotations

import json
from pathlib import Path

import pytest


def test_random_networks_are_solved(woodstock) -> None:
    code, out, err = woodstock("qcsp", "solve", "--random", "6", "-n", "8", "-d", "3", "--p-ee", "0.5", "--json")
    assert (code, err) == (0, "")
    data = json.loads(out)
    assert data["instances"] == 6 == len(data["networks"])
    assert data["winning"] == sum(row["winner"] == "exists" for row in data["networks"])
    assert data["seconds"] >= 0
    code, out, _ = woodstock("qcsp", "solve", "--random", "6", "-n", "8", "-d", "3", "--p-ee", "0.5")
    assert f"∃ wins {data['winning']} of 6 networks" in out


@pytest.mark.parametrize(
    "family",
    [
        ("random", "-n", "6", "-d", "3", "--seed", "2"),
        ("bin-packing", "--items", "2", "--bins", "2", "--capacity", "4", "--sizes", "1,3"),
        ("breakdowns", "--days", "2", "--machines", "3"),
        ("board", "--kind", "lines", "--size", "2", "--first", "forall"),
    ],
)
def test_families_are_written_and_solved_in_every_form(woodstock, tmp_path: Path, family: tuple[str, ...]) -> None:
    winners = set()
    for suffix in ("json", "xml", "qdimacs"):
        path = str(tmp_path / f"network.{suffix}")
        assert woodstock("qcsp", "generate", *family, "--output", path) == (0, "", "")
        code, out, err = woodstock("qcsp", "solve", path, "--json")
        assert (code, err) == (0, "")
        winners.add(json.loads(out)["networks"][0]["winner"])
    assert len(winners) == 1
    code, out, _ = woodstock("qcsp", "generate", *family, "--form", "json")
    assert woodstock("qcsp", "solve", "-", stdin=out).code == code == 0


def test_a_strategy_is_shown_and_checked(woodstock, tmp_path: Path) -> None:
    path = str(tmp_path / "hex.json")
    woodstock("qcsp", "generate", "board", "--size", "2", "--output", path)
    code, out, _ = woodstock("qcsp", "solve", path, "--strategy", "1", "--check", "1000", "--json")
    (row,) = json.loads(out)["networks"]
    assert code == 0
    assert row["winner"] == "exists"
    assert row["strategy"]["given"]["move1"] == row["first"]
    assert len(row["strategy"]["replies"]) == 4
    assert row["check"] == {"lines": 16, "is_complete": True, "fault": None}
    code, out, _ = woodstock("qcsp", "solve", path, "--strategy", "1", "--check", "5")
    assert "strategy checked against 5 lines (random): good" in out


def test_what_is_not_solved_within_limits_is_said_to_be(woodstock) -> None:
    code, out, _ = woodstock("qcsp", "solve", "--random", "1", "--seed", "4", "--nodes", "2", "--json")
    data = json.loads(out)
    assert (code, data["unknown"], data["networks"][0]["winner"]) == (1, 1, None)


def test_two_players_play(woodstock) -> None:
    args = ("qcsp", "play", "-n", "6", "-d", "3", "--exists", "first", "--forall", "random", "--seed", "3")
    code, out, err = woodstock(*args, "--json")
    data = json.loads(out)
    assert (code, err) == (0, "")
    assert (data["player"], data["adversary"]) == ("first", "random")
    code, out, _ = woodstock(*args)
    lines = out.splitlines()
    assert lines[0].startswith("random-3: ∃x0 ∀x1")
    assert lines[-1] == ("∃ wins." if data["is_won"] else "∀ wins.")
    assert f"∃x0 = {data['values']['x0']}" in lines


def test_a_person_plays_and_leaves(woodstock) -> None:
    args = ("qcsp", "play", "-n", "4", "-d", "3", "--exists", "first")
    code, out, _ = woodstock(*args, stdin="1\n2\n")
    assert code == 0
    assert "∀x1 = 1" in out
    assert out.splitlines()[-1].endswith("wins.")
    code, _, err = woodstock(*args, stdin="")
    assert (code, err) == (0, "woodstock: the play was left before its end\n")


def test_an_experiment(woodstock, tmp_path: Path) -> None:
    args = ("qcsp", "experiment", "fig4", "--instances", "2", "--time", "0.01", "--points", "0.5,0.6")
    args += ("--players", "first,random", "--output", str(tmp_path))
    code, out, err = woodstock(*args, "--json")
    assert (code, err) == (0, "")
    data = json.loads(out)
    assert {(cell["player"], cell["adversary"], cell["p_ee"]) for cell in data["cells"]} == {
        (player, "random", density) for player in ("first", "random") for density in (0.5, 0.6)
    }
    assert all(cell["instances"] == 2 >= cell["wins"] for cell in data["cells"])
    names = {path.name for path in tmp_path.iterdir()}
    assert names == {"fig4.csv", "fig4.json", "fig4.jsonl", "fig4.svg"}
    assert json.loads((tmp_path / "fig4.json").read_text()) == data
    before = (tmp_path / "fig4.jsonl").read_text()
    code, out, _ = woodstock(*args)
    assert (tmp_path / "fig4.jsonl").read_text() == before
    assert "first - random: difference" in out


def test_worker_processes_play_the_same(woodstock) -> None:
    args = ("qcsp", "experiment", "fig4", "--instances", "2", "--time", "0.01", "--points", "0.5", "--json")
    args += ("--players", "first,random")
    alone, together = (json.loads(woodstock(*args, "--jobs", jobs).out) for jobs in ("1", "2"))
    assert [cell["wins"] for cell in alone["cells"]] == [cell["wins"] for cell in together["cells"]]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("solve",), "expected either files or --random N"),
        (("solve", "a.json", "--random", "2"), "expected either files or --random N"),
        (("solve", "--random", "0"), "at least one random network"),
        (("solve", "none.json"), "No such file"),
        (("solve", "--random", "1", "--p-ee", "2"), "from 0 to 1 for p_ee, found 2.0"),
        (("generate", "bin-packing", "--sizes", "a"), "after --sizes, found 'a'"),
        (("play", "--forall", "magic"), "found 'magic'"),
        (("play", "--json"), "no people with --json"),
        (("experiment", "fig3", "--players", "magic"), "found 'magic'"),
        (("experiment", "fig3", "--points", "x"), "after --points, found 'x'"),
        (("experiment", "fig3", "--instances", "0"), "after --instances, found 0"),
    ],
)
def test_wrong_usage_gets_a_message(woodstock, args: tuple[str, ...], message: str) -> None:
    code, out, err = woodstock("qcsp", *args)
    assert (code, out) == (2, "")
    assert message in err


def test_malformed_files_get_a_message(woodstock, tmp_path: Path) -> None:
    for name, text in (("a.json", "{"), ("a.xml", "<"), ("a.qdimacs", "p cnf 1")):
        path = tmp_path / name
        path.write_text(text)
        code, out, err = woodstock("qcsp", "solve", str(path))
        assert (code, out) == (2, "")
        assert str(path) in err
