from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from woodstock.arena.ledger import Ledger, PlayKey, key_of
from woodstock.arena.plan import FIRST, SECOND, make_plan
from woodstock.arena.playing import Task, play_task
from woodstock.arena.published import (
    CONSTRAINTS16_3,
    CONSTRAINTS16_4,
    IJCAI17_1,
    JFPC16_2,
    WOODSTOCK,
    Figure,
    Published,
)
from woodstock.arena.table_result import TableResult, average, read_table
from woodstock.arena.tables import TABLES, WIDE, Progress, Table, TableSetup, missing_plays, run_table
from woodstock.common.errors import UsageError
from woodstock.game.workers import Lost
from woodstock.games import bundled_game
from woodstock.gdl.source import SourceText
from woodstock.players import Clocks

FIXED = Clocks(iterations=1)
PAPER = Published(
    "a paper",
    None,
    "10",
    {
        (("greedy", "random"), 10.0): {"tic_tac_toe": Figure(60.0), "nim": Figure(70.0, 1.5)},
        (("greedy", "random"), 30.0): {"tic_tac_toe": Figure(80.0)},
    },
)


class BreakdownError(Exception):
    """Something that nobody foresaw."""


class Here:
    """Stands for the workers: does everything in this process, and fails when it is told to.

    Attributes:
        made: What was played.
    """

    def __init__(
        self, stop_after: int | None = None, error: type[BaseException] = BreakdownError, lose: int = 0
    ) -> None:
        self.made: list[Task] = []
        self.rounds = 0
        self.is_closed = False
        self._stop_after, self._error, self._lose = stop_after, error, lose

    def __call__(self, function: Any, tasks: Sequence[Task], workers: int, seconds: float | None) -> Iterator[Any]:
        self.rounds += 1
        try:
            for index, task in enumerate(tasks):
                if len(self.made) == self._stop_after:
                    raise self._error
                if self._lose:
                    self._lose -= 1
                    yield index, Lost("its process died")
                    continue
                self.made.append(task)
                yield index, play_task(task)
        finally:
            self.is_closed = True


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A function that puts such workers in the place of processes."""

    def install(**options: Any) -> Here:
        workers = Here(**options)
        monkeypatch.setattr("woodstock.arena.tables.run_tasks", workers)
        return workers

    return install


def setup(*games: str, matches: int = 4, pairings: Any = (("greedy", "random"),), **options: Any) -> TableSetup:
    table = Table("trial", "A trial", pairings, games or ("tic_tac_toe", "nim"), published=options.pop("paper", None))
    return TableSetup(table, matches, options.pop("clocks", (FIXED,)), **options)


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def key_of_line(line: dict[str, Any]) -> str:
    return json.dumps([line[name] for name in PlayKey._fields])


def timeless(result: TableResult) -> Any:
    """Return what is known of a table, without anything that a clock says."""
    data = result.to_json()
    for column in data["columns"]:
        for cell in column["cells"]:
            for player in cell["by_player"]:
                del player["slowest_move_seconds"], player["thinking_seconds"]
    return data


@pytest.mark.parametrize("error", [BreakdownError, KeyboardInterrupt])
@pytest.mark.parametrize("stop_after", [0, 1, 5])
def test_a_run_that_broke_off_goes_on_where_it_stopped(here, tmp_path: Path, stop_after: int, error: Any) -> None:
    path = tmp_path / "plays.jsonl"
    first = here(stop_after=stop_after, error=error)
    if error is KeyboardInterrupt:
        run = run_table(setup(), Ledger(path))
        assert (run.is_complete, run.made) == (False, stop_after)
    else:
        with pytest.raises(BreakdownError):
            run_table(setup(), Ledger(path))
    assert first.is_closed
    assert len(Ledger(path)) == stop_after

    second = here()
    run = run_table(setup(), Ledger(path))
    assert (run.is_complete, run.made, run.lost) == (True, 8 - stop_after, {})
    assert len(second.made) == 8 - stop_after
    assert set(Counter(map(key_of_line, lines(path))).values()) == {1}

    here()
    whole = Ledger()
    run_table(setup(), whole)
    assert timeless(read_table(setup(), Ledger(path))) == timeless(read_table(setup(), whole))


def test_the_beginning_of_a_line_counts_for_nothing(here, tmp_path: Path) -> None:
    path = tmp_path / "plays.jsonl"
    here()
    run_table(setup("nim"), Ledger(path))
    text = path.read_text()
    path.write_text(text[:-30])
    assert len(Ledger(path)) == 3
    again = here()
    run_table(setup("nim"), Ledger(path))
    assert len(again.made) == 1
    assert [key_of_line(line) for line in lines(path)] == [key_of_line(json.loads(line)) for line in text.splitlines()]


def test_another_program_may_have_repaired_the_file_meanwhile(here, tmp_path: Path) -> None:
    path = tmp_path / "plays.jsonl"
    here()
    run_table(setup("nim"), Ledger(path))
    whole = path.read_text()
    path.write_text(whole[:-30])
    ledger = Ledger(path)
    path.write_text(whole)
    run_table(setup("nim"), ledger)
    assert path.read_text().startswith(whole)
    assert len(Ledger(path)) == 4


@pytest.mark.parametrize("line", ["no JSON", "[]", '{"game": "nim"}', '{"ending": "never"}'])
def test_a_file_that_holds_something_else_is_refused(tmp_path: Path, line: str) -> None:
    path = tmp_path / "plays.jsonl"
    path.write_text(line + "\n")
    with pytest.raises(UsageError, match=r"plays\.jsonl:1: expected a play of a table"):
        Ledger(path)


def test_more_matches_games_and_opponents_are_additions(here) -> None:
    ledger = Ledger()
    for more, plays in (
        (setup("nim"), 4),
        (setup("nim", matches=6), 2),
        (setup("nim", "tic_tac_toe"), 4),
        (setup("nim", pairings=(("greedy", "random"), ("greedy", "legal"))), 4),
        (setup("nim", "tic_tac_toe", matches=2), 0),
    ):
        workers = here()
        run_table(more, ledger)
        assert len(workers.made) == plays


def test_the_same_play_is_not_made_for_the_other_side_again(here) -> None:
    ledger = Ledger()
    here()
    run_table(setup("nim"), ledger)
    turned = setup("nim", pairings=(("random", "greedy"),))
    assert missing_plays(turned, ledger) == {}
    (column,) = read_table(setup("nim"), ledger).columns
    (mirror,) = read_table(turned, ledger).columns
    assert column.cells[0].score.mean == 100 - mirror.cells[0].score.mean  # type: ignore[operator]


def test_who_plays_alone_plays_once_whoever_the_opponents_are(here) -> None:
    workers = here()
    solo = setup("lights_out", matches=3, pairings=(("greedy", "random"), ("greedy", "legal")))
    run_table(solo, Ledger())
    who = Counter(task.plan.players[task.play.seating[0]] for task in workers.made)
    assert who == {"greedy": 3, "random": 3, "legal": 3}


def test_everything_that_determines_a_play_is_in_its_key() -> None:
    plan = make_plan("nim", ("greedy", "random"), 2, FIXED)
    play = plan.plays()[0]
    text = plan.source.text
    others = {
        "rules": replace(plan, source=SourceText(text + "\n(extra fact)", plan.source.name)),
        "player": replace(plan, players=("legal", "random")),
        "option": replace(plan, players=("greedy", "uct:threads=2")),
        "iterations": replace(plan, clocks=Clocks(iterations=2)),
        "clocks": replace(plan, clocks=Clocks(1.0, 0.2)),
        "start": replace(plan, clocks=Clocks(2.0, 0.2)),
        "steps": replace(plan, max_steps=7),
    }
    keys = {what: key_of(other, play) for what, other in others.items()}
    keys["seed"] = key_of(plan, replace(play, seed=play.seed + 1))
    keys["seating"] = key_of(plan, plan.plays()[1])
    assert len({key_of(plan, play), *keys.values()}) == 1 + len(keys)
    commented = replace(
        plan, source=SourceText("; a remark\n" + text, "elsewhere.kif"), game="other", seed=9, matches=8
    )
    assert key_of(commented, play) == key_of(plan, play)


def test_what_is_read_is_what_was_entered(here, tmp_path: Path) -> None:
    path = tmp_path / "plays.jsonl"
    here()
    ledger = Ledger(path)
    run_table(setup(clocks=(Clocks(1.0, 0.5),)), ledger)
    assert len(ledger) == 8
    again = Ledger(path)
    whole = setup(clocks=(Clocks(1.0, 0.5),))
    kept, known = ([cell.result.plays for cell in read_table(whole, each).columns[0].cells] for each in (again, ledger))
    assert kept == known
    assert [len(plays) for plays in kept] == [4, 4]
    assert {line["game"] for line in lines(path)} == {"tic_tac_toe", "nim"}


def test_a_lost_play_is_repeated_once_and_then_left_for_another_run(here, tmp_path: Path) -> None:
    ledger = Ledger()
    workers = here(lose=1)
    run = run_table(setup("nim"), ledger)
    assert (run.made, run.lost, workers.rounds) == (4, {}, 2)
    workers = here(lose=5)
    run = run_table(setup("tic_tac_toe"), ledger)
    assert (run.made, set(run.lost.values()), workers.rounds) == (3, {"its process died"}, 2)
    result = read_table(setup("tic_tac_toe"), ledger)
    assert (result.columns[0].cells[0].matches, result.is_complete) == (3, False)
    here()
    assert run_table(setup("tic_tac_toe"), ledger).made == 1


def test_progress_is_told(here) -> None:
    here(lose=1)
    told: list[Progress] = []
    run_table(setup("nim", "tic_tac_toe", matches=2), Ledger(), report=told.append)
    assert [each.done for each in told] == [1, 2, 3, 4, 4]
    assert {each.total for each in told} == {4}
    assert [each.game for each in told] == ["nim", "nim", "tic_tac_toe", "tic_tac_toe", "nim"]


@pytest.mark.parametrize(
    ("game", "asked", "played"),
    [("nim", 3, 4), ("nim", 4, 4), ("chinese_checkers", 4, 6), ("battlebrushes", 6, 8), ("orchard", 3, 3)],
)
def test_every_role_is_had_equally_often(game: str, asked: int, played: int) -> None:
    (plan,) = setup(game, matches=asked).plans(game)
    assert plan.matches == played
    if not plan.is_separate:
        assert set(Counter(play.seating.index(FIRST) for play in plan.plays()).values()) == {played // len(plan.seats)}


def test_where_they_play_separately_success_counts(here) -> None:
    ledger = Ledger()
    here()
    solo = setup("lights_out", "nim", matches=6)
    run_table(solo, ledger)
    (column,) = read_table(solo, ledger).columns
    puzzle, duel = column.cells
    for side in (FIRST, SECOND):
        goals = [play.goals for play in puzzle.result.plays if play.play.seating == (side,)]
        assert len(goals) == 6
        assert puzzle.success(side).mean == 100 * goals.count((100,)) / 6
    assert puzzle.score == puzzle.success(FIRST)
    assert column.score.games == 1
    assert column.score.mean == duel.score.mean
    assert [each.mean for each in column.success] == [puzzle.success(FIRST).mean, puzzle.success(SECOND).mean]


def test_averages_over_games() -> None:
    assert average([]).mean is None
    assert (average([40.0]).mean, average([40.0]).interval) == (40.0, None)
    # Mean 50, standard deviation 10 with n - 1; t is 2.776 for 4 degrees of freedom.
    five = average([40.0, 40.0, 50.0, 60.0, 60.0])
    assert five.mean == 50
    assert five.interval is not None
    assert five.interval.margin == pytest.approx(2.776 * 10 / 5**0.5)
    wide = average([0.0, 100.0])
    assert wide.interval == (0.0, 100.0)
    many = average([40.0, 60.0] * 50)
    assert many.interval is not None
    assert many.interval.margin == pytest.approx(1.984 * (10 * (100 / 99) ** 0.5) / 10, rel=1e-3)


def test_the_paper_is_compared_on_its_own_games_alone(here) -> None:
    ledger = Ledger()
    here()
    mine = setup(
        "tic_tac_toe", "nim", "kuhn_poker", "lights_out", paper=PAPER, speedup=10.0, clocks=(Clocks(1.0, 0.9),)
    )
    run_table(mine, ledger)
    (column,) = read_table(mine, ledger).columns
    assert column.paper_seconds == 10.0
    scores = [cell.score.mean for cell in column.cells]
    assert [cell.figure for cell in column.cells] == [Figure(60.0), Figure(70.0, 1.5), None, None]
    ours, theirs = column.compared
    assert (ours.games, ours.mean) == (2, (scores[0] + scores[1]) / 2)  # type: ignore[operator]
    assert (theirs.games, theirs.mean) == (2, 65.0)
    assert (column.score.games, column.score.mean) == (3, pytest.approx(sum(scores[:3]) / 3))  # type: ignore[arg-type]


@pytest.mark.parametrize(("play", "clock"), [(0.01, 10.0), (0.1, 10.0), (0.17, 10.0), (0.18, 30.0), (5.0, 30.0)])
def test_a_column_stands_beside_the_nearest_clock(play: float, clock: float) -> None:
    mine = setup("tic_tac_toe", paper=PAPER)
    assert mine.paper_clock(("greedy", "random"), Clocks(1.0, play)) == clock
    assert mine.paper_clock(("random", "greedy"), Clocks(1.0, play)) is None


def test_a_clock_makes_columns_of_its_own() -> None:
    mine = setup(
        "nim", clocks=(Clocks(1.0, 0.1), Clocks(1.0, 0.2)), pairings=(("greedy", "random"), ("legal", "random"))
    )
    assert [(players[0], clocks.play) for players, clocks in mine.columns] == [
        ("greedy", 0.1),
        ("legal", 0.1),
        ("greedy", 0.2),
        ("legal", 0.2),
    ]


def test_figures_as_the_papers_print_them() -> None:
    ucb, fc = ("mac-ucb", "uct"), ("mac-ucb", "fc-ucb")
    assert CONSTRAINTS16_3.figure("backgammon", ucb, 30.0) == Figure(68.2, 5.49)
    assert CONSTRAINTS16_3.figure("tic_tac_toe", fc, 30.0) == Figure(51.8, 0.76)
    assert CONSTRAINTS16_3.figure("yahtzee", ("fc-ucb", "uct"), 30.0) == Figure(58.6, 5.34)
    assert CONSTRAINTS16_4.figure("awale", ucb, 1.0) == Figure(38.6)
    assert CONSTRAINTS16_4.figure("yahtzee", ucb, 60.0) == Figure(78.9)
    assert IJCAI17_1.figure("chess", ("mac-ucb-sym", "uct"), 15.0) == Figure(95.8, 1.8)
    assert IJCAI17_1.figure("cant_stop", ("mac-ucb-sym", "sancho"), 15.0) == Figure(100.0, 0.0)
    assert IJCAI17_1.figure("amazons_torus", ("mac-ucb-sym", "mac-ucb"), 15.0) == Figure(84.2, 1.2)
    assert JFPC16_2.figure("battlebrushes", ("mac-ucb-sym", "grave"), 15.0) == Figure(53.0)
    assert JFPC16_2.figure("wumpus", ("mac-ucb-sym", "uct"), 15.0) == Figure(71.2, other=40.1)
    assert JFPC16_2.figure("war", ("mac-ucb-sym", "cfr"), 15.0) == Figure(68.4)
    assert JFPC16_2.figure("war", ("mac-ucb-sym", "sancho"), 15.0) is None
    assert WOODSTOCK.figure("hex", ("woodstock", "uct"), 15.0) == Figure(100.0, 0.0)
    assert WOODSTOCK.figure("hex", ("woodstock", "fc-ucb"), 30.0) == Figure(73.2, 3.24)


def test_the_tables_of_a_paper_agree_where_they_meet() -> None:
    pairing = (("mac-ucb", "uct"), 30.0)
    third, fourth = CONSTRAINTS16_3.figures[pairing], CONSTRAINTS16_4.figures[pairing]
    assert {game: figure.percent for game, figure in third.items()} == {
        game: figure.percent for game, figure in fourth.items()
    }


@pytest.mark.parametrize(
    ("published", "games", "columns"),
    [(CONSTRAINTS16_3, 15, 3), (CONSTRAINTS16_4, 15, 8), (IJCAI17_1, 25, 6), (JFPC16_2, 35, 5)],
)
def test_every_game_of_a_paper_is_one_of_ours(published: Published, games: int, columns: int) -> None:
    assert (len(published.games), len(published.figures)) == (games, columns)
    assert all(bundled_game(game).paper for game in published.games)
    percents = [figure.percent for column in published.figures.values() for figure in column.values()]
    assert all(0 <= percent <= 100 for percent in percents)


@pytest.mark.parametrize("name", TABLES)
def test_tables_have_games_of_every_kind(name: str) -> None:
    games = [bundled_game(game) for game in TABLES[name].games]
    assert len(set(games_names := [game.name for game in games])) == len(games_names) >= 16
    assert any(not game.traits["chance"] for game in games)
    assert any(game.traits["simultaneous"] for game in games)
    assert any(game.players > 2 for game in games)
    for trait in ("chance", "cooperative", "one_player"):
        assert any(game.traits[trait] for game in games), trait


def test_the_games_of_the_papers_come_first() -> None:
    for table in TABLES.values():
        known = [bundled_game(game).paper is not None for game in table.games]
        assert known == sorted(known, reverse=True)
    assert set(WIDE) <= {game for table in TABLES.values() for game in table.games}
