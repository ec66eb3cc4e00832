"""The words and symbols of FSP, as regular expressions.

In:  nothing.
Out: the syntax as it stands in fsp.ebnf, a pattern for each token, and what words
     stand for. Keywords and symbols are what fsp.ebnf has in quotes.

FSP is not context-free without knowing which names `set` and `range` declare: `S -> P`
is a step if S is a set and a mistake otherwise. Such names are marked before a text is
parsed (see `ready`): their first letter is shifted out of ASCII, where no character of
an FSP text can be. It stays below 256, beyond which patterns compile far slower.
"""

from __future__ import annotations

import re
from pathlib import Path
from string import ascii_lowercase, ascii_uppercase

# The rules of fsp.ebnf, but those of tokens.
_EBNF = Path(__file__).with_name("fsp.ebnf").read_text(encoding="utf-8")
SYNTAX = re.sub(r"\(\*.*?\*\)", "", _EBNF.partition("(* --- tokens")[0], flags=re.S)
_QUOTED = {a or b for a, b in re.findall(r"'([^'\s]+)'|\"(')\"", SYNTAX)}
# Reserved without a meaning: `constraint`.
KEYWORDS = frozenset({*filter(str.isalpha, _QUOTED), "constraint"})
MODIFIERS = ("deterministic", "minimal", "compose", "property")
_SYMBOLS = sorted(_QUOTED - KEYWORDS, key=lambda symbol: (-len(symbol), symbol))
PUNCTUATION = "".join(symbol for symbol in _SYMBOLS if len(symbol) == 1)
MAX_INT = 2**31 - 1

SHIFTS = {"set": 0x80, "range": 0xA0}


def _marked(kind: str) -> str:
    return "".join(chr(ord(letter) + SHIFTS[kind]) for letter in ascii_uppercase)


# First letters of names that `set` and `range` declare, of others, and of them all.
SET_INITIALS = _marked("set")
RANGE_INITIALS = _marked("range")
PROCESS_INITIALS = ascii_uppercase + RANGE_INITIALS
INITIALS = PROCESS_INITIALS + SET_INITIALS
LOWER_INITIALS = ascii_lowercase + "_"

REST = "[A-Za-z0-9_]*"
SET_NAME = f"[{SET_INITIALS}]{REST}"
RANGE_NAME = f"[{RANGE_INITIALS}]{REST}"
PROCESS_NAME = f"[{PROCESS_INITIALS}]{REST}"
UPPER = f"[{INITIALS}]{REST}"
NUMBER = "0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*"
STRING = r'"[^"\n]*"'
# One token, the longest that begins at a place, and the white space behind it.
TOKEN = re.compile(
    rf"([a-z_]{REST}|{UPPER}|{NUMBER}|{STRING}|"
    + "|".join([*map(re.escape, _SYMBOLS), r"[^\s])\s*"])
)
LOWER = rf"(?!(?:{'|'.join(sorted(KEYWORDS))})\b)[a-z_]{REST}"


def only(letters: str) -> str:
    """Return the pattern of names that are one of some letters, declared or not."""
    found = "".join(
        letter + "".join(chr(ord(letter) + shift) for shift in SHIFTS.values())
        for letter in letters
    )
    return rf"[{found}]\b"


def spelled(word: str) -> str:
    """Return a name as it stands in the text, without a mark."""
    return word if word[0] < "\x80" else chr(ord(word[0]) % 0x20 + 0x40) + word[1:]


def number_value(text: str) -> int:
    """Return the value of a number: decimal, octal (`017`) or hexadecimal."""
    base = 16 if text[:2] in ("0x", "0X") else 8 if text[0] == "0" else 10
    digits = text.lstrip("0xX") if base != 10 else text
    # More digits than this stand for no number that fits, however many there are.
    return int(digits[:20] or "0", base)
