from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from woodstock.arena import DuelPlan, DuelResult, Workers, make_plan, run_duel, run_duels
from woodstock.arena.playing import PlayResult, Task, play_task
from woodstock.game.workers import Lost
from woodstock.gdl.source import SourceText
from woodstock.match import Ending, load_record
from woodstock.players import Clocks

# Nobody can win before the clock, and the clock has no end.
ENDLESS = """
(role x) (role o) (init go)
(<= (legal ?r wait) (role ?r)) (<= (next go) (true go))
(<= terminal (true stop)) (<= (goal ?r 100) (role ?r))
"""


def plan(game: str = "tic_tac_toe", matches: int = 4, seed: int = 5) -> DuelPlan:
    return make_plan(game, ("greedy", "random"), matches, Clocks(iterations=1), seed)


def timeless(result: DuelResult) -> dict[str, Any]:
    """Return what a duel brought, without anything that a clock says."""
    data = result.to_json()
    for player in data["by_player"]:
        del player["slowest_move_seconds"], player["thinking_seconds"]
    return {key: value for key, value in data.items() if key != "seconds"}


class Here:
    """Stands for the workers: does everything in this process, and loses what it is told to lose."""

    def __init__(self, *losses: set[int], interrupt_at: int | None = None) -> None:
        self.rounds: list[list[int]] = []
        self._losses = losses
        self._interrupt_at = interrupt_at
        self.is_closed = False

    def __call__(self, function: Any, tasks: Sequence[Task], workers: int, seconds: float | None) -> Iterator[Any]:
        lost = self._losses[len(self.rounds)] if len(self.rounds) < len(self._losses) else set()
        self.rounds.append([task.play.match for task in tasks])
        try:
            for index, task in enumerate(tasks):
                if index == self._interrupt_at:
                    raise KeyboardInterrupt
                yield index, Lost("its process died") if task.play.match in lost else play_task(task)
        finally:
            self.is_closed = True


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> Any:
    def install(*losses: set[int], interrupt_at: int | None = None) -> Here:
        workers = Here(*losses, interrupt_at=interrupt_at)
        monkeypatch.setattr("woodstock.arena.duel.run_tasks", workers)
        return workers

    return install


def test_results_do_not_depend_on_the_number_of_processes(here) -> None:
    together = run_duel(plan(matches=8), workers=Workers(2))
    assert together.balance.matches == 8
    here()
    assert timeless(run_duel(plan(matches=8))) == timeless(together)


def test_another_seed_gives_other_matches(here) -> None:
    here()
    scores = {tuple(run_duel(plan(matches=6, seed=seed)).to_json()["scores"]) for seed in range(4)}
    assert len(scores) > 1


def test_a_worker_that_is_killed_costs_nothing() -> None:
    victims: list[int] = []

    def kill_the_worker(result: DuelResult) -> None:
        if not victims:
            (worker,) = multiprocessing.active_children()
            assert worker.pid is not None
            victims.append(worker.pid)
            os.kill(worker.pid, signal.SIGKILL)

    result = run_duel(plan(matches=6), kill_the_worker)
    assert victims
    # Whether it was at a match when it died is a matter of luck; if so, that one was repeated.
    assert result.repeated <= 1
    assert (result.balance.matches, result.crashed) == (6, 0)


def test_a_lost_play_is_repeated_once_and_changes_nothing(here) -> None:
    here()
    expected = timeless(run_duel(plan()))
    workers = here({1, 2})
    result = run_duel(plan())
    assert workers.rounds == [[0, 1, 2, 3], [1, 2]]
    assert timeless(result) == {**expected, "repeated": 2}


def test_a_play_that_is_lost_twice_is_counted_as_crashed(here) -> None:
    workers = here({1, 2}, {2})
    told: list[tuple[int, int]] = []
    result = run_duel(plan(), lambda known: told.append((len(known.plays), len(known.crashes))))
    assert len(workers.rounds) == 2
    assert (result.balance.matches, result.crashed, result.repeated) == (3, 1, 2)
    assert [(crash.match, crash.reason) for crash in result.crashes] == [(2, "its process died")]
    assert told == [(1, 0), (1, 1), (1, 2), (2, 2), (3, 1), (3, 1)]
    assert result.is_complete


def test_a_separate_match_crashes_if_one_play_does(here) -> None:
    here({0}, {0})
    result = run_duel(plan("lights_out", 2))
    assert (result.balance.matches, result.crashed) == (1, 1)


def test_an_interruption_leaves_what_is_known(here) -> None:
    here(interrupt_at=3)
    result = run_duel(plan())
    assert not result.is_complete
    assert result.to_json()["interrupted"] is True
    assert result.balance.matches == 3


def test_an_interruption_while_it_is_reported_ends_the_workers_at_once(here) -> None:
    workers = here()

    def interrupt(result: DuelResult) -> None:
        raise KeyboardInterrupt

    result = run_duel(plan(), interrupt)
    assert workers.is_closed
    assert (result.is_complete, result.balance.matches) == (False, 1)


def test_several_duels_are_played_by_the_same_workers(here) -> None:
    workers = here()
    plans = [plan("tic_tac_toe", 2), plan("nim", 3)]
    results = run_duels(plans)
    assert workers.rounds == [[0, 1, 0, 1, 2]]
    assert [(each.plan.game, each.balance.matches) for each in results] == [("tic_tac_toe", 2), ("nim", 3)]
    here()
    assert timeless(run_duel(plans[1])) == timeless(results[1])


def test_records_are_written_and_can_be_read(here, tmp_path: Path) -> None:
    here()
    result = run_duel(replace(plan(matches=2), record=tmp_path))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["1.json", "2.json"]
    records = [load_record(tmp_path / name) for name in ("1.json", "2.json")]
    assert [record.player_names for record in records] == [("greedy", "random"), ("random", "greedy")]
    assert records[0].seed == records[1].seed == result.plays[0].play.seed
    assert [record.goals for record in records] == [each.goals for each in result.plays]


def test_a_match_without_an_end_is_a_draw_without_goals() -> None:
    duel = DuelPlan("endless", SourceText(ENDLESS), ("legal", "legal"), 1, max_steps=7)
    outcome: PlayResult = play_task(Task(duel, duel.plays()[0]))
    assert (outcome.ending, outcome.steps, outcome.goals) == (Ending.CUT, 7, (0, 0))
    result = DuelResult(duel, (outcome,))
    assert (result.balance.draws, result.unfinished) == (1, 1)


def test_a_game_is_prepared_once_whoever_plays(monkeypatch: pytest.MonkeyPatch) -> None:
    from woodstock.arena import playing

    prepared: list[str] = []

    def prepare(rules: Any, kernels: bool) -> Any:
        from woodstock.game.reference import ReferenceGame

        prepared.append(rules.source.name)
        return ReferenceGame(rules)

    monkeypatch.setattr(playing, "prepare", prepare)
    playing._prepare.cache_clear()
    for duel in (plan("nim"), replace(plan("nim"), players=("legal", "random")), plan("tic_tac_toe")):
        for play in duel.plays():
            play_task(Task(duel, play))
    playing._prepare.cache_clear()
    assert prepared == ["nim/rules.kif", "tic_tac_toe/rules.kif"]
