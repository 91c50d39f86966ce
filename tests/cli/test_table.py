from __future__ import annotations

import json
import shlex
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from woodstock.arena.published import Figure, Published
from woodstock.arena.tables import TABLES, WIDE, Run, Table
from woodstock.cli.table import NAMES
from woodstock.cli.table_text import write_section
from woodstock.games import game_names

PAPER = Published(
    "a paper",
    180.0,
    "300",
    {
        (("greedy", "random"), 15.0): {"nim": Figure(81.5, 2.4), "lights_out": Figure(70.0, other=20.0)},
        (("greedy", "legal"), 15.0): {"nim": Figure(90.0)},
    },
)
GAMES = ("nim", "tic_tac_toe", "lights_out")
TRIAL = Table("symmetry", "A trial", (("greedy", "random"), ("greedy", "legal")), GAMES, published=PAPER)


@pytest.fixture(autouse=True)
def _trial(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A small table in the place of a large one, and an empty folder."""
    monkeypatch.setitem(TABLES, "symmetry", TRIAL)
    monkeypatch.chdir(tmp_path)


def table(woodstock, *args: str) -> dict[str, Any]:
    """Return the JSON of a table that goes well."""
    code, out, err = woodstock("table", "symmetry", "--iterations", "1", *args, "--json")
    assert (code, err) == (0, "")
    data: dict[str, Any] = json.loads(out)
    return data


def play_nothing(*_: object) -> None:
    raise AssertionError("nothing is to be played")


def test_a_table_as_json(woodstock, tmp_path: Path) -> None:
    data = table(woodstock, "--matches", "3", "--seed", "4", "--output", "kept")
    assert [column["players"] for column in data["columns"]] == [["greedy", "random"], ["greedy", "legal"]]
    assert (data["complete"], data["seed"], data["games"]) == (True, 4, list(GAMES))
    first = data["columns"][0]
    nim, tic_tac_toe, lights_out = first["cells"]
    assert (nim["matches"], nim["planned"], lights_out["matches"]) == (4, 4, 3)
    assert nim["paper"] == {"percent": 81.5, "deviation": 2.4, "other": None}
    assert tic_tac_toe["paper"] is None
    assert (nim["late"], nim["illegal"], nim["errors"]) == (0, 0, 0)
    assert nim["percent"]["mean"] == nim["score"]
    assert lights_out["percent"] == lights_out["success"][0]
    assert first["average"]["mean"] == pytest.approx((nim["score"] + tic_tac_toe["score"]) / 2)
    assert first["average_of_the_papers_games"]["ours"]["mean"] == nim["score"]
    assert first["average_of_the_papers_games"]["paper"]["mean"] == 81.5
    # Two games with two columns of 4, and a puzzle that three players play 3 times each.
    assert len((tmp_path / "kept" / "plays.jsonl").read_text().splitlines()) == 2 * 2 * 4 + 3 * 3


def test_what_was_played_is_not_played_again(woodstock, monkeypatch) -> None:
    args = ("--games", "nim,lights_out", "--matches", "2")
    data = table(woodstock, *args)
    monkeypatch.setattr("woodstock.arena.tables.run_tasks", lambda *_: (each for each in ()))
    monkeypatch.setattr("woodstock.cli.table._prepare", play_nothing)
    assert table(woodstock, *args) == data
    again = shlex.split(data["command"])
    assert json.loads(woodstock(*again[1:], "--json").out) == data
    short = table(woodstock, "--games", "nim", "--matches", "2")
    assert short["columns"][0]["cells"] == data["columns"][0]["cells"][:1]


def test_the_text_says_the_same(woodstock) -> None:
    data = table(woodstock, "--matches", "4")
    code, out, err = woodstock("table", "symmetry", "--iterations", "1", "--matches", "4")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "symmetry: A trial"
    assert lines[1].startswith(
        "4 matches a cell or a few more, 1 iteration a move; seed 0. In the paper: 300 matches, "
    )
    head = ["greedy", "against", "random", "paper", "legal", "paper", "matches", "late", "illegal", "errors"]
    assert lines[3].split() == head
    nim, _, lights_out = data["columns"][0]["cells"]
    (row,) = [line.split() for line in lines if line.startswith("nim ")]
    low, high = nim["interval"]
    assert row[1:5] == [f"{nim['score']:.1f}", f"({low:.0f}-{high:.0f})", "81.5", "±2.4"]
    assert row[-4:] == ["4", "0/0", "0/0", "0/0"]
    (row,) = [line.split() for line in lines if line.startswith("lights_out + ")]
    assert row[2] == f"{lights_out['success'][0]['mean']:.1f}"
    assert row[4:6] == [":", f"{lights_out['success'][1]['mean']:.1f}"]
    assert row[6:9] == ["70.0", ":", "20.0"]
    (row,) = [line.split() for line in lines if line.startswith("average, games of the paper ")]
    assert row[5:7] == [f"{nim['score']:.1f}", "81.5"]
    assert "+ each plays all roles by itself" in " ".join(lines)
    assert lines[-1] == data["command"]


def test_the_numbers_of_roles_are_told(woodstock) -> None:
    args = ("table", "symmetry", "--iterations", "1", "--no-play", "--games", "chinese_checkers")
    code, out, _ = woodstock(*args)
    assert code == 1
    (row,) = [line for line in out.splitlines() if line.startswith("chinese_checkers (3 roles) ")]
    assert row.split()[3:] == ["-", "-", "0", "0/0", "0/0", "0/0"]
    assert "100/n would be a fair share" in " ".join(out.split())
    assert "Not all of them have been played." in out


def test_clocks_make_columns(woodstock, monkeypatch) -> None:
    monkeypatch.setattr("woodstock.cli.table._play", play_nothing)
    args = ("table", "symmetry", "--no-play", "--play", "0.1,2", "--games", "nim", "--against", "legal")
    out = woodstock(*args).out
    assert "1 s before the first move, 0.1, 2 s for each; seed 0." in out
    assert "legal, 0.1 s  paper  legal, 2 s  paper" in out
    assert "--start 1 --play 0.1,2 " in out
    assert not Path("tables").exists()


def test_games_by_groups(woodstock) -> None:
    args = ("--no-play", "--games", "quarto,paper,wide", "--against", "legal", "--json")
    games = json.loads(woodstock("table", "symmetry", *args).out)["games"]
    assert games == ["quarto", "nim", "lights_out", *(game for game in WIDE if game not in ("quarto", "lights_out"))]
    games = json.loads(woodstock("table", "symmetry", "--no-play", "--games", "all", "--json").out)["games"]
    assert games == list(game_names())


SHEET = """# Tables

<!-- table symmetry -->
what was here
<!-- end of table symmetry -->

Between.

<!-- table other -->
stays
<!-- end of table other -->
"""


def test_a_section_of_a_file_is_replaced(woodstock, tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.md"
    sheet.write_text(SHEET)
    table(woodstock, "--matches", "2", "--games", "nim,lights_out", "--write", str(sheet))
    text = sheet.read_text()
    before, _, after = SHEET.partition("what was here\n")
    assert text.startswith(before)
    assert text.endswith(after)
    body = text[len(before) : -len(after)]
    rows = [line for line in body.splitlines() if line.startswith("|")]
    assert rows[0] == "| greedy against | random | paper | legal | paper | matches | late | illegal | errors |"
    assert len({row.count("|") for row in rows}) == 1
    assert rows[1].startswith("| --- | ---: |")
    assert rows[2].startswith("| `nim` | ")
    assert rows[3].startswith("| `lights_out` + | ")
    assert "```sh\nwoodstock table symmetry --games nim,lights_out --matches 2 --iterations 1 --seed 0" in body
    table(woodstock, "--matches", "2", "--games", "nim,lights_out", "--write", str(sheet))
    assert sheet.read_text() == text
    table(woodstock, "--matches", "2", "--games", "nim", "--write", str(sheet), "--section", "other")
    assert sheet.read_text().startswith(text.partition("stays")[0])
    assert "stays" not in sheet.read_text()


@pytest.mark.parametrize(
    "text",
    ["", "<!-- table symmetry -->", "<!-- end of table symmetry -->\n<!-- table symmetry -->", SHEET + SHEET],
)
def test_a_file_without_the_section_is_refused_before_anything_is_played(
    woodstock, tmp_path: Path, monkeypatch, text: str
) -> None:
    monkeypatch.setattr("woodstock.cli.table._play", play_nothing)
    sheet = tmp_path / "sheet.md"
    sheet.write_text(text)
    code, out, err = woodstock("table", "symmetry", "--iterations", "1", "--write", str(sheet))
    assert (code, out) == (2, "")
    assert "expected '<!-- table symmetry -->' and '<!-- end of table symmetry -->' behind it, each once" in err
    assert sheet.read_text() == text


def test_the_page_of_tables_has_a_section_for_each(root: Path, tmp_path: Path) -> None:
    copy = tmp_path / "tables.md"
    copy.write_bytes((root / "docs" / "tables.md").read_bytes())
    for name in NAMES:
        write_section(copy, name, f"the table {name}")
    assert all(f"the table {name}\n" in copy.read_text() for name in NAMES)


def test_the_names_of_the_tables() -> None:
    assert tuple(TABLES) == NAMES


def test_lost_plays_are_reported(woodstock) -> None:
    args = ("table", "symmetry", "--games", "nim", "--against", "legal", "--matches", "2", "--iterations", "1")
    code, _, err = woodstock(*args, "--limit", "0.001")
    assert code == 1
    assert err.count(" was lost: given up after 0.001 s") == 2
    assert woodstock(*args).code == 0


def test_an_interrupted_run_tells_how_it_goes_on(woodstock, monkeypatch) -> None:
    monkeypatch.setattr("woodstock.arena.tables.run_table", lambda *_: Run(0, {}, is_complete=False))
    code, out, err = woodstock("table", "symmetry", "--games", "nim", "--iterations", "1")
    assert code == 130
    assert "Not all of them have been played." in out
    assert "interrupted: everything played is in tables/plays.jsonl, and the same command goes on from there" in err


SCRIPT = """
import sys
from woodstock.arena.tables import TABLES, Table
from woodstock.cli import main
TABLES["symmetry"] = Table("symmetry", "A trial", (("greedy", "random"),), ("tic_tac_toe",))
sys.exit(main(sys.argv[1:]))
"""


def test_ctrl_c_loses_nothing(tmp_path: Path, woodstock) -> None:
    plays = tmp_path / "tables" / "plays.jsonl"
    args = ["table", "symmetry", "--matches", "20000", "--iterations", "1", "--json"]
    command = [sys.executable, "-c", SCRIPT, *args]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        end = time.monotonic() + 60
        while not plays.exists() or plays.read_bytes().count(b"\n") < 3:
            assert time.monotonic() < end
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "Traceback" not in err
    (cell,) = json.loads(out)["columns"][0]["cells"]
    kept = plays.read_text().splitlines()
    assert 3 <= cell["matches"] == len(kept) < 20000
    more = len(kept) + 2
    data = table(woodstock, "--matches", str(more), "--games", "tic_tac_toe", "--against", "random")
    seeds = Counter((each["seed"], *each["players"]) for each in map(json.loads, plays.read_text().splitlines()))
    assert set(seeds.values()) == {1}
    assert len(seeds) == data["columns"][0]["cells"][0]["matches"] >= more


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["symetry"], "invalid choice: 'symetry'"),
        (["symmetry", "--games", "nimm"], "there is no game or file 'nimm'"),
        (["symmetry", "--games", "nim,"], "expected games with commas between them after --games, found 'nim,'"),
        (["symmetry", "--against", "uct"], "expected opponents after --against, of random legal, found 'uct'"),
        (["symmetry", "--matches", "0"], "expected 1 to 1000000 matches, found 0"),
        (["symmetry", "--jobs", "0"], "expected 1 to 1024 jobs, found 0"),
        (["symmetry", "--play", "1,0"], "expected a positive number of seconds, found '0'"),
        (["symmetry", "--iterations", "0"], "--iterations takes a positive number, found 0"),
        (["symmetry", "--iterations", "5", "--play", "1"], "--iterations takes the place of clocks"),
        (["symmetry", "--output", "/dev/null/x"], "expected a folder after --output"),
        (["symmetry", "--write", "nowhere.md"], "expected a Markdown file after --write"),
    ],
)
def test_wrong_arguments(woodstock, monkeypatch, args, message) -> None:
    monkeypatch.setattr("woodstock.cli.table._play", play_nothing)
    code, out, err = woodstock("table", *args)
    assert (code, out) == (2, "")
    assert message in err


def test_a_player_that_does_not_exist_is_named(woodstock, monkeypatch) -> None:
    monkeypatch.setitem(TABLES, "symmetry", Table("symmetry", "A trial", (("gredy", "random"),), ("nim",)))
    code, _, err = woodstock("table", "symmetry")
    assert code == 2
    assert "no player is called 'gredy'; did you mean 'greedy'?" in err
