"""Two results of `make bench` side by side: what became slower or larger.

In:  two `bench.json` files, an older and a newer one.
Out: every figure that both have and that changed by more than a factor; exit
     code 1 if one became worse by more than that.

    python -m bench.compare old/bench.json new/bench.json --factor 1.3
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

# Below this a difference is noise: seconds, and MiB.
SMALLEST = {"s": 0.002, "MiB": 5.0}
SAME = ("system", "architecture", "processor", "cores")


def figures(results: Mapping[str, Any]) -> dict[str, tuple[float, str]]:
    """Return each figure with its unit, by name; time-outs are left out."""
    found: dict[str, tuple[float, str]] = {}
    for case, stages in results["stages"].items():
        for stage, seconds in stages.items():
            found[f"stage {case}: {stage}"] = (seconds, "s")
    for row in results["table1"]:
        for key in ("process", "engine"):
            found[f"Table 1 {row['row']}: {key}"] = (row[key], "s")
    for r in results["random"]:
        if r["status"] == "complete":
            found[f"random {r['seed']}: symbolic"] = (r["symbolic"], "s")
    for r in results.get("rates", ()):
        stretch = f"{r['case']} {r['first']}-{r['last']}"
        found[f"1000 deviations of {stretch}"] = (1000 / r["rate"], "s")
    for r in results["scaling"]:
        if r["tool"] == "symbolic" and r["status"] == "complete":
            name = f"{r['family']} {r['size']}"
            found[f"{name}: process"] = (r["wall"], "s")
            found[f"{name}: memory"] = (r["peak_mib"], "MiB")
    return found


def differences(
    old: Mapping[str, Any], new: Mapping[str, Any], factor: float
) -> list[tuple[float, str]]:
    """Return (ratio new/old, description) of what changed, worst first."""
    before, after = figures(old), figures(new)
    found = []
    for name in before.keys() & after.keys():
        (a, unit), (b, _) = before[name], after[name]
        ratio = b / a
        changed = ratio > factor or ratio < 1 / factor
        if changed and abs(b - a) > SMALLEST[unit]:
            found.append((ratio, f"{ratio:6.2f} x  {name}: {a:.4g} -> {b:.4g} {unit}"))
    found += [
        (float("inf"), f"   lost   {name}") for name in before.keys() - after.keys()
    ]
    return sorted(found, reverse=True)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what changed; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m bench.compare")
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--factor", type=float, default=1.3)
    chosen = parser.parse_args(arguments)
    old, new = (
        json.loads(path.read_text("utf-8")) for path in (chosen.old, chosen.new)
    )
    machines = [[r["setting"]["machine"][key] for key in SAME] for r in (old, new)]
    if machines[0] != machines[1]:
        print("not the same class of machine; the ratios say little", file=sys.stderr)
    for name, results in (("old", old), ("new", new)):
        where = results["setting"]
        print(f"{name}: commit {where['commit'][:12]}, {where['date']}")
    changed = differences(old, new, chosen.factor)
    print("\n".join(text for _, text in changed) or "no figure changed")
    return int(any(ratio > chosen.factor for ratio, _ in changed))


if __name__ == "__main__":
    sys.exit(main())
