"""The examples of the documents, run as they stand.

- A `python` block is a doctest; the blocks of one document share their names.
- A `console` block is a session in an empty folder: `$ woodstock …` runs the command, and its output must be what the
  block shows, where … stands for anything; `$ cat FILE` makes FILE with what the block shows; `$ echo $?` tells the
  exit code of the last command.
- An `sh` block is not run; the make targets in it must exist.
"""

from __future__ import annotations

import doctest
import re
import shlex
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted(path.relative_to(ROOT).as_posix() for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")))
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Example(NamedTuple):
    """A command of a session and what is shown below it."""

    command: str
    shown: str


def blocks(document: str, language: str) -> list[str]:
    text = (ROOT / document).read_text(encoding="utf-8")
    return [body for name, body in BLOCK.findall(text) if name == language]


def session(block: str) -> list[Example]:
    """Split a console block into its commands."""
    parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)
    assert not parts[0].strip(), f"a console block begins with a command: {parts[0]!r}"
    return [Example(command, shown) for command, shown in zip(parts[1::2], parts[2::2], strict=True)]


def agrees(shown: str, real: str) -> bool:
    """Tell whether an output is what is shown, where … stands for anything."""

    def tidy(text: str) -> str:
        return "\n".join(line.rstrip() for line in text.strip().splitlines())

    pattern = ".*".join(re.escape(part) for part in tidy(shown).split("…"))
    return re.fullmatch(pattern, tidy(real), re.DOTALL) is not None


@pytest.mark.parametrize("document", DOCUMENTS)
def test_console_examples(document: str, woodstock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for block in blocks(document, "console"):
        last = 0
        for command, shown in session(block):
            words = shlex.split(command)
            if command == "echo $?":
                real = str(last)
            elif words[0] == "cat":
                (tmp_path / words[1]).write_text(shown)
                continue
            else:
                assert words[0] == "woodstock", command
                last, out, err = woodstock(*words[1:])
                real = out + err
            assert agrees(shown, real), f"{document}: {command}\nshown:\n{shown}\nreal:\n{real}"


@pytest.mark.parametrize("document", DOCUMENTS)
def test_python_examples(document: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    report: list[str] = []
    for number, block in enumerate(blocks(document, "python"), 1):
        test = doctest.DocTestParser().get_doctest(block, names, f"{document}, block {number}", document, 0)
        assert test.examples, f"{document}: a python block without an example: {block}"
        runner.run(test, out=report.append, clear_globs=False)
        names = test.globs
    assert runner.failures == 0, "".join(report)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_make_targets_exist(document: str) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    text = (ROOT / document).read_text(encoding="utf-8")
    named = re.findall(r"^(?:\$ )?make ([a-z-]+)|`make ([a-z-]+)", text, re.MULTILINE)
    assert {one or other for one, other in named} <= targets


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_lead_somewhere(document: str) -> None:
    text = (ROOT / document).read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", text):
        if "://" not in target:
            assert ((ROOT / document).parent / target).exists(), f"{document}: {target}"


def test_the_readme_shows_the_commands_and_the_library() -> None:
    shown = [command for block in blocks("README.md", "console") for command, _ in session(block)]
    for name in ("check", "fmt", "info", "perft", "verify", "match", "duel"):
        assert any(command.startswith(f"woodstock {name} ") for command in shown), name
    assert blocks("README.md", "python")


def test_the_comparison_can_fail() -> None:
    assert agrees("a … z\n", "a b\nc z")
    assert not agrees("a … z", "a b y")
    assert not agrees("3 games", "13 games")
    assert session("$ woodstock x\nout\n$ echo $?\n0\n") == [("woodstock x", "out\n"), ("echo $?", "0\n")]
