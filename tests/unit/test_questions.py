"""Every question has what it needs beside its module."""

import json
from dataclasses import MISSING, fields

import pytest

import symrob
from symrob.question_names import question_names
from symrob.questions import all_questions
from symrob.report.output_formats import forms_of
from symrob.schemas.__main__ import answers
from tests.cli.tools import ROOT, run

QUESTIONS = [*all_questions()]


def test_each_module_is_found_the_summary_first():
    names = [kind.called() for kind in QUESTIONS]
    assert names[0] == "summary"
    assert sorted(names) == question_names()


@pytest.mark.parametrize("kind", QUESTIONS, ids=lambda kind: kind.called())
def test_each_form_is_written(kind):
    assert {*kind.forms} <= {*forms_of(kind)}
    assert kind.__doc__


@pytest.mark.parametrize("kind", QUESTIONS, ids=lambda kind: kind.called())
def test_each_field_is_an_option(kind):
    for field in fields(kind):
        option = field.metadata["option"]
        assert option.help
        # What is required is an argument.
        assert option.flags or field.default in (MISSING, None)


def test_what_is_data_has_a_schema():
    data = {kind.called() for kind in QUESTIONS if answers(kind)}
    lines = {kind.called() for kind in QUESTIONS if "json" in kind.forms}
    # Δ is written while it comes; see `report.result`.
    assert lines - data == {"compute"}


CASE = "models/therac25/therac25.toml"


def test_python_asks_as_the_commands_do():
    assert symrob.ask(CASE, "check").safe
    printed = json.loads(run("cuts", CASE, "--order", 1, "--format", "json").out)
    found = symrob.ask(symrob.load_case(ROOT / CASE), "cuts", order=1)
    sets = sorted(sorted(map(list, cut.transitions)) for cut in found)
    assert sets == sorted(cut["transitions"] for cut in printed["cuts"])
    assert found.end.resilience.size == printed["resilience"]["size"] == 1
    both = [ROOT / CASE, ROOT / "models/therac25/therac20.toml"]
    assert symrob.ask(both, "compare").verdict == "less"


def test_python_is_told_what_there_is_not():
    with pytest.raises(symrob.SymrobError, match="did you mean 'cuts'"):
        symrob.ask(CASE, "cutz")
    with pytest.raises(symrob.SymrobError, match="did you mean 'order'"):
        symrob.ask(CASE, "cuts", ordr=1)
    with pytest.raises(symrob.SymrobError, match="nothing to explain"):
        symrob.ask(CASE, "explain")
