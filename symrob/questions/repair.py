"""`symrob repair`: changes of the controller that make it tolerate what it must."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from symrob.analyses.fault_mode_space import space_of
from symrob.case.controllable import Controllable, controllable_actions
from symrob.case.tolerated import tolerated
from symrob.errors import Diagnostic, SymrobError
from symrob.questions.question import Question, misused, option
from symrob.repair.answer import MOST_HAD, Answer, answer
from symrob.repair.suggest import Suggestions, suggest

if TYPE_CHECKING:
    from symrob.lts import Transition
    from symrob.questions.session import Session

MODELS = (".lts", ".fsp", ".json")
PICTURES = (".svg", ".dot")


@dataclass(frozen=True)
class RepairQuestion(Question):
    """Find guards that make C tolerate the required deviations.

    By default C must tolerate every deviation that keeps the assumptions.
    """

    tolerate: list[str] | None = option(
        "--tolerate",
        metavar="EXPR",
        help="Require tolerance of transitions or fault modes; repeatable.",
    )
    disable: list[str] | None = option(
        "--disable",
        metavar="ACTION",
        help="Allow C to disable this action; repeatable.",
    )
    not_disable: list[str] | None = option(
        "--not-disable",
        metavar="ACTION",
        help="Forbid C to disable this action; repeatable.",
    )
    keep: str | None = option(
        "--keep", metavar="plan", help="Preserve every planned trace."
    )
    suggest: bool = option(
        "--suggest", default=False, help="Suggest single guards and small combinations."
    )
    order: int | None = option(
        "--order", help="Limit the size of hazardous sets for --suggest.", least=1
    )
    limit: int | None = option(
        "--limit", help="Show at most this many feasible sets.", least=1
    )
    out: list[str] | None = option(
        "--out",
        metavar="FILE",
        help="Write the guarded C (.lts, .json) or a picture (.svg, .dot).",
    )

    def check(self, _form: str) -> None:
        """Reject options that are meaningless, or cannot be combined; all of them."""
        problems = []
        if self.keep not in (None, "plan"):
            problems.append(f"--keep must be plan, not '{self.keep:.60}'")
        if self.suggest and (self.tolerate or self.keep or self.limit):
            message = "--suggest does not support --tolerate, --keep or --limit"
            problems.append(message)
        if self.order is not None and not self.suggest:
            problems.append("--order requires --suggest")
        known = PICTURES[:1] if self.suggest else (*MODELS, *PICTURES)
        for file in self.out or ():
            if os.path.splitext(file)[1].lower() not in known:
                problems.append(f"--out takes {', '.join(known)}, not '{file:.200}'")
        if problems:
            raise misused("usage-repair", *problems)

    def ask(self, session: Session) -> Answer | Suggestions:
        """Return the repair, or the suggested guards."""
        engine = session.engine
        wanted, chosen = self._asked(session)
        if self.suggest:
            order = self.order or session.case.order or 1
            progress = session.progress("guards")
            found = suggest(engine, chosen.actions, order, progress)
            return replace(
                found,
                about=space_of(engine).about,
                controllable=chosen.actions,
                assumed=chosen.assumed,
            )
        repaired = answer(
            engine,
            wanted,
            chosen.actions,
            keep_plan=self.keep is not None,
            most=MOST_HAD if self.limit is None else self.limit,
        )
        return replace(repaired, assumed=chosen.assumed)

    def endings(self, session: Session, answer: Any) -> Iterator[tuple[str, str]]:
        """Yield the ends: what stopped the search, then that nothing is left."""
        yield from super().endings(session, answer)
        if not self.suggest and not answer.possible:
            yield "failed", ""

    def _asked(
        self, session: Session
    ) -> tuple[frozenset[Transition] | None, Controllable]:
        """What must be tolerated and what may be disabled; all problems at once."""
        case, problem = session.case, session.engine.problem
        problems: list[Diagnostic] = []
        wanted, chosen = None, None
        try:
            chosen = controllable_actions(
                problem,
                case.controllable,
                case.uncontrollable,
                disable=self.disable or (),
                not_disable=self.not_disable or (),
                file=case.path,
            )
        except SymrobError as error:
            problems += error.diagnostics
        try:
            if self.tolerate:
                limit = session.options.max_expansion
                wanted = tolerated(self.tolerate, problem, limit=limit)
        except SymrobError as error:
            problems += error.diagnostics
        if problems or chosen is None:
            raise SymrobError(problems)
        return wanted, chosen
