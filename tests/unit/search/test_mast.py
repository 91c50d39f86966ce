from __future__ import annotations

import numpy as np

from woodstock.circuit.game import CircuitGame
from woodstock.circuit.runner import Batch, Runner
from woodstock.game.load import load_rules
from woodstock.ground import ground
from woodstock.search.mast import HEAVIEST, MoveAverages


def test_moves_that_do_well_become_likely_and_nature_stays_fair() -> None:
    game = CircuitGame(ground(load_rules("pig")))
    start = np.asarray(game.program.move_start, np.int64)
    nature = game.roles.index("random")
    averages = MoveAverages(start, 0.1, nature)
    rows = game.rows([game.initial_position()])
    results = Runner(game.circuit).run(Batch(rows, np.array([200]), 1, 400, averages.weights, with_moves=True))
    averages.add(results)
    seen = results.move_visits[0] > 0
    means = np.where(seen, results.move_rewards[0] / np.maximum(1, results.move_visits[0]), 0)
    for role in range(len(game.roles)):
        weights = averages.weights[start[role] : start[role + 1]]
        if role == nature:
            assert set(weights.tolist()) == {1}
        else:
            ours = means[start[role] : start[role + 1]] * seen[start[role] : start[role + 1]]
            assert weights[ours > 0].argmax() == ours[ours > 0].argmax()
            assert weights.max() == HEAVIEST
            assert (weights[~seen[start[role] : start[role + 1]]] == HEAVIEST).all()
    assert averages.weights.min() >= 1
