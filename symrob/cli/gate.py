"""`symrob gate`: does a controller keep the rules of a policy?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from symrob.api import load_sides, open_spaces
from symrob.case import Case
from symrob.cli.certificates import Certificate, certify_gate
from symrob.cli.common import command, end_incomplete, print_json, require_format, warn
from symrob.cli.groups import Bounds, Everything, ExtraStates, Models
from symrob.errors import EXIT_FAILED

if TYPE_CHECKING:
    from symrob.analyses.policy import Ruling
    from symrob.analyses.space import Space
    from symrob.case.policy import Policy
    from symrob.words import Words


@command
def gate(
    policy: Annotated[
        str,
        typer.Argument(metavar="POLICY.toml", help="The rules.", show_default=False),
    ],
    models: Models,
    bounds: Bounds,
    everything: Everything = False,
    certificate: Certificate = None,
    extra_states: ExtraStates = None,
    output: Annotated[
        str, typer.Option("--format", help="text, json, or junit for CI servers.")
    ] = "text",
) -> None:
    """Check the rules of a policy; exit 4 if one fails, 3 if one is unknown."""
    require_format(output, ("text", "json", "junit"))
    from symrob.analyses.judge import judge
    from symrob.analyses.policy import ask
    from symrob.case.policy import load_policy
    from symrob.report.gate import MOST_LINES

    rules = load_policy(policy, allow_outside=models.allow_outside)
    case = _case(rules, models)
    options = case.options(bounds.given(extra_states=extra_states))
    cases = {case.title or "the case": case}
    names: dict[int, str] = {}
    for index, other in _others(rules, case):
        name = f"{rules.rules[index].name}: {other.controller}"
        while name in cases:
            name += "'"
        cases[name], names[index] = other, name
    sides = load_sides(cases, options.limits)
    problem, *more = open_spaces(sides, options)
    warn(problem.warnings)
    asked = ask(rules, problem, dict(zip(names, more, strict=True)))
    title = f"{rules.title}: {case.title}" if case.title else rules.title
    most = None if everything else MOST_LINES
    verdicts = _print(judge(asked, problem), problem, title, output, most, case.words)
    lacking = ""
    if certificate is not None:
        roles, *others = sides.values()
        known = dict(zip(names, others, strict=True))
        engine = problem.required_whole("a certificate")
        lacking = certify_gate(certificate, asked, verdicts, roles, engine, known)
    if problem.clock.interrupted:
        end_incomplete("interrupted", "interrupted")
    if any(verdict.answer == "fails" for verdict in verdicts):
        raise typer.Exit(EXIT_FAILED)
    for verdict in verdicts:
        if verdict.answer == "unknown":
            end_incomplete("limit", verdict.message)
    if lacking:
        end_incomplete("limit", lacking)


def _case(rules: Policy, models: Models) -> Case:
    """The case that the user names, or else the one of the policy."""
    given = (models.case_file, models.env, models.ctrl, models.prop, models.env_prop)
    if any(given) or rules.case is None:
        return models.case
    from symrob.case.places import naming

    with naming(rules.source, rules.case):
        return replace(models, case_file=rules.case).case


def _others(rules: Policy, case: Case) -> Iterator[tuple[int, Case]]:
    """The case with each other controller of a rule, by the index of the rule."""
    from symrob.case.policy import AsRobustAs

    for index, rule in enumerate(rules.rules):
        if isinstance(rule, AsRobustAs) and rule.controller is not None:
            yield index, replace(case, controller=rule.controller, source=rules.source)


def _print(
    judged: Iterator[Ruling],
    problem: Space,
    title: str,
    output: str,
    most: int | None,
    words: Words,
) -> Sequence[Ruling]:
    """Print verdicts, as text while they come."""
    from symrob.analyses.policy import Judged
    from symrob.report import gate as report
    from symrob.report.json import document
    from symrob.report.text import printable

    if output == "text":
        print(printable(title))
        verdicts = []
        for verdict in judged:
            verdicts.append(verdict)
            for line in report.verdict_lines(problem.about, verdict, most, words):
                print(line, flush=True)
        print(report.summary_line(verdicts))
        return verdicts
    verdicts = list(judged)
    if output == "json":
        print_json(document(Judged.of(problem, verdicts), title))
    else:
        print("\n".join(report.gate_junit(problem.about, title, verdicts, words)))
    return verdicts
