"""Finite state machines of mCRL2 (`.fsm`); DESops uses this suffix differently.

In:  three sections separated by `---`: the state parameters with their values, the
     states, the transitions `source target "label"`; states are numbered from 1.
Out: an `Lts`; state 1 is initial, and the parameters name the states.

`tau` is the internal move. Probabilistic transitions are refused. As in mCRL2, the
alphabet consists of the actions that occur.

Sources: docs/sources.md [mCRL2].
"""

from __future__ import annotations

import re

from symrob.formats.registry import Format, Source
from symrob.formats.text import FileReader, Line, number
from symrob.lts import TAU, Lts
from symrob.lts.naming import distinct

_MARK = "---"
_PARAMETER = re.compile(r"\s*([^\s(]+)\s*\(\s*(\d{1,18})\s*\)(.*)")
_VALUE = re.compile(r'"((?:[^"\\]|\\.)*)"')
_TRANSITION = re.compile(r'\s*(\d{1,18})\s+(\d{1,18})\s+"((?:[^"\\]|\\.)*)"\s*')


def _begins(text: str) -> bool:
    return any(line.strip() == _MARK for line in text.splitlines())


class _Mcrl2Reader(FileReader):
    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.parameters: list[tuple[str, list[str]]] = []
        self.states: list[str] = []
        self.rows: list[tuple[int, str, int, Line]] = []

    def read(self) -> Lts:
        section = 0
        read = (self._parameter, self._state, self._transition)
        with self.lines() as lines:
            for line in lines:
                content = line.text.strip()
                if content == _MARK:
                    section += 1
                    if section > 2:
                        self._error(line, "expected exactly two lines '---'")
                        section = 2
                elif content or (section == 1 and not self.parameters):
                    read[section](line)
        if section < 2:
            message = "expected three sections separated by '---'"
            self.problems.error("fsm-sections", message)
        return self._lts()

    def _parameter(self, line: Line) -> None:
        found = _PARAMETER.fullmatch(line.text)
        if found is None:
            self._error(line, "expected 'NAME(NUMBER) TYPE \"VALUE\" …'")
            return
        self.parameters.append((found[1], _VALUE.findall(found[3])))

    def _state(self, line: Line) -> None:
        words = line.text.split()
        if len(words) != len(self.parameters) or None in map(number, words):
            wanted = len(self.parameters)
            self._error(line, f"expected a state of {wanted} numbers")
        parts = []
        for (name, values), word in zip(self.parameters, words, strict=False):
            index = number(word) or 0
            value = values[index] if index < len(values) else word
            parts.append(f"{name}={value}")
        self.states.append(",".join(parts))
        self.check_states(len(self.states))

    def _transition(self, line: Line) -> None:
        found = _TRANSITION.fullmatch(line.text)
        if found is None:
            chance = "[" in line.text.split('"')[0]
            what = "expected 'SOURCE TARGET \"LABEL\"'"
            self._error(line, "probabilities are not supported" if chance else what)
            return
        source, target = int(found[1]), int(found[2])
        self.rows.append((source, found[3], target, line))
        self.check_transitions(len(self.rows))

    def _lts(self) -> Lts:
        # A file without parameters may leave out its states.
        size = len(self.states)
        if not self.parameters:
            self.states = []
            size = max((max(row[0], row[2]) for row in self.rows), default=1)
            self.check_states(size)
        for source, label, target, line in self.rows:
            for state in {source, target}:
                if not 1 <= state <= size:
                    self._error(line, f"{state} is not a state in 1..{size}")
            if not label:
                self._error(line, "expected a non-empty label")
        if not size:
            self.problems.error("fsm-state", "expected at least one state")
        self.problems.check(sort=True)
        rows = [
            (source - 1, label, target - 1) for source, label, target, _ in self.rows
        ]
        alphabet = {label for _, label, _ in rows} - {TAU}
        return Lts(alphabet, size, rows, names=distinct(self.states) or None)

    def _error(self, line: Line, message: str) -> None:
        self.problems.error("fsm-line", message, line.span())


FORMAT = Format("mCRL2", _Mcrl2Reader.model, begins=_begins, suffixes=(".fsm",))
