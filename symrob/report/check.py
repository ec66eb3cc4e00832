"""Whether the nominal system is safe, as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from symrob.analyses.check import Checked
from symrob.questions.question import View
from symrob.report.output_formats import Form
from symrob.report.text import vacuous_note


def _text(answer: Checked, _view: View) -> Iterator[str]:
    rules = "property and assumption" if answer.constrained else "property"
    if note := vacuous_note(len(answer.vacuous), answer.properties):
        yield f"safe; {note}"
        return
    yield f"safe: the nominal system satisfies every {rules}"


FORMS: Mapping[str, Form] = {"text": _text}
