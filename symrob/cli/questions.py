"""Commands made of questions: arguments in, answer out, exit code.

A question's fields are the options of its command. All questions share this path from
the command line to the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import MISSING, fields
from inspect import Parameter, Signature
from typing import Annotated, Any, get_type_hints

import typer

from symrob import files
from symrob.cli.common import (
    end_incomplete,
    guarded,
    print_found,
    require_format,
    session_of,
    warn,
)
from symrob.cli.ending import note_line
from symrob.cli.help import of_output
from symrob.cli.option_groups import (
    Bounds,
    Everything,
    ExtraStates,
    Models,
    parameters_of,
)
from symrob.cli.sides import Sides
from symrob.errors import EXIT_FAILED, Diagnostic, LimitExceeded
from symrob.questions.question import Option, Question, View


def command_of(kind: type[Question]) -> Callable[..., None]:
    """Return the command that asks a question."""
    group = Sides if kind.of_sides else Models
    own = list(_own_parameters(kind))
    required = [p for p in own if p.default is Parameter.empty]
    optional = [p for p in own if p.default is not Parameter.empty]
    parameters = [
        *required,
        *parameters_of(group),
        _parameter("extra_states", None, ExtraStates),
        *optional,
        *parameters_of(Bounds),
    ]
    if kind.lists:
        parameters.append(_parameter("everything", False, Everything))
    if len(kind.forms) > 1:
        known = kind.forms_help or f"Choose {' or '.join(kind.forms)}."
        form = Annotated[str, of_output("--format", help=known)]
        parameters.append(_parameter("output", kind.forms[0], form))

    def run(**given: Any) -> None:
        form = given.pop("output", kind.forms[0])
        require_format(form, kind.forms)
        everything = given.pop("everything", False)
        extra_states = given.pop("extra_states")
        models = group(**{f.name: given.pop(f.name) for f in fields(group)})
        bounds = Bounds(**{f.name: given.pop(f.name) for f in fields(Bounds)})
        ask(kind(**given), form, models, bounds, extra_states, everything=everything)

    run.__name__, run.__doc__ = kind.called(), kind.__doc__
    shown: Any = run
    shown.__signature__ = Signature(parameters)
    shown.__annotations__ = {p.name: p.annotation for p in parameters}
    return guarded(run)


def ask(
    question: Question,
    form: str,
    models: Models | Sides,
    bounds: Bounds,
    extra_states: int | None,
    *,
    everything: bool,
) -> None:
    """Ask a question, print the answer as it is found, and exit with its status.

    Args:
        question: The question with its options.
        form: The output format.
        models: The models.
        bounds: The bounds of the run.
        extra_states: See `Options`.
        everything: Whether long lists are written in full.
    """
    question.check(form)
    cases = question.cases(models)
    given = bounds.given(extra_states=extra_states, **question.settings())
    options = next(iter(cases.values())).options(given)
    from symrob.report.output_formats import after, notes, save, what, written

    session = session_of(cases, options, form, allow_outside=models.allow_outside)
    answer = question.ask(session)
    view = View(question, session, everything, bounds.rare)
    for line in notes(answer, view):
        note_line(line)
    out = getattr(question, "out", None)
    chunks = written(answer, form, view)
    if isinstance(out, str):
        _write(out, chunks, f"{what(answer, view)} written to {out}")
    else:
        print_found(chunks, verdicts=form == "text")
        for said in save(answer, view):
            warn((said,)) if isinstance(said, Diagnostic) else note_line(said)
    lacking = _certified(question, session, answer)
    print_found(after(answer, view), verdicts=form == "text")
    for status, reason in question.endings(session, answer):
        if status == "failed":
            if reason:
                note_line(reason)
            raise typer.Exit(EXIT_FAILED)
        if status != "complete":
            end_incomplete(status, reason)
    if lacking:
        end_incomplete("limit", lacking)


def _write(path: str, chunks: Iterable[str], said: str) -> None:
    def write(number: int) -> None:
        for chunk in chunks:
            # A piece of a line is a type of its own.
            whole = f"{chunk}\n" if type(chunk) is str else chunk
            files.write_all(number, whole.encode("utf-8", "backslashreplace"))

    files.write_with(path, write, "usage-output")
    note_line(said)


def _certified(question: Any, session: Any, answer: Any) -> str:
    """Write the certificate that is asked for; return what it does not confirm."""
    path = getattr(question, "certificate", None)
    if path is None:
        return ""
    from symrob.report.certificate import written_line

    try:
        written = question.certify(session, answer, path)
    except LimitExceeded as error:
        return f"no certificate: {error.diagnostics[0].message}"
    note_line(written_line(path, written))
    lacking: str = question.lacking(answer, written.reason)
    return lacking


def _own_parameters(kind: type[Question]) -> Iterator[Parameter]:
    """The parameters of a question's own options."""
    hints = get_type_hints(kind)
    for each in fields(kind):
        option: Option = each.metadata["option"]
        default = Parameter.empty if each.default is MISSING else each.default
        how = _argument(option) if not option.flags else _option(option, default)
        yield _parameter(each.name, default, Annotated[hints[each.name], how])


def _option(option: Option, default: Any) -> Any:
    return typer.Option(
        *option.flags,
        help=option.help,
        metavar=option.metavar,
        min=option.least,
        show_default=default not in (None, False),
    )


def _argument(option: Option) -> Any:
    return typer.Argument(metavar=option.metavar, help=option.help, show_default=False)


def _parameter(name: str, default: Any, hint: Any) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=hint)
