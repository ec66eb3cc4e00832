"""A deviation of many transitions took memory in the square of them.

Each had a number with one bit set, as long as there were transitions before it.
"""

import json
import resource
import subprocess
import sys

import pytest

from symrob.api.delta import Delta
from symrob.lts import Lts, Transition
from symrob.lts.deviation import Deviation
from symrob.lts.masks import mask_of
from tests.cli.tools import ROOT

MEBIBYTE = 1 << 20
STATES = 300
NEW = 2 * STATES * STATES - 2 * (STATES - 1)
# The square of so many bits is 4 GB; what there is takes a tenth of this.
ROOM = 1000 * MEBIBYTE

PYTHON = """
import symrob
envelope = symrob.compute("e.json", "c.json", "c.json")
(deviation,) = envelope
assert len(deviation.new) == {new}, len(deviation.new)
assert envelope.complete
"""


@pytest.fixture(scope="module")
def ladder(tmp_path_factory):
    """A ladder whose every rung can lead to every other; no order of them is wrong."""
    folder = tmp_path_factory.mktemp("ladder")
    steps = [[q, "up", q + 1] for q in range(STATES - 1)]
    steps += [[q + 1, "down", q] for q in range(STATES - 1)]
    one = [[0, "down", 0], [0, "up", 0]]
    for name, size, rows in (("e", STATES, steps), ("c", 1, one)):
        data = {"alphabet": ["down", "up"], "states": size, "transitions": rows}
        (folder / f"{name}.json").write_text(json.dumps(data))
    (folder / "case.toml").write_text(
        'environment = "e.json"\ncontroller = "c.json"\nproperties = ["c.json"]\n'
    )
    return folder


def within(folder, *words):
    """Run Python in a separate process that can have so much memory."""
    done = subprocess.run(
        [sys.executable, *words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (ROOM, ROOM)),
        env={"PYTHONPATH": str(ROOT), "PATH": ""},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--details",),
        ("--format", "json"),
        ("--format", "json", "--sorted"),
        ("--format", "json", "--compact"),
        ("--format", "jsonl"),
        ("--format", "jsonl", "--compact"),
        ("--certificate", "proof.gz"),
        ("--top", "1", "--format", "json"),
    ],
    ids=" ".join,
)
def test_every_format_is_linear(ladder, options):
    out = within(ladder, "-m", "symrob", "compute", "case.toml", *options)
    if "jsonl" in options:
        last = json.loads(out.splitlines()[-1])
        assert (last["status"], last["delta"]) == ("complete", 1)
        return
    if "json" not in options:
        assert f"{NEW:,}" in out
        return
    data = json.loads(out)
    assert data["statistics"]["largest"] == 2 * STATES * STATES
    if "--compact" not in options:
        (deviation,) = data["delta"]
        everything = [
            [q, action, r]
            for q in range(STATES)
            for action in ("down", "up")
            for r in range(STATES)
        ]
        assert deviation == everything


def test_a_python_call_is_linear(ladder):
    within(ladder, "-c", PYTHON.format(new=NEW))


def test_what_is_kept_is_given_back():
    """Deviations that come without bits, each other than those before."""
    environment = Lts("ab", 4, [(0, "a", 1)])
    nominal = environment.transitions
    every = [Transition(q, a, r) for q in range(4) for a in "ab" for r in range(4)]
    delta = Delta(environment)
    asked = [
        Deviation(nominal, [t for n, t in enumerate(every) if n % k], environment)
        for k in (5, 2, 3, 7, 31)
    ]
    for deviation in asked:
        delta.append(deviation)
    assert list(delta) == asked
    assert mask_of([0, 40, 1000]) == 1 | 1 << 40 | 1 << 1000


SOON = """
import resource
import symrob
from symrob.limits import Stages
from symrob.memory import MEBIBYTE

free = resource.getrlimit(resource.RLIMIT_AS)
envelope = symrob.compute("e.json", "c.json", "c.json", max_memory={memory})
stages = Stages(envelope.clock)
with stages:
    with stages:
        pass
    kept = bytearray({bytes})
print(stages.status, stages.reason)
assert resource.getrlimit(resource.RLIMIT_AS) == free
"""


@pytest.mark.parametrize("memory", [500, None])
def test_a_python_call_has_a_bound_of_memory(ladder, memory):
    """What is far beyond it, or beyond the machine, is refused."""
    code = SOON.format(memory=memory, bytes="1 << 31" if memory else "1 << 42")
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ladder, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("limit stopped: out of memory"), done
