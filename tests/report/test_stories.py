"""Stories of cases without words; what is not said to be blocked; the layout."""

import json
import re
import shutil
from itertools import pairwise

import pytest

from symrob.limits import BUDGETS
from tests.cli.tools import ROOT, run

THERAC = "models/therac25/therac25.toml"
ABP = "models/abp/abp.toml"
CASES = [
    *("abp/abp", "level_crossing/barriers", "link/link", "oyster/oyster"),
    *("pca_pump/pca_pump", "press/press", "therac25/therac25"),
    *("token_ring/token_ring", "voting/voting_all"),
    "running_example/running_example",
]


@pytest.fixture(autouse=True)
def _time_enough(monkeypatch):
    """No part of a story is cut short on a busy machine."""
    monkeypatch.setitem(BUDGETS, "story", 600.0)


@pytest.fixture
def wordless(tmp_path):
    """Make a copy of a case that has no words and no names of classes."""

    def make(name, more=""):
        path = ROOT / "models" / name
        folder = tmp_path / path.parent.name
        shutil.copytree(path.parent, folder, dirs_exist_ok=True)
        (folder / "words.toml").unlink(missing_ok=True)
        text = path.read_text("utf-8")
        text = re.sub(r"^words = .*\n", "", text, flags=re.M)
        text = re.sub(r"^\[classes\]\n(?:.+\n)*", "", text, flags=re.M)
        case = folder / "wordless.toml"
        case.write_text(f"{text}\n{more}", "utf-8")
        return case

    return make


@pytest.mark.parametrize("name", CASES)
def test_a_story_without_words_is_told_by_names(wordless, name):
    case = wordless(f"{name}.toml")
    done = run("summary", case)
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert max(map(len, lines)) <= 100
    end = next(n for n, s in enumerate(lines, 1) if s.startswith("  violates "))
    assert end <= 25
    data = json.loads(run("summary", case, "--format", "json").out)
    story = data["story"]
    (cut, *_) = story["hazards"] or story["excluded_unsafe"]
    steps = cut["trace"]["steps"]
    models = [read_model(case, role) for role in ("environment", "controller")]
    told = [
        re.match(r"  ( \d|\d\d)  (\S+) +(\S+)( \(added\))?", s) for s in lines[:end]
    ]
    told = [match.groups() for match in told if match]
    # Planned steps in a row may be one line.
    for number, who, action, added in told:
        step = steps[int(number) - 1]
        assert action == step["action"]
        assert bool(added) == step["added"]
        actor = {"E": models[0], "C": models[1]}.get(step["who"], "+".join(models))
        assert who == (actor if len(actor) <= 22 else f"{actor[:21]}…")
    numbers = [int(number) for number, *_ in told]
    for first, last in re.findall(r"^  (\d+)–(\d+) as planned: ", done.out, re.M):
        run_ = range(int(first), int(last) + 1)
        assert len(run_) >= 3
        assert not any(steps[n - 1]["added"] for n in run_)
        numbers += run_
    assert sorted(numbers) == [*range(1, len(steps) + 1)]
    # What leads to the violation is told in full.
    assert {len(steps) - 1, len(steps)} <= {int(number) for number, *_ in told}


def read_model(case, role):
    """The name of the model in a role: its part, or its file."""
    (spec,) = re.findall(rf'^{role} = "(.*)"', case.read_text("utf-8"), re.M)
    return spec.partition("#")[2] or spec.removesuffix(".lts")


def refused(*args):
    """What E blocks with the plan alone, and with what is tolerated."""
    story = json.loads(run("summary", *args, "--format", "json").out)["story"]
    return [(b["state"], b["action"]) for b in story["refused"]], story


def test_what_is_not_asked_about_is_not_said_to_be_blocked():
    every, _ = refused(THERAC)
    assert every == [(1, "x")]
    for among in ("*,b,*", "NO_MODE,x,*"):
        few, story = refused(THERAC, "--among", among)
        assert few == []
        assert story["refused_with"] == []
        assert (
            "never does the following"
            not in run("summary", THERAC, "--among", among).out
        )
    assert refused(THERAC, "--among", "MODE_CHOSEN,x,*")[0] == every
    assert refused(THERAC, "--not-among", "*,x,*")[0] == []
    asked = ("--among", "*,enter,*", "--transition", "MODE_CHOSEN,enter,MODE_CHOSEN")
    text = run("explain", THERAC, *asked).out
    assert text.startswith("Therac-25 with the bug\nTolerated: ")
    assert "never does the following" not in text


def test_what_no_fault_mode_holds_is_not_said_to_be_blocked(wordless):
    every, _ = refused(ABP)
    text = (ROOT / ABP).read_text("utf-8")
    head = text[: text.index("[faults]")]
    case = wordless("abp/abp.toml")
    case.write_text(
        re.sub(r"^words = .*\n", "", head, flags=re.M)
        + "[faults]\nonly = true\n"
        + 'loss = "messages:CHANNEL,messages.put.*,CHANNEL"\n'
        + 'spurious = "messages:CHANNEL,messages.get.0,CHANNEL"\n',
        "utf-8",
    )
    few, story = refused(case)
    assert {action for _, action in every} > {"messages.get.0"}
    assert {action for _, action in few} == {"messages.get.0"}
    assert {*few} < {*every}
    # Only where the channel of the mode is empty, whatever the other one holds.
    named = [*story["refused"], *story["refused_with"]]
    assert all(one["name"].startswith("(CHANNEL, ") for one in named)
    assert all(one["action"] == "messages.get.0" for one in named)


@pytest.mark.parametrize(
    "case", [THERAC, "models/press/press.toml", "models/pca_pump/pca_pump.toml"]
)
def test_a_count_and_its_noun_stay_together(case):
    lines = run("summary", case).out.splitlines()
    end = lines.index("")
    assert end >= 2
    for line, below in pairwise(lines[1:end]):
        assert not re.search(r"[\d,]+$", line.rstrip(",")), (line, below)


def test_each_row_of_a_list_is_indented(wordless):
    """Also where the sources of an action take a line for themselves."""
    lines = run("summary", "models/pca_pump/pca_pump_every_line.toml").out.splitlines()
    start = next(n for n, s in enumerate(lines) if s.startswith("Always tolerated: "))
    rows = lines[start + 1 : lines.index("", start)]
    assert rows
    arrows = {row.index(" → ") for row in rows if " → " in row}
    assert len(arrows) == 1, "targets stand below each other"
    assert all(row.startswith("  ") for row in rows)
