"""Expressions of Supremica modules, evaluated on their elements; nothing is executed.

In:  an element, and the values of the names that stand in it.
Out: a number, a symbol (a text), a truth value, or the values of a range.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from operator import and_, eq, ge, gt, le, lt, mul, ne, or_, sub

from symrob.files.xmltext import Element

Value = int | str
Values = Mapping[str, Value]

_LARGEST = 1 << 62

_EXPRESSIONS = {
    *("IntConstant", "SimpleIdentifier", "IndexedIdentifier", "BinaryExpression"),
    *("UnaryExpression", "EnumSetExpression", "QualifiedIdentifier"),
    *("FunctionCallExpression",),
}


class NotRead(Exception):
    """An expression that is not read.

    Args:
        element: The part of it that is not.
        message: Why.
        bound: The bound that was hit, `max-expansion`, if that is why.
    """

    def __init__(self, element: Element, message: str, bound: str = "") -> None:
        super().__init__(message)
        self.element = element
        self.bound = bound


def _divide(a: int, b: int) -> int:
    # As in Java: towards zero.
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _remainder(a: int, b: int) -> int:
    return a - b * _divide(a, b)


_NUMBERS: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": sub,
    "*": mul,
    "/": _divide,
    "%": _remainder,
    "<": lambda a, b: int(lt(a, b)),
    "<=": lambda a, b: int(le(a, b)),
    ">": lambda a, b: int(gt(a, b)),
    ">=": lambda a, b: int(ge(a, b)),
}
_TRUTHS: dict[str, Callable[[bool, bool], bool]] = {"&": and_, "|": or_}


def expressions(element: Element) -> list[Element]:
    """Return the children of an element that are expressions."""
    return [child for child in element if child.tag in _EXPRESSIONS]


def identifiers(element: Element) -> Iterator[str]:
    """Yield the names that stand in an expression, not those in other automata."""
    if element.tag in ("SimpleIdentifier", "IndexedIdentifier"):
        yield element.get("Name")
    for child in () if element.tag == "QualifiedIdentifier" else element:
        yield from identifiers(child)


def evaluated(element: Element, values: Values) -> Value:
    """Return the value of an expression.

    Args:
        element: The expression.
        values: Of constants, loop variables and variables; other names are symbols.

    Raises:
        NotRead: It holds what is not read, or has no value.
    """
    tag, parts = element.tag, expressions(element)
    if tag == "IntConstant":
        return _number(element)
    if tag == "SimpleIdentifier":
        name = element.get("Name")
        return values.get(name, name)
    if tag == "UnaryExpression" and len(parts) == 1:
        return _unary(element, evaluated(parts[0], values))
    if tag == "BinaryExpression" and len(parts) == 2:
        left, right = (evaluated(part, values) for part in parts)
        return _binary(element, left, right)
    if tag in ("QualifiedIdentifier", "IndexedIdentifier"):
        raise NotRead(element, "parts of other automata and arrays are not read here")
    raise NotRead(element, f"'{tag}' is not read")


def _number(element: Element) -> int:
    text = element.get("Value")
    if not text.removeprefix("-").isdecimal() or len(text) > 18:
        raise NotRead(element, f"expected a whole number, not '{text:.30}'")
    return int(text)


def _unary(element: Element, value: Value) -> Value:
    sign = element.get("Operator")
    if sign == "-" and isinstance(value, int):
        return -value
    if sign == "!" and isinstance(value, int):
        return int(not value)
    if sign == "'":
        raise NotRead(element, "values of the next state are not read in guards")
    raise NotRead(element, f"the operator '{sign}' is not read")


def _binary(element: Element, left: Value, right: Value) -> Value:
    sign = element.get("Operator")
    if sign in ("==", "!="):
        return int((eq if sign == "==" else ne)(left, right))
    if not isinstance(left, int) or not isinstance(right, int):
        raise NotRead(element, f"'{sign}' is of numbers, not of '{left}' and '{right}'")
    if sign in _TRUTHS:
        return int(_TRUTHS[sign](bool(left), bool(right)))
    if sign in ("/", "%") and right == 0:
        raise NotRead(element, "a number is divided by zero")
    if sign in _NUMBERS:
        value = _NUMBERS[sign](left, right)
        if abs(value) > _LARGEST:
            raise NotRead(element, "a number is too large")
        return value
    raise NotRead(element, f"the operator '{sign}' is not read")


def range_of(element: Element, values: Values, most: int) -> list[Value]:
    """Return the values of a range or of a set of symbols.

    Args:
        element: The range.
        values: As for `evaluated`.
        most: Bound on their number, `max_expansion`.

    Raises:
        NotRead: It is none, or too large.
    """
    parts = expressions(element)
    if element.tag == "EnumSetExpression":
        return [part.get("Name") for part in parts]
    if element.get("Operator") != ".." or len(parts) != 2:
        raise NotRead(element, "expected a range LOW..HIGH or a set of symbols")
    low, high = (evaluated(part, values) for part in parts)
    if not isinstance(low, int) or not isinstance(high, int):
        raise NotRead(element, f"expected numbers, not {low} and {high}")
    if high - low >= most:
        message = f"a range of {high - low + 1} values, more than the limit of {most}"
        raise NotRead(element, message, "max-expansion")
    return list(range(low, high + 1))
