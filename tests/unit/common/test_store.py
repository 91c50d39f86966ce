"""The store on disk: entries are whole, or not there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from woodstock.common.store import DIGEST_SIZE, Store, code_digest


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("WOODSTOCK_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_what_was_saved_is_loaded(folder: Path) -> None:
    store, other = Store(".one", 1000), Store(".two", 1000)
    assert store.load("a") is None
    store.save("a", b"content")
    assert store.load("a") == b"content"
    assert store.load("b") is None
    assert other.load("a") is None
    store.save("a", b"")
    assert store.load("a") == b""


@pytest.mark.parametrize("damaged", [b"", b"x" * DIGEST_SIZE, b"x" * 60])
def test_what_is_damaged_is_not_there(folder: Path, damaged: bytes) -> None:
    store = Store(".one", 1000)
    store.save("a", b"content")
    (folder / "a.one").write_bytes(damaged)
    assert store.load("a") is None


def test_what_was_used_longest_ago_goes_first(folder: Path) -> None:
    store = Store(".one", 3 * (DIGEST_SIZE + 10))
    for number, key in enumerate("abc"):
        store.save(key, b"0123456789")
        os.utime(folder / f"{key}.one", (number + 1, number + 1))
    (folder / "a.two").write_bytes(b"x" * 1000)  # of another kind
    assert store.load("a") is not None  # and used just now
    store.save("d", b"0123456789")
    assert {path.name for path in folder.iterdir()} == {"a.one", "c.one", "d.one", "a.two"}


def test_what_is_too_large_is_not_kept(folder: Path) -> None:
    store = Store(".one", 10)
    store.save("a", b"x" * 11)
    assert store.load("a") is None


def test_without_a_folder_nothing_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WOODSTOCK_CACHE_DIR", "")
    store = Store(".one", 1000)
    store.save("a", b"content")
    assert store.load("a") is None


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("WOODSTOCK_CACHE_DIR", str(tmp_path / "file" / "below"))
    store = Store(".one", 1000)
    store.save("a", b"content")
    assert store.load("a") is None


def test_other_code_has_another_digest(tmp_path: Path) -> None:
    (tmp_path / "module.py").write_text("one = 1")
    before = code_digest(tmp_path)
    (tmp_path / "notes.txt").write_text("no code")
    assert code_digest(tmp_path) == before
    (tmp_path / "module.py").write_text("one = 2")
    assert code_digest(tmp_path) != before
