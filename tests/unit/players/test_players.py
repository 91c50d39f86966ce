from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from woodstock.common.errors import UsageError
from woodstock.game.protocol import Move
from woodstock.game.reference import ReferenceGame
from woodstock.gdl import parse_rules
from woodstock.players import PLAYERS, Turn, make_player

# One decision: `win` and `lose` end the match, `wait` does not; what `gamble` brings depends on the other role.
CROSSROADS = parse_rules("""
(role you) (role other)
(init (at start))
(way win) (way lose) (way wait) (way gamble)
(<= (legal you ?m) (way ?m) (true (at start)))
(legal other noop)
(<= (legal other (answer yes)) (true (at start)))
(<= (legal other (answer no)) (true (at start)))
(<= (next (at ?m)) (does you ?m) (distinct ?m gamble))
(<= (next (at ?a)) (does you gamble) (does other (answer ?a)))
(<= (next (at wait)) (does you gamble) (does other noop))
(<= terminal (true (at ?x)) (distinct ?x start) (distinct ?x wait))
(<= (goal you 100) (true (at win)))
(<= (goal you 100) (true (at yes)))
(<= (goal you 0) (true (at lose)))
(<= (goal you 0) (true (at no)))
(<= (goal other 50) (role you))
""")
ALL: tuple[Move, ...] = ("wait", "lose", "gamble", "win")


def turn(*moves: Move, hidden: bool = False) -> Turn[object]:
    position = ReferenceGame(CROSSROADS).initial_position()
    return Turn(0, moves, None, frozenset(), None if hidden else position)


def choices(name: str, *moves: Move, hidden: bool = False, times: int = 60) -> Counter[Move]:
    player = make_player(name)
    player.start(ReferenceGame(CROSSROADS), 0, Random(1))
    return Counter(player.choose(turn(*moves, hidden=hidden)) for _ in range(times))


def test_legal_player_takes_the_first_in_order_whatever_the_order_of_the_list() -> None:
    assert set(choices("legal", *ALL)) == {"gamble"}
    assert set(choices("legal", ("mark", "2"), ("mark", "1"), "noop")) == {("mark", "1")}


def test_random_player_makes_every_move_about_equally_often() -> None:
    counts = choices("random", *ALL, times=400)
    assert set(counts) == set(ALL)
    assert all(70 <= count <= 130 for count in counts.values())


def test_greedy_player_takes_the_win() -> None:
    assert set(choices("greedy", *ALL)) == {"win"}


def test_greedy_player_avoids_the_loss_and_weighs_what_the_other_may_do() -> None:
    assert set(choices("greedy", "lose", "wait", "gamble")) == {"wait", "gamble"}


def test_greedy_player_moves_at_random_where_the_position_is_hidden() -> None:
    assert set(choices("greedy", *ALL, hidden=True)) == set(ALL)


@pytest.mark.parametrize("name", PLAYERS)
def test_a_player_repeats_itself_with_the_same_random_numbers(name: str) -> None:
    def sequence() -> list[Move]:
        player = make_player(name)
        player.start(ReferenceGame(CROSSROADS), 0, Random(5))
        return [player.choose(turn("lose", "wait", "gamble")) for _ in range(20)]

    assert sequence() == sequence()


def test_an_unknown_player_is_an_error_that_names_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"no player is called 'randon'; did you mean 'random'\? \(players: random, "):
        make_player("randon")
