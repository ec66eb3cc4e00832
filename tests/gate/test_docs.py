"""docs/gate.md tells the truth."""

import re
import shutil

import pytest

from tests.cli.tools import ROOT, run

PAGE = (ROOT / "docs/gate.md").read_text("utf-8")


@pytest.fixture
def _beside_the_models(tmp_path, monkeypatch):
    shutil.copytree(ROOT / "models/therac25", tmp_path / "models")
    monkeypatch.chdir(tmp_path / "models")


def test_the_policy_of_the_page_is_a_file():
    (policy,) = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    assert (ROOT / "models/therac25/gate.toml").read_text("utf-8") == policy


@pytest.mark.usefixtures("_beside_the_models")
def test_commands_print_what_the_page_shows():
    blocks = re.findall(r"```console\n\$ symrob (.*?)\n(.*?)```", PAGE, re.DOTALL)
    assert len(blocks) == 2
    for (command, shown), code in zip(blocks, (0, 4), strict=True):
        done = run(*command.split())
        assert done.code == code
        printed = iter(done.out.splitlines())
        for line in shown.splitlines():
            if line != "…":
                assert line in printed, line


@pytest.mark.usefixtures("_beside_the_models")
def test_the_command_of_the_pipeline_is_one():
    for command in re.findall(
        r"symrob gate models/\S*gate.toml(.*?)(?:$| >)", PAGE, re.M
    ):
        assert run("gate", "gate.toml", *command.split()).code == 0
    made = run(*re.search(r"    symrob (compute .*?) >", PAGE)[1].split())
    assert made.code == 0
