"""`symrob explain` and `symrob cuts` end to end: words, JSON, exit codes."""

import json
import re
import signal
import sys

import pytest

import symrob
from symrob import Lts
from symrob.envelope import safe_sets
from symrob.report.cuts import verdict_lines
from symrob.report.explain import explanation_lines
from symrob.report.json import document, dumps
from tests.cli.tools import run, spawn, start
from tests.schemas import validate

THERAC = "models/therac25/therac25.toml"
ANY_NURSE = "models/therac25/therac25_unconstrained.toml"
SAFE = "models/therac25/therac20_unconstrained.toml"
VOTING = "models/voting/voting_cfm_unconstrained.toml"
UNSAFE = (
    *("--env", "models/therac25/nurse.lts"),
    *("--ctrl", "models/therac25/machines.lts#THERAC25"),
    *("--prop", "models/therac25/xflat_espread.lts"),
)
RETRY = "MODE_CHOSEN,enter,MODE_CHOSEN"


def valid(text, name):
    """The JSON of a command, after a look at its schema."""
    data = json.loads(text)
    validate(data, name)
    return data


def explained(*args, case=THERAC, code=0):
    done = run("explain", case, *args, "--format", "json")
    assert done.code == code
    return valid(done.out, "explain")


def test_a_transition_that_is_not_tolerated():
    """One line says why, and the run marks the step that does it."""
    done = run("explain", THERAC, "--transition", "MODE_CHOSEN,e,NO_MODE")
    assert done.code == 0
    assert "Hazardous: E with 1 added transition violates\n  'X-rays" in done.out
    assert (
        "\n\nA shortest violating trace:\n  start     nurse, terminal: no" in done.out
    )
    assert done.out.count(" (added)") == 1
    data = explained("--transition", "MODE_CHOSEN,e,NO_MODE")
    assert data["verdict"] == data["cut"]["verdict"] == "hazardous"
    assert data["cut"]["transitions"] == [[1, "e", 0]]
    assert [t["violated"] for t in data["violations"]] == ["xflat.lts"]
    added = [step["action"] for step in data["trace"]["steps"] if step["added"]]
    assert added == ["e"]
    assert data["addable"] is None


def test_the_smallest_part_of_a_set_is_named():
    texts = ["CONFIRMED,e,NO_MODE", "3,*,3", "CONFIRMED,up,CONFIRMED", "0,e,1"]
    args = [arg for text in texts for arg in ("--transition", text)]
    done = run("explain", ANY_NURSE, *args)
    assert "Of these, 2 suffice, and no fewer:\n" in done.out
    assert "violating trace, with only these added:\n  start " in done.out
    assert "Planned: E already has 1 of these transitions" in done.out
    data = explained(*args, case=ANY_NURSE)
    assert data["cut"]["transitions"] == [[2, "e", 0], [2, "up", 2]]
    assert data["nominal"] == [[0, "e", 1]]
    assert len(data["new"]) == 7


def test_a_transition_that_is_tolerated():
    done = run("explain", THERAC, "--transition", RETRY)
    assert "Tolerated: E with 1 added transition is safe" in done.out
    assert "Tolerated together with it, one at a time: 15 transitions" in done.out
    excluded = "Individually tolerated, but not together with it: 4 transitions"
    assert excluded in done.out
    part_of = "Part of 2 maximal deviations\nOne with 19 transitions, which adds 14 "
    assert f"\n{part_of}besides the given one\n" in done.out
    assert "Deviation 1" not in done.out, "other commands know it by another number"
    data = explained("--transition", RETRY)
    assert (len(data["addable"]), len(data["excluded"])) == (15, 4)
    assert (len(data["deviations"]), data["more"]) == (2, False)
    assert all([1, "enter", 1] in d for d in data["deviations"])


def test_what_the_environment_does_already():
    done = run("explain", THERAC, "--transition", "NO_MODE,e,MODE_CHOSEN")
    assert "Tolerated: no transition is added" in done.out
    assert "Planned: E already has 1 of these transitions" in done.out


def test_what_can_never_fire_is_marked():
    """Nothing leads to state 1 but what is tolerated; c is never offered."""
    environment = Lts(("a", "b", "c"), 2, [(0, "a", 0)])
    machine = Lts(("a", "b", "c"), 1, [(0, "a", 0), (0, "b", 0)])
    rule = Lts(("a",), 1, [(0, "a", 0)])
    found = symrob.compute(environment, machine, [rule])
    answer = found.explain([(0, "b", 0), (1, "b", 1), (0, "c", 0)])
    assert answer.idle == {(1, "b", 1), (0, "c", 0)}
    assert answer.inert == {(0, "c", 0)}
    lines = list(explanation_lines(answer, ""))
    assert lines[:7] == [
        "Tolerated: E with 3 added transitions is safe",
        "  b  0 → 0 (foreign action)",
        "     1 → 1* (foreign action)",
        "  c  0 → 0* (foreign action)",
        "* can never fire with these transitions",
        "1 of these can never fire in any other tolerated deviation either:",
        "  c  0 → 0",
    ]
    answer = found.explain([(0, "c", 0)])
    told = "* can never fire in any other tolerated deviation either"
    assert told in [*explanation_lines(answer, "")]


def test_a_limit_on_the_deviations_shown_is_no_limit_on_the_verdict():
    done = run("explain", THERAC, "--transition", RETRY, "--limit", "1")
    assert done.code == 0
    assert "\nPart of more than 1 maximal deviation; --limit N shows" in done.out
    data = explained("--transition", RETRY, "--limit", "0")
    assert (data["deviations"], data["more"], data["status"]) == ([], True, "complete")


def test_a_deviation_of_a_result(tmp_path):
    """Each deviation of Δ is inside, and nothing can be added to it."""
    path = tmp_path / "result.json"
    path.write_text(run("compute", THERAC, "--format", "json").out)
    for number in range(1, 5):
        data = explained("--deviation", f"{path}#{number}")
        assert data["verdict"] == "tolerated"
        assert data["addable"] == []
        assert data["more"] is False
        assert len(data["deviations"]) == 1
    data = explained("--deviation", path, "--transition", "TREATED,b,*")
    assert data["verdict"] == "excluded-unsafe"
    assert data["cut"]["transitions"] == [[1, "enter", 3], [3, "b", 0]]


def test_the_problems_of_all_parts_at_once():
    done = run(
        *("explain", THERAC, "--transition", "NOMODE,e,*", "--transition", "x"),
        *("--deviation", "nowhere.json"),
    )
    assert done.code == 2
    assert "its states: NO_MODE, " in done.err
    assert "[transition-syntax]" in done.err
    assert "nowhere.json" in done.err
    assert done.out == ""


@pytest.mark.parametrize(
    "args",
    [
        ("explain", THERAC),
        ("explain", THERAC, "--transition", RETRY, "--format", "xml"),
        ("explain", THERAC, "--transition", RETRY, "--limit", "-1"),
        ("cuts", THERAC, "--format", "xml"),
        ("cuts", THERAC, "--order", "0"),
        ("cuts", THERAC, "--limit", "0"),
        ("cuts", "nowhere.toml"),
    ],
)
def test_wrong_usage(args):
    done = run(*args)
    assert done.code == 2
    assert done.out == ""
    assert done.err != ""


@pytest.mark.parametrize(
    "args", [("cuts",), ("explain", "--transition", "NO_MODE,e,NO_MODE")]
)
def test_an_unsafe_plan_has_no_envelope(args):
    done = run(args[0], *UNSAFE, *args[1:])
    assert done.code == 1
    assert "A shortest violating trace:" in done.err


def test_a_time_limit_before_the_verdict():
    done = run("explain", VOTING, "--transition", "*,*,*", "--timeout", "1e-9")
    assert done.code == 3
    assert "--timeout" in done.err
    assert done.out == ""


def test_cuts_in_words():
    done = run("cuts", THERAC)
    assert done.code == 0
    assert "\n5 transitions individually hazardous:\n" in done.out
    run_of_up = (
        "up MODE_CHOSEN → NO_MODE (foreign action) violates xflat.lts: the nurse "
        "chooses electrons → the nurse goes back with 'up' (added) → the turntable "
    )
    assert run_of_up in " ".join(done.out.split())
    unsafe = "5 transitions individually unsafe, excluded by an assumption:"
    assert f"\n{unsafe}\n" in done.out
    assert "\n5 minimal hazardous sets: 5 of size 1; " in done.out
    outside = "56 minimal sets that violate only an assumption"
    assert f"\n{outside}: 46 of size 1, 10 of size 2\n" in done.out
    assert "Resilience within the assumptions: 1; a single added" in done.out
    listed = run("cuts", THERAC, "--outside").out
    safe = "transitions individually safe, excluded by an assumption:"
    # 50 sets are listed, the others are counted.
    assert f"\nThe first 45 {safe}\n" in listed
    assert "\nNot listed: 16 sets; --all lists all\n" in listed
    whole = run("cuts", THERAC, "--outside", "--all").out
    assert f"\n46 {safe}\n" in whole
    pairs = re.findall(r"\nSet [\d,]+, safe, excluded by an assumption: (\d)", whole)
    assert pairs == ["2"] * 10


def test_traces_of_all():
    every = run("cuts", THERAC, "--traces").out
    assert every.count("\n  start     ") == 10


def test_long_tables_are_cut_unless_all_is_asked_for():
    pump = "models/pca_pump/pca_pump.toml"
    short = run("cuts", pump).out
    assert "\n  traces not shown (--all shows them): 10\n" in short
    whole = run("cuts", pump, "--all").out
    assert "--all" not in whole
    assert len(whole.splitlines()) > len(short.splitlines())


def test_cuts_as_json():
    done = run("cuts", THERAC, "--format", "json")
    data = valid(done.out, "cuts")
    assert data["status"] == "complete"
    assert data["resilience"] == {"size": 1, "harmless": 0}
    assert data["sizes"] == {
        "hazardous": {"1": 5},
        "excluded-unsafe": {"1": 5},
        "excluded-safe": {"1": 46, "2": 10},
    }
    verdicts = sorted(c["verdict"] for c in data["cuts"])
    assert verdicts == ["excluded-unsafe"] * 5 + ["hazardous"] * 5
    assert all(c["trace"] is None for c in data["cuts"])
    done = run("cuts", THERAC, "--format", "json", "--traces", "--order", "1")
    data = valid(done.out, "cuts")
    assert data["order"] == 1
    assert len(data["cuts"]) == 10
    assert all(c["trace"]["steps"][-1]["monitors"].count("ERROR") for c in data["cuts"])


def test_cuts_as_json_lines():
    lines = run("cuts", THERAC, "--format", "jsonl").out.splitlines()
    head, *cuts, end = (valid(line, "cuts-lines") for line in lines)
    assert head["schema"] == "symrob/cuts-lines/3"
    whole = valid(run("cuts", THERAC, "--format", "json").out, "cuts")
    assert sorted(map(str, cuts)) == sorted(map(str, whole["cuts"]))
    assert end["sizes"] == whole["sizes"]


def test_nothing_can_break_the_repaired_machine():
    done = run("cuts", SAFE)
    assert done.code == 0
    assert "\n0 minimal hazardous sets; " in done.out
    assert "\nNo deviation can violate a property\n" in done.out
    data = valid(run("cuts", SAFE, "--format", "json").out, "cuts")
    assert data["resilience"] == {"size": None, "harmless": 76}
    assert data["cuts"] == []


def test_only_the_resilience():
    """One smallest set, how it breaks the system, and that is all."""
    done = run("cuts", THERAC, "--resilience")
    assert done.code == 0
    assert "A smallest set, hazardous: 1 transition" in done.out
    assert "violates xflat.lts: the nurse" in " ".join(done.out.split())
    assert done.out.endswith(
        "them: 1; a single added transition can violate a property\n"
    )
    assert "individually" not in done.out
    done = run("cuts", THERAC, "--resilience", "--format", "json")
    data = valid(done.out, "cuts")
    assert (done.code, data["resilience"]["size"], len(data["cuts"])) == (0, 1, 1)
    done = run("cuts", SAFE, "--resilience")
    assert done.code == 0
    assert "\nNo deviation can violate a property\n" in done.out
    done = run("cuts", THERAC, "--resilience", "--timeout", "1e-9")
    assert done.code == 3


def test_a_limit_marks_what_is_there():
    done = run("cuts", ANY_NURSE, "--limit", "12")
    assert done.code == 3
    assert "Incomplete (stopped after --limit 12 sets)" in done.out
    assert "Resilience: 1" in done.out
    data = valid(
        run("cuts", ANY_NURSE, "--limit", "12", "--format", "json").out, "cuts"
    )
    assert (data["status"], len(data["cuts"])) == ("limit", 12)


def test_a_time_limit_keeps_what_was_found():
    done = run("cuts", VOTING, "--timeout", "1")
    assert done.code == 3
    assert "Set 4, hazardous: 2 transitions" in done.out
    assert "raise --timeout" in done.err


def test_an_interrupt_keeps_what_was_found():
    process = start("cuts", VOTING, PYTHONUNBUFFERED="1")
    try:
        printed = ""
        for line in process.stdout:
            printed += line
            if "Set 20, " in line:
                break
        process.send_signal(signal.SIGINT)
        rest, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert "Traceback" not in err
    assert "Incomplete (interrupted" in rest


@pytest.mark.parametrize(
    "args",
    [
        ("cuts", THERAC, "--traces"),
        ("explain", THERAC, "--transition", RETRY),
    ],
)
def test_output_does_not_depend_on_hashes_and_backends(args, monkeypatch):
    texts = []
    cudd = [spawn(*args, "--format", "json", PYTHONHASHSEED=seed) for seed in "12"]
    monkeypatch.setitem(sys.modules, "dd.cudd", None)
    for done in (*cudd, run(*args, "--format", "json")):
        data = json.loads(done.out)
        data.pop("timing", None)
        texts.append(json.dumps(data))
    assert texts[0] == texts[1] == texts[2]


def hostile():
    """A problem whose names would do things to a terminal."""
    names = ("\x1b[2Jq", "r\nq", "<b>")
    environment = Lts(("a\x07", "b"), 3, [(0, "a\x07", 1)], names=names)
    machine = Lts(("a\x07", "b"), 1, [(0, "a\x07", 0), (0, "b", 0)], names=["\x1b]0;"])
    rule = Lts(("a\x07",), 3, [(0, "a\x07", 1), (1, "a\x07", 2)], names=names)
    return symrob.compute(environment, machine, [rule])


def test_names_cannot_talk_to_the_terminal():
    found = hostile()
    lines = [
        *explanation_lines(found.explain([(0, "a\x07", 0)]), "\x1btitle"),
        *explanation_lines(found.explain([(1, "a\x07", 2)]), "\x1btitle"),
        *verdict_lines(found.cuts()),
    ]
    assert all(line.isprintable() for line in lines)


def test_an_explanation_that_was_stopped_says_what_is_unknown(monkeypatch):
    found = hostile()

    def stopped(*_args, **_kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(safe_sets, "screen", stopped)
    answer = found.explain([(0, "a\x07", 0)])
    text = "\n".join(explanation_lines(answer, ""))
    assert "The smallest violating part is unknown (interrupted)." in text
    data = valid(dumps(document(answer)), "explain")
    assert (data["status"], data["cut"]) == ("interrupted", None)
    answer = hostile().explain([(1, "a\x07", 2)])
    text = "\n".join(explanation_lines(answer, ""))
    assert "Incomplete (interrupted); the verdict holds" in text
    data = valid(dumps(document(answer)), "explain")
    assert data["addable"] is None


@pytest.mark.parametrize(
    ("transition", "expected", "code"),
    [
        ("MODE_CHOSEN,e,NO_MODE", "hazardous", 0),
        ("MODE_CHOSEN,e,NO_MODE", "tolerated", 4),
        ("MODE_CHOSEN,x,NO_MODE", "tolerated", 0),
        ("TREATED,e,NO_MODE", "excluded-unsafe", 0),
        ("TREATED,e,TREATED", "excluded-safe", 0),
        ("TREATED,e,TREATED", "hazardous", 4),
        (RETRY, "inside", 2),
    ],
)
def test_an_expected_verdict(transition, expected, code):
    done = run("explain", THERAC, "--transition", transition, "--expect", expected)
    assert done.code == code
    assert (f"; --expect requires {expected}" in done.err) == (code == 4)
    assert ("E with 1 added transition" in done.out) == (code != 2)
