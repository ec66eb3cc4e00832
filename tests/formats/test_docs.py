"""docs/formats.md: its commands print what it shows, its tables hold what there is."""

import re
import shlex
from pathlib import Path

import pytest

from symrob.formats.registry import BUILT_IN
from tests.cli.tools import run

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs/formats.md").read_text("utf-8")
SHOWN = re.findall(r"```\n\$ symrob ([^\n]*)\n(.*?)```", TEXT, re.DOTALL)


@pytest.mark.parametrize(("command", "output"), SHOWN, ids=[c for c, _ in SHOWN])
def test_a_command_prints_what_the_page_shows(command, output, monkeypatch):
    monkeypatch.chdir(ROOT)
    command, _, wanted = command.partition(" | grep ")
    done = run(*shlex.split(command))
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    if wanted:
        lines = [line for line in lines if shlex.split(wanted)[0] in line]
    assert lines == output.splitlines()


def test_the_page_has_examples():
    assert len(SHOWN) >= 7


def test_the_table_of_formats_is_that_of_the_registry():
    rows = re.findall(
        r"^\| `(\w+)` \| ([^|]*) \|[^|]*\| (yes|no) \| (yes|no)", TEXT, re.M
    )
    assert [
        (
            name,
            tuple(re.findall(r"`(\.\w+)`", suffixes)),
            reads == "yes",
            writes == "yes",
        )
        for name, suffixes, reads, writes in rows
    ] == [(k.name, k.suffixes, k.reads, k.writes) for k in BUILT_IN]
