"""Text to syntax tree, with all syntax errors of the text at once.

In:  a text.
Out: its declarations, the `Source`, and the diagnostics found on the way.

A correct text is parsed as a whole. In any other, each declaration is parsed alone;
those that cannot be read are blanked out, and what is left is parsed as a whole. So a
mistake costs one declaration only, and the next is read as if nothing had happened.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from symrob.errors import Diagnostic
from symrob.formats.fsp.ast import Declaration, Declarations, Process
from symrob.formats.fsp.ready import Ready, too_deep
from symrob.formats.fsp.source import Source
from symrob.limits import Limits

_FRAMES_PER_LEVEL = 40


class Parsed(NamedTuple):
    """What parsing a text gave.

    Attributes:
        declarations: The declarations that could be read.
        source: The text.
        problems: Lexical and syntactic diagnostics, in reading order.
        broken: Names defined by declarations that could not be read.
        doubtful: Names defined behind a declaration that has no end: they may be its
            local processes.
    """

    declarations: Declarations
    source: Source
    problems: list[Diagnostic]
    broken: frozenset[str] = frozenset()
    doubtful: frozenset[str] = frozenset()


def parse(text: str, file: str, limits: Limits) -> Parsed:
    """Parse a text.

    Args:
        text: The FSP text.
        file: Its name, for diagnostics.
        limits: `max_nesting` bounds the depth of brackets.

    Returns:
        The declarations that could be read, and all problems on the way.

    Cost: linear in the text.
    """
    from symrob.formats.fsp.grammar import parsed

    source = Source(text, file)
    ready = Ready(source)
    with recursion_room(limits.max_nesting * _FRAMES_PER_LEVEL):
        if too_deep(ready.text, limits.max_nesting) is None:
            found = parsed(ready.text)
            if found is not None:
                return Parsed(found, source, list(ready.problems.values()))
        return _recovered(ready, source, limits)


def _mistake_in(piece: str, limits: Limits) -> tuple[int, str | None] | None:
    """Parse one declaration; return where it is wrong, and what is missing there.

    Nothing is missing where it nests too deeply.
    """
    from symrob.formats.fsp.grammar import mistake

    deep = too_deep(piece, limits.max_nesting)
    return mistake(piece) if deep is None else (deep, None)


def _problem(
    source: Source, text: str, start: int, pos: int, message: str | None, limits: Limits
) -> Diagnostic:
    from symrob.formats.fsp import slips

    if message is not None:
        return slips.syntax_problem(source, text, start, pos, message)
    return source.diagnostic(
        "fsp-nesting",
        f"more than {limits.max_nesting} levels of nesting",
        pos,
        hint="--bound max-nesting raises this limit",
    )


def _recovered(ready: Ready, source: Source, limits: Limits) -> Parsed:
    """Parse each declaration alone, then together those without mistakes."""
    from symrob.formats.fsp import pieces
    from symrob.formats.fsp.grammar import parsed

    text, lexical = ready.text, ready.problems
    problems: list[Diagnostic] = []
    others: list[Declaration] = []
    broken: set[str] = set()
    kept = [text[: pieces.nth_word(text, 0, 0)]]
    starts: list[int] = []
    doubtful: set[int] = set()
    unfinished = cut_short = -1
    for start, end in pieces.pieces(text):
        piece = text[start:end]
        foreign = pieces.foreign(text, start, end)
        mistake = None if foreign else _mistake_in(piece, limits)
        if foreign is not None:
            others.append(foreign)
            lexical = {at: d for at, d in lexical.items() if not start < at < end}
        elif mistake is None:
            starts.append(start)
            if start == unfinished and pieces.is_process(piece):
                doubtful.add(start)
        kept.append(" " * len(piece) if foreign or mistake else piece)
        if mistake is None:
            continue
        broken |= pieces.seems_defined(text, start, end)
        pos = start + mistake[0]
        # A keyword in the wrong place cuts a declaration in two; the second half is
        # no news then. Nor is what follows a character that was left out.
        second = pieces.nth_word(text, start, 1)
        gap = any(start < at <= pos for at in ready.gaps)
        if not gap and not (start == cut_short and pos <= second):
            problems.append(_problem(source, text, start, pos, mistake[1], limits))
        cut_short = end if pos == end else -1
        unfinished = end if pieces.lacks_end(piece) else -1
    found = list(zip(starts, parsed("".join(kept)) or (), strict=True))
    maybe: dict[str, Declaration] = {}
    sure: list[Declaration] = []
    for start, node in found:
        if start in doubtful and isinstance(node, Process):
            maybe[node.name.text] = node
        else:
            sure.append(node)
    for node in sure:
        if isinstance(node, Process):
            maybe.pop(node.name.text, None)
    nodes = sorted([*sure, *others, *maybe.values()], key=lambda d: d.pos)
    problems = sorted([*problems, *lexical.values()], key=lambda d: (d.line, d.column))
    return Parsed(tuple(nodes), source, problems, frozenset(broken), frozenset(maybe))


@contextmanager
def recursion_room(frames: int) -> Iterator[None]:
    """Allow `frames` more Python frames than usual while inside.

    Nesting is bounded before anything recurses, so the room is enough; without
    it the depth would depend on how deep the caller already is.
    """
    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(usual + frames)
    try:
        yield
    finally:
        sys.setrecursionlimit(usual)
