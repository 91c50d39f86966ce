"""What the XCSP3 dialect of stochastic networks asks for: stages of variables, and the probabilities of chance."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from woodstock.common.errors import UsageError
from woodstock.cp.network import Network
from woodstock.cp.solver import Solver
from woodstock.cp.xcsp3 import Stage
from woodstock.scsp.game_assembly import GameStage
from woodstock.scsp.game_network import GameNetwork
from woodstock.scsp.game_vars import NO_VAR


def make_stages(game: GameNetwork, network: Network) -> tuple[list[Stage], dict[int, Sequence[Fraction]]]:
    """Return the stages of a game's network, and the probability of each value of its stochastic variables.

    The dialect knows no conditional probabilities; so what chance may draw has to follow from the first position.

    Args:
        game: The game's network.
        network: The same with constraints that say what the first position is.

    Raises:
        UsageError: What chance may draw depends on moves.
    """
    chances = [stage for stage in game.stages if stage.chance != NO_VAR]
    probabilities: dict[int, Sequence[Fraction]] = {}
    if chances:
        solver = Solver(network)
        probabilities = {stage.chance: _probabilities(game, solver, stage) for stage in chances}
    stages: list[Stage] = []
    first = 0
    for stage in chances:
        stages += [Stage(tuple(range(first, stage.chance))), Stage((stage.chance,), is_stochastic=True)]
        first = stage.chance + 1
    return [*stages, Stage(tuple(range(first, network.num_vars)))], probabilities


def _probabilities(game: GameNetwork, solver: Solver, stage: GameStage) -> list[Fraction]:
    """Return the probability of each move of chance at a stage, and of none, as far as propagation tells."""
    conditions = (*stage.chance_legal, stage.terminal)
    domains = [solver.domain(var) for var in conditions]
    if any(len(domain) != 1 for domain in domains):
        name = game.network.names[stage.chance]
        raise UsageError(
            f"what {name} may be depends on moves: XCSP3 can tell probabilities only where they follow from the first "
            "position; write fewer stages"
        )
    possible = [domain == (1,) for domain in domains]
    return [Fraction(int(value), sum(possible)) for value in possible]
