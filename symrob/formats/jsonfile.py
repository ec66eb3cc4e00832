"""JSON files: systems with states by number, or several with states by name.

In:  `{"alphabet": […], "states": n, "transitions": [[source, action, target],
     …]}`, with optional `names` (of the states) and `end`; or
     `{"components": [system, …]}`, with optional `names` (of the components)
     and `hidden` (a list of actions).
Out: an `Lts` or a `Network`; in the other direction the lines of such a file.

State 0 is initial, or the optional `initial` lists the initial states; -1 is ERROR,
`tau` is an internal move. Only this format can express everything.

In:  or an object with the schema `symrob/model/1` (symrob/schemas/model.json):

    {"schema": "symrob/model/1",
     "systems": [
       {"name": "DOOR", "role": "environment", "initial": "SHUT",
        "transitions": [["SHUT", "open", "WIDE"], ["WIDE", "close", "SHUT"]]}]}

Out: its systems as a network; `#NAME` or `#NAME,NAME` selects some.

`states` and `alphabet` add states and actions without transitions; `end` is the state
of successful termination; `ERROR` is the error state and `tau` the internal move;
`hidden` lists internal actions. With roles, such a file is a complete case.

Each problem is reported with its place. Python's reader does not record places, so the
text is scanned again for each problem, and only then.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

from symrob.errors import plural
from symrob.files.jsontext import Path, located, parsed
from symrob.formats.automata import (
    CONTROLLER,
    OTHER,
    PLANT,
    SPECIFICATION,
    AutomataReader,
    Automaton,
    automata_format,
)
from symrob.formats.registry import Format
from symrob.formats.text import ERROR_NAME, FileReader, numbered, read_text
from symrob.limits import watched
from symrob.lts import ERROR, TAU, Lts, Network
from symrob.lts.model import HALF, HALF_OF_A_PAIR

_NEEDED = ("alphabet", "states", "transitions")
_NETWORK = ("components", "names", "hidden")
SCHEMA = "symrob/model/1"
_BEGINS = re.compile(rf'"schema"\s*:\s*"{SCHEMA}"')
_ROLES = {"environment": PLANT, "controller": CONTROLLER, "property": SPECIFICATION}
_TOP = ("schema", "systems", "hidden", "title")
_KEYS = ("name", "role", "initial", "transitions", "states", "alphabet", "end")
_ACTION = "the name of an action"
_STATE = "the name of a state"
_PARTS = [
    f"the name of {x}" for x in ("the source state", "the action", "the target state")
]


class JsonReader(FileReader):
    """Base of the readers of JSON: the text, and problems with places in it."""

    code = "json-model"
    text = ""

    def data(self, **hooks: Any) -> Any:
        """Return the contents of the file; `hooks` are those of `json.loads`."""
        self.text = read_text(self.path)
        return parsed(self.text, self.path, "json-syntax", **hooks)

    def error(
        self, at: Path, message: str, hint: str | None = None, code: str = ""
    ) -> None:
        """Note a problem of the value at a path."""
        self.problems.error(code or self.code, message, located(self.text, at), hint)


class _SystemReader(JsonReader):
    """What both kinds of files of systems share."""

    def systems(self) -> Any:
        """Return what the file says, which has no key twice and no NaN."""
        return self.data(object_pairs_hook=self._unique, parse_constant=self._refuse)

    def _unique(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        data = dict(pairs)
        if len(data) < len(pairs):
            keys = [key for key, _value in pairs]
            twice = next(key for key in keys if keys.count(key) > 1)
            message = f"duplicate key '{twice}' in one object"
            self.problems.error("json-value", message)
            self.problems.check()
        return data

    def _refuse(self, constant: str) -> None:
        message = f"{constant} is not a JSON number"
        self.problems.error("json-value", message)
        self.problems.check()

    def keys(self, data: Iterable[str], known: tuple[str, ...], at: Path) -> None:
        for key in data:
            if key not in known:
                message = f"unknown key '{key:.40}'; known keys: {', '.join(known)}"
                self.error((*at, key), message)

    def texts(
        self, data: dict[str, Any], key: str, at: Path, what: str, empty: bool = False
    ) -> list[str] | None:
        """Return a list of strings, or `None` if it is absent or wrong."""
        value = data.get(key)
        if value is None:
            return None
        if not isinstance(value, list):
            message = f"expected a list of strings, not {show(value)}"
            self.error((*at, key), message)
            return None
        places = [(*at, key, i) for i in range(len(value))]
        good = [
            self.name(*each, what, empty) for each in zip(value, places, strict=True)
        ]
        return value if all(good) else None

    def name(self, value: object, at: Path, what: str, empty: bool = False) -> bool:
        """Whether a value can be a name; says so if it cannot."""
        if not isinstance(value, str):
            found = "" if value is None else f", not {show(value)}"
            message = f"expected {what}{found}"
        elif not value and not empty:
            message = f"expected {what}, not an empty string"
        elif not value.isascii() and HALF_OF_A_PAIR.search(value):
            message = f"expected {what}; the string contains {HALF}"
        else:
            return True
        self.error(at, message)
        return False

    def rows(self, data: dict[str, Any], at: Path) -> Iterable[tuple[int, list[Any]]]:
        """Yield the transitions that have three parts, with their numbers."""
        rows = data.get("transitions", [])
        if not isinstance(rows, list):
            self.error((*at, "transitions"), "expected a list of transitions")
            return
        self.check_transitions(len(rows))
        for i, row in enumerate(watched(rows)):
            if isinstance(row, list) and len(row) == 3:
                yield i, row
            else:
                message = f"expected [source, action, target], not {show(row)}"
                self.error((*at, "transitions", i), message)


def show(value: object) -> str:
    """Return a JSON value for a message, at most 40 characters of it."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else text[:40] + "…"


# States by number.


class _NumberReader(_SystemReader):
    def read(self) -> Lts | Network:
        data = self.systems()
        system: Lts | Network | None
        if isinstance(data, dict) and "components" in data:
            system = self._network(data)
        else:
            system = self._lts(data, ())
        self.problems.check()
        assert system is not None
        return system

    def _network(self, data: dict[str, Any]) -> Network | None:
        self.keys(data, _NETWORK, ())
        rows = data["components"]
        if not isinstance(rows, list) or not rows:
            self.error(("components",), "expected a non-empty list of systems")
            return None
        components = [self._lts(row, ("components", i)) for i, row in enumerate(rows)]
        names = self.texts(data, "names", (), "the name of a component", empty=True)
        if names is not None and len(names) != len(rows):
            message = f"{plural(len(names), 'name')} for "
            self.error(("names",), message + plural(len(rows), "component"))
        hidden = self.texts(data, "hidden", (), _ACTION) or []
        known = {a for lts in components if lts is not None for a in lts.alphabet}
        for i, action in enumerate(hidden):
            if action not in known and None not in components:
                self.error(("hidden", i), f"no component has the action '{action}'")
        if self.problems.errors:
            return None
        whole = [lts for lts in components if lts is not None]
        return Network(whole, component_names=names, hidden=hidden)

    def _lts(self, data: object, at: Path) -> Lts | None:
        before = len(self.problems.errors)
        if not isinstance(data, dict):
            self.error(
                at, "expected an object with 'alphabet', 'states', 'transitions'"
            )
            return None
        for key in _NEEDED:
            if key not in data:
                self.error(at, f"the key '{key}' is missing")
        self.keys(data, (*_NEEDED, "names", "end", "initial"), at)
        alphabet = self.texts(data, "alphabet", at, _ACTION) or []
        if TAU in alphabet:
            place = (*at, "alphabet", alphabet.index(TAU))
            self.error(
                place, f"'{TAU}' is the internal move and cannot be in an alphabet"
            )
        size = self._size(data, at)
        names = self.texts(data, "names", at, _STATE, empty=True)
        if names is not None and size is not None and len(names) != size:
            message = f"{plural(len(names), 'name')} for {plural(size, 'state')}"
            self.error((*at, "names"), message)
        first: dict[str, int] = {}
        for i, name in enumerate(names or ()):
            if (other := first.setdefault(name, i)) != i:
                message = f"state {other} already has the name '{name}'"
                self.error((*at, "names", i), message)
        end = data.get("end")
        if end is not None and not _in_range(end, 0, size):
            self.error((*at, "end"), f"expected a state, not {show(end)}")
        initial = data.get("initial", [0])
        if not isinstance(initial, list) or not initial:
            self.error((*at, "initial"), "expected a non-empty list of states")
            initial = []
        for i, state in enumerate(initial):
            if not _in_range(state, 0, size):
                message = f"expected a state, not {show(state)}"
                self.error((*at, "initial", i), message)
        actions = {*alphabet, TAU}
        rows = (*at, "transitions")
        for i, (source, action, target) in self.rows(data, at):
            if not _in_range(source, 0, size):
                self.error((*rows, i, 0), f"unknown source state {show(source)}")
            if not _in_range(target, ERROR, size):
                self.error((*rows, i, 2), f"unknown target state {show(target)}")
            known = not isinstance(action, str) or action in actions
            if not isinstance(action, str) or (not known and "alphabet" in data):
                self.error((*rows, i, 1), f"{show(action)} is not in the alphabet")
        if size is None or len(self.problems.errors) > before:
            return None
        return Lts(
            *(alphabet, size, data["transitions"]),
            names=names,
            end=end,
            initial=initial,
        )

    def _size(self, data: dict[str, Any], at: Path) -> int | None:
        value = data.get("states")
        if _in_range(value, 1, None):
            assert isinstance(value, int)
            self.check_states(value)
            return value
        if "states" in data:
            message = "expected the number of states, at least 1, not"
            hint = "the key 'names' contains the names of the states"
            named = isinstance(value, list)
            place = (*at, "states")
            self.error(place, f"{message} {show(value)}", hint if named else None)
        return None


def _in_range(value: object, low: int, size: int | None) -> bool:
    """Whether `value` is a state from `low` on; without a size, a whole number."""
    if not isinstance(value, int) or isinstance(value, bool):
        return False
    return low <= value and (size is None or value < size)


def _lines(system: Lts | Network) -> list[str]:
    """The lines of a file that holds a system; sorted, one line a row."""
    return _text(system).split("\n")


def _text(system: Lts | Network) -> str:
    if isinstance(system, Lts):
        return _lts_text(system, "")
    components = ",\n".join(
        "    " + _lts_text(lts, "    ").lstrip() for lts in system.components
    )
    names = json.dumps(list(system.component_names), ensure_ascii=False)
    hidden = json.dumps(sorted(system.hidden), ensure_ascii=False)
    return (
        f'{{\n  "names": {names},\n  "hidden": {hidden},\n'
        f'  "components": [\n{components}\n  ]\n}}'
    )


def _lts_text(lts: Lts, indent: str) -> str:
    data = lts.to_dict()
    rows = [json.dumps(row, ensure_ascii=False) for row in data.pop("transitions")]
    lines = [
        f'{indent}  "{key}": {json.dumps(value, ensure_ascii=False)}'
        for key, value in data.items()
    ]
    inner = ",\n".join(f"{indent}    {row}" for row in rows)
    body = f"[\n{inner}\n{indent}  ]" if rows else "[]"
    lines.append(f'{indent}  "transitions": {body}')
    return f"{indent}{{\n" + ",\n".join(lines) + f"\n{indent}}}"


FORMAT = Format("states by number", _NumberReader.model, _lines, networks=True)


# States by name.


class _NameReader(_SystemReader, AutomataReader):
    def read(self) -> list[Automaton]:
        data = self.systems()
        if not isinstance(data, dict) or data.get("schema") != SCHEMA:
            self.error((), f"expected an object with the schema '{SCHEMA}'")
            self.problems.check()
        self.keys(data, _TOP, ())
        systems = data.get("systems")
        if not isinstance(systems, list) or not systems:
            self.error(("systems",), "expected a non-empty list of systems")
            self.problems.check()
        found: list[Automaton] = []
        for i, system in enumerate(systems or ()):
            automaton = self._system(system, ("systems", i))
            if automaton is None:
                continue
            if any(automaton.name == other.name for other in found):
                message = f"another system has the name '{automaton.name}'"
                self.error(("systems", i, "name"), message)
            found.append(automaton)
        hidden = self.texts(data, "hidden", (), _ACTION) or ()
        self.hidden = frozenset(hidden)
        if not self.problems.errors:
            actions = {a for each in found for a in each.lts.alphabet}
            for i, action in enumerate(hidden):
                if action not in actions:
                    message = f"no system has the action '{action}'"
                    self.error(("hidden", i), message)
        self.problems.check(sort=True)
        return found

    def _system(self, data: object, at: Path) -> Automaton | None:
        before = len(self.problems.errors)
        if not isinstance(data, dict):
            self.error(at, "expected an object for a system")
            return None
        self.keys(data, _KEYS, at)
        name, initial = data.get("name"), data.get("initial")
        self.name(name, (*at, "name"), "the name of a system")
        beginning = initial if isinstance(initial, list) and initial else [initial]
        for i, each in enumerate(beginning):
            listed_here = beginning is initial
            place = (*at, "initial", i) if listed_here else (*at, "initial")
            self.name(each, place, "the name of the initial state")
            if each == ERROR_NAME:
                message = (
                    "the ERROR state must not have transitions, so it cannot be initial"
                )
                self.error(place, message)
        role = data.get("role")
        if role is not None and role not in _ROLES:
            known = ", ".join(_ROLES)
            message = f"the role of a system must be one of {known}, not {show(role)}"
            self.error((*at, "role"), message)
        listed = self.texts(data, "states", at, _STATE)
        unlisted = listed is None and data.get("states") is not None
        alphabet = self.texts(data, "alphabet", at, _ACTION) or []
        if "transitions" not in data:
            self.error((*at, "transitions"), "expected a list of transitions")
        rows = self._named_rows(data, at)
        end = data.get("end")
        mentioned = [*(listed or ()), *(s for row in rows for s in row[::2])]
        first = [*dict.fromkeys(each for each in beginning if isinstance(each, str))]
        numbers = numbered(first + mentioned)
        *states, _error = numbers
        self.check_states(len(states))
        if end is not None and end not in states and not unlisted:
            self.error((*at, "end"), "expected the name of a state")
        if TAU in alphabet:
            self.error((*at, "alphabet"), f"'{TAU}' is the internal move")
        if len(self.problems.errors) > before:
            return None
        lts = Lts(
            {*alphabet, *(row[1] for row in rows)} - {TAU},
            len(states),
            [(numbers[source], a, numbers[target]) for source, a, target in rows],
            names=states,
            end=None if end is None else numbers[end],
            initial=range(len(first)),
        )
        return Automaton(str(name), _ROLES[role] if role else OTHER, lts)

    def _named_rows(self, data: dict[str, Any], at: Path) -> list[list[str]]:
        found = []
        for number, row in self.rows(data, at):
            place = (*at, "transitions", number)
            before = len(self.problems.errors)
            for i, part in enumerate(row):
                self.name(part, (*place, i), _PARTS[i])
            if len(self.problems.errors) > before:
                continue
            if row[0] == ERROR_NAME:
                self.error((*place, 0), "the ERROR state must not have transitions")
            else:
                found.append(row)
        return found


def _begins(text: str) -> bool:
    return _BEGINS.search(text) is not None


NAMED = automata_format("states by name", _NameReader, begins=_begins)
