"""The text that is read, and diagnostics that point into it.

In:  the text and the name of its file.
Out: `Source`, which turns a place into a `Diagnostic` with line and column; `Fault`,
     the exception of everything that is wrong with a text; `Findings`, what building
     a model notices, for the warnings that come afterwards.

A place in the text is the offset of a word or symbol everywhere in this package;
the length of the text stands for its end.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property, partial

from symrob import errors
from symrob.errors import Diagnostic, Severity
from symrob.formats.fsp.words import TOKEN
from symrob.limits import Limits

# A longer line is not shown; a text that is one line of megabytes would flood
# the terminal with each message.
_LONGEST_LINE = 500


# A hint with up to three known names that resemble one, if any.
did_you_mean = partial(errors.did_you_mean, most=3)


class Fault(Exception):
    """Something wrong at one place; caught where a definition ends.

    Attributes:
        code: Stable identifier of the kind of mistake.
        message: What is wrong and what was expected.
        pos: Offset of the word where it shows.
        hint: What to do about it, if anything can be said.
    """

    def __init__(self, code: str, message: str, pos: int, hint: str | None = None):
        super().__init__(message)
        self.code = code
        self.message = message
        self.pos = pos
        self.hint = hint


class LimitFault(Fault):
    """A bound of `Limits` was hit."""


def keep_limit(
    limits: Limits, bound: str, count: float, pos: int, message: str, advice: str = ""
) -> None:
    """Refuse more of something than a limit allows.

    Args:
        limits: The bounds.
        bound: Which of them: `max_states`, ….
        count: How many there are.
        pos: What is to blame.
        message: What to say, with `{}` for the limit.
        advice: What to put behind the hint that names the option.

    Raises:
        LimitFault: There are more.
    """
    limit = getattr(limits, bound)
    if count > limit:
        hint = f"--bound {bound.replace('_', '-')} raises this limit{advice}"
        code = f"fsp-limit-{bound.removeprefix('max_')}"
        raise LimitFault(code, message.format(limit), pos, hint)


class Findings:
    """What was seen while building, for warnings.

    Attributes:
        doubts: By code and place, what a warning would say; `None` if all was well
            there once.
        reached: Names and places of local processes that some instance reaches.
        priorities: Places of priorities, which a product was made for.
    """

    def __init__(self) -> None:
        self.doubts: dict[tuple[str, int], str | None] = {}
        self.reached: set[tuple[str, int]] = set()
        self.priorities: set[int] = set()

    def doubt(self, code: str, pos: int, message: str, *, unless: bool = False) -> None:
        """Note what a warning would say about a place, unless all is well there."""
        if unless:
            self.doubts[code, pos] = None
        else:
            self.doubts.setdefault((code, pos), message)


class Source:
    """A text with its name.

    Args:
        text: The text as it was read.
        file: Its name, as diagnostics show it.
    """

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(m.end() for m in re.finditer("\n", self.text))]

    def word(self, pos: int) -> str:
        """Return the word or symbol at a place; empty at the end of the text."""
        found = TOKEN.match(self.text, pos)
        return found[1] if found else ""

    def line(self, pos: int) -> int:
        """Return the line of a place, counted from 1."""
        return bisect_right(self._line_starts, pos)

    def diagnostic(
        self,
        code: str,
        message: str,
        pos: int,
        length: int | None = None,
        *,
        severity: Severity = "error",
        hint: str | None = None,
    ) -> Diagnostic:
        """Return a diagnostic for some characters, by default the word at `pos`."""
        line = self.line(pos)
        first = self._line_starts[line - 1]
        last = self.text.find("\n", first)
        content = self.text[first : last if last >= 0 else len(self.text)].rstrip("\r")
        column = pos - first + 1
        length = len(self.word(pos)) if length is None else length
        length = max(1, min(length, len(content) - column + 1))
        shown = content if len(content) <= _LONGEST_LINE else None
        return Diagnostic(
            code, message, severity, self.file, line, column, length, shown, hint
        )

    def of_fault(self, fault: Fault) -> Diagnostic:
        """Return the diagnostic of a fault."""
        return self.diagnostic(fault.code, fault.message, fault.pos, hint=fault.hint)
