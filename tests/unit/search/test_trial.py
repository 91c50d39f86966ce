"""Trials: short matches between two searches."""

from __future__ import annotations

from collections.abc import Generator
from random import Random

import numpy as np
import pytest

from woodstock.circuit.game import CircuitGame, CircuitPosition
from woodstock.common.jit import JIT_DISABLED
from woodstock.common.limits import Deadline
from woodstock.game.load import load_rules
from woodstock.game.protocol import goal
from woodstock.ground import ground
from woodstock.search import trial as module
from woodstock.search.evaluation import make_model
from woodstock.search.options import SearchOptions
from woodstock.search.tree_search import TreeSearch
from woodstock.search.trial import CLEAR, Terms, Trial, Verdict


def _make_game(name: str) -> CircuitGame:
    return CircuitGame(ground(load_rules(name)))


def _make_search(game: CircuitGame) -> TreeSearch:
    return TreeSearch(game, SearchOptions(memory=4), 1)


def _play_on(match: Generator[None, None, float]) -> float:
    """Play a match to its end and return what the challenger wins."""
    while True:
        try:
            next(match)
        except StopIteration as end:
            return float(end.value)


def test_the_lead_is_wins_more_than_losses() -> None:
    assert Verdict(6, 4.5).lead == 3.0
    assert Verdict().lead == 0.0


def test_the_average_is_what_a_match_brought() -> None:
    assert Verdict(6, 4.5).average == 0.75
    assert Verdict().average == 0.5


class Blind(TreeSearch):
    """A search that does not look."""

    def run(self, deadline: Deadline, iterations: int | None = None, report: object = None) -> None:
        super().run(deadline, 1)


class Thorough(TreeSearch):
    """A search that looks two hundred times, however little time there is."""

    def run(self, deadline: Deadline, iterations: int | None = None, report: object = None) -> None:
        super().run(Deadline(None), 200)


@pytest.mark.skipif(JIT_DISABLED, reason="thousands of positions without the compiler")
@pytest.mark.parametrize("name", ["connect_four", "pig", "chinese_checkers"])
def test_who_looks_further_wins(name: str) -> None:
    game = _make_game(name)
    options = SearchOptions(memory=4)
    verdict = Trial(Blind(game, options, 1), Thorough(game, options, 1), (0.001, 0.001), 5).run(Deadline(None))
    assert verdict.lead >= CLEAR
    verdict = Trial(Thorough(game, options, 1), Blind(game, options, 1), (0.001, 0.001), 5).run(Deadline(None))
    assert verdict.lead <= -CLEAR


def test_all_roles_are_taken_equally_often(monkeypatch: pytest.MonkeyPatch) -> None:
    game = _make_game("chinese_checkers")
    taken: list[set[int]] = []
    wins = iter([1.0, 0.0, 0.5, 1.0, 1.0, 0.5, 1.0, 1.0, 1.0, 0.5, 1.0, 1.0])

    def play(self: Trial, start: object, roles: set[int]) -> Generator[None, None, float]:
        taken.append(roles)
        yield
        return next(wins)

    monkeypatch.setattr(Trial, "_play", play)
    verdict = Trial(_make_search(game), _make_search(game), (0.001, 0.001)).run(Deadline(None))
    assert taken == [{0}, {1}, {2}, {1, 2}, {0, 2}, {0, 1}] * 2
    assert verdict == Verdict(12, 9.5)


def test_what_all_roles_of_a_side_get_is_compared() -> None:
    game = _make_game("chinese_checkers")
    trial = Trial(_make_search(game), _make_search(game), (0.001, 0.001))
    random = Random(3)
    position = game.initial_position()
    while not game.is_terminal(position):
        legal = [game.legal_moves(position, role) for role in range(len(game.roles))]
        position = game.next_position(position, [random.choice(moves) for moves in legal])
    goals = [goal(game, position, role) or 0 for role in range(3)]
    for roles in ({0}, {1}, {2}, {1, 2}, {0, 2}, {0, 1}):
        own = sum(goals[role] for role in roles) / len(roles)
        others = sum(goals[role] for role in {0, 1, 2} - roles) / (3 - len(roles))
        assert trial._judge(position, roles) == (own > others) + (own == others) / 2
    assert len(set(goals)) > 1


@pytest.mark.parametrize(
    ("results", "options", "verdict"),
    [
        ([1, 0, 1, 1, 1, 1], {}, Verdict(6, 5.0)),
        ([1, 1, 1, 1], {}, Verdict(4, 4.0)),
        ([1, 1, 1, 1, 1, 1, 1, 1], {"clear": 8.0}, Verdict(8, 8.0)),
        ([0, 0, 0, 0, 0, 1, 0, 0, 0, 0], {"clear": 8.0}, Verdict(10, 1.0)),
        ([1, 0, 1, 1, 1, 1, 1, 1, 1, 1], {"least": 0.9}, Verdict(10, 9.0)),  # a lead of 4 is not enough
        ([0, 0, 0, 0], {"least": 0.9}, Verdict(4, 0.0)),
        ([1, 0, 1, 0], {"may_lose": 1.0}, Verdict(4, 2.0)),
        ([0, 0], {"may_lose": 1.0}, Verdict(2, 0.0)),
        ([0], {"may_lose": 0.5}, Verdict(1, 0.0)),
        ([0.5, 0.5, 0.5], {"may_lose": 1.0}, Verdict(3, 1.5)),
    ],
)
def test_a_trial_is_over_when_it_is_clear(
    results: list[float], options: dict[str, float], verdict: Verdict, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = _make_game("tic_tac_toe")
    wins = iter([float(result) for result in results])

    def play(*_: object) -> Generator[None, None, float]:
        yield
        return next(wins)

    monkeypatch.setattr(Trial, "_play", play)
    trial = Trial(_make_search(game), _make_search(game), (0.001, 0.001), 0, Terms(**options))
    assert trial.run(Deadline(None)) == verdict
    assert trial.run(Deadline(None)) == verdict


def test_without_time_nothing_is_found_out() -> None:
    game = _make_game("tic_tac_toe")
    assert Trial(_make_search(game), _make_search(game), (0.001, 0.001)).run(Deadline(0.0)) == Verdict()


def test_a_match_that_does_not_end_is_a_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONGEST", 1)
    game = _make_game("tic_tac_toe")
    trial = Trial(_make_search(game), _make_search(game), (0.0, 0.0))
    assert _play_on(trial._play(game.initial_position(), {0})) == 0.5


def test_each_has_its_own_time(monkeypatch: pytest.MonkeyPatch) -> None:
    game = _make_game("tic_tac_toe")
    asked: dict[bool, float] = {}
    champion = _make_search(game)
    model = make_model(game.program.num_fluents, [True, True])
    challenger = TreeSearch(game, SearchOptions(samples=0, minimax=True, memory=4), 1, model=model)

    def run(self: TreeSearch, deadline: Deadline, iterations: int | None = None) -> None:
        asked[self is champion] = deadline.seconds_left

    monkeypatch.setattr(TreeSearch, "run", run)
    _play_on(Trial(champion, challenger, (200.0, 50.0))._play(game.initial_position(), {0}))
    assert asked[True] / asked[False] == pytest.approx(4, rel=0.1)
    assert np.isfinite(asked[True])


def test_a_match_for_which_there_is_no_time_goes_on_later(monkeypatch: pytest.MonkeyPatch) -> None:
    game = _make_game("tic_tac_toe")
    begun = []
    begin = Trial._play

    def play(self: Trial, start: CircuitPosition, roles: set[int]) -> Generator[None, None, float]:
        begun.append(roles)
        return (yield from begin(self, start, roles))

    monkeypatch.setattr(Trial, "_play", play)
    trial = Trial(_make_search(game), _make_search(game), (0.0, 0.0), 5)
    calls = 0
    while trial.verdict.matches < 4:
        trial.run(Deadline(1e-4))
        calls += 1
        assert len(begun) - trial.verdict.matches in (0, 1)
    assert calls > 4


def test_who_has_not_played_has_not_failed() -> None:
    game = _make_game("tic_tac_toe")
    trial = Trial(_make_search(game), _make_search(game), (0.001, 0.001), 5, Terms(least=0.9, may_lose=0.0))
    assert trial.run(Deadline(5.0)).matches > 0
