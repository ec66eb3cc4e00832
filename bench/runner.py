"""Runs processes one at a time and measures each as a whole.

In:  a command.
Out: its exit code and output, the wall time from start to end of the process, and the
     most memory that it held (resident, in MiB); where one asks, what it still worked
     after some time or a signal.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
# What a process may take beyond the time-out that it watches itself.
GRACE = 30.0


@dataclass(frozen=True)
class Run:
    """What was measured of one process.

    Attributes:
        code: Exit code; negative for a signal.
        output: Standard output.
        wall: Seconds from start to end.
        peak: Most resident memory, in MiB.
        errors: Standard error.
        late: Seconds of processor time that it used after it was looked at.
        cpu: Seconds of processor time.
    """

    code: int
    output: str
    wall: float
    peak: float
    errors: str
    late: float
    cpu: float


def measure(
    command: Sequence[str], timeout: float, look: float | None = None, number: int = 0
) -> Run:
    """Run a command and measure it; it is killed when it takes too long.

    Args:
        command: Program and arguments.
        timeout: Seconds; some grace is added.
        look: Seconds until it is looked at; by default the time-out.
        number: The signal that it is sent then; 0 for none.
    """
    with tempfile.NamedTemporaryFile() as output, tempfile.NamedTemporaryFile() as said:
        spawn = [sys.executable, "-I", "-S", str(ROOT / "bench" / "spawn.py")]
        files = [output.name, said.name]
        seconds = [timeout + GRACE, timeout if look is None else look]
        done = subprocess.run(
            [*spawn, *files, *map(str, seconds), str(int(number)), *command],
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        text, errors = (f.read().decode("utf-8", "replace") for f in (output, said))
    code, wall, peak, late, cpu = done.stdout.split()
    scale = 2**20 if sys.platform == "darwin" else 2**10
    memory = int(peak) / scale
    return Run(int(code), text, float(wall), memory, errors, float(late), float(cpu))


def run_worker(
    tool: str,
    case: str,
    constants: Sequence[str] = (),
    *,
    timeout: float,
    limit: int | None = None,
) -> dict[str, Any]:
    """Run one analysis in its own process; return its figures.

    Args:
        tool: One of `bench.worker.TOOLS`.
        case: Path of the case file, from the root of the repository.
        constants: `NAME=VALUE` for constants of the models.
        timeout: Seconds for the analysis.
        limit: Most deviations to enumerate.
    """
    command = [sys.executable, "-m", "bench.worker", tool, str(ROOT / case)]
    command += [*constants, "--timeout", str(timeout)]
    if limit is not None:
        command += ["--limit", str(limit)]
    done = measure(command, timeout)
    # A process that was killed, or whose libraries ended it for lack of memory,
    # leaves no figures.
    figures: dict[str, Any] = {"status": "killed" if done.code < 0 else "failed"}
    if done.code == 0:
        figures = json.loads(done.output)
    return {
        "tool": tool,
        "case": case,
        "constants": list(constants),
        **figures,
        "wall": round(done.wall, 4),
        "peak_mib": round(done.peak, 1),
    }
