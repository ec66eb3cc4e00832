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


def resident(process: int | None = None) -> int:
    """Return the bytes of memory that a process uses; 0 if it is gone.

    Args:
        process: Its number; `None` for this one.
    """
    return _in_use(process)[1]


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
    bound = _in_use()[0] + (mebibytes + max(mebibytes, _BACKSTOP)) * MEBIBYTE
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


def _in_use(process: int | None = None) -> tuple[int, int]:
    """Address space and memory in use, in bytes; (0, 0) if the process is gone."""
    import psutil  # Only where memory is bounded: loading it takes 15 ms.

    try:
        found = psutil.Process(process).memory_info()
    except psutil.Error:
        return (0, 0)
    return (found.vms, found.rss)
