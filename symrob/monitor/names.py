"""Identifiers and comments that are valid in every target language.

In:  names of actions and cases, which can contain anything.
Out: ASCII identifiers, and texts that no language reads as the end of a string or
     comment.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

# What C99 and IEC 61131-3 both promise to tell apart, less what is put in front.
_LONGEST = 40


def identifier(name: str, start: str = "m") -> str:
    """Return an identifier of C, Python and Structured Text that resembles a name.

    IEC 61131-3 allows neither two underscores in a row nor one at the end.

    Args:
        name: Any text.
        start: Prefix for a name that does not begin like an identifier.
    """
    plain = re.sub(r"[^A-Za-z0-9]+", "_", name)[:_LONGEST].strip("_")
    if not plain:
        return start
    return plain if plain[0].isalpha() else f"{start}_{plain}"


def identifiers(names: Iterable[str]) -> list[str]:
    """Return an identifier for each name, unique even if case is ignored."""
    taken: set[str] = set()
    found = []
    for name in names:
        base = identifier(name, "a")
        chosen, count = base, 1
        while chosen.lower() in taken:
            count += 1
            chosen = f"{base}_{count}"
        taken.add(chosen.lower())
        found.append(chosen)
    return found


def ascii_only(text: str) -> str:
    """Return a text on one line with everything but printable ASCII escaped."""
    return "".join(
        c if " " <= c <= "~" else c.encode("unicode_escape").decode("ascii")
        for c in text
    )


def comment(text: str, *ends: str) -> str:
    """Return a text for a comment, with two-character comment marks split."""
    plain = ascii_only(text)
    for end in ends:
        first, second = end[0], end[1]
        # Not by `replace`, which leaves one behind of marks that overlap.
        plain = re.sub(f"{re.escape(first)}(?={re.escape(second)})", f"{first} ", plain)
    return plain


def utf8(text: str) -> bytes:
    """Return a text as bytes; a lone surrogate becomes an escape."""
    return text.encode("utf-8", "backslashreplace")


def folded(items: Iterable[str], indent: str, width: int = 79) -> list[str]:
    """Return comma-separated items as lines of limited width."""
    lines: list[str] = []
    line = indent
    parts = list(items)
    for number, item in enumerate(parts):
        word = item if number == len(parts) - 1 else f"{item},"
        if line != indent and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = indent
        line += word if line == indent else f" {word}"
    return [*lines, line]
