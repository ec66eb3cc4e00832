"""Pictures of deviations, one or those of two designs, and of what each candidate does.

In:  an environment and deviations of it, or the engines that found them.
Out: a `Picture`, what can never fire in a deviation drawn faintly; its edges are
     exactly a partition of the transitions shown.

Source: docs/sources.md [S1], Fig. 3 (a deviation over its environment) and
Fig. 8 (two designs in one picture).
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from symrob.errors import Diagnostic, SymrobError
from symrob.formats.dot import Kind, Picture, own_kind, picture_of
from symrob.lts import TAU, Lts, Transition
from symrob.lts.deviation import Deviation
from symrob.report.text import plural


def deviation_picture(
    environment: Lts,
    *deviations: AbstractSet[Transition],
    names: tuple[str, str] = ("the first", "the second"),
    legend: Mapping[Kind, str] | None = None,
    inert: AbstractSet[Transition] = frozenset(),
    hide_inert: bool = False,
    title: str = "",
) -> Picture:
    """Show an environment with the transitions that a deviation adds, or two.

    Args:
        environment: The environment E; its transitions are always shown.
        deviations: One, or what each of two designs tolerates: transitions over the
            states and actions of E, with or without those of E. Of two, the picture
            tells what they share and where they part.
        names: How the legend calls the two.
        legend: What it says of some kinds in place of that.
        inert: Transitions that can never fire; of these the added ones are
            drawn faintly, whoever tolerates them.
        hide_inert: Leave those out.
        title: A line above the picture.

    Returns:
        The picture; its edges partition R_E and the deviations.

    Raises:
        SymrobError: A deviation has states or actions that E lacks.

    Cost: O(t log t) for t transitions in all together.
    Source: docs/sources.md [S1], Fig. 3 (one), Fig. 8 (two).
    """
    kind_of: dict[tuple[bool, ...], Kind] = {
        (True,): "added",
        (True, True): "both",
        (True, False): "only_first",
        (False, True): "only_second",
    }
    kinds = {t: own_kind(t) for t in environment.transitions}
    owners = names if len(deviations) > 1 else ("the deviation",)
    checked = _checked(environment, dict(zip(owners, deviations, strict=True)))
    for transition in checked:
        if transition in kinds:
            continue
        if transition not in inert:
            kinds[transition] = kind_of[tuple(transition in d for d in deviations)]
        elif not hide_inert:
            kinds[transition] = "inert"
    words: dict[Kind, str] = {
        "both": "in both deviations",
        "only_first": f"in the deviation of {names[0]} only",
        "only_second": f"in the deviation of {names[1]} only",
    }
    return picture_of(environment, kinds, title, words | dict(legend or {}))


def portrait(
    environment: Lts,
    deviation: Deviation,
    inert: frozenset[Transition],
    title: str,
    *,
    hide_inert: bool = False,
) -> Picture:
    """Show a deviation over its environment.

    Args:
        environment: E.
        deviation: Robust or not.
        inert: What of it can never fire.
        title: What it is called; its size is added, and how much is left out.
        hide_inert: Leave out what can never fire.
    """
    less = _left_out(inert & deviation.new) if hide_inert else ""
    return deviation_picture(
        environment,
        deviation,
        inert=inert,
        hide_inert=hide_inert,
        title=f"{title}, {plural(len(deviation.new), 'new transition')}{less}",
    )


def comparison(
    environment: Lts,
    tolerated: tuple[AbstractSet[Transition], AbstractSet[Transition]],
    names: tuple[str, str],
) -> Picture:
    """Show what two designs individually tolerate in one environment.

    Args:
        environment: E.
        tolerated: The transitions that each tolerates, added alone.
        names: What they are called.
    """
    legend: dict[Kind, str] = {
        "both": "individually tolerated by both",
        "only_first": f"individually tolerated by {names[0]} only",
        "only_second": f"individually tolerated by {names[1]} only",
    }
    title = f"{names[0]} and {names[1]}, each added transition alone"
    return deviation_picture(
        environment, *tolerated, names=names, legend=legend, title=title
    )


def pair_picture(
    environment: Lts,
    deviations: tuple[Deviation, Deviation],
    never: tuple[frozenset[Transition], frozenset[Transition]],
    names: tuple[str, str],
    which: tuple[str, str],
    *,
    hide_inert: bool = False,
) -> Picture:
    """Show a deviation of each of two designs in one environment.

    Args:
        environment: E.
        deviations: A robust deviation of each.
        never: What of each can never fire.
        names: What the designs are called.
        which: What the deviations are called.
        hide_inert: Leave out what can never fire in any of the two.
    """
    both = list(zip(deviations, never, strict=True))
    inert = frozenset(
        t
        for t in deviations[0] | deviations[1]
        if all(t in unable or t not in deviation for deviation, unable in both)
    )
    new = inert - environment.visible_transitions
    less = _left_out(new) if hide_inert else ""
    return deviation_picture(
        environment,
        *deviations,
        names=names,
        inert=inert,
        hide_inert=hide_inert,
        title="; ".join(map(": ".join, zip(names, which, strict=True))) + less,
    )


def judgement(
    environment: Lts, verdicts: Mapping[Transition, Kind], title: str
) -> Picture:
    """Show E with all that could be added, by what it amounts to alone.

    Args:
        environment: E.
        verdicts: The verdict of each transition that units bring.
        title: What it is called.

    Cost: O(t log t) for t transitions.
    """
    kinds = {t: own_kind(t) for t in environment.transitions}
    return picture_of(environment, {**kinds, **verdicts}, title)


def _left_out(inert: frozenset[Transition]) -> str:
    # A picture can stand alone, so it says itself that it is not all.
    return f"; {len(inert):,} that can never fire left out" if inert else ""


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
