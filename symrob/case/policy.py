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

Paths are relative to the file and stay in its folder, unless the user allows
otherwise. docs/gate.md has all keys; below is what each may hold.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from symrob.case import Spec, parse_spec, read_toml
from symrob.case.keys import (
    VALUE,
    Expected,
    KeyPath,
    KeyProblem,
    is_number,
    is_text,
    list_of,
    wrong_values,
)
from symrob.case.places import Source, located
from symrob.case.specs import named_in, outside
from symrob.errors import SymrobError
from symrob.files.kinds import recognised
from symrob.files.paths import ANYWHERE, beside

Added = Literal["each", "together"]


@dataclass(frozen=True)
class Tolerates:
    """Transitions that must be tolerated.

    Attributes:
        name: What a person calls the rule.
        transitions: As `patterns.parse_transitions` takes them.
        added: Whether all of them `together` must be safe, or only `each` alone.
        vacuous: Whether the rule may hold because nothing can happen that breaks it.
        without_constraints: Whether it is asked as if the case had no constraints.
        modes: The names of fault modes, in place of transitions.
        key: Where it stands in the policy.
    """

    name: str
    transitions: tuple[str, ...]
    added: Added = "together"
    vacuous: bool = False
    without_constraints: bool = False
    modes: tuple[str, ...] = ()
    key: KeyPath = field(default=(), repr=False, compare=False)


@dataclass(frozen=True)
class Forbids:
    """Transitions that must not be tolerated.

    Attributes:
        name: What a person calls the rule.
        transitions: As `patterns.parse_transitions` takes them.
        added: Whether `each` alone must break the system, or only all `together`.
        without_constraints: As of `Tolerates`.
        modes: Likewise.
        key: Likewise.
    """

    name: str
    transitions: tuple[str, ...]
    added: Added = "each"
    without_constraints: bool = False
    modes: tuple[str, ...] = ()
    key: KeyPath = field(default=(), repr=False, compare=False)


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
class Resilience:
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


Rule = Tolerates | Forbids | AsRobustAs | Resilience


@dataclass(frozen=True)
class Policy:
    """The rules of a gate.

    Attributes:
        path: The file.
        title: What a person calls the gate.
        case: Path of the case file that it is about; `None` if the user names it.
        rules: In the order in which they are reported; at least one.
        source: The file, with the places of the paths in it; `None` where it is not
            known.
    """

    path: str
    title: str
    case: str | None
    rules: tuple[Rule, ...]
    source: Source | None = field(default=None, repr=False, compare=False)


def load_policy(path: str, *, allow_outside: bool = False) -> Policy:
    """Read a policy.

    Args:
        path: The file.
        allow_outside: Let paths in the file lead out of its folder.

    Raises:
        SymrobError: It cannot be read or is no TOML, or something in it is wrong;
            all problems at once.
    """
    with recognised(path, "policy"):
        text, data = read_toml(path)
        found = located(problems(data), "policy-key", path, text)
        source = Source(path, text, {} if found else named_in(_specs(data), path))
        if not found and not allow_outside:
            found = [*outside(_specs(data), "policy", source)]
        if found:
            raise SymrobError(found)
    case = data.get("case")
    root = ANYWHERE if allow_outside else os.path.dirname(path)
    return Policy(
        path,
        data.get("title", os.path.basename(path)),
        None if case is None else beside(path, case),
        tuple(_rules(data, path, root)),
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
        yield Resilience(name, least, **chosen({}, *both))
    for number, table in enumerate(data.get("tolerates", ())):
        texts, modes = _named(table)
        name = table.get("name", f"tolerates {'; '.join(texts or modes)}")
        added = table.get("added", "together")
        said = chosen(table, *both)
        key = ("tolerates", number)
        yield Tolerates(name, texts, added, **said, modes=modes, key=key)
    for number, table in enumerate(data.get("forbids", ())):
        texts, modes = _named(table)
        name = table.get("name", f"forbids {'; '.join(texts or modes)}")
        added = table.get("added", "each")
        said = chosen(table, "without_constraints")
        key = ("forbids", number)
        yield Forbids(name, texts, added, **said, modes=modes, key=key)
    for table in data.get("as_robust_as", ()):
        keys: dict[str, Any] = {"partial": table.get("partial", False)}
        if "baseline" in table:
            named, keys["baseline"] = table["baseline"], beside(path, table["baseline"])
        else:
            named = table["controller"]
            keys["controller"] = parse_spec(named, file=path, root=root)
        name = table.get("name", f"at least as robust as {named}")
        yield AsRobustAs(name, **keys, **chosen(table, *both))


def _named(table: Mapping[str, Any]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The transitions or the fault modes that a rule names."""
    return tuple(table.get("transitions", ())), tuple(table.get("modes", ()))


_TABLES = (lambda v: isinstance(v, list), "an array of tables")
_A_TEXT: Expected = (is_text, "a text")
_ADDED: Expected = (("each", "together").__contains__, "'each' or 'together'")
_YES_OR_NO: Expected = (lambda v: isinstance(v, bool), "true or false")
_OF_TRANSITIONS: dict[str, Expected] = {
    "name": _A_TEXT,
    "transitions": (
        list_of(is_text, 1),
        "a list of 'source,action,target', at least one",
    ),
    "modes": (list_of(is_text, 1), "a list of fault modes, at least one"),
    "added": _ADDED,
    "without_constraints": _YES_OR_NO,
}
_KEYS: dict[str, Expected] = {
    "title": _A_TEXT,
    "case": (is_text, "the path of a case file"),
    "resilience": (
        lambda v: is_number(v, 1),
        "a whole number of at least 1, below 2^63",
    ),
    "vacuous": _YES_OR_NO,
    "without_constraints": _YES_OR_NO,
    "tolerates": _TABLES,
    "forbids": _TABLES,
    "as_robust_as": _TABLES,
}
RULES: dict[str, dict[str, Expected]] = {
    "tolerates": {**_OF_TRANSITIONS, "vacuous": _YES_OR_NO},
    "forbids": _OF_TRANSITIONS,
    "as_robust_as": {
        "name": _A_TEXT,
        "baseline": (is_text, "the path of a result"),
        "controller": (is_text, "the path of a model"),
        "partial": _YES_OR_NO,
        "vacuous": _YES_OR_NO,
        "without_constraints": _YES_OR_NO,
    },
}


def problems(data: Mapping[str, Any]) -> Iterator[KeyProblem]:
    """Yield everything that is wrong with a policy.

    Args:
        data: What the TOML reader gave.
    """
    yield from wrong_values(data, _KEYS, ())
    for kind, keys in RULES.items():
        tables = data.get(kind, [])
        for number, table in enumerate(tables if isinstance(tables, list) else ()):
            at = (kind, number)
            if not isinstance(table, dict):
                yield KeyProblem(f"'{kind}' must be an array of tables", at)
                continue
            yield from wrong_values(table, keys, at)
            if kind != "as_robust_as":
                if "transitions" not in table and "modes" not in table:
                    yield KeyProblem(f"'{kind}.transitions' is missing", at)
                elif "transitions" in table and "modes" in table:
                    message = f"'{kind}' takes either transitions or modes"
                    yield KeyProblem(message, at)
            elif ("baseline" in table) == ("controller" in table):
                message = f"'{kind}' needs either a baseline or a controller"
                yield KeyProblem(message, at)
    if not any(data.get(key) for key in ("resilience", *RULES)):
        yield KeyProblem("the policy has no rule")


def _specs(data: Mapping[str, Any]) -> Iterator[tuple[Spec, KeyPath]]:
    """Each path in a policy that was found to be right, with its key."""
    if "case" in data:
        yield Spec(data["case"]), ("case", VALUE)
    for number, table in enumerate(data.get("as_robust_as", ())):
        for key in sorted({"baseline", "controller"} & table.keys()):
            named = table[key]
            spec = parse_spec(named) if key == "controller" else Spec(named)
            yield spec, ("as_robust_as", number, key, VALUE)
