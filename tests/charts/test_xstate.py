"""Machines of XState do what XState does, before and after 5.33."""

import json
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from symrob.formats import read
from tests.charts.beside import SMALL, differences, read_both, tally
from tests.charts.xstates import random_machine

HERE = Path(__file__).parent
INSTALLED = shutil.which("node") and (HERE / "node_modules" / "xstate").exists()


def ours(config, path):
    """The systems that are read, or the codes of why there is none."""
    path.write_text(json.dumps(config))
    return read_both(
        lambda ignoring: read(
            str(path), process="ignoring" if ignoring else None, limits=SMALL
        )
    )


def sent(action):
    """An event that an action stands for: `*` is any other one."""
    return action.removesuffix("*") + "other" if action.endswith("*") else action


def xstate(machines):
    """What XState does with machines, each beside the events that it gets."""
    lines = "\n".join(json.dumps(machine) for machine in machines)
    done = subprocess.run(
        ["node", HERE / "xstate.mjs"],
        input=lines,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def compared(configs, path):
    """How each machine compares: a kind, the machine, and details."""
    read_of = [ours(config, path) for config in configs]
    actions = [
        ["E"] if isinstance(files[0], str) else list(files[0].network.alphabet)
        for files in read_of
    ]
    machines = [
        {"config": config, "events": [sent(a) for a in events]}
        for config, events in zip(configs, actions, strict=True)
    ]
    results = []
    for config, events, lts, found in zip(
        configs, actions, read_of, xstate(machines), strict=True
    ):
        results.append(_outcome(config, events, lts, found))
    return results


def _outcome(config, events, lts, found):
    errors = [version["error"] for version in found if "error" in version]
    if lts == "large" or any(version.get("large") for version in found):
        return "large", config, lts, errors
    if isinstance(lts[0], str):
        return ("refused by both" if errors else "refused"), config, lts, errors
    if errors:
        return "differs", config, ["XState refuses it"], errors
    start, rows = set(), {}
    names = {sent(action): action for action in events}
    for version in found:
        start |= set(version["start"])
        for name, event, *outcomes in version["rows"]:
            row = rows.setdefault((name, names[event]), (set(), set()))
            for known, outcome in zip(row, outcomes, strict=True):
                known |= set(outcome)
    details = differences(lts, start, rows)
    return ("differs" if details else "same"), config, details, errors


def run(number, seed, path):
    chance = random.Random(f"xstate {seed}")
    return tally(compared([random_machine(chance) for _ in range(number)], path))


@pytest.mark.skipif(not INSTALLED, reason="needs npm: make test-charts")
def test_random_machines(tmp_path):
    count, differing = run(60, 0, tmp_path / "x.json")
    assert differing == []
    assert count["same"] > 25


def test_the_lock_file_names_no_registry():
    lock = json.loads((HERE / "package-lock.json").read_text())
    assert len(lock["packages"]) == 3
    assert not any("resolved" in package for package in lock["packages"].values())
