"""The families that grow: time and memory against size, ours and explicit.

In:  the families, a time-out for each run.
Out: a record for each run; each tool stops at the first size that it cannot do.

    python -m bench.bench_scaling --timeout 300 pump
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from typing import Any

from bench.chart import Series, line_chart
from bench.families import FAMILIES, Family
from bench.runner import run_worker

COMPARED = ("symbolic", "explicit")
QUICK = 1.0
REPEATS = 3


def scaling(
    families: Iterable[Family], timeout: float, tools: Iterable[str] = COMPARED
) -> list[dict[str, Any]]:
    """Measure families at rising sizes; where both finish, they must agree.

    Args:
        families: What to measure.
        timeout: Seconds for each run.
        tools: Which tools.
    """
    records = []
    for family in families:
        answers: dict[int, tuple[int, int]] = {}
        for tool in tools:
            for size in family.sizes:
                record = _best(family, tool, size, timeout)
                records.append(record)
                print(line(record), flush=True)
                if record["status"] != "complete":
                    break
                answer = (record["delta"], record["largest"])
                assert answers.setdefault(size, answer) == answer, record
    return records


def _best(family: Family, tool: str, size: int, timeout: float) -> dict[str, Any]:
    """The quickest of a few runs; one is enough where it takes long."""
    runs: list[dict[str, Any]] = []
    while len(runs) < REPEATS and all(run["wall"] < QUICK for run in runs):
        constant = f"{family.constant}={size}"
        runs.append(run_worker(tool, family.case, [constant], timeout=timeout))
    best = min(runs, key=lambda run: run["wall"])
    return {"family": family.name, "size": size, "runs": len(runs), **best}


HEADER = f"{'family':16} {'size':>4} {'tool':9} {'process':>10} {'memory':>11}  result"


def line(record: dict[str, Any]) -> str:
    """Return a record as a line of a text table, under `HEADER`."""
    answer = (
        f"|Δ| = {record['delta']}, |d_max| = {record['largest']:,}"
        if record["status"] == "complete"
        else record["status"]
    )
    return (
        f"{record['family']:16} {record['size']:4} {record['tool']:9} "
        f"{record['wall']:8.2f} s {record['peak_mib']:7.0f} MiB  {answer}"
    )


def charts(records: list[dict[str, Any]], timeout: float) -> dict[str, str]:
    """Return the charts of all families as SVG, by file name."""
    files = {}
    for family in FAMILIES:
        own = [r for r in records if r["family"] == family.name]
        if not own:
            continue
        for key, title in (("wall", "seconds"), ("peak_mib", "memory, MiB")):
            series = [
                Series(
                    tool,
                    tuple((r["size"], r[key]) for r in own if r["tool"] == tool),
                    frozenset(
                        r["size"]
                        for r in own
                        if r["tool"] == tool and r["status"] != "complete"
                    ),
                )
                for tool in COMPARED
                if any(r["tool"] == tool for r in own)
            ]
            name = f"{family.name}_{'time' if key == 'wall' else 'memory'}.svg"
            across = f"{family.unit} (hollow: stopped at {timeout:g} s)"
            files[name] = line_chart(family.title, across, title, series)
    return files


def main() -> None:
    """Measure some families and print what was found."""
    parser = argparse.ArgumentParser(prog="python -m bench.bench_scaling")
    names = [family.name for family in FAMILIES]
    parser.add_argument("families", nargs="*", metavar="FAMILY", help=", ".join(names))
    parser.add_argument("--timeout", type=float, default=300.0)
    parser.add_argument("--tool", action="append", choices=COMPARED)
    chosen = parser.parse_args()
    unknown = set(chosen.families) - set(names)
    if unknown:
        parser.error(f"unknown family: {', '.join(sorted(unknown))}")
    wanted = chosen.families or names
    families = [family for family in FAMILIES if family.name in wanted]
    scaling(families, chosen.timeout, chosen.tool or COMPARED)


if __name__ == "__main__":
    main()
