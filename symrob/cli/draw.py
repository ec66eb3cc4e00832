"""`symrob draw`: a deviation as a picture, two designs in one, or verdicts."""

from __future__ import annotations

import os
from collections.abc import Iterator, Set
from typing import Annotated

import typer

from symrob.analyses.choice import (
    Choice,
    closest_pair,
    inert,
    numbered,
    prepare,
    soon,
    tolerated_alone,
)
from symrob.analyses.overview import class_matrix
from symrob.case import Case
from symrob.case.deviations import is_number, read_deviation
from symrob.cli.common import command, end_incomplete, require_format, session_of
from symrob.cli.ending import note_line
from symrob.cli.help import of_output
from symrob.cli.option_groups import Bounds, ExtraStates, Models, Product
from symrob.cli.pictures import is_model, of_model, of_order, of_verdicts, set_of_modes
from symrob.envelope.engine import Engine
from symrob.errors import Diagnostic, SymrobError
from symrob.formats.dot import Picture
from symrob.lts import Transition
from symrob.lts.deviation import Deviation
from symrob.options import Options
from symrob.questions.session import Session
from symrob.report.classpicture import class_picture
from symrob.report.output_formats import saved
from symrob.report.picture import (
    alone_legend,
    comparison,
    component_pictures,
    is_drawn_by_component,
    kinds_alone,
    kinds_of_sets,
    pair_legend,
    pair_picture,
    portrait,
)
from symrob.report.svg import FORMATS, drawn
from symrob.words import PLAIN


@command
def draw(
    models: Models,
    bounds: Bounds,
    deviation: Annotated[
        list[str] | None,
        typer.Option(
            "--deviation",
            metavar="N|FILE[#N]",
            help="Draw deviation N of `compute` or a file; repeatable.",
        ),
    ] = None,
    compare: Annotated[
        list[str] | None,
        typer.Option(
            "--compare",
            metavar="OTHER.toml",
            help="Add another design; repeat to draw the order of designs.",
        ),
    ] = None,
    pair: Annotated[
        bool,
        typer.Option(
            "--pair", help="Draw one deviation of each design (with --compare)."
        ),
    ] = False,
    hide_inert: Annotated[
        bool,
        typer.Option("--hide-inert", help="Omit inert transitions."),
    ] = False,
    verdicts: Annotated[
        bool,
        typer.Option(
            "--verdicts",
            help="Draw every candidate by its verdict instead.",
        ),
    ] = False,
    classes: Annotated[
        bool,
        typer.Option(
            "--classes",
            help="Draw counts by class and action instead.",
        ),
    ] = False,
    out: Annotated[
        str | None,
        typer.Option(
            "--out",
            metavar="FILE",
            help="Write to a .svg, .dot, .mmd or .puml file.",
        ),
    ] = None,
    output: Annotated[
        str | None,
        of_output(
            "--format",
            help="Choose svg, dot, mermaid or plantuml.",
        ),
    ] = None,
    product: Product = False,
    extra_states: ExtraStates = None,
) -> None:
    """Draw the environment with a deviation.

    It can also draw two designs, the robustness order of several designs, or a model
    file.
    """
    form = _format(output, out)
    wanted = deviation or []
    other_things = wanted or compare or pair or hide_inert or is_model(models)
    pair = pair or (bool(wanted) and compare is not None)
    if pair and len(compare or ()) != 1:
        raise _misused("--pair shows two designs: give exactly one --compare")
    if compare is not None and hide_inert and not pair:
        raise _misused("--hide-inert with --compare requires --pair")
    if verdicts and classes:
        message = "--verdicts and --classes are different pictures: give one of them"
        raise SymrobError(Diagnostic("usage-verdicts", message))
    if (verdicts or classes) and other_things:
        option = "--verdicts" if verdicts else "--classes"
        message = f"{option} shows candidates of a case, not a deviation or a model"
        raise SymrobError(Diagnostic("usage-verdicts", message))
    if classes:
        _write(_of_classes(models, bounds, extra_states, form), out)
        return
    words = PLAIN
    chooser = _Chooser()
    if is_model(models):
        title = models.case_file or ""
        pictures = of_model(models, bounds, product=product)
    elif compare is not None and len(compare) > 1:
        pictures = [of_order(models, compare, bounds, extra_states)]
        title = pictures[0].title
    else:
        case = models.case
        title, words = _title(case), case.words
        options = case.options(bounds.given(extra_states=extra_states))
        if verdicts:
            pictures = of_verdicts(case, options)
        elif compare:
            other = Models(
                compare[0],
                const=models.const,
                allow_outside=models.allow_outside,
                without_constraints=models.without_constraints,
            ).case
            sides = _sides((case, other), options)
            if pair:
                pictures = _pair(sides, wanted, hide_inert, chooser)
            else:
                pictures = _comparison(sides)
        else:
            pictures = list(_portraits(case, options, wanted, hide_inert, chooser))
    document = drawn(
        pictures,
        form,
        title=title,
        max_edges=bounds.rare.get("max_edges"),
        max_pictures=bounds.rare.get("max_pictures"),
        words=words,
    )
    _write(document, out)
    if (doubt := chooser.doubt) is not None:
        if doubt.status != "complete":
            end_incomplete(doubt.status, doubt.reason)
        note_line(doubt.reason)


def _write(document: str, out: str | None) -> None:
    if out is None:
        print(document, end="")
    else:
        note_line(saved(document, out, "picture"))


def _of_classes(
    models: Models, bounds: Bounds, extra_states: int | None, form: str
) -> str:
    require_format(form, ("svg",))
    case = models.case
    options = case.options(bounds.given(extra_states=extra_states))
    space = session_of({"": case}, options).space
    space.required_whole("a picture")
    matrix = class_matrix(space, space.summarised(), space.alone())
    assert matrix is not None, "E is one system"
    return class_picture(matrix, _title(case), case.words)


def _format(chosen: str | None, out: str | None) -> str:
    if chosen is not None:
        require_format(chosen, FORMATS)
        return chosen
    if out is None:
        return "svg"
    suffix = os.path.splitext(out)[1].removeprefix(".").lower()
    suffix = {"mmd": "mermaid", "puml": "plantuml"}.get(suffix, suffix)
    if suffix not in FORMATS:
        raise SymrobError(
            Diagnostic(
                "usage-output",
                "the suffix of --out is not supported; pictures are .svg, .dot, .mmd "
                "or .puml",
                file=out,
                hint="--format svg, dot, mermaid or plantuml overrides the suffix",
            )
        )
    return suffix


def _misused(message: str) -> SymrobError:
    return SymrobError(Diagnostic("usage-draw", message))


def _title(case: Case) -> str:
    return case.title or "Environment"


class _Chooser:
    """Chooses what is drawn.

    Attributes:
        doubt: A choice that is not known to be the right one.
    """

    doubt: Choice | None = None

    @property
    def large(self) -> str:
        """What a deviation is that was sought as the largest."""
        return "large" if self.doubt else "largest"

    def closest(self, engine: Engine, other: Set[Transition]) -> Deviation:
        """Return a deviation that shares much with a set; see `soon`."""
        choice = soon(engine, other)
        if choice.reason:
            self.doubt = choice
        return choice.deviation

    def chosen(self, engine: Engine, spec: str | None) -> tuple[Deviation, str]:
        """Return the deviation that is asked for, and what it is called."""
        if spec is None:
            found = self.closest(engine, frozenset())
            return found, f"{self.large} deviation"
        if is_number(spec):
            return numbered(engine.deviations(), int(spec)), f"deviation {spec}"
        given = read_deviation(spec, engine.environment)
        if not engine.is_safe(engine.deviated(given)):
            note_line(f"{spec}: this deviation is not tolerated")
        return given, spec


def _portraits(
    case: Case,
    options: Options,
    wanted: list[str],
    hide_inert: bool,
    chooser: _Chooser,
) -> Iterator[Picture]:
    session = session_of({"": case}, options)
    space, title = session.space, _title(case)
    specs: list[str | None] = [*wanted] or [None]
    for spec in specs:
        modes = set_of_modes(space, spec)
        if modes is not None:
            found, name = modes
            idle = space.idle(found) if space.is_safe(found) else frozenset()
            kind_of = kinds_of_sets([found], [idle], hide_inert=hide_inert)
            head = f"{title}, {name}"
            yield from component_pictures(space.about, kind_of, head, case.words)
            continue
        engine = space.required_whole("this picture")
        chosen, name = chooser.chosen(engine, spec)
        never = inert(engine, chosen)
        head, environment = f"{title}: {name}", engine.environment
        yield portrait(environment, chosen, never, head, hide_inert=hide_inert)


def _sides(cases: tuple[Case, Case], options: Options) -> Session:
    return session_of(dict(zip(_names(*cases), cases, strict=True)), options)


def _comparison(sides: Session) -> list[Picture]:
    """What each of two designs individually tolerates."""
    first, second = sides.spaces.values()
    about, names = first.about, _two(sides)
    if is_drawn_by_component(about):
        modes = [frozenset(s.alone(None).tolerated) for s in (first, second)]
        title, legend = f"{names[0]} and {names[1]}", alone_legend(names)
        kind_of, words = kinds_alone(modes), sides.words
        return component_pictures(about, kind_of, title, words, legend)
    one, other = map(tolerated_alone, (first, second))
    environment = first.required_whole("a picture").environment
    return [comparison(environment, (one, other), names)]


def _two(sides: Session) -> tuple[str, str]:
    first, second = sides.cases
    return first, second


def _pair(
    sides: Session, wanted: list[str], hide_inert: bool, chooser: _Chooser
) -> list[Picture]:
    """A deviation of each of two designs."""
    if len(wanted) > 1:
        message = "--compare shows one deviation of each design: give --deviation once"
        raise SymrobError(Diagnostic("usage-deviation", message))
    spaces = [*sides.spaces.values()]
    first, second = (space.required_whole("this picture") for space in spaces)
    prepare(first, second)
    near = "the one closest to it"
    if wanted:
        mine, called = chooser.chosen(first, wanted[0])
        two, which = (mine, chooser.closest(second, mine)), (called, near)
    else:
        found = closest_pair(first, second, chooser.closest)
        two = found[:2]
        large = f"{chooser.large} deviation"
        which = (near, large) if found.largest else (large, near)
    names, about = _two(sides), spaces[0].about
    if is_drawn_by_component(about) and two[0].modes is not None:
        sets = [frozenset(one.modes or ()) for one in two]
        pairs = zip(spaces, sets, strict=True)
        idle = [space.idle(found) for space, found in pairs]
        kind_of = kinds_of_sets(sets, idle, hide_inert=hide_inert)
        title = "; ".join(map(": ".join, zip(names, which, strict=True)))
        legend = pair_legend(names)
        return component_pictures(about, kind_of, title, sides.words, legend)
    never = inert(first, two[0]), inert(second, two[1])
    environment = first.environment
    return [pair_picture(environment, two, never, names, which, hide_inert=hide_inert)]


def _names(first: Case, second: Case) -> tuple[str, str]:
    """What a legend calls two designs; a row of Table 1 is shorter than a title."""
    one = first.row or first.title or "the first"
    other = second.row or second.title or "the second"
    return (one, other) if one != other else (f"{one} (1)", f"{other} (2)")
