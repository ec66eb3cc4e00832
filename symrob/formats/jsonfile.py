"""JSON files: one `Lts`, or a network of several that is not multiplied out.

In:  `{"alphabet": […], "states": n, "transitions": [[source, action, target],
     …]}`, with optional `names` (of the states) and `end`; or
     `{"components": [system, …]}`, with optional `names` (of the components)
     and `hidden` (a list of actions).
Out: an `Lts` or a `Network`; in the other direction the text of such a file.

State 0 is initial, -1 is ERROR, `tau` is an internal move. This is the one
format that holds everything.

A problem is shown where it stands. Python's reader keeps no places, so the text
is scanned again for each problem, and only then.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from symrob.files.jsontext import Path, located, parsed
from symrob.formats.registry import Format, Source, Text
from symrob.formats.text import (
    ModelFile,
    Problems,
    check_states,
    check_transitions,
    read_text,
    stem,
)
from symrob.limits import DEFAULT_LIMITS, Limits, watched
from symrob.lts import ERROR, TAU, Lts, Network
from symrob.lts.model import HALF, HALF_OF_A_PAIR

_LTS_KEYS = ("alphabet", "states", "transitions")
_LTS_OPTIONAL = ("names", "end")
_NETWORK_KEYS = ("components",)
_NETWORK_OPTIONAL = ("names", "hidden")


def read_json(path: str, *, limits: Limits = DEFAULT_LIMITS) -> ModelFile:
    """Read a system or a network.

    Args:
        path: The file.
        limits: Bounds on the size of each system.

    Raises:
        SymrobError: The file cannot be read, is no JSON, or does not describe a
            system; all problems at once.
        LimitExceeded: A system has too many states or transitions.

    Cost: linear in the file.
    """
    reader = _Reader(path, limits)
    return ModelFile(reader.read(), stem(path))


def json_text(system: Lts | Network) -> str:
    """Return the text of a JSON file that holds `system`; sorted, one line a row."""
    if isinstance(system, Lts):
        return _lts_text(system, "") + "\n"
    parts = ",\n".join(
        "    " + _lts_text(lts, "    ").lstrip() for lts in system.components
    )
    names = json.dumps(list(system.component_names), ensure_ascii=False)
    hidden = json.dumps(sorted(system.hidden), ensure_ascii=False)
    return (
        f'{{\n  "names": {names},\n  "hidden": {hidden},\n'
        f'  "components": [\n{parts}\n  ]\n}}\n'
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


def _read(source: Source) -> ModelFile:
    return read_json(source.path, limits=source.limits)


def _write(system: Lts | Network) -> Text:
    lines = json_text(system).removesuffix("\n").split("\n")
    return lines, ()


FORMAT = Format("states by number", _read, _write, networks=True)


class _Reader:
    def __init__(self, path: str, limits: Limits) -> None:
        self.path, self.limits = path, limits
        self.problems = Problems(path)
        self.text = ""

    def read(self) -> Lts | Network:
        self.text = read_text(self.path)
        data = parsed(
            self.text,
            self.path,
            "json-syntax",
            object_pairs_hook=self._unique,
            parse_constant=self._refuse,
        )
        system: Lts | Network | None
        if isinstance(data, dict) and "components" in data:
            system = self._network(data)
        else:
            system = self._lts(data, ())
        self.problems.check()
        assert system is not None
        return system

    def _unique(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        data = dict(pairs)
        if len(data) < len(pairs):
            keys = [key for key, _value in pairs]
            twice = next(key for key in keys if keys.count(key) > 1)
            message = f"the key '{twice}' stands twice in one object"
            self.problems.error("json-value", message)
            self.problems.check()
        return data

    def _refuse(self, constant: str) -> None:
        message = f"{constant} is not a number of JSON"
        self.problems.error("json-value", message)
        self.problems.check()

    def _network(self, data: dict[str, Any]) -> Network | None:
        self._keys(data, (), _NETWORK_KEYS, _NETWORK_OPTIONAL)
        rows = data["components"]
        if not isinstance(rows, list) or not rows:
            self._error(("components",), "expected a list of systems with at least one")
            return None
        components = [self._lts(row, ("components", i)) for i, row in enumerate(rows)]
        names = self._strings(data, "names", ())
        if names is not None and len(names) != len(rows):
            self._error(("names",), f"{len(names)} names for {len(rows)} components")
        hidden = self._strings(data, "hidden", ()) or []
        known = {a for lts in components if lts is not None for a in lts.alphabet}
        for i, action in enumerate(hidden):
            if action not in known and None not in components:
                self._error(("hidden", i), f"no component has the action '{action}'")
        if self.problems.errors:
            return None
        whole = [lts for lts in components if lts is not None]
        return Network(whole, component_names=names, hidden=hidden)

    def _lts(self, data: object, path: Path) -> Lts | None:
        before = len(self.problems.errors)
        if not isinstance(data, dict):
            self._error(path, "expected an object with alphabet, states, transitions")
            return None
        self._keys(data, path, _LTS_KEYS, _LTS_OPTIONAL)
        alphabet = self._strings(data, "alphabet", path) or []
        if TAU in alphabet:
            self._error(
                (*path, "alphabet", alphabet.index(TAU)),
                f"'{TAU}' is the internal move and in no alphabet",
            )
        size = self._size(data, path)
        names = self._strings(data, "names", path)
        if names is not None and size is not None and len(names) != size:
            self._error((*path, "names"), f"{len(names)} names for {size} states")
        first: dict[str, int] = {}
        for i, name in enumerate(names or ()):
            if (other := first.setdefault(name, i)) != i:
                message = f"state {other} has the name '{name}' already"
                self._error((*path, "names", i), message)
        end = data.get("end")
        if end is not None and not _in_range(end, 0, size):
            self._error((*path, "end"), f"expected a state, not {_show(end)}")
        self._transitions(data, path, size, set(alphabet))
        if size is None or len(self.problems.errors) > before:
            return None
        return Lts(alphabet, size, data["transitions"], names=names, end=end)

    def _keys(
        self,
        data: dict[str, Any],
        path: Path,
        needed: Sequence[str],
        optional: Sequence[str],
    ) -> None:
        for key in needed:
            if key not in data:
                self._error(path, f"the key '{key}' is missing")
        for key in data:
            if key not in needed and key not in optional:
                known = ", ".join([*needed, *optional])
                self._error((*path, key), f"unknown key '{key}'; known are {known}")

    def _strings(self, data: dict[str, Any], key: str, path: Path) -> list[str] | None:
        """Return a list of strings, or `None` if it is absent or wrong."""
        value = data.get(key)
        if value is None:
            return None
        if not isinstance(value, list):
            self._error((*path, key), f"expected a list of strings, not {_show(value)}")
            return None
        good = True
        for i, item in enumerate(value):
            wrong = None
            if not isinstance(item, str):
                wrong = f"expected a string, not {_show(item)}"
            elif not item.isascii() and HALF_OF_A_PAIR.search(item):
                wrong = f"the text holds {HALF}"
            elif not item and key in ("alphabet", "hidden"):
                wrong = "expected the name of an action, not an empty text"
            if wrong is not None:
                good = False
                self._error((*path, key, i), wrong)
        return value if good else None

    def _size(self, data: dict[str, Any], path: Path) -> int | None:
        value = data.get("states")
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            if "states" in data:
                self._error(
                    (*path, "states"),
                    f"expected the number of states, at least 1, not {_show(value)}",
                    "names of states are given by the key 'names'"
                    if isinstance(value, list)
                    else None,
                )
            return None
        check_states(self.path, value, self.limits)
        return value

    def _transitions(
        self, data: dict[str, Any], path: Path, size: int | None, alphabet: set[str]
    ) -> None:
        rows = data.get("transitions", [])
        if not isinstance(rows, list):
            self._error((*path, "transitions"), "expected a list of transitions")
            return
        check_transitions(self.path, len(rows), self.limits)
        for i, row in enumerate(watched(rows)):
            place = (*path, "transitions", i)
            if not isinstance(row, list) or len(row) != 3:
                self._error(
                    place, f"expected [source, action, target], not {_show(row)}"
                )
                continue
            source, action, target = row
            if not _in_range(source, 0, size):
                self._error((*place, 0), f"no state {_show(source)} can be a source")
            if not _in_range(target, ERROR, size):
                self._error((*place, 2), f"no state {_show(target)} can be a target")
            if not isinstance(action, str) or (
                action not in alphabet and action != TAU and "alphabet" in data
            ):
                self._error((*place, 1), f"{_show(action)} is not in the alphabet")

    def _error(self, path: Path, message: str, hint: str | None = None) -> None:
        place = located(self.text, path)
        self.problems.error("json-model", message, hint=hint, **place)


def _in_range(value: object, low: int, size: int | None) -> bool:
    """Whether `value` is a state from `low` on; without a size, a whole number."""
    if not isinstance(value, int) or isinstance(value, bool):
        return False
    return low <= value and (size is None or value < size)


def _show(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else text[:40] + "…"
