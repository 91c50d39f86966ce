"""How packages, commands and tests are laid out."""

from __future__ import annotations

import ast
import zipfile
from pathlib import Path

import pytest

import woodstock
from woodstock.cli import COMMANDS

SOURCE = Path(woodstock.__file__).parent
MODULES = sorted(path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py"))
PACKAGES = sorted(path.parent.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("__init__.py"))


@pytest.mark.parametrize("module", MODULES)
def test_every_module_says_what_it_is(module: str) -> None:
    docstring = ast.get_docstring(ast.parse((SOURCE / module).read_text()))
    assert docstring, f"{module} has no docstring"
    first = docstring.splitlines()[0]
    assert first.endswith((".", ":")), f"{module}: {first!r} is no sentence"


@pytest.mark.parametrize("module", MODULES)
def test_modules_are_nouns_of_a_subject(module: str) -> None:
    assert Path(module).stem not in {"utils", "util", "helpers", "misc", "stuff", "tools"}


def test_every_folder_with_python_files_is_a_package() -> None:
    folders = {path.parent.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py")}
    assert folders == set(PACKAGES)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_module_and_a_test_file(name: str, root: Path) -> None:
    module = name.replace("-", "_")
    assert COMMANDS[name] == f"woodstock.cli.{module}"
    assert (SOURCE / "cli" / f"{module}.py").is_file()
    assert (root / "tests" / "cli" / f"test_{module}.py").is_file()


def test_every_module_of_the_command_line_is_a_command_or_shared_by_them() -> None:
    modules = {path.stem for path in (SOURCE / "cli").glob("*.py")}
    shared = {"__init__", "output"}
    extra = modules - {name.replace("-", "_") for name in COMMANDS} - shared
    for name in extra:
        tree = ast.parse((SOURCE / "cli" / f"{name}.py").read_text())
        assigned = {target.id for node in tree.body if isinstance(node, ast.Assign) for target in node.targets}  # type: ignore[attr-defined]
        assert "HELP" not in assigned, f"{name} looks like a command but is not in COMMANDS"


def test_the_package_is_typed() -> None:
    assert (SOURCE / "py.typed").is_file()


def test_a_wheel_holds_every_module_every_game_and_the_licence(root: Path, tmp_path: Path) -> None:
    from hatchling.builders.wheel import WheelBuilder

    (wheel,) = WheelBuilder(str(root)).build(directory=str(tmp_path), versions=["standard"])
    with zipfile.ZipFile(wheel) as archive:
        inside = set(archive.namelist())
    data = [path for suffix in ("*.py", "*.kif", "*.json") for path in SOURCE.rglob(suffix)]
    assert {f"woodstock/{path.relative_to(SOURCE).as_posix()}" for path in data} <= inside
    assert "woodstock/games/tic_tac_toe/rules.kif" in inside
    assert "woodstock/py.typed" in inside
    assert any(name.endswith("licenses/LICENSE") for name in inside)
    assert not any(name.startswith("tests") for name in inside)
