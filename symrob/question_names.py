"""The names of all questions.

A question is a module of `symrob.questions`. Modules that must not import the questions
need their names, too; for example, the keys of a case file.
"""

from __future__ import annotations

import os


def question_names() -> list[str]:
    """Return the names of all questions, sorted: the modules of `symrob.questions`."""
    folder = os.path.join(os.path.dirname(__file__), "questions")
    names = {name[:-3] for name in os.listdir(folder) if name.endswith(".py")}
    shared = {"__init__", "calls", "question", "session"}
    return sorted(n for n in names - shared if n.isidentifier())
