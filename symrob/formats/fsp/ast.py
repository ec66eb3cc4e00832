"""Abstract syntax of FSP: what the grammar delivers and all else reads.

In:  nothing.
Out: frozen node classes. `pos` is always the offset of the word at which a
     diagnostic about the node should point.

Most nodes have the fields that their rule in fsp.ebnf delivers, in that order. Long
chains (`a -> b -> …`, `1 + 1 + …`, `if … else if …`) are kept flat, so that only real
nesting, which is bounded, makes deep trees.
"""

from __future__ import annotations

from typing import Any

from symrob.formats.fsp.node import Node


class Name(Node):
    """An identifier: a part of a label, or what a definition is called."""

    text: str


# --- expressions ----------------------------------------------------------


class Number(Node):
    """A number."""

    value: int


class Constant(Node):
    """A constant or parameter, by name."""

    name: str


class Variable(Node):
    """A variable that a label or an index binds."""

    name: str


class Quote(Node):
    """A label as a value: `'red`."""

    label: Label


class Cardinality(Node):
    """`#{…}`, the number of labels of a set."""

    labels: SetExpr


class Element(Node):
    """`@(set, e)`: takes an index from the stack, gives that label of the set."""

    labels: SetExpr


class Operator(Node):
    """An operator with one or two operands, taken from the stack."""

    symbol: str
    arity: int


Item = Number | Constant | Variable | Quote | Cardinality | Element | Operator


class Expr(Node):
    """An expression in postfix order: operands before their operator."""

    code: tuple[Item, ...]


# --- labels ---------------------------------------------------------------


class Range(Node):
    """`low..high`."""

    low: Expr
    high: Expr


class RangeName(Node):
    """A range declared before."""

    name: str


class SetLiteral(Node):
    """`{label, …}`."""

    labels: tuple[Label, ...]


class SetName(Node):
    """A set declared before."""

    name: str


class Difference(Node):
    r"""`left \ right`."""

    left: SetExpr
    right: SetExpr


SetExpr = SetLiteral | SetName | Difference
Domain = Expr | Range | RangeName | SetLiteral | SetName


class Index(Node):
    """`[…]`: an expression, or a domain, with a variable or without."""

    variable: Name | None
    domain: Domain


Part = Name | SetExpr | Index


class Label(Node):
    """A label; it stands for one action name or for many."""

    parts: tuple[Part, ...]


# A definition by the kind of its node and its name.
Key = tuple[str, str]


class Declaration(Node):
    """What a text is a row of; `pos` is that of its name."""

    name: Name

    @property
    def key(self) -> Key:
        """Its kind and its name."""
        return type(self).__name__, self.name.text


Declarations = tuple[Declaration, ...]


# --- processes ------------------------------------------------------------


class Call(Node):
    """A reference to a process or local process, with arguments or indices."""

    name: Name
    arguments: tuple[Expr, ...]
    indices: tuple[Index, ...]


class Sequence(Node):
    """`A; B(2); Q[i]`; with one call, a plain reference to a local process."""

    calls: tuple[Call, ...]


class Alternative(Node):
    """`when guard label -> label -> … -> body`."""

    guard: Expr | None
    labels: tuple[Label, ...]
    body: Body


class Choice(Node):
    """`( alternative | … )`."""

    alternatives: tuple[Alternative, ...]


class If(Node):
    """`if e then … else if e then … else …`, also among composites."""

    cases: tuple[tuple[Expr, Any], ...]
    otherwise: Any


Body = Sequence | Choice | If


class Local(Node):
    """`Q[i:R] = body`; `accepting` for `Q@ = body`."""

    name: Name
    accepting: bool
    indices: tuple[Index, ...]
    body: Body


class Relabel(Node):
    """`new/old`."""

    new: Label
    old: Label


class RelabelForall(Node):
    """`forall [i:R] { … }` among relabels."""

    indices: tuple[Index, ...]
    relabels: tuple[Relabelling, ...]


Relabelling = Relabel | RelabelForall


class Hiding(Node):
    r"""`\ set` or `@ set`; `sign` tells which."""

    sign: str
    labels: SetExpr


class Parameter(Node):
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


class Forall(Node):
    """`forall [i:R] body`."""

    indices: tuple[Index, ...]
    body: CompositeBody


class Member(Node):
    """`share :: prefix : (process or group) / {relabels}`.

    Attributes:
        target: A call of a process, or the members of a group in brackets.
    """

    share: Label | None
    prefix: Label | None
    target: Call | tuple[CompositeBody, ...]
    relabels: tuple[Relabelling, ...]


CompositeBody = Forall | If | Member


class Priority(Node):
    """`<< set` (high) or `>> set` (low); `sign` tells which."""

    sign: str
    labels: SetExpr


class Composite(Declaration):
    r"""`||C(N=e) = body << set \ set`."""

    modifiers: frozenset[str]
    parameters: tuple[Parameter, ...]
    body: CompositeBody
    priority: Priority | None
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


class Progress(Declaration):
    """`progress P[i:R] = labels`, or `= if condition then labels`."""

    indices: tuple[Index, ...]
    condition: Label | None
    labels: Label


class Menu(Declaration):
    """`menu M = labels`."""

    labels: Label


class Animation(Declaration):
    """`animation A = "file" …`; read, and without meaning here."""


class Import(Declaration):
    """`import P = "file.aut"`."""

    file: str


class Fluent(Declaration):
    """`fluent F[i:R] = <labels, labels> initially e`."""

    indices: tuple[Index, ...]
    initiating: Label
    terminating: Label
    initially: Expr | None


class Atom(Node):
    """A label, fluent, assertion or `rigid` expression in a formula."""

    value: Label | Call | Expr


class Formula(Node):
    """A temporal operator with its operands; quantifiers carry indices."""

    operator: str
    operands: tuple[Formula | Atom, ...]
    indices: tuple[Index, ...]


class Assert(Declaration):
    """`assert A(params) = formula + set`."""

    parameters: tuple[Parameter, ...]
    formula: Formula | Atom
    extension: SetExpr | None


class Foreign(Declaration):
    """A declaration that FSP does not have, such as `controllerSpec G = {…}`.

    Attributes:
        word: The word that begins it.
        mentions: The upper-case names in it, whatever they are.
    """

    word: str
    mentions: frozenset[str]
