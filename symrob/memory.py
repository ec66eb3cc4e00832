"""Memory: current use, a hard bound, and releasing BDDs.

In:  a bound in MiB.
Out: `LimitExceeded`, or `MemoryError` if Python cannot allocate; the base class of
     objects that hold BDDs until they are closed.

Three lines of defence, since no single one covers everything:

1. `Clock.check` compares the memory of the process with the bound. 2. CUDD receives the
bound too (`symbolic.context`), because one operation on large BDDs can use up all
memory before the next check. It then gives up cleanly. 3. `bounded` makes the operating
system refuse allocations far beyond the bound, or beyond the machine's memory if there
is no bound; from Python as from the command line. Python then raises `MemoryError`;
CUDD would end the process, so this line is the last of the three.
"""

from __future__ import annotations

import os
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import lru_cache
from math import inf
from time import monotonic
from typing import Self

from symrob.errors import LimitExceeded

MEBIBYTE = 1 << 20
# The third line stands at least this many MiB behind the first, and at least as many
# as the bound: tables that grow are copied, and take twice their memory meanwhile.
_BACKSTOP = 512
# The share of the machine's memory that a run without a bound may use.
_USUAL = 0.75
# Seconds between two looks at the address space: a deviation takes far less.
_PAUSE = 0.02
_UNBOUNDED = nullcontext()


class Closable(ABC):
    """An object that holds BDDs until it is closed, by `close` or a `with` block.

    If it is never closed, its BDDs are freed with the last reference to it.
    """

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: object, error: BaseException | None, _traceback: object
    ) -> None:
        self.close()
        # Frames refer to BDDs, and whoever keeps the error would keep these.
        while error is not None:
            from traceback import clear_frames

            clear_frames(error.__traceback__)
            error = error.__context__

    @abstractmethod
    def close(self) -> None:
        """Release all BDDs; earlier results remain, new ones cannot be computed."""


def memory_exceeded() -> LimitExceeded:
    """Return the error that says that the memory is used up."""
    return LimitExceeded(
        "stopped: out of memory; raise --memory to continue",
        reason="memory",
    )


def resident(process: int | None = None) -> int:
    """Return the bytes of memory that a process uses; 0 if it is gone.

    Args:
        process: Its number; `None` for this one.
    """
    return _in_use(process)[1]


def bounded(mebibytes: int | None = None) -> AbstractContextManager[None]:
    """Make the operating system refuse memory far beyond a bound.

    No effect within another such block. The bound applies to the whole process,
    including other threads.

    Args:
        mebibytes: The bound; `None` for three quarters of the machine's memory.
    """
    if _Block.within or sys.platform == "win32":
        return _UNBOUNDED  # A block for each deviation must cost nothing.
    return _bounded(mebibytes)


@contextmanager
def _bounded(mebibytes: int | None) -> Iterator[None]:
    import resource

    before = resource.getrlimit(resource.RLIMIT_AS)
    room = _USUAL * machine_memory()
    if mebibytes is not None:
        room = (mebibytes + max(mebibytes, _BACKSTOP)) * MEBIBYTE
    # No address is as large as `maxsize`, and more the system does not take.
    most = [sys.maxsize if b == resource.RLIM_INFINITY else b for b in before]
    bound = min(int(_address_space() + room), *most)
    resource.setrlimit(resource.RLIMIT_AS, (bound, before[1]))
    _Block.within = True
    try:
        yield
    finally:
        _Block.within = False
        # What says that memory is used up needs some itself.
        resource.setrlimit(resource.RLIMIT_AS, before)


class _Block:
    """What is known of `bounded`.

    Attributes:
        within: Whether the process is in such a block.
        space: Bytes of address space in use when they were looked up.
        looked: When that was, by `time.monotonic`.
    """

    within = False
    space = 0
    looked = -inf


@lru_cache
def machine_memory() -> int:
    """Return the bytes of memory that this machine, or its container, has."""
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    with (
        suppress(OSError, ValueError),
        open("/sys/fs/cgroup/memory.max", encoding="ascii") as file,
    ):
        return min(pages, int(file.read()))
    return pages


def _address_space() -> int:
    now = monotonic()
    if now > _Block.looked + _PAUSE:
        _Block.looked, _Block.space = now, _in_use()[0]
    return _Block.space


def lift_bound() -> None:
    """Remove the bound of `bounded`, if it is meant for other processes."""
    if sys.platform == "win32":
        return
    import resource

    _soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (hard, hard))


def _in_use(process: int | None = None) -> tuple[int, int]:
    """Address space and memory in use, in bytes; (0, 0) if the process is gone."""
    if sys.platform == "linux":
        try:
            with open(f"/proc/{process or 'self'}/statm", encoding="ascii") as file:
                space, used, *_others = map(int, file.read().split())
        except (OSError, ValueError):
            return (0, 0)
        page = os.sysconf("SC_PAGE_SIZE")
        return (space * page, used * page)
    import psutil  # Only where memory is bounded: loading it takes 15 ms.

    try:
        found = psutil.Process(process).memory_info()
    except psutil.Error:
        return (0, 0)
    return (found.vms, found.rss)
