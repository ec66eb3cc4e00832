r"""Aldebaran files (`.aut`), as CADP, mCRL2 and LTSA write them.

In:  lines `des (first, transitions, states)` and `(source, label, target)`.
Out: an `Lts`; in the other direction the lines of such a file.

- Labels stand with or without double quotes. Inside quotes `\"` is a quote and
  `\\` a backslash; any other backslash stands for itself.
- The labels `i` and `tau`, quoted or not, are internal moves. The writer uses
  `i`; mCRL2 wants to be told (`--tau=i`).
- The first state need not be 0. States 0 and first change places then, and the
  state names keep the numbers of the file.
- ERROR is the target -1, as in LTSA. CADP and mCRL2 have no such state, so the
  writer warns when it uses it.
- The format holds neither unused actions of the alphabet, nor state names, nor
  END: the writer says what is lost. An action called `i` cannot be written.

Sources: docs/sources.md [AUT].
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing

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
from symrob.lts import ERROR, TAU, Lts, Network, Transition

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


def read_aut(path: str, *, limits: Limits = DEFAULT_LIMITS) -> ModelFile:
    """Read an Aldebaran file.

    Args:
        path: The file.
        limits: Bounds on its size.

    Returns:
        A model whose network is one `Lts`; its alphabet is the set of visible
        labels.

    Raises:
        SymrobError: The file cannot be read, or not as Aldebaran; all problems
            at once.
        LimitExceeded: It has too many states or transitions.

    Cost: linear in the file; about 200 bytes of memory for each transition.
    Source: docs/sources.md [AUT].
    """
    return ModelFile(_Reader(path, limits).read(), stem(path))


class _Reader:
    def __init__(self, path: str, limits: Limits) -> None:
        self.path, self.limits = path, limits
        self.problems = Problems(path)
        self.first = self.announced = self.size = 0
        # One object for each label and each state, however often they occur.
        self.labels: dict[str, str] = {}
        self.states: list[int] = []

    def read(self) -> Lts:
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
        for line, text in lines:
            if not text.strip():
                continue
            found = _HEADER.fullmatch(text)
            if found is None:
                what = "expected 'des (first, transitions, states)' in the first line"
                self.problems.error(
                    "aut-header",
                    "probabilities are not read" if _CHANCES.match(text) else what,
                    line=line,
                    column=1,
                    length=len(text),
                    source=text,
                    hint=_no_comment(text),
                )
                self.problems.check()
                return
            self.first, self.announced, self.size = map(int, found.groups())
            check_states(self.path, self.size, self.limits)
            if self.first >= self.size:
                self.problems.error(
                    "aut-first",
                    f"the first state {self.first} is not in 0..{self.size - 1}",
                    line=line,
                    column=found.start(1) + 1,
                    length=len(found[1]),
                    source=text,
                )
                self.problems.check()
            self.states = list(range(self.size))
            if self.first:
                self.states[0], self.states[self.first] = self.first, 0
            return

    def _transitions(self, lines: Iterator[tuple[int, str]]) -> Iterator[Transition]:
        count = 0
        for line, text in watched(lines):
            if not text or text.isspace():
                continue
            count += 1
            if count > self.limits.max_transitions:
                check_transitions(self.path, count, self.limits)
            transition = self._plain(text) or self._transition(line, text)
            if transition is not None:
                yield transition
        if count != self.announced:
            self.problems.error(
                "aut-count",
                f"the header announces {self.announced} transitions, "
                f"but {count} follow",
                line=1,
                hint="the file may be cut off",
            )

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

    def _transition(self, line: int, text: str) -> Transition | None:
        body = text.strip()
        left, right = body.find(","), body.rfind(",")
        if body[0] != "(" or body[-1] != ")" or left == right:
            self.problems.error(
                "aut-transition",
                "expected '(source, label, target)'",
                line=line,
                column=len(text) - len(text.lstrip()) + 1,
                length=len(body),
                source=text,
                hint=_no_comment(text),
            )
            return None
        offset = text.index("(")
        source = self._state(line, text, body[1:left], offset + 1)
        target = self._state(line, text, body[right + 1 : -1], offset + right + 1)
        action = self._label(line, text, body[left + 1 : right], offset + left + 1)
        if source == ERROR:
            self.problems.error(
                "aut-state",
                "the ERROR state -1 has no transitions",
                line=line,
                column=offset + 2,
                length=left - 1,
                source=text,
            )
            return None
        if source is None or target is None or action is None:
            return None
        return Transition(source, action, target)

    def _state(self, line: int, text: str, word: str, offset: int) -> int | None:
        word = word.strip()
        if word == "-1":
            return ERROR
        value = number(word)
        if value is not None and value < self.size:
            return self.states[value]
        self.problems.error(
            "aut-state",
            f"'{word[:20]}' is not a state in 0..{self.size - 1}",
            line=line,
            column=max(1, text.find(word, offset) + 1) if word else offset + 1,
            length=len(word),
            source=text,
        )
        return None

    def _label(self, line: int, text: str, word: str, offset: int) -> str | None:
        word = word.strip()
        known = self.labels.get(word)
        if known is not None:
            return known
        label = word
        if len(word) >= 2 and word[0] == word[-1] == '"':
            label = word[1:-1]
            if "\\" in label:
                label = _ESCAPE.sub(r"\1", label)
        if not label or (word[0] == '"' and label is word):
            self.problems.error(
                "aut-label",
                "expected a label, in double quotes if it has any",
                line=line,
                column=offset + 1,
                length=max(1, len(word)),
                source=text,
            )
            return None
        self.labels[word] = TAU if label == _INTERNAL else label
        return self.labels[word]


def _no_comment(text: str) -> str | None:
    marks = ("#", "//", "%")
    comment = text.lstrip().startswith(marks)
    return "this format has no comments" if comment else None


def aut_lines(lts: Lts) -> Iterator[str]:
    """Yield the lines of an Aldebaran file that holds `lts`.

    Args:
        lts: The system; states keep their numbers.

    Raises:
        SymrobError: A label cannot be written: it is `i`, empty, has a line
            break, or begins or ends with a blank.

    Cost: linear in the transitions.
    """
    quoted = {a: _quoted(a) for a in lts.alphabet}
    quoted[TAU] = _INTERNAL
    yield f"des (0, {len(lts.transitions)}, {lts.size})"
    for source, action, target in lts.transitions:
        yield f"({source}, {quoted[action]}, {target})"


def aut_losses(lts: Lts) -> Iterator[Diagnostic]:
    """Yield a warning for each thing of `lts` that an Aldebaran file cannot hold."""
    unused = lts.unused_actions
    if unused:
        yield _loss(f"actions that never happen are not written: {sample(unused)}")
    if lts.names is not None:
        yield _loss("state names are not written, only their numbers")
    if lts.end is not None:
        yield _loss(f"that state {lts.end} is END is not written")
    if any(target == ERROR for _source, _action, target in lts.transitions):
        yield _loss("ERROR is written as state -1, which CADP and mCRL2 do not read")


def _loss(message: str) -> Diagnostic:
    return Diagnostic("aut-loss", message, severity="warning")


def _quoted(action: str) -> str:
    if action == _INTERNAL or not action or action != action.strip():
        raise SymrobError(
            Diagnostic(
                "aut-label",
                f"an Aldebaran file cannot hold the action '{action}'",
                hint="rename it, or write .json",
            )
        )
    if len(action.splitlines()) != 1:
        raise SymrobError(
            Diagnostic("aut-label", f"the action {action!r} has a line break")
        )
    escaped = action.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _read(source: Source) -> ModelFile:
    return read_aut(source.path, limits=source.limits)


def _write(system: Lts | Network) -> Text:
    lts = system.components[0]
    return list(aut_lines(lts)), tuple(aut_losses(lts))


FORMAT = Format("Aldebaran", _read, _write)
