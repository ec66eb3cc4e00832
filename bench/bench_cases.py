"""Every quick command on every shipped case, beside what it may take.

In:  commands, cases.
Out: for each case and command seconds of processor time, the start of Python included;
     `!` where it is more than half a second (five for the pump with eight lines).

    python -m bench.bench_cases [--command NAME ...] [--runs N] [CASE ...]
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.runner import ROOT, measure

# What follows the case; `draw` and `explore` write a file into a folder.
COMMANDS = {
    "check": ["CASE"],
    "lint": ["CASE"],
    "show": ["ENV"],
    "draw": ["CASE", "--out", "OUT.svg"],
    "explore": ["CASE", "--out", "OUT.html"],
    "summary": ["CASE"],
    "compute": ["CASE"],
}
USUAL, LARGE = 0.5, 5.0
TIMEOUT = 60.0


def cases() -> dict[str, Path]:
    """Return the shipped cases by name."""
    paths = sorted((ROOT / "models").glob("*/*.toml"))
    return {p.stem: p for p in paths if "environment" in tomllib.loads(p.read_text())}


def seconds(command: str, case: Path, runs: int) -> float:
    """Return the least processor time of some runs."""
    own = tomllib.loads(case.read_text())["environment"]
    with TemporaryDirectory() as folder:
        words = {"CASE": str(case), "ENV": str(case.parent / str(own))}
        given = [
            words.get(word, word.replace("OUT", f"{folder}/out"))
            for word in COMMANDS[command]
        ]
        line = [sys.executable, "-m", "symrob", command, *given]
        return min(measure(line, TIMEOUT).cpu for _ in range(runs))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.bench_cases")
    parser.add_argument("case", nargs="*", help="by default all")
    parser.add_argument("--command", nargs="*", choices=COMMANDS)
    parser.add_argument("--runs", type=int, default=1, help="the best of them counts")
    chosen = parser.parse_args()
    known, commands = cases(), chosen.command or list(COMMANDS)
    print(f"{'CPU s':24}" + "".join(f"{c:>9}" for c in commands), flush=True)
    for name in chosen.case or known:
        most = LARGE if name.startswith("pca_pump_8") else USUAL
        spent = [seconds(command, known[name], chosen.runs) for command in commands]
        cells = (f"{s:8.2f}{'!' if s > most else ' '}" for s in spent)
        print(f"{name:24}" + "".join(cells), flush=True)


if __name__ == "__main__":
    main()
