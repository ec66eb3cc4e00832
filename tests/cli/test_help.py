"""The help: sections, short imperatives, examples that work, completion."""

import ast
import os
import re
import shlex
import stat
import subprocess
import sys
from glob import glob
from importlib import import_module
from pathlib import Path

import pytest
import typer

from symrob.cli import COMMANDS, SHELLS, application
from symrob.cli.bounds import BOUNDS
from symrob.cli.help import SECTIONS
from tests.cli.test_house import PACKAGE
from tests.cli.tools import ROOT, run, spawn

# A command with all sections, and what a narrow terminal shows in a line.
MOST_LINES, MOST_COLUMNS = 60, 80
LONGEST = 60
# What a help line may begin with.
VERBS = """
Add Allow Analyse Answer Apply Check Choose Compare Compose Compute Convert Draw Exclude
Explain Export Find Forbid Generate Group Ignore Include Install Limit List Log Multiply
Observe Omit Override Preserve Print Prove Read Replace Require Select Set Show Skip
Sort Stop Suggest Summarise Treat Use Write
"""
CLAUSES = re.compile(
    r"(?<!-)\b(?:that are|which|who|whose|if|unless|when|while|as of|likewise|so many|"
    r"of its own|what)\b(?!-)",
    re.IGNORECASE,
)


def help_of(*command):
    return run(*command, "--help").out


def command(name):
    """A command as typer made it."""
    group = typer.main.get_command(application((name,)))
    return group.commands[name]


def help_lines():
    """(where, line) for each line that says what an option or a command does."""
    root = typer.main.get_command(application((), ()))
    yield from (("symrob", param.help) for param in root.params)
    for name, (short, _example) in COMMANDS.items():
        yield name, short
        yield from ((name, param.help) for param in command(name).params)


def test_help_lines_are_short_imperatives():
    wrong = [
        (where, line)
        for where, line in help_lines()
        if len(line) > LONGEST
        or line.split()[0].rstrip(",") not in VERBS.split()
        or not line.endswith(".")
        or CLAUSES.search(line)
    ]
    assert wrong == []


@pytest.mark.parametrize("module", ["symrob.certify", "symrob.certify.export"])
def test_so_are_those_of_the_checker_alone(module):
    command = [sys.executable, "-m", module, "--help"]
    wide = {**os.environ, "COLUMNS": "200"}
    text = subprocess.run(command, env=wide, capture_output=True, text=True).stdout
    lines = re.findall(r"^  (?!-h)\S.*?\s{2,}(.*)$", text, re.MULTILINE)
    assert len(lines) == text.count("\n  ") - 1 >= 6
    for line in lines:
        assert len(line) <= LONGEST, line
        assert line.endswith("."), line
        assert line.split()[0] in VERBS.split(), line


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_begins_with_what_the_list_says(name):
    assert command(name).help.partition("\n")[0] == COMMANDS[name][0]


@pytest.mark.parametrize("command", COMMANDS)
def test_sections_have_one_order_and_an_example_ends_the_help(command):
    text = help_of(command)
    lines = text.splitlines()
    assert len(lines) <= MOST_LINES
    assert max(map(len, lines)) <= MOST_COLUMNS
    found = [line[:-1] for line in lines if re.fullmatch(r"[A-Z][a-z]+:", line)]
    order = ("Arguments", "Options", *SECTIONS)
    assert found == [section for section in order if section in found]
    assert found[-1] == "Output"
    assert lines[-2:] == ["  Example:", f"    symrob {command} {COMMANDS[command][1]}"]


def test_own_options_come_first():
    sections = re.split(r"\n(\w+):\n", help_of("compute"))
    shown = dict(zip(sections[1::2], sections[2::2], strict=True))
    for section, option in (
        *(("Options", "--top"), ("Models", "--env"), ("Selection", "--among")),
        *(("Bounds", "--timeout"), ("Output", "--format")),
    ):
        assert f" {option}" in shown[section]


def test_examples_work(tmp_path, monkeypatch):
    """In this order, since `verify` and `results` read what others have written."""
    monkeypatch.chdir(ROOT)
    result = run("compute", "models/therac25/therac25.toml", "--format", "json")
    (tmp_path / "result.json").write_text(result.out)
    for name, (_short, example) in COMMANDS.items():
        words = [
            found
            for word in shlex.split(example.replace("out/", f"{tmp_path}/"))
            for found in (sorted(glob(word)) if "*." in word else [word])
        ]
        done = run(name, *words)
        assert (done.code, "error" in done.err) == (0, False), (name, done.err)


def test_rare_bounds_are_listed_once():
    listed = help_of()
    assert [name for name in BOUNDS if listed.count(f" {name} ") != 1] == []
    for command in COMMANDS:
        assert not any(name in help_of(command) for name in BOUNDS), command


def completed(tmp_path, line, *, word):
    """What bash completes: the script that symrob prints, and the words so far."""
    program = tmp_path / "symrob"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m symrob "$@"\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    script = spawn("--show-completion", "bash").out
    script += f"\nCOMP_WORDS=({line}); COMP_CWORD={word}\n"
    script += f'_symrob_completion "{program}"; echo "${{COMPREPLY[@]}}"\n'
    script += "complete -p symrob\n"
    done = subprocess.run(
        ["bash", "-c", script],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    found, how = done.stdout.splitlines()
    return found.split(), how


@pytest.mark.skipif(not Path("/bin/bash").exists(), reason="no bash")
def test_bash_completes_commands_options_and_files(tmp_path):
    found, how = completed(tmp_path, "symrob co", word=1)
    assert found == ["compute", "compare", "convert"]
    assert completed(tmp_path, "symrob cuts --re", word=2)[0] == ["--resilience"]
    # Where there is nothing to complete, bash completes files.
    assert completed(tmp_path, "symrob cuts models/th", word=2)[0] == []
    assert "-o default" in how


def test_zsh_and_fish_complete():
    zsh = {"_SYMROB_COMPLETE": "complete_zsh"}
    assert "compute" in spawn(**zsh, _TYPER_COMPLETE_ARGS="symrob com").out
    assert "--weights" in spawn(**zsh, _TYPER_COMPLETE_ARGS="symrob compute --w").out
    files = spawn(**zsh, _TYPER_COMPLETE_ARGS="symrob compute models/")
    assert files.out.strip() == "_files"
    fish = {"_SYMROB_COMPLETE": "complete_fish", "_TYPER_COMPLETE_FISH_ACTION": ""}
    fish["_TYPER_COMPLETE_FISH_ACTION"] = "get-args"
    done = spawn(**fish, _TYPER_COMPLETE_ARGS="symrob check --time")
    assert done.out.startswith("--timeout\t")
    for shell in SHELLS:
        assert "_SYMROB_COMPLETE" in spawn("--show-completion", shell).out
    assert spawn("--show-completion", "tcsh").code == 2


def test_completion_is_installed_for_the_shell(tmp_path):
    """The shell is the one that called."""
    code = f'"{sys.executable}" -m symrob --install-completion'
    env = {**os.environ, "HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        ["bash", "-c", f"{code}; true"], capture_output=True, text=True, env=env
    )
    assert "bash completion installed in" in done.stdout
    script = tmp_path / ".bash_completions" / "symrob.sh"
    assert "_SYMROB_COMPLETE=complete_bash" in script.read_text()


def test_help_imports_nothing_that_computes():
    code = (
        "import sys; from symrob.cli import run; run(['compute', '--help']);"
        "print([m for m in ('dd', 'pysat', 'rich') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT
    )
    assert done.stdout.splitlines()[-1] == "[]"


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


def test_completion_for_another_shell_is_wrong_usage(monkeypatch):
    completion = import_module("typer.completion")
    for shell in (None, "tcsh"):
        monkeypatch.setattr(completion, "_get_shell_name", lambda shell=shell: shell)
        done = run("--install-completion")
        assert (done.code, "bash, zsh and fish" in done.err) == (2, True)
