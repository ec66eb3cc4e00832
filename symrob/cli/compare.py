"""`symrob compare`: which of two designs, or of many, is more robust?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
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
    from symrob.analyses.in_modes import InModes
    from symrob.analyses.ranking import Ranking
    from symrob.api.certificates.answers import Added, Pair
    from symrob.api.loading import Roles
    from symrob.api.result import SafetyEnvelope
    from symrob.envelope.engine import Engine
    from symrob.limits import Status
    from symrob.options import Options
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
    from symrob.analyses.in_modes import whole_engine

    asked, roles, options = asked_of(cases, given)
    told = Told(tuple(asked), output, [case.words for case in cases.values()])
    if len(asked) > 2:
        found = _rank(asked, told)
    else:
        found = _compare_two(asked, told, everything, delta, options.limit)
    lacking = ""
    if certificate is not None:
        both = {
            name: (roles[name], whole_engine(problem, "a certificate"))
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
) -> tuple[dict[str, Engine | InModes], dict[str, Roles], Options]:
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
    shown: dict[Pair, Added]
    endings: Sequence[tuple[Status, str]]


def _compare_two(
    asked: Mapping[str, Engine | InModes],
    told: Told,
    everything: bool,
    deltas: bool,
    limit: int | None,
) -> Found:
    from symrob.envelope.engine import Engine

    one, other = asked.values()
    if isinstance(one, Engine):
        assert isinstance(other, Engine), "the sides ask in the same units"
        return _compare_singles(one, other, told, everything, deltas, limit)
    assert not isinstance(other, Engine), "the sides ask in the same units"
    return _compare_modes(one, other, told, deltas, limit)


def _compare_singles(
    one: Engine,
    other: Engine,
    told: Told,
    everything: bool,
    deltas: bool,
    limit: int | None,
) -> Found:
    from symrob.analyses.compare import compare as compare_engines
    from symrob.analyses.compare import unassumed as compare_unassumed
    from symrob.report.compare import (
        comparison_dict,
        comparison_lines,
        surplus_lines,
    )

    comparison = compare_engines(one, other)
    listed = _deltas(one, other, comparison, limit) if deltas else ()

    def unassumed() -> Unassumed | None:
        return compare_unassumed(one, other)

    if told.output == "json":
        print_json(comparison_dict(comparison, told.names, listed, unassumed()))
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
    shown: dict[Pair, Added] = {}
    for pair, part in ((0, 1), comparison.first), ((1, 0), comparison.second):
        if part.exists is not None:
            at_least[pair[1], pair[0]] = not part.exists
        if part.witness is not None:
            shown[pair] = part.witness.deviation.new, None
    endings = [(part.status, part.reason) for part in (comparison, *listed)]
    return Found(at_least, shown, endings)


def _compare_modes(
    one: InModes, other: InModes, told: Told, deltas: bool, limit: int | None
) -> Found:
    from symrob.analyses.mode_compare import (
        compare_modes,
        surplus_sets,
        unassumed_modes,
    )
    from symrob.report.mode_compare import comparison_dict, comparison_lines

    comparison = compare_modes(one, other)
    without = unassumed_modes(one, other)
    pairs = ((one, other), (other, one)) if deltas else ()
    listed = [surplus_sets(*pair, limit) for pair in pairs]
    if told.output == "json":
        print_json(comparison_dict(one, comparison, told.names, without, listed))
    else:
        for line in comparison_lines(
            comparison, told.names, told.words, without, listed
        ):
            print(line)
    endings = [(comparison.status, comparison.reason)]
    endings += [(part.status, part.reason) for part in listed]
    at_least: dict[Pair, bool] = {}
    shown: dict[Pair, Added] = {}
    for pair, witness in ((0, 1), comparison.first), ((1, 0), comparison.second):
        if comparison.status == "complete":
            at_least[pair[1], pair[0]] = witness is None
        if witness is not None:
            shown[pair] = (), witness.modes
    return Found(at_least, shown, endings)


def _deltas(
    one: Engine, other: Engine, comparison: Comparison, limit: int | None
) -> tuple[SafetyEnvelope, SafetyEnvelope]:
    """For each side the part of its Δ that the other does not tolerate."""
    from symrob.analyses.compare import surplus_deviations
    from symrob.api.result import SafetyEnvelope

    progress = Progress()

    def part(mine: Engine, theirs: Engine, known: Surplus) -> SafetyEnvelope:
        found = surplus_deviations(mine, theirs, known)
        return SafetyEnvelope(mine, "maximal", found, limit=limit, on_progress=progress)

    return part(one, other, comparison.first), part(other, one, comparison.second)


def _rank(asked: Mapping[str, Engine | InModes], told: Told) -> Found:
    from symrob.report.ranking import ranking_dict, ranking_lines, unassumed_lines

    progress = Progress("pairs")
    ranking, unassumed, head = ranked(asked.values(), progress)
    progress.clear()
    if told.output == "json":
        print_json(ranking_dict(ranking, told.names, unassumed(), head))
    else:
        for line in ranking_lines(ranking, told.names):
            print(line, flush=True)
        for line in unassumed_lines(ranking, unassumed(), told.names):
            print(line)
    at_least = {
        (i, j): known
        for i, row in enumerate(ranking.at_least)
        for j, known in enumerate(row)
        if i != j and known is not None
    }
    return Found(at_least, {}, [(ranking.status, ranking.reason)])


def ranked(
    sides: Iterable[Engine | InModes], progress: Progress
) -> tuple[Ranking, Callable[[], Ranking | None], dict[str, Any]]:
    """Order designs in the units that they are asked in.

    Returns:
        The order; what gives it without the assumptions; what is asked about, as JSON
        has it.
    """
    from symrob.analyses import mode_compare, ranking
    from symrob.envelope.engine import Engine
    from symrob.report.json import environment_dict, problem_dict

    every = list(sides)
    engines = [side for side in every if isinstance(side, Engine)]
    modes = [side for side in every if not isinstance(side, Engine)]
    if modes:
        order = mode_compare.rank_modes(modes, progress)
        return (
            order,
            lambda: mode_compare.rank_modes_unassumed(modes),
            problem_dict(modes[0]),
        )
    head = {"environment": environment_dict(engines[0].environment)}
    return (
        ranking.rank(engines, progress),
        lambda: ranking.rank_unassumed(engines),
        head,
    )
