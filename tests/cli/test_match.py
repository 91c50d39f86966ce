from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from woodstock.game.load import load_rules
from woodstock.game.reference import ReferenceGame
from woodstock.match import find_differences, read_record
from woodstock.match.invariants import find_faults
from woodstock.players import Candidate, Explanation, Player, RandomPlayer, Turn, registry

GUESS = """
(role random) (role you)
(init (round first)) (side heads) (side tails)
(<= (legal ?r ?s) (role ?r) (side ?s))
(<= (next (coin ?s)) (does random ?s))
(<= (next (called ?s)) (does you ?s))
(<= (sees you (coin ?s)) (does random ?s))
(<= terminal (true (coin ?s)))
(<= right (true (coin ?s)) (true (called ?s)))
(<= (goal ?r 100) (role ?r) right)
(<= (goal ?r 0) (role ?r) (not right))
"""


CALM = ("--start", "600", "--play", "600")
"""Clocks under which nobody is late, however busy the machine is."""


class Interrupting(Player):
    """Presses Ctrl-C at its third move."""

    def choose(self, turn: Turn[Any]) -> Any:
        if turn.number == 2:
            raise KeyboardInterrupt
        return turn.legal_moves[0]


class Failing(Player):
    """Breaks the rules in every way, one after the other."""

    def start(self, seat: Any) -> None:
        raise RuntimeError("not today")

    def choose(self, turn: Turn[Any]) -> Any:
        if turn.number == 0:
            return ("place", "9", "9")
        if turn.number == 1:
            raise RuntimeError("lost")
        return turn.legal_moves[0]


class Talking(RandomPlayer):
    """Explains itself."""

    def explain(self) -> Explanation:
        return Explanation("x", (Candidate(("place", "1", "1"), 61.5, 2.0, 77),), statistics={"nodes": 1234})


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch):
    """A function that gives a player of these tests a name; no circuit is made for it."""

    def add(name: str, player: type) -> None:
        find = registry.find_player
        monkeypatch.setattr(registry, "find_player", lambda wanted: player if wanted == name else find(wanted))
        monkeypatch.setattr(registry, "THOUGHTLESS", {*registry.THOUGHTLESS, name})

    return add


def test_the_board_is_drawn_after_every_move_and_the_result_at_the_end(woodstock, tmp_path) -> None:
    path = tmp_path / "m.json"
    code, out, err = woodstock(
        "match", "tic_tac_toe", "--player", "greedy", "--player", "random", "--seed", "1", *CALM, "--record", str(path)
    )
    assert (code, err) == (0, "")
    record = json.loads(path.read_text())
    lines = out.splitlines()
    assert lines[0] == "tic_tac_toe: x (greedy), o (random); seed 1"
    drawings = [part for part in out.split("\n\n") if part.startswith("3  ")]
    assert len(drawings) == len(record["states"])
    assert drawings[0].splitlines()[:4] == ["3  . . .", "2  . . .", "1  . . .", "   1 2 3"]
    for number, drawing in enumerate(drawings):
        squares = "".join(line[2:] for line in drawing.splitlines()[:3])
        assert (squares.count("x"), squares.count("o")) == ((number + 1) // 2, number // 2)
    goals = record["goalValues"]
    assert lines[-1] == f"Finished after {len(record['moves'])} steps: x {goals[0]}, o {goals[1]}"


def test_the_record_as_json(woodstock) -> None:
    code, out, err = woodstock(
        "match",
        "tic_tac_toe",
        "--player",
        "legal",
        "--player",
        "greedy",
        "--seed",
        "2",
        "--start",
        "500.5",
        "--play",
        "600",
        "--json",
    )
    assert (code, err) == (0, "")
    record = json.loads(out)
    assert find_faults(record) == []
    assert record["x-players"] == ["legal", "greedy"]
    assert (record["x-seed"], record["x-clocks"]) == (2, {"start": 500.5, "play": 600.0})
    assert record["isCompleted"]


def test_a_match_with_iterations_is_repeated_by_its_seed(woodstock) -> None:
    def moves(seed: int) -> Any:
        args = ("--player", "greedy", "--player", "random", "--iterations", "10", "--seed", str(seed), "--json")
        record = json.loads(woodstock("match", "tic_tac_toe", *args).out)
        assert (record["x-iterations"], record["x-clocks"], record["playClock"]) == (10, {}, -1)
        return record["moves"]

    assert moves(5) == moves(5)
    assert len({str(moves(seed)) for seed in range(6)}) > 3


def test_without_a_seed_the_one_that_was_used_is_printed_and_repeats_the_match(woodstock) -> None:
    first = woodstock("match", "tic_tac_toe", "--player", "random", *CALM).out
    seed = first.splitlines()[0].rpartition("seed ")[2]
    assert woodstock("match", "tic_tac_toe", "--player", "random", *CALM, "--seed", seed).out == first


def test_fewer_players_are_dealt_round_again_and_more_are_refused(woodstock) -> None:
    three = "(role a) (role b) (role c) (<= (legal ?r go) (role ?r)) terminal (<= (goal ?r 50) (role ?r))"
    out = woodstock("match", "-", "--player", "random", "--player", "legal", "--seed", "1", *CALM, stdin=three).out
    assert out.splitlines()[0] == "-: a (random), b (legal), c (random); seed 1"
    code, out, err = woodstock("match", "tic_tac_toe", *["--player", "random"] * 3)
    assert (code, out) == (2, "")
    assert "expected at most 2 players, one for each role (x, o), found 3" in err


def test_nature_and_hidden_information(woodstock) -> None:
    code, out, err = woodstock("match", "-", "--seed", "3", "--player", "random", *CALM, stdin=GUESS)
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == "-: you (random); seed 3"
    assert "\n1. random: " in out
    assert out.splitlines()[-1] in {"Finished after 1 step: you 100", "Finished after 1 step: you 0"}


def test_a_person_sees_no_more_than_the_role_may(woodstock) -> None:
    code, out, _ = woodstock("match", "-", "--seed", "3", "--player", "human", *CALM, stdin=GUESS)
    assert code == 130  # the sheet was all that could be read
    assert out.splitlines() == ["-: you (human); seed 3"]


def test_quiet_prints_the_result_alone(woodstock) -> None:
    code, out, err = woodstock("match", "tic_tac_toe", "--player", "random", *CALM, "--quiet")
    assert (code, err) == (0, "")
    assert len(out.splitlines()) == 1
    assert out.startswith("Finished after ")


def test_ctrl_c_ends_the_match_and_the_record_tells_of_it_up_to_there(woodstock, register, tmp_path) -> None:
    register("interrupting", Interrupting)
    path = tmp_path / "m.json"
    code, _, err = woodstock(
        "match", "tic_tac_toe", "--player", "legal", "--player", "interrupting", *CALM, "--record", str(path)
    )
    assert code == 130
    assert err.splitlines()[-1] == "woodstock: interrupted"
    record = json.loads(path.read_text())
    assert (record["isAborted"], record["isCompleted"], record["x-ending"]) == (True, False, "aborted")
    assert (len(record["moves"]), len(record["states"])) == (2, 3)
    assert find_faults(record) == []
    assert woodstock("replay", str(path), "--quiet").code == 0
    code, out, _ = woodstock("match", "tic_tac_toe", "--player", "legal", "--player", "interrupting", "--json")
    assert (code, json.loads(out)["isAborted"]) == (130, True)


def test_what_players_do_wrong_is_told_and_recorded(woodstock, register, tmp_path) -> None:
    register("failing", Failing)
    path = tmp_path / "m.json"
    code, out, err = woodstock(
        "match", "tic_tac_toe", "--player", "failing", "--player", "legal", "--record", str(path)
    )
    assert code == 0
    assert "\n\nx said ( place 9 9 ), which is no legal move: (place " in out
    assert "\n\nx crashed or was lost: wait was made for it\n" in out
    assert "the player of x crashed before the match began" in err
    record = json.loads(path.read_text())
    assert [row[0] for row in record["errors"][:3]] == ["CE", "IL ( place 9 9 )", "CE"]
    assert woodstock("replay", str(path), "--quiet").code == 0


def test_explanations_are_printed_and_recorded(woodstock, register, tmp_path) -> None:
    register("talking", Talking)
    path = tmp_path / "m.json"
    args = ("tic_tac_toe", "--player", "talking", "--player", "random", *CALM, "--record", str(path))
    out = woodstock("match", *args, "--explain").out
    assert "\nx:\nmove" in out
    assert "nodes 1,234" in out
    assert json.loads(path.read_text())["x-analysis"][0]["x"]["candidates"][0]["value"] == 61.5
    assert "   x expected 61.5 ± 2.0\n" in woodstock("replay", str(path)).out
    assert "nodes" not in woodstock("match", *args).out
    assert "x-analysis" not in json.loads(path.read_text())


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["tic_tac_toe"], "the following arguments are required: --player"),
        (["tic_tac_toe", "--player", "gredy"], "no player is called 'gredy'; did you mean 'greedy'?"),
        (["tictactow", "--player", "random"], "there is no game or file 'tictactow'"),
        (["nim", "--player", "random", "--play", "0"], "expected a positive number of seconds, found '0'"),
        (["nim", "--player", "random", "--start", "nan"], "expected a positive number of seconds, found 'nan'"),
        (["nim", "--player", "random", "--iterations", "0"], "--iterations takes a positive number, found 0"),
        (["nim", "--player", "random", "--iterations", "5", "--play", "1"], "--iterations takes the place of clocks"),
        (["nim", "--player", "random", "--record", "no/such/m.json"], "there is no folder no/such"),
        (["nim", "--player", "random", "--seed", "x"], "invalid int value: 'x'"),
    ],
)
def test_wrong_arguments(woodstock, args, message) -> None:
    code, out, err = woodstock("match", *args)
    assert (code, out) == (2, "")
    assert message in err


def test_a_record_that_cannot_be_written(woodstock, tmp_path: Path) -> None:
    code, _, err = woodstock("match", "nim", "--player", "random", "--quiet", "--record", str(tmp_path))
    assert code == 2
    assert str(tmp_path) in err


def test_what_match_records_follows_the_rules(woodstock) -> None:
    out = woodstock("match", "monty_hall", "--player", "random", "--seed", "4", "--json").out
    assert list(find_differences(read_record(out), ReferenceGame(load_rules("monty_hall")))) == []
