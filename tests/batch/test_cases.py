"""Case files: keys, matrices, places of problems, and paths that stay inside."""

import copy
import json
import os
import re
import tomllib
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

from symrob.case import Case, load_case, load_cases
from symrob.case.keys import CASE, LIMITS
from symrob.case.loading import expand
from symrob.errors import LimitExceeded, SymrobError
from symrob.files.paths import is_inside
from symrob.options import Options
from symrob.words import PLAIN
from tests.batch.tools import ROOT
from tests.models.tools import CASES, MODELS

SMALL = {"environment": "e", "controller": "c", "properties": ["p"]}
FULL = {
    **SMALL,
    "title": "t",
    "labels": ["a", "b"],
    "constraints": ["x", "y#Z"],
    "constants": {"N": 1, "R": [0, 3]},
    "algorithm": "maximal",
    "extra_states": 0,
    "top": 3,
    "weights": "w",
    "compute": ["deviations", "compare"],
    "against": {"controller": "d"},
    "limits": {"timeout": 1.5, "memory": 100, "deviations": 3, "nodes": 9},
    "row": "Oyster",
    "paper": {"delta": 1, "wall_plain": "TO"},
}
MATRIX = {
    "environment": "e",
    "labels": [],
    "matrix": {
        "controllers": ["c", "d"],
        "properties": ["p", ["p", "q"]],
        "constraints": [[], "x", ["x", "y"]],
        "constants": {"N": [1, 2], "R": [[0, 1], [0, 2]]},
    },
}
# Values that some key may take and others may not.
VALUES = (
    *("", "a", "maximal", "plain", 0, 1, -1, 1.5, True, False, [], ["a"], [["a"]]),
    *([1], [1, 2], [[1, 2]], [1, 2, 3], ["a", 1], [""], {}, {"M": 1}, {"M": [1, 2]}),
    *({"M": [1, "x"]}, {"M": []}, {"controller": "c"}, {"controllers": ["c"]}),
    *(2**63 - 1, 2**63, -(2**63), [2**63, 1], {"M": 2**63}, [["a"], 2**63]),
    *(["deviations"], ["cuts", "compare"], ["nonsense"], {"timeout": 1}, {"delta": 1}),
)
A_TEXT = ["a", "maximal", "plain"]
A_COUNT = [1, 2**63 - 1]
A_NUMBER = [0, 1, -1, 2**63 - 1]
TEXTS = [["a"], ["deviations"], ["cuts", "compare"], ["nonsense"]]
# What each key may be, of all of `VALUES`.
RIGHT = {
    **dict.fromkeys(("environment", "controller", "title", "weights", "row"), A_TEXT),
    "properties": TEXTS,
    "labels": [[], *TEXTS],
    "constraints": [[], *TEXTS],
    "constants": [{}, {"M": 1}, {"M": [1, 2]}, {"timeout": 1}, {"delta": 1}],
    "algorithm": ["maximal"],
    "extra_states": [0, *A_COUNT],
    "top": A_COUNT,
    "compute": [["deviations"], ["cuts", "compare"]],
    "against": [{"controller": "c"}],
    "limits": [{}, {"timeout": 1}],
    "paper": [{}, {"delta": 1}],
    "propertys": [],
}
RIGHT_INSIDE = {
    "limits": {
        **dict.fromkeys(LIMITS, A_COUNT),
        "timeout": [1, 1.5, 2**63 - 1, 2**63],
    },
    "matrix": {
        "controllers": TEXTS,
        "properties": [["a"], [["a"]], *TEXTS[1:]],
        "constraints": [["a"], [["a"]], *TEXTS[1:]],
        "constants": [{}, {"M": [1, 2]}],
    },
    "against": {"controller": A_TEXT, "properties": TEXTS, "constraints": [[], *TEXTS]},
    "paper": {"delta": ["", *A_TEXT, *A_NUMBER, 1.5, [], [1], [1, 2], [1, 2, 3]]},
    "constants": {"delta": [*A_NUMBER, [1, 2]], "other": [*A_NUMBER, [1, 2]]},
}


def among(value, values):
    """Whether a value is one of others, and no number that only equals one."""
    return any(type(v) is type(value) and v == value for v in values)


def is_right(data):
    return not list(CASE.problems(data))


def test_the_examples_are_right():
    for data in (SMALL, FULL, MATRIX):
        assert is_right(data)


@pytest.mark.parametrize("key", RIGHT)
def test_each_key_takes_what_it_may_be(key):
    for value in VALUES:
        assert is_right({**FULL, key: value}) == among(value, RIGHT[key]), value


@pytest.mark.parametrize("table", RIGHT_INSIDE)
def test_each_key_of_a_table_takes_what_it_may_be(table):
    known = RIGHT_INSIDE[table]
    others = ("controllers", "controller", "properties", "constraints", "timeout")
    strange = () if table == "constants" else set(others) - known.keys()
    base = MATRIX if table == "matrix" else FULL
    for key, value in product((*known, *strange), VALUES):
        data = copy.deepcopy(base)
        data[table][key] = value
        assert is_right(data) == among(value, known.get(key, ())), (key, value)


@pytest.mark.parametrize(
    "changes",
    [
        {"environment": None},
        {"controller": None},
        {"properties": None},
        {"matrix": {"controllers": ["c"]}},
        {"matrix": {}},
        {"against": None},
        {"against": {}},
        {"top": None},
        {"algorithm": "plain"},
    ],
)
def test_keys_that_need_or_exclude_each_other(changes):
    data = {k: v for k, v in {**FULL, **changes}.items() if v is not None}
    assert not is_right(data)


def test_every_case_of_the_project_is_right():
    for path in CASES:
        load_case(str(MODELS / path))


def plain(case):
    """What the table of a case says of it."""
    chances = case.probabilities
    return replace(
        case,
        settings={},
        words=PLAIN,
        other=case.other and plain(case.other),
        probabilities=chances and replace(chances, source=None),
    )


def test_every_case_is_the_same_from_its_own_table():
    for path in map(str, (MODELS / path for path in CASES)):
        for case in load_cases(path):
            table = json.loads(json.dumps(case.document()))
            again = Case.of(table, path, root=os.path.dirname(path), choice=case.choice)
            assert plain(again) == plain(case)
            assert again.document() == case.document()


def test_the_examples_of_the_documentation_are_right():
    text = (ROOT / "docs/batch.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
    assert len(blocks) == 2
    for block in blocks:
        data = tomllib.loads(block)
        assert is_right(data)
    names = [choice for choice, _case in expand(tomllib.loads(blocks[1]), "")]
    assert len(names) == 6
    assert f"FILE [{names[0]}]" in text.replace("\n", " ")


def test_limits_are_options():
    names = set(vars(Options()))
    assert set(LIMITS.values()) <= names


# --- matrices -------------------------------------------------------------


def test_a_matrix_stands_for_each_choice_once():
    cases = dict(expand(MATRIX, "m.toml"))
    assert len(cases) == 2 * 2 * 3 * 2 * 2
    for controller, (props, ps), (cons, xs), n, (low, high) in product(
        ("c", "d"),
        (("p", ["p"]), ("p+q", ["p", "q"])),
        (("none", []), ("x", ["x"]), ("x+y", ["x", "y"])),
        (1, 2),
        ((0, 1), (0, 2)),
    ):
        choice = (
            f"controller={controller}, properties={props}, constraints={cons}, "
            f"N={n}, R={low}..{high}"
        )
        assert cases.pop(choice) == {
            "title": f"m.toml ({choice})",
            "environment": "e",
            "labels": [],
            "controller": controller,
            "properties": ps,
            "constraints": xs,
            "constants": {"N": n, "R": [low, high]},
        }
    assert cases == {}
    assert MATRIX["matrix"]["properties"] == ["p", ["p", "q"]]


def test_without_a_matrix_there_is_one_case():
    ((choice, case),) = expand(SMALL, "m.toml")
    assert choice == ""
    assert case == {**SMALL, "constants": {}}


def test_a_matrix_is_bounded_before_it_is_expanded():
    data = {**SMALL, "matrix": {"constants": {c: list(range(100)) for c in "ABCDEFGH"}}}
    with pytest.raises(LimitExceeded, match="max_cases="):
        list(expand(data, "m.toml"))
    assert len(list(expand(MATRIX, "m.toml", 48))) == 48
    with pytest.raises(LimitExceeded, match="48 cases, more than 47"):
        list(expand(MATRIX, "m.toml", 47))


# --- files ----------------------------------------------------------------


def written(folder, text, name="case.toml"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


BASE = 'environment = "e.lts"\ncontroller = "c.lts"\nproperties = ["p.lts"]\n'


def test_all_of_a_case_is_read(tmp_path):
    path = written(
        tmp_path,
        f'{BASE}labels = ["x"]\ntop = 2\nweights = "w.toml"\nextra_states = 1\n'
        'compute = ["cuts", "compare", "cuts"]\n[against]\nproperties = ["q.lts#Q"]\n'
        "[limits]\ntimeout = 2\nmemory = 300\ndeviations = 4\n"
        "[constants]\nN = [1, 2]\n",
    )
    case = load_case(path)
    assert case.labels == ("x",)
    assert case.questions == ("cuts", "compare")
    assert case.settings == {
        "timeout": 2,
        "max_memory": 300,
        "limit": 4,
        "extra_states": 1,
        "largest": 2,
        "weights": str(tmp_path / "w.toml"),
    }
    Options(**case.settings)
    assert case.constants == {"N": (1, 2)}
    assert case.other is not None
    assert case.other.controller == case.controller
    assert [*map(str, case.other.properties)] == [str(tmp_path / "q.lts#Q")]
    assert case.key == path
    assert load_case(os.path.join(str(tmp_path), ".", "case.toml")).key == path


def test_one_case_is_not_many(tmp_path):
    path = written(tmp_path, f"{BASE}[matrix.constants]\nN = [1, 2]\n")
    assert len(load_cases(path)) == 2
    with pytest.raises(SymrobError, match="describes 2 cases"):
        load_case(path)
    path = written(tmp_path, f"{BASE}[matrix.constants]\nN = [5]\n")
    assert load_case(path).constants == {"N": 5}
    assert load_case(path).key == f"{path} [N=5]"


A_TRANSITION = "a transition 'source,action,target', a list of them, or a template"


def told(path, **options):
    with pytest.raises(SymrobError) as caught:
        load_cases(path, **options)
    return caught.value.diagnostics


@pytest.mark.parametrize(
    ("text", "line", "underlined", "hint"),
    [
        ("colour = 1\n", 4, "colour", None),
        ("titel = 'x'\n", 4, "titel", "did you mean 'title'?"),
        ("[limits]\ntimeuot = 1\n", 5, "timeuot", "did you mean 'timeout'?"),
        ("[matrix]\nproperties = [1]\n", 5, "properties", None),
        ("limits = {nodes = 0}\n", 4, "nodes", None),
        ("limits = {hours = 0}\n", 4, "hours", "known keys: timeout, memory, deviat"),
        ("faults.m = ['0,a,0', 3]\n", 4, "3", None),
        ("[matrix.constants]\nN = []\n", 5, "N", None),
        ("[constants]\nN = 1\n[matrix.constants]\nN = [1]\n", 5, "N", "omit one"),
        ("compute = ['compare']\n", 4, "compute", "name the other controller"),
        ("timeout = 1\n", 4, "timeout", "did you mean 'limits.timeout'?"),
        (
            "actions = 1\n",
            4,
            "actions",
            "did you mean 'paper.actions' or 'words.actions'?",
        ),
    ],
)
def test_problems_have_a_place(tmp_path, text, line, underlined, hint):
    problems = told(written(tmp_path, BASE + text))
    (problem,) = (each for each in problems if each.line == line)
    assert problem.code == "case-key"
    assert problem.source[problem.column - 1 :][: problem.length] == underlined
    assert (problem.hint or "").startswith(hint or "")
    assert (hint is None) == (problem.hint is None)


def test_all_problems_come_at_once(tmp_path):
    path = written(tmp_path, "environment = 1\ntitle = 2\n[limits]\nnodes = 'x'\n")
    assert [d.message for d in told(path)] == [
        "'environment' must be the path of a model",
        "'title' must be a string",
        "'limits.nodes' must be a whole number of at least 1, below 2^63",
        "the key 'controller' is missing",
        "the key 'properties' is missing",
    ]


def test_of_one_entry_the_name_and_the_value_are_told(tmp_path):
    text = BASE + '[words.actions]\n"" = 3\n[faults]\na.b = 3\n"a.b" = "x,y,z"\n'
    text += "[classes]\nomission = 'x'\nintrusion = 'x'\nrepetition = 3\n"
    assert [(d.line, d.message) for d in told(written(tmp_path, text))] == [
        (5, "'words.actions.' must have a name of 1 to 200 characters"),
        (5, "'words.actions.' must be a string of 1 to 200 characters"),
        (7, f"'faults.a.b' must be {A_TRANSITION}"),
        (8, "'faults.a.b' is given twice"),
        (10, "'classes.omission' is called 'x', as is 'intrusion'"),
        (11, "'classes.intrusion' is called 'x', as is 'omission'"),
        (12, "'classes.repetition' must be a string of 1 to 60 characters"),
    ]


def test_deep_nesting_is_an_error_like_any_other(tmp_path):
    for text in ("a = " + "[" * 100_000, f"{BASE}labels = {'[' * 300}{']' * 300}\n"):
        assert told(written(tmp_path, text))


# --- paths ----------------------------------------------------------------

SINKS = (
    'environment = "{}"\ncontroller = "c"\nproperties = ["p"]\n',
    'environment = "e"\ncontroller = "{}"\nproperties = ["p"]\n',
    'environment = "e"\ncontroller = "c"\nproperties = ["p", "{}"]\n',
    'environment = "e"\ncontroller = "c"\nproperties = ["p"]\nconstraints = ["{}"]\n',
    BASE + 'top = 1\nweights = "{}"\n',
    BASE + '[against]\ncontroller = "{}"\n',
    BASE + '[against]\nproperties = ["{}"]\n',
    BASE + '[against]\nconstraints = ["{}"]\n',
    'environment = "e"\nproperties = ["p"]\n[matrix]\ncontrollers = ["c", "{}"]\n',
    'environment = "e"\ncontroller = "c"\n[matrix]\nproperties = ["p", ["{}"]]\n',
    BASE + '[matrix]\nconstraints = [[], ["{}"]]\n',
)


@pytest.mark.parametrize("sink", SINKS)
def test_no_path_leaves_the_folder(tmp_path, sink):
    folder, other = tmp_path / "folder", tmp_path / "folder2"
    (folder / "inner").mkdir(parents=True)
    other.mkdir()
    (folder / "link").symlink_to(other)
    (folder / "good").symlink_to(folder / "inner")
    (folder / "file.lts").symlink_to("/etc/passwd")
    bad = (
        "../e.lts",
        "../folder2/e.lts#P",
        "/etc/passwd",
        f"{other}/x.lts",
        "link/x.lts",
        "inner/../../x.lts",
        "file.lts",
        "..",
    )
    for path in bad:
        file = written(folder, sink.format(path))
        (problem,) = told(file)
        assert problem.code == "case-outside"
        shown = problem.source[problem.column - 1 :][: problem.length]
        assert shown == f'"{path}"'
        assert load_cases(file, allow_outside=True)
    for path in ("e.lts", "inner/e.lts", "good/x", "inner/../x.lts", f"{folder}/x"):
        assert load_cases(written(folder, sink.format(path)))


def test_imports_of_models_stay_inside_too(tmp_path):
    from symrob.api import load_roles

    folder = tmp_path / "folder"
    folder.mkdir()
    (tmp_path / "secret.aut").write_text("these are secrets\n")
    (folder / "link.aut").symlink_to(tmp_path / "secret.aut")
    for name in ("../secret.aut", str(tmp_path / "secret.aut"), "link.aut"):
        (folder / "e.lts").write_text(f'import I = "{name}"\n||E = I.\n')
        for model in ("c", "p"):
            (folder / f"{model}.lts").write_text("P = (a -> P).\n")
        path = written(folder, BASE)
        with pytest.raises(SymrobError) as caught:
            load_roles(load_case(path))
        assert [d.code for d in caught.value.diagnostics] == ["format-outside"]
        assert "secrets" not in str(caught.value)
        with pytest.raises(SymrobError) as caught:
            load_roles(load_case(path, allow_outside=True))
        assert "format-outside" not in [d.code for d in caught.value.diagnostics]


def test_inside_is_by_folder_and_not_by_text(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert is_inside("a", "")
    assert is_inside(".", "")
    assert not is_inside("..", "")
    assert not is_inside(f"{tmp_path}x", "")
    assert is_inside(str(tmp_path / "x"), ".")
    assert is_inside(str(Path("/etc")), "/")
