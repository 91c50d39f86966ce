from __future__ import annotations

import json

import pytest

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


def test_the_board_is_drawn_after_every_move_and_the_result_at_the_end(woodstock) -> None:
    code, out, err = woodstock("play", "tic_tac_toe", "--seed", "1")
    assert (code, err) == (0, "")
    record = json.loads(woodstock("play", "tic_tac_toe", "--seed", "1", "--json").out)
    drawings = [part for part in out.split("\n\n") if part.startswith("3  ")]
    assert len(drawings) == len(record["moves"]) + 1
    assert drawings[0].splitlines()[:4] == ["3  . . .", "2  . . .", "1  . . .", "   1 2 3"]
    for number, drawing in enumerate(drawings):
        squares = "".join(line[2:] for line in drawing.splitlines()[:3])
        assert squares.count("x") == (number + 1) // 2
        assert squares.count("o") == number // 2
    goals = ", ".join(f"{role} {value}" for role, value in zip(record["roles"], record["goals"], strict=True))
    assert out.splitlines()[-1] == f"Finished after {len(record['moves'])} steps: {goals}"


def test_a_board_that_begins_empty_is_drawn_in_full_from_the_start(woodstock) -> None:
    out = woodstock("play", "connect_four", "--seed", "1").out
    drawings = [part.splitlines() for part in out.split("\n\n") if "turn: " in part]
    assert len(drawings) > 7
    assert {(len(lines), " ".join(lines[6].split())) for lines in drawings} == {(8, "1 2 3 4 5 6 7")}
    assert set("".join(line[1:] for line in drawings[0][:6])) == {" ", "."}


def test_the_same_seed_plays_the_same_match(woodstock) -> None:
    first = woodstock("play", "tic_tac_toe", "--players", "random", "--seed", "5").out
    assert woodstock("play", "tic_tac_toe", "--players", "random", "--seed", "5").out == first
    others = {woodstock("play", "tic_tac_toe", "--players", "random", "--seed", str(seed)).out for seed in range(6, 10)}
    assert len(others) == 4


def test_without_a_seed_the_one_that_was_used_is_printed_and_repeats_the_match(woodstock) -> None:
    first = woodstock("play", "tic_tac_toe").out
    seed = first.splitlines()[0].rpartition("seed ")[2]
    assert woodstock("play", "tic_tac_toe", "--seed", seed).out == first


def test_the_record_as_json(woodstock) -> None:
    code, out, err = woodstock("play", "tic_tac_toe", "--players", "legal,greedy", "--seed", "2", "--json")
    assert (code, err) == (0, "")
    record = json.loads(out)
    assert record["game"] == "tic_tac_toe"
    assert list(record["players"].values()) == ["legal", "greedy"]
    assert list(record["players"]) == record["roles"]
    assert record["seed"] == 2
    assert record["ending"] == "finished"
    assert sum(record["goals"]) == 100


def test_nature_and_hidden_information(woodstock) -> None:
    code, out, err = woodstock("play", "-", "--seed", "3", "--players", "random", stdin=GUESS)
    assert (code, err) == (0, "")
    assert out.splitlines()[0] == "-: you (random); seed 3"
    assert "\n1. random: " in out
    assert "\ncalled: " in out
    assert out.splitlines()[-1] in {"Finished after 1 step: you 100", "Finished after 1 step: you 0"}


def test_one_name_serves_all_roles_and_too_many_are_refused(woodstock) -> None:
    assert woodstock("play", "tic_tac_toe", "--players", "random", "--seed", "1").code == 0
    code, out, err = woodstock("play", "tic_tac_toe", "--players", "random,random,legal")
    assert (code, out) == (2, "")
    assert "expected at most 2 players" in err


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["tic_tac_toe", "--players", "gredy"], "no player is called 'gredy'; did you mean 'greedy'?"),
        (["tic_tac_toe", "--players", ""], "no player is called ''"),
        (["tic_tac_toe", "--delay", "-1"], "--delay takes 0 to 3600 seconds, found -1"),
        (["tic_tac_toe", "--delay", "nan"], "--delay takes 0 to 3600 seconds, found nan"),
        (["tictactow"], "there is no game or file 'tictactow'"),
        (["tic_tac_toe", "--seed", "x"], "invalid int value: 'x'"),
    ],
)
def test_wrong_arguments(woodstock, args, message) -> None:
    code, out, err = woodstock("play", *args)
    assert (code, out) == (2, "")
    assert message in err


def test_a_delay_is_waited_for_after_every_move(woodstock, monkeypatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr("woodstock.cli.play.time.sleep", waits.append)
    woodstock("play", "tic_tac_toe", "--seed", "1", "--delay", "0.5")
    record = json.loads(woodstock("play", "tic_tac_toe", "--seed", "1", "--json").out)
    assert waits == [0.5] * len(record["moves"])


def test_a_bad_sheet_is_reported_with_its_place(woodstock) -> None:
    code, out, err = woodstock("play", "-", stdin="(role x\n")
    assert (code, out) == (2, "")
    assert err.startswith("<stdin>:1:1: error: ")
