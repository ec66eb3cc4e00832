"""Further pictures of `symrob draw`: models, verdicts, orders of designs."""

from __future__ import annotations

from collections.abc import Sequence

from symrob.analyses.choice import numbered, verdict_of_each
from symrob.analyses.fault_mode_space import FaultModeSpace
from symrob.analyses.ranking import rank
from symrob.analyses.space import Space, units_in
from symrob.api import load_model
from symrob.case import Case, parse_constants, parse_rule
from symrob.case.deviations import is_number, read_mode_set
from symrob.cli.common import end_incomplete, session_of, warn
from symrob.cli.ending import note_line
from symrob.cli.option_groups import Bounds, Models, root_of
from symrob.cli.sides import Sides
from symrob.errors import Diagnostic, SymrobError
from symrob.formats.dot import Picture, system_pictures
from symrob.options import Options
from symrob.problem import UnitSet
from symrob.report.picture import component_pictures, is_drawn_by_component, judgement
from symrob.report.ranking import ranking_picture
from symrob.report.text import plural
from symrob.verdicts import BY_GRAVITY, Verdict


def is_model(models: Models) -> bool:
    """Whether a model is given in place of a case file."""
    file = models.case_file
    return file is not None and not file.endswith(".toml")


def of_model(models: Models, bounds: Bounds, *, product: bool) -> list[Picture]:
    """Return a picture of each component of a model, or of their product."""
    if any((models.env, models.ctrl, models.prop, models.env_prop)):
        message = (
            "give only one of these: a model, a case file, or the options of a problem"
        )
        raise SymrobError(Diagnostic("usage-case", message))
    assert models.case_file is not None
    source, system = load_model(
        parse_rule(models.case_file, root=root_of(models.allow_outside)),
        parse_constants(models.const or []),
        bounds.options(),
        product,
        models.form,
    )
    warn(source.warnings)
    return system_pictures(system, source.name)


def of_verdicts(case: Case, options: Options) -> list[Picture]:
    """Return pictures of all candidates, by their individual verdict."""
    space = session_of({"": case}, options).space
    about, noun = space.about, space.about.noun
    unit = f"added {noun}" if noun == "transition" else noun
    title = f"{case.title or 'Environment'}, each of {plural(len(space), unit)} alone"
    if is_drawn_by_component(about):
        judged = space.alone().by_verdict().items()
        of = {str(name): verdict for verdict, modes in judged for name in modes}

        def gravest(names: Sequence[str]) -> Verdict:
            return max((of[name] for name in names), key=BY_GRAVITY.index)

        return component_pictures(about, gravest, title, case.words)
    assert about.environment is not None, "E is one system"
    return [judgement(about.environment, {**verdict_of_each(space)}, title)]


def set_of_modes(space: Space, spec: str | None) -> tuple[UnitSet, str] | None:
    """Return a set of modes to be drawn by component, and its name.

    Args:
        space: The problem.
        spec: A number, or a file; by default a largest set is chosen.

    Returns:
        The set; `None` if transitions of E as a whole are drawn.

    Raises:
        SymrobError: There is no such set.
        LimitExceeded: A bound was hit before it was found.
    """
    if not isinstance(space, FaultModeSpace) or not is_drawn_by_component(space.about):
        return None
    if spec is None:
        return space.largest(), "a largest set"
    if is_number(spec):
        return units_in(numbered(space.maximal(), int(spec))), f"set {spec}"
    try:
        names = read_mode_set(spec)
    except SymrobError:
        if space.whole is None:
            raise
        return None
    found: UnitSet = frozenset(space.many(names))
    if not space.is_safe(found):
        note_line(f"{spec}: this set is not tolerated")
    return found, spec


def of_order(
    models: Models, others: Sequence[str], bounds: Bounds, extra_states: int | None
) -> Picture:
    """Return a picture of the order of the designs in several case files."""
    if models.case_file is None:
        message = "more than one --compare requires a case file for each design"
        raise SymrobError(Diagnostic("usage-sides", message))
    sides = Sides(
        [models.case_file, *others],
        const=models.const,
        allow_outside=models.allow_outside,
        without_constraints=models.without_constraints,
    )
    given, cases = bounds.given(extra_states=extra_states), sides.cases
    session = session_of(cases, sides.case.options(given))
    ranking = rank([*session.spaces.values()], session.progress("pairs"))
    if ranking.status != "complete":
        end_incomplete(ranking.status, ranking.reason)
    return ranking_picture(ranking, tuple(cases))
