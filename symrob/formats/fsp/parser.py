"""Text to syntax tree, with all syntax errors of the text at once.

In:  a text.
Out: its declarations, the `Source`, and the diagnostics found on the way.

A correct text is parsed as a whole. In any other, each declaration is parsed alone, so
a mistake costs one only, and the next is read as if nothing had happened.
"""

from __future__ import annotations

from typing import NamedTuple

from symrob.errors import Diagnostic
from symrob.formats.fsp.ast import Declaration, Declarations, Process
from symrob.formats.fsp.ready import Ready, too_deep
from symrob.formats.fsp.source import Source
from symrob.formats.fsp.words import TOKEN
from symrob.limits import Limits


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
    """Parse a text, inside of `model.room`.

    Args:
        text: The FSP text.
        file: Its name, for diagnostics.
        limits: `max_nesting` bounds the depth of brackets.

    Returns:
        The declarations that could be read, and all problems on the way.

    Cost: linear in the text.
    """
    from symrob.formats.fsp.grammar import whole

    source = Source(text, file)
    ready = Ready(source)
    if too_deep(ready.text, limits.max_nesting) is None:
        found = whole(ready.text)
        if found is not None:
            return Parsed(found, source, list(ready.problems.values()))
    return _recovered(ready, source, limits)


def _recovered(ready: Ready, source: Source, limits: Limits) -> Parsed:
    """Parse each declaration alone."""
    from symrob.formats.fsp import pieces
    from symrob.formats.fsp.grammar import declaration
    from symrob.formats.fsp.rules import furthest
    from symrob.formats.fsp.slips import syntax_problem

    text, lexical = ready.text, ready.problems
    gaps = [at for at, found in lexical.items() if found.code != "fsp-number"]
    problems: list[Diagnostic] = []
    broken: set[str] = set()
    sure: list[Declaration] = []
    maybe: list[Process] = []
    unfinished = cut_short = -1
    for start, end in pieces.pieces(text):
        piece = text[start:end]
        node: Declaration | None = pieces.foreign(text, start, end)
        if node is not None:
            sure.append(node)
            lexical = {at: d for at, d in lexical.items() if not start < at < end}
            continue
        deep = too_deep(piece, limits.max_nesting)
        if deep is None:
            node = declaration(text[:end], start)
        if isinstance(node, Process) and start == unfinished:
            maybe.append(node)
        elif node is not None:
            sure.append(node)
        if node is not None:
            continue
        broken |= pieces.seems_defined(text, start, end)
        pos = furthest.at if deep is None else start + deep
        # A keyword in the wrong place cuts a declaration in two; the second half is
        # no news then. Nor is what follows a character that was left out.
        second = TOKEN.sub("", text[start:end], count=1)
        gap = any(start < at <= pos for at in gaps)
        if gap or (start == cut_short and pos <= end - len(second)):
            pass
        elif deep is None:
            wanted = furthest.expected
            problems.append(syntax_problem(source, text, start, pos, wanted))
        else:
            message = f"more than {limits.max_nesting} levels of nesting"
            hint = "--bound max-nesting raises this limit"
            problems.append(
                source.diagnostic("fsp-limit-nesting", message, pos, hint=hint)
            )
        cut_short = end if pos == end else -1
        unfinished = end if pieces.lacks_end(piece) else -1
    certain = {node.name.text for node in sure if isinstance(node, Process)}
    maybe = [node for node in maybe if node.name.text not in certain]
    nodes = sorted([*sure, *maybe], key=lambda d: d.pos)
    problems = sorted([*problems, *lexical.values()], key=lambda d: (d.line, d.column))
    doubtful = frozenset(node.name.text for node in maybe)
    return Parsed(tuple(nodes), source, problems, frozenset(broken), doubtful)
