from __future__ import annotations

from itertools import product

from woodstock.game.perft import Level, divide, perft
from woodstock.game.reference import ReferenceGame
from woodstock.gdl.sheet import parse_rules

# Each step one of two roles, or both, may take a coin; the play ends when there are none of three left.
COINS = """
(role x) (role y) (init (left 3))
(pred 3 2) (pred 2 1) (pred 1 0)
(<= (legal ?r take) (role ?r)) (<= (legal ?r pass) (role ?r))
(<= someone (does ?r take))
(<= (next (left ?m)) someone (true (left ?n)) (pred ?n ?m))
(<= (next (left ?n)) (not someone) (true (left ?n)))
(<= terminal (true (left 0)))
(<= (goal ?r 50) (role ?r))
"""


def coins() -> ReferenceGame:
    return ReferenceGame(parse_rules(COINS))


def paths_by_hand(depth: int) -> tuple[int, int]:
    """Number of paths of a length and of those that end there: three of the four joint moves take a coin."""
    total = ended = 0
    for joint in product((0, 1, 1, 1), repeat=depth):
        if sum(joint[:-1]) < 3:
            total += 1
            ended += sum(joint) == 3
    return total, ended


def test_paths_unique_positions_and_ends_by_depth() -> None:
    levels = list(perft(coins(), 6, unique=True))
    assert [level.depth for level in levels] == [1, 2, 3, 4, 5, 6]
    assert [(level.paths, level.terminal) for level in levels] == [paths_by_hand(depth) for depth in range(1, 7)]
    assert [level.unique for level in levels] == [2, 3, 4, 4, 4, 4]


def test_last_depth_is_counted_without_its_positions() -> None:
    levels = list(perft(coins(), 4))
    assert levels[-1] == Level(4, paths_by_hand(4)[0])
    assert levels[:-1] == list(perft(coins(), 4, unique=True))[:-1]


def test_divide_adds_up() -> None:
    for depth in (1, 2, 3, 5):
        counts = divide(coins(), depth)
        assert set(counts) == set(product(("take", "pass"), repeat=2))
        assert sum(counts.values()) == paths_by_hand(depth)[0]
    counts = divide(coins(), 3)
    assert counts["pass", "pass"] == 16
    assert counts["take", "pass"] == counts["pass", "take"] == counts["take", "take"] == 16


def test_perft_ends_with_the_game() -> None:
    rules = "(role x) (init (n 0)) (<= (legal x a) (true (n 0))) (<= (next (n 1)) (does x a)) {} (goal x 0)"
    for end in ("(<= terminal (true (n 1)))", "(<= terminal (true (n 2)))"):  # a terminal position, and a stuck role
        game = ReferenceGame(parse_rules(rules.format(end)))
        assert [level.paths for level in perft(game, 5)] == [1]
        assert [level.paths for level in perft(game, 5, unique=True)] == [1]
        assert divide(game, 3) == {("a",): 0}
