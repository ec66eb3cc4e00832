"""Our trees in the hands of other tools: SCRAM, and a library for fault trees.

Each test says so and is skipped where its tool is not installed: `apt-get install
scram` (Debian), `pip install faultree`.
"""

import shutil
import subprocess
from itertools import count
from math import inf, isclose
from random import Random
from xml.etree import ElementTree

import pytest

from symrob.report.faulttree import galileo, open_psa, ordered, trees
from symrob.risk.assessment import Assessment
from symrob.risk.events import Event, Events
from symrob.risk.search import space_about
from tests.cli.tools import ROOT, run
from tests.engines import engine_if_safe
from tests.generate import MEDIUM, random_problem
from tests.oracles import definition

SCRAM = shutil.which("scram")
needs_scram = pytest.mark.skipif(SCRAM is None, reason="scram is not installed")


def assessments(number):
    """Of random problems that have larger sets and events in several of them."""
    from symrob.envelope.transitions import Candidates
    from symrob.lts import Transition

    rng = Random(40)
    found = 0
    for _ in count():
        problem = random_problem(rng, shapes=MEDIUM, constrained=0.3)
        engine = engine_if_safe(problem, max_states=20_000)
        if engine is None:
            continue
        new = [Transition(*t) for t in definition.candidates(problem[0])]
        rng.shuffle(new)
        events = tuple(
            Event(f"{t}", frozenset((t,)), 10 ** rng.uniform(-6, -3), "")
            for t in new[:12]
        )
        nothing = Candidates.of(engine.environment, ())
        table = Events(events, nothing, (), ())
        risk = Assessment(space_about(engine, table), table)
        if not any(len(one) > 1 for one in risk.together.family):
            continue
        yield risk
        found += 1
        if found == number:
            return


def of_scram(text, folder):
    """What SCRAM says: by tree its probability, sets, and importance by event."""
    source, out = folder / "tree.xml", folder / "report.xml"
    source.write_text(text, "utf-8")
    asked = ("--bdd", "--probability", "1", "--importance", "1")
    subprocess.run([SCRAM, *asked, source, "-o", out], check=True, timeout=60)
    results = ElementTree.parse(out).getroot().find("results")
    found = {}
    for tree in results.findall("sum-of-products"):
        sets = {
            frozenset(event.get("name") for event in one.findall("basic-event"))
            for one in tree.findall("product")
        }
        name = tree.get("name").removesuffix("-top")
        found[name] = (float(tree.get("probability", 0)), sets, {})
    for tree in results.findall("importance"):
        _, _, worth = found[tree.get("name").removesuffix("-top")]
        for event in tree.findall("basic-event"):
            figures = ("MIF", "CIF", "DIF", "RAW", "RRW")
            worth[event.get("name")] = [float(event.get(f)) for f in figures]
    return found


def assert_agrees(risk, folder):
    found = of_scram(open_psa(risk, "a <title> & more"), folder)
    for name, part in trees(risk):
        if not part.family:
            assert name not in found or found[name][1] == set()
            continue
        chance, sets, worth = found[name]
        assert sets == {frozenset(f"e{n + 1}" for n in s) for s in part.family}
        # SCRAM prints six digits.
        assert isclose(chance, part.bounds.lower, rel_tol=5e-6)
        if part.bounds.lower < 1e-4:
            assert abs(chance - part.bounds.lower) <= 1e-9
        if part.family is risk.together.family or len(risk.parts) == 1:
            assert len(worth) == len(risk.ranked)
            for number in risk.ranked:
                ours = risk.importance([number])
                diagnosis = risk.event(number).chance * ours.raw
                mine = (ours.birnbaum, ours.criticality, diagnosis, ours.raw, ours.rrw)
                theirs = worth[f"e{number + 1}"]
                for a, b in zip(mine, theirs, strict=True):
                    # Where nothing is left RRW has no value, and SCRAM says 0.
                    assert isclose(a, b, rel_tol=1e-5) or (a == inf and b == 0)


@needs_scram
def test_scram_agrees_on_random_problems(tmp_path):
    larger = 0
    for risk in assessments(12):
        assert_agrees(risk, tmp_path)
        larger += len(risk.together.family) > 5
    assert larger >= 1


@needs_scram
def test_scram_reads_what_the_command_writes(tmp_path):
    """Several properties make several trees, an empty family one that is false."""
    table = tmp_path / "chances.toml"
    table.write_text('[probability]\n"*,*,*" = 1e-4\n')
    for case in ("press/press", "oyster/oyster", "voting/voting_all"):
        out = tmp_path / "tree.xml"
        args = ("--probability", table, "--format", "openpsa", "--out", out)
        assert run("risk", ROOT / f"models/{case}.toml", *args).code == 0
        done = subprocess.run([SCRAM, "--validate", out], timeout=60)
        assert done.returncode == 0


def test_faultree_agrees_on_random_problems():
    """To 1e-9, in probability and importance."""
    faultree = pytest.importorskip("faultree")
    for risk in assessments(12):
        sets = ordered(risk.together.family)
        gates = [
            {"label": f"s{n}", "gate": "AND", "branches": [f"e{e}" for e in one]}
            for n, one in enumerate(sets)
        ]
        top = {"label": "top", "gate": "OR", "branches": [g["label"] for g in gates]}
        used = {e for one in sets for e in one}
        basic = [{"label": f"e{e}", "prob": risk.event(e).chance} for e in used]
        told = faultree.analyze({"ft_nodes": [top, *gates], "be_nodes": basic})
        assert isclose(told["Q"], risk.together.bounds.lower, rel_tol=1e-9)
        for number in risk.ranked:
            ours, theirs = risk.importance([number]), told["importance"][f"e{number}"]
            for figure in ("birnbaum", "criticality", "raw", "rrw"):
                mine = getattr(ours, figure)
                assert isclose(mine, theirs[figure], rel_tol=1e-6), figure


def test_galileo_names_each_gate_and_event_once():
    for risk in assessments(3):
        lines = galileo(risk, "two\nlines").splitlines()
        told = [line for line in lines if not line.startswith("//")]
        heads = [line.split()[0] for line in told]
        assert len(heads) == len(set(heads))
        used = {w.strip(";") for line in told for w in line.split() if w[0] == '"'}
        assert used - {'"top"'} <= set(heads) | {'"top"'}
        assert all(line.endswith(";") for line in told)
