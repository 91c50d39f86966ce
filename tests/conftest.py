"""What all tests share: the Hypothesis profile, the way to run a command, and the corpus of public games."""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import settings

from woodstock.cli import main
from woodstock.common.files import cache_folder as current_cache_folder

ROOT = Path(__file__).resolve().parent.parent

# The gate gives the same verdict every time and on every machine; HYPOTHESIS_PROFILE=explore looks for new examples.
settings.register_profile("gate", derandomize=True, deadline=None, database=None)
settings.register_profile("explore", deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "gate"))


def keep_kernels(folder: Path) -> None:
    """Let the compiled kernels of a cache be those of the user, if that is possible: they take minutes to compile.

    Which kernels they are is part of the name of their folder, so they are never those of other sources.
    """
    mine = current_cache_folder()
    if mine is None:
        return
    kernels = mine.resolve() / "jit"
    try:
        kernels.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=kernels):
            (folder / "jit").symlink_to(kernels, target_is_directory=True)
    except OSError:
        return


# Kernels are given their folder when their module is imported, which may be while tests are collected: no fixture is
# early enough. Workers of pytest-xdist inherit the variable, and link to the kernels of the process that started them.
CACHE = tempfile.TemporaryDirectory(prefix="woodstock-tests-", ignore_cleanup_errors=True)
keep_kernels(Path(CACHE.name))
os.environ["WOODSTOCK_CACHE_DIR"] = CACHE.name


def pytest_unconfigure() -> None:
    CACHE.cleanup()


@pytest.fixture(scope="session")
def cache_folder() -> Path:
    """A cache of ground programs for the tests alone; the user's is neither read nor written."""
    return Path(CACHE.name)


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
