from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import woodstock
from woodstock.common.errors import UsageError
from woodstock.game.reference import ReferenceGame
from woodstock.gdl.diagnostics import GdlError
from woodstock.players import Clocks, Event, Player, Seat, Turn

LAMP = """
(role you) (init off) (legal you press) (legal you wait)
(<= (next on) (does you press) (true off)) (<= (next off) (does you wait) (true off))
(<= terminal (true on)) (<= (goal you 100) (true on)) (<= (goal you 0) (true off))
"""


@pytest.fixture(scope="module")
def game() -> woodstock.LoadedGame:
    return woodstock.load("tic_tac_toe")


def test_a_game_is_loaded_by_name_path_or_text(tmp_path: Path) -> None:
    sheet = tmp_path / "lamp.kif"
    sheet.write_text(LAMP)
    for source in (LAMP, sheet, str(sheet)):
        assert woodstock.load(source).start.legal_moves() == ("press", "wait")
    assert woodstock.load("nim").title == "Nim 3-4-5"
    assert repr(woodstock.load("nim")) == "<Nim 3-4-5: first, second>"


def test_bad_sources_say_what_is_wrong() -> None:
    with pytest.raises(UsageError, match="tic_tac_to"):
        woodstock.load("tic_tac_to")
    with pytest.raises(GdlError, match="<rules>"):
        woodstock.load("(role you)\n(legal ?x press)")


def test_play_and_undo(game: woodstock.LoadedGame) -> None:
    position = game.start.play("place 2 2").play({"o": "(place 1 1)"}).play(x=("place", "1", "2"))
    assert position.line == (
        (("place", "2", "2"), "wait"),
        ("wait", ("place", "1", "1")),
        (("place", "1", "2"), "wait"),
    )
    assert position.to_move == ("o",)
    assert position.undo(3) == game.start
    assert hash(position.undo(3)) == hash(game.start)
    assert position.undo() != position
    with pytest.raises(UsageError, match="nothing to take back: 4 asked for, 3 made"):
        position.undo(4)


def test_moves_that_cannot_be_made_are_explained(game: woodstock.LoadedGame) -> None:
    with pytest.raises(UsageError, match=r"x has no legal move 'place 2 4'; did you mean \(place 2 .\)\? \(legal: "):
        game.start.play("place 2 4")
    with pytest.raises(UsageError, match="no role 'y'"):
        game.start.play(y="place 1 1")
    with pytest.raises(UsageError, match="x has 9 legal moves here"):
        game.start.play()
    simultaneous = woodstock.load("rock_paper_scissors")
    with pytest.raises(UsageError, match="several roles have a choice here"):
        simultaneous.start.play("show rock")


def test_the_end(game: woodstock.LoadedGame) -> None:
    position = game.start
    for move in ("place 1 1", "place 2 1", "place 1 2", "place 2 2", "place 1 3"):
        assert not position.is_terminal
        position = position.play(move)
    assert position.is_terminal
    assert position.goals == {"x": 100, "o": 0}
    assert "over: x 100, o 0" in position._repr_html_()
    with pytest.raises(UsageError, match="the match is over"):
        position.play("place 3 3")
    with pytest.raises(UsageError, match="the match is over"):
        position.ask("random")
    assert position.playouts(3).goals == {"x": 100.0, "o": 0.0}


def test_a_position_shows_itself(game: woodstock.LoadedGame) -> None:
    position = game.start.play("place 1 3")
    assert str(position) == "3  x . .\n2  . . .\n1  . . .\n   1 2 3\nturn: o"
    assert repr(position) == "<tic_tac_toe after 1 moves, o to move>"
    assert position._repr_html_().startswith("<pre>3  x . .")


def test_playouts_agree_with_the_reference_reasoner(game: woodstock.LoadedGame) -> None:
    fast = game.start.playouts(2000, seed=3)
    slow = woodstock.load("tic_tac_toe")
    slow.__dict__["reasoner"] = ReferenceGame(slow.rules)
    checked = slow.start.playouts(100, seed=3)
    assert fast.count == 2000
    assert fast.cut == checked.cut == 0
    assert fast.goals["x"] == pytest.approx(58.5, abs=8)
    assert checked.goals["x"] == pytest.approx(fast.goals["x"], abs=3 * checked.margins["x"])
    assert checked.length == pytest.approx(fast.length, abs=0.6)


def test_a_player_is_asked_for_a_move(game: woodstock.LoadedGame) -> None:
    position = game.start
    for move in ("place 1 1", "place 2 1", "place 1 2", "place 2 2"):
        position = position.play(move)
    answer = position.ask("uct", iterations=200)
    assert answer.move == ("place", "1", "3")
    assert answer.value == 100
    assert "proven" in str(answer)
    assert position.ask("uct", iterations=200).move == answer.move
    assert position.ask("legal").candidates[0].value is None


def test_a_player_of_ones_own_sees_the_whole_match(game: woodstock.LoadedGame) -> None:
    class Watcher(Player):
        def __init__(self) -> None:
            self.seen: list[Any] = []

        def start(self, seat: Seat[Any]) -> None:
            self.seen.append(seat.role)

        def observe(self, event: Event[Any]) -> None:
            self.seen.append(event.moves)

        def choose(self, turn: Turn[Any]) -> Any:
            self.seen.append(turn.number)
            return turn.legal_moves[-1]

    watcher = Watcher()
    position = game.start.play("place 1 1").play("place 2 1")
    assert position.ask(watcher).move in position.legal_moves()
    assert watcher.seen == [0, *position.line, 2]


def test_a_match_between_specs_and_objects(game: woodstock.LoadedGame) -> None:
    one, other = (game.match("random", "greedy", clocks=Clocks(iterations=1), seed=5) for _ in range(2))
    assert [step.moves for step in one.steps] == [step.moves for step in other.steps]
    assert one.player_names == ("random", "greedy")
    with pytest.raises(UsageError, match=r"2 roles to play \(x, o\), found 1 players"):
        game.match("random")


def test_hidden_games_keep_their_secret() -> None:
    game = woodstock.load("monty_hall")
    assert game.is_hidden

    class Peeper(Player):
        def choose(self, turn: Turn[Any]) -> Any:
            assert turn.position is None
            return turn.legal_moves[0]

    position = game.start
    role = game.players[0]
    moves = {each: position.legal_moves(each)[0] for each in game.roles}
    position = position.play(moves)
    assert position.ask(Peeper(), role).move in position.legal_moves(role)
