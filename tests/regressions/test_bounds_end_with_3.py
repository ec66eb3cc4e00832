"""Bounds of texts ended with 2, as wrong input does; the exit code of a bound is 3."""

import json

import pytest

from symrob.errors import Diagnostic, LimitExceeded, SymrobError
from tests.cli.tools import run

RUNNING = "models/running_example/running_example.toml"


def span(high):
    ends = "".join(f'<IntConstant Value="{n}"/>' for n in (0, high))
    return f'<BinaryExpression Operator="..">{ends}</BinaryExpression>'


def module(ranges="", components=""):
    """A module of Supremica with an array of events, and components."""
    return (
        '<Module xmlns="http://waters.sourceforge.net/xsd/module" Name="m">\n'
        f'<EventDeclList><EventDecl Kind="CONTROLLABLE" Name="a">{ranges}</EventDecl>'
        f"</EventDeclList>\n<ComponentList>{components}\n"
        '<SimpleComponent Kind="PLANT" Name="E"><Graph><NodeList>'
        '<SimpleNode Initial="true" Name="q"/></NodeList></Graph></SimpleComponent>'
        "</ComponentList></Module>"
    )


def loops(inner):
    return f'<ForeachComponent Name="i">{span(999)}{inner}</ForeachComponent>'


TEXTS = {
    "label.lts": ("P = (a[0..100000] -> P).", "max-expansion=100001"),
    "brackets.lts": (
        f"P = (a[{'(' * 101}1{')' * 101}] -> P).",
        "max-nesting=200",
    ),
    "range.wmod": (module(f"<RangeList>{span(100_000)}</RangeList>"), None),
    "array.wmod": (module(f"<RangeList>{span(999) * 2}</RangeList>"), None),
    "loops.wmod": (module("", loops(f"<ComponentList>{loops('')}</ComponentList>")), 0),
    "variable.wmod": (
        module(
            "",
            f'<VariableComponent Name="v"><VariableRange>{span(100_000)}'
            "</VariableRange></VariableComponent>",
        ),
        0,
    ),
    "elements.wmod": (module("", "<a>" * 200 + "</a>" * 200), 0),
    "states.scxml": (
        '<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0">'
        + "<state>" * 200
        + "</state>" * 200
        + "</scxml>",
        0,
    ),
    "chart.json": (
        '{"initial": "s", "states": {"s": ' * 120 + "{}" + "}}" * 120,
        "max-nesting=200",
    ),
    "groups.cif": ("group g:\n" * 200 + "end\n" * 200, 0),
}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("command", ["show", "lint"])
def test_a_bound_of_a_text_ends_with_3_and_says_what_raises_it(tmp_path, name, command):
    text, enough = TEXTS[name]
    path = tmp_path / name
    path.write_text(text)
    done = run(command, path)
    assert done.code == 3, done
    said = done.err + done.out
    assert f"{path}:" in said
    assert "raises this limit" in said
    assert "--bound max-" in said
    if enough:
        assert run(command, path, "--bound", enough).code == 0


def test_components_have_the_users_bound(tmp_path):
    path = tmp_path / "m.lts"
    path.write_text("P = (a -> P). ||S = (forall [i:0..9] forall [j:0..10] p[i][j]:P).")
    for command in ("show", "lint"):
        done = run(command, path, "--bound", "max-expansion=109")
        assert done.code == 3
        assert f"{path}:" in done.err + done.out
        assert "--bound max-expansion raises this limit" in done.err + done.out
        assert run(command, path, "--bound", "max-expansion=110").code == 0


def test_a_range_of_wmod_has_the_users_bound(tmp_path):
    path = tmp_path / "m.wmod"
    path.write_text(module(f"<RangeList>{span(9)}</RangeList>"))
    assert run("show", path).code == 0
    assert run("show", path, "--bound", "max-expansion=10").code == 0
    done = run("show", path, "--bound", "max-expansion=9")
    assert done.code == 3
    assert "a range of 10 values, more than 9" in done.err


def test_a_text_that_means_too_many_transitions_ends_with_3():
    args = ("explain", RUNNING, "--transition", "*,*,*", "--bound")
    done = run(*args, "max-expansion=3")
    assert done.code == 3
    assert "--bound max-expansion raises this limit" in done.err


def test_a_case_of_a_batch_that_hits_a_bound_is_of_that_status(tmp_path):
    (tmp_path / "m.lts").write_text("P = (a[0..100000] -> P).")
    case = tmp_path / "case.toml"
    case.write_text('environment="m.lts"\ncontroller="m.lts"\nproperties=["m.lts"]')
    out = tmp_path / "rows.jsonl"
    assert run("batch", case, "--out", out).code == 3
    row = json.loads(out.read_text())
    assert row["status"] == "limit"
    assert row["diagnostics"][0]["code"] == "fsp-limit-expansion"


def test_what_is_wrong_besides_counts_more():
    bound = Diagnostic("x-limit", "too many")
    wrong = Diagnostic("x-syntax", "wrong")
    warning = Diagnostic("x-doubt", "odd", severity="warning")
    assert isinstance(SymrobError(bound), LimitExceeded)
    assert isinstance(SymrobError([warning, bound]), LimitExceeded)
    for problems in ([bound, wrong], [warning], wrong, "limit"):
        assert type(SymrobError(problems)) is SymrobError
        assert SymrobError(problems).exit_code == 2
