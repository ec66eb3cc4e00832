"""A text made ready for the grammar.

In:  a text.
Out: a copy of it of the same length, so a place is an offset in both. Comments are
     blank in it, and names that a `set` or `range` declares are marked from there on.
     And the problems of single characters and numbers.
"""

from __future__ import annotations

import re

from symrob.errors import Diagnostic, Severity
from symrob.formats.fsp.source import Source
from symrob.formats.fsp.words import (
    MAX_INT,
    NUMBER,
    PUNCTUATION,
    REST,
    SHIFTS,
    STRING,
    UPPER,
    number_value,
)

_BLANK = re.compile(
    rf"(?P<string>{STRING})|(?P<space>//[^\n]*|/\*.*?\*/|[\f\v]+)|(?P<open>/\*.*)",
    re.DOTALL,
)
_WORD = re.compile(
    rf"(?P<kind>set|range)(?P<gap>\s+)(?P<declared>[A-Z]{REST})"
    rf"|(?P<upper>[A-Z]{REST})|[a-z_]{REST}|(?P<number>{NUMBER})|{STRING}"
    rf"|(?P<bad>[^ \t\r\n{re.escape(PUNCTUATION)}])"
)
_IMPORT = re.compile(rf"\bimport\s+(?:{UPPER})\s*=\s*({STRING})")
# What stands before a formula, or a composite; each begins a level of its own.
_SIGN = r"(?:!(?!=)|\[\]|<>|\bX\b|\b(?:forall|exists)\s*(?:\[[^\]\n]{0,99}\]\s*)+)"
_NESTING = re.compile(
    rf"{STRING}|(?P<row>{_SIGN}(?:\s*{_SIGN})+)|(?P<open>[(\[{{])|(?P<close>[)\]}}])|(?P<then>\bthen\s+if\b)"
)


class Ready:
    """A text that is ready for the grammar.

    Attributes:
        text: The copy.
        problems: Characters that FSP does not have, numbers that are too large, an
            unclosed comment (a warning, as LTSA accepts it); by offset.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._shift: dict[str, int] = {}
        self.problems: dict[int, Diagnostic] = {}
        self.text = _WORD.sub(self._word, _BLANK.sub(self._blank, source.text))

    def _blank(self, match: re.Match[str]) -> str:
        if match["string"]:
            return match[0]
        if match["open"]:
            message = "this comment is never closed; the rest of the text is ignored"
            self._say("comment", message, match.start(), 2, "close it by */")
        return re.sub(r"[^\n]", " ", match[0])

    def _word(self, match: re.Match[str]) -> str:
        word, at = match[0], match.start()
        if match["upper"]:
            return self._marked(word)
        if match["kind"]:
            name = match["declared"]
            # A name that is both is a set wherever it could be either.
            if match["kind"] == "set" or name not in self._shift:
                self._shift[name] = SHIFTS[match["kind"]]
            return match["kind"] + match["gap"] + self._marked(name)
        if match["number"]:
            if len(word) > 9 and (len(word) > 12 or number_value(word) > MAX_INT):
                message = f"the number is larger than {MAX_INT}"
                self._say("number", message, at, len(word))
        elif match["bad"]:
            hint = None
            if word == '"':
                hint = "a string ends on the line where it begins"
            elif word.isalpha():
                hint = "names are made of the letters a-z and A-Z, digits and '_'"
            self._say("character", f"FSP has no character {word!r}", at, 1, hint)
            return " "
        return word

    def _marked(self, name: str) -> str:
        shift = self._shift.get(name)
        return name if shift is None else chr(ord(name[0]) + shift) + name[1:]

    def _say(
        self, what: str, message: str, at: int, length: int, hint: str | None = None
    ) -> None:
        severity: Severity = "warning" if what == "comment" else "error"
        self.problems[at] = self._source.diagnostic(
            f"fsp-{what}", message, at, length, severity=severity, hint=hint
        )


def too_deep(text: str, limit: int) -> int | None:
    """Return where brackets, `then if` or signs nest too deeply, if anywhere."""
    depth = 0
    for match in _NESTING.finditer(text):
        if match["row"]:
            if depth + len(re.findall(_SIGN, match["row"])) > limit:
                return match.start()
        elif match["close"]:
            depth -= 1
        elif match["open"] or match["then"]:
            depth += 1
            if depth > limit:
                return match.end() - 2 if match["then"] else match.start()
    return None


def imported_files(text: str) -> tuple[str, ...]:
    """Return the names of the files that a text imports, each once.

    Args:
        text: An FSP text, with errors or without.

    Cost: linear in the text.
    """
    if "import" not in text:
        return ()
    found = _IMPORT.finditer(Ready(Source(text, "")).text)
    return tuple(dict.fromkeys(match[1][1:-1] for match in found))
