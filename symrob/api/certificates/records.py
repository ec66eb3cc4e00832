"""The records of a certificate, and writing its file.

In:  models, fault modes, records of claims.
Out: a file, written completely or not at all; `WrittenCertificate`: what it holds.
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
    """The contents of a written certificate.

    Attributes:
        counts: Number of records, by kind.
        size: Bytes of the file.
        reason: What the certificate does not claim, and why; empty if it claims
            everything.
    """

    counts: Counter[str]
    size: int
    reason: str


class WatchingRecords(NamedTuple):
    """A side, as records of the file.

    Attributes:
        roles: The models.
        constrained: Whether the constraints count.
        problem: The problem, for the meaning of requirements on states.
    """

    roles: Roles
    constrained: bool
    problem: Problem

    @property
    def constraints(self) -> tuple[Role, ...]:
        """The constraints that count."""
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
        """Return the meaning of the sentence of a role."""
        monitors = (*self.problem.properties, *self.problem.constraints)
        named = {m.name: m.requirement for m in monitors} | {
            guard.text: guard for guard in self.problem.guards
        }
        found = named[role.name]
        assert found is not None, "it is a sentence about states"
        return found


def required_record(requirement: Requirement, problem: Problem) -> Record:
    """Return a requirement's actions and condition over the E of the file.

    E is a network if fault modes change its components, else a flat system.
    """
    units = problem.units
    composed = units is not None and units.network is not None
    environment = None if composed else problem.environment
    when = in_order(requirement.met, environment, problem.extra_states)
    return {"actions": sorted(requirement.actions), "when": when}


def environment_record(roles: Roles, problem: Problem) -> Record:
    """Return E: its components if fault modes change them, else one system."""
    model: Model = problem.environment
    if problem.units is not None and problem.units.network is not None:
        model = problem.units.network
    return {"environment": _network(roles.environment.name, model)}


def unit_records(problem: Problem) -> list[Record]:
    """Return the units: the candidates or the fault modes, with their bounds.

    Raises:
        SymrobError: Some modes change components, and others E as a whole.
    """
    units = problem.units
    if units is not None and units.mixed:
        message = "certificates do not support cases where some fault modes change "
        message += "components and others change E as a whole"
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
        records: Records of all kinds, in their order.
        reason: See `WrittenCertificate`.

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
