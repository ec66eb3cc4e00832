"""Writing the repaired plan as a case: E without the forbidden transitions.

In:  an answer of `assume`, and its case.
Out: a case file and, beside it, the model of E'; a monitor of the assumption.

The forbidden transitions are not candidates of that case. Warnings report whether the
case file may name its models where they are, and whether its constraints hold.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

from symrob import files
from symrob.analyses.assume import Forbidden
from symrob.api.loading import Roles, constants_beside
from symrob.case import Case, Spec
from symrob.case.faults import is_local, modes_table
from symrob.case.goals import table_of_goals
from symrob.case.table import is_of_components
from symrob.case.transitions import parse_transitions
from symrob.errors import Diagnostic, SymrobError
from symrob.files import is_stdin
from symrob.files.paths import is_inside
from symrob.formats import write
from symrob.limits import Limits, check_size, watched
from symrob.lts import ERROR, Action, Lts, StateId, Transition
from symrob.lts.bisimulation import minimise
from symrob.lts.determinise import determinise
from symrob.problem.meaning import multiplied_out

_BARE = re.compile(r"[A-Za-z0-9_-]+")
# What is written of a case as it stands there; other keys are about runs, or a table of
# the paper.
_KEPT = ("title", "order", "one_sided", "controllable", "uncontrollable")
_WORDS = ("actions", "states", "components", "properties")


def write_repaired(
    answer: Forbidden, case: Case, roles: Roles, path: str, limits: Limits
) -> Iterator[Diagnostic]:
    """Write the plan without the transitions that an answer forbids.

    Args:
        answer: The answer.
        case: The case whose plan it is.
        roles: The models of the case.
        path: The case file; E' is written beside it, with the suffix `.json`.
        limits: Bounds on what is read.

    Yields:
        A warning for each thing that the files cannot express, or need.

    Raises:
        SymrobError: A file cannot be written; or a model comes from standard input,
            which no case file can name.
    """
    if any(is_stdin(spec.path) for spec in case.specs[1:]):
        message = "a case file cannot name a model that is read from standard input"
        raise SymrobError(Diagnostic("assume-out", message, file=path))
    model = f"{os.path.splitext(path)[0]}.json"
    files.claim(model)
    lost = roles.faults is not None and _names_components(roles)
    restated = _restated(answer.plan.environment, roles)
    document = _document(answer, case, path, model, restated, lost=lost)
    document["constants"] = constants_beside(case, limits)
    yield from write(answer.plan.without(answer.forbid), model)
    text = "".join(f"{line}\n" for line in _toml(document))
    files.write_file(path, text.encode("utf-8"), "usage-output")
    if lost:
        message = "fault modes and probabilities are omitted: they name components of E"
        yield Diagnostic("assume-faults", message, "warning", file=path)
    folder = os.path.dirname(path)
    if not all(is_inside(spec.path, folder) for spec in case.specs[1:]):
        message = "the case names models outside its folder; --allow-outside permits "
        message += "this"
        yield Diagnostic("assume-outside", message, "warning", file=path)


def assumption_of(answer: Forbidden, max_states: int | None = None) -> Lts:
    """Return a monitor of the assumption: wherever E can continue, it does as E'.

    Args:
        answer: The answer; E' is E without the transitions that it forbids.
        max_states: Bound on the states.

    Returns:
        A constraint for E', over the actions of E: ERROR after a trace of E' followed
        by a step that E allows and E' does not. A step that E does not allow either is
        a
        deviation: this assumption does not restrict it, nor what comes after it. E
        itself violates the assumption.

    Raises:
        LimitExceeded: There are too many states.

    Cost: a subset construction for E and for E'.
    """
    plan = determinise(answer.plan.environment, max_states=max_states)
    left = determinise(answer.plan.without(answer.forbid), max_states=max_states)
    # State 0 is that of any trace that has left the plan.
    numbers: dict[tuple[StateId, StateId] | None, StateId] = {None: 0, (0, 0): 1}
    order = [None, (0, 0)]
    moves: list[tuple[StateId, Action, StateId]] = []
    for source, both in enumerate(watched(order, 64)):
        for action in plan.alphabet:
            target = 0
            if both is not None:
                planned = plan.successors[both[0]].get(action)
                kept = left.successors[both[1]].get(action)
                if kept and planned:
                    key = planned[0], kept[0]
                    target = numbers.setdefault(key, len(order))
                    if target == len(order):
                        check_size(target + 1, max_states, "monitor of the assumption")
                        order.append(key)
                elif planned:
                    target = ERROR
            moves.append((source, action, target))
    swapped = {0: 1, 1: 0}
    moved = [(swapped.get(s, s), a, swapped.get(t, t)) for s, a, t in moves]
    small = minimise(Lts(plan.alphabet, len(order), moved))
    return Lts(small.alphabet, small.size, small.transitions)


def _names_components(roles: Roles) -> bool:
    """Whether fault modes are of components of E, which E' does not have."""
    faults, model = roles.faults, roles.environment.model
    if faults is None or len(model.components) < 2:
        return False
    if faults.table is not None and is_of_components(faults.table):
        return True
    texts = (text for several in faults.texts.values() for text in several)
    return any(is_local(text, model) for text in texts)


def _restated(environment: Lts, roles: Roles) -> dict[str, str]:
    """Sentences about components of E as sentences about E', which has none."""
    if environment.parts is None or len(environment.parts.names) < 2:
        return {}
    return {
        role.sentence.text: multiplied_out(
            role, roles.environment, roles.controller, environment
        )
        for role in (*roles.properties, *roles.constraints)
        if role.sentence is not None and role.sentence.condition is not None
    }


def _document(
    answer: Forbidden,
    case: Case,
    path: str,
    model: str,
    restated: Mapping[str, str],
    *,
    lost: bool,
) -> dict[str, Any]:
    """The table of the case file, without constants."""
    folder = os.path.dirname(path) or os.curdir

    def named(rule: Spec | str) -> Any:
        if isinstance(rule, str):
            return case.identified(rule, restated.get(rule.strip(), rule))
        path = os.path.relpath(rule.path, folder)
        return case.identified(rule, rule.called(path))

    environment = answer.plan.environment
    document = {key: getattr(case, key) for key in _KEPT}
    document["title"] = f"{case.title}, repaired plan".removeprefix(", ")
    document |= {
        "environment": os.path.basename(model),
        "controller": named(case.controller),
        "properties": [*map(named, case.properties)],
        "constraints": [*map(named, case.constraints)] if case.constrained else None,
        "extra_states": case.settings.get("extra_states"),
    }
    faults: dict[str, Any] = {}
    if case.faults is not None and not lost:
        faults |= modes_table(case.faults)
        faults["only"] = case.faults.only or None
        faults["among"] = [*case.faults.among]
        table = case.faults.table
        faults["table"] = table and os.path.relpath(table, folder)
        if case.probabilities is not None:
            chances = case.probabilities.chances
            document["probability"] = {name: str(p) for name, p in chances.items()}
    others = () if case.faults is None else case.faults.not_among
    forbidden = [_expression(t, environment) for t in sorted(answer.forbid)]
    faults["not_among"] = [*others, *forbidden]
    words = {kind: dict(getattr(case.words, kind)) for kind in _WORDS}
    said = words["properties"].items()
    words["properties"] = {restated.get(name, name): text for name, text in said}
    document["progress"] = table_of_goals(case.progress)
    document |= {"faults": faults, "classes": dict(case.words.classes), "words": words}
    return document


def _expression(transition: Transition, environment: Lts) -> str:
    """A transition in a case file: by names, or by numbers where these mislead."""
    source, action, target = transition
    name = environment.state_name
    text = f"{name(source)},{action},{name(target)}"
    try:
        (meant,) = parse_transitions([text], environment)
    except SymrobError:
        meant = frozenset()
    return text if meant == {transition} else f"{source},{action},{target}"


def _toml(table: Mapping[str, Any], at: str = "") -> Iterator[str]:
    """A table as TOML: first what is no table; what is empty is left out."""
    inner = {k: v for k, v in table.items() if isinstance(v, Mapping)}
    lines = [
        f"{_key(key)} = {_value(value)}"
        for key, value in table.items()
        if key not in inner and value not in (None, "", (), [])
    ]
    if at and lines:
        yield ""
        yield f"[{at}]"
    yield from lines
    for key, value in inner.items():
        yield from _toml(value, f"{at}.{_key(key)}".removeprefix("."))


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else _text(key)


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        inside = (f"{_key(key)} = {_value(each)}" for key, each in value.items())
        return f"{{ {', '.join(inside)} }}"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    return str(value).lower() if isinstance(value, bool) else str(value)
