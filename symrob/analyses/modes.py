"""What fault modes amount to: each alone, a set of them, all of Δ at a glance.

In:  a problem in fault modes, `InModes`.
Out: `alone`, `ModeExplanation`, `ModeSummary`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice

from symrob.analyses.cut import Cut
from symrob.analyses.hazards import VERDICTS, Blocked, Verdict
from symrob.analyses.in_modes import InModes
from symrob.analyses.mode_cuts import ModeCuts, UnsafeModes
from symrob.errors import Trace
from symrob.limits import Stages, Status
from symrob.lts.masks import bits
from symrob.problem.units import Chosen, Units

# So many maximal sets are looked at to tell what is in all of them.
MOST_SETS = 1000


def alone(modes: InModes) -> Mapping[Verdict, Chosen]:
    """Return the modes by their verdict when each is there alone.

    Raises:
        LimitExceeded: A bound was hit.

    Cost: a search of the closed loop for each mode, and of E for each constraint.
    """
    found = dict.fromkeys(VERDICTS, 0)
    for m in range(len(modes.units)):
        modes.clock.check()
        found[modes.verdict(1 << m)] |= 1 << m
    return found


@dataclass(frozen=True)
class ModeExplanation:
    """What is known of a set of modes. `None` stands for unknown.

    Attributes:
        asked: The names of the modes, sorted.
        verdict: What E with them amounts to.
        cut: Not tolerated: a smallest part of the set that does harm; a hazardous one
            if there is one, else one that breaks a property, if any is broken.
        violations: Not tolerated: for each property and constraint that the whole set
            breaks a shortest run, properties first.
        idle: Tolerated: modes of the set of which nothing can ever fire with it.
        addable: Tolerated: what could be added, each alone, so that it stays tolerated.
        excluded: Tolerated: what is tolerated alone, but not with this set.
        sets: Tolerated: the first maximal sets that hold it, by their names.
        more: Tolerated: whether there are others.
        refused: Tolerated: what E with the modes refuses, and must refuse.
        status: `complete`, or what stopped the search for the rest.
        reason: Why it stopped, for a person.
    """

    asked: tuple[str, ...]
    verdict: Verdict
    cut: Cut | None = None
    violations: tuple[Trace, ...] | None = None
    idle: tuple[str, ...] | None = None
    addable: tuple[str, ...] | None = None
    excluded: tuple[str, ...] | None = None
    sets: tuple[tuple[str, ...], ...] = ()
    more: bool | None = None
    refused: tuple[Blocked, ...] | None = None
    status: Status = "complete"
    reason: str = ""

    @property
    def tolerated(self) -> bool:
        """Whether E with the modes is robust."""
        return self.verdict == "tolerated"


def explain_modes(
    modes: InModes, names: Iterable[str], *, deviations: int = 3
) -> ModeExplanation:
    """Say whether E stays safe with some fault modes, and why.

    Args:
        modes: The problem, its preconditions checked.
        names: The modes that are asked about.
        deviations: Give so many of the maximal sets that hold them.

    Raises:
        SymrobError: There is no such mode.
        LimitExceeded: A bound was hit before the verdict.

    Cost: for the verdict a search of the closed loop; for the smallest part those of
        `UnsafeModes`; for what could be added one for each mode.
    """
    units = modes.units
    chosen = units.chosen(names)
    judged = modes.verdict(chosen)
    known = ModeExplanation(units.names(chosen), judged)
    stages = Stages(modes.clock)
    with stages:
        if known.tolerated:
            known = _why_tolerated(modes, chosen, known)
            with closing(modes.maximal(chosen)) as found:
                for each in islice(found, deviations):
                    known = replace(known, sets=(*known.sets, units.names(each)))
                known = replace(known, more=next(found, None) is not None)
            known = replace(known, refused=modes.blocked(chosen))
        else:
            known = replace(known, violations=modes.violations(chosen))
            known = replace(known, cut=smallest_part(modes, chosen, judged))
    return replace(known, status=stages.status, reason=stages.reason)


def _why_tolerated(
    modes: InModes, chosen: Chosen, known: ModeExplanation
) -> ModeExplanation:
    units = modes.units
    known = replace(known, idle=units.names(modes.idle(chosen)))
    addable = excluded = 0
    for m in bits(units.all & ~chosen):
        if modes.is_safe(chosen | 1 << m):
            addable |= 1 << m
        elif modes.is_safe(1 << m):
            excluded |= 1 << m
    return replace(known, addable=units.names(addable), excluded=units.names(excluded))


def smallest_part(modes: InModes, chosen: Chosen, judged: Verdict) -> Cut:
    """Return a smallest part of a set that does harm.

    A hazardous one if there is one, else one that breaks a property, if any is broken.

    Args:
        modes: The problem.
        chosen: The set.
        judged: Its verdict; not `tolerated`.

    Raises:
        LimitExceeded: A bound was hit before.
    """
    readings = [modes]
    if judged == "assumed-away":
        # A part may hurt within the assumptions; else what hurts without them counts.
        readings.append(modes.unconstrained)
    for reading in readings:
        for part in UnsafeModes(reading, chosen).by_size():
            cut = modes.cut(part)
            if judged != "assumed-away" or cut.verdict == "hazardous":
                return cut
            if reading is not modes:
                return cut
    raise AssertionError("the modes are safe")


@dataclass(frozen=True)
class ModeSummary:
    """What becomes of each fault mode.

    Attributes:
        units: The modes.
        alone: Modes by their verdict when each is there alone.
        always: Those in every maximal set; `None` where that is not known.
        contested: Those tolerated alone that are in some maximal sets only; likewise.
        sets: How many maximal sets there are, as far as they were looked at.
        together: Whether everything that is tolerated alone is tolerated together.
        cuts: The smallest hazardous sets, or where there is none those assumed away.
        refused: What E refuses in the plan, and must refuse; `None` where that is not
            known.
        status: `complete`, or what stopped the search.
        reason: Why it stopped, for a person.
    """

    units: Units
    alone: Mapping[Verdict, Chosen]
    always: Chosen | None = None
    contested: Chosen | None = None
    sets: int = 0
    together: bool | None = None
    cuts: tuple[Cut, ...] = ()
    refused: tuple[Blocked, ...] | None = None
    status: Status = "complete"
    reason: str = ""


def summarise_modes(modes: InModes, *, most_cuts: int = 3) -> ModeSummary:
    """Tell what becomes of each fault mode, and what hurts soonest.

    Args:
        modes: The problem, its preconditions checked.
        most_cuts: So many of the smallest sets that hurt.

    Raises:
        LimitExceeded: A bound was hit before the verdicts.

    Cost: the verdict of each mode, up to `MOST_SETS` maximal sets, a few cuts.
    """
    known = ModeSummary(modes.units, alone(modes))
    stages = Stages(modes.clock)
    with stages:
        common, count, ended = known.units.all, 0, True
        with closing(modes.maximal()) as found:
            for chosen in found:
                if count == MOST_SETS:
                    ended = False
                    break
                common &= chosen
                count += 1
        tolerated = known.alone["tolerated"]
        known = replace(known, sets=count, together=common == tolerated)
        if ended:
            known = replace(known, always=common, contested=tolerated & ~common)
    with stages:
        cuts = tuple(islice(ModeCuts(modes), most_cuts))
        same = tuple(cut for cut in cuts if cut.verdict == cuts[0].verdict)
        known = replace(known, cuts=same)
    with stages:
        known = replace(known, refused=modes.blocked())
    return replace(known, status=stages.status, reason=stages.reason)
