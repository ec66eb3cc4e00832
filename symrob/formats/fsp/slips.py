"""What a syntax error says: what was expected, and the slips made most often.

In:  the place where the grammar could not go on, and what it would have taken.
Out: a diagnostic, blamed on the word that is wrong.
"""

from __future__ import annotations

import re

from symrob.errors import Diagnostic
from symrob.formats.fsp.pieces import is_upper
from symrob.formats.fsp.source import Source
from symrob.formats.fsp.words import KEYWORDS, MODIFIERS, TOKEN, spelled

_INDICES = r"\s*(?:@\s*)?(?:\[[^\[\]]*\]\s*)*"
_IS_LOCAL = re.compile(_INDICES + r"=(?!=)")
_IS_EQUAL = re.compile(r"\s*=(?!=)")
_NO_GUARD = {"->", "then", "else", ",", "|", "||"}


def syntax_problem(
    source: Source, text: str, start: int, pos: int, expected: str
) -> Diagnostic:
    """Return the diagnostic of a syntax error.

    Args:
        source: The text as it was read.
        text: The text as it was parsed.
        start: Where the declaration begins.
        pos: Where it could not go on.
        expected: What could have stood there.

    Cost: linear in the declaration.
    """
    before = [(m[1], m.start()) for m in TOKEN.finditer(text, start, pos)]
    if source.word(pos) == "->":
        culprit = _no_action(before)
        if culprit is not None:
            expected, pos = "an action before '->'", culprit
    elif _lacks_equals(before, text, pos):
        pos = before[-1][1]
        expected = "'='"
    before = [(word, at) for word, at in before if at < pos]
    word = source.word(pos)
    found = f"'{word}'" if word else "the end of the text"
    rest = text[pos + len(word) :]
    hint = _hint([word for word, _at in before], word, rest, expected)
    return source.diagnostic(
        "fsp-syntax", f"expected {expected}, found {found}", pos, hint=hint
    )


def _no_action(before: list[tuple[str, int]]) -> int | None:
    """Return the place of a name, with indices or not, at the end of `before`."""
    depth = 0
    for number in range(len(before) - 1, 0, -1):
        word, at = before[number]
        depth += (word == "]") - (word == "[")
        if depth == 0 and word != "[":
            begins = before[number - 1][0] in ("->", "(", "|")
            return at if begins and is_upper(word) else None
    return None


def _lacks_equals(before: list[tuple[str, int]], text: str, pos: int) -> bool:
    """Tell whether `P (a -> P)` is meant to define P, not to give it parameters."""
    words = [word for word, _at in before if word not in MODIFIERS and word != "||"]
    word = TOKEN.match(text, pos)
    return (
        len(words) == 2
        and words[1] == "("
        and word is not None
        and (word[1] in "([{" or word[1][0].islower() or word[1][0] == "_")
        and not _IS_EQUAL.match(text, word.end())
    )


def _hint(before: list[str], word: str, rest: str, expected: str) -> str | None:
    """Explain the slips that are made most often."""
    last = before[-1] if before else ""
    lower = word[:1].islower() or word[:1] == "_"
    defines = _IS_EQUAL.match(rest)
    if word[:1].isupper():
        return _capital_hint(last, word, rest)
    if word == "[]":
        return "an index cannot be empty"
    if word == "-" and last and not expected.startswith("an expression"):
        return "a name has letters, digits and '_', no '-'"
    if word == "#" and not before:
        return "comments are written // … or /* … */"
    if word == ";" and before:
        return "local processes are separated by ','"
    if word in ("}", ")", "]") and last == ",":
        return f"leave out the ',' before '{word}'"
    if word == "=" and _in_expression(before):
        return "equality is written '=='"
    if lower and word not in KEYWORDS and (not before or defines):
        return "names of processes begin with a capital letter"
    if last == "=" and (word in ("[", "{") or (lower and word not in KEYWORDS)):
        return "a choice stands in brackets: (a -> P)"
    if last == "." and word[:1].isdigit():
        return f"write the index in brackets: [{word}]"
    if word == "[" and (len(before) == 1 or (before[:1] and before[0] in MODIFIERS)):
        name = spelled(last)
        return f"begin with {name} = Q[0], and give the index to the local process Q"
    if expected == "'='" and is_upper(last):
        return f"write '=' behind the name '{spelled(last)}'"
    if word in KEYWORDS:
        return f"'{word}' is a keyword of FSP"
    return None


def _capital_hint(last: str, word: str, rest: str) -> str | None:
    """Explain an upper-case name where none can stand."""
    if _IS_LOCAL.match(rest) and last not in ("(", "|", "->", "{", ",", "."):
        return "write ',' before a local process, '.' at the end of a definition"
    if last in ("(", "|", "->", "{", ",", "."):
        return (
            f"labels begin with a lower-case letter; '{word}' would have to be a set "
            "that is declared before this line"
        )
    return None


def _in_expression(before: list[str]) -> bool:
    """Tell whether the last words are a condition or in an index."""
    for word in reversed(before):
        if word in ("when", "if", "["):
            return True
        if word in _NO_GUARD:
            return False
    return False
