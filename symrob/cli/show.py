"""`symrob show`: what is in a model."""

from __future__ import annotations

from symrob.api import load_model
from symrob.case import parse_constants
from symrob.cli.common import command, require_format, warn
from symrob.cli.groups import (
    Bounds,
    Const,
    Everything,
    Format,
    From,
    ModelFile,
    Product,
)
from symrob.limits import Clock, running


@command
def show(
    model: ModelFile,
    bounds: Bounds,
    const: Const = None,
    product: Product = False,
    form: From = None,
    everything: Everything = False,
    output: Format = "text",
) -> None:
    """Show a model: its components, states, alphabet, transitions, deadlocks."""
    from symrob.report.json import dumps
    from symrob.report.show import show_dict, show_lines

    require_format(output, ("text", "json"))
    options = bounds.options()
    clock = Clock(options.limits)
    source, system = load_model(
        model, parse_constants(const or []), options, product, form
    )
    warn(source.warnings)
    with running(clock):
        if output == "json":
            shown = dumps(show_dict(source, system, model))
        else:
            lines = show_lines(source, system, model, everything=everything)
            shown = "\n".join(lines)
    print(shown)
