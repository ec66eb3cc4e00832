"""How fault modes grow: alternating-bit protocols side by side, five modes a channel.

    python -m bench.bench_modes [N …] [--keep FOLDER]

Each question is a process of its own, whose CPU seconds are printed.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
SIZES = (1, 2, 5, 10)


def faults(channel: str) -> dict[str, list[str]]:
    """The five modes of a channel: name to expressions on its component."""
    bits = (0, 1)
    return {
        "loss": [f"CHANNEL,{channel}.put.{b},CHANNEL" for b in bits],
        "duplication": [f"FULL[{b}],{channel}.get.{b},FULL[{b}]" for b in bits],
        "overwriting": [f"FULL[*],{channel}.put.{b},FULL[{b}]" for b in bits],
        "corruption": [f"FULL[{b}],{channel}.get.{1 - b},CHANNEL" for b in bits],
        "spurious": [f"CHANNEL,{channel}.get.{b},CHANNEL" for b in bits],
    }


def case_text(lines: int, models: str) -> str:
    """A case file with so many protocols."""
    text = [
        f'title = "{lines} alternating-bit protocols"',
        f'environment = "{models}#NETWORKS"',
        f'controller = "{models}#PROTOCOLS"',
        f'properties = ["{models}#IN_ORDER"]',
        f"constants = {{ N = {lines} }}",
        "[faults]",
        "only = true",
    ]
    for line in range(1, lines + 1):
        for kind in ("messages", "acks"):
            channel = f"line.{line}.{kind}"
            for name, texts in faults(channel).items():
                held = json.dumps([f"line.{line}:{kind}:{t}" for t in texts])
                text.append(f'"{channel}.{name}" = {held}')
    return "\n".join(text) + "\n"


def write_case(folder: Path, lines: int) -> Path:
    """Write the models and a case file into a folder; return the case file."""
    source = ROOT / "models" / "abp" / "lines.lts"
    (folder / "lines.lts").write_text(source.read_text("utf-8"), encoding="utf-8")
    path = folder / f"lines_{lines}.toml"
    path.write_text(case_text(lines, "lines.lts"), encoding="utf-8")
    return path


def commands(case: Path, lines: int, result: Path) -> dict[str, list[str]]:
    """The questions, as arguments; `compute` comes first and gives the result."""
    modes = (f"line.{lines}.messages.loss", "line.1.acks.spurious")
    return {
        "compute": [str(case), "--format", "json"],
        "summary": [str(case)],
        "explain": [str(case), *(arg for mode in modes for arg in ("--mode", mode))],
        "cuts": [str(case)],
        "compare": [str(case), str(case)],
        "verify": [str(result), str(case)],
    }


def cpu_seconds(command: list[str]) -> tuple[float, str]:
    """What a process of its own takes, and what it prints."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-m", "symrob", *command],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, done.stdout


def main() -> None:
    """Measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", nargs="*", type=int, default=SIZES)
    parser.add_argument("--keep", type=Path, help="write the cases here")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        result = folder / "result.json"
        named = commands(folder, 1, result)
        print("protocols  modes  |Δ|  of", *(f"{name:>9}" for name in named))
        for lines in given.sizes:
            case = write_case(folder, lines)
            spent = []
            for name, arguments in commands(case, lines, result).items():
                seconds, printed = cpu_seconds([name, *arguments])
                spent.append(f"{seconds:9.2f}")
                if name == "compute":
                    result.write_text(printed, encoding="utf-8")
            data = json.loads(result.read_text("utf-8"))
            most = max(map(len, data["delta_modes"]))
            sizes = (
                f"{lines:9}{len(data['modes']):7}{len(data['delta_modes']):5}{most:4}"
            )
            print(sizes, *spent, flush=True)


if __name__ == "__main__":
    main()
