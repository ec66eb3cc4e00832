"""The common base of readers and writers: files, problems with places, the result.

In:  a path; problems, with line and column.
Out: lines of text; one `SymrobError` with all problems.

A reader continues after a problem, so one run reports all. It stops after
`MAX_PROBLEMS`, since every line of a file of the wrong kind is a problem.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any, NamedTuple

from symrob import files
from symrob.errors import WHOLE_FILE, Diagnostic, LimitExceeded, Span, SymrobError
from symrob.limits import DEFAULT_LIMITS, Limits, watched
from symrob.lts import ERROR, Action, Lts, Network, StateId

MAX_PROBLEMS = 50
# A longer number is no state of a system that fits into memory.
MAX_DIGITS = 18
# The state that is ERROR in formats that call it by a name.
ERROR_NAME = "ERROR"
_SHOWN_LINE = 200
# Frames that one level of nesting can cost.
_FRAMES_PER_LEVEL = 40


Constants = Mapping[str, int | tuple[int, int]]
Part = str | tuple[str, ...]
"""A part of a file: as somebody wrote it, or the names of several as they are."""


class RoleChoice(NamedTuple):
    """The user's choice of roles, for a file that assigns roles itself.

    Attributes:
        environment: The plants of E; `None` for the default.
        properties: Requirements that are properties, by name or event.
        guards: Requirements that are guards of C, by name or event.
    """

    environment: tuple[str, ...] | None = None
    properties: tuple[str, ...] = ()
    guards: tuple[str, ...] = ()


NO_CHOICE = RoleChoice()


@dataclass(frozen=True)
class Source:
    """The argument of a reader.

    Attributes:
        path: The file.
        part: The part to read; `None` for the default. A string may contain several
            names, separated by commas; a tuple contains exact names.
        constants: Values of constants and bounds of ranges, by name.
        limits: Bounds on the size of the model.
        roles: The user's choice of roles.

    A reader opens other files with `symrob.files`, which refuses files outside the
    permitted folder.
    """

    path: str
    part: Part | None = None
    constants: Constants = field(default_factory=dict)
    limits: Limits = DEFAULT_LIMITS
    roles: RoleChoice = NO_CHOICE

    @property
    def process(self) -> str | None:
        """The part as a string."""
        return None if self.part is None else part_text(self.part)


def part_text(part: Part) -> str:
    """Return a part as written after `#`."""
    return part if isinstance(part, str) else ",".join(part)


class ModelFile(NamedTuple):
    """A model as a reader returns it.

    Attributes:
        network: The system, without the product of its components; an `Lts` if there is
            one component and nothing is hidden between several.
        name: The name of the part: a process, or the stem of the file. `DEFAULT` for
            all processes of an FSP file without composites.
        warnings: Warnings, in reading order.
        used_constants: The given constants and ranges that the file uses.
        declarations: All declarations of an FSP file (`fsp.ast`), in order; `menu`,
            `assert` and `fluent` do not affect `network`, except for the requested
            assertion.
        meaning: The meaning of a sentence or formula, in words.
        priorities: An error for each priority, raised if components are changed
            separately.
        sentence: The `logic.patterns.Pattern` of a requirement on states, whose
            `network` has no actions.
        progress: The unconditional `progress` declarations of an FSP file: names and
            actions.
    """

    network: Network | Lts
    name: str
    warnings: tuple[Diagnostic, ...] = ()
    used_constants: frozenset[str] = frozenset()
    declarations: tuple[Any, ...] = ()
    meaning: str = ""
    priorities: tuple[Diagnostic, ...] = ()
    sentence: Any = None
    progress: tuple[tuple[str, tuple[str, ...]], ...] = ()


class Holds(NamedTuple):
    """The features that a format supports, for warnings when writing.

    Attributes:
        actions: Whether it supports an action; a system with others is refused. By
            default it supports all.
        fits: Whether it supports the name of a state. Numbers are written if a name is
            not supported or is `ERROR`. By default it supports all.
        names: The warning in this case.
        unused: Whether it supports actions that never happen.
        hidden: Whether it supports hidden actions.
        end: The warning about END, with `{}` for its number; empty for none.
        error: The warning about transitions to ERROR; empty for none.
        choices: The warning about nondeterminism; empty for none.
        others: Yields warnings about other changes, such as names.
    """

    actions: Callable[[str], bool] | None = None
    fits: Callable[[str], bool] | None = None
    names: str = ""
    unused: bool = True
    hidden: bool = True
    end: str = ""
    error: str = ""
    choices: str = ""
    others: Callable[[Lts | Network], Iterable[str]] = lambda _: ()

    def state_names(self, lts: Lts) -> tuple[str, ...]:
        """Return the names of the states of a system in a file."""
        names, fits = lts.names, self.fits
        if names and (not fits or (ERROR_NAME not in names and all(map(fits, names)))):
            return names
        return tuple(map(str, range(lts.size)))


EVERYTHING = Holds()


class Line(NamedTuple):
    """A line of a file and its number, from 1."""

    number: int
    text: str

    def span(self, start: int = 0, length: int | None = None) -> Span:
        """Return the span of a range of characters, by default the whole line."""
        length = len(self.text) if length is None else length
        return Span(self.number, start + 1, length, self.text)


class Problems:
    """Collects the problems of a file.

    Args:
        file: The path as the user gave it.
    """

    def __init__(self, file: str) -> None:
        self.file = file
        self.errors: list[Diagnostic] = []
        self.warnings: list[Diagnostic] = []

    def error(
        self, code: str, message: str, span: Span = WHOLE_FILE, hint: str | None = None
    ) -> None:
        """Note an error; if there are too many, raise them all.

        Args:
            code: The diagnostic code.
            message: The problem, and what was expected.
            span: Its place.
            hint: How to solve it.

        Raises:
            SymrobError: This is problem number `MAX_PROBLEMS`.
        """
        line, column, length, source = span
        if source is not None:
            source = source.rstrip("\r\n")
            if len(source) > _SHOWN_LINE:
                source = source[:_SHOWN_LINE] + "…"
            if column is not None and column > _SHOWN_LINE:
                source = None
        length = min(max(1, length), _SHOWN_LINE)
        place = (self.file, line, column, length, source)
        self.errors.append(Diagnostic(code, message, "error", *place, hint))
        if len(self.errors) >= MAX_PROBLEMS:
            message = f"stopped after {MAX_PROBLEMS} problems"
            self.errors.append(Diagnostic("file-problems", message, file=self.file))
            self.check()

    def warn(self, code: str, message: str, *, hint: str | None = None) -> None:
        """Note a warning about the whole file."""
        self.warnings.append(
            Diagnostic(code, message, severity="warning", file=self.file, hint=hint)
        )

    def check(self, *, sort: bool = False) -> None:
        """Raise a `SymrobError` with all errors so far, if any.

        Args:
            sort: Sort them by place first.
        """
        if sort:
            self.errors.sort(key=lambda e: (e.line or 0, e.column or 0))
        if self.errors:
            raise SymrobError(self.errors)


class FileReader:
    """Base of all readers: the file, the limits, the problems.

    Args:
        source: The file.
    """

    def __init__(self, source: Source) -> None:
        self.source, self.path, self.limits = source, source.path, source.limits
        self.problems = Problems(source.path)

    @classmethod
    def model(cls, source: Source) -> ModelFile:
        """Read a file with one system."""
        reader = cls(source)
        lts, warnings = reader.read(), reader.problems.warnings
        return ModelFile(lts, stem(source.path), tuple(warnings))

    def read(self) -> Any:
        """Return the contents of the file."""
        raise NotImplementedError

    @contextmanager
    def lines(self) -> Iterator[Iterator[Line]]:
        """Provide the lines of the file, and close it at the end of the block."""
        with closing(read_lines(self.path)) as texts:
            yield map(Line, count(1), watched(texts))

    def check_states(self, number: int) -> None:
        """Raise `LimitExceeded` if a system has too many states."""
        found = f"{number} states, more than {{}}"
        keep_bound(self.path, number, self.limits, "states", found)

    def check_transitions(self, number: int) -> None:
        """Raise `LimitExceeded` if a system has too many transitions."""
        keep_bound(self.path, number, self.limits, "transitions")


def keep_bound(
    who: str, number: int, limits: Limits, bound: str, found: str = ""
) -> None:
    """Raise `LimitExceeded` if a number exceeds a bound.

    Args:
        who: The subject of the message, such as the file.
        number: The number so far.
        limits: The bounds.
        bound: The name of the bound: `states` for `max_states`, ….
        found: The rest of the message, with `{}` for the bound; by default
            `more than {} BOUND`.
    """
    most = getattr(limits, f"max_{bound}")
    if number > most:
        raise LimitExceeded(
            f"{who} has {(found or f'more than {{}} {bound}').format(most)}; "
            f"raise --bound max-{bound} to read it"
        )


@contextmanager
def room(limits: Limits) -> Iterator[None]:
    """Allow enough Python frames in the block for a text within the limits.

    Nesting is checked before any recursion, so the frames suffice; otherwise the
    possible depth would depend on the depth of the caller.
    """
    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(usual + limits.max_nesting * _FRAMES_PER_LEVEL)
    try:
        yield
    finally:
        sys.setrecursionlimit(usual)


def losses(holds: Holds, system: Lts | Network) -> Iterator[str]:
    """Yield a warning for each feature of a system that a format cannot express.

    Args:
        holds: The features that the format supports.
        system: The system to write.

    Cost: linear in the transitions.
    """
    yield from holds.others(system)
    parts = system.components
    unused = [a for lts in parts for a in lts.unused_actions]
    ends = [lts.end for lts in parts if lts.end is not None]
    if system.hidden and not holds.hidden:
        what = sample(sorted(system.hidden))
        yield f"hidden actions are written under other names: {what}"
    if unused and not holds.unused:
        yield f"actions that never happen are not written: {sample(unused)}"
    if any(lts.names not in (None, holds.state_names(lts)) for lts in parts):
        yield holds.names
    if ends and holds.end:
        yield holds.end.format(ends[0])
    if holds.error and any(lts.can_fail for lts in parts):
        yield holds.error
    if holds.choices and any(lts.deterministic is False for lts in parts):
        yield holds.choices


def renamed(what: str, written: Mapping[str, str]) -> Iterator[str]:
    """Yield a warning if some names are changed in the file."""
    changed = [f"{old}' as '{new}" for old, new in written.items() if old != new]
    if changed:
        yield f"{what} are written under other names: {sample(changed)}"


def numbered(names: Iterable[str], *, error: bool = True) -> dict[str, StateId]:
    """Return the number of each state, in the order of the names.

    Args:
        names: The names, with repetitions.
        error: Whether the name ERROR denotes the ERROR state.
    """
    ordinary = dict.fromkeys(n for n in names if not (error and n == ERROR_NAME))
    numbers = {name: state for state, name in enumerate(ordinary)}
    return {**numbers, ERROR_NAME: ERROR} if error else numbers


def by_target(row: Mapping[Action, Iterable[StateId]]) -> dict[StateId, list[Action]]:
    """Return the actions of a state, grouped by target."""
    found: dict[StateId, list[Action]] = {}
    for action, targets in row.items():
        for target in targets:
            found.setdefault(target, []).append(action)
    return found


def read_lines(path: str) -> Generator[str, None, None]:
    """Yield the lines of a text file, without their line ends.

    Args:
        path: The file; UTF-8, with or without a byte order mark.

    Raises:
        SymrobError: The file is missing, is not a regular file, cannot be opened, is
            empty or is not UTF-8; raised during iteration.

    Cost: one line in memory at a time.
    """
    empty = True
    with files.open_text(path) as file:
        try:
            for line in file:
                empty = empty and not line.strip()
                yield line.rstrip("\n")
        except UnicodeDecodeError:
            content = files.read_bytes(path)
            raise SymrobError(files.undecodable(path, content)) from None
        except OSError as error:
            raise SymrobError(files.unreadable(path, error)) from None
    if empty:
        raise SymrobError(Diagnostic("file-empty", "the file is empty", file=path))


def read_text(path: str) -> str:
    """Return the whole text of a file; the errors are those of `read_lines`."""
    return "\n".join(read_lines(path)) + "\n"


def stem(path: str) -> str:
    """Return the name of a file without its folder and suffix."""
    if files.is_stdin(path):
        return "stdin"
    return os.path.splitext(os.path.basename(path))[0]


def is_line(text: str) -> bool:
    """Whether a string is a single line without surrounding blanks."""
    return bool(text) and text == text.strip() and len(text.splitlines()) == 1


def number(text: str) -> int | None:
    """Return the natural number in `text`; `None` if it is something else."""
    if text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS:
        return int(text)
    return None


def sample(items: Sequence[str], most: int = 5) -> str:
    """Return the first items in quotes, and the number of others."""
    shown = ", ".join(f"'{item}'" for item in items[:most])
    more = len(items) - most
    return f"{shown} and {more} more" if more > 0 else shown


def distinct_names(names: Sequence[str], usual: str) -> list[str]:
    """Return distinct names for the components in a file.

    Args:
        names: The names in the network, used if they are distinct and not empty.
        usual: The prefix of numbers, for components without usable names.
    """
    if len(set(names)) == len(names) and all(names):
        return list(names)
    return [f"{usual}{i}" if len(names) > 1 else usual for i in range(len(names))]


def unused_name(word: str, taken: set[str]) -> str:
    """Return a word, followed by a number if it is in `taken`; add it to `taken`."""
    name, number = word, 1
    while name in taken:
        number += 1
        name = f"{word}_{number}"
    taken.add(name)
    return name
