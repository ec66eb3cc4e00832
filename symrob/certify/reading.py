"""Certificates as they are read: damage, and what is none, is refused.

In:  a file of the schema `symrob/certificate/1`, plain or gzipped.
Out: a `Certificate`, each number in its range. Standard library only.
"""

from __future__ import annotations

import gzip
import json
import re
import zlib
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from typing import Any, NoReturn

from symrob.certify.watching import (
    ERROR,
    TAU,
    BoundHitError,
    Budget,
    Lts,
    Network,
    Rows,
)

SCHEMA = "symrob/certificate/1"
# Letters for the kinds of records, and the order in which they come.
LETTERS = dict(schema="s", environment="e", constraint="r", controller="c", property="p")
LETTERS |= dict(candidates="k", deviation="d", unsafe="u", add="a", delete="x")
ORDER = "ser*cp+kd*u*[ax]*"
CLAIMS = ("all-deviations", "deviations", "all-unsafe-sets", "unsafe-sets")
# Bytes of a line, and of a file.
LONGEST, LARGEST = 1 << 26, 1 << 31
Number = int
Run = list[Number | list[int]]


class WrongError(Exception):
    """What the certificate claims does not follow: a word for the reason, and why."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(reason, message)
        self.reason, self.message = reason, message


class Certificate:
    """What a certificate holds.

    Transition (q, a, r) of A has the number (q · |Act_E| + place of a) · |Q_E| + r.

    Attributes:
        problem: The records up to the candidates, as they were read.
        rows: R_E, with `tau`.
        nominal: The numbers of R_E.
        watched: Name, whether it is a constraint, and the network, of each.
    """

    def __init__(self, path: str, budget: Budget) -> None:
        self._budget = budget
        self.problem: list[Any] = []
        self.claim, self.size, self.transitions = "", 0, 0
        self.alphabet: list[str] = []
        self.rows: Rows = []
        self.nominal: set[Number] = set()
        self.controller = Network([], frozenset())
        self.watched: list[tuple[str, bool, Network]] = []
        self.candidates: list[Number] = []
        self.deviations: list[list[Number]] = []
        self.unsafe: list[tuple[list[Number], int, Run]] = []
        self.steps: list[tuple[bool, list[int]]] = []
        letters = []
        for line, (kind, record) in enumerate(_records(path), 1):
            try:
                letters.append(LETTERS[kind])
                self._take(kind, record)
            except (KeyError, TypeError, ValueError, AttributeError, IndexError) as e:
                _wrong("malformed", f"line {line}: {type(e).__name__}: {str(e):.200}")
            if letters[-1] in "ercpk":
                self.problem.append(record)
        if not re.fullmatch(ORDER, "".join(letters)):
            _wrong("malformed", "records are missing, or out of their places")

    def _take(self, kind: str, record: dict[str, Any]) -> None:
        """Add one record; what is odd in it raises one of many errors."""
        value = record[kind]
        if kind == "schema":
            self.claim = record["claim"]
            if value != SCHEMA or self.claim not in CLAIMS:
                raise ValueError(f"not a claim of the schema {SCHEMA}")
        elif kind == "environment":
            system = self._system(value, 0)
            self.alphabet, self.size, self.rows = value["alphabet"], len(system.rows), system.rows
            self.transitions = self.size**2 * len(self.alphabet)
            if self.transitions > self._budget.most:
                raise BoundHitError(f"{self.transitions:,} transitions are in A")
            places = {a: place for place, a in enumerate(self.alphabet)}
            self.nominal = {
                (q * len(places) + places[a]) * self.size + r
                for q, row in enumerate(self.rows)
                for a in row.keys() - {TAU}
                for r in row[a]
            }
        elif kind == "controller":
            self.controller = self._network(value)
        elif kind in ("property", "constraint"):
            entry = (value["name"], kind == "constraint", self._network(value))
            self.watched.append(entry)
        elif kind == "candidates":
            everything = range(self.transitions)
            chosen = everything if value == "all" else self._numbers(value)
            self.candidates = [t for t in chosen if t not in self.nominal]
            if value != "all" and len(self.candidates) < len(value):
                raise ValueError("a candidate is in R_E")
        elif kind == "deviation":
            self.deviations.append(self._numbers(value))
        elif kind == "unsafe":
            run = record["run"]
            for step in run:
                inner = type(step) is list and len(step) == 1
                _ints(step if inner else [step], self.size if inner else self.transitions)
            _ints([record["breaks"]], len(self.watched))
            self.unsafe.append((self._numbers(value), record["breaks"], run))
        else:
            _ints([abs(literal) - 1 for literal in _ints(value)], self.transitions)
            self.steps.append((kind == "delete", value))

    def _numbers(self, values: list[Any]) -> list[Number]:
        if sorted(set(_ints(values, self.transitions))) != values:
            raise ValueError("numbers of transitions must increase")
        return values

    def _system(self, data: dict[str, Any], least: int) -> Lts:
        alphabet, size = data["alphabet"], data["states"]
        known = frozenset(alphabet)
        texts = type(alphabet) is list and all(type(a) is str for a in alphabet)
        if not texts or len(known) < len(alphabet) or TAU in known:
            raise ValueError("an alphabet is a list of different names")
        _ints([size - 1], self._budget.most)
        self._budget.spend(size)
        rows: Rows = [{} for _ in range(size)]
        for source, action, target in data["transitions"]:
            _ints([source, target - least], size - least)
            if action != TAU and action not in known:
                raise ValueError(f"action {action!r:.80} is not in the alphabet")
            rows[_ints([source], size)[0]].setdefault(action, []).append(target)
        return Lts(known, rows)

    def _network(self, data: dict[str, Any]) -> Network:
        parts = [self._system(part, ERROR) for part in data["components"]]
        hidden = frozenset(data["hidden"])
        if not parts or type(data["hidden"]) is not list or type(data["components"]) is not list:
            raise ValueError("a network has components, and hides a list of actions")
        return Network(parts, hidden)


def _ints(values: list[Any], below: int | None = None) -> list[int]:
    """The values, which must be whole numbers, from 0 if there is a bound."""
    if type(values) is not list or any(type(value) is not int for value in values):
        raise TypeError("not a list of whole numbers")
    if below is not None and values and not 0 <= min(values) <= max(values) < below:
        raise ValueError("a number out of its range")
    return values


def _wrong(reason: str, message: str) -> NoReturn:
    raise WrongError(reason, message) from None


def _records(path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """The kind and content of each record; the trailer is compared with them."""
    digest, counts, size = sha256(), Counter[str](), 0
    with open(path, "rb") as file:
        magic = file.read(2)
        file.seek(0)
        stream = gzip.GzipFile(fileobj=file) if magic == b"\x1f\x8b" else file
        try:
            line = stream.readline(LONGEST)
            while True:
                record = json.loads(line)
                kind = next(iter(record))
                size += len(line)
                if not line.endswith(b"\n") or size > LARGEST:
                    _wrong("damaged", "a line is cut, or there is too much")
                following = stream.readline(LONGEST)
                if not following:
                    break
                digest.update(line)
                counts[kind] += 1
                yield kind, record
                line = following
        except (OSError, EOFError, zlib.error, ValueError, RecursionError, TypeError, StopIteration) as e:
            _wrong("damaged", f"record {counts.total() + 1} cannot be read: {str(e):.200}")
    if record != {"end": {**counts, "sha256": digest.hexdigest()}}:
        _wrong("damaged", "its last line does not fit what stands before it")
