"""One way to compile a numerical function: cached on disk, GIL released, no unsafe mathematics.

A compiled function may call only compiled functions of its own module: numba's disk cache watches
the file of the caller alone, so a change in another module's callee would go unnoticed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile `function` on first call; types as written, results bit-equal in every process."""
    jit: Any = numba.njit(cache=True, nogil=True, fastmath=False, error_model="numpy")
    result: Function = jit(function)
    return result
