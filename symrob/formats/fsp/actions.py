"""What each rule of fsp.ebnf becomes in the syntax tree.

In:  the offset where the rule matched, and what its body delivered: see `rules`.
Out: a node, or a tuple of nodes.

Actions check nothing; `checks` does that on the finished tree. A rule without an action
delivers what its parts do.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any

from symrob.formats.fsp import ast
from symrob.formats.fsp.words import MODIFIERS, number_value, spelled

Action = Callable[..., Any]
Items = tuple[ast.Item, ...]

# Binding strength of the binary operators, all left-associative.
STRENGTH = {
    operator: level
    for level, row in enumerate(
        ("||", "&&", "|", "^", "&", "== !=", "< <= > >=", "<< >>", "+ -", "* / %")
    )
    for operator in row.split()
}


def _flat(_at: int, *parts: Any) -> tuple[Any, ...]:
    """Return the first part and those that are repeated behind it in one row."""
    rows = (part if type(part) is tuple else (part,) for part in parts if part)
    return tuple(chain(*rows))


# --- makers of actions ----------------------------------------------------


def _declaration(kind: Action) -> Action:
    """Make a declaration, blamed at its name."""
    return lambda _at, name, *rest: kind(name.pos, name, *rest)


def _row(kind: Action) -> Action:
    """Make a node that holds one row of equal things."""
    return lambda at, *parts: kind(at, _flat(at, *parts))


def _word(kind: Action) -> Action:
    """Make a node of a name."""
    return lambda at, word: kind(at, spelled(word))


def _item(kind: Action) -> Action:
    """Make an item of an expression; what the expression in it needs stands before."""
    return lambda at, part, *rest: (*chain(*(e.code for e in rest)), kind(at, part))


def _temporal(operator: str | None = None) -> Action:
    """Make a temporal operator before it has operands, by default the word there."""
    return lambda at, word=operator, indices=(): ast.Formula(
        at, spelled(word), (), indices
    )


# --- expressions, labels ----------------------------------------------------


def _atom(at: int, part: ast.Number | ast.Name) -> Items:
    if isinstance(part, ast.Number):
        return (part,)
    kind = ast.Constant if part.text[0].isupper() else ast.Variable
    return (kind(at, part.text),)


def _operator(at: int, symbol: str) -> ast.Operator:
    return ast.Operator(at, symbol, 2)


def _operand(at: int, sign: str | None, primary: Items) -> Items:
    # In postfix order, the operator comes last.
    return primary if sign is None else (*primary, ast.Operator(at, sign, 1))


def _expression(at: int, first: Items, rest: tuple[Any, ...]) -> ast.Expr:
    """`operand (operator operand)*` into postfix order, by operator strength."""
    code = list(first)
    waiting: list[ast.Operator] = []
    for symbol, right in zip(rest[::2], rest[1::2], strict=True):
        while waiting and STRENGTH[waiting[-1].symbol] >= STRENGTH[symbol.symbol]:
            code.append(waiting.pop())
        waiting.append(symbol)
        code.extend(right)
    return ast.Expr(at, (*code, *reversed(waiting)))


def _open_interval(
    at: int, low: ast.Expr, high: ast.Expr | None
) -> ast.Expr | ast.Range:
    return low if high is None else ast.Range(at, low, high)


def _index(at: int, *parts: Any) -> ast.Index:
    return ast.Index(at, parts[0] if len(parts) == 2 else None, parts[-1])


def _set_part(at: int, left: ast.SetExpr, right: ast.SetExpr | None) -> ast.SetExpr:
    return left if right is None else ast.Difference(at, left, right)


# --- processes, composites ------------------------------------------------


def _modifiers(_at: int, *there: bool) -> frozenset[str]:
    return frozenset(word for word, is_ in zip(MODIFIERS, there, strict=True) if is_)


def _process(
    _at: int,
    modifiers: frozenset[str],
    name: ast.Name,
    parameters: tuple[ast.Parameter, ...],
    accepting: bool,
    body: ast.Body,
    others: tuple[ast.Local, ...],
    *suffixes: Any,
) -> ast.Process:
    """The main local process comes first."""
    locals_ = (ast.Local(name.pos, name, accepting, (), body), *others)
    extension, relabels, hiding = suffixes
    return ast.Process(
        name.pos, name, modifiers, parameters, locals_, extension, relabels, hiding
    )


def _composite(
    _at: int, modifiers: frozenset[str], name: ast.Name, *rest: Any
) -> ast.Composite:
    return ast.Composite(name.pos, name, modifiers, *rest)


def _if(at: int, condition: Any, body: Any, more: Any, otherwise: Any) -> ast.If:
    """Pair the conditions with their bodies; the `else` part comes last."""
    pairs = ((condition, body), *zip(more[::2], more[1::2], strict=True))
    return ast.If(at, pairs, otherwise)


def _prefixes(_at: int, *labels: ast.Label | None) -> tuple[Any, ...]:
    """`share ::`, `prefix :` or both."""
    return labels if len(labels) == 2 else (None, *labels)


def _member(at: int, prefixes: Any, target: Any, relabels: Any) -> ast.Member:
    share, prefix = prefixes or (None, None)
    return ast.Member(at, share, prefix, target, relabels)


# --- formulas ---------------------------------------------------------------


def _unary(
    _at: int, prefixes: tuple[ast.Formula, ...], inner: ast.Formula | ast.Atom
) -> ast.Formula | ast.Atom:
    """Apply a row of prefix operators to what follows, from the inside out."""
    for sign in reversed(prefixes):
        inner = ast.Formula(sign.pos, sign.operator, (inner,), sign.indices)
    return inner


def _binary(at: int, first: Any, *more: Any) -> ast.Formula | ast.Atom:
    """Apply one binary operator, or a row of equal ones, to its operands."""
    rest = _flat(at, *more)
    formula: ast.Formula | ast.Atom = first
    if rest:
        sign = rest[0]
        formula = ast.Formula(sign.pos, sign.operator, (first, *rest[1::2]), ())
    return formula


# Rules that deliver one tuple, which is empty where they are left out.
LISTS = ("parameters", "arguments", "relabelling")
ACTIONS: dict[str, Action] = {
    **dict.fromkeys(("lower", "upper", "process_name"), _word(ast.Name)),
    "set_name": _word(ast.SetName),
    "range_name": _word(ast.RangeName),
    "number": lambda at, word: ast.Number(at, number_value(word)),
    "string": lambda _at, word: word[1:-1],
    # Expressions, labels.
    "atom": _atom,
    "bracketed": lambda _at, expression: expression.code,
    "quote": _item(ast.Quote),
    "cardinality": _item(ast.Cardinality),
    "element": _item(ast.Element),
    **dict.fromkeys(("additive", "other_operator"), _operator),
    "operand": _operand,
    **dict.fromkeys(("expression", "simple_expression"), _expression),
    "closed_interval": ast.Range,
    "open_interval": _open_interval,
    "index": _index,
    "set_literal": _row(ast.SetLiteral),
    "set_part": _set_part,
    "label": _row(ast.Label),
    # Processes.
    "modifiers": _modifiers,
    "process": _process,
    "local": ast.Local,
    "sequence": _row(ast.Sequence),
    "call": ast.Call,
    "choice": _row(ast.Choice),
    "alternative": ast.Alternative,
    "if_body": _if,
    **dict.fromkeys(("parameters", "arguments", "relabels", "group"), _flat),
    "parameter": ast.Parameter,
    "relabel": ast.Relabel,
    "relabel_forall": ast.RelabelForall,
    "hiding": ast.Hiding,
    # Composites.
    "composite": _composite,
    "member": _member,
    "prefixes": _prefixes,
    "component": lambda at, name, arguments: ast.Call(at, name, arguments, ()),
    "forall": ast.Forall,
    "composite_if": _if,
    "priority": ast.Priority,
    # Other declarations.
    "const_def": _declaration(ast.ConstDef),
    "range_def": _declaration(ast.RangeDef),
    "set_def": _declaration(ast.SetDef),
    "progress": _declaration(ast.Progress),
    "menu": _declaration(ast.Menu),
    "import_def": _declaration(ast.Import),
    "fluent": _declaration(ast.Fluent),
    "animation": lambda _at, name, *_ignored: ast.Animation(name.pos, name),
    "assertion": _declaration(ast.Assert),
    # Formulas.
    **dict.fromkeys(("sign", "quantifier", "implication"), _temporal()),
    **dict.fromkeys(("upper_x", "upper_u", "upper_w"), _temporal()),
    "and": _temporal("&&"),
    "or": _temporal("||"),
    "unary": _unary,
    **dict.fromkeys(("conjunction", "binary", "formula"), _binary),
    "formula_atom": ast.Atom,
}
