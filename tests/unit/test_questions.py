"""Every question has what it needs beside its module."""

from dataclasses import MISSING, fields

import pytest

from symrob.options import question_names
from symrob.questions import all_questions
from symrob.report.forms import forms_of
from symrob.schemas.__main__ import answers

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
