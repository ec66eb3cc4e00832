"""Pictures of deviations: one, or those of two designs over their environment.

In:  an environment and deviations of it, or the engines that found them.
Out: a `Picture`, with what can never fire drawn faintly; its edges are exactly a
     partition of the transitions shown.

Source: docs/sources.md [S1], Fig. 3 (a deviation over its environment) and
Fig. 8 (two designs in one picture).
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from symrob.envelope.engine import Engine
from symrob.errors import Diagnostic, SymrobError
from symrob.formats.dot import Kind, Picture, own_kind, picture_of
from symrob.lts import TAU, Lts, Transition
from symrob.lts.deviation import Deviation
from symrob.report.text import plural


def deviation_picture(
    environment: Lts,
    deviation: AbstractSet[Transition],
    *,
    inert: AbstractSet[Transition] = frozenset(),
    hide_inert: bool = False,
    title: str = "",
) -> Picture:
    """Show an environment with the transitions that a deviation adds.

    Args:
        environment: The environment E; its transitions are always shown.
        deviation: Transitions over the states and actions of E, with or
            without those of E.
        inert: Transitions that can never fire; of these the added ones are
            drawn faintly.
        hide_inert: Leave those out.
        title: A line above the picture.

    Returns:
        The picture; its edges partition R_E and the deviation.

    Raises:
        SymrobError: `deviation` has states or actions that E lacks.

    Cost: O(t log t) for t transitions in both together.
    Source: docs/sources.md [S1], Fig. 3.
    """
    kinds = {t: own_kind(t) for t in environment.transitions}
    for transition in _checked(environment, {"the deviation": deviation}):
        if transition not in kinds:
            kinds[transition] = "inert" if transition in inert else "added"
    return picture_of(environment, _shown(kinds, hide_inert), title)


def comparison_picture(
    environment: Lts,
    first: AbstractSet[Transition],
    second: AbstractSet[Transition],
    *,
    names: tuple[str, str] = ("the first", "the second"),
    inert: AbstractSet[Transition] = frozenset(),
    hide_inert: bool = False,
    title: str = "",
) -> Picture:
    """Show two deviations of one environment, what they share and where they part.

    Args:
        environment: The environment E; its transitions are always shown.
        first: What one design tolerates, over the states and actions of E.
        second: What the other tolerates.
        names: How the legend calls the two.
        inert: Transitions that can never fire; of these the added ones are
            drawn faintly, whoever tolerates them.
        hide_inert: Leave those out.
        title: A line above the picture.

    Returns:
        The picture; its edges partition R_E and both deviations.

    Raises:
        SymrobError: A deviation has states or actions that E lacks.

    Cost: O(t log t) for t transitions in all together.
    Source: docs/sources.md [S1], Fig. 8.
    """
    kinds = {t: own_kind(t) for t in environment.transitions}
    for transition in _checked(environment, {names[0]: first, names[1]: second}):
        if transition in kinds:
            continue
        if transition in inert:
            kinds[transition] = "inert"
        elif transition in first and transition in second:
            kinds[transition] = "both"
        else:
            kinds[transition] = "only_first" if transition in first else "only_second"
    words: dict[Kind, str] = {
        "only_first": f"tolerated by {names[0]} only",
        "only_second": f"tolerated by {names[1]} only",
    }
    return picture_of(environment, _shown(kinds, hide_inert), title, words)


def portrait(
    engine: Engine, deviation: Deviation, title: str, *, hide_inert: bool = False
) -> Picture:
    """Show a deviation over its environment.

    Args:
        engine: The problem that it is a deviation of.
        deviation: Robust or not; nothing is known of what never fires if not.
        title: What it is called; its size is added, and how much is left out.
        hide_inert: Leave out what can never fire.

    Cost: a search of the closed loop, and that of `deviation_picture`.
    """
    inert = _inert(engine, deviation)
    less = _left_out(inert & deviation.new) if hide_inert else ""
    return deviation_picture(
        engine.environment,
        deviation,
        inert=inert,
        hide_inert=hide_inert,
        title=f"{title}, {plural(len(deviation.new), 'new transition')}{less}",
    )


def comparison(
    engines: tuple[Engine, Engine],
    deviations: tuple[Deviation, Deviation],
    names: tuple[str, str],
    *,
    hide_inert: bool = False,
) -> Picture:
    """Show what two designs tolerate in one environment.

    Args:
        engines: Their problems.
        deviations: A robust deviation of each.
        names: What they are called.
        hide_inert: Leave out what can never fire in any of the two.

    Cost: a search of each closed loop, and that of `comparison_picture`.
    """
    both = list(zip(deviations, map(_inert, engines, deviations), strict=True))
    inert = frozenset(
        t
        for t in deviations[0] | deviations[1]
        if all(t in never or t not in deviation for deviation, never in both)
    )
    new = inert - engines[0].environment.visible_transitions
    less = _left_out(new) if hide_inert else ""
    return comparison_picture(
        engines[0].environment,
        *deviations,
        names=names,
        inert=inert,
        hide_inert=hide_inert,
        title=f"{names[0]} and {names[1]}{less}",
    )


def _left_out(inert: frozenset[Transition]) -> str:
    # A picture can stand alone, so it says itself that it is not all.
    return f"; {len(inert):,} that can never fire left out" if inert else ""


def _inert(engine: Engine, deviation: Deviation) -> frozenset[Transition]:
    # What a search that ran out of time has found can still be drawn.
    with engine.clock.suspended():
        robust = engine.is_safe(engine.deviated(deviation))
    return engine.never_firing(deviation) if robust else frozenset()


def _shown(
    kinds: Mapping[Transition, Kind], hide_inert: bool
) -> dict[Transition, Kind]:
    return {t: k for t, k in kinds.items() if not (hide_inert and k == "inert")}


def _checked(
    environment: Lts, deviations: Mapping[str, AbstractSet[Transition]]
) -> list[Transition]:
    """Return all transitions of the deviations, or report the foreign ones."""
    known = set(environment.alphabet) | {TAU}
    found: set[Transition] = set()
    problems = []
    for owner, deviation in deviations.items():
        for transition in sorted(deviation):
            source, action, target = transition
            found.add(Transition(source, action, target))
            if not (0 <= source < environment.size and 0 <= target < environment.size):
                wrong = f"states of the environment are 0..{environment.size - 1}"
            elif action not in known:
                wrong = f"the environment has no action {action!r}"
            else:
                continue
            shown = f"({source}, {action}, {target})"
            problems.append(
                Diagnostic("picture-foreign-transition", f"{shown} of {owner}: {wrong}")
            )
    if problems:
        raise SymrobError(problems)
    return sorted(found)
