"""The questions that can be asked, one module each: options, and how to answer.

In:  a `Session`: a case or several, with their models and bounds.
Out: answers, which are data, or streams of data that are found while they are read.

A module that has a `Question` here is a command of the command line, can be asked in a
batch and in Python; `symrob.report` has a module of the same name that says how its
answer is written. Nothing else has to know of it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from symrob.questions.question import Question


# What a case file calls a question of a batch, where that is no command.
_IN_BATCHES = {"deviations": "compute"}


# The modules that are no questions.
_SHARED = ("question", "session")


def all_questions() -> Iterator[type[Question]]:
    """Yield every question that a module here has."""
    names = {name.removesuffix(".py") for name in os.listdir(__path__[0])}
    for name in sorted(n for n in names if "_" not in n and n not in _SHARED):
        yield question_named(name)


def in_batches(name: str) -> type[Question]:
    """Return the question that a case file asks by a name."""
    return question_named(_IN_BATCHES.get(name, name))


def question_named(name: str) -> type[Question]:
    """Return the question that a module here has.

    Args:
        name: That of the module.
    """
    from symrob.questions.question import Question

    found = vars(import_module(f"symrob.questions.{name}")).values()
    (kind,) = (
        kind
        for kind in found
        if isinstance(kind, type)
        and issubclass(kind, Question)
        and kind.__module__ == f"symrob.questions.{name}"
    )
    return kind
