"""Instantiating the definitions of a CIF specification, with names resolved.

In:  the tree of a file, and those of the files that it imports.
Out: a `Specification`: automata with resolved edges, and requirements.

A name is resolved from the innermost scope outwards; the scope around an instance is
that of its definition.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from symrob.errors import SymrobError, did_you_mean, plural
from symrob.files.paths import beside
from symrob.formats.cif.names import (
    UNBOUNDED,
    Alias,
    BadName,
    CifCallable,
    CifNames,
    CifScope,
    CifTypeAlias,
    Definition,
    Domain,
    EventName,
    GivenValue,
    LeftOut,
    LocationName,
    Symbol,
)
from symrob.formats.cif.syntax import parsed
from symrob.formats.cif.tree import (
    CifAssignment,
    CifBody,
    CifEdge,
    CifEnum,
    CifEquation,
    CifEvents,
    CifFunction,
    CifImport,
    CifInstance,
    CifLocation,
    CifText,
    CifToken,
    CifTree,
    CifValue,
    CifVariable,
    Invariant,
    TypeName,
)
from symrob.formats.extended.reading import ProblemsOfFiles
from symrob.formats.extended.terms import (
    DataMove,
    DataRule,
    DataStore,
    DataUnit,
    DataValue,
    Specification,
    Term,
    at_location,
    conjuncts,
    constant,
    negated,
    of_store,
    shown,
    stores_in,
    term,
)
from symrob.formats.text import ERROR_NAME, Problems, keep_bound, room
from symrob.limits import Limits, tick
from symrob.lts import TAU


def read_specification(
    path: str, limits: Limits
) -> tuple[Specification, ProblemsOfFiles]:
    """Return the specification in a file and its imports.

    Args:
        path: The file.
        limits: Bounds; `max_expansion` is that of instances and of values of a type.

    Returns:
        The specification, and the collector of further problems.

    Raises:
        SymrobError: The specification is invalid; all problems of all files.
        LimitExceeded: A bound was hit.

    Cost: linear in the files and in the instances of definitions.
    Source: docs/sources.md [CIF].
    """
    scopes = _Scopes(limits)
    return scopes.read(path), scopes.problems


@dataclass
class _Channel:
    """Who sends and who receives.

    Attributes:
        senders: Of each automaton the locations that it sends from, and the values.
        receivers: Of each automaton the edges, and where they begin.
    """

    senders: dict[DataUnit, list[tuple[str, CifTree | None, CifScope, CifToken]]] = (
        field(default_factory=dict)
    )
    receivers: dict[DataUnit, list[tuple[CifEdge, str, CifScope]]] = field(
        default_factory=dict
    )


class _Scopes(CifNames):
    def __init__(self, limits: Limits) -> None:
        super().__init__(limits)
        self.problems = ProblemsOfFiles()
        self.units: list[DataUnit] = []
        self.rules: list[DataRule] = []
        self.controllable: set[str] | None = None
        self._read: set[str] = set()
        # What is done once all names are known.
        self._instances: list[tuple[CifInstance, CifScope]] = []
        self._later: list[Callable[[], None]] = []
        # Of each event with data, who sends and who receives, and with which edges.
        self._channels: dict[str, _Channel] = {}

    def read(self, path: str) -> Specification:
        with room(self.limits):
            self._file(path, self.root)
            made = 0
            while self._instances:
                tick()
                made += 1
                self._instantiate(*self._instances.pop(0), made)
            for work in self._later:
                self._trying(work)
            for channel in self._channels:
                self._trying(partial(self._connect, channel))
            self.rules = [rule for rule in self.rules if not self._guarded(rule)]
            for unit in self.units:
                self._begin_elsewhere(unit)
            self._cast_what_is_read()
            self._leave_out_counters()
        if not self.units and not any(each.errors for each in self.problems):
            hint = "read the file that imports it or instantiates its definitions"
            message = "the specification has no automaton"
            self.problems[0].error("cif-model", message, hint=hint)
        self.problems.check()
        return Specification(self.units, self.rules, self.controllable)

    def _file(self, path: str, scope: CifScope) -> None:
        self._read.add(os.path.realpath(path))
        problems = Problems(path)
        self.problems.append(problems)
        body = parsed(CifText(path, problems), self.limits)
        self.unread = self.unread or bool(problems.errors)
        if (around := body.namespace) is not None:
            for word in around.name.split("."):
                scope = self._group(around, scope, word)
        self._declare(body, scope)

    def _group(self, token: CifToken, scope: CifScope, name: str) -> CifScope:
        """A group, or that of another file with its name, which gets more here."""
        known = scope.symbols.get(name)
        again = isinstance(known, CifScope) and token.origin not in known.files
        if isinstance(known, CifScope) and again and known.files:
            known.files.append(token.origin)
            return known
        found = CifScope(scope.inside + name, scope, files=[token.origin])
        self._name(scope, token, found, name)
        return found

    def _trying(self, work: Callable[[], None]) -> None:
        try:
            work()
        except BadName:
            return

    # Declarations.

    def _name(
        self, scope: CifScope, token: CifToken, symbol: Symbol, name: str = ""
    ) -> None:
        name = name or token.name
        if name in scope.symbols:
            token.note(f"another declaration has the name '{name}'")
        scope.symbols[name] = symbol

    def _declare(self, body: CifBody, scope: CifScope) -> None:
        for part in body.parts:
            if isinstance(part, CifEvents):
                self._events(part, scope)
            elif isinstance(part, CifEnum):
                values = tuple(token.name for token in part.values)
                self._name(scope, part.name, Domain("enum", values))
                for token in part.values:
                    self._name(scope, token, constant(token.name))
            elif isinstance(part, TypeName):
                self._name(scope, part.name, CifTypeAlias(part.type, scope))
            elif isinstance(part, CifValue):
                self._name(scope, part.name, GivenValue(part.value, scope))
            elif isinstance(part, CifFunction):
                self._name(scope, part.name, CifCallable(part, scope))
            elif isinstance(part, CifVariable):
                self._variable(part, scope)
            elif isinstance(part, CifEquation):
                self._later.append(self._equation(part, scope, None))
            elif isinstance(part, Invariant):
                self._later.append(self._rule(part, scope, None))
            elif isinstance(part, CifImport):
                self._import(part)
            elif isinstance(part, CifInstance):
                self._instances.append((part, scope))
            elif part.parameters is not None:
                self._name(scope, part.name, Definition(part, scope))
            else:
                self._component(part, part.name, scope, scope)
        for tree in body.initial:
            self._later.append(self._initial(tree, scope))

    def _events(self, part: CifEvents, scope: CifScope) -> None:
        for token in part.names:
            name = scope.inside + token.name
            self._name(scope, token, EventName(name))
            if part.channel:
                self._channels[name] = _Channel()
            if part.kind != "event":
                self.controllable = self.controllable or set()
                self.controllable |= {name} if part.kind == "controllable" else set()

    def _import(self, part: CifImport) -> None:
        token = part.token
        path = beside(token.origin.path, token.text[1:-1])
        if os.path.realpath(path) in self._read:
            return
        try:
            self._file(path, self.root)
        except SymrobError as error:
            # What it declares is not known.
            self.unread = True
            for problem in error.diagnostics:
                token.note(f"{path}: {problem.message}", problem.hint or "")

    def _component(
        self,
        body: CifBody,
        name: CifToken,
        scope: CifScope,
        outer: CifScope,
        given: Mapping[str, Symbol] | None = None,
    ) -> None:
        """Add a component of a scope, whose other names are looked for in another."""
        if body.kind == "group" and given is None:
            self._declare(body, self._group(name, scope, name.name))
            return
        inner = CifScope(scope.inside + name.name, outer, symbols={**(given or {})})
        self._name(scope, name, inner)
        if body.kind != "group":
            inner.unit = DataUnit(inner.name, body.kind, name)
            self.units.append(inner.unit)
            self._automaton(body, inner, inner.unit)
        self._declare(body, inner)

    def _instantiate(self, part: CifInstance, scope: CifScope, made: int) -> None:
        deep = scope.name.count(".") >= self.limits.max_nesting
        if deep or made > self.limits.max_expansion:
            message = f"more than {self.limits.max_expansion} instances"
            hint = "--bound max-expansion raises this limit"
            if deep:
                message = "instances are nested too deeply"
                hint = "--bound max-nesting raises this limit"
            part.name.origin.note(part.name, message, "cif-limit", hint)
            self._instances.clear()
            self.problems.check()
        try:
            found = self._found(part.of, scope)
        except BadName:
            return
        if not isinstance(found, Definition):
            part.of.note(f"'{part.of.text:.60}' is not a definition")
            return
        body = found.body
        expected = body.parameters or []
        if len(expected) != len(part.given):
            number = f"{plural(len(expected), 'parameter')}, not {len(part.given)}"
            part.name.note(f"'{body.name.name}' takes {number}")
            return
        given: dict[str, Symbol] = {}
        for parameter, tree in zip(expected, part.given, strict=True):
            value = parameter.kind in ("alg", "const")
            given[parameter.name.name] = (GivenValue if value else Alias)(tree, scope)
        self._component(body, part.name, scope, found.scope, given)

    def _variable(self, part: CifVariable, scope: CifScope) -> None:
        unit, name = scope.unit, scope.inside + part.name.name
        if part.type.token.text == "cont":
            self._name(scope, part.name, LeftOut("a continuous variable"))
            return
        if part.given:
            # Who gives the input is a plant of its own, which changes it at any time.
            unit = DataUnit(name, "plant", part.name, {"": constant(True)})
            self.units.append(unit)
        elif unit is None:
            part.name.note("a discrete variable must be declared in an automaton")
            return
        store = DataStore(name, unit, len(unit.stores), (), ())
        unit.stores.append(store)
        self._name(scope, part.name, store)

        def typed() -> None:
            left_out = self._left_out(part.type, scope)
            if left_out:
                scope.symbols[part.name.name] = left_out
                _without(unit, {store})
                if part.given:
                    self.units.remove(unit)
                return
            kind = self._domain(part.type, scope)
            if kind.values is UNBOUNDED and part.first is None:
                message = "an integer without bounds has too many values"
                part.type.token.note(message, "give its range, such as int[0..9]")
                raise BadName
            store.domain = kind.values
            first = part.first
            if first is not None and not first:
                store.first = (_usual(kind.values),)
            elif first is None:
                store.first = tuple(kind.values)
            else:
                store.first = tuple(self._constant(tree, scope) for tree in first)
                for tree, value in zip(first, store.first, strict=True):
                    if value not in kind.values:
                        message = (
                            f"'{shown(value)}' is outside the range of the variable"
                        )
                        tree.token.note(message)
            if part.given:
                self._changes(unit, store, part.name)

        # Before anything that reads it.
        self._later.insert(0, typed)

    def _changes(self, unit: DataUnit, store: DataStore, token: CifToken) -> None:
        """Let an input change to any value at any time."""
        self.controllable = self.controllable or set()
        for value in store.domain:
            event = f"{store.name}={shown(value)}"
            unit.alphabet.add(event)
            there = constant(value)
            unit.moves.append(DataMove("", (event,), "", (), ((store, there),), token))

    def _guarded(self, rule: DataRule) -> bool:
        """Make a plant's rule for an event a guard of a plant that has the event.

        It means the same, and a plant of E can keep it: E has no guards of its own.
        """
        event = rule.event
        if rule.role != "plant" or event in (self.controllable or ()):
            return False
        having = [
            unit
            for unit in self.units
            if unit.role == "plant" and event in unit.alphabet - unit.monitored
        ]
        if not having:
            return False
        host = next((u for u in having if u in rule.condition.refs), having[0])
        moves, host.moves = host.moves, []
        for move in moves:
            if event in move.events:
                others = tuple(other for other in move.events if other != event)
                if others:
                    host.moves.append(move._replace(events=others))
                guards = (*move.guards, rule.condition)
                move = move._replace(events=(event,), guards=guards)
            host.moves.append(move)
        return True

    def _begin_elsewhere(self, unit: DataUnit) -> None:
        """Let plants begin as a supervisor or a requirement says.

        A synthesized supervisor may say which states of the plants are safe to begin
        in. It does not take part in what it says, and stays a component of its own.
        """
        if unit.role in ("plant", "automaton"):
            return
        if len(unit.locations) == 1:
            ((location, when),) = unit.locations.items()
            if unit not in when.refs and when.refs:
                unit.initial.append(when)
                unit.locations[location] = constant(True)
        parts = [part for said in unit.initial for part in conjuncts(said)]
        unit.initial = []
        for part in parts:
            plants = [
                other
                for other in self.units
                if other in part.refs and other.role in ("plant", "automaton")
            ]
            home = plants[0] if len(plants) == len(part.refs) > 0 else unit
            home.initial.append(part)

    def _cast_what_is_read(self) -> None:
        """Let an automaton without a role be a plant where plants and others read it.

        A specification where none has a role leaves them to the user.
        """
        if not any(unit.role == "plant" for unit in self.units):
            return
        work = [unit for unit in self.units if unit.role != "automaton"]
        refs = {unit for rule in self.rules for unit in rule.condition.units}
        while True:
            for unit in work:
                refs.update(*(each.units for each in unit.terms))
            work = [unit for unit in refs if unit.role == "automaton"]
            if not work:
                return
            for unit in work:
                unit.role = "plant"

    def _leave_out_counters(self) -> None:
        """Leave out integers without bounds that nothing reads but such ones."""
        moves = [move for unit in self.units for move in unit.moves]
        terms = [guard for move in moves for guard in move.guards]
        terms += [rule.condition for rule in self.rules]
        for unit in self.units:
            terms += [*unit.locations.values(), *unit.initial]
        read = {store for each in terms for store in stores_in(each)}
        idle = {
            store
            for unit in self.units
            for store in unit.stores
            if store.domain is UNBOUNDED and store not in read
        }
        while idle:
            read = {
                store
                for move in moves
                for target, value in move.updates
                if target not in idle
                for store in stores_in(value)
            }
            if not idle & read:
                break
            idle -= read
        for unit in self.units if idle else ():
            _without(unit, idle)
            unit.moves = [
                move._replace(
                    updates=tuple(u for u in move.updates if u[0] not in idle)
                )
                for move in unit.moves
            ]

    # Automata.

    def _automaton(self, body: CifBody, scope: CifScope, unit: DataUnit) -> None:
        if not body.locations:
            body.name.note(f"'{unit.name}' has no location")
        for location in body.locations:
            if location.name in unit.locations:
                location.token.note(f"another location has the name '{location.name}'")
            unit.locations[location.name] = constant(False)
            if location.name:
                self._name(scope, location.token, LocationName(unit, location.name))
            for part in location.invariants:
                self._later.append(self._rule(part, scope, location))
            for equation in location.equations:
                self._later.insert(0, self._equation(equation, scope, location))
        self._later.append(lambda: self._moves(body, scope, unit))

    def _moves(self, body: CifBody, scope: CifScope, unit: DataUnit) -> None:
        used: set[str] = set()
        for location in body.locations:
            first = location.initial
            if not isinstance(first, bool):
                with_tree = first

                def begins(
                    tree: CifTree = with_tree, name: str = location.name
                ) -> None:
                    unit.locations[name] = self._truth(tree, scope)

                self._trying(begins)
            else:
                unit.locations[location.name] = constant(first)
            for edge in location.edges:
                self._trying(partial(self._edge, edge, location.name, scope, unit))
        for move in unit.moves:
            used.update(event for event in move.events if event[-1] not in "!?")
        used.discard(TAU)
        begins_there = unit.locations.get(ERROR_NAME, constant(True)).value is not False
        left = any(move.source == ERROR_NAME for move in unit.moves)
        if unit.role != "plant" and not begins_there and not left:
            unit.failing = frozenset((ERROR_NAME,))
        listed = used
        if body.alphabet is not None:
            listed = {*self._event_names(body.alphabet, scope)} - {TAU}
            if missing := used - listed:
                message = f"'{min(missing)}' is on an edge of '{unit.name}'"
                body.name.note(f"{message}, but not in its alphabet")
        unit.alphabet |= listed | used
        if body.monitored is not None:
            watched = self._event_names(body.monitored, scope)
            unit.monitored = frozenset(watched) or frozenset(unit.alphabet)
            unit.alphabet |= unit.monitored

    def _edge(
        self, edge: CifEdge, source: str, scope: CifScope, unit: DataUnit
    ) -> None:
        events: list[str] = []
        received = False
        for number, token in enumerate(edge.events):
            use, value = edge.uses.get(number, ("", None))
            for event in self._event_names([token], scope):
                if not use:
                    events.append(event)
                elif event not in self._channels:
                    what = f"'{token.text:.60}' has no type (such as 'void'), so it is"
                    token.note(f"{what} not a channel and cannot be used with '{use}'")
                elif use == "!":
                    events.append(f"{event}!")
                    sent = source, value, scope, token
                    self._channels[event].senders.setdefault(unit, []).append(sent)
                else:
                    received = True
                    got = edge, source, scope
                    self._channels[event].receivers.setdefault(unit, []).append(got)
        if events or not edge.events:
            move = self._move(edge, source, scope, unit, events or [TAU])
            unit.moves.append(move)
        elif received:
            # Its problems, if nobody sends.
            self._target(edge, source, unit)

    def _move(
        self,
        edge: CifEdge,
        source: str,
        scope: CifScope,
        unit: DataUnit,
        events: Sequence[str],
    ) -> DataMove:
        target = self._target(edge, source, unit)
        guards = tuple(self._truth(tree, scope) for tree in edge.guards)
        updates = self._updates(edge.updates, scope, unit)
        return DataMove(source, tuple(events), target, guards, updates, edge.token)

    def _target(self, edge: CifEdge, source: str, unit: DataUnit) -> str:
        if edge.target is None:
            return source
        target = edge.target.name
        if target not in unit.locations:
            message = f"'{unit.name}' has no location '{target}'"
            hint = did_you_mean(target, unit.locations)
            edge.target.note(message, hint or "")
            raise BadName
        return target

    # Channels.

    def _connect(self, event: str) -> None:
        """Make a channel an event of each pair of a sender and a receiver.

        Exactly one of each take part, with all automata that only synchronize. A lone
        pair keeps the name; a channel without a pair never happens: only requirements
        have it.
        """
        channel = self._channels[event]
        pairs = [
            (s, r) for s in channel.senders for r in channel.receivers if s is not r
        ]
        who = f"the channel '{event}'"
        what = "more than {} pairs of a sender and a receiver"
        keep_bound(who, len(pairs), self.limits, "expansion", what)
        names = [f"{event}!{s.name}?{r.name}" for s, r in pairs]
        names = [event] if len(pairs) == 1 else names
        named = [*zip(pairs, names, strict=True)]
        for unit in self.units:
            tick()
            idle = not names and unit.role in ("requirement", "property")
            if event in unit.alphabet and not idle:
                unit.alphabet |= {*names}
                if event not in names:
                    unit.alphabet.discard(event)
            if event in unit.monitored:
                unit.monitored = unit.monitored - {event} | {*names}
            sent = [name for (s, _r), name in named if s is unit]
            got = [(s, name) for (s, r), name in named if r is unit]
            if unit in channel.senders or unit in channel.receivers:
                unit.alphabet |= {*sent, *(name for _s, name in got)}
            means = {event: [event] if idle else names, f"{event}!": sent}
            moves, unit.moves = unit.moves, []
            for move in moves:
                events = [n for each in move.events for n in means.get(each, [each])]
                if events:
                    unit.moves.append(move._replace(events=tuple(events)))
            for sender, name in got:
                self.received = partial(self._sent, event, sender)
                try:
                    for edge, source, scope in channel.receivers[unit]:
                        move = self._move(edge, source, scope, unit, [name])
                        unit.moves.append(move)
                finally:
                    self.received = None
        rules, self.rules = self.rules, []
        for rule in rules:
            said = names or [event] if rule.event == event else [rule.event]
            self.rules += (rule._replace(event=name) for name in said)
        if event in (self.controllable or ()):
            self.controllable = {*(self.controllable or ()), *names}

    def _sent(self, event: str, sender: DataUnit) -> Term:
        """The value that an automaton sends."""
        found: dict[str, Term] = {}
        for source, value, scope, token in self._channels[event].senders[sender]:
            if value is None:
                token.note(f"'{token.text:.60}' is sent without a value")
                raise BadName
            sent = self._term(value, scope)
            if found.setdefault(source, sent).key != sent.key:
                what = "is sent with different values from one location, which is not"
                token.note(f"'{token.text:.60}' {what} supported")
                raise BadName
        *others, last = found.items()
        if all(sent.key == last[1].key for _source, sent in others):
            return last[1]
        parts: list[Term] = []
        for source, sent in others:
            parts += [at_location(sender, source), sent]
        return term("if", last[1].type, [*parts, last[1]]) if parts else last[1]

    def _updates(
        self, updates: Iterable[CifAssignment], scope: CifScope, unit: DataUnit
    ) -> tuple[tuple[DataStore, Term], ...]:
        found: dict[DataStore, Term] = {}
        for update in updates:
            if update.value is not None:
                written = [self._found(each, scope) for each in update.parts]
                store = self._found(update.name, scope)
                if all(isinstance(each, LeftOut) for each in (store, *written)):
                    # Nothing that matters reads it.
                    continue
                if written:
                    what = "an assignment to several variables, or to a part of one,"
                    update.name.note(f"{what} is not supported")
                    raise BadName
                if not isinstance(store, DataStore) or store.owner is not unit:
                    what = f"'{update.name.text:.60}' is not a variable of"
                    update.name.note(f"{what} '{unit.name}'")
                    raise BadName
                self._assign(found, store, self._term(update.value, scope), update)
                continue
            chosen = [dict(self._updates(u, scope, unit)) for _if, u in update.branches]
            if not any(chosen):
                continue
            conditions = [
                constant(True) if tree is None else self._truth(tree, scope)
                for tree, _updates in update.branches
            ]
            for store in dict.fromkeys(s for each in chosen for s in each):
                same = of_store(store)
                parts: list[Term] = []
                for condition, each in zip(conditions, chosen, strict=True):
                    parts += [condition, each.get(store, same)]
                parts.append(same)
                value = term("if", same.type, parts)
                self._assign(found, store, value, update)
        return tuple(found.items())

    def _assign(
        self,
        found: dict[DataStore, Term],
        store: DataStore,
        value: Term,
        update: CifAssignment,
    ) -> None:
        if store in found:
            update.name.note(f"'{store.name}' is assigned twice")
        if value.type != of_store(store).type:
            update.name.note(f"'{store.name}' does not support a value of this type")
        found[store] = value

    def _event_names(self, tokens: Iterable[CifToken], scope: CifScope) -> list[str]:
        names = []
        for token in tokens:
            if token.text == TAU:
                names.append(TAU)
                continue
            try:
                event = self._found(token, scope, event=True)
            except BadName:
                continue
            if isinstance(event, EventName):
                names.append(event.name)
            else:
                token.note(f"'{token.text:.60}' is not an event")
        return names

    def _initial(self, tree: CifTree, scope: CifScope) -> Callable[[], None]:
        def work() -> None:
            condition = self._truth(tree, scope)
            # Of a group: the automata that it refers to form one component.
            mine = [unit for unit in self.units if unit in condition.refs]
            for unit in ([scope.unit] if scope.unit else mine or self.units)[:1]:
                unit.initial.append(condition)

        return work

    def _equation(
        self, part: CifEquation, scope: CifScope, location: CifLocation | None
    ) -> Callable[[], None]:
        def work() -> None:
            found = self._found(part.name, scope)
            if isinstance(found, LeftOut):
                return
            if not isinstance(found, GivenValue) or found.tree is not None:
                name = f"'{part.name.text:.60}'"
                message = f"{name} is not an algebraic variable"
                if isinstance(found, GivenValue):
                    message = f"the algebraic variable {name} already has a value"
                part.name.note(message)
            elif location is None:
                found.tree = part.value
            else:
                assert scope.unit is not None
                found.at.append((scope.unit, location.name, part.value))

        return work

    def _rule(
        self, part: Invariant, scope: CifScope, location: CifLocation | None
    ) -> Callable[[], None]:
        def work() -> None:
            condition = self._truth(part.condition, scope)
            if part.form == "disables":
                condition = negated(condition)
            unit = scope.unit
            if location is not None and unit is not None:
                condition = term(
                    "=>", "bool", (at_location(unit, location.name), condition)
                )
            role = part.kind
            if not role:
                role = unit.role if unit and unit.role != "automaton" else "requirement"
            events = self._event_names(part.events, scope)
            for event in events if part.form != "holds" else [""]:
                name = part.name and scope.inside + part.name
                self.rules.append(DataRule(role, event, condition, name))

        return work


def _without(unit: DataUnit, left_out: Container[DataStore]) -> None:
    """Take variables from an automaton."""
    unit.stores = [store for store in unit.stores if store not in left_out]
    for number, store in enumerate(unit.stores):
        store.index = number


def _usual(values: Sequence[DataValue]) -> DataValue:
    """The value that a variable begins with where nothing is said."""
    if isinstance(values[0], int) and not isinstance(values[0], bool):
        if 0 in values:
            return 0
        return min(values, key=lambda v: abs(v) if isinstance(v, int) else 0)
    return values[0]
