"""Pictures of deviations, of one or two designs, and of verdicts on candidates.

In:  an environment and its deviations, or the engines that found them.
Out: a `Picture`, in which transitions that can never fire are faint; its edges are
     exactly a partition of the transitions shown.

Source: docs/sources.md [S1], Fig. 3 (a deviation over its environment) and
Fig. 8 (two designs in one picture).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from symrob.analyses.space import About
from symrob.errors import Diagnostic, SymrobError
from symrob.formats.dot import Kind, Picture, own_kind, picture_of
from symrob.lts import TAU, Lts, Transition
from symrob.lts.deviation import Deviation
from symrob.problem import LocalTransition, UnitSet
from symrob.report.text import plural
from symrob.words import Words

# By whether the only set, or each of two, has a transition.
_KINDS: Mapping[tuple[bool, ...], Kind] = {
    (True,): "added",
    (True, True): "both",
    (True, False): "only_first",
    (False, True): "only_second",
}


def deviation_picture(
    environment: Lts,
    *deviations: AbstractSet[Transition],
    names: tuple[str, str] = ("the first", "the second"),
    legend: Mapping[Kind, str] | None = None,
    inert: AbstractSet[Transition] = frozenset(),
    hide_inert: bool = False,
    title: str = "",
) -> Picture:
    """Show an environment with the transitions that one or two deviations add.

    Args:
        environment: The environment E; its transitions are always shown.
        deviations: One, or one tolerated set of each of two designs: transitions over
            the states and actions of E, with or without those of E. For two, the
            picture shows what they share and where they differ.
        names: Names of the two in the legend.
        legend: Other legend texts for some kinds.
        inert: Transitions that can never fire; of these the added ones are drawn
            faintly, for both designs.
        hide_inert: Leave those out.
        title: A line above the picture.

    Returns:
        The picture; its edges partition R_E and the deviations.

    Raises:
        SymrobError: A deviation has states or actions that E lacks.

    Cost: O(t log t) for t transitions in all together.
    Source: docs/sources.md [S1], Fig. 3 (one), Fig. 8 (two).
    """
    kinds = {t: own_kind(t) for t in environment.transitions}
    owners = names if len(deviations) > 1 else ("the deviation",)
    checked = _checked(environment, dict(zip(owners, deviations, strict=True)))
    for transition in checked:
        if transition in kinds:
            continue
        if transition not in inert:
            kinds[transition] = _KINDS[tuple(transition in d for d in deviations)]
        elif not hide_inert:
            kinds[transition] = "inert"
    words = pair_legend(names) | dict(legend or {})
    return picture_of(environment, kinds, title, words)


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
        deviation: The deviation, robust or not.
        inert: Its transitions that can never fire.
        title: Its title; its size is added, and how much is left out.
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
        names: Display names.
    """
    title = f"{names[0]} and {names[1]}, each added transition alone"
    return deviation_picture(
        environment, *tolerated, names=names, legend=alone_legend(names), title=title
    )


def alone_legend(names: tuple[str, str]) -> dict[Kind, str]:
    """Return the legend for what two designs individually tolerate."""
    return {
        "both": "individually tolerated by both",
        "only_first": f"individually tolerated by {names[0]} only",
        "only_second": f"individually tolerated by {names[1]} only",
    }


def pair_legend(names: tuple[str, str]) -> dict[Kind, str]:
    """Return the legend for a deviation of each of two designs."""
    return {
        "both": "in both deviations",
        "only_first": f"in the deviation of {names[0]} only",
        "only_second": f"in the deviation of {names[1]} only",
    }


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
        never: The transitions of each that can never fire.
        names: Display names.
        which: The names of the deviations.
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
    """Show E with all candidates, by their individual verdict.

    Args:
        environment: E.
        verdicts: The verdict of each transition that units bring.
        title: Its title.

    Cost: O(t log t) for t transitions.
    """
    kinds = {t: own_kind(t) for t in environment.transitions}
    return picture_of(environment, {**kinds, **verdicts}, title)


def component_pictures(
    about: About,
    kind_of: Callable[[Sequence[str]], Kind | None],
    title: str,
    words: Words,
    legend: Mapping[Kind, str] | None = None,
) -> list[Picture]:
    """Show each component of E with what fault modes add to it.

    Args:
        about: E and the modes, which change its components.
        kind_of: Returns what an added transition is, from the names of all modes that
            hold it; `None` if it is not shown.
        title: The title; the component and its modes are added.
        words: Words for components.
        legend: Other legend texts for some kinds.

    Cost: linear in the components and in what modes hold.
    """
    units = about.units
    assert units is not None, "modes are what is asked about"
    network = units.network
    assert network is not None, "modes change components"
    meaning = {"added": "added by fault modes", **(legend or {})}
    holders: dict[LocalTransition, list[str]] = {}
    for mode in units.modes:
        for t in mode.local:
            holders.setdefault(t, []).append(mode.name)
    pictures = []
    for i, part in enumerate(network.components):
        kinds = {t: own_kind(t, network.hidden) for t in part.transitions}
        adding: dict[str, None] = {}
        for local in sorted(t for t in holders if t.component == i):
            kind, added = kind_of(holders[local]), Transition(*local[1:])
            if kind is not None and added not in kinds:
                kinds[added] = kind
                adding |= dict.fromkeys(n for n in holders[local] if kind_of([n]))
        names = [name for name in units.numbers if name in adding]
        if len(names) > _MOST_NAMES or len(", ".join(names)) > _LONGEST:
            names = [plural(len(names), "fault mode")]
        name = words.component(network.component_names[i])
        with_ = f", with {', '.join(names)}" if names else ", as planned"
        head = f"{title}: {name}{with_}"
        pictures.append(picture_of(part, kinds, head, meaning))
    return pictures


# Names of modes in a title, and their characters.
_MOST_NAMES, _LONGEST = 8, 120


def is_drawn_by_component(about: About) -> bool:
    """Whether pictures show the components of E instead of their product."""
    units = about.units
    if units is None or units.network is None or units.mixed:
        return False
    return len(units.network.components) > 1


def kinds_of_sets(
    sets: Sequence[UnitSet], idle: Sequence[UnitSet], *, hide_inert: bool = False
) -> Callable[[Sequence[str]], Kind | None]:
    """Return how `component_pictures` shows a set of modes, or one of each design.

    Args:
        sets: One, or two.
        idle: The modes of each that can never fire.
        hide_inert: Leave that out.
    """

    def kind_of(names: Sequence[str]) -> Kind | None:
        inside = tuple(not found.isdisjoint(names) for found in sets)
        if not any(inside):
            return None
        pairs = zip(sets, idle, strict=True)
        if any(not (found - still).isdisjoint(names) for found, still in pairs):
            return _KINDS[inside]
        return None if hide_inert else "inert"

    return kind_of


def kinds_alone(
    tolerated: Sequence[UnitSet],
) -> Callable[[Sequence[str]], Kind | None]:
    """Return how `component_pictures` shows what two designs individually tolerate.

    A transition of several modes is shown if all of them are tolerated.
    """
    return lambda names: _KINDS.get(tuple(s.issuperset(names) for s in tolerated))


def _left_out(inert: frozenset[Transition]) -> str:
    # A picture can stand alone, so it says itself that it is not all.
    return f"; {len(inert):,} that can never fire omitted" if inert else ""


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
