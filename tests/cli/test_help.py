"""The help: short enough for a screen, and true."""

import ast
import re

import pytest

from symrob.cli import COMMANDS
from symrob.cli.groups import BOUNDS
from tests.cli.test_house import PACKAGE
from tests.cli.tools import run

# What a terminal shows at once.
MOST_LINES, MOST_COLUMNS = 40, 80


def help_of(*command):
    return run(*command, "--help").out


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_a_command_fits_a_screen(command):
    lines = help_of(command).splitlines()
    assert len(lines) <= MOST_LINES
    assert max(map(len, lines)) <= MOST_COLUMNS


def test_rare_bounds_are_listed_once():
    listed = help_of()
    assert [name for name in BOUNDS if listed.count(f" {name} ") != 1] == []
    for command in COMMANDS:
        assert not any(name in help_of(command) for name in BOUNDS), command


# Not the middle of an arrow, such as `--action-->`.
OPTION = re.compile(r"(?<![\w-])--[a-z]+(?:-[a-z]+)*(?![-\w>])")


def options():
    """Every option of some command."""
    texts = [help_of(), *(help_of(command) for command in COMMANDS)]
    return {option for text in texts for option in OPTION.findall(text)}


def test_options_that_messages_name_exist():
    known = options()
    # The checker that runs alone has options of its own.
    alone = {PACKAGE / "certify" / name for name in ("__main__.py", "export.py")}
    for path in {*PACKAGE.rglob("*.py")} - alone:
        nodes = [*ast.walk(ast.parse(path.read_text("utf-8")))]
        # Docstrings may speak of the options of other tools.
        prose = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
        for node in nodes:
            text = isinstance(node, ast.Constant) and isinstance(node.value, str)
            if text and id(node) not in prose:
                assert set(OPTION.findall(node.value)) <= known, path
                for bound in re.findall(r"--bound (max-[a-z]+)", node.value):
                    assert bound in BOUNDS, path


def test_a_slip_in_the_name_of_a_bound_is_told():
    done = run("check", "nowhere.toml", "--bound", "max-state=1")
    assert done.code == 2
    assert "did you mean 'max-states'?" in done.err
