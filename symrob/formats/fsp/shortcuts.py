"""Patterns that read frequent flat phrases in one step, for speed.

In:  the kinds that one pattern matched.
Out: the same nodes that the rules of `grammar` would make of them.

pyparsing spends its time per rule, not per token. Most phrases of a model are
flat: a label without sets, an expression without brackets, `a -> b -> P`. Each
has a pattern here that the grammar tries before the full rule. A pattern either
matches a phrase to its very end or not at all (that is what the look-aheads
say); so the shortcuts change nothing but the time. A test compares the two.
"""

from __future__ import annotations

import re
from typing import Any

from symrob.formats.fsp import ast
from symrob.formats.fsp.actions import STRENGTH, atom
from symrob.formats.fsp.lexer import SPELLING, Kinds

OPERATOR = "[-+*/%<>&|^÷¬£¥«»·¦]"
# Behind `rigid e`, a `+` with a brace begins the suffix of the assertion.
ADDITIVE = r"(?:[-*/%]|\+(?!\{))"
_OPERAND = "[-+!]?[9aUSR]"
_FLAT = f"{_OPERAND}(?:{OPERATOR}{_OPERAND})*"
_FREE = rf"\[(?![SR]\]){_FLAT}\]"
_BOUND = rf"\[a:(?:[SR]|{_FLAT}…{_FLAT})\]"

_LABEL = rf"a(?:\.a|{_FREE}|{_BOUND})*"
_SET = rf"\{{{_LABEL}(?:,{_LABEL})*\}}"
_GUARD = rf"w(?:{_FLAT}|\({_FLAT}\))"
_REFERENCE = f"[UR](?:{_FREE})*"

EXPRESSION = f"{_FLAT}(?!{OPERATOR})"
SIMPLE_EXPRESSION = f"{_OPERAND}(?:{ADDITIVE}{_OPERAND})*(?!{ADDITIVE})"
INDEX = f"{_FREE}|{_BOUND}"
LABEL = rf"{_LABEL}(?![.\[])"
REFERENCE = rf"{_REFERENCE}(?![(\[;])"
HEAD = rf"[USR](?:{INDEX})*="
STEPS = f"(?:{_GUARD})?(?:(?:{_LABEL}|{_SET})→)+{REFERENCE}"

_find_part = re.compile(rf"a|{INDEX}").finditer
_find_index = re.compile(INDEX).finditer
_find_label = re.compile(_LABEL).finditer
_match_guard = re.compile(_GUARD).match
_match_step = re.compile(f"({_LABEL}|{_SET})→").match


def expression(s: Kinds, at: int, parts: Any) -> ast.Expr:
    """Build an expression without brackets, in postfix order."""
    kinds: str = parts[0]
    return _expression(s, at, kinds)


simple_expression = expression


def _expression(s: Kinds, at: int, kinds: str) -> ast.Expr:
    code: list[ast.Item] = []
    waiting: list[ast.Operator] = []
    sign: ast.Operator | None = None
    operand_next = True
    for offset, kind in enumerate(kinds, start=at):
        if not operand_next:
            symbol = SPELLING.get(kind, kind)
            while waiting and STRENGTH[waiting[-1].symbol] >= STRENGTH[symbol]:
                code.append(waiting.pop())
            waiting.append(ast.Operator(symbol, 2, s.base + offset))
            operand_next = True
        elif kind in "-+!":
            sign = ast.Operator(kind, 1, s.base + offset)
        else:
            code += atom(s, offset, kind)
            if sign is not None:
                code.append(sign)
                sign = None
            operand_next = False
    code.extend(reversed(waiting))
    return ast.Expr(tuple(code), s.base + at)


def index(s: Kinds, at: int, parts: Any) -> ast.Index:
    """Build `[e]`, `[v:R]` or `[v:low..high]`."""
    kinds: str = parts[0]
    return _index(s, at, kinds)


def _index(s: Kinds, at: int, kinds: str) -> ast.Index:
    pos = s.base + at
    word = s.source.word
    if kinds[2] != ":":
        return ast.Index(None, _expression(s, at + 1, kinds[1:-1]), pos)
    variable = ast.Name(word(pos + 1), pos + 1)
    low, dots, high = kinds[3:-1].partition("…")
    if not dots:
        kind = ast.RangeName if low == "R" else ast.SetName
        return ast.Index(variable, kind(word(pos + 3), pos + 3), pos)
    first = _expression(s, at + 3, low)
    last = _expression(s, at + 4 + len(low), high)
    return ast.Index(variable, ast.Range(first, last, pos + 3), pos)


def label(s: Kinds, at: int, parts: Any) -> ast.Label:
    """Build a label without sets."""
    kinds: str = parts[0]
    return _label(s, at, kinds)


def _label(s: Kinds, at: int, kinds: str) -> ast.Label:
    pos = s.base + at
    if kinds == "a":
        return ast.Label((ast.Name(s.source.word(pos), pos),), pos)
    found: list[ast.Part] = []
    for match in _find_part(kinds):
        place = at + match.start()
        if match[0] == "a":
            found.append(ast.Name(s.source.word(s.base + place), s.base + place))
        else:
            found.append(_index(s, place, match[0]))
    return ast.Label(tuple(found), pos)


def _step(s: Kinds, at: int, kinds: str) -> ast.Label:
    """Build a label, or a label that is one set of labels."""
    if kinds[0] != "{":
        return _label(s, at, kinds)
    pos = s.base + at
    members = tuple(_label(s, at + m.start(), m[0]) for m in _find_label(kinds))
    return ast.Label((ast.SetLiteral(members, pos),), pos)


def head(s: Kinds, at: int, parts: Any) -> tuple[ast.Name, bool, tuple[ast.Index, ...]]:
    """Build the name and the indices of a local process, without `@`."""
    kinds: str = parts[0]
    pos = s.base + at
    indices = tuple(_index(s, at + m.start(), m[0]) for m in _find_index(kinds))
    return ast.Name(s.source.word(pos), pos), False, indices


def reference(s: Kinds, at: int, parts: Any) -> ast.Sequence:
    """Build a reference with plain indices or none."""
    kinds: str = parts[0]
    pos = s.base + at
    name = ast.Name(s.source.word(pos), pos)
    indices: tuple[ast.Index, ...] = ()
    if len(kinds) > 1:
        indices = tuple(_index(s, at + m.start(), m[0]) for m in _find_index(kinds))
    return ast.Sequence((ast.Call(name, None, indices, pos),), pos)


def steps(s: Kinds, at: int, parts: Any) -> ast.Alternative:
    """Build `when (i > 0) a[i] -> {b, c} -> P[i]`."""
    kinds: str = parts[0]
    guard: ast.Expr | None = None
    here = 0
    found = _match_guard(kinds)
    if found:
        here = found.end()
        inner = kinds[1:here].strip("()")
        shift = here - 1 - len(inner)
        code = _expression(s, at + 1 + shift // 2, inner).code
        guard = ast.Expr(code, s.base + at + 1)
    labels = []
    while found := _match_step(kinds, here):
        labels.append(_step(s, at + here, found[1]))
        here = found.end()
    body = reference(s, at + here, [kinds[here:]])
    return ast.Alternative(guard, tuple(labels), body, s.base + at)
