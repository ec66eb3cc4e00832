"""`symrob monitor`: a program that observes a run and reports its status."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from symrob.monitor.build import RuntimeMonitor, runtime_monitor
from symrob.monitor.size import MOST_STATES
from symrob.monitor.targets import require_target
from symrob.questions.question import Question, option

if TYPE_CHECKING:
    from symrob.questions.session import Session


@dataclass(frozen=True)
class MonitorQuestion(Question):
    """Generate a runtime monitor.

    The monitor reports departures from the plan, the danger of a violation, and
    violated assumptions.
    """

    forms: ClassVar = ("text",)
    lists: ClassVar = False

    target: str = option(
        "--target", default="python", help="Choose python, c, st or mermaid."
    )
    out: str | None = option(
        "--out", help="Write to a file instead of standard output."
    )
    observe: list[str] | None = option(
        "--observe",
        metavar="ACTION",
        help="Observe this action; `*` matches anything; repeatable.",
    )
    name: str | None = option("--name", help="Set the name of the generated monitor.")
    states: int | None = option(
        "--states", help="Limit the states of each machine (default: 10,000).", least=1
    )

    def check(self, _form: str) -> None:
        """Reject an unknown target."""
        require_target(self.target)

    def ask(self, session: Session) -> RuntimeMonitor:
        """Return the automata of the monitor."""
        engine, observed = session.engine, self.observe or ()
        most = self.states or MOST_STATES
        return runtime_monitor(engine, session.title, observed, most=most)

    def endings(self, _session: Session, _answer: Any) -> Iterator[tuple[str, str]]:
        """Yield the ends; an incomplete monitor is not written."""
        return iter(())
