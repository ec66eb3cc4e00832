"""FSP's assertions as properties: formulas of tests/logic as FSP text."""

from random import Random

import pytest

from symrob.errors import LimitExceeded, SymrobError
from symrob.formats.fsp import Limits, load_text
from symrob.logic.formula import NormalForm
from symrob.logic.monitor import monitor_of
from symrob.lts import ERROR
from tests.cli.tools import run
from tests.logic.test_formulas import random_formula

FLUENTS = """
fluent F = <a, b>
fluent G = <a, b> initially 1
fluent H = <b, c>
"""


def text_of(formula):
    """A formula as FSP has it; every operator in brackets of its own."""
    parts = [text_of(part) for part in formula.parts]
    match formula.operator:
        case "fluent":
            return formula.fluent.name
        case "true" | "false" as word:
            return f"rigid {int(word == 'true')}"
        case "!" | "X" | "[]" | "<>" as sign:
            return f"{sign} ({parts[0]})"
        case sign:
            return f"(({parts[0]}) {sign} ({parts[1]}))"


def test_random_assertions_are_their_formulas():
    rng = Random(9)
    kinds = set()
    for _ in range(300):
        formula = random_formula(rng, rng.choice((1, 2, 3)))
        text = f"{FLUENTS}\nassert A = ({text_of(formula)}) + {{a, b, c}}"
        normal = NormalForm(formula)
        kinds.add(bool(normal.liveness))
        if normal.liveness:
            with pytest.raises(SymrobError, match="not a safety property"):
                load_text(text)
            continue
        lts = load_text(text).network
        assert bad(lts, 5) == bad(monitor_of(normal.root, "abc"), 5), text
    assert kinds == {True, False}


def bad(lts, depth):
    """The shortest words over a, b and c after which a monitor has failed."""
    found, todo = set(), [((), 0)]
    while todo:
        word, state = todo.pop()
        for action in "abc":
            (target,) = lts.successors[state][action]
            if target == ERROR:
                found.add((*word, action))
            elif len(word) < depth:
                todo.append(((*word, action), target))
    return found


def actions(text, **given):
    return load_text(text, **given).network.alphabet


CELLS = """
range R = 0..2
fluent BUSY[i:R] = <put[i], {clr[i], reset}>
assert ONE = forall [i:R] forall [j:R] [](rigid (i == j) || !(BUSY[i] && BUSY[j]))
assert FREE(N = 1) = []!BUSY[N]
assert MIDDLE = FREE
assert LAST = FREE(2)
assert ANY = []!BUSY[R]
assert OFF = []!BUSY[7]
assert LIVE = ([]!put[0] && exists [i:R] []<>put[i])
"""


def test_indices_parameters_and_quantifiers():
    assert "put.2" in actions(CELLS, process="ONE")
    one = load_text(CELLS, process="ONE").network
    assert one.size == 4
    assert actions(CELLS, process="FREE") == ("clr.1", "put.1", "reset")
    assert actions(CELLS, process="MIDDLE") == ("clr.1", "put.1", "reset")
    assert actions(CELLS, process="LAST") == ("clr.2", "put.2", "reset")
    assert len(actions(CELLS, process="ANY")) == 7
    assert load_text(CELLS, process="LAST").meaning == "always not BUSY[2]"


@pytest.mark.parametrize(
    ("text", "process", "code"),
    [
        (CELLS, "OFF", "fsp-index-range"),
        (CELLS, "LIVE", "fsp-liveness"),
        (CELLS, None, "fsp-ambiguous"),
        (CELLS, "NOBODY", "fsp-no-process"),
        ("assert A = B\nassert B = A", "A", "fsp-assertion-circle"),
        ("assert A(N=1) = rigid N\nassert B = A(1, 2)", "B", "fsp-arguments"),
        ("fluent F = <a, a>\nassert A = []F", None, "fsp-fluent"),
        ("assert A = [](a && F)", None, "fsp-undefined-fluent"),
        ("assert A = [](a -> b", None, "fsp-syntax"),
    ],
)
def test_what_is_wrong_is_told_at_its_place(text, process, code):
    with pytest.raises(SymrobError) as caught:
        load_text(text, process=process)
    problem = caught.value.diagnostics[0]
    assert problem.code == code
    assert problem.line is not None or code == "fsp-no-process"


def test_each_part_that_is_liveness_is_told():
    text = "assert A = (<>a && ([](b -> (b U c)) && ![]c))"
    with pytest.raises(SymrobError) as caught:
        load_text(text)
    places = [(d.code, d.column) for d in caught.value.diagnostics]
    assert places == [("fsp-liveness", text.index(t) + 1) for t in ("<>", "U", "[]c")]
    hints = [d.hint or "" for d in caught.value.diagnostics]
    assert ["under a negation" in hint for hint in hints] == [False, False, True]


def test_an_assertion_needs_no_process_and_is_no_default_beside_one():
    assert load_text("assert A = []!a").name == "A"
    assert load_text("assert A = []!a\nP = (b -> P).").name == "P"
    assert load_text("assert A = []!a\nassert B = A").name == "B"


def test_hostile_formulas_are_bounded():
    many = "range R = 0..999\nassert A = forall [i:R] forall [j:R] []!a[i][j]"
    with pytest.raises(SymrobError, match="max_expansion"):
        load_text(many)
    deep = "assert A = [](a -> " + "X " * 40 + "b)"
    with pytest.raises(LimitExceeded, match="max_states"):
        load_text(deep, limits=Limits(max_states=1000))
    for sign in ("!", "X ", "[]<>", "forall [0..0] "):
        with pytest.raises(SymrobError, match="nesting"):
            load_text("assert A = " + sign * 20_000 + "a")
        if sign != "[]<>":
            load_text("assert A = " + sign * 90 + "a")
    chain = [f"assert A{i} = [](a -> ([]A{i + 1}))" for i in range(5000)]
    with pytest.raises(SymrobError, match="nested too deeply"):
        load_text("\n".join([*chain, "assert A5000 = b"]))
    wide = " && ".join(f"[](a[{i}] -> (!b[{i}] W c))" for i in range(30))
    with pytest.raises(LimitExceeded, match="max_states"):
        load_text(f"assert A = ({wide})", limits=Limits(max_states=500))


def test_assertions_play_their_roles_on_the_command_line(tmp_path):
    rules = tmp_path / "rules.lts"
    rules.write_text(
        "fluent CHOSEN = <{e, x}, b>\nassert SAFE = [](fireXray -> !CHOSEN)\n"
        "assert ONCE = [](b -> X !b)\n"
    )
    models = ("--env", "models/therac25/nurse.lts")
    models += ("--ctrl", "models/therac25/machines.lts#THERAC25")
    done = run(
        "check", *models, "--prop", f"{rules}#SAFE", "--env-prop", f"{rules}#ONCE"
    )
    assert done.code == 0, done.err
    done = run("show", f"{rules}#ONCE")
    assert "in words: always (b implies next not b)" in done.out
