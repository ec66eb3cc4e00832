"""Questions about one design: summary, explain, cuts, the side report."""

from symrob.api.result import SafetyEnvelope
from symrob.errors import LimitExceeded
from tests.fuzz.questions.common import (
    check_trace,
    distinct,
    draw_stopped,
    engine_of,
    masks,
    require_solved,
    right,
    same,
    some_transitions,
)
from tests.oracles import definition

# So many deviations are looked at for deadlocks.
MOST_LISTED = 60


def draw_summary(rng, reference):
    return {
        **draw_stopped(rng, reference),
        "every_reason": rng.choice((None, True, False)),
        "at_once": rng.random() < 0.1,
    }


def check_summary(problem, reference, ticks, every_reason, at_once):
    require_solved(reference)
    engine = engine_of(problem, ticks)
    found = SafetyEnvelope(engine, "maximal", engine.deviations())
    try:
        summary = found.summary(every_reason=every_reason, at_once=at_once)
    except LimitExceeded:
        right("a time-out that nobody set", ticks is not None)
        return
    kinds = {
        name: reference.mask(getattr(summary, name))
        for name in ("never", "always", "contested", "unknown", "inert")
    }
    unknown = reference.mask(summary.inert_unknown)
    alone, always, fires = reference.alone, reference.alone, 0
    for deviation in reference.maximal:
        always &= deviation
        fires |= reference.taken(deviation)
    inert = alone & ~fires
    same("never", kinds["never"], reference.every & ~alone)
    if summary.status == "complete":
        same("unknown", kinds["unknown"] | unknown, 0)
    else:
        right("stopped by nobody", ticks is not None or at_once)
    same("always, but for unknown", kinds["always"], always & ~kinds["unknown"])
    contested = alone & ~always & ~kinds["unknown"]
    same("contested, but for unknown", kinds["contested"], contested)
    same("inert, but for unknown", kinds["inert"], inert & ~unknown)
    reasons = {(r.kind, r.name): reference.mask(r.forbids) for r in summary.reasons}
    if summary.reasons or summary.status == "complete":
        forbidden = 0
        for mask in reasons.values():
            forbidden |= mask
        same("candidates with a reason", forbidden, kinds["never"])
    if summary.all_reasons:
        same("reasons", reasons, reasons_of(problem, reference))


def reasons_of(problem, reference):
    """For each constraint and property the candidates that break it alone."""
    environment, controller, properties, constraints = problem
    found = {}

    def add(kind, name, machine, watchers, among):
        forbids = reference.of(
            c
            for c, t in enumerate(reference.candidates)
            if among >> c & 1
            and definition.violation(environment, [t], machine, watchers) is not None
        )
        if forbids:
            found[kind, name] = forbids
        return forbids

    def parts(role, models):
        for number, model in enumerate(models, 1):
            name = f"{role} {number}"
            split = model.components if not model.hidden else (model,)
            for title, part in zip(
                model.component_names if len(split) > 1 else (None,), split, strict=True
            ):
                yield f"{name} ({title})" if title else name, part

    never = reference.every & ~reference.alone
    for name, part in parts("constraint", constraints):
        add("constraint", name, None, [part], never)
    own = add("controller", "the controller's own ERROR", controller, [], never)
    for name, part in parts("property", properties):
        add("property", name, controller, [part], never & ~own)
    return found


def draw_explain(rng, reference):
    return {
        **draw_stopped(rng, reference),
        "transitions": some_transitions(rng, reference),
        "deviations": rng.choice((None, 0, 1, 5)),
    }


def check_explain(problem, reference, ticks, transitions, deviations):
    require_solved(reference)
    engine = engine_of(problem, ticks)
    found = SafetyEnvelope(engine, "maximal", engine.deviations())
    asked = reference.mask(transitions)
    try:
        told = found.explain(transitions, deviations=deviations)
    except LimitExceeded:
        right("a time-out that nobody set", ticks is not None)
        return
    complete = told.status == "complete"
    right("stopped by nobody", complete or ticks is not None)
    same("new", reference.mask(told.new), asked)
    same("nominal", len(told.nominal), len({tuple(t) for t in transitions} - told.new))
    inside = reference.is_safe(asked)
    same("inside", told.inside, inside)
    if not inside:
        if told.cut is None:
            right("no cut", not complete)
            cut = asked
        else:
            cut = reference.mask(told.cut.transitions)
            smallest = min(c.bit_count() for c in reference.cuts if c & ~asked == 0)
            right("a cut of other transitions", cut & ~asked == 0)
            right("a cut that is not minimal", cut in reference.cuts)
            same("size of the smallest part", cut.bit_count(), smallest)
        check_trace(problem, reference, cut, told.trace)
        return

    def known(what, value, expected):
        if value is None:
            right(f"{what} is not there", not complete)
        else:
            same(what, reference.mask(value), expected)

    fires = 0
    for deviation in reference.maximal:
        fires |= reference.taken(deviation)
    idle = asked & ~reference.taken(asked)
    known("idle", told.idle, idle)
    known("inert", told.inert, idle & ~fires)
    others = reference.alone & ~asked
    addable = reference.of(
        c
        for c in range(len(reference.candidates))
        if others >> c & 1 and reference.is_safe(asked | 1 << c)
    )
    known("addable", told.addable, addable)
    known("excluded", told.excluded, others & ~addable)
    holding = {d for d in reference.maximal if asked & ~d == 0}
    shown = masks(reference, told.deviations)
    distinct(shown)
    right("maximal deviations that hold the set", set(shown) <= holding)
    if complete:
        from symrob.analyses import explain

        wanted = explain.DEVIATIONS if deviations is None else deviations
        same("how many are shown", len(shown), min(wanted, len(holding)))
        same("more", told.more, len(holding) > len(shown))


def draw_cuts(rng, reference):
    return {
        **draw_stopped(rng, reference),
        "order": rng.choice((None, None, 1, 2, 3)),
        "limit": rng.choice((None, None, 1, 5)),
    }


def check_cuts(problem, reference, ticks, order, limit):
    require_solved(reference)
    engine = engine_of(problem, ticks)
    cuts = SafetyEnvelope(engine, "maximal", engine.deviations()).cuts(
        order, limit=limit
    )
    found = list(cuts)
    listed = [reference.mask(c.transitions) for c in found]
    right("a set comes twice", len(set(listed)) == len(listed))
    sizes = [c.bit_count() for c in listed]
    same("order by size", sizes, sorted(sizes))
    wanted = {c for c in reference.cuts if order is None or c.bit_count() <= order}
    right("only minimal unsafe sets", set(listed) <= wanted)
    if cuts.status == "complete":
        same("minimal unsafe sets", set(listed), wanted)
    elif cuts.status == "limit":
        same("how many came", len(listed), limit)
        right("a limit that was not hit", len(wanted) > limit)
    else:
        same("status", cuts.status, "timeout")
        right("a time-out that nobody set", ticks is not None)
    smallest = min((c.bit_count() for c in reference.cuts), default=None)
    if smallest is None:
        right("harmless", cuts.harmless <= len(reference.candidates))
    else:
        right("harmless", cuts.harmless < smallest)
        if listed:
            same("resilience", cuts.resilience, smallest)
    engine.clock.left = None
    for cut, mask in list(zip(found, listed, strict=True))[:5]:
        check_trace(problem, reference, mask, cut.trace)


def check_stuck(problem, reference):
    """New deadlocks of each maximal deviation."""
    require_solved(reference)
    engine = engine_of(problem)
    found = SafetyEnvelope(engine, "maximal", engine.deviations())
    report = found.side_report(most=MOST_LISTED)
    nominal = reference.deadlocks(0)
    expected = {}
    for chosen in reference.maximal:
        new = {q for q, _ in reference.deadlocks(chosen) - nominal}
        if new:
            expected[chosen] = new
    same("looked at", report.looked_at, min(MOST_LISTED, len(reference.maximal)))
    told = {
        reference.mask(s.deviation): {q for q, _ in s.deadlocks} for s in report.stuck
    }
    if report.looked_at == len(reference.maximal):
        same("deadlocks", told, expected)
    else:
        right("deadlocks", all(expected.get(k) == v for k, v in told.items()))
