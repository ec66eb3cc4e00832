"""Run the command line, in this process or in one of its own."""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from typer.testing import CliRunner

from symrob.cli import NAMES, application
from symrob.errors import EXIT_FAULT

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Run:
    """What a command printed and returned."""

    code: int
    out: str
    err: str


def run(*args, stdin=None) -> Run:
    """Run `symrob` in this process; a fault of its own is a failure of the test."""
    # As `symrob` itself does: making all commands takes longer than most of them.
    names = args[:1] if args and args[0] in NAMES else NAMES
    app = application(tuple(names))
    result = CliRunner().invoke(app, [str(a) for a in args], input=stdin)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code != EXIT_FAULT, result.stderr
    return Run(result.exit_code, result.stdout, result.stderr)


def start(*args, stdin=subprocess.DEVNULL, **environment) -> subprocess.Popen:
    """Start `symrob` in a separate process, with pipes for its output."""
    return subprocess.Popen(
        [sys.executable, "-m", "symrob", *map(str, args)],
        cwd=ROOT,
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env={**os.environ, **environment},
    )


def spawn(*args, **environment) -> Run:
    """Run `symrob` in a separate process and wait for it."""
    process = start(*args, **environment)
    try:
        out, err = process.communicate(timeout=120)
    finally:
        process.kill()
        process.wait()
    return Run(process.returncode, out, err)
