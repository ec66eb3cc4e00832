"""`symrob repair`: what to change in the machine so that it tolerates what it must."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from symrob.cli.common import (
    Progress,
    command,
    end_incomplete,
    opened,
    print_json,
    require_format,
    save,
    warn,
)
from symrob.cli.groups import Bounds, Everything, ExtraStates, Format, Models
from symrob.errors import EXIT_FAILED, Diagnostic, SymrobError

if TYPE_CHECKING:
    from symrob.case import Case
    from symrob.case.controllable import Controllable
    from symrob.envelope.engine import Engine
    from symrob.lts import Transition
    from symrob.options import Options
    from symrob.repair.answer import Answer
    from symrob.repair.suggest import Suggestions

MODELS = (".lts", ".fsp", ".json")
PICTURES = (".svg", ".dot")


@command
def repair(
    models: Models,
    bounds: Bounds,
    tolerate: Annotated[
        list[str] | None,
        typer.Option(
            "--tolerate",
            metavar="EXPR",
            help="What C must tolerate, as of `explain`, or a fault mode; by default "
            "all that the assumptions allow.",
        ),
    ] = None,
    disable: Annotated[
        list[str] | None,
        typer.Option("--disable", metavar="ACTION", help="C may refuse this too."),
    ] = None,
    not_disable: Annotated[
        list[str] | None,
        typer.Option("--not-disable", metavar="ACTION", help="C may not refuse it."),
    ] = None,
    keep: Annotated[
        str | None,
        typer.Option("--keep", metavar="plan", help="No planned run may be lost."),
    ] = None,
    suggest: Annotated[
        bool,
        typer.Option("--suggest", help="Suggest single guards, and few together."),
    ] = False,
    order: Annotated[
        int | None,
        typer.Option("--order", min=1, help="Hazards that --suggest looks at."),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option("--limit", min=1, help="Show so many sets that can be had."),
    ] = None,
    out: Annotated[
        list[str] | None,
        typer.Option(
            "--out",
            metavar="FILE",
            help="Write C with its guard (.lts, .json), a picture (.svg, .dot).",
        ),
    ] = None,
    everything: Everything = False,
    extra_states: ExtraStates = None,
    output: Format = "text",
) -> None:
    """Find guards on actions of C with which it tolerates what it must."""
    require_format(output, ("text", "json"))
    _require_sense(keep, suggest, tolerate, order, limit, out or ())
    case = models.case
    options = case.options(bounds.given(extra_states=extra_states))
    engine = opened(case, options)
    wanted, chosen = _asked(
        engine, case, options, tolerate or (), disable or (), not_disable or ()
    )
    if suggest:
        _suggest(engine, case, chosen, order, out or (), output, everything=everything)
        return
    from symrob.repair.answer import MOST_HAD, answer

    found = answer(
        engine,
        wanted,
        chosen.actions,
        keep_plan=keep is not None,
        most=MOST_HAD if limit is None else limit,
    )
    if output == "json":
        from symrob.report.json import document

        print_json(document(replace(found, assumed=chosen.assumed), case.title))
    else:
        from symrob.report.repair import answer_lines

        _print_head(case, chosen)
        for line in answer_lines(found, case.words, everything=everything):
            print(line)
    if found.repair.guards is not None:
        for file in out or ():
            _write(found, case, file, bounds)
    if found.status != "complete":
        end_incomplete(found.status, found.reason)
    if not found.possible:
        raise typer.Exit(EXIT_FAILED)


def _require_sense(
    keep: str | None,
    suggest: bool,
    tolerate: Sequence[str] | None,
    order: int | None,
    limit: int | None,
    out: Sequence[str],
) -> None:
    """Refuse options that mean nothing, or not together; all of them."""
    problems = []
    if keep not in (None, "plan"):
        problems.append(f"--keep takes plan, not '{keep:.60}'")
    if suggest and (tolerate or keep or limit):
        problems.append("--suggest asks for hazards, not --tolerate, --keep or --limit")
    if order is not None and not suggest:
        problems.append("--order is of --suggest")
    known = PICTURES[:1] if suggest else (*MODELS, *PICTURES)
    for file in out:
        if os.path.splitext(file)[1].lower() not in known:
            problems.append(f"--out takes {', '.join(known)}, not '{file:.200}'")
    if problems:
        raise SymrobError([Diagnostic("usage-repair", text) for text in problems])


def _asked(
    engine: Engine,
    case: Case,
    options: Options,
    tolerate: Sequence[str],
    disable: Sequence[str],
    not_disable: Sequence[str],
) -> tuple[frozenset[Transition] | None, Controllable]:
    """What must be tolerated and what may be disabled; the problems of both at once."""
    from symrob.case.controllable import controllable_actions
    from symrob.case.tolerated import tolerated

    problems: list[Diagnostic] = []
    wanted, chosen = None, None
    try:
        chosen = controllable_actions(
            engine.problem,
            case.controllable,
            case.uncontrollable,
            disable=disable,
            not_disable=not_disable,
            file=case.path,
        )
    except SymrobError as error:
        problems += error.diagnostics
    try:
        if tolerate:
            limit = options.max_expansion
            wanted = tolerated(tolerate, engine.problem, limit=limit)
    except SymrobError as error:
        problems += error.diagnostics
    if problems or chosen is None:
        raise SymrobError(problems)
    return wanted, chosen


def _print_head(case: Case, chosen: Controllable) -> None:
    from symrob.report.repair import controllable_lines
    from symrob.report.text import printable

    if case.title:
        print(printable(case.title))
    for line in controllable_lines(chosen.actions, assumed=chosen.assumed):
        print(line)


def _suggest(
    engine: Engine,
    case: Case,
    chosen: Controllable,
    order: int | None,
    out: Sequence[str],
    output: str,
    *,
    everything: bool,
) -> None:
    from symrob.repair.suggest import suggest

    progress = Progress("guards")
    size = order or case.order or 1
    found = suggest(engine, chosen.actions, size, progress)
    progress.clear()
    if output == "json":
        from symrob.analyses.few import space_of
        from symrob.report.json import document

        whole = replace(
            found,
            about=space_of(engine).about,
            controllable=chosen.actions,
            assumed=chosen.assumed,
        )
        print_json(document(whole, case.title))
    else:
        from symrob.report.suggest import suggestion_lines

        _print_head(case, chosen)
        for line in suggestion_lines(found, engine, case.words, everything=everything):
            print(line)
    _save_front(found, case, out)
    if found.status != "complete":
        end_incomplete(found.status, found.reason)


def _save_front(found: Suggestions, case: Case, out: Sequence[str]) -> None:
    from symrob.report.guardpicture import front_svg

    for file in out:
        save(front_svg(found, case.title or "Guards"), file, "picture")


def _write(found: Answer, case: Case, file: str, bounds: Bounds) -> None:
    """Write C with its guard, or a picture of it; the suffix tells which."""
    suffix = os.path.splitext(file)[1].lower()
    if suffix in PICTURES:
        from symrob.report.guardpicture import guard_pictures
        from symrob.report.svg import drawn

        document = drawn(
            guard_pictures(found.repair),
            suffix[1:],
            title=case.title,
            max_edges=bounds.rare.get("max_edges"),
            max_pictures=bounds.rare.get("max_pictures"),
            words=case.words,
        )
        save(document, file, "picture")
        return
    controller = found.repair.controller
    if suffix == ".json":
        from symrob.formats import write

        warn(write(controller, file))
        return
    from symrob.formats.fspfile import fsp_text

    lines, warnings = fsp_text(controller, "REPAIRED")
    save("".join(f"{line}\n" for line in lines), file, "C with its guard")
    warn(warnings)
