"""Table 1 beside ours: every figure is the paper's, and what is another is told."""

import shutil

from bench import table1
from symrob.errors import LimitExceeded
from tests.cli.tools import ROOT

EXAMPLE = ROOT / "models/running_example"


def test_every_figure_is_the_papers(capsys):
    assert table1.main([]) == 0
    out = capsys.readouterr().out
    assert "every figure except the times equals the paper's" in out
    assert table1.DIFFERENT not in out
    places = [out.index(f"│ {row} ") for row in table1.ROWS]
    assert places == sorted(places)


def test_algorithms_are_compared(capsys):
    assert table1.main([str(EXAMPLE), "--all", "--timeout", "60"]) == 0
    assert "connected s" in capsys.readouterr().out


def test_what_differs_is_marked(tmp_path, capsys):
    folder = shutil.copytree(EXAMPLE, tmp_path / "models")
    (folder / "policy.toml").write_text("resilience = 2\n")
    case = folder / "running_example.toml"
    case.write_text(case.read_text().replace("delta = ", "delta = 9"))
    assert table1.main([str(folder)]) == 1
    out = capsys.readouterr().out
    assert table1.DIFFERENT in out
    assert "1 figure differs from the paper's" in out


def test_a_row_that_is_stopped_costs_no_other(monkeypatch, capsys):
    analyse, calls = table1.analyse, []

    def stops(*args):
        calls.append(args)
        if len(calls) == 2:
            raise LimitExceeded("too much")
        return analyse(*args)

    monkeypatch.setattr(table1, "analyse", stops)
    cases = table1.table_cases([EXAMPLE, ROOT / "models/therac25"])
    first, second, *others = table1.run_table(cases, ["maximal"])
    assert [row.complete for row in (first, second, *others)] == [
        True,
        False,
        *(True for _ in others),
    ]
    assert table1.verdict([first, second])[1] == [
        "1 row not complete",
        "every known figure except the times equals the paper's",
    ]


def test_another_delta_is_told():
    row = table1.Row("x", {}, {}, {"maximal": 1.0, "plain": 2.0}, ("plain",))
    assert table1.verdict([row]) == (
        False,
        [
            "x: plain gives another Δ",
            "every figure except the times equals the paper's",
        ],
    )
