"""`symrob check`: is the nominal system safe?"""

from __future__ import annotations

from symrob.cli.common import command, opened
from symrob.cli.groups import Backend, Bounds, Models


@command
def check(models: Models, bounds: Bounds, backend: Backend = "auto") -> None:
    """Check that the nominal system is safe; print a shortest trace if not."""
    case = models.case
    options = case.options(bounds.options(backend=backend))
    opened(case, options)
    print("safe: the nominal system satisfies every property and constraint")
