"""The units of a case: its fault modes and single candidates.

In:  `Faults`: declared modes, the candidates beside them and how these are grouped; and
     the environment, or the network that it is composed of.
Out: the problem with its `Units`, or with the candidates K if each is a unit.

If a mode changes a component, or candidates are grouped by component, the candidates
are transitions that components lack, and E is the composition with all of them.
"""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from symrob.case.faults import BY, Faults, meaning, modes_of
from symrob.case.table import Table, is_of_components, read_table
from symrob.errors import Diagnostic, LimitExceeded, SymrobError, plural
from symrob.limits import Limits
from symrob.lts import Lts, Transition
from symrob.problem import FaultMode, LocalTransition, Model, Problem
from symrob.problem.classes import CLASSES, Classes
from symrob.problem.units import Composition, ModeStep, Units, units_of

Candidate = TypeVar("Candidate", Transition, LocalTransition)

# More modes than that are not told apart.
MAX_UNITS = 20_000


def composition_of(
    faults: Faults,
    environment: Model,
    limits: Limits,
    classes: Mapping[str, str] | None = None,
) -> Composition | None:
    """Return E composed of components that modes change; `None` if none does.

    Args:
        faults: The selected units.
        environment: E as it was read.
        limits: Bounds on products.
        classes: Display names of classes.

    Raises:
        SymrobError: Expressions on components are invalid; or candidates are grouped by
            component and E is not composed.
        LimitExceeded: The composition is too large.
    """
    parts = dict(enumerate(environment.components))
    local = ((mode.name, mode.local) for mode in faults.modes)
    _require_in(
        local, lambda t: parts.get(t.component), "a component of the environment"
    )
    modes = local_modes(faults, environment, limits, classes or {})
    if modes is None:
        return None
    if faults.table is not None and not is_of_components(faults.table):
        message = "the table lists transitions of the whole environment, but the fault "
        message += "modes change its components"
        hint = "symrob candidates CASE --by component writes a table of components"
        raise SymrobError(
            Diagnostic("table-components", message, file=faults.table, hint=hint)
        )
    return Composition(environment, modes, limits.max_states)


def local_modes(
    faults: Faults, environment: Model, limits: Limits, classes: Mapping[str, str]
) -> tuple[FaultMode, ...] | None:
    """Return the modes as far as they change components; `None` if none does.

    Args and errors as for `composition_of`; the declared ones come first.
    """
    limit = limits.max_expansion
    declared = modes_of(faults, environment, None, limit=limit)
    of_components = faults.table is not None and is_of_components(faults.table)
    by_component = "component" in faults.by or of_components
    if not by_component and not any(mode.local for mode in declared):
        return None
    if by_component:
        what = f"{faults.table}" if of_components else "--by component"
        _require_composed(environment, what)
    singles = [] if faults.only else local_candidates(faults, environment, limit)
    if of_components and faults.table is not None:
        table = read_table(faults.table, environment, components=True)
        declared = tuple(table.joined(declared))
        singles = [t for t in singles if t not in table.implausible]
    held = {t for mode in declared for t in mode.local}
    rest = [t for t in singles if t not in held]
    names = environment.component_names
    parts = environment.components
    kinds = [Classes(part) for part in parts] if "class" in faults.by else []

    def kind(t: LocalTransition) -> str:
        found = kinds[t.component].of(Transition(*t[1:])).kind
        return classes.get(found, found)

    def said(t: LocalTransition) -> str:
        return called(t, environment)

    keys: dict[str, Callable[[LocalTransition], str]] = {
        "component": lambda t: names[t.component],
        "class": kind,
        "action": lambda t: t.action,
    }
    single = set(faults.by) <= {"component"}
    units = [keys[unit] for unit in BY if unit in faults.by]
    grouped = _grouped(rest, units, said if single else None)
    return (
        *declared,
        *(FaultMode(name, local=frozenset(group)) for name, group in grouped),
    )


def called(candidate: LocalTransition, environment: Model) -> str:
    """Return a transition of a component as expressions write it."""
    state = environment.components[candidate.component].state_name
    _, source, action, target = candidate
    owner = environment.component_names[candidate.component]
    return f"{owner}:{state(source)},{action},{state(target)}"


def _require_composed(environment: Model, what: str) -> None:
    if len(environment.components) < 2:
        message = f"{what}: the environment is not composed of components"
        hint = "name a composite such as 'network.lts#NETWORK'; a composite with "
        hint += "priority, or with two actions renamed to one, counts as one process"
        raise SymrobError(Diagnostic("usage-by", message, hint=hint))


def planned_units(environment: Lts, model: Model, by: Sequence[str]) -> Units | None:
    """Return E's own transitions in groups; `None` if each is a unit by itself.

    Args:
        environment: E as one system.
        model: E as it was read.
        by: Some of `faults.BY`: with `action`, all transitions of an action are one
            unit; with `component`, each transition of a component is one, or all that
            it has of an action.

    Raises:
        SymrobError: Candidates are grouped by class, or by component and E is not
            composed.
    """
    if "class" in by:
        message = "--by class: E's own transitions have no class"
        hint = "--by action and --by component are supported"
        raise SymrobError(Diagnostic("usage-by", message, hint=hint))
    planned = environment.visible_transitions
    if "component" in by:
        _require_composed(model, "--by component")
        return _units_of_components(environment, model, by)
    if not by:
        return None
    groups = _grouped(sorted(planned), [lambda t: t.action], None)
    held = {name: frozenset(group) for name, group in groups}
    modes = [FaultMode(name, held[name]) for name in sorted(held)]
    steps = [
        ModeStep(t, (1 << m,)) for m, mode in enumerate(modes) for t in held[mode.name]
    ]
    return Units(modes, steps)


def _units_of_components(environment: Lts, model: Model, by: Sequence[str]) -> Units:
    """The transitions of E by what each component takes part with."""
    assert environment.parts is not None, "E is composed"
    taking: dict[Transition, list[LocalTransition]] = {}
    for t in sorted(environment.visible_transitions):
        locals_ = [environment.parts.numbers(q) for q in (t.source, t.target)]
        taking[t] = [
            LocalTransition(i, source, t.action, target)
            for i, (source, target) in enumerate(zip(*locals_, strict=True))
            if t.action in model.components[i].alphabet
        ]
    held = sorted({local for several in taking.values() for local in several})
    keys: list[Callable[[LocalTransition], str]]
    keys = [lambda t: model.component_names[t.component], lambda t: t.action]
    action = "action" in by
    grouped = _grouped(
        held, keys if action else [], None if action else lambda t: called(t, model)
    )
    modes = [FaultMode(name, local=frozenset(group)) for name, group in grouped]
    bit = {t: 1 << m for m, mode in enumerate(modes) for t in mode.local}
    steps = [
        ModeStep(t, tuple(sorted({bit[local] for local in several})))
        for t, several in taking.items()
    ]
    return Units(modes, steps, model)


def local_candidates(
    faults: Faults, environment: Model, limit: int
) -> list[LocalTransition]:
    """Return the selected candidates of components.

    Args and errors as for `composition_of`.
    """
    kept = {}
    for option, texts in (("--among", faults.among), ("--not-among", faults.not_among)):
        kept[option] = meaning(option, texts, environment, None, limit=limit).local
        if texts and not kept[option]:
            message = f"{option} must name components, since fault modes change them"
            hint = "write 'COMPONENT:source,action,target'"
            raise SymrobError(Diagnostic("usage-among", message, hint=hint))
    size = sum(p.size**2 * len(p.alphabet) for p in environment.components)
    _require_few(size if not faults.among else len(kept["--among"]))
    lacking = [
        LocalTransition(i, q, a, r)
        for i, part in enumerate(environment.components)
        for q in range(part.size)
        for a in part.alphabet
        for r in range(part.size)
        if r not in part.successors[q].get(a, ())
    ]
    return [
        t
        for t in lacking
        if (not faults.among or t in kept["--among"]) and t not in kept["--not-among"]
    ]


def with_units(
    problem: Problem,
    faults: Faults,
    model: Model,
    composed: Composition | None,
    limits: Limits,
    classes: Mapping[str, str],
) -> Problem:
    """Return the problem with the units of a case.

    Args:
        problem: Over the environment of `composed`, if there is one.
        faults: The selected units.
        model: E as it was read.
        composed: The result of `composition_of`.
        limits: Bounds on products.
        classes: Display names of classes.

    Raises:
        SymrobError: Expressions are invalid, or two modes have the same name.
        LimitExceeded: There are too many modes.
    """
    environment, limit = problem.environment, limits.max_expansion
    problem = replace(problem, excluded_by=faults.excluding)
    among = _among(problem, faults, model, limit) if composed is None else None
    declared = modes_of(
        faults, model, environment, limit=limit, classes=problem.classes
    )
    held = ((mode.name, mode.transitions) for mode in declared)
    _require_in(held, lambda _: environment, "the environment")
    if composed is not None:
        own = local_modes(faults, model, limits, classes)
        assert own is not None
        first = zip(declared, own, strict=False)
        joined = [replace(mode, local=more.local) for mode, more in first]
        units = composed.units([*joined, *own[len(declared) :]])
    else:
        if faults.table is not None:
            table = read_table(faults.table, environment)
            declared = tuple(table.joined(declared))
            asked = frozenset(problem.candidates) if among is None else among
            among = asked - table.implausible
            problem = _without_rows(problem, len(asked - table.rows.keys()), table)
        if not declared and not faults.only and not faults.by:
            return replace(problem, among=among)
        singles: Iterable[FaultMode] = ()
        if not faults.only:
            singles = _singles(problem, declared, faults, among, classes)
        units = units_of(environment, [*declared, *singles])
    doubts = tuple(units.doubts(environment))
    return replace(problem, units=units, warnings=(*problem.warnings, *doubts))


def _without_rows(problem: Problem, count: int, table: Table) -> Problem:
    """Return the problem with a warning where candidates have no row."""
    if not count:
        return problem
    have, are = ("has", "it is") if count == 1 else ("have", "they are")
    message = f"{plural(count, 'candidate')} {have} no row; {are} treated as plausible"
    doubt = Diagnostic("table-missing", message, "warning", file=table.path)
    return replace(problem, warnings=(*problem.warnings, doubt))


def _among(
    problem: Problem, faults: Faults, model: Model, limit: int
) -> frozenset[Transition] | None:
    """The single candidates that are asked about; `None` for all."""
    if not faults.among and not faults.not_among:
        return None
    environment = problem.environment
    meant = [
        meaning(
            "", texts, model, environment, limit=limit, classes=problem.classes
        ).transitions
        - environment.visible_transitions
        for texts in (faults.among, faults.not_among)
    ]
    asked = meant[0] if faults.among else frozenset(problem.candidates)
    return asked - meant[1]


def _singles(
    problem: Problem,
    declared: Iterable[FaultMode],
    faults: Faults,
    among: frozenset[Transition] | None,
    classes: Mapping[str, str],
) -> Iterator[FaultMode]:
    """The candidates beside the declared modes, each by itself or in groups."""
    environment = problem.environment
    held = {t for mode in declared for t in mode.transitions}
    if among is None and not faults.by:
        _require_few(environment.size**2 * len(environment.alphabet))
    called = {kind: classes.get(kind, kind) for kind in CLASSES}
    keys: dict[str, Callable[[Transition], str]] = {
        "class": lambda t: called[problem.classes.of(t).kind],
        "action": lambda t: t.action,
    }
    names = [environment.state_name(q) for q in range(environment.size)]
    if len(set(names)) < len(names):
        names = [str(q) for q in range(environment.size)]
    rest = (t for t in replace(problem, among=among).candidates if t not in held)
    grouped = _grouped(
        rest,
        [keys[unit] for unit in faults.by],
        None if faults.by else lambda t: f"{names[t[0]]},{t[1]},{names[t[2]]}",
    )
    for name, group in grouped:
        yield FaultMode(name, frozenset(group))


def _require_in(
    held: Iterable[tuple[str, Iterable[Candidate]]],
    owner: Callable[[Candidate], Lts | None],
    whose: str,
) -> None:
    """Reject what modes hold and nothing can have; modes of Python may."""
    problems = []
    for name, transitions in held:
        for t in sorted(transitions, key=repr):
            lts, (source, action, target) = owner(t), t[-3:]
            states = range(0 if lts is None else lts.size)
            known = source in states and target in states
            if lts is None or not known or action not in lts.alphabet:
                message = f"fault mode '{name}': {tuple(t)} is not a transition over "
                message += f"the states and actions of {whose}"
                problems.append(Diagnostic("modes-transition", message))
    if problems:
        raise SymrobError(problems)


def _grouped(
    candidates: Iterable[Candidate],
    keys: Sequence[Callable[[Candidate], str]],
    said: Callable[[Candidate], str] | None,
) -> ItemsView[str, list[Candidate]]:
    """Group candidates by the texts that keys give, or each by itself as it is said."""
    groups: dict[str, list[Candidate]] = {}
    for t in candidates:
        name = said(t) if said is not None else ",".join(key(t) for key in keys)
        groups.setdefault(name, []).append(t)
    _require_few(len(groups))
    return groups.items()


def _require_few(count: int) -> None:
    if count > MAX_UNITS:
        raise LimitExceeded(
            f"{count:,} fault modes, more than {MAX_UNITS:,}; group the candidates "
            "with --by, or select some of them with --among"
        )
