"""Certificates: of each complete answer one that holds, and forgeries that do not."""

from pathlib import Path

from symrob.lts import Transition
from tests.certificates.tools import certify, records, verdict, write
from tests.fuzz.questions.common import Skip, files, require_solved, right, same

# More deviations, or sets that break something, take long.
MOST_CERTIFIED = 100


def draw_certificate(rng, reference):
    return {"which": rng.randrange(100), "what": rng.randrange(1000)}


def check_certificate(problem, reference, which, what):
    require_solved(reference)
    if len(reference.maximal) > MOST_CERTIFIED:
        raise Skip
    environment = problem[0]
    number = {
        t: (t[0] * len(environment.alphabet) + environment.alphabet.index(t[1]))
        * environment.size
        + t[2]
        for t in map(Transition._make, reference.candidates)
    }

    def sets(of):
        return {tuple(sorted(number[Transition(*t)] for t in s)) for s in of}

    with files({}) as folder:
        path = Path(folder, "certificate")
        certify(problem, path)
        same("verdict", verdict(path), "right")
        rows = records(path)
        same("claim", rows[0]["claim"], "all-deviations")
        expected = sets(map(reference.members, reference.maximal))
        same("Δ", {tuple(r["deviation"]) for r in of(rows, "deviation")}, expected)
        expected = sets(map(reference.members, reference.cuts))
        same("unsafe sets", {tuple(r["unsafe"]) for r in of(rows, "unsafe")}, expected)
        forged = of(rows, "deviation")[which % len(reference.maximal)]
        write([r for r in rows if r is not forged], path)
        right("a deviation is missing", verdict(path) != "right")
        if number:
            changed = set(forged["deviation"]) ^ {
                sorted(number.values())[what % len(number)]
            }
            forged["deviation"] = sorted(changed)
            write(rows, path)
            right("a deviation is another", verdict(path) != "right")


def of(rows, kind):
    return [row for row in rows if kind in row]
