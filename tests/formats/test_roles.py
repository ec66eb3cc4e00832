"""A file that gives roles to its parts is a whole case; what it decides is said."""

from pathlib import Path

import pytest

import symrob
from symrob.case import Case, parse_rule, parse_spec
from tests.cli.tools import run

FILES = "tests/data/formats"


@pytest.mark.parametrize("name", ["two_machines.wmod", "two_machines.cif"])
def test_both_files_are_one_case(name):
    given = ("compute", f"{FILES}/{name}", "--env", "MACHINE1", "--format", "json")
    done = run(*given)
    assert done.code == 0
    assert "C is MACHINE2, SUPERVISOR; P is BUFFER" in done.err
    assert '"delta"' in done.out


@pytest.mark.parametrize("name", ["two_machines.wmod", "two_machines.cif"])
def test_both_files_are_one_case_in_python(name):
    case = symrob.load_case(f"{FILES}/{name}")
    assert case.environment.component_names == ("MACHINE1", "MACHINE2")
    assert list(case.properties) == [f"{name}#BUFFER"]
    said = f"{name}: E is MACHINE1, MACHINE2; C is SUPERVISOR; P is BUFFER"
    assert case.case.said == said
    chosen = symrob.load_case(
        f"{FILES}/{name}",
        environment="MACHINE1",
        properties=["no start2 between start1 and finish1", "BUFFER"],
    )
    assert chosen.controller.component_names == ("MACHINE2", "SUPERVISOR")
    assert len(chosen.properties) == 2
    assert len(list(chosen.compute())) == 1
    with pytest.raises(symrob.SymrobError, match="specifies its own models"):
        symrob.load_case("models/therac25/therac25.toml", environment="NURSE")


def test_it_stands_wherever_a_case_file_does(tmp_path):
    path = f"{FILES}/two_machines.cif"
    done = run("compare", path, path)
    assert done.code == 0
    assert done.err.count("E is MACHINE1, MACHINE2; C is SUPERVISOR") == 2
    rows = tmp_path / "rows.jsonl"
    assert run("batch", path, "--out", rows).code == 0
    assert '"complete"' in rows.read_text()
    assert run("convert", path, tmp_path / "loop.tra", "--closed-loop").code == 0


def test_what_is_written_for_others_tells_nothing_of_this_machine(tmp_path):
    path = tmp_path / "two_machines.cif"
    path.write_text(Path(FILES, path.name).read_text())
    page = tmp_path / "page.html"
    done = run("explore", path, "--env", "MACHINE1", "--out", page)
    assert str(tmp_path) not in page.read_text() + done.err.replace(str(page), "")
    assert "two_machines.cif#BUFFER" in page.read_text()


def test_absolute_paths_are_called_by_the_ends_that_tell_them_apart():
    rules = ("/a/b/p.lts#P", "/c/b/p.lts", "q.lts", "never x")
    models = parse_spec("/a/e.cif#M.N,O"), parse_spec("/a/e.cif#C")
    case = Case(*models, tuple(map(parse_rule, rules)))
    assert case.names["environment"] == ("e.cif#M.N,O",)
    assert case.names["controller"] == ("e.cif#C",)
    ends = ("a/b/p.lts#P", "c/b/p.lts", "q.lts", "never x")
    assert case.names["properties"] == ends


def test_defaults_and_names():
    path = f"{FILES}/two_machines.cif"
    done = run("check", path)
    assert "E is MACHINE1, MACHINE2; C is SUPERVISOR; P is BUFFER" in done.err
    done = run("check", path, "--env", "MACHINE1", "--ctrl", "MACHINE2")
    assert done.code == 1
    assert "P is BUFFER (" in done.err
    done = run("check", path, "--env", "MACHNE1", "--prop", "NOTHING")
    assert done.code == 2
    assert "did you mean 'MACHINE1'" in done.err
    assert "no part 'NOTHING'" in done.err
    done = run("check", path, "--env", "MACHINE1,MACHINE2", "--prop", "never start1")
    assert done.code == 1


def test_a_role_without_a_part_is_told(tmp_path):
    path = tmp_path / "x.cif"
    path.write_text("event e; plant p: location a: initial; edge e; end")
    done = run("check", path)
    assert done.code == 2
    for role in ("no supervisor can serve as C", "no specification can serve as P"):
        assert role in done.err


def test_the_closed_loop_for_other_tools(tmp_path):
    out = tmp_path / "loop.tra"
    case = "models/therac25/therac25.toml"
    assert run("convert", case, out, "--closed-loop").code == 0
    assert (tmp_path / "loop.sta").exists()
    assert '"error"' in (tmp_path / "loop.lab").read_text()
    assert run("convert", "models/therac25/nurse.lts", out, "--closed-loop").code == 2


@pytest.mark.parametrize("suffix", ["mmd", "puml"])
def test_drawn_for_other_tools(tmp_path, suffix):
    out = tmp_path / f"x.{suffix}"
    assert run("draw", "models/therac25/therac25.toml", "--out", out).code == 0
    begin = {"mmd": "stateDiagram-v2", "puml": "@startuml"}[suffix]
    assert begin in out.read_text()


def test_names_are_made_printable(tmp_path):
    path = tmp_path / "hostile.json"
    shown = Path(FILES, "lift.json").read_text().replace('"LIFT"', r'"LIFT\u001b[31m"')
    path.write_text(shown)
    done = run("check", path)
    assert r"C is LIFT\x1b[31m;" in done.err
    assert "\x1b" not in done.err


def test_strict_is_about_the_whole_case(tmp_path):
    """Also where E alone is written: no other model may warn."""
    text = (
        'environment = "m.cif#E"\ncontroller = "m.cif#C"\nproperties = ["never a"]\n'
        'constraints = ["never nothing"]\n'
    )
    model = (
        "event a, b; plant E: location x: initial; edge b; end\n"
        "supervisor C: location x: initial; edge b; location y: edge a; end"
    )
    (tmp_path / "m.cif").write_text(model)
    (tmp_path / "case.toml").write_text(text)
    given = ("convert", tmp_path / "case.toml", tmp_path / "e.json")
    assert run(*given).code == 0
    done = run(*given, "--strict")
    assert done.code == 2
    assert "nothing" in done.err
