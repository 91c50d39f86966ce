"""How kernels are compiled that only other kernels call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from woodstock.common.jit import register_jitable

F = TypeVar("F", bound=Callable[..., Any])


def kernel(function: F) -> F:
    """Let a function be compiled with the kernels that call it.

    Such a function does not count references to arrays: all of them belong to the caller of the outermost kernel, and
    the counting would take longer than most propagations. So it may cut arrays out of others, but not make new ones.
    """
    return register_jitable(error_model="numpy", _nrt=False, no_cfunc_wrapper=True)(function)
