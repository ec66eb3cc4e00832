"""A case file in Python: its models by their roles, and what can be asked of it.

In:  the path of a case file.
Out: a `LoadedCase`.
"""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

from symrob.api.loading import Roles, load_roles
from symrob.api.stages import analyse
from symrob.case import Case
from symrob.case import load_case as read_case

if TYPE_CHECKING:
    from symrob.api.mode_result import PartsEnvelope
    from symrob.api.result import Progress, SafetyEnvelope
    from symrob.problem import Model


@dataclass(frozen=True)
class LoadedCase:
    """A case with its models.

    Attributes:
        case: What the file says.
        roles: The models that it names.
    """

    case: Case
    roles: Roles

    @property
    def title(self) -> str:
        """What a person calls it."""
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
        """P_env, likewise."""
        return {role.name: role.model for role in self.roles.constraints}

    def compute(
        self, *, on_progress: Progress | None = None, **options: Any
    ) -> SafetyEnvelope | PartsEnvelope:
        """Compute the safety envelope, with the options of the file.

        Args:
            on_progress: As for `symrob.compute`.
            options: As for `symrob.compute`, in place of those of the file.

        Raises:
            SymrobError: As for `symrob.compute`; or an option is not known.
            NominalViolation: As for `symrob.compute`.
        """
        return analyse(self.roles, self.case.options(options), on_progress)

    def __repr__(self) -> str:
        rules = f"{len(self.roles.properties)} properties"
        return (
            f"LoadedCase({self.title!r}: E {self.environment!r}, "
            f"C {self.controller!r}, {rules}, "
            f"{len(self.roles.constraints)} constraints)"
        )


def load_case(path: str | PathLike[str], *, allow_outside: bool = False) -> LoadedCase:
    """Read a case file with its models.

    Args:
        path: The file, which stands for one case.
        allow_outside: Let paths in it lead out of its folder.

    Raises:
        SymrobError: The file or a model cannot be read; every problem is listed.
    """
    case = read_case(fspath(path), allow_outside=allow_outside)
    return LoadedCase(case, load_roles(case, case.options({}).limits))
