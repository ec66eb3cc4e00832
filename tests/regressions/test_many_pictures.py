"""Each component of a model took a process of Graphviz, and there can be thousands."""

import subprocess
import time

import pytest

from symrob.errors import EXIT_LIMIT, LimitExceeded
from symrob.formats.dot import lts_picture
from symrob.lts import Lts
from symrob.report import svg
from symrob.report.svg import drawn
from tests.cli.tools import run, spawn

MANY = "P = (a -> P). ||S = (forall [i:0..39] forall [j:0..49] p[i][j]:P)."
# A picture of each takes Graphviz much longer than that of two transitions.
LONG = f"P = ({' -> '.join(f'a{i}' for i in range(16))} -> P | a1 -> P | a2 -> P)."
SMALL = lts_picture(Lts("a", 1, [(0, "a", 0)]))
# Graphviz takes longer for it than for a hundred of the others.
LARGE = lts_picture(Lts("a", 60, [(q, "a", r) for q in range(60) for r in range(60)]))


@pytest.fixture
def started(monkeypatch):
    """What Graphviz is started with."""
    calls = []
    real = subprocess.Popen

    def counted(*args, **options):
        calls.append(args)
        return real(*args, **options)

    monkeypatch.setattr(svg.subprocess, "Popen", counted)
    return calls


def test_one_process_draws_all(started):
    text = drawn([SMALL] * 30)
    assert text.count('class="graph"') == 30
    assert len(started) == 1


def test_the_number_of_pictures_has_a_bound_that_can_be_raised(tmp_path, started):
    model = tmp_path / "m.lts"
    model.write_text(MANY)
    done = run("draw", model)
    assert (done.code, done.out, started) == (EXIT_LIMIT, "", [])
    assert "--bound max-pictures=2000" in done.err
    assert run("draw", model, "--format", "dot").code == 0
    with pytest.raises(LimitExceeded, match="max_pictures=3"):
        drawn([SMALL] * 3, max_pictures=2)
    assert drawn([SMALL] * 3, max_pictures=3).count('class="graph"') == 3


def test_a_picture_that_takes_long_does_not_cost_the_others(monkeypatch):
    monkeypatch.setattr(svg, "SECONDS", 0.5)
    text = drawn([SMALL, LARGE, SMALL], max_edges=9999)
    assert text.count('class="graph"') == 2
    assert 'id="p2-s59"' in text, "as a matrix"


def test_time_that_is_up_ends_the_drawing(tmp_path):
    model = tmp_path / "m.lts"
    model.write_text(f"{LONG} ||S = (forall [i:0..39] forall [j:0..49] p[i][j]:P).")
    begin = time.monotonic()
    done = spawn("draw", model, "--timeout", "1", "--bound", "max-pictures=2000")
    assert done.code == EXIT_LIMIT, done.err
    assert "raise --timeout" in done.err
    # Ten seconds where nothing else is at work, and more beside others.
    assert time.monotonic() - begin < 9
