"""The roles of the automata of a specification, and its requirements as sentences.

In:  a `Specification`.
Out: clusters with roles; sentences about their states.

- E consists of the plants whose events are all uncontrollable and whose edges read no
  other automaton; C consists of the other plants and the supervisors.
- Without a supervisor, the requirements act as one: a condition on a controllable event
  is a guard of C, a requirement automaton a part of C.
- All other requirements are properties.
- The user may choose the plants of E, and for each requirement, by name or event,
  whether it is a guard or a property.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from symrob.errors import did_you_mean
from symrob.formats.automata import (
    CONTROLLER,
    NEVER,
    OTHER,
    PLANT,
    SAID,
    SPECIFICATION,
    Automaton,
)
from symrob.formats.extended.terms import (
    DataRule,
    DataStore,
    DataUnit,
    NoValue,
    Places,
    Specification,
    Term,
    at_location,
    both,
    constant,
    negated,
    of_store,
    term,
)
from symrob.formats.extended.unfold import (
    DataCluster,
    Inseparable,
    cluster,
    supervising,
)
from symrob.formats.registry import WrongRole
from symrob.formats.text import NO_CHOICE, RoleChoice
from symrob.limits import Limits, tick
from symrob.lts import ERROR, Lts

_ROLES = {
    "plant": PLANT,
    "requirement": SPECIFICATION,
    "property": SPECIFICATION,
    "supervisor": CONTROLLER,
    "automaton": OTHER,
}
_ENABLED, _ONLY = "enabled only while", "only while"
# Words that a name in a sentence must not be.
_KEPT = {"and", "or", "not", "is", "only", "never", "no", "while", "enabled", "at"}


@dataclass
class Cast:
    """The automata of a file with their roles.

    Attributes:
        automata: Their transition systems.
        environment: The names of those in E by default; `None` for all plants.
        sentences: Property sentences about states.
        guards: Sentences that restrict the actions of C.
        wrong: Problems of the user's choice of roles.
    """

    automata: list[Automaton] = field(default_factory=list)
    environment: tuple[str, ...] | None = None
    sentences: list[str] = field(default_factory=list)
    guards: list[str] = field(default_factory=list)
    wrong: list[WrongRole] = field(default_factory=list)


def cast(
    spec: Specification, path: str, limits: Limits, choice: RoleChoice = NO_CHOICE
) -> Cast:
    """Assign roles to the automata of a specification.

    Args:
        spec: The specification; problems are noted at its tokens.
        path: The file, for messages.
        limits: Bounds on states and transitions.
        choice: The user's choice of roles.

    Raises:
        LimitExceeded: A bound was hit.

    Cost: that of `unfold.cluster` for each component.
    """
    return _Casting(spec, path, limits, choice).cast()


class _Casting:
    def __init__(
        self, spec: Specification, path: str, limits: Limits, choice: RoleChoice
    ) -> None:
        self.spec, self.path, self.limits, self.choice = spec, path, limits, choice
        self.wrong: list[WrongRole] = []
        # The automata that the user wants to be E, and how they are named.
        self._named: Mapping[DataUnit, str] = {}
        self.acting = not any(unit.role == "supervisor" for unit in spec.units)
        controllable = spec.controllable or set()
        events = set().union(*(unit.alphabet for unit in spec.units))
        events |= {rule.event for rule in spec.rules if _required(rule.role)}
        events.discard("")
        self.controllable = {event: event in controllable for event in events}
        self.rules = {*self._only_guarding()}
        # The requirements, by their names, of which something can be violated.
        self.telling: set[object] = set()
        # The clusters, in the order of their first automata.
        self._all: list[DataCluster] = []
        # What sentences call an automaton, and its states.
        self.shown: dict[DataUnit, tuple[str, DataCluster]] = {}

    def cast(self) -> Cast:
        rules = self._rules()
        self._check_choice(rules)
        self._unfold([r for r in rules if r.role == "plant" and not r.event])
        found = Cast(environment=self._environment(), wrong=self.wrong)
        spoken = frozenset().union(
            *(rule.condition.refs for rule in rules),
            *(c.refs for each in self._all for c in each.guarded.values()),
        )
        for each in self._all:
            if _required(each.role):
                self._requirement(each, found, bool(spoken & {*each.units}))
                continue
            found.automata.append(Automaton(each.name, _ROLES[each.role], each.lts))
            self.shown.update(dict.fromkeys(each.units, (each.name, each)))
        for each in self._all:
            for event, how, condition in self._guards(each):
                self._say(found, event, how, condition, each.name)
        plants = [each.name for each in found.automata if each.role == PLANT]
        usual = found.environment
        if usual is None:
            usual = () if self.acting else tuple(plants)
        mine = {
            event
            for each in found.automata
            if each.name not in usual
            for event in each.lts.alphabet
        }
        for rule in rules:
            of = rule.name or rule
            if rule.event:
                blocks = self._blocks(rule.role, rule.event, rule.name)
                if rule.role == "requirement" and rule.event not in mine:
                    self._refuse_guard(rule)
                    blocks = False
                how = _ENABLED if blocks else _ONLY
                self._say(found, rule.event, how, rule.condition, of)
            elif rule.role != "plant":
                self._say(found, "", "never", negated(rule.condition), of)
        said: set[object] = {r.name or r for r in rules if _required(r.role)}
        said |= {unit.name for unit in self.rules}
        said |= {each.name for each in self._all if _required(each.role)}
        if self.shown and not said <= self.telling:
            # It always holds, and is a property that says so.
            here = self._here()
            found.sentences.append(f"never {here} and not {here}")
        self._never(found, (rule.event for rule in rules if rule.role != "plant"))
        found.sentences = list(dict.fromkeys(found.sentences))
        found.guards = list(dict.fromkeys(found.guards))
        return found

    def _rules(self) -> list[DataRule]:
        """What must hold, with requirements of one location, which only have guards."""
        known = {"", *self.controllable}
        rules = [rule for rule in self.spec.rules if rule.event in known]
        for unit in self.spec.units:
            if unit in self.rules:
                for event in sorted(unit.alphabet - unit.monitored):
                    allowed = [
                        both(move.guards) for move in unit.moves if event in move.events
                    ]
                    condition = term("or", "bool", allowed or [constant(False)])
                    rules.append(DataRule(unit.role, event, condition, unit.name))
        return rules

    def _only_guarding(self) -> Iterator[DataUnit]:
        """Requirements that only say when events may happen, and that nothing reads."""
        units = self.spec.units
        terms = [rule.condition for rule in self.spec.rules]
        terms += [each for unit in units for each in unit.terms]
        read = frozenset().union(*(each.units for each in terms))
        return (unit for unit in units if _is_rule(unit) and unit not in read)

    def _never(self, found: Cast, speaking: Iterable[str]) -> None:
        """Let C block what only requirements have, where C or a sentence has it.

        Such an event never happens.
        """
        acting = [unit for unit in self.spec.units if not _required(unit.role)]
        events = {event for event in speaking if event}
        for each in found.automata:
            if each.role == CONTROLLER:
                events |= {*each.lts.alphabet}
        events = events.difference(*(unit.alphabet for unit in acting))
        if acting and events:
            name = f"{NEVER}{'+'.join(sorted(events))})"
            found.automata.append(Automaton(name, CONTROLLER, Lts(events, 1, ()), True))

    def _unfold(self, invariants: Sequence[DataRule]) -> None:
        """Compute the product of what belongs together, until it does."""
        groups: list[frozenset[DataUnit]] = [
            frozenset((unit,)) for unit in self.spec.units if unit not in self.rules
        ]
        together = [rule.condition.refs for rule in invariants]
        together += self._inside()
        known: dict[frozenset[DataUnit], DataCluster] = {}
        work = together
        reasons: list[Inseparable] = []
        while True:
            for units in work:
                groups = _joined(groups, units)
            work = []
            for group in groups:
                tick()
                if group in known:
                    continue
                members = [unit for unit in self.spec.units if unit in group]
                mine = [rule for rule in invariants if rule.condition.refs <= group]
                try:
                    known[group] = cluster(members, mine, self.path, self.limits)
                except Inseparable as more:
                    work.append(more.units)
                    reasons.append(more)
            if not work:
                break
        known = {group: known[group] for group in groups}
        for group, found in known.items():
            if _in_conflict(group):
                names = " and ".join(sorted(unit.name for unit in group))
                message = f"{names} have different roles, but form one component"
                hint = "remove the edges that read or change each other's data"
                token = found.units[0].token
                for reason in reasons:
                    if reason.units <= group and _in_conflict(reason.units):
                        message += f": {reason.why}"
                        token = reason.token or token
                        break
                token.note(message, hint)
        order = {unit: number for number, unit in enumerate(self.spec.units)}
        self._all = sorted(known.values(), key=lambda each: order[each.units[0]])

    def _inside(self) -> Iterator[frozenset[DataUnit]]:
        """What guards of E's plants speak of: E has no guards of its own."""
        mine = {*self._uncontrolled}
        if not self.acting and self.choice.environment is None:
            mine = {unit for unit in self.spec.units if unit.role == "plant"}
        for unit in mine:
            for move in unit.moves:
                for guard in move.guards:
                    if guard.units <= mine and not guard.units <= {unit}:
                        yield guard.units | {unit}

    @cached_property
    def _uncontrolled(self) -> list[DataUnit]:
        """The plants that can be E: all their events happen as they like."""
        if self.choice.environment is not None:
            return self._chosen_environment(self.choice.environment)
        if self.spec.controllable is None:
            return []
        found = [
            unit
            for unit in self.spec.units
            if unit.role == "plant"
            and not any(self.controllable[event] for event in unit.alphabet)
        ]
        while True:
            reading = [
                unit
                for unit in found
                for move in unit.moves
                if not _read(move.guards, move.updates) <= {*found}
            ]
            reading += [unit for unit in found if not unit.changers <= {*found}]
            if not reading:
                return found
            found = [unit for unit in found if unit not in reading]

    def _chosen_environment(self, names: Iterable[str]) -> list[DataUnit]:
        """The plants that the user wants to be E, with the variables of theirs."""
        roles = PLANT, OTHER
        plants = {u.name: u for u in self.spec.units if _ROLES[u.role] in roles}
        found: dict[DataUnit, str] = {}
        for name in names:
            # A name may be that of several, which form one component.
            parts = [name] if name in plants else name.split("+")
            if unknown := [part for part in parts if part not in plants]:
                message = f"this file has no plant '{unknown[0]}'"
                listed = ", ".join(plants)
                hint = did_you_mean(unknown[0], plants) or f"its plants: {listed}"
                self.wrong.append(WrongRole("environment", name, message, hint))
            found |= {plants[part]: name for part in parts if part in plants}
        for unit in plants.values():
            if unit.changers and unit.changers <= found.keys():
                found.setdefault(unit, found[min(unit.changers, key=repr)])
        for unit, name in found.items():
            read = frozenset().union(
                *(_read(move.guards, move.updates) for move in unit.moves)
            )
            if missing := sorted(each.name for each in read - found.keys()):
                listed = ", ".join(missing)
                message = f"'{unit.name}' depends on {listed}, which E lacks"
                hint = f"assign '{unit.name}' to C"
                if all(each.name in plants for each in read - found.keys()):
                    hint = f"add {listed} to E, or {hint}"
                self.wrong.append(WrongRole("environment", name, message, hint))
        self._named = found
        return [unit for unit in self.spec.units if unit in found]

    def _check_choice(self, rules: Iterable[DataRule]) -> None:
        """Note what is wrong with what is said of requirements."""
        required = {u.name for u in self.spec.units if _required(u.role)}
        said = [rule for rule in rules if rule.role == "requirement"]
        known = required | {word for r in said for word in (r.name, r.event) if word}
        always = {rule.name for rule in said if not rule.event} - required
        for key in ("properties", "guards"):
            for name in getattr(self.choice, key):
                hint: str | None = None
                if name not in known:
                    message = f"no requirement has the name or the event '{name}'"
                    hint = did_you_mean(name, known)
                    hint = hint or f"its requirements: {', '.join(sorted(known))}"
                elif key == "guards" and name in always:
                    message = f"'{name}' is about states and cannot be a guard"
                    hint = "a guard says when an event is possible"
                elif key == "guards" and name in self.choice.properties:
                    message = f"'{name}' is also named as a property"
                else:
                    continue
                self.wrong.append(WrongRole(key, name, message, hint))

    def _refuse_guard(self, rule: DataRule) -> None:
        """Note that the user wants a requirement to act in a C that cannot do it."""
        for name in self.choice.guards:
            if name in (rule.name, rule.event):
                message = f"C takes no part in '{rule.event}' and cannot prevent it"
                self.wrong.append(WrongRole("guards", name, message))

    def _environment(self) -> tuple[str, ...] | None:
        given = self.choice.environment
        if given is None and (not self.acting or self.spec.controllable is None):
            return None
        mine = {*self._uncontrolled}
        names = [each.name for each in self._all if {*each.units} <= mine]
        if given is None:
            return tuple(names) or None
        for each in self._all:
            others = sorted(unit.name for unit in {*each.units} - mine)
            for unit in mine & {*each.units} if others and not self.wrong else ():
                message = f"'{unit.name}' forms one component with {', '.join(others)}"
                hint = (
                    "name all of them or none: edges read or change each other's data"
                )
                wrong = WrongRole("environment", self._named[unit], message, hint)
                self.wrong.append(wrong)
        return tuple(names)

    def _requirement(self, each: DataCluster, found: Cast, spoken: bool) -> None:
        """A requirement is a property; it is in C where it acts or is spoken of."""
        alone = each.alone
        role, names = each.role, [unit.name for unit in each.units]
        acts = any(name in self.choice.guards for name in names)
        if not each.guarded and not acts:
            kind = SPECIFICATION if alone else SAID
            found.automata.append(Automaton(each.name, kind, each.lts))
        blocked = {a for a in each.lts.alphabet if self._blocks(role, a, *names)}
        if alone or acts:
            self.telling.add(each.name)
        if alone and not spoken and not blocked:
            return
        copy = supervising(each, blocked)
        name = each.name if each.guarded else f"supervisor({each.name})"
        found.automata.append(Automaton(name, CONTROLLER, copy.lts, not each.guarded))
        self.shown.update(dict.fromkeys(each.units, (name, copy)))
        rows = each.lts.transitions
        lost = any(t.target == ERROR and t.action not in blocked for t in rows)
        if not alone and lost:
            found.sentences.append(f"never {_quoted(name)} is {copy.states[-1]}")
            self.telling.add(each.name)

    def _blocks(self, role: str, event: str, *names: str) -> bool:
        """Whether what has a role blocks an event, and is not violated by it."""
        if _required(role):
            for word in filter(None, (*names, event)):
                if word in self.choice.guards or word in self.choice.properties:
                    return word in self.choice.guards
        if role == "requirement":
            return self.acting and self.controllable[event]
        return role != "property"

    def _guards(self, each: DataCluster) -> Iterator[tuple[str, str, Term]]:
        """When the edges of an automaton are there, as far as others say so.

        Of a requirement with such edges, what it does not block is a property.
        """
        role = each.role
        required = _required(role) and not each.alone
        alike: dict[object, Term] = {}
        by_event: dict[str, dict[Term, list[int]]] = {}
        for (state, event), found in each.guarded.items():
            condition = alike.setdefault(found.key, found)
            by_event.setdefault(event, {}).setdefault(condition, []).append(state)
        events = {*by_event, *(each.lts.alphabet if required else ())}
        for event in sorted(events):
            blocks = self._blocks(role, event, *(u.name for u in each.units))
            guarded = by_event.get(event, {})
            if blocks and not guarded:
                continue
            free = [
                state
                for state, row in enumerate(each.lts.successors)
                if event in row and (state, event) not in each.guarded
            ]
            alternatives = [
                both([_in(each, states), condition])
                for condition, states in guarded.items()
            ]
            if free:
                alternatives.append(_in(each, free))
            elif len(guarded) == 1 and blocks:
                # It has no edge anywhere else.
                alternatives = [*guarded]
            condition = term("or", "bool", alternatives or [constant(False)])
            yield event, _ENABLED if blocks else _ONLY, condition

    # Sentences.

    def _here(self) -> str:
        """A condition for sentences that hold always or never."""
        name, each = next(iter(self.shown.values()))
        return f"{_quoted(name)} is {_quoted(each.states[0])}"

    def _say(
        self, found: Cast, event: str, how: str, condition: Term, of: object
    ) -> None:
        """Add a sentence of a requirement, unless it says nothing."""
        if not self.shown:
            return
        said, here = self._text(condition), self._here()
        if how == _ENABLED or said is not bool(event):
            self.telling.add(of)
        if not event:
            always = f"{here} or not {here}" if said is True else said
            found.sentences += [f"never {always}"] if always else []
        elif said is False and how == _ONLY:
            found.sentences.append(f"never {_quoted(event)}")
        elif said is not True:
            where = found.guards if how == _ENABLED else found.sentences
            where.append(f"{_quoted(event)} {how} {said or f'{here} and not {here}'}")

    def _text(self, condition: Term, tight: bool = False) -> str | bool:
        """A condition in words; a truth value where it is one in all states."""
        kind, parts = condition.kind, condition.parts
        if kind == "value":
            return bool(condition.value)
        if kind == "not":
            inner = self._text(parts[0], tight=True)
            return not inner if isinstance(inner, bool) else f"not {inner}"
        if kind == "!=":
            same = term("=", "bool", parts)
            return self._text(Term("not", "bool", (same,), None, same.refs), tight)
        if kind == "=>":
            return self._text(term("or", "bool", (negated(parts[0]), parts[1])), tight)
        units = [unit for unit in self.shown if unit in condition.refs]
        names = dict.fromkeys(self.shown[unit][0] for unit in units)
        if kind in ("and", "or") and (len(names) > 1 or not _plain(condition)):
            ends, said = kind == "or", []
            for part in parts:
                inner = self._text(part, tight=True)
                if inner is ends:
                    return ends
                if not isinstance(inner, bool):
                    said.append(inner)
            if not said:
                return not ends
            joined = f" {kind} ".join(dict.fromkeys(said))
            return f"({joined})" if tight and len(said) > 1 else joined
        return self._listed(condition, units, tight)

    def _listed(
        self, condition: Term, units: list[DataUnit], tight: bool
    ) -> str | bool:
        """A condition by the states that meet it, one automaton after the other."""
        name, mine = self.shown[units[0]]
        inside = condition.refs & {*mine.units}
        met: dict[str | bool, list[str]] = {}
        # Many states leave the same to others.
        known: dict[object, str | bool] = {}
        for state, places in zip(mine.states, mine.places, strict=False):
            tick()
            rest = _fixed(condition, inside, places)
            said = known.get(rest.key)
            if said is None:
                said = known[rest.key] = self._text(rest, tight=True)
            met.setdefault(said, []).append(state)
        alternatives = []
        for rest_said, states in met.items():
            if rest_said is False:
                continue
            if len(states) == len(mine.places):
                return rest_said
            listed = " or ".join(map(_quoted, states))
            here = f"{_quoted(name)} is {listed}"
            alternatives.append(
                here if rest_said is True else f"({here}) and {rest_said}"
            )
        if not alternatives:
            return False
        several = len(alternatives) > 1 or " or " in alternatives[0]
        joined = " or ".join(alternatives)
        return f"({joined})" if tight and several else joined


def _required(role: str) -> bool:
    """Whether what has a role is a requirement."""
    return _ROLES[role] == SPECIFICATION


def _in_conflict(units: Iterable[DataUnit]) -> bool:
    """Whether automata have different roles."""
    return len({unit.role for unit in units} - {"automaton"}) > 1


def _fixed(condition: Term, units: frozenset[DataUnit], places: Places) -> Term:
    """A condition where some automata are somewhere."""
    if not condition.refs & units:
        return condition
    if condition.refs <= units:
        try:
            return constant(condition.within(places))
        except NoValue:
            return constant(False)
    parts = [_fixed(part, units, places) for part in condition.parts]
    return term(condition.kind, condition.type, parts, condition.value)


def _plain(condition: Term) -> bool:
    """Whether it says where an automaton is, and never where it is not."""
    return condition.kind not in ("not", "=>", "!=") and all(
        map(_plain, condition.parts)
    )


def _in(each: DataCluster, states: Sequence[int]) -> Term:
    """That a system is in one of some states."""
    found = []
    for state in states:
        parts = []
        for unit, place in each.places[state].items():
            if len(unit.locations) > 1:
                parts.append(at_location(unit, place.location))
            for store, value in zip(unit.stores, place.values, strict=True):
                parts.append(term("=", "bool", (of_store(store), constant(value))))
        found.append(both(parts))
    return term("or", "bool", found)


def _quoted(name: str) -> str:
    """A name as sentences take it."""
    if re.fullmatch(r"[\w.+=-]+", name) and name not in _KEPT:
        return name
    return f"'{name}'" if "'" not in name else f'"{name}"'


def _is_rule(unit: DataUnit) -> bool:
    """Whether a requirement only says when events may happen."""
    return (
        _required(unit.role)
        and len(unit.locations) == 1
        and not unit.stores
        and any(move.guards for move in unit.moves)
        and not any(
            move.updates or any(guard.refs != guard.units for guard in move.guards)
            for move in unit.moves
        )
    )


def _read(
    guards: Iterable[Term], updates: Iterable[tuple[DataStore, Term]]
) -> frozenset[DataUnit]:
    """The automata that an edge reads or changes."""
    parts = (*guards, *(value for _store, value in updates))
    owners = (store.owner for store, _value in updates)
    return frozenset().union(*(part.units for part in parts), owners)


def _joined(
    groups: list[frozenset[DataUnit]], units: frozenset[DataUnit]
) -> list[frozenset[DataUnit]]:
    """Groups, of which those that share automata with some become one."""
    touched = [group for group in groups if group & units]
    if len(touched) < 2:
        return groups
    rest = [group for group in groups if not group & units]
    return [*rest, frozenset().union(*touched)]
