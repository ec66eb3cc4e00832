"""`symrob compare`: which of two designs, or of many, is more robust?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from symrob.analyses.compare import (
    Comparison,
    Surplus,
    Unassumed,
    compare,
    lost_by_plans,
    surplus_sets,
    unassumed,
)
from symrob.analyses.ranking import Ranking, rank, rank_unassumed
from symrob.api.result import SafetyEnvelope
from symrob.case import Case
from symrob.errors import NominalViolation, SymrobError
from symrob.limits import Outcome, ending
from symrob.questions.question import Given, Question, certificate, misused, option

if TYPE_CHECKING:
    from symrob.analyses.space import Space
    from symrob.api.certificates.answers import Pair
    from symrob.api.certificates.records import WrittenCertificate
    from symrob.problem import UnitSet
    from symrob.questions.session import Session


@dataclass(frozen=True)
class CompareQuestion(Question):
    """Compare the robustness of two or more designs.

    Each case file is a side; a case with [matrix] or [against] gives several. Without
    case files, the option given more than once (--ctrl, --prop or --env-prop) names
    the sides.
    """

    of_sides: ClassVar = True

    delta: bool = option(
        "--delta",
        default=False,
        help="List maximal deviations tolerated by one side only.",
    )
    limit: int | None = option(
        "--limit", help="List at most this many deviations per side.", setting=True
    )
    certificate: str | None = certificate()

    def cases(self, given: Given) -> Mapping[str, Case]:
        """Return the sides."""
        cases = given.cases
        if len(cases) > 2 and self.delta:
            raise misused("usage-sides", "--delta requires two sides")
        return cases

    def within(self, session: Session) -> Session:
        """Return a session about the case and the other side that it names."""
        case = session.case
        assert case.other is not None, "the keys of the case were checked"
        return session.about({"case": case, "against": case.other})

    def ask(self, session: Session) -> Compared | Ranked:
        """Return the comparison of two sides, or the order of several."""
        if len(session.cases) > 2:
            return Ranked(session)
        return Compared(session, deltas=self.delta)

    def endings(self, session: Session, answer: Any) -> Iterator[tuple[str, str]]:
        """Yield the ends; an interrupt counts even if everything was known by then."""
        yield from super().endings(session, answer)
        if next(iter(session.spaces.values())).clock.interrupted:
            yield "interrupted", "interrupted"

    def certify(self, session: Session, answer: Any, path: str) -> WrittenCertificate:
        """Write a certificate of the comparison."""
        from symrob.api.certificates.answers import write_comparison_certificate

        sides = {
            name: (session.all_roles[name], space.required_whole("a certificate"))
            for name, space in session.spaces.items()
        }
        return write_comparison_certificate(path, sides, answer.at_least, answer.shown)


class Compared:
    """The comparison of two sides; each part is computed on demand.

    Args:
        session: The session of the two cases.
        deltas: Whether to list the deviations that only one side tolerates.
    """

    def __init__(self, session: Session, *, deltas: bool = False) -> None:
        self._session, self._deltas = session, deltas
        try:
            self._one, self._other = session.spaces.values()
        except NominalViolation as error:
            if session.clock is None:
                raise
            # The plan of the case is safe: it is the other side that is wrong.
            raise SymrobError(error.diagnostics) from None

    @cached_property
    def first(self) -> Comparison:
        """The verdict, and the sets that show it."""
        return replace(
            compare(self._one, self._other), sides=tuple(self._session.cases)
        )

    @cached_property
    def without_constraints(self) -> Unassumed | None:
        """The verdict without the assumptions."""
        return unassumed(self._one, self._other)

    @cached_property
    def deltas(self) -> tuple[SafetyEnvelope, ...]:
        """For each side the part of its Δ that the other does not tolerate."""
        if not self._deltas:
            return ()
        first, second = self.first.first, self.first.second
        return (
            self._part(self._one, self._other, first),
            self._part(self._other, self._one, second),
        )

    def _part(self, mine: Space, theirs: Space, known: Surplus) -> SafetyEnvelope:
        found = surplus_sets(mine, theirs, known)
        limit, progress = (
            self._session.options.limit,
            self._session.progress("deviations"),
        )
        return SafetyEnvelope(mine, "maximal", found, limit=limit, on_progress=progress)

    @cached_property
    def final(self) -> Comparison:
        """The complete answer."""
        listed = tuple(tuple(sorted(each)) for each in self.deltas)
        parts: list[Outcome] = [self.first, *self.deltas]
        end = ending(parts)
        return replace(
            self.first,
            without_constraints=self.without_constraints,
            delta=listed or None,
            status=end.status,
            reason=end.reason,
        )

    @property
    def status(self) -> str:
        """`complete`, or what stopped a part."""
        return self.final.status

    @property
    def reason(self) -> str:
        """Why a part was stopped."""
        return self.final.reason

    @property
    def at_least(self) -> dict[Pair, bool]:
        """Whether the first of a pair tolerates all that the second does."""
        return {
            (1 - index, index): not surplus.exists
            for index, surplus in enumerate(self.first.surplus)
            if surplus.exists is not None
        }

    @property
    def shown(self) -> dict[Pair, UnitSet]:
        """What the first of a pair tolerates and the second does not."""
        return {
            (index, 1 - index): surplus.witness.units
            for index, surplus in enumerate(self.first.surplus)
            if surplus.witness is not None
        }


class Ranked:
    """The order of several sides; each part is computed on demand.

    Args:
        session: The session of the cases.
    """

    shown: ClassVar[Mapping[Pair, UnitSet]] = {}

    def __init__(self, session: Session) -> None:
        self._session = session
        self._sides = [*session.spaces.values()]

    @cached_property
    def first(self) -> Ranking:
        """The order within the assumptions."""
        ranking = rank(self._sides, self._session.progress("pairs"))
        lost = None if ranking.status == "interrupted" else lost_by_plans(self._sides)
        return replace(ranking, sides=tuple(self._session.cases), lost=lost)

    @cached_property
    def without_constraints(self) -> Ranking | None:
        """The order without them."""
        return rank_unassumed(self._sides)

    @property
    def final(self) -> Ranking:
        """The complete answer."""
        return replace(self.first, without_constraints=self.without_constraints)

    @property
    def status(self) -> str:
        """`complete`, or what stopped the first part."""
        return self.first.status

    @property
    def reason(self) -> str:
        """Why the first part was stopped."""
        return self.first.reason

    @property
    def at_least(self) -> dict[Pair, bool]:
        """Whether the first of a pair tolerates all that the second does."""
        return {
            (i, j): known
            for i, row in enumerate(self.first.at_least)
            for j, known in enumerate(row)
            if i != j and known is not None
        }
