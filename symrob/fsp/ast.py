"""Abstract syntax of FSP: what the grammar delivers and all else reads.

In:  nothing.
Out: frozen node classes. `pos` is always the number of the token at which a
     diagnostic about the node should point.

Long chains (`a -> b -> …`, `1 + 1 + …`, `if … else if …`) are kept flat, so
that only real nesting, which is bounded, makes deep trees.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Name:
    """An identifier: a part of a label, or what a definition is called."""

    text: str
    pos: int


# --- expressions ----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Number:
    """A number."""

    value: int
    pos: int


@dataclass(frozen=True, slots=True)
class Constant:
    """A constant or parameter, by name."""

    name: str
    pos: int


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable that a label or an index binds."""

    name: str
    pos: int


@dataclass(frozen=True, slots=True)
class Quote:
    """A label as a value: `'red`."""

    label: Label
    pos: int


@dataclass(frozen=True, slots=True)
class Cardinality:
    """`#{…}`, the number of labels of a set."""

    labels: SetExpr
    pos: int


@dataclass(frozen=True, slots=True)
class Element:
    """`@(set, e)`: takes an index from the stack, gives that label of the set."""

    labels: SetExpr
    pos: int


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator with one or two operands, taken from the stack."""

    symbol: str
    arity: int
    pos: int


Item = Number | Constant | Variable | Quote | Cardinality | Element | Operator


@dataclass(frozen=True, slots=True)
class Expr:
    """An expression in postfix order: operands before their operator."""

    code: tuple[Item, ...]
    pos: int


# --- labels ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Range:
    """`low..high`."""

    low: Expr
    high: Expr
    pos: int


@dataclass(frozen=True, slots=True)
class RangeName:
    """A range declared before."""

    name: str
    pos: int


@dataclass(frozen=True, slots=True)
class SetLiteral:
    """`{label, …}`."""

    labels: tuple[Label, ...]
    pos: int


@dataclass(frozen=True, slots=True)
class SetName:
    """A set declared before."""

    name: str
    pos: int


@dataclass(frozen=True, slots=True)
class Difference:
    r"""`left \ right`."""

    left: SetExpr
    right: SetExpr
    pos: int


SetExpr = SetLiteral | SetName | Difference
Domain = Expr | Range | RangeName | SetLiteral | SetName


@dataclass(frozen=True, slots=True)
class Index:
    """`[…]`: an expression, or a domain, with a variable or without."""

    variable: Name | None
    domain: Domain
    pos: int


Part = Name | SetExpr | Index


@dataclass(frozen=True, slots=True)
class Label:
    """A label; it stands for one action name or for many."""

    parts: tuple[Part, ...]
    pos: int


# --- processes ------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Call:
    """A reference to a process or local process, with arguments or indices."""

    name: Name
    arguments: tuple[Expr, ...] | None
    indices: tuple[Index, ...]
    pos: int


@dataclass(frozen=True, slots=True)
class Sequence:
    """`A; B(2); Q[i]`; with one call, a plain reference to a local process."""

    calls: tuple[Call, ...]
    pos: int


@dataclass(frozen=True, slots=True)
class Alternative:
    """`when guard label -> label -> … -> body`."""

    guard: Expr | None
    labels: tuple[Label, ...]
    body: Body
    pos: int


@dataclass(frozen=True, slots=True)
class Choice:
    """`( alternative | … )`."""

    alternatives: tuple[Alternative, ...]
    pos: int


@dataclass(frozen=True, slots=True)
class If:
    """`if e then … else if e then … else …`; a missing `else` is STOP."""

    cases: tuple[tuple[Expr, Body], ...]
    otherwise: Body | None
    pos: int


Body = Sequence | Choice | If


@dataclass(frozen=True, slots=True)
class Local:
    """`Q[i:R] = body`; `accepting` for `Q@ = body`."""

    name: Name
    accepting: bool
    indices: tuple[Index, ...]
    body: Body
    pos: int


@dataclass(frozen=True, slots=True)
class Relabel:
    """`new/old`."""

    new: Label
    old: Label
    pos: int


@dataclass(frozen=True, slots=True)
class RelabelForall:
    """`forall [i:R] { … }` among relabels."""

    indices: tuple[Index, ...]
    relabels: tuple[Relabelling, ...]
    pos: int


Relabelling = Relabel | RelabelForall


@dataclass(frozen=True, slots=True)
class Hiding:
    r"""`\ set`, or `@ set` when `keep` is true."""

    keep: bool
    labels: SetExpr
    pos: int


@dataclass(frozen=True, slots=True)
class Parameter:
    """`N = default`."""

    name: Name
    default: Expr
    pos: int


@dataclass(frozen=True, slots=True)
class Process:
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


@dataclass(frozen=True, slots=True)
class Forall:
    """`forall [i:R] body`."""

    indices: tuple[Index, ...]
    body: CompositeBody
    pos: int


@dataclass(frozen=True, slots=True)
class CompositeIf:
    """`if e then body else body` among composites."""

    cases: tuple[tuple[Expr, CompositeBody], ...]
    otherwise: CompositeBody | None
    pos: int


@dataclass(frozen=True, slots=True)
class Member:
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


@dataclass(frozen=True, slots=True)
class Priority:
    """`<< set` (high) or `>> set` (low)."""

    high: bool
    labels: SetExpr
    pos: int


@dataclass(frozen=True, slots=True)
class Composite:
    r"""`||C(N=e) = body << set \ set`."""

    name: Name
    modifiers: frozenset[str]
    parameters: tuple[Parameter, ...]
    body: CompositeBody
    priority: Priority | None
    hiding: Hiding | None
    pos: int


# --- other declarations ---------------------------------------------------


@dataclass(frozen=True, slots=True)
class ConstDef:
    """`const N = e`."""

    name: Name
    value: Expr
    pos: int


@dataclass(frozen=True, slots=True)
class RangeDef:
    """`range R = low..high`."""

    name: Name
    low: Expr
    high: Expr
    pos: int


@dataclass(frozen=True, slots=True)
class SetDef:
    """`set S = {…}`."""

    name: Name
    labels: SetExpr
    pos: int


@dataclass(frozen=True, slots=True)
class Progress:
    """`progress P[i:R] = labels`, or `= if condition then labels`."""

    name: Name
    indices: tuple[Index, ...]
    condition: Label | None
    labels: Label
    pos: int


@dataclass(frozen=True, slots=True)
class Menu:
    """`menu M = labels`."""

    name: Name
    labels: Label
    pos: int


@dataclass(frozen=True, slots=True)
class Animation:
    """`animation A = "file" …`; read, and without meaning here."""

    name: Name
    pos: int


@dataclass(frozen=True, slots=True)
class Import:
    """`import P = "file.aut"`."""

    name: Name
    file: str
    pos: int


@dataclass(frozen=True, slots=True)
class Fluent:
    """`fluent F[i:R] = <labels, labels> initially e`."""

    name: Name
    indices: tuple[Index, ...]
    initiating: Label
    terminating: Label
    initially: Expr | None
    pos: int


@dataclass(frozen=True, slots=True)
class Atom:
    """A label, fluent, assertion or `rigid` expression in a formula."""

    value: Label | Call | Expr
    pos: int


@dataclass(frozen=True, slots=True)
class Formula:
    """A temporal operator with its operands; quantifiers carry indices."""

    operator: str
    operands: tuple[Formula | Atom, ...]
    indices: tuple[Index, ...]
    pos: int


@dataclass(frozen=True, slots=True)
class Assert:
    """`assert A(params) = formula + set`, or a `constraint`."""

    name: Name
    constraint: bool
    parameters: tuple[Parameter, ...]
    formula: Formula | Atom
    extension: SetExpr | None
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
)


@dataclass(frozen=True)
class Description:
    """A whole text: its declarations in the order in which they stand."""

    declarations: tuple[Declaration, ...] = field(default=())
