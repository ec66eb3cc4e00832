"""Automata of Supremica modules with variables, unfolded; nothing is executed.

In:  elements of expressions, and the values of the names in them; states, edges with
     events, guards and actions, and the variables of an automaton.
Out: numbers, symbols (texts), truth values, ranges; the `Lts` of the automaton, whose
     states are those of its graph with a value for each variable.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from operator import and_, eq, ge, gt, le, lt, mul, ne, or_, sub
from typing import NamedTuple

from symrob.files.xmltext import Element
from symrob.formats.text import keep_bound
from symrob.limits import Limits, tick
from symrob.lts import ERROR, TAU, Lts
from symrob.lts.naming import distinct

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


# Assignments, and the operator that they apply first.
_ASSIGN = {"=": "", ":=": "", "+=": "+", "-=": "-", "*=": "*", "/=": "/", "%=": "%"}


class EfsmVariable(NamedTuple):
    """A variable: its name, all its values, and those that it may begin with."""

    name: str
    values: tuple[Value, ...]
    initial: tuple[Value, ...]


class EfsmRow(NamedTuple):
    """An edge from one state; `values` are those of the loops around it."""

    source: str
    events: tuple[str, ...]
    target: str
    guards: tuple[Element, ...] = ()
    actions: tuple[Element, ...] = ()
    values: Mapping[str, Value] = {}


@dataclass
class Efsm:
    """The graph of an automaton.

    Attributes:
        name: That of the automaton.
        states: Its states, in the order of the file.
        groups: States and groups by the name of the group that they belong to.
        initial: The initial state; empty if there is none.
        forbidden: The states that must not be reached.
        alphabet: Its events.
        rows: Its edges.
        variables: Its variables by name.
        values: Those of constants and of the loops around it.
    """

    name: str
    states: dict[str, None] = field(default_factory=dict)
    groups: dict[str, list[str]] = field(default_factory=dict)
    initial: str = ""
    forbidden: set[str] = field(default_factory=set)
    alphabet: set[str] = field(default_factory=set)
    rows: list[EfsmRow] = field(default_factory=list)
    variables: dict[str, EfsmVariable] = field(default_factory=dict)
    values: dict[str, Value] = field(default_factory=dict)

    def members(self, name: str) -> list[str]:
        """Return the states that a name stands for: itself, or those of its group."""
        found, work, seen = [], [name], {name}
        while work:
            each = work.pop()
            if each in self.states:
                found.append(each)
            for member in self.groups.get(each, ()):
                if member not in seen:
                    seen.add(member)
                    work.append(member)
        return found


Place = tuple[str, tuple[Value, ...]]


def unfolded(graph: Efsm, errors: bool, path: str, limits: Limits) -> tuple[Lts, bool]:
    """Return the transition system of a graph.

    Args:
        graph: The graph, with all variables that stand in it.
        errors: Whether its forbidden states are ERROR.
        path: The file, for messages.
        limits: Bounds on states and transitions.

    Returns:
        The system, and whether it has forbidden states that are ordinary ones.

    Raises:
        NotRead: A guard or an action is not read, or no single first value is given.
        LimitExceeded: There are more states or transitions.

    Cost: states times edges; without variables linear in the edges.
    """
    who = f"{path}: the automaton '{graph.name}'"
    bad = graph.forbidden - {graph.initial} if errors else set()
    rows: dict[str, list[EfsmRow]] = {}
    for row in graph.rows:
        rows.setdefault(row.source, []).append(row)
    start: Place = (graph.initial, _first(graph))
    numbers = {start: 0}
    if not graph.variables:
        # All states of the file, reached or not.
        others = [(s, ()) for s in graph.states if s != graph.initial and s not in bad]
        numbers |= {place: i for i, place in enumerate(others, 1)}
    order = list(numbers)
    transitions = []
    done = 0
    while done < len(order):
        tick()
        here = order[done]
        for row in rows.get(here[0], ()):
            for there in _taken(graph, row, here):
                target = ERROR
                if there[0] not in bad:
                    if there not in numbers:
                        numbers[there] = len(order)
                        order.append(there)
                    target = numbers[there]
                transitions += [(done, event, target) for event in row.events]
        done += 1
        keep_bound(who, len(order), limits, "states")
        keep_bound(who, len(transitions), limits, "transitions")
    names = distinct([_name(graph, place) for place in order])
    lts = Lts(graph.alphabet - {TAU}, len(order), transitions, names=names)
    return lts, bool(graph.forbidden - bad)


def _first(graph: Efsm) -> tuple[Value, ...]:
    """The values that the variables begin with."""
    for variable in graph.variables.values():
        if len(variable.initial) != 1:
            where = next(e for row in graph.rows for e in (*row.guards, *row.actions))
            message = f"the variable '{variable.name}' has no single initial value"
            raise NotRead(where, message)
    return tuple(variable.initial[0] for variable in graph.variables.values())


def _name(graph: Efsm, place: Place) -> str:
    state, values = place
    if not values:
        return state
    pairs = zip(graph.variables, values, strict=True)
    inner = ",".join(f"{name}={value}" for name, value in pairs)
    return f"{state}({inner})"


def _taken(graph: Efsm, row: EfsmRow, here: Place) -> Iterator[Place]:
    """Where an edge leads: nowhere if a guard fails or a value leaves its range."""
    if not row.guards and not row.actions:
        yield row.target, here[1]
        return
    now = dict(zip(graph.variables, here[1], strict=True))
    known = {**row.values, **now}
    for guard in row.guards:
        if evaluated(guard, known) in (0, "false"):
            return
    after = dict(now)
    for action in row.actions:
        name, value = _assigned(action, known, now)
        if name in after and after[name] != now[name] and after[name] != value:
            return
        after[name] = value
    variables = graph.variables.values()
    if all(after[v.name] in v.values for v in variables):
        yield row.target, tuple(after[v.name] for v in variables)


def _assigned(
    action: Element, known: dict[str, Value], now: dict[str, Value]
) -> tuple[str, Value]:
    """The variable that an action sets, and its new value; all from the old ones."""
    sign, parts = action.get("Operator"), expressions(action)
    if sign not in _ASSIGN or len(parts) != 2 or parts[0].tag != "SimpleIdentifier":
        raise NotRead(action, "expected an assignment to a variable")
    name = parts[0].get("Name")
    if name not in now:
        raise NotRead(action, f"no variable '{name}' is declared")
    value = evaluated(parts[1], known)
    if _ASSIGN[sign]:
        applied = Element(
            "BinaryExpression",
            action.space,
            {"Operator": _ASSIGN[sign]},
            action.line,
            action.column,
            parts,
        )
        value = evaluated(applied, known)
    return name, value
