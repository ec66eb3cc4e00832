"""One large part: alphabets, environments, controllers, each against what is asked.

In:  groups of lines (alphabet, environment, controller, reading), a time-out.
Out: for each line seconds of processor time and the most memory, beside the bounds
     that the line must keep; results/large.json.

    python -m bench.bench_large [GROUP …] [--size N] [--only TEXT] [--timeout S]

Each line is one `symrob` process. Other work on the machine makes wall time longer,
so processor time is what counts.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from bench import large_models as models
from bench.runner import ROOT, measure
from bench.setting import setting

RESULTS = ROOT / "bench" / "results" / "large.json"
Writer = Callable[[Path, int], Path]
GROUPS = ("alphabet", "environment", "controller", "reading")


@dataclass(frozen=True)
class Line:
    """One process to be measured.

    Attributes:
        group: One of `GROUPS`.
        model: What is large.
        size: How large: actions, states, transitions.
        command: Arguments of `symrob`, without the model.
        seconds: Processor time that it may take.
        mebibytes: Memory that it may take.
        write: Writes the model into a folder and returns its path.
    """

    group: str
    model: str
    size: int
    command: tuple[str, ...]
    seconds: float
    mebibytes: float
    write: Writer

    @property
    def title(self) -> str:
        """What a person calls it."""
        return f"{self.model} {self.size:,}: {' '.join(self.command)}"


LIMITED: tuple[str, ...] = ("compute", "--limit", "10")
COMPUTED: tuple[tuple[str, ...], ...] = (
    LIMITED,
    (*LIMITED, "--format", "json", "--compact"),
)


def lines() -> Iterator[Line]:
    """Yield all lines, the small ones of a group first."""
    yield from _alphabets()
    environments: dict[str, Writer] = {
        "chain": models.chain_case,
        "ladder": models.ladder_case,
        "grid": models.grid_case,
        "random": models.random_case,
    }
    for size, seconds, memory in ((1000, 3, 300), (3000, 10, 600), (10000, 60, 2000)):
        for name, write in environments.items():
            for command in (("summary",), *COMPUTED):
                yield Line("environment", name, size, command, seconds, memory, write)
    controllers: dict[str, Writer] = {
        "random": lambda folder, n: models.controller_case(folder, n, 3 * n),
        "protocol": models.protocol_case,
    }
    for name, write in controllers.items():
        for command in (("check",), *COMPUTED):
            seconds = 5 if command == ("check",) else 20
            yield Line("controller", name, 100_000, command, seconds, 500, write)
    for form in models.FLAT:
        yield Line("reading", form, 1_000_000, ("show",), 10, 1000, _flat(form))


def _alphabets() -> Iterator[Line]:
    explained = ("explain", "--transition")
    asked: tuple[tuple[str, ...], ...] = (
        ("check",),
        ("summary",),
        ("cuts", "--limit", "100"),
        ("compute",),
        (*explained, "0,x.1,0"),
        (*explained, "1,x.{last},1"),
    )
    for size, seconds in ((150, 1), (1000, 2), (5000, 10)):
        for command in asked:
            told = tuple(word.format(last=size) for word in command)
            write = models.alphabet_case
            yield Line("alphabet", "alphabet", size, told, seconds, 150, write)


def _flat(form: str) -> Writer:
    """Write a flat system of so many transitions in a format."""

    def write(folder: Path, transitions: int) -> Path:
        states = transitions // 3
        _, moves, _ = models.flat_moves(states, transitions)
        path = folder / f"flat.{form}"
        path.write_text(models.FLAT[form](moves, states), "utf-8")
        return path

    return write


def measured(line: Line, timeout: float) -> dict[str, object]:
    """Run one line in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        path = line.write(Path(folder), line.size)
        command = [sys.executable, "-m", "symrob", line.command[0], str(path)]
        done = measure([*command, *line.command[1:]], timeout)
    return {
        **{k: v for k, v in asdict(line).items() if k != "write"},
        "code": done.code,
        "cpu": round(done.cpu, 2),
        "wall": round(done.wall, 2),
        "peak_mib": round(done.peak),
        "output": len(done.output),
    }


HEADER = f"{'line':62} {'CPU s':>7} {'asked':>6} {'MiB':>6} {'asked':>6}"


def text(record: dict[str, object], title: str) -> str:
    """Return a record as a line under `HEADER`; `!` where a bound does not hold."""
    cpu, peak = float(str(record["cpu"])), float(str(record["peak_mib"]))
    seconds, most = float(str(record["seconds"])), float(str(record["mebibytes"]))
    kept = record["code"] in (0, 3) and cpu <= seconds and peak <= most
    ended = "" if record["code"] == 0 else f" (exit {record['code']})"
    return (
        f"{title[:62]:62} {cpu:7.2f} {seconds:6g} {peak:6.0f} {most:6g}"
        f"{'' if kept else ' !'}{ended}"
    )


def main() -> None:
    """Measure what was asked for, print it and write it down."""
    parser = argparse.ArgumentParser(prog="python -m bench.bench_large")
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=", ".join(GROUPS))
    parser.add_argument("--size", type=int, help="lines of this size only")
    parser.add_argument("--only", default="", help="lines whose title holds this")
    parser.add_argument("--timeout", type=float, default=120.0)
    parser.add_argument("--out", type=Path, default=RESULTS)
    chosen = parser.parse_args()
    if unknown := set(chosen.groups) - set(GROUPS):
        parser.error(f"unknown group: {', '.join(sorted(unknown))}")
    print(HEADER, flush=True)
    records = []
    for line in lines():
        wanted = line.group in (chosen.groups or GROUPS) and chosen.only in line.title
        if wanted and chosen.size in (None, line.size):
            records.append(measured(line, chosen.timeout))
            print(text(records[-1], line.title), flush=True)
    data = {"schema": "symrob/bench-large/1", "setting": setting(), "lines": records}
    chosen.out.parent.mkdir(parents=True, exist_ok=True)
    chosen.out.write_text(json.dumps(data, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
