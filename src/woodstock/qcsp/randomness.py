"""Random numbers for kernels."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from woodstock.common.jit import inner_kernel

RandomState = npt.NDArray[np.uint64]
"""One word, not 0, shape (1,)."""


def make_random_state(seed: int) -> RandomState:
    """Return the state that a seed stands for."""
    return np.array([(seed * 0x9E3779B97F4A7C15 + 0x1234567) % ((1 << 64) - 1) + 1], np.uint64)


@inner_kernel
def draw(random: RandomState, bound: int) -> int:
    """Return a random number below a bound (xorshift, Marsaglia 2003)."""
    state = random[0]
    state ^= state << np.uint64(13)
    state ^= state >> np.uint64(7)
    state ^= state << np.uint64(17)
    random[0] = state
    return int(((state >> np.uint64(33)) * np.uint64(bound)) >> np.uint64(31))
