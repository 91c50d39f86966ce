"""Experiments: what is played, what is kept, what is reported."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from woodstock.common.errors import UsageError
from woodstock.qcsp.charts import Chart, Point, Series, to_svg, write_chart
from woodstock.qcsp.experiment import FIGURES, Ledger, Outcome, make_report, run_experiment, run_task
from woodstock.qcsp.random_networks import Parameters

TINY = replace(
    FIGURES["fig4"],
    players=("first", "random"),
    densities=(0.3, 0.6),
    parameters=Parameters(num_turns=6, num_values=3),
    seconds=0.01,
    instances=5,
)


def test_the_figures_are_those_of_the_paper() -> None:
    assert list(FIGURES) == ["fig3", "fig4", "fig5", "fig6", "fig7"]
    assert all(figure.instances == 100 for figure in FIGURES.values())
    assert FIGURES["fig5"].parameters == Parameters(20, 8, 0.2, 0.65, 0.5)
    assert (FIGURES["fig7"].parameters.num_turns, FIGURES["fig7"].parameters.num_values) == (50, 16)
    assert (FIGURES["fig5"].seconds, FIGURES["fig7"].seconds) == (1.0, 3.0)
    assert FIGURES["fig7"].densities == (0.25, 0.3, 0.35, 0.4, 0.45)


def test_an_experiment_plays_all_players_on_the_same_networks() -> None:
    done: list[int] = []
    report = run_experiment(TINY, Ledger(None), map, lambda: done.append(1))
    assert len(done) == 2 * 5 * 2
    data = report.to_json()
    assert [(cell["player"], cell["p_ee"], cell["instances"]) for cell in data["cells"]] == [
        ("first", 0.3, 5),
        ("random", 0.3, 5),
        ("first", 0.6, 5),
        ("random", 0.6, 5),
    ]
    assert {"player", "adversary", "p_ee", "wins", "instances"} <= data["cells"][0].keys()
    (comparison,) = data["comparisons"]
    assert (comparison["first"], comparison["second"], comparison["pairs"]) == ("first", "random", 10)
    json.dumps(data, allow_nan=False)


def test_an_experiment_goes_on_where_it_was(tmp_path: Path) -> None:
    path = tmp_path / "plays.jsonl"

    def interrupted(function, tasks):
        for number, task in enumerate(tasks):
            if number == 7:
                raise KeyboardInterrupt
            yield function(task)

    with pytest.raises(KeyboardInterrupt):
        run_experiment(TINY, Ledger(path), interrupted)
    assert len(path.read_text().splitlines()) == 7
    played = []

    def counted(function, tasks):
        played.extend(tasks)
        return map(function, tasks)

    resumed = run_experiment(TINY, Ledger(path), counted)
    assert len(played) == 13
    whole = run_experiment(TINY, Ledger(None), map)
    assert [cell.results for cell in resumed.cells] == [cell.results for cell in whole.cells]
    assert make_report(TINY, Ledger(path)) == resumed


def test_a_ledger_that_is_none_gets_a_message(tmp_path: Path) -> None:
    path = tmp_path / "plays.jsonl"
    path.write_text("nonsense\n")
    with pytest.raises(UsageError, match=r"plays.jsonl:1: expected the outcome of a play"):
        Ledger(path)


def test_a_table_has_a_row_for_each_cell() -> None:
    report = run_experiment(TINY, Ledger(None), map)
    lines = report.to_csv().splitlines()
    assert lines[0].startswith("player,adversary,p_ee,wins,instances,")
    assert len(lines) == 5


def test_outcomes_follow_from_the_task() -> None:
    task = TINY.tasks()[3]
    assert run_task(task).is_won == run_task(task).is_won
    assert isinstance(run_task(task), Outcome)


CHART = Chart(
    "<title> & more", "x", "y", (Series("a<b", (Point(1, 0.5, 0.2, 0.8), Point(2, 1, 0.7, 1))), Series("c", ()))
)


def test_a_chart_is_well_formed() -> None:
    root = ElementTree.fromstring(to_svg(CHART))
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"<title> & more", "a<b", "c", "1", "2", "100"} <= set(texts)
    assert len(list(root.iter("{http://www.w3.org/2000/svg}circle"))) == 2
    assert ElementTree.fromstring(to_svg(CHART._replace(series=()))) is not None


def test_charts_are_files(tmp_path: Path) -> None:
    write_chart(CHART, tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_text() == to_svg(CHART)
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        with pytest.raises(UsageError, match="expected matplotlib"):
            write_chart(CHART, tmp_path / "a.png")
    else:
        write_chart(CHART, tmp_path / "a.png")
        assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
