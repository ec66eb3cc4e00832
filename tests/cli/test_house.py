"""The rules of the house that import-linter does not know: doors, and a light start.

Who may import whom stands in pyproject.toml; `lint-imports` checks it.
"""

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import symrob

PACKAGE = Path(symrob.__file__).parent

# What a user who only writes `import symrob` must not wait for.
HEAVY = {
    "pyparsing",
    "dd",
    "pysat",
    "typer",
    "rich",
    "pygraphviz",
    "networkx",
    "psutil",
}


def imports(source):
    """Every module that a text imports, also inside functions, as dotted names."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield node.module


@cache
def imported():
    """(path of a module, library that it imports) for all of the package."""
    return [
        (path.relative_to(PACKAGE).as_posix(), name.split(".")[0])
        for path in PACKAGE.rglob("*.py")
        for name in imports(path.read_text(encoding="utf-8"))
    ]


@pytest.mark.parametrize(
    ("library", "door"),
    [
        ("dd", "borders/"),
        ("pysat", ("borders/", "envelope/solvers.py")),
        ("pysolvers", "borders/"),
        ("pyparsing", "formats/fsp/"),
        ("pygraphviz", "report/"),
        ("IPython", "notebook.py"),
        ("psutil", "memory.py"),
    ],
)
def test_one_door_to_each_library(library, door):
    doors = {path for path, name in imported() if name == library}
    assert doors
    assert all(found.startswith(door) for found in doors)


def loaded(statement):
    """The heavy libraries that are there after a statement in a new process."""
    script = f"{statement}\nimport sys\nprint(*({HEAVY!r} & sys.modules.keys()))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_importing_symrob_is_light():
    assert loaded("import symrob") == set()


def test_reading_a_model_needs_no_bdd_and_no_solver():
    assert loaded("import symrob; symrob.load('models/therac25/nurse.lts')") == {
        "pyparsing"
    }


def test_the_command_line_starts_without_what_its_commands_need():
    assert loaded("import symrob.cli") <= {"typer", "rich"}
