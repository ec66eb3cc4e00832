"""`symrob convert`: a model in another format."""

from __future__ import annotations

from typing import Annotated

import typer

from symrob.api import load_model
from symrob.case import parse_constants, split_process
from symrob.cli.common import command, warn
from symrob.cli.groups import Bounds, Const, ModelFile, Product


@command
def convert(
    model: ModelFile,
    out: Annotated[
        str,
        typer.Argument(
            metavar="OUT",
            help="The file to write: .lts or .fsp, .aut, .fsm, .json or .dot.",
            show_default=False,
        ),
    ],
    bounds: Bounds,
    const: Const = None,
    product: Product = False,
) -> None:
    """Write a model in another format; say what that format cannot hold."""
    from symrob.formats import require_target, write

    require_target(out, source=split_process(model)[0])
    source, system = load_model(
        model, parse_constants(const or []), bounds.options(), product
    )
    warn((*source.warnings, *write(system, out)))
