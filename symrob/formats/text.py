"""What all readers and writers share: files, problems with places, the result.

In:  a path; what a reader finds wrong, with line and column.
Out: lines of text; one `SymrobError` that holds every problem found.

A reader goes on after a problem, so that one run shows them all. It stops after
`MAX_PROBLEMS`, because in a file of the wrong kind every line is a problem.
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
    """What the user says of the roles in a file that gives some itself.

    Attributes:
        environment: The plants that are E; `None` for what the file decides.
        properties: Requirements that block nothing, by their names or events.
        guards: Requirements that act in C, likewise.
    """

    environment: tuple[str, ...] | None = None
    properties: tuple[str, ...] = ()
    guards: tuple[str, ...] = ()


NO_CHOICE = RoleChoice()


@dataclass(frozen=True)
class Source:
    """What a reader is given.

    Attributes:
        path: The file.
        part: Which part of it to take; `None` for all of it, or its usual part. A
            text may mean several names, with commas between them; a tuple holds names
            of the file as they are.
        constants: Values for constants and bounds for ranges, by name.
        limits: Bounds on the size of what is read.
        roles: What the user says of the roles in it.

    What else a reader opens, it opens by `symrob.files`, which refuses what lies
    outside the folder that the user allows.
    """

    path: str
    part: Part | None = None
    constants: Constants = field(default_factory=dict)
    limits: Limits = DEFAULT_LIMITS
    roles: RoleChoice = NO_CHOICE

    @property
    def process(self) -> str | None:
        """The part as a text."""
        return None if self.part is None else part_text(self.part)


def part_text(part: Part) -> str:
    """Return how a part is written behind a `#`."""
    return part if isinstance(part, str) else ",".join(part)


class ModelFile(NamedTuple):
    """A model as a reader returns it.

    Attributes:
        network: The system, without the product of its components; an `Lts` if there is
            one component and nothing is hidden between several.
        name: What was taken from the file: a process, or the file's stem. `DEFAULT`
            for all processes of an FSP text without composites.
        warnings: What the user should know, in reading order.
        used_constants: The overrides that the file made use of.
        declarations: All declarations of an FSP text (`fsp.ast`), in order;
            `menu`, `assert` and `fluent` are kept here and play no part in `network`,
            but for the assertion that was asked for.
        meaning: What a property in words or a formula says, spelled out.
        priorities: An error for each priority in it, for who changes components one by
            one; else they do no harm.
        sentence: The `logic.patterns.Pattern` of a requirement on states, which has no
            actions of its own in `network`.
        progress: The unconditional `progress` declarations of an FSP text: each one's
            name and its actions.
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
    """What the files of a format can hold, from which all warnings of writing come.

    Attributes:
        actions: Which actions it can hold; a system with others is refused. By default
            it can hold any.
        fits: Which names of states it can hold; numbers are written where one of a
            system does not fit, or is `ERROR`. By default any.
        names: What the warning says then.
        unused: Whether it holds actions that never happen.
        hidden: Whether it holds that actions are hidden.
        end: What is said where END is lost, with `{}` for its number; or empty.
        error: What is said of transitions to ERROR; or empty.
        choices: What is said of nondeterminism; or empty.
        others: Yields what is said of all else that it changes, such as names.
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
        """Return what the states of a system are called in a file."""
        names, fits = lts.names, self.fits
        if names and (not fits or (ERROR_NAME not in names and all(map(fits, names)))):
            return names
        return tuple(map(str, range(lts.size)))


EVERYTHING = Holds()


class Line(NamedTuple):
    """A line of a file with its number, from 1."""

    number: int
    text: str

    def span(self, start: int = 0, length: int | None = None) -> Span:
        """Return the span of some characters, by default of the whole line."""
        length = len(self.text) if length is None else length
        return Span(self.number, start + 1, length, self.text)


class Problems:
    """Collects what is wrong with one file.

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
        """Note one error; raise all of them when there are too many.

        Args:
            code: Stable identifier.
            message: What is wrong and what was expected.
            span: Where it stands.
            hint: What to do about it.

        Raises:
            SymrobError: This was problem number `MAX_PROBLEMS`.
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
        """Note one warning about the whole file."""
        self.warnings.append(
            Diagnostic(code, message, severity="warning", file=self.file, hint=hint)
        )

    def check(self, *, sort: bool = False) -> None:
        """Raise a `SymrobError` with all errors noted so far, if any.

        Args:
            sort: Bring them into the order of their places first.
        """
        if sort:
            self.errors.sort(key=lambda e: (e.line or 0, e.column or 0))
        if self.errors:
            raise SymrobError(self.errors)


class FileReader:
    """What all readers have: the file, its limits, its problems.

    Args:
        source: What is read.
    """

    def __init__(self, source: Source) -> None:
        self.source, self.path, self.limits = source, source.path, source.limits
        self.problems = Problems(source.path)

    @classmethod
    def model(cls, source: Source) -> ModelFile:
        """Read a file that is one system."""
        reader = cls(source)
        lts, warnings = reader.read(), reader.problems.warnings
        return ModelFile(lts, stem(source.path), tuple(warnings))

    def read(self) -> Any:
        """Return what the file holds."""
        raise NotImplementedError

    @contextmanager
    def lines(self) -> Iterator[Iterator[Line]]:
        """Give the block the lines of the file, which is closed however it ends."""
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
    """Raise `LimitExceeded` if there is more of something than a bound allows.

    Args:
        who: What has it, such as the file.
        number: How many were counted so far.
        limits: The bounds.
        bound: Which of them: `states` for `max_states`, ….
        found: What it has, with `{}` for the bound; by default more of that.
    """
    most = getattr(limits, f"max_{bound}")
    if number > most:
        raise LimitExceeded(
            f"{who} has {(found or f'more than {{}} {bound}').format(most)}; "
            f"raise --bound max-{bound} to read it"
        )


@contextmanager
def room(limits: Limits) -> Iterator[None]:
    """Allow as many Python frames inside as a text that keeps the limits needs.

    Nesting is bounded before anything recurses, so the room is enough; without
    it the depth would depend on how deep the caller already is.
    """
    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(usual + limits.max_nesting * _FRAMES_PER_LEVEL)
    try:
        yield
    finally:
        sys.setrecursionlimit(usual)


def losses(holds: Holds, system: Lts | Network) -> Iterator[str]:
    """Yield a sentence for each thing of a system that a format cannot hold.

    Args:
        holds: What the format can hold.
        system: What is written.

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
    """Yield a sentence if some names are written in another way than they are."""
    changed = [f"{old}' as '{new}" for old, new in written.items() if old != new]
    if changed:
        yield f"{what} are written under other names: {sample(changed)}"


def numbered(names: Iterable[str], *, error: bool = True) -> dict[str, StateId]:
    """Return the number of each state, in the order of their names.

    Args:
        names: Each as often as it occurs.
        error: Whether the one called ERROR is the ERROR state.
    """
    ordinary = dict.fromkeys(n for n in names if not (error and n == ERROR_NAME))
    numbers = {name: state for state, name in enumerate(ordinary)}
    return {**numbers, ERROR_NAME: ERROR} if error else numbers


def by_target(row: Mapping[Action, Iterable[StateId]]) -> dict[StateId, list[Action]]:
    """Return the actions of a state that lead to each target."""
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
        SymrobError: The file is missing, is no file, cannot be opened, is empty
            or is not UTF-8; raised while iterating.

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
    """Return the whole text of a file; raises what `read_lines` raises."""
    return "\n".join(read_lines(path)) + "\n"


def stem(path: str) -> str:
    """Return the name of a file without folder and suffix."""
    if files.is_stdin(path):
        return "stdin"
    return os.path.splitext(os.path.basename(path))[0]


def is_line(text: str) -> bool:
    """Whether a text is one line, with no blanks around it."""
    return bool(text) and text == text.strip() and len(text.splitlines()) == 1


def number(text: str) -> int | None:
    """Return the natural number written in `text`; `None` if it is not one."""
    if text.isascii() and text.isdecimal() and len(text) <= MAX_DIGITS:
        return int(text)
    return None


def sample(items: Sequence[str], most: int = 5) -> str:
    """Return the first few items in quotes, and how many more there are."""
    shown = ", ".join(f"'{item}'" for item in items[:most])
    more = len(items) - most
    return f"{shown} and {more} more" if more > 0 else shown


def distinct_names(names: Sequence[str], usual: str) -> list[str]:
    """Return names for the components of a file: those given where all are distinct.

    Args:
        names: As a network has them; that of a lone system is empty.
        usual: What stands before the numbers of those without usable names.
    """
    if len(set(names)) == len(names) and all(names):
        return list(names)
    return [f"{usual}{i}" if len(names) > 1 else usual for i in range(len(names))]


def unused_name(word: str, taken: set[str]) -> str:
    """Return a word, with a number behind it if it is taken, and take it."""
    name, number = word, 1
    while name in taken:
        number += 1
        name = f"{word}_{number}"
    taken.add(name)
    return name
