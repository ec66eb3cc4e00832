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


DOOR = """controllable open, shut; uncontrollable up, down, tick;
plant S: location a: initial; edge up goto b; location b: edge down goto a; end
plant T: location x: initial; edge tick when S.a goto y; location y: edge tick; end
plant D: location closed: initial; edge open goto wide;
  location wide: edge shut goto closed; end
requirement invariant limit: open needs S.a;
requirement invariant apart: not (D.wide and S.b);
requirement up needs D.closed;
requirement R: location: initial; edge open goto one; location one: edge shut; end
"""
ROLES = """title = "door"
[roles]
model = "door.cif"
environment = ["S"]
"""


def case_of(tmp_path, text, model=DOOR):
    (tmp_path / "door.cif").write_text(model)
    path = tmp_path / "case.toml"
    path.write_text(text)
    return path


def sentences(path):
    return [*symrob.load_case(path).case.properties]


def test_a_case_chooses_roles(tmp_path):
    path = case_of(tmp_path, ROLES)
    loaded = symrob.load_case(path)
    assert loaded.case.environment.part == ("S",)
    assert loaded.controller.component_names == ("T", "D", "supervisor(R)")
    states = ["up only while D is closed", "never D is wide and S is b"]
    tick = "tick enabled only while (T is x and S is a) or T is y"
    guards = [tick, "open enabled only while S is a"]
    model = str(tmp_path / "door.cif")
    (rule, *others) = sentences(path)
    assert (rule.path, rule.part) == (model, ("R",))
    assert others == [states[1], states[0], *guards]
    # What is said of requirements.
    both = ROLES + 'properties = ["limit"]\nguards = ["R"]\n'
    found = sentences(case_of(tmp_path, both))
    assert found == ["open only while S is a", states[1], states[0], guards[0]]
    assert symrob.load_case(path).controller.components[2].alphabet == ("open", "shut")
    # C is what is named; properties of the case win.
    some = f'properties = ["never tick"]\n{ROLES}controller = ["D"]\n'
    assert sentences(case_of(tmp_path, some)) == ["never tick", *guards]
    # E takes in what its plants read.
    more = case_of(tmp_path, ROLES.replace('["S"]', '["T", "S"]'))
    assert symrob.load_case(more).case.environment.part == ("S+T",)
    assert sentences(more)[-1] == "open enabled only while S+T is a+x or a+y"


def test_a_case_with_roles_is_computed_and_kept(tmp_path):
    text = ROLES + 'properties = ["R"]\n[limits]\nmax_states = 1000\n'
    path = case_of(tmp_path, text, DOOR.replace("requirement up needs D.closed;", ""))
    done = run("compute", path, "--format", "json")
    assert done.code in (0, 1)
    assert "door.cif: E is S; C is T, D; P is R, 1 requirement on states;" in done.err
    rows = tmp_path / "rows.jsonl"
    assert run("batch", path, "--out", rows).code == done.code
    again = symrob.load_case(path).case.document()
    assert again["roles"]["properties"] == ["R"]
    tight = case_of(tmp_path, text.replace("1000", "1"))
    assert run("check", tight).code == 3


def test_roles_that_do_not_fit_have_their_place(tmp_path):
    text = ROLES.replace('["S"]', '["T", "Q"]') + (
        'controller = ["D", "T", "Z"]\nproperties = ["limit", "lmit"]\n'
        'guards = ["apart", "limit", "up"]\n'
    )
    with pytest.raises(symrob.SymrobError) as caught:
        symrob.load_case(case_of(tmp_path, text))
    found = [(d.line, d.column, d.message) for d in caught.value.diagnostics]
    assert all(d.file.endswith("case.toml") for d in caught.value.diagnostics)
    assert [(line, column) for line, column, _ in found] == [
        (4, 16),
        (4, 21),
        (5, 20),
        (5, 25),
        (6, 24),
        (7, 11),
        (7, 20),
    ]
    words = (
        "'T' depends on S, which E lacks",
        "this file has no plant 'Q'",
        "'T' is a part of E",
        "this file has no part 'Z'",
        "no requirement has the name or the event 'lmit'",
        "'apart' is about states and cannot be a guard",
        "'limit' is also named as a property",
    )
    for (_line, _column, message), word in zip(found, words, strict=True):
        assert message.startswith(word)
    done = run("check", case_of(tmp_path, ROLES + 'guards = ["R", "up"]\n'))
    assert "case.toml:5:16: error: C takes no part in 'up'" in done.err


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f'environment = "door.cif#S"\n{ROLES}', "conflicts with 'roles'"),
        (ROLES.replace('model = "door.cif"', ""), "'roles.model' is missing"),
        (ROLES.replace('["S"]', "[]"), "must be a non-empty list of names"),
        (
            ROLES + '[matrix]\ncontrollers = ["a.lts"]\n',
            "'matrix.controllers' conflicts",
        ),
    ],
)
def test_a_table_of_roles_is_checked(tmp_path, text, words):
    done = run("check", case_of(tmp_path, text))
    assert done.code == 2
    assert words in done.err


def test_the_plants_of_e_do_not_read_c():
    path = "models/cif/lock.cif"
    done = run("check", path, "--env", "nothing")
    assert done.code == 2
    assert "this file has no plant 'nothing'" in done.err


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


def test_a_file_that_does_not_say_what_is_e(tmp_path):
    """A guard of an action in which only plants take part, which would all be E."""
    path = tmp_path / "m.cif"
    plant = "plant {}: controllable c; uncontrollable u; location a: initial; edge c "
    plant += "goto b; location b: edge u goto a; end\n"
    path.write_text(
        plant.format("A")
        + plant.format("B")
        + "requirement r: location a: initial; edge A.c goto b; location b: edge A.u "
        "goto a; end requirement B.c needs A.a;"
    )
    with pytest.raises(symrob.SymrobError) as caught:
        symrob.load_case(str(path))
    (problem,) = caught.value.diagnostics
    assert "does not say which plants are E: 'B.c' has a guard" in problem.message
    assert "environment=NAME" in problem.hint
    assert symrob.load_case(str(path), environment="A").compute().complete
