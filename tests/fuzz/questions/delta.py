"""Δ itself: by each algorithm, with more states, stopped, the largest first."""

from itertools import islice
from random import Random

from symrob.analyses.candidate_space import CandidateSpace
from symrob.api import analyse
from symrob.api.result import SafetyEnvelope
from symrob.errors import LimitExceeded, NominalViolation
from symrob.options import Options
from symrob.parallel.spread import by_cubes
from tests.fuzz.knobs import turned
from tests.fuzz.questions.common import (
    Difference,
    Skip,
    distinct,
    engine_of,
    files,
    is_maximal,
    masks,
    require_solved,
    right,
    roles_of,
    same,
)
from tests.oracles import definition, replay
from tests.oracles.reference import Reference
from tests.searchers import in_turn

# With more, each twentieth is judged by itself: listing all could take a minute.
MOST_LISTED = 1500


def check_nominal(problem):
    """A problem whose nominal system is unsafe: the run that shows it."""
    environment, controller, properties, constraints = problem
    try:
        analyse(roles_of(problem), Options())
    except NominalViolation as error:
        trace = error.trace
    else:
        raise Difference("the nominal system is unsafe, and nobody says so")
    for constraint in constraints:
        length = definition.violation(environment, (), None, [constraint])
        if length is not None:
            machine, watchers = None, [constraint]
            break
    else:
        length = definition.violation(environment, (), controller, properties)
        machine, watchers = controller, properties
    same("length of the run", len(trace.steps), length)
    right(
        "the run can be made",
        replay.breaks(environment, frozenset(), machine, watchers, trace),
    )


def draw_compute(rng, reference):
    few = len(reference.candidates)
    algorithms = ["maximal"] * 5
    algorithms += ["connected"] * (few <= 9) + ["brute-force"] * (few <= 7)
    # It looks at all subsets of W, which the shapes do not bound.
    algorithms += ["plain"] * (few <= 4)
    return {
        "algorithm": rng.choice(algorithms),
        "backend": rng.choice(("cudd",) * 15 + ("autoref",)),
    }


def check_compute(problem, reference, algorithm="maximal", backend="auto", extra=0):
    # The baselines can take long on what takes the others a moment.
    timeout = None if algorithm == "maximal" else 0.5
    options = Options(
        algorithm=algorithm, backend=backend, extra_states=extra, timeout=timeout
    )
    try:
        found = analyse(roles_of(problem), options)
    except LimitExceeded:
        # On a machine with much else to do, already the nominal check.
        right("a time-out that nobody set", timeout is not None)
        raise Skip from None
    listed = masks(reference, islice(found, MOST_LISTED))
    distinct(listed)
    if found.status == "timeout":
        right("a time-out that nobody set", timeout is not None)
        raise Skip
    if reference.solved and len(listed) < MOST_LISTED:
        same("status", found.status, "complete")
        same("Δ", set(listed), reference.maximal)
    else:
        for chosen in listed[:: max(1, len(listed) // 20)]:
            right("not maximal, or unsafe", is_maximal(reference, chosen))


def draw_extra(rng, reference):
    environment = reference.problem[0]
    if environment.size + 1 > 4 or len(environment.alphabet) > 3:
        raise Skip
    return {"extra": rng.choice((1, 1, 2))}


def check_extra(problem, reference, extra):
    environment, *others = problem
    names = [environment.state_name(q) for q in range(environment.size)]
    larger = type(environment)(
        environment.alphabet,
        environment.size + extra,
        environment.transitions,
        names=[*names, *(f"new{i + 1}" for i in range(extra))],
    )
    check_compute(problem, Reference((larger, *others)), extra=extra)


def draw_limits(rng, reference):
    return {
        "limit": rng.choice((None, 1, 2, 3, rng.randint(1, 40))),
        "interrupt": rng.choice((None, None, 1, rng.randint(1, 20))),
        "ticks": rng.choice((None, rng.randint(1, 30), rng.randint(1, 400))),
        "states": rng.choice((1_000_000, 1_000_000, 1, 10, 100)),
    }


def check_limits(problem, reference, limit, interrupt, ticks, states):
    """Stopped by whatever comes first; then asked again."""
    try:
        engine = engine_of(problem, ticks, max_states=states)
    except LimitExceeded:
        right("a bound that nobody set", states < 1_000_000)
        raise Skip from None

    def progress(count, _seconds):
        if count == interrupt:
            raise KeyboardInterrupt

    found = SafetyEnvelope(
        CandidateSpace(engine),
        "maximal",
        engine.deviations(),
        limit=limit,
        on_progress=progress,
    )
    iterator, first = iter(found), []
    try:
        first += islice(iterator, 5000)
    except KeyboardInterrupt:
        # The caller's own: it does not end the computation.
        first = list(found._found)
    second = list(islice(found, 5000))
    same("what a second iteration begins with", second[: len(first)], first)
    listed = masks(reference, second)
    distinct(listed)
    if not reference.solved:
        return
    right("what is found is in Δ", set(listed) <= reference.maximal)
    size = len(reference.maximal)
    if found.status == "complete":
        same("|Δ|", len(listed), size)
    elif found.status == "limit":
        same("number of deviations", len(listed), min(limit, size))
        right("a limit that was not hit", size > limit)
    else:
        same("status", found.status, "timeout")
        right("a time-out that nobody set", ticks is not None)
    # The same engine, asked anew.
    engine.clock.left = None
    again = masks(reference, engine.deviations())
    distinct(again)
    same("Δ after a stop", set(again), reference.maximal)


def draw_top(rng, reference):
    environment = reference.problem[0]
    rules = []
    for _ in range(rng.randint(0, 4)):
        rule = {"value": rng.choice((1, 2, 3, 10, 1000))}
        if rng.random() < 0.7:
            rule["source"] = rng.randrange(environment.size)
        if rng.random() < 0.7 and environment.alphabet:
            rule["action"] = rng.choice(environment.alphabet)
        if rng.random() < 0.5:
            rule["target"] = rng.randrange(environment.size)
        rules.append(rule)
    return {"top": rng.choice((1, 2, 3, 5, 20, 200)), "rules": rules}


def check_top(problem, reference, top, rules):
    environment = problem[0]
    rules = [r for r in rules if _fits(r, environment)]
    lines = []
    for rule in rules:
        lines.append("[[weight]]")
        lines += [
            f"{k} = {f'{v!r}'.replace(chr(39), chr(34))}" for k, v in rule.items()
        ]
    with files({"weights.toml": "\n".join(lines) + "\n"}) as folder:
        weights = f"{folder}/weights.toml" if rules else None
        found = analyse(roles_of(problem), Options(largest=top, weights=weights))
    require_solved(reference)

    def weight(t):
        fitting = [
            r["value"]
            for r in rules
            if all(
                r.get(key) in (None, value)
                for key, value in zip(("source", "action", "target"), t, strict=True)
            )
        ]
        return fitting[-1] if fitting else 1

    weights = [weight(t) for t in reference.candidates]

    def total(chosen):
        return sum(w for c, w in enumerate(weights) if chosen >> c & 1)

    listed = masks(reference, found)
    distinct(listed)
    right("what is found is in Δ", set(listed) <= reference.maximal)
    expected = sorted(map(total, reference.maximal), reverse=True)[:top]
    same("weights", [*map(total, listed)], expected)
    status = "limit" if len(reference.maximal) > top else "complete"
    same("status", found.status, status)


def _fits(rule, environment):
    return (
        rule.get("action", "") in ("", *environment.alphabet)
        and max(rule.get("source", 0), rule.get("target", 0)) < environment.size
    )


def draw_spread(rng, reference):
    return {
        "searchers": rng.randint(1, 3),
        "sampled": rng.choice((0, 1, 2, 5, 20)),
        "turns": rng.randrange(1000),
    }


def check_spread(problem, reference, searchers, sampled, turns):
    """By cubes, whose searchers take turns and get lost."""
    require_solved(reference)
    engine = engine_of(problem)
    search = in_turn(Random(turns), searchers)
    with turned({"SAMPLED_SETS": sampled}):
        found = masks(reference, by_cubes(engine.safe_sets, searchers, search))
    distinct(found)
    same("Δ by cubes", set(found), reference.maximal)
