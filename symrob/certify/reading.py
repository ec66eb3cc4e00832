"""Certificates as they are read: what is damaged, or none, is refused.

In:  a file of the schema `symrob/certificate/1`, plain or gzipped.
Out: a `Certificate`, every number in its range. Standard library only.
"""

import gzip
import json
import re
import zlib
from collections import Counter
from hashlib import sha256
from typing import Any, NamedTuple

from symrob.certify.watching import ERROR, TAU, Budget, Lts, Network, Rows, Watcher

SCHEMA = "symrob/certificate/1"
# The kinds of records, a letter for each, and the order in which they come.
_NAMES = "schema environment constraint controller property candidates mode claim"
_NAMES += " deviation unsafe add"
KINDS = dict(zip(_NAMES.split(), "sercpkmqdua", strict=True))
UNREADABLE = (OSError, EOFError, zlib.error, RecursionError, ValueError, TypeError)
SIDE, UNITS, CLAIM = "r*cp+", "k|m+", "qd*u*a*"
ORDER = f"se(?:{SIDE})+(?:{UNITS})(?:{CLAIM})+"
LARGEST = 1 << 28  # Bytes of a file when it is unpacked.
# Of (q, a, r) in A: (q * |Act_E| + place of a) * |Q_E| + r; or of a mode, from 0.
Set = list[int]
Record = dict[str, Any]


class WrongError(Exception):
    """What is claimed does not follow: a word for the reason, and why."""


class Side(NamedTuple):
    """What watches E: by constraints, as many as `rules`, then by P with C."""

    records: list[Record]
    rules: int
    watchers: list[Watcher]


class Claim(NamedTuple):
    """What is claimed, and what shows it: safe sets of one side, unsafe ones of one."""

    kind: str
    title: str
    keeper: int
    breaker: int
    most: int  # Members of the sets that are asked about.
    variables: int  # Of the clauses.
    deviations: list[Set]
    unsafe: list[tuple[Set, int, tuple[str, ...]]]
    steps: list[tuple[list[int], list[int]]]  # Clauses, and what they follow from.


class Certificate:
    """What a certificate holds; `common` are the records of all sides together."""

    def __init__(self, path: str, budget: Budget) -> None:
        self.budget, records = budget, _records(path)
        try:
            letters = "".join(KINDS.get(str(*[*r][:1]), "?") for r in records)
            if not re.fullmatch(ORDER, letters) or records[0]["schema"] != SCHEMA:
                raise ValueError(f"records are not those of {SCHEMA}, or not in place")
            units = [r for r, x in zip(records, letters, strict=True) if x in "km"]
            self.common = [records[1], *units]
            self._units(records[1]["environment"], units)
            self.sides, self.claims = list[Side](), list[Claim]()
            for found in re.finditer(f"{SIDE}|{CLAIM}", letters):
                read = self._claim if found[0][0] == "q" else self._side
                read(records[slice(*found.span())])
        except (ValueError, TypeError, KeyError, AttributeError, IndexError) as error:
            raise WrongError("malformed", f"{type(error).__name__}: {error}") from None

    def _units(self, data: Record, records: list[Record]) -> None:
        """Take E, and what may be added to it; raises many errors where that is odd."""
        self.environment = self._network(data, 0)
        parts, hidden = self.environment.parts, self.environment.hidden
        names = dict.fromkeys(a for p in data["components"] for a in p["alphabet"])
        self.actions = [a for a in names if a not in hidden]
        self.size = len(parts[0].rows)
        self.modes = [r["changes"] for r in records if "mode" in r]
        for i, source, action, target in (t for mode in self.modes for t in mode):
            part = parts[_ints([i], len(parts))[0]]
            _ints([source, target], len(part.rows))
            if action not in part.alphabet:
                raise ValueError(f"action {action!r:.60} is not of component {i}")
        self.units = len(self.modes) or self.size**2 * len(self.actions)
        self.budget.spend(self.units)
        every, chosen = [*range(self.units)], records[-1].get("candidates", "all")
        if not self.modes:
            if len(parts) > 1 or hidden:
                raise ValueError("transitions are of one component, modes of several")
            rows, named = parts[0].rows, [(t, *self._transition(t)) for t in every]
            every = [t for t, _, q, a, r in named if r not in rows[q].get(a, ())]
        self.candidates = every if chosen == "all" else self._set(chosen)
        if not {*every}.issuperset(self.candidates):
            raise ValueError("a candidate is in R_E")

    def _transition(self, unit: int) -> tuple[int, int, str, int]:
        rest, target = divmod(unit, self.size)
        source, place = divmod(rest, len(self.actions))
        return 0, source, self.actions[place], target

    def changed(self, units: Set) -> Rows:
        """E with some units."""
        if self.modes:
            return self.environment.changed(t for m in units for t in self.modes[m])
        return self.environment.changed(map(self._transition, units))

    def _side(self, records: list[Record]) -> None:
        kinds = [next(iter(record)) for record in records]
        networks = [self._network(r[k]) for r, k in zip(records, kinds, strict=True)]
        rules, actions = kinds.index("controller"), frozenset(self.actions)
        both = Network([], frozenset(), self.budget), networks.pop(rules)
        watched = [(both[i >= rules], it) for i, it in enumerate(networks)]
        watchers = [Watcher(*pair, actions) for pair in watched]
        self.sides.append(Side(records, rules, watchers))

    def _claim(self, records: list[Record]) -> None:
        head, deviations, unsafe, steps = records[0], [], [], []
        keeper, breaker = _ints(head["sides"], len(self.sides))
        most, actions = head.get("most", 0), self.actions
        _ints([most], len(self.candidates) + 1)
        variables = self.units + most * len(self.candidates)
        self.budget.spend(variables - self.units)
        for record in records[1:]:
            kind, values = next(iter(record.items()))
            if kind == "deviation":
                deviations.append(self._set(values))
            elif kind == "unsafe":
                run = tuple(actions[i] for i in _ints(record["run"], len(actions)))
                _ints([record["breaks"]], len(self.sides[breaker].watchers))
                unsafe.append((self._set(values), record["breaks"], run))
            else:
                _ints([abs(literal) - 1 for literal in values], variables)
                steps.append((values, _ints(record["by"], LARGEST)))
        about = str(head["claim"]), str(head.get("title", "")), keeper, breaker, most
        self.claims.append(Claim(*about, variables, deviations, unsafe, steps))

    def _set(self, values: Set) -> Set:
        if sorted(set(_ints(values, self.units))) != values:
            raise ValueError("numbers of a set must increase")
        return values

    def _system(self, data: Record, least: int) -> Lts:
        alphabet, size = data["alphabet"], data["states"]
        known = frozenset(alphabet)
        if {*map(type, known)} - {str} or TAU in known or len(known) < len(alphabet):
            raise ValueError("an alphabet is a list of different names")
        _ints([size - 1], self.budget.most)
        self.budget.spend(size)
        rows: list[dict[str, list[int]]] = [{} for _ in range(size)]
        for source, action, target in data["transitions"]:
            _ints([source, target - least], size - least)
            if action != TAU and action not in known:
                raise ValueError(f"action {action!r:.60} is not in the alphabet")
            rows[source].setdefault(action, []).append(target)
        return Lts(known, rows)

    def _network(self, data: Record, least: int = ERROR) -> Network:
        parts = [self._system(part, least) for part in data["components"]]
        if not parts or type(data["hidden"]) is not list:
            raise ValueError("a network has components, and hides a list of actions")
        return Network(parts, frozenset(data["hidden"]), self.budget)


def _ints(values: list[int], below: int) -> list[int]:
    """Return what must be whole numbers from 0, below a bound."""
    if type(values) is not list or any(type(value) is not int for value in values):
        raise TypeError("not a list of whole numbers")
    if values and not 0 <= min(values) <= max(values) < below:
        raise ValueError("a number is out of its range")
    return values


def _records(path: str) -> list[Record]:
    """The records; the last line must fit what is before it."""
    with open(path, "rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
        file.seek(0)
        try:
            data = (gzip.GzipFile(fileobj=file) if packed else file).read(LARGEST)
            if b"\n" not in data:
                raise ValueError("there is no whole line in it")
            *lines, last, rest = data.split(b"\n")
            records = [json.loads(line) for line in lines]
            counts = Counter(str(next(iter(record), "")) for record in records)
            digest = sha256(data.removesuffix(last + b"\n")).hexdigest()
            end = {**dict.fromkeys(KINDS, 0), **counts, "sha256": digest}
            if json.loads(last) != {"end": end} or rest:
                raise ValueError("the last line does not fit what is before it")
        except UNREADABLE as error:
            raise WrongError("damaged", str(error)) from None
    return records
