"""Minimal unsafe sets beside what a user of clingo or python-sat would ask.

In:  cases without constraints.
Out: for each tool processor seconds to the first set and to the last, and how many sets
     there are; all tools must agree on that.

    python -m bench.bench_cuts [--seconds 30] [NAME ...]

*jsonl* is what `cuts --format jsonl` prints, screening and writing included. The others
get what they need ready-made and write nothing: *clingo runs* the plain problem, pairs
of a state of E and one of C‖P, and minimizes the candidates with which ERROR is
reached; *clingo hits*, *MCSls* and *LBX* the sets that each maximal deviation leaves
out, whose minimal hitting sets are the same. Finding these, all of Δ, is measured by
itself, as *Δ*. All run in this process, and each has run before it is measured.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from time import process_time
from typing import NamedTuple

from bench.bench_rivals import Formula, correction_sets, opened, plain_formula
from symrob.options import Options
from symrob.questions.cuts import CutsQuestion
from symrob.questions.question import View
from symrob.questions.session import Session
from symrob.report.output_formats import written

NAMES = ("therac25", "token_ring")
# As *domRec*: models that are minimal in what is shown come, each once.
MINIMAL = ("0", "--heuristic=Domain", "--enum-mode=domRec", "--dom-mod=5,16")
WARM = 1.0


class Spent(NamedTuple):
    """What a tool took.

    Attributes:
        first: Seconds to the first set; `None` where there was none in time.
        last: Seconds to the end; `None` where it was stopped.
        sets: How many came.
    """

    first: float | None
    last: float | None
    sets: int


def measured(tool: Callable[[], Iterable[object]], seconds: float) -> Spent:
    """Run a tool for at most so many seconds."""
    start, first, sets = process_time(), None, 0
    for _ in tool():
        sets += 1
        spent = process_time() - start
        first = spent if first is None else first
        if spent > seconds:
            return Spent(first, None, sets)
    return Spent(first, process_time() - start, sets)


def printed(name: str) -> Iterator[str]:
    """Yield the lines of `cuts --format jsonl` that hold a set."""
    session = Session.of(opened(name).space, name, options=Options(), form="jsonl")
    question = CutsQuestion()
    view = View(question, session)
    for line in written(question.ask(session), "jsonl", view):
        # It begins with a head and ends with the status.
        if '"verdict"' in line:
            yield line


def lacking(name: str) -> list[list[int]]:
    """Return what each maximal deviation leaves out, as numbers from 1."""
    engine = opened(name).engine
    number = {t: i for i, t in enumerate(engine.candidates, 1)}
    left = (number.keys() - deviation.new for deviation in engine.deviations())
    return [sorted(number[t] for t in some) for some in left]


def hitting(sets: Sequence[Sequence[int]]) -> Callable[[], Iterator[object]]:
    """Return a program for clingo: all minimal sets that meet each of some."""
    every = sorted({n for some in sets for n in some})
    rules = [f"{{ c({n}) }}." for n in every]
    rules += [f":- {', '.join(f'not c({n})' for n in some)}." for some in sets]
    return lambda: answers("\n".join([*rules, "#show c/1."]))


def running(name: str) -> Callable[[], Iterator[object]]:
    """Return a program for clingo: minimal candidates with which ERROR is reached."""
    formula = plain_formula(opened(name).engine)
    every = range(1, formula.candidates + 1)
    rules = [f"{{ c({n}) }}. v({n}) :- c({n})." for n in every]
    for clause in formula.clauses:
        head = next((f"v({n})" for n in clause if n > 0), "error")
        body = ", ".join(f"v({-n})" for n in clause if n < 0)
        rules.append(f"{head} :- {body}." if body else f"{head}.")
    return lambda: answers("\n".join([*rules, ":- not error.", "#show c/1."]))


def answers(program: str) -> Iterator[object]:
    """Yield the models of a program that are minimal in its candidates."""
    import clingo

    control = clingo.Control([*MINIMAL])
    control.add("base", [], program)
    control.ground([("base", [])])
    with control.solve(yield_=True) as models:
        yield from models


def correcting(sets: Sequence[Sequence[int]], rival: str) -> Iterator[object]:
    """Yield the minimal hitting sets as minimal correction sets."""
    every = sorted({n for some in sets for n in some})
    place = {n: i for i, n in enumerate(every, 1)}
    # That a candidate is left out is what is wished for.
    clauses = [[-place[n] for n in some] for some in sets]
    return correction_sets(Formula(clauses, len(every)), rival)


def rivalry(name: str, seconds: float) -> dict[str, Spent]:
    """Measure a case with all tools."""
    sets = lacking(name)
    tools: dict[str, Callable[[], Iterable[object]]] = {
        "jsonl": lambda: printed(name),
        "Δ": lambda: opened(name).engine.deviations(),
        "clingo hits": hitting(sets),
        "clingo runs": running(name),
        "MCSls": lambda: correcting(sets, "MCSls"),
        "LBX": lambda: correcting(sets, "LBX"),
    }
    found = {}
    for tool, run in tools.items():
        measured(run, WARM)
        found[tool] = measured(run, seconds)
    counts = {s.sets for tool, s in found.items() if tool != "Δ" and s.last is not None}
    assert len(counts) <= 1, found
    return found


def lines(name: str, found: dict[str, Spent]) -> list[str]:
    """Return a case as lines of text."""
    text = [f"{name:14}{'sets':>8}{'first, s':>10}{'last, s':>10}"]
    for tool, spent in found.items():
        times = ["–" if s is None else f"{s:.3f}" for s in (spent.first, spent.last)]
        text.append(f"  {tool:12}{spent.sets:8,}{times[0]:>10}{times[1]:>10}")
    return text


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.bench_cuts")
    parser.add_argument("name", nargs="*", default=NAMES, help=", ".join(NAMES))
    parser.add_argument("--seconds", type=float, default=30.0)
    chosen = parser.parse_args()
    for name in chosen.name:
        print(*lines(name, rivalry(name, chosen.seconds)), sep="\n", flush=True)


if __name__ == "__main__":
    main()
