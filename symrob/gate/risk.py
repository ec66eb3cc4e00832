"""Rules about the probability of a hazard: `[[risk]]`.

In:  the table of a rule; the case, with its probabilities.
Out: whether the probability is at most the target, and the computed one beside it.

There are two readings of the assumptions, as `symrob risk` reports them: the
probability that the possible events contain a hazardous set, whether or not E keeps the
assumptions otherwise (`ignored`); and the probability that they violate a property,
given that E keeps them (`kept`). The second is never larger: with more events,
containing a hazardous set becomes more likely, and keeping the assumptions less likely.

Source: docs/sources.md [Harris] (the inequality).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple, Self

from symrob.api.certificates.making import Maker
from symrob.case.places import naming
from symrob.case.tables import FILE, YES_OR_NO, Key, Keys, array_of, is_text, needing
from symrob.files.paths import beside
from symrob.gate.rule import (
    OF_ALL,
    Assess,
    Bench,
    GateGround,
    GateRule,
    Policy,
    Reading,
    Ruling,
    Target,
)
from symrob.limits import Stages
from symrob.risk.assessment import Assessment
from symrob.risk.events import transition_name
from symrob.risk.figures import figure

# Names of what has no probability, in a message.
_MOST = 3
_READINGS = {
    "ignored": "probability that the possible events contain a hazardous set",
    "kept": "probability of a violation, given that E keeps the assumptions",
}


class Chances(NamedTuple):
    """The risk that a rule refers to.

    Attributes:
        assess: Computes the risk; `None` if a bound was hit before that.
        reason: Why, in that case.
    """

    assess: Assess | None
    reason: str


def _is_target(value: object) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and 0 <= value < 1  # type: ignore[operator]


@dataclass(frozen=True)
class RiskRule(GateRule):
    """Rule: the probability of a hazard is at most a target.

    Attributes:
        at_most: The target.
        assumptions: The reading of the assumptions: `kept` or `ignored`.
        probability: Path of a probability table that replaces that of the case.
        partial: Whether the rule may hold while individually hazardous candidates have
            no probability.
    """

    kind = "risk"
    entry = array_of(
        Keys(
            {
                **OF_ALL,
                "at_most": Key(_is_target, "a number of at least 0, below 1"),
                "assumptions": Key(_READINGS.__contains__, "'kept' or 'ignored'"),
                "probability": Key(is_text, "the path of a probability table", FILE),
                "partial": YES_OR_NO,
                "vacuous": YES_OR_NO,
            },
            together=needing("at_most"),
        )
    )

    at_most: float
    assumptions: str = "ignored"
    probability: str | None = None
    partial: bool = False

    @classmethod
    def read(cls, said: Mapping[str, Any], reading: Reading) -> Self:
        """See `GateRule`."""
        most, path = said["at_most"], said.get("probability")
        return cls(
            said.get("name", f"risk of at most {figure(most)}"),
            most,
            said.get("assumptions", "ignored"),
            None if path is None else beside(reading.path, path),
            said.get("partial", False),
            key=(cls.kind, reading.number),
            **reading.chosen(said, "vacuous", "without_constraints"),
        )

    @property
    def without_too(self) -> bool:
        """See `GateRule`."""
        return True

    def refer(self, policy: Policy, ground: GateGround) -> Chances:
        """See `GateRule`."""
        assert ground.events is not None, "the models are at hand"
        stages, found = Stages(ground.space.clock), None
        with stages, naming(policy.source, self.probability or ""):
            found = ground.events(self.probability)
        return Chances(found, stages.reason)

    def ruling(self, bench: Bench) -> Ruling:
        """See `GateRule`."""
        known: Chances = bench.refers
        if known.assess is None:
            return Ruling(self, "unknown", known.reason)
        risk = known.assess(bench.space.constrained)
        target = Target(self.at_most, *self._computed(risk))
        message = f"{_between(target)} (target: at most {figure(self.at_most)}): "
        message += self._reading(risk)
        if target.lower > self.at_most:
            return self._failing(risk, message, target)
        why = ""
        if target.upper > self.at_most:
            why = risk.reason or "some hazardous sets are unknown"
        elif not self.partial:
            why = _left_out(risk, bench)
        if why:
            return Ruling(self, "unknown", f"{message}; {why}", target=target)
        return Ruling(self, "holds", message, target=target)

    def _reading(self, risk: Assessment) -> str:
        """What the probability is of; without assumptions both readings are one."""
        return _READINGS[self.assumptions if risk.space.constrained else "ignored"]

    def _computed(self, risk: Assessment) -> tuple[float, float]:
        """What the probability is at least, and at most."""
        if self.assumptions == "ignored" or not risk.space.constrained:
            return risk.bounds
        if risk.conditional is not None:
            return risk.conditional, risk.conditional
        return 0.0, risk.bounds[1]

    def _failing(self, risk: Assessment, message: str, target: Target) -> Ruling:
        """With the most probable hazardous set, and a run."""
        (one, chance, share), *_ = risk.contributions
        cut = risk.cut(one)
        message += (
            f"; the most probable hazardous set has probability {figure(chance)}, "
            f"{share:.1%} of the total"
        )
        units, about = tuple(sorted(cut.units)), risk.space.about
        return Ruling(
            self, "fails", message, units, cut.trace, target=target, about=about
        )

    def says_nothing(self, bench: Bench) -> str | None:
        """See `GateRule`."""
        assert bench.refers.assess is not None, "the rule holds"
        risk: Assessment = bench.refers.assess(bench.space.constrained)
        if not risk.events.events:
            return "no event has a probability above 0"
        if self.assumptions == "kept" and risk.kept == 0:
            return "E never keeps the assumptions"
        if not Bench(risk.space).some_kept():
            return "the assumptions exclude every event"
        return None

    def proved(
        self, _maker: Maker, _refers: Any, _place: int, _other: int | None
    ) -> bool | str:
        """See `GateRule`."""
        return "certificates do not cover probabilities"


def _between(target: Target) -> str:
    low, high = figure(target.lower), figure(target.upper)
    return low if low == high else f"between {low} and {high}"


def _left_out(risk: Assessment, bench: Bench) -> str:
    """Say which hazardous units have no probability; empty if there are none."""
    hurting = risk.missing_hazards
    if hurting is None:
        return "unknown: whether candidates without a probability are hazardous"
    names = [
        mode
        for mode in risk.events.missing_modes
        if bench.space.verdict(frozenset((mode,))) == "hazardous"
    ]
    environment = risk.space.about.environment
    for unit in islice(hurting, _MOST):
        if isinstance(unit, str) or environment is None:
            names.append(str(unit))
        else:
            names.append(transition_name(unit, environment))
    count = len(hurting) + len(names) - min(len(hurting), _MOST)
    if not count:
        return ""
    shown = ", ".join(names[:_MOST]) + (", …" if count > _MOST else "")
    what = "1 has" if count == 1 else f"{count:,} have"
    return (
        f"of the individually hazardous units, {what} no probability ({shown}); set "
        "partial = true to accept this"
    )
