"""Comparisons, gates, fault modes: claims that hold and are true, and forged ones."""

import copy
import re
import shutil
from random import Random

import pytest

from symrob.analyses.cuts import Cuts
from symrob.analyses.fault_mode_space import space_of
from symrob.api import Roles, analyse
from symrob.api.certificates.answers import write_certificate, write_cuts_certificate
from symrob.case.faults import Faults
from symrob.lts import Lts
from symrob.options import Options
from symrob.problem import Role
from tests import composed
from tests.certificates.tools import MODELS, claims, records, verdict, write
from tests.cli.tools import run
from tests.fuzz import problems
from tests.fuzz.questions import QUESTIONS, Skip, check
from tests.fuzz.questions.claims import Known, check_file
from tests.oracles import modes as oracle
from tests.oracles.reference import Reference

ABP = MODELS / "abp" / "abp.toml"
THERAC25, THERAC20 = (
    MODELS / "therac25" / f"{n}.toml" for n in ("therac25", "therac20")
)


@pytest.mark.parametrize("name", [name for name in QUESTIONS if "certif" in name])
def test_random_problems(name):
    """Against all sets; changed at random, what is accepted is true as well."""
    asked = 0
    for seed in range(14):
        rng = Random(seed)
        problem = rng.choice((problems.small, problems.many, problems.wild))(rng)
        reference = Reference(problem)
        if reference.undefined:
            continue
        try:
            question = QUESTIONS[name][1](rng, reference)
            check(name, problem, reference, question)
        except Skip:
            continue
        asked += 1
    assert asked > 4


def test_modes_of_components(tmp_path):
    """E is composed anew by the checker, and by the oracle, which tries all sets."""
    path, hidden, several = str(tmp_path / "certificate"), 0, 0
    for seed in range(25):
        rng = Random(seed)
        problem = composed.random_composed(rng)
        modes = problem and composed.random_modes(rng, problem, most=5)
        if not modes or not any(modes.values()):
            continue
        names = sorted(modes)

        def judged(chosen, problem=problem, modes=modes, names=names):
            held = [n for i, n in enumerate(names) if chosen >> i & 1]
            return oracle.verdict(problem, modes, held)

        faults = tuple(composed.fault_modes(modes))
        roles = Roles(
            Role(composed.network(problem), "E"),
            Role(Lts.from_dict(problem["controller"]), "C"),
            tuple(Role(Lts.from_dict(p), "P") for p in problem["properties"]),
            tuple(Role(Lts.from_dict(p), "R") for p in problem["env_constraints"]),
            faults=Faults(modes=faults, only=True),
        )
        envelope = analyse(roles, Options())
        write_certificate(path, roles, envelope)
        within = Known.of_all(len(names), judged)
        check_file(path, [within], range(len(names)), rng)
        assert claims(path)
        kept, engine = [], envelope.engine
        assert list(Cuts(space_of(engine), kept=kept)) == kept
        write_cuts_certificate(path, roles, engine, kept, "", ())
        without = Known.of_all(len(names), lambda s, j=judged: (True, j(s)[1]))
        sides = [within, without][: 1 + bool(engine.constraints)]
        check_file(path, sides, range(len(names)), rng)
        hidden += bool(problem["hidden"])
        several += any(len(s) > 1 for s in map(list, modes.values()))
    assert hidden > 1
    assert several > 5


GATE = """
case = "therac25_fix.toml"
resilience = 2

[[tolerates]]
transitions = ["MODE_CHOSEN,up,NO_MODE"]

[[forbids]]
transitions = ["TREATED,b,*"]

[[as_robust_as]]
controller = "machines.lts#THERAC20"

[[as_robust_as]]
baseline = "BASELINE"
"""


@pytest.fixture(scope="module")
def gate(tmp_path_factory):
    """The certificate of a gate, and its policy."""
    folder = tmp_path_factory.mktemp("gate")
    baseline, path = folder / "baseline.json", folder / "certificate"
    baseline.write_text(run("compute", THERAC25, "--format", "json").out)
    policy = folder / "gate.toml"
    case = THERAC25.with_name("therac25_fix.toml")
    text = GATE.replace('case = "therac25_fix.toml"', f'case = "{case}"')
    text = text.replace("machines.lts", str(case.with_name("machines.lts")))
    policy.write_text(text.replace("BASELINE", str(baseline)))
    done = run("gate", policy, "--allow-outside", "--certificate", path)
    assert done.code == 0, done.err
    return path


def test_gate(gate):
    expected = ["resilient", "tolerates", "excludes", "includes", "tolerates"]
    assert claims(gate) == expected
    fix = THERAC25.with_name("therac25_fix.toml")
    done = run("verify", gate, fix, THERAC20)
    assert done.code == 0
    assert f"side 2 is {THERAC20} (Therac-20: " in done.out
    assert run("verify", gate, fix).code == 4


def test_gate_in_modes(tmp_path):
    """A rule about transitions of E is none about the modes of the same numbers."""
    path, policy = tmp_path / "c", tmp_path / "gate.toml"
    text = f'case = "{ABP}"\n[[tolerates]]\nmodes = ["acks.loss"]\n'
    text += '[[forbids]]\nname = "a step"\ntransitions = ["0,acks.get.0,0"]\n'
    policy.write_text(text)
    done = run("gate", policy, "--allow-outside", "--certificate", path)
    assert "not confirmed: a step (the rule names transitions" in done.err
    assert claims(path) == ["tolerates"]
    assert verdict(path) == "right"


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    path = tmp_path_factory.mktemp("compared") / "certificate"
    done = run("compare", THERAC25, THERAC20, "--certificate", path)
    assert done.code == 0
    assert "certificate written" in done.err
    return path


def test_comparison(compared):
    assert sorted(claims(compared)) == ["exceeds", "includes"]
    done = run("verify", compared, THERAC25, THERAC20)
    assert done.code == 0
    assert done.out.endswith("side 2 is strictly more robust than side 1\n")
    done = run("verify", compared, THERAC20, THERAC25)
    assert f"side 1 is {THERAC25} (Therac-25 with the bug)" in done.out
    assert run("verify", compared, ABP).code == 4


def test_each_case_that_is_given_is_a_side(compared, tmp_path):
    """Else a verdict about one case twice would pass for one about two."""
    rows = records(compared)
    place = [i for i, row in enumerate(rows) if "controller" in row]
    rows[place[1]] = rows[place[0]]
    kept = next(i for i, row in enumerate(rows) if "claim" in row)
    head = {"claim": "includes", "sides": [0, 1], "title": "", "most": 0}
    other = {**head, "sides": [1, 0]}
    certificate = tmp_path / "one"
    assert run("compute", THERAC25, "--certificate", certificate).code == 0
    shown = {"deviation", "unsafe", "add"}
    proof = [row for row in records(certificate) if shown & {*row}]
    write([*rows[:kept], head, *proof, other, *proof], tmp_path / "c")
    done = run("verify", tmp_path / "c")
    assert done.code == 0
    assert "side 1 and side 2 are equally robust" in done.out
    done = run("verify", tmp_path / "c", THERAC25, THERAC20)
    assert done.code == 4
    assert f"no side of the certificate is {THERAC20}" in done.out
    assert run("verify", certificate, THERAC25, THERAC20).code == 4


def test_cases_of_one_title(tmp_path):
    """Sides are told by their files, whatever the order of the cases."""
    folder = shutil.copytree(THERAC25.parent, tmp_path / "models")
    one, two = folder / THERAC25.name, folder / THERAC20.name
    for case in (one, two):
        text = re.sub(r"(?m)^title.*$", 'title = "One"', case.read_text())
        case.write_text(text)
    path = tmp_path / "c"
    assert run("compare", one, two, "--certificate", path).code == 0
    for cases in (one, two), (two, one):
        done = run("verify", path, *cases)
        assert done.code == 0
        assert f"side 1 is {one} (One)\n   side 2 is {two} (One)\n" in done.out
        assert done.out.endswith("side 2 is strictly more robust than side 1\n")


def test_comparison_in_modes(tmp_path):
    """Two protocols with the modes of one; only one forgives all."""
    path, other = tmp_path / "c", ABP.with_name("stop_and_wait.toml")
    by = ("--by", "component")
    assert run("compare", ABP, other, *by, "--certificate", path).code == 0
    assert run("verify", path, ABP, other, *by).code == 0
    assert set(claims(path)) <= {"includes", "exceeds"}


def test_what_was_not_decided_is_not_claimed(tmp_path):
    path = tmp_path / "c"
    bound = ("--bound", "max-states=60", "--certificate", path)
    done = run("compare", THERAC25, THERAC20, *bound)
    assert done.code == 3
    assert "incomplete: " in done.err
    assert not path.exists() or "includes" not in claims(path)
    done = run("cuts", THERAC25, "--order", "1", "--certificate", path)
    assert done.code == 0
    assert claims(path) == ["unsafe-sets", "unsafe-sets"]


def test_resilience(tmp_path):
    path, case = tmp_path / "c", MODELS / "token_ring" / "token_ring.toml"
    asked = ("--resilience", "--certificate", path)
    assert run("cuts", case, *asked).code == 0
    assert "unsafe-sets" in claims(path)
    assert run("verify", path, case).code == 0
    fix = THERAC25.with_name("therac25_fix.toml")
    assert run("cuts", fix, *asked).code == 0
    assert "resilient" in claims(path)
    assert verdict(path) == "right"


def test_what_only_breaks_a_constraint_is_no_hazard(tmp_path):
    """Not beside a side that has no constraints to keep, either."""
    path = tmp_path / "c"
    assert run("cuts", THERAC25, "--certificate", path).code == 0
    rows = records(path)
    models = rows[: next(i for i, row in enumerate(rows) if "claim" in row)]
    # The second side is the first without its constraint, which these break.
    rule_broken = [row for row in rows if row.get("breaks") == 0 and len(row["run"])]
    rule_broken = rule_broken[:5]
    claim = {"claim": "unsafe-sets", "sides": [1, 0], "title": "", "most": 0}
    write([*models, claim, *rule_broken], path)
    done = run("verify", path, THERAC25)
    assert done.code == 0
    assert "2. unsafe sets: 5;" in done.out
    assert "\n   hazardous (violate no assumption): 0\n" in done.out


def head(rows, kind):
    return next(row for row in rows if row.get("claim") == kind)


def after(rows, kind, key):
    """The records of a kind that belong to a claim."""
    place = rows.index(head(rows, kind))
    end = next(
        (i for i in range(place + 1, len(rows)) if "claim" in rows[i]), len(rows)
    )
    return [row for row in rows[place:end] if key in row]


def turned(rows, kind):
    head(rows, kind)["sides"].reverse()


def without(rows, kind, key):
    gone = after(rows, kind, key)
    rows[:] = [row for row in rows if not any(row is each for each in gone)]


def more(rows, kind):
    head(rows, kind)["most"] += 1


def renamed(rows, kind, to):
    head(rows, kind)["claim"] = to


def hazards_ignored(rows):
    """Unsafe sets that keep the constraints exclude nothing small."""
    without(rows, "includes", "deviation")
    head(rows, "includes")["sides"] = [0, 0]
    renamed(rows, "includes", "resilient")


def swapped(rows):
    """The controllers change their places."""
    one, two = [i for i, row in enumerate(rows) if "controller" in row][:2]
    rows[one], rows[two] = rows[two], rows[one]


# The certificate, what is done to it, and the reasons that fit.
FORGED = {
    "inclusion turned round": (
        *("compared", lambda r: turned(r, "includes")),
        {"unsafe", "trace", "missing", "proof"},
    ),
    "a witness turned round": (
        *("compared", lambda r: turned(r, "exceeds")),
        {"unsafe", "trace"},
    ),
    "a witness of one side": (
        *("compared", lambda r: put(head(r, "exceeds"), "sides", [0, 0])),
        {"unsafe", "trace"},
    ),
    "a witness without its run": (
        *("compared", lambda r: without(r, "exceeds", "unsafe")),
        {"sets"},
    ),
    "a witness that nobody tolerates": (
        *("compared", lambda r: without(r, "exceeds", "deviation")),
        {"sets"},
    ),
    "a witness that is a smaller one": (
        *("compared", lambda r: after(r, "exceeds", "deviation")[0]["deviation"].pop()),
        {"sets"},
    ),
    "inclusion without proof": (
        *("compared", lambda r: without(r, "includes", "add")),
        {"missing"},
    ),
    "inclusion without safe sets": (
        *("compared", lambda r: without(r, "includes", "deviation")),
        {"missing", "proof"},
    ),
    "inclusion without unsafe sets": (
        *("compared", lambda r: without(r, "includes", "unsafe")),
        {"missing", "proof"},
    ),
    "inclusion that is a witness": (
        *("compared", lambda r: renamed(r, "includes", "exceeds")),
        {"sets", "malformed"},
    ),
    "inclusion as Δ": (
        *("compared", lambda r: renamed(r, "includes", "all-deviations")),
        {"malformed"},
    ),
    "controllers swapped": (
        "compared",
        swapped,
        {"unsafe", "trace", "missing", "proof"},
    ),
    "resilience of one more": (
        *("gate", lambda r: more(r, "resilient")),
        {"missing", "proof"},
    ),
    "resilience without rules": (
        *("gate", lambda r: without(r, "resilient", "unsafe")),
        {"missing", "proof"},
    ),
    "resilience in spite of hazards": ("compared", hazards_ignored, {"sets"}),
    "what is tolerated is excluded": (
        *("gate", lambda r: renamed(r, "tolerates", "all-deviations")),
        {"maximal"},
    ),
    "a rule about more": (
        *(
            "gate",
            lambda r: put(after(r, "tolerates", "deviation")[0], "deviation", [0]),
        ),
        {"unsafe", "foreign", "right"},
    ),
    "an exclusion with another run": (
        *("gate", lambda r: put(after(r, "excludes", "unsafe")[0], "run", [])),
        {"trace"},
    ),
    "a set excluded that is tolerated": (
        *("gate", lambda r: put(after(r, "excludes", "unsafe")[0], "unsafe", [])),
        {"trace"},
    ),
    "a claim of another kind": (
        *("gate", lambda r: renamed(r, "excludes", "trusts")),
        {"malformed"},
    ),
    "sides that are none": (
        *("gate", lambda r: put(head(r, "excludes"), "sides", [0, 2])),
        {"malformed"},
    ),
    "a rule of two sides": (
        *("gate", lambda r: put(head(r, "excludes"), "sides", [0, 1])),
        {"malformed"},
    ),
    "another component": (
        "modes",
        lambda r: modes(r)[0]["changes"][0].__setitem__(0, 7),
        {"malformed"},
    ),
    "another state": (
        "modes",
        lambda r: modes(r)[0]["changes"][0].__setitem__(1, 99),
        {"malformed"},
    ),
    "an action of nobody": (
        "modes",
        lambda r: modes(r)[0]["changes"][0].__setitem__(2, "x"),
        {"malformed"},
    ),
    "ERROR as a target": (
        "modes",
        lambda r: modes(r)[0]["changes"][0].__setitem__(3, -1),
        {"malformed"},
    ),
    "a transition of the whole": (
        "modes",
        lambda r: modes(r)[0]["changes"][0].pop(0),
        {"malformed"},
    ),
    "modes and candidates": (
        "modes",
        lambda r: r.insert(r.index(modes(r)[0]), {"candidates": "all"}),
        {"malformed"},
    ),
    "no modes": ("modes", lambda r: [r.remove(m) for m in modes(r)], {"malformed"}),
    "candidates of several components": (
        "modes",
        lambda r: [
            r.insert(r.index(modes(r)[0]), {"candidates": []}),
            *[r.remove(m) for m in modes(r)],
        ],
        {"malformed"},
    ),
    "a harmful mode that does nothing": (
        *("modes", lambda r: put(of_unsafe(r), "changes", [])),
        {"trace"},
    ),
    "a harmless mode that is harmful": (
        "modes",
        lambda r: put(modes(r)[inner(r)[0]], "changes", of_unsafe(r)["changes"]),
        {"unsafe"},
    ),
    "a hidden action seen": (
        "modes",
        lambda r: put(r[1]["environment"], "hidden", ["messages.get.0"]),
        {"nominal", "malformed", "trace", "unsafe"},
    ),
    "a component less": (
        *("modes", lambda r: r[1]["environment"]["components"].pop()),
        {"malformed", "nominal"},
    ),
}


def put(row, key, value):
    row[key] = value


def modes(rows):
    return [row for row in rows if "mode" in row]


def inner(rows):
    return next(row["deviation"] for row in rows if "deviation" in row)


def of_unsafe(rows):
    """The mode of the first unsafe set."""
    return modes(rows)[next(row["unsafe"] for row in rows if "unsafe" in row)[0]]


@pytest.fixture(scope="module")
def genuine(gate, compared, tmp_path_factory):
    path = tmp_path_factory.mktemp("modes") / "certificate"
    assert run("compute", ABP, "--certificate", path).code == 0
    paths = {"gate": gate, "compared": compared, "modes": path}
    return {name: records(path) for name, path in paths.items()}


@pytest.mark.parametrize("name", FORGED)
def test_forged(name, genuine, tmp_path):
    which, change, reasons = FORGED[name]
    rows = copy.deepcopy(genuine[which])
    change(rows)
    assert rows != genuine[which]
    write(rows, tmp_path / "forged")
    assert verdict(tmp_path / "forged") in reasons


def test_genuine(genuine, tmp_path):
    for rows in genuine.values():
        write(rows, tmp_path / "again")
        assert verdict(tmp_path / "again") == "right"
