"""The records of a certificate, and the file that they make.

In:  models, fault modes, records of claims.
Out: a file that is there whole or not at all; `WrittenCertificate`: what it holds.
"""

from __future__ import annotations

import gzip
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import IO, Any, NamedTuple

from symrob import files
from symrob.api.loading import Roles
from symrob.certify.format import RECORDS, encoded
from symrob.errors import Diagnostic, SymrobError
from symrob.lts import Lts
from symrob.problem import Model, Problem, Role
from symrob.problem.requirements import Requirement, in_order

Record = dict[str, Any]


@dataclass(frozen=True)
class WrittenCertificate:
    """What a certificate holds.

    Attributes:
        counts: Number of records, by kind.
        size: Bytes of the file.
        reason: What it does not say, and why; empty where it says all.
    """

    counts: Counter[str]
    size: int
    reason: str


class WatchingRecords(NamedTuple):
    """A side as the file has it.

    Attributes:
        roles: The models.
        constrained: Whether the constraints count.
        problem: What requirements on states mean.
    """

    roles: Roles
    constrained: bool
    problem: Problem

    @property
    def constraints(self) -> tuple[Role, ...]:
        """Those that count."""
        return self.roles.constraints if self.constrained else ()

    def records(self) -> Iterator[Record]:
        """Yield the records of the side."""
        for role in self.constraints:
            yield {"constraint": self._record(role)}
        controller = self.roles.controller
        yield {"controller": _network(controller.name, controller.model)}
        for role in self.roles.properties:
            yield {"property": self._record(role)}

    def _record(self, role: Role) -> Record:
        if role.sentence is None:
            return _network(role.name, role.model)
        return {
            "name": role.name,
            "kind": role.sentence.kind,
            **required_record(self.requirement(role), self.problem),
        }

    def requirement(self, role: Role) -> Requirement:
        """Return what the sentence of a role means."""
        monitors = (*self.problem.properties, *self.problem.constraints)
        named = {m.name: m.requirement for m in monitors} | {
            guard.text: guard for guard in self.problem.guards
        }
        found = named[role.name]
        assert found is not None, "it is a sentence about states"
        return found


def required_record(requirement: Requirement, problem: Problem) -> Record:
    """Return the actions of a requirement and its condition, for E as the file has it.

    That is a network where fault modes change components, else a flat system.
    """
    units = problem.units
    composed = units is not None and units.network is not None
    environment = None if composed else problem.environment
    when = in_order(requirement.met, environment, problem.extra_states)
    return {"actions": sorted(requirement.actions), "when": when}


def environment_record(roles: Roles, problem: Problem) -> Record:
    """Return E: its components where fault modes change them, else multiplied out."""
    model: Model = problem.environment
    if problem.units is not None and problem.units.network is not None:
        model = problem.units.network
    return {"environment": _network(roles.environment.name, model)}


def unit_records(problem: Problem) -> list[Record]:
    """Return what is asked about: K, or the fault modes; first how often.

    Raises:
        SymrobError: Some modes change components, and others E as a whole.
    """
    units = problem.units
    if units is not None and units.mixed:
        message = "certificates do not support cases where some fault modes change "
        message += "components and others E as a whole"
        raise SymrobError(Diagnostic("certificate-modes", message))
    run: list[Record] = []
    if problem.at_most is not None:
        run = [{"budget": problem.at_most}]
    if units is None or not units.modes:
        return [*run, {"candidates": _candidates(problem)}]
    local = units.network is not None
    return run + [
        {
            "mode": mode.name,
            "changes": sorted(
                [*t] if local else [0, *t]
                for t in (mode.local if local else mode.transitions)
            ),
            "at_most": mode.at_most,
        }
        for mode in units.modes
    ]


def _candidates(problem: Problem) -> list[int] | str:
    if problem.units is None and problem.among is None:
        return "all"
    environment = problem.environment
    place = {a: i for i, a in enumerate(environment.alphabet)}
    width, size = len(place), environment.size
    chosen = problem.candidates if problem.units is None else ()
    if len(chosen) + len(environment.visible_transitions) == width * size**2:
        return "all"
    return sorted((q * width + place[a]) * size + r for q, a, r in chosen)


def _network(name: str, model: Model) -> Record:
    parts = zip(model.component_names, model.components, strict=True)
    return {
        "name": name,
        "components": [_system(part, lts) for part, lts in parts],
        "hidden": sorted(model.hidden),
    }


def _system(name: str, lts: Lts) -> Record:
    return {
        "name": name,
        "alphabet": [*lts.alphabet],
        "states": lts.size,
        "transitions": [[*t] for t in lts.transitions],
        "names": None if lts.names is None else [*lts.names],
        **({} if lts.initial == (0,) else {"initial": [*lts.initial]}),
    }


def write(path: str, records: Iterable[Record], reason: str) -> WrittenCertificate:
    """Write records and the trailer.

    Args:
        path: The file; gzipped if its name ends with `.gz`.
        records: Of all kinds, in their order.
        reason: As of `WrittenCertificate`.

    Raises:
        SymrobError: The file cannot be written.
    """
    counts: Counter[str] = Counter()
    size = 0

    def put(number: int) -> None:
        nonlocal size
        with open(number, "ab", closefd=False) as file:
            plain: IO[bytes] = file
            if path.endswith(".gz"):
                # Without name and time, so that equal content is an equal file.
                plain = gzip.GzipFile("", "wb", 6, file, 0)  # type: ignore[assignment]
            digest = sha256()
            for record in records:
                counts[next(iter(record))] += 1
                line = encoded(record)
                digest.update(line)
                plain.write(line)
            end = {**dict.fromkeys(RECORDS, 0), **counts, "sha256": digest.hexdigest()}
            plain.write(encoded({"end": end}))
            if plain is not file:
                plain.close()
            size = file.tell() if file.seekable() else 0

    files.write_with(path, put, "usage-output")
    return WrittenCertificate(counts, size, reason)
