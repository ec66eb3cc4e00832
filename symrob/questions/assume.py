"""`symrob assume`: the transitions that E must avoid for the plan to be safe."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, ClassVar

from symrob.analyses.assume import MOST_LISTED, Assumed
from symrob.analyses.mattering import mattering
from symrob.errors import NominalViolation
from symrob.limits import ending_of
from symrob.questions.question import DATA_FORMS, Question, misused, option
from symrob.questions.repair import MODELS

if TYPE_CHECKING:
    from symrob.analyses.assumptions import Mattering
    from symrob.questions.session import Session


@dataclass(frozen=True)
class AssumeQuestion(Question):
    """List the minimal sets of planned transitions to forbid.

    The plan without such a set is safe. --by action or --by component groups the
    transitions.
    """

    forms: ClassVar = ("text", *DATA_FORMS, "jsonl")
    forms_help: ClassVar = "Choose text, json or jsonl (answers as found)."

    limit: int | None = option(
        "--limit", help="Stop after this many answers.", least=1, setting=True
    )
    out: list[str] | None = option(
        "--out",
        metavar="CASE.toml",
        help="Write the repaired plan; repeat for further answers.",
    )

    monitor: list[str] | None = option(
        "--monitor",
        metavar="FILE",
        help="Write the assumption as a monitor; repeatable.",
    )

    def check(self, _form: str) -> None:
        """Reject file names with wrong suffixes; all of them."""
        known = {"--out": (self.out, (".toml",)), "--monitor": (self.monitor, MODELS)}
        wrong = [
            f"{name} takes a {', '.join(kinds)} file, not '{file:.200}'"
            for name, (files, kinds) in known.items()
            for file in files or ()
            if not file.lower().endswith(kinds)
        ]
        if wrong:
            raise misused("usage-assume", *wrong)

    def ask(self, session: Session) -> Assumed:
        """Return the answers, found during iteration."""
        explained = MOST_LISTED if session.form == "text" else inf
        return Assumed(
            session.plan,
            limit=session.options.limit,
            explained=explained,
            matters=lambda: _mattering(session),
        )

    def endings(self, _session: Session, answer: Any) -> Iterator[tuple[str, str]]:
        """Yield the ends; a used-up counting budget is not a bound."""
        yield ending_of(answer, answer.clock)
        if answer.mattering is not None:
            yield answer.mattering.status, answer.mattering.reason

    @staticmethod
    def order_of(part: Any) -> Any:
        """Return the order: smallest first."""
        return len(part), sorted(part.units)


def _mattering(session: Session) -> Mattering | None:
    """Which assumptions matter, where there are some and the plan keeps them."""
    try:
        space = session.space
    except NominalViolation:
        return None
    return mattering(space, sets=True) if space.constrained else None
