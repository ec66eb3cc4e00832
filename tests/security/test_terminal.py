"""What goes to a terminal: no name can steer it or forge a line."""

import json

import pytest

from tests.cli.tools import run
from tests.security.hostile import (
    GROUPS,
    HOSTILE,
    check_terminal,
    harmful,
    models,
    unsafe_models,
)


def calls(folder, group):
    """Every command that prints names, as text."""
    given = models(folder, group)
    policy = folder / "policy.toml"
    policy.write_text(
        f"title = {json.dumps(group[0])}\nresilience = 2\n[[tolerates]]\n"
        f"name = {json.dumps(group[-1])}\ntransitions = ['*,*,1', '0,*,0']\n"
    )
    yield ("compute", *given, "--stats", "--limit", "2")
    yield ("check", *given)
    yield ("summary", *given)
    yield ("cuts", *given, "--traces", "--limit", "3")
    yield ("cuts", *given, "--order", "1")
    yield ("explain", *given, "--transition", "*,*,2")
    yield ("explain", *given, "--transition", "0,*,1", "--all")
    yield ("compare", *given, "--ctrl", folder / "e.json")
    yield ("gate", policy, *given)
    yield from [("show", folder / name) for name in ("e.json", "c.json", "p.json")]
    result = folder / "result.json"
    result.write_text(run("compute", *given, "--limit", "2", "--format", "json").out)
    yield ("verify", result, *given, "--traces")
    yield ("lint", folder / "e.json")


@pytest.mark.parametrize("group", GROUPS, ids=range(len(GROUPS)))
def test_text_of_every_command(tmp_path, group):
    shown = ""
    for args in calls(tmp_path, group):
        done = run(*args)
        assert done.code in (0, 3, 4), (args, done.err)
        check_terminal(done.out)
        check_terminal(done.err)
        shown += done.out
    for name in group:
        assert name[:1] in shown or ascii(name)[1:4] in shown


@pytest.mark.parametrize("group", GROUPS, ids=range(len(GROUPS)))
def test_the_trace_of_an_unsafe_plan(tmp_path, group):
    done = run("check", *unsafe_models(tmp_path, group))
    assert done.code == 1
    check_terminal(done.err)
    assert "violating trace" in done.err


@pytest.mark.parametrize("name", HOSTILE)
def test_messages_about_names(tmp_path, name):
    path = tmp_path / "m.json"
    good = {"alphabet": ["a"], "states": 1, "transitions": []}
    faults = (
        {**good, name: 1},
        {**good, "transitions": [[0, name, 0]]},
        {**good, "names": [name, name]},
        {**good, "end": name},
    )
    for data in faults:
        path.write_text(json.dumps(data), encoding="utf-8")
        for command in ("show", "lint"):
            done = run(command, path)
            assert done.code == 2
            check_terminal(done.out + done.err)
    for suffix, text in ((".lts", f"P = ({name} -> P)."), (".aut", f"des ({name}\n")):
        other = tmp_path / f"m{suffix}"
        other.write_text(text, encoding="utf-8", newline="")
        done = run("show", other)
        check_terminal(done.out + done.err)
    case = tmp_path / "case.toml"
    case.write_text(f"{json.dumps(name)} = 1\ntitle = {json.dumps(name)}\n")
    done = run("check", case)
    assert done.code == 2
    check_terminal(done.err)
    done = run("show", name.replace("\0", "") + ".lts")
    assert done.code == 2
    check_terminal(done.err)
    done = run("explain", *models(tmp_path), "--transition", f"0,{name},{name}x")
    check_terminal(done.err)


@pytest.mark.parametrize("group", GROUPS, ids=range(len(GROUPS)))
def test_json_can_be_shown_on_a_terminal(tmp_path, group):
    given = models(tmp_path, group)
    for args in (
        ("compute", *given, "--limit", "2", "--format", "json"),
        ("compute", *given, "--limit", "2", "--format", "jsonl"),
        ("show", tmp_path / "e.json", "--format", "json"),
    ):
        done = run(*args)
        assert done.code in (0, 3)
        check_terminal(done.out)
        for line in done.out.splitlines():
            json.loads(line)
    result = json.loads(run("compute", *given, "--limit", "2", "--format", "json").out)
    assert result["environment"]["alphabet"] == sorted(group)


def test_the_check_can_fail():
    for name in HOSTILE[7:11]:
        with pytest.raises(AssertionError):
            check_terminal(f"a {name} b")
    assert harmful("plain text → Δ") == set()
