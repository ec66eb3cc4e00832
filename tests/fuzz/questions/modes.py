"""Questions in fault modes: Δ, cuts, explanations, K; every set of modes is tried."""

import symrob
from symrob import Transition
from symrob.analyses.explain import explain
from symrob.analyses.fault_mode_space import FaultModeSpace
from symrob.problem import FaultMode
from tests.engines import said
from tests.fuzz.questions.common import right, same
from tests.fuzz.questions.one import check_goals

MOST_MODES = 7


def draw_modes(rng, reference):
    """Modes as lists of numbers of transitions, R_E among them, any of them shared."""
    numbers = range(len(reference.transitions))
    modes = []
    for _ in range(rng.randint(1, MOST_MODES)):
        count = min(len(numbers), rng.choice((0, 1, 1, 2, 3, 5)))
        modes.append(sorted(rng.sample(numbers, count)))
    return {
        "modes": modes,
        "algorithm": rng.choice(("maximal", "maximal", "maximal", "brute-force")),
        "asked": sorted(rng.sample(range(len(modes)), rng.randint(0, len(modes)))),
    }


def check_modes(problem, reference, modes, algorithm, asked):
    modes = [[n for n in held if n < len(reference.transitions)] for held in modes]
    masks = [reference.of(held) & reference.every for held in modes]
    declared = [
        FaultMode(
            f"m{i}",
            frozenset(Transition(*reference.transitions[n]) for n in held),
        )
        for i, held in enumerate(modes)
    ]

    def union(chosen):
        found = 0
        for i, mask in enumerate(masks):
            found |= mask if chosen >> i & 1 else 0
        return found

    every = range(1 << len(modes))
    verdicts = [reference.verdict(union(chosen)) for chosen in every]
    safe = [s for s in every if verdicts[s] == "tolerated"]
    want = {s for s in safe if not any(s != o and s & ~o == 0 for o in safe)}
    envelope = symrob.compute(
        *said(problem), faults=declared, only=True, algorithm=algorithm
    )
    found = [numbered(deviation.modes) for deviation in envelope]
    right("a set twice", len(found) == len(set(found)))
    same("status", envelope.status, "complete")
    same("maximal sets of modes", set(found), want)
    for deviation, chosen in zip(envelope, found, strict=True):
        same("what is added", reference.mask(deviation), union(chosen))
    space = FaultModeSpace([envelope.engine])
    for verdict, chosen in space.alone().by_verdict().items():
        expected = {i for i in range(len(modes)) if verdicts[1 << i] == verdict}
        same(f"{verdict} alone", {int(name[1:]) for name in chosen}, expected)
    bad = {s for s in every if verdicts[s] == "hazardous"}
    minimal = {s for s in bad if not any(s != o and s & o == o for o in bad)}
    cuts = [c for c in envelope.cuts() if c.verdict == "hazardous"]
    same("order of cuts", [len(c) for c in cuts], sorted(len(c) for c in cuts))
    same("minimal hazardous sets", {numbered(c.modes) for c in cuts}, minimal)
    asked = [i for i in asked if i < len(modes)]
    explained = explain(space, frozenset(f"m{i}" for i in asked), deviations=100)
    chosen = sum(1 << i for i in asked)
    same("verdict", explained.verdict, verdicts[chosen])
    told = [(reference.members(union(chosen)), explained.lost_goals)]
    report = envelope.side_report()
    told += [
        (reference.members(masks[int(one.mode[1:])]), one.lost) for one in report.modes
    ]
    check_goals(problem, told, report)
    if explained.tolerated:
        holding = {s for s in want if chosen & ~s == 0}
        same(
            "sets that hold it",
            {numbered(d.modes) for d in explained.deviations},
            holding,
        )
    else:
        part = numbered(explained.cut.modes)
        right("a part of the set", part & ~chosen == 0)
        right("a part that is tolerated", verdicts[part] != "tolerated")


def numbered(names):
    """A set of modes as a mask."""
    return sum(1 << int(name[1:]) for name in names)


def draw_among(rng, reference):
    count = len(reference.candidates)
    return {"among": sorted(rng.sample(range(count), rng.randint(0, count)))}


def check_among(problem, reference, among):
    """Δ over K is what is maximal of the deviations cut down to K."""
    mask = reference.of(n for n in among if n < len(reference.candidates))
    texts = [f"{q},{a},{r}" for q, a, r in sorted(reference.members(mask))]
    if not texts:
        return
    kept = {d & mask for d in reference.maximal}
    want = {s for s in kept if not any(s != o and s & ~o == 0 for o in kept)}
    envelope = symrob.compute(*said(problem), among=texts)
    found = [reference.mask(deviation) for deviation in envelope]
    same("Δ over K", set(found), want)
    right("a set twice", len(found) == len(set(found)))
    engine = envelope.engine
    same("safe alone", reference.mask(engine.safe_sets.alone), reference.alone & mask)
    cuts = [c for c in envelope.cuts() if c.verdict == "hazardous"]
    within = {c for c in reference.cuts if c & ~mask == 0}
    hazardous = {c for c in within if reference.verdict(c) == "hazardous"}
    same("hazardous", {reference.mask(c.transitions) for c in cuts}, hazardous)
