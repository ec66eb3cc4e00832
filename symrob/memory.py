"""Memory: how much the process uses, and a bound that it cannot pass.

In:  a bound in MiB.
Out: `LimitExceeded`, or `MemoryError` where Python cannot get what it asks for.

Three lines of defence, since no single one sees everything:

1. `Clock.check` compares what the process uses with the bound.
2. CUDD gets the bound too (`symbolic.context`), because one operation on large
   BDDs can take all memory before the next check. It then gives up cleanly.
3. `bounded` has the operating system refuse what goes far beyond. Python
   raises `MemoryError` then; CUDD would end the process, so this line stands
   behind the other two.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from symrob.errors import LimitExceeded

MEBIBYTE = 1 << 20
# The third line stands at least so many MiB behind the first, and at least as many
# as the bound: tables that grow are copied, and take twice their memory meanwhile.
_BACKSTOP = 512


def memory_exceeded() -> LimitExceeded:
    """Return the error that says that the memory is used up."""
    return LimitExceeded(
        "stopped, since the memory is used up; raise --memory to go on",
        reason="memory",
    )


def resident() -> int:
    """Return the bytes of memory that the process uses; 0 if nobody knows."""
    return _statm()[1]


@contextmanager
def bounded(mebibytes: int | None) -> Iterator[None]:
    """Have the operating system refuse memory far beyond a bound.

    Args:
        mebibytes: The bound; `None` for none.
    """
    if mebibytes is None or mebibytes < 1 or sys.platform == "win32":
        yield
        return
    import resource

    before = resource.getrlimit(resource.RLIMIT_AS)
    bound = _statm()[0] + (mebibytes + max(mebibytes, _BACKSTOP)) * MEBIBYTE
    # No address is as large as `maxsize`, and more the system does not take.
    most = sys.maxsize if before[1] == resource.RLIM_INFINITY else before[1]
    bound = min(bound, most)
    resource.setrlimit(resource.RLIMIT_AS, (bound, before[1]))
    try:
        yield
    finally:
        # What says that memory is used up needs some itself.
        resource.setrlimit(resource.RLIMIT_AS, before)


def lift_bound() -> None:
    """Take back what `bounded` has set, where the bound is for other processes."""
    if sys.platform == "win32":
        return
    import resource

    _soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))


def _statm() -> tuple[int, int]:
    """Address space and memory in use, in bytes."""
    try:
        with open("/proc/self/statm", "rb") as file:
            pages = file.read().split()
    except OSError:
        return (0, _peak())
    import mmap

    return (int(pages[0]) * mmap.PAGESIZE, int(pages[1]) * mmap.PAGESIZE)


def _peak() -> int:
    """The most memory that was in use so far, where the present is not known."""
    if sys.platform == "win32":
        return 0
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
