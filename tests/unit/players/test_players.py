from __future__ import annotations

from collections import Counter
from importlib.metadata import EntryPoint
from random import Random
from typing import Any

import pytest

from woodstock.common.errors import UsageError
from woodstock.game.protocol import Move
from woodstock.game.reference import ReferenceGame
from woodstock.gdl import parse_rules
from woodstock.match import MatchSetup, play_match
from woodstock.players import Clocks, Player, Seat, Turn, make_player, player_names, registry

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
    return Turn(0, moves, None if hidden else position)


def seat(random: Random) -> Seat[object]:
    return Seat(CROSSROADS, ReferenceGame(CROSSROADS), 0, Clocks(), False, random)


def choices(name: str, *moves: Move, hidden: bool = False, times: int = 60) -> Counter[Move]:
    player = make_player(name)
    player.start(seat(Random(1)))
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


@pytest.mark.parametrize("name", ["random", "legal", "greedy"])
def test_a_player_repeats_itself_with_the_same_random_numbers(name: str) -> None:
    def sequence() -> list[Move]:
        player = make_player(name)
        player.start(seat(Random(5)))
        return [player.choose(turn("lose", "wait", "gamble")) for _ in range(20)]

    assert sequence() == sequence()


def test_only_choose_has_to_be_written() -> None:
    class Last(Player):
        def choose(self, turn: Turn[Any]) -> Move:
            return turn.legal_moves[-1]

    rules = parse_rules(
        "(role you) (init on) (legal you a) (legal you b) (<= (next off) (true on))"
        "(<= terminal (true off)) (goal you 1)"
    )
    match = play_match(MatchSetup(rules, ReferenceGame(rules), ["last"]), [Last()])
    assert match.steps[0].moves[0] in {"a", "b"}
    assert match.steps[0].errors == ("",)


def test_clocks_are_checked() -> None:
    with pytest.raises(UsageError, match="a clock must be greater than zero, found play = 0"):
        Clocks(play=0)


class Outsider(Player):
    """A player of another package."""

    def __init__(self, level: int = 1, kind: str = "plain", limit: float | None = None, loud: bool = False) -> None:
        self.options = (level, kind, limit, loud)

    def choose(self, turn: Turn[Any]) -> Move:
        return turn.legal_moves[0]


@pytest.fixture
def outside(monkeypatch: pytest.MonkeyPatch) -> None:
    points = [
        EntryPoint("outsider", f"{__name__}:Outsider", registry.GROUP),
        EntryPoint("broken", "no_such_module:Player", registry.GROUP),
        EntryPoint("random", f"{__name__}:Outsider", registry.GROUP),
    ]
    monkeypatch.setattr(EntryPoint, "load", _load)
    monkeypatch.setattr(registry, "entry_points", lambda group: points if group == registry.GROUP else [])


def _load(point: EntryPoint) -> type[Player]:
    if point.name == "broken":
        raise ModuleNotFoundError("No module named 'no_such_module'")
    return Outsider


@pytest.mark.usefixtures("outside")
def test_another_package_adds_players_and_their_options() -> None:
    assert player_names()[-2:] == ["broken", "outsider"]
    made = make_player("outsider: level=3, kind=wild, limit=0.5, loud=on")
    assert isinstance(made, Outsider)
    assert made.options == (3, "wild", 0.5, True)
    assert make_player("outsider:limit=none").options == (1, "plain", None, False)  # type: ignore[attr-defined]
    assert not isinstance(make_player("random"), Outsider)
    assert registry.describe_options("outsider") == {"level": "1", "kind": "plain", "limit": "None", "loud": "False"}


@pytest.mark.usefixtures("outside")
@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("broken", "the player 'broken' of no_such_module:Player does not load: No module named"),
        ("outsider:level=high", "outsider:level takes a whole number, found 'high'"),
        ("outsider:loud=perhaps", "outsider:loud takes yes or no, found 'perhaps'"),
        ("outsider:lewel=1", r"the player 'outsider' has no option 'lewel'; did you mean 'level'\?"),
        ("outsider:level", "expected NAME:OPTION=VALUE,… for a player, found 'outsider:level'"),
        ("outsider:", "expected NAME:OPTION=VALUE"),
        ("outsider:level=1,level=2", "the option 'level' stands twice"),
        ("random:seed=1", r"the player 'random' has no option 'seed' \(options: none\)"),
    ],
)
def test_bad_specs_say_what_is_wrong(spec: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        make_player(spec)


def test_an_unknown_player_is_an_error_that_names_the_nearest() -> None:
    with pytest.raises(UsageError, match=r"no player is called 'randon'; did you mean 'random'\? \(players: random, "):
        make_player("randon")
