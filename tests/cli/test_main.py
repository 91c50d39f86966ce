from __future__ import annotations

import argparse
import io
import os
import subprocess
import sys
from collections.abc import Callable
from types import SimpleNamespace

import pytest

import woodstock as package
from woodstock.cli import COMMANDS, main
from woodstock.common.errors import LimitError
from woodstock.gdl import parse_rules


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], int]], None]:
    """A function that adds the command `trial`, which does what it is told."""

    def install(action: Callable[[], int]) -> None:
        def configure(parser: argparse.ArgumentParser) -> None:
            parser.add_argument("--size", type=int)

        module = SimpleNamespace(HELP="try it", configure=configure, run=lambda args: action())
        monkeypatch.setitem(sys.modules, "woodstock.cli.trial", module)
        monkeypatch.setitem(COMMANDS, "trial", "woodstock.cli.trial")

    return install


def raise_error(error: BaseException) -> Callable[[], int]:
    def action() -> int:
        raise error

    return action


@pytest.mark.parametrize("args", [(), ("--help",), ("-h",)])
def test_the_overview_names_every_command(woodstock, args) -> None:
    code, out, err = woodstock(*args)
    assert (code, err) == (0, "")
    assert out.startswith("usage: woodstock COMMAND")
    for name in COMMANDS:
        assert f"\n  {name} " in out


@pytest.mark.parametrize("flag", ["--version", "-V"])
def test_version(woodstock, flag) -> None:
    assert woodstock(flag) == (0, f"woodstock {package.__version__}\n", "")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help_and_says_what_is_wrong_with_its_arguments(woodstock, name) -> None:
    code, out, err = woodstock(name, "--help")
    assert (code, err) == (0, "")
    assert out.startswith(f"usage: woodstock {name} ")
    code, out, err = woodstock(name, "--no-such-option")
    assert (code, out) == (2, "")
    assert f"woodstock {name}: error: " in err


def test_an_unknown_command_suggests_the_nearest(woodstock) -> None:
    code, out, err = woodstock("chekc", "game.kif")
    assert (code, out) == (2, "")
    assert err.startswith("woodstock: error: unknown command 'chekc'; did you mean 'check'?\n")
    assert "--help" in err


def test_an_unknown_option_is_called_an_option(woodstock) -> None:
    assert "unknown option '--fast'" in woodstock("--fast").err


def test_the_exit_code_is_the_commands(woodstock, command) -> None:
    command(lambda: 1)
    assert woodstock("trial") == (1, "", "")


def test_an_error_is_one_message_and_exit_2(woodstock, command) -> None:
    command(raise_error(LimitError("too large")))
    assert woodstock("trial") == (2, "", "woodstock: error: too large\n")


def test_a_bad_sheet_is_reported_as_the_checker_does(woodstock, command) -> None:
    command(lambda: len(parse_rules("(role x))")))
    code, _, err = woodstock("trial")
    assert code == 2
    assert err.startswith("<text>:1:9: error: ")


def test_trouble_with_files_and_memory_is_no_internal_error(woodstock, command) -> None:
    command(raise_error(OSError(28, "No space left on device")))
    assert woodstock("trial") == (2, "", "woodstock: error: [Errno 28] No space left on device\n")
    command(raise_error(MemoryError()))
    assert woodstock("trial") == (2, "", "woodstock: error: out of memory\n")


def test_an_interruption_is_exit_130(woodstock, command) -> None:
    command(raise_error(KeyboardInterrupt()))
    assert woodstock("trial") == (130, "", "woodstock: interrupted\n")


def test_an_internal_error_is_a_request_to_report_it(woodstock, command, monkeypatch) -> None:
    monkeypatch.delenv("WOODSTOCK_TRACEBACK", raising=False)
    command(raise_error(KeyError("lost")))
    code, out, err = woodstock("trial")
    assert (code, out) == (70, "")
    assert err.splitlines()[0] == "woodstock: internal error: KeyError: 'lost'"
    assert "Please report this" in err
    assert "WOODSTOCK_TRACEBACK=1" in err
    assert "Traceback" not in err


@pytest.mark.parametrize(("error", "expected"), [(KeyError("lost"), 70), (LimitError("too large"), 2)])
def test_the_traceback_is_shown_on_demand(woodstock, command, monkeypatch, error, expected) -> None:
    monkeypatch.setenv("WOODSTOCK_TRACEBACK", "1")
    command(raise_error(error))
    code, _, err = woodstock("trial")
    assert code == expected
    assert "Traceback (most recent call last)" in err
    assert "raise_error" in err or "action" in err


def test_characters_that_the_terminal_lacks_are_escaped(command, monkeypatch) -> None:
    command(lambda: print("caf\u00e9 … \udce9") or 0)
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    assert main(["trial"]) == 0
    assert raw.getvalue() == b"caf\\xe9 \\u2026 \\udce9\n"


@pytest.mark.parametrize("args", [["--help"], ["play", "--help"], ["play", "tic_tac_toe"]])
def test_a_reader_that_goes_away_ends_the_command_quietly(args: list[str]) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([sys.executable, "-m", "woodstock", *args], stdout=writing, stderr=subprocess.PIPE, text=True)
    os.close(writing)
    # argparse itself ignores it where the output is not buffered
    assert done.returncode in ({0, 141} if "--help" in args[1:] else {141})
    assert done.stderr == ""


def test_a_closed_output_is_no_error() -> None:
    command = f"'{sys.executable}' -m woodstock --version >&-"
    done = subprocess.run(["/bin/sh", "-c", command], stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_package_runs_as_a_module() -> None:
    done = subprocess.run([sys.executable, "-m", "woodstock", "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"woodstock {package.__version__}\n")
