"""`symrob cuts`: the minimal hazardous sets of added transitions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from symrob.analyses.cuts import Cuts
from symrob.limits import ending_of
from symrob.questions.question import DATA_FORMS, Question, certificate, option

if TYPE_CHECKING:
    from symrob.api.certificates.records import WrittenCertificate
    from symrob.questions.session import Session
    from symrob.risk.likely import LikelySets


@dataclass(frozen=True)
class CutsQuestion(Question):
    """List the minimal hazardous sets."""

    covers: ClassVar = True
    forms: ClassVar = ("text", *DATA_FORMS, "jsonl")
    forms_help: ClassVar = "Choose text, json or jsonl (streamed)."

    order: int | None = option(
        "--order", help="List only sets of at most this size.", least=1
    )
    limit: int | None = option(
        "--limit", help="Stop after this many sets.", setting=True
    )
    resilience: bool = option(
        "--resilience",
        default=False,
        help="Show only the smallest size and one set of that size.",
    )
    outside: bool = option(
        "--outside",
        default=False,
        help="Include safe sets excluded by an assumption.",
    )
    by_probability: bool = option(
        "--by-probability", default=False, help="List the most probable sets first."
    )
    probability: str | None = option(
        "--probability",
        metavar="FILE.toml",
        help="Read a probability table, as for `symrob risk`.",
    )
    traces: bool = option(
        "--traces", default=False, help="Print the trace of each set step by step."
    )
    certificate: str | None = certificate()

    @property
    def likely(self) -> bool:
        """Whether the most probable sets come first."""
        return self.by_probability or self.probability is not None

    def ask(self, session: Session) -> Cuts | LikelySets:
        """Return the sets, found during iteration."""
        if self.likely:
            from symrob.api.chances import table_of
            from symrob.risk.likely import LikelySets

            table = table_of([session.case], self.probability)
            events, (space,) = session.events(table)
            return LikelySets(space, events, session.options.limit)
        space = session.space
        if self.certificate is not None:
            space.required_whole("a certificate")
        return Cuts(
            space,
            order=session.case.order if self.order is None else self.order,
            limit=session.options.limit,
            smallest=self.resilience,
            outside=self.outside,
            traces_from=1 if self.traces else 2 if session.form == "text" else None,
            on_progress=session.progress("sets"),
            kept=None if self.certificate is None else [],
        )

    def endings(self, _session: Session, answer: Any) -> Iterator[tuple[str, str]]:
        """Yield the ends; a used-up counting budget is not a bound."""
        yield ending_of(answer, answer.clock)

    def certify(self, session: Session, answer: Cuts, path: str) -> WrittenCertificate:
        """Write a certificate of the sets found."""
        from symrob.api.certificates.answers import write_cuts_certificate

        resilience = []
        if answer.status == "complete" and answer.smallest:
            resilience = [answer.resilience, answer.resilience_without]
        engine = answer.space.required_whole("a certificate")
        kept = answer.kept or ()
        why = _partial(answer)
        return write_cuts_certificate(
            path, session.roles, engine, kept, why, resilience
        )

    @staticmethod
    def order_of(part: Any) -> Any:
        """Return the order: smallest first; the most probable ones as found."""
        return (len(part), sorted(part.units)) if hasattr(part, "units") else 0

    def lacking(self, answer: Cuts, reason: str) -> str:
        """Return why requested sets are missing."""
        why = _partial(answer)
        return "" if why and f"({why})" in reason else reason


def _partial(answer: Cuts) -> str:
    """Why hazardous sets may be missing; empty if these are all."""
    if answer.status == "complete" and answer.smallest:
        return "only one of the smallest sets was requested"
    if answer.status == "complete" and answer.order is not None:
        return f"sets above --order {answer.order} were not requested"
    return answer.reason
