"""Cases from model files whose parts have roles: plants, supervisors, requirements.

In:  such a file, and what the user says of the roles.
Out: its `Case`, which says in words what the file decided; another with its models.

By default, E is all plants, C all supervisors, P all specifications. With some plants
named as E, the other plants belong to C, beside the supervisors.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from symrob.case.model import Case, Constant
from symrob.case.specs import GivenRoles, Rule, Spec, parse_rule
from symrob.case.tables import KeyPath
from symrob.errors import (
    Diagnostic,
    SymrobError,
    did_you_mean,
    enumerated,
    plural,
    printable,
)
from symrob.files.paths import ANYWHERE
from symrob.formats import RoleParts, parts_of, suffixes
from symrob.formats.automata import NEVER, split_names
from symrob.formats.registry import known
from symrob.formats.text import NO_CHOICE, RoleChoice
from symrob.limits import DEFAULT_LIMITS, Limits
from symrob.logic.patterns import parse_pattern
from symrob.lts import Action


def has_roles(path: str, form: str | None = None) -> bool:
    """Whether a file is of a format whose parts have roles.

    Args:
        path: The file; only its beginning is read.
        form: The name of its format; `None` to recognise it.
    """
    if path.endswith(".toml"):
        return False
    try:
        return known(path, form).roles
    except SymrobError:
        return False


def case_of_roles(
    path: str,
    *,
    environment: str | None = None,
    controller: str | None = None,
    properties: Sequence[str] = (),
    constraints: Sequence[str] = (),
    constants: Mapping[str, Constant] | None = None,
    form: str | None = None,
    allow_outside: bool = False,
    given: GivenRoles | None = None,
    limits: Limits = DEFAULT_LIMITS,
    at: Callable[[Diagnostic, KeyPath], Diagnostic] = lambda problem, _key: problem,
) -> Case:
    """Return the case that a file with roles describes.

    Args:
        path: The file.
        environment: The parts that are E, with commas between them; `None` for all
            plants.
        controller: The parts that are C, separated by commas; `None` for the
            supervisors, and the plants that are not E.
        properties: Parts, files, or sentences; none for the specifications.
        constraints: Parts, files, or sentences; none by default.
        constants: See `Case`.
        form: The name of the format of the file.
        allow_outside: Let other files that are named import from outside of their
            folders.
        given: What a case file says of the roles, in place of the first two.
        limits: Bounds on what is read.
        at: Adds the place of a key of that case file to a problem.

    Raises:
        SymrobError: The file cannot be read, a part is unknown, or a role has no part;
            all problems at once.
    """
    root = ANYWHERE if allow_outside else None
    root = given.model.root if given else root
    reading = _PlantReading(path, form, limits, root)
    parts = reading.parts(NO_CHOICE)
    problems: list[Diagnostic] = []

    def wrong(message: str, key: KeyPath, hint: str | None = None) -> None:
        problem = Diagnostic("case-part", message, file=path, hint=hint)
        problems.append(at(problem, ("roles", *key)))

    def within(names: tuple[str, ...], key: str = "") -> Spec:
        for number, name in enumerate(names):
            if name not in parts.names:
                listed = ", ".join(parts.names)
                message = f"this file has no part '{name}'; its parts: {listed}"
                wrong(message, (key, number), did_you_mean(name, parts.names))
        return Spec(path, names, root)

    def rule(text: str) -> Rule:
        if text not in parts.names:
            meant = parse_rule(text, root=root)
            if not isinstance(meant, Spec) or meant.path.lower().endswith(suffixes()):
                return meant
        return within(split_names(text, parts.names))

    def outside(text: str | None) -> Spec | None:
        """Another file that is named, if one is."""
        meant = rule(text) if text and text not in parts.names else None
        return meant if isinstance(meant, Spec) and meant.path != path else None

    others = outside(environment), outside(controller)
    problems.clear()
    if given is None:
        mine = None
        if environment and not others[0]:
            mine = split_names(environment, parts.names)
        theirs = split_names(controller, parts.names) if controller else None
        given = GivenRoles(Spec(path), RoleChoice(mine), theirs)
    if given.choice != NO_CHOICE:
        parts = reading.parts(given.choice)
    for each in parts.wrong:
        number = getattr(given.choice, each.key).index(each.name)
        wrong(each.message, (each.key, number), each.hint)
    usual = parts.plants if parts.environment is None else parts.environment
    rest = tuple(name for name in parts.plants if name not in usual)
    controlling = (*rest, *parts.controllers)
    if given.controller:
        controlling = tuple(dict.fromkeys(map(parts.part, given.controller)))
        for number, name in enumerate(given.controller):
            if parts.part(name) in usual and not others[0]:
                wrong(f"'{name}' is a part of E", ("controller", number))
    # What never happens in the file can happen in another one that is E or C.
    never = [name for name in parts.controllers if name.startswith(NEVER)]
    controlling = tuple(n for n in controlling if n not in never)
    controlling += tuple(never) if not any(others) else ()
    must: tuple[Rule, ...] = tuple(map(rule, properties))
    if not must:
        must = (*(within((n,)) for n in parts.specifications), *parts.sentences)
    decided = (
        ("E", environment, usual),
        ("C", controller, controlling),
        ("P", properties, (*parts.specifications, *parts.sentences)),
    )
    said = [(role, names) for role, chosen, names in decided if not chosen]
    for role, names in said:
        if not names and not parts.wrong:
            what, hint = _MISSING[role]
            if role == "P" and parts.guards:
                hint = f"its requirements are guards of C; {hint}"
            message = f"no {what} can serve as {role}"
            problem = Diagnostic("case-role", message, file=path, hint=hint)
            problems.append(at(problem, ("roles", "model")))
    if not environment and parts.environment is None and not problems:
        guarded = _only_of_plants(parts, controlling)
        if guarded:
            message = "the file does not specify the plants of E: "
            message += f"'{guarded[0]}' has a guard of C, but only plants perform it"
            hint = _MISSING["C"][1]
            problem = Diagnostic("case-role", message, file=path, hint=hint)
            problems.append(at(problem, ("roles", "model")))
    case = Case(
        others[0] or within(usual),
        others[1] or within(controlling, "controller"),
        (*must, *parts.guards),
        tuple(map(rule, constraints)),
        constants or {},
        title=os.path.basename(path),
        path=path,
        form=form,
        said=_words(path, said, parts, (environment, controller, *properties)),
        controllable=_controllable(parts, controlling),
        # Conditions on states join what shares no action.
        one_sided=("*",) if parts.sentences or parts.guards else (),
        roles=given if given.choice != NO_CHOICE else None,
    )
    if problems:
        problems.sort(key=lambda each: (each.line or 0, each.column or 0))
        raise SymrobError(list(dict.fromkeys(problems)))
    return case


class _PlantReading(NamedTuple):
    """Reads the parts of a file."""

    path: str
    form: str | None
    limits: Limits
    root: str | None

    def parts(self, choice: RoleChoice) -> RoleParts:
        form, limits, root = self.form, self.limits, self.root
        return parts_of(self.path, form=form, limits=limits, root=root, roles=choice)


def models_of(chosen: Case, data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the models that a case file leaves to [roles], as fields of `Case`.

    Args:
        chosen: The case of the file with roles.
        data: The case file; its properties win over those of that file.
    """
    models = {"environment": chosen.environment, "controller": chosen.controller}
    if "properties" in data:
        return models
    return {**models, "properties": chosen.properties}


def with_roles(case: Case, chosen: Case) -> Case:
    """Return a case with its models and what the file with roles says besides.

    Args:
        case: The case, with the models of `models_of`.
        chosen: The case of the file with roles.
    """
    guards = tuple(
        rule
        for rule in chosen.properties
        if isinstance(rule, str) and parse_pattern(rule).kind == "guard"
    )
    disabled = case.controllable is not None or case.uncontrollable is not None
    return replace(
        case,
        properties=tuple(dict.fromkeys((*case.properties, *guards))),
        controllable=case.controllable if disabled else chosen.controllable,
        one_sided=tuple(dict.fromkeys((*case.one_sided, *chosen.one_sided))),
        said=chosen.said,
        roles=chosen.roles,
    )


# What is there to play a role, and what to do where it is not.
_MISSING = {
    "E": ("plant", "name the plants of the environment: --env NAME,NAME"),
    "C": (
        "supervisor",
        "name the plants of the environment with --env NAME (the others form the "
        "controller), or name the controller with --ctrl NAME",
    ),
    "P": ("specification", "name a property: --prop NAME, a part or another file"),
}


def _only_of_plants(parts: RoleParts, mine: Iterable[str]) -> list[Action]:
    """The actions with guards that parts cannot disable, but others can."""
    known = parts.controllable or {}
    every = frozenset().union(*known.values())
    own = frozenset().union(*(known.get(name, ()) for name in mine))
    guarded = {
        name for guard in parts.guards for name in parse_pattern(guard).groups[0]
    }
    return sorted((guarded & every) - own)


def _controllable(parts: RoleParts, mine: Iterable[str]) -> tuple[Action, ...] | None:
    """What C may disable, as far as the file says it of the parts that C is."""
    known = parts.controllable
    if known is None or not known.keys() >= {*mine}:
        return None
    return tuple(sorted(frozenset().union(*(known[name] for name in mine))))


def _words(
    path: str,
    said: Iterable[tuple[str, Sequence[str]]],
    parts: RoleParts,
    named: Sequence[str | None],
) -> str:
    """What the file decided, in one line."""
    roles = [f"{role} is {_listed(names, parts)}" for role, names in said]
    if parts.guards:
        number = plural(len(parts.guards), "guard")
        roles.append(f"requirements and other automata give C {number}")
    given = {name for text in named if text for name in split_names(text, parts.names)}
    unused = [name for name in parts.others if name not in given]
    if unused:
        have, are = ("has", "is") if len(unused) == 1 else ("have", "are")
        names = enumerated(unused, len(unused))
        roles.append(f"{names} {have} no role and {are} ignored")
    if not roles:
        return ""
    return printable(f"{os.path.basename(path)}: {'; '.join(roles)}")


def _listed(names: Sequence[str], parts: RoleParts) -> str:
    """The parts of a role; sentences only counted."""
    known = {*parts.names}
    listed = [name for name in names if name in known]
    if number := len(names) - len(listed):
        listed.append(f"{plural(number, 'requirement')} on states")
    return ", ".join(listed)
