"""Expressions to values, labels to action names.

In:  expressions, labels, sets and ranges of the syntax tree; a `Scope` with
     the constants, ranges and sets; the variables bound so far.
Out: values (32-bit integers, or labels as strings) and action names.

Action names are written as LTSA prints them: `a[1]` is the action `a.1`.
Everything that can be wrong with a value raises a `Fault`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import NamedTuple

from symrob.formats.fsp import ast
from symrob.formats.fsp.source import Fault, did_you_mean, keep_limit
from symrob.limits import DEFAULT_LIMITS, Limits, watched

Value = int | str
Variables = Mapping[str, Value]

NOTHING: Variables = {}
NOWHERE: Mapping[str, int] = {}


class Scope(NamedTuple):
    """What upper-case names stand for.

    Attributes:
        constants: Values of constants and, inside a process, of parameters.
        ranges: Lower and upper bound of each range.
        sets: Labels of each set.
        limits: Bounds on expansion.
        places: Where each range is declared, to blame it there if it is empty.
    """

    constants: Mapping[str, Value]
    ranges: Mapping[str, tuple[int, int]]
    sets: Mapping[str, tuple[str, ...]]
    limits: Limits = DEFAULT_LIMITS
    places: Mapping[str, int] = NOWHERE

    def with_constants(self, parameters: Mapping[str, Value]) -> Scope:
        """Return this scope with parameters hiding the constants."""
        if not parameters:
            return self
        return self._replace(constants={**self.constants, **parameters})


# --- expressions ----------------------------------------------------------


def wrap(value: int) -> int:
    """Return `value` as a 32-bit two's complement integer."""
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


def evaluate(expr: ast.Expr, scope: Scope, variables: Variables) -> Value:
    """Return the value of an expression.

    Raises:
        Fault: An unknown name, a division by zero, arithmetic on labels.

    Cost: linear in the expression, apart from the sets it names.
    """
    stack: list[Value] = []
    for item in expr.code:
        kind = type(item)
        if kind is ast.Number:
            stack.append(item.value)  # type: ignore[union-attr]
        elif kind is ast.Operator:
            _apply(item, stack)  # type: ignore[arg-type]
        else:
            _push(item, stack, scope, variables)
    return stack[0]


def _push(
    item: ast.Item, stack: list[Value], scope: Scope, variables: Variables
) -> None:
    match item:
        case ast.Variable(pos, name):
            if name not in variables:
                raise undefined("variable", name, pos, variables)
            stack.append(variables[name])
        case ast.Constant(pos, name):
            if name not in scope.constants:
                raise undefined("constant", name, pos, scope.constants)
            stack.append(scope.constants[name])
        case ast.Quote(pos, label):
            found = label_names(label, scope, variables)
            if len(found) != 1:
                message = f"a label as a value must be one label, not {len(found)}"
                raise Fault("fsp-label-value", message, pos)
            stack.append(found[0])
        case ast.Cardinality(_, labels):
            stack.append(len(set_names(labels, scope, variables)))
        case ast.Element(pos, labels):
            names = set_names(labels, scope, variables)
            index = stack.pop()
            # LTSA takes the last element for an index equal to the size.
            if not isinstance(index, int) or not 0 <= index <= len(names):
                message = f"the index {index} is not in 0..{len(names) - 1}"
                raise Fault("fsp-element", message, pos)
            stack.append(names[min(index, len(names) - 1)])
        case _:
            raise AssertionError(item)


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
        raise Fault("fsp-division", "division by zero", operator.pos)
    stack.append(wrap(int(_BINARY[symbol](x, y))))


def _integer(value: Value, operator: ast.Operator) -> int:
    if isinstance(value, int):
        return value
    message = f"'{operator.symbol}' needs numbers, and '{value}' is a label"
    hint = "labels can only be compared by == and !="
    raise Fault("fsp-label-arithmetic", message, operator.pos, hint)


def integer(expr: ast.Expr, scope: Scope, variables: Variables) -> int:
    """Return the value of an expression that must be a number."""
    value = evaluate(expr, scope, variables)
    if isinstance(value, str):
        message = f"a number is needed here, and '{value}' is a label"
        raise Fault("fsp-label-arithmetic", message, expr.pos)
    return value


def undefined(what: str, name: str, pos: int, known: Mapping[str, object]) -> Fault:
    """Return the fault of a name that nothing defines."""
    hint = did_you_mean(name, known)
    return Fault(f"fsp-undefined-{what}", f"{what} '{name}' is not defined", pos, hint)


# --- ranges, sets, labels -------------------------------------------------


def bounds(
    domain: ast.Range | ast.RangeName, scope: Scope, variables: Variables
) -> tuple[int, int]:
    """Return the bounds of a range, checked to be in order.

    Raises:
        Fault: The range is unknown or reversed.
    """
    pos = domain.pos
    if isinstance(domain, ast.RangeName):
        if domain.name not in scope.ranges:
            raise undefined("range", domain.name, domain.pos, scope.ranges)
        low, high = scope.ranges[domain.name]
        pos = scope.places.get(domain.name, pos)
    else:
        low = integer(domain.low, scope, variables)
        high = integer(domain.high, scope, variables)
    if low > high:
        message = f"the range {low}..{high} is empty: its lower bound is the larger one"
        raise Fault("fsp-empty-range", message, pos)
    return low, high


def domain_values(
    domain: ast.Domain, scope: Scope, variables: Variables
) -> Sequence[Value]:
    """Return what an index can be; a lone expression gives one value.

    Raises:
        Fault: Something in it is undefined, or a range is reversed.
        LimitFault: There are more values than `max_expansion`.
    """
    if isinstance(domain, ast.Expr):
        return (evaluate(domain, scope, variables),)
    if isinstance(domain, ast.Range | ast.RangeName):
        low, high = bounds(domain, scope, variables)
        check_expansion(high - low + 1, domain.pos, scope)
        return range(low, high + 1)
    return set_names(domain, scope, variables)


def check_expansion(size: int, pos: int, scope: Scope) -> None:
    """Refuse an expansion that is larger than the limit.

    Raises:
        LimitFault: `size` exceeds `max_expansion`.
    """
    message = f"this stands for {size} values, more than the limit of {{}}"
    keep_limit(scope.limits, "max_expansion", size, pos, message)


def set_names(
    labels: ast.SetExpr, scope: Scope, variables: Variables
) -> tuple[str, ...]:
    """Return the labels of a set, in order, each once.

    Raises:
        Fault: Something in it is undefined, or it is empty.
        LimitFault: It has more labels than `max_expansion`.
    """
    if isinstance(labels, ast.SetName):
        if labels.name not in scope.sets:
            raise undefined("set", labels.name, labels.pos, scope.sets)
        return scope.sets[labels.name]
    if isinstance(labels, ast.Difference):
        without = set(set_names(labels.right, scope, variables))
        left = set_names(labels.left, scope, variables)
        found = [name for name in left if name not in without]
    else:
        found = []
        for label in labels.labels:
            found += label_names(label, scope, variables)
            check_expansion(len(found), labels.pos, scope)
    if not found:
        raise Fault("fsp-empty-set", "this set is empty", labels.pos)
    return tuple(dict.fromkeys(found))


def label_names(label: ast.Label, scope: Scope, variables: Variables) -> list[str]:
    """Return the action names that a label stands for."""
    parts = label.parts
    if len(parts) == 1 and type(parts[0]) is ast.Name:
        return [parts[0].text]
    return [name for name, _bound in expand(label, scope, variables)]


def expand(
    label: ast.Label, scope: Scope, variables: Variables
) -> Iterator[tuple[str, Variables]]:
    """Yield each action name of a label with the variables as it binds them.

    All ranges and sets of the label are evaluated before any of its variables
    is bound; only lone expressions see the variables bound further left. The
    leftmost part varies slowest.

    Raises:
        Fault: Something in it is undefined.
        LimitFault: It stands for more names than `max_expansion`.

    Cost: linear in the number of names.
    """
    parts = label.parts
    choices: list[Sequence[Value] | None] = []
    binders: list[str | None] = []
    late: list[ast.Expr | None] = []
    size = 1
    for part in parts:
        expr = variable = None
        if type(part) is ast.Name:
            choice: Sequence[Value] = (part.text,)
        elif type(part) is ast.Index:
            variable = part.variable.text if part.variable else None
            if isinstance(part.domain, ast.Expr):
                expr, choice = part.domain, ("",)
            else:
                choice = domain_values(part.domain, scope, variables)
        else:
            choice = set_names(part, scope, variables)  # type: ignore[arg-type]
        size *= len(choice)
        choices.append(choice)
        binders.append(variable)
        late.append(expr)
    check_expansion(size, label.pos, scope)
    binds = any(binders)
    if not binds and not any(late):
        for values in watched(product(*choices)):  # type: ignore[arg-type]
            yield ".".join(map(str, values)), variables
        return
    for values in watched(product(*choices)):  # type: ignore[arg-type]
        bound = dict(variables) if binds else variables
        words = []
        for value, variable, expr in zip(values, binders, late, strict=True):
            if expr is not None:
                value = evaluate(expr, scope, bound)
            elif variable is not None:
                bound[variable] = value  # type: ignore[index]
            words.append(str(value))
        yield ".".join(words), bound


def bind(
    indices: Sequence[ast.Index], scope: Scope, variables: Variables
) -> Iterator[tuple[tuple[Value, ...], Variables]]:
    """Yield the values of a row of indices with the variables as they bind them.

    The domains are evaluated before any variable is bound.

    Raises:
        LimitFault: There are more combinations than `max_expansion`.
    """
    domains = [domain_values(index.domain, scope, variables) for index in indices]
    size = 1
    for domain in domains:
        size *= len(domain)
    if indices:
        check_expansion(size, indices[0].pos, scope)
    names = [index.variable.text if index.variable else None for index in indices]
    for values in product(*domains):
        bound = dict(variables)
        for name, value in zip(names, values, strict=True):
            if name is not None:
                bound[name] = value
        yield values, bound
