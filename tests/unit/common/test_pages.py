"""Large arrays that take memory only where they are used."""

from __future__ import annotations

import mmap

import numpy as np
import pytest

from woodstock.common import pages as module
from woodstock.common.pages import FEW_BYTES, FIRST_BYTES, MANY_BYTES, lazy_zeros


@pytest.mark.parametrize("scattered", [False, True])
@pytest.mark.parametrize("size", [0, 1, FEW_BYTES - 1, FEW_BYTES, FIRST_BYTES + 1, MANY_BYTES, MANY_BYTES + 4097])
def test_they_are_arrays_of_zeros_like_others(size: int, scattered: bool) -> None:
    array = lazy_zeros((size,), np.uint8, scattered=scattered)
    assert array.shape == (size,)
    assert array.dtype == np.uint8
    assert not array.any()
    array[-1:] = 7
    assert array.sum(dtype=np.int64) == 7 * min(size, 1)
    flags = array.flags
    assert flags.writeable
    assert flags.c_contiguous
    assert flags.aligned


def test_shapes_and_types() -> None:
    array = lazy_zeros((1 << 16, 3), np.float64)
    assert (array.shape, array.dtype) == ((1 << 16, 3), np.float64)
    assert lazy_zeros((1 << 20, 0), np.float64).shape == (1 << 20, 0)


@pytest.mark.skipif(not module.CAN_ADVISE, reason="this system has pages of one size")
@pytest.mark.parametrize(
    ("size", "scattered", "small", "large"),
    [
        (MANY_BYTES, False, [(0, MANY_BYTES)], []),
        (MANY_BYTES, True, [(0, MANY_BYTES)], []),
        (2 * MANY_BYTES, False, [(0, FIRST_BYTES)], [FIRST_BYTES]),
        (2 * MANY_BYTES, True, [], [0]),
    ],
)
def test_the_first_pages_are_small(
    size: int, scattered: bool, small: list[tuple[int, int]], large: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    advice: list[tuple[int, ...]] = []

    class Pages(mmap.mmap):
        def madvise(self, *said: int) -> None:
            advice.append(said)

    monkeypatch.setattr(mmap, "mmap", Pages)
    lazy_zeros((size,), np.uint8, scattered=scattered)
    expected = [(mmap.MADV_NOHUGEPAGE, *each) for each in small] + [(mmap.MADV_HUGEPAGE, each) for each in large]
    assert advice == expected


@pytest.mark.skipif(not module.CAN_ADVISE, reason="this system has pages of one size")
def test_without_advice_the_array_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """As where the kernel was built without large pages."""

    class Pages(mmap.mmap):
        def madvise(self, *_: int) -> None:
            raise OSError(22, "Invalid argument")

    monkeypatch.setattr(mmap, "mmap", Pages)
    assert not lazy_zeros((MANY_BYTES,), np.uint8).any()


def test_systems_that_take_no_advice_have_plain_arrays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CAN_ADVISE", False)
    assert lazy_zeros((MANY_BYTES,), np.uint8).base is None


def test_what_does_not_fit_is_a_memory_error() -> None:
    with pytest.raises(MemoryError):
        lazy_zeros((1 << 62,), np.uint8)
