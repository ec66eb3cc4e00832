"""`symrob lint`: all diagnostics of model files and cases.

In:  paths of models in any format, and of case files.
Out: all diagnostics, grouped by file.

For a case file, lint reads its models with the constants and processes that the case
names, and checks that they fit together: everything that `compute` would reject or warn
about before it runs. Lint does not check the safety of the nominal system; `check`
does.
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
        files: Number of files checked.
        diagnostics: The diagnostics of all files.
        status: `complete`, or what stopped the run.
        reason: Why something is missing; empty if nothing is.
    """

    schema: ClassVar = "lint/2"
    also: ClassVar = {"errors": "errors", "warnings": "warnings"}

    files: int
    diagnostics: tuple[Diagnostic, ...]
    status: Status = "complete"
    reason: str = ""

    @property
    def errors(self) -> int:
        """Number of errors."""
        return sum(d.severity == "error" for d in self.diagnostics)

    @property
    def warnings(self) -> int:
        """Number of warnings."""
        return len(self.diagnostics) - self.errors


def lint(
    paths: Sequence[str],
    given: Mapping[str, Any],
    *,
    allow_outside: bool = False,
    form: str | None = None,
) -> tuple[Diagnostic, ...]:
    """Return all diagnostics of some files; an empty tuple means that all are clean.

    Args:
        paths: Case files (`.toml`), and models, with `#PROCESS` to select a process.
        given: Bounds on what is read and built, by the fields of `Options`; they
            override those of a case file.
        allow_outside: Allow paths in case files, and imports of models, outside of
            their folders.
        form: The format of the model that is read from standard input.

    Returns:
        Errors and warnings, each once, in the order of the files; none of them raises
        an exception.

    Raises:
        LimitExceeded: The time or the memory is used up.

    Cost: that of reading all models, and of building the products that a problem needs.
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
