"""What a case file asks for: settings and questions, alone and in a batch."""

import json
import shutil
from time import sleep

import pytest

from symrob.api import loading, stages
from symrob.batch.run import pack
from symrob.batch.work import answer
from symrob.case import load_case
from tests.batch.tools import ROOT
from tests.cli.tools import run
from tests.schemas import validate

THERAC = """
environment = "nurse.lts"
controller = "machines.lts#{}"
properties = ["xflat.lts"]
constraints = ["one_treatment.lts"]
"""


@pytest.fixture
def case(tmp_path):
    """Write a case of the Therac-25 beside its models; return its path."""
    for path in ROOT.glob("models/therac25/*.lts"):
        shutil.copy(path, tmp_path)

    def of(text, controller="THERAC25"):
        path = tmp_path / "case.toml"
        path.write_text(THERAC.format(controller) + text, encoding="utf-8")
        return str(path)

    return of


def row(path, **given):
    (job,) = pack([path], given)
    found = json.loads(answer(job))
    validate(found, "row")
    return found


def printed(*args):
    return json.loads(run(*args, "--format", "json").out)


def test_each_answer_is_what_the_command_prints(case):
    path = case(
        'compute = ["cuts", "compare", "deviations", "summary"]\norder = 2\n'
        '[against]\ncontroller = "machines.lts#THERAC20"\n'
    )
    found = row(path)
    assert found["status"] == "complete"
    for key, args in (
        ("result", ("compute", path, "--sorted")),
        ("cuts", ("cuts", path, "--order", 2)),
        ("compare", ("compare", path)),
        ("summary", ("summary", path)),
    ):
        alone = printed(*args)
        for document in (found[key], alone):
            document.pop("timing", None)
            document.pop("sides", None)
        assert found[key] == alone
    assert found["compare"]["verdict"] == "less"


def test_only_what_is_asked_is_computed(case):
    found = row(case('compute = ["cuts"]\norder = 1\n'))
    assert found["result"] is None
    sizes = found["cuts"]["sizes"]
    assert sizes["hazardous"]
    assert set().union(*sizes.values()) == {"1"}


@pytest.mark.parametrize(
    ("text", "given", "status", "reason"),
    [
        ("[limits]\ndeviations = 2\n", {}, "limit", "stopped after --limit 2 dev"),
        ("[limits]\ndeviations = 2\n", {"limit": 50}, "complete", ""),
        ("top = 1\n", {}, "complete", ""),
        ("[limits]\nnodes = 10\n", {}, "limit", ""),
        ("[limits]\nmax_states = 3\n", {}, "limit", "process 'NURSE' has more than 3"),
    ],
)
def test_settings_of_the_case_hold(case, text, given, status, reason):
    found = row(case(text), **given)
    assert found["status"] == status
    assert found["reason"].startswith(reason)
    assert bool(found["reason"]) == (status != "complete")


def test_the_time_of_a_case_is_for_reading_and_computing_together(case, monkeypatch):
    left = []
    read, checked = loading._read_roles, stages.open_engine

    def slow(*args):
        sleep(0.1)
        return read(*args)

    def watched(*args):
        engine = checked(*args)
        left.append(engine.clock.remaining)
        return engine

    monkeypatch.setattr(loading, "_read_roles", slow)
    monkeypatch.setattr(stages, "open_engine", watched)
    bound = "[limits]\ntimeout = 9\n"
    row(case(bound))
    against = '[against]\ncontroller = "machines.lts#THERAC20"\n'
    path = case(f'compute = ["compare"]\n{bound}{against}')
    row(path)
    alone, first, *sides = left
    assert all(0 < seconds < 8.91 for seconds in (alone, first))
    # The other side was read meanwhile.
    assert all(0 < seconds < 8.81 for seconds in sides)
    assert len(sides) == 2
    # The commands have one clock too.
    left.clear()
    run("compute", path)
    run("compare", path)
    alone, *sides = left
    assert 0 < alone < 8.91
    assert all(0 < seconds < 8.81 for seconds in sides)
    assert len(sides) == 2


def test_the_time_for_reading_is_one_for_all_sides(case, monkeypatch):
    read = loading._read_roles

    def slow(*args):
        sleep(0.3)
        return read(*args)

    monkeypatch.setattr(loading, "_read_roles", slow)
    path = case('[against]\ncontroller = "machines.lts#THERAC20"\n')
    done = run("compare", path, "--timeout", "0.45")
    assert done.code == 3
    assert "stopped after 0.45 s; raise --timeout to continue" in done.err


def test_an_unsafe_other_side_is_an_error_and_keeps_the_rest(case):
    path = case(
        'compute = ["deviations", "compare"]\n'
        '[against]\nproperties = ["xflat_espread.lts"]\n'
    )
    found = row(path)
    assert found["status"] == "error"
    assert found["diagnostics"][0]["message"].startswith("against: ")
    assert len(found["result"]["delta"]) == 4


def test_settings_of_the_case_hold_for_commands_too(case):
    path = case('algorithm = "connected"\n[limits]\ndeviations = 2\n')
    done = run("compute", path, "--format", "json")
    assert done.code == 3
    result = json.loads(done.out)
    assert (result["algorithm"], len(result["delta"])) == ("connected", 2)
    done = run("compute", path, "--limit", 3)
    assert done.code == 3
    assert "--limit 3" in done.out
    for command in ("check", "cuts", "compute"):
        assert run(command, case("[limits]\nnodes = 10\n")).code == 3
        assert run(command, case("[limits]\nmax_states = 3\n")).code == 3
    top = case("top = 1\n")
    assert len(printed("compute", top)["delta"]) == 1


def test_what_the_user_gives_wins(case):
    settings = load_case(case("extra_states = 2\n[limits]\ntimeout = 5\nnodes = 8\n"))
    options = settings.options({"timeout": 1, "max_states": 7, "extra_states": None})
    assert (options.timeout, options.max_nodes) == (1, 8)
    assert (options.extra_states, options.max_states) == (2, 7)


def test_lint_reads_the_other_side_too(case, tmp_path):
    path = case('[against]\ncontroller = "other.lts"\n')
    (tmp_path / "other.lts").write_text("P = (a -> Q).\n")
    done = run("lint", path)
    assert done.code == 2
    assert "other.lts" in done.out
