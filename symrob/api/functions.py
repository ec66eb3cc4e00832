"""The functions of the Python API: arguments in many forms, checked; results out.

In:  models or paths, and options.
Out: models, results; a `SymrobError` that lists every problem of the arguments.

The stages behind these functions are in `symrob.api`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import fields
from os import PathLike, fspath
from typing import Any, cast

from symrob.api.arguments import at_most_of, faults_of, fits, named_goals, wrong
from symrob.api.loading import Roles, read_sentence
from symrob.api.result import SafetyEnvelope
from symrob.api.stages import Progress, analyse
from symrob.case import Constant, parse_spec
from symrob.case.keys import is_constant
from symrob.errors import Diagnostic, SymrobError, did_you_mean, require_count
from symrob.files import ANYWHERE
from symrob.formats import read
from symrob.limits import DEFAULT_LIMITS
from symrob.logic.patterns import is_sentence
from symrob.lts import Action, Lts, Network
from symrob.lts.product import product as multiply
from symrob.options import Options
from symrob.problem import Model, Role
from symrob.problem.modes import FaultMode

AnyModel = Lts | Network | str | PathLike[str]


def load(
    path: str | PathLike[str],
    process: str | None = None,
    constants: Mapping[str, Constant] | None = None,
    *,
    allow_outside: bool = False,
) -> Model:
    """Read a model from a file.

    Args:
        path: The file; its suffix determines the format: `.lts` or `.fsp` for FSP,
            `.aut` for Aldebaran, `.fsm` for DESops, `.json`. A `#PROCESS` at the end
            selects a process.
        process: The process or composite to take, where the file has several.
        constants: Values for FSP constants (a number) and ranges (a pair), in
            place of those in the file.
        allow_outside: Allow imports from outside of the file's folder.

    Returns:
        A `Network` of components, without their product; an `Lts` if there is only one
        component.

    Raises:
        SymrobError: The file cannot be read (every problem in it is listed), or an
            argument has the wrong type.
    """
    given = fits(
        ("path", path, str | PathLike, "a path, such as 'nurse.lts'"),
        ("process", process, str | None, "the name of a process"),
        ("constants", constants, Mapping | None, "a dict, such as {'N': 3}"),
    )
    _refuse(given)
    _refuse(
        [
            wrong(f"constants[{name!r}]", value, "a number or a pair of numbers")
            for name, value in (constants or {}).items()
            if not is_constant(list(value) if isinstance(value, tuple) else value)
        ]
    )
    if is_sentence(fspath(path)):
        found: Model = read_sentence(fspath(path), None, DEFAULT_LIMITS).network
        return found
    spec = parse_spec(fspath(path), root=ANYWHERE if allow_outside else None)
    network: Model = read(
        spec.path, process=process or spec.part, constants=constants, root=spec.root
    ).network
    return network


def from_machine(machine: object, *, ignoring: bool = False) -> Lts:
    """Return the model of a Python state machine.

    Args:
        machine: A `transitions.Machine`, also a hierarchical one; or an instance or
            class of `statemachine.StateMachine` or `StateChart`.
        ignoring: Add a self-loop for each event that a state does not handle, for
            machines that ignore such events; otherwise the state does not offer them.

    Returns:
        Its states, by their names, and its events. A condition becomes a
        nondeterministic choice; no callback is called. Hierarchy and parallel states
        are flattened.

    Raises:
        SymrobError: The object is not a supported machine, or uses history.
        LimitExceeded: It has too many states or transitions.
    """
    from symrob.formats.machines import read_machine

    return read_machine(machine, ignoring=ignoring).network.components[0]


def product(model: AnyModel, *, max_states: int | None = None) -> Lts:
    """Return a model as one system: the product of its components.

    Args:
        model: A network, whose hidden actions become `tau`; a single system, which is
            returned as it is; or the path of a file.
        max_states: Bound on the number of product states; by default
            `symrob.limits.MAX_STATES`.

    Raises:
        SymrobError: The argument is not a model, or the file cannot be read.
        LimitExceeded: The product has more states than that.

    Cost: linear in the reachable product, which can be exponential in the number of
        components.
    """
    require_count("max_states", max_states, 1)
    problems: list[Diagnostic] = []
    role = _role("model", model, problems)
    _refuse(problems)
    return multiply(role.model, max_states=max_states)


def network(
    components: Sequence[Lts],
    *,
    component_names: Sequence[str] | None = None,
    hidden: Sequence[str] = (),
) -> Network:
    """Compose systems in parallel, without computing their product.

    Args:
        components: The systems; they synchronise on the actions that they share.
        component_names: Their names, for traces; by default their numbers.
        hidden: Actions that are internal to the network.

    Raises:
        SymrobError: There is no component, one is not a system, or no component has a
            hidden action.
    """
    given = list(components) if isinstance(components, list | tuple) else [components]
    _refuse(
        fits(
            *((f"components[{i}]", c, Lts, "an Lts") for i, c in enumerate(given)),
        )
    )
    return Network(
        cast("list[Lts]", given), component_names=component_names, hidden=hidden
    )


def compute(
    environment: AnyModel,
    controller: AnyModel,
    properties: AnyModel | Sequence[AnyModel],
    env_constraints: AnyModel | Sequence[AnyModel] = (),
    *,
    algorithm: str = "maximal",
    extra_states: int = 0,
    faults: Sequence[FaultMode] | Mapping[str, Any] | None = None,
    only: bool = False,
    by: str | Sequence[str] = (),
    among: str | Sequence[str] = (),
    not_among: str | Sequence[str] = (),
    at_most: int | None = None,
    limit: int | None = None,
    largest: int | None = None,
    timeout: float | None = None,
    max_nodes: int | None = None,
    max_memory: int | None = None,
    backend: str = "auto",
    progress: Sequence[str] | Mapping[str, Any] = (),
    on_progress: Progress | None = None,
    **others: Any,
) -> SafetyEnvelope:
    """Compute the safety envelope of a controller.

    Each model is an `Lts`, a `Network`, or the path of a file as for `load`; a property
    or constraint can also be a sentence, such as `never fireXray`.

    Args:
        environment: E.
        controller: C.
        properties: P; with several, all must hold.
        env_constraints: P_env; with several, all must hold of the environment.
        algorithm: One of `symrob.options.ALGORITHMS`.
        extra_states: Number of extra states to add to E first.
        faults: Fault modes to use as units: `FaultMode`s, or, by name, expressions or
            templates (as dicts) as in a case file. Without `faults` and `by`, each
            candidate is a unit.
        only: Whether these modes are the only possible deviations.
        by: Group the candidates by `component`, `class`, `action`, or several of them,
            as a list or separated by commas.
        among: Consider only these candidates, as expressions `source,action,target`.
        not_among: Leave these candidates out, as expressions `source,action,target`.
        at_most: How many steps of a run may use transitions that E lacks; no bound by
            default.
        limit: Stop after this many deviations.
        largest: Return only this many deviations, those that add the most transitions,
            or the most fault modes, first.
        timeout: Stop after this many seconds.
        max_nodes: Stop when the BDDs have more nodes than this.
        max_memory: Stop when the process uses more MiB of memory than this; by default
            three quarters of the machine's memory, during a computation.
        backend: `cudd`, `autoref`, or `auto` for the first that is installed.
        progress: Goals that must stay possible: actions; named sets of actions, of
            which at least one must; `completion` for the end of the plan. By default,
            every action that the plan can always take again, and the end of the plan.
        on_progress: Called with the number of deviations found so far and the
            seconds since the start, after each one.
        others: Other fields of `symrob.options.Options`, such as `max_states`,
            `processes` or `strict`.

    Returns:
        The deviations, computed during iteration. If the product of E is too large,
        and it consists of independent parts, sets of fault modes.

    Raises:
        SymrobError: A model cannot be read or cannot play its role, an option is out of
            its range, or an argument has the wrong type; all problems of one kind at
            once.
        NominalViolation: The nominal system already violates a property or constraint,
            so Δ is undefined; carries a shortest violating trace.
        LimitExceeded: A bound was hit before the preconditions were checked.

    Source: docs/sources.md [S1], Def. 5.
    """
    known = [field.name for field in fields(Options)]
    for name in others.keys() - {*known}:
        message = f"unknown option '{name}'"
        hint = did_you_mean(name, known)
        raise SymrobError(Diagnostic("api-argument", message, hint=hint))
    options = Options(
        algorithm=algorithm,
        backend=backend,
        extra_states=extra_states,
        limit=limit,
        largest=largest,
        timeout=timeout,
        max_nodes=max_nodes,
        max_memory=max_memory,
        **others,
    )
    _refuse(fits(("on_progress", on_progress, Callable | None, "a function")))
    parts = models_in_roles(
        *(environment, controller, properties, env_constraints),
        faults=faults,
        only=only,
        by=by,
        among=among,
        not_among=not_among,
        at_most=at_most,
        progress=progress,
    )
    return analyse(parts, options, on_progress)


def models_in_roles(
    environment: object,
    controller: object,
    properties: object,
    constraints: object = (),
    **asked: Any,
) -> Roles:
    """Assign roles to models; read those that are given as paths.

    Args:
        environment: As for `compute`.
        controller: As for `compute`.
        properties: As for `compute`.
        constraints: As for `compute`.
        asked: `faults`, `only`, `by`, `among`, `not_among`, `at_most` and `progress`,
            as far as given.

    Raises:
        SymrobError: A model cannot be read, or an argument has the wrong type; all
            problems at once.
    """
    problems: list[Diagnostic] = []
    ours = _role("environment", environment, problems)
    theirs = _role("controller", controller, problems)
    mine = None if problems else {*ours.model.alphabet}
    all_known = None if mine is None else mine | {*theirs.model.alphabet}
    defaults = {"faults": None, "only": False, "by": (), "among": (), "not_among": ()}
    defaults["progress"] = ()
    most = at_most_of(asked.pop("at_most", None), problems)
    modes, only, by, among, not_among, goals = {**defaults, **asked}.values()
    parts = Roles(
        ours,
        theirs,
        _roles("property", properties, problems, all_known),
        _roles("constraint", constraints, problems, mine),
        faults=faults_of(modes, only, by, among, not_among, problems),
        at_most=most,
        goals=named_goals(goals, all_known or set(), problems),
    )
    _refuse(problems)
    return parts


def _roles(
    name: str,
    models: object,
    problems: list[Diagnostic],
    known: Collection[Action] | None,
) -> tuple[Role, ...]:
    """Give one model or several their role, as `_rule`."""
    if not isinstance(models, list | tuple | set | frozenset | Iterator):
        return (_rule(name, models, problems, known),)
    return tuple(
        _rule(f"{name} {number}", model, problems, known)
        for number, model in enumerate(models, 1)
    )


def _rule(
    name: str,
    model: object,
    problems: list[Diagnostic],
    known: Collection[Action] | None,
) -> Role:
    """Give a property or constraint its role, as `_role`; it can be a sentence.

    Args:
        name: As for `_role`.
        model: Likewise.
        problems: Likewise.
        known: What `*` in a sentence chooses from; `None` if E or C cannot be read, so
            that sentences are not judged.
    """
    if not isinstance(model, str) or not is_sentence(model):
        return _role(name, model, problems)
    found: Model = Lts([], 1, [])
    sentence = None
    if known is not None:
        try:
            read = read_sentence(model, known, DEFAULT_LIMITS)
            found, sentence = read.network, read.sentence
        except SymrobError as error:
            problems += error.diagnostics
    return Role(found, model, sentence)


def _role(name: str, model: object, problems: list[Diagnostic]) -> Role:
    """Give a model its role; read it if it is a path.

    Args:
        name: What messages call the role.
        model: As the user gave it.
        problems: What is wrong with it is added; something stands for it then.
    """
    if isinstance(model, str | PathLike):
        name, path = str(model), model
        try:
            model = load(path)
        except SymrobError as error:
            problems += error.diagnostics
    elif not isinstance(model, Lts | Network):
        problems.append(wrong(name, model, "an Lts, a Network or a path"))
    return Role(cast("Model", model), name)


def _refuse(problems: Sequence[Diagnostic]) -> None:
    if problems:
        raise SymrobError(problems)
