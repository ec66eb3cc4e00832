"""Memory: how much the process uses, a bound that it cannot pass, and what is closed.

In:  a bound in MiB.
Out: `LimitExceeded`, or `MemoryError` where Python cannot get what it asks for; the
     base of what holds BDDs until it is closed.

Three lines of defence, since no single one sees everything:

1. `Clock.check` compares what the process uses with the bound.
2. CUDD gets the bound too (`symbolic.context`), because one operation on large
   BDDs can take all memory before the next check. It then gives up cleanly.
3. `bounded` has the operating system refuse what goes far beyond, or what the machine
   cannot give where there is no bound; from Python as from the command line. Python
   raises `MemoryError` then; CUDD would end the process, so this line stands
   behind the other two.
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
# The third line stands at least so many MiB behind the first, and at least as many
# as the bound: tables that grow are copied, and take twice their memory meanwhile.
_BACKSTOP = 512
# The share of the machine's memory that a run without a bound may use.
_USUAL = 0.75
# Seconds between two looks at the address space: a deviation takes far less.
_PAUSE = 0.02
_UNBOUNDED = nullcontext()


class Closable(ABC):
    """What holds BDDs until it is closed: when its `with` block ends, or by `close`.

    Where nobody does, its BDDs go when nothing refers to them any more.
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
        """Give up all BDDs; what was found stays, and nothing new can be found."""


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
    """Have the operating system refuse memory far beyond a bound.

    Without effect within another such block. The bound is of the whole process: threads
    beside this one have it, too.

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
    """Take back what `bounded` has set, where the bound is for other processes."""
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
