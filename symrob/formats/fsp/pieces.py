"""A text cut into declarations without parsing it, for when it has mistakes.

In:  a text that is ready for the grammar; see `ready`.
Out: where declarations begin and what they seem to define.

In a correct text the cuts can be seen by keyword or by what stands around an upper-case
name. So each piece can be parsed alone, and a mistake costs one declaration only.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from symrob.formats.fsp import words
from symrob.formats.fsp.ast import Foreign, Name
from symrob.formats.fsp.words import MODIFIERS, TOKEN, UPPER, spelled

# These stand nowhere but where a declaration begins.
_FIRST = frozenset(
    {
        *("const", "range", "set", "progress", "menu", "animation"),
        *("import", "assert", "fluent"),
    }
)
# These begin declarations that FSP does not have, of tools that grew out of LTSA. They
# are labels wherever no such declaration begins.
_FOREIGN_WORDS = frozenset(
    {
        *("abstract", "closure", "component", "constraint", "controller"),
        *("controllerSpec", "def", "heuristic", "ltl_property", "monolithicDirector"),
        *("optimistic", "pessimistic", "plant", "probabilistic", "starenv"),
    }
)
_DEFINED = rf"=(?!=)|\(\s*{UPPER}\s*=(?!=)"
_IS_DEFINED = re.compile(rf"\s*(?:{_DEFINED}|@\s*=(?!=))")
_COMPOSITE_IS_DEFINED = re.compile(rf"\s*{UPPER}\s*(?:{_DEFINED})")
_AND_MORE = "|".join(sorted({*MODIFIERS, *_FOREIGN_WORDS}))
_FOREIGN = re.compile(
    rf"(?:(?:{_AND_MORE})\b\s*)*"
    rf"(?P<name>{UPPER}|(?!(?:{_AND_MORE})\b){words.LOWER}(?=\s*(?:=(?!=)|[(\[]))"
    rf"|\|\|\s*(?P<composite>{UPPER})(?=\s*(?:{_DEFINED})))"
)
_OPERATOR_OF_FORMULAS = re.compile(rf"\w+\s+(?:{words.only('UW')})(?!\s*=)")
# What stands before `=`, but for arguments, or behind a comma, may be a definition.
_SEEMS_DEFINED = re.compile(
    rf"(?:,\s*)({UPPER})(?=\s*\S)|({UPPER})\s*(?:@\s*)?(?:\[[^\]=]*\]\s*)*=(?!=)"
)
_BRACE = re.compile(r"\s*\{")
_TITLE = re.compile(UPPER)


def pieces(text: str) -> Iterator[tuple[int, int]]:
    """Cut a text into declarations, each from one beginning to the next."""
    first = TOKEN.search(text)
    if first is None:
        return
    start = first.start()
    for at in _beginnings(text):
        if at > start:
            yield start, at
            start = at
    yield start, len(text)


def _beginnings(text: str) -> Iterator[int]:
    before = ""
    for match in TOKEN.finditer(text):
        word, at, end = match[1], match.start(), match.end()
        modifies = word in MODIFIERS or (
            word in _FOREIGN_WORDS and _is_foreign(text, at)
        )
        if word in _FIRST:
            yield at
        elif modifies:
            # A row of them counts once; `compose {` is part of an animation.
            if before != "modifier" and not _BRACE.match(text, end):
                yield at
        elif before == "." and _follows_full_stop(text, word, end):
            yield at
        elif before in _FIRST or before in ("modifier", "(", "||"):
            pass
        elif (
            before != "|" and _COMPOSITE_IS_DEFINED.match(text, end)
            if word == "||"
            else before not in (",", "when", "if")
            and is_upper(word)
            and _IS_DEFINED.match(text, end)
        ):
            yield at
        before = "modifier" if modifies else word


def _follows_full_stop(text: str, word: str, end: int) -> bool:
    """Tell whether a word behind a dot begins a declaration; labels have dots too."""
    if word == "||" or "A" <= word[0] <= "Z":
        return True
    next_ = TOKEN.search(text, end)
    return next_ is not None and (
        next_[1] == "=" or (next_[1] in ("(", "@") and is_upper(word))
    )


def is_upper(word: str) -> bool:
    """Tell whether a word begins with a capital letter, marked or not."""
    return spelled(word)[:1].isupper() if word else False


def _is_foreign(text: str, at: int) -> bool:
    # In formulas, `U` and `W` are operators between two labels.
    if _OPERATOR_OF_FORMULAS.match(text, at):
        return False
    return text.startswith("constraint", at) or bool(_FOREIGN.match(text, at))


def foreign(text: str, start: int, end: int) -> Foreign | None:
    """Return the node of a declaration that FSP does not have, if a piece is one."""
    first = next(
        (m for m in TOKEN.finditer(text, start, end) if m[1] not in MODIFIERS), None
    )
    head = _FOREIGN.match(text, start, end)
    if first is None or head is None or first[1] not in _FOREIGN_WORDS:
        return None
    group = "composite" if head["composite"] else "name"
    name, at = spelled(head[group]), head.start(group)
    behind = TOKEN.finditer(text, head.end(), end)
    mentions = frozenset(spelled(m[1]) for m in behind if is_upper(m[1]))
    return Foreign(first.start(), Name(at, name), first[1], mentions)


def seems_defined(text: str, start: int, end: int) -> set[str]:
    """Return the upper-case names that a broken declaration may have defined."""
    found = {m[1] or m[2] for m in _SEEMS_DEFINED.finditer(text, start, end)}
    title = _TITLE.search(text, start, end)
    if title:
        found.add(title[0])
    return {spelled(name) for name in found}


def lacks_end(piece: str) -> bool:
    """Tell whether what follows may belong to the process that a piece begins."""
    word = TOKEN.search(piece)
    begins = word is not None and word[1] not in _FIRST
    return begins and not piece.rstrip().endswith(".")
