"""Symmetries of games: permutations of fluents, moves and roles that everything the rules say follows.

| word | meaning |
|---|---|
| symmetry | where every fluent, move, role and percept goes, such that the rules say the same of the images |
| rule graph | the ground program as a coloured graph; its automorphisms are symmetries |
| generators | a few symmetries of which all others are made by doing one after the other |
| order | how many symmetries there are, the one that moves nothing included |
| orbit | what symmetries take to each other |
| stabiliser | the symmetries that keep something, such as a position |
| hidden | of a symmetry: the rules have it, but are not written so that it shows |
| miter | two copies of the rules, one of them permuted, whose outputs are compared by a solver |

>>> from woodstock.gdl.sheet import parse_rules
>>> from woodstock.ground import ground
>>> rules = parse_rules('''(role x) (init (lamp a)) (init (lamp b)) (legal x (press a)) (legal x (press b))
...     (<= (next (lamp ?l)) (true (lamp ?l)) (not (does x (press ?l))))
...     (<= terminal (not (true (lamp a))) (not (true (lamp b)))) (<= (goal x 100) terminal)''')
>>> found = find_symmetries(ground(rules, use_cache=False), DetectionOptions(use_cache=False))
>>> found.order, found.generators[0].fluents.tolist(), found.generators[0].moves.tolist(), found.how
(2, [1, 0], [1, 0], ['the rules'])
"""

from __future__ import annotations

from woodstock.symmetry._automorphism import Library
from woodstock.symmetry.detection import DetectionOptions, GameSymmetries, find_symmetries
from woodstock.symmetry.group import PermutationGroup, SymmetryGroup
from woodstock.symmetry.symmetry import Symmetry

__all__ = [
    "DetectionOptions",
    "GameSymmetries",
    "Library",
    "PermutationGroup",
    "Symmetry",
    "SymmetryGroup",
    "find_symmetries",
]
