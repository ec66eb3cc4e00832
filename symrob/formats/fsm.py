"""DESops and UMDES files (`.fsm`) of tools for discrete event systems.

In:  the number of states, then a block for each state: `STATE marked n`, and
     n lines `event target controllable observable`, with an optional probability.
Out: an `Lts`; in the other direction the lines of such a file.

- Tabs separate columns; a line without tabs is split at blanks.
- The first block is the initial state.
- An event called `tau` is an internal move; the writer marks it `uc uo`.
- A state called `ERROR` without transitions is the ERROR state.
- symrob ignores marking, controllability, observability and probabilities; the reader
  warns if a file uses them.
- The format does not support unused actions. END is written as a marked state, which
  reading does not restore; the writer warns.

Sources: docs/sources.md [DESops].
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from symrob.errors import Span, plural
from symrob.formats.registry import Format, Source
from symrob.formats.text import (
    ERROR_NAME,
    FileReader,
    Holds,
    Line,
    is_line,
    number,
    numbered,
)
from symrob.limits import watched
from symrob.lts import ERROR, TAU, Lts


class _Row(NamedTuple):
    """A line with its words."""

    line: Line
    words: tuple[str, ...]

    def span(self, index: int | None = None) -> Span:
        """Return the span of a word, by default of the whole line."""
        if index is None:
            return self.line.span()
        text = self.line.text
        tabs, place = "\t" in text.rstrip(), 0
        for word in self.words[:index]:
            place = text.find(word, place) + len(word) + tabs
        word = self.words[index]
        return self.line.span(max(0, text.find(word, place)), len(word))


class _FsmReader(FileReader):
    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.ids: dict[str, int] = {}
        self.rows: list[tuple[int, str, _Row]] = []
        self.ignored: dict[str, None] = {}
        # After a bad state line, what follows is no second problem.
        self.lost = False

    def read(self) -> Lts:
        with self.lines() as found:
            lines = self._rows(found)
            size = self._size(next(lines))
            while (line := next(lines, None)) is not None:
                self._block(line, lines)
        if size is not None and size != len(self.ids):
            message = f"the first line announces {plural(size, 'state')}, but the file "
            message += f"describes {len(self.ids)}"
            hint = "the file may be truncated"
            self.problems.error("fsm-count", message, Span(1), hint)
        lts = self._lts()
        if self.ignored:
            what = ", ".join(self.ignored)
            self.problems.warn("fsm-ignored", f"not used by symrob: {what}")
        return lts

    def _rows(self, lines: Iterable[Line]) -> Iterator[_Row]:
        for line in lines:
            # Tabs at the end announce no column.
            if body := line.text.rstrip():
                cut = body.split("\t") if "\t" in body else body.split()
                yield _Row(line, tuple(word.strip() for word in cut))

    def _size(self, line: _Row) -> int | None:
        size = number(line.words[0]) if len(line.words) == 1 else None
        if size is None:
            message = "expected the number of states in the first line"
            self._error("fsm-header", message, line)
            self.problems.check()
        elif size == 0:
            self._error("fsm-header", "expected at least one state", line)
            self.problems.check()
        else:
            self.check_states(size)
        return size

    def _block(self, line: _Row, lines: Iterator[_Row]) -> None:
        if self.lost and len(line.words) > 3:
            return
        count = number(line.words[2]) if len(line.words) in {3, 4} else None
        self.lost = count is None or line.words[1] not in {"0", "1"}
        if count is None or self.lost:
            message = "expected 'STATE marked transitions' for a state"
            self._error("fsm-state", message, line)
            return
        name = line.words[0]
        if not name or name in self.ids:
            known = "is described twice" if name else "has no name"
            self._error("fsm-state", f"the state '{name}' {known}", line)
        if line.words[1] == "1":
            self.ignored["marked states"] = None
        state = self.ids.setdefault(name, len(self.ids))
        self.check_states(len(self.ids))
        for done in range(count):
            row = next(lines, None)
            if row is None:
                message = f"'{name}' announces {plural(count, 'transition')}, but "
                message += f"{done} follow{'s' * (done == 1)}"
                self._error("fsm-count", message, line, 2)
                return
            self._transition(state, row)

    def _transition(self, state: int, row: _Row) -> None:
        words = row.words
        well_formed = (
            4 <= len(words) <= 5
            and words[0]
            and words[2] in {"c", "uc"}
            and words[3] in {"o", "uo"}
        )
        if not well_formed:
            message = "expected 'event target c|uc o|uo' for a transition"
            hint = "each state announces how many transitions follow it"
            self._error("fsm-transition", message, row, hint=hint)
            return
        internal = words[0] == TAU
        for flag, what in (
            (words[2] == "uc" and not internal, "uncontrollable events"),
            (words[3] == "uo" and not internal, "unobservable events"),
            (len(words) == 5, "probabilities"),
        ):
            if flag:
                self.ignored[what] = None
        self.rows.append((state, words[0], row))
        self.check_transitions(len(self.rows))

    def _lts(self) -> Lts:
        """Number the states, ERROR apart, and resolve the targets."""
        numbers = numbered(self.ids)
        error = self.ids.get(ERROR_NAME)
        if error == 0 or any(state == error for state, _event, _row in self.rows):
            message = "the state ERROR cannot be initial or have transitions"
            hint = "rename it if it is an ordinary state"
            self.problems.error("fsm-error", message, hint=hint)
        by_old = {old: numbers[name] for name, old in self.ids.items()}
        transitions = []
        for state, event, row in watched(self.rows):
            if row.words[1] not in self.ids:
                message = f"no state '{row.words[1]}' is described"
                self._error("fsm-target", message, row, 1)
                continue
            transitions.append((by_old[state], event, numbers[row.words[1]]))
        self.problems.check()
        alphabet = {event for _source, event, _target in transitions} - {TAU}
        *names, _error = numbers
        return Lts(alphabet, len(names), transitions, names=names)

    def _error(
        self,
        code: str,
        message: str,
        row: _Row,
        word: int | None = None,
        hint: str | None = None,
    ) -> None:
        """Note a problem of a line, or of one word of it."""
        if row.line.text.lstrip().startswith("#"):
            hint = "this format has no comments"
        self.problems.error(code, message, row.span(word), hint)


def _text(lts: Lts) -> Iterator[str]:
    names = _HOLDS.state_names(lts)
    error = lts.can_fail
    yield str(lts.size + error)
    for state, row in enumerate(lts.successors):
        yield ""
        moves = [(action, target) for action in sorted(row) for target in row[action]]
        yield f"{names[state]}\t{int(state == lts.end)}\t{len(moves)}"
        for action, target in moves:
            flags = "uc\tuo" if action == TAU else "c\to"
            name = ERROR_NAME if target == ERROR else names[target]
            yield f"{action}\t{name}\t{flags}"
    if error:
        yield ""
        yield f"{ERROR_NAME}\t0\t0"


def _writable(word: str) -> bool:
    return is_line(word) and "\t" not in word


_HOLDS = Holds(
    actions=_writable,
    fits=_writable,
    names="the format does not support these state names; numbers are written",
    unused=False,
    end="END is written as a marked state; reading does not restore it",
)


FORMAT = Format("DESops, UMDES", _FsmReader.model, _text, holds=_HOLDS)
