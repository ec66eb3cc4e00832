"""CUDD as dd gives it, with managers that are freed after their BDDs.

In:  what `dd.cudd.BDD` takes.
Out: a `BDD`, which is one.

dd frees a manager when no BDD holds it. What Python collects from a cycle lets go of
its parts in any order: then BDDs are there still, dd complains, and never gives the
memory back. Cycles are there where an exception is kept, since its frames hold all
that the callers have.
"""

from __future__ import annotations

from collections.abc import Callable
from sys import getrefcount

import dd.cudd
from dd.cudd import and_exists as and_exists

# Managers that Python is collecting from a cycle, and BDDs of theirs.
_collected: list[BDD] = []


class BDD(dd.cudd.BDD):  # type: ignore[misc]
    """A manager of CUDD; the arguments are those of dd."""

    def __init__(self, **options: int) -> None:
        # The BDDs of these are gone by now.
        _collected.clear()
        super().__init__(**options)

    # Names of modules are gone when Python ends.
    def __del__(
        self,
        known: Callable[[object], int] = getrefcount,
        collected: list[BDD] = _collected,
    ) -> None:
        # More than this frame, its variable, and the argument of the call.
        if known(self) > 3:
            collected.append(self)
