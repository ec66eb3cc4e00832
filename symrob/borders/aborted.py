"""What dd's errors mean: an operation of CUDD was aborted, or has used up its memory.

In:  why an operation is being aborted; an error.
Out: why the operation gave up.
"""

from __future__ import annotations

from symrob.memory import memory_exceeded

# What dd says first where CUDD has used up its memory.
COMPLAINTS = (
    "`DdNode *node` is `NULL`",
    "CUDD appears to have run out of memory",
    "failed to add var",
)


class _Noted:
    """What CUDD was answered last.

    Attributes:
        reason: Why it must give up, until somebody asks.
    """

    reason: BaseException | None = None


def note(reason: BaseException | None) -> None:
    """Note why an operation of CUDD is being aborted, or that none is.

    It cannot raise anything itself.
    """
    # The frames hold BDDs.
    _Noted.reason = reason and reason.with_traceback(None)


def why_given_up(error: BaseException | None) -> BaseException | None:
    """Return why an operation on BDDs gave up; `None` if the error is another.

    It was ended, or has used up the memory that it may use.
    """
    if isinstance(error, ValueError | RuntimeError):
        reason, _Noted.reason = _Noted.reason, None
        used_up = reason is None and str(error).startswith(COMPLAINTS)
        return memory_exceeded() if used_up else reason
    return memory_exceeded() if isinstance(error, MemoryError) else None
