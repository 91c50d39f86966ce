"""Quantified constraint networks: exact solving, and players that solve them in real time.

Glossary:

- A *quantified network* is a network with a *prefix*, which says in which order variables get their values and by which
  of two *sides*: the *existential* one wants all constraints to hold at the end, the *universal* one does not
  (`woodstock.qcsp.network`). A *turn* is the place of a variable in the prefix. The network is *true* if the
  existential side can win against everything.
- *Propagation* removes values that lose: QAC, SQGAC, pure values (`woodstock.qcsp.propagation`). A *situation* is what
  it leaves after some turns (`woodstock.qcsp.situation`).
- The *solver* finds out who wins (`woodstock.qcsp.solver`); a *strategy* says how (`woodstock.qcsp.strategy`).
- A *player* gives values within a time limit, as well as it can (`woodstock.qcsp.players`). A *play* is one run through
  the prefix (`woodstock.qcsp.match`), an *experiment* many of them (`woodstock.qcsp.experiment`).
- *Families* are random networks (`random_networks`), bin packing (`bin_packing`), rosters (`breakdowns`) and board
  games (`boards`); files are JSON, XCSP3 or QDIMACS (`files`).

Whatever x is, y can be something else; but no y is different from every x:

>>> from woodstock.cp import Network, Table
>>> from woodstock.qcsp import Block, QuantifiedNetwork, find_strategy
>>> network = Network()
>>> x, y = network.add_vars(("x", "y"), ("red", "green"))
>>> network.add(Table((x, y), [(0, 0), (1, 1)], is_allowed=False))
>>> find_strategy(QuantifiedNetwork(network, (Block(True, (x,)), Block(False, (y,))))).is_universal
False
>>> find_strategy(QuantifiedNetwork(network, (Block(False, (y,)), Block(True, (x,))))).is_universal
True
"""

from __future__ import annotations

from woodstock.qcsp.files import load_network, save_network
from woodstock.qcsp.match import Play, Sides, make_players, play
from woodstock.qcsp.network import Block, QuantifiedNetwork, blocks_of
from woodstock.qcsp.players import PLAYERS, Player, make_player
from woodstock.qcsp.random_networks import Parameters, random_network
from woodstock.qcsp.situation import Compiled, Situation, Standing
from woodstock.qcsp.solver import Answer, Solver
from woodstock.qcsp.strategy import Strategy, find_strategy

__all__ = [
    "QuantifiedNetwork",
    "Block",
    "blocks_of",
    "load_network",
    "save_network",
    "Parameters",
    "random_network",
    "Compiled",
    "Situation",
    "Standing",
    "Solver",
    "Answer",
    "Strategy",
    "find_strategy",
    "Player",
    "PLAYERS",
    "make_player",
    "Sides",
    "make_players",
    "Play",
    "play",
]
