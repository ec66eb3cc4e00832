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

    [[risk]]
    at_most = 1e-6

    [[progress]]
    goals = ["fireXray"]
    transitions = ["CONFIRMED,up,NO_MODE"]

Paths are relative to the file and stay in its folder, unless the user allows
otherwise. docs/gate.md has all keys; `KINDS` the kinds of rules.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from symrob.case.places import load_table
from symrob.case.tables import (
    A_TEXT,
    AT_MOST,
    FILE,
    YES_OR_NO,
    Key,
    KeyPath,
    KeyProblem,
    Keys,
    is_text,
)
from symrob.files.paths import ANYWHERE, beside
from symrob.gate.assumptions import WithoutAssumptions
from symrob.gate.budget import BudgetRule
from symrob.gate.progress import KeepsGoals
from symrob.gate.resilience import ResilienceRule
from symrob.gate.risk import RiskRule
from symrob.gate.robust import AsRobustAs
from symrob.gate.rule import GateRule, Policy, Reading
from symrob.gate.units import Forbids, Tolerates

KINDS: Mapping[str, type[GateRule]] = {
    rule.kind: rule
    for rule in (
        ResilienceRule,
        Tolerates,
        Forbids,
        AsRobustAs,
        RiskRule,
        WithoutAssumptions,
        KeepsGoals,
        BudgetRule,
    )
}
"""The kinds of rules, by their keys, in the order in which they are reported."""


def load_policy(path: str, *, allow_outside: bool = False) -> Policy:
    """Read a policy.

    Args:
        path: The file.
        allow_outside: Allow paths in the file outside of its folder.

    Raises:
        SymrobError: It cannot be read or is not valid TOML, or its contents are wrong;
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


def _rules(data: Mapping[str, Any], path: str, root: str) -> Iterator[GateRule]:
    for key, kind in KINDS.items():
        said = data.get(key, [])
        for number, each in enumerate(said if isinstance(said, list) else [said]):
            yield kind.read(each, Reading(data, path, root, number))


def _any_rule(data: Mapping[str, Any], _at: KeyPath) -> Iterator[KeyProblem]:
    if not any(data.get(key) for key in KINDS):
        yield KeyProblem("the policy has no rule")


POLICY = Keys(
    {
        "title": A_TEXT,
        "case": Key(is_text, "the path of a case file", FILE),
        "at_most": AT_MOST,
        "vacuous": YES_OR_NO,
        "without_constraints": YES_OR_NO,
        **{key: kind.entry for key, kind in KINDS.items()},
    },
    together=_any_rule,
)
