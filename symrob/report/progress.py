"""Goals that can become impossible, and new deadlocks, as text.

In:  `LostGoal`s, or a `SideReport`.
Out: lines of text; none if nothing is lost.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from symrob.analyses.deadlocks import SideReport, Stuck
from symrob.analyses.progress import LostGoal
from symrob.analyses.space import units_in
from symrob.errors import enumerated
from symrob.problem.goals import Goal
from symrob.report.run import START, actor, run_line, state_text, trace_lines
from symrob.report.text import plural, printable, transition_lines, wrapped
from symrob.words import PLAIN, Words

# Names in a line.
MOST_NAMED = 4


def goal_names(goals: Iterable[Goal]) -> str:
    """Return the names of goals: `fireXray, enter and 3 more`."""
    return enumerated([printable(goal.name) for goal in goals], MOST_NAMED)


def lost_lines(
    where: str,
    lost: Sequence[LostGoal],
    words: Words = PLAIN,
    *,
    everything: bool = False,
) -> Iterator[str]:
    """Yield which goals are lost, and a shortest trace to where the first one is.

    Args:
        where: The words for when they are lost.
        lost: The goals; nothing is yielded if there are none.
        words: Words for names.
        everything: Print the trace of each goal, step by step.
    """
    if not lost:
        return
    named = goal_names(one.goal for one in lost)
    text = f"Lost goals: {where}, {named} can become impossible"
    if everything:
        yield from wrapped(text)
    else:
        yield from wrapped(f"{text}, at the earliest after: {first_run(lost, words)}")
    for one in lost if everything else ():
        yield f"  {goal_names([one.goal])}, impossible after"
        for trace in one.traces:
            yield from trace_lines(trace, words)


def plan_lines(
    sides: Sequence[str],
    lost: Sequence[Sequence[LostGoal]] | None,
    words: Words = PLAIN,
) -> Iterator[str]:
    """Yield which goals of any design the plans of some lose.

    Args:
        sides: What the designs are called.
        lost: The goals of each; `None` if unknown.
        words: Words for names.
    """
    if any(lost or ()):
        yield ""
    for side, goals in zip(sides, lost or (), strict=False):
        yield from lost_lines(f"in the plan of {printable(side)}", goals, words)


def first_run(lost: Sequence[LostGoal], words: Words = PLAIN) -> str:
    """Return the shortest trace to where some goal is lost, in one line."""
    return _run(min(lost, key=lambda x: sum(len(t.steps) for t in x.traces)), words)


def impossible(run: str) -> str:
    """Return since when a goal is impossible, given its trace in one line."""
    return "impossible " + ("from the start" if run == START else f"after: {run}")


def _run(lost: LostGoal, words: Words) -> str:
    return "; ".join(run_line(trace, words) for trace in lost.traces)


def side_lines(
    side: SideReport,
    words: Words = PLAIN,
    *,
    details: bool = False,
    numbered: bool = False,
) -> Iterator[str]:
    """Yield a line for each finding of the side report.

    Args:
        side: The report.
        words: Words for names.
        details: Also print which deviations they are, and where they get stuck.
        numbered: Whether the numbers of deviations are those that are listed.
    """
    dead = [one for one in side.stuck if one.deadlocks]
    if dead:
        yield from wrapped(
            f"Deadlock: with {_share(side, len(dead))}, {actor('E', words)} and "
            f"{actor('C', words)} can deadlock where the plan does not"
        )
    losing = [one for one in side.stuck if one.lost]
    if losing:
        count = _share(side, len(losing))
        if numbered and len(losing) < side.looked_at and len(losing) <= MOST_NAMED:
            count += f" ({', '.join(f'{one.number:,}' for one in losing)})"
        goals = dict.fromkeys(lost.goal for one in losing for lost in one.lost)
        named = goal_names(goals)
        yield from wrapped(f"Lost goals: with {count}, {named} can become impossible")
    for one in side.stuck if details else ():
        yield from _stuck_lines(side, one, words)
    yield from _mode_lines(side, words)
    yield from lost_lines("already in the plan", side.lost_by_plan, words)
    if details and side.goals == ():
        yield from wrapped(
            "No goals: the plan does not end, and there is no action of C that it can "
            "always perform again"
        )
    for name in side.idle:
        yield f"Idle: the plan performs no action of {printable(name)}"


def _share(side: SideReport, count: int) -> str:
    """How many of the maximal sets are meant."""
    noun = "maximal set" if side.modal else "maximal deviation"
    of = plural(side.looked_at, noun)
    if not side.all_of_them:
        return f"{count:,} of the first {of} examined"
    if count < side.looked_at:
        return f"{count:,} of {of}"
    return f"each of the {of}" if count > 1 else f"the only {noun}"


def _stuck_lines(side: SideReport, one: Stuck, words: Words) -> Iterator[str]:
    """A deviation, its deadlocks, and what it loses."""
    units, environment = units_in(one.deviation), side.environment
    if not side.modal:
        yield f"  A deviation with {plural(len(units), 'new transition')}:"
    else:
        names = enumerated([*map(str, sorted(units))], len(units))
        yield from wrapped(f"  With {printable(names)}:")
    for state, components in one.deadlocks if environment is not None else ():
        where = state_text(environment, state, words)  # type: ignore[arg-type]
        told = f"    deadlock in {where} with {printable(', '.join(components))}"
        yield from wrapped(told)
    alike: dict[str, list[Goal]] = {}
    for lost in one.lost:
        alike.setdefault(_run(lost, words), []).append(lost.goal)
    for run, goals in alike.items():
        yield from wrapped(f"    {goal_names(goals)} {impossible(run)}")
    if not side.modal and environment is not None:
        new = one.deviation.new  # type: ignore[union-attr]
        for line in transition_lines(environment, new, frozenset()):
            yield f"    {line}"


def _mode_lines(side: SideReport, words: Words) -> Iterator[str]:
    """The fault modes that get the plan stuck alone."""
    both = f"{actor('E', words)} and {actor('C', words)}"
    dead = [printable(one.mode) for one in side.modes or () if one.deadlock]
    if dead:
        yield from wrapped(
            f"Deadlock: individually, {_several(dead)} can make {both} deadlock where "
            "the plan does not"
        )
    losing = [one for one in side.modes or () if one.lost]
    if losing:
        sets = sorted({tuple(lost.goal for lost in one.lost) for one in losing})
        goals = goal_names(dict.fromkeys(goal for some in sets for goal in some))
        modes = _several([printable(one.mode) for one in losing])
        some = "some of these" if len(sets) > 1 else "these"
        if sets == [sets[0][:1]]:
            told = f"make {goals} impossible"
        else:
            told = f"make {some} impossible: {goals}"
        yield from wrapped(f"Lost goals: individually, {modes} can {told}")


def _several(names: Sequence[str]) -> str:
    """What a line says of some fault modes."""
    return f"fault mode{'s' * (len(names) > 1)} {enumerated(names, MOST_NAMED)}"
