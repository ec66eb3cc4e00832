"""What a question does not cover: the end of every report.

In:  a `Space`, and the fault declarations of its case.
Out: `NotCovered`.

A candidate is not covered if no unit holds it: `only = true`, `among`, `not_among` or a
table excluded it. A component of E is not covered if no fault mode changes it. An
action of C or P is not covered if neither E's plan nor any unit performs it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from symrob.analyses.space import About, Space
from symrob.lts import Action, Lts
from symrob.problem import Model


@dataclass(frozen=True)
class NotCovered:
    """What a question does not cover.

    Attributes:
        candidates: Number of candidates that no unit holds; of transitions that
            components of E lack, if fault modes change components.
        because: What excluded them: some of `only`, `among`, `not_among`, `table`, `no
            probability`.
        components: Components of E that no fault mode changes.
        never_performed: Actions of C or P that E has, but neither its plan nor any unit
            performs.
        not_of_environment: Actions of C or P that E does not have, so that no deviation
            contains them.
        of_components: Whether `candidates` counts transitions of components.
    """

    candidates: int = 0
    because: tuple[str, ...] = ()
    components: tuple[str, ...] = ()
    never_performed: tuple[Action, ...] = ()
    not_of_environment: tuple[Action, ...] = ()
    of_components: bool = field(default=False, metadata={"json": False})


def not_covered(space: Space, because: tuple[str, ...] | None = None) -> NotCovered:
    """Return what no question about a space covers.

    Args:
        space: The selected units.
        because: What may have excluded candidates; by default as declared in the case.

    Cost: linear in the models and in what the units hold.
    """
    if because is None:
        because = space.problems[0].excluded_by
    about, of_components = space.about, False
    if about.network is not None and about.units is not None:
        of_components = True
        candidates, components, performed = _of_components(about, about.network)
        actions = frozenset(about.network.alphabet)
    else:
        environment = about.environment
        assert environment is not None, "E is one system"
        candidates, performed = _of_whole(about, environment)
        components, actions = (), frozenset(environment.alphabet)
    named = {
        action
        for problem in space.problems
        for model in (problem.controller, *(m.lts for m in problem.properties))
        for action in model.alphabet
    }
    return NotCovered(
        candidates,
        because if candidates else (),
        components,
        tuple(sorted((named & actions) - performed)),
        tuple(sorted(named - actions)),
        of_components,
    )


def _of_whole(about: About, environment: Lts) -> tuple[int, frozenset[Action]]:
    """How many candidates no unit holds; the actions that are performed."""
    planned = environment.visible_transitions
    everything = environment.size**2 * len(environment.alphabet) - len(planned)
    performed = frozenset(t.action for t in planned)
    if about.units is None and about.among is None:
        return 0, frozenset(environment.alphabet)
    if about.units is None:
        held = about.among or frozenset()
    else:
        held = frozenset().union(*(mode.transitions for mode in about.units.modes))
    held -= planned
    return everything - len(held), performed | {t.action for t in held}


def _of_components(
    about: About, network: Model
) -> tuple[int, tuple[str, ...], frozenset[Action]]:
    """The same, and the components that no mode changes."""
    assert about.units is not None
    modes = about.units.modes
    held = frozenset().union(*(mode.local for mode in modes))
    lacking, outside, performed = 0, [], set(network.alphabet)
    for number, part in enumerate(network.components):
        planned = part.visible_transitions
        own = {t[1:] for t in held if t.component == number} - planned
        lacking += part.size**2 * len(part.alphabet) - len(planned) - len(own)
        if not own:
            outside.append(network.component_names[number])
        steps = {t.action for t in planned} | {action for _, action, _ in own}
        performed -= frozenset(part.alphabet) - steps
    if about.units.mixed:
        # Modes of E as a whole change any component.
        of_whole = {t.action for mode in modes for t in mode.transitions}
        return lacking, (), frozenset(performed | of_whole)
    return lacking, tuple(outside), frozenset(performed)
