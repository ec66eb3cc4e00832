"""`symrob check`: is the nominal system safe?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from symrob.analyses.check import Checked
from symrob.questions.question import Question

if TYPE_CHECKING:
    from symrob.questions.session import Session


@dataclass(frozen=True)
class CheckQuestion(Question):
    """Check the safety of the nominal system."""

    lists: ClassVar = False

    def ask(self, session: Session) -> Checked:
        """Return that the system is safe; an unsafe one raises an error."""
        space = session.space
        return Checked(
            warnings=space.warnings,
            vacuous=space.vacuous,
            properties=len(space.properties),
            constrained=session.case.constrained,
        )
