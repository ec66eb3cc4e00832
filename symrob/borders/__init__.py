"""Use of internals of dd and python-sat, beyond their documented interfaces.

In:  dd with CUDD, and python-sat.
Out: BDD managers and solvers with features that their libraries do not offer.

Each premise is checked at its use, and `tests/borders` fails if it does not hold.
symrob then works without the feature, more slowly or with coarser bounds:

- `cudd.BDD.breakable`: CUDD's manager is the first field of dd's object, before `vars`,
  and dd's library has CUDD's symbols. Else each operation runs to its end.
- `cudd.BDD.takes_cubes`: dd asks a method of the manager for the cube to quantify.
  Else a cube is built for each image.
- `cudd.BDD.__del__`: `len` of a manager counts the nodes that are referred to. Else dd
  complains of a manager in a cycle, and keeps its memory.
- `why_given_up`: dd raises `ValueError` or `RuntimeError` where CUDD gave up,
  in known words where memory is used up. Else that is an internal error.
- `backend_named`: dd imports networkx for pictures only. Else commands start slowly.
- `sat.cadical`, `sat.propagated`: `pysolvers` has calls that leave SIGINT to Python.
  Else python-sat's own calls are used.
- `sat.log_proof`: CaDiCaL logs LRAT when that is set before the first clause. Else no
  certificate is written.
- `sat.max_sat`: RC2 calls its oracle by `_call_oracle`, else cores are not exhausted;
  it has its `cost` after `process_core`, else there are no bounds during a call.

Imports errors and memory. Higher layers import it for the features listed here.
"""

from __future__ import annotations

import sys
from typing import Any

from symrob.errors import SymrobError
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
    """Record why an operation of CUDD is being aborted, or that none is.

    It never raises an exception.
    """
    # The frames hold BDDs.
    _Noted.reason = reason and reason.with_traceback(None)


def why_given_up(error: BaseException | None) -> BaseException | None:
    """Return why an operation on BDDs gave up; `None` if the error is another.

    The reason is an abort, or used-up memory.
    """
    if isinstance(error, ValueError | RuntimeError):
        reason, _Noted.reason = _Noted.reason, None
        used_up = reason is None and str(error).startswith(COMPLAINTS)
        return memory_exceeded() if used_up else reason
    return memory_exceeded() if isinstance(error, MemoryError) else None


def backend_named(backend: str) -> tuple[Any, str]:
    """Return the module that creates BDD managers, and its name.

    Args:
        backend: `cudd`, `autoref`, or `auto` for the first that is installed.

    Raises:
        SymrobError: CUDD is required and not installed.
    """
    # dd looks for networkx, which takes longer to import than all the rest,
    # only to draw diagrams; a `None` entry makes that optional import fail.
    absent = object()
    before = sys.modules.get("networkx", absent)
    if before is absent:
        sys.modules["networkx"] = None  # type: ignore[assignment]
    try:
        if backend in ("auto", "cudd"):
            try:
                import dd.cudd  # It may be absent though ours was imported.

                from symrob.borders import cudd

                return cudd, "cudd"
            except ImportError as error:
                if backend == "cudd":
                    raise SymrobError(
                        "dd.cudd is not installed; only the backend autoref is "
                        "available"
                    ) from error
        import dd.autoref

        return dd.autoref, "autoref"
    finally:
        if before is absent:
            del sys.modules["networkx"]
            # dd keeps the error, and with its frames all that the callers have.
            kept = getattr(sys.modules.get("dd._utils"), "_nx_error", None)
            if isinstance(kept, ImportError):
                kept.__traceback__ = None
