"""The text that is read, its tokens, and diagnostics that point into it.

In:  the text and the name of its file.
Out: `Source`, which turns a token number into a `Diagnostic` with line and
     column, and `Fault`, the exception of everything that is wrong with a text.

A place in the text is the number of a token everywhere in this package; the
number after the last token stands for the end of the text.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from symrob.errors import Diagnostic, Severity

# A longer line is not shown; a text that is one line of megabytes would flood
# the terminal with each message.
_LONGEST_LINE = 500


class Fault(Exception):
    """Something wrong at one place; caught where a definition ends.

    Attributes:
        code: Stable identifier of the kind of mistake.
        message: What is wrong and what was expected.
        pos: Number of the token where it shows.
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


@dataclass
class Source:
    """A text with the places of its tokens.

    Attributes:
        text: The text as it was read.
        file: Its name, as diagnostics show it.
        starts: For each token, the offset of its first character.
        ends: For each token, the offset behind its last character.
        gaps: Numbers of tokens before which something was left out.
    """

    text: str
    file: str
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    gaps: list[int] = field(default_factory=list)

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(i + 1 for i, c in enumerate(self.text) if c == "\n")]

    def word(self, pos: int) -> str:
        """Return the text of token `pos`; empty at the end of the text."""
        if pos >= len(self.starts):
            return ""
        return self.text[self.starts[pos] : self.ends[pos]]

    def line(self, pos: int) -> int:
        """Return the line of token `pos`, counted from 1."""
        start = self.starts[pos] if pos < len(self.starts) else len(self.text)
        return bisect_right(self._line_starts, start)

    def at_offset(
        self,
        code: str,
        message: str,
        start: int,
        length: int = 1,
        *,
        severity: Severity = "error",
        hint: str | None = None,
    ) -> Diagnostic:
        """Return a diagnostic for `length` characters from offset `start`."""
        line = bisect_right(self._line_starts, start)
        first = self._line_starts[line - 1]
        last = self.text.find("\n", first)
        content = self.text[first : last if last >= 0 else len(self.text)].rstrip("\r")
        column = start - first + 1
        length = max(1, min(length, len(content) - column + 1))
        shown = content if len(content) <= _LONGEST_LINE else None
        return Diagnostic(
            code, message, severity, self.file, line, column, length, shown, hint
        )

    def diagnostic(
        self,
        code: str,
        message: str,
        pos: int,
        *,
        severity: Severity = "error",
        hint: str | None = None,
    ) -> Diagnostic:
        """Return a diagnostic for token `pos` (or the end of the text)."""
        if pos < len(self.starts):
            start, length = self.starts[pos], self.ends[pos] - self.starts[pos]
        else:
            start, length = len(self.text), 1
        return self.at_offset(
            code, message, start, length, severity=severity, hint=hint
        )

    def of_fault(self, fault: Fault) -> Diagnostic:
        """Return the diagnostic of a fault."""
        return self.diagnostic(fault.code, fault.message, fault.pos, hint=fault.hint)


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """Return a hint with the known names that resemble `name`, if any."""
    from difflib import get_close_matches  # Only mistakes need it.

    near = get_close_matches(name, sorted(set(known)), n=3, cutoff=0.6)
    if not near:
        return None
    return "did you mean " + " or ".join(f"'{n}'" for n in near) + "?"
