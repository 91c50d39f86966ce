"""Networks in words."""

from __future__ import annotations

import numpy as np

from naive.small_games import ALL_GAMES, program_of
from woodstock.cp.constraints import Clauses, Gates, OneHot, Table, Utility
from woodstock.cp.network import Network
from woodstock.scsp.game_listing import Listing
from woodstock.scsp.game_network import GameNetwork


def test_every_kind_of_constraint() -> None:
    network = Network()
    coin, won, lost = (
        network.add_var("coin", ("heads", "tails", "unset")),
        network.add_var("won"),
        network.add_var("lost"),
    )
    literal = network.literal
    heads, unset = literal(coin, "heads"), literal(coin, "unset")
    network.add(
        Gates(
            np.array([literal(won), literal(lost) ^ 1], np.int32),
            np.array([0, 2, 4]),
            np.array([heads, unset ^ 1, literal(won), unset], np.int32),
        ),
        Clauses(np.array([0, 2, 2]), np.array([literal(won, False), unset ^ 1], np.int32)),
        Table((coin, won), [(0, 1), (1, 0)]),
        Table((won,), [(0,)], is_allowed=False),
        OneHot((heads, literal(won)), exactly=False),
        Utility((coin,), [(0,)], [(0.5, 1)]),
    )
    lines = list(Listing(network).constraints())
    assert lines == [
        "won ⇔ coin = heads ∧ coin ≠ unset",
        "lost ⇔ ¬ won ∨ coin ≠ unset",
        "¬ won ∨ coin ≠ unset",
        "false",
        "(coin, won) in",
        "    (heads, True)",
        "    (tails, False)",
        "(won) in (forbidden)",
        "    (False)",
        f"OneHot(literals={(heads, literal(won))}, exactly=False)",
        "utility of (coin)",
        "    (heads): 0.5, 1",
    ]
    assert "coin: heads, tails, unset" in Listing(network).variables()


def test_loops_are_told() -> None:
    lines = list(Listing(GameNetwork(program_of(ALL_GAMES["reachability"])).network).constraints())
    start = lines.index("derived without circles by")
    assert lines[start + 1].startswith("    legal a (go 1) @ 1 ⇐ ")
