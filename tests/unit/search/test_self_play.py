"""Self-play: what is learnt from matches, and how much it is said to count."""

from __future__ import annotations

import numpy as np
import pytest

from woodstock.circuit.game import CircuitGame
from woodstock.common.limits import Deadline
from woodstock.game.load import load_rules
from woodstock.gdl import parse_rules
from woodstock.ground import ground
from woodstock.search.evaluation import OF_MODEL, OF_PLAYOUTS, find_log_odds
from woodstock.search.self_play import UNSEEN, SelfPlay, fit_logistic

GOOD_OR_BAD = """
(role robot)
(base (chose good)) (base (chose bad)) (base (step 0)) (base (step 1)) (base (step 2))
(init (step 0))
(succ 0 1) (succ 1 2)
(input robot good) (input robot bad)
(<= (legal robot good) (true (step 0)))
(<= (legal robot bad) (true (step 0)))
(input robot wait)
(<= (legal robot wait) (not (true (step 0))))
(<= (next (chose good)) (does robot good))
(<= (next (chose bad)) (does robot bad))
(<= (next (chose ?x)) (true (chose ?x)))
(<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
(<= terminal (true (step 2)))
(<= (goal robot 100) (true (chose good)))
(<= (goal robot 0) (true (chose bad)))
(<= (goal robot 0) (not (true (chose good))) (not (true (chose bad))))
"""


def _make(name: str, seed: int = 1) -> SelfPlay:
    return SelfPlay(CircuitGame(ground(load_rules(name))), seed)


def test_the_choice_that_decides_a_match_is_learnt() -> None:
    game = CircuitGame(ground(parse_rules(GOOD_OR_BAD)))
    play = SelfPlay(game, 1)
    play.run(Deadline(None), steps=60)
    start = game.initial_position()
    good, bad = (game.next_position(start, (move,)) for move in ("good", "bad"))
    found = find_log_odds(play.model, game.rows([good, bad]))[:, 0]
    assert found[0] > 1 > -1 > found[1]


@pytest.mark.parametrize("name", ["tic_tac_toe", "rock_paper_scissors", "pig", "chinese_checkers", "lights_out"])
def test_matches_of_every_kind_come_to_an_end(name: str) -> None:
    play = _make(name)
    while play.num_matches < 2 * UNSEEN:
        play.run(Deadline(None), steps=20)
    weights = play.model.weights
    assert np.isfinite(weights).all()
    assert (weights != 0).any()


def test_one_seed_one_model() -> None:
    one, two, other = _make("tic_tac_toe"), _make("tic_tac_toe"), _make("tic_tac_toe", 2)
    for play in (one, two, other):
        play.run(Deadline(None), steps=15)
    assert (one.model.weights == two.model.weights).all()
    assert (one.model.pairs == two.model.pairs).all()
    assert (one.model.weights != other.model.weights).any()


def test_who_moves_last_in_a_race_for_points_is_known() -> None:
    """In a game with two roles whose goals add up to 100, what one expects the other fears."""
    play = _make("tic_tac_toe")
    play.run(Deadline(None), steps=30)
    game = CircuitGame(ground(load_rules("tic_tac_toe")))
    found = find_log_odds(play.model, game.rows([game.initial_position()]))[0]
    assert found[0] == pytest.approx(-found[1], abs=1e-3)


def test_shares_need_matches() -> None:
    play = _make("tic_tac_toe")
    play.weigh(4, Deadline(None))
    assert play.model.mixture[0].tolist() == [0.0, 1.0, 0.0]


def test_shares_are_those_of_what_predicts_the_end() -> None:
    play = _make("tic_tac_toe")
    play.run(Deadline(None), steps=200)
    play.weigh(4, Deadline(None))
    assert play.model.mixture[0, OF_MODEL] > 0
    assert play.model.mixture[0, OF_PLAYOUTS] > 0


def test_a_logistic_regression_finds_its_weights() -> None:
    random = np.random.default_rng(3)
    features = np.concatenate([random.normal(size=(5000, 2)), np.ones((5000, 1))], axis=1)
    weights = np.array([1.5, -0.5, 0.3])
    targets = (random.random(5000) < 1 / (1 + np.exp(-features @ weights))).astype(float)
    assert fit_logistic(features, targets) == pytest.approx(weights, abs=0.15)
