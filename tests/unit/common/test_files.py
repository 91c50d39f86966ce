"""Files are written completely or not at all."""

from __future__ import annotations

import os
import stat

import pytest

from woodstock.common.files import write_atomically


def test_new_file_has_the_usual_permissions(tmp_path):
    path, plain = tmp_path / "new", tmp_path / "plain"
    write_atomically(path, b"data")
    plain.write_bytes(b"data")
    assert path.read_bytes() == b"data"
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)


def test_interruption_leaves_the_old_content_and_nothing_else(tmp_path, monkeypatch):
    path = tmp_path / "file"
    path.write_bytes(b"old")

    def interrupt(descriptor: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_missing_folder(tmp_path):
    with pytest.raises(FileNotFoundError):
        write_atomically(tmp_path / "no" / "file", b"data")


def test_long_names(tmp_path):
    path = tmp_path / ("n" * 250)
    write_atomically(path, b"data")
    assert path.read_bytes() == b"data"
