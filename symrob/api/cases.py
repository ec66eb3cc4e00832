"""A case file in Python: its models by role, and computing its envelope.

In:  the path of a case file, or of a model file whose parts have roles.
Out: a `LoadedCase`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from os import PathLike, fspath
from typing import Any

from symrob.api.arguments import at_most_of, require, require_texts
from symrob.api.loading import Roles, load_roles
from symrob.api.result import Progress, SafetyEnvelope
from symrob.api.stages import analyse
from symrob.case import Case
from symrob.case import load_case as read_case
from symrob.case.roles import case_of_roles, has_roles
from symrob.errors import Diagnostic, SymrobError, plural
from symrob.problem import Model


@dataclass(frozen=True)
class LoadedCase:
    """A case with its models.

    Attributes:
        case: The contents of the case file.
        roles: The models that it names.
    """

    case: Case
    roles: Roles

    @property
    def title(self) -> str:
        """Human-readable title of the case."""
        return self.case.title

    @property
    def environment(self) -> Model:
        """E."""
        return self.roles.environment.model

    @property
    def controller(self) -> Model:
        """C."""
        return self.roles.controller.model

    @property
    def properties(self) -> dict[str, Model]:
        """P, by the names that messages use."""
        return {role.name: role.model for role in self.roles.properties}

    @property
    def constraints(self) -> dict[str, Model]:
        """P_env, by the names that messages use."""
        return {role.name: role.model for role in self.roles.constraints}

    def compute(
        self,
        *,
        on_progress: Progress | None = None,
        at_most: int | None = None,
        **options: Any,
    ) -> SafetyEnvelope:
        """Compute the safety envelope, with the options of the case file.

        Args:
            on_progress: As for `symrob.compute`.
            at_most: As for `symrob.compute`; by default the bound of the case file.
            options: As for `symrob.compute`; they override those of the case file.

        Raises:
            SymrobError: As for `symrob.compute`; or an option is unknown.
            NominalViolation: As for `symrob.compute`.
        """
        require(("on_progress", on_progress, Callable | None, "a function"))
        problems: list[Diagnostic] = []
        most, roles = at_most_of(at_most, problems), self.roles
        if problems:
            raise SymrobError(problems)
        if most is not None:
            roles = replace(roles, at_most=most)
        return analyse(roles, self.case.options(options), on_progress)

    def __repr__(self) -> str:
        count = len(self.roles.properties)
        rules = f"{count} propert{'y' if count == 1 else 'ies'}"
        return (
            f"LoadedCase({self.title!r}: E {self.environment!r}, "
            f"C {self.controller!r}, {rules}, "
            f"{plural(len(self.roles.constraints), 'assumption')})"
        )


def load_case(
    path: str | PathLike[str],
    *,
    allow_outside: bool = False,
    environment: str | None = None,
    controller: str | None = None,
    properties: Sequence[str] = (),
    constraints: Sequence[str] = (),
) -> LoadedCase:
    """Read a case file with its models, or a model file whose parts have roles.

    Args:
        path: The file. A Supremica, CIF or JSON file of named models is a case by
            itself: E is all plants, C all supervisors, P all specifications, unless the
            arguments below say otherwise.
        allow_outside: Allow paths in a case file, and imports of models, outside of its
            folder.
        environment: For a file whose parts have roles: the parts that form E, separated
            by commas. The other plants then belong to C.
        controller: The parts that form C.
        properties: The parts, files, or sentences that form P.
        constraints: The parts, files, or sentences that form P_env; none by default.

    Raises:
        SymrobError: The file or a model cannot be read (every problem is listed), or
            roles are given for a case file.
    """
    require(
        ("path", path, str | PathLike, "a path, such as 'case.toml'"),
        ("environment", environment, str | None, "the names of parts"),
        ("controller", controller, str | None, "the names of parts"),
    )
    require_texts("properties", properties)
    require_texts("constraints", constraints)
    path = fspath(path)
    if has_roles(path):
        case = case_of_roles(
            path,
            environment=environment,
            controller=controller,
            properties=properties,
            constraints=constraints,
            allow_outside=allow_outside,
        )
    elif environment or controller or properties or constraints:
        message = "a case file specifies its own models: omit environment, controller, "
        message += "properties and constraints"
        raise SymrobError(Diagnostic("usage-case", message, file=path))
    else:
        case = read_case(path, allow_outside=allow_outside)
    return LoadedCase(case, load_roles(case, case.options({}).limits))
