"""Parse actions: what each rule of the grammar becomes in the syntax tree.

In:  the text, the offset where the rule matched, and what its parts delivered: nodes,
     tuples of nodes, and a string for each word or symbol that is neither.
Out: a node, or a tuple of nodes. `None` stands for an optional part left out.

Actions check nothing; `checks` does that on the finished tree.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from symrob.formats.fsp import ast
from symrob.formats.fsp.words import number_value, spelled
from symrob.limits import tick

# Binding strength of the binary operators, all left-associative.
STRENGTH = {
    operator: level
    for level, row in enumerate(
        ("||", "&&", "|", "^", "&", "== !=", "< <= > >=", "<< >>", "+ -", "* / %")
    )
    for operator in row.split()
}
Action = Callable[[str, int, Any], Any]


def _nodes(parts: Any) -> list[Any]:
    """Leave out words and symbols, keep nodes, tuples and `None`."""
    return [p for p in parts if type(p) is not str]


# --- makers of actions ----------------------------------------------------


def node(kind: Callable[..., Any]) -> Action:
    """Make a node of what the parts delivered, blamed where the rule begins."""
    return lambda _s, at, parts: kind(*_nodes(parts), at)


def titled(kind: Callable[..., Any]) -> Action:
    """Make a declaration of what the parts delivered, blamed at its name."""

    def action(_s: str, _at: int, parts: Any) -> Any:
        found = _nodes(parts)
        return kind(*found, found[0].pos)

    return action


def row(kind: Callable[..., Any]) -> Action:
    """Make a node that holds one row of equal things."""
    return lambda _s, at, parts: kind(tuple(_nodes(parts)), at)


def lone_or(kind: Callable[..., Any]) -> Action:
    """Make a node of two parts; a lone part stays what it is."""

    def action(_s: str, at: int, parts: Any) -> Any:
        found = _nodes(parts)
        return found[0] if len(found) == 1 else kind(*found, at)

    return action


def marked(kind: Callable[..., Any], first: str) -> Action:
    """Make a node that tells by which of two symbols it begins."""
    return lambda _s, at, parts: kind(parts[0] == first, parts[1], at)


def group(_s: str, _at: int, parts: Any) -> tuple[Any, ...]:
    """Collect the nodes of a repetition in one tuple."""
    return tuple(_nodes(parts))


def second(_s: str, _at: int, parts: Any) -> Any:
    """Deliver what stands behind the first word of a rule."""
    return parts[1]


# --- words, expressions ---------------------------------------------------


def name(_s: str, at: int, parts: Any) -> ast.Name:
    """`lower` and `upper`: an identifier."""
    return ast.Name(spelled(parts[0]), at)


def set_name(_s: str, at: int, parts: Any) -> ast.SetName:
    """Build the name of a set."""
    return ast.SetName(spelled(parts[0]), at)


def range_name(_s: str, at: int, parts: Any) -> ast.RangeName:
    """Build the name of a range."""
    return ast.RangeName(spelled(parts[0]), at)


def atom(_s: str, at: int, parts: Any) -> tuple[ast.Item, ...]:
    """Build a number, a variable or a constant."""
    word = parts[0]
    if word[0] <= "9":
        return (ast.Number(number_value(word), at),)
    if "a" <= word[0] <= "z" or word[0] == "_":
        return (ast.Variable(word, at),)
    return (ast.Constant(spelled(word), at),)


def bracketed(_s: str, _at: int, parts: Any) -> tuple[ast.Item, ...]:
    """`( expression )`: brackets leave no trace in postfix order."""
    code: tuple[ast.Item, ...] = parts[1].code
    return code


def quote(_s: str, at: int, parts: Any) -> tuple[ast.Item, ...]:
    """`'label`."""
    return (ast.Quote(parts[1], at),)


def cardinality(_s: str, at: int, parts: Any) -> tuple[ast.Item, ...]:
    """`# set`."""
    return (ast.Cardinality(parts[1], at),)


def element(_s: str, at: int, parts: Any) -> tuple[ast.Item, ...]:
    """`@( set , expression )`."""
    labels, index = _nodes(parts)
    return (*index.code, ast.Element(labels, at))


def operator(_s: str, at: int, parts: Any) -> ast.Operator:
    """Build a binary operator."""
    return ast.Operator(parts[0], 2, at)


def signed(_s: str, at: int, parts: Any) -> tuple[ast.Item, ...]:
    """`- primary`: in postfix order, the operator comes last."""
    return (*parts[1], ast.Operator(parts[0], 1, at))


def expression(_s: str, at: int, parts: Any) -> ast.Expr:
    """`operand (operator operand)*` into postfix order, by operator strength."""
    if len(parts) == 1:
        return ast.Expr(parts[0], at)
    code: list[ast.Item] = list(parts[0])
    waiting: list[ast.Operator] = []
    flat = iter(parts[1:])
    for symbol, right in zip(flat, flat, strict=True):
        while waiting and STRENGTH[waiting[-1].symbol] >= STRENGTH[symbol.symbol]:
            code.append(waiting.pop())
        waiting.append(symbol)
        code.extend(right)
    code.extend(reversed(waiting))
    return ast.Expr(tuple(code), at)


def index(_s: str, at: int, parts: Any) -> ast.Index:
    """`[ … ]` with or without a variable."""
    tick()
    found = _nodes(parts)
    return ast.Index(found[0] if len(found) == 2 else None, found[-1], at)


# --- processes, composites ------------------------------------------------


def call(_s: str, at: int, parts: Any) -> ast.Call:
    """`Name (arguments) [index] …`."""
    tick()
    return ast.Call(parts[0], parts[1], tuple(parts[2:]), at)


def alternative(_s: str, at: int, parts: Any) -> ast.Alternative:
    """`when guard label -> … -> body`."""
    tick()
    guard, *labels, body = _nodes(parts)
    return ast.Alternative(guard, tuple(labels), body, at)


def cases(kind: Callable[..., Any]) -> Action:
    """Pair the conditions with their bodies; the `else` part comes last."""

    def action(_s: str, at: int, parts: Any) -> Any:
        *found, otherwise = _nodes(parts)
        flat = iter(found)
        return kind(tuple(zip(flat, flat, strict=True)), otherwise, at)

    return action


def local(_s: str, _at: int, parts: Any) -> ast.Local:
    """`Q @ [i:R] = body`."""
    title, indices, body = _nodes(parts)
    return ast.Local(title, parts[1] == "@", indices, body, title.pos)


def main_part(_s: str, _at: int, parts: Any) -> tuple[bool, Any]:
    """`@ = body`, what follows the name and the parameters."""
    return parts[0] == "@", _nodes(parts)[0]


def modifiers(_s: str, _at: int, parts: Any) -> frozenset[str]:
    """`deterministic minimal compose property`."""
    return frozenset(parts[0].split())


def definition(_s: str, _at: int, parts: Any) -> ast.Process | ast.Composite:
    """Build a composite, or a process; its main local process comes first."""
    marks, title, parameters, *rest = _nodes(parts)
    parameters = parameters or ()
    if parts[1] == "||":
        body, priority, hiding = rest
        return ast.Composite(
            title, marks, parameters, body, priority, hiding, title.pos
        )
    main, *others, extension, relabels, hide = rest
    first = ast.Local(title, main[0], (), main[1], title.pos)
    locals_ = (first, *others)
    return ast.Process(
        title, marks, parameters, locals_, extension, relabels or (), hide, title.pos
    )


def prefixes(_s: str, _at: int, parts: Any) -> tuple[Any, Any]:
    """`share ::`, `prefix :` or both."""
    if len(parts) == 4:
        return parts[0], parts[2]
    return (parts[0], None) if parts[1] == "::" else (None, parts[0])


def member(_s: str, at: int, parts: Any) -> ast.Member:
    """`prefixes (call or group) / relabels`."""
    before, target, relabels = _nodes(parts)
    share, prefix = before or (None, None)
    return ast.Member(share, prefix, target, relabels or (), at)


# --- declarations without effect, formulas --------------------------------


def progress(_s: str, _at: int, parts: Any) -> ast.Progress:
    """`progress P[i:R] = if labels then labels`."""
    title, indices, *labels = _nodes(parts)
    condition = labels[0] if len(labels) == 2 else None
    return ast.Progress(title, indices, condition, labels[-1], title.pos)


def animation(_s: str, _at: int, parts: Any) -> ast.Animation:
    """`animation A = "file" …`."""
    title = parts[1]
    return ast.Animation(title, title.pos)


def import_def(_s: str, _at: int, parts: Any) -> ast.Import:
    """`import P = "file.aut"`."""
    title, file = parts[1], parts[3][1:-1]
    return ast.Import(title, file, title.pos)


def temporal(_s: str, at: int, parts: Any) -> ast.Formula:
    """Build a temporal operator before it has operands."""
    return ast.Formula(spelled(parts[0]), (), tuple(_nodes(parts)), at)


def formula_unary(_s: str, _at: int, parts: Any) -> ast.Formula | ast.Atom:
    """Apply a row of prefix operators to what follows, from the inside out."""
    *prefix, inner = _nodes(parts)
    for sign in reversed(prefix):
        inner = ast.Formula(sign.operator, (inner,), sign.indices, sign.pos)
    formula: ast.Formula | ast.Atom = inner
    return formula


def formula_binary(_s: str, _at: int, parts: Any) -> ast.Formula | ast.Atom:
    """Apply one binary operator, or a row of equal ones, to its operands."""
    first, *rest = _nodes(parts)
    if not rest:
        lone: ast.Formula | ast.Atom = first
        return lone
    sign = rest[0]
    return ast.Formula(sign.operator, (first, *rest[1::2]), (), sign.pos)


def assert_def(_s: str, _at: int, parts: Any) -> ast.Assert:
    """`assert A(params) = formula + set`."""
    title, parameters, formula, extension = _nodes(parts)
    return ast.Assert(title, parameters or (), formula, extension, title.pos)
