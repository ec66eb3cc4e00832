"""The questions, one module each: their options, and how they are answered.

In:  a `Session`: one or several cases, with their models and bounds.
Out: answers, which are data, or streams of data found during iteration.

A module here with a `Question` becomes a command, a batch question, a call in Python,
and, if it says so, a section of the page. `symrob.report` has a module of the same name
with `FORMS`, which writes its answer as text. The rest follows: the options from the
fields, JSON and its schema from the types of the answer (run `python -m symrob.schemas`
when they change). docs/pipeline.md shows a complete example.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from symrob.question_names import question_names
from symrob.questions.question import Question

# What a case file calls a question of a batch, where that is no command.
_IN_BATCHES = {"deviations": "compute"}


def all_questions() -> Iterator[type[Question]]:
    """Yield every question by name; the summary first."""
    for name in sorted(question_names(), key=lambda name: (name != "summary", name)):
        yield question_named(name)


def in_batches(name: str) -> type[Question]:
    """Return the question that a case file asks by a name."""
    return question_named(_IN_BATCHES.get(name, name))


def question_named(name: str) -> type[Question]:
    """Return the question of a module.

    Args:
        name: Name of the module.
    """
    found = vars(import_module(f"symrob.questions.{name}")).values()
    (kind,) = (
        kind
        for kind in found
        if isinstance(kind, type)
        and issubclass(kind, Question)
        and kind.__module__ == f"symrob.questions.{name}"
    )
    return kind
