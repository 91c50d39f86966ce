from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

import woodstock
from woodstock.common import jit as door

PACKAGE = Path(woodstock.__file__).parent


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of the door, a package with a kernel that imports another, and one without."""
    folder = tmp_path / "package"
    for name in ("common", "upper", "lower", "plain", "apart"):
        (folder / name).mkdir(parents=True)
        (folder / name / "beside.py").write_text("first = 1\n")
    shutil.copy(PACKAGE / "common" / "jit.py", folder / "common" / "jit.py")
    (folder / "upper" / "kernel.py").write_text(
        "from woodstock.common.jit import jit\n"
        "from woodstock.lower.kernel import inner\n"
        "import woodstock.plain.beside\n"
    )
    (folder / "lower" / "kernel.py").write_text("from woodstock.common.jit import jit\n")
    (folder / "apart" / "kernel.py").write_text("from woodstock.common.jit import jit\n")
    monkeypatch.setattr(door, "__file__", str(folder / "common" / "jit.py"))
    return folder


def fingerprint() -> str:
    return door._fingerprint("upper")


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


def test_each_package_has_a_folder_in_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WOODSTOCK_CACHE_DIR", str(tmp_path))
    assert door.jit_folder() == tmp_path / "jit"
    folder = door._package_folder.__wrapped__("circuit")
    assert folder == tmp_path / "jit" / f"circuit-{door._fingerprint('circuit')}"
    assert folder.is_dir()
    assert door._package_folder.__wrapped__("ground") != folder


def test_what_was_not_used_for_long_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WOODSTOCK_CACHE_DIR", str(tmp_path))
    old, young = (tmp_path / "jit" / name for name in ("circuit-old", "circuit-young"))
    for folder in (old, young):
        folder.mkdir(parents=True)
    past = time.time() - (door.DAYS_KEPT + 1) * 86400
    os.utime(old, (past, past))
    door._package_folder.__wrapped__("circuit")
    assert (old.exists(), young.exists()) == (False, True)


def test_without_a_cache_nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WOODSTOCK_CACHE_DIR", "")
    assert door.jit_folder() is None
    assert door._package_folder.__wrapped__("circuit") is None


def test_kernels_of_others_are_not_kept() -> None:
    assert door._folder_of("numpy.core.numeric") is None
    assert door._folder_of("test_jit") is None


def test_the_fingerprint_is_that_of_all_kernels_below(package: Path) -> None:
    seen = {fingerprint()}
    for unrelated in ("plain", "apart"):
        (package / unrelated / "beside.py").write_text("second = 2\n")
    assert fingerprint() in seen  # one has no kernels, the other is not imported
    for changed in ("upper/beside.py", "lower/beside.py", "upper/kernel.py", "lower/kernel.py"):
        with (package / changed).open("a") as file:
            file.write("second = 2\n")
        assert fingerprint() not in seen, changed
        seen.add(fingerprint())
    (package / "lower" / "kernel.py").rename(package / "lower" / "nut.py")
    assert fingerprint() not in seen


def test_a_new_kernel_changes_the_fingerprint(package: Path) -> None:
    before = fingerprint()
    (package / "upper" / "deep").mkdir()
    (package / "upper" / "deep" / "new.py").write_text("from woodstock.common.jit import jit\n")
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
