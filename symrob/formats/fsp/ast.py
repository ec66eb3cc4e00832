"""The abstract syntax of FSP, which the grammar builds and all other modules read.

In:  nothing.
Out: node classes. `pos` is the offset of the word to which a diagnostic about the node
     points.

Most nodes have the fields of their rule in fsp.ebnf, in that order. Long chains
(`a -> b -> …`, `1 + 1 + …`, `if … else if …`) are flat, so the depth of a tree is that
of its brackets, which is bounded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar, dataclass_transform


@dataclass_transform()
class _Positional:
    """What is made of its values, given by position, those of the base first.

    There are so many kinds of nodes that `@dataclass`, which compiles methods for each
    class, would cost each start 2.5 ms.
    """

    __match_args__: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        own = vars(cls).get("__annotations__", ())
        type.__setattr__(cls, "__match_args__", (*cls.__match_args__, *own))

    def __init__(self, *values: Any) -> None:
        self.__dict__.update(zip(self.__match_args__, values, strict=True))


class SyntaxNode(_Positional):
    """A node, with its place for diagnostics."""

    pos: int

    def children(self) -> Iterator[SyntaxNode]:
        """Yield the child nodes, in the order of the fields."""
        return _nodes_in(self.__dict__.values())


def _nodes_in(values: Iterable[object]) -> Iterator[SyntaxNode]:
    for value in values:
        if isinstance(value, SyntaxNode):
            yield value
        elif isinstance(value, tuple):
            yield from _nodes_in(value)


class Name(SyntaxNode):
    """An identifier: a part of a label, or the name of a definition."""

    text: str


# --- expressions ----------------------------------------------------------


class Number(SyntaxNode):
    """A number."""

    value: int


class Constant(SyntaxNode):
    """A constant or parameter, by name."""

    name: str


class Variable(SyntaxNode):
    """A variable that a label or an index binds."""

    name: str


class Quote(SyntaxNode):
    """A label as a value: `'red`."""

    label: Label


class Cardinality(SyntaxNode):
    """`#{…}`, the number of labels of a set."""

    labels: SetExpr


class SetItem(SyntaxNode):
    """`@(set, e)`: the label of the set with the index on top of the stack."""

    labels: SetExpr


class Operator(SyntaxNode):
    """An operator with one or two operands, taken from the stack."""

    symbol: str
    arity: int


Item = Number | Constant | Variable | Quote | Cardinality | SetItem | Operator


class Expr(SyntaxNode):
    """An expression in postfix order: operands before their operator."""

    code: tuple[Item, ...]


# --- labels ---------------------------------------------------------------


class Range(SyntaxNode):
    """`low..high`."""

    low: Expr
    high: Expr


class RangeName(SyntaxNode):
    """The name of a declared range."""

    name: str


class SetLiteral(SyntaxNode):
    """`{label, …}`."""

    labels: tuple[Label, ...]


class SetName(SyntaxNode):
    """The name of a declared set."""

    name: str


class Difference(SyntaxNode):
    r"""`left \ right`."""

    left: SetExpr
    right: SetExpr


SetExpr = SetLiteral | SetName | Difference
Domain = Expr | Range | RangeName | SetLiteral | SetName


class Index(SyntaxNode):
    """`[…]`: an expression, or a domain, optionally with a variable."""

    variable: Name | None
    domain: Domain


Part = Name | SetExpr | Index


class Label(SyntaxNode):
    """A label; it denotes one or more action names."""

    parts: tuple[Part, ...]


# A definition by the kind of its node and its name.
Key = tuple[str, str]


class Declaration(SyntaxNode):
    """A declaration; `pos` is that of its name."""

    name: Name

    @property
    def key(self) -> Key:
        """Its kind and its name."""
        return type(self).__name__, self.name.text


Declarations = tuple[Declaration, ...]


# --- processes ------------------------------------------------------------


class Call(SyntaxNode):
    """A reference to a process or local process, with arguments or indices."""

    name: Name
    arguments: tuple[Expr, ...]
    indices: tuple[Index, ...]


class Sequence(SyntaxNode):
    """`A; B(2); Q[i]`; with one call, a plain reference to a local process."""

    calls: tuple[Call, ...]


class Alternative(SyntaxNode):
    """`when guard label -> label -> … -> body`."""

    guard: Expr | None
    labels: tuple[Label, ...]
    body: Body


class Alternatives(SyntaxNode):
    """`( alternative | … )`."""

    alternatives: tuple[Alternative, ...]


class If(SyntaxNode):
    """`if e then … else if e then … else …`, also among composites."""

    cases: tuple[tuple[Expr, Any], ...]
    otherwise: Any


Body = Sequence | Alternatives | If


class Local(SyntaxNode):
    """`Q[i:R] = body`; `accepting` for `Q@ = body`."""

    name: Name
    accepting: bool
    indices: tuple[Index, ...]
    body: Body


class Relabel(SyntaxNode):
    """`new/old`."""

    new: Label
    old: Label


class RelabelForall(SyntaxNode):
    """`forall [i:R] { … }` among relabels."""

    indices: tuple[Index, ...]
    relabels: tuple[Relabelling, ...]


Relabelling = Relabel | RelabelForall


class Hiding(SyntaxNode):
    r"""`\ set` or `@ set`, according to `sign`."""

    sign: str
    labels: SetExpr


class Parameter(SyntaxNode):
    """`N = default`."""

    name: Name
    default: Expr


class Process(Declaration):
    """A primitive process; its first local process has its name."""

    modifiers: frozenset[str]
    parameters: tuple[Parameter, ...]
    locals: tuple[Local, ...]
    extension: SetExpr | None
    relabels: tuple[Relabelling, ...]
    hiding: Hiding | None


# --- composites -----------------------------------------------------------


class Forall(SyntaxNode):
    """`forall [i:R] body`."""

    indices: tuple[Index, ...]
    body: CompositeBody


class Member(SyntaxNode):
    """`share :: prefix : (process or group) / {relabels}`.

    Attributes:
        target: A call of a process, or the members of a group in brackets.
    """

    share: Label | None
    prefix: Label | None
    target: Call | tuple[CompositeBody, ...]
    relabels: tuple[Relabelling, ...]


CompositeBody = Forall | If | Member


class PrioritySuffix(SyntaxNode):
    """`<< set` (high) or `>> set` (low), according to `sign`."""

    sign: str
    labels: SetExpr


class Composite(Declaration):
    r"""`||C(N=e) = body << set \ set`."""

    modifiers: frozenset[str]
    parameters: tuple[Parameter, ...]
    body: CompositeBody
    priority: PrioritySuffix | None
    hiding: Hiding | None


# --- other declarations ---------------------------------------------------


class ConstDef(Declaration):
    """`const N = e`."""

    value: Expr


class RangeDef(Declaration):
    """`range R = low..high`."""

    low: Expr
    high: Expr


class SetDef(Declaration):
    """`set S = {…}`."""

    labels: SetExpr


class ProgressDef(Declaration):
    """`progress P[i:R] = labels`, or `= if condition then labels`."""

    indices: tuple[Index, ...]
    condition: Label | None
    labels: Label


class Menu(Declaration):
    """`menu M = labels`."""

    labels: Label


class Animation(Declaration):
    """`animation A = "file" …`; parsed and ignored."""


class Import(Declaration):
    """`import P = "file.aut"`."""

    file: str


class FluentDef(Declaration):
    """`fluent F[i:R] = <labels, labels> initially e`."""

    indices: tuple[Index, ...]
    initiating: Label
    terminating: Label
    initially: Expr | None


class Atom(SyntaxNode):
    """A label, fluent, assertion or `rigid` expression in a formula."""

    value: Label | Call | Expr


class Temporal(SyntaxNode):
    """A temporal operator with its operands; quantifiers have indices."""

    operator: str
    operands: tuple[Temporal | Atom, ...]
    indices: tuple[Index, ...]


class Assert(Declaration):
    """`assert A(params) = formula + set`."""

    parameters: tuple[Parameter, ...]
    formula: Temporal | Atom
    extension: SetExpr | None


class Foreign(Declaration):
    """A declaration that is not FSP, such as `controllerSpec G = {…}`.

    Attributes:
        word: Its first word.
        mentions: The upper-case names in it.
    """

    word: str
    mentions: frozenset[str]
