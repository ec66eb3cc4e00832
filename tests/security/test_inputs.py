"""Files of strangers: no path leaves their folder, and none asks for too much."""

import json
import time

import pytest

from tests.cli.tools import run

PLAIN = "P = (a -> P)."
ROLES = ("environment", "controller", "properties", "constraints", "weights")


@pytest.fixture
def folders(tmp_path):
    """A folder with a model, and one inside it where case files stand."""
    inner = tmp_path / "inner"
    inner.mkdir()
    for folder in (tmp_path, inner):
        (folder / "m.lts").write_text(PLAIN)
        (folder / "w.toml").write_text("default = 1\n")
    (inner / "link.lts").symlink_to(tmp_path / "m.lts")
    (inner / "up").symlink_to(tmp_path)
    return tmp_path, inner


def case(inner, role, path):
    """A case file of which one role is at a path."""
    values = {
        "environment": '"m.lts"',
        "controller": '"m.lts"',
        "properties": '["m.lts"]',
    }
    if role == "weights":
        values["top"] = "1"
    quoted = json.dumps(str(path))
    values[role] = f"[{quoted}]" if role in ("properties", "constraints") else quoted
    file = inner / "case.toml"
    file.write_text("".join(f"{k} = {v}\n" for k, v in values.items()))
    return file


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("way", ["../{}", "up/{}", "link", "absolute", "./x/../../{}"])
def test_no_path_of_a_case_file_leaves_its_folder(folders, role, way):
    outer, inner = folders
    name = "w.toml" if role == "weights" else "m.lts"
    if way == "link" and role == "weights":
        (inner / "link.lts").unlink()
        (inner / "link.lts").symlink_to(outer / name)
    path = {"link": "link.lts", "absolute": str(outer / name)}.get(way)
    file = case(inner, role, path or way.format(name))
    for command in ("check", "lint"):
        done = run(command, file)
        said = done.out + done.err
        assert done.code == 2, (command, said)
        assert "is outside the folder of the case file" in said
        assert "[case-outside]" in said
    inside = case(inner, role, name)
    assert run("check", inside).code == 0
    if way != "./x/../../{}" and role != "weights":
        file = case(inner, role, path or way.format(name))
        for command in ("check", "lint"):
            assert run(command, file, "--allow-outside").code == 0
        assert run("compare", file, file, "--allow-outside").code == 0


def test_an_import_does_not_leave_the_folder_either(folders):
    outer, inner = folders
    (outer / "secret.aut").write_text('des (0,1,1)\n(0,"a",0)\n')
    (inner / "m.lts").write_text('import IN = "../secret.aut"\n||S = (IN).\n')
    file = case(inner, "environment", "m.lts#S")
    done = run("check", file)
    assert done.code == 2
    assert "[format-outside]" in done.err


DEEP = 100_000
BOMBS = {
    "deep.json": "[" * DEEP,
    "deep-closed.json": "[" * DEEP + "]" * DEEP,
    "states.json": '{"alphabet": [], "states": 1e999, "transitions": []}',
    "large.json": f'{{"alphabet": [], "states": {"9" * 4000}, "transitions": []}}',
    "digits.json": f'{{"alphabet": [], "states": {"9" * 100_000}, "transitions": []}}',
    "many.json": '{"alphabet": [], "states": 1000000000, "transitions": []}',
    "states.aut": "des (0, 999999999999, 999999999999)\n",
    "digits.aut": f"des (0, {'9' * 100_000}, 3)\n",
    "digits.fsm": f"{'9' * 100_000}\n",
    "deep.lts": "P = (a -> " * 500 + "STOP" + ")" * 500 + ".",
    "brackets.lts": "const N = " + "(" * DEEP + "1" + ")" * DEEP + "\n" + PLAIN,
    "digits.lts": f"const N = {'9' * 100_000}\nP = P[0], P[i:0..N] = (a -> P[i]).",
    "power.lts": "const N = 1 << 1000000000\nP = (a[N] -> P).",
    "product.lts": "const N = 9999999999 * 9999999999\nP = (a[0..N] -> P).",
    "range.lts": "P = (a[0..9][0..9999][0..9999] -> P).",
    "copies.lts": "||S = (forall [i:0..99][j:0..9999] p[i][j]:P). " + PLAIN,
}


@pytest.mark.parametrize("name", BOMBS)
def test_small_files_cannot_ask_for_much(tmp_path, name):
    path = tmp_path / name
    path.write_text(BOMBS[name])
    for command in ("show", "lint"):
        begun = time.process_time()
        done = run(command, path)
        assert done.code in (2, 3), (command, done.out[:200])
        assert done.err or command == "lint"
        assert time.process_time() - begun < 10


CASES = {
    "deep": "title = " + "[" * DEEP,
    "tables": "".join(f"[{'.'.join('a' * (i + 1))}]\n" for i in range(300)),
    "digits": f"[constants]\nN = {'9' * 100_000}\n",
    "matrix": 'environment = "e"\n[matrix]\n'
    + "".join(
        f"{k} = {json.dumps(['m'] * 500)}\n" for k in ("controllers", "properties")
    )
    + "".join(
        f"constants.{c} = {json.dumps(list(range(500)))}\n" for c in ("A", "B", "C")
    ),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("command", ["check", "gate", "lint"])
def test_case_files_and_policies_cannot_either(tmp_path, name, command):
    path = tmp_path / "case.toml"
    path.write_text(CASES[name])
    begun = time.process_time()
    done = run(command, path)
    assert done.code in (2, 3)
    assert done.err or command == "lint"
    assert time.process_time() - begun < 10


@pytest.mark.parametrize("outside", [(), ("--allow-outside",)])
def test_a_path_with_the_character_nul_is_told(tmp_path, outside):
    case = 'environment = "a\\u0000b"\ncontroller = "c.lts"\nproperties = ["p.lts"]\n'
    path = tmp_path / "case.toml"
    path.write_text(case)
    policy = tmp_path / "policy.toml"
    policy.write_text('case = "a\\u0000b"\nresilience = 1\n')
    for args in (
        ("check", path),
        ("gate", policy),
        ("lint", path),
        ("batch", path, "--out", tmp_path / f"rows{len(outside)}.jsonl"),
    ):
        done = run(*args, *outside)
        assert done.code == 2
        assert "the character NUL" in done.out + done.err


def test_results_cannot_either(tmp_path):
    path = tmp_path / "r.json"
    model = "models/running_example/running_example.toml"
    for text in (
        "[" * DEEP,
        "9" * 100_000,
        '{"schema": "symrob/result/1", "delta": 3}',
    ):
        path.write_text(text)
        done = run("verify", path, model)
        assert done.code == 2, done.err
        done = run("results", path)
        assert done.code == 2, done.err
