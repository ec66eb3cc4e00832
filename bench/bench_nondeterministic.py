"""Nondeterministic controllers: the engine beside growing and shrinking with a solver.

In:  how many problems of the graded set; earlier results to compare with.
Out: processor seconds of both for each problem and question; whether their answers
     are the same; where a rule is broken.

    python -m bench.bench_nondeterministic --out new.jsonl --earlier old.jsonl

The set is graded by states of E and C, by how much C branches, by actions that it hides
and by the number of properties, up to four states of E with 48 transitions and a C of
40 states. Both run in one process, warm, one after the other, on each problem.

The rule: no answer takes more than twice the better of the reference and the engine
as it was earlier, and 20 ms.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import islice, product
from math import exp, inf, log
from pathlib import Path
from random import Random
from time import process_time
from typing import Any, NamedTuple

import symrob
from bench.baselines.explicit_connected import OutOfBudget
from bench.baselines.grow_and_shrink import Antichains, grow_and_shrink
from bench.random_models import RandomProblem, Shape, random_problem
from bench.setting import setting
from symrob.api.result import SafetyEnvelope
from symrob.lts import Lts, Network, Transition
from symrob.problem import Problem, Role, build_problem

SCHEMA = "symrob/bench-nondeterministic/1"
GRADES = [
    Shape(
        states=states,
        actions=3,
        components=1,
        component_states=size,
        internal=internal,
        properties=properties,
        property_states=4,
        environment_density=0.3,
        controller_density=density,
        strictness=0.1,
    )
    for size, states, density, internal, properties in product(
        (5, 10, 20, 40), (2, 3, 4), (0.8, 1.2, 2.0), (0, 1, 2), (1, 2, 3)
    )
]
# Every so many problems are asked about in all ways.
ASKED = 5
SLACK = 0.02
# What seems to break the rule is measured so often again, and the least time counts:
# other work on the machine makes single times twice as long now and then.
AGAIN = 2
# Where the reference needs longer, the engine is to be five times faster.
LONG = 0.1

SIDES = ("engine", "reference")
Sets = frozenset[frozenset[Transition]]
Engine = Callable[[RandomProblem, float], Any]
Known = Callable[[RandomProblem, Antichains], Any]


class Bounds(NamedTuple):
    """Seconds: wall time for the engine, processor time for the reference."""

    engine: float
    reference: float


class Unfinished(Exception):
    """The engine hit a bound."""


def graded(number: int) -> RandomProblem:
    """Return a problem of the set."""
    return random_problem(number, GRADES[number % len(GRADES)])


def chosen(problem: RandomProblem) -> list[Transition]:
    """Return three transitions to ask about, the same each time."""
    environment = problem.environment
    nominal = frozenset(environment.transitions)
    states, actions = range(environment.size), environment.alphabet
    every = [Transition(*t) for t in product(states, actions, states)]
    return Random(len(every)).sample([t for t in every if t not in nominal], 3)


def thinned(problem: RandomProblem, seed: int) -> RandomProblem:
    """Return it with a tenth of C's transitions left out, which is as safe."""
    rng = Random(seed)
    (part,) = problem.controller.components
    kept = [t for t in part.transitions if rng.random() < 0.9]
    return replace(problem, controller=Network([Lts(part.alphabet, part.size, kept)]))


def envelope(problem: RandomProblem, timeout: float) -> SafetyEnvelope:
    return symrob.compute(
        problem.environment,
        problem.controller,
        problem.properties,
        timeout=timeout,
    )


def checked(problem: RandomProblem) -> Problem:
    return build_problem(
        Role(problem.environment, "environment"),
        Role(problem.controller, "controller"),
        [Role(p, f"property {i}") for i, p in enumerate(problem.properties)],
        [],
    )


def _complete(thing: Any) -> None:
    if thing.status != "complete":
        raise Unfinished(thing.status)


def _compute(problem: RandomProblem, timeout: float) -> Sets:
    found = envelope(problem, timeout)
    delta = frozenset(frozenset(d.new) for d in found)
    _complete(found)
    return delta


def _cuts(problem: RandomProblem, timeout: float) -> Sets:
    found = envelope(problem, timeout).cuts()
    sets = frozenset(cut.transitions for cut in found)
    _complete(found)
    return sets


def _summary(problem: RandomProblem, timeout: float) -> Sets:
    found = envelope(problem, timeout).summary()
    _complete(found)
    return frozenset(map(frozenset, (found.never, found.always, found.contested)))


def _explain(problem: RandomProblem, timeout: float) -> bool:
    found = envelope(problem, timeout).explain(chosen(problem))
    _complete(found)
    return found.verdict == "tolerated"


def _compare(problem: RandomProblem, timeout: float) -> tuple[bool | None, ...]:
    sides = [envelope(thinned(problem, seed), timeout) for seed in (1, 2)]
    found = symrob.compare(*sides)
    if found.first.exists is None or found.second.exists is None:
        raise Unfinished(found.status)
    return found.first.exists, found.second.exists


def _named(known: Antichains, sets: Iterable[int]) -> Sets:
    return frozenset(
        frozenset(t for i, t in enumerate(known.candidates) if chosen >> i & 1)
        for chosen in sets
    )


def _known_summary(_problem: RandomProblem, known: Antichains) -> Sets:
    everything = (1 << len(known.candidates)) - 1
    never = broken = 0
    for cut in known.cuts:
        broken |= cut
        if cut.bit_count() == 1:
            never |= cut
    return _named(known, (never, everything & ~broken, broken & ~never))


def _known_explain(problem: RandomProblem, known: Antichains) -> bool:
    asked = sum(1 << known.candidates.index(t) for t in chosen(problem))
    return not any(cut & ~asked == 0 for cut in known.cuts)


QUESTIONS: dict[str, tuple[Engine, Known]] = {
    "compute": (_compute, lambda _, known: _named(known, known.maximal)),
    "cuts": (_cuts, lambda _, known: _named(known, known.cuts)),
    "summary": (_summary, _known_summary),
    "explain": (_explain, _known_explain),
}


def _known_compare(problem: RandomProblem, timeout: float) -> tuple[bool, bool]:
    one, other = (
        grow_and_shrink(checked(thinned(problem, seed)), timeout).maximal
        for seed in (1, 2)
    )

    def beyond(some: list[int], others: list[int]) -> bool:
        return any(all(s & ~o for o in others) for s in some)

    return beyond(one, other), beyond(other, one)


def _timed(ask: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds of an answer and the answer; `None` where a bound was hit."""
    start = process_time()
    try:
        answer = ask()
    except (OutOfBudget, Unfinished):
        answer = None
    return process_time() - start, answer


def measured(number: int, bounds: Bounds) -> Iterator[dict[str, Any]]:
    """Yield what one problem takes, a record for each question."""
    problem = graded(number)
    asked = QUESTIONS if number % ASKED == 0 else {"compute": QUESTIONS["compute"]}
    seconds, known = None, None
    if bounds.reference:
        seconds, known = _timed(
            lambda: grow_and_shrink(checked(problem), bounds.reference)
        )
    for name, (ask, tell) in asked.items():
        ours, answer = _timed(partial(ask, problem, bounds.engine))
        right = None if known is None else tell(problem, known)
        yield _record(number, name, ours, seconds, answer, right)
    if number % ASKED == 0:
        ours, answer = _timed(lambda: _compare(problem, bounds.engine))
        theirs, right = None, None
        if bounds.reference:
            theirs, right = _timed(lambda: _known_compare(problem, bounds.reference))
        yield _record(number, "compare", ours, theirs, answer, right)


def _record(
    number: int,
    question: str,
    ours: float,
    theirs: float | None,
    answer: Any,
    right: Any,
) -> dict[str, Any]:
    return {
        "number": number,
        "question": question,
        "engine": round(ours, 5),
        "reference": None if theirs is None else round(theirs, 5),
        "size": len(answer) if isinstance(answer, frozenset) else None,
        "finished": [answer is not None, right is not None],
        "same": None if answer is None or right is None else answer == right,
    }


Key = tuple[int, str]


def judged(
    records: list[dict[str, Any]], earlier: dict[Key, dict[str, Any]]
) -> list[dict[str, Any]]:
    """Add to each record its part of what is allowed; above 1 the rule is broken.

    Who has no answer is not known to be better.
    """
    for record in records:
        before = earlier.get((record["number"], record["question"]))
        known = [record["reference"]] if record["finished"][1] else []
        if before is not None:
            record["earlier"] = before["engine"] if before["finished"][0] else None
            known.append(record["earlier"])
        better = min((seconds for seconds in known if seconds is not None), default=inf)
        record["share"] = round(record["engine"] / (2 * better + SLACK), 3)
    return records


def _least(
    found: list[dict[str, Any]], again: Iterable[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return the records with the lesser times of two measurements."""
    both = zip(found, again, strict=True)
    return [
        {**one, **{side: min(one[side], other[side]) for side in SIDES}}
        for one, other in both
    ]


def lines(records: list[dict[str, Any]]) -> list[str]:
    """Return the figures of each question as a text table."""
    text = [
        f"{'question':9} {'problems':>8} {'differ':>6} {'no answer':>9} {'broken':>6} "
        f"{'most':>6} {'long':>5} {'faster':>7} {'least':>6}"
    ]
    for question in dict.fromkeys(r["question"] for r in records):
        own = [r for r in records if r["question"] == question]
        times = [(r["reference"] or 0, r["engine"]) for r in own]
        ratios = [theirs / ours for theirs, ours in times if theirs > LONG]
        mean = exp(sum(map(log, ratios)) / len(ratios)) if ratios else 0
        text.append(
            f"{question:9} {len(own):8} {sum(r['same'] is False for r in own):6} "
            f"{sum(not r['finished'][0] for r in own):9} "
            f"{sum(r['share'] > 1 for r in own):6} {max(r['share'] for r in own):6.2f} "
            f"{len(ratios):5} {mean:7.1f} {min(ratios, default=0):6.2f}"
        )
    return text


def read(path: Path) -> list[dict[str, Any]]:
    """Return the records of a file, behind its first line."""
    text = path.read_text("utf-8").splitlines()
    return [json.loads(line) for line in text[1:]]


def main() -> None:
    """Measure, print, write down."""
    parser = argparse.ArgumentParser(prog="python -m bench.bench_nondeterministic")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--step", type=int, default=1, help="take every so many")
    parser.add_argument("--timeout", type=float, default=60.0, help="of the engine")
    parser.add_argument(
        "--budget", type=float, default=2.0, help="of the reference; 0: leave it out"
    )
    parser.add_argument("--earlier", type=Path, help="results of an earlier run")
    parser.add_argument("--out", type=Path, required=True, help="lines of JSON")
    given = parser.parse_args()
    bounds = Bounds(given.timeout, given.budget)
    earlier = {}
    if given.earlier is not None:
        earlier = {(r["number"], r["question"]): r for r in read(given.earlier)}
    # What is imported on first use shall not count.
    list(measured(0, bounds))
    # In a scattered order, so that the first of them are a fair part of all.
    numbers = [
        n * 617 % given.count for n in range(given.first, given.count, given.step)
    ]
    records: list[dict[str, Any]] = []
    with given.out.open("w", encoding="utf-8") as out:
        head = {"schema": SCHEMA, "setting": setting(), "budget": given.budget}
        print(json.dumps(head), file=out, flush=True)
        for number in numbers:
            found = judged([*measured(number, bounds)], earlier)
            for _ in range(AGAIN if bounds.reference else 0):
                if any(record["share"] > 1 for record in found):
                    found = judged(_least(found, measured(number, bounds)), earlier)
            records += found
            print("\n".join(map(json.dumps, found)), file=out, flush=True)
    worst = sorted(records, key=lambda r: -r["share"])
    for record in islice((r for r in worst if r["share"] > 1), 20):
        print(json.dumps(record))
    print("\n".join(lines(records)))


if __name__ == "__main__":
    main()
