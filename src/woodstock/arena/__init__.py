"""Duels: who plays a game better, by many matches.

- **DuelPlan**: what is played: the game, two *contestants*, how many matches, clocks, seed. `make_plan` makes one.
- **run_duel**, **run_duels**: play it, in worker processes.
- **DuelResult**: what came of it: wins, draws and losses of the first contestant, its score, goals, faults.
- **Summary**: a mean with its Wilson interval and its standard deviation.

A *match* is one *play* of the game, or, where the contestants play separately, one by each of them.

>>> from woodstock.arena import make_plan
>>> from woodstock.players import Clocks
>>> plan = make_plan("tic_tac_toe", ("greedy", "random"), matches=3, clocks=Clocks(iterations=1))
>>> [play.seating for play in plan.plays()]
[(0, 1), (1, 0), (0, 1)]
"""

from woodstock.arena.duel import Report, Workers, run_duel, run_duels
from woodstock.arena.plan import DuelPlan, Play, make_plan
from woodstock.arena.playing import Faults, PlayResult
from woodstock.arena.result import Balance, Crash, DuelResult, Encounter
from woodstock.arena.statistics import Interval, Summary, summarise, wilson_interval

__all__ = [
    "DuelPlan",
    "Play",
    "make_plan",
    "run_duel",
    "run_duels",
    "Workers",
    "Report",
    "DuelResult",
    "Encounter",
    "Balance",
    "PlayResult",
    "Faults",
    "Crash",
    "Summary",
    "Interval",
    "summarise",
    "wilson_interval",
]
