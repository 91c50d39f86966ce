"""Matches: one play of a game under a clock, kept in order by a referee.

- **MatchSetup**: what is settled before a match: rules, names of the players, seed, clocks.
- **play_match**: asks players in this process for their moves until the match is over.
- **Referee**: knows the position, judges what came of asking the players (**Answer**), and applies the rules.
- **Match**: the record of it: every **Step**, every state, how it ended (**Ending**), and the goals.

Nature's role, `random`, has no seat: the referee makes its moves, each as likely as the others. A move that is late,
illegal or missing is replaced by a random legal one, and noted.

- **write_record**, **save_record**: a match as ggp.org's match JSON; **read_record**, **load_record**: and back.
- **find_differences**: where a record does not follow the rules (**Difference**).

>>> from woodstock.game.reference import ReferenceGame
>>> from woodstock.gdl import parse_rules
>>> from woodstock.match import MatchSetup, play_match
>>> from woodstock.players import make_player
>>> rules = parse_rules('''
... (role you) (init (left 2)) (less 2 1) (less 1 0)
... (legal you take) (<= (next (left ?n)) (true (left ?m)) (less ?m ?n))
... (<= terminal (true (left 0))) (goal you 100)
... ''')
>>> match = play_match(MatchSetup(rules, ReferenceGame(rules), ["legal"]), [make_player("legal")])
>>> [step.moves for step in match.steps]
[('take',), ('take',)]
>>> match.ending.value, match.goals
('finished', (100,))
"""

from woodstock.match.ggp_json import save_record, write_record
from woodstock.match.local import LocalMatch, Watch, play_match
from woodstock.match.reading import load_record, read_record
from woodstock.match.record import ILLEGAL, LATE, LOST, Answer, Ending, Match, Step, is_human
from woodstock.match.referee import MAX_STEPS, MatchSetup, Referee, rules_fingerprint, seats
from woodstock.match.replay import Difference, find_differences

__all__ = [
    "play_match",
    "LocalMatch",
    "Watch",
    "MatchSetup",
    "Referee",
    "seats",
    "is_human",
    "rules_fingerprint",
    "MAX_STEPS",
    "Match",
    "Step",
    "Answer",
    "Ending",
    "LATE",
    "LOST",
    "ILLEGAL",
    "write_record",
    "save_record",
    "read_record",
    "load_record",
    "Difference",
    "find_differences",
]
