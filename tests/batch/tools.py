"""Cases to run in batches, and batches to run."""

import json
import os
import random
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep

import symrob
from symrob.batch.rows import without_timing
from symrob.formats import write
from tests.generate import MEDIUM, TINY, random_problem
from tests.oracles.states import Stated

ROOT = Path(symrob.__file__).parents[1]


def write_case(folder, name, problem, **keys):
    """Write a problem and its case file; return the path of the latter."""
    environment, controller, properties, constraints = problem
    files = {"environment": f"{name}-e.json", "controller": f"{name}-c.json"}
    write(environment, str(folder / files["environment"]))
    write(controller, str(folder / files["controller"]))
    for role, models in (("properties", properties), ("constraints", constraints)):
        files[role] = [f"{name}-{role[0:5]}{i}.json" for i in range(len(models))]
        for place, model in enumerate(models):
            if isinstance(model, Stated):
                files[role][place] = model.text(controller)
            else:
                write(model, str(folder / files[role][place]))
    path = folder / f"{name}.toml"
    lines = [f"{key} = {json.dumps(value)}" for key, value in (files | keys).items()]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def write_cases(folder, count, seed, *, shapes=TINY):
    """Write random cases, some of them with an unsafe plan; return their paths."""
    rng = random.Random(seed)
    return [
        write_case(
            folder,
            f"case{number:04}",
            random_problem(rng, shapes=shapes),
            labels=[["odd", "even"][number % 2]],
        )
        for number in range(count)
    ]


def medium_cases(folder, count, seed):
    """Cases that take some milliseconds each; a few stop at a bound."""
    paths = write_cases(
        folder, count, seed, shapes=[s for s in MEDIUM if size(*s) < 33]
    )
    for path in paths:
        with path.open("a") as file:
            file.write("[limits]\ndeviations = 12\n")
    return paths


def size(states, actions):
    """How many transitions an environment may have."""
    return states * states * actions


def start(*args, cwd=ROOT, terminal=subprocess.PIPE, **options):
    """Start `symrob` in a separate process, its messages for a terminal or us."""
    return subprocess.Popen(
        [sys.executable, "-m", "symrob", *map(str, args)],
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=terminal,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": str(ROOT), **options.pop("env", {})},
        **options,
    )


def finish(process, timeout=60):
    """Wait for a process; return its exit code, output and messages."""
    try:
        out, err = process.communicate(timeout=timeout)
    finally:
        process.kill()
        process.wait()
    return process.returncode, out, err


def batch(*args, patience=120, **options):
    """Run `symrob batch` to its end."""
    return finish(start("batch", *args, **options), patience)


def rows(path):
    """All lines of a file of rows, in order, without timing; each must be whole."""
    text = Path(path).read_text(encoding="utf-8")
    assert text == "" or text.endswith("\n")
    return [without_timing(json.loads(line)) for line in text.splitlines()]


def by_case(path):
    """The rows of a file by case; no case may come twice."""
    found = rows(path)
    table = {row["case"]: row for row in found}
    assert len(table) == len(found)
    return table


def children(pid):
    """The processes that a process started, and that run still."""
    listed = Path(f"/proc/{pid}/task/{pid}/children")
    # Each thread has its own list.
    return [
        int(child)
        for task in listed.parents[1].iterdir()
        for child in (task / "children").read_text().split()
    ]


def runs(pid):
    """Whether a process runs still; a dead one that nobody waits for does not."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except FileNotFoundError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


def busy(pid):
    """Whether a process computes."""

    def ticks():
        try:
            stat = Path(f"/proc/{pid}/stat").read_text()
        except FileNotFoundError:
            return 0
        return int(stat.rpartition(")")[2].split()[11])

    before = ticks()
    sleep(0.3)
    return ticks() > before


def wait_until(condition, seconds=20.0):
    """Wait for something to come true; fail if it does not."""
    end = monotonic() + seconds
    while not condition():
        assert monotonic() < end, "waited too long"
        sleep(0.002)


def lines_in(path):
    """How many whole lines a file has; none if there is no file."""
    return Path(path).read_bytes().count(b"\n") if Path(path).exists() else 0


@contextmanager
def running(*args, **options):
    """A batch that runs within the block, and is killed at its end."""
    process = start("batch", *args, **options)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def kill(pid, number=signal.SIGKILL):
    """Send a signal."""
    os.kill(pid, number)
