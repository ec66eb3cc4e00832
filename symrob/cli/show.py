"""`symrob show`: what is in a model."""

from __future__ import annotations

from typing import Annotated

import typer

from symrob.api import load_model
from symrob.case import parse_constants
from symrob.cli.common import command, require_format, save, warn
from symrob.cli.groups import (
    Bounds,
    Const,
    Everything,
    Format,
    From,
    MaxEdges,
    ModelFile,
    Product,
)
from symrob.interrupts import ticking
from symrob.limits import Clock


@command
def show(
    model: ModelFile,
    bounds: Bounds,
    const: Const = None,
    product: Product = False,
    svg: Annotated[
        str | None,
        typer.Option("--svg", metavar="FILE", help="Also draw what is shown."),
    ] = None,
    form: From = None,
    max_edges: MaxEdges = None,
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
    with ticking(clock.check):
        if output == "json":
            shown = dumps(show_dict(source, system, model))
        else:
            lines = show_lines(source, system, model, everything=everything)
            shown = "\n".join(lines)
    print(shown)
    if svg is not None:
        from symrob.formats.dot import system_pictures
        from symrob.report.svg import drawn

        pictures = system_pictures(system, source.name)
        save(drawn(pictures, title=model, max_edges=max_edges), svg, "picture")
