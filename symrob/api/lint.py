"""Everything that can be said about model files and cases: for `symrob lint`.

In:  paths of models in any format, and of case files.
Out: all diagnostics, those of one file together.

A case file stands for its models, read with its constants and the processes
that it names, and for how they fit together: what `compute` would refuse or
warn of before it runs. Whether the nominal system is safe is for `check`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from symrob.api import load_roles, pose
from symrob.case import Case, Spec, load_case, parse_spec
from symrob.doing import Doing, counted
from symrob.errors import Diagnostic, SymrobError, printable
from symrob.files import ANYWHERE, is_stdin
from symrob.formats import lint_file, read, reading
from symrob.limits import Status
from symrob.options import Options


@dataclass(frozen=True)
class LintFindings:
    """The answer of `symrob lint`.

    Attributes:
        files: How many files were looked at.
        diagnostics: What was found in them.
        status: As of every answer.
        reason: Likewise.
    """

    schema: ClassVar = "lint/2"
    also: ClassVar = {"errors": "errors", "warnings": "warnings"}

    files: int
    diagnostics: tuple[Diagnostic, ...]
    status: Status = "complete"
    reason: str = ""

    @property
    def errors(self) -> int:
        """How many are errors."""
        return sum(d.severity == "error" for d in self.diagnostics)

    @property
    def warnings(self) -> int:
        """How many are warnings."""
        return len(self.diagnostics) - self.errors


def lint(
    paths: Sequence[str],
    given: Mapping[str, Any],
    *,
    allow_outside: bool = False,
    form: str | None = None,
) -> tuple[Diagnostic, ...]:
    """Return all problems of some files; an empty tuple means that all are clean.

    Args:
        paths: Case files (`.toml`), and models, with `#PROCESS` if one is meant.
        given: Bounds on what is read and built, by the fields of `Options`; they
            win over those of a case file.
        allow_outside: Let paths in case files, and imports of models, lead out of
            their folders.
        form: The format of the model that is read from standard input.

    Returns:
        Errors and warnings, each once, in the order of the files; nothing is
        raised for them.

    Raises:
        LimitExceeded: The time or the memory is used up.

    Cost: that of reading all models, and of the products that a problem needs.
    """
    found: list[Diagnostic] = []
    options = Options.of(given)
    with reading(options.limits):
        for path in paths:
            Doing.what = f"checking {printable(path)}"
            counted(len(found), "problems")
            if path.endswith(".toml"):
                found += _lint_case(path, given, allow_outside)
            else:
                root = ANYWHERE if allow_outside else None
                found += _lint_model(parse_spec(path, root=root), options, form)
    return tuple(dict.fromkeys(found))


def _lint_model(spec: Spec, options: Options, form: str | None) -> list[Diagnostic]:
    path, limits, root = spec.path, options.limits, spec.root
    form = form if is_stdin(path) else None
    found = [*lint_file(path, limits=limits, root=root, form=form)]
    if spec.part is not None and not _errors(found):
        try:
            read(path, process=spec.part, limits=limits, root=root, form=form)
        except SymrobError as error:
            found += error.diagnostics
    return found


def _lint_case(
    path: str, given: Mapping[str, Any], allow_outside: bool
) -> list[Diagnostic]:
    try:
        case = load_case(path, allow_outside=allow_outside)
        options = case.options(given)
    except SymrobError as error:
        return [*error.diagnostics]
    found = [
        problem
        for spec in _files(case)
        for problem in lint_file(
            spec.path, constants=case.constants, limits=options.limits, root=spec.root
        )
    ]
    if not _errors(found):
        try:
            found += pose(load_roles(case, options.limits), options).warnings
        except SymrobError as error:
            found += error.diagnostics
    return found


def _files(case: Case) -> list[Spec]:
    """Return the model files of a case, each once, as a whole."""
    specs = (*case.specs, *(case.other.specs if case.other else ()))
    return list(dict.fromkeys(replace(spec, part=None) for spec in specs))


def _errors(found: Sequence[Diagnostic]) -> bool:
    return any(d.severity == "error" for d in found)
