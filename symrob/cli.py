"""The command line: arguments in, exit code out, no logic.

Exit codes: 0 done; 1 the nominal system violates a property or constraint;
2 bad usage or bad input; 3 a bound was hit, what was found is printed and
marked incomplete; 4 a check does not hold; 130 interrupted, likewise.

Results go to standard output, everything else to standard error.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from functools import wraps
from time import monotonic
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, cast

import typer

from symrob.api import (
    analyse,
    checked_engine,
    load_model,
    load_roles,
    verify_result,
)
from symrob.case import Case, load_case, parse_constants, split_process
from symrob.errors import (
    EXIT_FAILED,
    EXIT_INPUT,
    EXIT_INTERRUPTED,
    EXIT_LIMIT,
    Diagnostic,
    NominalViolation,
    SymrobError,
)
from symrob.options import (
    ALGORITHMS,
    BACKENDS,
    MAX_EXPANSION,
    MAX_NESTING,
    MAX_STATES,
    MAX_TRANSITIONS,
    Options,
)

if TYPE_CHECKING:
    from symrob.robustness.result import Robustness

app = typer.Typer(
    name="symrob",
    help="Safety envelopes of discrete systems: every maximal set of extra "
    "environment transitions under which a machine keeps its property.",
    epilog="Exit codes: 0 done; 1 the nominal system violates a property or "
    "constraint; 2 bad usage or input; 3 a bound was hit, the result is "
    "incomplete; 4 a check does not hold; 130 interrupted, likewise.",
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
    typer.Option(
        "--max-states", help="Bound on each process and explicitly built product."
    ),
]
MaxTransitions = Annotated[
    int, typer.Option("--max-transitions", help="Bound on each system that is read.")
]
MaxExpansion = Annotated[
    int,
    typer.Option(
        "--max-expansion", help="Bound on what one FSP label, set or range stands for."
    ),
]
MaxNesting = Annotated[
    int,
    typer.Option("--max-nesting", help="Bound on nested FSP brackets and composites."),
]
Model = Annotated[
    str, typer.Argument(metavar="FILE[#PROCESS]", help="The model.", show_default=False)
]
Product = Annotated[
    bool, typer.Option("--product", help="Multiply the components out.")
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
    largest: Annotated[
        bool, typer.Option("--largest", help="Only one that adds the most.")
    ] = False,
    top: Annotated[
        int | None,
        typer.Option("--top", help="Only this many, those that add the most first."),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(
            "--weights",
            metavar="FILE.toml",
            help="How much each transition counts for --largest and --top.",
        ),
    ] = None,
    timeout: Timeout = None,
    nodes: Nodes = None,
    max_states: MaxStates = MAX_STATES,
    max_transitions: MaxTransitions = MAX_TRANSITIONS,
    max_expansion: MaxExpansion = MAX_EXPANSION,
    max_nesting: MaxNesting = MAX_NESTING,
    output: Annotated[
        str, typer.Option("--format", help="text, json, or jsonl while they come.")
    ] = "text",
    stats: Annotated[
        bool,
        typer.Option(
            "--stats", help="Also print the figures of Table 1 and what it took."
        ),
    ] = False,
    svg: Annotated[
        str | None,
        typer.Option("--svg", metavar="FILE", help="Draw the largest deviation."),
    ] = None,
) -> None:
    """Compute the safety envelope: all maximal robust deviations."""
    require_format(output, ("text", "json", "jsonl"))
    chosen = case_of(case, env, ctrl, prop, env_prop, const)
    options = Options(
        algorithm,
        backend,
        extra_states,
        limit,
        1 if largest and top is None else top,
        weights,
        timeout,
        nodes,
        max_states,
        max_transitions,
        max_expansion,
        max_nesting,
    )
    progress = Progress()
    robustness = analyse(load_roles(chosen, options.reading), options, progress)
    warn(robustness.warnings)
    if output == "json":
        from symrob.report.json import dumps, result_dict

        result = result_dict(robustness, chosen.title)
        progress.clear()
        print(dumps(result))
    elif output == "jsonl":
        from symrob.report.json import result_lines

        for line in result_lines(robustness, chosen.title):
            print(line, flush=True)
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
    max_transitions: MaxTransitions = MAX_TRANSITIONS,
    max_expansion: MaxExpansion = MAX_EXPANSION,
    max_nesting: MaxNesting = MAX_NESTING,
) -> None:
    """Check that the nominal system is safe; print a shortest trace if not."""
    chosen = case_of(case, env, ctrl, prop, env_prop, const)
    options = Options(
        backend=backend,
        timeout=timeout,
        max_nodes=nodes,
        max_states=max_states,
        max_transitions=max_transitions,
        max_expansion=max_expansion,
        max_nesting=max_nesting,
    )
    engine = checked_engine(load_roles(chosen, options.reading), options)
    warn(engine.problem.warnings)
    print("safe: the nominal system satisfies every property and constraint")


@app.command()
@guarded
def verify(
    result: Annotated[
        str, typer.Argument(metavar="RESULT.json", help="What `compute` printed.")
    ],
    case: CaseFile = None,
    env: Env = None,
    ctrl: Ctrl = None,
    prop: Prop = None,
    env_prop: EnvProp = None,
    const: Const = None,
    extra_states: Annotated[
        int, typer.Option("--extra-states", help="As for the result.")
    ] = 0,
    complete: Annotated[
        bool,
        typer.Option(
            "--complete", help="Also check that none is missing, by trying all sets."
        ),
    ] = False,
    traces: Annotated[
        bool,
        typer.Option("--traces", help="Print a run for each missing transition."),
    ] = False,
    timeout: Timeout = None,
    max_states: MaxStates = MAX_STATES,
) -> None:
    """Check a result without BDDs and without a solver; exit 4 if it is wrong."""
    from symrob.report.verification import verification_lines

    chosen = case_of(case, env, ctrl, prop, env_prop, const)
    options = Options(extra_states=extra_states, timeout=timeout, max_states=max_states)
    environment, verification = verify_result(result, chosen, options, complete)
    for line in verification_lines(environment, verification, traces=traces):
        print(line)
    if not verification.correct:
        raise typer.Exit(EXIT_FAILED)


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
    algorithm: Annotated[
        str,
        typer.Option(
            "--algorithm",
            help="One algorithm, or `all` for the times of connected and plain "
            "beside those of the paper.",
        ),
    ] = "maximal",
    backend: Backend = "auto",
    timeout: Annotated[
        float | None,
        typer.Option("--timeout", help="Seconds for each case and algorithm."),
    ] = None,
    output: Format = "text",
) -> None:
    """Reproduce the paper's Table 1, its figures beside ours."""
    from symrob.report.table import print_table, run_table, table_cases, table_dict

    require_format(output, ("text", "json"))
    names = ("maximal", "connected", "plain") if algorithm == "all" else (algorithm,)
    runs = [Options(algorithm=n, backend=backend, timeout=timeout) for n in names]
    rows = run_table(table_cases(paths or ["models"]), runs, note)
    note("")
    if output == "json":
        from symrob.report.json import dumps

        print(dumps(table_dict(rows)))
    else:
        print_table(rows)
    if any(row.status != "complete" for row in rows):
        raise typer.Exit(EXIT_LIMIT)


@app.command()
@guarded
def show(
    model: Model,
    const: Const = None,
    product: Product = False,
    svg: Annotated[
        str | None,
        typer.Option("--svg", metavar="FILE", help="Also draw what is shown."),
    ] = None,
    max_edges: Annotated[
        int | None,
        typer.Option("--max-edges", help="Draw pictures of up to this many edges."),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="Print long lists whole.")
    ] = False,
    output: Format = "text",
    max_states: MaxStates = MAX_STATES,
    max_transitions: MaxTransitions = MAX_TRANSITIONS,
    max_expansion: MaxExpansion = MAX_EXPANSION,
    max_nesting: MaxNesting = MAX_NESTING,
) -> None:
    """Show a model: its components, states, alphabet, transitions, deadlocks."""
    from symrob.report.show import portraits, show_dict, show_lines

    require_format(output, ("text", "json"))
    options = Options(
        max_states=max_states,
        max_transitions=max_transitions,
        max_expansion=max_expansion,
        max_nesting=max_nesting,
    )
    source, system = load_model(model, parse_constants(const or []), options, product)
    warn(source.warnings)
    if output == "json":
        from symrob.report.json import dumps

        print(dumps(show_dict(source, system, model)))
    else:
        for line in show_lines(source, system, model, everything=everything):
            print(line)
    if svg is not None:
        from symrob.report.picture import lts_picture
        from symrob.report.stack import to_stacked_svg

        pictures = [lts_picture(p.lts, title=p.name) for p in portraits(source, system)]
        save_picture(to_stacked_svg(pictures, title=model, max_edges=max_edges), svg)


@app.command()
@guarded
def convert(
    model: Model,
    out: Annotated[
        str,
        typer.Argument(
            metavar="OUT",
            help="The file to write: .lts or .fsp, .aut, .fsm, .json or .dot.",
            show_default=False,
        ),
    ],
    const: Const = None,
    product: Product = False,
    max_states: MaxStates = MAX_STATES,
    max_transitions: MaxTransitions = MAX_TRANSITIONS,
    max_expansion: MaxExpansion = MAX_EXPANSION,
    max_nesting: MaxNesting = MAX_NESTING,
) -> None:
    """Write a model in another format; say what that format cannot hold."""
    from symrob.formats import require_target, write

    options = Options(
        max_states=max_states,
        max_transitions=max_transitions,
        max_expansion=max_expansion,
        max_nesting=max_nesting,
    )
    require_target(out, source=split_process(model)[0])
    source, system = load_model(model, parse_constants(const or []), options, product)
    warn((*source.warnings, *write(system, out)))


@app.command()
@guarded
def lint(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="Models, or case files (.toml) with all their models.",
            show_default=False,
        ),
    ],
    strict: Annotated[
        bool, typer.Option("--strict", help="Fail on warnings too.")
    ] = False,
    output: Format = "text",
    max_states: MaxStates = MAX_STATES,
    max_transitions: MaxTransitions = MAX_TRANSITIONS,
    max_expansion: MaxExpansion = MAX_EXPANSION,
    max_nesting: MaxNesting = MAX_NESTING,
) -> None:
    """List every problem of models and cases, whatever of them would be used."""
    from symrob.lint import lint as lint_files
    from symrob.report.findings import findings_dict, findings_lines

    require_format(output, ("text", "json"))
    options = Options(
        max_states=max_states,
        max_transitions=max_transitions,
        max_expansion=max_expansion,
        max_nesting=max_nesting,
    )
    found = lint_files(paths, options)
    if output == "json":
        from symrob.report.json import dumps

        print(dumps(findings_dict(found, len(paths))))
    else:
        for line in findings_lines(found, len(paths)):
            print(line)
    if any(strict or d.severity == "error" for d in found):
        raise typer.Exit(EXIT_INPUT)


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
    from symrob.report.text import (
        effort_lines,
        envelope_lines,
        statistics_lines,
        verdict_lines,
    )

    try:
        for line in envelope_lines(robustness, case.title):
            progress.clear()
            print(line)
    except KeyboardInterrupt:
        # Not in the search, which would end by itself: while a deviation is shown.
        print("\nIncomplete (interrupted): what stands above is valid")
        raise
    progress.clear()
    if stats:
        effort = list(effort_lines(robustness))
        print("\n".join(["", *statistics_lines(robustness.statistics), "", *effort]))
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
    save_picture(to_svg(picture), path)


def save_picture(svg: str, path: str) -> None:
    """Write an SVG document to a file."""
    try:
        with open(path, "w", encoding="utf-8") as file:
            file.write(svg)
    except OSError as error:
        raise SymrobError(
            Diagnostic("usage-svg", f"cannot write: {error.strerror}", file=path)
        ) from error
    note_line(f"picture written to {path}")


def finish(robustness: Robustness) -> None:
    """End with the exit code that tells whether the result is complete."""
    if robustness.status == "complete" or robustness.as_asked:
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
    for stream in (sys.stdout, sys.stderr):
        # A terminal that knows no Δ shall show its escape, not end the run.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    app()


if __name__ == "__main__":
    main()
