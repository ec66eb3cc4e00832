"""Abstract syntax of FSP: what the grammar delivers and all else reads.

In:  nothing.
Out: frozen node classes. `pos` is always the offset of the word at which a
     diagnostic about the node should point.

Long chains (`a -> b -> …`, `1 + 1 + …`, `if … else if …`) are kept flat, so
that only real nesting, which is bounded, makes deep trees.
"""

# ruff: noqa: I001
from __future__ import annotations

from symrob.formats.fsp.terms import (
    Cardinality as Cardinality,
    Constant as Constant,
    Difference as Difference,
    Domain as Domain,
    Element as Element,
    Expr as Expr,
    Index as Index,
    Item as Item,
    Label as Label,
    Name as Name,
    Number as Number,
    Operator as Operator,
    Part as Part,
    Quote as Quote,
    Range as Range,
    RangeName as RangeName,
    SetExpr as SetExpr,
    SetLiteral as SetLiteral,
    SetName as SetName,
    Variable as Variable,
)
from symrob.formats.fsp.node import Node

# --- processes ------------------------------------------------------------


class Call(Node):
    """A reference to a process or local process, with arguments or indices."""

    name: Name
    arguments: tuple[Expr, ...] | None
    indices: tuple[Index, ...]
    pos: int


class Sequence(Node):
    """`A; B(2); Q[i]`; with one call, a plain reference to a local process."""

    calls: tuple[Call, ...]
    pos: int


class Alternative(Node):
    """`when guard label -> label -> … -> body`."""

    guard: Expr | None
    labels: tuple[Label, ...]
    body: Body
    pos: int


class Choice(Node):
    """`( alternative | … )`."""

    alternatives: tuple[Alternative, ...]
    pos: int


class If(Node):
    """`if e then … else if e then … else …`; a missing `else` is STOP."""

    cases: tuple[tuple[Expr, Body], ...]
    otherwise: Body | None
    pos: int


Body = Sequence | Choice | If


class Local(Node):
    """`Q[i:R] = body`; `accepting` for `Q@ = body`."""

    name: Name
    accepting: bool
    indices: tuple[Index, ...]
    body: Body
    pos: int


class Relabel(Node):
    """`new/old`."""

    new: Label
    old: Label
    pos: int


class RelabelForall(Node):
    """`forall [i:R] { … }` among relabels."""

    indices: tuple[Index, ...]
    relabels: tuple[Relabelling, ...]
    pos: int


Relabelling = Relabel | RelabelForall


class Hiding(Node):
    r"""`\ set`, or `@ set` when `keep` is true."""

    keep: bool
    labels: SetExpr
    pos: int


class Parameter(Node):
    """`N = default`."""

    name: Name
    default: Expr
    pos: int


class Process(Node):
    """A primitive process; its first local process has its name."""

    name: Name
    modifiers: frozenset[str]
    parameters: tuple[Parameter, ...]
    locals: tuple[Local, ...]
    extension: SetExpr | None
    relabels: tuple[Relabelling, ...]
    hiding: Hiding | None
    pos: int


# --- composites -----------------------------------------------------------


class Forall(Node):
    """`forall [i:R] body`."""

    indices: tuple[Index, ...]
    body: CompositeBody
    pos: int


class CompositeIf(Node):
    """`if e then body else body` among composites."""

    cases: tuple[tuple[Expr, CompositeBody], ...]
    otherwise: CompositeBody | None
    pos: int


class Member(Node):
    """`share :: prefix : (process or group) / {relabels}`.

    Attributes:
        target: A call of a process, or the members of a group in brackets.
    """

    share: Label | None
    prefix: Label | None
    target: Call | tuple[CompositeBody, ...]
    relabels: tuple[Relabelling, ...]
    pos: int


CompositeBody = Forall | CompositeIf | Member


class Priority(Node):
    """`<< set` (high) or `>> set` (low)."""

    high: bool
    labels: SetExpr
    pos: int


class Composite(Node):
    r"""`||C(N=e) = body << set \ set`."""

    name: Name
    modifiers: frozenset[str]
    parameters: tuple[Parameter, ...]
    body: CompositeBody
    priority: Priority | None
    hiding: Hiding | None
    pos: int


# --- other declarations ---------------------------------------------------


class ConstDef(Node):
    """`const N = e`."""

    name: Name
    value: Expr
    pos: int


class RangeDef(Node):
    """`range R = low..high`."""

    name: Name
    low: Expr
    high: Expr
    pos: int


class SetDef(Node):
    """`set S = {…}`."""

    name: Name
    labels: SetExpr
    pos: int


class Progress(Node):
    """`progress P[i:R] = labels`, or `= if condition then labels`."""

    name: Name
    indices: tuple[Index, ...]
    condition: Label | None
    labels: Label
    pos: int


class Menu(Node):
    """`menu M = labels`."""

    name: Name
    labels: Label
    pos: int


class Animation(Node):
    """`animation A = "file" …`; read, and without meaning here."""

    name: Name
    pos: int


class Import(Node):
    """`import P = "file.aut"`."""

    name: Name
    file: str
    pos: int


class Fluent(Node):
    """`fluent F[i:R] = <labels, labels> initially e`."""

    name: Name
    indices: tuple[Index, ...]
    initiating: Label
    terminating: Label
    initially: Expr | None
    pos: int


class Atom(Node):
    """A label, fluent, assertion or `rigid` expression in a formula."""

    value: Label | Call | Expr
    pos: int


class Formula(Node):
    """A temporal operator with its operands; quantifiers carry indices."""

    operator: str
    operands: tuple[Formula | Atom, ...]
    indices: tuple[Index, ...]
    pos: int


class Assert(Node):
    """`assert A(params) = formula + set`."""

    name: Name
    parameters: tuple[Parameter, ...]
    formula: Formula | Atom
    extension: SetExpr | None
    pos: int


class Foreign(Node):
    """A declaration that FSP does not have, such as `controllerSpec G = {…}`.

    Attributes:
        word: The word that begins it.
        mentions: The upper-case names in it, whatever they are.
    """

    name: Name
    word: str
    mentions: frozenset[str]
    pos: int


Declaration = (
    ConstDef
    | RangeDef
    | SetDef
    | Process
    | Composite
    | Progress
    | Menu
    | Animation
    | Import
    | Fluent
    | Assert
    | Foreign
)


class Description(Node):
    """A whole text: its declarations in the order in which they stand."""

    declarations: tuple[Declaration, ...]
