"""The stages in order, from models to the safety envelope. Read this first.

    models ──▶ Roles ──▶ Problem ──▶ Engine ──▶ SafetyEnvelope ──▶ answers
      (api.loading)  (problem)  (symbolic, envelope)  (api.result)   (analyses)

`docs/pipeline.md` tells what flows between them and what each one costs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from symrob.api.loading import Roles, load_roles
from symrob.case import Case
from symrob.errors import Diagnostic, NominalViolation, SymrobError, refuse_warnings
from symrob.limits import Clock, running
from symrob.lts import Transition
from symrob.options import Options

if TYPE_CHECKING:
    from symrob.api.result import SafetyEnvelope
    from symrob.certify.check import Verification
    from symrob.envelope.engine import Engine
    from symrob.problem import Problem

Progress = Callable[[int, float], None]


def pose(roles: Roles, options: Options, clock: Clock | None = None) -> Problem:
    """Check the models in their roles.

    Args:
        roles: The models.
        options: How to run.
        clock: Of the run; by default a new one.

    Raises:
        SymrobError: A model cannot play its role; all problems at once.
        LimitExceeded: A bound was hit.
    """
    from symrob.case.units import composition_of, with_units
    from symrob.case.words import word_doubts
    from symrob.problem import build_problem

    clock = clock or Clock(options.limits, spent=roles.seconds)
    faults = roles.faults
    with running(clock):
        environment, composed = roles.environment, None
        if faults is not None and roles.priorities and "component" in faults.by:
            raise SymrobError(roles.priorities)
        if faults is not None:
            composed = composition_of(faults, environment.model, options.limits)
        if composed is not None and roles.priorities:
            raise SymrobError(roles.priorities)
        if composed is not None:
            _refuse_extra_states(options)
            environment = replace(environment, model=composed.environment)
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
            problem = with_units(problem, faults, model, composed, options.limits)
    doubts = tuple(word_doubts(roles.words, problem))
    if doubts:
        problem = replace(problem, warnings=(*problem.warnings, *doubts))
    if not roles.constrained:
        problem = replace(problem, constraints=())
    if options.strict:
        refuse_warnings(problem.warnings)
    return problem


def open_engine(roles: Roles, options: Options, clock: Clock | None = None) -> Engine:
    """Check the models in their roles, encode them in bits, check the nominal system.

    Every command and every analysis comes through here.

    Args:
        roles: The models.
        options: How to run.
        clock: Where several engines share one; by default a new one.

    Raises:
        SymrobError: A model cannot play its role; all problems at once.
        NominalViolation: The nominal system violates a property or constraint
            already, so that Δ is undefined; holds a shortest violating trace.
        LimitExceeded: A bound was hit.
    """
    from symrob.envelope.engine import Engine

    clock = clock or Clock(options.limits, spent=roles.seconds)
    engine = Engine(pose(roles, options, clock), options.backend, clock)
    try:
        engine.check_nominal()
    except SymrobError as error:
        # Whoever keeps the error must not keep the BDDs of the frames below:
        # CUDD wants its BDDs gone before their manager.
        error.warnings = engine.problem.warnings
        if isinstance(error, NominalViolation):
            error.title, error.words = roles.title, roles.words
        del engine
        raise error.with_traceback(None) from None
    return engine


def analyse(
    roles: Roles, options: Options, on_progress: Progress | None = None
) -> SafetyEnvelope:
    """Check the nominal system and set out to compute Δ.

    Args:
        roles: The models.
        options: How to run.
        on_progress: Called with the number of deviations found so far and the
            seconds since the start, after each one.

    Returns:
        The deviations, computed while they are iterated over.

    Raises:
        SymrobError: A model cannot play its role; all problems at once.
        NominalViolation: The nominal system violates a property or constraint
            already, so that Δ is undefined; holds a shortest violating trace.
        LimitExceeded: A bound was hit before the first deviation.
    """
    from symrob.api.algorithms import deviations
    from symrob.api.result import SafetyEnvelope

    engine = open_engine(roles, options)
    weight: Callable[[Transition], int] | None = None
    mode_weight: Callable[[int], int] | None = None
    units = engine.problem.units
    if options.largest is not None and units is not None:
        mode_weight = _equal_mode_weight
        if options.weights is not None:
            from symrob.case.weights import load_mode_weights

            mode_weight = load_mode_weights(options.weights, units)
    elif options.largest is not None:
        weight = _equal_weight
        if options.weights is not None:
            from symrob.case.weights import load_weights

            weight = load_weights(options.weights, engine.environment)
    if options.spread:
        from symrob.parallel.spread import spread

        engine.problem.require_singles("-j and --dask")
        found = spread(engine, options.processes, options.cluster)
    else:
        found = deviations(engine, options.algorithm, weight, mode_weight)
    return SafetyEnvelope(
        engine,
        options.algorithm,
        found,
        repeatable=not options.spread,
        limit=options.limit,
        largest=options.largest,
        on_progress=on_progress,
    )


def open_sides(
    sides: Mapping[str, Roles], options: Options, clock: Clock | None = None
) -> list[Engine]:
    """Prepare the sides of a comparison; they share the bounds of one run.

    Args:
        sides: The models of each side, by the name that messages use.
        options: How to run.
        clock: That of a run that they are a part of; by default a new one.

    Raises:
        SymrobError: A model cannot play its role, or the environments differ.
        NominalViolation: The nominal system of a side, which is named, violates
            a property or constraint already.
        LimitExceeded: A bound was hit.
    """
    from symrob.analyses.choice import require_same

    if clock is None:
        spent = sum(roles.seconds for roles in sides.values())
        clock = Clock(options.limits, spent=spent)
    engines: list[Engine] = []
    for name, roles in sides.items():
        try:
            engines.append(open_engine(roles, options, clock))
            require_same(engines[0].environment, engines[-1].environment)
        except NominalViolation as error:
            first = error.diagnostics[0]
            named = replace(first, message=f"{name}: {first.message}")
            del engines
            violation = NominalViolation(named, error.trace)
            violation.warnings, violation.title = error.warnings, name
            violation.words = error.words
            raise violation from None
        except SymrobError as error:
            # As in `open_engine`.
            del engines
            raise error.with_traceback(None) from None
    return engines


def verify_result(
    path: str, case: Case, options: Options, complete: bool = False
) -> tuple[Problem, Verification]:
    """Check a result file against the models it is said to come from.

    Args:
        path: What `symrob compute --format json` printed.
        case: The models.
        options: How to read them.
        complete: Also check that no deviation is missing.

    Returns:
        The problem, and what the check gave.

    Raises:
        SymrobError: The file is no result, or of another environment.
        LimitExceeded: A bound was hit.
    """
    from symrob.case.results import load_result, read_deviations
    from symrob.certify.check import verify

    roles = load_roles(case, options.limits)
    clock = Clock(options.limits, spent=roles.seconds)
    problem = pose(roles, options, clock)
    data = load_result(path)
    deviations = read_deviations(data, problem.environment, path)
    if problem.units is None:
        return problem, verify(problem, deviations, clock, complete=complete)
    from symrob.case.results import read_mode_sets
    from symrob.certify.modes import verify_modes

    sets = read_mode_sets(data, path)
    return problem, verify_modes(problem, sets, deviations, clock, complete=complete)


def _refuse_extra_states(options: Options) -> None:
    if options.extra_states:
        message = "--extra-states: E is asked about by component, and they are of none"
        raise SymrobError(Diagnostic("usage-by", message))


def _equal_mode_weight(_mode: int) -> int:
    return 1


def _equal_weight(_transition: Transition) -> int:
    return 1
