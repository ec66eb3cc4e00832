"""Common parts of commands: exit codes, and messages beside the result."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from functools import wraps
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar, cast

import typer

from symrob import files
from symrob.case import parse_spec
from symrob.cli.bounds import parse_bounds
from symrob.cli.colours import coloured, wanted
from symrob.cli.ending import exit_code, note_line
from symrob.cli.option_groups import expand
from symrob.cli.progress import shown
from symrob.doing import Doing, counted
from symrob.ended import FORMATS, Printed
from symrob.errors import (
    EXIT_DONE,
    EXIT_INTERRUPTED,
    EXIT_LIMIT,
    Diagnostic,
    SymrobError,
)
from symrob.interrupts import graceful
from symrob.limits import begun
from symrob.memory import bounded

if TYPE_CHECKING:
    from symrob.case import Case
    from symrob.options import Options
    from symrob.questions.session import Session

Command = TypeVar("Command", bound=Callable[..., None])


def command(function: Command) -> Command:
    """Make a command from a function: option groups expanded, errors as exit codes."""
    return guarded(expand(function))


def guarded(function: Command) -> Command:
    """Convert the exceptions of a command to messages and an exit code."""

    @wraps(function)
    def run(*args: Any, **kwargs: Any) -> None:
        verbosity = kwargs.get("verbose") or 0

        def call() -> None:
            with (
                begun(),
                graceful(),
                shown(),
                bounded(kwargs.get("max_memory")),
                files.at_most(parse_bounds(kwargs.get("bound") or ()).get("max_file")),
                logged(verbosity),
            ):
                keep_inputs(kwargs)
                function(*args, **kwargs)
                # While signals are looked after: what is written is kept then.
                sys.stdout.flush()

        as_json = kwargs.get("output") in FORMATS
        with Printed() if as_json else nullcontext():
            code = exit_code(call, verbosity, as_json=as_json)
        # Not from within the call: its frames hold BDDs.
        if code != EXIT_DONE:
            raise typer.Exit(code)

    return cast("Command", run)


# Arguments of commands that name files to write, and to read.
_WRITTEN = ("out", "certificate")
_READ = (
    *("case_file", "case_files", "env", "ctrl", "prop", "env_prop", "table", "files"),
    *("compare", "deviation", "model", "more", "other", "policy", "probability"),
    *("result", "weights"),
)


def keep_inputs(given: Mapping[str, Any]) -> None:
    """Refuse to write files that a command reads, before it reads anything.

    Args:
        given: The arguments of the command, by their names.

    Raises:
        SymrobError: An output is one of the files to read.
    """

    def paths(names: Iterable[str]) -> Iterator[str]:
        for value in map(given.get, names):
            yield from [value] if isinstance(value, str) else value or ()

    read = [*paths(_READ)]
    files.reserve(paths(_WRITTEN), (*read, *(parse_spec(r).path for r in read)))


@contextmanager
def logged(verbosity: int) -> Iterator[None]:
    """Log to standard error: level 1 for stages, 2 for each step of one."""
    if not verbosity:
        yield
        return
    import logging

    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(relativeCreated)8.0f ms  %(message)s"))
    log = logging.getLogger("symrob")
    log.addHandler(handler)
    log.propagate = False
    log.setLevel(logging.INFO if verbosity == 1 else logging.DEBUG)
    try:
        yield
    finally:
        log.removeHandler(handler)
        log.propagate = True
        log.setLevel(logging.NOTSET)


def require_format(chosen: str, known: tuple[str, ...]) -> None:
    """Reject an output format that the command does not support."""
    if chosen not in known:
        raise SymrobError(
            Diagnostic(
                "usage-format",
                f"--format must be one of {', '.join(known)}, not '{chosen}'",
            )
        )


def session_of(
    cases: Mapping[str, Case],
    options: Options,
    form: str = "json",
    *,
    allow_outside: bool = False,
) -> Session:
    """Return a session on cases that shows warnings and progress.

    Args:
        cases: By their names in messages.
        options: How to run.
        form: See `Session`.
        allow_outside: See `Session`.
    """
    from symrob.questions.session import Session

    progress = Progress()
    return Session(
        cases,
        options,
        warn=warn,
        progress=progress.of,
        bounds=progress.bounds,
        form=form,
        allow_outside=allow_outside,
    )


def print_found(lines: Iterable[str], *, verdicts: bool = False) -> None:
    """Print lines as they are found.

    Args:
        lines: The lines, or pieces of them.
        verdicts: Whether they are text with verdicts, which can be coloured.
    """
    if verdicts and wanted():
        # A piece of a line is a type of its own.
        lines = (coloured(line) if type(line) is str else line for line in lines)
    try:
        with Doing("writing the output"):
            for line in lines:
                print(line, end="\n" if type(line) is str else "", flush=True)
    except KeyboardInterrupt:
        # Not in the search, which would end by itself: while a line is shown.
        if verdicts:  # Elsewhere it would be a row of a table.
            print("\nIncomplete (interrupted): the results above are valid")
        raise


def end_incomplete(status: str, reason: str) -> None:
    """End a command whose result is incomplete, with the reason."""
    note_line(f"incomplete: {reason}")
    raise typer.Exit(EXIT_INTERRUPTED if status == "interrupted" else EXIT_LIMIT)


def warn(warnings: tuple[Diagnostic, ...]) -> None:
    """Print warnings to standard error."""
    from symrob.report.text import diagnostic_text

    for warning in warnings:
        note_line(diagnostic_text(warning))


class Progress:
    """Counts results, for the progress line on a terminal."""

    def __init__(self, things: str = "deviations") -> None:
        self._things = things
        self._told = 0.0

    def of(self, things: str) -> Progress:
        """Return this, to count other things."""
        self._things = things
        return self

    def __call__(self, found: int, _seconds: float) -> None:
        """Record how many were found."""
        counted(found, self._things)

    def bounds(self, least: int, most: int) -> None:
        """Print bounds on the weight sought, once a second, even without a terminal.

        Args:
            least: The lower bound.
            most: The upper bound.
        """
        now = monotonic()
        if now - self._told >= 1:
            self._told = now
            note_line(f"the largest adds a weight between {least:,} and {most:,}")
