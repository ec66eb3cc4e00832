"""Groups of options that commands share.

A parameter of a command whose type is one of these dataclasses stands for all its
fields; `expand` makes them visible to typer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import MISSING, Field, asdict, dataclass, fields, is_dataclass, replace
from functools import cached_property, wraps
from inspect import Parameter, signature
from typing import Annotated, Any, TypeVar, cast, get_type_hints

import typer

from symrob.case import Case, Constant, load_case, parse_constants, parse_spec
from symrob.case.roles import case_of_roles, has_roles
from symrob.cli.bounds import parse_bounds
from symrob.cli.ending import note_line
from symrob.cli.help import of_bounds, of_models, of_output
from symrob.cli.selection import Among, AtMost, By, FilledIn, NotAmong, with_selection
from symrob.errors import Diagnostic, SymrobError
from symrob.files import ANYWHERE, is_stdin
from symrob.options import Options

Command = TypeVar("Command", bound=Callable[..., None])

Const = Annotated[
    list[str] | None,
    of_models(
        "--const",
        metavar="NAME=VALUE",
        help="Set an FSP constant or a range LOW..HIGH; repeatable.",
    ),
]
AllowOutside = Annotated[
    bool,
    of_models("--allow-outside", help="Allow paths outside the case file's folder."),
]
WithoutConstraints = Annotated[
    bool,
    of_models("--without-constraints", help="Ignore the environment assumptions."),
]
Env = Annotated[
    str | None, of_models("--env", "--environment", help="Set the environment E.")
]
Everything = Annotated[bool, of_output("--all", help="Print long lists completely.")]
ExtraStates = Annotated[
    int | None,
    of_models("--extra-states", help="Add this many extra states to E first."),
]
Format = Annotated[str, of_output("--format", help="Choose text or json.")]
ModelFile = Annotated[
    str,
    typer.Argument(
        metavar="FILE[#PROCESS]", help="Read this model.", show_default=False
    ),
]
Product = Annotated[
    bool, typer.Option("--product", help="Compute the product of the components.")
]


Timeout = Annotated[
    float | None, of_bounds("--timeout", help="Stop after this many seconds.")
]
Memory = Annotated[
    int | None, of_bounds("--memory", help="Stop at this many MiB of memory.")
]
Rare = Annotated[
    list[str] | None,
    of_bounds(
        "--bound",
        metavar="NAME=VALUE",
        help="Set another bound (see `symrob --help`); repeatable.",
    ),
]
From = Annotated[
    str | None,
    of_models(
        "--from",
        metavar="FORMAT",
        help="Set the format of standard input (`-`).",
    ),
]


@dataclass(frozen=True)
class Models:
    """The models of one problem: a case file, or an option for each role."""

    case_file: Annotated[
        str | None,
        typer.Argument(
            metavar="[CASE.toml]",
            help="Read the models from a case file, .wmod or .cif.",
        ),
    ] = None
    env: Env = None
    ctrl: Annotated[
        str | None, of_models("--ctrl", "--controller", help="Set the controller C.")
    ] = None
    prop: Annotated[
        list[str] | None,
        of_models("--prop", "--property", help="Add a property of E‖C; repeatable."),
    ] = None
    env_prop: Annotated[
        list[str] | None,
        of_models(
            "--env-prop", "--constraint", help="Add an assumption about E; repeatable."
        ),
    ] = None
    without_constraints: WithoutConstraints = False
    const: Const = None
    allow_outside: AllowOutside = False
    form: From = None
    by: By = None
    among: Among = None
    not_among: NotAmong = None
    table: FilledIn = None
    at_most: AtMost = None

    @property
    def named(self) -> bool:
        """Whether a case file or a model was given."""
        return any((self.case_file, self.env, self.ctrl, self.prop, self.env_prop))

    @property
    def cases(self) -> dict[str, Case]:
        """The case, by its name in messages."""
        case = self.case
        return {case.title or "the case": case}

    def beside(self, path: str) -> Case:
        """Return another case file, with the same options."""
        return replace(self, case_file=path).case

    @cached_property
    def case(self) -> Case:
        """The case that they describe.

        Raises:
            SymrobError: The case file is wrong, a model is missing, or a case file and
                models are both given, or constraints that must not count.
        """
        refuse_constraints(self.env_prop, self.without_constraints)
        constants = parse_constants(self.const or [])
        roles = {
            "--env": self.env,
            "--ctrl": self.ctrl,
            "--prop": self.prop,
            "--env-prop": self.env_prop,
        }
        if self.case_file is not None:
            of_roles = self._of_roles(self.case_file, constants)
            if of_roles is not None:
                return of_roles
            if any(roles.values()):
                raise _misused(
                    "usage-case",
                    f"give a case file or the options {', '.join(roles)}, not both",
                )
            case = load_case(self.case_file, allow_outside=self.allow_outside)
            if case.said:
                note_line(case.said)
            case = replace(case, constants={**case.constants, **constants})
            case = self._asking(case)
            return case.unconstrained() if self.without_constraints else case
        require_one_stdin(
            (self.env, self.ctrl, *(self.prop or ()), *(self.env_prop or ()))
        )
        missing = [n for n, v in roles.items() if not v and n != "--env-prop"]
        if missing or self.env is None or self.ctrl is None:
            raise _misused(
                "usage-models",
                f"{', '.join(missing)} missing: give a case file, or --env, --ctrl "
                "and --prop",
            )
        root = root_of(self.allow_outside)
        table = {
            "environment": self.env,
            "controller": self.ctrl,
            "properties": self.prop or (),
            "constraints": self.env_prop or (),
            "constants": constants,
        }
        case = Case.of(table, root=root, form=self.form)
        return self._asking(case)

    def _asking(self, case: Case) -> Case:
        """A case with what the options of selection ask about."""
        selected = self.by, self.among, self.not_among, self.table, self.at_most
        return with_selection(case, *selected)

    def _of_roles(self, path: str, constants: dict[str, Constant]) -> Case | None:
        """The case that a file with roles describes; what it decides is said."""
        if path.endswith(".toml"):
            return None
        if not has_roles(path, self.form):
            return None
        case = case_of_roles(
            path,
            environment=self.env,
            controller=self.ctrl,
            properties=self.prop or (),
            constraints=self.env_prop or (),
            constants=constants,
            form=self.form,
            allow_outside=self.allow_outside,
        )
        if case.said:
            note_line(f"{case.said} (--env, --ctrl and --prop override this)")
        case = self._asking(case)
        return case.unconstrained() if self.without_constraints else case


@dataclass(frozen=True)
class Bounds:
    """The bounds of a run, by the fields of `Options`, and its verbosity.

    `None` is "not given": then the case file or the default applies.
    """

    timeout: Timeout = None
    max_memory: Memory = None
    bound: Rare = None
    strict: Annotated[
        bool | None,
        of_output("--strict", help="Treat warnings as errors.", show_default=False),
    ] = None
    verbose: Annotated[
        int,
        of_output(
            "--verbose",
            "-v",
            count=True,
            show_default=False,
            help="Log the time of each stage; repeat for details.",
        ),
    ] = 0

    def given(self, **others: Any) -> dict[str, Any]:
        """Return what is given, by the fields of `Options`.

        Args:
            others: Further fields, `None` if they are not given.
        """
        names = {each.name for each in fields(Options)}
        options = {**asdict(self), **self.rare, **others}
        return {n: v for n, v in options.items() if n in names and v is not None}

    @property
    def rare(self) -> dict[str, int]:
        """The bounds of `--bound`, by `BOUNDS` with underscores.

        Raises:
            SymrobError: As for `parse_bounds`.
        """
        return parse_bounds(self.bound or ())

    def options(self, **others: Any) -> Options:
        """Return the options of a run without a case file; arguments as for `given`."""
        return Options.of(self.given(**others))


def root_of(allow_outside: bool) -> str | None:
    """The folder that imports of a model given by an option must not leave."""
    return ANYWHERE if allow_outside else None


def refuse_constraints(
    constraints: Sequence[str] | None, without_constraints: bool
) -> None:
    """Reject constraints that are given and must not count."""
    if constraints and without_constraints:
        raise _misused(
            "usage-constraints",
            "--without-constraints ignores the assumptions; omit it or --env-prop",
        )


def require_one_stdin(specs: Iterable[str | None]) -> None:
    """Reject standard input for more than one model."""
    if sum(is_stdin(parse_spec(spec).path) for spec in specs if spec) > 1:
        raise _misused("usage-stdin", "standard input (`-`) can supply only one model")


def _misused(code: str, message: str) -> SymrobError:
    return SymrobError(Diagnostic(code, message))


def expand(command: Command) -> Command:
    """Replace each group among the parameters of a command by its fields."""
    hints = get_type_hints(command, include_extras=True)
    groups: dict[str, Any] = {
        n: hint for n, hint in hints.items() if is_dataclass(hint)
    }
    parameters: list[Parameter] = []
    for name, parameter in signature(command).parameters.items():
        if name in groups:
            parameters += parameters_of(groups[name])
        else:
            parameters.append(
                parameter.replace(annotation=hints[name], kind=Parameter.KEYWORD_ONLY)
            )

    @wraps(command)
    def run(**given: Any) -> None:
        made = {
            name: group(**{f.name: given.pop(f.name) for f in fields(group)})
            for name, group in groups.items()
        }
        command(**made, **given)

    shown: Any = run
    shown.__signature__ = signature(command).replace(parameters=parameters)
    shown.__annotations__ = {p.name: p.annotation for p in parameters}
    return cast("Command", run)


def parameters_of(group: Any) -> list[Parameter]:
    """Return the parameters that a group stands for."""
    hints = get_type_hints(group, include_extras=True)
    return [_parameter(field, hints[field.name]) for field in fields(group)]


def _parameter(field: Field[Any], hint: Any) -> Parameter:
    assert field.default is not MISSING, "an option of a group has a default"
    return Parameter(
        field.name, Parameter.KEYWORD_ONLY, default=field.default, annotation=hint
    )
