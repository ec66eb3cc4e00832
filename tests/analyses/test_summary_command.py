"""`symrob summary`, and what `compute` says first; the lists of the case studies."""

import json

import pytest

from symrob.analyses import candidate_summary
from symrob.errors import LimitExceeded
from symrob.lts import Network
from tests.analyses.test_summary import classes_of
from tests.cli.tools import run, spawn
from tests.models.tools import MODELS, ROWS, components, load
from tests.oracles import definition
from tests.schemas import fits, validate

THERAC = "models/therac25/therac25.toml"
VOTING = "models/voting/voting_cfm_unconstrained.toml"
KINDS = ("never", "always", "contested", "inert")


def summary_of(*args, code=0):
    done = run("summary", *args, "--format", "json")
    assert done.code == code, done.err
    result = json.loads(done.out)
    validate(result, "summary")
    return result


def nested(names, transitions):
    """Targets by action and source, as `expected.json` has them."""
    table = {}
    for source, action, target in sorted(transitions):
        row = table.setdefault(action, {}).setdefault(names[source], [])
        row.append(names[target])
    return table


def expected_of(case):
    folder, _, name = case.removesuffix(".toml").partition("/")
    return json.loads((MODELS / folder / "expected.json").read_text("utf-8"))[name]


@pytest.mark.parametrize("case", ROWS)
def test_lists_of_the_case_studies(case):
    result = summary_of(f"models/{case}")
    names = result["environment"]["names"]
    expected = expected_of(case)["summary"]
    assert {kind: nested(names, result[kind]) for kind in KINDS} == expected
    assert result["status"] == "complete"
    assert result["unknown"] == result["inert_unknown"] == []
    forbidden = {tuple(t) for r in result["reasons"] for t in r["forbids"]}
    assert forbidden == set(map(tuple, result["never"]))


@pytest.mark.parametrize("case", ROWS)
def test_expected_lists_follow_from_the_expected_deviations(case):
    (environment,) = components(load(case, "environment"))
    names = [environment.state_name(q) for q in range(environment.size)]
    number = {name: q for q, name in enumerate(names)}
    delta = [
        frozenset((number[s], a, number[t]) for s, a, t in deviation)
        for deviation in expected_of(case)["delta"]
    ]
    controller = Network(components(load(case, "controller")))
    fired = [definition.firing(environment, d, controller) for d in delta]
    found = classes_of(environment, delta, fired)
    lists = {kind: nested(names, ts) for kind, ts in found.items()}
    assert expected_of(case)["summary"] == lists


def test_schema_can_fail():
    result = summary_of(THERAC)
    del result["counts"]["inert"]
    assert not fits(result, "summary")


def test_counts_are_those_of_the_lists_and_the_kinds_do_not_overlap():
    result = summary_of("models/therac25/therac25_unconstrained.toml")
    for kind, count in result["counts"].items():
        assert len(result[kind]) == count
        assert result[kind] == sorted(result[kind])
    assert sum(result["counts"][k] for k in ("never", "always", "contested")) == 76


def test_text_groups_by_action_and_source():
    done = run("summary", THERAC)
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0] == "Therac-25 with the bug"
    assert lines[1] == (
        "76 candidate transitions: 20 tolerated, 5 hazardous, 51 excluded by "
        "assumptions (5 unsafe, 46 safe)"
    )
    every = run("summary", THERAC, "--all").out.splitlines()
    unsafe = "Unsafe, excluded by an assumption: 5"
    assert f"{unsafe}, violating xflat.lts and one_treatment.lts" in every
    start = lines.index("Contested (tolerated individually, not all together): 8")
    assert lines[start + 1].split() == [
        *("e", "MODE_CHOSEN", "→", "MODE_CHOSEN,", "TREATED"),
    ]
    assert any(
        line.startswith("Deadlock: with each of the 4 maximal deviations")
        for line in lines
    )


def test_details_show_where_it_deadlocks():
    plain, details = run("summary", THERAC), run("summary", THERAC, "--all")
    # The story is told in more words; what follows it has more lines.
    tables = plain.out.partition(" by action and class")[2].splitlines()[1:]
    assert len(tables) > 40
    assert set(tables) <= set(details.out.splitlines())
    assert "deadlock in TREATED with EDITING, XRAY, FLATTENER" in details.out
    assert details.out.count("\n  A deviation with ") == 4, "numbered as nowhere else"
    assert "deadlock in" not in plain.out


def test_long_lists_are_whole_only_if_asked_for():
    case = "models/pca_pump/pca_pump.toml"
    short, whole = run("summary", case).out, run("summary", case, "--all").out
    lists = "\nAlways tolerated: 4\n"
    short, whole = (text.partition(lists)[2] for text in (short, whole))
    (note,) = [line for line in short.splitlines() if "--all lists them" in line]
    left = int(note.split()[1])
    assert len(whole.splitlines()) == len(short.splitlines()) + left - 1
    assert set(short.splitlines()) - set(whole.splitlines()) == {note}


def test_a_long_list_of_sources_does_not_push_all_targets_away():
    """The rules of the pump speak of up to half of its states at once."""
    case = "models/pca_pump/pca_pump_8.toml"
    lines = run("summary", case, "--const", "LINES=4").out.split("\n")
    heads = [line.partition(" → ")[0] for line in lines if " → " in line]
    assert max(map(len, lines)) <= 100
    assert any(line.endswith(",") for line in lines), "some go on below"
    assert all(len(head) - len(head.rstrip()) < 60 for head in heads)


def test_marks_say_what_never_fires():
    done = run("summary", "models/running_example/running_example.toml")
    assert "\n10 tolerated transitions can never fire\n" in done.out
    assert "\n* can never fire in any tolerated deviation\n" in done.out
    assert "*" not in run("summary", THERAC).out


def test_a_timeout_leaves_unknown_what_it_is(monkeypatch):
    """Time is up when the solver is to be asked, however fast the machine is."""

    def no_time(*_args):
        raise LimitExceeded("stopped; raise --timeout to continue", reason="timeout")

    monkeypatch.setattr(candidate_summary, "conflicts", no_time)
    case = "models/therac25/therac25_unconstrained.toml"
    done = run("summary", case)
    assert done.code == 3
    assert "incomplete: stopped; raise --timeout" in done.err
    unknown = "Unknown whether always or contested: 13 tolerated transitions; stopped"
    assert f"\n{unknown}; raise --timeout" in done.out
    result = summary_of(case, code=3)
    assert result["status"] == "timeout"
    assert len(result["never"]) == 10
    assert result["always"] == []
    assert result["unknown"] != []


def test_an_unsafe_plan_has_no_summary():
    done = run(
        *("summary", "--env", "models/therac25/nurse.lts"),
        *("--ctrl", "models/therac25/machines.lts#THERAC25"),
        *("--prop", "models/therac25/xflat_espread.lts"),
    )
    assert done.code == 1
    assert done.out == ""
    assert "fireElectron" in done.err


def test_bad_format_is_refused():
    done = run("summary", THERAC, "--format", "svg")
    assert done.code == 2
    assert "usage-format" in done.err


def test_too_many_deviations_to_list_are_no_obstacle():
    result = summary_of(VOTING)
    counts = result["counts"]
    assert [counts[k] for k in ("never", "always", "contested")] == [3, 6, 235]


def test_runs_agree_whatever_the_hash_seed():
    case = "models/therac25/therac25_unconstrained.toml"
    runs = [
        spawn("summary", case, "--format", "json", PYTHONHASHSEED=str(seed))
        for seed in (0, 1)
    ]
    assert [r.code for r in runs] == [0, 0]
    assert runs[0].out == runs[1].out


def test_compute_begins_with_the_summary_and_ends_with_the_side_report():
    lines = run("compute", THERAC).out.splitlines()
    start = lines.index("Always tolerated: 12")
    assert start < lines.index(
        "Contested (tolerated individually, not all together): 8"
    )
    first = next(i for i, line in enumerate(lines) if line.startswith("Deviation 1"))
    assert start < first
    assert any(
        line.startswith("Deadlock: with each of the 4") for line in lines[first:]
    )
    told = (
        "20 tolerated (12 always, 8 contested), 5 hazardous, 51 excluded by "
        "assumptions (5 unsafe, 46 safe) 10 candidates violate xflat.lts"
    )
    assert told in " ".join(map(str.strip, lines))


def test_compute_leaves_long_questions_to_the_summary():
    case = "models/pca_pump/pca_pump_unconstrained.toml"
    done = run("compute", case, "--limit", 1)
    assert ": 1,269 tolerated (unknown), 20 hazardous\n" in done.out
    assert (
        "Unknown whether always or contested: 1,269 tolerated transitions; " in done.out
    )


def test_other_algorithms_run_alone():
    done = run("compute", THERAC, "--algorithm", "connected")
    assert "Always tolerated" not in done.out


def test_python_has_it_too():
    import symrob

    nurse = symrob.load("models/therac25/nurse.lts")
    machine = symrob.load("models/therac25/machines.lts", "THERAC25")
    found = symrob.compute(
        nurse,
        machine,
        symrob.load("models/therac25/xflat.lts"),
        symrob.load("models/therac25/one_treatment.lts"),
    )
    summary = found.summary()
    assert (len(summary.always), len(summary.contested), len(summary.never)) == (
        *(12, 8, 56),
    )
    assert [(r.kind, len(r.forbids)) for r in summary.reasons] == [
        ("constraint", 51),
        ("property", 10),
    ]
    with pytest.raises(AttributeError):
        summary.status = "limit"


def test_what_the_property_alone_forbids_comes_first():
    lines = run("summary", MODELS / "therac25/therac25.toml").out.splitlines()
    assert [line for line in lines if ", violating " in line] == [
        "Hazardous: 5, violating xflat.lts",
        "Unsafe, excluded by an assumption: 5, violating xflat.lts and "
        "one_treatment.lts",
        "Safe, excluded by an assumption: 46, violating one_treatment.lts",
    ]


def test_nearly_all_states_are_named_by_those_that_are_missing():
    """The text, read back, is the list of the JSON."""
    case = MODELS / "therac25/therac25.toml"
    data = json.loads(run("summary", case, "--format", "json").out)
    names = data["environment"]["names"]

    def states(text):
        every, but, missing = text.partition("any state but ")
        if but:
            assert not every
            return [n for n in names if n not in missing.split(", ")]
        return names if text == "any state" else text.split(", ")

    shown = []
    action = None
    lists = run("summary", case).out.partition("\nHazardous: 5, violating ")[2]
    for line in lists.splitlines():
        head, arrow, targets = line.partition(" → ")
        if arrow:
            word, _, sources = head[2:].partition(" ")
            action = word or action
            for source in states(sources.strip()):
                shown += [(source, action, target) for target in states(targets)]
    expected = [(names[q], a, names[r]) for q, a, r in data["never"]]
    assert "any state but" in run("summary", case).out
    assert sorted(shown) == sorted(expected)
