"""A wrong value is shown at its own line, in whichever table of a TOML file it is."""

import json

import pytest

import symrob
from symrob.case import keys, load_cases
from symrob.case.probability import load_probabilities
from symrob.case.weights import load_mode_weights, load_weights
from symrob.case.words import load_words
from symrob.errors import SymrobError
from symrob.gate.policy import POLICY, load_policy
from symrob.problem import FaultMode
from symrob.problem.classes import CLASSES
from symrob.problem.units import units_of
from tests.cli.tools import run

E = symrob.Lts(["a", "b"], 2, [(0, "a", 1)], names=["S", "T"])
UNITS = units_of(E, [FaultMode("m", frozenset({symrob.Transition(1, "a", 1)}))])
# One of these is wrong for any key.
VALUES = (3.5, -1, True, "", "x", [], [3.5], {})
MODELS = ['environment = "e"', 'controller = "c"', 'properties = ["p"]']


def wrong(expected):
    value = next(value for value in VALUES if not expected.fits(value))
    return json.dumps(value)


def forms(before, table, key, value):
    """Three ways to write a key of a table; with each the line of the key."""
    yield [*before, f"[{table}]", "# [x]", f"{key} = {value}"], len(before) + 3
    yield [*before, "", f"{table}.{key} = {value}"], len(before) + 2
    yield [*before, f"{table} = {{ {key} = {value} }}"], len(before) + 1


def after(before, bad, behind=()):
    return [*before, bad, *behind], len(before) + 1


def of_cases():
    for key, expected in keys.CASE.keys.items():
        others = [line for line in MODELS if not line.startswith(f"{key} ")]
        yield after(others, f"{key} = {wrong(expected)}")
    for table in ("against", "limits", "budgets", "matrix", "paper"):
        for key, expected in keys.CASE.keys[table].inside.keys.items():
            yield from forms(MODELS, table, key, wrong(expected))
    for table in ("constants", "matrix.constants"):
        good, more = [f"[{table}]", "A = [[1, 2]]"], ["C = 1"]
        if table == "constants":
            good[1] = "A = [1, 2]"
        yield after([*MODELS, *good], 'B = "x"', more[: table == "constants"])
    for kind in CLASSES:
        yield after([*MODELS, "[classes]"], f"{kind} = 3")
    for before, bad, behind in of_words():
        yield after([*MODELS, *before], bad, behind)
    for before, bad, behind in of_probabilities():
        yield after([*MODELS, *before], bad, behind)
    faults = [*MODELS, "[faults]", 'first = "0,a,0"']
    for name in ("only", "table", "mode", '"a mode"'):
        yield after(faults, f"{name} = 3", ["third = '0,b,0'"])
    rules = [*MODELS[:2], "properties = [", '"p",']
    yield after(rules, "3", ["]"])
    yield after(rules, '{ model = "q", id = 3 },', ["]"])
    yield after(rules, '{ model = "q" },', ["]"])
    yield after(rules, '"never a b c d",', ["]"])
    yield after([*MODELS, "[matrix]", "constraints = [", '["p"],'], "[3]]")
    yield after([*MODELS, "[against]", "constraints = [", '"p",'], r'"p\u0000"]')


def of_words():
    for kind in ("actions", "states", "components", "properties"):
        yield [f"[words.{kind}]", "x = 'X'"], "y = 3", ["z = 'Z'"]
    yield ["[words]", "actions.v.x = 'X'"], "actions.v.y = 3", []


def of_probabilities():
    good = ["[probability]", '"0,a,0" = 0.5']
    yield good, '"0,b,0" = 2', ['"1,b,1" = 0.5']
    yield good, '"0,b,0" = { rate = -1, time = 1 }', []
    yield good, '"0,b,0" = { rate = 1 }', []
    yield [*good, "[probability.x]", "time = 1"], "rate = -1", []


def arrays(kind, good, key, value):
    """Arrays of three tables, of which any one is wrong, written in two ways."""
    for number in range(3):
        lines, inline, line = [], [f"{kind} = ["], 0
        for each in range(3):
            table = good if each != number else {**good, key: value}
            lines += [f"[[ {kind} ]]", "# transitions = 3"]
            for name, text in table.items():
                lines.append(f"{name} = {text}")
                line = len(lines) if (each, name) == (number, key) else line
            given = (f"{name} = {text}" for name, text in table.items())
            inline.append(f"{{ {', '.join(given)} }},")
        yield lines, line
        yield [*inline, "]"], number + 2


def of_policies():
    for key, expected in POLICY.keys.items():
        others = [] if key == "resilience" else ["resilience = 1"]
        yield after(others, f"{key} = {wrong(expected)}")
    good = {
        "transitions": '["0,a,0"]',
        "modes": '["m"]',
        "baseline": '"x.json"',
        "controller": '"x.lts"',
        "at_most": "0.5",
        "without": "[]",
    }
    for kind in ("tolerates", "forbids", "as_robust_as", "risk", "assumptions"):
        known = POLICY.keys[kind].inside.keys
        mine = [key for key in known if key in good]
        for key, expected in known.items():
            table = key if key in mine else mine[0]
            yield from arrays(kind, {table: good[table]}, key, wrong(expected))
        yield from arrays(kind, {mine[0]: good[mine[0]]}, "unknown", "1")
    yield after(["resilience = 1", "[[forbids]]", "transitions = ['0,a,0',"], "3]")
    for kind in ("tolerates", "forbids"):
        # The header is the place of what is missing.
        lines = [f"[[{kind}]]", "modes = ['m']", f"[[{kind}]]"]
        yield [*lines, "name = 'x'"], 3


def of_weights():
    for key in ("source", "action", "target", "value"):
        for value in ('"x"', "true", "3.5", "[]", "{}"):
            yield from arrays("weight", {"value": "1"}, key, value)
    yield from arrays("weight", {"value": "1"}, "unknown", "1")
    yield ["[[weight]]", "value = 1", "[[weight]]", "source = 0"], 3


def of_mode_weights():
    for key in ("mode", "value", "unknown"):
        for value in ('"x"', "true", "3.5", "[]", "{}"):
            yield from arrays("weight", {"mode": '"m"', "value": "1"}, key, value)


READERS = {
    "case": (load_cases, of_cases),
    "policy": (load_policy, of_policies),
    "weights": (lambda path: load_weights(path, E), of_weights),
    "mode weights": (lambda path: load_mode_weights(path, UNITS), of_mode_weights),
    "words": (load_words, lambda: (after(*each) for each in of_words())),
    "probability": (
        load_probabilities,
        lambda: (after(*each) for each in of_probabilities()),
    ),
}


@pytest.mark.parametrize("kind", READERS)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_each_wrong_value_is_shown_at_its_line(tmp_path, kind, end):
    read, documents = READERS[kind]
    path = tmp_path / "x.toml"
    count = 0
    for lines, line in documents():
        path.write_bytes((end.join(lines) + end).encode())
        with pytest.raises(SymrobError) as caught:
            read(str(path))
        found = [d for d in caught.value.diagnostics if d.line == line]
        assert found, (lines, line, str(caught.value))
        for problem in found:
            assert problem.file == str(path)
            assert problem.source == lines[line - 1]
            shown = problem.source[problem.column - 1 :][: problem.length]
            assert shown == shown.strip() != ""
        count += 1
    assert count >= 4


def models(tmp_path):
    (tmp_path / "e.lts").write_text("E = (a -> b -> E).\n")
    (tmp_path / "c.lts").write_text("C = (a -> b -> C).\n")
    (tmp_path / "p.lts").write_text("property P = (a -> b -> P).\n")
    return 'environment = "e.lts"\ncontroller = "c.lts"\nproperties = ["p.lts"]\n'


def said(tmp_path, *args):
    """What a command says of wrong input: place and text of each problem."""
    result = run(*(str(tmp_path / a) if a.endswith(".toml") else a for a in args))
    assert result.code == 2, result
    return result.err.replace(f"{tmp_path}/", "")


@pytest.mark.parametrize(
    ("command", "text", "place"),
    [
        # What is missing, named by each key that names a file.
        ("compute", 'environment = "no.lts"', "1:15: error: 'no.lts': cannot read"),
        ("compute", 'controller = "no.lts#C"', "1:14: error: 'no.lts': cannot read"),
        ("compute", 'title = "no.lts"\nproperties = [\n"p.lts",\n"no.lts"]', "4:1"),
        ("compute", '# "no.lts"\nconstraints = ["no.lts"]', "2:16"),
        ("compute", 'words = "no.toml"', "1:9: error: 'no.toml': cannot read"),
        ("compute", 'top = 1\nweights = "no.toml"', "2:11: error: 'no.toml'"),
        ("compute", 'faults.table = "no.csv"', "1:16: error: 'no.csv': cannot read"),
        ("compute", 'environment = "."', "1:15: error: '.': files without"),
        ("compare", '[against]\ncontroller = "no.lts"', "2:14: error: 'no.lts'"),
        # What only the models tell.
        ("compute", "[constants]\nN = 1", "2:1: error: no model has the constant"),
        ("compute", '[faults]\nx = [\n"0,a,0",\n"0,c,0"]', "4:1: error: transition"),
        ("risk", '[probability]\n"0,a,0"=0.5\n"0,c,0"=0.5', "3:1: error: transition"),
    ],
)
def test_what_is_found_later_is_shown_in_the_case(tmp_path, command, text, place):
    given = {line.split()[0] for line in text.split("\n")}
    lines = models(tmp_path).splitlines()
    rest = [] if "[" in text[:1] else [x for x in lines if x.split()[0] not in given]
    before = lines if "[" in text[:1] else []
    case = "\n".join([*before, *text.split("\n"), *rest])
    (tmp_path / "case.toml").write_text(case)
    line, _, more = place.partition(":")
    expected = f"case.toml:{int(line) + len(before)}:{more}"
    assert expected in said(tmp_path, command, "case.toml")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('[[tolerates]]\ntransitions = ["0,a,0"]\n[[tolerates]]\ntransitions = [\n'
         '"1,a,1", "0,c,0"]', "5:10: error: transition '0,c,0'"),
        ('[[forbids]]\nmodes = ["m"]', "2:1: error: forbids m: the case has no"),
        ('[[as_robust_as]]\nbaseline = "no.json"', "2:12: error: 'no.json': cannot"),
        ('[[as_robust_as]]\ncontroller = "c.lts"\n[[as_robust_as]]\n'
         'controller = "no.lts"', "4:14: error: 'no.lts': cannot read"),
    ],
)  # fmt: skip
def test_what_is_found_later_is_shown_in_the_policy(tmp_path, text, place):
    (tmp_path / "case.toml").write_text(models(tmp_path))
    (tmp_path / "gate.toml").write_text(text)
    told = said(tmp_path, "gate", "gate.toml", "case.toml")
    assert f"gate.toml:{place}" in told
    (tmp_path / "gate.toml").write_text(f'case = "no.toml"\n{text}')
    told = said(tmp_path, "gate", "gate.toml")
    assert "gate.toml:1:8: error: 'no.toml': cannot read" in told
