"""The command line: arguments in, exit code out, no logic.

Each command is a question, or a module of this package with a function of the same
name, and is imported when it is called: for small models, start-up takes most of the
time.

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

from symrob.cli.bounds import BOUNDS
from symrob.cli.ending import exit_code, leave, note_line
from symrob.cli.help import Command
from symrob.errors import EXIT_DONE, EXIT_INPUT
from symrob.limits import begun
from symrob.question_names import question_names
from symrob.questions import question_named
from symrob.version import VERSION

# In the order in which the help lists them: what each does, and an example.
COMMANDS = {
    "compute": (
        "Compute the safety envelope: maximal tolerated deviations.",
        "models/therac25/therac25.toml --limit 10",
    ),
    "check": (
        "Check the safety of the nominal system.",
        "models/therac25/therac25.toml",
    ),
    "verify": (
        "Check a result or a certificate independently.",
        "out/result.json models/therac25/therac25.toml",
    ),
    "summary": (
        "Summarise the hazards, then the verdicts on all candidates.",
        "models/therac25/therac25.toml",
    ),
    "explain": (
        "Explain the verdict on a set of transitions.",
        "models/therac25/therac25.toml --transition 'NO_MODE,e,*'",
    ),
    "repair": (
        "Find guards that make C tolerate the required deviations.",
        "models/therac25/therac25.toml --suggest",
    ),
    "cuts": (
        "List the minimal hazardous sets.",
        "models/therac25/therac25_fix.toml --order 2",
    ),
    "assume": (
        "List the minimal sets of planned transitions to forbid.",
        "models/oyster/oyster.toml",
    ),
    "risk": (
        "Compute the hazard probability and the share of each event.",
        "models/therac25/therac25.toml --probability docs/risk/nurse.toml",
    ),
    "compare": (
        "Compare the robustness of two or more designs.",
        "models/therac25/therac25.toml models/therac25/therac20.toml",
    ),
    "draw": (
        "Draw the environment with a deviation.",
        "models/therac25/therac25.toml --out out/therac25.svg",
    ),
    "explore": (
        "Write an interactive HTML page for what-if questions.",
        "models/therac25/therac25.toml --out out/therac25.html",
    ),
    "gate": (
        "Check the rules of a policy.",
        "models/therac25/gate.toml models/therac25/therac25_fix.toml",
    ),
    "batch": (
        "Analyse many cases in separate processes.",
        "models/oyster/*.toml --out out/rows.jsonl -j 2 --timeout 60",
    ),
    "results": (
        "Print, filter, export or compare the rows of a batch.",
        "out/rows.jsonl --status complete --format markdown",
    ),
    "candidates": (
        "Write a table of all candidate transitions.",
        "models/therac25/therac25.toml --out out/candidates.csv",
    ),
    "monitor": (
        "Generate a runtime monitor.",
        "models/therac25/therac25.toml --out out/monitor.py",
    ),
    "show": (
        "Show a model: components, states, alphabet, transitions.",
        "models/therac25/machines.lts#THERAC25",
    ),
    "convert": (
        "Convert a model to another format.",
        "models/therac25/nurse.lts out/nurse.aut",
    ),
    "lint": (
        "List all problems of models and cases.",
        "models/therac25/therac25.toml",
    ),
}

# Shells ask for completion by this variable, as typer's scripts say.
COMPLETING = "_SYMROB_COMPLETE"
SHELLS = ("bash", "zsh", "fish")
_SHELLS = f"{', '.join(SHELLS[:-1])} and {SHELLS[-1]}"

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
    1  the nominal system violates a property or assumption
    2  invalid usage or input, or failed input or output
    3  a bound was reached; the results so far are marked incomplete
    4  a check failed
   70  internal error of symrob; the message says how to report it
  130  interrupted; the results so far are marked incomplete
"""


def _epilog() -> str:
    width = max(map(len, BOUNDS))
    names = [f"  {name:<{width}}  {bound}" for name, bound in BOUNDS.items()]
    return "\n".join(
        (EXIT_CODES, "\b", "Bounds for --bound NAME=VALUE (default):", *names)
    )


def _root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.")
    ] = False,
    install_completion: Annotated[
        bool,
        typer.Option("--install-completion", help="Install completion for this shell."),
    ] = False,
    show_completion: Annotated[
        str | None,
        typer.Option(
            "--show-completion",
            metavar="SHELL",
            help="Print the completion script for bash, zsh or fish.",
        ),
    ] = None,
) -> None:
    if version:
        print(f"symrob {VERSION}")
        raise typer.Exit
    if install_completion:
        shell = _typer_completion()._get_shell_name()
        if shell not in SHELLS:
            message = f"--install-completion supports {_SHELLS}, not this shell"
            raise typer.BadParameter(message)
        _, path = _typer_completion().install(shell, "symrob", COMPLETING)
        print(f"{shell} completion installed in {path}; start a new shell to use it")
        raise typer.Exit
    if show_completion is not None:
        if show_completion not in SHELLS:
            raise typer.BadParameter(f"--show-completion supports {_SHELLS}")
        script = _typer_completion().get_completion_script
        named = {"prog_name": "symrob", "complete_var": COMPLETING}
        print(script(shell=show_completion, **named))
        raise typer.Exit


def _typer_completion() -> Any:
    return import_module("typer.completion")


@lru_cache
def application(
    names: Sequence[str] = NAMES, whole: Sequence[str] | None = None
) -> typer.Typer:
    """Return the command line with some of its commands.

    Args:
        names: Some of `NAMES`.
        whole: The commands with their options; by default all. The others are only
            listed, without imports.
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
        short, example = COMMANDS.get(name, ("", ""))
        listed = short and whole is not None and name not in whole
        command = _nothing if listed else command_named(name)
        app.command(
            name,
            cls=Command,
            short_help=short or (command.__doc__ or "").partition("\n")[0],
            epilog=f"\b\nExample:\n  symrob {name} {example}" if example else None,
        )(command)
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
    from symrob.cli.questions import command_of

    return command_of(question_named(name))


def main(started: float | None = None) -> None:
    """Entry point of the `symrob` command.

    Args:
        started: Start of the process, by `time.monotonic`; `None` for now.
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


def _completed() -> str:
    """Prepare completion; return the word that a shell has after `symrob`."""
    _typer_completion().get_completion_inspect_parameters()  # It registers the shells.
    line = os.environ.get("COMP_WORDS") or os.environ.get("_TYPER_COMPLETE_ARGS", "")
    return next(iter(line.split()[1:2]), "") or " "


def run(arguments: Sequence[str]) -> int:
    """Run a command line and return its exit code.

    Raises:
        Exception: An error outside of a command, such as bad usage.
    """
    # A command that has begun handles signals itself.
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    # Only the command that is called is imported, and for the version none.
    completed = os.environ.get(COMPLETING) and _completed()
    first = completed or (arguments[0] if arguments else "")
    one = (first,) if first in NAMES else ()
    names = one if not completed and (one or first == "--version") else NAMES
    whole = application(names, one)
    try:
        line = list(arguments)
        code = whole(line, standalone_mode=False, complete_var=COMPLETING)
    except SystemExit as end:
        # typer says 1, which is an unsafe plan, where nobody reads its help any more.
        raise end.__context__ or end from None
    return code if isinstance(code, int) else EXIT_DONE
