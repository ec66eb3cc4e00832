"""Lexical level: characters to tokens.

In:  a text.
Out: a `Kinds` string with one character for each token, and the places of the
     tokens in a `Source`.

The grammar is written over the string of kinds, not over the text. So white
space and comments are gone before parsing starts, every terminal is one
character, and a place in the text is simply an index into that string.

Names that an earlier `set` or `range` declares get a kind of their own: FSP is
not context-free without it, since `S -> P` is a step if S is a set and a
mistake otherwise.
"""

from __future__ import annotations

import re

from symrob.errors import Diagnostic
from symrob.formats.fsp.source import Source

# Kinds of tokens with more than one character, or with text of their own.
LOWER = "a"
UPPER = "U"
SET_NAME = "S"
RANGE_NAME = "R"
NUMBER = "9"
STRING = '"'
FOREIGN = "F"
ANY_UPPER = UPPER + SET_NAME + RANGE_NAME

# Operators are one-byte characters: patterns with sets of such characters compile in
# less than half the time.
SYMBOLS = {
    "<->": "↔",
    "->": "→",
    "::": "∷",
    "..": "…",
    "<>": "◇",
    "[]": "□",
    "==": "÷",
    "!=": "¬",
    "<=": "£",
    ">=": "¥",
    "<<": "«",
    ">>": "»",
    "&&": "·",
    "||": "¦",
}
KEYWORDS = {
    "const": "c",
    "property": "p",
    "range": "r",
    "if": "i",
    "then": "t",
    "else": "e",
    "forall": "f",
    "when": "w",
    "set": "s",
    "progress": "g",
    "menu": "m",
    "animation": "n",
    "actions": "b",
    "controls": "k",
    "deterministic": "d",
    "minimal": "l",
    "compose": "o",
    "target": "q",
    "import": "j",
    "assert": "h",
    "fluent": "u",
    "exists": "x",
    "rigid": "y",
    "constraint": FOREIGN,
    "initially": "z",
}
PUNCTUATION = "(){}[],;.:=+-*/%<>!&|^\\@#'"
SPELLING = {kind: text for text, kind in (SYMBOLS | KEYWORDS).items()}

# These begin declarations that FSP does not have, of tools that grew out of LTSA. They
# are labels wherever no such declaration begins.
FOREIGN_WORDS = {
    *("abstract", "closure", "component", "controller", "controllerSpec", "def"),
    *("heuristic", "ltl_property", "monolithicDirector", "optimistic", "pessimistic"),
    *("plant", "probabilistic", "starenv"),
}
_FOREIGN_HEAD = re.compile(r"[Fdlop]*(?:[USR]|a[=(\[]|¦[USR](?:=|\([USR]=))|F")

MAX_INT = 2**31 - 1

_TOKEN = re.compile(
    r"(?P<space>[ \t\r\n\f\v]+|//[^\n]*|/\*.*?\*/)"
    r"|(?P<open>/\*.*)"
    r"|(?P<upper>[A-Z][A-Za-z0-9_]*)"
    r"|(?P<lower>[a-z_][A-Za-z0-9_]*)"
    r"|(?P<number>0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)"
    r"|(?P<symbol>" + "|".join(re.escape(s) for s in SYMBOLS) + ")"
    r"|(?P<punctuation>[" + re.escape(PUNCTUATION) + "])"
    r'|(?P<string>"[^"\n]*")'
    r"|(?P<bad>.)",
    re.DOTALL,
)


class Kinds(str):
    """The kinds of some consecutive tokens, one character each.

    Attributes:
        source: Where the tokens stand.
        base: Number of the first of these tokens in the text.
    """

    __slots__ = ("base", "source")

    source: Source
    base: int

    @classmethod
    def of(cls, kinds: str, source: Source, base: int) -> Kinds:
        """Make a string of kinds whose first token is number `base`."""
        self = cls(kinds)
        self.source = source
        self.base = base
        return self


def number_value(text: str) -> int:
    """Return the value of a number: decimal, octal (`017`) or hexadecimal."""
    base = 16 if text[:2] in ("0x", "0X") else 8 if text[0] == "0" else 10
    digits = text.lstrip("0xX") if base != 10 else text
    # More digits than this stand for no number that fits, however many there are.
    return int(digits[:20] or "0", base)


def tokenise(text: str, file: str) -> tuple[Kinds, list[tuple[int, Diagnostic]]]:
    """Split a text into tokens.

    Args:
        text: The FSP text.
        file: Its name, for diagnostics.

    Returns:
        The kinds of all tokens, and the problems found, each with the number of
        the token where it stands: characters that FSP does not have, numbers
        that are too large, an unclosed comment (a warning, as LTSA accepts it).

    Cost: linear in the text.
    """
    source = Source(text, file)
    problems: list[tuple[int, Diagnostic]] = []
    kinds: list[str] = []
    declared: dict[str, str] = {}
    foreign: list[int] = []
    starts, ends = source.starts, source.ends
    for match in _TOKEN.finditer(text):
        group = match.lastgroup
        if group == "space":
            continue
        if group in ("open", "bad"):
            source.gaps.append(len(kinds))
            problems.append((len(kinds), _lexical_problem(source, match)))
            continue
        word = match.group()
        if group == "lower":
            kind = KEYWORDS.get(word, LOWER)
            if word in FOREIGN_WORDS:
                foreign.append(len(kinds))
        elif group == "upper":
            kind = declared.get(word, UPPER)
            before = kinds[-1] if kinds else ""
            if before == "s":
                declared[word] = SET_NAME
            elif before == "r":
                declared.setdefault(word, RANGE_NAME)
        elif group == "number":
            kind = NUMBER
            if len(word) > 12 or number_value(word) > MAX_INT:
                problems.append((len(kinds), _lexical_problem(source, match)))
        elif group == "symbol":
            kind = SYMBOLS[word]
        else:
            kind = STRING if group == "string" else word
        kinds.append(kind)
        starts.append(match.start())
        ends.append(match.end())
    for at in reversed(foreign):
        if _begins_foreign(kinds, source, at):
            kinds[at] = FOREIGN
    return Kinds.of("".join(kinds), source, 0), problems


def _begins_foreign(kinds: list[str], source: Source, at: int) -> bool:
    """Tell whether a declaration begins at the foreign word `at`."""
    # In formulas, `U` and `W` are operators between two labels.
    if source.word(at + 1) in ("U", "W") and kinds[at + 2 : at + 3] != ["="]:
        return False
    return _FOREIGN_HEAD.match("".join(kinds[at + 1 : at + 12])) is not None


def _lexical_problem(source: Source, match: re.Match[str]) -> Diagnostic:
    start, end = match.span()
    if match.lastgroup == "number":
        message = f"the number is larger than {MAX_INT}"
        return source.at_offset("fsp-number", message, start, end - start)
    if match.lastgroup == "open":
        message = "this comment is never closed; the rest of the text is ignored"
        return source.at_offset(
            "fsp-comment", message, start, 2, severity="warning", hint="close it by */"
        )
    message = f"FSP has no character {match.group()!r}"
    hint = None
    if match.group() == '"':
        hint = "a string ends on the line where it begins"
    elif match.group().isalpha():
        hint = "names are made of the letters a-z and A-Z, digits and '_'"
    return source.at_offset("fsp-character", message, start, hint=hint)
