"""An environment that falls into independent parts, each asked about by itself.

In:  the models of a case whose fault modes change components of E.
Out: the parts, and Δ as the product of theirs; E is never multiplied out.

Two components of E or C, properties or constraints belong together if they share an
action, or if a fault mode changes both. Parts move independently, so E_S‖C‖P reaches
ERROR exactly if some part of it does, and the maximal tolerated sets are the unions of
one maximal tolerated set of each part.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from math import prod
from typing import TYPE_CHECKING, NamedTuple

from symrob.api.loading import Roles
from symrob.case.faults import Faults
from symrob.case.units import local_modes
from symrob.envelope import tuning
from symrob.errors import Diagnostic, SymrobError, refuse_warnings
from symrob.limits import Clock, Stages, Status
from symrob.lts import Lts, Network
from symrob.options import Options
from symrob.problem import FaultMode, LocalTransition, Model, Role
from symrob.problem.doubts import alphabet_doubts

if TYPE_CHECKING:
    from symrob.api.stages import Progress
    from symrob.envelope.engine import Engine

_NOTHING = Lts((), 1, ())


Part = tuple[Roles, tuple[int, ...]]


def split(roles: Roles, options: Options) -> list[Part]:
    """Return the independent parts of a case, each with the places of its components.

    There are none where E is to be multiplied out.

    Args:
        roles: The models.
        options: For the bounds.

    Raises:
        SymrobError: Expressions on components that mean nothing.

    Cost: linear in the alphabets of the components and in the modes.
    """
    faults, network = roles.faults, roles.environment.model
    if (
        roles.priorities
        or faults is None
        or faults.table is not None
        or len(network.components) < 2
    ):
        return []
    if prod(part.size for part in network.components) <= tuning.COMPOSED_STATES:
        return []
    modes = local_modes(faults, network, options.limits)
    if modes is None or any(mode.transitions for mode in modes):
        return []
    if options.extra_states or _speaks_of_all(faults, network):
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
    for mode in modes:
        owners = sorted({t.component for t in mode.local}) or [0]
        for owner in owners:
            groups.join(("E", owners[0]), ("E", owner))
    found = [_part(roles, members, watching, modes) for members in groups.all()]
    return found if len(found) > 1 else []


def _speaks_of_all(faults: Faults, network: Model) -> bool:
    """Whether some expression is on E as a whole."""
    from symrob.case.faults import is_local

    texts = (text for several in faults.texts.values() for text in several)
    return not all(is_local(text, network) for text in texts)


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
        FaultMode(
            mode.name,
            local=frozenset(
                LocalTransition(place[t.component], *t[1:]) for t in mode.local
            ),
        )
        for mode in modes
        if {t.component for t in mode.local or ()} <= set(own)
        and (mode.local or 0 in place)
    ]
    properties = [role for key, role in watching if key in members and key[0] == "P"]  # type: ignore[index]
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
        properties=tuple(properties) or (Role(_NOTHING, "nothing"),),
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


class ModeSet(NamedTuple):
    """A maximal tolerated set of fault modes, where E is not multiplied out.

    Attributes:
        modes: Their names, sorted.
    """

    modes: tuple[str, ...]


class PartsEnvelope:
    """Δ of an environment in independent parts, over fault modes.

    Iterating yields each maximal set as soon as it is found. It ends early, without an
    exception, when a bound is hit or the user interrupts; `status` tells.

    Args:
        roles: The models of the whole.
        engines: One for each part, preconditions checked; they share one clock.
        places: For each part the places of its components in the network.
        limit: Stop after this many sets; `None` for all.
        on_progress: Called with the number found and the seconds elapsed after each.

    Attributes:
        status: As of `SafetyEnvelope`.
        reason: Why it is not complete.
    """

    def __init__(
        self,
        roles: Roles,
        engines: Sequence[Engine],
        places: Sequence[tuple[int, ...]],
        limit: int | None,
        on_progress: Progress | None,
    ) -> None:
        self._roles = roles
        self._places = tuple(places)
        self.network = roles.environment.model
        self.engines = tuple(engines)
        self.status: Status = "running"
        self.reason = ""
        self._limit = limit
        self._on_progress = on_progress
        self._found: list[ModeSet] = []
        self._source = self._search()

    @property
    def clock(self) -> Clock:
        """Of the run."""
        return self.engines[0].clock

    @property
    def modes(self) -> dict[str, FaultMode]:
        """The modes by name, with components as the part numbers them."""
        return {
            mode.name: mode
            for engine in self.engines
            for mode in engine.mode_sets.units.modes
        }

    def held(self) -> dict[str, list[list[object]]]:
        """What each mode holds, with components as the whole numbers them."""
        found: dict[str, list[list[object]]] = {}
        for engine, own in zip(self.engines, self._places, strict=True):
            for mode in engine.mode_sets.units.modes:
                held = ([own[t.component], *t[1:]] for t in mode.local)
                found[mode.name] = sorted(held, key=repr)
        return found

    @property
    def warnings(self) -> tuple[Diagnostic, ...]:
        """What may be a mistake in the models, or in the modes."""
        roles = self._roles
        doubts = alphabet_doubts(
            roles.environment,
            roles.controller,
            roles.properties,
            roles.constraints,
            roles.one_sided,
        )
        own = (w for e in self.engines for w in e.problem.warnings)
        idle = (w for w in own if w.code == "modes-idle")
        return (*roles.warnings, *doubts, *idle)

    def __iter__(self) -> Iterator[ModeSet]:
        """Yield what is known, then what is still to be found."""
        index = 0
        while index < len(self._found) or self._advance():
            yield self._found[index]
            index += 1

    def __len__(self) -> int:
        """Return the number of sets; computes them all."""
        return sum(1 for _ in self)

    def _search(self) -> Iterator[ModeSet]:
        sets = [
            [engine.mode_sets.units.names(s) for s in engine.mode_sets.maximal()]
            for engine in self.engines
        ]
        for several in product(*sets):
            self.clock.check()
            yield ModeSet(tuple(sorted(name for names in several for name in names)))

    def _advance(self) -> bool:
        if self.status != "running":
            return False
        stages = Stages(self.clock)
        found = None
        with stages:
            found = next(self._source, None)
        if found is None:
            self.status, self.reason = stages.status, stages.reason
            return False
        if self._limit is not None and len(self._found) >= self._limit:
            self.status = "limit"
            self.reason = f"stopped after --limit {self._limit} deviations"
            return False
        self._found.append(found)
        if self._on_progress is not None:
            self._on_progress(len(self._found), self.clock.elapsed)
        return True


def analyse_parts(
    roles: Roles, options: Options, on_progress: Progress | None = None
) -> PartsEnvelope | None:
    """Set out to compute Δ part by part; `None` where E is to be multiplied out.

    Args:
        roles: The models.
        options: How to run.
        on_progress: As of `PartsEnvelope`.

    Raises:
        SymrobError: A model cannot play its role, or an option needs E as a whole.
        NominalViolation: The nominal system of a part is unsafe already.
        LimitExceeded: A bound was hit before the preconditions were checked.
    """
    from symrob.api.stages import open_engine

    parts = split(roles, options)
    if not parts:
        return None
    if options.algorithm != "maximal" or options.largest is not None:
        what = "--top" if options.largest is not None else "--algorithm"
        message = f"{what}: E is too large to be multiplied out for that"
        raise SymrobError(Diagnostic("usage-option", message))
    clock = Clock(options.limits, spent=roles.seconds)
    relaxed = replace(options, strict=False)
    engines = [open_engine(part, relaxed, clock) for part, _own in parts]
    places = [own for _part, own in parts]
    envelope = PartsEnvelope(roles, engines, places, options.limit, on_progress)
    if options.strict:
        refuse_warnings(envelope.warnings)
    return envelope
