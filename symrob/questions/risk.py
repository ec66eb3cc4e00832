"""`symrob risk`: how probable is a hazard?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from symrob.api.chances import table_of
from symrob.api.events import missing_space
from symrob.case import Case
from symrob.questions.question import DATA_FORMS, Given, Question, misused, option
from symrob.risk.answer import Risk, RiskChange
from symrob.risk.assessment import Assessment
from symrob.risk.comparison import compared
from symrob.words import apart

if TYPE_CHECKING:
    from symrob.analyses.space import Space
    from symrob.questions.session import Session

OF_CHANGES = ("text", "json", "csv", "markdown")


@dataclass(frozen=True)
class RiskQuestion(Question):
    """Compute the hazard probability and the share of each event.

    Formats: text, json, csv, csv-sets, markdown, openpsa, galileo, dot, svg.
    """

    covers: ClassVar = True
    forms: ClassVar = (
        *("text", *DATA_FORMS, "openpsa", "galileo", "dot", "svg"),
        *("csv", "csv-sets", "markdown"),
    )
    forms_help: ClassVar = "Choose one of the formats above."

    other: str | None = option(metavar="[OTHER.toml]", help="Compare with this design.")
    probability: str | None = option(
        "--probability",
        metavar="FILE.toml",
        help="Override the probability table of the case.",
    )
    gap: float | None = option("--gap", help="Stop at this gap between the bounds.")
    traces: bool = option(
        "--traces", default=False, help="Include a trace of each set (JSON)."
    )
    out: str | None = option("--out", metavar="FILE", help="Write to a file.")

    def check(self, form: str) -> None:
        """Reject formats that two designs do not support, and invalid gaps."""
        if self.other is not None and form not in OF_CHANGES:
            known = ", ".join(OF_CHANGES)
            raise misused(
                "usage-format", f"--format must be one of {known}, not '{form}'"
            )
        if self.gap is not None and not 0 <= self.gap <= 1:
            raise misused("usage-gap", "--gap must be from 0 to 1")

    def cases(self, given: Given) -> Mapping[str, Case]:
        """Return the case, and the design that it is compared with."""
        cases = [given.case]
        if self.other is not None:
            cases.append(given.beside(self.other))
        names = apart([case.title or "the case" for case in cases])
        return dict(zip(names, cases, strict=True))

    def within(self, session: Session) -> Session:
        """Return a session of its own, whose units are the events."""
        return session.about({"case": session.case})

    def ask(self, session: Session) -> Assessed:
        """Return the assessment of the case, or of both cases."""
        assessed = self.prepared(session)(True)
        return Assessed(tuple(session.cases), assessed, traces=self.traces)

    def prepared(self, session: Session) -> Callable[[bool], list[Assessment]]:
        """Read the probabilities; return a function that assesses each case on demand.

        The function takes whether the assumptions count.

        Raises:
            SymrobError: As for `ask`.
        """
        table = table_of([*session.cases.values()], self.probability)
        # Both are about the events of the first case.
        events, spaces = session.events(table)
        progress, (roles, *_) = session.progress("sets"), session.all_roles.values()
        clock, options = spaces[0].clock, session.options

        def missing(constrained: bool) -> Space:
            space = missing_space(events, roles, options, clock)
            return space if constrained else space.unconstrained

        return lambda constrained: [
            Assessment(
                space if constrained else space.unconstrained,
                events,
                gap=self.gap,
                on_progress=progress,
                missing=partial(missing, constrained) if events.of_components else None,
            )
            for space in spaces
        ]

    def endings(self, _session: Session, answer: Assessed) -> Iterator[tuple[str, str]]:
        """Yield what stopped the assessment of each design."""
        for each in answer.assessed:
            yield each.status, each.reason


class Assessed:
    """The risk of a case, or of two.

    Args:
        names: The names of the cases.
        assessed: Their assessments.
        traces: Whether the data includes a trace for each set.
    """

    def __init__(
        self, names: tuple[str, ...], assessed: list[Assessment], *, traces: bool
    ) -> None:
        self.names, self.assessed, self._traces = names, assessed, traces

    @property
    def final(self) -> Risk | RiskChange:
        """The figures."""
        if len(self.assessed) == 1:
            return Risk.of(self.assessed[0], traces=self._traces)
        return RiskChange.of(compared(*self.assessed), self.assessed, self.names)
