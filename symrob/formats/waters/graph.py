"""The graph of one automaton of Supremica, unfolded over its variables.

In:  states, edges with events, guards and actions, and the variables of the automaton.
Out: its `Lts`; each state is one of the graph with a value for each variable.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from symrob.errors import LimitExceeded
from symrob.files.xmltext import Element
from symrob.formats.waters.values import NotRead, Value, evaluated, expressions
from symrob.limits import Limits, tick
from symrob.lts import ERROR, TAU, Lts
from symrob.lts.naming import distinct

# Assignments, and the operator that they apply first.
_ASSIGN = {"=": "", ":=": "", "+=": "+", "-=": "-", "*=": "*", "/=": "/", "%=": "%"}


@dataclass(frozen=True)
class Variable:
    """A variable: its name, all its values, and those that it may begin with."""

    name: str
    values: tuple[Value, ...]
    initial: tuple[Value, ...]


@dataclass(frozen=True)
class Row:
    """An edge from one state; `values` are those of the loops around it."""

    source: str
    events: tuple[str, ...]
    target: str
    guards: tuple[Element, ...] = ()
    actions: tuple[Element, ...] = ()
    values: dict[str, Value] = field(default_factory=dict)


@dataclass
class Graph:
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
    rows: list[Row] = field(default_factory=list)
    variables: dict[str, Variable] = field(default_factory=dict)
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


def unfolded(graph: Graph, errors: bool, path: str, limits: Limits) -> tuple[Lts, bool]:
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
    first: list[Value] = []
    for variable in graph.variables.values():
        if len(variable.initial) != 1:
            where = next(e for row in graph.rows for e in (*row.guards, *row.actions))
            message = f"the variable '{variable.name}' has no single initial value"
            raise NotRead(where, message)
        first.append(variable.initial[0])
    bad = graph.forbidden if errors else set()
    if graph.initial in bad:
        bad = bad - {graph.initial}
    rows: dict[str, list[Row]] = {}
    for row in graph.rows:
        rows.setdefault(row.source, []).append(row)
    start: Place = (graph.initial, tuple(first))
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
        if len(order) > limits.max_states or len(transitions) > limits.max_transitions:
            bound = "states" if len(order) > limits.max_states else "transitions"
            raise LimitExceeded(
                f"{path}: the automaton '{graph.name}' has too many {bound}; "
                f"raise --bound max-{bound} to read it"
            )
    names = distinct([_name(graph, place) for place in order])
    lts = Lts(graph.alphabet - {TAU}, len(order), transitions, names=names)
    return lts, bool(graph.forbidden - bad)


def _name(graph: Graph, place: Place) -> str:
    state, values = place
    if not values:
        return state
    pairs = zip(graph.variables, values, strict=True)
    inner = ",".join(f"{name}={value}" for name, value in pairs)
    return f"{state}({inner})"


def _taken(graph: Graph, row: Row, here: Place) -> Iterator[Place]:
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
