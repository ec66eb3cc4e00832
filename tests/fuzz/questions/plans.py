"""Questions about the plan and the assumptions: what to forbid, what matters."""

import symrob
from symrob.analyses.candidate_space import CandidateSpace
from symrob.analyses.mattering import mattering
from symrob.errors import LimitExceeded
from tests.engines import said
from tests.fuzz.questions.common import Skip, engine_of, right, same
from tests.oracles import definition, forbidden

# All sets of so many transitions are tried, and of so many candidates.
MOST = 9
# Of more, so many answers are looked at.
LOOKED_AT = 6


def draw_assume(rng, _reference):
    return {"by": rng.choice((None, None, "action"))}


def check_assume(problem, _reference, by):
    """Also of an unsafe plan; constraints do not count."""
    environment, controller, properties, _ = problem
    planned = forbidden.planned(environment)
    groups = {f"{t}": {t} for t in planned}
    if by == "action":
        groups = forbidden.by_action(environment)

    def length(some):
        gone = set().union(*(groups[name] for name in some))
        return forbidden.length(environment, controller, properties, gone)

    hopeless = length(groups) is not None
    try:
        _, _, asked, _ = said(problem)
        found = [*symrob.assume(environment, controller, asked, by=by)]
    except symrob.NominalViolation as error:
        right("something helps", hopeless)
        same("length of the trace", len(error.trace.steps), length(groups))
        return
    right("nothing helps", not hopeless)
    answers = [
        frozenset(n for n in groups if groups[n] <= set(map(tuple, a.forbid)))
        for a in found
    ]
    same("answers twice", len(answers), len(set(answers)))
    if len(groups) <= MOST:
        want = forbidden.minimal(groups, lambda some: length(some) is None)
        same("what to forbid", set(answers), want)
    plan = forbidden.Losses(environment, controller, properties)
    for answer, names in [*zip(found, answers, strict=True)][:LOOKED_AT]:
        same("safe without it", length(names), None)
        for needed in answer.needed:
            name = needed.unit if by else f"{tuple(needed.unit)}"
            same("shortest trace", len(needed.trace.steps), length(names - {name}))
        gone = set(map(tuple, answer.forbid))
        left = forbidden.without(environment, gone)
        left = forbidden.Losses(left, controller, properties)
        lost = answer.lost
        same("actions lost", set(lost.actions), plan.actions - left.actions)
        runs = [t and len(t.steps) for t in (lost.run, lost.deadlock)]
        same("runs lost", runs, [plan.shortest_with(gone), left.shortest_end(plan)])


def draw_assumptions(rng, _reference):
    return {"ticks": rng.choice((None, None, None, rng.randint(1, 200)))}


def check_assumptions(problem, reference, ticks):
    """Minimal sufficient sets, by all sets of assumptions and of candidates."""
    environment, _, _, rules = problem
    if not rules or len(reference.candidates) > MOST or len(rules) > 3:
        raise Skip
    try:
        found = mattering(CandidateSpace(engine_of(problem, ticks)))
    except LimitExceeded:
        right("a time-out that nobody set", ticks is not None)
        return
    verdicts = []
    for chosen in range(1 << len(reference.candidates)):
        added = reference.members(chosen)
        broken = {
            number
            for number, rule in enumerate(rules)
            if definition.violation(environment, added, None, [rule]) is not None
        }
        verdicts.append((broken, reference.harm(chosen) is not None))

    def suffices(some):
        return not any(hurt and not broken & some for broken, hurt in verdicts)

    want = forbidden.minimal(range(len(rules)), suffices)
    # A network of monitors is several assumptions.
    names = [one.name for one in found.assumptions]
    if len(names) != len(rules):
        raise Skip
    sets = {frozenset(map(names.index, some)) for some in found.sufficient}
    right("sets that are minimal and suffice", sets <= want)
    if found.status != "complete":
        right("stopped by nobody", ticks is not None)
        return
    same("whether they suffice", found.suffices, bool(want))
    same("what suffices", sets, want)
    for number, one in enumerate(found.assumptions):
        only = [c for c, (broken, _) in enumerate(verdicts) if broken == {number}]
        alone = [c for c in only if c.bit_count() == 1]
        unsafe = sum(verdicts[c][1] for c in alone)
        told = (one.effect, one.alone, one.unsafe)
        same("what it excludes", told, (bool(only), len(alone), unsafe))
