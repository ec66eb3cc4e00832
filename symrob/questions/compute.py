"""`symrob compute`: the safety envelope."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

from symrob.api.large_deviations import WideDelta, is_wide
from symrob.limits import ending_of
from symrob.options import ALGORITHMS
from symrob.questions.question import DATA_FORMS, Question, certificate, misused, option

if TYPE_CHECKING:
    from symrob.api.certificates.records import WrittenCertificate
    from symrob.questions.session import Session


@dataclass(frozen=True)
class ComputeQuestion(Question):
    """Compute the safety envelope: maximal tolerated deviations."""

    covers: ClassVar = True
    forms: ClassVar = ("text", *DATA_FORMS, "jsonl")
    forms_help: ClassVar = "Choose text, json or jsonl (streamed)."
    batch: ClassVar = "result"

    algorithm: str | None = option(
        "--algorithm",
        help=f"Choose {', '.join(ALGORITHMS[:-1])} or {ALGORITHMS[-1]}.",
        setting=True,
    )
    limit: int | None = option(
        "--limit", help="Stop after this many deviations.", setting=True
    )
    largest: int | None = option(
        "--top",
        metavar="N",
        help="Compute only the N largest deviations.",
        setting=True,
    )
    weights: str | None = option(
        "--weights",
        metavar="FILE.toml",
        help="Read the weights of transitions for --top.",
        setting=True,
    )
    compact: bool = option(
        "--compact",
        default=False,
        help="List only the transitions left out of each deviation (JSON).",
    )
    in_order: bool = option(
        "--sorted", default=False, help="Sort the deviations (JSON)."
    )
    certificate: str | None = certificate()
    processes: int | None = option(
        "-j", "--jobs", help="Set the number of worker processes.", setting=True
    )
    cluster: str | None = option(
        "--dask",
        metavar="ADDRESS",
        help="Use the Dask cluster of this scheduler.",
        setting=True,
    )
    details: bool = option(
        "--details",
        default=False,
        help="Print complete deviations, similar ones included.",
    )
    stats: bool = option(
        "--stats", default=False, help="Print model sizes and the search effort."
    )

    @classmethod
    def for_rows(cls) -> Self:
        """Return the question for a batch: rows do not depend on the search order."""
        return cls(in_order=True)

    def check(self, form: str) -> None:
        """Reject options of JSON for other formats."""
        fits = {
            "--compact requires --format json or jsonl": not self.compact
            or form != "text",
            "--sorted requires --format json": not self.in_order
            or form in ("json", "row"),
        }
        if problems := [message for message, right in fits.items() if not right]:
            raise misused("usage-format", *problems)

    def ask(self, session: Session) -> Any:
        """Return the deviations, computed during iteration."""
        envelope = session.envelope
        space = envelope.space
        if self.certificate is not None:
            space.required_whole("a certificate")
        space.effort.on_bounds = session.bounds
        whole = self.certificate or self.details or self.stats
        few = whole or session.options.largest
        if session.form == "text" and not few and is_wide(envelope):
            return WideDelta(envelope, session.options.limit)
        return envelope

    def endings(self, _session: Session, answer: Any) -> Iterator[tuple[str, str]]:
        """Yield the ends; if only the largest were requested, these are complete."""
        if answer.clock.interrupted:
            yield "interrupted", "interrupted; figures shown as ? are unknown"
        if not answer.as_asked:
            yield ending_of(answer, answer.clock)

    def certify(self, session: Session, answer: Any, path: str) -> WrittenCertificate:
        """Write a certificate of the known deviations."""
        from symrob.api.certificates.answers import write_certificate

        return write_certificate(path, session.roles, answer)

    def lacking(self, answer: Any, reason: str) -> str:
        """Return nothing: an incomplete envelope reports it itself."""
        return reason if answer.status == "complete" else ""
