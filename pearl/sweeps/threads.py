"""One BLAS thread: sums in one order, so that serial and parallel runs are bit-equal."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

# Loaded here, before the limit is set: a library that is loaded later isn't limited.
import numpy.linalg  # noqa: F401
import scipy.linalg  # noqa: F401
from threadpoolctl import threadpool_info, threadpool_limits

from pearl.errors import PearlError

_lock = threading.Lock()
_users = 0
_limits: threadpool_limits | None = None


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Hold every BLAS and OpenMP library of this process at one thread.

    The limit is the process's: of several threads in here, the last to leave lifts it.
    """
    global _users, _limits
    with _lock:
        if _users == 0:
            _limits = threadpool_limits(limits=1)
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if _users == 0 and _limits is not None:
                _limits.restore_original_limits()
                _limits = None


def assert_one_blas_thread() -> None:
    """Refuse to go on where a library has several threads.

    Raises:
        PearlError: names the library.
    """
    wide = [pool for pool in threadpool_info() if pool["num_threads"] > 1]
    if wide:
        names = ", ".join(f"{pool['internal_api']} ({pool['num_threads']})" for pool in wide)
        raise PearlError(
            f"Libraries with several threads inside a run: {names}.",
            remedy="Import the library at the top of the environment's module.",
        )
