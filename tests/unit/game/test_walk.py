from __future__ import annotations

import random

from woodstock.game.reference import ReferenceGame
from woodstock.game.walk import Budget, Exploration, find_line, iter_playout, random_playout, render_line, replay
from woodstock.gdl.sheet import parse_rules

# Two counters that are raised or not at once, and that end together at 3.
COUNTERS = """
(role left) (role right) (init (count left 0)) (init (count right 0))
(succ 0 1) (succ 1 2) (succ 2 3) (succ 3 3)
(<= (legal ?r up) (role ?r)) (<= (legal ?r stay) (role ?r))
(<= (next (count ?r ?m)) (does ?r up) (true (count ?r ?n)) (succ ?n ?m))
(<= (next (count ?r ?n)) (does ?r stay) (true (count ?r ?n)))
(<= terminal (true (count left 3)) (true (count right 3)))
(<= (goal ?r 100) (role ?r))
"""


def counters() -> ReferenceGame:
    return ReferenceGame(parse_rules(COUNTERS))


def test_exploration_yields_every_position_once_by_depth() -> None:
    game = counters()
    exploration = Exploration(game)
    found = list(exploration.explore(Budget()))
    assert len(found) == len(set(found)) == len(exploration) == 16
    assert exploration.complete
    depths = [exploration.depth(position) for position in found]
    assert depths == sorted(depths)
    assert max(depths) == 3  # both counters rise at once


def test_exploration_knows_shortest_lines() -> None:
    game = counters()
    exploration = Exploration(game)
    for position in exploration.explore(Budget()):
        line = exploration.line(position)
        assert replay(game, line) == position
        assert len(line) == exploration.depth(position)
        path = exploration.path(position)
        assert path[0] == game.initial_position()
        assert replay(game, find_line(game, path)) == path[-1] == position


def test_exploration_goes_on_where_the_budget_ended() -> None:
    game = counters()
    exploration = Exploration(game)
    parts = []
    while not exploration.complete:
        parts.append(list(exploration.explore(Budget(positions=1))))
    assert len(parts) > 16  # one successor a part, many of them known before
    together = [position for part in parts for position in part]
    assert together == list(Exploration(game).explore(Budget()))


def test_playouts_end_and_depend_on_the_seed_alone() -> None:
    game = counters()
    first = random_playout(game, random.Random(7), 1000, Budget())
    again = random_playout(game, random.Random(7), 1000, Budget())
    assert first.ended
    assert not first.stuck
    assert first.line == again.line
    assert len(first.positions) == len(first.line) + 1
    assert replay(game, tuple(first.line)) == first.positions[-1]


def test_playout_is_cut_at_the_limits() -> None:
    game = counters()
    cut = random_playout(game, random.Random(7), 2, Budget())
    assert (cut.ended, cut.stuck, len(cut.line)) == (False, False, 2)
    broke = random_playout(game, random.Random(7), 1000, Budget(positions=2))
    assert len(broke.positions) == 2


def test_playout_tells_a_stuck_role() -> None:
    game = ReferenceGame(
        parse_rules("(role x) (init (n 0)) (<= (legal x a) (true (n 0))) (<= (next (n 1)) (does x a)) (goal x 0)")
    )
    playout = random_playout(game, random.Random(0), 10, Budget())
    assert (playout.ended, playout.stuck, playout.line) == (False, True, [("a",)])


def test_playouts_draw_from_moves_in_the_order_of_their_text() -> None:
    class Reversed(ReferenceGame):
        def legal_moves(self, position, role):  # type: ignore[no-untyped-def]
            return tuple(reversed(super().legal_moves(position, role)))

    game, other = counters(), Reversed(parse_rules(COUNTERS))
    played = [[moves for _, moves in iter_playout(one, random.Random(3))] for one in (game, other)]
    assert played[0] == played[1]


def test_budget_runs_out() -> None:
    budget = Budget(positions=2)
    budget.spend()
    assert not budget.exhausted
    budget.spend()
    assert budget.exhausted
    assert Budget(seconds=0).exhausted


def test_line_in_kif() -> None:
    assert render_line(((("mark", "1", "2"), "noop"), ("noop", "noop"))) == "((mark 1 2) noop)\n(noop noop)"
