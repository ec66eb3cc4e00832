"""The stages in order, from models to the safety envelope. Read this first.

    models ──▶ build_problem ──▶ Engine ──▶ check_nominal ──▶ SafetyEnvelope
    (formats,   (robustness.      (symbolic   (E‖C ⊨ P,        (screen, Horn
     fsp)        problem)          encoding)   E ⊨ P_env)       formula, growth)

`docs/pipeline.md` tells what flows between them and what each one costs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from time import monotonic
from typing import TYPE_CHECKING

from symrob.case import Case, Constant, split_process
from symrob.errors import (
    Diagnostic,
    NominalViolation,
    SymrobError,
    refuse_warnings,
)
from symrob.files import is_stdin
from symrob.interrupts import ticking
from symrob.limits import Clock
from symrob.lts import Lts, Network, Transition
from symrob.options import Options

if TYPE_CHECKING:
    from symrob.api.result import SafetyEnvelope
    from symrob.certify.check import Verification
    from symrob.envelope.engine import Engine
    from symrob.formats import Model as FileModel
    from symrob.limits import Limits
    from symrob.problem import Problem, Role

Model = Lts | Network
Progress = Callable[[int, float], None]


@dataclass(frozen=True)
class Roles:
    """The models of one problem, each with the name that messages use.

    Attributes:
        environment: E.
        controller: C.
        properties: P, all of which must hold.
        constraints: P_env, all of which must hold.
        warnings: What reading them gave.
        one_sided: Actions that E or C is meant to have alone, with `*` for any text.
        title: What a person calls the case; may be empty.
        seconds: What reading them took, of the time that a run has.
    """

    environment: Role
    controller: Role
    properties: tuple[Role, ...]
    constraints: tuple[Role, ...]
    warnings: tuple[Diagnostic, ...] = ()
    one_sided: tuple[str, ...] = ()
    title: str = ""
    seconds: float = 0.0


def multiplied_out(model: Model, max_states: int) -> Lts:
    """Return a model as one system; see `symrob.lts.product.product`."""
    from symrob.lts.product import product

    return product(model, max_states=max_states)


def load_model(
    spec: str,
    constants: Mapping[str, Constant],
    options: Options,
    product: bool = False,
    form: str | None = None,
) -> tuple[FileModel, Model]:
    """Read one model for its own sake.

    Args:
        spec: The file, with `#PROCESS` where one is meant.
        constants: As for `load`.
        options: For the bounds on what is read and built.
        product: Multiply the components out.
        form: The format, where the suffix does not tell it.

    Returns:
        The model as it was read, and its network or product.

    Raises:
        SymrobError: The file cannot be read, or has no such constant.
        LimitExceeded: The product has too many states.
    """
    from symrob.formats import read, reading

    limits = options.limits
    path, process = split_process(spec)
    with reading(limits):
        model = read(
            path, process=process, constants=constants, limits=limits, form=form
        )
        network: Model = model.network
        if product:
            network = multiplied_out(network, options.max_states)
    if options.strict:
        refuse_warnings(model.warnings)
    problems = [
        Diagnostic("usage-const", f"{path} has no constant '{name}'")
        for name in sorted(set(constants) - model.used_constants)
    ]
    if problems:
        raise SymrobError(problems)
    return model, network


def load_environment(
    case: Case, options: Options
) -> tuple[Lts, tuple[Diagnostic, ...]]:
    """Read the environment of a case alone, as its other models would meet it.

    Args:
        case: Whose environment; what else it names is not read.
        options: For the bounds, and the extra states.

    Returns:
        The environment, multiplied out, and what reading it gave.

    Raises:
        SymrobError: It cannot be read.
        LimitExceeded: It is too large, or the time is used up.
    """
    from symrob.formats import read, reading
    from symrob.problem import with_extra_states

    path, process = split_process(case.environment)
    with reading(options.limits):
        model = read(
            path,
            process=process,
            constants=case.constants,
            limits=options.limits,
            root=case.root,
            form=case.form if is_stdin(path) else None,
        )
        environment = multiplied_out(model.network, options.max_states)
    if options.extra_states:
        environment = with_extra_states(environment, options.extra_states)
    return environment, model.warnings


def load_roles(case: Case, limits: Limits | None = None) -> Roles:
    """Read all models of a case.

    Args:
        case: Which models play which role.
        limits: Bounds on what each file may ask for; `Options.limits`.

    Raises:
        SymrobError: Models cannot be read; the problems of all of them. Or a
            constant of the case is one that no model has.
        LimitExceeded: The time or the memory is used up.
    """
    return load_sides({"": case}, limits)[""]


def load_sides(
    cases: Mapping[str, Case], limits: Limits | None = None
) -> dict[str, Roles]:
    """Read all models of several cases, within the bounds of one run.

    Args:
        cases: The cases, by any name.
        limits: As for `load_roles`.

    Raises:
        SymrobError: As `load_roles`, for the first case that is wrong.
        LimitExceeded: The time or the memory is used up.
    """
    from symrob.formats import DEFAULT_LIMITS, reading

    limits = limits or DEFAULT_LIMITS
    sides = {}
    with reading(limits):
        for name, case in cases.items():
            start = monotonic()
            roles = _read_roles(case, limits)
            sides[name] = replace(roles, seconds=monotonic() - start)
    return sides


def _read_roles(case: Case, limits: Limits) -> Roles:
    from symrob.formats import read
    from symrob.problem import Role

    problems: list[Diagnostic] = []
    warnings: list[Diagnostic] = []
    used: set[str] = set()
    complete = True

    def roles(kind: str, specs: Sequence[str]) -> tuple[Role, ...]:
        nonlocal complete
        result = []
        for spec, name in zip(specs, case.names[kind], strict=True):
            path, process = split_process(spec)
            try:
                model = read(
                    path,
                    process=process,
                    constants=case.constants,
                    limits=limits,
                    root=case.root,
                    form=case.form if is_stdin(path) else None,
                )
            except SymrobError as error:
                problems.extend(error.diagnostics)
                complete = False
                continue
            warnings.extend(model.warnings)
            used.update(model.used_constants)
            result.append(Role(model.network, name))
        return tuple(result)

    environment = roles("environment", (case.environment,))
    controller = roles("controller", (case.controller,))
    properties = roles("properties", case.properties)
    constraints = roles("env_constraints", case.constraints)
    if complete:
        problems += [
            Diagnostic("case-constant", f"no model has the constant '{name}'")
            for name in sorted(set(case.constants) - used)
        ]
    if problems:
        raise SymrobError(list(dict.fromkeys(problems)))
    return Roles(
        environment[0],
        controller[0],
        properties,
        constraints,
        tuple(dict.fromkeys(warnings)),
        case.one_sided,
        case.title,
    )


def pose(roles: Roles, options: Options) -> Problem:
    """Check the models in their roles.

    Raises:
        SymrobError: A model cannot play its role; all problems at once.
        LimitExceeded: A bound was hit.
    """
    from symrob.problem import build_problem

    problem = build_problem(
        roles.environment,
        roles.controller,
        roles.properties,
        roles.constraints,
        extra_states=options.extra_states,
        limits=options.limits,
        warnings=roles.warnings,
        one_sided=roles.one_sided,
    )
    if options.strict:
        refuse_warnings(problem.warnings)
    return problem


def build_engine(roles: Roles, options: Options, clock: Clock | None = None) -> Engine:
    """Check the models in their roles and encode them in bits.

    Args:
        roles: The models.
        options: How to run.
        clock: Where several engines share one; by default a new one.

    Raises:
        SymrobError: A model cannot play its role; all problems at once.
        LimitExceeded: A bound was hit.
    """
    from symrob.envelope.engine import Engine

    clock = clock or Clock(options.limits, spent=roles.seconds)
    with ticking(clock.check):
        problem = pose(roles, options)
    return Engine(problem, options.backend, clock)


def checked_engine(
    roles: Roles, options: Options, clock: Clock | None = None
) -> Engine:
    """Do the same, and check that the nominal system is safe.

    Raises:
        SymrobError: As `build_engine`.
        NominalViolation: The nominal system violates a property or constraint
            already, so that Δ is undefined; holds a shortest violating trace.
        LimitExceeded: A bound was hit.
    """
    engine = build_engine(roles, options, clock)
    try:
        engine.check_nominal()
    except SymrobError as error:
        # Whoever keeps the error must not keep the BDDs of the frames below:
        # CUDD wants its BDDs gone before their manager.
        error.warnings = engine.problem.warnings
        if isinstance(error, NominalViolation):
            error.title = roles.title
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

    engine = checked_engine(roles, options)
    weight: Callable[[Transition], int] | None = None
    if options.largest is not None:
        weight = _equal_weight
        if options.weights is not None:
            from symrob.case.weights import load_weights

            weight = load_weights(options.weights, engine.environment)
    return SafetyEnvelope(
        engine,
        options.algorithm,
        deviations(engine, options.algorithm, weight),
        limit=options.limit,
        largest=options.largest,
        on_progress=on_progress,
    )


def side_engines(
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
            engines.append(checked_engine(roles, options, clock))
            require_same(engines[0].environment, engines[-1].environment)
        except NominalViolation as error:
            first = error.diagnostics[0]
            named = replace(first, message=f"{name}: {first.message}")
            del engines
            violation = NominalViolation(named, error.trace)
            violation.warnings, violation.title = error.warnings, name
            raise violation from None
        except SymrobError as error:
            # As in `checked_engine`.
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

    engine = build_engine(load_roles(case, options.limits), options)
    problem = engine.problem
    deviations = read_deviations(load_result(path), problem.environment, path)
    verification = verify(problem, deviations, engine.clock, complete=complete)
    return problem, verification


def _equal_weight(_transition: Transition) -> int:
    return 1
