"""Messages say what is wrong in one way, name what is right, and count in grammar."""

import pytest

import symrob
from symrob.analyses.same import require_same_units
from symrob.certify.certificate import Checker
from symrob.certify.reading import WrongError
from symrob.envelope import tuning
from symrob.errors import enumerated, plural
from symrob.logic.patterns import parse_pattern
from symrob.problem import Budget
from symrob.report.text import budget_text
from tests.certificates.tools import certify_case, linked, read, records, write
from tests.cli.tools import run

THERAC = "models/therac25/therac25.toml"


def test_counts_and_lists():
    assert [plural(n, "set") for n in (0, 1, 2, 1000)] == [
        *("0 sets", "1 set", "2 sets", "1,000 sets"),
    ]
    names = ["a", "b", "c", "d"]
    assert [enumerated(names[:n], 3) for n in range(5)] == [
        *("", "a", "a and b", "a, b and c", "a, b, c and 1 more"),
    ]
    assert enumerated(names[:2], 3, " or ") == "a or b"
    assert budget_text(Budget(2, {"crash": 1})) == (
        "at most 2 deviated steps and at most 1 deviated step of crash in a trace"
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("never a while 'full", "a quote is not closed: 'full"),
        (f"never a while {'(' * 101}", "brackets are nested more than 100 deep"),
        ("never a while E is", "expected the name of a state"),
        ("never a while E is on )", "expected 'and', 'or' or the end, not ')'"),
    ],
)
def test_what_follows_is_named_only_where_something_else_was_expected(text, said):
    with pytest.raises(symrob.SymrobError) as raised:
        parse_pattern(text)
    (found,) = raised.value.diagnostics
    assert found.message.endswith(said), found.message


WEIGHT = "[[weight]]\nvalue = 1\n{}\n"


@pytest.mark.parametrize(
    ("args", "files", "said"),
    [
        (
            ("show", "models/pca_pump/nurse.lts", "--const", "LINNES=2"),
            {},
            "hint: known constants: LINES, LINE\n",
        ),
        (
            ("check", "models/pca_pump/pca_pump.toml", "--const", "LINNES=2"),
            {},
            "hint: known constants: LINES, LINE\n",
        ),
        (
            ("compute", THERAC, "--top", "1", "--weights", "w.toml"),
            {"w.toml": WEIGHT.format('action = "entr"')},
            "its actions: b, e, enter, up, x",
        ),
        (
            ("compute", THERAC, "--top", "1", "--weights", "w.toml"),
            {"w.toml": WEIGHT.format('source = "CONFIRMD"')},
            "its states: NO_MODE, MODE_CHOSEN, CONFIRMED, TREATED",
        ),
        (
            *(("explain", THERAC, "--mode", "m", "--transition", "*,*,*"), {}),
            "--mode cannot be combined with --transition or --deviation",
        ),
    ],
)
def test_errors_name_what_is_right(tmp_path, monkeypatch, args, files, said):
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    args = [str(tmp_path / arg) if arg in files else arg for arg in args]
    done = run(*args)
    assert done.code == 2
    assert said in done.err, done.err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("alg int x; equation y = 1; disc int y;", "'y' is not an algebraic variable"),
        ("alg int x = 1; equation x = 2;", "the algebraic variable 'x' already has a"),
    ],
)
def test_one_fault_of_an_equation_is_named(tmp_path, text, said):
    path = tmp_path / "m.cif"
    path.write_text(f"plant p: {text} location: initial; end\n")
    with pytest.raises(symrob.SymrobError) as raised:
        symrob.load(path)
    assert said in str(raised.value)


def test_components_of_both_sides_are_told_apart(monkeypatch):
    monkeypatch.setattr(tuning, "COMPOSED_STATES", 1)

    def turns(i):
        return symrob.Lts([f"a{i}", f"b{i}"], 2, [(0, f"a{i}", 1), (1, f"b{i}", 0)])

    def about(count):
        parts = [turns(i) for i in range(count)]
        free = symrob.Lts(["a0"], 1, [(0, "a0", 0)])
        made = symrob.compute(
            symrob.network(parts), free, free, faults={"m": "0:0,a0,0"}, only=True
        )
        assert made.space.whole is None, "E is in parts"
        return made.space.about

    with pytest.raises(symrob.SymrobError) as raised:
        require_same_units(about(2), about(3))
    assert raised.value.diagnostics[0].message == (
        "the environments have different components: the first has '0' and '1'; the "
        "second has '0', '1' and '2'"
    )


def test_a_part_that_is_worse_than_the_whole():
    """Alone it is hazardous; with another transition an assumption excludes both."""
    sets = "MODE_CHOSEN,up,NO_MODE", "TREATED,b,TREATED"
    args = [word for text in sets for word in ("--transition", text)]
    told = run("explain", THERAC, *args).out
    assert "\nOne of these suffices; without the others it is hazardous:\n" in told


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("foreign", "deviation 1 has a member that is not a candidate"),
        ("twice", "two equal deviations"),
        ("trace", "the trace of unsafe set 1 does not reach ERROR"),
    ],
)
def test_a_wrong_certificate_is_told_in_a_sentence(tmp_path, kind, said):
    path = tmp_path / "c.cert"
    certify_case("therac25/therac25", path)
    rows = linked(records(path))
    place = next(n for n, row in enumerate(rows) if "deviation" in row)
    if kind == "foreign":
        no_candidate = min({*range(100)} - {*read(path).candidates})
        rows[place]["deviation"] = sorted([*rows[place]["deviation"], no_candidate])
    elif kind == "twice":
        rows.insert(place, {**rows[place]})
    else:
        next(row for row in rows if "run" in row)["run"] = []
    write(rows, path)
    with pytest.raises(WrongError) as raised:
        list(Checker(read(path)).lines())
    assert raised.value.args == (kind, said)
