r"""Aldebaran files (`.aut`), as CADP, mCRL2 and LTSA write them.

In:  lines `des (first, transitions, states)` and `(source, label, target)`.
Out: an `Lts`; in the other direction the lines of such a file.

- Labels may have double quotes. Inside quotes `\"` is a quote and `\\` a backslash;
  any other backslash is literal.
- The labels `i` and `tau`, quoted or not, are internal moves. The writer uses `i`,
  which mCRL2 requires as an option (`--tau=i`).
- The first state may differ from 0. Then it is exchanged with state 0, and the state
  names keep the numbers of the file.
- ERROR is the target -1, as in LTSA. CADP and mCRL2 do not support it, so the writer
  warns.
- The format supports no unused actions, no state names and no END; the writer warns. An
  action called `i` is refused.

Sources: docs/sources.md [AUT].
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing

from symrob.errors import Span, plural
from symrob.formats.registry import Format, Source
from symrob.formats.text import FileReader, Holds, Line, is_line, number, read_lines
from symrob.limits import watched
from symrob.lts import ERROR, TAU, Lts, Transition

_HEADER = re.compile(
    r"\s*des\s*\(\s*(\d{1,18})\s*,\s*(\d{1,18})\s*,\s*(\d{1,18})\s*\)\s*"
)
# Where mCRL2 writes a distribution: a state, its chance, another state.
_CHANCES = re.compile(r"\s*des\s*\(\s*\d+\s+\d+/\d+\s+\d+")
# How Aldebaran spells the internal move; `tau` needs no translation.
_INTERNAL = "i"
# Nearly all lines; the others are looked at piece by piece.
_PLAIN = re.compile(
    r'\(\s*([0-9]{1,18})\s*,\s*("[^"\\]*"|[^\s",\\()]+)\s*,\s*([0-9]{1,18})\s*\)'
)
_ESCAPE = re.compile(r'\\(["\\])')


class AutReader(FileReader):
    """Reads one Aldebaran file.

    Args:
        source: The file.
    """

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.first = self.announced = self.size = 0
        # One object for each label and each state, however often they occur.
        self.labels: dict[str, str] = {}
        self.states: list[int] = []

    def read(self) -> Lts:
        """Return the system; its alphabet is the set of its visible labels.

        Raises:
            SymrobError: The file cannot be read or is invalid; all problems at once.
            LimitExceeded: The file has too many states or transitions.

        Cost: linear in the file; about 200 bytes of memory per transition.
        Source: docs/sources.md [AUT].
        """
        # Closed here also where a problem ends the reading, with the file in it.
        with closing(read_lines(self.path)) as text:
            lines = enumerate(text, 1)
            self._header(lines)
            transitions = list(self._transitions(lines))
        self.problems.check()
        alphabet = set(self.labels.values()) - {TAU}
        names = None
        if self.first:
            names = [str(s) for s in range(self.size)]
            names[0], names[self.first] = names[self.first], names[0]
        return Lts(alphabet, self.size, transitions, names=names)

    def _header(self, lines: Iterator[tuple[int, str]]) -> None:
        line = next(Line(*line) for line in lines if line[1].strip())
        found = _HEADER.fullmatch(line.text)
        if found is None:
            message = "expected 'des (first, transitions, states)' in the first line"
            if _CHANCES.match(line.text):
                message = "probabilities are not supported"
            hint = _no_comment(line)
            self.problems.error("aut-header", message, line.span(), hint)
            self.problems.check()
            return
        self.first, self.announced, self.size = map(int, found.groups())
        self.check_states(self.size)
        if self.first >= self.size:
            message = f"the first state {self.first} is not in 0..{self.size - 1}"
            span = line.span(found.start(1), len(found[1]))
            self.problems.error("aut-first", message, span)
            self.problems.check()
        self.states = list(range(self.size))
        if self.first:
            self.states[0], self.states[self.first] = self.first, 0

    def _transitions(self, lines: Iterator[tuple[int, str]]) -> Iterator[Transition]:
        count = 0
        for number_, text in watched(lines):
            if not text or text.isspace():
                continue
            count += 1
            if count > self.limits.max_transitions:
                self.check_transitions(count)
            transition = self._plain(text) or self._transition(Line(number_, text))
            if transition is not None:
                yield transition
        if count != self.announced:
            announced = plural(self.announced, "transition")
            follow = "follow" + "s" * (count == 1)
            message = f"the header announces {announced}, but {count:,} {follow}"
            hint = "the file may be truncated"
            self.problems.error("aut-count", message, Span(1), hint)

    def _plain(self, text: str) -> Transition | None:
        """A line without anything special, by a label that came before."""
        found = _PLAIN.fullmatch(text)
        if found is None:
            return None
        source, word, target = found.groups()
        label, before, after = self.labels.get(word), int(source), int(target)
        if label is None or before >= self.size or after >= self.size:
            return None
        return Transition(self.states[before], label, self.states[after])

    def _transition(self, line: Line) -> Transition | None:
        body = line.text.strip()
        start = line.text.index(body)
        left, right = body.find(","), body.rfind(",")
        if body[0] != "(" or body[-1] != ")" or left == right:
            message = "expected '(source, label, target)'"
            span = line.span(start, len(body))
            self.problems.error("aut-transition", message, span, _no_comment(line))
            return None
        source = self._state(line, body[1:left], start + 1)
        target = self._state(line, body[right + 1 : -1], start + right + 1)
        action = self._label(line, body[left + 1 : right].strip(), start + left + 1)
        if source == ERROR:
            message = "the ERROR state -1 must not have transitions"
            span = line.span(start + 1, left - 1)
            self.problems.error("aut-state", message, span)
            return None
        if source is None or target is None or action is None:
            return None
        return Transition(source, action, target)

    def _state(self, line: Line, word: str, start: int) -> int | None:
        word = word.strip()
        if word == "-1":
            return ERROR
        value = number(word)
        if value is not None and value < self.size:
            return self.states[value]
        message = f"'{word[:20]}' is not a state in 0..{self.size - 1}"
        span = line.span(line.text.find(word, start), len(word))
        self.problems.error("aut-state", message, span)
        return None

    def _label(self, line: Line, word: str, start: int) -> str | None:
        if word in self.labels:
            return self.labels[word]
        label = word
        if len(word) >= 2 and word[0] == word[-1] == '"':
            label = _ESCAPE.sub(r"\1", word[1:-1])
        if not label or (word[0] == '"' and label is word):
            message = "expected a label, without quotes or in a pair of double quotes"
            self.problems.error("aut-label", message, line.span(start, len(word)))
            return None
        self.labels[word] = TAU if label == _INTERNAL else label
        return self.labels[word]


def _no_comment(line: Line) -> str | None:
    comment = line.text.lstrip().startswith(("#", "//", "%"))
    return "this format has no comments" if comment else None


def _lines(lts: Lts) -> Iterator[str]:
    """Yield the lines of a file; states keep their numbers."""
    quoted = {a: _quoted(a) for a in lts.alphabet}
    quoted[TAU] = _INTERNAL
    yield f"des (0, {len(lts.transitions)}, {lts.size})"
    for source, action, target in lts.transitions:
        yield f"({source}, {quoted[action]}, {target})"


def _quoted(action: str) -> str:
    escaped = action.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


FORMAT = Format(
    "Aldebaran",
    AutReader.model,
    _lines,
    holds=Holds(
        actions=lambda action: action != _INTERNAL and is_line(action),
        fits=lambda _: False,
        names="state names are not written, only their numbers",
        unused=False,
        end="the END state {} is written as an ordinary state",
        error="ERROR is written as state -1, which CADP and mCRL2 do not read",
    ),
)
