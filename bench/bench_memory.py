"""Peak memory as the output grows, for each form in which deviations are written.

In:  numbers of deviations of voting without constraints.
Out: for each form and number the bytes of output, MiB at most, and processor seconds.

    python -m bench.bench_memory [--deviations N ...]

Each is a process of its own. What a form keeps in mind shows in how much more memory
twice as much output takes.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.runner import ROOT, measure

CASE = ROOT / "models" / "voting" / "voting_cfm_unconstrained.toml"
FORMS = {
    "json": ["--format", "json"],
    "json compact": ["--format", "json", "--compact"],
    "json lines": ["--format", "jsonl"],
    "details": ["--details"],
    "certificate": ["--certificate", "OUT"],
}
TIMEOUT = 120.0


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.bench_memory")
    numbers = [1_000, 2_000, 4_000, 8_000]
    parser.add_argument("--deviations", type=int, nargs="*", default=numbers)
    given = parser.parse_args()
    print(f"{'form':14}{'deviations':>12}{'MB written':>12}{'MiB':>8}{'CPU s':>8}")
    for form, words in FORMS.items():
        for count in given.deviations:
            with TemporaryDirectory() as folder:
                out = Path(folder) / "out"
                more = [word.replace("OUT", str(out)) for word in words]
                line = [sys.executable, "-m", "symrob", "compute", str(CASE)]
                done = measure([*line, "--limit", str(count), *more], TIMEOUT)
                written = len(done.output) + (out.stat().st_size if out.exists() else 0)
            row = f"{form:14}{count:12,}{written / 1e6:12.1f}{done.peak:8.0f}"
            ended = "" if done.code in (0, 3) else f"  exit {done.code}"
            print(f"{row}{done.cpu:8.1f}{ended}", flush=True)


if __name__ == "__main__":
    main()
