"""Names that any of the languages takes, made of names that people chose.

In:  names of actions and cases, which can hold anything.
Out: identifiers in ASCII, and texts that no language reads as the end of a text.
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
        start: What to put in front where the name begins like none.
    """
    plain = re.sub(r"[^A-Za-z0-9]+", "_", name)[:_LONGEST].strip("_")
    if not plain:
        return start
    return plain if plain[0].isalpha() else f"{start}_{plain}"


def identifiers(names: Iterable[str]) -> list[str]:
    """Return an identifier for each name, none twice, whatever the case of letters."""
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
    """Return a text in which all but printable ASCII is escaped, on one line."""
    return "".join(
        c if " " <= c <= "~" else c.encode("unicode_escape").decode("ascii")
        for c in text
    )


def comment(text: str, *ends: str) -> str:
    """Return a text for a comment, in which marks of two characters are taken apart."""
    plain = ascii_only(text)
    for end in ends:
        first, second = end[0], end[1]
        # Not by `replace`, which leaves one behind of marks that overlap.
        plain = re.sub(f"{re.escape(first)}(?={re.escape(second)})", f"{first} ", plain)
    return plain


def utf8(text: str) -> bytes:
    """Return a text as bytes; half a character becomes an escape."""
    return text.encode("utf-8", "backslashreplace")


def folded(items: Iterable[str], indent: str, width: int = 79) -> list[str]:
    """Return items, with commas between them, as lines of at most some width."""
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
