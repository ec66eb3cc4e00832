"""`str(answer)` is what the command prints; notebooks show every answer."""

import copy
import gc
import html
import pickle
import re
import weakref

import pytest

import symrob
from symrob.limits import BUDGETS
from symrob.shown import Shown
from tests.cli.tools import run

THERAC = "models/therac25/therac25.toml"
THERAC_20 = "models/therac25/therac20.toml"
FIXED = "models/therac25/therac25_fix.toml"
WIDE = "models/pca_pump/pca_pump_unconstrained.toml"
MODES = "models/two_phase_commit/two_phase_commit.toml"
ABP = "models/abp/abp.toml"
PARTS = "models/pca_pump/pca_pump_every_line.toml"
PRESS = "models/press/press.toml"

# What is asked, its options in Python, and what the command is given.
ASKED = [
    (THERAC, "compute", {}, ()),
    (MODES, "compute", {}, ()),
    (THERAC, "check", {}, ()),
    (THERAC, "summary", {}, ()),
    (ABP, "summary", {}, ()),
    (THERAC, "cuts", {"order": 2}, ("--order", 2)),
    (THERAC, "candidates", {}, ()),
    (THERAC, "monitor", {"target": "c"}, ("--target", "c")),
    (THERAC, "explain", {"transition": ["*,b,*"]}, ("--transition", "*,b,*")),
    (THERAC, "repair", {"tolerate": ["*,up,*"]}, ("--tolerate", "*,up,*")),
    (THERAC, "repair", {"suggest": True}, ("--suggest",)),
    ([THERAC, THERAC_20], "compare", {"delta": True}, ("--delta",)),
    ([THERAC, THERAC_20, FIXED], "compare", {}, ()),
]


@pytest.fixture(autouse=True)
def _time_enough(monkeypatch):
    """No part of an answer is cut short on a busy machine."""
    for budget in ("assumptions", "at-once", "progress", "soon", "story", "unassumed"):
        monkeypatch.setitem(BUDGETS, budget, 600.0)


def steady(text):
    """A text without the seconds that something took."""
    return re.sub(r"\d+\.\d{3} s", "… s", text)


@pytest.mark.parametrize(("cases", "question", "options", "arguments"), ASKED)
def test_the_text_of_an_answer_is_that_of_its_command(
    cases, question, options, arguments
):
    answer = symrob.ask(cases, question, **options)
    named = [cases] if isinstance(cases, str) else cases
    command = run(question, *named, *arguments)
    assert command.code == 0, command.err
    told = steady(str(answer))
    assert told + "\n" == steady(command.out)
    assert told == steady(str(answer)), "it can be shown twice"
    assert isinstance(answer, Shown)
    shown = answer._repr_html_()
    if question != "compute":
        assert steady(html.unescape(shown)) == f"<pre>{told}</pre>"


def test_the_text_of_a_policy_is_that_of_the_gate():
    policy = "models/therac25/gate.toml"
    answer = symrob.ask(THERAC, "gate", policy=policy)
    assert steady(str(answer)) + "\n" == steady(run("gate", policy, THERAC).out)


def test_the_text_of_what_may_go_wrong_is_that_of_the_command(tmp_path):
    table = tmp_path / "chances.toml"
    table.write_text('[probability]\n"*,up,*" = 0.01\n"*,b,*" = 1e-3\n')
    said = run("risk", THERAC, "--probability", table).out
    chances = {"*,up,*": 0.01, "*,b,*": 1e-3}
    loaded = symrob.load_case(THERAC)
    envelope = loaded.compute()
    answers = [
        symrob.risk(THERAC, table),
        symrob.risk(loaded, chances),
        symrob.risk(envelope, chances),
        envelope.risk(chances),
    ]
    for answer in answers:
        assert steady(str(answer)) + "\n" == steady(said)
        low, high = answer.bounds
        assert low == high > 0
    both = symrob.risk(THERAC, table, other=THERAC_20)
    command = run("risk", THERAC, THERAC_20, "--probability", table)
    assert steady(str(both)) + "\n" == steady(command.out)


def test_what_an_envelope_is_asked_has_the_text_of_the_command():
    envelope = symrob.load_case(THERAC).compute()
    other = symrob.load_case(THERAC_20).compute()
    told = {
        "compute": envelope,
        "summary": envelope.summary(),
        "cuts": envelope.cuts(),
        "check": symrob.ask(envelope, "check"),
    }
    for command, answer in told.items():
        assert steady(str(answer)) + "\n" == steady(run(command, THERAC).out)
    compared = symrob.compare(envelope, other)
    assert str(compared) + "\n" == run("compare", THERAC, THERAC_20).out
    added = symrob.parse_transitions(["*,b,*"], envelope.environment)
    explained = envelope.explain(frozenset().union(*added))
    said = run("explain", THERAC, "--transition", "*,b,*").out
    assert str(explained) + "\n" == said


def test_a_text_takes_nothing_from_who_iterates():
    envelope = symrob.load_case(PRESS).compute()
    cuts = envelope.cuts()
    first = next(cuts)
    assert "individually hazardous" in str(cuts)
    rest = [*cuts]
    assert [first, *rest] == [*envelope.cuts()]
    assert rest


def test_parts_of_answers_have_a_text():
    envelope = symrob.load_case(PRESS).compute()
    (first, *_) = envelope.cuts()
    assert str(first).startswith("Hazardous: 1 transition\n")
    assert first.trace.violated in str(first)
    lines = str(envelope[0]).splitlines()
    assert lines[0].startswith("Deviation: ")
    assert f"{len(envelope[0].new)} new transitions" in lines[0]
    assert str(envelope.statistics).startswith("|Act|")
    assert str(envelope.side_report()) == "" or "eadlock" in str(envelope.side_report())


def test_an_envelope_in_parts_and_a_wide_one_have_a_text():
    parts = symrob.load_case(PARTS).compute()
    assert steady(str(parts)) + "\n" == steady(run("compute", PARTS).out)
    wide = symrob.load_case(WIDE).compute(limit=2)
    said = run("compute", WIDE, "--limit", 2).out
    # The text names the option as Python does.
    assert steady(str(wide)).split("\nIncomplete")[0] in steady(said)


def test_a_copy_shows_its_data():
    answer = symrob.ask(THERAC, "check")
    for copied in (pickle.loads(pickle.dumps(answer)), copy.copy(answer)):
        assert copied == answer
        assert str(copied) == repr(answer)
    envelope = symrob.load_case(PRESS).compute()
    again = pickle.loads(pickle.dumps(envelope))
    assert steady(str(again)) == steady(str(envelope))


def test_answers_are_freed_at_once_and_with_them_what_they_come_from():
    """Nodes of BDDs may not be freed after their manager, as circles of them are."""
    policy = "models/therac25/gate.toml"

    def answers():
        envelope = symrob.load_case(THERAC).compute()
        yield envelope.summary()
        yield envelope.explain([("MODE_CHOSEN", "up", "NO_MODE")])
        yield envelope.cuts(order=1)
        yield symrob.compare(envelope, symrob.load_case(THERAC_20).compute())
        yield symrob.ask(THERAC, "gate", policy=policy)
        for cases, question, options, _arguments in ASKED:
            yield symrob.ask(cases, question, **options)

    gc.collect()
    gc.disable()
    try:
        for answer in answers():
            known = weakref.ref(answer)
            assert str(answer)
            kind = type(answer).__name__
            del answer
            assert known() is None, kind
    finally:
        gc.enable()
