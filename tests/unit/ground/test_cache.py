"""The cache of ground programs: whole entries are used, damaged ones are rebuilt."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from woodstock.common.files import cache_folder
from woodstock.common.store import Store
from woodstock.game.load import load_rules
from woodstock.ground import GroundProgram, cache, ground, grounder


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WOODSTOCK_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The list grows with every run of the grounder."""
    found: list[int] = []
    original = grounder._ask

    def counted(*args: object) -> object:
        found.append(1)
        return original(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(grounder, "_ask", counted)
    return found


def same(one: GroundProgram, two: GroundProgram) -> bool:
    arrays = ("rule_head", "body_start", "body_data", "atom_level", "atom_loop", "next_atom", "legal_atom", "initial")
    texts = ("roles", "fluents", "moves", "terminal_atom")
    return all(np.array_equal(getattr(one, name), getattr(two, name)) for name in arrays) and all(
        getattr(one, name) == getattr(two, name) for name in texts
    )


@pytest.mark.parametrize("name", ["tic_tac_toe", "monty_hall", "hex_small"])
def test_an_entry_is_used(folder: Path, runs: list[int], name: str) -> None:
    rules = load_rules(name)
    first, second = ground(rules), ground(rules)
    assert len(runs) == 1
    assert same(first, second)
    assert first.goals.terms == second.goals.terms
    assert (first.percepts is None) == (second.percepts is None)
    assert len(list(folder.iterdir())) == 1


def cut_end(data: bytes) -> bytes:
    return data[:-1]


def cut_short(data: bytes) -> bytes:
    return data[:50]


def empty(_: bytes) -> bytes:
    return b""


def flip(data: bytes) -> bytes:
    return data[:99] + bytes([data[99] ^ 1]) + data[100:]


@pytest.mark.parametrize("damage", [cut_end, cut_short, empty, flip])
def test_a_damaged_entry_is_rebuilt(folder: Path, runs: list[int], damage: Callable[[bytes], bytes]) -> None:
    rules = load_rules("nim")
    first = ground(rules)
    [entry] = folder.iterdir()
    good = entry.read_bytes()
    entry.write_bytes(damage(good))
    assert same(ground(rules), first)
    assert len(runs) == 2
    assert entry.read_bytes() == good


def test_other_rules_and_other_code_have_other_entries(
    folder: Path, runs: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    ground(load_rules("nim"))
    ground(load_rules("tic_tac_toe"))
    monkeypatch.setattr(cache, "_code_digest", lambda: b"another version")
    ground(load_rules("nim"))
    assert len(runs) == 3
    assert len(list(folder.iterdir())) == 3


def test_the_oldest_entries_go_when_it_is_full(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ground(load_rules("nim"))
    [old] = folder.iterdir()
    os.utime(old, (1, 1))
    monkeypatch.setattr(cache, "STORE", Store(".ground", old.stat().st_size + 10))
    ground(load_rules("tic_tac_toe"))
    assert old not in set(folder.iterdir())
    assert len(list(folder.iterdir())) == 1


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("WOODSTOCK_CACHE_DIR", str(tmp_path / "file" / "below"))
    assert ground(load_rules("nim")).num_fluents > 0


def test_an_empty_variable_turns_it_off(monkeypatch: pytest.MonkeyPatch, runs: list[int]) -> None:
    monkeypatch.setenv("WOODSTOCK_CACHE_DIR", "")
    assert cache_folder() is None
    ground(load_rules("nim"))
    ground(load_rules("nim"))
    assert len(runs) == 2
