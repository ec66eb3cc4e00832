"""Checking certificates, and whether they are about the models of a case.

In:  certificates, and a case.
Out: what was checked, line by line, or a `WrongError`.

The checker itself is `symrob.certify.certificate`, which does not know cases.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from itertools import zip_longest

from symrob import files
from symrob.api.certificates.records import (
    Record,
    WatchingRecords,
    environment_record,
    unit_records,
)
from symrob.api.loading import load_roles
from symrob.api.stages import pose
from symrob.case import Case
from symrob.case.results import otherwise
from symrob.certify.certificate import Checker
from symrob.certify.reading import Certificate, WrongError
from symrob.certify.relation import relation
from symrob.certify.spending import ClockedBudget
from symrob.certify.watching import MEMORY
from symrob.doing import Doing
from symrob.errors import SymrobError
from symrob.limits import Clock
from symrob.options import Options


def is_certificate(path: str) -> bool:
    """Whether the first or last line marks a certificate, or the file is gzipped.

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


def confirm(
    path: str, other: str | None, cases: Sequence[Case], options: Sequence[Options]
) -> Iterator[str]:
    """Check a certificate, and that it is about the models of some cases.

    Args:
        path: The certificate.
        other: A second certificate, to compare the two; then there are no cases.
        cases: The models of its sides in their order; none to trust the models in the
            certificate.
        options: How to read the models, for each case; the first has the bounds.

    Yields:
        What was checked, as soon as it is done, and what was not checked.

    Raises:
        WrongError: The certificate does not hold; carries a code and the reason.
        SymrobError: The file, or a model of a case, cannot be read.
        LimitExceeded: A bound was hit.
    """
    sides = []
    for name, file in zip("AB", filter(None, (path, other)), strict=False):
        if other is not None:
            yield f"{name}: {file}"
        sides.append((yield from _checked(file, options[0])))
    if cases:
        yield from _compared(sides[0], cases, options)
    elif other is None:
        yield "not checked: whether a case has these models (`symrob verify FILE CASE`)"
    yield from relation(sides)


def _checked(path: str, options: Options) -> Generator[str, None, Certificate]:
    """Yield what was checked of a certificate; return it."""
    limits = options.limits
    # Nobody knows the file: memory has a bound here even where none is asked for.
    limits = replace(limits, memory=limits.memory or MEMORY)
    try:
        with Doing("checking the certificate"):
            given = Certificate(path, ClockedBudget(Clock(limits)))
            yield from Checker(given).lines()
    except OSError as error:
        raise SymrobError(files.unreadable(path, error)) from None
    return given


def _compared(
    given: Certificate, cases: Sequence[Case], options: Sequence[Options]
) -> Iterator[str]:
    """Compare E, what is asked about, and each side with the cases, record by record.

    So what is compared is all that the checker has read: orders, numbers and names.
    """
    known: list[tuple[str, list[Record]]] = []
    # Cases that were given, by the places of the sides that they can be.
    given_cases: dict[range, str] = {}
    environment, *units = given.common
    for number, (case, how) in enumerate(zip(cases, options, strict=True)):
        roles = load_roles(case, how.limits)
        problem = pose(roles, how)
        ours = environment_record(roles, problem)
        if number:
            ours["environment"]["name"] = environment["environment"]["name"]
        why = otherwise("certificate", _alone(given), problem.environment)
        _require_same([environment], [ours], why)
        _require_same(units, _in_order_of(units, unit_records(problem)), why)
        against = number > 0 and cases[number - 1].other is case
        name, first = _named(case, against=against), len(known)
        known.append(
            (name, [*WatchingRecords(roles, roles.constrained, problem).records()])
        )
        if problem.constraints:
            bare = [*WatchingRecords(roles, False, problem).records()]
            known.append((f"{name} without its assumptions", bare))
        if not against:
            given_cases[range(first, len(known))] = name
    used = list[int]()
    for number, side in enumerate(given.sides, 1):
        fits = [i for i, (_, ours) in enumerate(known) if ours == side.records]
        if not fits and len(given.sides) == 1:
            _require_same(side.records, known[0][1])
        if not fits:
            names = ", ".join(name for name, _ in known)
            message = (
                f"side {number} matches none of these cases: {names}; give a case "
                "for each side"
            )
            raise WrongError("model", message)
        # Cases that are equal are sides one after the other.
        used.append(next((i for i in fits if i not in used), fits[0]))
    for able, name in given_cases.items():
        if not {*able} & {*used}:
            raise WrongError("model", f"no side of the certificate is {name}")
    if used == [0]:
        yield "5. the models are those of the case"
        return
    yield "5. the models are those of the cases:"
    for number, i in enumerate(used, 1):
        yield f"   side {number} is {known[i][0]}"


def _alone(given: Certificate) -> Record | None:
    """The environment of a certificate as `Lts.to_dict` has it, if it is one system."""
    parts = given.common[0]["environment"]["components"]
    kept = {k: v for k, v in parts[0].items() if k != "name" and v is not None}
    return kept if len(parts) == 1 else None


def _in_order_of(theirs: list[Record], ours: list[Record]) -> list[Record]:
    """Our fault modes as the certificate numbers them; those that it lacks last."""
    place = {record["mode"]: i for i, record in enumerate(theirs) if "mode" in record}
    first, last = -1, len(theirs)

    def of(record: Record) -> int:
        return place.get(record["mode"], last) if "mode" in record else first

    return sorted(ours, key=of)


def _named(case: Case, *, against: bool) -> str:
    """What tells a case from all others: its file, or its models; and its title."""
    models = ", ".join(map(str, (case.environment, case.controller, *case.properties)))
    name = case.key if case.path is not None else models
    return f"{name}{' [against]' * against}{f' ({case.title:.100})' * bool(case.title)}"


def _require_same(theirs: list[Record], ours: list[Record], why: str = "") -> None:
    for record, other in zip_longest(theirs, ours):
        if other is None:
            raise WrongError("model", "the certificate has more models than the case")
        if record != other:
            kind, value = next(iter((record or other).items()))
            name = value["name"] if isinstance(value, dict) else value
            what = f"{kind} {name}" if isinstance(name, str) else kind
            raise WrongError("model", f"{what:.80} differs from the case{why}")
