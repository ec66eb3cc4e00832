"""All benchmarks in one run: what `make bench` starts.

In:  time-outs.
Out: tables on standard output; `bench/results/bench.json` with every figure and
     the setting, `bench/results/summary.txt` with the tables, and charts.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from bench import bench_random, bench_rates, bench_scaling
from bench.bench_table1 import lines, table1
from bench.families import FAMILIES
from bench.runner import ROOT
from bench.setting import setting

SCHEMA = "symrob/bench/1"
RESULTS = ROOT / "bench" / "results"
# Random problems are for comparison; ten of them must not take all the time.
RANDOM_TIMEOUT = 3.0
STAGES = ("parse", "encode", "reach", "winning", "screen", "enumerate")


def stages() -> dict[str, dict[str, float]]:
    """Run bench_stages.py; return the median seconds by case and stage."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "stages.json"
        command = [sys.executable, "-m", "pytest", "-q", "bench/bench_stages.py"]
        command += [f"--benchmark-json={target}", "--benchmark-quiet"]
        subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
        data = json.loads(target.read_text("utf-8"))
    table: dict[str, dict[str, float]] = {}
    for entry in data["benchmarks"]:
        row = table.setdefault(entry["group"], {})
        row[entry["extra_info"]["stage"]] = entry["stats"]["median"]
    return table


def stage_lines(table: dict[str, dict[str, float]]) -> list[str]:
    """Return the stages as a text table, in milliseconds."""
    text = [f"{'case, ms':24}" + "".join(f"{stage:>11}" for stage in STAGES)]
    for case, row in table.items():
        figures = "".join(f"{row[stage] * 1000:11.2f}" for stage in STAGES)
        text.append(f"{case:24}{figures}")
    return text


def main() -> None:
    """Run everything, print it and write it down."""
    parser = argparse.ArgumentParser(prog="python -m bench")
    parser.add_argument("--timeout", type=float, default=20.0, help="for each run")
    parser.add_argument("--out", type=Path, default=RESULTS)
    chosen = parser.parse_args()
    where = setting()
    by_stage = stages()
    rows = table1(chosen.timeout)
    drawn = bench_random.random_problems(
        bench_random.SEED, bench_random.COUNT, RANDOM_TIMEOUT
    )
    stretches = bench_rates.rates([*bench_rates.CASES])
    records = bench_scaling.scaling(FAMILIES, chosen.timeout)
    processor, cores = where["machine"]["processor"], where["machine"]["cores"]
    summary = [
        f"commit {where['commit'][:12]}{' with changes' if where['changed'] else ''}, "
        f"{where['date']}",
        f"{processor}, {cores} cores, Python {where['python']}, "
        f"load {where['machine']['load']:.1f}, time-out {chosen.timeout:g} s",
        "",
        *stage_lines(by_stage),
        "",
        *lines(rows),
        "",
        *bench_random.lines(drawn),
        "",
        bench_rates.HEADER,
        *map(bench_rates.line, stretches),
        "",
        bench_scaling.HEADER,
        *map(bench_scaling.line, records),
    ]
    chosen.out.mkdir(parents=True, exist_ok=True)
    everything = {
        "schema": SCHEMA,
        "setting": where,
        "timeout": chosen.timeout,
        "seed": bench_random.SEED,
        "stages": by_stage,
        "table1": rows,
        "random": drawn,
        "rates": stretches,
        "scaling": records,
    }
    text = json.dumps(everything, indent=1, ensure_ascii=False)
    (chosen.out / "bench.json").write_text(text + "\n", "utf-8")
    (chosen.out / "summary.txt").write_text("\n".join(summary) + "\n", "utf-8")
    for name, svg in bench_scaling.charts(records, chosen.timeout).items():
        (chosen.out / name).write_text(svg, "utf-8")
    print("\n".join(["", *summary]))


if __name__ == "__main__":
    main()
