"""Text to syntax tree, with all syntax errors of the text at once.

In:  a text.
Out: an `ast.Description`, the `Source`, and the diagnostics found on the way.

The tokens are cut into declarations before anything is parsed: in a correct
text the cuts can be seen without parsing, by keyword or by what stands around
an upper-case name. Each piece is parsed alone, so a mistake costs one
declaration only, and the next is read as if nothing had happened.
"""

from __future__ import annotations

import gc
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from symrob.errors import Diagnostic
from symrob.formats.fsp.ast import Declaration, Description, Foreign, Name
from symrob.formats.fsp.lexer import ANY_UPPER, FOREIGN, SPELLING, Kinds, tokenise
from symrob.formats.fsp.source import Source
from symrob.limits import Limits

# Where a declaration begins: at a keyword that stands nowhere else (a row of
# modifiers and of foreign words counts once), behind the dot that ends a
# definition, or at a name that is being defined and is neither a local process, nor
# a parameter, nor already behind the keyword or `||` that begins its declaration.
_BEGIN = re.compile(
    r"[crsgmnjhu]"
    r"|(?<![dlopF])[dlopF](?!\{)"
    r"|(?<=\.)(?:[U¦]|[SR](?=[=(@]))"
    r"|(?<![,(¦crsgmnjhuFdlop])[USR](?==|@=|\([USR]=)"
    r"|(?<![dlopF(|])¦(?=[USR](?:=|\([USR]=))"
)
# `compose {` is part of an animation.
_FOREIGN = re.compile("[dlopF]*F[dlopF]*¦?([USRa])")
_FRAMES_PER_LEVEL = 40


@dataclass(frozen=True)
class Parsed:
    """What parsing a text gave.

    Attributes:
        description: The declarations that could be read.
        source: The text with its tokens.
        problems: Lexical and syntactic diagnostics, in reading order.
        broken: Names defined by declarations that could not be read.
    """

    description: Description
    source: Source
    problems: list[Diagnostic]
    broken: frozenset[str]


@contextmanager
def nothing_left() -> Iterator[None]:
    """Collect what parsing leaves behind, at once.

    pyparsing leaves exceptions that refer to each other and, through their
    frames, to whatever the callers hold by then or later: BDDs too, which must
    be freed before their manager, not in the order of a later collection.
    Without collections in between all of it is young, and what was there before is
    put aside, so this one is quick.
    """
    usual = gc.isenabled()
    gc.disable()
    gc.freeze()
    try:
        yield
    finally:
        gc.collect(0)
        gc.unfreeze()
        if usual:
            gc.enable()


@nothing_left()
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
    kinds, lexical = tokenise(text, file)
    problems: list[Diagnostic] = []
    skipped: list[tuple[int, int]] = []
    found: list[Declaration] = []
    broken: set[str] = set()
    cut_short = -1
    for start, end in _pieces(kinds):
        foreign = _FOREIGN.match(kinds, start, end)
        if foreign is not None:
            found.append(_foreign(kinds, start, foreign.start(1), end))
            skipped.append((start, end))
            continue
        too_deep = _too_deep(kinds, start, end, limits.max_nesting)
        if too_deep is not None:
            problems.append(_nesting_problem(kinds.source, too_deep, limits))
            broken |= _defined_names(kinds, start, end)
            continue
        result = _parse_piece(Kinds.of(kinds[start:end], kinds.source, start), limits)
        if isinstance(result, Declaration):
            found.append(result)
            continue
        broken |= _defined_names(kinds, start, end)
        at, message = result
        # A keyword in the wrong place cuts a declaration in two; the second
        # half is no news then.
        # Nor is what follows a character that was left out.
        gap = any(start < g <= start + at for g in kinds.source.gaps)
        if not gap and not (start == cut_short and at <= 1):
            problems.append(_syntax_problem(kinds, start, start + at, message))
        cut_short = end if start + at == end else -1
    problems += [
        problem
        for at, problem in lexical
        if not any(start < at < end for start, end in skipped)
    ]
    problems.sort(key=lambda d: (d.line or 0, d.column or 0))
    return Parsed(Description(tuple(found)), kinds.source, problems, frozenset(broken))


def _foreign(kinds: Kinds, start: int, name: int, end: int) -> Foreign:
    """Make a node of a declaration that FSP does not have, from its tokens."""
    word = kinds.source.word
    upper = {word(at) for at in range(name + 1, end) if kinds[at] in ANY_UPPER}
    first = kinds.index(FOREIGN, start)
    return Foreign(Name(word(name), name), word(first), frozenset(upper), first)


def _defined_names(kinds: Kinds, start: int, end: int) -> set[str]:
    """Return the upper-case names that a broken declaration may have defined."""
    return {
        kinds.source.word(pos)
        for pos in range(start, end)
        if kinds[pos] in ANY_UPPER
        and (pos <= start + 1 or (kinds[pos - 1] == "," and kinds[pos + 1 : pos + 2]))
    }


def _pieces(kinds: Kinds) -> Iterator[tuple[int, int]]:
    """Cut the tokens into declarations, each from one beginning to the next."""
    begins = [m.start() for m in _BEGIN.finditer(kinds)]
    if not kinds:
        return
    if not begins or begins[0] != 0:
        begins.insert(0, 0)
    yield from zip(begins, [*begins[1:], len(kinds)], strict=True)


def _too_deep(kinds: Kinds, start: int, end: int, limit: int) -> int | None:
    """Return the token at which brackets or `then if` nest too deeply."""
    depth = 0
    for pos in range(start, end):
        kind = kinds[pos]
        if kind in "({[" or (kind == "i" and pos and kinds[pos - 1] == "t"):
            depth += 1
            if depth > limit:
                return pos
        elif kind in ")}]":
            depth -= 1
    return None


def _nesting_problem(source: Source, pos: int, limits: Limits) -> Diagnostic:
    return source.diagnostic(
        "fsp-nesting",
        f"more than {limits.max_nesting} levels of nesting",
        pos,
        hint="--bound max-nesting raises this limit",
    )


def _parse_piece(piece: Kinds, limits: Limits) -> Declaration | tuple[int, str]:
    """Parse one declaration; for a mistake, return its place and what is missing."""
    from pyparsing import ParseBaseException

    from symrob.formats.fsp.grammar import declaration

    try:
        with recursion_room(limits.max_nesting * _FRAMES_PER_LEVEL):
            node: Declaration = declaration(piece).parse_string(piece)[0]
    except ParseBaseException as error:
        return error.loc, error.msg or ""
    return node


def _syntax_problem(kinds: Kinds, start: int, pos: int, message: str) -> Diagnostic:
    source = kinds.source
    expected = message.removeprefix("Expected ")
    word = source.word(pos)
    found = f"'{word}'" if word else "the end of the text"
    return source.diagnostic(
        "fsp-syntax",
        f"expected {expected}, found {found}",
        pos,
        hint=_hint(kinds, start, pos),
    )


def _hint(kinds: Kinds, start: int, pos: int) -> str | None:
    """Explain the slips that are made most often."""
    kind, before = kinds[pos : pos + 1], kinds[pos - 1 : pos]
    word = kinds.source.word(pos)
    if kind == "U" and before in ("(", "|", "→", "{", ",", "."):
        return (
            f"labels begin with a lower-case letter; '{word}' would have to be a set "
            "that is declared before this line"
        )
    if kind == "□":
        return "an index cannot be empty"
    if kind == "a" and pos == start:
        return "names of processes begin with a capital letter"
    if kind in ("a", "[", "{", "S") and before == "=":
        return "a choice stands in brackets: (a -> P)"
    if kind == "9" and before == ".":
        return f"write the index in brackets: [{word}]"
    if kind == "[" and pos and (pos == start + 1 or kinds[start] in "dlop"):
        name = kinds.source.word(pos - 1)
        return f"begin with {name} = Q[0], and give the index to the local process Q"
    if kind in SPELLING and kind.isascii() and kind.isalpha():
        return f"'{word}' is a keyword of FSP"
    return None


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
