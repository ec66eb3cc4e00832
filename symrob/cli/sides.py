"""The designs of `symrob compare`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Annotated

import typer

from symrob.case import Case, load_cases, parse_constants, parse_rule, parse_spec
from symrob.case.model import called
from symrob.cli.ending import note_line
from symrob.cli.help import of_models
from symrob.cli.option_groups import (
    AllowOutside,
    Const,
    Env,
    From,
    WithoutConstraints,
    refuse_constraints,
    require_one_stdin,
    root_of,
)
from symrob.cli.selection import Among, AtMost, By, FilledIn, NotAmong, with_selection
from symrob.errors import Diagnostic, SymrobError


@dataclass(frozen=True)
class Sides:
    """The designs: case files, or options of which one is repeated."""

    case_files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CASE.toml]...",
            help="Compare the designs of these case files.",
        ),
    ] = None
    env: Env = None
    ctrl: Annotated[
        list[str] | None,
        of_models(
            "--ctrl", "--controller", help="Add a controller C as a side; repeatable."
        ),
    ] = None
    prop: Annotated[
        list[str] | None,
        of_models(
            "--prop",
            "--property",
            help="Add a property; with a single C, each is a side.",
        ),
    ] = None
    env_prop: Annotated[
        list[str] | None,
        of_models(
            "--env-prop",
            "--constraint",
            help="Add an assumption; with a single C and P, each is a side.",
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

    named = True

    @property
    def case(self) -> Case:
        """The first side."""
        return next(iter(self.cases.values()))

    def beside(self, path: str) -> Case:
        """Return another case file, with the same options."""
        return replace(self, case_files=[path]).case

    @property
    def cases(self) -> dict[str, Case]:
        """The sides by name; at least two.

        Raises:
            SymrobError: A case file is wrong, a model is missing, or there is only one
                side; or constraints are given that must not count.
        """
        refuse_constraints(self.env_prop, self.without_constraints)
        given = parse_constants(self.const or [])
        cases: dict[str, Case] = {}
        for name, case in (
            self._from_files() if self.case_files else self._from_options()
        ):
            if name in cases and case.path is not None:
                name = f"{name} [{case.key}]"
            while name in cases:
                name += "'"
            constants = {**case.constants, **given}
            case = replace(case, constants=constants, form=self.form)
            cases[name] = with_selection(
                case, self.by, self.among, self.not_among, self.table, self.at_most
            )
        if len(cases) < 2:
            raise misused(
                "a comparison requires two sides",
                "give two case files, or --ctrl, --prop or --env-prop twice",
            )
        return cases

    def _from_files(self) -> Iterator[tuple[str, Case]]:
        if any((self.env, self.ctrl, self.prop, self.env_prop)):
            raise misused("give case files or options for the models, not both")
        for path in self.case_files or ():
            for case in load_cases(path, allow_outside=self.allow_outside):
                if case.said:
                    note_line(case.said)
                if self.without_constraints:
                    case = case.unconstrained()
                name = case.title or case.key
                yield name, case
                if case.other is not None:
                    yield f"{name} (against)", case.other

    def _from_options(self) -> Iterator[tuple[str, Case]]:
        given = self.ctrl or [], self.prop or [], self.env_prop or []
        require_one_stdin((self.env, *chain(*given)))
        if not self.env or not self.ctrl or not self.prop:
            raise misused("give case files, or --env, --ctrl and --prop")
        root = root_of(self.allow_outside)
        env = parse_spec(self.env, root=root)
        ctrls = [parse_spec(ctrl, root=root) for ctrl in self.ctrl]
        props = [parse_rule(prop, root=root) for prop in self.prop]
        rules = tuple(parse_rule(rule, root=root) for rule in self.env_prop or ())
        if len(ctrls) > 1:
            for name, ctrl in zip(called(ctrls), ctrls, strict=True):
                yield name, Case(env, ctrl, tuple(props), rules)
        elif len(props) > 1:
            for name, prop in zip(called(props), props, strict=True):
                yield name, Case(env, ctrls[0], (prop,), rules)
        else:
            for name, rule in zip(called(rules), rules, strict=True):
                yield name, Case(env, ctrls[0], (props[0],), (rule,))


def misused(message: str, hint: str | None = None) -> SymrobError:
    """Return the error about the sides."""
    return SymrobError(Diagnostic("usage-sides", message, hint=hint))
