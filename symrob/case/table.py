"""A completed table of candidates: plausibility, fault modes, probabilities.

In:  a completed CSV file of `symrob candidates`, and the environment.
Out: a `Table`: excluded candidates, fault modes, probabilities; every row that does not
     fit the environment.

    class,from,action,to,in words,individual verdict,plausible,fault mode,probability
    omission,NO_MODE,enter,CONFIRMED,,hazardous,yes,hasty nurse,0.01

Only `from`, `action` and `to` are required; columns may be in any order, and there may
be others. *Plausible* is yes, no or empty, which is yes. A row with *fault modes*,
separated by `;`, joins its transition to them; *probability*, from 0 to 1, is that of
its modes, where they must agree, or of the transition itself. A candidate without a row
counts as one with an empty row. With a column `component`, the rows are candidates of
the named components of E.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from math import isfinite
from typing import NamedTuple

from symrob.case.probability import LEAST, is_extreme
from symrob.errors import Diagnostic, SymrobError, did_you_mean, plural, printable
from symrob.files.csvtext import cell, csv_rows
from symrob.files.decimals import WrittenDecimal, exact
from symrob.files.kinds import recognised
from symrob.lts import Lts, StateId, Transition
from symrob.problem import FaultMode, LocalTransition, Model

# A problem of a row: what is wrong, the column that it is about, a hint.
_Wrong = tuple[str, str, str | None]
# What a row is about: a transition that E lacks, or one of its components.
Candidate = Transition | LocalTransition

WRITTEN = (
    *("class", "from", "action", "to", "in words", "individual verdict"),
    *("plausible", "fault mode", "probability"),
)
COMPONENT = "component"
_NEEDED = ("from", "action", "to")
_FILLED = ("plausible", "fault mode", "probability")
_YES = {"", "yes", "y", "true", "1", "x"}
_NO = {"no", "n", "false", "0"}
# Characters of the name of a mode; problems of one file that are told.
MAX_LENGTH = 200
MOST_PROBLEMS = 1000


class TableRow(NamedTuple):
    """The row of one candidate.

    Attributes:
        line: Its first line in the file.
        plausible: Whether it can happen.
        modes: The fault modes that it belongs to.
        probability: From 0 to 1; `None` if empty.
    """

    line: int
    plausible: bool
    modes: tuple[str, ...]
    probability: Decimal | None


@dataclass(frozen=True)
class Table:
    """A table that fits an environment.

    Attributes:
        path: The file.
        rows: The row of each candidate that has one.
    """

    path: str
    rows: Mapping[Candidate, TableRow]

    @cached_property
    def implausible(self) -> frozenset[Candidate]:
        """The candidates that are removed from K."""
        return frozenset(t for t, row in self.rows.items() if not row.plausible)

    @property
    def modes(self) -> tuple[FaultMode, ...]:
        """The fault modes with their plausible transitions, in the table's order."""
        found: dict[str, set[Candidate]] = {}
        for candidate, row in self.rows.items():
            for name in row.modes:
                found.setdefault(name, set()).update(
                    (candidate,) if row.plausible else ()
                )
        return tuple(
            FaultMode(
                name,
                frozenset(t for t in held if isinstance(t, Transition)),
                frozenset(t for t in held if isinstance(t, LocalTransition)),
            )
            for name, held in found.items()
        )

    def joined(self, declared: Iterable[FaultMode]) -> list[FaultMode]:
        """Return modes with the transitions of the rows, without implausible ones."""
        modes = {mode.name: mode for mode in declared}
        for mode in self.modes:
            known = modes.get(mode.name, FaultMode(mode.name))
            modes[mode.name] = replace(
                known,
                transitions=known.transitions | mode.transitions,
                local=known.local | mode.local,
            )
        return [
            replace(
                mode,
                transitions=mode.transitions - self.implausible,
                local=mode.local - self.implausible,
            )
            for mode in modes.values()
        ]

    @property
    def mode_probabilities(self) -> dict[str, Decimal]:
        """The probabilities that rows give their fault modes, by name."""
        return {
            name: row.probability
            for row in self.rows.values()
            if row.probability is not None
            for name in row.modes
        }

    @property
    def single_probabilities(self) -> dict[Candidate, Decimal]:
        """The probabilities of plausible candidates that are in no mode."""
        return {
            candidate: row.probability
            for candidate, row in self.rows.items()
            if row.probability is not None and row.plausible and not row.modes
        }


def labels(environment: Lts) -> list[str]:
    """Return the label of each state in a table: its name, or its number.

    Names, unless two of them would be written alike.
    """
    names = [environment.state_name(q) for q in range(environment.size)]
    written = {cell(name).strip() for name in names}
    if len(written) == len(names) and "" not in written:
        return names
    return [str(q) for q in range(environment.size)]


def is_of_components(path: str) -> bool:
    """Whether a table has a column for the component of E.

    Raises:
        SymrobError: The file cannot be read, or is empty.
    """
    with recognised(path, "table"):
        _, heads = next(csv_rows(path, (COMPONENT, *WRITTEN)), (1, []))
        return COMPONENT in (head.strip().lower() for head in heads)


def read_table(path: str, environment: Model, *, components: bool = False) -> Table:
    """Read a table back.

    Args:
        path: The file.
        environment: E, whose candidates are in the rows.
        components: Whether the rows are about its components; else E is one system.

    Raises:
        SymrobError: The file cannot be read or lacks a column; or rows do not name a
            candidate of E, occur twice, or are invalid: all of them.

    Cost: linear in the file and in the states of E.
    """
    with recognised(path, "table"):
        rows = csv_rows(path, (COMPONENT, *WRITTEN))
        _, first = next(rows, (1, []))
        column = _columns(first, path)
        names = environment.component_names if components else ("",)
        owners = {
            name: _Owner(i if components else None, part)
            for i, (name, part) in enumerate(
                zip(names, environment.components, strict=True)
            )
        }
        reader = _TableRows(path, owners, column)
        for line, cells in rows:
            reader.take(line, cells)
        return reader.table()


def _columns(heads: Sequence[str], path: str) -> dict[str, int]:
    """Where each known column stands."""
    names = [head.strip().lower() for head in heads]
    problems = [f"the column '{n}' is missing" for n in _NEEDED if n not in names]
    twice = (name for name in WRITTEN if names.count(name) > 1)
    problems += [f"duplicate column '{name}'" for name in twice]
    for head in names:
        near = did_you_mean(head, _FILLED) if head not in WRITTEN else None
        if near is not None:
            problems.append(f"unknown column '{printable(head)}': {near}")
    if problems:
        hint = "symrob candidates CASE --out table.csv writes a valid table"
        raise SymrobError(
            [_problem(path, 1, message, hint=hint) for message in problems]
        )
    known = (COMPONENT, *WRITTEN)
    return {name: names.index(name) for name in known if name in names}


def _problem(
    path: str, line: int, message: str, column: str = "", hint: str | None = None
) -> Diagnostic:
    where = f"column '{column}': " if column else ""
    return Diagnostic("table-row", where + message, file=path, line=line, hint=hint)


class _Owner:
    """What rows are of: E, or a component of it, with the names of its states.

    Args:
        number: Of the component; `None` for E.
        system: It.
    """

    def __init__(self, number: int | None, system: Lts) -> None:
        self.number = number
        self.system = system
        known = labels(system)
        # As it was written wins over a name that looks like it.
        self.states: dict[str, StateId] = {n.strip(): q for q, n in enumerate(known)}
        self.states |= {cell(n).strip(): q for q, n in enumerate(known)}
        self.actions = {a.strip(): a for a in system.alphabet}
        self.actions |= {cell(a).strip(): a for a in system.alphabet}

    def candidate(self, source: str, action: str, target: str) -> Candidate:
        """What a row with known names is about."""
        t = Transition(self.states[source], self.actions[action], self.states[target])
        return t if self.number is None else LocalTransition(self.number, *t)

    def plans(self, candidate: Candidate) -> bool:
        """Whether it does that already."""
        source, action, target = candidate[-3:]
        return target in self.system.successors[source].get(action, ())


class _TableRows:
    """Takes the rows one by one."""

    def __init__(
        self, path: str, owners: Mapping[str, _Owner], columns: Mapping[str, int]
    ) -> None:
        self._path = path
        self._owners = {cell(n).strip(): one for n, one in owners.items()}
        self._columns = columns
        self._rows: dict[Candidate, TableRow] = {}
        self._problems: list[Diagnostic] = []
        self._left_out = 0
        # Where the probability of a mode was read first, and what it is.
        self._probabilities: dict[str, tuple[int, Decimal]] = {}

    def take(self, line: int, cells: Sequence[str]) -> None:
        """Read one row, or note what is wrong with it."""
        said = {
            name: cells[at].strip() if at < len(cells) else ""
            for name, at in self._columns.items()
        }
        problems = [
            _problem(self._path, line, message, column, hint)
            for message, column, hint in self._taken(line, said)
        ]
        room = MOST_PROBLEMS - len(self._problems)
        self._problems += problems[:room]
        self._left_out += len(problems[room:])

    def table(self) -> Table:
        """Return what was read.

        Raises:
            SymrobError: Rows are wrong.
        """
        if self._left_out:
            message = plural(self._left_out, "more problem")
            self._problems.append(Diagnostic("table-row", message, file=self._path))
        if self._problems:
            raise SymrobError(self._problems)
        return Table(self._path, self._rows)

    def _taken(self, line: int, said: Mapping[str, str]) -> Iterator[_Wrong]:
        owner = self._owners.get(said.get(COMPONENT, ""))
        strange = [*self._strangers(owner, said)]
        yield from strange
        plausible = said.get("plausible", "").lower()
        if plausible not in _YES | _NO:
            given = printable(plausible)
            message = f"expected yes, no or an empty cell, not '{given:.60}'"
            yield message, "plausible", None
        named = map(str.strip, _plain(said.get("fault mode", "")).split(";"))
        modes = tuple(dict.fromkeys(filter(None, named)))
        for name in modes:
            if len(name) > MAX_LENGTH or not name.isprintable():
                message = f"a name must have 1 to {MAX_LENGTH} printable characters"
                yield message, "fault mode", None
        text = said.get("probability", "")
        probability = _probability(text)
        if probability is not None and (
            not 0 <= probability <= 1 or is_extreme(probability)
        ):
            expected = "a number from 0 to 1"
            if 0 < probability < 1:
                expected = f"0, 1, or a number at least {LEAST} away from both"
            message = f"expected {expected}, not '{printable(text):.60}'"
            yield message, "probability", None
            probability = None
        for name in modes:
            if probability is None:
                break
            first = self._probabilities.setdefault(name, (line, probability))
            if first[1] != probability:
                both = f"{first[1]:g} on line {first[0]}, {probability:g} here"
                message = f"'{name}' has two probabilities: {both}"
                yield message, "probability", None
        if owner is None or strange:
            return
        candidate = owner.candidate(said["from"], said["action"], said["to"])
        if owner.plans(candidate):
            yield "E already has this transition: it is not a candidate", "", None
        elif candidate in self._rows:
            first_line = self._rows[candidate].line
            yield f"duplicate row: also on line {first_line}", "", None
        else:
            row = TableRow(line, plausible in _YES, modes, probability)
            self._rows[candidate] = row

    def _strangers(
        self, owner: _Owner | None, said: Mapping[str, str]
    ) -> Iterator[_Wrong]:
        """Names that there are not."""
        component = said.get(COMPONENT, "")
        if owner is None and "" in self._owners:
            message = (
                "the row names a component, but the candidates are transitions of E"
            )
            yield message, COMPONENT, None
        elif owner is None:
            hint = did_you_mean(component, self._owners) if component else None
            message = f"E has no component '{printable(component)}'"
            yield (
                message if component else "the row names no component",
                COMPONENT,
                hint or f"its components: {', '.join(map(printable, self._owners))}",
            )
        else:
            known: dict[str, Collection[str]]
            known = {"from": owner.states, "to": owner.states, "action": owner.actions}
            for column, names in known.items():
                if said[column] not in names:
                    kind = "action" if column == "action" else "state"
                    message = f"{component or 'E'} has no {kind} "
                    hint = did_you_mean(said[column], names)
                    yield f"{message}'{printable(said[column])}'", column, hint


def _plain(text: str) -> str:
    """A text without the apostrophe that keeps it from being a formula."""
    rest = text.removeprefix("'")
    return rest if rest != text and cell(rest) == text else text


def _probability(text: str) -> Decimal | None:
    """A number, with a comma or a point; -1 where it is none, `None` for nothing."""
    if not text:
        return None
    try:
        number = WrittenDecimal(_plain(text).replace(",", "."))
    except ValueError:
        return Decimal(-1)
    return exact(number) if isfinite(number) else Decimal(-1)
