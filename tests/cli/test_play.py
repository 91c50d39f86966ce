from __future__ import annotations

import io
import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from woodstock.cli import main
from woodstock.cli.session import describe_outcome
from woodstock.match import Ending, Match, load_record
from woodstock.players import Candidate, Clocks, Explanation, LegalPlayer, RandomPlayer

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

STUCK = """
(role you) (init begin)
(<= (legal you left) (true begin)) (<= (legal you right) (true begin))
(<= (next over) (true begin))
(<= terminal (true never)) (goal you 50)
"""


class Screen(NamedTuple):
    """What a person saw, and how the command ended."""

    code: int
    text: str
    err: str


@pytest.fixture
def person(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Screen]:
    """A function that runs `woodstock play ARGS…` at a terminal where somebody types some lines, then Ctrl-D."""

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    def run(*args: str, typed: str) -> Screen:
        lines = [line.strip() for line in typed.split(",")] if typed else []
        monkeypatch.setattr("sys.stdin", Terminal("".join(f"{line}\n" for line in lines)))
        capsys.readouterr()
        code = main(["play", *args])
        return Screen(code, *capsys.readouterr())

    return run


def boards(text: str) -> list[str]:
    """Return the boards of tic-tac-toe that were drawn, their squares row by row."""
    parts = [part for part in text.split("\n\n") if part.startswith("3  ")]
    return [" ".join(line[3:] for line in part.splitlines()[:3]) for part in parts]


# --- a person plays ---------------------------------------------------------------------------------------------------


def test_a_person_wins(person) -> None:
    typed = "place 1 1, 5, place 2 2, (place 3 3)"
    code, text, err = person("tic_tac_toe", "--against", "legal", "--seed", "1", typed=typed)
    assert (code, err) == (0, "")
    lines = text.splitlines()
    assert lines[0] == "tic_tac_toe: you are x against o (legal); seed 1"
    assert "1. x (you): (place 1 1)  o: wait" in lines
    assert lines[-1] == "You win, 100 : 0."
    assert text.count("x> ") == 4


def test_a_person_loses_in_another_role(person) -> None:
    code, text, _ = person("tic_tac_toe", "--role", "o", "--against", "legal", "--seed", "1", typed="3 3, 3 2, 2 2")
    assert code == 0
    assert text.splitlines()[-1] == "You lose, 0 : 100."
    assert "1. x: (place 1 1)  o (you): wait" in text


def test_forced_moves_are_made_and_told(person) -> None:
    text = person("tic_tac_toe", "--against", "legal", "--seed", "1", typed="1, quit").text
    assert "2. x (you): wait  o: (place 1 2)" in text
    assert text.count("x> ") == 2


def test_the_board_is_drawn_after_every_step(person) -> None:
    text = person("tic_tac_toe", "--against", "legal", typed="2 2, quit").text
    assert boards(text) == [". . . . . . . . .", ". . . . x . . . .", ". . . . x . o . ."]


def test_taking_back_goes_to_the_last_choice_and_the_record_forgets_it(person, tmp_path: Path) -> None:
    record = tmp_path / "record.json"
    typed = "undo, 2 2, 3 3, undo, undo, undo, 1 1, 2 2, 3 1, 3 3"
    code, text, _ = person("tic_tac_toe", "--against", "legal", "--record", str(record), typed=typed)
    assert code == 0
    assert text.count("There is nothing to take back.") == 2
    assert "You are back before step 3." in text
    assert "You are back before step 1." in text
    match = load_record(record)
    assert match.ending is Ending.FINISHED
    assert [step.moves[0] for step in match.steps if step.moves[0] != "wait"] == [
        ("place", "1", "1"),
        ("place", "2", "2"),
        ("place", "3", "1"),
        ("place", "3", "3"),
    ]
    assert match.player_names == ("human", "legal")


def test_nature_does_the_same_again_after_a_move_was_taken_back(person) -> None:
    args = ("pig", "--against", "legal", "--seed", "4")
    text = person(*args, typed="roll, roll, undo, undo, roll, roll, quit").text
    thrown = [line.split("random: ")[1] for line in text.splitlines() if "random: (" in line]
    assert len(thrown) == 4
    assert thrown[:2] == thrown[2:]


def test_a_hint_names_a_move_and_the_moves_are_not_listed_again(person) -> None:
    text = person("tic_tac_toe", "--against", "legal", "--seed", "1", typed="1 1, 2 2, hint, 3 3").text
    assert "greedy would choose (place 3 3).\nx> " in text
    assert text.splitlines()[-1] == "You win, 100 : 0."


def test_a_hint_tells_why(person, monkeypatch) -> None:
    class Adviser(LegalPlayer):
        def explain(self) -> Explanation:
            moves = [Candidate(("place", "1", str(number)), 90.0 - number, 1.0, 10) for number in range(1, 4)]
            return Explanation("x", (*moves, Candidate("wait", 1.0, 1.0, 1)))

    monkeypatch.setattr("woodstock.cli.session.make_player", lambda spec: Adviser())
    text = person("tic_tac_toe", "--against", "greedy", typed="hint").text
    assert "(place 1 1)   89.0  1.0" in text
    assert "… and 1 more" in text


def test_an_adviser_that_crashes_is_no_disaster(person, monkeypatch) -> None:
    class Crashing(LegalPlayer):
        def choose(self, turn: Any) -> Any:
            raise RuntimeError("out of ideas")

    monkeypatch.setattr("woodstock.cli.session.make_player", lambda spec: Crashing())
    code, text, _ = person("tic_tac_toe", "--against", "legal", typed="hint, 2 2, quit")
    assert code == 0
    assert "greedy knows nothing: out of ideas" in text
    assert "o crashed or was lost: " in text


def test_an_opponent_that_crashes_everywhere_does_not_end_the_match(person, monkeypatch) -> None:
    class Crashing(LegalPlayer):
        def choose(self, turn: Any) -> Any:
            raise RuntimeError("lost")

        def observe(self, event: Any) -> None:
            raise RuntimeError("lost")

        def stop(self, goals: Any) -> None:
            raise RuntimeError("lost")

    monkeypatch.setattr("woodstock.cli.session.make_player", lambda spec: Crashing())
    code, text, _ = person("rock_paper_scissors", "--against", "legal", typed="rock, rock, rock")
    assert code == 0
    assert text.count("right crashed or was lost: ") == 3
    code, text, _ = person("kuhn_poker", "--against", "legal", "--seed", "1", typed="bet")
    assert code == 0
    assert "ben made no legal move: another one was made for it." in text


def test_explanations_of_the_opponents(person, monkeypatch) -> None:
    class Talking(RandomPlayer):
        def explain(self) -> Explanation:
            return Explanation("o", (Candidate("wait", 12.5, 0.5, 10),))

    monkeypatch.setattr("woodstock.cli.session.make_player", lambda spec: Talking())
    assert "12.5" in person("tic_tac_toe", "--against", "legal", "--explain", typed="2 2").text
    assert "12.5" not in person("tic_tac_toe", "--against", "legal", typed="2 2").text


def test_resigning(person, tmp_path: Path) -> None:
    record = tmp_path / "record.json"
    code, text, _ = person("tic_tac_toe", "--against", "legal", "--record", str(record), typed="2 2, resign")
    assert code == 0
    assert text.endswith("You resign after 2 steps.\n")
    assert load_record(record).ending is Ending.ABORTED


@pytest.mark.parametrize("typed", ["", "quit", "1, q"])
def test_leaving_is_polite(person, typed: str) -> None:
    code, text, err = person("tic_tac_toe", "--against", "legal", typed=typed)
    assert (code, err) == (0, "")
    assert text.endswith("Good-bye.\n")


def test_ctrl_c_keeps_the_record(person, monkeypatch, tmp_path: Path) -> None:
    def interrupt(self: Any, turn: Any) -> Any:
        raise KeyboardInterrupt

    stopped: list[object] = []
    monkeypatch.setattr(LegalPlayer, "choose", interrupt)
    monkeypatch.setattr(LegalPlayer, "stop", lambda self, goals: stopped.append(goals))
    record = tmp_path / "record.json"
    code, _, err = person("tic_tac_toe", "--against", "legal", "--record", str(record), typed="2 2")
    assert (code, err) == (130, "woodstock: interrupted\n")
    assert stopped == [None]
    assert load_record(record).ending is Ending.ABORTED


def test_a_puzzle_has_no_opponent(person, monkeypatch) -> None:
    monkeypatch.setattr("woodstock.cli.play.OPPONENTS", ("greedy",))
    code, text, _ = person("lights_out", "--seed", "1", typed="hint, quit")
    assert code == 0
    assert text.splitlines()[0] == "lights_out: you are player; seed 1"
    assert "greedy would choose " in text
    code, text, err = person("lights_out", "--against", "legal", typed="quit")
    assert (code, text) == (2, "")
    assert "expected at most 0 players" in err


def test_everybody_moves_at_once(person) -> None:
    typed = "rock, rock, rock"
    text = person("rock_paper_scissors", "--against", "legal", "--seed", "1", typed=typed).text
    assert text.count("left (you): (show rock)  right: (show paper)") == 3
    assert text.splitlines()[-1] == "You lose, 0 : 100."


def test_several_opponents(person) -> None:
    args = ("chinese_checkers", "--role", "green", "--against", "legal", "--against", "random")
    text = person(*args, "--seed", "1", typed="quit").text
    assert text.splitlines()[0] == "chinese_checkers: you are green against red (legal), blue (random); seed 1"
    assert person(*args[:-2], "--seed", "1", typed="quit").text.splitlines()[0].endswith("blue (legal); seed 1")


def test_what_the_rules_hide_is_shown_at_the_end_alone(person) -> None:
    text = person("kuhn_poker", "--seed", "5", "--against", "legal", typed="undo, board, bet").text
    told, _, revealed = text.partition("This is how it stood at the end:")
    assert "1. ann: wait; you see: (dealt " in told
    assert "The rules hide the position." in told
    assert "hand" not in told
    assert "hand: ann " in revealed


def test_percepts_are_told_again_after_a_move_was_taken_back(person, monkeypatch) -> None:
    monkeypatch.setattr("woodstock.cli.play.OPPONENTS", ("greedy",))
    text = person("monty_hall", "--seed", "5", typed="1, undo, 2, switch").text
    assert text.count("1. guest: wait; you see: nothing") == 2
    assert "picked" not in text.partition("This is how it stood at the end:")[0]


def test_a_match_that_nobody_can_go_on_with(person, monkeypatch, tmp_path: Path) -> None:
    monkeypatch.setattr("woodstock.cli.play.OPPONENTS", ("greedy",))
    sheet = tmp_path / "stuck.kif"
    sheet.write_text(STUCK)
    text = person(str(sheet), typed="left").text
    assert text.splitlines()[-1] == "Nobody can go on after 1 step: a role has no legal move."


def test_the_board_word_draws_a_board_that_begins_empty_in_full(person) -> None:
    text = person("connect_four", "--against", "legal", typed="board").text
    drawn = text.partition("red> ")[2].splitlines()
    assert " ".join(drawn[6].split()) == "1 2 3 4 5 6 7"


def match(goals: tuple[int | None, ...], ending: Ending = Ending.FINISHED, roles: tuple[str, ...] = ()) -> Match:
    names = roles or tuple(f"r{number}" for number in range(len(goals)))
    return Match("m", "g", names, names, 0, Clocks(), (), (), (), ending, goals, "t" * 12, 0, ("",) * len(goals))


@pytest.mark.parametrize(
    ("goals", "words"),
    [
        ((100, 0), "You win, 100 : 0."),
        ((51, 49), "You win, 51 : 49."),
        ((0, 100), "You lose, 0 : 100."),
        ((50, 50), "A draw, 50 : 50."),
        ((100, 100), "Everybody wins, 100 : 100."),
        ((0, 0), "Nobody wins, 0 : 0."),
        ((75, 75, 0), "You share the best result, 75 : 75 : 0."),
        ((25, 75, 0), "You lose, 25 : 75 : 0."),
        ((100,), "You win, 100."),
        ((0,), "You lose, 0."),
        ((80,), "You reach a part of the goal, 80."),
        ((None, 50), "The match is over, but the rules do not give everybody a goal: - : 50."),
    ],
)
def test_the_outcome_in_words(goals: tuple[int | None, ...], words: str) -> None:
    assert describe_outcome(match(goals), 0) == words


def test_what_nature_gets_interests_nobody() -> None:
    assert describe_outcome(match((0, 100, 0), roles=("random", "x", "o")), 1) == "You win, 100 : 0."
    assert describe_outcome(match((0, 0), Ending.CUT), 0) == "There is no end in sight after 0 steps."


# --- a real terminal --------------------------------------------------------------------------------------------------


class Session:
    """`woodstock play` on a terminal of its own."""

    def __init__(self, *args: str) -> None:
        self._end, far_end = pty.openpty()
        command = [sys.executable, "-m", "woodstock", "play", *args]
        self.process = subprocess.Popen(command, stdin=far_end, stdout=far_end, stderr=far_end, start_new_session=True)
        os.close(far_end)
        self.text = ""

    def wait_for(self, text: str, seconds: float = 60.0) -> None:
        """Read until something has been written after what was seen before."""
        seen = len(self.text)
        end = time.monotonic() + seconds
        while text not in self.text[seen:]:
            assert time.monotonic() < end, self.text
            if select.select([self._end], [], [], 0.1)[0] and not self._read():
                raise AssertionError(f"ended before {text!r}:\n{self.text}")

    def type(self, text: str) -> None:
        os.write(self._end, text.encode())

    def finish(self) -> int:
        """Read the rest and return the exit code."""
        while self._read():
            pass
        os.close(self._end)
        return self.process.wait(60)

    def _read(self) -> bool:
        try:
            data = os.read(self._end, 65536)
        except OSError:  # how a terminal says that nobody is there any more
            return False
        self.text += data.decode().replace("\r\n", "\n")
        return bool(data)


def test_a_match_at_a_real_terminal() -> None:
    session = Session("tic_tac_toe", "--against", "legal", "--seed", "1")
    for move in ("place 1 1\n", "2 2\n", "hint\n", "3 3\n"):
        session.wait_for("x> ")
        session.type(move)
    assert session.finish() == 0
    assert session.text.splitlines()[-1] == "You win, 100 : 0."


def test_ctrl_d_and_ctrl_c_at_a_real_terminal() -> None:
    session = Session("tic_tac_toe", "--against", "legal")
    session.wait_for("x> ")
    session.type("\x04")
    assert session.finish() == 0
    assert session.text.endswith("\nGood-bye.\n")
    session = Session("tic_tac_toe", "--against", "legal")
    session.wait_for("x> ")
    session.process.send_signal(signal.SIGINT)
    assert session.finish() == 130
    assert session.text.endswith("woodstock: interrupted\n")


# --- where there is no terminal ---------------------------------------------------------------------------------------


def test_a_demonstration_is_drawn_and_ends_with_the_result(woodstock, tmp_path: Path) -> None:
    record = tmp_path / "record.json"
    code, out, err = woodstock("play", "tic_tac_toe", "--seed", "1", "--record", str(record))
    assert (code, err) == (0, "")
    match = load_record(record)
    lines = out.splitlines()
    assert lines[0] == "Standard input is no terminal: nobody can play, so this is a demonstration."
    assert lines[1] == "tic_tac_toe: x (greedy), o (random); seed 1"
    drawn = boards(out)
    assert len(drawn) == len(match.steps) + 1
    for number, squares in enumerate(drawn):
        assert squares.count("x") == (number + 1) // 2
        assert squares.count("o") == number // 2
    goals = ", ".join(f"{role} {value}" for role, value in zip(match.roles, match.goals, strict=True))
    assert lines[-1] == f"Finished after {len(match.steps)} steps: {goals}"


def test_the_same_seed_shows_the_same_demonstration(woodstock) -> None:
    args = ("play", "tic_tac_toe", "--against", "random", "--seed")
    assert woodstock(*args, "5").out == woodstock(*args, "5").out
    assert len({woodstock(*args, str(seed)).out for seed in range(6, 10)}) == 4
    first = woodstock("play", "tic_tac_toe").out
    assert woodstock("play", "tic_tac_toe", "--seed", first.splitlines()[1].rpartition("seed ")[2]).out == first


def test_a_board_that_begins_empty_is_drawn_in_full_from_the_start(woodstock) -> None:
    out = woodstock("play", "connect_four", "--seed", "1").out
    drawings = [part.splitlines() for part in out.split("\n\n") if "turn: " in part]
    assert len(drawings) > 7
    assert {(len(lines), " ".join(lines[6].split())) for lines in drawings} == {(8, "1 2 3 4 5 6 7")}


def test_a_demonstration_with_nature_and_of_a_puzzle(woodstock) -> None:
    code, out, _ = woodstock("play", "-", "--seed", "3", "--against", "random", stdin=GUESS)
    assert code == 0
    assert "\n1. random: " in out
    assert out.splitlines()[-1] in {"Finished after 1 step: you 100", "Finished after 1 step: you 0"}
    assert woodstock("play", "lights_out", "--seed", "3").code == 0


def test_a_demonstration_where_standard_input_is_closed() -> None:
    command = f"'{sys.executable}' -m woodstock play nim --seed 1 <&-"
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1].startswith("Finished after ")


def test_a_delay_is_waited_for_after_every_move(woodstock, monkeypatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr("woodstock.cli.narration.time.sleep", waits.append)
    out = woodstock("play", "tic_tac_toe", "--seed", "1", "--delay", "0.5").out
    assert waits == [0.5] * (len(boards(out)) - 1)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["tic_tac_toe", "--against", "gredy"], "no player is called 'gredy'; did you mean 'greedy'?"),
        (["tic_tac_toe", "--against", ""], "no player is called ''"),
        (["tic_tac_toe", "--role", "z"], "expected a role to play (x, o) after --role, found 'z'"),
        (["pig", "--role", "random"], "expected a role to play (ann, ben) after --role, found 'random'"),
        (["tic_tac_toe", *["--against", "random"] * 3], "expected at most 2 players"),
        (["tic_tac_toe", "--delay", "-1"], "--delay takes 0 to 3600 seconds, found -1"),
        (["tic_tac_toe", "--delay", "nan"], "--delay takes 0 to 3600 seconds, found nan"),
        (["tic_tac_toe", "--record", "/nowhere/record.json"], "there is no folder /nowhere"),
        (["tic_tac_toe", "--play", "1", "--iterations", "5"], "--iterations takes the place of clocks"),
        (["tictactow"], "there is no game or file 'tictactow'"),
        (["tic_tac_toe", "--seed", "x"], "invalid int value: 'x'"),
    ],
)
def test_wrong_arguments(woodstock, args, message) -> None:
    code, out, err = woodstock("play", *args)
    assert (code, out) == (2, "")
    assert message in err


def test_a_bad_sheet_is_reported_with_its_place(woodstock) -> None:
    code, out, err = woodstock("play", "-", stdin="(role x\n")
    assert (code, out) == (2, "")
    assert err.startswith("<stdin>:1:1: error: ")
