from __future__ import annotations

import io
import sys

import pytest

from woodstock.common.progress import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_nothing_is_shown_in_a_pipe(capsys: pytest.CaptureFixture[str]) -> None:
    with progress("counting", total=2, unit="games") as bar:
        bar.advance()
        bar.advance()
    assert capsys.readouterr() == ("", "")


def test_a_terminal_shows_label_count_and_unit(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with progress("counting", total=3, unit="games") as bar:
        bar.advance(2)
    shown = terminal.getvalue()
    assert all(word in shown for word in ("counting", "2/3", "games"))


def test_output_in_a_pipe_stays_there_while_a_terminal_shows_the_bar(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with progress("counting", total=1, unit="games") as bar:
        print("result")
        bar.advance()
    assert capsys.readouterr().out == "result\n"
    assert "result" not in terminal.getvalue()


def test_an_error_inside_the_block_comes_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", Terminal())
    with pytest.raises(ZeroDivisionError), progress("dividing"):
        raise ZeroDivisionError
