"""What a picture of a transition system shows, before it has any place or ink.

In:  an `Lts`, and deviations of it.
Out: a `Picture`: states and edges. All transitions with the same ends and the
     same kind are one edge with several actions, so that a picture stays
     readable; its edges are exactly a partition of the transitions shown.

Where it is placed is the business of `layout`; how it is written, that of
`svg` and `dot`.

Source: docs/sources.md [S1], Fig. 3 (a deviation over its environment) and
Fig. 8 (two designs in one picture).
"""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import Literal

from symrob.errors import Diagnostic, SymrobError
from symrob.lts import ERROR, TAU, Action, Lts, StateId, Transition

Kind = Literal[
    "nominal", "internal", "both", "added", "only_first", "only_second", "inert"
]

KINDS: tuple[Kind, ...] = (
    "nominal",
    "internal",
    "both",
    "added",
    "only_first",
    "only_second",
    "inert",
)
"""Every kind, in the order of legends and of edges between the same states."""


@dataclass(frozen=True)
class PictureState:
    """One state.

    Attributes:
        id: Number of the state; `ERROR` for the error state.
        name: Its name, as the model has it.
        initial: Whether runs start here.
        end: Whether it is the state of successful termination.
    """

    id: StateId
    name: str
    initial: bool = False
    end: bool = False

    @property
    def error(self) -> bool:
        """Whether this is the error state."""
        return self.id == ERROR


@dataclass(frozen=True)
class PictureEdge:
    """All transitions of one kind from one state to another.

    Attributes:
        source: Number of the state it leaves.
        target: Number of the state it enters; `ERROR` for the error state.
        kind: What the transitions are.
        actions: Their actions, sorted; never empty.
    """

    source: StateId
    target: StateId
    kind: Kind
    actions: tuple[Action, ...]

    @property
    def transitions(self) -> tuple[Transition, ...]:
        """The transitions that this edge stands for."""
        return tuple(Transition(self.source, a, self.target) for a in self.actions)


@dataclass(frozen=True)
class Picture:
    """States, edges and the meaning of the edges' kinds.

    Attributes:
        title: A line above the picture; may be empty.
        states: The states by number, `ERROR` last if an edge leads to it.
        edges: Sorted by source, target and kind; no two with the same three.
        legend: For each kind used, what it means; empty where there is only
            the ordinary one.
    """

    title: str
    states: tuple[PictureState, ...]
    edges: tuple[PictureEdge, ...]
    legend: tuple[tuple[Kind, str], ...]


def lts_picture(lts: Lts, *, title: str = "") -> Picture:
    """Show a transition system as it is.

    Args:
        lts: The system; ERROR becomes a state of its own.
        title: A line above the picture.

    Returns:
        The picture, with every transition of `lts`.

    Cost: O(t log t) for t transitions.
    """
    return _picture(lts, {t: _own_kind(t) for t in lts.transitions}, title, {})


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
    kinds = {t: _own_kind(t) for t in environment.transitions}
    for transition in _checked(environment, {"the deviation": deviation}):
        if transition not in kinds:
            kinds[transition] = "inert" if transition in inert else "added"
    return _picture(environment, _shown(kinds, hide_inert), title, {})


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
    kinds = {t: _own_kind(t) for t in environment.transitions}
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
    return _picture(environment, _shown(kinds, hide_inert), title, words)


_WORDS: Mapping[Kind, str] = {
    "nominal": "nominal",
    "internal": "internal move",
    "both": "tolerated by both",
    "added": "added by the deviation",
    "inert": "added, can never fire",
}


def _own_kind(transition: Transition) -> Kind:
    return "internal" if transition.action == TAU else "nominal"


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


def _picture(
    lts: Lts, kinds: Mapping[Transition, Kind], title: str, words: Mapping[Kind, str]
) -> Picture:
    edges = _merged(kinds)
    states = [
        PictureState(q, lts.state_name(q), initial=q == 0, end=q == lts.end)
        for q in range(lts.size)
    ]
    if any(edge.target == ERROR for edge in edges):
        states.append(PictureState(ERROR, lts.state_name(ERROR)))
    used = {edge.kind for edge in edges}
    legend = tuple((k, words.get(k) or _WORDS[k]) for k in KINDS if k in used)
    if used <= {"nominal"}:
        legend = ()
    return Picture(title, tuple(states), edges, legend)


def _merged(kinds: Mapping[Transition, Kind]) -> tuple[PictureEdge, ...]:
    """Join transitions of the same ends and kind."""
    groups: dict[tuple[StateId, StateId, Kind], list[Action]] = {}
    for (source, action, target), kind in kinds.items():
        groups.setdefault((source, target, kind), []).append(action)
    return tuple(
        PictureEdge(source, target, kind, tuple(sorted(groups[source, target, kind])))
        for source, target, kind in sorted(groups, key=_edge_order)
    )


def _edge_order(key: tuple[StateId, StateId, Kind]) -> tuple[StateId, StateId, int]:
    return (key[0], key[1], KINDS.index(key[2]))
