"""What no file may say."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

REGISTRY = re.compile(
    r"https?://[^ \"]+/(simple|packages)(/|\"|$)|\"resolved\": *\"http|(--|_)(extra-)?index-url|pypi\.org"
)
FOREIGN = re.compile(r"DEVELOPERS\.md|COMPASS\.md|\.\./shared|steering repo|issue #?[0-9]+", re.IGNORECASE)
UNFINISHED = re.compile(r"NotImplementedError|\b(TODO|FIXME|XXX)\b")


@pytest.fixture(scope="module")
def texts(root: Path) -> dict[str, str]:
    """Every text file of the project that git knows or would add, by path."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root,
        capture_output=True,
        text=True,
    )
    if listed.returncode != 0:
        pytest.skip("not a git checkout: no list of the project's files")
    found = {}
    for name in filter(None, listed.stdout.split("\0")):
        path = root / name
        if path.is_file():
            found[name] = path.read_text(encoding="utf-8", errors="replace")
    assert "pyproject.toml" in found
    return found


def offences(texts: dict[str, str], pattern: re.Pattern[str], skip: tuple[str, ...]) -> list[str]:
    return [
        f"{name}:{number}: {line.strip()}"
        for name, text in texts.items()
        if not name.startswith(skip)
        for number, line in enumerate(text.splitlines(), 1)
        if pattern.search(line)
    ]


def test_no_file_names_a_package_registry(texts: dict[str, str]) -> None:
    assert offences(texts, REGISTRY, ("tests/architecture/",)) == []


def test_the_project_speaks_of_itself_alone(texts: dict[str, str]) -> None:
    assert offences(texts, FOREIGN, ("tests/", ".ci/")) == []


def test_nothing_in_the_source_is_unfinished(texts: dict[str, str]) -> None:
    assert offences({n: t for n, t in texts.items() if n.startswith("src/")}, UNFINISHED, ()) == []


def test_the_patterns_find_what_they_look_for() -> None:
    assert REGISTRY.search("pip install --index" + "-url x")
    assert REGISTRY.search('"https://files.example.org/' + 'packages/a"')
    assert FOREIGN.search("see Issue #12")
    assert UNFINISHED.search("# TODO later")


def test_no_file_is_large(texts: dict[str, str]) -> None:
    assert [name for name, text in texts.items() if len(text) > 600_000] == []


def test_pinned_versions_cover_every_dependency(root: Path) -> None:
    import tomllib

    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    wanted = [
        *project["dependencies"],
        *(item for extra in project["optional-dependencies"].values() for item in extra),
    ]
    lines = [line for line in (root / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    pinned = {re.sub(r"[-_.]+", "-", line.partition("==")[0]).lower() for line in lines}
    assert all(re.fullmatch(r"[A-Za-z0-9_.-]+==[0-9][A-Za-z0-9.]*", line) for line in lines)
    assert {re.split(r"[<>=!~\[ ]", item)[0].lower() for item in wanted} <= pinned
