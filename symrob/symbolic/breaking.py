"""Why an operation of CUDD gave up.

In:  the error that dd raises.
Out: the reason, as a bound that was hit.
"""

from __future__ import annotations

from symrob.memory import memory_exceeded


def why_given_up(error: BaseException) -> BaseException | None:
    """Return why an operation gave up; `None` if the error is about something else.

    Where CUDD has used up the memory that it may use, dd complains of a null pointer,
    or that it failed to add a variable.
    """
    text = str(error) if isinstance(error, ValueError | RuntimeError) else ""
    given_up = "NULL" in text or text.startswith("failed to add var")
    return memory_exceeded() if given_up or isinstance(error, MemoryError) else None
