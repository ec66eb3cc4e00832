"""Where the problems of a case file stand is found in one pass over its text."""

from time import process_time

import pytest

from symrob.case import load_cases
from symrob.case.places import MOST_PROBLEMS
from symrob.errors import SymrobError

BASE = 'environment = "e"\ncontroller = "c"\nproperties = ["p"]\n'
HOSTILE = {
    "brackets and spaces in a text": 'title="""\n[' + " " * 20_000 + 'x\n"""\nx=1\n',
    "a text of quotes": 'title="""\n' + '\\"' * 20_000 + '"""\nx=1\n',
    "unknown keys": "".join(f"k{i} = 1\n" for i in range(5_000)),
    "unknown tables": BASE + "".join(f"[t{i}]\n" for i in range(5_000)),
    "keys of a table": f"{BASE}[limits]\n" + "".join(f"k{i}=1\n" for i in range(5_000)),
    "a long array": "x = [\n" + '["a"],\n' * 20_000 + "]\n",
    "deep arrays": "x = [" + ("[" * 90 + "1" + "]" * 90 + ",\n") * 500 + "]\n",
    "tables of an array": "[[x]]\n[x.a.b.c]\n" * 10_000,
}


def problems(tmp_path, text):
    path = tmp_path / "case.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SymrobError) as caught:
        load_cases(str(path))
    return caught.value.diagnostics


@pytest.mark.parametrize("name", HOSTILE)
def test_problems_are_told_at_once(tmp_path, name):
    text = HOSTILE[name]
    start = process_time()
    found = problems(tmp_path, text if BASE in text else text + BASE)
    assert process_time() - start < 1
    first = found[0]
    assert first.line is not None
    assert first.source == text.splitlines()[first.line - 1]
    assert len(found) <= MOST_PROBLEMS + 1
    many = name in ("unknown keys", "unknown tables", "keys of a table")
    assert (found[-1].message == f"stopped after {MOST_PROBLEMS} problems") == many


@pytest.mark.parametrize(
    ("text", "line", "underlined"),
    [
        ('title = """\nx = 1\n"""\nx = 1\n', 7, "x"),
        ("title = '''\n[x]\n'''\n\"x\" = 1\n", 7, '"x"'),
        ("labels = [\n  'x = 1', # [x]\n]\nx = 1\n", 7, "x"),
        ("labels = [\n['x'],\n]\n", 4, "labels"),
        ("[matrix]\nconstraints = [\n['a'],\n]\nx = 1\n", 8, "x"),
        ("limits.x = 1\n", 4, "limits.x"),
        ("limits . 'x' = 1\n", 4, "limits . 'x'"),
        ("[ limits ]\n\t x\t= 1\n", 5, "x"),
        ("[limits]\ntimeout = 1\n[paper]\nx = 1\n", 7, "x"),
        ("against = { x = 1, controller = 'd' }\n", 4, "x"),
        ("against = { controller = 'd', 'y' . x = 1 }\n", 4, "'y' . x"),
        ('[limits]\n"\\u0078" = 1\n', 5, '"\\u0078"'),
        ('title = """\n"""""\nx = 1\n', 6, "x"),
        ("labels = [\n'x', # ]\n3]\n", 6, "3"),
    ],
)
def test_only_what_stands_as_a_key_is_one(tmp_path, text, line, underlined):
    (problem,) = problems(tmp_path, BASE + text)
    assert problem.line == line
    start = problem.column - 1
    assert problem.source[start : start + problem.length] == underlined
