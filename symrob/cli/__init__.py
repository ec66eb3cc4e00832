"""The command line: arguments in, exit code out, no logic.

Each command is a question, or a module of this package with a function of the same
name, and is imported when it is called: what a user of a small model waits for is
mostly start-up.

Results go to standard output, everything else to standard error.
"""

from __future__ import annotations

import gc
import io
import os
import signal
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib import import_module
from typing import Annotated, Any

import typer

from symrob.cli.ending import exit_code, leave, note_line
from symrob.errors import EXIT_DONE, EXIT_INPUT
from symrob.limits import begun
from symrob.options import question_names

# In the order in which the help lists them, with what it says of them.
COMMANDS = {
    "compute": "Compute the safety envelope: all maximal robust deviations.",
    "check": "Check that the nominal system is safe.",
    "verify": "Check a result or a certificate, by other means.",
    "summary": "Tell what can hurt, and how; then what each transition is worth.",
    "explain": "Explain why a set of transitions is tolerated or not.",
    "repair": "Find guards with which C tolerates what it must.",
    "cuts": "List the minimal hazardous sets, then those assumed away.",
    "risk": "Tell how likely what is possible can hurt, and what adds to it.",
    "compare": "Compare the robustness of two designs or more.",
    "draw": "Draw the environment with what a deviation adds to it.",
    "explore": "Write a page that answers every what-if, with runs to step through.",
    "gate": "Check the rules of a policy.",
    "batch": "Compute many cases, each in a process of its own.",
    "results": "Print, filter and export the rows of a batch, or compare two.",
    "candidates": "Write a table of what could be added, to be filled in.",
    "monitor": "Write a program that watches a run.",
    "show": "Show a model: components, states, alphabet, transitions.",
    "convert": "Write a model in another format.",
    "lint": "List every problem of models and cases.",
}

# Questions that are not named above come behind, with what they say of themselves.
NAMES = (*COMMANDS, *(name for name in question_names() if name not in COMMANDS))

HELP = (
    "Safety envelopes of discrete systems: every maximal set of extra "
    "environment transitions under which a controller keeps its property."
)
# The first mark keeps the lines as they are.
EXIT_CODES = """\b
Exit codes:
    0  done
    1  the nominal system violates a property or constraint
    2  bad usage or bad input, or input or output that fails
    3  a bound was hit; what was found is printed and marked incomplete
    4  a check does not hold
   70  a fault of symrob's own; the message says how to report it
  130  interrupted; what was found is printed and marked incomplete
"""


def _epilog() -> str:
    from symrob.cli.asked import ASKED
    from symrob.cli.groups import BOUNDS

    names = [f"  {name:<{max(map(len, BOUNDS))}}  {BOUNDS[name]}" for name in BOUNDS]
    asked = [f"  {name:<{max(map(len, ASKED))}}  {ASKED[name]}" for name in ASKED]
    return "\n".join(
        (
            *(EXIT_CODES, "\b"),
            *("What is asked about, in each command with a case:", *asked, "", "\b"),
            *("Bounds for --bound NAME=VALUE:", *names),
        )
    )


def _root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and end.")
    ] = False,
) -> None:
    if version:
        from symrob.version import VERSION

        print(f"symrob {VERSION}")
        raise typer.Exit


@lru_cache
def application(names: Sequence[str] = NAMES, *, named: bool = False) -> typer.Typer:
    """Return the command line with some of its commands.

    Args:
        names: Of `NAMES`.
        named: Only name them, for help: what they need is not imported.
    """
    app = typer.Typer(
        name="symrob",
        no_args_is_help=True,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )
    # One command shows neither; the version not even them.
    several = len(names) > 1
    app.callback(
        help=HELP,
        epilog=_epilog() if several else None,
        invoke_without_command=True,
    )(_root)
    for name in names:
        known = COMMANDS.get(name)
        command = _nothing if named and known else command_named(name)
        short = known or (command.__doc__ or "").partition("\n")[0]
        app.command(name, short_help=short)(command)
    return app


def _nothing() -> None:
    """A command in a list of commands."""


def command_named(name: str) -> Callable[..., Any]:
    """Return a command of this package, or one that asks a question."""
    if name not in question_names():
        function: Callable[..., Any] = getattr(
            import_module(f"symrob.cli.{name}"), name
        )
        return function
    from symrob.cli.asking import command_of
    from symrob.questions import question_named

    return command_of(question_named(name))


def main(started: float | None = None) -> None:
    """Entry point of the `symrob` command.

    Args:
        started: When the process did, by `time.monotonic`; `None` for now.
    """
    # Nearly all that is made at the start stays; looking through it again and again
    # takes a tenth of the time that small models need.
    gc.set_threshold(100_000)
    if sys.stderr is None:
        # What is printed there would go to standard output.
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    if sys.stdout is None:
        note_line("error: standard output is closed [input-output]")
        sys.exit(EXIT_INPUT)
    for stream in (sys.stdout, sys.stderr):
        # A terminal that knows no Δ shall show its escape, not end the run.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    with begun(started):
        code = exit_code(lambda: run(sys.argv[1:]))
    leave(code)
    # What is still to be written can fail, too.
    sys.exit(exit_code(sys.stdout.flush) or code)


def run(arguments: Sequence[str]) -> int:
    """Run a command line and return its exit code.

    Raises:
        Exception: What goes wrong outside of a command, such as bad usage.
    """
    # A command that has begun handles signals itself.
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    # Only the command that is called is imported, and for the version none.
    first = arguments[0] if arguments else ""
    one = (first,) if first in NAMES else ()
    names = one if one or first == "--version" else NAMES
    whole = application(names, named=not one)
    try:
        code = whole(list(arguments), standalone_mode=False)
    except SystemExit as end:
        # typer says 1, which is an unsafe plan, where nobody reads its help any more.
        raise end.__context__ or end from None
    return code if isinstance(code, int) else EXIT_DONE
