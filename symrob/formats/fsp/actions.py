"""Parse actions: what each rule of the grammar becomes in the syntax tree.

In:  the matched kinds, the index where the match begins, and what the parts of
     the rule delivered (nodes, tuples, and one-character strings for tokens
     that have only a kind).
Out: a node, or a tuple of nodes. `None` stands for an optional part left out.

Actions check nothing; `checks` does that on the finished tree.
"""

from __future__ import annotations

from typing import Any

from symrob.formats.fsp import ast
from symrob.formats.fsp.lexer import LOWER, NUMBER, SPELLING, Kinds, number_value

# Binding strength of the binary operators, all left-associative.
STRENGTH = {
    operator: level
    for level, row in enumerate(
        ("||", "&&", "|", "^", "&", "== !=", "< <= > >=", "<< >>", "+ -", "* / %")
    )
    for operator in row.split()
}


def _nodes(parts: Any) -> list[Any]:
    """Leave out the punctuation, keep nodes, tuples and `None`."""
    return [p for p in parts if type(p) is not str]


def name(s: Kinds, at: int, _parts: Any) -> ast.Name:
    """`lower` and `upper`: an identifier."""
    pos = s.base + at
    return ast.Name(s.source.word(pos), pos)


def atom(s: Kinds, at: int, parts: Any) -> tuple[ast.Item, ...]:
    """Build a number, a variable or a constant."""
    pos = s.base + at
    word = s.source.word(pos)
    if parts[0] == NUMBER:
        return (ast.Number(number_value(word), pos),)
    if parts[0] == LOWER:
        return (ast.Variable(word, pos),)
    return (ast.Constant(word, pos),)


def bracketed(_s: Kinds, _at: int, parts: Any) -> tuple[ast.Item, ...]:
    """`( expression )`: brackets leave no trace in postfix order."""
    code: tuple[ast.Item, ...] = parts[1].code
    return code


def quote(s: Kinds, at: int, parts: Any) -> tuple[ast.Item, ...]:
    """`'label`."""
    return (ast.Quote(parts[1], s.base + at),)


def cardinality(s: Kinds, at: int, parts: Any) -> tuple[ast.Item, ...]:
    """`# set`."""
    return (ast.Cardinality(parts[1], s.base + at),)


def element(s: Kinds, at: int, parts: Any) -> tuple[ast.Item, ...]:
    """`@( set , expression )`."""
    labels, index = _nodes(parts)
    return (*index.code, ast.Element(labels, s.base + at))


def operator(s: Kinds, at: int, parts: Any) -> ast.Operator:
    """Build a binary operator."""
    return ast.Operator(SPELLING.get(parts[0], parts[0]), 2, s.base + at)


def operand(s: Kinds, at: int, parts: Any) -> tuple[ast.Item, ...]:
    """Build an operand: a prefix operator, if there is one, comes after it."""
    if len(parts) == 1:
        code: tuple[ast.Item, ...] = parts[0]
        return code
    return (*parts[1], ast.Operator(parts[0], 1, s.base + at))


def expression(s: Kinds, at: int, parts: Any) -> ast.Expr:
    """`operand (operator operand)*` into postfix order, by operator strength."""
    if len(parts) == 1:
        return ast.Expr(parts[0], s.base + at)
    code: list[ast.Item] = list(parts[0])
    waiting: list[ast.Operator] = []
    flat = iter(parts[1:])
    for symbol, right in zip(flat, flat, strict=True):
        while waiting and STRENGTH[waiting[-1].symbol] >= STRENGTH[symbol.symbol]:
            code.append(waiting.pop())
        waiting.append(symbol)
        code.extend(right)
    code.extend(reversed(waiting))
    return ast.Expr(tuple(code), s.base + at)


def interval(s: Kinds, at: int, parts: Any) -> ast.Expr | ast.Range:
    """`low .. high`, or a lone expression."""
    found = _nodes(parts)
    if len(found) == 1:
        lone: ast.Expr = found[0]
        return lone
    return ast.Range(found[0], found[1], s.base + at)


def domain_name(s: Kinds, at: int, parts: Any) -> ast.RangeName | ast.SetName:
    """Build the name of a range or a set."""
    pos = s.base + at
    kind = ast.RangeName if parts[0] == "R" else ast.SetName
    return kind(s.source.word(pos), pos)


def set_literal(s: Kinds, at: int, parts: Any) -> ast.SetLiteral:
    """`{ label, … }`."""
    return ast.SetLiteral(tuple(_nodes(parts)), s.base + at)


def set_part(s: Kinds, at: int, parts: Any) -> ast.SetExpr:
    r"""`set` or `set \ set`."""
    found = _nodes(parts)
    if len(found) == 1:
        lone: ast.SetExpr = found[0]
        return lone
    return ast.Difference(found[0], found[1], s.base + at)


def index(s: Kinds, at: int, parts: Any) -> ast.Index:
    """`[ … ]` with or without a variable."""
    found = _nodes(parts)
    variable = found[0] if len(found) == 2 else None
    return ast.Index(variable, found[-1], s.base + at)


def label(s: Kinds, at: int, parts: Any) -> ast.Label:
    """`part . part [index] …`."""
    return ast.Label(tuple(_nodes(parts)), s.base + at)


def group(_s: Kinds, _at: int, parts: Any) -> tuple[Any, ...]:
    """Collect the nodes of a repetition in one tuple."""
    return tuple(_nodes(parts))


def call(s: Kinds, at: int, parts: Any) -> ast.Call:
    """`Name (arguments) [index] …`."""
    return ast.Call(parts[0], parts[1], tuple(parts[2:]), s.base + at)


def sequence(s: Kinds, at: int, parts: Any) -> ast.Sequence:
    """`A ; B ; Q`."""
    return ast.Sequence(tuple(_nodes(parts)), s.base + at)


def alternative(s: Kinds, at: int, parts: Any) -> ast.Alternative:
    """`when guard label -> … -> body`."""
    guard, *labels, body = _nodes(parts)
    return ast.Alternative(guard, tuple(labels), body, s.base + at)


def choice(s: Kinds, at: int, parts: Any) -> ast.Choice:
    """`( alternative | … )`."""
    return ast.Choice(tuple(_nodes(parts)), s.base + at)


def cases(parts: Any) -> tuple[tuple[Any, ...], Any]:
    """Pair the conditions with their bodies; the `else` part comes last."""
    *found, otherwise = _nodes(parts)
    flat = iter(found)
    return tuple(zip(flat, flat, strict=True)), otherwise


def if_body(s: Kinds, at: int, parts: Any) -> ast.If:
    """`if e then body else …` of a process."""
    return ast.If(*cases(parts), s.base + at)


def head(
    _s: Kinds, _at: int, parts: Any
) -> tuple[ast.Name, bool, tuple[ast.Index, ...]]:
    """`Q @ [i:R] =`, what stands before the body of a local process."""
    title, indices = _nodes(parts)
    return title, parts[1] == "@", indices


def local(s: Kinds, at: int, parts: Any) -> ast.Local:
    """`Q @ [i:R] = body`."""
    (title, accepting, indices), body = parts
    return ast.Local(title, accepting, indices, body, s.base + at)


def relabel(s: Kinds, at: int, parts: Any) -> ast.Relabel:
    """`new / old`."""
    new, old = _nodes(parts)
    return ast.Relabel(new, old, s.base + at)


def relabel_forall(s: Kinds, at: int, parts: Any) -> ast.RelabelForall:
    """`forall [i:R] { … }`."""
    *indices, relabels = _nodes(parts)
    return ast.RelabelForall(tuple(indices), relabels, s.base + at)


def hiding(s: Kinds, at: int, parts: Any) -> ast.Hiding:
    r"""`\ set` or `@ set`."""
    return ast.Hiding(parts[0] == "@", parts[1], s.base + at)


def parameter(s: Kinds, at: int, parts: Any) -> ast.Parameter:
    """`N = default`."""
    title, default = _nodes(parts)
    return ast.Parameter(title, default, s.base + at)


def modifiers(_s: Kinds, _at: int, parts: Any) -> frozenset[str]:
    """`deterministic minimal compose property`."""
    return frozenset(SPELLING[kind] for kind in parts[0])


def definition(_s: Kinds, _at: int, parts: Any) -> ast.Process | ast.Composite:
    """Build a process or, if `||` stands before its name, a composite."""
    return _composite(parts) if parts[1] == "¦" else _process(parts)


def _process(parts: Any) -> ast.Process:
    """Build the definition of a process; the main local process comes first."""
    marks, title, parameters, *locals_, extension, relabels, hide = _nodes(parts)
    main, *others = locals_
    accepting, body = main
    first = ast.Local(title, accepting, (), body, title.pos)
    return ast.Process(
        title,
        marks,
        parameters or (),
        (first, *others),
        extension,
        relabels or (),
        hide,
        title.pos,
    )


def main_part(_s: Kinds, _at: int, parts: Any) -> tuple[bool, Any]:
    """`@ = body`, what follows the name and the parameters."""
    return parts[0] == "@", _nodes(parts)[0]


def forall(s: Kinds, at: int, parts: Any) -> ast.Forall:
    """`forall [i:R] body`."""
    *indices, body = _nodes(parts)
    return ast.Forall(tuple(indices), body, s.base + at)


def composite_if(s: Kinds, at: int, parts: Any) -> ast.CompositeIf:
    """`if e then body else …` of a composite."""
    return ast.CompositeIf(*cases(parts), s.base + at)


def prefixes(_s: Kinds, _at: int, parts: Any) -> tuple[Any, Any]:
    """`share ::`, `prefix :` or both."""
    if len(parts) == 4:
        return parts[0], parts[2]
    return (parts[0], None) if parts[1] == "∷" else (None, parts[0])


def member(s: Kinds, at: int, parts: Any) -> ast.Member:
    """`prefixes (call or group) / relabels`."""
    before, target, relabels = _nodes(parts)
    share, prefix = before or (None, None)
    return ast.Member(share, prefix, target, relabels or (), s.base + at)


def priority(s: Kinds, at: int, parts: Any) -> ast.Priority:
    """`<< set` or `>> set`."""
    return ast.Priority(parts[0] == "«", parts[1], s.base + at)


def _composite(parts: Any) -> ast.Composite:
    """Build the definition of a composite."""
    marks, title, parameters, body, prio, hide = _nodes(parts)
    return ast.Composite(title, marks, parameters or (), body, prio, hide, title.pos)


def const_def(_s: Kinds, _at: int, parts: Any) -> ast.ConstDef:
    """`const N = e`."""
    title, value = _nodes(parts)
    return ast.ConstDef(title, value, title.pos)


def range_def(_s: Kinds, _at: int, parts: Any) -> ast.RangeDef:
    """`range R = low .. high`."""
    title, low, high = _nodes(parts)
    return ast.RangeDef(title, low, high, title.pos)


def set_def(_s: Kinds, _at: int, parts: Any) -> ast.SetDef:
    """`set S = { … }`."""
    title, labels = _nodes(parts)
    return ast.SetDef(title, labels, title.pos)


def progress(_s: Kinds, _at: int, parts: Any) -> ast.Progress:
    """`progress P[i:R] = if labels then labels`."""
    title, indices, *labels = _nodes(parts)
    condition = labels[0] if len(labels) == 2 else None
    return ast.Progress(title, indices, condition, labels[-1], title.pos)


def menu(_s: Kinds, _at: int, parts: Any) -> ast.Menu:
    """`menu M = labels`."""
    title, labels = _nodes(parts)
    return ast.Menu(title, labels, title.pos)


def animation(_s: Kinds, _at: int, parts: Any) -> ast.Animation:
    """`animation A = "file" …`."""
    title = _nodes(parts)[0]
    return ast.Animation(title, title.pos)


def import_def(s: Kinds, at: int, parts: Any) -> ast.Import:
    """`import P = "file.aut"`."""
    title = _nodes(parts)[0]
    return ast.Import(title, s.source.word(s.base + at + 3)[1:-1], title.pos)


def fluent(_s: Kinds, _at: int, parts: Any) -> ast.Fluent:
    """`fluent F[i:R] = <on, off> initially e`."""
    title, indices, on, off, initially = _nodes(parts)
    return ast.Fluent(title, indices, on, off, initially, title.pos)


def formula_atom(s: Kinds, at: int, parts: Any) -> ast.Atom:
    """Build a label, a call of a fluent or assertion, or a `rigid` expression."""
    return ast.Atom(_nodes(parts)[0], s.base + at)


def temporal(s: Kinds, at: int, parts: Any) -> ast.Formula:
    """Build a temporal operator before it has operands."""
    found = _nodes(parts)
    word = s.source.word(s.base + at)
    return ast.Formula(word, (), tuple(found), s.base + at)


def formula_unary(_s: Kinds, _at: int, parts: Any) -> ast.Formula | ast.Atom:
    """Apply a row of prefix operators to what follows, from the inside out."""
    *prefix, inner = _nodes(parts)
    for sign in reversed(prefix):
        inner = ast.Formula(sign.operator, (inner,), sign.indices, sign.pos)
    formula: ast.Formula | ast.Atom = inner
    return formula


def formula_binary(_s: Kinds, _at: int, parts: Any) -> ast.Formula | ast.Atom:
    """Apply one binary operator, or a row of equal ones, to its operands."""
    first, *rest = _nodes(parts)
    if not rest:
        lone: ast.Formula | ast.Atom = first
        return lone
    sign = rest[0]
    return ast.Formula(sign.operator, (first, *rest[1::2]), (), sign.pos)


def assert_def(_s: Kinds, _at: int, parts: Any) -> ast.Assert:
    """`assert A(params) = formula + set`."""
    title, parameters, formula, extension = _nodes(parts)
    return ast.Assert(title, parameters or (), formula, extension, title.pos)
