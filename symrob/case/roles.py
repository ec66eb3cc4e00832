"""Cases from model files whose parts have roles: plants, supervisors, requirements.

In:  such a file, and the user's choice of roles.
Out: its `Case`, with a sentence about the roles that the file decided.

By default, E is all plants, C all supervisors, P all specifications. With some plants
named as E, the other plants belong to C, beside the supervisors.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

from symrob.case.model import Case, Constant
from symrob.case.specs import Rule, Spec, parse_rule
from symrob.errors import Diagnostic, SymrobError, did_you_mean, printable
from symrob.files.paths import ANYWHERE
from symrob.formats import Parts, parts_of, suffixes
from symrob.formats.automata import split_names
from symrob.formats.registry import known
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
        allow_outside: Allow imports from outside of the folders of other named files.

    Raises:
        SymrobError: The file cannot be read, a part is unknown, or a role has no part;
            all problems at once.
    """
    parts = parts_of(path, form=form)
    problems: list[Diagnostic] = []
    root = ANYWHERE if allow_outside else None

    def within(names: tuple[str, ...]) -> Spec:
        for name in names:
            if name not in parts.names:
                listed = ", ".join(parts.names)
                message = f"this file has no part '{name}'; it has {listed}"
                hint = did_you_mean(name, parts.names)
                problems.append(Diagnostic("case-part", message, file=path, hint=hint))
        return Spec(path, names)

    def rule(text: str) -> Rule:
        if text not in parts.names:
            meant = parse_rule(text, root=root)
            if not isinstance(meant, Spec) or meant.path.lower().endswith(suffixes()):
                return meant
        return within(split_names(text, parts.names))

    def part(text: str) -> Spec:
        meant = rule(text)
        return meant if isinstance(meant, Spec) else within((text,))

    usual = parts.environment or parts.plants
    mine = split_names(environment, parts.names) if environment else usual
    others = tuple(name for name in parts.plants if name not in mine)
    controlling = (*others, *parts.controllers)
    if controller:
        controlling = split_names(controller, parts.names)
    must: tuple[Rule, ...] = tuple(map(rule, properties))
    if not must:
        must = (*(within((n,)) for n in parts.specifications), *parts.sentences)
    decided = (
        ("E", environment, usual),
        ("C", controller, controlling),
        ("P", properties, (*parts.specifications, *parts.sentences)),
    )
    said = [(role, names) for role, given, names in decided if not given]
    for role, names in said:
        if not names:
            what, hint = _MISSING[role]
            if role == "P" and parts.guards:
                hint = f"its requirements are guards of C; {hint}"
            message = f"no {what} can serve as {role}"
            problems.append(Diagnostic("case-role", message, file=path, hint=hint))
    case = Case(
        part(environment) if environment else within(mine),
        part(controller) if controller else within(controlling),
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
    )
    if problems:
        raise SymrobError(list(dict.fromkeys(problems)))
    return case


# What is there to play a role, and what to do where it is not.
_MISSING = {
    "E": ("plant", "name them: --env NAME,NAME"),
    "C": (
        "supervisor",
        "name the plants that are the environment, --env NAME; the others are "
        "the controller then. Or name the controller: --ctrl NAME",
    ),
    "P": ("specification", "name what must hold: --prop NAME, a part or another file"),
}


def _controllable(parts: Parts, mine: Iterable[str]) -> tuple[Action, ...] | None:
    """What C may disable, as far as the file says it of the parts that C is."""
    known = parts.controllable
    if known is None or not known.keys() >= {*mine}:
        return None
    return tuple(sorted(frozenset().union(*(known[name] for name in mine))))


def _words(
    path: str,
    said: Iterable[tuple[str, Sequence[str]]],
    parts: Parts,
    named: Sequence[str | None],
) -> str:
    """What the file decided, in one line."""
    roles = [f"{role} is {_listed(names, parts)}" for role, names in said]
    if parts.guards:
        number = f"{len(parts.guards)} guard{'s' * (len(parts.guards) > 1)}"
        roles.append(f"C has {number} by requirements and other automata")
    given = {name for text in named if text for name in split_names(text, parts.names)}
    unused = [name for name in parts.others if name not in given]
    if unused:
        roles.append(f"{', '.join(unused)} have no role and are ignored")
    if not roles:
        return ""
    return printable(f"{os.path.basename(path)}: {'; '.join(roles)}")


def _listed(names: Sequence[str], parts: Parts) -> str:
    """The parts of a role; sentences only counted."""
    known = {*parts.names}
    listed = [name for name in names if name in known]
    if number := len(names) - len(listed):
        listed.append(f"{number} requirement{'s' * (number > 1)} on states")
    return ", ".join(listed)
