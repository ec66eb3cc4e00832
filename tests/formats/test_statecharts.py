"""Statecharts, flattened, do what the algorithm of the standard does."""

import random
from xml.etree.ElementTree import tostring

import pytest

from symrob.errors import LimitExceeded, SymrobError
from symrob.formats import Limits, read
from symrob.lts import TAU
from tests.oracles.statecharts import Interpreter, random_chart
from tests.strength import examples

SMALL = Limits(max_states=300, max_transitions=3000)


def agree(text, path):
    """Compare a document with what is read of it; `None` where reading refuses it."""
    path.write_text(text)
    runs = {}
    for part in (None, "ignoring"):
        try:
            runs[part] = read(str(path), process=part, limits=SMALL).network
        except LimitExceeded:
            return None
        except SymrobError as error:
            if {d.code for d in error.diagnostics} != {"chart-endless"}:
                raise
            return None
    oracle = Interpreter(text)
    for part, lts in runs.items():
        first = {oracle.name(c): c for c in oracle.start()}
        if len(first) == 1:
            assert lts.state_name(0) in first
            known = dict(first)
        else:
            rows = [lts.state_name(t.target) for t in lts.transitions if t.source == 0]
            assert lts.state_name(0) == "(start)"
            assert sorted(rows) == sorted(first)
            known = dict(first)
        numbers = {lts.state_name(s): s for s in range(lts.size)}
        work, done = list(known), set()
        while work:
            name = work.pop()
            if name in done:
                continue
            done.add(name)
            here = known[name]
            final = any(e.tag == "final" and oracle.up[e] is oracle.top for e in here)
            for event in (*lts.alphabet, TAU):
                after, ignored = oracle.react(here, None if event == TAU else event)
                if final:
                    after, ignored = set(), False
                expected = {oracle.name(c) for c in after}
                if part and ignored and event != TAU:
                    after |= oracle.rest([(here, ())])
                    expected = {oracle.name(c) for c in after}
                row = lts.successors[numbers[name]].get(event, ())
                assert {lts.state_name(t) for t in row} == expected, (name, event, text)
                for c in after:
                    known.setdefault(oracle.name(c), c)
                    work.append(oracle.name(c))
        assert len(done) + (len(first) > 1) == lts.size
    return runs[None].size


@pytest.mark.parametrize("seed", range(4))
def test_random_charts(tmp_path, seed):
    chance = random.Random(f"charts {seed}")
    sizes = []
    for _ in range(examples(20, 400)):
        text = tostring(random_chart(chance), encoding="unicode")
        sizes.append(agree(text, tmp_path / "x.scxml"))
    known = [size for size in sizes if size]
    assert len(known) > examples(5, 150)
    assert max(known) > 3
