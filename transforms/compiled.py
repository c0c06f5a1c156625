"""Compiling: loops over bytes and signatures become machine code on first use, kept on disk where that is possible."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar, cast

import numba

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def compiled(function: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """Compile a function when it is first called; it runs without the interpreter's lock.

    The machine code is kept beside the module, or in the user's cache folder when that is read-only, or not at all
    when there is no place to write. Each function is called with arrays of one kind only: several processes that
    compile at a time then keep the same thing under the same name, by renaming whole files.

    Compiling all loops of the lexical stage costs about 12 CPU-seconds, once per installation.
    """
    try:
        return cast("Callable[Parameters, Result]", numba.njit(cache=True, nogil=True)(function))
    except RuntimeError:
        # numba finds no folder to write to.
        return cast("Callable[Parameters, Result]", numba.njit(nogil=True)(function))
