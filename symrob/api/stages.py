"""The stages from models to the safety envelope, in order. Read this first.

    models ──▶ Roles ──▶ Problem ──▶ Engine ──▶ SafetyEnvelope ──▶ answers
      (api.loading)  (problem)  (symbolic, envelope)  (api.result)   (analyses)

`docs/pipeline.md` describes the data between them and the cost of each.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import TypeVar

from symrob.analyses.assume import Plan
from symrob.analyses.choice import require_same
from symrob.analyses.fault_mode_space import FaultModeSpace, space_of
from symrob.analyses.same import require_same_environment
from symrob.analyses.space import Space
from symrob.api.algorithms import deviations
from symrob.api.loading import Roles
from symrob.api.parts import Part, pose_coupled, requirements, split
from symrob.api.result import SafetyEnvelope
from symrob.case.places import naming
from symrob.case.units import composition_of, planned_units, with_units
from symrob.case.weights import load_mode_weights, load_weights
from symrob.case.words import word_doubts
from symrob.doing import Doing
from symrob.envelope.coupled import CoupledEngine
from symrob.envelope.engine import Engine
from symrob.errors import (
    Diagnostic,
    LimitExceeded,
    NominalViolation,
    SymrobError,
    refuse_warnings,
)
from symrob.limits import Clock, running
from symrob.lts import TAU, Transition
from symrob.lts.views import with_transitions
from symrob.options import Options
from symrob.parallel.spread import spread
from symrob.problem import Problem, Role, build_problem
from symrob.problem.units import joined
from symrob.problem.warnings import alphabet_doubts

Opened = TypeVar("Opened", Engine, Space)

Progress = Callable[[int, float], None]


def pose(roles: Roles, options: Options, clock: Clock | None = None) -> Problem:
    """Check the models in their roles.

    Args:
        roles: The models.
        options: How to run.
        clock: Clock of the run; by default a new one.

    Raises:
        SymrobError: A model cannot play its role; all problems at once.
        LimitExceeded: A bound was hit.
    """
    clock = clock or Clock(options.limits, spent=roles.seconds)
    faults = roles.faults
    with running(clock), Doing("building the problem", "states"):
        environment, composed = roles.environment, None
        if faults is not None and roles.priorities and "component" in faults.by:
            raise SymrobError(roles.priorities)
        if faults is not None:
            limits, classes = options.limits, roles.words.classes
            with _named_limit(environment):
                composed = composition_of(faults, environment.model, limits, classes)
        if composed is not None and roles.priorities:
            raise SymrobError(roles.priorities)
        if composed is not None:
            _refuse_extra_states(options)
            environment = replace(environment, model=composed.environment)
        with _named_limit(environment), _placed(roles):
            problem = build_problem(
                environment,
                roles.controller,
                roles.properties,
                roles.constraints,
                extra_states=options.extra_states,
                limits=options.limits,
                warnings=roles.warnings,
                one_sided=roles.one_sided,
            )
        if faults is not None:
            model = roles.environment.model
            limits, classes = options.limits, roles.words.classes
            problem = with_units(problem, faults, model, composed, limits, classes)
    doubts = tuple(word_doubts(roles.words, problem))
    if doubts:
        problem = replace(problem, warnings=(*problem.warnings, *doubts))
    if not roles.constrained:
        problem = replace(problem, constraints=())
    problem = replace(problem, at_most=roles.at_most, goals=roles.goals)
    if options.strict:
        refuse_warnings(problem.warnings)
    return problem


@contextmanager
def _named_limit(environment: Role) -> Iterator[None]:
    """Where E is too large, name it, its components, and what helps."""
    try:
        yield
    except LimitExceeded as error:
        parts, (first, *_) = environment.model.components, error.diagnostics
        if error.reason != "limit" or len(parts) < 2 or "states" not in first.message:
            raise
        hint = f"E has {len(parts)} components; with fault modes of components "
        hint += "([faults], --by component), compute, summary, cuts, risk, compare, "
        hint += "explain and draw do not compute their product"
        message = f"{environment.name}: {first.message}"
        raise LimitExceeded(replace(first, message=message, hint=hint)) from None


@contextmanager
def _placed(roles: Roles) -> Iterator[None]:
    """Show what is wrong with a sentence where the case has it."""
    source = roles.source
    try:
        yield
    except SymrobError as error:
        if source is None:
            raise
        found = list(error.diagnostics)
        for role in (*roles.properties, *roles.constraints):
            said = role.sentence.text if role.sentence is not None else ""
            for i, problem in enumerate(found):
                if said in source.keys and problem.message.startswith(f"'{said}'"):
                    found[i] = source.at(problem, source.keys[said])
        raise type(error)(found) from None


def open_engine(roles: Roles, options: Options, clock: Clock | None = None) -> Engine:
    """Check the models, encode them as BDDs, check the nominal system.

    Every command and every analysis calls this.

    Args:
        roles: The models.
        options: How to run.
        clock: A clock to share between several engines; by default a new one.

    Raises:
        SymrobError: A model cannot play its role; all problems at once.
        NominalViolation: The nominal system already violates a property or constraint,
            so Δ is undefined; carries a shortest violating trace.
        LimitExceeded: A bound was hit.
    """
    clock = clock or Clock(options.limits, spent=roles.seconds)
    return _safe_engine(pose(roles, options, clock), roles, options, clock)


def _safe_engine(
    problem: Problem, roles: Roles, options: Options, clock: Clock
) -> Engine:
    """The engine of a problem that is safe; errors as for `open_engine`."""
    return _nominally_safe(Engine(problem, options.backend, clock), roles)


def _nominally_safe(engine: Engine, roles: Roles) -> Engine:
    """Check the plan of an engine; errors as for `open_engine`."""
    try:
        engine.check_nominal()
    except SymrobError as error:
        if isinstance(error, NominalViolation):
            error.title, error.words = roles.title, roles.words
        error.warnings = engine.problem.warnings
        with engine:
            raise
    return engine


def open_plan(roles: Roles, options: Options, clock: Clock | None = None) -> Plan:
    """Check the models, with E's own transitions as candidates; the plan may be unsafe.

    Fault modes, selections and constraints of the case are ignored; only its grouping
    of transitions is used.

    Args:
        roles: As for `open_engine`.
        options: As for `open_engine`.
        clock: As for `open_engine`.

    Raises:
        SymrobError: As for `open_engine`; or E cannot be grouped in this way.
        NominalViolation: C violates a property with E's `tau` steps alone.
        LimitExceeded: A bound was hit.
    """
    clock = clock or Clock(options.limits, spent=roles.seconds)
    by = roles.faults.by if roles.faults is not None else ()
    if "component" in by and roles.priorities:
        raise SymrobError(roles.priorities)
    posed = pose(replace(roles, faults=None), replace(options, extra_states=0), clock)
    posed.require_no_budget("assume")
    e = posed.environment
    silent = [t for t in e.transitions if t.action == TAU]
    problem = replace(
        posed,
        environment=with_transitions(e, silent),
        constraints=(),
        among=e.visible_transitions,
        units=planned_units(e, roles.environment.model, by),
    )
    try:
        engine = _safe_engine(problem, roles, options, clock)
    except NominalViolation as error:
        message = (
            "forbidding transitions of E cannot make the plan safe: internal moves, "
            "and actions that C performs without E, suffice to violate "
            f"{error.trace.violated}"
        )
        raise _said(error, Diagnostic("plan-hopeless", message)) from None
    return Plan(space_of(engine), e)


def open_space(roles: Roles, options: Options, clock: Clock | None = None) -> Space:
    """Call `open_engine` and return the space of units.

    Returns:
        The sets of candidates, or of fault modes. If the product of E is too large,
        and it consists of independent parts, the space combines the parts.

    Raises:
        SymrobError: As for `open_engine`.
        NominalViolation: As for `open_engine`; for the part that is unsafe, if there
            are parts.
        LimitExceeded: A bound was hit.
    """
    if roles.faults is not None and (parts := split(roles, options)):
        return _open_parts(roles, parts, options, clock)
    return space_of(open_engine(roles, options, clock))


def _open_parts(
    roles: Roles, parts: Sequence[Part], options: Options, clock: Clock | None
) -> Space:
    """Open each part; the warnings are those of the whole."""
    clock = clock or Clock(options.limits, spent=roles.seconds)
    relaxed = replace(options, strict=False)
    with ExitStack() as opening:
        engines = [
            opening.enter_context(_open_part(part, relaxed, clock))
            for part, _own in parts
        ]
        opening.pop_all()
    places = [own for _part, own in parts]
    units = joined(
        zip((e.mode_sets.units.plan for e in engines), places, strict=True),
        roles.environment.model,
    )
    stated = requirements(roles)
    assert stated is not None, "the roles were split"
    doubts = alphabet_doubts(
        roles.environment,
        roles.controller,
        [*map(stated.watching, roles.properties)],
        [*map(stated.watching, roles.constraints)],
        roles.one_sided,
    )
    theirs = (w for engine in engines for w in engine.problem.warnings)
    kept = (w for w in theirs if w.code in ("modes-idle", "problem-vacuous-property"))
    space = FaultModeSpace(engines, units, (*roles.warnings, *doubts, *kept))
    if options.strict:
        refuse_warnings(space.warnings)
    return space


def _open_part(roles: Roles, options: Options, clock: Clock) -> Engine:
    """The engine of a part: of the product of E, or of its components in bits."""
    with running(clock), Doing("building the problem", "states"):
        posed = pose_coupled(roles, options)
    if posed is None:
        return open_engine(roles, options, clock)
    return _nominally_safe(CoupledEngine(posed, options.backend, clock), roles)


def analyse(
    roles: Roles, options: Options, on_progress: Progress | None = None
) -> SafetyEnvelope:
    """Check the nominal system and prepare the computation of Δ.

    Args:
        roles: The models.
        options: How to run.
        on_progress: Called with the number of deviations found so far and the seconds
            since the start, after each one.

    Returns:
        The deviations, computed during iteration; sets of fault modes if E consists of
        independent parts.

    Raises:
        SymrobError: A model cannot play its role, or an option needs E as a whole; all
            problems at once.
        NominalViolation: The nominal system already violates a property or constraint,
            so Δ is undefined; carries a shortest violating trace.
        LimitExceeded: A bound was hit before the first deviation.
    """
    space = open_space(roles, options)
    engine = space.whole
    if engine is None:
        _refuse_options_of_one(options)
        found = space.maximal()
    elif options.spread:
        found = spread(engine, options.processes, options.cluster)
    else:
        weights = _weights(roles, options, engine.problem)
        found = deviations(engine, options.algorithm, *weights)
    return SafetyEnvelope(
        space,
        options.algorithm,
        found,
        repeatable=not options.spread,
        limit=options.limit,
        largest=options.largest,
        on_progress=on_progress,
        title=roles.title,
        words=roles.words,
    )


def _weights(
    roles: Roles, options: Options, problem: Problem
) -> tuple[Callable[[Transition], int] | None, Callable[[int], int] | None]:
    """The weight of a transition, or of a mode, if the largest are asked for."""
    file, units = options.weights, problem.units
    if options.largest is None:
        return None, None
    if file is None:
        return (_one, None) if units is None else (None, _one)
    with naming(roles.source, file):
        if units is None:
            return load_weights(file, problem.environment), None
        return None, load_mode_weights(file, units)


def _one(_unit: object) -> int:
    return 1


def _refuse_options_of_one(options: Options) -> None:
    wrong = {
        "--top": options.largest is not None,
        "--algorithm": options.algorithm != "maximal",
        "-j and --dask": options.spread,
    }
    for what in (name for name, given in wrong.items() if given):
        message = f"{what}: not supported; the product of E's components is too large"
        raise SymrobError(Diagnostic("usage-option", message))


def open_sides(
    sides: Mapping[str, Roles], options: Options, clock: Clock | None = None
) -> list[Engine]:
    """Prepare the sides of a comparison; they share the bounds of one run.

    Args:
        sides: The models of each side, by the name that messages use.
        options: How to run.
        clock: Clock of the enclosing run; by default a new one.

    Raises:
        SymrobError: A model cannot play its role, or the environments differ.
        NominalViolation: The nominal system of a side already violates a property or
            constraint; the error names the side.
        LimitExceeded: A bound was hit.
    """

    def require(one: Engine, other: Engine) -> None:
        require_same(one.problem.environment, other.problem.environment)

    return _open_sides(open_engine, require, sides, options, clock)


def open_spaces(
    sides: Mapping[str, Roles], options: Options, clock: Clock | None = None
) -> list[Space]:
    """Call `open_sides` and return the space of each side, all of one kind.

    Raises:
        SymrobError: As for `open_sides`; or only some sides use fault modes.
    """

    def require_same(one: Space, other: Space) -> None:
        require_same_environment(one.about, other.about)

    return _open_sides(open_space, require_same, sides, options, clock)


def _open_sides(
    opened: Callable[[Roles, Options, Clock], Opened],
    require_same: Callable[[Opened, Opened], None],
    sides: Mapping[str, Roles],
    options: Options,
    clock: Clock | None,
) -> list[Opened]:
    if clock is None:
        spent = sum(roles.seconds for roles in sides.values())
        clock = Clock(options.limits, spent=spent)
    found: list[Opened] = []
    with ExitStack() as opening:
        for name, roles in sides.items():
            try:
                found.append(opening.enter_context(opened(roles, options, clock)))
                require_same(found[0], found[-1])
            except NominalViolation as error:
                first = error.diagnostics[0]
                named = replace(first, message=f"{name}: {first.message}")
                error.title = name
                raise _said(error, named) from None
        opening.pop_all()
    return found


def _said(error: NominalViolation, problem: Diagnostic) -> NominalViolation:
    """A violation in other words."""
    violation = NominalViolation(problem, error.trace)
    violation.warnings, violation.title = error.warnings, error.title
    violation.words = error.words
    return violation


def _refuse_extra_states(options: Options) -> None:
    if options.extra_states:
        message = "--extra-states: not supported with fault modes of components"
        raise SymrobError(Diagnostic("usage-by", message))
