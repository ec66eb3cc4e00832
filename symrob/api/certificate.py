"""Certificates of results: what a checker needs to confirm them.

In:  the models, and deviations that are known.
Out: a file of the schema `symrob/certificate/1`, described in docs/certificates.md.

The file is written line by line, and is there whole or not at all. `confirmation`
checks it.
"""

from __future__ import annotations

import gzip
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from hashlib import sha256
from typing import IO, Any

from symrob import files
from symrob.analyses.evidence import (
    BreachError,
    Evidence,
    Search,
    confirm_unsafe,
    gather,
    prove,
)
from symrob.api.loading import Roles
from symrob.api.result import SafetyEnvelope
from symrob.certify.reading import KINDS, SCHEMA
from symrob.certify.watching import BoundHitError, Budget, Lts, Network, Watcher
from symrob.envelope.engine import Engine
from symrob.envelope.solvers import EnumerationSolver
from symrob.errors import LimitExceeded
from symrob.limits import Clock, Stages
from symrob.lts import Lts as System
from symrob.lts import Transition
from symrob.problem import Model, Role

Record = dict[str, Any]
_ENCODER = json.JSONEncoder(separators=(",", ":"))


@dataclass(frozen=True)
class Written:
    """What a certificate holds.

    Attributes:
        counts: Number of records, by kind.
        size: Bytes of the file.
        reason: Why it does not say that none is missing; empty where it does.
    """

    counts: Counter[str]
    size: int
    reason: str


class ClockedBudget(Budget):
    """A budget that asks a clock whether the run may go on."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(clock.limits.max_states)
        self._clock = clock

    def require(self, things: int) -> None:
        """Refuse too many at once.

        Raises:
            LimitExceeded: There are too many, or the time is up.
        """
        self._clock.check()
        try:
            super().require(things)
        except BoundHitError as error:
            raise _exceeded(error) from None


def write_certificate(path: str, roles: Roles, envelope: SafetyEnvelope) -> Written:
    """Write a certificate of the deviations that are known.

    It says that each is safe and maximal and, where all are known, that these are all.

    Args:
        path: The file; gzipped if its name ends with `.gz`.
        roles: The models that the result is of.
        envelope: The result; its deviations are computed, as far as they are not yet.

    Raises:
        SymrobError: The file cannot be written.
        LimitExceeded: A bound was hit before there was enough to say.
        BreachError: The result is wrong.

    Cost: see docs/pipeline.md.
    """
    maker = _Maker(roles, envelope.engine)
    with envelope.engine.effort.stage("certificate"):
        maker.deviations = [maker.numbers(d.new) for d in envelope]
        complete = envelope.status == "complete"
        with maker.clock.suspended() if not complete else nullcontext():
            gather(maker.search, maker.candidates, maker.deviations, maker.evidence)
        reason = maker.prove() if complete else envelope.reason
        return maker.written(path, "deviations", reason)


def write_cuts_certificate(
    path: str,
    roles: Roles,
    engine: Engine,
    hazardous: Iterable[Iterable[Transition]],
    why: str,
) -> Written:
    """Write a certificate of minimal hazardous sets.

    It says that each is unsafe and minimal. Where all are given and Δ is listed it also
    has the minimal sets that break an assumption, and says that none is missing.

    Args:
        path: As for `write_certificate`.
        roles: The models that the sets are of.
        engine: The same.
        hazardous: The sets.
        why: Why some may be missing; empty if these are all.

    Raises:
        SymrobError: As for `write_certificate`; likewise the others.

    Cost: that of Δ and of its certificate, where all sets are given.
    """
    maker = _Maker(roles, engine)
    given = [maker.numbers(chosen) for chosen in hazardous]
    with engine.effort.stage("certificate"):
        if not why:
            stages = Stages(maker.clock)
            with stages:
                maker.deviations = [maker.numbers(d.new) for d in engine.deviations()]
                gather(maker.search, maker.candidates, maker.deviations, maker.evidence)
            why = stages.reason or maker.prove()
        if not why:
            rules = len(roles.constraints)
            unsafe = maker.evidence.unsafe
            # Constraints are looked at first, so a set that breaks none keeps them.
            if {u.chosen for u in unsafe if u.breaks >= rules} != set(given):
                raise BreachError("the minimal hazardous sets are others")
            return maker.written(path, "unsafe-sets", "")
        maker.evidence, maker.deviations = Evidence(), []
        with maker.clock.suspended():
            for chosen in given:
                confirm_unsafe(maker.search, chosen, maker.evidence)
        return maker.written(path, "unsafe-sets", why)


class _Maker:
    """What a certificate is made of, as far as it is there.

    Args:
        roles: The models.
        engine: The problem that they are.
    """

    def __init__(self, roles: Roles, engine: Engine) -> None:
        self._roles, self._engine, self.clock = roles, engine, engine.clock
        engine.problem.require_singles("a certificate")
        environment = engine.environment
        self.evidence = Evidence()
        watchers = _watchers(roles, environment, self.clock)
        self.search = Search(environment, watchers, self.clock)
        size = environment.size**2 * len(environment.alphabet)
        self.candidates = [t for t in range(size) if t not in self.search.nominal]
        self.among = engine.problem.among is not None
        if self.among:
            self.candidates = sorted(self.numbers(engine.problem.candidates))
        self.deviations: list[frozenset[int]] = []

    def numbers(self, transitions: Iterable[Transition]) -> frozenset[int]:
        """The numbers of transitions."""
        return frozenset(map(self.search.number, transitions))

    def prove(self) -> str:
        """Prove that none is missing; return what stopped it, if anything did."""
        solver = EnumerationSolver(self.clock, self._engine.effort, proof=True)
        stages = Stages(self.clock)
        try:
            with stages:
                prove(
                    self.search, self.candidates, self.deviations, self.evidence, solver
                )
        finally:
            solver.close()
        return stages.reason

    def written(self, path: str, about: str, reason: str) -> Written:
        """Write it; without a proof it does not claim that none is missing."""
        claim = about if self.evidence.proof is None else f"all-{about}"
        head = {"schema": SCHEMA, "claim": claim, "title": self._roles.title}
        records = _records(
            head,
            self._roles,
            self._engine.environment,
            self.candidates if self.among else "all",
            self.deviations,
            self.evidence,
        )
        with self.clock.suspended():
            counts, size = _write(path, records)
        return Written(counts, size, reason)


def problem_records(
    roles: Roles, environment: System, candidates: list[int] | str = "all"
) -> Iterator[Record]:
    """Yield the records that say what the problem is.

    Args:
        roles: The models.
        environment: E, multiplied out.
        candidates: The numbers of those that are asked about.
    """
    yield {"environment": environment.to_dict()}
    for role in roles.constraints:
        yield {"constraint": _network(role)}
    yield {"controller": _network(roles.controller)}
    for role in roles.properties:
        yield {"property": _network(role)}
    yield {"candidates": candidates}


def _exceeded(error: BoundHitError) -> LimitExceeded:
    return LimitExceeded(f"{error}; raise --bound max-states to go on")


def _network(role: Role) -> Record:
    model = role.model
    parts = zip(model.component_names, model.components, strict=True)
    return {
        "name": role.name,
        "components": [{"name": name, **part.to_dict()} for name, part in parts],
        "hidden": sorted(model.hidden),
    }


def _watchers(roles: Roles, environment: System, clock: Clock) -> list[Watcher]:
    """What watches E, in the order of the certificate: what is cheap comes first."""
    budget = ClockedBudget(clock)
    actions = frozenset(environment.alphabet)
    controller = _parts(roles.controller.model, budget)
    alone = Network([], frozenset(), budget)
    return [
        Watcher(of, _parts(role.model, budget), actions)
        for of, watched in ((alone, roles.constraints), (controller, roles.properties))
        for role in watched
    ]


def _parts(model: Model, budget: Budget) -> Network:
    parts = [
        Lts(
            frozenset(part.alphabet),
            [{a: [*targets] for a, targets in row.items()} for row in part.successors],
        )
        for part in model.components
    ]
    return Network(parts, frozenset(model.hidden), budget)


def _records(
    head: Record,
    roles: Roles,
    environment: System,
    candidates: list[int] | str,
    deviations: Sequence[frozenset[int]],
    evidence: Evidence,
) -> Iterator[Record]:
    yield head
    yield from problem_records(roles, environment, candidates)
    for deviation in deviations:
        yield {"deviation": sorted(deviation)}
    for unsafe in evidence.unsafe:
        yield {
            "unsafe": sorted(unsafe.chosen),
            "breaks": unsafe.breaks,
            "run": unsafe.run,
        }
    for deletion, clause in evidence.proof or ():
        yield {"delete" if deletion else "add": clause}


def _write(path: str, records: Iterable[Record]) -> tuple[Counter[str], int]:
    """Write records and the trailer; return how many of each kind, and the bytes."""
    counts: Counter[str] = Counter()
    size = 0

    def write(number: int) -> None:
        nonlocal size
        with open(number, "ab", closefd=False) as file:
            plain: IO[bytes] = file
            if path.endswith(".gz"):
                # Without name and time, so that equal content is an equal file.
                plain = gzip.GzipFile("", "wb", 6, file, 0)  # type: ignore[assignment]
            digest = sha256()
            for record in records:
                counts[next(iter(record))] += 1
                line = _line(record)
                digest.update(line)
                plain.write(line)
            end = {**dict.fromkeys(KINDS, 0), **counts, "sha256": digest.hexdigest()}
            plain.write(_line({"end": end}))
            if plain is not file:
                plain.close()
            size = file.tell() if file.seekable() else 0

    files.write_with(path, write, "usage-output")
    return counts, size


def _line(record: Record) -> bytes:
    return _ENCODER.encode(record).encode() + b"\n"
