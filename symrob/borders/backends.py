"""Which backend of dd there is.

In:  the name of a backend.
Out: a module of dd, or ours in its place.
"""

from __future__ import annotations

import sys
from typing import Any

from symrob.errors import SymrobError


def backend_named(backend: str) -> tuple[Any, str]:
    """Return the module that makes managers of BDDs, and its name.

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
                        "dd.cudd is not installed here; autoref is"
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
