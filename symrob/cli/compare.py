"""`symrob compare`: which of two designs, or of many, is more robust?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer

from symrob.api import load_sides
from symrob.case import Case
from symrob.cli.certificates import Certificate, certify_comparison
from symrob.cli.common import (
    Progress,
    asked_sides,
    command,
    end_incomplete,
    print_json,
    require_format,
)
from symrob.cli.groups import (
    Bounds,
    Everything,
    ExtraStates,
    Format,
)
from symrob.cli.sides import Sides, misused

if TYPE_CHECKING:
    from symrob.analyses.compare import Comparison, Surplus, Unassumed
    from symrob.analyses.space import Space
    from symrob.api.certificates.answers import Pair
    from symrob.api.loading import Roles
    from symrob.api.result import SafetyEnvelope
    from symrob.limits import Outcome, Status
    from symrob.options import Options
    from symrob.problem import UnitSet
    from symrob.words import Words


@command
def compare(
    sides: Sides,
    bounds: Bounds,
    delta: Annotated[
        bool,
        typer.Option(
            "--delta",
            help="Also list the maximal deviations of each side that the other does "
            "not tolerate.",
        ),
    ] = False,
    limit: Annotated[
        int | None,
        typer.Option("--limit", help="List at most so many of each side."),
    ] = None,
    extra_states: ExtraStates = None,
    everything: Everything = False,
    certificate: Certificate = None,
    output: Format = "text",
) -> None:
    """Compare the robustness of designs: which tolerates more, and what shows it."""
    require_format(output, ("text", "json"))
    cases = sides.cases
    if len(cases) > 2 and delta:
        raise misused("--delta is for two sides")
    given = bounds.given(extra_states=extra_states, limit=limit)
    asked, roles, options = asked_of(cases, given)
    told = Told(tuple(asked), output, [case.words for case in cases.values()])
    if len(asked) > 2:
        found = _rank(asked, told)
    else:
        found = _compare_two(asked, told, everything, delta, options.limit)
    lacking = ""
    if certificate is not None:
        both = {
            name: (roles[name], problem.required_whole("a certificate"))
            for name, problem in asked.items()
        }
        lacking = certify_comparison(certificate, both, found.at_least, found.shown)
    for status, reason in found.endings:
        if status != "complete":
            end_incomplete(status, reason)
    if lacking:
        end_incomplete("limit", lacking)
    if next(iter(asked.values())).clock.interrupted:
        end_incomplete("interrupted", "interrupted")


def asked_of(
    cases: Mapping[str, Case], given: Mapping[str, Any]
) -> tuple[dict[str, Space], dict[str, Roles], Options]:
    """Return the problem of each side, by its name, its models, and what holds for all.

    Args:
        cases: The sides. They share one clock; the settings of the first hold.
        given: What the user chose, by the fields of `Options`.
    """
    options = next(iter(cases.values())).options(given)
    roles = load_sides(cases, options.limits)
    return asked_sides(roles, options), roles, options


class Told(NamedTuple):
    """How a comparison is told.

    Attributes:
        names: What the sides are called.
        output: Text or JSON.
        words: What names of each side are called.
    """

    names: tuple[str, ...]
    output: str
    words: Sequence[Words]


class Found(NamedTuple):
    """What was found of sides, by their places.

    Attributes:
        at_least: Of two sides, whether the first tolerates all that the second does.
        shown: Of two sides, what the first tolerates and the second does not.
        endings: The status of each part of the answer, and why it is that.
    """

    at_least: dict[Pair, bool]
    shown: dict[Pair, UnitSet]
    endings: Sequence[tuple[Status, str]]


def _compare_two(
    asked: Mapping[str, Space],
    told: Told,
    everything: bool,
    deltas: bool,
    limit: int | None,
) -> Found:
    from symrob.analyses.compare import compare as compare_spaces
    from symrob.analyses.compare import unassumed as compare_unassumed
    from symrob.report.compare import comparison_lines, surplus_lines
    from symrob.report.json import document

    one, other = asked.values()
    comparison = compare_spaces(one, other)
    listed = _deltas(one, other, comparison, limit) if deltas else ()

    def unassumed() -> Unassumed | None:
        return compare_unassumed(one, other)

    if told.output == "json":
        whole = replace(
            comparison,
            sides=told.names,
            without_constraints=unassumed(),
            delta=tuple(tuple(sorted(each)) for each in listed) or None,
        )
        parts: list[Outcome] = [whole, *listed]
        end = next((each for each in parts if each.status != "complete"), whole)
        whole = replace(whole, status=end.status, reason=end.reason)
        print_json(document(whole))
    else:
        for line in comparison_lines(
            comparison,
            told.names,
            everything=everything,
            words=told.words,
            unassumed=unassumed,
        ):
            print(line, flush=True)
        for index, deviations in enumerate(listed):
            for line in surplus_lines(deviations, index):
                print(line)
    at_least: dict[Pair, bool] = {}
    shown: dict[Pair, UnitSet] = {}
    for pair, part in ((0, 1), comparison.first), ((1, 0), comparison.second):
        if part.exists is not None:
            at_least[pair[1], pair[0]] = not part.exists
        if part.witness is not None:
            shown[pair] = part.witness.units
    endings = [(part.status, part.reason) for part in (comparison, *listed)]
    return Found(at_least, shown, endings)


def _deltas(
    one: Space, other: Space, comparison: Comparison, limit: int | None
) -> tuple[SafetyEnvelope, SafetyEnvelope]:
    """For each side the part of its Δ that the other does not tolerate."""
    from symrob.analyses.compare import surplus_sets
    from symrob.api.result import SafetyEnvelope

    progress = Progress()

    def part(mine: Space, theirs: Space, known: Surplus) -> SafetyEnvelope:
        found = surplus_sets(mine, theirs, known)
        return SafetyEnvelope(mine, "maximal", found, limit=limit, on_progress=progress)

    return part(one, other, comparison.first), part(other, one, comparison.second)


def _rank(asked: Mapping[str, Space], told: Told) -> Found:
    from symrob.analyses.ranking import rank, rank_unassumed
    from symrob.report.json import document
    from symrob.report.ranking import ranking_lines, unassumed_lines

    progress, sides = Progress("pairs"), [*asked.values()]
    ranking = rank(sides, progress)
    progress.clear()
    if told.output == "json":
        whole = replace(
            ranking, sides=told.names, without_constraints=rank_unassumed(sides)
        )
        print_json(document(whole))
    else:
        for line in ranking_lines(ranking, told.names):
            print(line, flush=True)
        for line in unassumed_lines(ranking, rank_unassumed(sides), told.names):
            print(line)
    at_least = {
        (i, j): known
        for i, row in enumerate(ranking.at_least)
        for j, known in enumerate(row)
        if i != j and known is not None
    }
    return Found(at_least, {}, [(ranking.status, ranking.reason)])
