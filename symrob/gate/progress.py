"""Rules that goals stay possible: `[[progress]]`.

In:  the table of a rule; the case.
Out: whether a goal can become impossible, with some units or with Δ as it is listed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple, Self

from symrob.analyses.deadlocks import LOOKED_AT
from symrob.analyses.fault_mode_space import space_of
from symrob.analyses.space import Space, units_in
from symrob.api.certificates.making import Maker
from symrob.case.tables import (
    Key,
    KeyPath,
    KeyProblem,
    Keys,
    array_of,
    is_text,
    list_of,
)
from symrob.errors import (
    Diagnostic,
    LimitExceeded,
    SymrobError,
    did_you_mean,
    enumerated,
    plural,
)
from symrob.gate.rule import (
    MOST_NAMES,
    NAMED,
    Bench,
    GateGround,
    Policy,
    Reading,
    Ruling,
)
from symrob.gate.units import UNITS, OfUnits, Wanted
from symrob.problem import UnitSet
from symrob.problem.goals import Goal, goals_of


class _GoalsAsked(NamedTuple):
    """What a rule names: units, unless none are; goals."""

    wanted: Wanted | None
    goals: tuple[Goal, ...]


def _one_of_both(table: Mapping[str, Any], at: KeyPath) -> Iterator[KeyProblem]:
    """A rule that names both transitions and modes, or says how none are added."""
    if "transitions" in table and "modes" in table:
        yield KeyProblem(f"'{at[0]}' takes either 'transitions' or 'modes'", at)
    elif "added" in table and not {"transitions", "modes"} & {*table}:
        message = f"'{at[0]}.added' requires 'transitions' or 'modes'"
        yield KeyProblem(message, (*at, "added"))


@dataclass(frozen=True)
class KeepsGoals(OfUnits):
    """Rule: goals must stay possible, with units or with the listed Δ.

    Attributes:
        goals: The names of goals, or of actions; none for all goals of the case.
    """

    kind = "progress"
    entry = array_of(
        Keys(
            {
                **NAMED,
                **UNITS,
                "goals": Key(
                    list_of(is_text, 1), "a non-empty list of goals or actions"
                ),
            },
            together=_one_of_both,
        )
    )
    usual = "together"
    can_be_empty = False

    goals: tuple[str, ...] = ()

    @classmethod
    def read(cls, said: Mapping[str, Any], reading: Reading) -> Self:
        """See `GateRule`."""
        texts, modes, goals = (
            tuple(said.get(key, ())) for key in ("transitions", "modes", "goals")
        )
        return cls(
            said.get("name", f"progress of {', '.join(goals) or 'every goal'}"),
            texts,
            said.get("added", cls.usual),
            modes,
            goals,
            key=(cls.kind, reading.number),
            **reading.chosen(said),
        )

    def space(self, space: Space, refers: Any) -> Space:
        """See `GateRule`."""
        if refers.wanted is None:
            return space
        return super().space(space, refers.wanted)

    def refer(self, policy: Policy, ground: GateGround) -> Any:
        """See `GateRule`."""
        named = self.transitions or self.modes
        wanted = super().refer(policy, ground) if named else None
        return _GoalsAsked(wanted, self._meant(policy, ground.space))

    def _meant(self, policy: Policy, space: Space) -> tuple[Goal, ...]:
        """Return the goals: those of the case, or actions."""
        try:
            goals = space.progress.goals
        except LimitExceeded:
            # Judging the rule meets it again.
            goals = next((p.goals for p in space.problems if p.goals), ())
        known = {goal.name: goal for goal in goals}
        if not self.goals:
            return tuple(known.values())
        actions = {a for problem in space.problems for a in problem.happening}
        found, problems = [], []
        for number, name in enumerate(self.goals):
            try:
                named = () if name in known else goals_of({name: (name,)}, actions)
                found.append(known[name] if name in known else named[0])
            except SymrobError:
                message = f"{self.name}: there is no goal and no action '{name:.60}'"
                hint = did_you_mean(name, {*known, *actions})
                problem = Diagnostic("policy-goal", message, hint=hint)
                problems.append(policy.at(problem, self, "goals", number))
        if problems:
            raise SymrobError(problems)
        return tuple(found)

    def ruling(self, bench: Bench) -> Ruling:
        """See `GateRule`."""
        asked: _GoalsAsked = bench.refers
        progress = bench.space.progress
        if not asked.goals:
            message = "vacuous: the plan has no goal"
            return Ruling(self, "fails", message, vacuous=True)
        sets, what = self._added(bench, asked.wanted)
        planned: UnitSet = frozenset()
        for number, units in enumerate((planned, *sets)):
            added = bench.space.each_added(units)
            lost = progress.losing(added, asked.goals)
            if not lost:
                continue
            names = tuple(one.goal.name for one in lost)
            by = f"with this one of {what}" if len(sets) > 1 else f"with {what}"
            by = "already in the plan" if number == 0 else by
            message = f"{enumerated(names, MOST_NAMES)} can become impossible {by}"
            shown = tuple(sorted(units))
            trace = lost[0].traces[0]
            return Ruling(self, "fails", message, shown, trace, lost=names)
        names = tuple(goal.name for goal in asked.goals)
        each = f"each of {what}" if len(sets) > 1 else what
        stay = f"stay{'s' * (len(names) == 1)} possible with {each}"
        return Ruling(self, "holds", f"{enumerated(names, MOST_NAMES)} {stay}")

    def _added(
        self, bench: Bench, wanted: Wanted | None
    ) -> tuple[Sequence[UnitSet], str]:
        """What is added to E, set by set, and what that is."""
        if wanted is not None:
            what = bench.count(wanted.all)
            if self.added == "each":
                alone = [frozenset((u,)) for u in sorted(wanted.units)]
                return alone, what if len(alone) > 1 else f"{what} added"
            return [wanted.units], f"{what} added"
        kind = "deviation" if bench.space.about.units is None else "set"
        found = bench.space.maximal()
        with closing(found):
            sets = [units_in(one) for one in islice(found, LOOKED_AT)]
            more = next(found, None) is not None
        count = "first " * more + plural(len(sets), f"maximal {kind}")
        return sets, f"the {count}" if len(sets) > 1 or more else f"the maximal {kind}"

    def proved(
        self, maker: Maker, refers: Any, place: int, _other: int | None
    ) -> bool | str:
        """See `GateRule`."""
        asked: _GoalsAsked = refers
        side = maker.sides[place]
        if asked.wanted is not None and (why := self.foreign(side, asked.wanted)):
            return why
        bench = Bench(space_of(side.engine), asked)
        sets, _ = self._added(bench, asked.wanted)
        progress, chosen = bench.space.progress, list[frozenset[int]]()
        for units in (frozenset[Any](), *sets):
            lost = progress.losing(bench.space.each_added(units), asked.goals)
            actions = [one.goal.actions for one in lost if one.goal.actions]
            if actions:
                of_it = [side.chosen(units)]
                maker.goals(place, of_it, actions, self.name, kept=False)
                return False
            if lost:
                return _COMPLETION
            chosen.append(side.chosen(units))
        actions = [goal.actions for goal in asked.goals if goal.actions]
        if actions:
            maker.goals(place, chosen, actions, self.name, kept=True)
        return True if all(goal.actions for goal in asked.goals) else _COMPLETION


_COMPLETION = "certificates do not cover completion"
