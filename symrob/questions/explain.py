"""`symrob explain`: is a set of transitions tolerated, and why?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from symrob.analyses.explain import Explanation, explain
from symrob.analyses.holding import Held, held, held_by_file
from symrob.case.deviations import read_deviation
from symrob.case.transitions import parse_transitions
from symrob.errors import Diagnostic, SymrobError
from symrob.limits import running
from symrob.questions.question import Question, misused, option
from symrob.verdicts import VERDICTS

if TYPE_CHECKING:
    from symrob.analyses.space import About
    from symrob.lts import Transition
    from symrob.questions.session import Session


@dataclass(frozen=True)
class ExplainQuestion(Question):
    """Explain the verdict on a set of transitions.

    Write a transition as 'SOURCE,ACTION,TARGET', with names or numbers of states.
    """

    transition: list[str] | None = option(
        "--transition",
        metavar="'SOURCE,ACTION,TARGET'",
        help="Add transitions; `*` matches anything; repeatable.",
    )
    deviation: str | None = option(
        "--deviation",
        metavar="FILE[#N]",
        help="Add deviation N (default: largest) of a JSON file.",
    )
    mode: list[str] | None = option(
        "--mode", metavar="NAME", help="Add a fault mode of the case; repeatable."
    )
    limit: int = option(
        "--limit",
        default=3,
        help="Show at most this many maximal supersets.",
        least=0,
    )
    expect: str | None = option(
        "--expect",
        metavar="VERDICT",
        help="Require this verdict; exit with code 4 otherwise.",
    )

    @classmethod
    def in_batches(cls) -> bool:
        """Return `False`: a case does not say what to explain."""
        return False

    def check(self, _form: str) -> None:
        """Reject an empty set, or modes together with transitions."""
        code = "usage-explain"
        others = self.transition or self.deviation is not None
        if not (self.mode or others):
            message = "nothing to explain: give --transition, --deviation or --mode"
            raise misused(code, message)
        if self.expect not in (None, *VERDICTS):
            known = ", ".join(VERDICTS)
            message = f"--expect must be one of {known}, not '{self.expect:.60}'"
            raise misused(code, message)
        if self.mode and others:
            message = "--mode cannot be combined with --transition or --deviation"
            raise misused(code, message)

    def ask(self, session: Session) -> Explanation:
        """Return the explanation of the set."""
        space = session.space
        if self.mode and space.about.units is None:
            message = "--mode: this case declares no fault modes ([faults])"
            raise misused("usage-explain", message)
        most = session.options.max_expansion
        held: Held | None = None
        with running(space.clock):
            if space.about.units is None:
                given: Any = self._meant(space.about, most)
            else:
                held = self._held(space.about, most)
                given = held.units
            nominal, units = space.read(given)
        found = explain(space, units, nominal, deviations=self.limit)
        if session.form == "json":
            for one in found.blocked or ():
                _ = one.trace  # Kept in it.
        return replace(found, held=held)

    def endings(
        self, session: Session, answer: Explanation
    ) -> Iterator[tuple[str, str]]:
        """Yield the ends; an unexpected verdict comes first."""
        if self.expect not in (None, answer.verdict):
            verdict = f"the verdict is {answer.verdict}"
            yield "failed", f"{verdict}; --expect requires {self.expect}"
        yield from super().endings(session, answer)

    def _held(self, about: About, limit: int) -> Held:
        """The fault modes that are asked about, by name or by what they bring."""
        if self.mode:
            return Held(frozenset(self.mode), {})
        if self.deviation is None:
            return held(about, self.transition or (), limit=limit)
        if self.transition:
            message = "with fault modes, give --transition or --deviation, not both"
            raise misused("usage-explain", message)
        return held_by_file(about, self.deviation)

    def _meant(self, about: About, limit: int) -> set[Transition]:
        """What is asked about; the problems of all parts of it at once."""
        environment = about.environment
        assert environment is not None, "candidates are of E as one"
        meant: set[Transition] = set()
        problems: list[Diagnostic] = []
        try:
            parsed = parse_transitions(
                self.transition or (), environment, limit=limit, classes=about.classes
            )
            meant = meant.union(*parsed)
        except SymrobError as error:
            problems += error.diagnostics
        if self.deviation is not None:
            try:
                meant |= read_deviation(self.deviation, environment).new
            except SymrobError as error:
                problems += error.diagnostics
        if problems:
            raise SymrobError(problems)
        return meant
