"""What is imported when, and by whom."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {"numba", "llvmlite", "clingo", "igraph", "pynauty", "numpy", "rich", "ray"}
MAX_MODULES = 100
"""`import woodstock` needs two dozen modules more than a bare interpreter; a library of any size brings hundreds."""


def modules_after(statement: str) -> set[str]:
    """Return what a fresh interpreter has loaded after a statement."""
    program = f"{statement}\nimport sys, json; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize(
    "statement",
    [
        "import woodstock",
        "import woodstock.gdl, woodstock.common, woodstock.games",
        "import woodstock.cli; woodstock.cli.main(['--help'])",
        "import woodstock.cli; woodstock.cli.main(['check', '--help'])",
    ],
)
def test_nothing_heavy_is_imported_before_it_is_needed(statement: str) -> None:
    loaded = modules_after(statement)
    assert not HEAVY & {name.partition(".")[0] for name in loaded}


def test_import_woodstock_loads_few_modules() -> None:
    added = modules_after("import woodstock") - modules_after("pass")
    assert "woodstock" in added
    assert len(added) < MAX_MODULES, sorted(added)
    assert {name for name in added if name.startswith("woodstock.")} == set()


def test_every_public_name_is_there_and_nothing_else_pretends_to_be() -> None:
    import woodstock

    assert sorted(woodstock._MODULE_OF) == sorted(woodstock.__all__)
    for name in woodstock.__all__:
        assert getattr(woodstock, name).__name__ == name
        assert name in dir(woodstock)
    with pytest.raises(AttributeError, match="no attribute 'solve_chess'"):
        woodstock.solve_chess  # noqa: B018 (the access is the test)


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    """Check the contracts of the project in a folder."""
    program = "import sys; from importlinter.cli import lint_imports_command; sys.exit(lint_imports_command())"
    return subprocess.run(
        [sys.executable, "-c", program, "--no-logo", "--no-cache"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder / "src")},
        capture_output=True,
        text=True,
    )


def test_every_package_imports_only_what_stands_below_it(root: Path) -> None:
    done = lint(root)
    assert done.returncode == 0, done.stdout + done.stderr
    assert " 0 broken" in done.stdout


@pytest.mark.parametrize(
    ("module", "statement", "contract"),
    [
        ("gdl/extra.py", "import woodstock.game.load", "Data flows one way"),
        ("draw/extra.py", "from woodstock.match import play_match", "Data flows one way"),
        ("surprise/__init__.py", "", "Data flows one way"),
        ("gdl/extra.py", "import clingo", "clingo enters through ground alone"),
        ("common/extra.py", "import numba", "numba enters through common.jit alone"),
        ("game/reference/extra.py", "import woodstock.ground", "The reference reasoner knows nothing"),
    ],
)
def test_the_contracts_notice_a_breach(root: Path, tmp_path: Path, module: str, statement: str, contract: str) -> None:
    shutil.copy(root / "pyproject.toml", tmp_path)
    shutil.copytree(root / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__", "*.kif"))
    breach = tmp_path / "src" / "woodstock" / module
    breach.parent.mkdir(exist_ok=True)
    breach.write_text(f"{statement}\n")
    done = lint(tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert any(line.startswith(contract) and "BROKEN" in line for line in done.stdout.splitlines()), done.stdout
