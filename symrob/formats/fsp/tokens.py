"""The tokens of an FSP text, and diagnostics with places in it.

In:  the text and the name of its file; the words and symbols quoted in fsp.ebnf.
Out: `Tokens`, with the problems of single characters and numbers; `FspSource`, which
     turns a place into a `Diagnostic`; `FspFault`, the exception for all problems of a
     text; `Findings`, collected for warnings while a model is built.

In this package, a place is the offset of a word or symbol; the length of the text is
the place of its end.

The syntax depends on the names that `set` and `range` declare: `S -> P` is a step if S
is a set, and a mistake otherwise. So these names are a different kind of token after
their declaration.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property, partial
from pathlib import Path
from typing import NamedTuple

from symrob import errors
from symrob.errors import Diagnostic, Severity, Span
from symrob.limits import Limits, watched

# The rules of fsp.ebnf, but those of tokens.
_EBNF = Path(__file__).with_name("fsp.ebnf").read_text(encoding="utf-8")
SYNTAX = re.sub(r"\(\*.*?\*\)", "", _EBNF.partition("(* --- tokens")[0], flags=re.S)
_QUOTED = {a or b for a, b in re.findall(r"'([^'\s]+)'|\"(')\"", SYNTAX)}
# Reserved without a meaning: `constraint`.
KEYWORDS = frozenset({*filter(str.isalpha, _QUOTED), "constraint"})
MODIFIERS = ("deterministic", "minimal", "compose", "property")
# Kinds of names with a capital letter.
UPPER = frozenset({"name", "range_name", "set_name"})
MAX_INT = 2**31 - 1

# The longest symbols come first.
_SYMBOLS = "|".join(map(re.escape, sorted(_QUOTED - KEYWORDS, reverse=True)))
_TOKEN = re.compile(
    r"(?P<space>[ \t\r\n\f\v]+|//[^\n]*|/\*.*?\*/)|(?P<comment>/\*.*)"
    r"|(?P<upper>[A-Z]\w*)|(?P<lower>[a-z_]\w*)|(?P<string>\"[^\"\n]*\")"
    r"|(?P<number>0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)"
    rf"|(?P<symbol>{_SYMBOLS})|(?P<character>.)",
    re.DOTALL | re.ASCII,
)
# A longer line is not shown; a text that is one line of megabytes would flood
# the terminal with each message.
_LONGEST_LINE = 500

# A hint with up to three known names that resemble one, if any.
did_you_mean = partial(errors.did_you_mean, most=3)


class Token(NamedTuple):
    """A word or symbol.

    Attributes:
        kind: Its kind: the word itself for keywords and symbols; `lower`, a kind of
            `UPPER`, `number`, `string`; `end` after the last token.
        word: Its text.
        pos: Its offset.
    """

    kind: str
    word: str
    pos: int


class Tokens(list[Token]):
    """Tokens, followed by one of the kind `end`.

    Attributes:
        furthest: The rightmost token at which parsing failed.
        expected: What was expected there.
    """

    furthest = -1
    expected = ""


class FspSource:
    """A text with its name.

    Args:
        text: The text.
        file: The name of its file, for diagnostics.
    """

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(m.end() for m in re.finditer("\n", self.text))]

    def word(self, pos: int) -> str:
        """Return the word or symbol at a place; empty at the end of the text."""
        found = _TOKEN.match(self.text, pos)
        return found[0] if found else ""

    def line(self, pos: int) -> int:
        """Return the line of a place, counted from 1."""
        return bisect_right(self._line_starts, pos)

    def span(self, pos: int, length: int | None = None) -> Span:
        """Return the span of a range of characters, by default the word at `pos`."""
        line = self.line(pos)
        first = self._line_starts[line - 1]
        last = self.text.find("\n", first)
        content = self.text[first : last if last >= 0 else None].rstrip("\r")
        column = pos - first + 1
        length = len(self.word(pos)) if length is None else length
        length = max(1, min(length, len(content) - column + 1))
        shown = content if len(content) <= _LONGEST_LINE else None
        return Span(line, column, length, shown)

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
        """Return a diagnostic at a place, by default for the word at `pos`."""
        span = self.span(pos, length)
        return Diagnostic(code, message, severity, self.file, *span, hint)

    def of_fault(self, fault: FspFault) -> Diagnostic:
        """Return the diagnostic of a fault."""
        return self.diagnostic(fault.code, fault.message, fault.pos, hint=fault.hint)


def tokens_of(source: FspSource) -> tuple[Tokens, dict[int, Diagnostic]]:
    """Return the tokens of a text, and the problems of its characters.

    Args:
        source: The text.

    Returns:
        The tokens, and by offset: invalid characters, numbers that are too large, an
        unclosed comment (a warning, since LTSA accepts it).

    Cost: linear in the text.
    """
    tokens = Tokens()
    problems: dict[int, Diagnostic] = {}
    declared: dict[str, str] = {}
    before = ""
    for match in watched(_TOKEN.finditer(source.text)):
        kind, word, at = match.lastgroup or "", match[0], match.start()
        if kind == "space":
            continue
        if kind == "symbol" or word in KEYWORDS:
            kind = word
        elif kind == "upper":
            # A name that is both is a set wherever it could be either.
            if before == "set" or (before == "range" and word not in declared):
                declared[word] = f"{before}_name"
            kind = declared.get(word, "name")
        elif kind not in ("lower", "string"):
            problem = _problem(source, kind, word, at)
            if problem is not None:
                problems[at] = problem
            if kind != "number":
                continue
        tokens.append(Token(kind, word, at))
        before = kind
    tokens.append(Token("end", "", len(source.text)))
    return tokens, problems


def _problem(source: FspSource, kind: str, word: str, at: int) -> Diagnostic | None:
    if kind == "comment":
        message = "this comment is never closed; the rest of the file is ignored"
        return source.diagnostic(
            "fsp-comment", message, at, 2, severity="warning", hint="close it with */"
        )
    if kind == "number":
        if len(word) <= 9 or (len(word) <= 12 and number_value(word) <= MAX_INT):
            return None
        return source.diagnostic(
            "fsp-number", f"the number is larger than {MAX_INT}", at, len(word)
        )
    hint = None
    if word == '"':
        hint = "a string must end on the line where it begins"
    elif word.isalpha():
        hint = "names consist of the letters a-z and A-Z, digits and '_'"
    message = f"FSP has no character {word!r}"
    return source.diagnostic("fsp-character", message, at, 1, hint=hint)


def number_value(text: str) -> int:
    """Return the value of a number: decimal, octal (`017`) or hexadecimal."""
    base = 16 if text[:2] in ("0x", "0X") else 8 if text[0] == "0" else 10
    digits = text.lstrip("0xX") if base != 10 else text
    # More digits than this stand for no number that fits, however many there are.
    return int(digits[:20] or "0", base)


def imported_files(text: str) -> tuple[str, ...]:
    """Return the names of the imported files, each once.

    Args:
        text: An FSP text, possibly with errors.

    Cost: linear in the text.
    """
    if "import" not in text:
        return ()
    tokens = tokens_of(FspSource(text, ""))[0]
    rows = zip(tokens, tokens[1:], tokens[2:], tokens[3:], strict=False)
    found = (
        file.word[1:-1]
        for word, name, equals, file in rows
        if (word.kind, equals.kind, file.kind) == ("import", "=", "string")
        and name.kind in UPPER
    )
    return tuple(dict.fromkeys(found))


class FspFault(Exception):
    """A problem at a place; caught for each definition.

    Attributes:
        code: The diagnostic code.
        message: The problem, and what was expected.
        pos: The offset of the word at fault.
        hint: How to solve it, if known.
    """

    def __init__(self, code: str, message: str, pos: int, hint: str | None = None):
        super().__init__(message)
        self.code = code
        self.message = message
        self.pos = pos
        self.hint = hint


class LimitFault(FspFault):
    """A bound of `Limits` was hit."""


def keep_limit(
    limits: Limits, bound: str, count: float, pos: int, message: str, advice: str = ""
) -> None:
    """Raise `LimitFault` if a number exceeds a bound.

    Args:
        limits: The bounds.
        bound: The name of the bound: `max_states`, ….
        count: The number.
        pos: The place of the cause.
        message: The message, with `{}` for the bound.
        advice: A text to append to the hint.

    Raises:
        LimitFault: `count` exceeds the bound.
    """
    limit = getattr(limits, bound)
    if count > limit:
        hint = f"--bound {bound.replace('_', '-')} raises this limit{advice}"
        code = f"fsp-limit-{bound.removeprefix('max_')}"
        raise LimitFault(code, message.format(limit), pos, hint)


class Findings:
    """Findings for warnings, collected while a model is built.

    Attributes:
        doubts: The message of a warning, by code and place; `None` if one instance was
            correct there.
        reached: Names and places of local processes that an instance reaches.
        priorities: Places of priorities for which a product was computed.
    """

    def __init__(self) -> None:
        self.doubts: dict[tuple[str, int], str | None] = {}
        self.reached: set[tuple[str, int]] = set()
        self.priorities: set[int] = set()

    def doubt(self, code: str, pos: int, message: str, *, unless: bool = False) -> None:
        """Note the message of a warning about a place, unless it is correct there."""
        if unless:
            self.doubts[code, pos] = None
        else:
            self.doubts.setdefault((code, pos), message)
