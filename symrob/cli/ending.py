"""How a run ends: every exception as messages and an exit code.

In:  a call.
Out: its exit code; errors are printed to standard error.

All exit codes are decided here. 1 means only that the nominal system is unsafe, since
scripts rely on it: an unexpected error must have another code.
"""

from __future__ import annotations

import io
import os
import select
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial

import typer

from symrob.borders import why_given_up
from symrob.ended import Printed, document
from symrob.errors import (
    EXIT_DONE,
    EXIT_FAULT,
    EXIT_INPUT,
    EXIT_INTERRUPTED,
    EXIT_LIMIT,
    Diagnostic,
    LimitExceeded,
    NominalViolation,
    SymrobError,
    brief,
)
from symrob.interrupts import OverError, broken_by_signal
from symrob.option_spelling import command_line

# What typer raises for options and commands that it does not know.
_UsageError: type[Exception] = typer.BadParameter.__bases__[0]


@command_line()
def exit_code(
    call: Callable[[], object], verbosity: int = 0, *, as_json: bool = False
) -> int:
    """Call a function and report its errors.

    Args:
        call: The function; a number that it returns is the exit code.
        verbosity: From 1 on, bugs in symrob are reported with a traceback.
        as_json: Whether results are printed as JSON: then an unsafe plan is a result,
            and so is an early end.

    Returns:
        The exit code; nothing but `SystemExit` is raised.
    """
    try:
        try:
            done = call()
        except NominalViolation as violation:
            unwritten = as_json and exit_code(partial(_print_violation, violation))
            if unwritten:
                return unwritten
            raise
    except (Exception, KeyboardInterrupt, OverError) as error:
        # Without a name of its own here: what it holds would hold this frame.
        return _ended(_meant(error), verbosity, as_json=as_json)
    return done if isinstance(done, int) else EXIT_DONE


def _ended(error: BaseException, verbosity: int, *, as_json: bool) -> int:
    """Say what an exception means; return its exit code, or end our own process."""
    code = _told(error, verbosity)
    if code in (EXIT_LIMIT, EXIT_INTERRUPTED):
        if as_json and not isinstance(error, typer.Exit):
            exit_code(partial(_print_ended, error))
        # Here, where the frames of the error hold all that the run has made: to free
        # that can take seconds.
        leave(code)
    return code


class _Process:
    """What is known of this process.

    Attributes:
        own: Whether nothing but a command runs in it.
    """

    own = False


def own_process() -> None:
    """Let `leave` end the process; standard output has a buffer.

    Without a buffer, Python loses the rest of a partial write, which can occur if a
    signal comes while the reader is slow.
    """
    _Process.own = True
    if isinstance(getattr(sys.stdout, "buffer", None), io.RawIOBase):
        number, encoding = sys.stdout.fileno(), sys.stdout.encoding
        sys.stdout = open(number, "w", 1, encoding, closefd=False)  # noqa: SIM115


def leave(code: int) -> None:
    """Flush the output and end the process, if it is our own.

    Nothing is freed: during Python's cleanup, a signal would determine the exit code,
    and so would an earlier interrupt in code run by `exec`, even if it was handled.
    """
    if _Process.own:
        code = exit_code(sys.stdout.flush) or code
        with suppress(OSError, ValueError, AttributeError):
            sys.stderr.flush()
        os._exit(code)


def _of_interrupt(error: BaseException) -> bool:
    """Whether it is an interrupt; one became another error while a class was made."""
    if isinstance(error, LimitExceeded):
        return error.reason == "interrupted"
    before = error.__cause__ or error.__context__
    return isinstance(error, KeyboardInterrupt) or isinstance(before, KeyboardInterrupt)


def _meant(error: BaseException) -> BaseException:
    """Return why the run ended, where it was ended in the midst of something."""
    reason = error.error if isinstance(error, OverError) else why_given_up(error)
    return error if reason is None else _meant(reason)


def _told(error: BaseException, verbosity: int) -> int:
    """Say what an exception means to the user; return its exit code."""
    if _of_interrupt(error):
        told = "interrupted"
        if isinstance(error, LimitExceeded):
            told = error.diagnostics[0].message
        note_line(told)
        return EXIT_INTERRUPTED
    if isinstance(error, typer.Exit):
        return error.exit_code
    if isinstance(error, _UsageError):
        with suppress(OSError):
            error.message = brief(error.message)  # type: ignore[attr-defined]
            error.show()  # type: ignore[attr-defined]
        return EXIT_INPUT
    if isinstance(error, SymrobError):
        complain(error)
        return error.exit_code
    if isinstance(error, OSError):
        # The reader of our output may have gone away, as `head` does: it has what it
        # wants, and wants to hear nothing of it.
        gone = isinstance(error, BrokenPipeError) and _unread()
        if not gone:
            complain(SymrobError(_io_problem(error)))
        _silence_output()
        return EXIT_DONE if gone else EXIT_INPUT
    if broken_by_signal(error):
        note_line("interrupted")
        return EXIT_INTERRUPTED
    if verbosity:
        import traceback

        note_line("".join(traceback.format_exception(error)))
    complain(SymrobError(_fault(error)))
    return EXIT_FAULT


def _print_violation(violation: NominalViolation) -> None:
    from symrob.analyses.check import Checked
    from symrob.report.json import document as whole
    from symrob.report.json import dumps

    print(dumps(whole(Checked.unsafe(violation), violation.title)))


def _print_ended(error: BaseException) -> None:
    """Print that there is nothing, where nothing is printed yet."""
    from symrob.report.json import dumps

    status = reason = "interrupted"
    if isinstance(error, LimitExceeded):
        status, reason = error.status, error.diagnostics[0].message
    if not Printed.anything:
        print(document(status, dumps(reason)), end="", flush=True)


def _io_problem(error: OSError) -> Diagnostic:
    message = f"input or output failed: {error.strerror or error}"
    file = error.filename if isinstance(error.filename, str) else None
    return Diagnostic("input-output", message, file=file)


def _fault(error: BaseException) -> Diagnostic:
    """What to say of an exception that nobody expected, with its place."""
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    place = ""
    if step is not None:
        code = step.tb_frame.f_code
        place = f" in {os.path.basename(code.co_filename)}:{step.tb_lineno}"
    return Diagnostic(
        "internal",
        f"symrob failed: {type(error).__name__}: {str(error)[:200]}{place}",
        hint="this is a bug in symrob, not in your input; please report it with the "
        "files, the command line and the output of -v",
    )


def _unread() -> bool:
    """Whether nobody reads our output any more; other pipes are not its business."""
    try:
        poll = select.poll()
        poll.register(sys.stdout.fileno(), 0)
        return bool(poll.poll(0))
    except (OSError, ValueError, AttributeError):
        return True


def _silence_output() -> None:
    """Keep Python from trying once more, when it ends, to write what is left."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def complain(error: SymrobError) -> None:
    """Print every problem to standard error, and the trace if there is one."""
    from symrob.report.run import trace_lines
    from symrob.report.text import diagnostic_text

    for diagnostic in (*error.warnings, *error.diagnostics):
        note_line(diagnostic_text(diagnostic))
    if isinstance(error, NominalViolation):
        note_line("\u0394 is undefined. A shortest violating trace:")
        for line in trace_lines(error.trace, error.words):
            note_line(line)


def note_line(text: str) -> None:
    """Print a line to standard error; errors in doing so are ignored."""
    with suppress(OSError):
        print(text, file=sys.stderr)
