"""The command line: arguments in, exit code out, no logic.

Exit codes: 0 done; 1 the nominal system violates a property or constraint;
2 bad usage or bad input; 3 a bound was hit, what was found is printed and
marked incomplete; 130 interrupted, likewise.

Results go to standard output, everything else to standard error.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import wraps
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, cast

import typer

from symrob.api import analyse, checked_engine, load_roles
from symrob.case import Case, load_case, parse_constants
from symrob.errors import (
    EXIT_INTERRUPTED,
    EXIT_LIMIT,
    Diagnostic,
    NominalViolation,
    SymrobError,
)
from symrob.options import ALGORITHMS, BACKENDS, MAX_STATES, Options

if TYPE_CHECKING:
    from symrob.robustness.result import Robustness

app = typer.Typer(
    name="symrob",
    help="Safety envelopes of discrete systems: every maximal set of extra "
    "environment transitions under which a machine keeps its property.",
    epilog="Exit codes: 0 done; 1 the nominal system violates a property or "
    "constraint; 2 bad usage or input; 3 a bound was hit, the result is "
    "incomplete; 130 interrupted, likewise.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

CaseFile = Annotated[
    str | None,
    typer.Argument(metavar="[CASE.toml]", help="A case file, instead of the models."),
]
Env = Annotated[str | None, typer.Option("--env", help="The environment E.")]
Ctrl = Annotated[str | None, typer.Option("--ctrl", help="The controller C.")]
Prop = Annotated[
    list[str] | None, typer.Option("--prop", help="A property of E‖C; repeatable.")
]
EnvProp = Annotated[
    list[str] | None,
    typer.Option("--env-prop", help="A constraint on E alone; repeatable."),
]
Const = Annotated[
    list[str] | None,
    typer.Option(
        "--const",
        metavar="NAME=VALUE",
        help="Value of an FSP constant, or LOW..HIGH for a range; repeatable.",
    ),
]
Timeout = Annotated[
    float | None, typer.Option("--timeout", help="Stop after this many seconds.")
]
Nodes = Annotated[
    int | None, typer.Option("--nodes", help="Stop at this many BDD nodes.")
]
MaxStates = Annotated[
    int,
    typer.Option("--max-states", help="Bound on each explicitly built product."),
]
Backend = Annotated[
    str, typer.Option("--backend", help=f"BDD library: {', '.join(BACKENDS)}.")
]
Format = Annotated[str, typer.Option("--format", help="text or json.")]

Command = TypeVar("Command", bound=Callable[..., None])


def guarded(command: Command) -> Command:
    """Turn what a command raises into messages and an exit code."""

    @wraps(command)
    def run(*args: Any, **kwargs: Any) -> None:
        try:
            command(*args, **kwargs)
        except SymrobError as error:
            complain(error)
            raise typer.Exit(error.exit_code) from None
        except KeyboardInterrupt:
            note_line("interrupted")
            raise typer.Exit(EXIT_INTERRUPTED) from None
        except BrokenPipeError:
            # The reader of our output went away, as `head` does. Python would
            # complain once more when it flushes at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

    return cast("Command", run)


def complain(error: SymrobError) -> None:
    """Print every problem to standard error, and the trace if there is one."""
    from symrob.report.text import printable_lines, trace_lines

    for diagnostic in error.diagnostics:
        note_line(printable_lines(str(diagnostic)))
    if isinstance(error, NominalViolation):
        note_line("\u0394 is undefined. A shortest violating run:")
        for line in trace_lines(error.trace):
            note_line(line)


@app.command()
@guarded
def compute(
    case: CaseFile = None,
    env: Env = None,
    ctrl: Ctrl = None,
    prop: Prop = None,
    env_prop: EnvProp = None,
    const: Const = None,
    algorithm: Annotated[
        str, typer.Option("--algorithm", help=f"One of: {', '.join(ALGORITHMS)}.")
    ] = "maximal",
    backend: Backend = "auto",
    extra_states: Annotated[
        int, typer.Option("--extra-states", help="Fresh states to add to E first.")
    ] = 0,
    limit: Annotated[
        int | None, typer.Option("--limit", help="Stop after this many deviations.")
    ] = None,
    timeout: Timeout = None,
    nodes: Nodes = None,
    max_states: MaxStates = MAX_STATES,
    output: Format = "text",
    stats: Annotated[
        bool, typer.Option("--stats", help="Also print the figures of Table 1.")
    ] = False,
    svg: Annotated[
        str | None,
        typer.Option("--svg", metavar="FILE", help="Draw the largest deviation."),
    ] = None,
) -> None:
    """Compute the safety envelope: all maximal robust deviations."""
    require_format(output, ("text", "json"))
    chosen = case_of(case, env, ctrl, prop, env_prop, const)
    options = Options(
        algorithm, backend, extra_states, limit, timeout, nodes, max_states
    )
    progress = Progress()
    robustness = analyse(load_roles(chosen), options, progress)
    warn(robustness.warnings)
    if output == "json":
        from symrob.report.json import dumps, result_dict

        result = result_dict(robustness, chosen.title)
        progress.clear()
        print(dumps(result))
    else:
        print_deviations(robustness, chosen, progress, stats)
    if svg is not None:
        draw(robustness, chosen, svg)
    finish(robustness)


@app.command()
@guarded
def check(
    case: CaseFile = None,
    env: Env = None,
    ctrl: Ctrl = None,
    prop: Prop = None,
    env_prop: EnvProp = None,
    const: Const = None,
    backend: Backend = "auto",
    timeout: Timeout = None,
    nodes: Nodes = None,
    max_states: MaxStates = MAX_STATES,
) -> None:
    """Check that the nominal system is safe; print a shortest trace if not."""
    chosen = case_of(case, env, ctrl, prop, env_prop, const)
    options = Options(
        backend=backend, timeout=timeout, max_nodes=nodes, max_states=max_states
    )
    engine = checked_engine(load_roles(chosen), options)
    warn(engine.problem.warnings)
    print("safe: the nominal system satisfies every property and constraint")


@app.command()
@guarded
def table(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CASE.toml | FOLDER]...",
            help="Case files, or folders to search for those that name a row "
            "of Table 1; by default `models`.",
        ),
    ] = None,
    backend: Backend = "auto",
    timeout: Timeout = None,
    output: Format = "text",
) -> None:
    """Reproduce the paper's Table 1, its figures beside ours."""
    from symrob.report.table import print_table, table_cases, table_dict, table_row

    require_format(output, ("text", "json"))
    rows = []
    options = Options(backend=backend, timeout=timeout)
    for case in table_cases(paths or ["models"]):
        note(f"{case.title} …")
        rows.append(table_row(case, analyse(load_roles(case), options)))
    note("")
    if output == "json":
        from symrob.report.json import dumps

        print(dumps(table_dict(rows)))
    else:
        print_table(rows)
    if any(row.status != "complete" for row in rows):
        raise typer.Exit(EXIT_LIMIT)


def case_of(
    path: str | None,
    env: str | None,
    ctrl: str | None,
    prop: list[str] | None,
    env_prop: list[str] | None,
    const: list[str] | None,
) -> Case:
    """Return the case that a case file or the model options describe."""
    from dataclasses import replace

    constants = parse_constants(const or [])
    if path is not None:
        if env or ctrl or prop or env_prop:
            raise SymrobError(
                Diagnostic(
                    "usage-case",
                    "give a case file or the options --env, --ctrl, --prop, "
                    "--env-prop, not both",
                )
            )
        case = load_case(path)
        return replace(case, constants={**case.constants, **constants})
    missing = [
        name
        for name, value in (("--env", env), ("--ctrl", ctrl), ("--prop", prop))
        if not value
    ]
    if missing:
        raise SymrobError(
            Diagnostic(
                "usage-models",
                f"{', '.join(missing)} missing: give a case file, or --env, --ctrl "
                "and --prop",
            )
        )
    assert env is not None
    assert ctrl is not None
    return Case(env, ctrl, tuple(prop or ()), tuple(env_prop or ()), constants)


def require_format(chosen: str, known: tuple[str, ...]) -> None:
    """Refuse an output format that the command does not have."""
    if chosen not in known:
        raise SymrobError(
            Diagnostic(
                "usage-format",
                f"--format must be one of {', '.join(known)}, not '{chosen}'",
            )
        )


def print_deviations(
    robustness: Robustness, case: Case, progress: Progress, stats: bool
) -> None:
    """Print Δ as it is found, then what it amounts to."""
    from symrob.report.text import envelope_lines, statistics_lines, verdict_lines

    for line in envelope_lines(robustness, case.title):
        progress.clear()
        print(line)
    progress.clear()
    if stats:
        print("\n".join(["", *statistics_lines(robustness.statistics)]))
    print("\n".join(["", *verdict_lines(robustness)]))


def draw(robustness: Robustness, case: Case, path: str) -> None:
    """Write a picture of the largest deviation."""
    from symrob.report.picture import deviation_picture
    from symrob.report.svg import to_svg

    largest = max(robustness, key=len, default=None)
    if largest is None:
        note_line(f"no deviation was found; {path} is not written")
        return
    picture = deviation_picture(
        robustness.environment,
        largest,
        inert=robustness.never_firing(largest),
        title=f"{case.title}: largest deviation, {len(largest.new)} new transitions",
    )
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(to_svg(picture))
    except OSError as error:
        raise SymrobError(
            Diagnostic("usage-svg", f"cannot write: {error.strerror}", file=path)
        ) from error
    note_line(f"picture written to {path}")


def finish(robustness: Robustness) -> None:
    """End with the exit code that tells whether the result is complete."""
    if robustness.status == "complete":
        return
    note_line(f"incomplete: {robustness.reason}")
    raise typer.Exit(
        EXIT_INTERRUPTED if robustness.status == "interrupted" else EXIT_LIMIT
    )


def warn(warnings: tuple[Diagnostic, ...]) -> None:
    """Print warnings to standard error."""
    from symrob.report.text import printable_lines

    for warning in warnings:
        note_line(printable_lines(str(warning)))


def note_line(text: str) -> None:
    """Print a line to standard error."""
    print(text, file=sys.stderr)


def note(text: str) -> None:
    """Show a passing line on standard error, only on a terminal."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


class Progress:
    """A line on a terminal: found so far, rate, elapsed; at most 5 a second."""

    def __init__(self) -> None:
        self._last = monotonic()
        self._shown = False

    def __call__(self, found: int, seconds: float) -> None:
        """Show the line anew if it is time."""
        now = monotonic()
        if now - self._last < 0.2:
            return
        self._last = now
        self._shown = sys.stderr.isatty()
        rate = found / seconds if seconds else 0.0
        note(f"{found:,} deviations found, {rate:,.0f} a second, {seconds:,.1f} s")

    def clear(self) -> None:
        """Take the line away."""
        if self._shown:
            note("")
            self._shown = False


def main() -> None:
    """Entry point of the `symrob` command."""
    app()


if __name__ == "__main__":
    main()
