"""Small sheets for the tests of symmetries."""

from __future__ import annotations

from woodstock.gdl.sheet import parse_rules
from woodstock.ground import GroundProgram, ground


def program_of(text: str) -> GroundProgram:
    return ground(parse_rules(text), use_cache=False)


# Read as a graph in which a rule is a clique of its atoms, this sheet lets a and b change places.
CLIQUES = """
    (role r) (init g1) (init f)
    (<= (next g1) (not (true g1))) (<= (next g2) (not (true g2))) (<= (next f) (not (true f)))
    (<= a (true g2)) (<= a b (true f)) (<= b (true g1))
    (<= (legal r x) a) (<= (legal r y) b) (legal r z)
    (<= terminal (true g1) (true g2) (true f)) (goal r 50)
"""

# Two lamps are the same but for the helper that says of one of them that it is off.
LAMPS = """
    (role r) (init (lamp a)) (init (lamp b))
    (<= (legal r (press ?l)) (true (lamp ?l)))
    (<= (next (lamp ?l)) (true (lamp ?l)) (not (does r (press ?l))))
    (<= (legal r wait) (not (true (lamp a))) (not (true (lamp b))))
    {0}
    (<= terminal dark) (<= (goal r 100) dark) (<= (goal r 0) (not dark))
"""
PLAIN_LAMPS = LAMPS.format("(<= dark (not (true (lamp a))) (not (true (lamp b))))")
HELPED_LAMPS = LAMPS.format("(<= first (not (true (lamp a)))) (<= dark first (not (true (lamp b)))) (<= other first)")

# Whether both or none are on is asked along a chain: a exclusive-or b, with b's cases spelt out inside those of a.
CHAINED_LAMPS = """
    (role r) (init (lamp a)) (init (lamp b)) (init (lamp c))
    (<= (legal r (press ?l)) (lamps ?l)) (lamps a) (lamps b) (lamps c)
    (<= (next (lamp ?l)) (true (lamp ?l)) (not (does r (press ?l))))
    (<= (next (lamp ?l)) (lamps ?l) (not (true (lamp ?l))) (does r (press ?l)))
    (<= odd1 (true (lamp a)))
    (<= odd2 odd1 (not (true (lamp b)))) (<= odd2 (true (lamp b)) (not odd1))
    (<= odd3 odd2 (not (true (lamp c)))) (<= odd3 (true (lamp c)) (not odd2))
    (<= terminal (not (true (lamp a))) (not (true (lamp b))) (not (true (lamp c))))
    (<= (goal r 100) odd3) (<= (goal r 0) (not odd3))
"""

# Stones on a strip of cells; who joins both ends wins. Only paths from the left end are followed.
STRIP = """
    (role r) (role s) (init (turn r))
    (cells 1) (cells 2) (cells 3) (cells 4) (cells 5)
    (near 1 2) (near 2 3) (near 3 4) (near 4 5) (near 2 4)
    (<= (joined ?x ?y) (near ?x ?y)) (<= (joined ?x ?y) (near ?y ?x))
    (<= (taken ?c) (true (stone ?c ?p)))
    (<= (legal ?p (put ?c)) (true (turn ?p)) (cells ?c) (not (taken ?c)))
    (<= (legal ?p wait) (role ?p) (not (true (turn ?p))))
    (<= (legal ?p pass) (true (turn ?p)))
    (<= (next (turn s)) (true (turn r))) (<= (next (turn r)) (true (turn s)))
    (<= (next (stone ?c ?p)) (true (stone ?c ?p))) (<= (next (stone ?c ?p)) (does ?p (put ?c)))
    (<= (path 1 ?p) (true (stone 1 ?p)))
    (<= (path ?y ?p) (path ?x ?p) (joined ?x ?y) (true (stone ?y ?p)))
    (<= (wins ?p) (path 5 ?p))
    (<= terminal (wins ?p))
    (<= (goal ?p 100) (wins ?p)) (<= (goal ?p 0) (role ?p) (not (wins ?p)))
"""

# What a spy sees has two names; nothing else tells them apart.
SPY = """
    (role r) (role random) (init start)
    (legal r wait) (legal random heads) (legal random tails)
    (<= (next (side ?s)) (does random ?s))
    (<= (sees r (coin ?s)) (does random ?s))
    (<= terminal (true (side ?s))) (goal r 50) (goal random 0)
"""
