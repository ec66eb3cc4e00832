"""The rules of the house: who imports whom, and what comes only when needed."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import symrob
from symrob import options
from symrob.limits import DEFAULT_LIMITS

PACKAGE = Path(symrob.__file__).parent

# Each group may import itself and those above it.
ORDER = (
    ("record",),
    ("errors",),
    ("memory", "watch"),
    ("limits", "lts", "paths"),
    ("reach", "equivalence", "explicit"),
    ("fsp",),
    ("formats",),
    ("symbolic",),
    ("robustness",),
    ("questions",),
    ("case", "gate", "given", "options", "patterns", "weights"),
    ("report",),
    ("api",),
    ("lint",),
    ("batch",),
    ("cli", "__init__", "__main__"),
)
RANK = {name: rank for rank, group in enumerate(ORDER) for name in group}

# Imports that point forward on purpose, inside functions.
EXCEPTIONS = {
    # The type offers what `explicit` does; and types show themselves in Jupyter, which
    # asks the objects themselves.
    "lts.py": {
        "symrob.lts.product.compose",
        "symrob.notebook.model_html",
        "symrob.notebook.model_svg",
    },
    "robustness/deviation.py": {
        "symrob.notebook.deviation_html",
        "symrob.notebook.deviation_svg",
    },
    # Likewise, and Δ is what is asked.
    "robustness/result.py": {
        "symrob.notebook.robustness_html",
        "symrob.analyses.cuts.Cuts",
        "symrob.analyses.explain.DEVIATIONS",
        "symrob.analyses.explain.Explanation",
        "symrob.analyses.explain.explain",
        "symrob.analyses.deadlocks.LOOKED_AT",
        "symrob.analyses.deadlocks.SideReport",
        "symrob.analyses.deadlocks.side_report",
        "symrob.analyses.summary.Summary",
        "symrob.analyses.summary.summarise",
    },
    # A row of Table 1 is a whole analysis.
    "report/table.py": {"symrob.api.analyse", "symrob.api.load_roles"},
}

# What a user who only writes `import symrob` must not wait for.
HEAVY = ("pyparsing", "dd", "pysat", "typer", "rich", "pygraphviz", "networkx")


def modules():
    return sorted(p.relative_to(PACKAGE) for p in PACKAGE.rglob("*.py"))


def part_of(path):
    """The package or module of the top level that a file belongs to."""
    return path.parts[0].removesuffix(".py")


def imports(source):
    """Every module that a text imports, also inside functions, as dotted names.

    `from a import b` gives `a.b`: b may be a module.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def forwards(part, source):
    """The imports that point to a later part of the package."""
    found = []
    for name in imports(source):
        if name == "symrob.__version__":
            continue
        if name.split(".")[0] == "symrob":
            target = name.split(".")[1] if "." in name else "__init__"
            # A name that is no part is one that the package itself defines.
            if RANK.get(target, RANK["__init__"]) > RANK[part]:
                found.append(name)
    return found


def test_every_part_has_its_place():
    assert {part_of(path) for path in modules()} <= set(RANK)


@pytest.mark.parametrize("path", modules(), ids=str)
def test_imports_point_back(path):
    source = (PACKAGE / path).read_text(encoding="utf-8")
    found = set(forwards(part_of(path), source))
    assert found <= EXCEPTIONS.get(path.as_posix(), set())


@pytest.mark.parametrize(
    ("part", "source"),
    [
        ("errors", "import symrob.lts"),
        ("fsp", "from symrob.formats.text import Model"),
        ("symbolic", "def f():\n    from symrob.envelope import loop"),
        ("robustness", "from symrob import api"),
        ("report", "from symrob import compute"),
        ("lts", "if TYPE_CHECKING:\n    from symrob.lts.product import compose"),
    ],
)
def test_imports_that_point_forward_are_seen(part, source):
    assert len(forwards(part, source)) == 1


@pytest.mark.parametrize("library", ["dd", "pysat", "pyparsing", "pygraphviz"])
def test_one_door_to_each_library(library):
    doors = {
        str(path)
        for path in modules()
        for name in imports((PACKAGE / path).read_text(encoding="utf-8"))
        if name.split(".")[0] == library
    }
    if library == "dd":
        assert doors == {"symbolic/context.py"}
    assert {part_of(Path(door)) for door in doors} <= {
        "dd": {"symbolic"},
        "pysat": {"robustness"},
        "pyparsing": {"fsp"},
        "pygraphviz": {"report"},
    }[library]


def loaded(statement):
    """The heavy libraries that are there after a statement in a new process."""
    script = f"{statement}\nimport sys\nprint(*({HEAVY!r} & sys.modules.keys()))"
    script = script.replace(repr(HEAVY), repr(set(HEAVY)))
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


def test_limits_of_the_command_line_are_those_of_the_front_end():
    assert options.Options().limits == DEFAULT_LIMITS
