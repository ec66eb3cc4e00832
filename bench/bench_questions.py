"""How the time and memory of each question grow with the size of a model.

In:  the families of `families.py`, and N protocols side by side, whose E has 2 N
     components with fault modes.
Out: for each family, size and question processor seconds and peak memory of the whole
     process, and the exponent of the time between the last two sizes.

    python -m bench.bench_questions [--timeout S] [FAMILY ...]
"""

from __future__ import annotations

import argparse
import sys
from itertools import pairwise
from math import log
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.families import FAMILIES
from bench.runner import ROOT, measure

QUESTIONS = {
    "compute": ["compute"],
    "summary": ["summary"],
    "cuts": ["cuts", "--format", "jsonl", "--order", "2"],
    "certificate": ["compute", "--certificate", "OUT"],
}
PROTOCOLS = """\
environment = "{folder}/lines.lts#NETWORKS"
controller = "{folder}/lines.lts#PROTOCOLS"
properties = ["{folder}/lines.lts#IN_ORDER"]

[faults]
only = true
"""
FAULTS = """
[faults.{channel}{n}]
template = "channel"
component = "line.{n}:{channel}:CHANNEL"
send = "put.*"
deliver = "get.*"
"""
SIZES = 6


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.bench_questions")
    parser.add_argument("--timeout", type=float, default=20.0, help="for each process")
    parser.add_argument("families", nargs="*")
    given = parser.parse_args()
    for each in FAMILIES:
        if each.name in (given.families or [each.name]):
            path = ROOT / each.case
            models = {
                n: [str(path), "--const", f"{each.constant}={n}"] for n in each.sizes
            }
            family(each.name, models, given.timeout)
    if "protocols" in (given.families or ["protocols"]):
        with TemporaryDirectory() as folder:
            models = {n: protocols(Path(folder), n) for n in (1, 2, 3, 4, 6, 8)}
            family("protocols", models, given.timeout)


def protocols(folder: Path, number: int) -> list[str]:
    """Write a case of some protocols, with faults of each channel; its arguments."""
    faults = "".join(
        FAULTS.format(channel=channel, n=n)
        for n in range(1, number + 1)
        for channel in ("messages", "acks")
    )
    case = folder / f"{number}.toml"
    text = PROTOCOLS.format(folder=ROOT / "models" / "abp") + faults
    case.write_text(text, "utf-8")
    return [str(case), "--const", f"N={number}", "--allow-outside"]


def family(name: str, models: dict[int, list[str]], timeout: float) -> None:
    """Print a row for each question: seconds and MiB at each size, up to a time-out."""
    sizes = [*models][:SIZES]
    print(f"\n{name:16}" + "".join(f"{size:>15}" for size in sizes))
    for title, words in QUESTIONS.items():
        row, known = f"{title:16}", []
        for size in sizes:
            with TemporaryDirectory() as folder:
                out = str(Path(folder, "out.cert"))
                question, *options = [out if word == "OUT" else word for word in words]
                program = [sys.executable, "-m", "symrob", question, *models[size]]
                bound = ["--timeout", f"{timeout:g}"]
                run = measure([*program, *options, *bound], timeout)
            if run.code:
                row += f"{'time-out' if run.code == 3 else f'exit code {run.code}':>15}"
                continue
            row += f"{run.cpu:8.2f} s{run.peak:4.0f} M"
            known.append((size, run.cpu))
        print(f"{row}{exponent(known)}", flush=True)


def exponent(known: list[tuple[int, float]]) -> str:
    """How the time grows between the last two sizes: `  n^1.3`."""
    last = [*pairwise(known)][-1:]
    return "".join(f"  n^{log(y / x) / log(n / m):.1f}" for (m, x), (n, y) in last)


if __name__ == "__main__":
    main()
