"""How an answer displays itself: `str()` gives its text, a notebook its HTML view.

In:  the writers of answers, registered on first use; the origin of each answer.
Out: `Shown`, the base class of everything that the Python API returns.

Answers are plain data. The packages that write text and HTML are in higher layers, so
they are registered here, and imported when an answer is displayed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from symrob.words import PLAIN, Words

_WRITERS: dict[str, Callable[[Any], Any]] = {}

T = TypeVar("T")


class Origin(NamedTuple):
    """The origin of an answer, as far as its text needs it.

    Attributes:
        question: The name of the question.
        source: The object from which the text is written, such as a search that finds
            the parts of the answer; `None` for the answer itself.
        title: Human-readable title of the case; may be empty.
        words: The words for its names.
        view: The question with its options and its session; `None` for defaults.
    """

    question: str
    source: Any = None
    title: str = ""
    words: Words = PLAIN
    view: Any = None


class Shown:
    """An answer of the Python API.

    `str()` returns the text that its command prints. A copy from pickling or
    `dataclasses.replace` has no origin and shows its data.
    """

    _origin: Origin | None = None

    def __str__(self) -> str:
        text: str = _WRITERS.get("text", repr)(self)
        return text

    def _repr_html_(self) -> str | None:
        write = _WRITERS.get("html")
        return None if write is None else write(self)

    def __getstate__(self) -> Any:
        state = dict(vars(self))
        state.pop("_origin", None)
        return state


def register(**writers: Callable[[Any], str | None]) -> None:
    """Register the functions that write answers: `text` and `html`."""
    _WRITERS.update(writers)


def from_origin(answer: T, origin: Origin) -> T:
    """Record the origin of an answer; return the answer."""
    # Answers are frozen, and what they come from is none of their data.
    object.__setattr__(answer, "_origin", origin)
    return answer
