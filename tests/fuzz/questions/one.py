"""Questions about one design: summary, explain, cuts, the side report."""

from symrob.analyses.candidate_space import CandidateSpace
from symrob.analyses.cut import LOOKED_AT
from symrob.analyses.story import tell
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
from tests.oracles import definition, progress
from tests.oracles.states import Asked, Stated

# So many deviations are looked at for deadlocks, and of these for goals.
MOST_LISTED, WALKED = 60, 5


def draw_summary(rng, reference):
    return {
        **draw_stopped(rng, reference),
        "every_reason": rng.choice((None, True, False)),
        "at_once": rng.random() < 0.1,
    }


def check_summary(problem, reference, ticks, every_reason, at_once):
    require_solved(reference)
    engine = engine_of(problem, ticks)
    found = SafetyEnvelope(CandidateSpace(engine), "maximal", engine.deviations())
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
    check_alone(reference, summary.alone)
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


def check_alone(reference, judged):
    """Each candidate alone, as far as it was looked at."""
    told = {
        "tolerated": judged.tolerated,
        "hazardous": judged.hazardous,
        "excluded-unsafe": judged.excluded_unsafe,
        "excluded-safe": judged.excluded_safe,
    }
    expected = dict.fromkeys(told, 0)
    undecided = reference.mask(judged.undecided)
    for number in range(len(reference.candidates)):
        verdict = reference.verdict(1 << number)
        if undecided >> number & 1:
            right("undecided", verdict in ("excluded-unsafe", "excluded-safe"))
        else:
            expected[verdict] |= 1 << number
    for verdict, candidates in told.items():
        same(f"{verdict} alone", reference.mask(candidates), expected[verdict])


def draw_story(rng, reference):
    return draw_stopped(rng, reference)


def check_story(problem, reference, ticks):
    """What can hurt: of the smallest sets of a verdict, and what is said of them."""
    require_solved(reference)
    require_solved(reference.without_constraints)
    engine = engine_of(problem, ticks)
    try:
        story = tell(CandidateSpace(engine))
    except LimitExceeded:
        right("a time-out that nobody set", ticks is not None)
        return

    def danger(mask):
        """How plausible what is added is; then how long the run is."""
        added = (c for i, c in enumerate(reference.candidates) if mask >> i & 1)
        ranks = sorted(map(engine.problem.classes.rank, added))
        return ranks, reference.harm(mask)

    complete = story.status == "complete"
    right("a story that nobody stopped", complete or ticks is not None)
    check_alone(reference, story.alone)
    hurting = reference.without_constraints.cuts
    hazardous = {c for c in hurting if reference.verdict(c) == "hazardous"}
    resilience(reference, story.resilience, hazardous)
    resilience(reference, story.resilience_without, hurting)
    for verdict, cuts, sets in (
        ("hazardous", story.hazards, hazardous),
        ("excluded-unsafe", story.excluded_unsafe, hurting - hazardous),
    ):
        shown = [reference.mask(c.transitions) for c in cuts]
        distinct(shown)
        smallest = min((c.bit_count() for c in sets), default=None)
        right(f"{verdict} sets", set(shown) <= sets)
        right(
            f"{verdict} sets of one size", {c.bit_count() for c in shown} <= {smallest}
        )
        orders = [danger(mask) for mask in shown]
        same(f"{verdict} sets by danger", orders, sorted(orders))
        lengths = [len(c.trace.steps) for c in cuts]
        same(f"{verdict} runs", lengths, [reference.harm(mask) for mask in shown])
        alike = [c for c in sets if c.bit_count() == smallest]
        if complete and cuts and len(alike) <= LOOKED_AT:
            same("how many are shown", len(cuts), len(alike))
            same("most dangerous", orders[0], min(map(danger, alike)))
    if ticks is None:
        smallest = min(map(int.bit_count, hurting), default=None)
        same("resilience without", story.resilience_without.size, smallest)
    if complete:
        right("hazards that are not shown", bool(story.hazards) or not hazardous)
    if story.hazards:
        same("excluded by an assumption", story.excluded_unsafe, ())


def resilience(reference, told, hurting):
    """What a resilience says is true; exact where a size is given."""
    smallest = min((c.bit_count() for c in hurting), default=None)
    if told.size is not None:
        same("resilience", told.size, smallest)
        same("harmless", told.harmless, smallest - 1)
    elif smallest is not None:
        right("harmless", told.harmless < smallest)
    right("harmless at most all", told.harmless <= len(reference.candidates))


def part_of_c(model):
    """Whether it is no property but a guard of C."""
    return isinstance(model, Stated) and model.is_guard


def reasons_of(problem, reference):
    """For each constraint and property the candidates that break it alone."""
    environment, controller, properties, constraints = problem
    guards = [p for p in Asked(properties) if p.is_guard]
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
            if part_of_c(model):
                continue
            split = model.components if not model.hidden else (model,)
            for title, part in zip(
                model.component_names if len(split) > 1 else (None,), split, strict=True
            ):
                yield f"{name} ({title})" if title else name, part

    never = reference.every & ~reference.alone
    for name, part in parts("constraint", constraints):
        add("constraint", name, None, [part], never)
    own = add("controller", "the controller's own ERROR", controller, guards, never)
    for name, part in parts("property", properties):
        add("property", name, controller, [part, *guards], never & ~own)
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
    found = SafetyEnvelope(CandidateSpace(engine), "maximal", engine.deviations())
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
    verdict = reference.verdict(asked)
    same("verdict", told.verdict, verdict)
    if verdict != "tolerated":
        if told.cut is None:
            right("no cut", not complete)
            check_trace(problem, reference, asked, told.trace, verdict)
        else:
            check_part(problem, reference, asked, told)
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


def check_part(problem, reference, asked, told):
    """A smallest part that does as much: one that is hazardous, if there is any."""
    cut = reference.mask(told.cut.transitions)
    of_p = told.verdict in ("hazardous", "excluded-unsafe")
    hurting = reference.without_constraints.cuts if of_p else set()
    parts = {c for c in hurting or reference.cuts if c & ~asked == 0}
    hazardous = {c for c in parts if reference.verdict(c) == "hazardous"}
    wanted = hazardous or parts
    right("a cut of other transitions", cut & ~asked == 0)
    right("a cut that is not minimal", cut in wanted)
    same("size of the smallest part", cut.bit_count(), min(map(int.bit_count, wanted)))
    same("verdict of the part", told.cut.verdict, reference.verdict(cut))
    check_trace(problem, reference, cut, told.trace, told.cut.verdict)


def draw_cuts(rng, reference):
    return {
        **draw_stopped(rng, reference),
        "order": rng.choice((None, None, 1, 2, 3)),
        "limit": rng.choice((None, None, 1, 5)),
        "outside": rng.random() < 0.5,
    }


def check_cuts(problem, reference, ticks, order, limit, outside=True):
    require_solved(reference)
    require_solved(reference.without_constraints)
    engine = engine_of(problem, ticks)
    cuts = SafetyEnvelope(CandidateSpace(engine), "maximal", engine.deviations()).cuts(
        order, limit=limit, outside=outside
    )
    found = list(cuts)
    listed = [reference.mask(c.transitions) for c in found]
    right("a set comes twice", len(set(listed)) == len(listed))
    for cut, mask in zip(found, listed, strict=True):
        same("verdict", cut.verdict, reference.verdict(mask))
    wanted = sets_by_verdict(reference, order)
    everything = set()
    for verdict, sets in wanted.items():
        sizes = [len(c) for c in found if c.verdict == verdict]
        same(f"{verdict}: order by size", sizes, sorted(sizes))
        if verdict == "excluded-safe" and not outside:
            sets = set()
        elif verdict == "excluded-unsafe" and order is None and sets:
            size = min(map(int.bit_count, sets))
            sets = {c for c in sets if c.bit_count() == size}
        everything |= sets
    right("only minimal sets that do harm", set(listed) <= everything)
    if cuts.status == "complete":
        same("minimal sets that do harm", set(listed), everything)
        if problem[3]:
            told = cuts.sizes["excluded-safe"].total()
            same("outside", told, len(wanted["excluded-safe"]))
    elif cuts.status == "limit":
        same("how many came", len(listed), limit)
        right("a limit that was not hit", len(everything) > limit)
    else:
        same("status", cuts.status, "timeout")
        right("a time-out that nobody set", ticks is not None)
    hurting = reference.without_constraints.cuts
    hazardous = {c for c in hurting if reference.verdict(c) == "hazardous"}
    resilience(reference, cuts.resilience, hazardous)
    resilience(reference, cuts.resilience_without, hurting)
    engine.clock.left = None
    for cut, mask in list(zip(found, listed, strict=True))[:5]:
        check_trace(problem, reference, mask, cut.trace, cut.verdict)


def sets_by_verdict(reference, order):
    """The minimal sets of each verdict, up to a size."""
    hurting = reference.without_constraints.cuts
    found = {
        "hazardous": {c for c in hurting if reference.verdict(c) == "hazardous"},
        "excluded-unsafe": {
            c for c in hurting if reference.verdict(c) == "excluded-unsafe"
        },
        "excluded-safe": {
            c for c in reference.cuts if reference.verdict(c) == "excluded-safe"
        },
    }
    return {
        verdict: {c for c in sets if order is None or c.bit_count() <= order}
        for verdict, sets in found.items()
    }


def check_stuck(problem, reference):
    """New deadlocks of each maximal deviation, and the goals that it loses."""
    require_solved(reference)
    engine = engine_of(problem)
    found = SafetyEnvelope(CandidateSpace(engine), "maximal", engine.deviations())
    report = found.side_report(most=MOST_LISTED)
    nominal = reference.deadlocks(0)
    expected = {}
    for chosen in reference.maximal:
        new = {q for q, _ in reference.deadlocks(chosen) - nominal}
        if new:
            expected[chosen] = new
    same("looked at", report.looked_at, min(MOST_LISTED, len(reference.maximal)))
    told = {
        reference.mask(s.deviation): {q for q, _ in s.deadlocks}
        for s in report.stuck
        if s.deadlocks
    }
    if report.looked_at == len(reference.maximal):
        same("deadlocks", told, expected)
    else:
        right("deadlocks", all(expected.get(k) == v for k, v in told.items()))
    lost = {s.deviation: s.lost for s in report.stuck}
    check_goals(problem, [(d.new, lost.get(d, ())) for d in found[:WALKED]], report)


def check_goals(problem, told, report):
    """Lost goals against a walk from each state."""
    plan = walk(problem, ())
    goals = progress.default_goals(plan)
    same("goals", {goal.name for goal in report.goals}, {*goals})
    gone = {name for name, does in goals.items() if plan.losing(does)}
    same("lost by the plan", {one.goal.name for one in report.lost_by_plan}, gone)
    for added, lost in told:
        deviated = walk(problem, added)
        want = {n for n in {*goals} - gone if deviated.losing(goals[n])}
        same("lost goals", {one.goal.name for one in lost}, want)
        for one in lost[:2]:
            losing = deviated.losing(goals[one.goal.name])
            (trace,) = one.traces
            least = min(deviated.distance[state] for state in losing)
            same("shortest trace", len(trace.steps), least)
            right("a trace to it", bool(deviated.after(trace.actions) & losing))


def walk(problem, added):
    environment, controller, properties, _ = problem
    changed = environment.to_dict()
    changed["transitions"] = [*changed["transitions"], *map(list, added)]
    machine = [part.to_dict() for part in controller.components]
    guarded = Asked(properties)
    return progress.Walk([changed], machine, (), controller.hidden, guarded)
