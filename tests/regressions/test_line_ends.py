"""Files with the line ends of Unix, Windows and old Macs say the same."""

import pytest

import symrob
from symrob.case import load_cases
from symrob.errors import SymrobError
from symrob.formats import suffixes
from tests.cli.tools import ROOT, run

ENDS = (b"\n", b"\r\n", b"\r")
MODELS = ROOT / "models" / "therac25"
FSP = b"P = (a -> Q),\nQ = (b -> P).\n"
CASE = b'environment = "e.lts"\ncontroller = "c.lts"\nproperties = ["p.lts"]\n'


def with_end(path, content, end):
    path.write_bytes(content.replace(b"\n", end))
    return str(path)


@pytest.mark.parametrize(
    "suffix", [s for s in suffixes() if s not in (".scxml", ".dot")]
)
@pytest.mark.parametrize("end", ENDS)
def test_a_model_in_any_format(tmp_path, suffix, end):
    path = tmp_path / f"m{suffix}"
    nurse = MODELS / "nurse.lts"
    assert run("convert", nurse, path).code == 0
    content = path.read_bytes()
    assert b"\n" in content
    expected = symrob.product(path)
    assert symrob.product(with_end(path, content, end)) == expected
    assert run("show", path).code == 0


# Something wrong on the third line, and what is said of it.
WRONG = {
    "m.lts": (b"P = (a -> Q),\nQ = (b -> P),\nR = (c -> X).\n", "m.lts:3:11: error"),
    "m.aut": (b"des (0, 2, 2)\n(0, a, 1)\n(1, b, 2)\n", "m.aut:3:"),
    "m.json": (
        b'{"alphabet": ["a"],\n "states": 1,\n "transitions": [3]}',
        ".json:3:18",
    ),
    "m.cif": (b"automaton a:\n  location x: initial;\n  loc\nend\n", "m.cif:3:6"),
    "m.scxml": (
        b'<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0">\n'
        b'<state id="a"/>\n'
        b'<state id="b"><transition event="e" target="none"/></state>\n</scxml>\n',
        "m.scxml:3:",
    ),
    "t.lts": (b"P = (a -> P).\n\n// \xff\n", "t.lts:3:4: error: byte 0xff"),
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("end", ENDS)
def test_a_problem_has_its_line(tmp_path, name, end):
    content, place = WRONG[name]
    path = with_end(tmp_path / name, content, end)
    result = run("show", path)
    assert result.code == 2
    assert place in result.err
    lines = result.err.splitlines()
    if any(set(line) <= {" ", "^"} for line in lines):
        assert lines[1].strip() == content.split(b"\n")[2].decode().strip()


@pytest.mark.parametrize("end", ENDS)
def test_a_case_and_a_table(tmp_path, end):
    path = with_end(tmp_path / "case.toml", CASE + b"titel = 3\n", end)
    with pytest.raises(SymrobError) as caught:
        load_cases(path)
    (problem,) = caught.value.diagnostics
    assert (problem.line, problem.source) == (4, "titel = 3")
    path = with_end(tmp_path / "case.toml", CASE + b"title = \n", end)
    with pytest.raises(SymrobError) as caught:
        load_cases(path)
    (problem,) = caught.value.diagnostics
    assert (problem.line, problem.source) == (4, "title = ")
    case = MODELS / "therac25.toml"
    table = tmp_path / "t.csv"
    assert run("candidates", case, "--out", table).code == 0
    content = table.read_bytes()
    assert b"\r" not in content
    with_end(table, content, end)
    assert run("summary", case, "--table", table).code == 0
    rows = content.split(b"\n")
    rows[4] = rows[4].replace(b"MODE", b"MOOD").replace(b"NO_", b"NOX")
    with_end(table, b"\n".join(rows), end)
    result = run("summary", case, "--table", table)
    assert result.code == 2
    assert "t.csv:5: error" in result.err
