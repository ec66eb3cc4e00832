"""Rules of a gate: frozen dataclasses that read, judge and certify themselves.

In:  the table of a rule; a `Bench` with the case.
Out: a `Ruling`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple, Self

from symrob.analyses.cut import Cut, smallest_part
from symrob.analyses.space import About, Space
from symrob.api.certificates.making import Maker
from symrob.case import Case
from symrob.case.places import TomlSource
from symrob.case.specs import Spec
from symrob.case.tables import A_TEXT, IDENTITY, YES_OR_NO, Key, KeyPath
from symrob.errors import Diagnostic, LimitExceeded, Trace, enumerated, plural
from symrob.files.paths import ANYWHERE
from symrob.limits import Status
from symrob.problem import LocalTransition, Model, Unit, UnitSet
from symrob.risk.assessment import Assessment
from symrob.shown import Shown
from symrob.verdicts import SAID, Verdict
from symrob.words import Identity

Answer = Literal["holds", "fails", "unknown"]
ALONE = "holds only because of the assumptions: without them"
# The keys that tables of rules have in common.
NAMED = {"name": A_TEXT, **IDENTITY}
OF_ALL = {**NAMED, "without_constraints": YES_OR_NO}
# Names of units in a message.
MOST_NAMES = 8


@dataclass(frozen=True)
class Reading:
    """A policy while its rules are read.

    Attributes:
        data: Its contents.
        path: Its file.
        root: The folder that no path may leave.
        number: The number of the rule in its array.
    """

    data: Mapping[str, Any]
    path: str
    root: str = ANYWHERE
    number: int = 0

    def chosen(self, table: Mapping[str, Any], *keys: str) -> dict[str, Any]:
        """Return the options and the identifier of a rule.

        The policy gives the defaults.
        """
        found = {key: table.get(key, self.data.get(key, False)) for key in keys}
        if "id" in table:
            found["identity"] = Identity(table["id"], table.get("source", ""))
        return found


@dataclass(frozen=True)
class Policy:
    """The rules of a gate.

    Attributes:
        path: The file.
        title: What a person calls the gate.
        case: Path of the case file that it is about; `None` if the user names it.
        rules: In the order in which they are reported; at least one.
        at_most: How many steps of a run may deviate; `None` for the bound of the case.
        source: The file, with the locations of the paths in it; `None` if unknown.
    """

    path: str
    title: str
    case: str | None
    rules: tuple[GateRule, ...]
    at_most: int | None = None
    source: TomlSource | None = field(default=None, repr=False, compare=False)

    def at(self, problem: Diagnostic, rule: GateRule, *key: str | int) -> Diagnostic:
        """Add the location of a part of a rule to a diagnostic."""
        if self.source is None:
            return replace(problem, file=self.path)
        return self.source.at(problem, (*rule.key, *key))


# Computes the risk of the case, with the assumptions or without them.
Assess = Callable[[bool], Assessment]


class ComponentSets:
    """The sets of transitions of E's components that rules name, opened once for all.

    Args:
        opened: Opens the sets of some transitions, by name.
    """

    def __init__(
        self, opened: Callable[[Mapping[LocalTransition, str]], Space]
    ) -> None:
        self._opened = opened
        self._names: dict[LocalTransition, str] = {}

    def __len__(self) -> int:
        return len(self._names)

    def add(self, names: Mapping[LocalTransition, str]) -> None:
        """Take what a rule names; all rules come before `space`."""
        self._names |= names

    @cached_property
    def space(self) -> Space:
        """The sets.

        Raises:
            LimitExceeded: E with all of them is too large.
        """
        return self._opened(self._names)


@dataclass(frozen=True)
class GateGround:
    """The case as rules refer to it.

    Attributes:
        space: The case.
        case: Its file; `None` if it has none.
        events: Reads the probabilities, from the case or from a file.
        network: E as it was read; `None` if unknown.
        components: The sets of transitions of its components, if E has components.
    """

    space: Space
    case: Case | None = None
    events: Callable[[str | None], Assess] | None = None
    network: Model | None = None
    components: ComponentSets | None = None


@dataclass(frozen=True)
class Bench:
    """What a rule needs to be judged.

    Attributes:
        space: The case, without its constraints if the rule says so.
        refers: What the rule refers to, as returned by its `refer`.
        other: The case with the other controller that the rule names.
    """

    space: Space
    refers: Any = None
    other: Space | None = None

    @cached_property
    def unconstrained(self) -> Bench:
        """The same space without the assumptions."""
        other = None if self.other is None else self.other.unconstrained
        return Bench(self.space.unconstrained, self.refers, other)

    @property
    def of_components(self) -> bool:
        """Whether the rule names transitions of components."""
        return getattr(self.refers, "own", None) is not None

    @property
    def within(self) -> str:
        """The words of messages about the assumptions; empty without any."""
        return " within the assumptions" if self.space.constrained else ""

    def count(self, units: Iterable[Unit] | int) -> str:
        """Return units in a message: names of modes if few, else their number."""
        if self.of_components:
            several = units if isinstance(units, int) else len(frozenset(units))
            return f"{plural(several, 'transition')} of components"
        return counted(self.space.about, units)

    def part(
        self, wanted: UnitSet, judged: Verdict
    ) -> tuple[tuple[Unit, ...], Trace, str]:
        """Return a smallest violating part, its trace, and what a message says."""
        cut = Cut(wanted, judged, self.space)
        try:
            cut = smallest_part(self.space, wanted, judged)
        except LimitExceeded as error:
            # That the set is not tolerated is known all the same.
            if error.reason == "interrupted":
                raise
        units = tuple(sorted(cut.units))
        own = self.of_components
        names = [unit for unit in units if isinstance(unit, str) and not own]
        shown = enumerated([*map(self.space.about.called, names)], MOST_NAMES)
        what = f"adding {shown}" if shown else "the listed part"
        broken = "an assumption" if cut.verdict == "excluded-safe" else "a property"
        return units, cut.trace, f"{what} violates {broken}"

    def told(self, counts: Mapping[Verdict, int]) -> str:
        """Return how many of the units that are not tolerated have each verdict."""
        if not self.space.constrained:
            return ""
        told = [
            words if sum(counts.values()) == 1 else f"{counts[verdict]:,} {words}"
            for verdict, words in SAID.items()
            if verdict != "tolerated" and counts.get(verdict)
        ]
        return f" ({'; '.join(told)})" if told else ""

    def some_kept(self) -> bool:
        """Whether some unit individually violates no assumption."""
        judged = self.space.alone(None)
        return bool(len(judged.tolerated) or len(judged.hazardous))

    def none_kept(self) -> str | None:
        """Return that the assumptions allow nothing new; `None` if they do."""
        if self.some_kept():
            return None
        return f"the assumptions allow no new {self.space.about.noun}"


class Target(NamedTuple):
    """A bound on a probability, and the computed probability.

    Attributes:
        at_most: The bound.
        lower: The lower bound on the probability.
        upper: The upper bound; equal to the lower one if the probability is exact.
    """

    at_most: float
    lower: float
    upper: float


@dataclass(frozen=True)
class GateRule(ABC):
    """A rule of a gate; a subclass is a kind of rule.

    Attributes:
        kind: Its key in a policy.
        entry: What the key may hold; in an array of tables, each table is a rule.
        can_be_empty: Whether a rule fails if it would hold whatever C did.
        name: Human-readable name of the rule.
        vacuous: Whether it may hold vacuously.
        without_constraints: Whether the constraints of the case are ignored.
        identity: Its identifier in other documents.
        key: Its location in the policy.
    """

    kind: ClassVar[str]
    entry: ClassVar[Key]
    can_be_empty: ClassVar[bool] = True

    name: str
    vacuous: bool = field(default=False, kw_only=True)
    without_constraints: bool = field(default=False, kw_only=True)
    identity: Identity | None = field(default=None, kw_only=True)
    key: KeyPath = field(default=(), repr=False, compare=False, kw_only=True)

    @classmethod
    @abstractmethod
    def read(cls, said: Any, reading: Reading) -> Self:
        """Return the rule that a value without problems describes."""

    @property
    def compared(self) -> Spec | None:
        """Another controller for the same case that the rule is about."""
        return None

    @property
    def without_too(self) -> bool:
        """Whether a rule that holds is also judged without the assumptions."""
        return False

    def refer(self, _policy: Policy, _ground: GateGround) -> Any:
        """Return what the rule refers to, in terms of the case.

        Raises:
            SymrobError: Units, files and the like are unknown; all problems.
        """
        return None

    def space(self, space: Space, _refers: Any) -> Space:
        """Return the space that the rule is about; by default that of the case."""
        return space

    @abstractmethod
    def ruling(self, bench: Bench) -> Ruling:
        """Judge the rule.

        Raises:
            LimitExceeded: A bound was hit before it was decided.
        """

    def says_nothing(self, _bench: Bench) -> str | None:
        """Return why a rule that holds is vacuous; else `None`."""
        return None

    def proved(
        self, _maker: Maker, _refers: Any, _place: int, _other: int | None
    ) -> bool | str:
        """Claim the evidence for the rule in a certificate.

        Args:
            _maker: The maker of the certificate.
            _refers: What `refer` returned.
            _place: Index of the side that the rule is about.
            _other: Index of the side with the other controller.

        Returns:
            Whether the rule holds according to the claims; or why nothing is claimed.
        """
        return "certificates do not cover this kind of rule"


@dataclass(frozen=True)
class Ruling:
    """The ruling on one rule.

    Attributes:
        rule: The rule.
        answer: `unknown` if a bound was hit or the user interrupted.
        message: One sentence about it.
        units: The units in the message; for a set that must be tolerated and is not, a
            smallest violating part.
        trace: A shortest trace to ERROR with only these units, if that is the reason;
            or to where a goal is lost.
        together: A maximal tolerated set that contains them, if that is the reason.
        counts: For a rule about units, how many have each verdict; units that are added
            together count as one.
        by_assumptions: Whether the rule holds by the assumptions alone; `None` if that
            was not decided.
        vacuous: Whether it fails because it would hold whatever C did.
        lost: For a rule about goals, those that can become impossible.
        target: For a rule about a probability, the bound and the computed probability.
        seconds: The time used.
        about: What the units belong to, if not to the case.
    """

    also: ClassVar = {
        "kind": "kind",
        "name": "rule.name",
        "without_constraints": "rule.without_constraints",
        "identifier": "rule.identity",
    }

    rule: GateRule = field(metadata={"json": False})
    answer: Answer
    message: str
    units: tuple[Unit, ...] = ()
    trace: Trace | None = None
    together: UnitSet | None = None
    counts: Mapping[Verdict, int] = field(default_factory=dict)
    by_assumptions: bool | None = False
    vacuous: bool = False
    lost: tuple[str, ...] = ()
    target: Target | None = None
    seconds: float = 0.0
    about: About | None = field(default=None, metadata={"json": False})

    @property
    def kind(self) -> str:
        """The key of the rule in a policy."""
        return self.rule.kind


@dataclass(frozen=True)
class Judged(Shown):
    """The rulings on a policy.

    Attributes:
        about: What the units belong to, for output.
        rules: The ruling on each rule: kind by kind, then in the policy's order.
        vacuous: The properties that cannot be violated, whatever E does.
        status: `complete` if every answer is known; else why one is not.
        reason: The status as text.
    """

    schema: ClassVar = "gate/4"

    about: About = field(compare=False)
    rules: tuple[Ruling, ...]
    vacuous: tuple[str, ...] = ()
    status: Status = "complete"
    reason: str = ""

    @classmethod
    def of(cls, space: Space, rules: Sequence[Ruling]) -> Judged:
        """Return the rulings on a policy; incomplete if a rule is unknown."""
        known = space.about, tuple(rules), space.vacuous
        if space.clock.interrupted:
            return cls(*known, "interrupted", "interrupted")
        for ruling in rules:
            if ruling.answer == "unknown":
                return cls(*known, "limit", ruling.message)
        return cls(*known)


def undecided(ruling: Ruling, seconds: float) -> Ruling:
    """Return a ruling with the remark that the role of the assumptions is unknown."""
    message = (
        f"{ruling.message}; unknown: whether it holds without the assumptions "
        f"({seconds:g} s used)"
    )
    return replace(ruling, message=message, by_assumptions=None)


def counted(about: About, units: Iterable[Unit] | int) -> str:
    """Return the names of units if they have some and are few; else their number."""
    count = units if isinstance(units, int) else len(frozenset(units))
    names = [] if isinstance(units, int) else [u for u in units if isinstance(u, str)]
    if names and len(names) <= MOST_NAMES:
        return enumerated([*map(about.called, sorted(names))], MOST_NAMES)
    return plural(count, about.noun)
