"""`symrob convert`: a model in another format, also E with a deviation."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from symrob.api import load_environment, load_model, load_roles, pose
from symrob.case import Case, Spec, load_case, parse_constants, parse_rule, parse_spec
from symrob.case.deviations import read_deviation, with_deviation
from symrob.case.roles import has_roles
from symrob.cli.common import command, warn
from symrob.cli.option_groups import (
    AllowOutside,
    Bounds,
    Const,
    ExtraStates,
    From,
    Product,
    root_of,
)
from symrob.errors import Diagnostic, SymrobError
from symrob.formats import require_target, write
from symrob.lts import Lts, Network
from symrob.options import Options
from symrob.problem.loop import looped


@command
def convert(
    model: Annotated[
        str,
        typer.Argument(
            metavar="FILE[#PROCESS]",
            help="Convert this model, or the environment of a case.",
            show_default=False,
        ),
    ],
    out: Annotated[
        str,
        typer.Argument(
            metavar="OUT",
            help="Write this file, in the format of its suffix.",
            show_default=False,
        ),
    ],
    bounds: Bounds,
    const: Const = None,
    deviation: Annotated[
        str | None,
        typer.Option(
            "--deviation",
            metavar="FILE[#N]",
            help="Add deviation N (default: largest) of a JSON file.",
        ),
    ] = None,
    closed_loop: Annotated[
        bool,
        typer.Option(
            "--closed-loop",
            help="Compose E, C and the properties of a case.",
        ),
    ] = False,
    extra_states: ExtraStates = None,
    product: Product = False,
    allow_outside: AllowOutside = False,
    form: From = None,
) -> None:
    """Convert a model to another format.

    Formats: .lts or .fsp, .aut, .fsm, .json, .wmod, .cif, .dot, .mmd, .puml, .tra.
    Warnings name the parts of the model that a format cannot express.
    """
    require_target(out)
    root = root_of(allow_outside)
    given = bounds.given(extra_states=extra_states)
    options = Options.of(given)
    constants = parse_constants(const or [])
    system: Lts | Network
    warnings: tuple[Diagnostic, ...]
    if model.endswith(".toml") or (closed_loop and has_roles(model, form)):
        case = load_case(model, allow_outside=allow_outside)
        case = replace(case, constants={**case.constants, **constants})
        options = case.options(given)
        system, warnings = _deviated(case, options, deviation)
        if closed_loop or options.strict:
            # Warnings are of the case as a whole, whatever of it is written.
            problem = pose(load_roles(case, options.limits), options)
            if closed_loop:
                system = looped(system, problem, options.max_states)
    elif closed_loop:
        message = "--closed-loop requires a case, which names E, C and P"
        raise SymrobError(Diagnostic("usage-closed-loop", message))
    elif deviation is not None or extra_states:
        spec = parse_spec(model, root=root)
        case = Case(spec, Spec(""), (), constants=constants, form=form)
        system, warnings = _deviated(case, options, deviation)
    else:
        source, system = load_model(
            parse_rule(model, root=root), constants, options, product, form
        )
        warnings = source.warnings
    warn((*warnings, *write(system, out)))


def _deviated(
    case: Case, options: Options, deviation: str | None
) -> tuple[Lts, tuple[Diagnostic, ...]]:
    """The environment of a case, with a deviation if there is one."""
    environment, warnings = load_environment(case, options)
    if deviation is not None:
        added = read_deviation(deviation, environment)
        environment = with_deviation(environment, added)
    return environment, warnings
