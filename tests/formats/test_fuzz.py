"""Damaged files of every format: an answer or a `SymrobError`, nothing else."""

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symrob.errors import SymrobError
from symrob.formats import read, write
from symrob.lts import ERROR, Lts, Network

SAMPLE = Lts(
    ["a", "b.1", 'say "hi"'],
    3,
    [(0, "a", 1), (1, "tau", 2), (2, "b.1", ERROR), (2, 'say "hi"', 0)],
    names=["IDLE", "RUN[1]", "RUN[2]"],
)
# What is likely to reach another branch of a reader than noise does.
PIECES = [
    b"",
    b"\n",
    b"\t",
    b'"',
    b",",
    b"-1",
    b"99",
    b"[",
    b"}",
    b"\xff",
    b"0 0",
    b"{",
    b"<",
    b"&#0;",
    b'"/>',
    b"end",
    b"when ",
    b"requirement",
    b"->",
    b'" + "',
    b"/*",
    b"<tr><td>",
    b"subgraph {",
    b"\xff\xfe",
]
OTHERS = [
    *("lift.json", "microwave.scxml", "philosophers.fsm", "turnstile.json"),
    *("tls_server.dot", "two_machines.cif", "two_machines.wmod"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fuzz")
    for suffix in (".aut", ".fsm", ".json", ".lts"):
        write(SAMPLE, str(folder / f"good{suffix}"))
    write(Network([SAMPLE, SAMPLE], hidden=["a"]), str(folder / "net.json"))
    for name in OTHERS:
        shutil.copy(Path("tests/data/formats", name), folder)
    return folder


@pytest.mark.parametrize(
    "name", ["good.aut", "good.fsm", "good.json", "net.json", "good.lts", *OTHERS]
)
@given(st.data())
def test_damaged_files(folder, name, data):
    content = (folder / name).read_bytes()
    for _cut in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(content)))
        length = data.draw(st.integers(0, 6))
        piece = data.draw(st.sampled_from(PIECES) | st.binary(max_size=3))
        content = content[:start] + piece + content[start + length :]
    path = folder / f"bad_{name}"
    path.write_bytes(content)
    problems = []
    try:
        system = read(str(path)).network
    except SymrobError as error:
        problems = list(error.diagnostics) or [None]
    else:
        assert all(lts.size >= 1 for lts in system.components)
    for problem in problems:
        assert problem.message
        assert problem.line is None or problem.line >= 1
        assert problem.column is None or problem.column >= 1
