"""How fast deviations come where Δ is large, and whether that lasts.

In:  cases and how many of their deviations to enumerate.
Out: for stretches of the enumeration, deviations per second of processor time.

    python -m bench.bench_rates [NAME ...]

Deviations are not kept, as in `symrob compute --format jsonl`.
"""

from __future__ import annotations

import argparse
import resource
from dataclasses import dataclass
from itertools import islice
from time import process_time
from typing import Any

from bench.runner import ROOT
from symrob.api import load_roles, open_engine
from symrob.case import load_case
from symrob.envelope.engine import Engine
from symrob.options import Options


@dataclass(frozen=True)
class Stretches:
    """A case and the parts of its enumeration that are measured.

    Attributes:
        case: The case file, in `models/`.
        ends: The number of deviations at which each part ends; the first one
            begins with the analysis, screening included.
    """

    case: str
    ends: tuple[int, ...]


CASES = {
    "therac25": Stretches("therac25/therac25_unconstrained.toml", (398,)),
    "voting": Stretches(
        "voting/voting_cfm_unconstrained.toml", (5_000, 15_000, 20_000, 80_000, 100_000)
    ),
    "pca_pump": Stretches("pca_pump/pca_pump_unconstrained.toml", (2_500, 5_000)),
}
HEADER = f"{'case':10}{'deviations':>18}{'per s':>8}{'MiB':>6}"


def rates(names: list[str]) -> list[dict[str, Any]]:
    """Measure the cases of these names, each in this process."""
    # What is imported on first use shall not count for the first case.
    next(_engine("therac25").deviations())
    return [part for name in names for part in _measured(name)]


def _engine(name: str) -> Engine:
    path = ROOT / "models" / CASES[name].case
    return open_engine(load_roles(load_case(str(path))), Options())


def _measured(name: str) -> list[dict[str, Any]]:
    engine = _engine(name)
    parts = []
    before, start = 0, process_time()
    deviations = engine.deviations()
    for end in CASES[name].ends:
        found = sum(1 for _ in islice(deviations, end - before))
        now = process_time()
        parts.append(
            {
                "case": name,
                "first": before + 1,
                "last": before + found,
                "rate": found / (now - start),
                "memory_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            }
        )
        before, start = before + found, now
    return parts


def line(part: dict[str, Any]) -> str:
    """Return one stretch as a line of text."""
    stretch = f"{part['first']:,}-{part['last']:,}"
    memory = part["memory_mib"]
    return f"{part['case']:10}{stretch:>18}{part['rate']:8,.0f}{memory:6.0f}"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.bench_rates")
    parser.add_argument("name", nargs="*", help=f"some of {', '.join(CASES)}")
    names = parser.parse_args().name or [*CASES]
    print("\n".join([HEADER, *map(line, rates(names))]))


if __name__ == "__main__":
    main()
