"""What users of Python call: arguments of any kind in, checked; results out.

In:  models or paths, and options.
Out: models, results; a `SymrobError` with every problem for what is of no use.

The stages behind it are in `symrob.api`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import fields
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, cast

from symrob.api.arguments import at_most_of, faults_of, fits, named_goals, wrong
from symrob.api.loading import Roles, read_sentence
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

if TYPE_CHECKING:
    from symrob.api.result import SafetyEnvelope

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
        path: The file; its suffix tells the format: `.lts` or `.fsp` for FSP,
            `.aut` for Aldebaran, `.fsm` for DESops, `.json`. A process may be
            named after a `#`.
        process: The process or composite to take, where the file has several.
        constants: Values for FSP constants (a number) and ranges (a pair), in
            place of those in the file.
        allow_outside: Let the file import others from outside of its folder.

    Returns:
        A `Network` of components that are not multiplied out, or an `Lts`
        where there is only one component.

    Raises:
        SymrobError: The file cannot be read, every problem in it is listed; or an
            argument is of the wrong kind.
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
    """Return the model of a state machine of Python.

    Args:
        machine: A `transitions.Machine`, also a hierarchical one; or a
            `statemachine.StateMachine` or `StateChart`, or a class of one.
        ignoring: Let each state ignore the events that it does not handle, as the
            machine may do itself; else it does not offer them.

    Returns:
        Its states, by their names, and its events. A condition becomes a choice; no
        callback is called. Hierarchy and parallel states are flattened.

    Raises:
        SymrobError: It is no such object, or uses history.
        LimitExceeded: It has too many states or transitions.
    """
    from symrob.formats.machines import read_machine

    return read_machine(machine, ignoring=ignoring).network.components[0]


def product(model: AnyModel, *, max_states: int | None = None) -> Lts:
    """Return a model as one system: multiplied out, where it is a network.

    Args:
        model: A network, whose hidden actions become `tau`; a lone system, which is
            returned as it is; or the path of a file.
        max_states: Bound on the number of product states; by default
            `symrob.limits.MAX_STATES`.

    Raises:
        SymrobError: It is no model, or a file that cannot be read.
        LimitExceeded: The product has more states than that.

    Cost: linear in the reachable product, which can be exponential in the
        number of components.
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
    """Put systems side by side, without multiplying them out.

    Args:
        components: The systems; they synchronise on the actions that they share.
        component_names: Their names, for traces; by default their numbers.
        hidden: Actions that nobody outside can see.

    Raises:
        SymrobError: One is no system, there is none, or a hidden action that none has.
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

    Each model is an `Lts`, a `Network`, or the path of a file as `load` takes it; a
    property or constraint can also be a sentence, such as `never fireXray`.

    Args:
        environment: E.
        controller: C.
        properties: P; with several, all must hold.
        env_constraints: P_env; with several, all must hold of the environment.
        algorithm: One of `symrob.options.ALGORITHMS`.
        extra_states: Number of fresh states to add to E first.
        faults: Fault modes to ask about: `FaultMode`s, or texts or templates (as
            dicts) by name as in a case file. Without any, and without `by`, each
            candidate is a unit by itself.
        only: Whether nothing can happen but these modes.
        by: Group the candidates: `component`, `class`, `action`, or some of them, as a
            list or with commas.
        among: The only single candidates, as texts `source,action,target`.
        not_among: Candidates that are left out, likewise.
        at_most: How many steps of a run may use transitions that E lacks; by default
            any number.
        limit: Stop after this many deviations.
        largest: Give only this many, those first that add the most transitions, or
            the most fault modes.
        timeout: Stop after this many seconds.
        max_nodes: Stop when the BDDs have more nodes than this.
        max_memory: Stop when the process uses more MiB of memory than this; by default
            three quarters of the machine's, while something is computed.
        backend: `cudd`, `autoref`, or `auto` for the first that is installed.
        progress: What must stay possible: actions, or by a name some of which one must;
            `completion` that the plan ends. By default what the plan can always do
            again, and its end.
        on_progress: Called with the number of deviations found so far and the
            seconds since the start, after each one.
        others: Other fields of `symrob.options.Options`, such as `max_states`,
            `processes` or `strict`.

    Returns:
        The deviations, computed while they are iterated over. Where E falls into
        independent parts and is too large to be multiplied out, sets of fault modes.

    Raises:
        SymrobError: A model cannot be read or cannot play its role, an option is
            out of its range, or an argument is of the wrong kind; all problems of
            one kind at once.
        NominalViolation: The nominal system violates a property or constraint
            already, so that Δ is undefined; holds a shortest violating trace.
        LimitExceeded: A bound was hit before the preconditions were checked.

    Source: docs/sources.md [S1], Def. 5.
    """
    known = [field.name for field in fields(Options)]
    for name in others.keys() - {*known}:
        message = f"there is no option '{name}'"
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
    """Give models their roles; read those that are paths.

    Args:
        environment: As for `compute`; so are the others.
        controller: Likewise.
        properties: Likewise.
        constraints: Likewise.
        asked: `faults`, `only`, `by`, `among`, `not_among`, `at_most` and `progress`,
            as far as given.

    Raises:
        SymrobError: A model cannot be read, or an argument is of the wrong kind; all
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
        known: What `*` in a sentence chooses from; `None` where E or C cannot be read,
            so that sentences are not judged.
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
