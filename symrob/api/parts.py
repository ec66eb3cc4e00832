"""An environment that consists of independent parts, each analysed separately.

In:  the models of a case whose fault modes change components of E.
Out: the models of each part; for a part whose product is too large, a problem with
     coupled components. The product of all of E is never computed.

Two components of E or C, properties or constraints belong to the same part if they
share an action, if a fault mode changes both, or if a sentence names states of both.
Parts move independently, so E_S‖C‖P reaches ERROR exactly if some part of it does;
`analyses.fault_mode_space` combines them.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace
from math import prod

from symrob.api.loading import Roles
from symrob.case.faults import Faults, speaks_of_all
from symrob.case.table import is_of_components
from symrob.case.units import local_modes
from symrob.envelope import tuning
from symrob.errors import Diagnostic, LimitExceeded
from symrob.lts import Lts, Network
from symrob.options import Options
from symrob.problem import Composition, FaultMode, LocalTransition, Role, monitors
from symrob.problem.build import Requirements, is_guard
from symrob.problem.coupled import CoupledProblem, coupled_problem
from symrob.problem.roles import NO_PROPERTY
from symrob.problem.warnings import monitor_doubts, possible_actions

_NOTHING = Lts((), 1, ())


Part = tuple[Roles, tuple[int, ...]]


def split(roles: Roles, options: Options) -> list[Part]:
    """Return the independent parts of a case, each with the indexes of its components.

    Returns no parts if the product of E is to be computed.

    Args:
        roles: The models.
        options: Options, for the bounds.

    Raises:
        SymrobError: Expressions on components are invalid.

    Cost: linear in the alphabets of the components and in the modes.
    """
    faults, network = roles.faults, roles.environment.model
    if (
        roles.priorities
        or faults is None
        or (faults.table is not None and not is_of_components(faults.table))
        or len(network.components) < 2
    ):
        return []
    if prod(part.size for part in network.components) <= tuning.COMPOSED_STATES:
        return []
    modes = local_modes(faults, network, options.limits, roles.words.classes)
    if modes is None or any(mode.transitions for mode in modes):
        return []
    if options.extra_states or speaks_of_all(faults, network):
        return []
    stated = requirements(roles)
    if stated is None:
        return []
    groups = _Groups()
    for i, part in enumerate(network.components):
        _tie(groups, ("E", i), part, network.hidden, "E")
    for i, part in enumerate(roles.controller.model.components):
        _tie(groups, ("C", i), part, roles.controller.model.hidden, "C")
    watching = [*_pieces("P", roles.properties), *_pieces("R", roles.constraints)]
    for key, piece in watching:
        groups.join(key, key)
        for part in piece.model.components:
            _tie(groups, key, part, piece.model.hidden, key)
        if piece.sentence is not None:
            requirement = stated.meant(piece)
            members = {("E", i) for i in requirement.named("E")}
            members |= {("C", i) for i in requirement.named("C")}
            for member in (*members, *(("action", a) for a in requirement.actions)):
                groups.join(key, member)
    for mode in modes:
        owners = sorted({t.component for t in mode.local}) or [0]
        for owner in owners:
            groups.join(("E", owners[0]), ("E", owner))
    found = [_part(roles, members, watching, modes) for members in groups.all()]
    saying = (
        p for p, _ in found if any(r.sentence for r in (*p.properties, *p.constraints))
    )
    if any(_is_coupled(part, options) for part in saying):
        # The search in bits knows no requirements on states.
        return []
    return found if len(found) > 1 or _is_coupled(found[0][0], options) else []


def requirements(roles: Roles) -> Requirements | None:
    """Return the requirements on states of a case; `None` if one is wrong."""
    problems: list[Diagnostic] = []
    found = Requirements(roles.environment, roles.controller, problems)
    found.read(roles.properties, roles.constraints)
    return None if problems else found


def pose_coupled(roles: Roles, options: Options) -> CoupledProblem | None:
    """Return the problem of a part with E's components encoded in bits.

    Args:
        roles: As returned by `split`.
        options: Options, for the bounds.

    Returns:
        The problem; `None` if the product of E can be computed.

    Raises:
        SymrobError: A component of E reaches ERROR.
        LimitExceeded: A bound was hit.

    Cost: a composition of up to `tuning.COUPLED_STATES` states; see `coupled_problem`.
    """
    if not _is_coupled(roles, options):
        return None
    assert roles.faults is not None, "parts are asked about by mode"
    network, limits = roles.environment.model, options.limits
    posed = coupled_problem(
        network,
        roles.faults.modes,
        roles.controller.model,
        [m for role in roles.properties for m in monitors(role, limits)],
        [m for role in roles.constraints for m in monitors(role, limits)],
        limits.max_expansion,
    )
    assert posed.units is not None, "modes are what is asked about"
    happening = {*posed.environment.alphabet, *posed.controller.alphabet}
    possible = possible_actions(happening, posed.controller)
    doubts = (
        *posed.units.doubts(posed.environment),
        *monitor_doubts("property", posed.properties, possible),
    )
    return replace(posed, warnings=doubts, one_sided=roles.one_sided)


def _is_coupled(roles: Roles, options: Options) -> bool:
    """Whether so many states are met together that E stays in components."""
    network, faults = roles.environment.model, roles.faults
    begins = (*network.components, *roles.controller.model.components)
    assert faults is not None, "parts are asked about by mode"
    if roles.at_most is not None or any(m.at_most is not None for m in faults.modes):
        # What counts is beside E as one.
        return False
    if roles.goals or any(part.initial != (0,) for part in begins):
        # Goals are about states of E; several initial ones need a step of E before all.
        return False
    most = min(tuning.COUPLED_STATES, options.limits.max_states)
    if prod(part.size for part in network.components) <= most:
        return False
    try:
        Composition(network, faults.modes, most)
    except LimitExceeded as error:
        if error.reason != "limit":
            raise
        return True
    return False


class _Groups:
    """What hangs together, by union of sets."""

    def __init__(self) -> None:
        self._parent: dict[Hashable, Hashable] = {}

    def _root(self, key: Hashable) -> Hashable:
        root = key
        while self._parent.setdefault(root, root) != root:
            root = self._parent[root]
        while self._parent[key] != root:
            self._parent[key], key = root, self._parent[key]
        return root

    def join(self, one: Hashable, other: Hashable) -> None:
        """Put two together."""
        self._parent[self._root(other)] = self._root(one)

    def all(self) -> list[set[Hashable]]:
        """The groups, in the order in which their first members came."""
        groups: dict[Hashable, set[Hashable]] = {}
        for key in list(self._parent):
            groups.setdefault(self._root(key), set()).add(key)
        return list(groups.values())


def _tie(
    groups: _Groups, key: Hashable, part: Lts, hidden: frozenset[str], whose: Hashable
) -> None:
    """Tie a component to its actions; hidden ones are those of one network alone."""
    groups.join(key, key)
    for action in part.alphabet:
        name = ("hidden", whose, action) if action in hidden else ("action", action)
        groups.join(name, key)


Piece = tuple[Hashable, Role]


def _pieces(kind: str, roles: Sequence[Role]) -> list[Piece]:
    """Properties or constraints, a network of them without hidden actions by parts."""
    pieces: list[Piece] = []
    for index, role in enumerate(roles):
        model = role.model
        if model.hidden or len(model.components) == 1:
            pieces.append(((kind, index), role))
            continue
        for i, (name, part) in enumerate(
            zip(model.component_names, model.components, strict=True)
        ):
            pieces.append(((kind, index, i), Role(part, f"{role.name} ({name})")))
    return pieces


def _part(
    roles: Roles,
    members: set[Hashable],
    watching: Sequence[Piece],
    modes: Sequence[FaultMode],
) -> Part:
    """The models of one part, with its modes, and the places of its components."""
    own = [
        i for i in range(len(roles.environment.model.components)) if ("E", i) in members
    ]
    place = {i: n for n, i in enumerate(own)}
    chosen = [
        replace(
            mode,
            transitions=frozenset(),
            local=frozenset(
                LocalTransition(place[t.component], *t[1:]) for t in mode.local
            ),
        )
        for mode in modes
        if {t.component for t in mode.local or ()} <= set(own)
        and (mode.local or 0 in place)
    ]
    properties = [role for key, role in watching if key in members and key[0] == "P"]  # type: ignore[index]
    if all(map(is_guard, properties)):
        properties.append(Role(_NOTHING, NO_PROPERTY))
    constraints = [role for key, role in watching if key in members and key[0] == "R"]  # type: ignore[index]
    part = replace(
        roles,
        environment=_restricted(roles.environment, own),
        controller=_restricted(
            roles.controller,
            [
                i
                for i in range(len(roles.controller.model.components))
                if ("C", i) in members
            ],
        ),
        properties=tuple(properties),
        constraints=tuple(constraints),
        faults=Faults(modes=tuple(chosen), only=True),
        warnings=(),
        one_sided=("*",),
        seconds=0.0,
    )
    return part, tuple(own)


def _restricted(role: Role, own: Sequence[int]) -> Role:
    """A network of some of the components of another."""
    model = role.model
    if not own:
        return replace(role, model=_NOTHING)
    parts = [model.components[i] for i in own]
    names = [model.component_names[i] for i in own]
    hidden = model.hidden & {a for part in parts for a in part.alphabet}
    return replace(role, model=Network(parts, component_names=names, hidden=hidden))
