"""Evaluating expressions and labels.

In:  expressions, labels, sets and ranges of the syntax tree; a `Scope` with the
     constants, ranges and sets, and with the bound variables.
Out: values (32-bit integers, or labels as strings) and action names.

Action names are those of LTSA: `a[1]` is the action `a.1`. A wrong value raises an
`FspFault`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import Any

from symrob.formats.fsp import ast
from symrob.formats.fsp.tokens import FspFault, did_you_mean, keep_limit
from symrob.limits import Limits, watched

Value = int | str


def wrap(value: int) -> int:
    """Return `value` as a 32-bit two's complement integer, as in Java."""
    return (value + 0x8000_0000 & 0xFFFF_FFFF) - 0x8000_0000


def _divide(left: int, right: int) -> int:
    quotient = abs(left) // abs(right)
    return quotient if (left < 0) == (right < 0) else -quotient


_BINARY: dict[str, Callable[[int, int], int]] = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "/": _divide,
    "%": lambda x, y: x - y * _divide(x, y),
    "<<": lambda x, y: x << (y & 31),
    ">>": lambda x, y: x >> (y & 31),
    "<": lambda x, y: x < y,
    "<=": lambda x, y: x <= y,
    ">": lambda x, y: x > y,
    ">=": lambda x, y: x >= y,
    "==": lambda x, y: x == y,
    "!=": lambda x, y: x != y,
    "&": lambda x, y: x & y,
    "^": lambda x, y: x ^ y,
    "|": lambda x, y: x | y,
    "&&": lambda x, y: x != 0 and y != 0,
    "||": lambda x, y: x != 0 or y != 0,
}
# `!` asks for "greater than zero", not for "not zero": LTSA does so too.
_UNARY: dict[str, Callable[[int], int]] = {
    "+": lambda x: x,
    "-": lambda x: -x,
    "!": lambda x: not x > 0,
}


@dataclass(slots=True)
class Scope:
    """The meaning of names at a place.

    Attributes:
        constants: Values of constants and, inside a process, of parameters.
        ranges: Lower and upper bound of each range.
        sets: Labels of each set.
        limits: Bounds on expansion.
        places: The declaration of each range, for the message if it is empty.
        variables: Values of the bound variables.
    """

    constants: Mapping[str, Value]
    ranges: Mapping[str, tuple[int, int]]
    sets: Mapping[str, tuple[str, ...]]
    limits: Limits
    places: Mapping[str, int]
    variables: Mapping[str, Value]

    def with_constants(self, parameters: Mapping[str, Value]) -> Scope:
        """Return this scope with parameters that hide constants."""
        return replace(self, constants={**self.constants, **parameters})

    def evaluate(self, expr: ast.Expr) -> Value:
        """Return the value of an expression.

        Raises:
            FspFault: A name is unknown, a divisor is zero, or an operand is a label.

        Cost: linear in the expression, plus the size of its sets.
        """
        stack: list[Value] = []
        for item in expr.code:
            kind = type(item)
            if kind is ast.Number:
                stack.append(item.value)  # type: ignore[union-attr]
            elif kind is ast.Operator:
                _apply(item, stack)  # type: ignore[arg-type]
            else:
                self._push(item, stack)
        return stack[0]

    def _push(self, item: ast.Item, stack: list[Value]) -> None:
        match item:
            case ast.Variable(pos, name):
                stack.append(meaning("variable", name, pos, self.variables))
            case ast.Constant(pos, name):
                stack.append(meaning("constant", name, pos, self.constants))
            case ast.Quote(pos, label):
                found = self.label_names(label)
                if len(found) != 1:
                    message = f"expected one label as a value, not {len(found)} labels"
                    raise FspFault("fsp-label-value", message, pos)
                stack.append(found[0])
            case ast.Cardinality(_, labels):
                stack.append(len(self.set_names(labels)))
            case ast.SetItem(pos, labels):
                names = self.set_names(labels)
                index = stack.pop()
                # LTSA takes the last element for an index equal to the size.
                if not isinstance(index, int) or not 0 <= index <= len(names):
                    message = f"the index {index} is not in 0..{len(names) - 1}"
                    raise FspFault("fsp-element", message, pos)
                stack.append(names[min(index, len(names) - 1)])
            case _:
                raise AssertionError(item)

    def integer(self, expr: ast.Expr) -> int:
        """Return the value of an expression that must be a number."""
        value = self.evaluate(expr)
        if isinstance(value, str):
            message = f"expected a number, but '{value}' is a label"
            raise FspFault("fsp-label-arithmetic", message, expr.pos)
        return value

    def chosen_case(self, body: ast.If) -> Any:
        """Return the body of the first condition that holds, otherwise `None`."""
        for condition, then in body.cases:
            if self.integer(condition):
                return then
        return body.otherwise

    def domain_values(self, domain: ast.Domain) -> Sequence[Value]:
        """Return the values of an index; an expression has one.

        Raises:
            FspFault: A name is undefined, or a range is empty.
            LimitFault: There are more than `max_expansion` values.
        """
        pos = domain.pos
        if isinstance(domain, ast.Expr):
            return (self.evaluate(domain),)
        if isinstance(domain, ast.RangeName):
            low, high = meaning("range", domain.name, pos, self.ranges)
            pos = self.places.get(domain.name, pos)
        elif isinstance(domain, ast.Range):
            low, high = self.integer(domain.low), self.integer(domain.high)
        else:
            return self.set_names(domain)
        if low > high:
            shown = f"the range {low}..{high}"
            message = f"{shown} is empty: its lower bound is the larger one"
            raise FspFault("fsp-empty-range", message, pos)
        self.check_expansion(high - low + 1, domain.pos)
        return range(low, high + 1)

    def check_expansion(self, size: int, pos: int) -> None:
        """Raise `LimitFault` if an expansion is too large.

        Raises:
            LimitFault: `size` exceeds `max_expansion`.
        """
        message = f"this denotes {size} values, more than the limit of {{}}"
        keep_limit(self.limits, "max_expansion", size, pos, message)

    def set_names(self, labels: ast.SetExpr) -> tuple[str, ...]:
        """Return the labels of a set, in order, each once.

        Raises:
            FspFault: A name is undefined, or the set is empty.
            LimitFault: It has more than `max_expansion` labels.
        """
        if isinstance(labels, ast.SetName):
            named: tuple[str, ...] = meaning("set", labels.name, labels.pos, self.sets)
            return named
        if isinstance(labels, ast.Difference):
            without = set(self.set_names(labels.right))
            left = self.set_names(labels.left)
            found = [name for name in left if name not in without]
        else:
            found = []
            for label in labels.labels:
                found += self.label_names(label)
                self.check_expansion(len(found), labels.pos)
        if not found:
            raise FspFault("fsp-empty-set", "this set is empty", labels.pos)
        return tuple(dict.fromkeys(found))

    def label_names(self, label: ast.Label) -> list[str]:
        """Return the action names of a label."""
        parts = label.parts
        if len(parts) == 1 and type(parts[0]) is ast.Name:
            return [parts[0].text]
        return [name for name, _bound in self.expand(label)]

    def expand(self, label: ast.Label) -> Iterator[tuple[str, Scope]]:
        """Yield each action name of a label, and the scope with its variables.

        All ranges and sets of the label are evaluated before its variables are bound;
        only expressions see the variables bound further left. The leftmost part varies
        slowest.

        Raises:
            FspFault: A name is undefined.
            LimitFault: There are more than `max_expansion` names.

        Cost: linear in the number of action names.
        """
        for values, scope in self._combined(label.parts, label.pos, late=True):
            yield ".".join(map(str, values)), scope

    def bind(
        self, indices: Sequence[ast.Index]
    ) -> Iterator[tuple[tuple[Value, ...], Scope]]:
        """Yield the values of consecutive indices, and the scope with their variables.

        All domains are evaluated before the variables are bound.

        Raises:
            LimitFault: There are more than `max_expansion` combinations.
        """
        pos = indices[0].pos if indices else 0
        return self._combined(indices, pos, late=False)

    def _combined(
        self, parts: Sequence[ast.Part], pos: int, *, late: bool
    ) -> Iterator[tuple[tuple[Value, ...], Scope]]:
        """Yield all combinations; where `late`, lone expressions come last."""
        choices: list[Sequence[Value]] = []
        special: list[tuple[int, str | ast.Expr]] = []
        for place, part in enumerate(parts):
            if isinstance(part, ast.Name):
                choices.append((part.text,))
            elif not isinstance(part, ast.Index):
                choices.append(self.set_names(part))
            elif late and isinstance(part.domain, ast.Expr):
                choices.append(("",))
                special.append((place, part.domain))
            else:
                choices.append(self.domain_values(part.domain))
                if part.variable is not None:
                    special.append((place, part.variable.text))
        self.check_expansion(prod(map(len, choices)), pos)
        for values in watched(product(*choices)):
            if not special:
                yield values, self
                continue
            found, bound = list(values), dict(self.variables)
            rest = self.ranges, self.sets, self.limits, self.places
            scope = Scope(self.constants, *rest, bound)
            for place, what in special:
                if isinstance(what, str):
                    bound[what] = found[place]
                else:
                    found[place] = scope.evaluate(what)
            yield tuple(found), scope


def _apply(operator: ast.Operator, stack: list[Value]) -> None:
    symbol = operator.symbol
    right = stack.pop()
    if operator.arity == 1:
        stack.append(wrap(int(_UNARY[symbol](_integer(right, operator)))))
        return
    left = stack.pop()
    if symbol in ("==", "!=") and (isinstance(left, str) or isinstance(right, str)):
        stack.append(int((left == right) == (symbol == "==")))
        return
    x, y = _integer(left, operator), _integer(right, operator)
    if y == 0 and symbol in "/%":
        raise FspFault("fsp-division", "division by zero", operator.pos)
    stack.append(wrap(int(_BINARY[symbol](x, y))))


def _integer(value: Value, operator: ast.Operator) -> int:
    if isinstance(value, int):
        return value
    message = f"'{operator.symbol}' requires numbers, but '{value}' is a label"
    hint = "labels can only be compared with == and !="
    raise FspFault("fsp-label-arithmetic", message, operator.pos, hint)


def meaning(what: str, name: str, pos: int, known: Mapping[str, Any]) -> Any:
    """Return the meaning of a name.

    Raises:
        FspFault: It is undefined.
    """
    if name in known:
        return known[name]
    code, message = (
        f"fsp-undefined-{what.split()[0]}",
        f"{what} '{name}' is not defined",
    )
    raise FspFault(code, message, pos, did_you_mean(name, known))
