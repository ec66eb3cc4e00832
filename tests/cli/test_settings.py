"""Settings of a case file hold for every command that takes one."""

import json
import shutil
from inspect import signature

import pytest

from symrob import options
from symrob.case.keys import LIMITS
from symrob.cli import COMMANDS, command_named
from symrob.cli.bounds import BOUNDS
from symrob.errors import EXIT_LIMIT
from tests.cli.calls import case_text
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


# What a case file can set, as there, and the option with the default of symrob.
SETTINGS = {
    'algorithm = "connected"': {"algorithm": "maximal"},
    "extra_states = 1": {"extra_states": 0},
    "top = 1": {"largest": 10**6},
    "[limits]\nmax_states = 3": {"max_states": options.MAX_STATES},
    "[limits]\nmax_transitions = 3": {"max_transitions": options.MAX_TRANSITIONS},
    "[limits]\nmax_expansion = 1": {"max_expansion": options.MAX_EXPANSION},
    "[limits]\nmax_nesting = 1": {"max_nesting": options.MAX_NESTING},
    "[limits]\ndeviations = 1": {"limit": 10**6},
    "[limits]\nnodes = 1": {"max_nodes": 10**6},
    "[limits]\nmemory = 1": {"max_memory": 10**6},
    "[limits]\ntimeout = 0.000001": {"timeout": 10**6},
}
NAMES = {"largest": "top", "max_memory": "memory"}


@pytest.fixture
def setting(tmp_path):
    """A case of the running example with one setting more."""
    folder = shutil.copytree(ROOT / "models/running_example", tmp_path / "example")

    def make(line):
        path = folder / "running_example.toml"
        path.write_text(f"{line}\n{case_text(*MODELS)}" if "[" not in line else "")
        if "[" in line:
            path.write_text(f"{case_text(*MODELS)}\n{line}\n")
        return path

    return make


MODELS = ("environment.lts", "controller.lts", "property.lts")


@pytest.mark.parametrize("line", SETTINGS)
def test_an_option_that_is_given_wins_even_if_it_is_the_default(setting, line):
    case = setting(line)
    ((field, value),) = SETTINGS[line].items()
    name = NAMES.get(field, field).replace("_", "-")
    option = ["--bound", f"{name}={value}"] if name in BOUNDS else [f"--{name}", value]
    done = run("compute", case, *option, "--format", "json")
    assert done.code == 0, done.err
    result = json.loads(done.out)
    assert (result["algorithm"], result["environment"]["states"]) == ("maximal", 3)
    assert len(result["delta"]) == 3


def test_no_option_that_a_case_file_can_set_has_a_default():
    """Nobody could tell whether it was given."""
    fields = {*LIMITS.values(), "algorithm", "extra_states", "largest", "weights"}
    for name in COMMANDS:
        parameters = signature(command_named(name)).parameters.values()
        defaults = {p.name: p.default for p in parameters if p.name in fields}
        # Of `explain` it bounds what is shown.
        defaults |= {"limit": None} if name == "explain" else {}
        assert set(defaults.values()) <= {None}, name


def test_an_option_wins_over_settings_that_exclude_it(setting):
    case = setting("top = 1")
    done = run("compute", case, "--algorithm", "connected", "--format", "json")
    assert len(json.loads(done.out)["delta"]) == 3
    case = setting('algorithm = "connected"')
    done = run("compute", case, "--top", 1, "--format", "json")
    assert len(json.loads(done.out)["delta"]) == 1


def test_limits_of_a_case_hold_for_lint_and_order_for_cuts(setting):
    assert run("lint", setting("[limits]\nmax_states = 1")).code == EXIT_LIMIT
    assert (
        run("lint", setting("[limits]\nmax_states = 1"), "--bound", "max-states=9").code
        == 0
    )
    every = run("cuts", setting(""), "--format", "jsonl").out.count("\n")
    case = setting("order = 1")
    assert run("cuts", case, "--format", "jsonl").out.count("\n") < every
    assert (
        run("cuts", case, "--order", 99, "--format", "jsonl").out.count("\n") == every
    )
