"""Certificates: of complete answers, that hold; changed, that do not or are true."""

from dataclasses import replace
from pathlib import Path
from random import Random

from symrob.analyses.candidate_space import CandidateSpace
from symrob.lts import Transition
from tests.certificates.tools import certify
from tests.fuzz.questions import designs, modes
from tests.fuzz.questions.claims import Known, check_file
from tests.fuzz.questions.common import (
    Skip,
    engine_of,
    files,
    require_solved,
    right,
    roles_of,
    same,
)

# More deviations, or sets that break something, take long.
MOST_CERTIFIED = 100


def draw_seed(rng, _reference):
    return {"seed": rng.randrange(10**6)}


def sides_of(*references):
    """What is known of sides, each with and then without its constraints."""
    for reference in references:
        require_solved(reference)
        for each in (reference, reference.without_constraints):
            require_solved(each)
            if len(each.maximal) > MOST_CERTIFIED or len(each.cuts) > MOST_CERTIFIED:
                raise Skip
            yield Known.of(each)


def numbers_of(reference):
    """The numbers of the candidates, in their order."""
    environment = reference.problem[0]
    width, size = len(environment.alphabet), environment.size
    return [
        (q * width + environment.alphabet.index(a)) * size + r
        for q, a, r in reference.candidates
    ]


def kinds(found):
    return [group[0]["claim"] for group in found]


def check_certificate(problem, reference, seed):
    """Of Δ, and of all minimal hazardous sets with some of the excluded unsafe ones."""
    from symrob.analyses.cuts import Cuts
    from symrob.api.certificates.answers import write_cuts_certificate

    numbers, rng = numbers_of(reference), Random(seed)
    within, without = sides_of(reference)
    with files({}) as folder:
        path = str(Path(folder, "certificate"))
        certify(problem, path)
        same("Δ", kinds(check_file(path, [within], numbers, rng)), ["all-deviations"])
        engine, kept = engine_of(problem), []
        found = [*Cuts(CandidateSpace(engine), kept=kept)]
        same("kept", kept, found)
        write_cuts_certificate(path, roles_of(problem), engine, kept, "", ())
        sides = [within, without][: 1 + bool(engine.constraints)]
        expected = ["all-unsafe-sets"]
        expected += ["unsafe-sets"] * any(c.verdict == "excluded-unsafe" for c in found)
        same("cuts", kinds(check_file(path, sides, numbers, rng)), expected)


def draw_comparison(rng, reference):
    return {**designs.draw_compare(rng, reference), **draw_seed(rng, reference)}


def check_comparison(problem, reference, others, seed, **_asked):
    """Which of two tolerates more, in both directions."""
    from symrob.api.certificates.answers import write_comparison_certificate

    ((other, of_other),) = designs.others_of(problem, others)
    one, _, two, _ = sides_of(reference, of_other)
    at_least = {(0, 1): one.includes(two), (1, 0): two.includes(one)}
    sides = {n: (roles_of(p), engine_of(p)) for n, p in (("a", problem), ("b", other))}
    with files({}) as folder:
        path = str(Path(folder, "certificate"))
        write_comparison_certificate(path, sides, at_least, {})
        found = check_file(path, [one, two], numbers_of(reference), Random(seed))
        expected = ["includes" if holds else "exceeds" for holds in at_least.values()]
        same("claims", kinds(found), expected)


def draw_rules(rng, reference):
    return {**designs.draw_gate(rng, reference), **draw_seed(rng, reference)}


def check_rules(problem, reference, rules, least, others, seed):
    """What the rules of a gate rest on, with and without the constraints."""
    from symrob.gate.certificate import write_gate_certificate
    from symrob.gate.judge import ask, judge
    from symrob.gate.resilience import ResilienceRule
    from symrob.gate.robust import AsRobustAs
    from symrob.gate.rule import Policy
    from symrob.gate.units import Forbids, Tolerates

    asked = []
    for rule in rules:
        texts = tuple(",".join(map(str, t)) for t in rule["transitions"])
        if texts:
            kind = Tolerates if rule["rule"] == "tolerates" else Forbids
            asked.append(kind(rule["rule"], texts, rule["added"]))
    asked += [ResilienceRule("r", least), AsRobustAs("c", controller="other")]
    asked += [replace(rule, without_constraints=True) for rule in asked]
    ((other, of_other),) = designs.others_of(problem, others)
    within, without, theirs, theirs_without = sides_of(reference, of_other)
    used = [i for i, rule in enumerate(asked) if isinstance(rule, AsRobustAs)]
    engine, of_the_other = engine_of(problem), engine_of(other)
    its = ask(
        Policy("p.toml", "gate", None, tuple(asked)),
        CandidateSpace(engine),
        dict.fromkeys(used, CandidateSpace(of_the_other)),
    )
    verdicts = [*judge(its, CandidateSpace(engine))]
    known = {"e": within, "o": theirs}
    # In the order in which the rules name them.
    places = ["e", *(["o"] if used else [])]
    half = len(asked) // 2
    if engine.constraints:
        known |= {"e'": without}
        places.append("e'")
    places.append("o'" if of_the_other.constraints else "o")
    known |= {"o'": theirs_without}
    # Each rule about another controller has a side of its own.
    sides = [known[p] for p in places]
    with files({}) as folder:
        path = str(Path(folder, "certificate"))
        others = dict.fromkeys(used, roles_of(other))
        write_gate_certificate(path, its, verdicts, roles_of(problem), engine, others)
        found = check_file(path, sides, numbers_of(reference), Random(seed))
    titles = [group[0]["title"] for group in found]
    for rule in asked[:half]:
        right("each rule has a claim", rule.name in titles)


def check_mode_certificates(problem, reference, modes, **_asked):
    """Of Δ and of all hazardous sets of fault modes."""
    from symrob.analyses.cuts import Cuts
    from symrob.api import analyse
    from symrob.api.certificates.answers import (
        write_certificate,
        write_cuts_certificate,
    )
    from symrob.case.faults import Faults
    from symrob.options import Options
    from symrob.problem import FaultMode

    held = [[n for n in mode if n < len(reference.transitions)] for mode in modes]
    masks = [reference.of(mode) & reference.every for mode in held]
    declared = tuple(
        FaultMode(
            f"m{i}", frozenset(Transition(*reference.transitions[n]) for n in mode)
        )
        for i, mode in enumerate(held)
    )

    def judged(chosen):
        union = 0
        for i, mask in enumerate(masks):
            union |= mask if chosen >> i & 1 else 0
        verdict = reference.verdict(union)
        return (
            verdict in ("tolerated", "hazardous"),
            verdict in ("tolerated", "excluded-safe"),
        )

    within = Known.of_all(len(masks), judged)
    without = Known.of_all(len(masks), lambda chosen: (True, judged(chosen)[1]))
    roles = replace(roles_of(problem), faults=Faults(modes=declared, only=True))
    numbers, rng = range(len(masks)), Random(len(masks))
    with files({}) as folder:
        path = str(Path(folder, "certificate"))
        envelope = analyse(roles, Options())
        write_certificate(path, roles, envelope)
        found = kinds(check_file(path, [within], numbers, rng))
        same("Δ", found, ["all-deviations"])
        engine, kept = envelope.engine, []
        found = [*Cuts(envelope.space, kept=kept)]
        write_cuts_certificate(path, roles, engine, kept, "", ())
        sides = [within, without][: 1 + bool(engine.constraints)]
        found = kinds(check_file(path, sides, numbers, rng))
        same("cuts", found[0], "all-unsafe-sets")


draw_mode_certificates = modes.draw_modes
