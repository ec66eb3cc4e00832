"""A command with `-v` left its log behind, which then wrote for later commands too."""

from tests.cli.tools import run

CASE = "models/therac25/therac25.toml"


def test_log_ends_with_its_command():
    assert "screen" in run("check", CASE, "-v").err + run("compute", CASE, "-v").err
    assert run("compute", CASE).err == ""
