"""Supremica modules (`.wmod`), read and written.

In:  a `Module` with its events, constants, variables and automata; `#NAME` or
     `#NAME,NAME` chooses automata, else all are taken.
Out: its automata as a network, with the roles that the module gives them: plants,
     specifications and properties, supervisors; in the other direction a module with a
     plant for each component.

- Loops (`Foreach…`), arrays of events, names for events and constants are unfolded.
- An automaton with guards or actions (an EFSM) is unfolded over its variables, if no
  other automaton has a part in them and they have one initial value; else it is
  refused. A value outside of its range disables the transition, as in Supremica.
- A forbidden state of a specification or property is the ERROR state; of any other
  automaton it is an ordinary one. Marking and observation have no meaning for symrob.
- A blocked event belongs to the alphabet. `tau` is the internal move.
- Instances of other modules are refused: nothing but the file itself is read.

Sources: docs/sources.md [Supremica].
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import product
from math import prod
from xml.sax.saxutils import quoteattr

from symrob.errors import Diagnostic, SymrobError
from symrob.files.xmltext import Element
from symrob.formats.automata import (
    CONTROLLER,
    PLANT,
    SPECIFICATION,
    AutomataReader,
    Automaton,
    automata_format,
)
from symrob.formats.registry import Source
from symrob.formats.text import ERROR_NAME, Holds, by_target, distinct_names
from symrob.formats.wmodgraph import (
    Efsm,
    EfsmRow,
    EfsmVariable,
    NotRead,
    Value,
    Values,
    evaluated,
    expressions,
    identifiers,
    range_of,
    unfolded,
)
from symrob.formats.xmlfile import XmlReader
from symrob.lts import ERROR, TAU, Lts, Network

_ROLES = {
    "PLANT": PLANT,
    "SUPERVISOR": CONTROLLER,
    "SPEC": SPECIFICATION,
    "PROPERTY": SPECIFICATION,
}
_LISTS = {"ComponentList", "EventList", "EdgeList", "EventAliasList", "EventDeclList"}


class _ModuleReader(XmlReader, AutomataReader):
    kind = "wmod"

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.automata: list[Automaton] = []
        self.controllable: set[str] = set()
        self._constants: dict[str, Value] = {}
        # An event, or the events of an array or under another name.
        self._events: dict[str, tuple[str, ...]] = {}
        self._propositions: set[str] = set()
        self._variables: dict[str, EfsmVariable] = {}
        self._components: list[tuple[Element, str, dict[str, Value]]] = []
        self._loops = 0

    def read(self) -> list[Automaton]:
        """Return the automata.

        Raises:
            SymrobError: The file cannot be read, or not as a module; all problems.
            LimitExceeded: It is larger than the limits.
        """
        top = self.top("Module")
        for part in top:
            if part.tag == "ConstantAliasList":
                self._read_constants(part)
            elif part.tag in ("EventDeclList", "EventAliasList"):
                for each, values in self._unfolded(part, self._constants):
                    self._read_event(each, values)
            elif part.tag == "ComponentList":
                for each, values in self._unfolded(part, self._constants):
                    self._read_component(each, values)
        owners: dict[str, str] = {}
        for element, name, values in self._components:
            self._read_automaton(element, name, values, owners)
        if not self._components and not self.problems.errors:
            self.error(top, "the module has no automaton")
        self.problems.check(sort=True)
        return self.automata

    def _read_constants(self, part: Element) -> None:
        for each in part.all("ConstantAlias"):
            inner = each.first("ConstantAliasExpression")
            found = expressions(inner) if inner else expressions(each)
            if found:
                with self._reading():
                    name = each.get("Name")
                    self._constants[name] = evaluated(found[-1], self._constants)

    def _unfolded(
        self, part: Element, values: dict[str, Value]
    ) -> Iterator[tuple[Element, dict[str, Value]]]:
        """Yield what stands in a list, each element of a loop once for each value."""
        for each in part:
            if not each.tag.startswith("Foreach"):
                yield each, values
                continue
            found = expressions(each)
            bodies = [child for child in each if child.tag in _LISTS]
            rounds: list[Value] = []
            with self._reading():
                if not found:
                    raise NotRead(each, "expected a range for the loop")
                rounds = self._range(found[0], values)
            for value in rounds:
                self._loops += 1
                if self._loops > self.limits.max_expansion:
                    message = "the loops have too many rounds"
                    with self._reading():
                        raise NotRead(each, message, "max-expansion")
                inner = {**values, each.get("Name"): value}
                if not self._holds(each.first("Guard"), inner):
                    continue
                for body in bodies or [Element("", "", {}, 1, 1, found[1:])]:
                    yield from self._unfolded(body, inner)

    def _holds(self, guard: Element | None, values: Values) -> bool:
        with self._reading():
            parts = expressions(guard) if guard else ()
            return all(evaluated(part, values) for part in parts)
        return False

    def _read_event(self, each: Element, values: dict[str, Value]) -> None:
        if each.tag == "EventAlias":
            inner = each.first("Expression") or each
            labels = [p for e in inner for p in ([e] if e.tag != "EventList" else e)]
            body = Element("", "", {}, each.line, each.column, labels)
            self._events[self._name(each, values)] = self._labels(body, values)
            return
        if each.tag != "EventDecl":
            return
        name, kind = each.get("Name"), each.get("Kind").upper()
        if kind == "PROPOSITION":
            self._propositions.add(name)
            return
        names = [name]
        ranges = each.first("RangeList")
        with self._reading():
            if ranges is not None:
                spans = [self._range(r, values) for r in expressions(ranges)]
                size = prod(map(len, spans))
                if size > self.limits.max_expansion:
                    raise NotRead(each, f"an array of {size} events", "max-expansion")
                names = [name + _index(i) for i in product(*spans)]
        self._events[name] = tuple(names)
        self._events.update({n: (n,) for n in names})
        if kind == "CONTROLLABLE":
            self.controllable.update(names)

    def _read_component(self, each: Element, values: dict[str, Value]) -> None:
        if each.tag == "SimpleComponent":
            self._components.append((each, self._name(each, values), values))
        elif each.tag == "VariableComponent":
            self._read_variable(each, values)
        elif each.tag == "Instance":
            module = each.get("ModuleName")
            self.error(
                each,
                f"an instance of the module '{module}' is not read",
                "let Supremica write the module flattened, or its automata alone",
            )

    def _read_variable(self, each: Element, values: dict[str, Value]) -> None:
        name = self._name(each, values)
        span, initial = each.first("VariableRange"), each.first("VariableInitial")
        with self._reading():
            if span is None or not expressions(span):
                raise NotRead(each, f"the variable '{name}' has no range")
            everything = self._range(expressions(span)[0], values)
            predicate = expressions(initial)[0] if initial else None
            first = [
                value
                for value in everything
                if predicate is None
                or evaluated(predicate, {**values, name: value}) not in (0, "false")
            ]
            self._variables[name] = EfsmVariable(name, tuple(everything), tuple(first))

    def _read_automaton(
        self,
        element: Element,
        name: str,
        values: dict[str, Value],
        owners: dict[str, str],
    ) -> None:
        role = _ROLES.get(element.get("Kind").upper())
        if role is None:
            known = ", ".join(_ROLES)
            self.error(element, f"the kind of '{name}' is not one of {known}")
            return
        if any(name == each.name for each in self.automata):
            self.error(element, f"another automaton has the name '{name}'")
        body = element.first("Graph")
        if body is None:
            self.error(element, f"the automaton '{name}' has no graph")
            return
        graph = self._graph(body, name, values)
        for variable in self._used(graph, name, element, owners):
            graph.variables[variable.name] = variable
        if self.problems.errors:
            return
        with self._reading():
            errors = role == SPECIFICATION
            lts, forbidden = unfolded(graph, errors, self.path, self.limits)
            self.automata.append(Automaton(name, role, lts))
            if forbidden:
                self.problems.warn(
                    "wmod-forbidden",
                    f"'{name}': nothing checks that its forbidden states are not "
                    "reached",
                    hint="what must not be reached is said by a specification or "
                    "property",
                )

    def _used(
        self, graph: Efsm, name: str, element: Element, owners: dict[str, str]
    ) -> Iterator[EfsmVariable]:
        """The variables of an automaton, which no other one may have a part in."""
        used = {
            word
            for row in graph.rows
            for part in (*row.guards, *row.actions)
            for word in identifiers(part)
        }
        for word in sorted(used & self._variables.keys()):
            owner = owners.setdefault(word, name)
            if owner != name:
                self.error(
                    element,
                    f"the variable '{word}' is of '{owner}' and of '{name}'; only "
                    "variables of one automaton are read",
                    "let Supremica write the flattened module",
                )
            yield self._variables[word]
        symbols = {v for each in self._variables.values() for v in each.values}
        inner = {id(row.values): row.values for row in graph.rows}.values()
        known = self._variables.keys() | symbols | {"true", "false"}
        others = {each for _, each, _ in self._components}
        for word in sorted((used - known).difference(*inner)):
            what = "an automaton: its state is not read" if word in others else None
            message = f"'{name}' has a guard with '{word}', {what or 'no variable'}"
            self.error(element, message)

    def _graph(self, body: Element, name: str, values: dict[str, Value]) -> Efsm:
        graph = Efsm(name, values=values)
        block, nodes = body.first("LabelBlock"), body.first("NodeList")
        if block is not None:
            graph.alphabet.update(self._labels(block, values))
        for node in nodes or ():
            self._read_node(graph, node)
        edges = body.first("EdgeList")
        for edge, inner in self._unfolded(edges, values) if edges else ():
            if edge.tag == "Edge":
                self._read_edge(graph, edge, inner)
        if not graph.initial and graph.states:
            self.error(body, f"no state of '{name}' is initial")
        elif not graph.states:
            self.error(body, f"the automaton '{name}' has no state")
        return graph

    def _read_node(self, graph: Efsm, node: Element) -> None:
        name = node.get("Name")
        if node.tag == "GroupNode":
            members = [m for e in node.all("NodeList") for m in e] or list(node)
            names = [m.get("Name") for m in members if m.tag.endswith("NodeRef")]
            graph.groups[name] = names
        elif node.tag == "SimpleNode":
            if name in graph.states:
                self.error(node, f"two states have the name '{name}'")
            graph.states[name] = None
            if node.get("Initial") == "true":
                if graph.initial:
                    message = f"'{graph.initial}' and '{name}' are both initial"
                    self.error(node, message)
                graph.initial = name
            marks = node.first("EventList")
            if marks and any(m.get("Name") == ":forbidden" for m in marks):
                graph.forbidden.add(name)

    def _read_edge(self, graph: Efsm, edge: Element, values: dict[str, Value]) -> None:
        sources, target = graph.members(edge.get("Source")), edge.get("Target")
        for word, fits in ((edge.get("Source"), sources), (target, None)):
            if not (target in graph.states if fits is None else fits):
                self.error(edge, f"'{graph.name}' has no state '{word}'")
                return
        block = edge.first("LabelBlock")
        events = self._labels(block, values) if block else ()
        graph.alphabet.update(events)
        guards, actions = [], []
        for part in edge.all("GuardActionBlock"):
            guards += [e for g in part.all("Guards") for e in expressions(g)]
            actions += [e for a in part.all("Actions") for e in expressions(a)]
        for source in sources:
            row = EfsmRow(source, events, target, tuple(guards), tuple(actions), values)
            graph.rows.append(row)

    def _labels(self, block: Element, values: dict[str, Value]) -> tuple[str, ...]:
        """The events that stand in a block of labels."""
        found: dict[str, None] = {}
        for each, inner in self._unfolded(block, values):
            if each.tag not in ("SimpleIdentifier", "IndexedIdentifier"):
                continue
            name = self._name(each, inner)
            if name in self._events:
                found.update(dict.fromkeys(self._events[name]))
            elif name not in self._propositions:
                self.error(each, f"no event '{name}' is declared")
        return tuple(found)

    def _name(self, element: Element, values: Values) -> str:
        """The name of an element, with its indices if it has some."""
        inner = element.first("IndexedIdentifier")
        if element.tag == "IndexedIdentifier":
            inner = element
        if inner is None:
            simple = element.first("SimpleIdentifier")
            return element.get("Name") or (simple.get("Name") if simple else "")
        indices: list[Value] = []
        with self._reading():
            indices = [evaluated(part, values) for part in expressions(inner)]
        return inner.get("Name") + _index(indices)

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Note what the block does not read, and end it there."""
        try:
            yield
        except NotRead as problem:
            hint = f"--bound {problem.bound} raises this limit"
            given = (hint, "limit") if problem.bound else ()
            self.error(problem.element, str(problem), *given)
            if problem.bound:
                # What follows would only miss what was not read.
                self.problems.check()

    def _range(self, element: Element, values: Values) -> list[Value]:
        return range_of(element, values, self.limits.max_expansion)


def _index(indices: Sequence[Value]) -> str:
    return "".join(f"[{i}]" for i in indices)


# Written.

HOLDS = Holds(
    fits=bool,
    names="one of the state names is empty or ERROR: numbers are written",
    hidden=False,
    end="that a state is END is not written",
    choices="Supremica's algorithms require deterministic automata; this one is not",
)
# What XML 1.0 holds in no way, not even escaped.
_NO_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def module_lines(system: Lts | Network) -> Iterator[str]:
    """Yield the lines of a module that holds a system.

    Args:
        system: Each component becomes an automaton: a plant; or, if it has transitions
            to ERROR, a property with a forbidden state.

    Raises:
        SymrobError: A name holds what XML cannot hold.

    Cost: linear in the transitions.
    """
    events = sorted({a for c in system.components for a in c.alphabet})
    moves = any(t.action == TAU for c in system.components for t in c.transitions)
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    space = "http://waters.sourceforge.net/xsd/module"
    yield f'<Module xmlns="{space}" Name="model">'
    yield "<EventDeclList>"
    for event in (*events, *([TAU] if moves else ())):
        kind = "UNCONTROLLABLE" if event == TAU else "CONTROLLABLE"
        yield f'<EventDecl Kind="{kind}" Name={_quoted(event)}/>'
    yield '<EventDecl Kind="PROPOSITION" Name=":accepting"/>'
    yield '<EventDecl Kind="PROPOSITION" Name=":forbidden"/>'
    yield "</EventDeclList>"
    yield "<ComponentList>"
    names = distinct_names(system.component_names, "M")
    for name, lts in zip(names, system.components, strict=True):
        yield from _automaton(name, lts)
    yield "</ComponentList>"
    yield "</Module>"


def _automaton(name: str, lts: Lts) -> Iterator[str]:
    error = lts.can_fail
    kind = "PROPERTY" if error else "PLANT"
    states = HOLDS.state_names(lts)
    yield f'<SimpleComponent Kind="{kind}" Name={_quoted(name)}>'
    yield f'<Graph Deterministic="{str(lts.deterministic).lower()}">'
    if lts.unused_actions:
        yield "<LabelBlock>"
        for action in lts.unused_actions:
            yield f"<SimpleIdentifier Name={_quoted(action)}/>"
        yield "</LabelBlock>"
    yield "<NodeList>"
    for state, label in enumerate(states):
        first = ' Initial="true"' if state == 0 else ""
        yield from _node(label, ":accepting", first)
    if error:
        yield from _node(ERROR_NAME, ":forbidden", "")
    yield "</NodeList>"
    yield "<EdgeList>"
    for source, row in enumerate(lts.successors):
        for target, actions in by_target(row).items():
            there = ERROR_NAME if target == ERROR else states[target]
            yield f"<Edge Source={_quoted(states[source])} Target={_quoted(there)}>"
            labels = (f"<SimpleIdentifier Name={_quoted(a)}/>" for a in actions)
            yield f"<LabelBlock>{''.join(labels)}</LabelBlock>"
            yield "</Edge>"
    yield "</EdgeList>"
    yield "</Graph>"
    yield "</SimpleComponent>"


def _node(name: str, mark: str, first: str) -> Iterator[str]:
    yield f"<SimpleNode{first} Name={_quoted(name)}>"
    yield f'<EventList><SimpleIdentifier Name="{mark}"/></EventList>'
    yield "</SimpleNode>"


def _quoted(name: str) -> str:
    """A name as the value of an attribute, so that reading gives it back."""
    if _NO_XML.search(name):
        message = f"XML cannot hold a character of the name {name!r:.60}"
        raise SymrobError(Diagnostic("wmod-name", message))
    escapes = {"\n": "&#10;", "\r": "&#13;", "\t": "&#9;"}
    return quoteattr(name, escapes)


FORMAT = automata_format("Supremica", _ModuleReader, module_lines, holds=HOLDS)
