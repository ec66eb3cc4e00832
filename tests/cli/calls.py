"""For each command, calls that end with each exit code that it can give."""

import json

from symrob.question_names import question_names
from tests.cli.tools import run

RUNNING = "models/running_example/running_example.toml"
THERAC = "models/therac25/therac25.toml"
CTRL = ("--ctrl", "models/running_example/controller.lts")
PROP = ("--prop", "models/running_example/property.lts")
UNSAFE = (
    *("--env", "models/therac25/nurse.lts"),
    *("--ctrl", "models/therac25/machines.lts#THERAC25"),
    *("--prop", "models/therac25/xflat_espread.lts"),
)
MISSING = ("nowhere.toml",)

# What takes a case or models, and needs nothing else.
_MORE = {"compare", "explain", "gate", "risk"}
OF_A_CASE = ("draw", "explore", *(n for n in question_names() if n not in _MORE))


def calls(tmp_path):
    """(command, exit code, arguments) for all but limits and interrupts."""
    result = tmp_path / "result.json"
    result.write_text(run("compute", RUNNING, "--format", "json").out)
    wrong = tmp_path / "wrong.json"
    data = json.loads(result.read_text())
    data["delta"] = data["delta"][:1] * 2
    wrong.write_text(json.dumps(data))
    unsafe_case = tmp_path / "unsafe.toml"
    unsafe_case.write_text(case_text("e.lts", "p.lts", "p.lts"))
    (tmp_path / "e.lts").write_text("E = (a -> E).")
    (tmp_path / "p.lts").write_text("property P = STOP + {a}.")
    yield from [(name, 0, (RUNNING,)) for name in OF_A_CASE]
    # This one is asked of unsafe plans; nothing helps where C alone is unsafe.
    yield from [(name, 1, UNSAFE) for name in OF_A_CASE if name != "assume"]
    (tmp_path / "u.lts").write_text("C = (u -> C).")
    models = ("--env", tmp_path / "e.lts", "--ctrl", tmp_path / "u.lts")
    yield "assume", 0, UNSAFE
    yield "assume", 1, (*models, "--prop", "never u")
    yield from [(name, 2, MISSING) for name in OF_A_CASE]
    chances = tmp_path / "chances.toml"
    chances.write_text('[probability]\n"*,*,*" = 0.01\n')
    yield "risk", 0, (RUNNING, "--probability", chances)
    yield "risk", 1, (*UNSAFE, "--probability", chances)
    yield "risk", 2, (RUNNING,)
    yield "repair", 4, (RUNNING, "--not-disable", "a")
    yield "verify", 0, (result, RUNNING)
    yield "verify", 2, (result, *MISSING)
    yield "verify", 4, (wrong, RUNNING)
    yield "explain", 0, (RUNNING, "--transition", "0,a,*")
    yield "explain", 1, (*UNSAFE, "--transition", "0,x,0")
    yield "explain", 2, (RUNNING,)
    yield "explain", 4, (RUNNING, "--transition", "0,a,*", "--expect", "tolerated")
    yield "compare", 0, (THERAC, "models/therac25/therac20.toml")
    yield "compare", 1, (unsafe_case, unsafe_case)
    yield "compare", 2, (THERAC,)
    policy = tmp_path / "policy.toml"
    policy.write_text("vacuous = true\nresilience = 1\n")
    strict = tmp_path / "strict.toml"
    strict.write_text("resilience = 100\n")
    yield "gate", 0, (policy, RUNNING)
    yield "gate", 1, (policy, *UNSAFE)
    yield "gate", 2, (policy, *MISSING)
    yield "gate", 4, (strict, RUNNING)
    rows = tmp_path / "rows.jsonl"
    yield "batch", 0, (RUNNING, "--out", rows)
    yield "batch", 1, (unsafe_case, "--out", tmp_path / "unsafe.jsonl")
    yield "batch", 2, (*MISSING, "--out", tmp_path / "other.jsonl")
    yield "results", 0, (rows,)
    yield "results", 2, ("nowhere.jsonl",)
    yield "show", 0, ("models/therac25/nurse.lts",)
    yield "show", 2, ("nowhere.lts",)
    yield "convert", 0, ("models/therac25/nurse.lts", tmp_path / "nurse.aut")
    yield "convert", 2, ("nowhere.lts", tmp_path / "nurse.aut")
    yield "lint", 0, (RUNNING,)
    yield "lint", 2, ("nowhere.lts",)


def endless(tmp_path):
    """(command, arguments) that never end by themselves: they read standard input.

    It has to be a pipe into which nobody writes.
    """
    for name in ("e.lts", "p.lts"):
        (tmp_path / name).write_text("P = (a -> P).")
    (tmp_path / "result.json").write_text("{}")
    policy = tmp_path / "policy.toml"
    policy.write_text("vacuous = true\nresilience = 1\n")
    ctrl, prop = ("--ctrl", tmp_path / "e.lts"), ("--prop", tmp_path / "p.lts")
    models = ("--env", "-", "--from", "aut", *ctrl, *prop)
    yield from [(name, models) for name in OF_A_CASE]
    chances = tmp_path / "chances.toml"
    chances.write_text('[probability]\n"*,*,*" = 0.01\n')
    yield "risk", (*models, "--probability", chances)
    yield "verify", (tmp_path / "result.json", *models)
    yield "explain", (*models, "--transition", "0,a,0")
    yield "compare", (*models, *ctrl)
    yield "gate", (policy, *models)
    yield "results", ("-",)
    yield "show", ("-", "--from", "aut")
    yield "convert", ("-", tmp_path / "out.aut", "--from", "aut")
    yield "lint", ("-", "--from", "aut")


def case_text(environment, controller, prop):
    """A case file of three models beside it."""
    return (
        f'environment = "{environment}"\ncontroller = "{controller}"\n'
        f'properties = ["{prop}"]\n'
    )
