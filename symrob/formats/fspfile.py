"""FSP files (`.lts`, `.fsp`), as LTSA reads them; `formats.fsp` is the reader.

In:  a file, with `#NAME` for a process or composite, and values for its constants.
Out: its processes, without their product; in the other direction the lines of an FSP
     description, and warnings.

Reading a written file gives the same system up to the numbers of its states:

- Each state is a local process with its own name where FSP allows it, otherwise `S`
  (`S_` in a process called `S0`, …) and its number.
- An internal move is a separate action that the process hides.
- Actions that never happen form the alphabet extension.
- FSP has one `STOP` state; a second state without transitions has a guard that is
  never true.
- A name that is not an FSP label is changed, with a warning.

FSP has no unreachable states: they are written, with a warning, and reading drops them.
END cannot be initial or have transitions.

Sources: docs/sources.md [FSP].
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from symrob import files
from symrob.errors import Diagnostic, plural
from symrob.files.paths import beside
from symrob.formats.aut import AutReader
from symrob.formats.fsp import lint_text, load_text
from symrob.formats.fsp.tokens import KEYWORDS
from symrob.formats.registry import Format, Source
from symrob.formats.text import (
    Holds,
    ModelFile,
    by_target,
    renamed,
    sample,
    unused_name,
)
from symrob.lts import ERROR, TAU, Lts, Network
from symrob.lts.reachability import breadth_first

_KEYWORDS = frozenset({*KEYWORDS, TAU})
_LOWER = re.compile(r"[a-z_][A-Za-z0-9_]*", re.ASCII)
_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,8}", re.ASCII)
_LOCAL = re.compile(r"([A-Z][A-Za-z0-9_]*)(?:\[(?:0|-?[1-9][0-9]{0,8})\])*", re.ASCII)
_RESERVED = frozenset({"STOP", "END", "ERROR"})
_WIDTH = 80


class FspText:
    """The FSP text of a system.

    Args:
        system: The system; a network becomes a composite of its components.
        name: The name of the process or composite.

    Cost: linear in the transitions, apart from sorting names.
    """

    def __init__(self, system: Lts | Network, name: str = "SYSTEM") -> None:
        self._labels = labels = _Labels(system)
        self._head: list[str] = []
        names, self._names = [name], dict[str, str]()
        if isinstance(system, Network):
            names = _process_names(system.component_names, name)
            each = zip(system.component_names, names, strict=True)
            self._names = {old: new for old, new in each if old}
            hiding = _hiding(system, labels)
            self._head = [f"||{name} = ({' || '.join(names)}){hiding}."]
        self._processes = [
            _ProcessText(lts, part, labels)
            for part, lts in zip(names, system.components, strict=True)
        ]

    def lines(self) -> list[str]:
        """Return the lines."""
        parts = [self._head] if self._head else []
        parts += [[*process.lines()] for process in self._processes]
        return [line for part in parts for line in ("", *part)][1:]

    def lost(self) -> Iterator[str]:
        """Yield a warning for each change."""
        yield from renamed("actions", self._labels.changed)
        yield from renamed("components", self._names)
        for process in self._processes:
            yield from process.lost()


class _Labels:
    """The FSP label of each action of a system, and fresh ones for what is hidden.

    Attributes:
        text: Each action, and `tau`, with its label as it stands in FSP.
        changed: The visible actions whose names are no labels, likewise.
    """

    def __init__(self, system: Lts | Network) -> None:
        self.text: dict[str, str] = {}
        alphabet = {a for lts in system.components for a in lts.alphabet}
        visible = sorted(alphabet - system.hidden)
        # Hiding reaches every label that begins with a hidden name and a dot, so
        # a hidden name must differ from the first part of all visible ones.
        self._taken = {a for a in visible if _label(a) is not None}
        self.changed: dict[str, str] = {}
        for action in visible:
            text = _label(action)
            if text is None:
                text = self._fresh(action)
                self.changed[action] = text
            self.text[action] = text
        self._taken |= {name.split(".")[0] for name in self._taken}
        for action in sorted(system.hidden):
            self.text[action] = self._fresh(f"hidden_{action}")
        self.text[TAU] = self._fresh("internal")

    def _fresh(self, action: str) -> str:
        base = re.sub(r"[^A-Za-z0-9_]", "_", action, flags=re.ASCII)
        if not base or not _LOWER.fullmatch(base):
            base = f"_{base}"
        return unused_name(f"{base}_" if base in _KEYWORDS else base, self._taken)

    def set_of(self, actions: Iterable[str]) -> str:
        """Return the label set of some actions."""
        return "{" + ", ".join(self.text[a] for a in actions) + "}"


class _ProcessText:
    """One component as an FSP process, one local process for each state."""

    def __init__(self, lts: Lts, name: str, labels: _Labels) -> None:
        self.lts, self.name, self.labels = lts, name, labels
        end, rows = lts.end, lts.successors
        self.end = None if not end or rows[end] else end
        self.states = self._state_names()
        stuck = (s for s, row in enumerate(rows) if not row and s != self.end)
        self.stop = next(stuck, None)

    def lines(self) -> Iterator[str]:
        """Yield the definition."""
        named = self.states[0] == self.name
        bodies = [] if named else [f"{self.name} = {self._target(0)}"]
        for state in range(self.lts.size):
            if state != self.end:
                bodies.append(f"{self.states[state]} = {self._body(state)}")
        *most, last = bodies
        for body in most:
            yield from _folded(f"{body},")
        yield from _folded(f"{last}{self._suffix()}.")

    def lost(self) -> Iterator[str]:
        """Yield a sentence for each thing that FSP cannot hold."""
        lost = sorted(set(range(self.lts.size)).difference(breadth_first(self.lts)))
        if lost:
            names = sample([self.lts.state_name(s) for s in lost])
            states = plural(len(lost), "unreachable state")
            message = f"{states} will be dropped when FSP is read"
            yield f"{self.name}: {message}: {names}"
        if self.lts.end is not None and self.end is None:
            reason = "because it is initial or has transitions"
            yield f"{self.name}: END is written as an ordinary state, {reason}"
        if self.lts.names is not None:
            written = dict(zip(self.lts.names, self.states, strict=True))
            if self.end is not None:
                del written[self.lts.names[self.end]]
            yield from renamed(f"{self.name}: states", written)

    def _state_names(self) -> list[str]:
        """The name of each state's local process."""
        result: dict[str, None] = {}
        for state, name in enumerate(self.lts.names or ("",)):
            found = _LOCAL.fullmatch(name)
            # The first state may have the name of the process.
            taken = found and (found[1] in _RESERVED or found[1] == self.name)
            taken = taken and (state > 0 or name != self.name)
            if found is None or taken or name in result:
                base = "S_" if re.fullmatch(r"S[0-9]+", self.name, re.ASCII) else "S"
                return [f"{base}{s}" for s in range(self.lts.size)]
            result[name] = None
        return list(result)

    def _body(self, state: int) -> str:
        row, text = self.lts.successors[state], self.labels.text
        if state == self.stop:
            return "STOP"
        if not row:
            used = next((a for _s, a, _t in self.lts.transitions), TAU)
            return f"(when (0) {text[used]} -> {self.states[state]})"
        choices = []
        for target, actions in by_target(dict(sorted(row.items()))).items():
            one = len(actions) == 1
            prefix = text[actions[0]] if one else self.labels.set_of(actions)
            choices.append(f"{prefix} -> {self._target(target)}")
        return f"({' | '.join(choices)})"

    def _target(self, state: int) -> str:
        if state == ERROR:
            return "ERROR"
        return "END" if state == self.end else self.states[state]

    def _suffix(self) -> str:
        unused = self.lts.unused_actions
        silent = any(action == TAU for _source, action, _target in self.lts.transitions)
        extension = f" + {self.labels.set_of(unused)}" if unused else ""
        hiding = f" \\ {{{self.labels.text[TAU]}}}" if silent else ""
        return extension + hiding


def _label(action: str) -> str | None:
    """Return `action` as an FSP label, `a.1.b` as `a[1].b`; `None` if it is none."""
    text = ""
    for part in action.split("."):
        if _NUMBER.fullmatch(part):
            text += f"[{part}]"
        elif _LOWER.fullmatch(part) and part not in _KEYWORDS:
            text += f".{part}" if text else part
        else:
            return None
    return text


def _process_names(names: Sequence[str], whole: str) -> list[str]:
    result: list[str] = []
    taken = {whole, *_RESERVED}
    for index, name in enumerate(names):
        base = re.sub(r"[^A-Za-z0-9_]+", "_", name, flags=re.ASCII).strip("_").upper()
        if not base or not base[0].isalpha():
            base = f"PART_{base or index}"
        result.append(unused_name(base, taken))
    return result


def _hiding(network: Network, labels: _Labels) -> str:
    if not network.hidden:
        return ""
    return " \\ " + labels.set_of(sorted(network.hidden))


def _folded(line: str) -> Iterator[str]:
    """Yield a long line in pieces, broken before the choices."""
    if len(line) <= _WIDTH:
        yield line
        return
    first, *rest = line.split(" | ")
    yield first
    for piece in rest:
        yield f"    | {piece}"


def _read(source: Source) -> ModelFile:
    text, given = _given(source)
    return load_text(text, process=source.process, **given)


def _lint(source: Source) -> tuple[Diagnostic, ...]:
    text, given = _given(source)
    return lint_text(text, **given)


def _given(source: Source) -> tuple[str, dict[str, Any]]:
    """The text of a file, and what its reading depends on."""

    def imported(name: str) -> Lts:
        # By `import`, which is of files of Aldebaran.
        file = beside(source.path, name)
        return AutReader(Source(file, limits=source.limits)).read()

    return files.read_text(source.path), {
        "file": source.path,
        "constants": source.constants,
        "limits": source.limits,
        "importer": imported,
    }


FORMAT = Format(
    "FSP",
    _read,
    lambda system: FspText(system).lines(),
    networks=True,
    has_parts=True,
    lint=_lint,
    holds=Holds(others=lambda system: FspText(system).lost()),
    codes="fsp",
)
