"""The engine beside the enumerators that a user of python-sat would take instead.

In:  cases without constraints, where Δ is large.
Out: for each, deviations per second of processor time: the engine with its screened
     candidates at hand, the Python iterator, JSON lines, and MCSls and LBX of
     python-sat, as they come and with their clause D, on two formulas.

    python -m bench.bench_rivals [--seconds 4] [NAME ...]

The maximal safe sets are the complements of the minimal correction sets of the Horn
formula (docs/mathematics.md, 2) with a soft clause for each candidate. *Lean* is that
formula over the engine's own screened candidates and merged monitor states, *plain* the
one that a user would write down: all candidates, and pairs of a state of E and one of
C‖P. The rivals are given both ready-made. All run in this process, and each has run
before it is measured.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from time import process_time
from typing import Any, NamedTuple

from bench.runner import ROOT
from symrob.api import analyse, load_roles
from symrob.api.result import SafetyEnvelope
from symrob.case import load_case, parse_constants
from symrob.envelope.determinised import FAILED
from symrob.envelope.effort import Effort
from symrob.envelope.engine import Engine
from symrob.envelope.horn import HornFormula
from symrob.envelope.product_monitor import product_table
from symrob.envelope.safe_sets import SafeSets
from symrob.limits import Clock
from symrob.lts import TAU, Action, StateId
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
# LBX, the slower one, takes minutes for its first set of the pump's plain formula.
FORMULAS = {"lean": RIVALS, "plain": RIVALS[:2]}
ENGINE = ("search", "iterator", "jsonl")
TOOLS = (*ENGINE, *(f"{form} {r}" for form in FORMULAS for r in FORMULAS[form]))
# More than the table of C‖P of any of these cases has.
STATES = 10_000


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
    HornFormula(determinised, extension, solver, Effort(), Clock()).learn(found)
    return Formula(solver.clauses, sum(m.bit_count() for m in extension.options))


def plain_formula(engine: Engine) -> Formula:
    """Write down the formula of all pairs (state of E, state of C‖P).

    Args:
        engine: A problem without constraints.
    """
    system, environment = engine.closed_loop.system, engine.environment
    assert not engine.constraints
    table = product_table(system, STATES, engine.clock)
    assert table is not None
    candidates = {t: i for i, t in enumerate(engine.candidates, 1)}
    steps: list[dict[Action, list[tuple[StateId, list[int]]]]] = [
        {} for _ in range(environment.size)
    ]
    for source, action, target in environment.transitions:
        steps[source].setdefault(action, []).append((target, []))
    for (source, action, target), variable in candidates.items():
        steps[source].setdefault(action, []).append((target, [-variable]))
    pairs: dict[tuple[StateId, int], int] = {}

    def pair(state: StateId, inner: int) -> int:
        return pairs.setdefault((state, inner), len(candidates) + len(pairs) + 1)

    clauses = [[pair(0, 0)]]
    for number, (state, inner) in enumerate(grows(pairs)):
        met = -(len(candidates) + number + 1)
        if table.failing >> inner & 1:
            clauses.append([met])
        clauses += [[met, pair(state, after)] for after in table.internal[inner]]
        for action, targets in steps[state].items():
            if action == TAU:
                clauses += [[met, pair(target, inner)] for target, _ in targets]
                continue
            for target, chosen in targets:
                if table.rejects[action] >> inner & 1:
                    clauses.append([met, *chosen])
                for after in table.post[action][inner]:
                    clauses.append([met, *chosen, pair(target, after)])
    return Formula(clauses, len(candidates))


def grows(pairs: dict[tuple[StateId, int], int]) -> Iterator[tuple[StateId, int]]:
    """Yield the keys of a dictionary that grows meanwhile."""
    done = 0
    while done < len(pairs):
        some = [*pairs][done:]
        yield from some
        done += len(some)


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


def screened(name: str) -> Engine:
    """Return a problem whose candidates and monitor states are at hand."""
    engine = opened(name).engine
    assert engine.safe_sets.extension.states
    return engine


def rivalry(name: str, seconds: float) -> dict[str, Any]:
    """Measure a case with all tools, each for at most so many seconds."""
    engine = opened(name).engine
    formulas = {"lean": horn_formula(engine.safe_sets), "plain": plain_formula(engine)}
    tools: dict[str, Callable[[], Iterable[object]]] = {
        "search": lambda: screened(name).deviations(),
        "iterator": lambda: opened(name).engine.deviations(),
        "jsonl": lambda: result_lines(opened(name), name),
    }
    for form, rivals in FORMULAS.items():
        for rival in rivals:
            tools[f"{form} {rival}"] = partial(correction_sets, formulas[form], rival)
    rates: dict[str, float] = {}
    complete: dict[str, int] = {}
    for tool in TOOLS:
        _rate(tools[tool], WARM)
        rates[tool], found = _rate(tools[tool], seconds)
        if found is not None:
            # JSON lines begin with a head and end with a verdict.
            complete[tool] = found - 2 * (tool == "jsonl")
    assert len({*complete.values()}) <= 1, complete
    return {"case": name, "rates": rates, "complete": complete}


def _rate(
    tool: Callable[[], Iterable[object]], seconds: float
) -> tuple[float, int | None]:
    """Return how many are found in a second, and how many there are, if that is known.

    Where all are found sooner they are found again; what is done before the first is
    asked for does not count.
    """
    spent, found = 0.0, 0
    all_of_them: int | None = None
    while spent < seconds:
        again = tool()
        before, start = found, process_time()
        for _ in again:
            found += 1
            if spent + process_time() - start > seconds:
                break
        else:
            all_of_them = found - before
        spent += process_time() - start
    return found / spent, all_of_them


def lines(record: dict[str, Any]) -> list[str]:
    """Return a case as lines of text: rates, and how many times those of the rivals."""
    rates = record["rates"]
    found = [record["case"]]
    found += [f"  {tool:14}{rates[tool]:9,.1f}/s" for tool in TOOLS]
    for form, all_ in FORMULAS.items():
        for what, rivals in (("MCSls", all_[:1]), ("the best", all_)):
            best = max(rates[f"{form} {rival}"] for rival in rivals)
            times = ", ".join(f"{tool} {rates[tool] / best:.1f}" for tool in ENGINE)
            found.append(f"  times {what} on the {form} one: {times}")
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m bench.bench_rivals")
    parser.add_argument("name", nargs="*", help=f"some of {', '.join(CASES)}")
    parser.add_argument("--seconds", type=float, default=4.0)
    chosen = parser.parse_args()
    for name in chosen.name or CASES:
        print(*lines(rivalry(name, chosen.seconds)), sep="\n", flush=True)


if __name__ == "__main__":
    main()
