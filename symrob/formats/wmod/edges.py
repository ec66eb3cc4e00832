"""The edges of Supremica modules: guards, actions and the owners of variables.

In:  the declarations of modules.
Out: a `Specification`.

- A variable that one automaton changes belongs to it. A variable that several change is
  a separate automaton; its events are those whose edges in an automaton all change it
  alike. Automata that change it in other ways form one component with it.
- `x' == VALUE` in a guard is an assignment. Next values in other guards are chosen so
  that all guards hold.
- `tau` from a specification's state to a forbidden one states that its guard never
  holds.
"""

from __future__ import annotations

from symrob.formats.extended.terms import (
    DataMove,
    DataRule,
    DataStore,
    DataUnit,
    Specification,
    Term,
    at_location,
    both,
    changing,
    conjuncts,
    constant,
    negated,
    of_store,
    term,
)
from symrob.formats.wmod.expressions import NotRead, changed
from symrob.formats.wmod.module import ElementPlace, Gathered, ModuleEdge
from symrob.limits import tick
from symrob.lts import TAU

_REQUIRED = ("requirement", "property")


def specification(gathered: Gathered) -> Specification:
    """Return the specification in modules.

    Args:
        gathered: Their declarations; problems are noted in its files.
    """
    return _Building(gathered).specification()


class _Building:
    def __init__(self, gathered: Gathered) -> None:
        self.gathered = gathered
        self.writers: dict[str, list[DataUnit]] = {}
        # Variables that are automata, with their names.
        self.shared: dict[str, DataUnit] = {}

    def specification(self) -> Specification:
        known = self.gathered
        for edge in known.edges:
            with edge.reader.trying():
                self._note_writers(edge)
        self._place()
        known.placed = True
        for edge in known.edges:
            tick()
            with edge.reader.trying():
                self._move(edge)
        for name, unit in self.shared.items():
            for writer in self.writers.get(name, ()):
                self._hoist(unit, writer)
        units = [*known.units.values(), *self.shared.values()]
        for unit in units:
            unit.alphabet.discard(TAU)
        return Specification(units, known.rules, known.controllable)

    def _note_writers(self, edge: ModuleEdge) -> None:
        for part in (*edge.guards, *edge.actions):
            for element in changed(part):
                name = edge.reader.prefix + edge.reader.name(element, edge.values)
                if name in self.gathered.variables:
                    writers = self.writers.setdefault(name, [])
                    if edge.unit not in writers:
                        writers.append(edge.unit)

    def _place(self) -> None:
        """Give each variable its place."""
        for name, variable in self.gathered.variables.items():
            writers = self.writers.get(name, [])
            if not writers and len(variable.initial) == 1:
                self.gathered.terms[name] = constant(variable.initial[0])
                continue
            unit, full = writers[0] if len(writers) == 1 else None, name
            if unit is None:
                roles = {writer.role for writer in writers}
                role = "plant"
                if roles and roles <= {*_REQUIRED}:
                    role = "requirement" if len(roles) > 1 else roles.pop()
                elif len(roles) == 1:
                    role = roles.pop()
                elif "supervisor" in roles:
                    # What a part of C changes is no part of E.
                    role = "supervisor"
                unit = DataUnit(name, role, variable.place, {"": constant(True)})
                unit.changers = frozenset(writers)
                self.shared[name] = unit
            else:
                inside = name.removeprefix(variable.place.reader.prefix)
                full = f"{unit.name}.{inside}"
            values, first = variable.values, variable.initial
            store = DataStore(full, unit, len(unit.stores), values, first)
            unit.stores.append(store)
            self.gathered.terms[name] = of_store(store)

    def _move(self, edge: ModuleEdge) -> None:
        reader, unit = edge.reader, edge.unit
        reading = reader.reading(edge.values)
        updates: dict[DataStore, Term] = {}
        guards: list[Term] = []
        for action in edge.actions:
            name, value = reading.assigned(action)
            found = reading.term(name)
            if found.kind != "store":
                raise NotRead(name, f"'{name.get('Name')}' is not a variable")
            if value.type != found.type:
                number = found.type == "int" and value.type == "bool"
                if not number:
                    raise NotRead(action, "the variable has a different type")
                value = term("if", "int", (value, constant(1), constant(0)))
            self._assign(found.value, value, updates, guards)
        for guard in edge.guards:
            for part in conjuncts(reading.truth(guard)):
                said = _assignment(part)
                if said is None:
                    guards.append(part)
                else:
                    self._assign(*said, updates, guards)
        edge_events = [*edge.events]
        says = bool(guards) and not updates and unit.role in _REQUIRED
        if TAU in edge_events and says and edge.target in unit.failing:
            # Such an edge says which states must not be.
            edge_events.remove(TAU)
            for source in edge.sources:
                bad = both([at_location(unit, source), *guards])
                rule = DataRule("requirement", "", negated(bad), unit.name)
                self.gathered.rules.append(rule)
        place = ElementPlace.of(reader, edge.element)
        given = edge.target, tuple(guards), tuple(updates.items()), place
        splits = any(store.owner is not unit for store in updates)
        events = [tuple(edge_events)]
        if splits:
            events = [(event,) for event in edge_events]
        for source in edge.sources:
            idle = says and source == edge.target
            for some in events:
                # The other half of that: what is guarded changes nothing.
                left = tuple(event for event in some if event != TAU or not idle)
                if left:
                    unit.moves.append(DataMove(source, left, *given))

    def _assign(
        self,
        store: DataStore,
        value: Term,
        updates: dict[DataStore, Term],
        guards: list[Term],
    ) -> None:
        if store in updates:
            # Both have to be the value after the event.
            guards.append(term("=", "bool", (updates[store], value)))
        else:
            updates[store] = value

    def _hoist(self, variable: DataUnit, writer: DataUnit) -> None:
        """Let a variable itself take part in events that always change it alike.

        What a requirement does not offer violates it, so a plant's variable cannot
        decide in its place.
        """
        if writer.role in _REQUIRED and variable.role not in _REQUIRED:
            return
        (store,) = variable.stores
        by_event: dict[str, list[DataMove]] = {}
        for move in writer.moves:
            for event in move.events:
                by_event.setdefault(event, []).append(move)
        hoisted = set()
        for event, moves in by_event.items():
            values = [dict(move.updates).get(store) for move in moves]
            value = values[0]
            if value is None or event == TAU or not value.refs <= {variable}:
                continue
            alike = {each.key if each else None for each in values}
            other = [move for move in variable.moves if event in move.events]
            if other and other[0].updates[0][1].key != value.key:
                continue
            if len(alike) == 1:
                hoisted.add(event)
                if not other:
                    token = moves[0].token
                    new = DataMove("", (event,), "", (), ((store, value),), token)
                    variable.moves.append(new)
                    variable.alphabet.add(event)
        writer.moves = [
            move._replace(updates=tuple(u for u in move.updates if u[0] is not store))
            if hoisted & {*move.events}
            else move
            for move in writer.moves
        ]


def _assignment(part: Term) -> tuple[DataStore, Term] | None:
    """The variable and its value, where a condition says what it is after an event."""
    if part.kind != "=":
        return None
    for one, other in (part.parts, part.parts[::-1]):
        if one.kind == "store" and one.refs != one.units and other.refs == other.units:
            (store,) = changing(one)
            return store, other
    return None
