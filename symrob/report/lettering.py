"""Text in pictures: what may be written, how wide it is, where its lines break.

In:  names and actions, any Unicode text a user or a hostile file comes with.
Out: lines of harmless text, and their widths in pixels.

A picture is drawn where the reader's fonts are not known. Widths are those of
DejaVu Sans, wider than the faces that the drawing asks for first, so that
text measured here fits when it is drawn.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

NAME_SIZE = 13.0
LABEL_SIZE = 11.0
LINE = 1.3
"""Distance of two lines of text, as a multiple of the font size."""

ASCII_WIDTHS = (
    # Hundredths of the font size, for U+0020 to U+007E.
    *(32, 40, 46, 84, 64, 95, 78, 27, 39, 39, 50, 84, 32, 36, 32, 34),
    *(64, 64, 64, 64, 64, 64, 64, 64, 64, 64, 34, 34, 84, 84, 84, 53),
    *(100, 68, 69, 70, 77, 63, 58, 77, 75, 29, 29, 66, 56, 86, 75, 79),
    *(60, 79, 69, 63, 61, 73, 68, 99, 69, 61, 69, 39, 34, 39, 84, 50),
    *(50, 61, 63, 55, 63, 62, 35, 63, 63, 28, 28, 58, 28, 97, 63, 61),
    *(63, 63, 41, 52, 39, 63, 59, 82, 59, 59, 52, 64, 34, 64, 84),
)

LONGEST = 400
"""Characters of one name that are shown; the rest is cut and marked."""

MOST_ITEMS = 60
"""Actions of one edge that are shown; the rest is counted."""

# Cf holds the characters that turn text around or are not seen at all, Cs the
# halves of surrogate pairs, which no encoding can write.
_UNSEEN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}

_PIECES = re.compile(r"[^_.\-:/,; \[\]]*[_.\-:/,; \[\]]+|[^_.\-:/,; \[\]]+")


def visible(text: str) -> str:
    """Return `text` with every character that cannot be seen spelled out.

    Control characters are illegal in XML and DOT, and those that reverse the
    direction of writing make a name look like another: each becomes its code
    point in angle brackets.

    Args:
        text: Any text, also with lone surrogates.

    Returns:
        Text on one line that XML and UTF-8 can hold. It may contain `<`, `&`
        and quotes: escaping is left to who writes it.
    """
    if len(text) > LONGEST:
        text = text[: LONGEST - 1] + "…"
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        f"‹U+{ord(c):04X}›" if unicodedata.category(c) in _UNSEEN else c for c in text
    )


def width(text: str, size: float) -> float:
    """Return the width of `text` in pixels.

    Args:
        text: Text as `visible` returns it.
        size: Font size in pixels.
    """
    return sum(map(_hundredths, text)) * size / 100


def _hundredths(char: str) -> int:
    code = ord(char)
    if 0x20 <= code < 0x7F:
        return ASCII_WIDTHS[code - 0x20]
    if unicodedata.combining(char):
        return 0
    if unicodedata.east_asian_width(char) in "WF":
        return 105
    return 90


def wrap_name(name: str, size: float, limit: float) -> tuple[str, ...]:
    """Break a name into lines, after a separator where there is one.

    Args:
        name: Any text; the lines joined without a gap are `visible(name)`.
        size: Font size in pixels.
        limit: Width in pixels that no line exceeds, if a character fits.

    Returns:
        The lines; one empty line for an empty name.
    """
    shown = visible(name)
    total = width(shown, size)
    if total <= limit:
        return (shown,)
    pieces: list[str] = []
    for piece in _PIECES.findall(shown):
        pieces.extend(_chopped(piece, size, limit))
    # Lines of like length look better than full ones with a short rest.
    even = total / -(-total // limit)
    return _filled(pieces, size, min(limit, even * 1.15), glue="")


def wrap_list(items: Sequence[str], size: float) -> tuple[str, ...]:
    """Break a list of actions into lines that form a compact block.

    Args:
        items: The actions; no action is cut in two.
        size: Font size in pixels.

    Returns:
        The lines, items separated by commas; joined with one space they are
        the whole list, or its first `MOST_ITEMS` and how many there are more.
    """
    shown = [visible(item) for item in items[:MOST_ITEMS]]
    if len(items) > MOST_ITEMS:
        shown.append(f"… {len(items) - MOST_ITEMS} more")
    pieces = [f"{item}," for item in shown[:-1]] + shown[-1:]
    widths = [width(piece, size) for piece in pieces]
    # A block about five times as wide as high, as a label beside an edge.
    ideal = (sum(widths) * 1.3 * size * 5) ** 0.5
    return _filled(pieces, size, max(*widths, ideal, 9 * size), glue=" ")


def _chopped(piece: str, size: float, limit: float) -> list[str]:
    """Cut a piece without separators that is wider than a line."""
    parts, current = [], ""
    for char in piece:
        if current and width(current + char, size) > limit:
            parts.append(current)
            current = ""
        current += char
    return [*parts, current]


def _filled(
    pieces: Sequence[str], size: float, limit: float, *, glue: str
) -> tuple[str, ...]:
    """Put as many pieces on each line as `limit` allows, at least one."""
    lines: list[str] = []
    for piece in pieces:
        if lines and width(f"{lines[-1]}{glue}{piece}", size) <= limit:
            lines[-1] = f"{lines[-1]}{glue}{piece}"
        else:
            lines.append(piece)
    return tuple(lines) or ("",)
