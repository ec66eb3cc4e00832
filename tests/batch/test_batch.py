"""`symrob batch` end to end: rows that survive, resuming, signals, hostile cases."""

import io
import json
import os
import random
import signal
from contextlib import suppress
from time import monotonic, sleep

import pytest

from symrob import files
from symrob.batch.job import Job
from symrob.batch.rows import read_rows, without_timing
from symrob.batch.run import open_rows, pack
from symrob.batch.supervisor import Worker
from symrob.batch.work import answer
from symrob.report.json import dumps
from tests.batch.kills import kill_and_resume
from tests.batch.tools import (
    ROOT,
    batch,
    by_case,
    children,
    kill,
    lines_in,
    medium_cases,
    running,
    runs,
    start,
    wait_until,
    write_case,
    write_cases,
)
from tests.cli.tools import run
from tests.generate import random_problem

ENDLESS = ROOT / "models/voting/voting_cfm_unconstrained.toml"


@pytest.fixture
def out(tmp_path):
    return tmp_path / "rows.jsonl"


def results(path, *args):
    done = run("results", path, *args)
    assert done.code == 0, done.err
    return done.out


def canonical(path):
    rows = map(json.loads, results(path, "--format", "jsonl").splitlines())
    return "\n".join(json.dumps(without_timing(row)) for row in rows)


def test_a_batch_that_is_killed_and_resumed_gives_the_rows_of_one_that_is_not(tmp_path):
    calm, torn = kill_and_resume(tmp_path, 20, 2, seed=1)
    assert len(calm) == len(torn) == 20
    assert calm == torn


def test_each_row_is_what_compute_prints(tmp_path, out):
    paths = write_cases(tmp_path, 8, seed=5)
    code, printed, err = batch(*paths, "--out", out, "-j", 2)
    table = by_case(out)
    assert code == (1 if "nominal" in {r["status"] for r in table.values()} else 0)
    assert printed.splitlines()[-1].startswith("8 rows: ")
    assert "[8/8]" in err
    for path in paths:
        row = table[str(path)]
        alone = run("compute", path, "--format", "json", "--sorted")
        if row["status"] == "nominal":
            assert alone.code == 1
            assert row["trace"]["violated"]
            continue
        result = json.loads(alone.out)
        del result["timing"]
        assert dumps(row["result"]) == dumps(result)


def test_rows_do_not_depend_on_workers_or_hashing(tmp_path):
    paths = write_cases(tmp_path, 6, seed=11)
    settings = (("1", "0"), ("2", "random"))
    seen = set()
    for jobs, seed in settings:
        out = tmp_path / f"{jobs}.jsonl"
        args = ["--out", out, "-j", jobs]
        code, _out, err = batch(*paths, *args, env={"PYTHONHASHSEED": seed})
        assert code in (0, 1), err
        seen.add(canonical(out))
    assert len(seen) == 1
    assert len(seen.pop().splitlines()) == 6


def test_the_case_study_of_the_paper_is_one_command(out):
    paths = sorted(ROOT.glob("models/*/*.toml"))
    code, _out, err = batch(*paths, "--label", "table-1", "--out", out, "-j", 2)
    assert code == 0, err
    rows = by_case(out)
    assert len(rows) == 8
    for row in rows.values():
        found = row["result"]["statistics"]
        for key in ("delta", "largest", "winning_set"):
            assert found[key] == row["paper"][key]
    assert "8 rows: 8 complete" in results(out)


def test_the_bound_on_memory_is_for_each_case_and_not_for_the_batch(
    tmp_path, monkeypatch
):
    import resource

    from symrob.cli import batch as module

    seen = []

    def watched(*_args, **_options):
        seen.append(resource.getrlimit(resource.RLIMIT_AS))

    before = resource.getrlimit(resource.RLIMIT_AS)
    monkeypatch.setattr(module, "run_batch", watched)
    paths = write_cases(tmp_path, 1, seed=8)
    done = run("batch", *paths, "--out", tmp_path / "rows.jsonl", "--memory", 100)
    assert done.code == 0
    assert seen == [before]
    assert resource.getrlimit(resource.RLIMIT_AS) == before


def test_a_terminal_sees_a_bar(tmp_path):
    paths = write_cases(tmp_path, 2, seed=8)
    us, them = os.openpty()
    process = start("batch", *paths, "--out", tmp_path / "rows.jsonl", terminal=them)
    os.close(them)
    printed, _err = process.communicate(timeout=60)
    # One call gives a few kilobytes at most, and a slow run draws the bar many times.
    os.set_blocking(us, False)
    seen = b""
    with suppress(OSError):
        while more := os.read(us, 1 << 20):
            seen += more
    os.close(us)
    assert b"2/2" in seen
    assert b"\x1b[" in seen
    assert "\x1b" not in printed


def test_a_worker_that_is_killed_costs_its_case_alone(tmp_path, out):
    paths = write_cases(tmp_path, 6, seed=2)
    endless = write_case(tmp_path, "zz", endless_problem(), compute=["deviations"])
    with running(endless, *paths, "--out", out, "-j", 1) as process:
        wait_until(lambda: children(process.pid))
        (worker,) = children(process.pid)
        sleep(1.0)
        assert lines_in(out) == 0
        kill(worker)
        process.wait(60)
        assert process.returncode == 3
    table = by_case(out)
    row = table.pop(str(endless))
    assert row["status"] == "crash"
    assert "signal 9" in row["reason"]
    assert {r["status"] for r in table.values()} <= {"complete", "nominal"}
    assert len(table) == 6
    # Resumed, only the case without an answer is computed.
    code, _printed, err = batch(
        endless, *paths, "--out", out, "--resume", "--timeout", 1
    )
    assert code == 3
    assert "6 of 7 cases already have a row" in err
    assert err.count("\n[") == 1
    again = by_case(out)
    assert again.pop(str(endless))["status"] == "timeout"
    assert again == table


def endless_problem():
    """A problem with more deviations than anyone can wait for."""
    from symrob.api import load_roles
    from symrob.case import load_case

    roles = load_roles(load_case(str(ENDLESS)))
    return (
        roles.environment.model,
        roles.controller.model,
        [role.model for role in roles.properties],
        [],
    )


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_signals_end_a_batch_at_once_and_keep_its_rows(tmp_path, out, number):
    paths = write_cases(tmp_path, 2, seed=3)
    with running(*paths, ENDLESS, "--out", out, "-j", 1) as process:
        wait_until(lambda: lines_in(out) == 2)
        sleep(0.3)
        workers = children(process.pid)
        begin = monotonic()
        kill(process.pid, number)
        printed, _err = process.communicate(timeout=20)
        assert monotonic() - begin < 2
        assert process.returncode == 130
    assert "1 case without a row; --resume continues" in printed
    assert not any(map(runs, workers))
    assert len(by_case(out)) == 2


def test_what_is_wrong_is_a_row_and_touches_no_other(tmp_path, out):
    good = write_cases(tmp_path, 2, seed=4)
    paths = {
        name: tmp_path / f"{name}.toml"
        for name in ("toml", "key", "model", "missing", "outside", "matrix")
    }
    text = good[0].read_text()
    paths["toml"].write_text("environment = ")
    paths["key"].write_text(f"{text}colour = 1\n")
    paths["model"].write_text(text.replace("-e.json", "-x.json"))
    paths["outside"].write_text(text.replace("case0000-e.json", "../e.json"))
    paths["matrix"].write_text(f"{text}[matrix.constants]\nN = [1, 2]\n")
    code, _printed, err = batch(*good, *paths.values(), "--out", out)
    assert code == 2
    assert "Traceback" not in err
    table = by_case(out)
    told = {
        "toml": "toml-syntax",
        "key": "case-key",
        "model": "file-missing",
        "missing": "file-missing",
        "outside": "case-outside",
        "matrix": "case-constant",
    }
    for name, expected in told.items():
        found = [r for key, r in table.items() if key.startswith(str(paths[name]))]
        assert len(found) == (2 if name == "matrix" else 1)
        for row in found:
            assert row["status"] == "error"
            assert [d["code"] for d in row["diagnostics"]] == [expected]
    assert len(table) == 9
    # The place is in the user's file, where the case names the other one.
    (wrong,) = table[str(paths["model"])]["diagnostics"]
    assert wrong["file"] == str(paths["model"])
    place = paths["model"].read_text().splitlines()[wrong["line"] - 1]
    shown = place[wrong["column"] - 1 :][: wrong["length"]]
    assert shown == '"case0000-x.json"'
    assert str(tmp_path / "case0000-x.json") in wrong["message"]


@pytest.mark.parametrize(
    "change", ["model", "import", "case", "constant", "option", "weights", "bound"]
)
def test_what_changed_is_another_input_and_nothing_else(tmp_path, change):
    for name in ("a", "b"):
        (tmp_path / f"{name}.aut").write_text('des (0, 1, 2)\n(0, "go", 1)\n')
        (tmp_path / f"{name}.lts").write_text(
            f'/* import X = "no.aut" */ import /**/ I = "{name}.aut"\nconst N = 1\n'
            "E = (a[1..N] -> E).\nC = (a[1..N] -> C).\nP = (a[1..N] -> P).\n"
            "||D = (C || I).\n"
        )
        (tmp_path / f"{name}.w").write_text("[[weight]]\nvalue = 2\n")
        (tmp_path / f"{name}.toml").write_text(
            f'environment = "{name}.lts#E"\ncontroller = "{name}.lts#D"\n'
            f'properties = ["{name}.lts#P"]\ntop = 1\nweights = "{name}.w"\n'
            "[constants]\nN = 1\n"
        )
    paths = [str(tmp_path / f"{name}.toml") for name in ("a", "b")]
    before = pack(paths, {})
    assert sorted(before[0].files) == ["a.aut", "a.lts", "a.w"]
    assert json.loads(answer(before[0]))["status"] == "complete"

    def edit(name, old, new):
        path = tmp_path / name
        path.write_text(path.read_text().replace(old, new))

    changes = {
        "model": ("b.lts", "(a[1", "( a[1"),
        "import": ("b.aut", "go", "stay"),
        "case": ("b.toml", "top", 'title = "new"\ntop'),
        "constant": ("b.toml", "N = 1", "N = 2"),
        "option": ("b.toml", "top", "extra_states = 1\ntop"),
        "weights": ("b.w", "2", "3"),
        "bound": ("b.toml", "[con", "[limits]\ntimeout = 60\n[con"),
    }
    edit(*changes[change])
    after = pack(paths, {})
    assert after[0].input == before[0].input
    assert (after[1].input != before[1].input) == (change != "bound")


def test_rows_of_another_input_are_not_kept(tmp_path, out):
    paths = [str(path) for path in write_cases(tmp_path, 2, seed=14)]
    jobs = pack(paths, {})
    assert len(filled(out, jobs)) == 2
    with open(paths[1], "a", encoding="utf-8") as file:
        file.write("extra_states = 1\n")
    rows = open_rows(str(out), pack(paths, {}), resume=True)
    rows.close()
    assert list(rows.kept) == paths[:1]
    assert list(by_case(out)) == paths[:1]


def test_the_command_line_wins_over_bounds_of_the_file(tmp_path):
    (path,) = write_cases(tmp_path, 1, seed=9)
    with path.open("a", encoding="utf-8") as file:
        file.write("[limits]\nnodes = 7\ndeviations = 3\n")
    (job,) = pack([str(path)], {"max_nodes": 20})
    assert job.limits == {"max_nodes": 20, "limit": 3}
    assert json.loads(answer(job))["limits"] == job.limits


def filled(out, jobs):
    """Compute jobs in this process; return the rows of the file."""
    rows = open_rows(str(out), jobs, resume=True)
    for job in jobs:
        rows.append(answer(job))
    rows.close()
    return by_case(out)


def test_a_matrix_gives_a_row_for_each_choice(tmp_path, out):
    (tmp_path / "m.lts").write_text(
        "const N = 1\nE = (a[1..N] -> E | b -> E).\nFAST = (a[i:1..N] -> FAST).\n"
        "SLOW = (a[i:1..N] -> b -> SLOW).\nP = (a[i:1..N] -> P).\n"
        "Q = (a[i:1..N] -> Q | b -> Q).\n"
    )
    path = tmp_path / "m.toml"
    path.write_text(
        'title = "many"\nenvironment = "m.lts#E"\nlabels = ["nightly"]\n[matrix]\n'
        'controllers = ["m.lts#FAST", "m.lts#SLOW"]\n'
        'properties = ["m.lts#P", ["m.lts#P", "m.lts#Q"]]\n'
        "[matrix.constants]\nN = [1, 3]\n"
    )
    table = filled(out, pack([str(path)], {}))
    assert len(table) == 8
    key = f"{path} [controller=m.lts#SLOW, properties=m.lts#P+m.lts#Q, N=3]"
    row = table[key]
    assert row["status"] == "complete"
    assert row["constants"] == {"N": 3}
    assert row["labels"] == ["nightly"]
    assert row["title"].startswith("many (controller=m.lts#SLOW")
    assert len(row["result"]["environment"]["alphabet"]) == 4
    # A file that stands for other cases than before leaves none of the old rows.
    filled(out, pack([str(path)], {}, max_cases=7))
    (row,) = read_rows(str(out))
    assert "8 cases, more than 7; raise max_cases=" in row["reason"]


def test_a_second_batch_may_not_write_the_same_file(tmp_path, out):
    with running(ENDLESS, "--out", out) as process:
        wait_until(lambda: children(process.pid))
        code, _out, err = batch(ENDLESS, "--out", out, "--resume")
        assert code == 2
        assert "[batch-locked]" in err
        assert process.poll() is None


def test_nothing_in_the_folder_of_the_models_is_run(tmp_path, monkeypatch):
    paths = write_cases(tmp_path, 1, seed=6)
    for name in ("json.py", "symrob.py", "selectors.py", "typing.py"):
        (tmp_path / name).write_text('raise SystemExit("trapped")\n')
    (job,) = pack(map(str, paths), {})
    monkeypatch.chdir(tmp_path)
    worker = Worker()
    assert json.loads(worker.answer(job))["status"] in ("complete", "nominal")
    worker.close()


def test_files_are_read_once_so_a_row_is_of_what_was_hashed(tmp_path):
    problem = random_problem(random.Random(1))
    path = write_case(tmp_path, "a", problem)
    (job,) = pack([str(path)], {})
    first = json.loads(answer(job))
    for file in tmp_path.iterdir():
        file.unlink()
    again = json.loads(answer(Job.read(io.BytesIO(b"".join(job.parts())))))
    for row in (first, again):
        assert row["status"] == "nominal"
        del row["timing"]
    assert again == first


def test_a_pipe_among_the_models_does_not_hold_a_batch(tmp_path):
    paths = write_cases(tmp_path, 1, seed=6)
    pipe = tmp_path / "case0000-e.json"
    pipe.unlink()
    os.mkfifo(pipe)
    (job,) = pack(map(str, paths), {})
    assert json.loads(answer(job))["diagnostics"][0]["code"] == "file-special"


def test_medium_cases_are_not_all_alike(tmp_path):
    """The kill test would prove little on cases that are all trivial."""
    jobs = pack(map(str, medium_cases(tmp_path, 15, seed=1)), {})
    sizes = {
        (json.loads(answer(job))["result"] or {}).get("statistics", {}).get("delta")
        for job in jobs
    }
    assert len(sizes) > 2


def test_the_files_of_a_batch_stay_within_a_bound_together(tmp_path):
    """What is packed stays in memory, so many files are bounded as one is."""
    for name in "abc":
        folder = tmp_path / name
        folder.mkdir()
        write_case(folder, name, random_problem(random.Random(1)))
        model = folder / f"{name}-c.json"
        model.write_text(model.read_text() + " " * (400 << 10))
    paths = [str(tmp_path / name / f"{name}.toml") for name in "abc"]
    with files.at_most(1):
        first, second, third = pack(paths, {})
    assert all(isinstance(c, bytes) for c in first.files.values())
    assert all(isinstance(c, bytes) for c in second.files.values())
    refused = third.files["c-c.json"]
    assert refused["code"] == "file-limit"
    assert "max_file=2" in refused["hint"]


def test_a_job_that_is_cut_off_is_no_job(tmp_path):
    (job,) = pack(
        [str(write_case(tmp_path, "a", random_problem(random.Random(1))))], {}
    )
    whole = b"".join(job.parts())
    again = Job.read(io.BytesIO(whole))
    assert (again.files, again.input) == (job.files, job.input)
    assert Job.read(io.BytesIO(b"")) is None
    with pytest.raises(EOFError):
        Job.read(io.BytesIO(whole[:-1]))
