"""Pictures of what an engine found: a deviation, or one of each of two designs.

In:  an `Engine`, its preconditions checked, and deviations of its environment.
Out: a `Picture`, with what can never fire drawn faintly.
"""

from __future__ import annotations

from symrob.envelope.engine import Engine
from symrob.lts import Transition
from symrob.lts.deviation import Deviation
from symrob.report.picture import Picture, comparison_picture, deviation_picture
from symrob.report.text import plural


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
