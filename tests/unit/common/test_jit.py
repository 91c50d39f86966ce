from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import woodstock
from woodstock.common import jit as door

PACKAGE = Path(woodstock.__file__).parent


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package of the door and one kernel, which the fingerprint is taken of."""
    folder = tmp_path / "package"
    (folder / "common").mkdir(parents=True)
    shutil.copy(PACKAGE / "common" / "jit.py", folder / "common" / "jit.py")
    (folder / "kernel.py").write_text("from woodstock.common.jit import jit\n")
    (folder / "beside.py").write_text("first = 1\n")
    (folder / "plain").mkdir()
    (folder / "plain" / "other.py").write_text("first = 1\n")
    monkeypatch.setattr(door, "__file__", str(folder / "common" / "jit.py"))
    return folder


def fingerprint() -> str:
    found: str = door._fingerprint.__wrapped__()
    return found


def test_a_kernel_gives_what_the_function_gives() -> None:
    def triple(number: int) -> int:
        return 3 * number

    kernel = door.jit(triple)
    assert kernel(7) == 21
    if not door.JIT_DISABLED:
        assert kernel.py_func is triple  # type: ignore[attr-defined]
        assert len(kernel.signatures) == 1  # type: ignore[attr-defined]
        assert kernel.targetoptions["nogil"]  # type: ignore[attr-defined]


@pytest.mark.skipif(door.JIT_DISABLED, reason="kernels are plain functions")
def test_nothing_is_compiled_before_it_is_called() -> None:
    kernel = door.jit(lambda number: number + 1)
    assert kernel.signatures == []  # type: ignore[attr-defined]


def test_words_become_vectors() -> None:
    assert os.environ["NUMBA_SLP_VECTORIZE"] == "1"


def test_the_folder_is_in_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WOODSTOCK_CACHE_DIR", str(tmp_path))
    folder = door.jit_folder()
    assert folder is not None
    assert folder.parent == tmp_path / "jit"
    assert len(folder.name) == 20
    assert door.jit_folder() == folder


def test_without_a_cache_nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WOODSTOCK_CACHE_DIR", "")
    assert door.jit_folder() is None
    assert door._caches.__wrapped__() is False


def test_the_fingerprint_is_that_of_all_kernels(package: Path) -> None:
    before = fingerprint()
    assert fingerprint() == before
    (package / "plain" / "other.py").write_text("second = 2\n")
    assert fingerprint() == before  # no kernels are in there
    (package / "beside.py").write_text("first = 2\n")
    beside = fingerprint()
    assert beside != before  # a kernel may use its constants
    (package / "kernel.py").write_text("from woodstock.common.jit import jit\nfirst = 1\n")
    changed = fingerprint()
    assert changed not in (before, beside)
    (package / "kernel.py").rename(package / "nut.py")
    assert fingerprint() not in (before, beside, changed)


def test_a_new_kernel_changes_the_fingerprint(package: Path) -> None:
    before = fingerprint()
    (package / "deep").mkdir()
    (package / "deep" / "new.py").write_text("from woodstock.common.jit import jit\n")
    assert fingerprint() != before


def test_the_decorator_is_part_of_the_fingerprint(package: Path) -> None:
    before = fingerprint()
    with (package / "common" / "jit.py").open("a") as file:
        file.write("# changed\n")
    assert fingerprint() != before


@pytest.mark.parametrize(
    "setting", ["NUMBA_SLP_VECTORIZE", "NUMBA_BOUNDSCHECK", "NUMBA_OPT", "NUMBA_CPU_NAME", "NUMBA_CPU_FEATURES"]
)
def test_settings_of_the_compiler_change_the_fingerprint(
    package: Path, monkeypatch: pytest.MonkeyPatch, setting: str
) -> None:
    monkeypatch.delenv(setting, raising=False)
    before = fingerprint()
    monkeypatch.setenv(setting, "0")
    assert fingerprint() != before


@pytest.mark.parametrize("module", ["numba", "np"])
def test_versions_change_the_fingerprint(package: Path, monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    before = fingerprint()
    monkeypatch.setattr(getattr(door, module), "__version__", "0.0.1")
    assert fingerprint() != before


@pytest.mark.parametrize(
    "statement",
    [
        "import woodstock",
        "from woodstock.cli import main; main(['--help'])",
        "from woodstock.cli import main; main(['playouts', '--help'])",
    ],
)
def test_nobody_waits_for_numba_who_does_not_need_it(statement: str) -> None:
    program = f"{statement}\nimport sys\nassert 'numba' not in sys.modules"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
