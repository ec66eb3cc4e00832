"""JSON that names things (`.json`): states by name, several systems, their roles.

In:  an object with the schema `symrob/model/1` (symrob/schemas/model.json):

    {"schema": "symrob/model/1",
     "systems": [
       {"name": "DOOR", "role": "environment", "initial": "SHUT",
        "transitions": [["SHUT", "open", "WIDE"], ["WIDE", "close", "SHUT"]]}]}

Out: its systems as a network; `#NAME` or `#NAME,NAME` chooses some.

`states` and `alphabet` add what no transition has; `end` is the state of successful
termination; `ERROR` is the error state and `tau` the internal move; `hidden` are
actions that nobody outside sees. The roles make such a file a whole case.
"""

from __future__ import annotations

import re
from typing import Any

from symrob.files.jsontext import Path, located, parsed
from symrob.formats.automata import (
    CONTROLLER,
    OTHER,
    PLANT,
    SPECIFICATION,
    Automaton,
    chosen,
    parts,
)
from symrob.formats.registry import Format, Parts, Source
from symrob.formats.text import (
    ModelFile,
    Problems,
    check_states,
    check_transitions,
    read_text,
)
from symrob.limits import watched
from symrob.lts import ERROR, TAU, Lts
from symrob.lts.model import HALF, HALF_OF_A_PAIR

SCHEMA = "symrob/model/1"
_BEGINS = re.compile(rf'"schema"\s*:\s*"{SCHEMA}"')
_ROLES = {
    "environment": PLANT,
    "controller": CONTROLLER,
    "property": SPECIFICATION,
}
_TOP = ("schema", "systems", "hidden", "title")
_KEYS = ("name", "role", "initial", "transitions", "states", "alphabet", "end")
_ERROR_NAME = "ERROR"
_PARTS = ("the source state", "the action", "the target state")


def _begins(text: str) -> bool:
    return _BEGINS.search(text) is not None


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.problems = Problems(source.path)
        self.text = ""
        self.hidden: frozenset[str] = frozenset()

    def read(self) -> list[Automaton]:
        self.text = read_text(self.source.path)
        data = parsed(
            self.text,
            self.source.path,
            "json-syntax",
            object_pairs_hook=self._unique,
        )
        if not isinstance(data, dict) or data.get("schema") != SCHEMA:
            self._error((), f"expected an object with the schema '{SCHEMA}'")
            self.problems.check()
        self._known(data, _TOP, ())
        systems = data.get("systems")
        if not isinstance(systems, list) or not systems:
            self._error(("systems",), "expected a list of systems, at least one")
            self.problems.check()
        found: list[Automaton] = []
        for i, system in enumerate(systems or ()):
            automaton = self._system(system, ("systems", i))
            if automaton is None:
                continue
            if any(automaton.name == other.name for other in found):
                message = f"another system has the name '{automaton.name}'"
                self._error(("systems", i, "name"), message)
            found.append(automaton)
        self.hidden = frozenset(self._texts(data, "hidden", ()))
        if not self.problems.errors:
            actions = {a for each in found for a in each.lts.alphabet}
            for i, action in enumerate(data.get("hidden", ())):
                if action not in actions:
                    message = f"no system has the action '{action}'"
                    self._error(("hidden", i), message)
        self.problems.check(sort=True)
        return found

    def _unique(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        data = dict(pairs)
        if len(data) < len(pairs):
            keys = [key for key, _value in pairs]
            twice = next(key for key in keys if keys.count(key) > 1)
            self.problems.error(
                "json-value", f"the key '{twice}' stands twice in one object"
            )
            self.problems.check()
        return data

    def _system(self, data: object, at: Path) -> Automaton | None:
        before = len(self.problems.errors)
        if not isinstance(data, dict):
            self._error(at, "expected an object for a system")
            return None
        self._known(data, _KEYS, at)
        name, initial = data.get("name"), data.get("initial")
        self._name(name, (*at, "name"), "the name of a system")
        self._name(initial, (*at, "initial"), "the name of the initial state")
        if initial == _ERROR_NAME:
            message = "the ERROR state has no transitions: it cannot be initial"
            self._error((*at, "initial"), message)
        role = data.get("role")
        if role is not None and role not in _ROLES:
            known = ", ".join(_ROLES)
            self._error((*at, "role"), f"the role of a system is one of {known}")
        listed = self._texts(data, "states", at)
        alphabet = self._texts(data, "alphabet", at)
        rows = self._rows(data, at)
        end = data.get("end")
        states = {initial: 0} if isinstance(initial, str) else {}
        for state in (*listed, *(s for row in rows for s in (row[0], row[2]))):
            if state != _ERROR_NAME:
                states.setdefault(state, len(states))
        check_states(self.source.path, len(states), self.source.limits)
        if end is not None and end not in states:
            self._error((*at, "end"), "expected the name of a state")
        if TAU in alphabet:
            self._error((*at, "alphabet"), f"'{TAU}' is the internal move")
        if len(self.problems.errors) > before:
            return None
        numbers = {**states, _ERROR_NAME: ERROR}
        lts = Lts(
            {*alphabet, *(row[1] for row in rows)} - {TAU},
            len(states),
            [(numbers[source], a, numbers[target]) for source, a, target in rows],
            names=list(states),
            end=None if end is None else states[end],
        )
        return Automaton(str(name), _ROLES[role] if role else OTHER, lts)

    def _rows(self, data: dict[str, Any], at: Path) -> list[tuple[str, str, str]]:
        rows = data.get("transitions")
        if not isinstance(rows, list):
            self._error((*at, "transitions"), "expected a list of transitions")
            return []
        check_transitions(self.source.path, len(rows), self.source.limits)
        found = []
        for i, row in enumerate(watched(rows)):
            place = (*at, "transitions", i)
            if not isinstance(row, list) or len(row) != 3:
                self._error(place, 'expected ["SOURCE", "action", "TARGET"]')
                continue
            before = len(self.problems.errors)
            for j, part in enumerate(row):
                self._name(part, (*place, j), f"the name of {_PARTS[j]}")
            if len(self.problems.errors) > before:
                continue
            if row[0] == _ERROR_NAME:
                self._error((*place, 0), "the ERROR state has no transitions")
            else:
                found.append((row[0], row[1], row[2]))
        return found

    def _texts(self, data: dict[str, Any], key: str, at: Path) -> list[str]:
        value = data.get(key, [])
        if not isinstance(value, list):
            self._error((*at, key), "expected a list of texts")
            return []
        what = f"the name of {'a state' if key == 'states' else 'an action'}"
        places = ((item, (*at, key, i)) for i, item in enumerate(value))
        return [item for item, place in places if self._name(item, place, what)]

    def _name(self, value: object, at: Path, what: str) -> bool:
        """Whether a value can be a name; says so if it cannot."""
        if not isinstance(value, str):
            message = f"expected {what}"
        elif not value:
            message = f"expected {what}, not an empty text"
        elif not value.isascii() and HALF_OF_A_PAIR.search(value):
            message = f"expected {what}; the text holds {HALF}"
        else:
            return True
        self._error(at, message)
        return False

    def _known(self, data: dict[str, Any], keys: tuple[str, ...], at: Path) -> None:
        for key in data:
            if key not in keys:
                known = ", ".join(keys)
                self._error((*at, key), f"unknown key '{key:.40}'; known are {known}")

    def _error(self, at: Path, message: str) -> None:
        self.problems.error("json-model", message, **located(self.text, at))


def _read(source: Source) -> ModelFile:
    reader = _Reader(source)
    found = reader.read()
    return chosen(found, source, hidden=reader.hidden)


def _parts(source: Source) -> Parts:
    return parts(_Reader(source).read())


FORMAT = Format("states by name", _read, begins=_begins, parts=_parts, has_parts=True)
