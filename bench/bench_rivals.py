"""The engine beside the enumerators that a user of python-sat would take instead.

In:  cases without constraints, where Δ is large.
Out: for each, deviations per second of processor time: the Python iterator, written as
     JSON lines, and MCSls and LBX of python-sat on the same Horn formula, as they come
     and with their clause D.

    python -m bench.bench_rivals [--seconds 4] [NAME ...]

The maximal safe sets are the complements of the minimal correction sets of the Horn
formula (docs/mathematics.md, 2) with a soft clause for each candidate. The rivals are
given that formula ready-made, over the engine's own screened candidates and merged
monitor states; the engine's time holds all of that. All run in this process, and each
has run before it is measured.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from time import process_time
from typing import Any, NamedTuple

from bench.runner import ROOT
from symrob.api import analyse, load_roles
from symrob.api.result import SafetyEnvelope
from symrob.case import load_case, parse_constants
from symrob.envelope.determinised import FAILED
from symrob.envelope.effort import Effort
from symrob.envelope.horn import HornFormula
from symrob.envelope.safe_sets import SafeSets
from symrob.options import Options
from symrob.report.result import result_lines

CASES = {
    "therac25": ("therac25/therac25_unconstrained.toml", ()),
    "token_ring": ("token_ring/token_ring_unconstrained.toml", ()),
    "voting": ("voting/voting_cfm_unconstrained.toml", ()),
    "pca_pump": ("pca_pump/pca_pump_unconstrained.toml", ()),
}
WARM = 0.2
RIVALS = ("MCSls", "MCSls D", "LBX", "LBX D")
TOOLS = ("iterator", "jsonl", *RIVALS)
HEADER = f"{'case':12}" + "".join(f"{tool + '/s':>11}" for tool in TOOLS) + "   times"


class Formula(NamedTuple):
    """The Horn formula of a case, written down as far as it can be met.

    Attributes:
        clauses: Its clauses; candidate i is variable i + 1.
        candidates: How many candidates there are.
    """

    clauses: list[list[int]]
    candidates: int


class _Written:
    """A solver that only writes down what it is told."""

    def __init__(self) -> None:
        self.clauses: list[list[int]] = []

    def add(self, clause: Sequence[int]) -> None:
        self.clauses.append(list(clause))

    def propose(self, wanted: Sequence[int] = ()) -> list[int] | None:
        raise NotImplementedError

    def close(self) -> None:
        """Nothing is kept."""


def horn_formula(sets: SafeSets) -> Formula:
    """Write down the formula of all pairs that some candidates lead to."""
    determinised, extension = sets.determinised, sets.extension
    found = [0] * extension.states
    todo = [(0, m) for m in extension.targets(determinised.initial)]
    for state, monitor_state in todo:
        if found[state] >> monitor_state & 1:
            continue
        found[state] |= 1 << monitor_state
        for action, row in extension.of_state(state):
            after = determinised.step(monitor_state, action)
            if after != FAILED:
                todo += [
                    (target, m)
                    for target in extension.targets(
                        extension.fixed[row] | extension.options[row]
                    )
                    for m in extension.targets(after)
                ]
    solver = _Written()
    HornFormula(determinised, extension, solver, Effort()).learn(found)
    return Formula(solver.clauses, sum(m.bit_count() for m in extension.options))


def correction_sets(formula: Formula, rival: str) -> Iterator[list[int]]:
    """Yield the minimal sets of candidates that must go, as variables."""
    from pysat.examples.lbx import LBX
    from pysat.examples.mcsls import MCSls
    from pysat.formula import WCNF

    problem = WCNF()
    problem.extend(formula.clauses)
    for candidate in range(1, formula.candidates + 1):
        problem.append([candidate], weight=1)
    kind = {"MCSls": MCSls, "LBX": LBX}[rival.split()[0]]
    with kind(problem, use_cld=rival.endswith(" D")) as enumerator:
        for found in enumerator.enumerate():
            yield found
            enumerator.block(found)


def opened(name: str) -> SafetyEnvelope:
    """Return Δ of a case, yet to be computed."""
    path, constants = CASES[name]
    case = load_case(str(ROOT / "models" / path))
    constants = {**case.constants, **parse_constants(constants)}
    return analyse(load_roles(replace(case, constants=constants)), Options())


def rivalry(name: str, seconds: float) -> dict[str, Any]:
    """Measure a case with all tools, each for at most so many seconds."""
    formula = horn_formula(opened(name).engine.safe_sets)
    tools: dict[str, Callable[[], Iterable[object]]] = {
        "iterator": lambda: opened(name).engine.deviations(),
        "jsonl": lambda: result_lines(opened(name), name),
        **{r: lambda r=r: correction_sets(formula, r) for r in RIVALS},  # type: ignore[misc]
    }
    rates: dict[str, float] = {}
    complete: dict[str, int] = {}
    for tool in TOOLS:
        _rate(tools[tool](), WARM)
        rates[tool], found, ended = _rate(tools[tool](), seconds)
        if ended:
            # JSON lines begin with a head and end with a verdict.
            complete[tool] = found - 2 * (tool == "jsonl")
    assert len({*complete.values()}) <= 1, complete
    return {"case": name, "rates": rates, "complete": complete}


def _rate(found: Iterable[object], seconds: float) -> tuple[float, int, bool]:
    """Count what is found in some seconds, and whether that was all."""
    start = process_time()
    count = 0
    for _ in found:
        count += 1
        if process_time() - start > seconds:
            return count / (process_time() - start), count, False
    return count / (process_time() - start), count, True


def line(record: dict[str, Any]) -> str:
    """Return a case as a line of text: rates, and how many times the best rival's."""
    rates = record["rates"]
    best = max(rates[rival] for rival in RIVALS)
    figures = "".join(f"{rates[tool]:11,.0f}" for tool in TOOLS)
    times = ", ".join(f"{rates[tool] / best:.1f}" for tool in ("iterator", "jsonl"))
    return f"{record['case']:12}{figures}   {times}"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.bench_rivals")
    parser.add_argument("name", nargs="*", help=f"some of {', '.join(CASES)}")
    parser.add_argument("--seconds", type=float, default=4.0)
    chosen = parser.parse_args()
    print(HEADER)
    for name in chosen.name or CASES:
        print(line(rivalry(name, chosen.seconds)), flush=True)


if __name__ == "__main__":
    main()
