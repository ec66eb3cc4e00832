"""The table of candidates: written, filled in by others, read back."""

import csv
import io
import json
import re
import shutil

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symrob.analyses.candidate_space import CandidateSpace
from symrob.analyses.candidates import candidacy
from symrob.case.table import WRITTEN, labels, read_table
from symrob.errors import SymrobError
from symrob.files.csvtext import cell
from symrob.lts import Lts, Transition
from symrob.report.candidates import table_lines
from tests.cli.tools import ROOT, run
from tests.engines import engine_of
from tests.oracles.definition import candidates
from tests.strategies import rngs

THERAC = "models/therac25/therac25.toml"
HEAD = "from,action,to,plausible,fault mode,probability"
# What spreadsheets take for formulas, what CSV quotes, what a terminal obeys.
HOSTILE = st.sampled_from(
    (
        *("=1+1", "+x", "-2", "@SUM", "'=1", "'", "a,b", 'say "x"', "two\nlines"),
        *("\x1b[2J", "0", "1", " pad ", "\u200e=x", "\uff1d1", ";", "\t", "é"),
        "x" * 300,
    )
)
NURSE = Lts("ab", 3, [(0, "a", 1), (1, "b", 2)], names=["IDLE", "BUSY", "DONE"])


def written(path, *rows, head=HEAD):
    path.write_text("\n".join([head, *rows]) + "\n", "utf-8")
    return str(path)


def problems(path, environment=NURSE):
    with pytest.raises(SymrobError) as caught:
        read_table(path, environment)
    return [(d.line, str(d)) for d in caught.value.diagnostics]


@st.composite
def named(draw):
    """An environment with hostile names, each different."""
    size = draw(st.integers(1, 4))
    alphabet = draw(st.lists(HOSTILE, min_size=1, max_size=3, unique=True))
    names = draw(st.lists(HOSTILE, min_size=size, max_size=size, unique=True))
    return Lts(alphabet, size, [(0, alphabet[0], size - 1)], names=names)


@given(named(), rngs())
def test_what_is_written_is_read_back(tmp_path_factory, environment, rng):
    """Filled in by the csv module, as another program would; in another order."""
    folder = tmp_path_factory.mktemp("table")
    rule = Lts(environment.alphabet, 1, [(0, a, 0) for a in environment.alphabet])
    engine = engine_of((environment, rule, [rule], []))
    found = candidacy(CandidateSpace(engine), 1000)
    lines = list(table_lines(engine.problem.classes, found.rows, found.judged))
    assert not any(re.search(r"(^|,)\"?[=+\-@\t]", line) for line in lines)
    rows = list(csv.DictReader(io.StringIO("\r\n".join(lines))))
    assert all(tuple(row) == WRITTEN for row in rows)
    rng.shuffle(rows)
    expected = {}
    for row in rows:
        row["plausible"] = rng.choice(["", "yes", "No", "n", "TRUE"])
        names = rng.sample(["loss", "dup 2", "-slip"], rng.choice((0, 0, 1, 2)))
        row["fault mode"] = cell("; ".join(names))
        row["probability"] = "" if names else rng.choice(["", "0,25", "1e-3", "0"])
    text = io.StringIO()
    heads = [*WRITTEN, "who said so"]
    rng.shuffle(heads)
    delimiter = rng.choice(",;\t")
    writer = csv.DictWriter(text, heads, delimiter=delimiter, lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(rows)
    mark = rng.choice(("", "\ufeff"))
    path = folder / "t.csv"
    path.write_bytes((mark + text.getvalue()).encode())
    table = read_table(str(path), environment)
    assert sorted(table.rows) == sorted(candidates(environment))
    known = {cell(name).strip(): q for q, name in enumerate(labels(environment))}
    actions = {cell(a).strip(): a for a in environment.alphabet}
    for row in rows:
        ends = known[row["from"].strip()], known[row["to"].strip()]
        t = Transition(ends[0], actions[row["action"].strip()], ends[1])
        expected[t] = row
    assert table.implausible == {
        t for t, row in expected.items() if row["plausible"] in ("No", "n")
    }
    for mode in table.modes:
        assert mode.transitions == {
            t
            for t, row in expected.items()
            if mode.name in row["fault mode"].removeprefix("'").split("; ")
            and t not in table.implausible
        }
    found = {t: float(p) for t, p in table.single_probabilities.items()}
    assert found == {
        t: float(row["probability"].replace(",", "."))
        for t, row in expected.items()
        if row["probability"] and t not in table.implausible
    }


def test_modes_and_their_probabilities(tmp_path):
    path = written(
        tmp_path / "t.csv",
        "IDLE,b,DONE,yes,slip; haste,0.5",
        "IDLE,a,IDLE,,slip,0.5",
        "DONE,a,IDLE,no,slip,",
        "DONE,b,IDLE,,,1",
    )
    table = read_table(path, NURSE)
    slip, haste = table.modes
    assert (slip.name, haste.name) == ("slip", "haste")
    assert slip.transitions == {(0, "b", 2), (0, "a", 0)}
    assert haste.transitions == {(0, "b", 2)}
    assert table.mode_probabilities == {"slip": 0.5, "haste": 0.5}
    assert table.single_probabilities == {(2, "b", 0): 1.0}
    assert table.implausible == {(2, "a", 0)}


def test_every_row_that_does_not_fit_is_named(tmp_path):
    path = written(
        tmp_path / "t.csv",
        "IDLE,a,BUSY",
        "IDEL,a,BUSY",
        "IDLE,c,DONE",
        "",
        "IDLE,b,IDLE,perhaps",
        "IDLE,b,DONE,,,2",
        '"BUSY","a","ID\nLE",yes',
        "DONE,a,DONE,,m,0.1",
        "DONE,b,DONE,,m,0.2",
        "DONE,a,DONE",
        "DONE",
        "BUSY,a,DONE,,,x",
        f"BUSY,a,BUSY,,{'m' * 201}",
    )
    found = problems(path)
    says = {
        2: "E already has this transition",
        3: "did you mean 'IDLE'",
        4: "E has no action 'c'",
        6: "expected yes, no or an empty cell, not 'perhaps'",
        7: "expected a number from 0 to 1, not '2'",
        8: "E has no state",
        11: "'m' has two probabilities: 0.1 on line 10, 0.2 here",
        12: "duplicate row: also on line 10",
        13: "E has no state ''",
        14: "expected a number from 0 to 1, not 'x'",
        15: "1 to 200 printable characters",
    }
    assert {line for line, _ in found} == set(says)
    for line, text in says.items():
        assert any(text in told for at, told in found if at == line), (line, found)
        assert all(f"t.csv:{line}" in told for at, told in found if at == line)


def test_endless_problems_are_counted(tmp_path):
    path = written(tmp_path / "t.csv", *("X,a,IDLE" for _ in range(1200)))
    found = problems(path)
    assert len(found) == 1001
    assert "200 more problems" in found[-1][1]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "the column 'from' is missing"),
        ("from,action\n", "the column 'to' is missing"),
        ("from,action,to,to\n", "duplicate column 'to'"),
        ("from,action,to,plausble\n", "did you mean 'plausible'"),
        ('from,action,to\nIDLE,"a,BUSY\n', "not valid CSV"),
        (f"from,action,to\nIDLE,{'a' * 200_000},BUSY\n", "field larger than"),
        ('[{"deviation": []}]', "the column"),
        ("[words.actions]\n", "this is a file of words, not a table of candidates"),
    ],
)
def test_files_that_are_no_table(tmp_path, text, says):
    (tmp_path / "t.csv").write_text(text, "utf-8")
    assert any(says in told for _, told in problems(str(tmp_path / "t.csv")))


def test_a_table_in_another_encoding(tmp_path):
    (tmp_path / "t.csv").write_bytes(f"{HEAD}\nIDLE,a,B\xdcSY\n".encode("latin-1"))
    ((line, told),) = problems(str(tmp_path / "t.csv"))
    assert line == 2
    assert "save the file as UTF-8" in told


def test_the_command_writes_what_the_models_have(tmp_path):
    done = run("candidates", THERAC, "--out", tmp_path / "t.csv")
    assert (done.code, done.out) == (0, "")
    with open(tmp_path / "t.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 76
    (row,) = [r for r in rows if (r["from"], r["action"], r["to"]) == SLIP]
    assert row["class"] == "repetition"
    assert row["individual verdict"] == "hazardous"
    assert row["in words"] == "the nurse chooses X-rays: mode chosen → mode chosen"
    assert run("candidates", THERAC).out == (tmp_path / "t.csv").read_text("utf-8")


SLIP = ("MODE_CHOSEN", "x", "MODE_CHOSEN")


def test_too_many_rows_are_refused():
    done = run("candidates", THERAC, "--limit", "75")
    assert done.code == 3
    assert done.out == ""
    assert "76 rows, more than 75" in done.err


def test_unknown_verdicts_name_their_budget(tmp_path):
    case = shutil.copytree("models/therac25", tmp_path / "m") / "therac25.toml"
    case.write_text(case.read_text() + "[budgets]\ntable = 1e-9\n")
    done = run("candidates", case)
    assert done.code == 3
    assert "not computed in 1e-09 s; set 'table' in [budgets] of the case" in done.err


def filled(tmp_path, fill):
    """The table of the Therac-25, each row given to a function that fills it in."""
    text = run("candidates", THERAC).out
    rows = list(csv.DictReader(io.StringIO(text)))
    with open(tmp_path / "t.csv", "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, WRITTEN)
        writer.writeheader()
        writer.writerows(row for row in rows if fill(row) is None)
    return str(tmp_path / "t.csv")


def test_what_is_implausible_leaves_k(tmp_path):
    """Δ over K is the maximal elements of {d ∩ (R_E ∪ K) : d ∈ Δ}."""

    def fill(row):
        row["plausible"] = "no" if row["class"] != "repetition" else ""

    done = run("compute", THERAC, "--table", filled(tmp_path, fill), "--format", "json")
    assert done.code == 0, done.err
    assert done.err == ""
    result = json.loads(done.out)
    whole = json.loads(run("compute", THERAC, "--format", "json").out)
    kept = {tuple(t) for t in result["among"]}
    assert kept == {(1, "e", 1), (1, "x", 1), (2, "enter", 2), (3, "b", 3)}
    planned = {tuple(t) for t in whole["environment"]["transitions"]}
    parts = [{tuple(t) for t in d} & (planned | kept) for d in whole["delta"]]
    largest = [p for p in parts if not any(p < other for other in parts)]
    found = [{tuple(t) for t in d} for d in result["delta"]]
    assert set(map(frozenset, found)) == set(map(frozenset, largest))


def test_modes_of_a_table_are_modes(tmp_path):
    def fill(row):
        row["fault mode"] = f"{row['class'].split()[0]} {row['action']}"

    table = filled(tmp_path, fill)
    done = run("compute", THERAC, "--table", table, "--format", "json")
    by = run("compute", THERAC, "--by", "class,action", "--format", "json")
    assert done.code == by.code == 0, done.err
    one, other = json.loads(done.out), json.loads(by.out)
    assert len(one["modes"]) > 10
    renamed = {
        f"{name.split(',')[0].split('-')[0]} {name.split(',')[1]}"
        for name in other["modes"]
    }
    # Two classes may begin with one word; then the modes are larger.
    assert set(one["modes"]) == renamed


def test_a_case_names_its_table(tmp_path):
    def fill(row):
        row["fault mode"] = "slip" if row["class"] == "repetition" else ""
        row["plausible"] = "" if row["fault mode"] else "no"

    filled(tmp_path, fill)
    folder = ROOT / "models" / "therac25"
    for name in ("nurse.lts", "machines.lts", "xflat.lts"):
        (tmp_path / name).write_text((folder / name).read_text("utf-8"), "utf-8")
    case = tmp_path / "case.toml"
    text = (
        'environment = "nurse.lts"\ncontroller = "machines.lts#THERAC25"\n'
        'properties = ["xflat.lts"]\n[faults]\n'
        '"go back" = "*,up,NO_MODE"\nslip = "NO_MODE,e,NO_MODE"\n'
    )
    case.write_text(text + 'table = "t.csv"\n', "utf-8")
    result = json.loads(run("compute", case, "--format", "json").out)
    # What a row joins to a mode is in it, what is implausible in none.
    assert {name: len(held) for name, held in result["modes"].items()} == {
        "go back": 0,
        "slip": 4,
    }
    rows = tmp_path / "rows.jsonl"
    assert run("batch", case, "--out", rows).code == 0
    (row,) = map(json.loads, rows.read_text("utf-8").splitlines())
    assert row["status"] == "complete", row
    for wrong, says in (("../t.csv", "case-outside"), ("no.csv", "file-missing")):
        case.write_text(f'{text}table = "{wrong}"\n', "utf-8")
        done = run("compute", case)
        assert done.code == 2
        assert says in done.err


def test_candidates_without_a_row_stay(tmp_path):
    def fill(row):
        return True if row["action"] == "b" else None

    table = filled(tmp_path, fill)
    done = run("compute", THERAC, "--table", table, "--format", "json")
    assert done.code == 0
    assert "15 candidates have no row" in done.err
    assert len(json.loads(done.out)["among"]) == 76


def test_a_table_does_not_fit_components(tmp_path):
    text = run("candidates", "models/abp/abp.toml", "--among", "*,*,*").out
    (tmp_path / "t.csv").write_text(text, "utf-8")
    done = run("compute", "models/abp/abp.toml", "--table", tmp_path / "t.csv")
    assert done.code == 2
    assert "[table-components]" in done.err


def test_risk_and_compare_take_the_table(tmp_path):
    """Two slips that hurt alone and a mode of one, each with its chance."""

    def fill(row):
        if (row["from"], row["action"], row["to"]) == SLIP:
            row["fault mode"], row["probability"] = "again", "0.1"
        elif (row["from"], row["action"], row["to"]) == ("NO_MODE", "e", "NO_MODE"):
            row["probability"] = "0,5"
        elif row["individual verdict"] == "tolerated":
            row["plausible"] = "no"

    table = filled(tmp_path, fill)
    done = run("risk", THERAC, "--table", table, "--format", "json")
    assert done.code == 0, done.err
    assert "0.55" in done.out
    fix = "models/therac25/therac20.toml"
    done = run("compare", fix, THERAC, "--table", table, "--format", "json")
    assert json.loads(done.out)["verdict"] == "more"
