"""Rules of a policy about fault modes: each one judged.

In:  a rule, and a problem in fault modes, `InModes`.
Out: a `Verdict` for a rule that names modes, and for those about resilience and another
     controller, which count in modes then.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from symrob.analyses import hazards
from symrob.analyses.in_modes import InModes
from symrob.analyses.mode_compare import require_same_modes, surplus
from symrob.analyses.mode_cuts import UnsafeModes
from symrob.analyses.modes import smallest_part
from symrob.analyses.policy import Baseline, Verdict
from symrob.case.policy import AsRobustAs, Forbids, Resilience, Rule, Tolerates
from symrob.errors import LimitExceeded
from symrob.lts import Transition
from symrob.lts.masks import bits
from symrob.problem.units import Chosen


def judge_in_modes(
    modes: InModes, other: InModes | None, baseline: Baseline | None, rule: Rule
) -> Verdict:
    """Judge a rule that counts in fault modes.

    Args:
        modes: The problem.
        other: With the other controller, if the rule names one.
        baseline: What is to be tolerated, if the rule names a result.
        rule: The rule.

    Raises:
        SymrobError: It names a mode that there is not.
        LimitExceeded: A bound was hit before.
    """
    if isinstance(rule, Resilience):
        return judge_resilience(modes, rule)
    if not isinstance(rule, AsRobustAs):
        return judge_tolerates(modes, rule)
    if other is not None:
        return judge_controller(modes, other, rule)
    assert baseline is not None, "the rule names one or the other"
    return judge_baseline(modes, baseline, rule)


def judge_tolerates(modes: InModes, rule: Tolerates | Forbids) -> Verdict:
    """Judge a rule that says that modes are tolerated, or that they are not.

    Raises:
        SymrobError: There is no such mode.
    """
    units = modes.units
    chosen = units.chosen(rule.modes)
    wants = isinstance(rule, Tolerates)
    sets = [chosen] if rule.added == "together" else [1 << m for m in bits(chosen)]
    judged = {each: modes.verdict(each) for each in sets}
    counts = Counter(judged.values())
    wrong = [s for s in sets if (judged[s] == "tolerated") != wants]
    named = ", ".join(sorted(rule.modes))
    how = "together" if rule.added == "together" else "each alone"
    if not wrong:
        said = "tolerated" if wants else f"not tolerated{_told(counts)}"
        verdict = Verdict(rule, "holds", f"{named}: {said}, {how}", counts=dict(counts))
        return verdict if wants else _by_assumptions(verdict, judged)
    first = wrong[0]
    if not wants:
        message = f"{', '.join(units.names(first))}: tolerated"
        together = units.names(modes.grown(first))
        message += f", and so are {', '.join(together)} together"
        return Verdict(rule, "fails", message, counts=dict(counts))
    cut = smallest_part(modes, first, judged[first])
    message = f"{', '.join(units.names(first))}: not tolerated{_told(counts)}"
    if cut.modes != units.names(first):
        message += f"; {', '.join(cut.modes or ())} breaks it"
    added = _added(modes, units.chosen(cut.modes or ()))
    return Verdict(rule, "fails", message, added, cut.trace, counts=dict(counts))


def _added(modes: InModes, chosen: Chosen) -> tuple[Transition, ...]:
    return tuple(sorted(modes.added(chosen)))


def _by_assumptions(
    verdict: Verdict, judged: Mapping[Chosen, hazards.Verdict]
) -> Verdict:
    """Say of modes that are not tolerated whether only the assumptions exclude them."""
    if "outside-assumptions" not in judged.values():
        return verdict
    message = f"{verdict.message}; only by the assumptions: without them they are"
    return Verdict(
        verdict.rule,
        "holds",
        message,
        counts=verdict.counts,
        by_assumptions=True,
    )


def _told(counts: Mapping[hazards.Verdict, int]) -> str:
    told = [hazards.SAID[v] for v in hazards.VERDICTS[1:] if counts.get(v)]
    return f" ({', '.join(told)})"


def judge_resilience(modes: InModes, rule: Resilience) -> Verdict:
    """Judge whether any set of fewer modes hurts nobody."""
    within = " within the assumptions" if modes.constrained else ""
    if rule.least == 1:
        return Verdict(rule, "holds", "the nominal system is safe")
    search = UnsafeModes(modes)

    def harmless(count: int) -> str:
        few = "any fault mode is" if count == 1 else f"any {count:,} fault modes are"
        return f"{few} harmless{within}"

    try:
        for chosen in search.by_size(rule.least - 1):
            if modes.keeps_constraints(chosen):
                names = ", ".join(modes.units.names(chosen))
                message = f"it is {chosen.bit_count()}{within}: {names}"
                added, trace = _added(modes, chosen), modes.violation(chosen)
                return Verdict(rule, "fails", message, added, trace)
    except LimitExceeded as error:
        reason = error.diagnostics[0].message
        message = f"{reason}; {harmless(search.complete_to)}"
        return Verdict(rule, "unknown", message)
    return Verdict(rule, "holds", harmless(rule.least - 1))


def judge_baseline(modes: InModes, baseline: Baseline, rule: AsRobustAs) -> Verdict:
    """Judge whether the sets of modes of an earlier result are tolerated."""
    sets, complete = baseline
    units = modes.units
    failing = [s for s in map(units.chosen, sets) if not modes.is_safe(s)]
    if failing:
        first = failing[0]
        cut = smallest_part(modes, first, modes.verdict(first))
        message = (
            f"{len(failing)} of {len(sets)} sets of the baseline not tolerated; of the "
            f"first {', '.join(cut.modes or ())} breaks the system"
        )
        added = _added(modes, units.chosen(cut.modes or ()))
        return Verdict(rule, "fails", message, added, cut.trace)
    if not complete and not rule.partial:
        message = (
            f"all {len(sets)} sets of the baseline are tolerated, but it is not "
            "complete; partial = true makes do with them"
        )
        return Verdict(rule, "unknown", message)
    return Verdict(rule, "holds", f"all {len(sets)} sets of the baseline tolerated")


def judge_controller(modes: InModes, other: InModes, rule: AsRobustAs) -> Verdict:
    """Judge whether what another controller tolerates is tolerated."""
    require_same_modes(modes, other)
    witness = surplus(other, modes)
    if witness is None:
        message = "whatever the other controller tolerates is tolerated"
        return Verdict(rule, "holds", message)
    names = ", ".join(witness.modes)
    message = f"the other controller tolerates what breaks this one: {names}"
    return Verdict(rule, "fails", message, trace=witness.trace)


def why_vacuous(
    modes: InModes, other: InModes | None, baseline: Baseline | None, rule: Rule
) -> str | None:
    """Why a rule that holds would hold whatever C did; `None` if it would not."""
    units = modes.units
    if isinstance(rule, Tolerates):
        chosen = units.chosen(rule.modes)
        if modes.idle(chosen) == chosen:
            return "nothing of these fault modes can ever happen"
    if isinstance(rule, Resilience) and rule.least <= 1:
        return "the nominal system is safe, so its resilience is at least 1"
    if other is not None:
        ours, theirs = (
            [e.problem.controller for e in s.engines] for s in (modes, other)
        )
        return "the other controller is this one" if ours == theirs else None
    if baseline is not None and not any(map(units.chosen, baseline[0])):
        return "the baseline tolerates no fault mode"
    return None
