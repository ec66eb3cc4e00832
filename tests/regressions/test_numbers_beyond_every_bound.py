"""Numbers that Python, C or the system cannot hold ended with a traceback and 1."""

import json
import sys

import pytest

from symrob.errors import SymrobError
from symrob.formats.fsp.tokens import number_value
from symrob.options import Options
from tests.cli.calls import RUNNING, case_text
from tests.cli.tools import run

HUGE = (10**20 - 1, 10**4000)
FIELDS = {
    "--memory": "max_memory",
    "--extra-states": "extra_states",
    "--bound max-nesting": "max_nesting",
    "--bound max-states": "max_states",
    "--bound max-nodes": "max_nodes",
    "--limit": "limit",
    "--top": "largest",
}


def given(option, number):
    """The words of an option with a number."""
    return f"{option}={number}".split() if " " in option else (option, number)


@pytest.mark.parametrize("option", FIELDS)
def test_an_option_says_what_it_takes(option):
    for number in HUGE:
        done = run("compute", RUNNING, *given(option, number))
        assert done.code == 2
        assert f"{option} must be a whole number" in done.err
        assert len(done.err) < 200


def test_the_largest_numbers_are_taken():
    """A bound that is never reached is none; more states than allowed are refused."""
    most = sys.maxsize
    for option in set(FIELDS) - {"--extra-states", "--bound max-nesting"}:
        assert run("compute", RUNNING, *given(option, most)).code == 0, option
    done = run("summary", RUNNING, "--extra-states", most)
    assert done.code == 3
    assert "raise --bound max-states" in done.err
    assert run("check", RUNNING, "--bound", "max-nesting=10000").code == 0
    assert run("check", RUNNING, "--timeout", "1e308").code == 0


def test_a_number_of_a_deviation():
    done = run("draw", RUNNING, "--deviation", HUGE[0])
    assert done.code == 2


@pytest.mark.parametrize("key", ["memory", "max_nesting", "timeout", "deviations"])
@pytest.mark.parametrize("number", ["9" * 4000, "0xf" + "f" * 5000])
def test_a_case_file_says_where(tmp_path, key, number):
    path = tmp_path / "case.toml"
    path.write_text(f"{case_text('e', 'c', 'p')}[limits]\n{key} = {number}\n")
    for command in ("check", "lint"):
        done = run(command, path)
        assert done.code == 2
        assert f"case.toml:5:1: error: 'limits.{key}' must be a" in done.err + done.out


def test_figures_of_the_paper_too(tmp_path):
    """A batch writes them into its rows."""
    path = tmp_path / "case.toml"
    number = "0xf" + "f" * 5000
    path.write_text(f"{case_text('e', 'c', 'p')}[paper]\ndelta = {number}\n")
    assert run("batch", path, "--out", tmp_path / "rows.jsonl").code == 2
    assert json.loads((tmp_path / "rows.jsonl").read_text())["status"] == "error"


def test_numbers_in_fsp(tmp_path):
    path = tmp_path / "e.lts"
    for number in ("0" + "7" * 5000, "0x" + "f" * 5000, "9" * 5000):
        path.write_text(f"const N = {number}\nE = (a[N] -> E).")
        done = run("show", path)
        assert done.code == 2
        assert "e.lts:1:11: error: the number is larger than 2147483647" in done.err


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("0", 0), ("00", 0), ("0x0", 0), ("017", 15), ("0X1F", 31), ("10", 10)),
        ("0" * 50 + "17", 15),
        ("0x" + "0" * 50 + "1f", 31),
    ],
)
def test_zeros_in_front_do_not_count(text, value):
    assert number_value(text) == value


def test_options_of_the_wrong_type():
    with pytest.raises(SymrobError) as error:
        Options(timeout="5", extra_states=None, max_memory=1.5, limit=True)
    assert len(error.value.diagnostics) == 4
