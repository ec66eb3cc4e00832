"""`--without-constraints`: every command asks a case as if it had no constraints."""

import json

import pytest

from tests.cli.tools import ROOT, run

THERAC = ROOT / "models/therac25"
CASE, BARE = THERAC / "therac25_fix.toml", THERAC / "therac25_fix_unconstrained.toml"
OPTION = "--without-constraints"
TITLE = "Therac-25 with the race fixed in software, without its assumptions"


def timeless(text):
    """A document without what differs from run to run, and without its title."""
    data = json.loads(text)
    for key in ("timing", "title"):
        data.pop(key, None)
    return data


@pytest.mark.parametrize(
    "command",
    [
        ("compute",),
        ("check",),
        ("summary",),
        ("cuts", "--order", "1"),
        ("explain", "--transition", "TREATED,b,MODE_CHOSEN"),
    ],
)
def test_a_case_is_asked_like_one_that_has_none(command):
    """The same models in a case file without constraints give the same answer."""
    name, *args = command
    without = run(name, CASE, OPTION, *args, "--format", "json")
    bare = run(name, BARE, *args, "--format", "json")
    assert without.code == bare.code == 0
    assert timeless(without.out) == timeless(bare.out)
    assert json.loads(without.out)["title"] == TITLE
    with_them = run(name, CASE, *args, "--format", "json")
    told = timeless(with_them.out) == timeless(bare.out)
    assert told == (name == "check")


def test_the_text_says_it():
    for command in ("compute", "cuts"):
        assert run(command, CASE, OPTION).out.startswith(f"{TITLE}\n")
    assert "every property\n" in run("check", CASE, OPTION).out


def test_verify_and_draw(tmp_path):
    result = tmp_path / "result.json"
    result.write_text(run("compute", CASE, OPTION, "--format", "json").out)
    assert run("verify", result, CASE, OPTION).code == 0
    assert run("verify", result, CASE).code == 4
    pictures = [
        run("draw", case, *args, "--format", "dot").out
        for case, args in ((CASE, (OPTION,)), (BARE, ()), (CASE, ()))
    ]
    edges = [p.count("->") for p in pictures]
    assert edges[0] == edges[1] != edges[2]
    assert TITLE in pictures[0].replace("\\n", " ")
    done = run("draw", CASE, "--compare", THERAC / "therac25.toml", OPTION)
    assert done.code == 0


def test_batch(tmp_path):
    """Rows say it, and claim no row of Table 1; the other side has none either."""
    text = (
        f'title = "T"\nrow = "R"\nenvironment = "{THERAC}/nurse.lts"\n'
        f'controller = "{THERAC}/machines.lts#THERAC20"\n'
        f'properties = ["{THERAC}/xflat.lts"]\n'
        'compute = ["deviations", "compare"]\n'
        f'[against]\nconstraints = ["{THERAC}/one_treatment.lts"]\n'
    )
    path, out = tmp_path / "case.toml", tmp_path / "rows.jsonl"
    path.write_text(text)
    verdicts = []
    for args in ((), (OPTION,)):
        done = run("batch", path, "--allow-outside", "--out", out, *args)
        assert done.code == 0
        (row,) = map(json.loads, out.read_text().splitlines())
        verdicts.append(row["compare"]["verdict"])
        out.unlink()
    assert verdicts == ["more", "equal"]
    done = run("batch", CASE, "--out", out, OPTION)
    assert done.code == 0
    (row,) = map(json.loads, out.read_text().splitlines())
    assert row["title"] == TITLE
    assert (row["row"], row["paper"]) == (None, {})
    assert timeless(json.dumps(row["result"])) == timeless(
        run("compute", BARE, "--format", "json").out
    )
    # A row of the case with its constraints answers another question.
    done = run("batch", CASE, "--out", out, "--resume")
    assert "already have a row" not in done.err


def test_constraints_are_given_or_left_out():
    models = (
        *("--env", THERAC / "nurse.lts", "--prop", THERAC / "xflat.lts"),
        *("--env-prop", THERAC / "one_treatment.lts"),
    )
    ctrl = ("--ctrl", THERAC / "machines.lts#THERAC25")
    for args in (
        ("check", *models, *ctrl),
        ("compare", *models, *ctrl, "--ctrl", THERAC / "machines.lts#THERAC20"),
    ):
        assert run(*args).code == 0
        done = run(*args, OPTION)
        assert (done.code, done.out) == (2, "")
        assert "[usage-constraints]" in done.err
        rest = [a for a in args if a not in models[-2:]]
        assert run(*rest, OPTION).code == 0


def test_what_only_a_constraint_has_is_still_known(tmp_path):
    """Its words and its constants: no warning and no error for that."""
    (tmp_path / "e.lts").write_text("E = (a -> E) + {b}.")
    (tmp_path / "c.lts").write_text("C = ({a, b} -> C).")
    (tmp_path / "p.lts").write_text("property P = (a -> P) + {b}.")
    (tmp_path / "r.lts").write_text(
        "const N = 1\nproperty R = R[0], R[i:0..N] = (a -> R[i]) + {b}.\n"
    )
    path = tmp_path / "case.toml"
    path.write_text(
        'environment = "e.lts"\ncontroller = "c.lts"\nproperties = ["p.lts"]\n'
        'constraints = ["r.lts"]\n[constants]\nN = 2\n'
        '[words.properties]\n"r.lts" = "the rule"\n'
    )
    for args in ((), (OPTION,)):
        done = run("check", path, "--strict", *args)
        assert (done.code, done.err) == (0, "")


def test_compare_says_whether_the_assumptions_decide():
    voting = ROOT / "models/voting"
    sides = voting / "voting_all.toml", voting / "voting_cfm.toml"
    done = run("compare", *sides)
    assert done.code == 0
    told = [
        "A and B are equally robust.",
        "Without the assumptions: A is strictly less robust than B.",
        "The verdict depends on the assumptions.",
    ]
    assert [line for line in done.out.splitlines() if line in told] == told
    data = json.loads(run("compare", *sides, "--format", "json").out)
    found = {"verdict": "less", "status": "complete", "reason": ""}
    assert data["without_constraints"] == found
    bare = json.loads(run("compare", *sides, OPTION, "--format", "json").out)
    assert bare["verdict"] == "less"
    assert bare["without_constraints"] is None
    assert all(side.endswith("without its assumptions") for side in bare["sides"])


def test_compare_gives_the_first_verdict_where_the_second_takes_too_long(monkeypatch):
    from symrob.analyses import compare

    monkeypatch.setattr(compare.unassumed, "__defaults__", (-1.0,))
    done = run("compare", THERAC / "therac20.toml", THERAC / "therac25.toml")
    assert done.code == 0
    first = done.out.index("A is strictly more robust than B.")
    assert first < done.out.index("With it B violates xflat.lts")
    assert "\nWithout the assumptions: unknown (-1 s used).\n" in done.out
    assert "The verdict " not in done.out
