"""`symrob show`: what is in a model."""

from __future__ import annotations

from symrob.analyses.show import ModelShown
from symrob.api import load_model
from symrob.case import parse_constants, parse_rule
from symrob.cli.common import command, require_format, warn
from symrob.cli.option_groups import (
    AllowOutside,
    Bounds,
    Const,
    Everything,
    Format,
    From,
    ModelFile,
    Product,
    root_of,
)
from symrob.limits import Clock, running
from symrob.report.json import document, dumps
from symrob.report.show import show_lines


@command
def show(
    model: ModelFile,
    bounds: Bounds,
    const: Const = None,
    product: Product = False,
    allow_outside: AllowOutside = False,
    form: From = None,
    everything: Everything = False,
    output: Format = "text",
) -> None:
    """Show a model: components, states, alphabet, transitions."""
    require_format(output, ("text", "json"))
    options = bounds.options()
    clock = Clock(options.limits)
    rule = parse_rule(model, root=root_of(allow_outside))
    constants = parse_constants(const or [])
    source, system = load_model(rule, constants, options, product, form)
    warn(source.warnings)
    with running(clock):
        if output == "json":
            shown = dumps(document(ModelShown.of(source, system), model))
        else:
            lines = show_lines(source, system, model, everything=everything)
            shown = "\n".join(lines)
    print(shown)
