"""The declarations of Supremica modules, with loops unfolded.

In:  a file, and the files of the modules that it instantiates.
Out: `Gathered`: automata, edges with guards and actions as elements, variables.

A declaration of an instance has the name INSTANCE.NAME outside it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from math import prod
from typing import NamedTuple, Self

from symrob.errors import SymrobError, did_you_mean, known_or_near
from symrob.files.paths import beside
from symrob.files.xmltext import Element
from symrob.formats.extended.reading import ProblemsOfFiles
from symrob.formats.extended.terms import (
    DataMove,
    DataRule,
    DataUnit,
    DataValue,
    Term,
    at_location,
    constant,
    negated,
)
from symrob.formats.registry import Source
from symrob.formats.wmod.expressions import (
    IDENTIFIERS,
    ExpressionReader,
    NotRead,
    Values,
    expressions,
)
from symrob.formats.xmlfile import XmlReader
from symrob.limits import Limits, tick

_ROLES = {
    "PLANT": "plant",
    "SUPERVISOR": "supervisor",
    "SPEC": "requirement",
    "PROPERTY": "property",
}
_LISTS = {"ComponentList", "EventList", "EdgeList", "EventAliasList", "EventDeclList"}


class _Trying(NamedTuple):
    """A block of which is noted what it does not read."""

    reader: ModuleReader

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, problem: object, _trace: object) -> bool:
        if not isinstance(problem, NotRead):
            return False
        hint = f"--bound {problem.bound} raises this limit"
        given = (hint, "limit") if problem.bound else ()
        self.reader.error(problem.element, str(problem), *given)
        if problem.bound:
            # What follows would only miss what was not read.
            self.reader.problems.check()
        return True


class ElementPlace(NamedTuple):
    """An element of a file, as a place; what stands in the element is not kept."""

    reader: ModuleReader
    tag: str
    line: int
    column: int

    @classmethod
    def of(cls, reader: ModuleReader, element: Element) -> Self:
        """Return the place of an element."""
        return cls(reader, element.tag, element.line, element.column)

    def note(self, message: str, hint: str = "") -> None:
        """Note a problem of it."""
        element = Element(self.tag, "", {}, self.line, self.column)
        self.reader.error(element, message, hint or None)


class ModuleVariable(NamedTuple):
    """A variable: its values, its initial values, its declaration."""

    values: tuple[DataValue, ...]
    initial: tuple[DataValue, ...]
    place: ElementPlace


class ModuleEdge(NamedTuple):
    """An edge of an automaton; `values` are those of the loops around it."""

    unit: DataUnit
    sources: Sequence[str]
    events: Sequence[str]
    target: str
    guards: Sequence[Element]
    actions: Sequence[Element]
    values: Values
    reader: ModuleReader
    element: Element


@dataclass
class Gathered:
    """The declarations of a file and its instances, by full name.

    Attributes:
        limits: Bounds on unfolding.
        units: The automata.
        variables: The variables.
        terms: The terms of the variables, once `placed`.
        placed: Whether the variables have owners; before, other names are symbols.
        symbols: The values of enumerations.
        edges: The edges of all automata.
        rules: The conditions on states.
        controllable: The controllable events.
        problems: The problems of each file.
        rounds: The number of loops and instances unfolded so far.
    """

    limits: Limits
    units: dict[str, DataUnit] = field(default_factory=dict)
    variables: dict[str, ModuleVariable] = field(default_factory=dict)
    terms: dict[str, Term] = field(default_factory=dict)
    placed: bool = False
    symbols: set[str] = field(default_factory=set)
    edges: list[ModuleEdge] = field(default_factory=list)
    rules: list[DataRule] = field(default_factory=list)
    controllable: set[str] = field(default_factory=set)
    problems: ProblemsOfFiles = field(default_factory=ProblemsOfFiles)
    rounds: int = 0


class ModuleReader(XmlReader):
    """Reads a module.

    Args:
        source: The file.
        gathered: Receives its declarations.
        prefix: The prefix of its names outside it.
        given: The arguments of its parameters: the element, and its reader.
        around: The files of the enclosing modules, for an instance.
    """

    kind = "wmod"

    def __init__(
        self,
        source: Source,
        gathered: Gathered,
        prefix: str = "",
        given: Mapping[str, tuple[Element, Values, ModuleReader]] | None = None,
        around: tuple[str, ...] = (),
    ) -> None:
        super().__init__(source)
        self.gathered, self.prefix, self.around = gathered, prefix, around
        self._given = dict(given or {})
        self._constants: dict[str, DataValue | tuple[DataValue, ...]] = {}
        # An event, or the events of an array or under another name.
        self._events: dict[str, tuple[str, ...]] = {}
        self._propositions: set[str] = set()
        gathered.problems.append(self.problems)

    def read(self) -> None:
        """Read the file.

        Raises:
            SymrobError: The file cannot be read, or is not a module.
            LimitExceeded: The module exceeds the limits.
        """
        readers: dict[str, Callable[[Element, Values], None]] = {
            "EventDeclList": self._event,
            "EventAliasList": self._event,
            "ComponentList": self._component,
        }
        for part in self.top("Module"):
            if part.tag == "ConstantAliasList":
                self._read_constants(part)
            elif part.tag in readers:
                for each, values in self._unfolded(part, self._constants):
                    readers[part.tag](each, values)
        for name, (element, _values, reader) in self._given.items():
            known = [*self._constants, *self._events]
            if name not in known:
                hint = did_you_mean(name, known)
                message = f"the module has no parameter '{name}'"
                reader.error(element, message, hint)

    # Names.

    def name(self, element: Element, values: Values) -> str:
        """Return the name of an element, with its indices, if any.

        Raises:
            NotRead: An index is unsupported.
        """
        tag = element.tag
        if tag == "QualifiedIdentifier":
            return ".".join(self.name(p, values) for p in expressions(element))
        if tag not in IDENTIFIERS and not element.get("Name"):
            inner = next((e for e in element if e.tag in IDENTIFIERS), None)
            return self.name(inner, values) if inner else ""
        found = element if tag in IDENTIFIERS else element.first("IndexedIdentifier")
        name = (found or element).get("Name")
        for part in expressions(found) if found else ():
            name += f"[{self.reading(values).value(part)}]"
        return name

    def reading(self, values: Values) -> ExpressionReader:
        """Return a reader of expressions.

        Args:
            values: The values of constants and loop variables.
        """

        def meaning(element: Element) -> Term | DataUnit:
            name = self.name(element, values)
            if name in values:
                value = values[name]
                if isinstance(value, tuple):
                    raise NotRead(element, f"'{name}' is a range, not a value")
                return constant(value)
            full, known = self.prefix + name, self.gathered
            if full in known.terms:
                return known.terms[full]
            if full in known.units:
                return known.units[full]
            truth = name in ("true", "false") and name not in known.symbols
            if truth or name in known.symbols or not known.placed:
                return constant(name == "true" if truth else name)
            hint = did_you_mean(name, [*known.variables, *known.units])
            message = f"no variable, constant or automaton '{name}' is declared"
            raise NotRead(element, f"{message}; {hint}" if hint else message)

        return ExpressionReader(meaning)

    def trying(self) -> _Trying:
        """Note a `NotRead` of the block as a problem, and end the block there."""
        return _Trying(self)

    # Declarations.

    def _read_constants(self, part: Element) -> None:
        for each in part.all("ConstantAlias"):
            name, inner = each.get("Name"), each.first("ConstantAliasExpression")
            element, reader = each, self
            values: Values = self._constants
            found = expressions(inner) if inner else expressions(each)
            if name in self._given:
                element, values, reader = self._given[name]
                found = expressions(element)
            if not found:
                self.error(each, f"the parameter '{name}' has no value")
                continue
            with reader.trying():
                self._constants[name] = reader.constant(found[-1], values)

    def constant(
        self, element: Element, values: Values
    ) -> DataValue | tuple[DataValue, ...]:
        """Return a constant value or range.

        Raises:
            NotRead: It is neither, or unsupported.
        """
        ranges = element.tag == "EnumSetExpression" or element.get("Operator") == ".."
        if ranges:
            return self._range(element, values)
        name = self.name(element, values) if element.tag in IDENTIFIERS else ""
        return values[name] if name in values else self.reading(values).value(element)

    def _range(self, element: Element, values: Values) -> tuple[DataValue, ...]:
        named = values.get(element.get("Name"))
        if element.tag in IDENTIFIERS and isinstance(named, tuple):
            return named
        found = self.reading(values).range(element, self.limits.max_expansion)
        self.gathered.symbols |= {each for each in found if isinstance(each, str)}
        return found

    def _round(self, element: Element, message: str) -> None:
        """Count what is unfolded."""
        tick()
        self.gathered.rounds += 1
        if self.gathered.rounds > self.limits.max_expansion:
            raise NotRead(element, message, "max-expansion")

    def _unfolded(
        self, part: Element, values: Values
    ) -> Iterator[tuple[Element, Values]]:
        """Yield what stands in a list, each element of a loop once for each value."""
        for each in part:
            if not each.tag.startswith("Foreach"):
                yield each, values
                continue
            found = expressions(each)
            bodies = [child for child in each if child.tag in _LISTS]
            rounds: Sequence[DataValue] = ()
            with self.trying():
                if not found:
                    raise NotRead(each, "expected a range for the loop")
                rounds = self._range(found[0], values)
            for value in rounds:
                with self.trying():
                    self._round(each, "the loops have too many iterations")
                inner = {**values, each.get("Name"): value}
                if not self._holds(each.first("Guard"), inner):
                    continue
                for body in bodies or [Element("", "", {}, 1, 1, found[1:])]:
                    yield from self._unfolded(body, inner)

    def _holds(self, guard: Element | None, values: Values) -> bool:
        with self.trying():
            reading = self.reading(values)
            parts = expressions(guard) if guard else ()
            return all(map(reading.holds, parts))
        return False

    def _event(self, each: Element, values: Values) -> None:
        with self.trying():
            if each.tag == "EventAlias":
                inner = each.first("Expression") or each
                self._events[self.name(each, values)] = self._bound(inner, values)
            elif each.tag == "EventDecl":
                self._declared(each, values)

    def _bound(self, inner: Element, values: Values) -> tuple[str, ...]:
        """The events that an element lists, directly or in a list."""
        labels = [p for e in inner for p in ([e] if e.tag != "EventList" else e)]
        body = Element("", "", {}, inner.line, inner.column, labels)
        return self._labels(body, values)

    def _declared(self, each: Element, values: Values) -> None:
        name, kind = each.get("Name"), each.get("Kind").upper()
        if kind == "PROPOSITION":
            self._propositions.add(name)
            return
        if name in self._given:
            self._parameter(name)
            return
        if each.get("Scope") == "REQUIRED_PARAMETER" and self.around:
            self.error(each, f"the parameter '{name}' is not bound to an event")
        names = [self.prefix + name]
        ranges = each.first("RangeList")
        if ranges is not None:
            spans = [self._range(r, values) for r in expressions(ranges)]
            size = prod(map(len, spans))
            if size > self.limits.max_expansion:
                most = self.limits.max_expansion
                message = f"an array of {size:,} events, more than {most:,}"
                raise NotRead(each, message, "max-expansion")
            names = [names[0] + _index(i) for i in product(*spans)]
        self._events[name] = tuple(names)
        cut = len(self.prefix)
        self._events.update({n[cut:]: (n,) for n in names})
        if kind == "CONTROLLABLE":
            self.gathered.controllable.update(names)

    def _parameter(self, name: str) -> None:
        """An event, or an array of them, that an instance is given."""
        element, values, outer = self._given[name]
        with outer.trying():
            self._events[name] = outer._bound(element, values)
            array = "".join(outer.name(e, values) for e in expressions(element))
            for each, events in outer._events.items():
                if each.startswith(f"{array}["):
                    self._events[name + each[len(array) :]] = events

    def _labels(self, block: Element, values: Values) -> tuple[str, ...]:
        """The events that stand in a block of labels."""
        found: dict[str, None] = {}
        for each, inner in self._unfolded(block, values):
            if each.tag not in IDENTIFIERS:
                continue
            name = self.name(each, inner)
            if name in self._events:
                found.update(dict.fromkeys(self._events[name]))
            elif name not in self._propositions:
                hint = did_you_mean(name, self._events)
                self.error(each, f"no event '{name}' is declared", hint)
        return tuple(found)

    def _component(self, each: Element, values: Values) -> None:
        kinds = {
            "SimpleComponent": self._automaton,
            "VariableComponent": self._variable,
            "Instance": self._instance,
        }
        if each.tag in kinds:
            with self.trying():
                name = self.prefix + self.name(each, values)
                if name in self.gathered.units or name in self.gathered.variables:
                    self.error(each, f"another component has the name '{name}'")
                kinds[each.tag](each, name, values)

    def _variable(self, each: Element, name: str, values: Values) -> None:
        span, initial = each.first("VariableRange"), each.first("VariableInitial")
        if span is None or not expressions(span):
            raise NotRead(each, f"the variable '{name}' has no range")
        everything = self._range(expressions(span)[0], values)
        if not everything:
            raise NotRead(each, f"the variable '{name}' has an empty range")
        predicates = expressions(initial) if initial else []
        plain = name.removeprefix(self.prefix)
        first = tuple(
            value
            for value in everything
            if all(map(self.reading({**values, plain: value}).holds, predicates))
        )
        if not first:
            raise NotRead(each, f"no value of '{name}' is initial")
        place = ElementPlace.of(self, each)
        self.gathered.variables[name] = ModuleVariable(everything, first, place)

    def _instance(self, each: Element, name: str, values: Values) -> None:
        self._round(each, "there are too many instances")
        module = each.get("ModuleName")
        path = beside(self.path, f"{module}.wmod")
        around = (*self.around, os.path.realpath(self.path))
        if os.path.realpath(path) in around:
            raise NotRead(each, f"the module '{module}' instantiates itself")
        bindings = [*each.all("ParameterBinding")]
        for part in each.all("BindingList", "ParameterBindingList"):
            bindings += part.all("ParameterBinding")
        given = {binding.get("Name"): (binding, values, self) for binding in bindings}
        source = Source(path, limits=self.limits)
        try:
            ModuleReader(source, self.gathered, f"{name}.", given, around).read()
        except SymrobError as error:
            for problem in error.diagnostics:
                self.error(each, f"the module '{module}': {problem.message}")

    # Automata.

    def _automaton(self, element: Element, name: str, values: Values) -> None:
        role = _ROLES.get(element.get("Kind").upper())
        if role is None:
            known = ", ".join(_ROLES)
            raise NotRead(element, f"the kind of '{name}' is not one of {known}")
        body = element.first("Graph")
        if body is None:
            raise NotRead(element, f"the automaton '{name}' has no graph")
        unit = DataUnit(name, role, ElementPlace.of(self, element))
        self.gathered.units[name] = unit
        block, nodes = body.first("LabelBlock"), body.first("NodeList")
        if block is not None:
            unit.alphabet.update(self._labels(block, values))
        groups: dict[str, list[str]] = {}
        forbidden: list[str] = []
        for node in nodes or ():
            if node.tag == "GroupNode":
                members = [m for e in node.all("NodeList") for m in e] or list(node)
                names = [m.get("Name") for m in members if m.tag.endswith("NodeRef")]
                groups[node.get("Name")] = names
            elif node.tag == "SimpleNode":
                forbidden += self._node(unit, node)
        if not unit.locations:
            self.error(body, f"the automaton '{name}' has no state")
        elif not any(first.value for first in unit.locations.values()):
            self.error(body, f"no state of '{name}' is initial")
        required = role in ("requirement", "property")
        for state in forbidden:
            if required and not unit.locations[state].value:
                unit.failing |= {state}
            else:
                never = negated(at_location(unit, state))
                self.gathered.rules.append(
                    DataRule("requirement", "", never, unit.name)
                )
        edges = body.first("EdgeList")
        for edge, inner in self._unfolded(edges, values) if edges else ():
            if edge.tag == "Edge":
                with self.trying():
                    self._edge(unit, groups, edge, inner)

    def _node(self, unit: DataUnit, node: Element) -> Iterator[str]:
        """Add a state; yield it if it is forbidden."""
        name = node.get("Name")
        if name in unit.locations:
            self.error(node, f"two states have the name '{name}'")
        unit.locations[name] = constant(node.get("Initial") == "true")
        marks = node.first("EventList")
        if marks and any(m.get("Name") == ":forbidden" for m in marks):
            yield name

    def _edge(
        self,
        unit: DataUnit,
        groups: Mapping[str, list[str]],
        edge: Element,
        values: Values,
    ) -> None:
        source, target = edge.get("Source"), edge.get("Target")
        sources = _members(source, unit, groups)
        for word, fits in ((source, sources), (target, target in unit.locations)):
            if not fits:
                hint = known_or_near(str(word), unit.locations, "its states")
                message = f"'{unit.name}' has no state '{word}'"
                raise NotRead(edge, f"{message}; {hint}" if hint else message)
        block = edge.first("LabelBlock")
        events = self._labels(block, values) if block else ()
        unit.alphabet.update(events)
        if edge.first("GuardActionBlock") is None:
            place = ElementPlace.of(self, edge)
            moves = (DataMove(s, events, target, (), (), place) for s in sources)
            unit.moves += moves if events else ()
            return
        guards, actions = [], []
        for part in edge.all("GuardActionBlock"):
            guards += [e for g in part.all("Guards") for e in expressions(g)]
            actions += [e for a in part.all("Actions") for e in expressions(a)]
        given = unit, sources, events, target, guards, actions, values, self, edge
        self.gathered.edges.append(ModuleEdge(*given))


def _members(name: str, unit: DataUnit, groups: Mapping[str, list[str]]) -> list[str]:
    """The states that a name stands for: itself, or those of its group."""
    if name not in groups:
        return [name] if name in unit.locations else []
    found, work, seen = [], [name], {name}
    while work:
        each = work.pop()
        if each in unit.locations:
            found.append(each)
        for member in groups.get(each, ()):
            if member not in seen:
                seen.add(member)
                work.append(member)
    return found


def _index(indices: Sequence[DataValue]) -> str:
    return "".join(f"[{i}]" for i in indices)
