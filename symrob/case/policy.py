"""Policies: the rules of a gate, in TOML.

In:  a `.toml` file.
Out: a `Policy`; its paths are made relative to the working folder.

    case = "therac25_fix.toml"
    resilience = 1

    [[tolerates]]
    name = "the nurse corrects the mode"
    transitions = ["MODE_CHOSEN,up,NO_MODE"]

    [[forbids]]
    transitions = ["NO_MODE,b,*"]

    [[as_robust_as]]
    controller = "machines.lts#THERAC20"

    [[progress]]
    goals = ["fireXray"]
    transitions = ["CONFIRMED,up,NO_MODE"]

Paths are relative to the file and stay in its folder, unless the user allows
otherwise. docs/gate.md has all keys; below is what each may hold.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from symrob.case.places import TomlSource, load_table
from symrob.case.specs import Spec, parse_spec
from symrob.case.tables import (
    A_COUNT,
    A_TEXT,
    AT_MOST,
    FILE,
    MODEL,
    YES_OR_NO,
    Key,
    KeyPath,
    KeyProblem,
    Keys,
    array_of,
    is_text,
    list_of,
)
from symrob.files.paths import ANYWHERE, beside

Added = Literal["each", "together"]


@dataclass(frozen=True)
class OfUnits:
    """A rule about transitions or fault modes.

    Attributes:
        name: What a person calls the rule.
        transitions: As `patterns.parse_transitions` takes them.
        added: Whether all of them are added `together`, or only `each` alone.
        without_constraints: Whether it is asked as if the case had no constraints.
        modes: The names of fault modes, in place of transitions.
        key: Where it stands in the policy.
    """

    name: str
    transitions: tuple[str, ...]
    added: Added = "together"
    without_constraints: bool = False
    modes: tuple[str, ...] = ()
    key: KeyPath = field(default=(), repr=False, compare=False)


@dataclass(frozen=True)
class Tolerates(OfUnits):
    """What must be tolerated.

    Attributes:
        vacuous: Whether the rule may hold because nothing can happen that breaks it.
    """

    vacuous: bool = False


@dataclass(frozen=True)
class Forbids(OfUnits):
    """What must not be tolerated: that `each` alone must break the system, usually."""

    added: Added = "each"


@dataclass(frozen=True)
class AsRobustAs:
    """A deviation that the other tolerates must be tolerated.

    Attributes:
        name: What a person calls the rule.
        baseline: Path of a result of `symrob compute --format json`; or
        controller: another controller for the same case.
        partial: Whether a baseline that is not complete is good enough.
        vacuous: As of `Tolerates`.
        without_constraints: Likewise.
    """

    name: str
    baseline: str | None = None
    controller: Spec | None = None
    partial: bool = False
    vacuous: bool = False
    without_constraints: bool = False


@dataclass(frozen=True)
class ResilienceRule:
    """Any set of fewer than so many new transitions must be safe.

    Attributes:
        name: What a person calls the rule.
        least: So many.
        vacuous: As of `Tolerates`.
        without_constraints: Likewise.
    """

    name: str
    least: int
    vacuous: bool = False
    without_constraints: bool = False


@dataclass(frozen=True)
class KeepsGoals(OfUnits):
    """What must stay possible, with transitions or modes, or with Δ as it is listed.

    Attributes:
        goals: The names of goals, or of actions; none for all goals of the case.
    """

    goals: tuple[str, ...] = ()


Rule = Tolerates | Forbids | AsRobustAs | ResilienceRule | KeepsGoals


@dataclass(frozen=True)
class Policy:
    """The rules of a gate.

    Attributes:
        path: The file.
        title: What a person calls the gate.
        case: Path of the case file that it is about; `None` if the user names it.
        rules: In the order in which they are reported; at least one.
        at_most: How many steps of a run may deviate; `None` for what the case says.
        source: The file, with the places of the paths in it; `None` where it is not
            known.
    """

    path: str
    title: str
    case: str | None
    rules: tuple[Rule, ...]
    at_most: int | None = None
    source: TomlSource | None = field(default=None, repr=False, compare=False)


def load_policy(path: str, *, allow_outside: bool = False) -> Policy:
    """Read a policy.

    Args:
        path: The file.
        allow_outside: Let paths in the file lead out of its folder.

    Raises:
        SymrobError: It cannot be read or is no TOML, or something in it is wrong;
            all problems at once.
    """
    data, source = load_table(
        path, "policy", "policy-key", POLICY, allow_outside=allow_outside
    )
    case = data.get("case")
    root = ANYWHERE if allow_outside else os.path.dirname(path)
    return Policy(
        path,
        data.get("title", os.path.basename(path)),
        None if case is None else beside(path, case),
        tuple(_rules(data, path, root)),
        data.get("at_most"),
        source,
    )


def _rules(data: Mapping[str, Any], path: str, root: str) -> Iterator[Rule]:
    def chosen(table: Mapping[str, Any], *keys: str) -> dict[str, Any]:
        """What a rule says, or else the policy for all rules."""
        return {key: table.get(key, data.get(key, False)) for key in keys}

    both = ("vacuous", "without_constraints")
    if "resilience" in data:
        least = data["resilience"]
        name = f"resilience of at least {least}"
        yield ResilienceRule(name, least, **chosen({}, *both))
    made: tuple[tuple[str, type[Tolerates | Forbids], Added, tuple[str, ...]], ...] = (
        ("tolerates", Tolerates, "together", both),
        ("forbids", Forbids, "each", both[1:]),
    )
    for kind, rule, usual, keys in made:
        for number, table in enumerate(data.get(kind, ())):
            texts, modes = (tuple(table.get(k, ())) for k in ("transitions", "modes"))
            yield rule(
                table.get("name", f"{kind} {'; '.join(texts or modes)}"),
                texts,
                table.get("added", usual),
                modes=modes,
                key=(kind, number),
                **chosen(table, *keys),
            )
    for number, table in enumerate(data.get("progress", ())):
        texts, modes, goals = (
            tuple(table.get(key, ())) for key in ("transitions", "modes", "goals")
        )
        told = ", ".join(goals) or "every goal"
        yield KeepsGoals(
            table.get("name", f"progress {told}"),
            texts,
            table.get("added", "together"),
            modes=modes,
            key=("progress", number),
            goals=goals,
        )
    for table in data.get("as_robust_as", ()):
        named = table.get("baseline", table.get("controller"))
        yield AsRobustAs(
            table.get("name", f"at least as robust as {named}"),
            beside(path, named) if "baseline" in table else None,
            None if "baseline" in table else parse_spec(named, file=path, root=root),
            table.get("partial", False),
            **chosen(table, *both),
        )


def _what_added(table: Mapping[str, Any], at: KeyPath) -> Iterator[KeyProblem]:
    """A rule that names neither transitions nor modes, or both."""
    if "transitions" not in table and "modes" not in table:
        yield KeyProblem(f"'{at[0]}.transitions' is missing", at)
    elif "transitions" in table and "modes" in table:
        yield KeyProblem(f"'{at[0]}' takes either transitions or modes", at)


def _one_of_both(table: Mapping[str, Any], at: KeyPath) -> Iterator[KeyProblem]:
    """A rule that names both transitions and modes, or says how none are added."""
    if "transitions" in table and "modes" in table:
        yield KeyProblem(f"'{at[0]}' takes either transitions or modes", at)
    elif "added" in table and not {"transitions", "modes"} & {*table}:
        message = f"'{at[0]}.added' is for transitions or modes"
        yield KeyProblem(message, (*at, "added"))


def _which_other(table: Mapping[str, Any], at: KeyPath) -> Iterator[KeyProblem]:
    if ("baseline" in table) == ("controller" in table):
        message = f"'{at[0]}' needs either a baseline or a controller"
        yield KeyProblem(message, at)


def _any_rule(data: Mapping[str, Any], _at: KeyPath) -> Iterator[KeyProblem]:
    if not any(data.get(key) for key in ("resilience", *_RULES)):
        yield KeyProblem("the policy has no rule")


_OF_ALL = {"name": A_TEXT, "without_constraints": YES_OR_NO}
_ADDED = {
    **_OF_ALL,
    "transitions": Key(
        list_of(is_text, 1), "a list of 'source,action,target', at least one"
    ),
    "modes": Key(list_of(is_text, 1), "a list of fault modes, at least one"),
    "added": Key(("each", "together").__contains__, "'each' or 'together'"),
}
_RULES = {
    "tolerates": Keys({**_ADDED, "vacuous": YES_OR_NO}, together=_what_added),
    "forbids": Keys(_ADDED, together=_what_added),
    "progress": Keys(
        {
            **{k: key for k, key in _ADDED.items() if k != "without_constraints"},
            "goals": Key(
                list_of(is_text, 1), "a list of goals or actions, at least one"
            ),
        },
        together=_one_of_both,
    ),
    "as_robust_as": Keys(
        {
            **_OF_ALL,
            "baseline": Key(is_text, "the path of a result", FILE),
            "controller": Key(is_text, "the path of a model", MODEL),
            "partial": YES_OR_NO,
            "vacuous": YES_OR_NO,
        },
        together=_which_other,
    ),
}
POLICY = Keys(
    {
        "title": A_TEXT,
        "case": Key(is_text, "the path of a case file", FILE),
        "at_most": AT_MOST,
        "resilience": A_COUNT,
        "vacuous": YES_OR_NO,
        "without_constraints": YES_OR_NO,
        **{kind: array_of(table) for kind, table in _RULES.items()},
    },
    together=_any_rule,
)
