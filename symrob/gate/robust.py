"""Rules that the case is as robust as another design or a baseline: `[[as_robust_as]]`.

In:  the table of a rule; the case, and it with the other controller.
Out: whether every set that the other tolerates is tolerated.

Source: docs/sources.md [S1], Def. 6 (more robust).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from symrob.analyses.compare import surplus_of
from symrob.analyses.same import require_same_units
from symrob.api.certificates.making import Maker
from symrob.case.places import naming
from symrob.case.results import load_result
from symrob.case.specs import Spec, parse_spec
from symrob.case.tables import (
    FILE,
    MODEL,
    YES_OR_NO,
    Key,
    KeyPath,
    KeyProblem,
    Keys,
    array_of,
    is_text,
)
from symrob.errors import LimitExceeded
from symrob.files.paths import beside
from symrob.gate.rule import (
    OF_ALL,
    Bench,
    GateGround,
    GateRule,
    Policy,
    Reading,
    Ruling,
)
from symrob.problem import UnitSet


class Baseline(NamedTuple):
    """The sets of an earlier result.

    Attributes:
        sets: The sets to be tolerated.
        complete: Whether the result is complete.
    """

    sets: Sequence[UnitSet]
    complete: bool


def _which_other(table: Mapping[str, Any], at: KeyPath) -> Iterator[KeyProblem]:
    if ("baseline" in table) == ("controller" in table):
        message = f"'{at[0]}' requires either a baseline or a controller"
        yield KeyProblem(message, at)


@dataclass(frozen=True)
class AsRobustAs(GateRule):
    """Rule: every deviation that the other tolerates is tolerated.

    Attributes:
        baseline: Path of a result of `symrob compute --format json`; or
        controller: another controller for the same case.
        partial: Whether an incomplete baseline is acceptable.
    """

    kind = "as_robust_as"
    entry = array_of(
        Keys(
            {
                **OF_ALL,
                "baseline": Key(is_text, "the path of a result", FILE),
                "controller": Key(is_text, "the path of a model", MODEL),
                "partial": YES_OR_NO,
                "vacuous": YES_OR_NO,
            },
            together=_which_other,
        )
    )

    baseline: str | None = None
    controller: Spec | None = None
    partial: bool = False

    @classmethod
    def read(cls, said: Mapping[str, Any], reading: Reading) -> Self:
        """See `GateRule`."""
        named = said.get("baseline", said.get("controller"))
        path, root, old = reading.path, reading.root, "baseline" in said
        return cls(
            said.get("name", f"at least as robust as {named}"),
            beside(path, named) if old else None,
            None if old else parse_spec(named, file=path, root=root),
            said.get("partial", False),
            key=(cls.kind, reading.number),
            **reading.chosen(said, "vacuous", "without_constraints"),
        )

    @property
    def compared(self) -> Spec | None:
        """See `GateRule`."""
        return self.controller

    @property
    def without_too(self) -> bool:
        """See `GateRule`: without the assumptions a baseline is no harder."""
        return self.controller is not None

    def refer(self, policy: Policy, ground: GateGround) -> Baseline | None:
        """See `GateRule`."""
        if self.baseline is None:
            return None
        with naming(policy.source, self.baseline):
            data = load_result(self.baseline)
        sets = ground.space.sets_of(data, self.baseline)
        return Baseline(sets, data.get("status") == "complete")

    def ruling(self, bench: Bench) -> Ruling:
        """See `GateRule`."""
        if self.baseline is not None:
            return self._as_baseline(bench, bench.refers)
        return self._as_controller(bench)

    def _as_baseline(self, bench: Bench, known: Baseline) -> Ruling:
        sets, space = known.sets, bench.space
        kind = "deviations" if space.about.units is None else "sets"
        failing = [found for found in sets if not space.is_safe(found)]
        if failing:
            judged = space.verdict(failing[0])
            units, trace, part = bench.part(failing[0], judged)
            message = (
                f"{len(failing)} of {len(sets)} {kind} of the baseline not "
                f"tolerated; in the first of these, {part}"
            )
            return Ruling(self, "fails", message, units, trace)
        if not known.complete and not self.partial:
            message = (
                f"all {kind} of the baseline are tolerated ({len(sets)}), but the "
                "baseline is incomplete; set partial = true to accept this"
            )
            return Ruling(self, "unknown", message)
        message = f"all {kind} of the baseline tolerated ({len(sets)})"
        return Ruling(self, "holds", message)

    def _as_controller(self, bench: Bench) -> Ruling:
        assert bench.other is not None
        require_same_units(bench.space.about, bench.other.about)
        direction = bench.other.beyond(bench.space)
        direction.settle()
        direction.search()
        if not direction.exists:
            message = (
                "this controller tolerates every deviation that the other controller "
                "tolerates"
            )
            return Ruling(self, "holds", message)
        with suppress(LimitExceeded):  # A larger set shows it as well.
            direction.shrink()
        witness = surplus_of(direction).witness
        assert witness is not None
        added = tuple(sorted(witness.units))
        message = (
            "the other controller tolerates a set that violates a property with this "
            "one: "
            f"{bench.count(added)}"
        )
        return Ruling(self, "fails", message, added, witness.trace)

    def says_nothing(self, bench: Bench) -> str | None:
        """See `GateRule`."""
        if bench.other is None:
            if any(bench.refers.sets):
                return None
            return "the baseline tolerates no transition that E lacks"
        ours, theirs = (
            [problem.controller for problem in side.problems]
            for side in (bench.space, bench.other)
        )
        return "both controllers are the same" if ours == theirs else None

    def proved(
        self, maker: Maker, refers: Baseline | None, place: int, other: int | None
    ) -> bool | str:
        """See `GateRule`."""
        if other is not None:
            return maker.between(place, other, self.name, self.name)
        assert refers is not None
        side = maker.sides[place]
        sets = [*map(side.chosen, refers.sets)]
        if not frozenset().union(*sets) <= frozenset(side.candidates):
            return "the rule names transitions outside the selection"
        return all(maker.tolerates(place, sets, self.name))
