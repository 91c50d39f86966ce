"""Matches: one play of a game, kept in order by a referee.

- **play_match**: seats the players, asks them for their moves, and applies the rules until the end.
- **Match**: the record of it: every step, how it ended, and the goals.
- **Step**: one joint move, with the faults of the players that made none of their legal moves.

Nature's role, `random`, has no player: the referee makes its moves, each as likely as the others.

>>> from woodstock.game.reference import ReferenceGame
>>> from woodstock.gdl import parse_rules
>>> from woodstock.match import play_match
>>> from woodstock.players import make_player
>>> rules = parse_rules('''
... (role you) (init (left 2)) (less 2 1) (less 1 0)
... (legal you take) (<= (next (left ?n)) (true (left ?m)) (less ?m ?n))
... (<= terminal (true (left 0))) (goal you 100)
... ''')
>>> match = play_match(ReferenceGame(rules), [make_player("legal")])
>>> [step.moves for step in match.steps]
[('take',), ('take',)]
>>> match.ending.value, match.goals
('finished', (100,))
"""

from woodstock.match.record import Ending, Fault, Match, Step
from woodstock.match.referee import MAX_STEPS, play_match, seats

__all__ = ["play_match", "seats", "MAX_STEPS", "Match", "Step", "Fault", "Ending"]
