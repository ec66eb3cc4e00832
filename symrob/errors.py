"""Errors that users see: diagnostics, exceptions, exit codes.

Bad input raises a `SymrobError`, which carries one `Diagnostic` for each problem found.
`assert` is reserved for bugs in symrob itself.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, NamedTuple, Self, cast

from symrob.option_spelling import spelled
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
# This many names are all listed; of more, this many that are near.
_FEW_NAMES = 8
_MOST_NEAR = 3


def brief(text: str) -> str:
    """Shorten a text in the middle: each long word, and the text as a whole.

    The beginning and the end remain, such as the quotes of a name and the words after
    it.
    """
    half = _LONGEST_WORD // 2
    text = _LONG.sub(lambda m: f"{m[0][:half]}…{m[0][-half:]}", text)
    half = _LONGEST_TEXT // 2
    return text if len(text) <= _LONGEST_TEXT else f"{text[:half]}…{text[-half:]}"


def window(line: str, column: int, length: int) -> tuple[str, int, int]:
    """Return the visible part of a line, and the column of its underlined part in it.

    Args:
        line: The line; a short one is returned whole.
        column: Where the underlined part begins, from 1.
        length: Number of underlined characters.
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
    """Replace control and format characters with escapes."""
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode("ascii")
        for c in text
    )


class Span(NamedTuple):
    """The part of a file that a diagnostic points at; without a line, the whole file.

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
    """One problem in the input, with its location.

    Attributes:
        code: Stable identifier, such as `fsp-undefined-process`; the code of an
            exceeded bound contains `limit`.
        message: What is wrong and what was expected, in one sentence.
        severity: `error` or `warning`.
        file: Path as the user gave it; `None` if no file is involved.
        line: Line number, counted from 1; `None` without a position.
        column: Column number, counted from 1.
        length: Number of characters that the caret line underlines.
        source: The text of that line, without its newline.
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
        """Spell options as the user does; shorten long quotations of the input."""
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
    """An error that the user can fix: bad input, bad usage, a bound.

    If every diagnostic reports a bound that was hit, the error is a `LimitExceeded`.

    Attributes:
        diagnostics: Every problem found, in reading order; never empty.
        warnings: Earlier warnings about the models, which may explain the error.
        exit_code: The exit code of the command line for this error.
    """

    exit_code = EXIT_INPUT
    warnings: tuple[Diagnostic, ...] = ()

    def __new__(cls, problem: object = "", *_args: object, **_more: object) -> Self:
        """Create a `LimitExceeded` if all problems are bounds that were hit."""
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
        environment: Name of the environment's state after the step.
        components: States of the controller's components after the step.
        monitors: States of the monitors after the step; `ERROR` marks the violated one.
        added: Whether the step uses a transition that the nominal environment lacks.
        who: Who took the action: `E` or `C` alone, or `both`; empty at the start.
        parts: States of the environment's components after the step; empty if E is not
            composed of components, or the environment's state was added to it.
        planned: For an added step, what comes instead in the nominal system: steps of
            E by the same action; if there are none, its steps that C takes part in; if
            there are none, the steps of C alone.
    """

    action: str
    environment: str
    components: tuple[str, ...] = ()
    monitors: tuple[str, ...] = ()
    added: bool = False
    who: str = ""
    parts: tuple[str, ...] = ()
    planned: tuple[TraceStep, ...] = field(
        default=(), compare=False, repr=False, metadata={"json": False}
    )


@dataclass(frozen=True)
class Trace:
    """A shortest trace to ERROR.

    Attributes:
        start: The initial states; its action is empty.
        steps: The steps in order; the last one ends in ERROR.
        violated: Name of the property or constraint that the run breaks.
        components: Names of the controller's components, as in `TraceStep`.
        parts: Names of the environment's, likewise.
        alphabets: Theirs; empty where they are unknown.
        allowed: The actions that the violated property would allow as the last step, of
            those that it has; empty if they are unknown.
    """

    start: TraceStep
    steps: tuple[TraceStep, ...] = field(default=())
    violated: str = ""
    components: tuple[str, ...] = field(default=(), metadata={"json": False})
    parts: tuple[str, ...] = field(default=(), metadata={"json": False})
    alphabets: tuple[Collection[str], ...] = field(
        default=(), compare=False, repr=False, metadata={"json": False}
    )
    allowed: tuple[str, ...] = field(
        default=(), compare=False, repr=False, metadata={"json": False}
    )

    def moves(self, part: int, step: TraceStep) -> bool:
        """Whether a component of E, by its number, takes part in a step."""
        known = self.alphabets[part : part + 1]
        return not step.parts or any(step.action in alphabet for alphabet in known)

    @property
    def actions(self) -> tuple[str, ...]:
        """The actions of the trace, internal ones as `tau`."""
        return tuple(step.action for step in self.steps)


def did_you_mean(word: str, known: Iterable[str], most: int = 1) -> str | None:
    """Return a hint with the known words that resemble `word`, if any.

    Args:
        word: What the user wrote.
        known: The valid words.
        most: Maximum number of proposals, the nearest first.
    """
    from difflib import get_close_matches  # Only mistakes need it.

    near = get_close_matches(word, sorted(set(known)), n=most)
    names = " or ".join(f"'{name}'" for name in near)
    return f"did you mean {names}?" if near else None


def known_or_near(
    word: str, known: Iterable[str], what: str, *, also: Iterable[str] = ()
) -> str | None:
    """Return a hint with all known names if they are few, else with the nearest.

    Args:
        word: What the user wrote.
        known: The valid names.
        what: What messages call them, such as `its states`.
        also: Other valid names, which are proposed but not listed.
    """
    names = [*dict.fromkeys(known)]
    if len(names) <= _FEW_NAMES:
        listed = ", ".join(printable(name) for name in names)
        return f"{what}: {listed}" if names else None
    return did_you_mean(word, (*names, *also), _MOST_NEAR)


def plural(count: int, word: str) -> str:
    """Return `1 state`, `2 states`, `1,000 states`."""
    return f"{count:,} {word}" + ("" if count == 1 else "s")


def stopped_after(limit: int | None, unit: str) -> str:
    """Return that a listing has as many units as the user asked for."""
    return spelled(f"stopped after --limit {plural(limit or 0, unit)}")


def enumerated(names: Sequence[str], most: int, between: str = " and ") -> str:
    """Return `a, b and c`; of many names, the first ones and how many more."""
    more = [f"{len(names) - most:,} more"] if len(names) > most else []
    *first, last = [*names[:most], *more] or [""]
    return between.join([", ".join(first), last] if first else [last])


def require_count(name: str, value: object, least: int) -> None:
    """Require `None` or a whole number that is large enough.

    Raises:
        SymrobError: The value is something else.
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
    """Turn warnings into errors, for `--strict`.

    Raises:
        SymrobError: There are warnings.
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
    """The nominal system is already unsafe, so no deviation is robust.

    Attributes:
        trace: A shortest violating trace.
        title: Human-readable title of the case; empty without one.
        words: The words of the case.
    """

    exit_code = EXIT_NOMINAL
    title = ""
    words: Words = PLAIN

    def __init__(self, diagnostic: Diagnostic, trace: Trace) -> None:
        super().__init__(diagnostic)
        self.trace = trace


class LimitExceeded(SymrobError):
    """A bound on time, memory, states or nodes was hit.

    Attributes:
        reason: `timeout` for the clock, `interrupted` if the user stopped the run,
            `memory`, or `limit` for any other bound.
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
        """The status of a result that this bound cut short."""
        if self.reason == "interrupted":
            return "interrupted"
        return "timeout" if self.reason == "timeout" else "limit"
