"""Abstract syntax of what declarations are made of: names, expressions and labels.

In:  nothing.
Out: frozen node classes, which `ast` has too; `pos` is as there.
"""

from __future__ import annotations

from symrob.formats.fsp.node import Node


class Name(Node):
    """An identifier: a part of a label, or what a definition is called."""

    text: str
    pos: int


# --- expressions ----------------------------------------------------------


class Number(Node):
    """A number."""

    value: int
    pos: int


class Constant(Node):
    """A constant or parameter, by name."""

    name: str
    pos: int


class Variable(Node):
    """A variable that a label or an index binds."""

    name: str
    pos: int


class Quote(Node):
    """A label as a value: `'red`."""

    label: Label
    pos: int


class Cardinality(Node):
    """`#{…}`, the number of labels of a set."""

    labels: SetExpr
    pos: int


class Element(Node):
    """`@(set, e)`: takes an index from the stack, gives that label of the set."""

    labels: SetExpr
    pos: int


class Operator(Node):
    """An operator with one or two operands, taken from the stack."""

    symbol: str
    arity: int
    pos: int


Item = Number | Constant | Variable | Quote | Cardinality | Element | Operator


class Expr(Node):
    """An expression in postfix order: operands before their operator."""

    code: tuple[Item, ...]
    pos: int


# --- labels ---------------------------------------------------------------


class Range(Node):
    """`low..high`."""

    low: Expr
    high: Expr
    pos: int


class RangeName(Node):
    """A range declared before."""

    name: str
    pos: int


class SetLiteral(Node):
    """`{label, …}`."""

    labels: tuple[Label, ...]
    pos: int


class SetName(Node):
    """A set declared before."""

    name: str
    pos: int


class Difference(Node):
    r"""`left \ right`."""

    left: SetExpr
    right: SetExpr
    pos: int


SetExpr = SetLiteral | SetName | Difference
Domain = Expr | Range | RangeName | SetLiteral | SetName


class Index(Node):
    """`[…]`: an expression, or a domain, with a variable or without."""

    variable: Name | None
    domain: Domain
    pos: int


Part = Name | SetExpr | Index


class Label(Node):
    """A label; it stands for one action name or for many."""

    parts: tuple[Part, ...]
    pos: int
