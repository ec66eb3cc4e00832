"""Messages spell options as the user writes them: on the command line, or in Python."""

import inspect
from dataclasses import fields

import pytest

import symrob
from symrob.cli import selection
from symrob.cli.bounds import BOUNDS
from symrob.errors import Diagnostic
from symrob.option_spelling import ONLY_THERE, command_line, spelled
from symrob.options import _NUMBERS, Options
from symrob.questions import all_questions
from tests.cli.tools import run

PAIRS = [
    ("raise --timeout to continue", "raise timeout= to continue"),
    ("raise --bound max-states to continue", "raise max_states= to continue"),
    ("read it with --bound max-file=12", "read it with max_file=12"),
    ("stopped after --limit 3 sets", "stopped after limit=3 sets"),
    ("--top N, -j and --dask", "largest=N, processes= and cluster="),
    ("leave out --by; --among EXPR", "leave out by=; among=EXPR"),
    ("--by component and --by class", "by='component' and by='class'"),
    ("--by takes one or more of", "by= takes one or more of"),
    ("--allow-outside permits this", "allow_outside=True permits this"),
    ("warnings are errors (--strict)", "warnings are errors (strict=True)"),
    ("an assumption (--env-prop)", "an assumption (env_constraints=)"),
    ("--without-constraints leaves", "--without-constraints leaves"),
    ("x --> y, e-j, a--b and --", "x --> y, e-j, a--b and --"),
]


@pytest.mark.parametrize(("there", "here"), PAIRS)
def test_options_are_spelled_for_the_user(there, here):
    assert spelled(there) == here
    assert spelled(here) == here
    assert Diagnostic("code", there, hint=there).message == here
    assert Diagnostic("code", there, hint=there).hint == here
    with command_line():
        assert spelled(there) == there
        assert Diagnostic("code", there, hint=there).hint == there
    assert spelled(there) == here


def test_every_option_has_the_name_that_python_takes():
    taken = {*inspect.signature(symrob.compute).parameters}
    for name, flag, *_ in _NUMBERS:
        assert spelled(flag) == f"{name}="
    for kind in all_questions():
        for name, option in kind.options().items():
            for flag in option.flags:
                if flag not in ONLY_THERE:
                    assert spelled(flag).partition("=")[0] == name, (kind, flag)
    options = {field.name for field in fields(Options)}
    for bound in BOUNDS:
        name = spelled(f"--bound {bound}")
        assert name == bound.replace("-", "_") + "="
    selecting = (selection.By, selection.Among, selection.NotAmong, selection.FilledIn)
    for option in selecting:
        flag = option.__metadata__[0].default
        assert flag in ONLY_THERE or spelled(flag)[:-1] in taken
    assert {"timeout", "limit", "largest", "max_memory"} <= taken & options


def test_python_says_keywords_and_the_command_line_options():
    case = symrob.load_case("models/therac25/therac25.toml")
    with pytest.raises(symrob.SymrobError) as found:
        case.compute(timeout=-1, largest=0, max_states=0)
    told = str(found.value)
    assert "--" not in told
    for name in ("timeout=", "largest=", "max_states="):
        assert f"{name} must be" in told
    limited = case.compute(limit=1)
    assert len(limited) == 1
    assert limited.reason == "stopped after limit=1 deviation"
    cuts = case.compute().cuts(limit=1)
    assert [len(cut) for cut in cuts] == [1]
    assert cuts.reason == "stopped after limit=1 set"
    said = run("compute", "models/therac25/therac25.toml", "--timeout", "-1").err
    assert "--timeout must be" in said
    said = run("compute", "models/therac25/therac25.toml", "--limit", "1").err
    assert "stopped after --limit 1 deviation" in said


def test_compute_takes_what_messages_name():
    paths = [
        "models/therac25/nurse.lts",
        "models/therac25/machines.lts#THERAC25",
        "models/therac25/xflat.lts",
    ]
    with pytest.raises(symrob.LimitExceeded, match="raise max_states= to"):
        symrob.compute(*paths, max_states=3)
    with pytest.raises(symrob.SymrobError, match=r"unknown option 'max_state'"):
        symrob.compute(*paths, max_state=3)
