"""Verdicts in colours, on a terminal only.

A pipe gets the same text without them. `NO_COLOR` turns them off, `FORCE_COLOR` on.
"""

from __future__ import annotations

import os
import re
import sys

_GREEN, _RED, _YELLOW, _CYAN = 32, 31, 33, 36
# What verdicts are called, and their colours; the longer names first.
_VERDICTS = {
    "[Uu]nsafe, excluded by an assumption|[Aa]ssumed away": _YELLOW,
    "[Ss]afe, excluded by an assumption|[Oo]utside the assumptions": _CYAN,
    "excluded by (?:an assumption|assumptions)|unknown|UNKNOWN|[Ii]ncomplete": _YELLOW,
    "not tolerated|[Hh]azard(?:ous)?|[Uu]nsafe|FAILS|failed|violate[sd]|wrong": _RED,
    "[Tt]olerated|safe|ok|held": _GREEN,
}
_CODES = tuple(_VERDICTS.values())
# At the beginning of a line or behind a number, and no part of a name as `safe.lts`.
_WORDS = re.compile(
    rf"(^\s*|\d )(?:{'|'.join(f'({words})' for words in _VERDICTS)})(?![\w#/'-]|\.\w)"
)


def wanted() -> bool:
    """Return whether standard output shows colours."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def coloured(line: str) -> str:
    """Return a line of text with the colours of its verdicts."""
    return _WORDS.sub(_coloured, line)


def _coloured(found: re.Match[str]) -> str:
    code = _CODES[(found.lastindex or 2) - 2]
    before, verdict = found[1], found[0][len(found[1]) :]
    return f"{before}\033[{code}m{verdict}\033[0m"
