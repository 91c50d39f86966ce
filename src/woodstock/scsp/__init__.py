"""Stochastic constraint networks: decisions under chance, and games as sequences of them.

| word | meaning |
|---|---|
| stochastic variable | one that chance decides, by a probability table that depends on variables before it |
| decision | any other variable |
| stage | decisions, and what chance draws after them; a network of one stage is a µSCSP |
| policy | a tree: what is decided, for everything that chance may draw |
| feasible | no hard constraint is broken on any path of the policy |
| satisfaction | the probability that no hard constraint is broken |
| expected utility | what the soft constraints give a player, over all paths |
| threshold θ | what each player has to expect at least; a feasible policy that reaches it is a solution |
| N', N'' | the constraints of a stage that chance has no share in, and the others |
| feasibility constraint | the decisions of N'' that hold whatever chance draws, as one constraint of N' |

A player lays a coin, chance flips another, and then the player may turn its own round, at a price:

>>> from woodstock.cp.constraints import Utility
>>> from woodstock.cp.network import Network
>>> from woodstock.scsp import StageSequence, StochasticNetwork, policy_lines, uniform
>>> network = Network()
>>> laid, flipped, shown = (network.add_var(name, ("heads", "tails")) for name in ("laid", "flipped", "shown"))
>>> network.add(Utility((flipped, shown), [(0, 0), (1, 1)], [[0.75], [0.75]]))
>>> network.add(Utility((laid, shown), [(0, 0), (1, 1)], [[0.25], [0.25]]))
>>> game = StochasticNetwork(network, (uniform(network, flipped),))
>>> best = StageSequence(game).best_policy().found[0]
>>> best.utilities
(Fraction(7, 8),)
>>> for line in policy_lines(game, best.policy):
...     print(line)
laid = heads
if flipped = heads:
  shown = heads
if flipped = tails:
  shown = tails
"""

from __future__ import annotations

from woodstock.scsp.chance import ChanceTable, ProbabilityTable, UniformTable, as_fraction, unconditional, uniform
from woodstock.scsp.exact import best_policy, feasible_policies, solution_policies, undominated_policies
from woodstock.scsp.feasibility import Feasibility, Outcome, find_feasible
from woodstock.scsp.game_fluents import Encoding
from woodstock.scsp.game_network import GameNetwork
from woodstock.scsp.one_stage import OneStage
from woodstock.scsp.policy import Path, Policy, PolicyEvaluator, paths, policy_lines
from woodstock.scsp.sequence import StageSequence, split_stages
from woodstock.scsp.solutions import OneStageSolutions
from woodstock.scsp.split import Split, split_network
from woodstock.scsp.stochastic import Stage, StochasticNetwork
from woodstock.scsp.valued import Policies, Valued

__all__ = [
    "StochasticNetwork",
    "Stage",
    "ChanceTable",
    "ProbabilityTable",
    "UniformTable",
    "unconditional",
    "uniform",
    "as_fraction",
    "Policy",
    "Path",
    "paths",
    "PolicyEvaluator",
    "policy_lines",
    "Valued",
    "Policies",
    "feasible_policies",
    "solution_policies",
    "undominated_policies",
    "best_policy",
    "OneStage",
    "OneStageSolutions",
    "Split",
    "split_network",
    "Feasibility",
    "Outcome",
    "find_feasible",
    "StageSequence",
    "split_stages",
    "GameNetwork",
    "Encoding",
]
