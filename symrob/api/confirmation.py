"""Whether certificates hold, and are of the models of a case.

In:  certificates, and a case.
Out: what was checked, line by line, or a `WrongError`.

The checker itself is `symrob.certify.certificate`, which knows nothing of cases.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from typing import Any

from symrob import files
from symrob.api.certificate import ClockedBudget, Record, problem_records
from symrob.api.loading import load_roles
from symrob.api.stages import pose
from symrob.case import Case
from symrob.certify.certificate import Checker
from symrob.certify.reading import Certificate, WrongError
from symrob.certify.relation import relation
from symrob.errors import SymrobError
from symrob.limits import Clock
from symrob.options import Options
from symrob.problem import Problem


def is_certificate(path: str) -> bool:
    """Whether a file is a certificate by its first or its last line, or is gzipped.

    Raises:
        SymrobError: The file cannot be read.
    """
    if files.is_stdin(path):
        return False
    with files.open_file(path, files.MAX_ROWS) as file:
        head = file.read(200)
    if head.startswith(b"\x1f\x8b") or b'"symrob/certificate/' in head:
        return True
    with open(path, "rb") as file:
        file.seek(-min(500, os.path.getsize(path)), os.SEEK_END)
        return b'"end":{' in file.read().replace(b" ", b"")


def confirm_both(path: str, other: str, options: Options) -> Iterator[str]:
    """Check two certificates, and tell how the two sides compare.

    Args:
        path: The certificate of A.
        other: That of B.
        options: For the bounds.

    Yields:
        As `confirm`, then what follows.

    Raises:
        WrongError: One does not hold, or nothing follows.
        SymrobError: As `confirm`.
    """
    sides = []
    for name, file in ("A", path), ("B", other):
        yield f"{name}: {file}"
        sides.append((yield from _checked(file, options)))
    yield from relation(*sides)


def _checked(path: str, options: Options) -> Generator[str, None, Certificate]:
    """Yield what was checked of a certificate; return it."""
    budget = ClockedBudget(Clock(options.limits))
    try:
        given = Certificate(path, budget)
        yield from Checker(given, budget).lines()
    except OSError as error:
        raise SymrobError(files.unreadable(path, error)) from None
    return given


def confirm(path: str, case: Case | None, options: Options) -> Iterator[str]:
    """Check a certificate, and that it is of the models of a case.

    Args:
        path: The certificate.
        case: The models; `None` to take those of the certificate as they are.
        options: How to read them.

    Yields:
        What was checked, as soon as that is done; also what was not.

    Raises:
        WrongError: It does not hold: a word for the reason, and why.
        SymrobError: The file, or a model of the case, cannot be read.
        LimitExceeded: A bound was hit.
    """
    given = yield from _checked(path, options)
    if case is None:
        yield "not checked: that these models are a case's; `verify FILE CASE` does"
        return
    roles = load_roles(case, options.limits)
    problem = pose(roles, options)
    problem.require_singles("a certificate")
    records = problem_records(roles, problem.environment, _candidates(problem))
    theirs, ours = ([_plain(r) for r in p] for p in (given.problem, records))
    for number, record in enumerate(ours):
        if number >= len(theirs) or theirs[number][::2] != record[::2]:
            raise WrongError(
                "model", f"{' '.join(record[:2]).strip()} is not that of the case"
            )
    if len(theirs) > len(ours):
        raise WrongError("model", "it has more models than the case")
    yield "5. the models are those of the case"


def _candidates(problem: Problem) -> list[int] | str:
    """The numbers of the candidates, as a certificate has them."""
    if problem.among is None:
        return "all"
    environment = problem.environment
    index = {a: i for i, a in enumerate(environment.alphabet)}
    width, size = len(index), environment.size
    return [(q * width + index[a]) * size + r for q, a, r in problem.candidates]


def _plain(record: Record) -> tuple[str, str, Any]:
    """The kind of a record, the name of what it holds, and what of it has a meaning."""
    ((kind, value),) = record.items()
    if kind == "candidates":
        return kind, "", value
    parts = value.get("components", [value])
    systems = [
        (set(p["alphabet"]), p["states"], set(map(tuple, p["transitions"])))
        for p in parts
    ]
    return kind, value.get("name", ""), (systems, set(value.get("hidden", ())))
