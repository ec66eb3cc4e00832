"""What each rule of fsp.ebnf becomes in the syntax tree.

In:  the text, the offset where the rule matched, and what its body delivered: see
     `rules`.
Out: a node, or a tuple of nodes.

Actions check nothing; `checks` does that on the finished tree. A rule without an action
delivers what its parts do.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any

from symrob.formats.fsp import ast
from symrob.formats.fsp.words import (
    LOWER_INITIALS,
    SET_INITIALS,
    number_value,
    spelled,
)

Parts = list[Any]
Kind = Callable[..., Any]

# Binding strength of the binary operators, all left-associative.
STRENGTH = {
    operator: level
    for level, row in enumerate(
        ("||", "&&", "|", "^", "&", "== !=", "< <= > >=", "<< >>", "+ -", "* / %")
    )
    for operator in row.split()
}


def _flat(parts: Any) -> Any:
    """Return the first part and those that are repeated behind it in one row."""
    return tuple(chain(*(p if type(p) is tuple else (p,) for p in parts if p)))


# --- makers of actions ----------------------------------------------------


def _node(kind: Kind) -> Any:
    """Make a node of what the parts delivered, blamed where the rule begins."""
    return lambda _s, at, parts: kind(at, *parts)


def _declaration(kind: Kind) -> Any:
    """Make a declaration, blamed at its name."""
    return lambda _s, _at, parts: kind(parts[0].pos, *parts)


def _row(kind: Kind) -> Any:
    """Make a node that holds one row of equal things."""
    return lambda _s, at, parts: kind(at, _flat(parts))


def _word(kind: Kind) -> Any:
    """Make a node of a name."""
    return lambda _s, at, parts: kind(at, spelled(parts[0]))


def _item(kind: Kind) -> Any:
    """Make an item of an expression; what the expression in it needs stands before."""
    return lambda _s, at, parts: (
        *chain(*(e.code for e in parts[1:])),
        kind(at, parts[0]),
    )


def _lone_or(kind: Kind) -> Any:
    """Make a node of two parts; a lone part stays what it is."""
    return lambda _s, at, parts: parts[0] if parts[1] is None else kind(at, *parts)


def _cases(kind: Kind) -> Any:
    """Pair the conditions with their bodies; the `else` part comes last."""

    def action(_s: str, at: int, parts: Parts) -> Any:
        condition, body, more, otherwise = parts
        pairs = ((condition, body), *zip(more[::2], more[1::2], strict=True))
        return kind(at, pairs, otherwise)

    return action


# --- expressions, labels ----------------------------------------------------


def _atom(text: str, at: int, parts: Parts) -> tuple[ast.Item, ...]:
    if isinstance(parts[0], str):
        return (ast.Number(at, number_value(parts[0])),)
    kind = ast.Variable if text[at] in LOWER_INITIALS else ast.Constant
    return (kind(at, parts[0].text),)


def _operand(_s: str, at: int, parts: Parts) -> tuple[ast.Item, ...]:
    # In postfix order, the operator comes last.
    sign, primary = parts
    return primary if sign is None else (*primary, ast.Operator(at, sign, 1))


def _expression(_s: str, at: int, parts: Parts) -> ast.Expr:
    """`operand (operator operand)*` into postfix order, by operator strength."""
    first, rest = parts
    if not rest:
        return ast.Expr(at, first)
    code: list[ast.Item] = list(first)
    waiting: list[ast.Operator] = []
    for symbol, right in zip(rest[::2], rest[1::2], strict=True):
        while waiting and STRENGTH[waiting[-1].symbol] >= STRENGTH[symbol.symbol]:
            code.append(waiting.pop())
        waiting.append(symbol)
        code.extend(right)
    code.extend(reversed(waiting))
    return ast.Expr(at, tuple(code))


def _open_interval(text: str, at: int, parts: Parts) -> ast.Domain:
    low, high = parts
    if high is not None:
        return ast.Range(at, low, high)
    if len(low.code) == 1 and low.code[0].pos == at and text[at] >= "\x80":
        kind = ast.SetName if text[at] in SET_INITIALS else ast.RangeName
        return kind(at, low.code[0].name)
    domain: ast.Domain = low
    return domain


def _index(_s: str, at: int, parts: Parts) -> ast.Index:
    return ast.Index(at, parts[0] if len(parts) == 2 else None, parts[-1])


# --- processes, composites ------------------------------------------------


def _modifiers(_s: str, _at: int, parts: Parts) -> frozenset[str]:
    words = ("deterministic", "minimal", "compose", "property")
    return frozenset(word for word, there in zip(words, parts, strict=True) if there)


def _process(_s: str, _at: int, parts: Parts) -> ast.Process:
    """The main local process comes first."""
    modifiers, name, parameters, accepting, body, others, *suffixes = parts
    first = ast.Local(name.pos, name, accepting, (), body)
    locals_ = (first, *others)
    return ast.Process(name.pos, name, modifiers, parameters, locals_, *suffixes)


def _composite(_s: str, _at: int, parts: Parts) -> ast.Composite:
    modifiers, name, *rest = parts
    return ast.Composite(name.pos, name, modifiers, *rest)


def _prefixes(_s: str, _at: int, parts: Parts) -> tuple[Any, Any]:
    """`share ::`, `prefix :` or both."""
    return (parts[0], parts[1]) if len(parts) == 2 else (None, parts[0])


def _member(_s: str, at: int, parts: Parts) -> ast.Member:
    before, target, relabels = parts
    share, prefix = before or (None, None)
    return ast.Member(at, share, prefix, target, relabels)


def _component(_s: str, at: int, parts: Parts) -> ast.Call:
    name, arguments = parts
    return ast.Call(at, name, arguments, ())


# --- formulas ---------------------------------------------------------------


def _sign(operator: str = "") -> Any:
    """Make a temporal operator before it has operands, by default the word there."""

    def action(_s: str, at: int, parts: Parts) -> ast.Formula:
        word, indices = (*parts, (), ())[:2] if parts else (operator, ())
        return ast.Formula(at, spelled(word), (), indices)

    return action


def _unary(_s: str, _at: int, parts: Parts) -> ast.Formula | ast.Atom:
    """Apply a row of prefix operators to what follows, from the inside out."""
    prefixes, inner = parts
    for sign in reversed(prefixes):
        inner = ast.Formula(sign.pos, sign.operator, (inner,), sign.indices)
    formula: ast.Formula | ast.Atom = inner
    return formula


def _binary(_s: str, _at: int, parts: Parts) -> ast.Formula | ast.Atom:
    """Apply one binary operator, or a row of equal ones, to its operands."""
    first, *rest = _flat(parts)
    formula: ast.Formula | ast.Atom = first
    if rest:
        sign = rest[0]
        formula = ast.Formula(sign.pos, sign.operator, (first, *rest[1::2]), ())
    return formula


def _group(_s: str, _at: int, parts: Parts) -> tuple[Any, ...]:
    found: tuple[Any, ...] = _flat(parts)
    return found


# Rules that deliver one tuple, which is empty where they are left out.
LISTS = ("parameters", "arguments", "relabelling")

ACTIONS: dict[str, Any] = {
    "lower": _word(ast.Name),
    "upper": _word(ast.Name),
    "process_name": _word(ast.Name),
    "set_name": _word(ast.SetName),
    "range_name": _word(ast.RangeName),
    "string": lambda _s, _at, parts: parts[0][1:-1],
    # Expressions, labels.
    "atom": _atom,
    "bracketed": lambda _s, _at, parts: parts[0].code,
    "quote": _item(ast.Quote),
    "cardinality": _item(ast.Cardinality),
    "element": _item(ast.Element),
    "additive": lambda _s, at, parts: ast.Operator(at, parts[0], 2),
    "other_operator": lambda _s, at, parts: ast.Operator(at, parts[0], 2),
    "operand": _operand,
    "expression": _expression,
    "simple_expression": _expression,
    "closed_interval": _node(ast.Range),
    "open_interval": _open_interval,
    "index": _index,
    "set_literal": _row(ast.SetLiteral),
    "set_part": _lone_or(ast.Difference),
    "label": _row(ast.Label),
    # Processes.
    "modifiers": _modifiers,
    "process": _process,
    "local": _node(ast.Local),
    "sequence": _row(ast.Sequence),
    "call": _node(ast.Call),
    "choice": _row(ast.Choice),
    "alternative": _node(ast.Alternative),
    "if_body": _cases(ast.If),
    "parameters": _group,
    "parameter": _node(ast.Parameter),
    "arguments": _group,
    "relabels": _group,
    "relabel": _node(ast.Relabel),
    "relabel_forall": _node(ast.RelabelForall),
    "hiding": _node(ast.Hiding),
    # Composites.
    "composite": _composite,
    "member": _member,
    "prefixes": _prefixes,
    "component": _component,
    "group": _group,
    "forall": _node(ast.Forall),
    "composite_if": _cases(ast.CompositeIf),
    "priority": _node(ast.Priority),
    # Other declarations.
    "const_def": _declaration(ast.ConstDef),
    "range_def": _declaration(ast.RangeDef),
    "set_def": _declaration(ast.SetDef),
    "progress": _declaration(ast.Progress),
    "menu": _declaration(ast.Menu),
    "import_def": _declaration(ast.Import),
    "fluent": _declaration(ast.Fluent),
    "animation": lambda _s, _at, parts: ast.Animation(parts[0].pos, parts[0]),
    "assertion": _declaration(ast.Assert),
    # Formulas.
    "sign": _sign(),
    "upper_x": _sign(),
    "upper_u": _sign(),
    "upper_w": _sign(),
    "quantifier": _sign(),
    "implication": _sign(),
    "and": _sign("&&"),
    "or": _sign("||"),
    "unary": _unary,
    "conjunction": _binary,
    "binary": _binary,
    "formula": _binary,
    "formula_atom": _node(ast.Atom),
}
