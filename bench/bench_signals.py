"""Signals at random times: whether what was found is printed, and how the run ends.

    python -m bench.bench_signals [--number N] [--seed S] [--longest SECONDS]

In:  inputs and questions of `bench_bounds`.
Out: a line for each run, then how many were right; exit code 1 if one was not.

The times are spread evenly on a logarithmic scale from 0.1 s on. A run that ends before
its signal says nothing of signals, but is checked as well.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from math import exp, log
from pathlib import Path
from random import Random

from bench.bench_bounds import HEADER, SIGNALS, ask, line
from bench.hard_inputs import hard_inputs

FIRST = 0.1


def main() -> None:
    """Send signals and print what came of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--number", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--longest", type=float, default=60.0)
    given = parser.parse_args()
    random = Random(given.seed)
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        inputs = [*hard_inputs(Path(folder))]
        pairs = [(hard, question) for hard in inputs for question in hard.asked]
        print(HEADER, flush=True)
        for number in range(given.number):
            if number % len(pairs) == 0:
                random.shuffle(pairs)
            hard, question = pairs[number % len(pairs)]
            seconds = exp(random.uniform(log(FIRST), log(given.longest)))
            name = random.choice(SIGNALS).name
            late = ask(hard, question, name, round(seconds, 2), known=True)
            wrong += bool(late.problem)
            print(line(late), flush=True)
    print(f"{given.number - wrong} of {given.number} printed what was known")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
