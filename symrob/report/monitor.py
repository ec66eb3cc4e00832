"""A monitor as a program."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from symrob.monitor.build import RuntimeMonitor
from symrob.monitor.targets import text_of
from symrob.questions.question import View
from symrob.report.output_formats import Form, Piece
from symrob.report.text import plural


def _text(answer: RuntimeMonitor, view: View) -> Iterator[str]:
    asked, stem = view.question, "monitor"
    if asked.out is not None:
        stem = os.path.splitext(os.path.basename(asked.out))[0]
    yield Piece(text_of(answer, asked.target, asked.name or stem))


def notes(answer: RuntimeMonitor, _view: View) -> Iterator[str]:
    """Yield the size of the monitor."""
    seen = plural(len(answer.actions), "action")
    sizes = f"{len(answer.plan)}, danger {len(answer.danger)}"
    more = f"assumptions {len(answer.assumptions)}"
    yield f"{seen} observed; states: plan {sizes}, {more}"


FORMS: Mapping[str, Form] = {"text": _text}
