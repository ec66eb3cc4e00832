"""Questions about several designs: compare, rank, gate."""

from dataclasses import replace

from symrob.analyses.candidate_space import CandidateSpace
from symrob.api import analyse
from symrob.lts import Transition
from symrob.options import Options
from tests.fuzz import problems
from tests.fuzz.questions.common import (
    Skip,
    check_trace,
    distinct,
    draw_stopped,
    engine_of,
    files,
    masks,
    require_solved,
    right,
    roles_of,
    same,
    some_transitions,
)
from tests.oracles import definition, replay
from tests.oracles.reference import Reference


def draw_compare(rng, reference):
    other = problems.varied(rng, reference.problem)
    return {
        **draw_stopped(rng, reference),
        "others": [problems.to_dict(other)],
        "back": rng.random() < 0.5,
    }


def others_of(problem, others):
    """The other designs, in the environment of the problem."""
    found = []
    for data in others:
        other = (problem[0], *problems.from_dict(data)[1:])
        reference = Reference(other)
        if reference.undefined or not reference.solved:
            raise Skip
        found.append((other, reference))
    return found


def check_compare(problem, reference, ticks, others, back):
    from symrob.analyses.compare import compare, surplus_sets

    require_solved(reference)
    ((other, of_other),) = others_of(problem, others)
    sides = [(problem, reference), (other, of_other)]
    if back:
        sides.reverse()
    spaces = [CandidateSpace(engine_of(side)) for side, _ in sides]
    spaces[0].clock.left = ticks
    found = compare(*spaces)
    spaces[0].clock.left = None
    complete = found.status == "complete"
    right("stopped by nobody", complete or ticks is not None)
    for which, surplus in enumerate((found.first, found.second)):
        (_, keeper), (broken, breaker) = sides[which], sides[1 - which]
        witnesses = [c for c in breaker.cuts if keeper.is_safe(c)]
        if surplus.exists is None:
            right("unknown", not complete)
        else:
            same("tolerates more", surplus.exists, bool(witnesses))
        if complete or surplus.alone:
            alone = keeper.alone & ~breaker.alone
            same("alone", keeper.mask(surplus.alone), alone)
        if surplus.exists:
            added = keeper.mask(surplus.witness.units)
            right("the witness is tolerated", keeper.is_safe(added))
            right("the witness breaks the other", not breaker.is_safe(added))
            if complete:
                right("smallest", surplus.witness.smallest)
            if surplus.witness.smallest:
                smallest = min(c.bit_count() for c in witnesses)
                same("size of the witness", added.bit_count(), smallest)
            check_trace(broken, breaker, added, surplus.witness.trace)
    if complete:
        same(
            "tolerated",
            found.tolerated_by_both,
            (reference.alone & of_other.alone).bit_count(),
        )
        keeper, breaker = sides[0][1], sides[1][1]
        only = masks(keeper, surplus_sets(*spaces, found.first))
        distinct(only)
        expected = {d for d in keeper.maximal if not breaker.is_safe(d)}
        same("deviations of the first side only", set(only), expected)


def draw_rank(rng, reference):
    others = [problems.to_dict(problems.varied(rng, reference.problem)) for _ in "ab"]
    return {"others": others}


def check_rank(problem, reference, others):
    from symrob.analyses.ranking import rank

    require_solved(reference)
    sides = [(problem, reference), *others_of(problem, others)]
    found = rank([CandidateSpace(engine_of(side)) for side, _ in sides])
    same("status", found.status, "complete")
    references = [r for _, r in sides]
    at_least = tuple(
        tuple(all(upper.is_safe(d) for d in lower.maximal) for lower in references)
        for upper in references
    )
    same("the order", found.at_least, at_least)
    places = range(len(sides))
    classes = {
        tuple(j for j in places if at_least[i][j] and at_least[j][i]) for i in places
    }
    same("classes", set(found.classes), classes)

    def above(one, other):
        i, j = one[0], other[0]
        return at_least[i][j] and not at_least[j][i]

    steps = {
        (one, other)
        for one in classes
        for other in classes
        if above(one, other)
        and not any(above(one, k) and above(k, other) for k in classes)
    }
    same(
        "steps",
        {(found.classes[s.upper], found.classes[s.lower]) for s in found.steps},
        steps,
    )
    for step in found.steps:
        keeper = references[found.classes[step.upper][0]]
        breaker = references[found.classes[step.lower][0]]
        smallest = min(c.bit_count() for c in breaker.cuts if keeper.is_safe(c))
        same("what a step adds", len(step.added), smallest)
        right(
            "a step that the upper tolerates", keeper.is_safe(keeper.mask(step.added))
        )


def draw_gate(rng, reference):
    other = problems.varied(rng, reference.problem)
    return {
        "rules": [
            {
                "rule": rng.choice(("tolerates", "forbids")),
                "transitions": some_transitions(rng, reference),
                "added": rng.choice(("each", "together")),
            }
            for _ in range(3)
        ],
        "least": rng.randint(1, 4),
        "others": [problems.to_dict(other)],
    }


def check_gate(problem, reference, rules, least, others):
    from symrob.gate.judge import ask, judge
    from symrob.gate.resilience import ResilienceRule
    from symrob.gate.robust import AsRobustAs
    from symrob.gate.rule import Policy
    from symrob.gate.units import Forbids, Tolerates
    from symrob.report.json import dumps
    from symrob.report.result import result_dict

    require_solved(reference)
    asked, expected = [], []
    for rule in rules:
        wanted = [Transition(*t) for t in rule["transitions"]]
        if not wanted:
            continue
        texts = tuple(",".join(map(str, t)) for t in wanted)
        # Whether a rule can matter is not what is asked here.
        if rule["rule"] == "tolerates":
            asked.append(Tolerates("r", texts, rule["added"], vacuous=True))
        else:
            asked.append(Forbids("r", texts, rule["added"]))
        verdicts = [reference.is_safe(reference.mask([t])) for t in wanted]
        if rule["added"] == "together":
            verdicts = [reference.is_safe(reference.mask(wanted))]
        holds = all(verdicts) if rule["rule"] == "tolerates" else not any(verdicts)
        expected.append(holds)
    asked.append(ResilienceRule("resilience", least, vacuous=True))
    environment, _controller, _properties, constraints = problem
    hazardous = [
        cut.bit_count()
        for cut in reference.cuts
        if definition.violation(environment, reference.members(cut), None, constraints)
        is None
    ]
    expected.append(min(hazardous, default=least) >= least)
    ((other, of_other),) = others_of(problem, others)
    inside = all(reference.is_safe(d) for d in of_other.maximal)
    asked += [
        AsRobustAs("c", controller="other", vacuous=True),
        AsRobustAs("b", baseline="b.json", vacuous=True),
    ]
    expected += [inside, inside]
    baseline = dumps(result_dict(analyse(roles_of(other), Options()), "other"))
    with files({"b.json": baseline}) as folder:
        asked[-1] = replace(asked[-1], baseline=f"{folder}/b.json")
        policy = Policy("p.toml", "gate", None, tuple(asked))
        space = CandidateSpace(engine_of(problem))
        rules = ask(policy, space, {len(asked) - 2: CandidateSpace(engine_of(other))})
        verdicts = [*judge(rules, space)]
    answers = {True: "holds", False: "fails"}
    same("verdicts", [v.answer for v in verdicts], [answers[e] for e in expected])
    for verdict in verdicts:
        if verdict.trace is not None:
            added = reference.mask(verdict.units)
            if isinstance(verdict.rule, Tolerates) and verdict.rule.added == "each":
                added = reference.mask(verdict.units[:1])
            check_break(problem, reference.members(added), verdict.trace)
        if verdict.together is not None:
            right(
                "a maximal one", reference.mask(verdict.together) in reference.maximal
            )


def check_break(problem, added, trace):
    """A run that can be made, and a shortest that breaks properties or constraints."""
    environment, controller, properties, constraints = problem
    for machine, watchers in ((controller, properties), (None, constraints)):
        length = definition.violation(environment, added, machine, watchers)
        broken = replay.breaks(environment, added, machine, watchers, trace)
        if broken and length == len(trace.steps):
            return
    right("a shortest run, and one that can be made", False)
