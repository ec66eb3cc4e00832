"""Certificates as they are read: what is damaged, or none, is refused.

In:  a file of the schema `symrob/certificate/1`, plain or gzipped.
Out: a `Certificate`, every number in its range. Standard library only.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from symrob.certify.watching import ERROR, TAU, Budget, Lts, Network

SCHEMA = "symrob/certificate/1"
CLAIMS = ("all-deviations", "deviations", "all-unsafe-sets", "unsafe-sets")
# The kinds of records, a letter for each, and the order in which they come.
_NAMES = "schema environment constraint controller property candidates"
_NAMES += " deviation unsafe add delete"
KINDS = dict(zip(_NAMES.split(), "sercpkduax", strict=True))
UNREADABLE = (OSError, EOFError, zlib.error, RecursionError, ValueError, TypeError)
ORDER = "ser*cp+kd*u*[ax]*"
# Bytes of a line, and of a file when it is unpacked.
LONGEST, LARGEST = 1 << 26, 1 << 28
Number = int  # Of (q, a, r) in A: (q * |Act_E| + place of a) * |Q_E| + r.
Record = dict[str, Any]


class WrongError(Exception):
    """What is claimed does not follow: a word for the reason, and why."""


class Certificate:
    """What a certificate holds; `problem` are the records that say what it is about."""

    def __init__(self, path: str, budget: Budget) -> None:
        self._budget = budget
        records: dict[str, list[Record]] = {kind: [] for kind in KINDS}
        letters = []
        for kind, record in _records(path):
            letters.append(KINDS.get(kind, "?"))
            records.get("add" if kind == "delete" else kind, []).append(record)
        try:
            if not re.fullmatch(ORDER, "".join(letters)):
                raise ValueError("records are missing, unknown or out of their places")
            self._fill(records)
        except (ValueError, TypeError, KeyError, AttributeError, IndexError) as error:
            raise WrongError("malformed", f"{type(error).__name__}: {error}") from None
        self.problem = [{k: r[k]} for k in [*KINDS][1:6] for r in records[k]]

    def _fill(self, records: dict[str, list[Record]]) -> None:
        """Take what stands in the records; raises many errors where that is odd."""
        self.claim = str(records["schema"][0]["claim"])
        if records["schema"][0]["schema"] != SCHEMA or self.claim not in CLAIMS:
            raise ValueError(f"no claim of the schema {SCHEMA}")
        environment = records["environment"][0]["environment"]
        self.rows = self._system(environment, 0).rows
        self.size, self.alphabet = len(self.rows), list(environment["alphabet"])
        self.transitions = self.size**2 * len(self.alphabet)
        self._budget.require(self.transitions)
        steps = [t for t in environment["transitions"] if t[1] != TAU]
        places = [
            (q * len(self.alphabet) + self.alphabet.index(a), r) for q, a, r in steps
        ]
        self.nominal = {place * self.size + r for place, r in places}
        self.controller = self._network(records["controller"][0]["controller"])
        self.rules = len(records["constraint"])
        kinds = "constraint", "property"
        self.watched = [self._network(r[k]) for k in kinds for r in records[k]]
        chosen = records["candidates"][0]["candidates"]
        if chosen == "all":
            chosen = [t for t in range(self.transitions) if t not in self.nominal]
        self.candidates = self._numbers(chosen)
        if not self.nominal.isdisjoint(self.candidates):
            raise ValueError("a candidate is in R_E")
        self.deviations = [self._numbers(r["deviation"]) for r in records["deviation"]]
        self.unsafe = [
            (self._numbers(r["unsafe"]), r["breaks"], r["run"])
            for r in records["unsafe"]
        ]
        for _, breaks, run in self.unsafe:
            _ints([breaks], len(self.watched))
            for step in run:
                # An internal move of E is given by its target, in a list.
                inner = type(step) is list
                (number,) = step if inner else (step,)
                _ints([number], self.size if inner else self.transitions)
        self.steps: list[tuple[bool, list[int]]] = [
            ("delete" in r, next(iter(r.values()))) for r in records["add"]
        ]
        for _, clause in self.steps:
            _ints([abs(literal) - 1 for literal in clause], self.transitions)

    def _numbers(self, values: list[Number]) -> list[Number]:
        if sorted(set(_ints(values, self.transitions))) != values:
            raise ValueError("numbers of transitions must increase")
        return values

    def _system(self, data: Record, least: int) -> Lts:
        alphabet, size = data["alphabet"], data["states"]
        known = frozenset(alphabet)
        if {*map(type, known)} - {str} or TAU in known or len(known) < len(alphabet):
            raise ValueError("an alphabet is a list of different names")
        _ints([size - 1], self._budget.most)
        self._budget.spend(size)
        rows: list[dict[str, list[int]]] = [{} for _ in range(size)]
        for source, action, target in data["transitions"]:
            _ints([source, target - least], size - least)
            if action != TAU and action not in known:
                raise ValueError(f"action {action!r:.60} is not in the alphabet")
            rows[source].setdefault(action, []).append(target)
        return Lts(known, rows)

    def _network(self, data: Record) -> Network:
        parts = [self._system(part, ERROR) for part in data["components"]]
        if not parts or type(data["hidden"]) is not list:
            raise ValueError("a network has components, and hides a list of actions")
        return Network(parts, frozenset(data["hidden"]), self._budget)


def _ints(values: list[int], below: int) -> list[int]:
    """Return what must be whole numbers from 0, below a bound."""
    if type(values) is not list or any(type(value) is not int for value in values):
        raise TypeError("not a list of whole numbers")
    if values and not 0 <= min(values) <= max(values) < below:
        raise ValueError("a number is out of its range")
    return values


def _records(path: str) -> Iterator[tuple[str, Record]]:
    """The kind and content of each record; the last line must fit what is before it."""
    digest, counts, size = sha256(), dict.fromkeys(KINDS, 0), 0
    with open(path, "rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
        file.seek(0)
        stream = gzip.GzipFile(fileobj=file) if packed else file
        try:
            line = stream.readline(LONGEST)
            while following := stream.readline(LONGEST):
                record = json.loads(line)
                kind = str(next(iter(record), ""))
                size += len(line)
                if not line.endswith(b"\n") or size > LARGEST:
                    raise ValueError("a line is cut, or there is too much")
                digest.update(line)
                counts[kind] = counts.get(kind, 0) + 1
                yield kind, record
                line = following
            end = {"end": {**counts, "sha256": digest.hexdigest()}}
            if json.loads(line) != end or not line.endswith(b"\n"):
                raise ValueError("the last line does not fit what is before it")
        except UNREADABLE as error:
            place = f"after {sum(counts.values())} records"
            raise WrongError("damaged", f"{place}: {error}") from None
