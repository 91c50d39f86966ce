"""What all tests share: the Hypothesis profile, the way to run a command, and the corpus of public games."""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import settings

from woodstock.cli import main

ROOT = Path(__file__).resolve().parent.parent

# The gate gives the same verdict every time and on every machine; HYPOTHESIS_PROFILE=explore looks for new examples.
settings.register_profile("gate", derandomize=True, deadline=None, database=None)
settings.register_profile("explore", deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "gate"))


@pytest.fixture(scope="session", autouse=True)
def cache_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A cache of ground programs for the tests alone; the user's is neither read nor written."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WOODSTOCK_CACHE_DIR", str(folder))
        yield folder


@pytest.fixture(scope="session")
def root() -> Path:
    """The project's folder."""
    return ROOT


@pytest.fixture(scope="session")
def corpus() -> Path:
    """The folder of public games and recorded traces, which is not part of the project."""
    folder = ROOT.parent / "shared" / "corpus"
    if not (folder / "games").is_dir():
        pytest.skip(f"no corpus of public games at {folder}")
    return folder


class Outcome(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str


@pytest.fixture
def woodstock(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Callable[..., Outcome]:
    """A function that runs `woodstock ARGS…`, in this process, with `stdin` as its standard input."""

    def run(*args: str, stdin: str | bytes = "") -> Outcome:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data), encoding="utf-8"))
        capsys.readouterr()
        code = main(args)
        return Outcome(code, *capsys.readouterr())

    return run
