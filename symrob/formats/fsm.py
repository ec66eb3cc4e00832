"""DESops and UMDES files (`.fsm`), as tools for discrete event systems use them.

In:  the number of states, then a block for each state: `STATE marked n`, and
     n lines `event target controllable observable`, with an optional probability.
Out: an `Lts`; in the other direction the lines of such a file.

- Columns are separated by tabs; a line without a tab is split at blanks.
- The first block is the initial state.
- An event called `tau` is an internal move; the writer marks it `uc uo`.
- A state called `ERROR` without transitions is the ERROR state.
- Marking, control and observation have no meaning for symrob and are not kept;
  the reader warns where a file makes use of them. Probabilities likewise.
- The format holds no unused actions of the alphabet. END is written as a marked
  state, which reading does not turn back. The writer says so.

Sources: docs/sources.md [DESops].
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

from symrob.errors import Diagnostic, SymrobError
from symrob.formats.registry import Format, Source, Text
from symrob.formats.text import (
    ModelFile,
    Problems,
    check_states,
    check_transitions,
    number,
    read_lines,
    sample,
    stem,
)
from symrob.limits import DEFAULT_LIMITS, Limits, watched
from symrob.lts import ERROR, TAU, Lts, Network

_ERROR_NAME = "ERROR"


@dataclass(frozen=True)
class _Line:
    number: int
    text: str
    words: tuple[str, ...]

    def column(self, index: int) -> int:
        """Return the column at which word `index` begins, counted from 1."""
        separator = "\t" if "\t" in self.text.rstrip() else None
        place = 0
        for word in self.words[:index]:
            place = self.text.find(word, place) + len(word) + (separator is not None)
        return max(0, self.text.find(self.words[index], place)) + 1


def read_fsm(path: str, *, limits: Limits = DEFAULT_LIMITS) -> ModelFile:
    """Read a DESops file.

    Args:
        path: The file.
        limits: Bounds on its size.

    Returns:
        A model whose network is one `Lts` with the state names of the file; its
        alphabet is the set of events that occur.

    Raises:
        SymrobError: The file cannot be read, or not as DESops; all problems at
            once.
        LimitExceeded: It has too many states or transitions.

    Cost: linear in the file.
    Source: docs/sources.md [DESops].
    """
    reader = _Reader(path, limits)
    lts = reader.read()
    return ModelFile(lts, stem(path), tuple(reader.problems.warnings))


class _Reader:
    def __init__(self, path: str, limits: Limits) -> None:
        self.path, self.limits = path, limits
        self.problems = Problems(path)
        self.ids: dict[str, int] = {}
        self.rows: list[tuple[int, str, _Line]] = []
        self.ignored: dict[str, None] = {}
        # After a bad state line, what follows is no second problem.
        self.lost = False

    def read(self) -> Lts:
        # Closed here also where a problem ends the reading, with the file in it.
        with closing(read_lines(self.path)) as text:
            lines = self._lines(text)
            size = self._size(next(lines))
            while (line := next(lines, None)) is not None:
                self._block(line, lines)
        if size is not None and size != len(self.ids):
            self.problems.error(
                "fsm-count",
                f"the first line announces {size} states, "
                f"but {len(self.ids)} are described",
                line=1,
                hint="the file may be cut off",
            )
        lts = self._lts()
        if self.ignored:
            what = ", ".join(self.ignored)
            self.problems.warn("fsm-ignored", f"not used by symrob: {what}")
        return lts

    def _lines(self, texts: Iterable[str]) -> Iterator[_Line]:
        for line, text in enumerate(watched(texts), 1):
            if text.strip():
                # Tabs at the end announce no column.
                body = text.rstrip()
                cut = body.split("\t") if "\t" in body else body.split()
                yield _Line(line, text, tuple(word.strip() for word in cut))

    def _size(self, line: _Line) -> int | None:
        size = number(line.words[0]) if len(line.words) == 1 else None
        if size is None:
            self._error(
                "fsm-header",
                "expected the number of states in the first line",
                line,
            )
            self.problems.check()
        elif size == 0:
            self._error("fsm-header", "expected at least one state", line)
            self.problems.check()
        else:
            check_states(self.path, size, self.limits)
        return size

    def _block(self, line: _Line, lines: Iterator[_Line]) -> None:
        if self.lost and len(line.words) > 3:
            return
        count = number(line.words[2]) if len(line.words) in {3, 4} else None
        self.lost = count is None or line.words[1] not in {"0", "1"}
        if count is None or self.lost:
            self._error(
                "fsm-state", "expected 'STATE marked transitions' for a state", line
            )
            return
        name = line.words[0]
        if not name or name in self.ids:
            known = "is described twice" if name else "has no name"
            self._error("fsm-state", f"the state '{name}' {known}", line)
        if line.words[1] == "1":
            self.ignored["marked states"] = None
        state = self.ids.setdefault(name, len(self.ids))
        check_states(self.path, len(self.ids), self.limits)
        for done in range(count):
            row = next(lines, None)
            if row is None:
                self._error(
                    "fsm-count",
                    f"{count} transitions of '{name}' are announced, {done} follow",
                    line,
                    word=2,
                )
                return
            self._transition(state, row)

    def _transition(self, state: int, row: _Line) -> None:
        words = row.words
        well_formed = (
            4 <= len(words) <= 5
            and words[0]
            and words[2] in {"c", "uc"}
            and words[3] in {"o", "uo"}
        )
        if not well_formed:
            self._error(
                "fsm-transition",
                "expected 'event target c|uc o|uo' for a transition",
                row,
                hint="each state announces how many transitions follow it",
            )
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
        check_transitions(self.path, len(self.rows), self.limits)

    def _lts(self) -> Lts:
        """Number the states, ERROR apart, and resolve the targets."""
        names = [name for name in self.ids if name != _ERROR_NAME]
        error = self.ids.get(_ERROR_NAME)
        if error == 0 or any(state == error for state, _event, _row in self.rows):
            self.problems.error(
                "fsm-error",
                "the state ERROR is neither initial nor has it transitions",
                hint="rename it if it is an ordinary state",
            )
        place = {name: i for i, name in enumerate(names)} | {_ERROR_NAME: ERROR}
        by_old = {old: place[name] for name, old in self.ids.items()}
        transitions = []
        for state, event, row in watched(self.rows):
            if row.words[1] not in self.ids:
                self._error(
                    "fsm-target",
                    f"no state '{row.words[1]}' is described",
                    row,
                    word=1,
                )
                continue
            transitions.append((by_old[state], event, place[row.words[1]]))
        self.problems.check()
        alphabet = {event for _source, event, _target in transitions} - {TAU}
        return Lts(alphabet, len(names), transitions, names=names)

    def _error(
        self,
        code: str,
        message: str,
        line: _Line,
        *,
        word: int | None = None,
        hint: str | None = None,
    ) -> None:
        """Note a problem of a line, or of one word of it."""
        if line.text.lstrip().startswith("#"):
            hint = "this format has no comments"
        self.problems.error(
            code,
            message,
            line=line.number,
            column=1 if word is None else line.column(word),
            length=len(line.text if word is None else line.words[word]),
            source=line.text,
            hint=hint,
        )


def fsm_lines(lts: Lts) -> Iterator[str]:
    """Yield the lines of a DESops file that holds `lts`.

    Args:
        lts: The system.

    Raises:
        SymrobError: An action is empty, or has a tab, a line break or blanks at
            its ends.

    Cost: linear in the transitions.
    """
    for action in lts.alphabet:
        if not _writable(action):
            raise SymrobError(
                Diagnostic(
                    "fsm-event",
                    f"a DESops file cannot hold the action {action!r}",
                    hint="rename it, or write .json",
                )
            )
    names = _state_names(lts)
    error = any(target == ERROR for _source, _action, target in lts.transitions)
    yield str(lts.size + error)
    for state, row in enumerate(lts.successors):
        yield ""
        moves = [(action, target) for action in sorted(row) for target in row[action]]
        yield f"{names[state]}\t{int(state == lts.end)}\t{len(moves)}"
        for action, target in moves:
            flags = "uc\tuo" if action == TAU else "c\to"
            name = _ERROR_NAME if target == ERROR else names[target]
            yield f"{action}\t{name}\t{flags}"
    if error:
        yield ""
        yield f"{_ERROR_NAME}\t0\t0"


def fsm_losses(lts: Lts) -> Iterator[Diagnostic]:
    """Yield a warning for each thing of `lts` that a DESops file cannot hold."""
    unused = lts.unused_actions
    if unused:
        yield _loss(f"actions that never happen are not written: {sample(unused)}")
    if lts.names is not None and tuple(_state_names(lts)) != lts.names:
        yield _loss("state names are not writable: numbers are written")
    if lts.end is not None:
        yield _loss("END is written as a marked state; reading does not turn it back")


def _loss(message: str) -> Diagnostic:
    return Diagnostic("fsm-loss", message, severity="warning")


def _writable(word: str) -> bool:
    return (
        bool(word)
        and word == word.strip()
        and "\t" not in word
        and len(word.splitlines()) == 1
    )


def _state_names(lts: Lts) -> Sequence[str]:
    """The names of the states if the format can hold all of them, else numbers."""
    names = lts.names
    if (
        names is not None
        and _ERROR_NAME not in names
        and all(_writable(name) for name in names)
    ):
        return names
    return [str(state) for state in range(lts.size)]


def _read(source: Source) -> ModelFile:
    return read_fsm(source.path, limits=source.limits)


def _write(system: Lts | Network) -> Text:
    lts = system.components[0]
    return list(fsm_lines(lts)), tuple(fsm_losses(lts))


FORMAT = Format("DESops, UMDES", _read, _write)
