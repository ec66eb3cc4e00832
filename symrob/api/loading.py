"""Reading the models that a case names, within the bounds of one run.

In:  a `Case`, or the path of one model.
Out: `Roles`: the models of each role, with the warnings from reading them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from time import monotonic

from symrob.case import Case, Constant, Rule, Spec
from symrob.case.faults import Faults
from symrob.case.places import TomlSource
from symrob.case.table import is_of_components
from symrob.errors import Diagnostic, SymrobError, known_or_near, refuse_warnings
from symrob.files import is_stdin
from symrob.formats import DEFAULT_LIMITS, ModelFile, read, reading
from symrob.formats.fsp import ast
from symrob.formats.text import NO_CHOICE
from symrob.limits import Limits
from symrob.logic.patterns import parse_pattern
from symrob.lts import Action, Lts
from symrob.lts.product import product
from symrob.options import Options
from symrob.problem import Model, Role, with_extra_states
from symrob.problem.goals import Goal, goals_of
from symrob.words import PLAIN, Words


@dataclass(frozen=True)
class Roles:
    """The models of one problem, each with the name that messages use.

    Attributes:
        environment: E.
        controller: C.
        properties: P, all of which must hold.
        constraints: P_env, all of which must hold.
        warnings: The warnings from reading them.
        one_sided: Patterns of actions that intentionally belong to E or C alone; `*`
            stands for any text.
        title: Human-readable title; may be empty.
        words: Plain-language words for their names.
        constrained: Whether the constraints count.
        faults: The fault modes that the case declares, if any.
        priorities: An error for each priority in E; see `formats.text.ModelFile`.
        seconds: Time spent on reading them; it counts towards the run's bound.
        source: The case file that names them, if any.
        at_most: How many steps of a run may use transitions that E lacks; `None` for no
            bound.
        goals: Goals that must stay possible, if the case or a model of E or C names
            them.
    """

    environment: Role
    controller: Role
    properties: tuple[Role, ...]
    constraints: tuple[Role, ...]
    warnings: tuple[Diagnostic, ...] = ()
    one_sided: tuple[str, ...] = ()
    title: str = ""
    words: Words = PLAIN
    constrained: bool = True
    faults: Faults | None = None
    priorities: tuple[Diagnostic, ...] = ()
    seconds: float = 0.0
    source: TomlSource | None = None
    at_most: int | None = None
    goals: tuple[Goal, ...] = ()


def multiplied_out(model: Model, max_states: int) -> Lts:
    """Return a model as one system; see `symrob.lts.product.product`."""
    return product(model, max_states=max_states)


def load_model(
    rule: Rule,
    constants: Mapping[str, Constant],
    options: Options,
    product: bool = False,
    form: str | None = None,
) -> tuple[ModelFile, Model]:
    """Read a single model.

    Args:
        rule: The model; or a property sentence.
        constants: As for `load`.
        options: Options, for the bounds on what is read and built.
        product: Compute the product of the components.
        form: The format, if the suffix does not determine it.

    Returns:
        The model as it was read, and its network or product.

    Raises:
        SymrobError: The file cannot be read, or lacks one of the constants.
        LimitExceeded: The product has too many states.
    """
    limits = options.limits
    with reading(limits):
        if isinstance(rule, Spec):
            model = read(
                rule.path,
                process=rule.part,
                constants=constants,
                limits=limits,
                root=rule.root,
                form=form,
            )
        else:
            model = read_sentence(rule, None, limits)
        network: Model = model.network
        if product:
            network = multiplied_out(network, options.max_states)
    if options.strict:
        refuse_warnings(model.warnings)
    path = rule.path if isinstance(rule, Spec) else rule
    problems = [
        Diagnostic("usage-const", f"{path} has no constant '{name}'", hint=hint)
        for name in sorted(set(constants) - model.used_constants)
        for hint in [_known(name, [model])]
    ]
    if problems:
        raise SymrobError(problems)
    return model, network


def load_environment(
    case: Case, options: Options
) -> tuple[Lts, tuple[Diagnostic, ...]]:
    """Read only the environment of a case, as the whole case would use it.

    Args:
        case: The case; its other models are not read.
        options: Options, for the bounds and the extra states.

    Returns:
        The environment as one system, and the warnings from reading it.

    Raises:
        SymrobError: It cannot be read.
        LimitExceeded: It is too large, or the time is used up.
    """
    with reading(options.limits):
        model = _read_model(case, case.environment, options.limits)
        environment = multiplied_out(model.network, options.max_states)
    if options.extra_states:
        environment = with_extra_states(environment, options.extra_states)
    return environment, model.warnings


def load_roles(case: Case, limits: Limits | None = None) -> Roles:
    """Read all models of a case.

    Args:
        case: The case.
        limits: Bounds on the expansion of each file; `Options.limits`.

    Raises:
        SymrobError: Models cannot be read (the problems of all of them are reported),
            or no model has a constant that the case sets.
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
        SymrobError: As for `load_roles`, for the first case that is wrong.
        LimitExceeded: The time or the memory is used up.
    """
    limits = limits or DEFAULT_LIMITS
    sides = {}
    with reading(limits):
        for name, case in cases.items():
            start = monotonic()
            roles = _read_roles(case, limits)
            sides[name] = replace(roles, seconds=monotonic() - start)
    return sides


def constants_beside(case: Case, limits: Limits) -> dict[str, Constant]:
    """Return the constants of a case that some model other than E has.

    Args:
        case: The case; its models must be readable.
        limits: As for `load_roles`.
    """
    with reading(limits):
        used = {
            name
            for spec in case.specs[1:]
            for name in _read_model(case, spec, limits).used_constants
        }
    return {name: value for name, value in case.constants.items() if name in used}


def read_sentence(
    text: str, known: Iterable[Action] | None, limits: Limits
) -> ModelFile:
    """Read a property sentence.

    Args:
        text: The sentence.
        known: The actions that `*` in a name can match; `None` if they are unknown.
        limits: Bounds on the monitor.

    Raises:
        SymrobError: It is not a known sentence, or a name with `*` matches no action.
    """
    pattern = parse_pattern(text)
    return ModelFile(
        pattern.monitor(known, limits),
        pattern.text,
        meaning=pattern.words,
        sentence=pattern if pattern.condition is not None else None,
    )


def _read_model(case: Case, spec: Spec, limits: Limits) -> ModelFile:
    """Read one model of a case; the case's form is that of standard input."""
    given = case.roles
    mine = given if given and given.model.path == spec.path else None
    return read(
        spec.path,
        process=spec.part,
        constants=case.constants,
        limits=limits,
        root=spec.root,
        form=case.form if is_stdin(spec.path) else None,
        roles=mine.choice if mine else NO_CHOICE,
    )


def _read_roles(case: Case, limits: Limits) -> Roles:
    problems: list[Diagnostic] = []
    warnings: list[Diagnostic] = []
    # What was said of models that cannot be read, and may be why.
    reasons: list[Diagnostic] = []
    priorities: list[Diagnostic] = []
    used: set[str] = set()
    # Each is read once, however often it is named.
    models: dict[Spec, ModelFile] = {}
    complete = True
    source = case.source

    def named(rule: Rule, problem: Diagnostic) -> Diagnostic:
        if source is None:
            return problem
        if isinstance(rule, str) and problem.file is None and rule in source.keys:
            return source.at(problem, source.keys[rule])
        file = rule.path if isinstance(rule, Spec) else rule
        return source.naming(str(rule), file, problem)

    def roles(
        kind: str, rules: Sequence[Rule], known: Iterable[Action] = ()
    ) -> tuple[Role, ...]:
        nonlocal complete
        result = []
        for rule, name in zip(rules, case.names[kind], strict=True):
            try:
                if isinstance(rule, Spec):
                    model = models.get(rule) or _read_model(case, rule, limits)
                    models[rule] = model
                elif known or complete:
                    model = read_sentence(rule, known, limits)
                else:
                    continue
            except SymrobError as error:
                problems.extend(named(rule, problem) for problem in error.diagnostics)
                reasons.extend(error.warnings)
                complete = False
                continue
            warnings.extend(model.warnings)
            if kind == "environment":
                priorities.extend(model.priorities)
            used.update(model.used_constants)
            result.append(Role(model.network, name, model.sentence))
        return tuple(result)

    environment = roles("environment", (case.environment,))
    controller = roles("controller", (case.controller,))
    ours = frozenset(a for role in environment for a in role.model.alphabet)
    theirs = frozenset(a for role in controller for a in role.model.alphabet)
    properties = roles("properties", case.properties, ours | theirs)
    constraints = roles("constraints", case.constraints, ours)
    goals: tuple[Goal, ...] = ()
    if environment and controller:
        try:
            goals = goals_of(case.progress, ours | theirs, partial(_at_goal, source))
        except SymrobError as error:
            problems.extend(error.diagnostics)
        plan = (models.get(spec) for spec in (case.environment, case.controller))
        goals += tuple(_declared(filter(None, plan), ours | theirs))
    table = None if case.faults is None else case.faults.table
    if table is not None and source is not None:
        try:
            is_of_components(table)
        except SymrobError as error:
            problems.extend(named(table, problem) for problem in error.diagnostics)
    if complete:
        unknown = set(case.constants) - used
        problems += _unknown_constants(case, unknown, models.values())
        problems += _in_both(case, models)
    if problems:
        wrong = SymrobError(list(dict.fromkeys(problems)))
        wrong.warnings = tuple(dict.fromkeys(reasons))
        raise wrong
    return Roles(
        environment[0],
        controller[0],
        properties,
        constraints,
        tuple(dict.fromkeys(warnings)),
        case.one_sided,
        case.title,
        case.vocabulary,
        case.constrained,
        case.faults,
        tuple(priorities),
        source=source,
        at_most=case.at_most,
        goals=tuple(dict.fromkeys(goals)),
    )


def _at_goal(source: TomlSource | None, name: str, problem: Diagnostic) -> Diagnostic:
    return problem if source is None else source.at(problem, ("progress", name))


def _declared(models: Iterable[ModelFile], known: frozenset[Action]) -> Iterator[Goal]:
    """The goals that the texts of E and C declare; some may be of other models."""
    for model in models:
        for name, actions in model.progress:
            if own := known.intersection(actions):
                yield Goal(name, tuple(sorted(own)))


def _in_both(case: Case, models: Mapping[Spec, ModelFile]) -> Iterator[Diagnostic]:
    """What to say of a file that is taken whole, and so holds E and C."""
    specs = {"environment": case.environment, "controller": case.controller}
    if len({spec.path for spec in specs.values()}) > 1:
        return
    whole = {
        role: models[spec].network.component_names
        for role, spec in specs.items()
        if spec.part is None
    }
    for role, names in whole.items():
        ((other, theirs),) = ((r, s.part) for r, s in specs.items() if r != role)
        if len(names) > 1 and theirs in (None, *names):
            path, mine = specs[role].path, next(n for n in names if n != theirs)
            problem = Diagnostic(
                "case-same-process",
                f"the {role} is the whole file '{path}' ({', '.join(names)}), which "
                f"also contains the {other}",
                hint=f"name one of its processes, such as '{path}#{mine}'",
            )
            if case.source is not None and case.source.has((role,)):
                problem = case.source.at(problem, (role,))
            yield problem
            return


def _known(name: str, models: Iterable[ModelFile]) -> str | None:
    """A hint with the constants that models have."""
    nodes = (node for model in models for node in model.declarations)
    known = (n.name.text for n in nodes if isinstance(n, ast.ConstDef | ast.RangeDef))
    return known_or_near(name, known, "known constants")


def _unknown_constants(
    case: Case, names: Iterable[str], models: Collection[ModelFile]
) -> Iterator[Diagnostic]:
    """What to say of constants that no model has, each at its place in the case."""
    for name in sorted(names):
        message, hint = f"no model has the constant '{name}'", _known(name, models)
        problem = Diagnostic("case-constant", message, hint=hint)
        for key in (("constants", name), ("matrix", "constants", name)):
            if case.source is not None and case.source.has(key):
                problem = case.source.at(problem, key)
        yield problem
