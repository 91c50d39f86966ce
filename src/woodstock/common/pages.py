"""Large arrays of zeros that take memory only where they are used, and no time to be made.

What `numpy.zeros` returns may be memory that was used before and has to be overwritten, all of it, which takes tens of
milliseconds; and it asks for pages of two megabytes. These are quicker to work with, but each is overwritten whole when
it is touched for the first time, which takes up to two milliseconds where the machine is a virtual one. So whoever
begins to use ten arrays would wait for twenty of them. Here the first pages of an array are small.

>>> table = lazy_zeros((1 << 20, 2), np.int32)
>>> table[123456] = 7
>>> int(table.sum())
14
"""

from __future__ import annotations

import contextlib
import math
import mmap
from typing import Any, Final

import numpy as np
from numpy.typing import DTypeLike, NDArray

FEW_BYTES: Final = 1 << 18
"""Less than that is not worth pages of its own."""
FIRST_BYTES: Final = 1 << 22
"""So much of an array has small pages,"""
MANY_BYTES: Final = 1 << 25
"""or all of it, if it is not larger than that."""
CAN_ADVISE: Final = hasattr(mmap, "MADV_HUGEPAGE")
"""Whether the system can be told which pages are wanted."""


def lazy_zeros(shape: tuple[int, ...], dtype: DTypeLike, *, scattered: bool = False) -> NDArray[Any]:
    """Return zeros.

    Args:
        shape: Of the array.
        dtype: Of the array.
        scattered: It is used all over the place from the beginning, not from its front to its end: then all pages are
            large, if the array is.

    Raises:
        MemoryError: There is not so much.
    """
    size = math.prod(shape) * np.dtype(dtype).itemsize
    if size < FEW_BYTES or not CAN_ADVISE:
        return np.zeros(shape, dtype)
    try:
        pages = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    except OSError as error:
        raise MemoryError(f"no room for an array of {size} bytes") from error
    small = size if size <= MANY_BYTES else 0 if scattered else FIRST_BYTES
    with contextlib.suppress(OSError):  # the system may have pages of one size only
        if small > 0:
            pages.madvise(mmap.MADV_NOHUGEPAGE, 0, small)
        if small < size:
            pages.madvise(mmap.MADV_HUGEPAGE, small)
    return np.frombuffer(pages, dtype).reshape(shape)
