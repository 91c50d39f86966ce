"""Stages and probabilities for XCSP3."""

from __future__ import annotations

from fractions import Fraction

import pytest

from woodstock.common.errors import UsageError
from woodstock.cp.network import Network
from woodstock.game.ground_game import GroundGame
from woodstock.game.load import load_rules
from woodstock.ground import ground
from woodstock.scsp.game_export import make_stages
from woodstock.scsp.game_network import GameNetwork
from woodstock.scsp.scopes import same_variables


def started(game: GameNetwork) -> Network:
    clauses = game.position_clauses(game.initial_position())
    return same_variables(game.network, [clauses, *game.network.constraints])


def test_chance_draws_after_the_decisions_of_its_stage() -> None:
    game = GameNetwork(ground(load_rules("matching_pennies")), 2)
    stages, probabilities = make_stages(game, started(game))
    first, second = (stage.chance for stage in game.stages[:2])
    assert [stage.is_stochastic for stage in stages] == [False, True, False, True, False]
    assert [stage.vars for stage in stages if stage.is_stochastic] == [(first,), (second,)]
    assert [var for stage in stages for var in stage.vars] == list(range(game.network.num_vars))
    domain = game.network.domains[first]
    assert probabilities[first] == [Fraction(value == "watch") for value in domain]
    halves = {"turn_up heads": Fraction(1, 2), "turn_up tails": Fraction(1, 2)}
    assert probabilities[second] == [halves.get(str(value), Fraction(0)) for value in domain]


def test_games_without_chance_have_one_stage_of_decisions() -> None:
    game = GameNetwork(ground(load_rules("nim")), 2)
    stages, probabilities = make_stages(game, started(game))
    assert [stage.is_stochastic for stage in stages] == [False]
    assert stages[0].vars == tuple(range(game.network.num_vars))
    assert probabilities == {}


def test_chance_that_depends_on_moves_is_refused() -> None:
    program = ground(load_rules("pig"))
    game = GameNetwork(program, 2)
    assert GroundGame(program).initial_position() == game.initial_position()
    with pytest.raises(UsageError, match="what action random @ 2 may be depends on moves"):
        make_stages(game, started(game))
