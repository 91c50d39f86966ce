"""Games as circuits: a ground program becomes gates, and kernels evaluate these for hundreds of positions at once.

- **Network**: gates (conjunctions of literals) over fluents and moves, and the literals that the rules ask for. The way
  there: `translate` (with `builder`, `factoring`, `loops`), `specialise`, `sharing`.
- **Clock**, **phase**: whose turn it is, where that follows its own course; each phase has a network of its own.
  **Reach**: what can be true in a phase at all.
- **Schedule**: a network in the order of evaluation. **Slot**: where the value of a node is kept. **Run**: gates of one
  form, one after the other. **Cone**: what is evaluated together: the position, what comes next, the goals.
- **Plan**: a network with its schedule. **Circuit**: all plans of a game. **Tape**: its plans as flat arrays.
- **Lane**: one position inside a batch; **words**: W 64-bit numbers, one bit for each of 64 W lanes.
- **Playouts**: `Runner` makes them, in lanes that are refilled. **Expansion**: all joint moves of many positions.
- **CircuitGame**: all of this, and the `Game` protocol on single positions (`scalar`).

>>> import numpy as np
>>> from woodstock.circuit.game import CircuitGame
>>> from woodstock.game.load import load_rules
>>> from woodstock.ground import ground
>>> game = CircuitGame(ground(load_rules("tic_tac_toe")))
>>> start = game.initial_position()
>>> children = game.expand([start])
>>> len(children.rows), bool(children.terminal.any())
(9, False)
>>> results = game.playouts([start], [10_000], seed=1)
>>> 55 < results.goal_sums[0, 0] / results.counts[0] < 75
np.True_
"""
