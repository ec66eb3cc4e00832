"""Reading certificates; damaged or invalid ones are refused.

In:  a file of the schema `symrob/certificate/2`, plain or gzipped.
Out: a `Certificate`, every record in its canonical form and every number in its range.
     Standard library only.
"""

import errno
import gzip
import os
import re
import stat
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from itertools import count
from typing import IO, Any, NamedTuple, cast

from symrob.certify.counted import CountedEnvironment
from symrob.certify.format import CLAIMS, RECORDS, SCHEMA, decoded
from symrob.certify.watching import (
    ERROR,
    TAU,
    CheckBudget,
    Lts,
    Network,
    Required,
    Walked,
    Watcher,
)

# A letter for each kind of records, and the order in which they come.
KINDS = dict(zip(RECORDS, "sercpbkmqdua", strict=True))
UNREADABLE = (OSError, EOFError, zlib.error, RecursionError, ValueError)
SIDE, UNITS, CLAIM = "r*cp+", "b?(?:k|m+)", "qd*u*a*"
ORDER = f"se(?:{SIDE})+(?:{UNITS})(?:{CLAIM})+"
FORMER = b"symrob/certificate/1"
CHUNK, TRAILER = 1 << 20, 1 << 12  # Bytes; that a trailer has at most.
# Of (q, a, r) in A: (q * |Act_E| + place of a) * |Q_E| + r; or of a mode, from 0.
Set = list[int]
Step = tuple[list[int], list[int]]  # A clause, and what it follows from.
Record = dict[str, Any]


class WrongError(Exception):
    """A claim does not follow; carries a code and the reason."""


class Side(NamedTuple):
    """The watchers of E: constraints, as many as `rules`, then P with C."""

    records: list[Record]
    rules: int
    watchers: list[Watcher]
    controller: Network
    guards: list[Required]


class Claim(NamedTuple):
    """A claim and its evidence: safe sets of one side, unsafe ones of one."""

    kind: str
    title: str
    keeper: int
    breaker: int
    most: int  # Members of the sets that are asked about.
    variables: int  # Of the clauses.
    deviations: list[Set]
    unsafe: list[tuple[Set, int, tuple[str, ...]]]
    steps: list[Step]
    goals: list[frozenset[str]]


class Certificate:
    """The contents of a certificate; `common` are the records shared by all sides."""

    def __init__(self, path: str, budget: CheckBudget) -> None:
        self.budget = budget
        with _opened(path, budget) as file:
            end = _trailer(file, budget)
            file.seek(0)
            try:
                records = [*_records(file, budget)]
            except UNREADABLE as error:
                raise WrongError("malformed", str(error)) from None
        letters = "".join(KINDS.get(next(iter(record)), "?") for record in records)
        counts = Counter(map(next, map(iter, records)))
        if end["end"] != {**end["end"], **dict.fromkeys(RECORDS, 0), **counts}:
            why = "the counts in the last line do not match the contents"
            raise WrongError("damaged", why)
        try:
            if not re.fullmatch(ORDER, letters):
                raise ValueError(f"the records of {SCHEMA} are in the wrong order")
            units = [r for r, x in zip(records, letters, strict=True) if x in "bkm"]
            self.common = [records[1], *units]
            self._units(records[1]["environment"], units)
            self.sides, self.claims = list[Side](), list[Claim]()
            for found in re.finditer(f"{SIDE}|{CLAIM}", letters):
                read = self._claim if found[0][0] == "q" else self._side
                read(records[slice(*found.span())])
        except ValueError as error:
            raise WrongError("malformed", str(error)) from None

    def _units(self, data: Record, records: list[Record]) -> None:
        """Take E, and what may be added to it."""
        self.environment = self._network(data, 0)
        parts, hidden = self.environment.parts, self.environment.hidden
        self.actions = sorted(self.environment.visible)
        self.size = len(parts[0].rows)
        # Of a run, and of each mode that has one: how many steps may deviate.
        self.at_most: int | None = None
        self.within: int | None = None  # The budget of a claim, in the place of that.
        if "budget" in records[0]:
            (self.at_most,) = _ints([records[0]["budget"]], 1 << 63)
            records = records[1:]
        bounds = {m: r["at_most"] for m, r in enumerate(records) if "mode" in r}
        self.bounds = {m: most for m, most in bounds.items() if most is not None}
        _ints([*self.bounds.values()], 1 << 63)
        modes = {r["mode"]: r["changes"] for r in records if "mode" in r}
        if len(modes) < len(records) and "mode" in records[0]:
            raise ValueError("two fault modes have the same name")
        self.modes = [*modes.values()]
        for i, source, action, target in (t for mode in self.modes for t in mode):
            part = parts[_ints([i], len(parts))[0]]
            _ints([source, target], len(part.rows))
            if action not in part.alphabet:
                raise ValueError(f"component {i} lacks action {action!r:.60}")
        self.units = len(self.modes) or self.size**2 * len(self.actions)
        self.budget.spend(self.units)
        every: Set = [*range(self.units)]
        chosen: Any = "all"
        if not self.modes:
            if len(parts) > 1 or hidden:
                raise ValueError(
                    "candidates require an E of one component without hidden actions"
                )
            rows, named = parts[0].rows, [(t, *self._transition(t)) for t in every]
            every = [t for t, _, q, a, r in named if r not in rows[q].get(a, ())]
            chosen = records[0]["candidates"]
        self.candidates = every if chosen == "all" else self._set(chosen)
        if chosen == every or not {*every}.issuperset(self.candidates):
            raise ValueError(
                "candidates must be 'all' or a proper part of A without R_E"
            )

    def _transition(self, unit: int) -> tuple[int, int, str, int]:
        rest, target = divmod(unit, self.size)
        source, place = divmod(rest, len(self.actions))
        return 0, source, self.actions[place], target

    def changed(self, units: Set) -> Walked:
        """E with some units."""
        several = [(unit, self._changes(unit)) for unit in units]
        run = self.at_most if self.within is None else self.within
        if run is not None or self.bounds:
            brought = ((unit, t) for unit, changes in several for t in changes)
            counted = self.environment, brought, run, self.bounds
            return CountedEnvironment(*counted).walked()
        return self.environment.changed(t for _, changes in several for t in changes)

    def _changes(self, unit: int) -> list[Any]:
        return self.modes[unit] if self.modes else [self._transition(unit)]

    def _side(self, records: list[Record]) -> None:
        kinds = [next(iter(record)) for record in records]
        rules, actions = kinds.index("controller"), frozenset(self.actions)
        nothing = Network([], frozenset(), self.budget)
        controller, watchers = self._network(records[rules]["controller"]), []
        read: list[Network | Required] = []
        for i, (record, kind) in enumerate(zip(records, kinds, strict=True)):
            alone, data = i < rules, record[kind]
            if "when" in data:
                read.append(self._required(data, nothing if alone else controller))
            elif i != rules:
                read.append(self._network(data))
        asked = [x for x in read if isinstance(x, Required)]
        guards = [x for x in asked if x.kind == "guard"]
        for i, x in enumerate(read):
            machine, kept = (nothing, []) if i < rules else (controller, guards)
            if isinstance(x, Network):
                watchers.append(Watcher(machine, x, actions, kept))
            elif x.kind != "guard":
                watchers.append(Watcher(machine, nothing, actions, [*kept, x]))
        if len(watchers) == rules:
            raise ValueError("a side needs a property")
        self.sides.append(Side(records, rules, watchers, controller, guards))

    def _required(self, data: Record, controller: Network) -> Required:
        """A requirement on states of E and C; of E alone where C has no parts."""
        e, parts, known = self.environment, controller.parts, {*self.actions}
        kind, actions, alone = data["kind"], frozenset(data["actions"]), not parts
        known = controller.visible if kind == "guard" else known | controller.visible
        if not known.issuperset(actions) or (kind == "state") != (not actions):
            raise ValueError("a requirement names actions that its kind does not allow")
        if alone and kind == "guard":
            raise ValueError("an assumption is about E alone: it cannot be a guard")
        depth = 0
        for word, number, states in data["when"]:
            if word in ("E", "C"):
                side = e.parts if word == "E" else parts
                _ints(states, len(side[_ints([number], len(side))[0]].rows))
                depth += 1
                continue
            taken = 1 if word == "not" else number
            if states or not 1 <= taken <= depth or (word == "not" and number):
                raise ValueError("a condition lacks operands")
            depth -= taken - 1
        if depth != 1:
            raise ValueError("'when' must form exactly one condition")
        when = [(word, n, frozenset(states)) for word, n, states in data["when"]]
        return Required(kind, actions, when)

    def _claim(self, records: list[Record]) -> None:
        head, deviations, unsafe, steps = records[0], [], [], []
        keeper, breaker = _ints(head["sides"], len(self.sides))
        kind, most, actions = head["claim"], head["most"], self.actions
        bound, places = 1 << 63 if kind.endswith("-within") else 1, 0
        if kind == "resilient":
            bound, places = len(self.candidates) + 1, most * len(self.candidates)
        _ints([most], bound)
        variables = self.units + places
        self.budget.spend(variables - self.units)
        for record in records[1:]:
            what, values = next(iter(record.items()))
            if what not in CLAIMS[kind]:
                raise ValueError(f"a claim {kind} cannot have records {what}")
            if what == "deviation":
                deviations.append(self._set(values))
            elif what == "unsafe":
                run = tuple(actions[i] for i in _ints(record["run"], len(actions)))
                _ints([record["breaks"]], len(self.sides[breaker].watchers))
                unsafe.append((self._set(values), record["breaks"], run))
            else:
                _ints([abs(literal) - 1 for literal in values], variables)
                steps.append((values, _ints(record["by"], 1 << 63)))
        about = kind, head["title"], keeper, breaker, most
        goals = [frozenset(actions) - {TAU} for actions in head.get("goals", [])]
        if kind.endswith("-goals") != ("goals" in head) or head.get("goals") == []:
            raise ValueError("a claim about goals must list goals, others must not")
        shown = deviations, unsafe, steps, goals
        self.claims.append(Claim(*about, variables, *shown))

    def _set(self, values: Set) -> Set:
        return _ints(values, self.units)

    def _system(self, data: Record, least: int) -> Lts:
        alphabet, size, names = data["alphabet"], data["states"], data["names"]
        known = frozenset(alphabet)
        if {TAU, ""} & known:
            raise ValueError(f"an alphabet must not contain {TAU} or an empty string")
        if size < 1:
            raise ValueError("a system needs at least one state")
        if names is not None and not len(names) == len({*names}) == size:
            raise ValueError("each state needs a name, different from all others")
        self.budget.spend(size)
        rows: list[dict[str, list[int]]] = [{} for _ in range(size)]
        for source, action, target in data["transitions"]:
            _ints([source], size)
            _ints([target - least], size - least)
            if action != TAU and action not in known:
                raise ValueError(f"action {action!r:.60} is not in the alphabet")
            rows[source].setdefault(action, []).append(target)
        initial = _ints(data.get("initial", [0]), size)
        if not initial or ("initial" in data and initial == [0]):
            raise ValueError("'initial' must list states; omit it for state 0 alone")
        return Lts(known, rows, initial)

    def _network(self, data: Record, least: int = ERROR) -> Network:
        parts = [self._system(part, least) for part in data["components"]]
        if not {a for part in parts for a in part.alphabet}.issuperset(data["hidden"]):
            raise ValueError("a network can hide only its own actions")
        if not parts:
            raise ValueError("a network needs components")
        return Network(parts, frozenset(data["hidden"]), self.budget)


def _ints(values: list[int], below: int) -> list[int]:
    """Return what must be numbers from 0, below a bound."""
    if values and not 0 <= min(values) <= max(values) < below:
        raise ValueError("a number is out of its range")
    return values


@contextmanager
def _opened(path: str, budget: CheckBudget) -> Iterator[IO[bytes]]:
    """Open a regular file, unpacked as it is read; nothing waits for a pipe."""

    def opener(name: str, flags: int) -> int:
        number = os.open(name, flags | getattr(os, "O_NONBLOCK", 0))
        if not stat.S_ISREG(os.fstat(number).st_mode):
            os.close(number)
            raise OSError(errno.EINVAL, "not a regular file", name)
        return number

    with open(path, "rb", opener=opener) as file:
        budget.require_size(os.fstat(file.fileno()).st_size)
        packed = file.peek(2)[:2] == b"\x1f\x8b"
        yield cast("IO[bytes]", gzip.GzipFile(fileobj=file)) if packed else file


def _trailer(file: IO[bytes], budget: CheckBudget) -> Record:
    """Return the last line, which fits the bytes before it; little is kept of these."""
    digest, held, size = sha256(), b"", 0
    try:
        while chunk := file.read(CHUNK):
            size += len(chunk)
            budget.require_size(size)
            budget.spend(0)
            held += chunk
            digest.update(held[:-TRAILER])
            held = held[-TRAILER:]
        start = held.rfind(b"\n", 0, -1) + 1
        digest.update(held[:start])
        end = decoded(held[start:])
        if "end" in end and end["end"]["sha256"] == digest.hexdigest():
            return end
        why = "the checksum in the last line does not match the contents"
    except UNREADABLE as error:
        why = f"the last line: {error}"
    raise WrongError("damaged", why)


def _records(file: IO[bytes], budget: CheckBudget) -> Iterator[Record]:
    """The records before the trailer."""
    for number in count(1):
        line = _line(file, budget)
        try:
            record = decoded(line)
        except ValueError as error:
            if number == 1 and FORMER in line:
                former = f"{FORMER.decode()} is the previous format; {_AGAIN}"
                raise ValueError(former) from None
            raise ValueError(f"line {number}: {error}") from None
        if "end" in record:
            break
        yield record
    if file.read(1):
        raise ValueError("the file continues after the record 'end'")


_AGAIN = f"this checker reads {SCHEMA}; write it again with --certificate"


def _line(file: IO[bytes], budget: CheckBudget) -> bytes:
    """A line; the memory of what it holds is counted before that is made."""
    pieces = list[bytes]()
    while not pieces or (len(pieces[-1]) == CHUNK and pieces[-1][-1:] != b"\n"):
        piece = file.readline(CHUNK)
        parts = 240 * piece.count(b"{") + 64 * piece.count(b"[")
        parts += 28 * piece.count(b'"')
        budget.spend(0)
        budget.hold(len(piece) + parts + 40 * piece.count(b","))
        pieces.append(piece)
    return b"".join(pieces)
