"""`symrob check`: is the nominal system safe?"""

from __future__ import annotations

from symrob.cli.common import command, opened, print_json, require_format
from symrob.cli.groups import Bounds, Format, Models


@command
def check(models: Models, bounds: Bounds, output: Format = "text") -> None:
    """Check that the nominal system is safe; print a shortest trace if not."""
    require_format(output, ("text", "json"))
    case = models.case
    options = case.options(bounds.given())
    engine = opened(case, options)
    if output == "json":
        from symrob.analyses.check import Checked
        from symrob.report.json import document

        print_json(document(Checked(warnings=engine.problem.warnings), case.title))
        return
    rules = "property and constraint" if case.constrained else "property"
    print(f"safe: the nominal system satisfies every {rules}")
