"""The README and the tour tell the truth: their commands and their Python are run."""

import glob
import re
import shlex
import shutil
import subprocess
import sys

import pytest

from tests.cli.tools import ROOT, run

README = (ROOT / "README.md").read_text("utf-8")
TOUR = (ROOT / "docs/tour.md").read_text("utf-8")
API = (ROOT / "docs/api.md").read_text("utf-8")
# What may differ from run to run and from machine to machine: times, and the order in
# which deviations are found.
VARYING = re.compile(r"\d+\.\d+ s\b|(?<=Deviation )\d+")


def commands():
    """Each `$ symrob …` with the lines that stand below it; what both show, once."""
    blocks = re.findall(r"```console\n(.*?)```", README + TOUR, re.DOTALL)
    for block in dict.fromkeys(blocks):
        for part in re.split(r"^\$ symrob ", block, flags=re.MULTILINE)[1:]:
            command, *shown = part.splitlines()
            yield pytest.param(command, shown, id=command[:40])


def values(parameter):
    return parameter.values


def as_a_shell_would(words):
    """The words of a command, patterns of files replaced by the files."""
    for word in shlex.split(words):
        yield from sorted(glob.glob(word)) if "*" in word else [word]


@pytest.fixture
def _models(tmp_path, monkeypatch):
    """The project's models in a folder to which commands may write."""
    shutil.copytree(ROOT / "models", tmp_path / "models")
    shutil.copytree(ROOT / "docs/risk", tmp_path / "docs/risk")
    (tmp_path / "out").mkdir()
    # What the README tells its reader to save.
    (own,) = re.findall(r"```fsp\n(.*?)```", README, re.DOTALL)
    (tmp_path / "oven.lts").write_text(own, "utf-8")
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("_models")
@pytest.mark.parametrize(("command", "shown"), list(commands()))
def test_command_prints_what_the_readme_shows(command, shown):
    if "out/result.json" in command and not command.startswith("compute"):
        case = next(word for word in command.split() if word.endswith(".toml"))
        made = run("compute", case, "--format", "json")
        with open("out/result.json", "w", encoding="utf-8") as file:
            file.write(made.out)
    if "out/therac25.cert" in command and command.startswith("verify"):
        case = next(word for word in command.split() if word.endswith(".toml"))
        assert run("compute", case, "--certificate", "out/therac25.cert").code == 0
    if command.startswith("results"):
        batch = next(c for c, _ in map(values, commands()) if c.startswith("batch"))
        assert run(*as_a_shell_would(batch)).code == 0
    words, _, target = command.partition(" > ")
    done = run(*as_a_shell_would(words))
    if target:
        assert done.code == 0
        return
    printed = iter(VARYING.sub("#", done.out + done.err).splitlines())
    # The lines shown come in this order; `…` stands for any others.
    for line in shown:
        if line != "…":
            assert VARYING.sub("#", line) in printed, line


def test_python_example_runs():
    (example,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-c", example], capture_output=True, text=True, check=True
    )
    lines = done.stdout.splitlines()
    assert sorted(line for line in lines if line.endswith("new"))[-1] == (
        "21 transitions, 17 new"
    )
    assert done.stdout.count("new\n") == 4
    assert "20 tolerated" in done.stdout


@pytest.mark.parametrize(
    "example", re.findall(r"```python\n(.*?)```", TOUR + API, re.DOTALL)
)
def test_python_examples_of_the_pages_run(example):
    subprocess.run([sys.executable, "-c", example], capture_output=True, check=True)


def test_every_link_leads_somewhere():
    for folder, text in ((ROOT, README), (ROOT / "docs", TOUR + API)):
        for target in re.findall(r"\]\(([^)#]+)", text):
            assert (folder / target).exists(), target


def test_the_readme_stays_short():
    assert len(README.splitlines()) <= 120


def test_every_command_is_shown():
    from symrob.cli import COMMANDS

    for name in COMMANDS:
        assert f"symrob {name}" in README, name
        assert f"symrob {name}" in TOUR, name
