from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from woodstock.cli import grounding
from woodstock.cli import network as command
from woodstock.common.errors import LimitError
from woodstock.cp.solver import Solver
from woodstock.cp.xcsp3 import read_xcsp3

Woodstock = Callable[..., Any]


def lines_of(text: str) -> dict[str, str]:
    return {label: value.strip() for label, _, value in (line.partition(":") for line in text.splitlines())}


def test_text(woodstock: Woodstock) -> None:
    outcome = woodstock("network", "tic_tac_toe")
    assert (outcome.code, outcome.err) == (0, "")
    text, table, note = outcome.out.split("\n\n")
    lines = lines_of(text)
    assert list(lines) == [
        *("game", "encoding", "stages", "variables", "largest domain", "constraints", "size", "grounded", "built"),
    ]
    assert (lines["encoding"], lines["stages"], lines["largest domain"]) == ("multivalued", "1", "11")
    assert lines["variables"].startswith("25, and ")
    header, ours, paper = table.splitlines()
    assert header.split() == ["#vars", "maxDom", "#const", "s"]
    assert ours.split()[:3] == ["tic_tac_toe", "25", "11"]
    assert paper.split()[-4:] == ["19", "18", "37", "0"]
    assert note == "The paper's sheet of TicTacToe is not public; this is another one.\n"


def test_a_game_that_is_not_in_the_paper(woodstock: Woodstock) -> None:
    outcome = woodstock("network", "nim")
    assert "paper" not in outcome.out
    assert json.loads(woodstock("network", "nim", "--json").out)["paper"] is None


def test_a_sheet_that_differs_says_so(woodstock: Woodstock) -> None:
    assert "another one: a board of 5 × 5" in woodstock("network", "hex_small").out


@pytest.mark.parametrize(
    ("encoding", "variables", "largest"), [("boolean", 2 * 29 + 1 + 2 + 2, 11), ("multivalued", 25, 11)]
)
def test_json(woodstock: Woodstock, encoding: str, variables: int, largest: int) -> None:
    document = json.loads(woodstock("network", "tic_tac_toe", "--encoding", encoding, "--json").out)
    assert (document["game"], document["encoding"], document["stages"]) == ("tic_tac_toe", encoding, 1)
    assert (document["variables"], document["max_domain"]) == (variables, largest)
    kinds = ("gates", "clauses", "tables", "loops", "soft")
    assert document["constraints"] == sum(document[kind] for kind in kinds)
    assert 0 <= document["proof_seconds"] <= document["seconds"]
    assert document["ground_seconds"] >= 0
    assert document["paper"]["variables"] == 19
    assert "listing" not in document


def test_stages(woodstock: Woodstock) -> None:
    sizes = [json.loads(woodstock("network", "nim", "--stages", str(stages), "--json").out) for stages in (1, 2, 3)]
    assert [size["stages"] for size in sizes] == [1, 2, 3]
    counts = [size["variables"] + size["auxiliaries"] for size in sizes]
    assert counts[2] - counts[1] == counts[1] - counts[0] > 0


def test_listing(woodstock: Woodstock) -> None:
    out = woodstock("network", "matching_pennies", "--stage").out
    assert "\nvariables\n  coin alice @ 1: heads, none, tails\n" in out
    assert "\nconstraints\n  coin alice @ 1 = none\n" in out
    assert "\n      (none, False, turn_up heads, heads)\n" in out
    document = json.loads(woodstock("network", "matching_pennies", "--stage", "--json").out)
    assert "terminal @ 1: False, True" in document["listing"]["variables"]


def test_long_listings_are_cut(woodstock: Woodstock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "MAX_LINES", 5)
    listing = json.loads(woodstock("network", "nim", "--stage", "--json").out)["listing"]
    assert [len(lines) for lines in listing.values()] == [6, 6]
    assert all(lines[-1].startswith("… and ") for lines in listing.values())


def test_xcsp3_of_one_stage_has_the_joint_moves_as_solutions(woodstock: Woodstock, tmp_path: Path) -> None:
    file = tmp_path / "stage.xml"
    assert woodstock("network", "tic_tac_toe", "--xcsp3", str(file)).code == 0
    assert count_solutions(file) == 9
    after = "(place 2 2) wait wait (place 1 1)"
    assert woodstock("network", "tic_tac_toe", "--xcsp3", str(file), "--after", after).code == 0
    assert count_solutions(file) == 7
    fluents = "(heap a 2) (heap b 0) (heap c 0) (turn first)"
    assert woodstock("network", "nim", "--xcsp3", str(file), "--position", fluents).code == 0, fluents
    assert count_solutions(file) == 2


def count_solutions(file: Path) -> int:
    return len(Solver(read_xcsp3(file.read_text())).enumerate())


def test_xcsp3_with_stages_is_stochastic(woodstock: Woodstock, tmp_path: Path) -> None:
    file = tmp_path / "stages.xml"
    assert woodstock("network", "matching_pennies", "--stages", "2", "--xcsp3", str(file)).code == 0
    text = file.read_text()
    assert 'type="SCSP"' in text
    assert text.count('type="stochastic"') == 2
    assert "1:1/2 2:1/2" in text


def test_dot(woodstock: Woodstock, tmp_path: Path) -> None:
    file = tmp_path / "graph.dot"
    assert woodstock("network", "matching_pennies", "--dot", str(file)).code == 0
    assert file.read_text().startswith("graph network {")
    file.unlink()
    outcome = woodstock("network", "pig", "--stages", "9", "--dot", str(file))
    assert (outcome.code, outcome.out) == (2, "")
    assert "expected at most 5000 variables and constraints to draw, found" in outcome.err
    assert not file.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nosuchgame"], "there is no game or file 'nosuchgame'"),
        (["nim", "--encoding", "ternary"], "invalid choice: 'ternary'"),
        (["nim", "--stages", "0"], "expected 1 to 10000 stages, found 0"),
        (["nim", "--position", "(cell ?x)"], "expected terms without variables"),
        (["nim", "--position", "(cell"], "expected terms without variables"),
        (["nim", "--position", "(cell 9)"], "(cell 9) is no fluent of this game"),
        (["tic_tac_toe", "--position", "(turn x) (turn o)"], "expected one value of turn at most"),
        (["tic_tac_toe", "--position", "(turn x)"], "expected a value of square 1 1"),
        (
            ["tic_tac_toe", "--after", "(place 1 1)"],
            "expected a move of each of 2 roles (x, o) for every step, found 1 move",
        ),
        (["tic_tac_toe", "--after", "wait (place 1 1)"], "expected a legal move of x in step 1, such as (place 1 1)"),
        (
            ["tic_tac_toe", "--after", "(place 1 1) fly"],
            "expected a legal move of o in step 1, such as wait, found fly",
        ),
        (["nim", "--position", "a", "--after", "b"], "not allowed with argument"),
        (["nim", "--xcsp3", "/nosuchfolder/file.xml"], "cannot write '/nosuchfolder/file.xml'"),
    ],
)
def test_wrong_usage(woodstock: Woodstock, arguments: list[str], message: str) -> None:
    outcome = woodstock("network", *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert message in outcome.err


def test_no_moves_after_the_end(woodstock: Woodstock) -> None:
    moves = "(place 1 1) wait wait (place 2 1) (place 1 2) wait wait (place 2 2) (place 1 3) wait wait (place 3 3)"
    outcome = woodstock("network", "tic_tac_toe", "--after", moves)
    assert "expected no move in step 6, as the match is over, found wait" in outcome.err


def test_game_that_does_not_ground(woodstock: Woodstock, monkeypatch: pytest.MonkeyPatch) -> None:
    def explode(rules: object) -> None:
        raise LimitError("rule 3 explodes")

    monkeypatch.setattr(grounding, "ground_visibly", explode)
    assert woodstock("network", "nim") == (2, "", "woodstock: error: rule 3 explodes\n")


def test_repaired_rules(woodstock: Woodstock) -> None:
    sheet = (
        "(role a) (init p) (legal a x) (<= (next q) (true p)) (<= terminal (true q)) (<= (goal ?r 50) (not (true p)))"
    )
    assert woodstock("network", "-", stdin=sheet).code == 2
    outcome = woodstock("network", "-", "--repair", "--json", stdin=sheet)
    assert json.loads(outcome.out)["game"] == "stdin"
    assert "(role ?r)" in outcome.err
