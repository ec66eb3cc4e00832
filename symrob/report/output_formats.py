"""The output formats of answers, by the name of the question.

In:  a question, and its answer.
Out: pieces of text, as they are computed.

The module of this package with the name of the question has `FORMS`: for each format a
function of the answer and the `View`. Writers in `EVERY`, here at the end, follow from
the types of all answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

from symrob import files
from symrob.errors import Diagnostic
from symrob.questions.question import Question, View
from symrob.report.endings import ending_lines
from symrob.report.json import Beside, document, dumps, json_lines, streamed

Form = Callable[[Any, View], Iterable[str]]


class Piece(str):
    """A piece of text that is not a whole line."""


def saved(text: str, path: str, what: str) -> str:
    """Write a text to a file; return the message about it.

    Args:
        text: Its content.
        path: The file.
        what: What it contains, for the message.

    Raises:
        SymrobError: The file cannot be written.
    """
    files.write_file(path, text.encode("utf-8", "backslashreplace"), "usage-output")
    return f"{what} written to {path}"


def written(answer: Any, form: str, view: View) -> Iterator[str]:
    """Yield an answer in a format: lines, and `Piece`s of lines.

    Args:
        answer: The answer of `view.question`.
        form: One of its formats.
        view: How it is written.
    """
    known = forms_of(type(view.question))
    yield from known[form](answer, view)


def page_lines(answer: Any, view: View) -> Iterator[str]:
    """Yield the lines of an answer on a page."""
    forms = forms_of(type(view.question))
    yield from forms.get("page", forms["text"])(answer, view)


def forms_of(kind: type[Question]) -> Mapping[str, Form]:
    """Return the writers of a question's answers, by format."""
    forms: Mapping[str, Form] = _module(kind).FORMS
    return {**EVERY, **forms}


def _module(kind: type[Question]) -> ModuleType:
    return import_module(f"symrob.report.{kind.called()}")


def notes(answer: Any, view: View) -> Iterable[str]:
    """Return the notes beside an answer, for standard error."""
    return _hook("notes", answer, view) or ()


def after(answer: Any, view: View) -> Iterator[str]:
    """Yield the lines after an answer, once its certificate is written."""
    yield from _hook("after", answer, view) or ()
    if view.question.covers and view.session.form == "text":
        yield from ending_lines(view.session)


def what(answer: Any, view: View) -> str:
    """Return the name of an answer that is written to a file, for messages."""
    called: str = _hook("what", answer, view) or type(view.question).called()
    return called


def save(answer: Any, view: View) -> Iterable[str | Diagnostic]:
    """Write an answer to the files that a question names, if it names several."""
    return _hook("save", answer, view) or ()


def _hook(name: str, answer: Any, view: View) -> Any:
    """What the module of a question does, if it does it."""
    function = getattr(_module(type(view.question)), name, None)
    return None if function is None else function(answer, view)


def data(answer: Any, view: View) -> dict[str, Any]:
    """Return an answer as a document."""
    title, beside = getattr(answer, "title", view.session.title), beside_of(view)
    if hasattr(answer, "parts"):
        return streamed(answer, title, beside, view.question.order_of)
    return document(getattr(answer, "final", answer), title, beside)


def beside_of(view: View) -> Beside:
    """Return the additional data of a question's documents."""
    return Beside(view.session.identities, view.session.not_covered)


def _json(answer: Any, view: View) -> Iterator[str]:
    yield dumps(data(answer, view))


def _lines(answer: Any, view: View) -> Iterator[str]:
    yield from json_lines(answer, view.session.title, beside_of(view))


# The formats of all answers, unless a module has a writer of its own.
EVERY: Mapping[str, Form] = {"json": _json, "jsonl": _lines}
