"""Expressions of Supremica modules as terms.

In:  elements, and the meaning of the names in them.
Out: terms, values, ranges. Nothing is executed.

Truth values and the numbers 0 and 1 are interchangeable, as in Supremica.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from symrob.files.xmltext import Element
from symrob.formats.extended.terms import (
    DataUnit,
    DataValue,
    NoValue,
    Term,
    after_event,
    at_location,
    constant,
    negated,
    term,
)

# Of constants and loop variables; a constant may also be a range.
Values = Mapping[str, DataValue | tuple[DataValue, ...]]

IDENTIFIERS = {"SimpleIdentifier", "IndexedIdentifier", "QualifiedIdentifier"}
_EXPRESSIONS = {
    *("IntConstant", "BinaryExpression", "UnaryExpression", "EnumSetExpression"),
    *("FunctionCallExpression", *IDENTIFIERS),
}
_TRUTHS = {"&": "and", "|": "or"}
_NUMBERS = {"+": "+", "-": "-", "*": "*", "/": "div", "%": "mod"}
_ORDERS = ("<", "<=", ">", ">=")
# Assignments, and the operator that they apply first.
_ASSIGN = {"=": "", ":=": "", "+=": "+", "-=": "-", "*=": "*", "/=": "/", "%=": "%"}


class NotRead(Exception):
    """An unsupported or invalid expression.

    Args:
        element: The element at fault.
        message: The problem.
        bound: The bound that was hit, `max-expansion`, if any.
    """

    def __init__(self, element: Element, message: str, bound: str = "") -> None:
        super().__init__(message)
        self.element = element
        self.bound = bound


def expressions(element: Element) -> list[Element]:
    """Return the child elements that are expressions."""
    return [child for child in element if child.tag in _EXPRESSIONS]


def changed(element: Element) -> Iterator[Element]:
    """Yield the names whose next value an action or a guard determines."""
    parts = expressions(element)
    sign = element.get("Operator")
    if element.tag == "BinaryExpression" and sign in _ASSIGN:
        yield from (part for part in parts[:1] if part.tag in IDENTIFIERS)
    elif element.tag == "UnaryExpression" and sign == "'":
        yield from (part for part in parts if part.tag in IDENTIFIERS)
    else:
        for part in parts:
            yield from changed(part)


class ExpressionReader(NamedTuple):
    """Reads expressions.

    Args:
        meaning: Returns the meaning of a name: a value or an automaton. It raises
            `NotRead` for an unknown name.
    """

    meaning: Callable[[Element], Term | DataUnit]

    def value(self, element: Element) -> DataValue:
        """Return the value of a constant expression.

        Raises:
            NotRead: It is unsupported, or has no value.
        """
        return _valued(self.term(element), element)

    def holds(self, element: Element) -> bool:
        """Whether a constant condition holds.

        Raises:
            NotRead: As `value`.
        """
        return bool(_valued(self.truth(element), element))

    def range(self, element: Element, most: int) -> tuple[DataValue, ...]:
        """Return the values of a range or of a set of symbols.

        Args:
            element: The range.
            most: Bound on the number of values, `max_expansion`.

        Raises:
            NotRead: It is not a range, or too large.
        """
        parts = expressions(element)
        if element.tag == "EnumSetExpression":
            return tuple(part.get("Name") for part in parts)
        if element.get("Operator") != ".." or len(parts) != 2:
            raise NotRead(element, "expected a range LOW..HIGH or a set of symbols")
        low, high = map(self.value, parts)
        if isinstance(low, str) or isinstance(high, str):
            raise NotRead(element, f"expected numbers, not {low} and {high}")
        if high - low >= most:
            message = f"a range of {high - low + 1} values, more than {most}"
            raise NotRead(element, message, "max-expansion")
        return tuple(range(low, high + 1))

    def truth(self, element: Element) -> Term:
        """Return the term of a condition.

        Raises:
            NotRead: It is not a condition, or unsupported.
        """
        found = self.term(element)
        if found.type == "enum":
            raise NotRead(element, "expected a condition")
        return (
            term("!=", "bool", (found, constant(0))) if found.type == "int" else found
        )

    def number(self, element: Element) -> Term:
        """Return the term of a number.

        Raises:
            NotRead: It is not a number, or unsupported.
        """
        found = self.term(element)
        if found.type == "enum":
            raise NotRead(element, "expected a number")
        if found.type == "bool":
            return term("if", "int", (found, constant(1), constant(0)))
        return found

    def assigned(self, element: Element) -> tuple[Element, Term]:
        """Return the variable and the value of an assignment.

        Raises:
            NotRead: It is not an assignment, or unsupported.
        """
        sign, parts = element.get("Operator"), expressions(element)
        if sign not in _ASSIGN or len(parts) != 2 or parts[0].tag not in IDENTIFIERS:
            raise NotRead(element, "expected an assignment to a variable")
        if not _ASSIGN[sign]:
            return parts[0], self.term(parts[1])
        both = tuple(map(self.number, parts))
        return parts[0], term(_NUMBERS[_ASSIGN[sign]], "int", both)

    def term(self, element: Element) -> Term:
        """Return the term of an expression.

        Raises:
            NotRead: It is unsupported.
        """
        tag, parts = element.tag, expressions(element)
        if tag == "IntConstant":
            return constant(_number(element))
        if tag in IDENTIFIERS:
            found = self.meaning(element)
            if isinstance(found, DataUnit):
                message = f"'{found.name}' is an automaton: compare it with a state"
                raise NotRead(element, message)
            return found
        if tag == "UnaryExpression" and len(parts) == 1:
            return self._unary(element, parts[0])
        if tag == "BinaryExpression" and len(parts) == 2:
            return self._binary(element, *parts)
        raise NotRead(element, f"'{tag}' is not supported here")

    def _unary(self, element: Element, part: Element) -> Term:
        sign = element.get("Operator")
        if sign == "-":
            return term("neg", "int", (self.number(part),))
        if sign == "!":
            return negated(self.truth(part))
        if sign == "'" and part.tag in IDENTIFIERS:
            return after_event(self.term(part))
        raise NotRead(element, f"the operator '{sign}' is not supported here")

    def _binary(self, element: Element, left: Element, right: Element) -> Term:
        sign = element.get("Operator")
        if sign in ("==", "!="):
            found = self._same(left, right)
            return found if sign == "==" else negated(found)
        if sign in _TRUTHS:
            parts = self.truth(left), self.truth(right)
            return term(_TRUTHS[sign], "bool", parts)
        if sign in _NUMBERS:
            parts = self.number(left), self.number(right)
            return term(_NUMBERS[sign], "int", parts)
        if sign in _ORDERS:
            return term(sign, "bool", (self.number(left), self.number(right)))
        raise NotRead(element, f"the operator '{sign}' is not supported here")

    def _same(self, left: Element, right: Element) -> Term:
        for one, other in ((left, right), (right, left)):
            later = one.tag == "UnaryExpression" and one.get("Operator") == "'"
            name = (expressions(one) or [one])[0] if later else one
            unit = self.meaning(name) if name.tag in IDENTIFIERS else None
            if isinstance(unit, DataUnit):
                location = other.get("Name")
                if other.tag not in IDENTIFIERS or location not in unit.locations:
                    message = f"expected a state of the automaton '{unit.name}'"
                    raise NotRead(other, message)
                found = at_location(unit, location)
                return after_event(found) if later else found
        parts = self.term(left), self.term(right)
        if parts[0].type != parts[1].type:
            parts = self.number(left), self.number(right)
        return term("=", "bool", parts)


def _valued(found: Term, element: Element) -> DataValue:
    if found.refs:
        raise NotRead(element, "expected a constant value")
    try:
        return found.within({})
    except NoValue as problem:
        raise NotRead(element, str(problem)) from None


def _number(element: Element) -> int:
    text = element.get("Value")
    if not text.removeprefix("-").isdecimal() or len(text) > 18:
        raise NotRead(element, f"expected a whole number, not '{text:.30}'")
    return int(text)
