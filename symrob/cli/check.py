"""`symrob check`: is the nominal system safe?"""

from __future__ import annotations

from symrob.api import checked_engine, load_roles
from symrob.cli.common import command, warn
from symrob.cli.groups import Backend, Bounds, Models


@command
def check(models: Models, bounds: Bounds, backend: Backend = "auto") -> None:
    """Check that the nominal system is safe; print a shortest trace if not."""
    case = models.case
    options = case.options(bounds.options(backend=backend))
    engine = checked_engine(load_roles(case, options.reading), options)
    warn(engine.problem.warnings)
    print("safe: the nominal system satisfies every property and constraint")
