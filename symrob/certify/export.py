"""`python -m symrob.certify.export FILE`: a claim in standard proof formats.

In:  a certificate with a claim that none is missing, or a similar one.
Out: its clauses in the format DIMACS, and its proof in the format LRAT, or DRAT, for
     drat-trim and similar tools. Only the form is checked.
"""

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from itertools import combinations

from symrob.certify.alone import run
from symrob.certify.certificate import Checker, plural
from symrob.certify.reading import Certificate
from symrob.certify.watching import CheckBudget


def main() -> int:
    """Write the clauses and the proof; return the exit code."""
    parser = ArgumentParser("python -m symrob.certify.export")
    parser.add_argument("file", help="Read this certificate.")
    claim = "Export the claim with this number."
    parser.add_argument("--claim", type=int, default=1, metavar="N", help=claim)
    clauses = "Write the clauses to this file."
    parser.add_argument("--dimacs", metavar="OUT", required=True, help=clauses)
    with_hints = "Write the proof with hints to this file."
    parser.add_argument("--lrat", metavar="OUT", help=with_hints)
    parser.add_argument("--drat", metavar="OUT", help="Write the proof to this file.")
    return run(parser, _exported)


def _exported(asked: Namespace, budget: Callable[[], CheckBudget]) -> Iterator[str]:
    outputs = filter(None, (asked.dimacs, asked.lrat, asked.drat))
    for one, other in combinations((asked.file, *outputs), 2):
        if _same(one, other):
            raise ValueError(f"{one} and {other} are the same file")
    given = Certificate(asked.file, budget())
    if not 1 <= asked.claim <= len(given.claims):
        raise ValueError(f"the certificate has {plural(len(given.claims), 'claim')}")
    claim = given.claims[asked.claim - 1]
    clauses = Checker(given).clauses(claim)
    with open(asked.dimacs, "w", encoding="ascii") as file:
        file.write(f"p cnf {claim.variables} {len(clauses)}\n")
        file.writelines(_line(clause) for clause in clauses)
    if asked.drat:
        with open(asked.drat, "w", encoding="ascii") as file:
            file.writelines(_line(clause) for clause, _ in claim.steps)
    if asked.lrat:
        with open(asked.lrat, "w", encoding="ascii") as file:
            for number, (clause, hints) in enumerate(claim.steps, len(clauses) + 1):
                file.write(_line([number, *clause, 0, *(hint + 1 for hint in hints)]))
    yield from ()


def _same(one: str, other: str) -> bool:
    """Whether two paths are of one file, by anything names."""
    if os.path.exists(one) and os.path.exists(other):
        return os.path.samefile(one, other)
    return os.path.realpath(one) == os.path.realpath(other)


def _line(clause: list[int]) -> str:
    return " ".join(map(str, [*clause, 0])) + "\n"


if __name__ == "__main__":
    sys.exit(main())
