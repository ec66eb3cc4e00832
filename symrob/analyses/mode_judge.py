"""Rules of a policy about fault modes: each one judged.

In:  `Asked`, and an `Engine` that asks about fault modes.
Out: a `Verdict` for a rule that names modes, and for those about resilience and another
     controller, which count in modes then.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from symrob.analyses import hazards
from symrob.analyses.cut import Cut
from symrob.analyses.mode_compare import require_same_modes, surplus
from symrob.analyses.mode_cuts import UnsafeModes
from symrob.analyses.modes import smallest_part
from symrob.analyses.policy import Verdict
from symrob.case.policy import AsRobustAs, Forbids, Resilience, Rule, Tolerates
from symrob.envelope.engine import Engine
from symrob.errors import Diagnostic, LimitExceeded, SymrobError
from symrob.lts.masks import bits
from symrob.problem.units import Chosen


def judge_in_modes(engine: Engine, other: Engine | None, rule: Rule) -> Verdict:
    """Judge a rule that counts in fault modes.

    Args:
        engine: The problem.
        other: With the other controller, if the rule names one.
        rule: The rule.

    Raises:
        SymrobError: It names a mode that there is not, or a baseline.
        LimitExceeded: A bound was hit before.
    """
    if isinstance(rule, Resilience):
        return judge_resilience(engine, rule)
    if not isinstance(rule, AsRobustAs):
        return judge_tolerates(engine, rule)
    if other is None:
        message = "a baseline cannot be compared in fault modes; name a controller"
        raise SymrobError(Diagnostic("modes-question", message))
    return judge_controller(engine, other, rule)


def judge_tolerates(engine: Engine, rule: Tolerates | Forbids) -> Verdict:
    """Judge a rule that says that modes are tolerated, or that they are not.

    Raises:
        SymrobError: There is no such mode.
    """
    units = engine.mode_sets.units
    chosen = units.chosen(rule.modes)
    wants = isinstance(rule, Tolerates)
    sets = [chosen] if rule.added == "together" else [1 << m for m in bits(chosen)]
    judged = {each: hazards.verdict(engine, units.added(each)) for each in sets}
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
        deviation = engine.mode_sets.deviation(engine.mode_sets.grown(first))
        message += f", and so are {', '.join(deviation.modes or ())} together"
        return Verdict(rule, "fails", message, counts=dict(counts))
    cut = smallest_part(engine, first, judged[first])
    message = f"{', '.join(units.names(first))}: not tolerated{_told(counts)}"
    if cut.modes != units.names(first):
        message += f"; {', '.join(cut.modes or ())} breaks it"
    return _with_cut(Verdict(rule, "fails", message, counts=dict(counts)), cut)


def _with_cut(verdict: Verdict, cut: Cut) -> Verdict:
    return Verdict(
        verdict.rule,
        verdict.answer,
        verdict.message,
        tuple(sorted(cut.transitions)),
        cut.trace,
        counts=verdict.counts,
    )


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


def judge_resilience(engine: Engine, rule: Resilience) -> Verdict:
    """Judge whether any set of fewer modes hurts nobody."""
    within = " within the assumptions" if engine.constraints else ""
    if rule.least == 1:
        return Verdict(rule, "holds", "the nominal system is safe")
    units = engine.mode_sets.units
    search = UnsafeModes(engine.mode_sets, engine.clock, engine.effort)

    def harmless(count: int) -> str:
        few = "any fault mode is" if count == 1 else f"any {count:,} fault modes are"
        return f"{few} harmless{within}"

    try:
        for chosen in search.by_size(rule.least - 1):
            added = units.added(chosen)
            if engine.keeps_constraints(engine.extended(added)):
                names = ", ".join(units.names(chosen))
                message = f"it is {chosen.bit_count()}{within}: {names}"
                trace = engine.violation(added)
                return Verdict(rule, "fails", message, tuple(sorted(added)), trace)
    except LimitExceeded as error:
        reason = error.diagnostics[0].message
        message = f"{reason}; {harmless(search.complete_to)}"
        return Verdict(rule, "unknown", message)
    return Verdict(rule, "holds", harmless(rule.least - 1))


def judge_controller(engine: Engine, other: Engine, rule: AsRobustAs) -> Verdict:
    """Judge whether what another controller tolerates is tolerated."""
    require_same_modes(engine, other)
    witness = surplus(other, engine)
    if witness is None:
        message = "whatever the other controller tolerates is tolerated"
        return Verdict(rule, "holds", message)
    names = ", ".join(witness.modes)
    message = f"the other controller tolerates what breaks this one: {names}"
    return Verdict(rule, "fails", message, trace=witness.trace)


def why_vacuous(engine: Engine, rule: Tolerates | Resilience) -> str | None:
    """Why a rule that holds would hold whatever C did; `None` if it would not."""
    units = engine.mode_sets.units
    if isinstance(rule, Tolerates):
        chosen = units.chosen(rule.modes)
        if not units.added(chosen):
            return "these fault modes change nothing"
        if engine.never_firing(engine.mode_sets.deviation(chosen)) >= units.added(
            chosen
        ):
            return "nothing of these fault modes can ever happen"
    if isinstance(rule, Resilience) and rule.least <= 1:
        return "the nominal system is safe, so its resilience is at least 1"
    return None
