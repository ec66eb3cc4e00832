"""The checker has bounds and escapes what it prints, alone and as `symrob verify`."""

import copy
import gzip
import os
import subprocess
import sys
import tracemalloc
from hashlib import sha256

import pytest

from symrob.api.certificates import confirmation
from symrob.certify.certificate import Checker
from symrob.certify.format import RECORDS, SCHEMA, encoded
from symrob.certify.reading import Certificate
from symrob.certify.watching import BoundHitError, CheckBudget
from symrob.errors import LimitExceeded
from symrob.options import Options
from tests.certificates.tools import certify_case, records, write

ALONE = ("symrob.certify",)
EXPORT = ("symrob.certify.export", "--dimacs", os.devnull)
VERIFY = ("symrob", "verify", "--memory", "300", "--timeout", "60")
EACH = pytest.mark.parametrize("checker", [ALONE, EXPORT, VERIFY], ids=lambda c: c[0])
BOTH = pytest.mark.parametrize("checker", [ALONE, VERIFY], ids=lambda c: c[0])
MIB = 1 << 20


# By a small process: what is started has the memory of who starts it, for a moment.
MEASURED = """
import resource, subprocess, sys
code = subprocess.run([sys.executable, "-m", *sys.argv[1:]]).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(used >> 10, file=sys.stderr)
sys.exit(code)
"""


def check(checker, *words):
    """Run a checker in a separate process: exit code, output, errors, MiB used."""
    command = [sys.executable, "-c", MEASURED, *checker, *map(str, words)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=False
    )
    assert "Traceback" not in done.stderr
    *errors, used = done.stderr.splitlines(keepends=True)
    return done.returncode, done.stdout, "".join(errors), int(used)


@pytest.fixture(scope="module")
def genuine(tmp_path_factory):
    path = tmp_path_factory.mktemp("genuine") / "certificate"
    certify_case("therac25/therac25", path)
    return records(path)


def packed(path, parts):
    """Write parts, gzipped, with a trailer whose hash fits them."""
    digest = sha256()
    with gzip.open(path, "wb", 1) as file:
        for part in parts:
            digest.update(part)
            file.write(part)
        counts = dict.fromkeys(RECORDS, 0)
        file.write(encoded({"end": {**counts, "sha256": digest.hexdigest()}}))


def head(rows):
    """The lines of the models, and a claim about sets that follow."""
    kinds = {"claim", "deviation", "unsafe", "add"}
    lines = [encoded(row) for row in rows if not kinds & row.keys()]
    claim = {"claim": "tolerates", "sides": [0, 0], "title": "", "most": 0}
    return [*lines, encoded(claim)]


@EACH
def test_line_breaks(checker, tmp_path):
    """150 MiB of them in 150 kB."""
    path = tmp_path / "bomb.gz"
    with gzip.open(path, "wb") as file:
        file.writelines([b"\n" * MIB] * 150)
    code, out, err, used = check(checker, path)
    assert (code, err) == (4, "")
    assert out.startswith("wrong (damaged): the last line")
    assert used < 100


@BOTH
def test_line_breaks_with_their_hash(checker, tmp_path):
    packed(tmp_path / "bomb.gz", [b"\n" * MIB] * 150)
    code, out, _, used = check(checker, tmp_path / "bomb.gz")
    assert code == 4
    assert out == "wrong (malformed): line 1: not valid ASCII JSON\n"
    assert used < 100


@BOTH
def test_a_line_of_lists(checker, genuine, tmp_path):
    """What it would take in memory is counted before it is there."""
    many = b"[]," * (MIB // 3)
    line = [b'{"deviation":[', *[many] * 80, b"[]]}\n"]
    packed(tmp_path / "bomb.gz", [*head(genuine), *line])
    code, _, err, used = check(checker, tmp_path / "bomb.gz")
    assert code == 3
    assert "MiB of memory; raise --memory to continue" in err
    assert used < 300


@BOTH
def test_more_than_may_be_unpacked(checker, tmp_path):
    path = tmp_path / "bomb.gz"
    with gzip.open(path, "wb") as file:
        file.writelines([b" " * MIB] * 257)
    code, _, err, used = check(checker, path)
    assert code == 3
    option = "--bound max-file" if checker is VERIFY else "--max-size"
    assert f"a file of more than 256 MiB; raise {option} to continue" in err
    assert used < 100
    option = ("--bound", "max-file={}") if checker is VERIFY else ("--max-size", "{}")
    with gzip.open(path, "wb") as file:
        file.writelines([b" " * MIB] * 11)
    for most, code in ((10, 3), (12, 4)):
        assert check(checker, path, *(o.format(most) for o in option))[0] == code


@EACH
@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "nothing"])
def test_what_is_no_file(checker, kind, tmp_path):
    """A pipe is not waited for."""
    path = tmp_path / "path"
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path = "/dev/zero"
    elif kind == "folder":
        path.mkdir()
    code, out, err, _ = check(checker, path)
    assert (code, out) == (2, "")
    assert str(path) in err


def cycle(number, states=10):
    """A component that goes round by itself."""
    action = f"x{number}"
    steps = [[s, action, (s + 1) % states] for s in range(states)]
    names = {"alphabet": [action], "states": states}
    return {"name": "", **names, "transitions": steps, "names": None}


@BOTH
def test_a_controller_of_many_states(checker, genuine, tmp_path):
    """Eight components of ten states end by the time, or by the states."""
    rows = copy.deepcopy(genuine)
    (controller,) = [row["controller"] for row in rows if "controller" in row]
    controller["components"] += map(cycle, range(8))
    write(rows, tmp_path / "c")
    code, _, err, _ = check(checker, tmp_path / "c", "--timeout", "0.5")
    assert code == 3
    assert "0.5 s; raise --timeout to continue" in err
    bound = ("--bound", "max-states=9000")
    bound = bound if checker is VERIFY else ("--max-states", "9000")
    code, _, err, _ = check(checker, tmp_path / "c", *bound)
    assert code == 3
    assert "more than 9,000 states and moves; raise" in err


def test_searches_have_a_bound_of_memory(genuine, tmp_path):
    """States of many components are large: few are enough."""
    rows = copy.deepcopy(genuine)
    (controller,) = [row["controller"] for row in rows if "controller" in row]
    controller["components"] += (cycle(f"{i:05}", 2) for i in range(4_000))
    write(rows, tmp_path / "c")
    code, _, err, used = check(ALONE, tmp_path / "c", "--memory", "200")
    assert code == 3
    assert "200 MiB of memory; raise --memory to continue" in err
    assert used <= 200


def system(alphabet):
    """A model of one state, with no transitions."""
    names = {"alphabet": alphabet, "states": 1, "transitions": [], "names": None}
    return {"name": "", "components": [{"name": "", **names}], "hidden": []}


def plain(count, claim, *shown):
    """A certificate of so many candidates, all of them safe."""
    return [
        {"schema": SCHEMA, "title": ""},
        {"environment": system([f"a{i:05}" for i in range(count)])},
        {"controller": system([])},
        {"property": system(["a00000"])},
        {"candidates": "all"},
        {"claim": claim, "sides": [0, 0], "title": "", "most": 0},
        *shown,
    ]


MANY = 1_000
GREEDY = {
    # Each deviation is a clause of all the rest.
    "short deviations": (
        *(4, plain(MANY, "includes", *({"deviation": [i]} for i in range(1, MANY)))),
    ),
    # E that takes these and no others has as many states.
    "a long run": (
        *(8, plain(1, "excludes", {"unsafe": [0], "breaks": 0, "run": [0] * 100_000})),
    ),
    "short texts": (8, plain(1, "tolerates", {"deviation": ["zz"] * 100_000})),
}


def confirmed(path, memory):
    """What the checker says with so many MiB."""
    return [*Checker(Certificate(str(path), CheckBudget(10**6, 9, memory))).lines()]


@pytest.mark.parametrize("name", GREEDY)
def test_memory_is_counted_before_it_is_used(name, tmp_path):
    """A small file does not make the checker take gigabytes."""
    memory, rows = GREEDY[name]
    write(rows, tmp_path / "c")
    tracemalloc.start()
    try:
        with pytest.raises(BoundHitError, match=f"more than {memory} MiB of memory"):
            confirmed(tmp_path / "c", memory)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 1.5 * memory * MIB


@BOTH
def test_fewer_states_than_a_model_has(checker, genuine, tmp_path):
    """That is a bound that was hit, and nothing that is wrong with the model."""
    write(genuine, tmp_path / "c")
    bound = ("--bound", "max-states=3") if checker is VERIFY else ("--max-states", "3")
    code, out, err, _ = check(checker, tmp_path / "c", *bound)
    assert (code, out) == (3, "")
    assert "more than 3 states and moves; raise" in err


@pytest.mark.parametrize("memory", [0, 1, 20])
def test_less_memory_than_python_takes(memory, genuine, tmp_path):
    """It ends as it should, though threads need memory to end."""
    write(genuine, tmp_path / "c")
    code, _, err, _ = check(ALONE, tmp_path / "c", "--memory", memory)
    assert code == 3
    assert err.startswith(f"not decided: more than {memory} MiB of memory; raise")


@BOTH
def test_a_run_through_many_internal_moves(checker, tmp_path):
    """Each is looked at once."""
    size = 30_000
    rows = plain(1, "excludes", {"unsafe": [0], "breaks": 0, "run": [1]})
    (part,) = rows[1]["environment"]["components"]
    chain = [[q, "tau", q + 1] for q in range(size - 1)]
    part |= {"alphabet": ["a", "b"], "states": size, "transitions": chain}
    rows[3] = {"property": system(["b"])}
    changes = [[0, size - 1, "b", 0]]
    rows[4] = {"mode": "m", "changes": changes, "at_most": None}
    write(rows, tmp_path / "c")
    code, out, _, _ = check(checker, tmp_path / "c", "--timeout", "30")
    assert code == 0
    assert "2. unsafe sets: 1; the trace of each reaches ERROR" in out


def test_memory_has_a_bound_where_none_is_asked_for(genuine, tmp_path, monkeypatch):
    """Of the process, since not everything is counted."""
    monkeypatch.setattr(confirmation, "MEMORY", 1)
    write(genuine, tmp_path / "c")
    with pytest.raises(LimitExceeded, match="max_memory="):
        list(confirmation.confirm(str(tmp_path / "c"), None, [], [Options()]))


HOSTILE = "x\n4. none is missing\r\x1b[8m\x9b2J\u202e\u2028\ud800" + " " * 500


@BOTH
def test_what_is_printed_is_escaped(checker, genuine, tmp_path):
    """Titles and names cannot steer a terminal, nor be taken for a verdict."""
    rows = copy.deepcopy(genuine)
    rows[0]["title"] = HOSTILE
    for row in rows:
        if "claim" in row:
            row["title"] = HOSTILE
    write(rows, tmp_path / "c")
    code, out, err, _ = check(checker, tmp_path / "c")
    assert (code, err) == (0, "")
    first, *rest = out.splitlines()
    assert first.startswith("claim: all-deviations, over 76 candidates; titled")
    assert first.endswith('", unchecked')
    assert "x\\n4. none" in first
    assert len(first) < 250
    assert all(line.isprintable() for line in (first, *rest))
    assert sum(line.startswith("4. ") for line in rest) == 1
    # In what is refused, too.
    rows[1]["environment"]["components"][0]["transitions"][0][1] = HOSTILE
    write(rows, tmp_path / "c")
    code, out, _, _ = check(checker, tmp_path / "c")
    assert code == 4
    assert out.count("\n") == 1
    assert out.rstrip("\n").isprintable()


def test_no_more_than_two_are_compared(genuine, tmp_path):
    """Claims of several certificates are not mixed."""
    write(genuine, tmp_path / "c")
    code, out, _, _ = check(ALONE, *[tmp_path / "c"] * 3)
    assert (code, out) == (2, "")


def test_export_says_what_it_lacks(genuine, tmp_path):
    write(genuine, tmp_path / "c")
    code, _, err, _ = check(EXPORT, tmp_path / "c", "--claim", "2")
    assert (code, err) == (2, "not decided: the certificate has 1 claim\n")


@pytest.mark.parametrize(
    "outputs",
    [("c",), ("link",), ("hard",), ("o", "o"), ("o", "x/../o")],
    ids=" ".join,
)
def test_export_overwrites_nothing_that_it_reads(outputs, genuine, tmp_path):
    """Nor does one output overwrite another."""
    path = tmp_path / "c"
    write(genuine, path)
    content = path.read_bytes()
    (tmp_path / "x").mkdir()
    (tmp_path / "link").symlink_to(path)
    (tmp_path / "hard").hardlink_to(path)
    options = zip(("--dimacs", "--lrat"), outputs, strict=False)
    words = [
        word for option, name in options for word in (option, f"{tmp_path}/{name}")
    ]
    code, _, err, _ = check((EXPORT[0],), path, *words)
    assert code == 2
    assert err.endswith(" are the same file\n")
    assert path.read_bytes() == content
    assert not (tmp_path / "o").exists()
