"""How an answer shows itself: `str()` gives its text, a notebook its view.

In:  what writes answers, registered with the first call; what each comes from.
Out: `Shown`, from which everything inherits that a Python user is given.

Answers are data and know no text. The rooms that write text and HTML stand far above
them, so they are registered here, and imported when something is shown.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from symrob.words import PLAIN, Words

_WRITERS: dict[str, Callable[[Any], Any]] = {}

T = TypeVar("T")


class Origin(NamedTuple):
    """What an answer comes from, as far as its text needs it.

    Attributes:
        question: The name of the question.
        source: What the text is written of, such as a search that finds the parts of
            the answer; `None` for the answer itself.
        title: What a person calls the case; may be empty.
        words: What its names are called.
        view: The question with its options and its session; `None` for defaults.
    """

    question: str
    source: Any = None
    title: str = ""
    words: Words = PLAIN
    view: Any = None


class Shown:
    """An answer that Python users hold.

    `str()` returns the text that its command prints. A copy that was pickled, or made
    by `dataclasses.replace`, does not know where it comes from and shows its data.
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
    """Register what writes answers: `text` and `html`."""
    _WRITERS.update(writers)


def from_origin(answer: T, origin: Origin) -> T:
    """Keep with an answer what it comes from; return the answer."""
    # Answers are frozen, and what they come from is none of their data.
    object.__setattr__(answer, "_origin", origin)
    return answer
