"""Settings of a case file hold for every command that takes one."""

import shutil

import pytest

from tests.cli.tools import ROOT, run


@pytest.fixture
def hurried(tmp_path):
    """The Therac-20 with no time at all."""
    folder = shutil.copytree(ROOT / "models/therac25", tmp_path / "therac25")
    path = folder / "therac20.toml"
    with path.open("a", encoding="utf-8") as file:
        file.write("\n[limits]\ntimeout = 0.000001\n")
    return path


@pytest.mark.parametrize(
    "command",
    [
        ("compute",),
        ("check",),
        ("summary",),
        ("explain", "--transition", "*,*,*"),
        ("cuts",),
        ("draw",),
        ("table",),
    ],
    ids=lambda words: words[0],
)
def test_limits_of_a_case_hold(hurried, command):
    done = run(command[0], hurried, *command[1:])
    assert done.code == 3
    assert "--timeout" in done.err + done.out


def test_limits_of_the_first_side_hold(hurried):
    other = ROOT / "models/therac25/therac25.toml"
    assert run("compare", hurried, other).code == 3
    assert run("compare", other, hurried).code == 0
