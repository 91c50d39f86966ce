"""Self-play: what is learnt from matches."""

from __future__ import annotations

import math

import numpy as np
import pytest

from naive.evaluation import NaiveEvaluation
from woodstock.circuit.game import CircuitGame
from woodstock.circuit.packing import pack
from woodstock.common.jit import jit
from woodstock.common.limits import Deadline
from woodstock.game.load import load_rules
from woodstock.gdl import parse_rules
from woodstock.ground import ground
from woodstock.search.evaluation import Model, find_log_odds
from woodstock.search.families import find_families
from woodstock.search.self_play import FEWEST_MATCHES, PLAYED_SHARE, TRACE, Matches, SelfPlay, Table, _learn, narrow
from woodstock.symmetry.detection import DetectionOptions, find_symmetries

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
    while play.num_matches < 2 * FEWEST_MATCHES:
        play.run(Deadline(None), steps=20)
    weights = play.model.weights
    assert np.isfinite(weights).all()
    assert (weights != 0).any()


def test_not_more_matches_at_once_than_can_learn_from_others() -> None:
    play = _make("tic_tac_toe")
    playing = []
    while play._playing < 64:
        play.run(Deadline(None), steps=1)
        playing.append(play._playing)
        assert play._playing <= max(FEWEST_MATCHES, PLAYED_SHARE * play.num_matches)
    assert playing[0] == FEWEST_MATCHES
    assert playing == sorted(playing)


def test_one_seed_one_model() -> None:
    one, two, other = _make("tic_tac_toe"), _make("tic_tac_toe"), _make("tic_tac_toe", 2)
    for play in (one, two, other):
        play.run(Deadline(None), steps=15)
    assert (one.model.weights == two.model.weights).all()
    assert (one.model.pairs == two.model.pairs).all()
    assert (one.model.weights != other.model.weights).any()


def test_two_roles_whose_goals_add_up_to_100_share_a_column() -> None:
    assert len(_make("tic_tac_toe").model.sums) == 1
    assert len(_make("pig").model.sums) == 1  # nature is no third
    assert len(_make("chinese_checkers").model.sums) == 3
    assert len(_make("orchard").model.sums) > 1


def test_matches_have_a_length() -> None:
    play = _make("tic_tac_toe")
    play.run(Deadline(None), steps=200)
    assert 5 <= play.mean_length <= 10


@jit
def _learn_from(model: Model, matches: Matches, table: Table) -> None:
    _learn(model, matches, 0, table)


@pytest.mark.parametrize("tried", [[], [1], [2]])
def test_what_came_of_a_move_that_was_only_tried_is_not_told_to_the_positions_before(tried: list[int]) -> None:
    play = _make("breakthrough_small")
    held = np.random.default_rng(4).random((4, len(play.model.held))) < 0.3
    play._matches.rows[0, :4] = pack(held)
    play._matches.lengths[0], play._matches.opening[0] = 4, 0
    play._matches.tried[0, tried] = True
    play._table.target[0] = 1.0
    naive, target = NaiveEvaluation(families=find_families(play.game.program.fluents)), 1.0
    for step in (3, 2, 1, 0):
        fluents = np.flatnonzero(held[step]).tolist()
        expected = 1 / (1 + math.exp(-naive.log_odds(fluents)))
        if step in tried:
            target = expected
        else:
            naive.learn(fluents, target)
            target = TRACE * target + (1 - TRACE) * expected
    _learn_from(play.model, play._matches, play._table)
    for step in range(4):
        found = find_log_odds(play.model, play._matches.rows[0, step : step + 1])[0, 0]
        assert found == pytest.approx(naive.log_odds(np.flatnonzero(held[step]).tolist()), abs=1e-5)
        assert found != 0


def test_what_is_learnt_of_a_position_is_learnt_of_its_mirror_image() -> None:
    game = CircuitGame(ground(load_rules("connect_four")))
    group = find_symmetries(game.program, DetectionOptions(permute_roles=True)).group
    plays = [SelfPlay(game, 1, symmetries) for symmetries in (None, group)]
    for play in plays:
        play.run(Deadline(None), steps=50)
    start = game.initial_position()
    left, right = (game.next_position(start, (("drop", column), "wait")) for column in ("1", "7"))
    plain, shared = (find_log_odds(play.model, game.rows([left, right]))[:, 0] for play in plays)
    assert shared[0] == pytest.approx(shared[1], abs=1e-4)
    assert plain[0] != pytest.approx(plain[1], abs=1e-4)
    assert plays[1].model.num_learnt < plays[0].model.num_learnt / 3


# You bet while the coin is tossed: nobody can know. Who bets on heads gets 60 or 0, who does not gets 40.
COIN = """
(role random) (role you) (init start)
(<= (legal random heads) (true start)) (<= (legal random tails) (true start))
(<= (legal you bet) (true start)) (<= (legal you pass) (true start))
(<= (next (saw ?c ?m)) (does random ?c) (does you ?m))
(<= terminal (true (saw ?c ?m)))
(<= (goal you 60) (true (saw heads bet))) (<= (goal you 0) (true (saw tails bet)))
(<= (goal you 40) (true (saw ?c pass))) (goal random 0)
"""


def test_nobody_sees_what_nature_does_at_the_same_time() -> None:
    """Who saw the coin would bet on heads only and win 50 on the average; who does not passes and gets 40."""
    play = SelfPlay(CircuitGame(ground(parse_rules(COIN))), 1)
    play.run(Deadline(None), steps=300)
    narrowed = play._matches.legal.copy()
    play._matches.opening[:] = 0
    narrow(play._matches, narrowed, play._table)
    is_tried = (narrowed != play._matches.legal).any(axis=1)
    assert is_tried.mean() < 0.3  # all moves of both are looked at but where any move is tried


@pytest.mark.parametrize("name", ["pig", "cant_stop"])
def test_nature_alone_makes_one_move(name: str) -> None:
    game = CircuitGame(ground(load_rules(name)))
    play = SelfPlay(game, 1)
    for _ in range(30):
        play.run(Deadline(None), steps=1)
        wanted = play._matches.legal.copy()
        play._matches.opening[:] = 0
        narrow(play._matches, wanted, play._table)
        for match in range(8):
            row = play._matches.rows[match, play._matches.lengths[match] - 1]
            legal = [game.legal_moves(game.position(row), role) for role in range(len(game.roles))]
            choosing = [role for role in range(len(game.roles)) if len(legal[role]) > 1]
            left = int(np.bitwise_count(wanted[match]).sum())
            if [game.roles[role] for role in choosing] == ["random"]:
                assert left == len(game.roles)
            else:
                assert left in (len(game.roles), sum(len(moves) for moves in legal))
