"""What goes wrong, said to the user: diagnostics, errors, exit codes.

Bad input raises a `SymrobError`, which carries one `Diagnostic` for each
problem found. `assert` is kept for mistakes of symrob's own.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple, Self, cast

from symrob.door import spelled
from symrob.words import PLAIN, Words

Severity = Literal["error", "warning"]

EXIT_DONE = 0
EXIT_NOMINAL = 1
EXIT_INPUT = 2
EXIT_LIMIT = 3
EXIT_FAILED = 4
EXIT_FAULT = 70
EXIT_INTERRUPTED = 130


# Longer words, such as names of strangers' files, are shown without their middle.
_LONGEST_WORD = 240
_LONG = re.compile(rf"\S{{{_LONGEST_WORD + 1},}}")
# So is what a stranger wrote in many words, and what is quoted of a line.
_LONGEST_TEXT = 1_200
LONGEST_LINE = 160
# So many names are all listed; of more, so many that are near.
_FEW_NAMES = 8
_MOST_NEAR = 3


def brief(text: str) -> str:
    """Return a text without the middle of what is long: of its words, and of itself.

    What begins and ends it, such as the quotes of a name and what is said of it, stays.
    """
    half = _LONGEST_WORD // 2
    text = _LONG.sub(lambda m: f"{m[0][:half]}…{m[0][-half:]}", text)
    half = _LONGEST_TEXT // 2
    return text if len(text) <= _LONGEST_TEXT else f"{text[:half]}…{text[-half:]}"


def window(line: str, column: int, length: int) -> tuple[str, int, int]:
    """Return what is shown of a line, and where its underlined part is then.

    Args:
        line: The line; a short one is shown as it is.
        column: Where the part begins, from 1.
        length: Characters of the part.
    """
    if len(line) <= LONGEST_LINE:
        return line, column, length
    # A third of what is shown stands before the part.
    start = max(0, min(column - 1 - LONGEST_LINE // 3, len(line) - LONGEST_LINE))
    end = start + LONGEST_LINE
    before, behind = "…" * (start > 0), "…" * (end < len(line))
    shown = f"{before}{line[start:end]}{behind}"
    column += len(before) - start
    return shown, column, max(1, min(length, len(shown) - len(behind) - column + 1))


def printable(text: str) -> str:
    """Replace control and format characters by their escapes."""
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii")
        for c in text
    )


class Span(NamedTuple):
    """A part of a file that a diagnostic points at; without a line, the whole file.

    Attributes:
        line: Line number, counted from 1.
        column: Column number, counted from 1; `None` for the line as a whole.
        length: Number of characters.
        source: The text of that line, if it is shown.
    """

    line: int | None = None
    column: int | None = None
    length: int = 1
    source: str | None = None


WHOLE_FILE = Span()


@dataclass(frozen=True)
class Diagnostic:
    """One problem of the input, with the place where it stands.

    Attributes:
        code: Stable identifier, such as `fsp-undefined-process`; that of a bound that
            was hit has the part `limit`.
        message: What is wrong and what was expected, in one sentence.
        severity: `error` or `warning`.
        file: Path as the user gave it; `None` where no file is involved.
        line: Line number, counted from 1; `None` where there is no position.
        column: Column number, counted from 1.
        length: Number of characters that the caret line underlines.
        source: The text of that line, without its line end.
        hint: What to do about it (`did you mean …`), or `None`.
    """

    also: ClassVar = {"source": "quoted"}

    code: str
    message: str
    severity: Severity = "error"
    file: str | None = None
    line: int | None = None
    column: int | None = None
    length: int = 1
    source: str | None = None
    hint: str | None = None

    def __post_init__(self) -> None:
        """Spell options as the user does; shorten what is quoted of a stranger."""
        object.__setattr__(self, "message", brief(spelled(self.message)))
        if self.hint is not None:
            object.__setattr__(self, "hint", brief(spelled(self.hint)))

    @property
    def quoted(self) -> str | None:
        """The text of the line, unless it is very long."""
        return None if len(self.source or "") > LONGEST_LINE else self.source

    @property
    def is_limit(self) -> bool:
        """Whether a bound was hit, so that a larger one may help."""
        return "limit" in self.code.split("-")

    def __str__(self) -> str:
        """Format as `file:line:column: severity: message [code]` with a caret."""
        place = ":".join(
            str(part)
            for part in (self.file and brief(self.file), self.line, self.column)
            if part is not None
        )
        head = f"{place}: " if place else ""
        lines = [f"{head}{self.severity}: {self.message} [{self.code}]"]
        if self.source is not None and self.column is not None:
            # A tab before the caret keeps its width on every terminal.
            source, column, length = window(self.source, self.column, self.length)
            pad = "".join(c if c == "\t" else " " for c in source[: column - 1])
            lines.append(f"  {source}")
            lines.append(f"  {pad}{'^' * max(1, length)}")
        if self.hint is not None:
            lines.append(f"  hint: {self.hint}")
        return "\n".join(lines)


class SymrobError(Exception):
    """A problem that the user can mend: bad input, bad usage, a limit.

    Where every problem is a bound that was hit, it is a `LimitExceeded`, whoever
    collected them.

    Attributes:
        diagnostics: Every problem found, in reading order; never empty.
        warnings: What else was said of the models before, and may be the reason.
        exit_code: What the command line returns for it.
    """

    exit_code = EXIT_INPUT
    warnings: tuple[Diagnostic, ...] = ()

    def __new__(cls, problem: object = "", *_args: object, **_more: object) -> Self:
        """Make it of the kind that its problems have."""
        problems = [problem] if isinstance(problem, Diagnostic) else problem
        if cls is SymrobError and isinstance(problems, list | tuple):
            errors = [p for p in problems if p.severity == "error"]
            if errors and all(p.is_limit for p in errors):
                cls = cast("type[Self]", LimitExceeded)
        return super().__new__(cls, problem)

    def __init__(self, problem: str | Diagnostic | Sequence[Diagnostic]) -> None:
        if isinstance(problem, str):
            problem = Diagnostic("input", problem)
        if isinstance(problem, Diagnostic):
            problem = [problem]
        self.diagnostics = tuple(problem)
        super().__init__("\n".join(str(d) for d in self.diagnostics))

    def __reduce__(self) -> tuple[Any, ...]:
        # By default it would be made of its text, which not every kind can be.
        return _again, (type(self), self.args), self.__dict__


@dataclass(frozen=True)
class TraceStep:
    """One step of a trace.

    Attributes:
        action: The action taken; `tau` for an internal one.
        environment: State of the environment after the step, as it is named.
        components: States of the controller's components after the step.
        monitors: States of the monitors after the step; `ERROR` marks the one
            that is violated.
        added: Whether the environment took a transition that it lacks.
        who: Who took the action: `E` or `C` alone, or `both`; empty at the start.
        parts: States of the environment's components after the step; empty where it is
            not composed, or `environment` was added to it.
    """

    action: str
    environment: str
    components: tuple[str, ...] = ()
    monitors: tuple[str, ...] = ()
    added: bool = False
    who: str = ""
    parts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Trace:
    """A shortest run into ERROR.

    Attributes:
        start: The initial states; its action is empty.
        steps: The steps in order; the last one ends in ERROR.
        violated: Name of the property or constraint that the run breaks.
        components: Names of the controller's components, as in `TraceStep`.
        parts: Names of the environment's, likewise.
        alphabets: Theirs; empty where they are unknown.
    """

    start: TraceStep
    steps: tuple[TraceStep, ...] = field(default=())
    violated: str = ""
    components: tuple[str, ...] = field(default=(), metadata={"json": False})
    parts: tuple[str, ...] = field(default=(), metadata={"json": False})
    alphabets: tuple[Collection[str], ...] = field(
        default=(), compare=False, repr=False, metadata={"json": False}
    )

    def moves(self, part: int, step: TraceStep) -> bool:
        """Whether a component of E, by its number, takes part in a step."""
        known = self.alphabets[part : part + 1]
        return not step.parts or any(step.action in alphabet for alphabet in known)

    @property
    def actions(self) -> tuple[str, ...]:
        """The actions of the run, internal ones as `tau`."""
        return tuple(step.action for step in self.steps)


def did_you_mean(word: str, known: Iterable[str], most: int = 1) -> str | None:
    """Return a hint with the known words that resemble `word`, if any.

    Args:
        word: What was written.
        known: What could have been meant.
        most: So many of them at most, the nearest first.
    """
    from difflib import get_close_matches  # Only mistakes need it.

    near = get_close_matches(word, sorted(set(known)), n=most)
    names = " or ".join(f"'{name}'" for name in near)
    return f"did you mean {names}?" if near else None


def known_or_near(
    word: str, known: Iterable[str], what: str, *, also: Iterable[str] = ()
) -> str | None:
    """Return a hint with all known names, where they are few, or else the nearest.

    Args:
        word: What was written.
        known: What could have been meant.
        what: What messages call them, such as `its states`.
        also: Other names of the same, which are proposed but not listed.
    """
    names = [*dict.fromkeys(known)]
    if len(names) <= _FEW_NAMES:
        listed = ", ".join(printable(name) for name in names)
        return f"{what}: {listed}" if names else None
    return did_you_mean(word, (*names, *also), _MOST_NEAR)


def require_count(name: str, value: object, least: int) -> None:
    """Refuse what is neither left out nor a whole number that is large enough.

    Raises:
        SymrobError: It is something else.
    """
    number = isinstance(value, int) and not isinstance(value, bool)
    if value is not None and not (number and value >= least):  # type: ignore[operator]
        raise SymrobError(
            Diagnostic(
                "api-argument",
                f"{name}: expected a whole number of at least {least}, "
                f"not {value!r:.60}",
            )
        )


def refuse_warnings(warnings: Sequence[Diagnostic]) -> None:
    """Make warnings fail, as `--strict` asks.

    Raises:
        SymrobError: There are some.
    """
    if warnings:
        strict = Diagnostic("strict", "warnings are not allowed (--strict)")
        raise SymrobError([*warnings, strict])


def _again(kind: type[SymrobError], arguments: tuple[object, ...]) -> SymrobError:
    """Return an error as it was before it was copied, but for its attributes."""
    error = kind.__new__(kind)
    error.args = arguments
    return error


class NominalViolation(SymrobError):
    """The undisturbed system is unsafe already, so no deviation is robust.

    Attributes:
        trace: A shortest violating run.
        title: What a person calls the case; empty without one.
        words: Those of the case.
    """

    exit_code = EXIT_NOMINAL
    title = ""
    words: Words = PLAIN

    def __init__(self, diagnostic: Diagnostic, trace: Trace) -> None:
        super().__init__(diagnostic)
        self.trace = trace


class LimitExceeded(SymrobError):
    """A bound on time, states or nodes was hit.

    Attributes:
        reason: `timeout` for the clock, `interrupted` where the user has stopped the
            run before, `memory`, or `limit` for any other bound.
    """

    exit_code = EXIT_LIMIT

    def __init__(
        self,
        problem: str | Diagnostic | Sequence[Diagnostic],
        *,
        reason: str = "limit",
    ) -> None:
        if isinstance(problem, str):
            problem = Diagnostic(f"limit-{reason}", problem)
        super().__init__(problem)
        self.reason = reason

    @property
    def status(self) -> Literal["timeout", "interrupted", "limit"]:
        """The status of a result that it cut short."""
        if self.reason == "interrupted":
            return "interrupted"
        return "timeout" if self.reason == "timeout" else "limit"
