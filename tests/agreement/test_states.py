"""Requirements on states: known answers, and random problems against the definition."""

import json
import re
from collections import Counter
from hashlib import sha256
from pathlib import Path
from random import Random

import pytest

import symrob
from symrob.api.certificates.answers import write_certificate
from symrob.api.functions import models_in_roles
from symrob.api.stages import analyse
from symrob.certify.format import RECORDS, encoded
from symrob.errors import NominalViolation
from symrob.lts import Lts
from symrob.options import Options
from tests.certificates.tools import verdict
from tests.cli.tools import run
from tests.fuzz.cases import cases, failure
from tests.fuzz.questions import Skip
from tests.oracles import states
from tests.states import Asked
from tests.strength import examples

REFERENCE = Path(__file__).parents[1] / "data" / "states.jsonl"
KINDS = {"never-while": "never {} while ", "only-while": "{} only while "}
KINDS |= {"enabled-only-while": "{} enabled only while ", "never": "never "}


def sentence(required):
    """A requirement of the known answers in words."""
    sides = (("E", "environment"), ("C", "controller"))
    ways = [
        " and ".join(
            f"{side} is {' or '.join(map(str, way[key]))}"
            for side, key in sides
            if key in way
        )
        for way in required["when"]
    ]
    return KINDS[required["kind"]].format(required.get("action")) + " or ".join(ways)


def models(row):
    """E, C, properties and constraints of a known answer."""

    def rules(models, required):
        return [*map(Lts.from_dict, row[models]), *map(sentence, row[required])]

    return (
        Lts.from_dict(row["environment"]),
        Lts.from_dict(row["controller"]),
        rules("properties", "requirements"),
        rules("env_constraints", "env_requirements"),
    )


def known():
    """The known answers."""
    return [json.loads(line) for line in REFERENCE.read_text().splitlines()]


def new_of(envelope):
    """What each deviation adds, sorted."""
    return sorted(sorted(map(list, deviation.new)) for deviation in envelope)


def test_known_answers():
    for row in known():
        if row["delta_new"] is None:
            with pytest.raises(NominalViolation):
                symrob.compute(*models(row))
            continue
        found = new_of(symrob.compute(*models(row)))
        assert found == sorted(map(sorted, row["delta_new"])), row["id"]


def added_by(asked, deviation):
    """The units that a maximal set adds."""
    return frozenset(deviation.modes if asked.composed else map(tuple, deviation.new))


def check_one(seed, several):
    """Δ by each algorithm, verdicts, shortest traces, minimal sets; its size."""
    rng = Random(seed)
    asked = Asked(
        rng,
        composed=rng.random() < 0.35,
        odd=rng.random() < 0.4,
        several=several,
    )
    units = asked.units()
    if len(units) > 7:
        return None
    assumed, loop = asked.loops()
    lengths = assumed.distance(), loop.distance()
    if lengths != (None, None):
        with pytest.raises(NominalViolation) as error:
            asked.compute()
        if lengths[0] is None:
            assert len(error.value.trace.steps) == lengths[1], seed
        return None
    judged = states.judged(assumed, loop, units, units)
    best = states.maximal(s for s, kept in judged.items() if all(kept))
    for algorithm in ("maximal", "brute-force", *["connected"] * (not asked.composed)):
        found = {added_by(asked, d) for d in asked.compute(algorithm=algorithm)}
        assert found == best, (seed, algorithm)
    envelope = asked.compute()
    hazardous = {s for s, kept in judged.items() if kept == (True, False)}
    found = {
        frozenset(cut.units) for cut in envelope.cuts() if cut.verdict == "hazardous"
    }
    assert {frozenset(map(unit_of, cut)) for cut in found} == minimal_within(judged)
    for chosen in rng.sample(sorted(judged, key=sorted), min(6, len(judged))):
        space = envelope.space
        members = frozenset(chosen)
        added = {t for unit in chosen for t in units[unit]}
        kept = judged[chosen]
        if chosen:
            assert space.verdict(members) == said(*kept), seed
        if not kept[1]:
            trace = space.property_trace(members)
            assert len(trace.steps) == loop.distance(added), seed
            assert trace.violated, seed
    return len(best), len(hazardous)


def unit_of(unit):
    return unit if isinstance(unit, str) else tuple(unit)


def minimal_within(judged):
    """The minimal hazardous sets: unsafe for P, and P_env is kept."""
    return states.minimal({s for s, kept in judged.items() if kept == (True, False)})


def said(assumed, safe):
    """A verdict in its word."""
    words = {(True, True): "tolerated", (True, False): "hazardous"}
    words |= {(False, True): "excluded-safe", (False, False): "excluded-unsafe"}
    return words[assumed, safe]


def test_random_problems():
    found = [check_one(seed, several=False) for seed in range(examples(150, 1_500))]
    sizes = [each for each in found if each is not None]
    assert len(sizes) > 20
    assert sum(bool(hazards) for _, hazards in sizes) > 10


def test_several_initial_states():
    found = [
        check_one(seed, several=True)
        for seed in range(1000, 1000 + examples(150, 1_500))
    ]
    sizes = [each for each in found if each is not None]
    assert len(sizes) > 20


def check_budget(seed, path):
    """Δ, verdicts and traces where a run may deviate only so often, certified."""
    rng = Random(seed)
    composed = rng.random() < 0.35
    asked = Asked(rng, composed=composed, odd=True, several=rng.random() < 0.4)
    units = asked.units()
    if len(units) > 7:
        return None
    assumed, loop = asked.loops()
    if (assumed.distance(), loop.distance()) != (None, None):
        return None
    run, bounds, faults = rng.choice((0, 1, 1, 2)), {}, {}
    if not composed and rng.random() < 0.5:
        run = rng.choice((None, None, 1, 2))
        most = {unit: rng.choice((None, 0, 1, 1, 2)) for unit in units}
        bounds = {(0, *unit): n for unit, n in most.items() if n is not None}
        modes = [
            symrob.FaultMode(str(u), frozenset({symrob.Transition(*u)}), at_most=n)
            for u, n in most.items()
        ]
        units = {str(unit): brought for unit, brought in units.items()}
        faults = {"faults": modes, "only": True}
    several = [states.BudgetedLoop(each, run, bounds) for each in (assumed, loop)]
    judged = states.judged(*several, units, units)
    best = states.maximal(s for s, kept in judged.items() if all(kept))
    options = {**({"by": "component"} if composed else {}), **faults}
    roles = models_in_roles(*asked.models(), **options, at_most=run)
    envelope = analyse(roles, Options())
    write_certificate(str(path), roles, envelope)
    assert verdict(path) == "right", seed
    named = composed or faults
    found = {frozenset(d.modes if named else map(tuple, d.new)) for d in envelope}
    assert found == best, (seed, run, bounds)
    cuts = [c for c in envelope.cuts() if c.verdict == "hazardous"]
    assert {frozenset(map(unit_of, c.units)) for c in cuts} == minimal_within(judged)
    for chosen in rng.sample(sorted(judged, key=sorted), min(6, len(judged))):
        members = frozenset(chosen)
        added = {t for unit in chosen for t in units[unit]}
        kept = judged[chosen]
        if chosen:
            assert envelope.space.verdict(members) == said(*kept), seed
        if not kept[1]:
            trace = envelope.space.property_trace(members)
            assert len(trace.steps) == several[1].distance(added), seed
            assert trace.violated, seed
            assert all(len(s.components) == len(asked.c) for s in trace.steps), seed
    assert "\ufdd0" not in str(envelope.summary()) + str(envelope) + path.read_text()
    return len(best), bool(cuts)


def test_with_budgets(tmp_path):
    found = [
        check_budget(seed, tmp_path / "c")
        for seed in range(2000, 2000 + examples(120, 1_200))
    ]
    sizes = [each for each in found if each is not None]
    assert len(sizes) > 20
    assert sum(hazards for _, hazards in sizes) > 8


def test_certificates(tmp_path):
    """Written and checked by the command line; a forged one holds if it is right."""
    checked = refused = 0
    for seed in range(examples(40, 600)):
        rng = Random(seed)
        asked = Asked(rng, composed=seed % 3 == 0, odd=True, several=seed % 2 == 0)
        units = asked.units()
        if len(units) > 7:
            continue
        assumed, loop = asked.loops()
        if assumed.distance() is not None or loop.distance() is not None:
            continue
        case, path = asked.write(tmp_path), tmp_path / "certificate"
        by = ("--by", "component") if asked.composed else ()
        assert run("compute", case, *by, "--certificate", path).code == 0, seed
        done = run("verify", path, case, *by)
        assert done.code == 0, (seed, done)
        assert "5. the models are those of the case" in done.out
        checked += 1
        kind, actions, condition = asked.required[0]
        asked.required[0] = kind, actions, ("not", condition)
        forge(path, asked.said[0][0])
        refused += check_forged(path, asked, units, done)
    assert checked > 8
    assert 3 < refused < checked


def forge(path, name):
    """Negate the condition of the first requirement of C in a certificate."""
    rows = [json.loads(line) for line in path.read_text().splitlines()[:-1]]
    row = next(r["property"] for r in rows if "when" in r.get("property", ()))
    row["when"].append(["not", 0, []])
    row["name"] = name
    path.write_bytes(b"".join(renewed(rows)))


def renewed(rows):
    """The lines of records, with a new trailer."""
    lines = [*map(encoded, rows)]
    counts = Counter(next(iter(row)) for row in rows)
    digest = sha256(b"".join(lines)).hexdigest()
    end = {**dict.fromkeys(RECORDS, 0), **counts, "sha256": digest}
    return [*lines, encoded({"end": end})]


def check_forged(path, asked, units, before):
    """Whether a forged certificate is refused; it is, unless its claim is right."""
    assumed, loop = asked.loops()
    safe = assumed.distance() is None and loop.distance() is None
    judged = states.judged(assumed, loop, units, units) if safe else {}
    best = states.maximal(s for s, kept in judged.items() if all(kept))
    done = run("verify", path)
    number = int(re.search(r"safe deviations: (\d+)", before.out)[1])
    if done.code == 0:
        assert safe
        assert len(best) == number
        return False
    assert done.code == 4, done
    return True


def test_every_question():
    """What the fuzzer asks, for problems with requirements on states."""
    count = 0
    for seed in range(25):
        for case, problem, reference in cases(seed, kinds=["stated"]):
            try:
                wrong = failure(case, problem, reference)
            except Skip:
                continue
            assert wrong is None, (case["question"], seed, wrong)
            count += 1
    assert count > 15
