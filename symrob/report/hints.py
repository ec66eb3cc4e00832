"""Hints beside an answer, if another question would be more useful.

In:  an answer, and its session.
Out: lines for standard error.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from symrob.case.units import MAX_UNITS
from symrob.questions.question import View
from symrob.report.text import plural

# Of fewer candidates people read a list.
MANY = 1_000


def notes(_answer: Any, view: View) -> Iterator[str]:
    """Suggest `--by component` if a composed E has many candidates and no modes.

    Cost: linear in the transitions of the components.
    """
    session = view.session
    if session.form != "text" or getattr(view.question, "likely", False):
        return
    roles, about = session.roles, session.space.about
    parts = roles.environment.model.components
    if roles.faults is not None or roles.priorities or len(parts) < 2:
        return
    lacking = sum(
        part.size**2 * len(part.alphabet) - len(part.visible_transitions)
        for part in parts
    )
    if about.size > MANY and lacking <= MAX_UNITS:
        yield (
            f"note: {about.size:,} candidates of a composed environment; "
            f"--by component analyses its {len(parts)} components instead, with "
            f"{plural(lacking, 'fault mode')}"
        )
