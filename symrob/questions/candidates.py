"""`symrob candidates`: a table of all candidates, for the user to complete."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from symrob import files
from symrob.analyses.candidates import Candidacy, candidacy
from symrob.api.stages import open_space
from symrob.case import Case
from symrob.case.faults import Faults, changes_components, is_local
from symrob.case.table import is_of_components
from symrob.errors import Diagnostic, LimitExceeded, SymrobError
from symrob.problem import Model
from symrob.questions.question import Given, Question, option

if TYPE_CHECKING:
    from symrob.questions.session import Session

# What a table has at most, where nothing else is said.
MOST_ROWS = 1_000_000


@dataclass(frozen=True)
class CandidatesQuestion(Question):
    """Write a table of all candidate transitions.

    Fill in the columns plausible, fault mode and probability; commands that have the
    option --table FILE accept the completed table.
    """

    forms: ClassVar = ("csv",)
    lists: ClassVar = False

    out: str | None = option(
        "--out", metavar="FILE", help="Write to a file instead of standard output."
    )
    force: bool = option("--force", default=False, help="Replace an existing table.")
    limit: int | None = option(
        "--limit", help=f"Limit the number of rows (default: {MOST_ROWS:,}).", least=1
    )

    def cases(self, given: Given) -> Mapping[str, Case]:
        """Return the cases; a table that a case names may be missing or outdated."""
        case, by = given.case, ("component",)
        if case.faults is not None and case.faults.table is not None:
            faults = replace(case.faults, table=None)
            if os.path.isfile(table := case.faults.table) and is_of_components(table):
                faults = replace(faults, by=by)
            case = replace(case, faults=faults)
        return {case.title or "the case": case}

    def check(self, _form: str) -> None:
        """Reject an existing table, which the user may have edited."""
        out = self.out
        if out is None or self.force or not os.path.exists(out):
            return
        if not files.is_stream(out) and os.stat(out).st_size:
            raise SymrobError(
                Diagnostic(
                    "usage-exists",
                    "this file exists; a completed table would be lost",
                    file=out,
                    hint="name another file, or use --force",
                )
            )

    def ask(self, session: Session) -> Candidacy:
        """Return the rows of the table; those of components if modes change them."""
        most = MOST_ROWS if self.limit is None else self.limit
        roles = session.roles
        if roles.faults is not None:
            single = _singles(roles.faults, roles.environment.model)
            roles = replace(roles, faults=single)
        space = open_space(roles, session.options, session.clock)
        session.warn(space.warnings)
        return candidacy(space, most)

    def endings(self, _session: Session, answer: Any) -> Iterator[tuple[str, str]]:
        """Report unknown verdicts, which are missing from the table."""
        if answer.lacking:
            seconds = answer.space.clock.budget("table")
            raise LimitExceeded(
                f"some verdicts were not computed in {seconds:g} s; set 'table' in "
                "[budgets] of the case file to allow more time"
            )
        return iter(())


def _singles(faults: Faults, environment: Model) -> Faults:
    """Rows are of single transitions, whatever modes there are."""
    chosen = (*faults.among, *faults.not_among)
    if chosen:
        local = any(is_local(text, environment) for text in chosen)
    else:
        local = changes_components(faults, environment)
    by = ("component",) if local or "component" in faults.by else ()
    return Faults(by=by, among=faults.among, not_among=faults.not_among)
