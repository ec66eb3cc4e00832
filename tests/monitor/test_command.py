"""`symrob monitor` end to end, with names that would do harm, and what it refuses."""

import json
import re
import shutil
import subprocess
import sys
from random import Random

import pytest

from symrob.api.loading import load_roles
from symrob.api.stages import open_engine
from symrob.case import Case, Spec, load_case
from symrob.monitor.build import runtime_monitor
from symrob.monitor.names import identifier
from symrob.monitor.targets import TARGETS, text_of
from symrob.options import Options
from tests.cli.tools import ROOT, run
from tests.monitor import targets
from tests.security import hostile

CASE = "models/therac25/therac25.toml"


def monitor_of(case, observe=()):
    engine = open_engine(load_roles(case), Options())
    return runtime_monitor(engine, case.title, observe)


def test_the_race_of_the_therac_is_seen_before_it_kills():
    monitor = monitor_of(load_case(CASE))
    (answers,) = targets.by_python(monitor, [["x", "up", "e", "enter", "b"]])
    assert answers == [
        (0, 0, (), True),
        (2, 0, (), True),
        (2, 0, (), True),
        (2, 0, (), True),
        (2, 0, (), True),
    ]
    (answers,) = targets.by_python(monitor, [["e", "x", "enter", "b", "e"]])
    assert [kind for _, kind, _, _ in answers] == [0, 0, 1, 2, 2]
    assert answers[2] == (2, 1, ("b",), True)
    assert answers[4][3] is False


@pytest.mark.parametrize("target", TARGETS)
def test_a_monitor_is_written_or_printed(target, tmp_path):
    out = tmp_path / "watch dog.txt"
    done = run("monitor", CASE, "--target", target, "--out", out)
    assert (done.code, done.out) == (0, "")
    assert "5 actions observed; states: plan 5, danger 12, assumptions 5" in done.err
    printed = run("monitor", CASE, "--target", target, "--name", "watch dog")
    assert printed.out == out.read_text("ascii")


def test_what_is_observed_can_be_chosen():
    case = load_case(CASE)
    assert monitor_of(case, ["fire*", "b"]).actions == ("b", "fireElectron", "fireXray")
    done = run("monitor", CASE, "--observe", "fireXrax", "--observe", "nothing")
    assert done.code == 2
    assert "did you mean 'fireXray'?" in done.err
    assert done.err.count("[monitor-action]") == 2


def test_bounds_and_slips_are_told(tmp_path):
    done = run("monitor", CASE, "--states", "3")
    assert done.code == 3
    assert "the plan machine has more than 3 states" in done.err
    assert "with their numbers of states: none" in done.err
    done = run("monitor", CASE, "--states", "8", "--out", tmp_path / "half.py")
    assert done.code == 3
    assert "the danger machine has more than 8 states" in done.err
    assert "with their numbers of states: plan 5, assumptions 5" in done.err
    assert not list(tmp_path.iterdir())
    done = run("monitor", CASE, "--target", "pyton")
    assert done.code == 2
    assert "did you mean 'python'?" in done.err


@pytest.mark.parametrize("group", hostile.GROUPS)
def test_names_do_no_harm_in_any_language(group, tmp_path):
    given = hostile.models(tmp_path, group)
    environment, controller, prop = map(Spec, given[1::2])
    case = Case(environment, controller, (prop,), title="".join(group))
    monitor = monitor_of(case)
    rng = Random(4)
    traces = [[rng.choice(group) for _ in range(5)] for _ in range(10)]
    wanted = list(targets.by_python(monitor, traces))
    assert {kind for trace in wanted for _, kind, _, _ in trace} > {0}
    assert list(targets.by_mermaid(monitor, traces)) == wanted
    assert list(targets.by_st(monitor, traces)) == wanted
    for target in TARGETS:
        lines = text_of(monitor, target, group[0]).encode("ascii").split(b"\n")
        assert not any(c < 32 for line in lines for c in line)
    if shutil.which("cc"):
        assert list(targets.by_c(tmp_path, [monitor], [traces])) == [wanted]


# Ends of comments and texts, a trigraph, what languages keep for themselves.
NAMES = (
    "*/",
    "*)",
    "(*",
    "/*",
    "??/",
    "??)",
    '"',
    "'",
    "\\",
    "$",
    "%s",
    "};",
    "_",
    "int",
)


def test_ends_of_comments_and_texts_are_taken_apart(tmp_path):
    names = ["a", *NAMES, "class", "END_VAR", "__init__", "A", "\u00e9"]
    line = [[i, name, i + 1] for i, name in enumerate(names)]
    lts = {"alphabet": names, "states": len(names) + 1, "transitions": line}
    (tmp_path / "e.json").write_text(json.dumps(lts))
    (tmp_path / "p.json").write_text(
        json.dumps({**lts, "transitions": line[:-1] + line})
    )
    model, prop = Spec(str(tmp_path / "e.json")), Spec(str(tmp_path / "p.json"))
    monitor = monitor_of(Case(model, model, (prop,), title="*/ *) ??/"))
    traces = [names, names[:4], names[3:]]
    wanted = list(targets.by_python(monitor, traces))
    for reader in (targets.by_mermaid, targets.by_st):
        assert list(reader(monitor, traces)) == wanted
    if shutil.which("cc"):
        assert list(targets.by_c(tmp_path, [monitor], [traces])) == [wanted]


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("a b", "a_b"),
        ("", "m"),
        ("9", "m_9"),
        ("__x__", "x"),
        ("\u00e9", "m"),
        ("a--b", "a_b"),
    ],
)
def test_identifiers(name, wanted):
    assert identifier(name) == wanted


def test_classes_with_the_names_of_python(tmp_path):
    monitor = monitor_of(load_case(CASE))
    for name in ("class", "None", "Answer", "NamedTuple"):
        compile(text_of(monitor, "python", name), name, "exec")
        names = {}
        exec(text_of(monitor, "python", name), names)
        assert names[f"{name}_"]().observe("x").danger == "safe"


def test_the_page_of_monitors_tells_the_truth(tmp_path, monkeypatch):
    page = (ROOT / "docs/monitors.md").read_text("utf-8")
    (command,) = re.findall(r"\$ symrob (.*)", page)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "out").mkdir()
    case, *rest = command.split()[1:]
    done = run("monitor", ROOT / case, *rest)
    assert done.err in page
    (program,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    made = subprocess.run(
        [sys.executable, "-c", program],
        cwd="out",
        capture_output=True,
        text=True,
        check=True,
    )
    lines = [f"    {line}\n" for line in made.stdout.splitlines()]
    assert len(lines) == 4
    assert "".join(lines) in page
    text = run("monitor", ROOT / case, "--target", "c", "--name", "therac").out
    names = {*re.findall(r"\b(?:therac|THERAC)_\w+", page)}
    assert names
    assert {name for name in names if name not in text} == set()


def test_one_action_is_one():
    done = run("monitor", CASE, "--observe", "b", "--target", "python")
    assert "1 action observed" in done.err
