"""Texts with declarations of LTSA's descendants were refused; their FSP is fine."""

import pytest

from symrob.errors import SymrobError
from symrob.formats.fsp import lint_text, load_text

TEXT = """set Acts = {a, b}
A = (a -> b -> A).  B = (b -> B).
fluent F = <a, b>
assert SAFE = [](F -> LIVE)
||E = (A || B).
ltl_property LIVE = []<>F && (a U b)
def foo(x) = [](x)
controllerSpec G1 = {
  safety = {LIVE}
  controllable = {Acts}
  lazyness = 5 ~ 3 ?
}
controller ||C = (E)~{G1}.
plant ||PL = (A || B).
heuristic ||H = E~{G1}.
closure CL = (a -> CL).
constraint K = [] (F || UNDEFINED)
minimal controller ||CC = (E).
"""
SKIPPED = (
    "ltl_property LIVE, def foo, controllerSpec G1, controller C, plant PL, "
    "heuristic H, closure CL, constraint K, controller CC"
)
USER = "||USER = (C || A).\n"


def warnings(text, process=None):
    return [(w.code, w.line) for w in load_text(text, process=process).warnings]


def test_one_warning_names_them_all():
    model = load_text(TEXT)
    assert model.name == "E"
    (warning,) = model.warnings
    assert (warning.code, warning.line) == ("fsp-skipped", 6)
    assert warning.message.endswith(f": {SKIPPED}")
    assert lint_text(TEXT) == model.warnings


@pytest.mark.parametrize("process", ["C", "LIVE", "G1", "K", "CL", "foo"])
def test_what_is_asked_for_is_not_fsp(process):
    with pytest.raises(SymrobError) as caught:
        load_text(TEXT + USER, process=process)
    (problem,) = caught.value.diagnostics
    assert problem.code == "fsp-foreign"
    assert problem.source[problem.column - 1 :].startswith(process)


def test_what_is_needed_is_not_fsp():
    text = TEXT + USER + "||TOP = x:USER.\n"
    for process in ("USER", "TOP"):
        with pytest.raises(
            SymrobError, match="'C' is declared with 'controller'"
        ) as caught:
            load_text(text, process=process)
        (problem,) = caught.value.diagnostics
        assert (problem.line, problem.column) == (19, 11)
    assert warnings(text, "E") == [("fsp-skipped", 6), ("fsp-foreign", 19)]
    assert [d.code for d in lint_text(text) if d.severity == "error"] == ["fsp-foreign"]


def test_an_undefined_name_matters_where_it_is_needed():
    text = (
        "P = (a -> P).\n||S = P.\n||BAD = (NOWHERE || x[N]:P) \\ {c[M]}.\n||T = BAD.\n"
    )
    assert warnings(text, "S") == [
        ("fsp-undefined-process", 3),
        ("fsp-undefined-constant", 3),
        ("fsp-undefined-constant", 3),
    ]
    for process in ("BAD", "T"):
        with pytest.raises(SymrobError) as caught:
            load_text(text, process=process)
        assert {p.line for p in caught.value.diagnostics} == {3}
    # In a process it is an error whatever is asked for.
    with pytest.raises(SymrobError):
        load_text(text + "Q = (a -> NOWHERE).", process="S")


def test_their_words_are_labels_elsewhere():
    text = """P = (plant -> closure -> def -> controller.heuristic -> P) + {closure}.
    assert X = (plant || closure) assert Y = [] (plant U (closure))"""
    assert load_text(text).warnings == ()
    with pytest.raises(SymrobError) as caught:
        load_text("P = (constraint -> P).")
    assert caught.value.diagnostics[0].code == "fsp-syntax"


def test_mistakes_elsewhere_are_still_found():
    text = "P = (a ? -> P). controller ||C = (P)~{G}. Q = (b ~ -> Q)."
    with pytest.raises(SymrobError) as caught:
        load_text(text)
    columns = [text.index("?") + 1, text.rindex("~") + 1]
    assert [p.column for p in caught.value.diagnostics] == columns
