"""`symrob summary`: the verdict on each candidate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from symrob.analyses.overview import Overview
from symrob.api.chances import chances_of
from symrob.questions.question import DATA_FORMS, Question

if TYPE_CHECKING:
    from symrob.questions.session import Session


@dataclass(frozen=True)
class SummaryQuestion(Question):
    """Summarise the hazards, then the verdicts on all candidates."""

    covers: ClassVar = True
    forms: ClassVar = ("text", *DATA_FORMS, "csv")
    forms_help: ClassVar = "Choose text, json or csv (counts by class and action)."
    on_page: ClassVar = "Summary"

    def ask(self, session: Session) -> Overview:
        """Return the summary; its parts are found during iteration."""
        side = known = None
        if (found := session.found) is not None:
            side, known = found.side_report, found.summary()
        space = session.space
        chances = {}
        if session.case.probabilities is not None:
            chances = chances_of(session.case, session.roles, space)
        traces = session.form in ("json", "row")
        return Overview(space, session.words, known, side, chances, traces=traces)
