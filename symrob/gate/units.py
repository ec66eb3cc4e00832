"""Rules about transitions or fault modes: `[[tolerates]]`, `[[forbids]]`.

In:  the table of a rule; the case.
Out: whether the units are tolerated, each alone or all together.

A set is *tolerated* if R_E with it is robust, so exactly if some maximal deviation
contains it ([S1] Def. 5: a subset of a robust deviation is robust). So no rule needs Δ.

Source: docs/sources.md [S1], Def. 2 (robust), Def. 5.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, NamedTuple, Self

from symrob.analyses.cut import Cut
from symrob.analyses.hazards import Alone
from symrob.analyses.space import Space
from symrob.api.certificates.making import Maker
from symrob.api.certificates.sides import CertifiedSide
from symrob.case.faults import is_local, meaning
from symrob.case.tables import (
    YES_OR_NO,
    Key,
    KeyPath,
    KeyProblem,
    Keys,
    array_of,
    is_text,
    list_of,
)
from symrob.case.transitions import placed_transitions
from symrob.case.units import called
from symrob.errors import Diagnostic, SymrobError
from symrob.gate.rule import (
    ALONE,
    OF_ALL,
    Bench,
    ComponentSets,
    GateGround,
    GateRule,
    Policy,
    Reading,
    Ruling,
    undecided,
)
from symrob.lts import Transition
from symrob.problem import LocalTransition, Many, Model, Unit, UnitSet
from symrob.problem.units import is_planned
from symrob.verdicts import VERDICTS, Verdict

Added = Literal["each", "together"]


class Wanted(NamedTuple):
    """The units that a rule names.

    Attributes:
        units: Units that E lacks.
        nominal: Transitions that E already has.
        own: The space of component transitions, if the rule names these.
    """

    units: UnitSet
    nominal: UnitSet
    own: ComponentSets | None = None

    @property
    def all(self) -> frozenset[Unit]:
        """All units, including transitions that E already has."""
        return self.units | self.nominal


def _what_added(table: Mapping[str, Any], at: KeyPath) -> Iterator[KeyProblem]:
    """A rule that names neither transitions nor modes, or both."""
    if "transitions" not in table and "modes" not in table:
        yield KeyProblem(f"'{at[0]}.transitions' is missing", at)
    elif "transitions" in table and "modes" in table:
        yield KeyProblem(f"'{at[0]}' takes either 'transitions' or 'modes'", at)


UNITS = {
    "transitions": Key(
        list_of(is_text, 1), "a non-empty list of 'source,action,target'"
    ),
    "modes": Key(list_of(is_text, 1), "a non-empty list of fault modes"),
    "added": Key(("each", "together").__contains__, "'each' or 'together'"),
}
_KEYS = {**OF_ALL, **UNITS}


@dataclass(frozen=True)
class OfUnits(GateRule):
    """A rule about transitions or fault modes.

    Attributes:
        transitions: Expressions for `patterns.parse_transitions`.
        added: Whether all of them are added `together`, or only `each` alone.
        modes: The names of fault modes, in place of transitions.
    """

    usual: ClassVar[Added]

    transitions: tuple[str, ...]
    added: Added = "together"
    modes: tuple[str, ...] = ()

    @classmethod
    def read(cls, said: Mapping[str, Any], reading: Reading) -> Self:
        """See `GateRule`."""
        texts, modes = (tuple(said.get(k, ())) for k in ("transitions", "modes"))
        return cls(
            said.get("name", f"{cls.kind} {'; '.join(texts or modes)}"),
            texts,
            said.get("added", cls.usual),
            modes,
            key=(cls.kind, reading.number),
            **reading.chosen(said, "vacuous", "without_constraints"),
        )

    def space(self, space: Space, refers: Any) -> Space:
        """See `GateRule`: transitions are single candidates in any case."""
        if refers.own is not None:
            own: Space = refers.own.space
            return own
        return space if self.modes else space.singles

    def refer(self, policy: Policy, ground: GateGround) -> Any:
        """See `GateRule`."""
        about = ground.space.about
        if self.modes:
            return Wanted(self._modes(policy, ground.space), frozenset())
        if ground.network is not None and len(ground.network.components) > 1:
            local = [is_local(text, ground.network) for text in self.transitions]
            if any(local):
                return self._of_components(policy, ground, ground.network, local)
        if about.environment is None:
            message = f"{self.name}: name fault modes, or transitions of components; "
            message += "the product of E's components is not computed"
            problem = Diagnostic("policy-modes", message)
            raise SymrobError(policy.at(problem, self, "transitions"))
        meant: frozenset[Transition] = frozenset().union(
            *placed_transitions(
                self.transitions,
                about.environment,
                lambda n, problem: policy.at(problem, self, "transitions", n),
                classes=about.classes,
            )
        )
        nominal = meant & about.environment.visible_transitions
        return Wanted(meant - nominal, nominal)

    def _of_components(
        self, policy: Policy, ground: GateGround, network: Model, local: Sequence[bool]
    ) -> Wanted:
        """The transitions of components that the rule names."""
        problems: list[Diagnostic] = []
        names: dict[LocalTransition, str] = {}
        for number, text in enumerate(self.transitions):
            if not local[number]:
                message = f"{self.name}: some transitions belong to components, but "
                message += f"'{text}' does not; use two rules"
                wrong: Sequence[Diagnostic] = [Diagnostic("policy-components", message)]
            else:
                try:
                    meant = meaning(self.name, [text], network, None).local
                    names |= {t: called(t, network) for t in meant}
                    continue
                except SymrobError as error:
                    wrong = error.diagnostics
            problems += [policy.at(p, self, "transitions", number) for p in wrong]
        if problems:
            raise SymrobError(problems)
        assert ground.components is not None, "where E is known they can be opened"
        ground.components.add(names)
        planned = (n for t, n in names.items() if is_planned(network, t))
        there: UnitSet = frozenset(planned)
        return Wanted(frozenset(names.values()) - there, there, ground.components)

    def _modes(self, policy: Policy, space: Space) -> UnitSet:
        """The fault modes that the rule names."""
        if space.about.units is None:
            message = f"{self.name}: the case has no fault modes"
            problem = Diagnostic("policy-modes", message)
            raise SymrobError(policy.at(problem, self, "modes"))
        problems = []
        for number, name in enumerate(self.modes):
            try:
                space.many([name])
            except SymrobError as error:
                wrong = error.diagnostics
                problems += [policy.at(p, self, "modes", number) for p in wrong]
        if problems:
            raise SymrobError(problems)
        return frozenset(self.modes)

    def ruling(self, bench: Bench) -> Ruling:
        """See `GateRule`."""
        wanted: Wanted = bench.refers
        if self.added == "together":
            return self._together(bench, wanted, bench.space.verdict(wanted.units))
        judged = _alone(bench)
        counts = {v: len(many) for v, many in judged.by_verdict().items()}
        counts["tolerated"] += len(wanted.nominal)
        return self._each(bench, wanted, judged, {v: counts[v] for v in VERDICTS})

    def _together(self, bench: Bench, wanted: Wanted, judged: Verdict) -> Ruling:
        """Judge the set."""
        raise NotImplementedError

    def _each(
        self,
        bench: Bench,
        wanted: Wanted,
        judged: Alone[Many],
        counts: Mapping[Verdict, int],
    ) -> Ruling:
        """Judge each unit alone."""
        raise NotImplementedError

    def proved(
        self, maker: Maker, refers: Wanted, place: int, _other: int | None
    ) -> bool | str:
        """See `GateRule`."""
        side = maker.sides[place]
        if why := self.foreign(side, refers):
            return why
        sets = [side.chosen(refers.units)]
        if self.added == "each":
            sets = [side.chosen({unit}) for unit in sorted(refers.units)]
            # What E does already.
            sets += [frozenset()] if refers.nominal else []
        return self.holds(maker.tolerates(place, sets, self.name))

    def foreign(self, side: CertifiedSide, wanted: Wanted) -> str:
        """Why a certificate of the case cannot name its units; empty if it can."""
        if wanted.own is not None:
            return "the rule names transitions of components"
        if not self.modes and side.modal:
            return "the rule names transitions, but the case uses fault modes"
        if not side.chosen(wanted.units) <= frozenset(side.candidates):
            return "the rule names transitions outside the selection"
        return ""

    def holds(self, tolerated: list[bool]) -> bool:
        """Whether the rule holds if exactly these sets are tolerated."""
        raise NotImplementedError


@dataclass(frozen=True)
class Tolerates(OfUnits):
    """Rule: units must be tolerated."""

    kind = "tolerates"
    entry = array_of(Keys({**_KEYS, "vacuous": YES_OR_NO}, together=_what_added))
    usual = "together"

    def _together(self, bench: Bench, wanted: Wanted, judged: Verdict) -> Ruling:
        counts, what = {judged: 1}, bench.count(wanted.all)
        with_others = " together" * (len(wanted.all) > 1)
        if judged == "tolerated":
            message = f"{what} tolerated{with_others}"
            return Ruling(self, "holds", message, counts=counts)
        units, trace, part = bench.part(wanted.units, judged)
        told = bench.told(counts)
        message = f"{what} not tolerated{with_others}{told}; {part}"
        return Ruling(self, "fails", message, units, trace, counts=counts)

    def _each(
        self,
        bench: Bench,
        wanted: Wanted,
        judged: Alone[Many],
        counts: Mapping[Verdict, int],
    ) -> Ruling:
        what = bench.count(len(wanted.all))
        failing = (*judged.hazardous, *judged.excluded_unsafe, *judged.excluded_safe)
        failing += (*judged.undecided,)
        if not failing:
            message = f"{what} individually tolerated"
            return Ruling(self, "holds", message, counts=counts)
        told = bench.told(counts)
        message = f"{len(failing)} of {what} not individually tolerated{told}"
        first: UnitSet = frozenset(failing[:1])
        cut = Cut(first, bench.space.harm(first), bench.space)
        return Ruling(self, "fails", message, failing, cut.trace, counts=counts)

    def says_nothing(self, bench: Bench) -> str | None:
        """See `GateRule`."""
        wanted: UnitSet = bench.refers.units
        these = f"these {bench.space.about.noun}s"
        if not wanted:
            return f"E already has all {these}"
        if _can_fire(bench.space, wanted, together=self.added == "together"):
            return None
        return f"none of {these} can ever fire"

    def holds(self, tolerated: list[bool]) -> bool:
        """See `OfUnits`."""
        return all(tolerated)


@dataclass(frozen=True)
class Forbids(OfUnits):
    """Rule: units must not be tolerated, by default none of them individually."""

    kind = "forbids"
    entry = array_of(Keys(_KEYS, together=_what_added))
    usual = "each"
    can_be_empty = False

    added: Added = "each"

    def _together(self, bench: Bench, wanted: Wanted, judged: Verdict) -> Ruling:
        counts, what = {judged: 1}, bench.count(wanted.all)
        shown = tuple(sorted(wanted.all))
        with_others = " together" * (len(shown) > 1)
        if judged == "tolerated":
            message = f"{what} tolerated{with_others}"
            together = _grown(bench, wanted.units)
            return Ruling(self, "fails", message, shown, None, together, counts)
        message = f"{what} not tolerated{with_others}{bench.told(counts)}"
        ruling = Ruling(self, "holds", message, counts=counts)
        if judged == "excluded-safe":
            message += f"; {ALONE} {'they are' if with_others else 'it is'} tolerated"
            return replace(ruling, message=message, units=shown, by_assumptions=True)
        return ruling

    def _each(
        self,
        bench: Bench,
        wanted: Wanted,
        judged: Alone[Many],
        counts: Mapping[Verdict, int],
    ) -> Ruling:
        what = bench.count(len(wanted.all))
        unsafe: set[Unit] = {*judged.hazardous, *judged.excluded_unsafe}
        unsafe |= {*judged.excluded_safe, *judged.undecided}
        tolerated = tuple(sorted(wanted.all - unsafe))
        if tolerated:
            message = f"{len(tolerated)} of {what} tolerated"
            first: UnitSet = frozenset(tolerated[:1]) - wanted.nominal
            together = _grown(bench, first)
            return Ruling(self, "fails", message, tolerated, None, together, counts)
        message = f"{what} not individually tolerated{bench.told(counts)}"
        ruling = Ruling(self, "holds", message, counts=counts)
        if len(judged.excluded_safe):
            harmless = tuple(judged.excluded_safe)
            some = "all" if len(harmless) == len(unsafe) else f"{len(harmless):,}"
            are = "are" if len(harmless) > 1 else "is"
            some = some if len(unsafe) > 1 else "it"
            message += f"; {ALONE} {some} {are} tolerated"
            return replace(ruling, message=message, units=harmless, by_assumptions=True)
        seconds = bench.space.clock.budget("unassumed")
        return undecided(ruling, seconds) if len(judged.undecided) else ruling

    def holds(self, tolerated: list[bool]) -> bool:
        """See `OfUnits`."""
        return not any(tolerated)


def _grown(bench: Bench, found: UnitSet) -> UnitSet:
    """A maximal tolerated set that holds a tolerated one, of what the rule is about."""
    if not bench.of_components:
        return bench.space.grown(found)
    # The space has what other rules name, too.
    for unit in sorted(bench.refers.units - found):
        if bench.space.is_safe(found | {unit}):
            found |= {unit}
    return found


def _alone(bench: Bench) -> Alone[Many]:
    seconds = bench.space.clock.budget("unassumed")
    return bench.space.each_alone(bench.refers.units, seconds)


def _can_fire(space: Space, wanted: UnitSet, *, together: bool) -> bool:
    """Whether some of these units fires, alone or with the others."""
    one_each: dict[object, Unit] = {}
    for unit in sorted(wanted):
        # Where one transition of a state and action fires, another does.
        one_each.setdefault(unit if isinstance(unit, str) else unit[:2], unit)
    if any(not space.idle(frozenset((unit,))) for unit in one_each.values()):
        return True
    return together and bool(wanted - space.idle(wanted))
