"""What `symrob draw` draws besides deviations: models, verdicts, orders of designs."""

from __future__ import annotations

from collections.abc import Sequence

from symrob.analyses.choice import verdict_of_each
from symrob.analyses.ranking import rank
from symrob.api import load_model
from symrob.case import Case, parse_constants, parse_rule
from symrob.cli.common import end_incomplete, session_of, warn
from symrob.cli.groups import Bounds, Models, root_of
from symrob.cli.sides import Sides
from symrob.errors import Diagnostic, SymrobError
from symrob.formats.dot import Picture, system_pictures
from symrob.options import Options
from symrob.report.picture import judgement
from symrob.report.ranking import ranking_picture
from symrob.report.text import plural


def is_model(models: Models) -> bool:
    """Whether a model stands where a case file could."""
    file = models.case_file
    return file is not None and not file.endswith(".toml")


def of_model(models: Models, bounds: Bounds, *, product: bool) -> list[Picture]:
    """Return a picture of each component of a model, or of their product."""
    if any((models.env, models.ctrl, models.prop, models.env_prop)):
        message = "give a model, a case file or the options of a problem, not both"
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


def of_verdicts(case: Case, options: Options) -> Picture:
    """Return a picture of all that could be added, by what each amounts to alone."""
    space = session_of({"": case}, options).space
    verdicts, noun = verdict_of_each(space), space.about.noun
    unit = f"added {noun}" if noun == "transition" else noun
    title = f"{case.title or 'Environment'}, each of {plural(len(space), unit)} alone"
    assert space.about.environment is not None, "E is multiplied out"
    return judgement(space.about.environment, {**verdicts}, title)


def of_order(
    models: Models, others: Sequence[str], bounds: Bounds, extra_states: int | None
) -> Picture:
    """Return a picture of how the designs of several case files are ordered."""
    if models.case_file is None:
        message = "more than one --compare needs a case file for each design"
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
