"""The models of a page as plain data for its JavaScript.

In:  problems over one environment, and the words of their cases.
Out: a dictionary for `json.dumps`; it is not meant for other programs.

Actions and states are numbers: those of E first, so that an action below
`environment.actions` is one of E's; -1 is `tau` among actions and ERROR among states.
Transitions are flat lists of source, action, target. A transition over the states and
actions of E has one number, (source · actions + action) · states + target.

Names come from untrusted files: each is made printable here, and is never a key.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Any

from symrob.errors import printable
from symrob.lts import TAU, Action, Lts, Transition
from symrob.lts.masks import bits
from symrob.problem import Monitor, Problem
from symrob.problem.requirements import Requirement, in_order
from symrob.risk.events import Events
from symrob.risk.figures import nearest
from symrob.words import PLAIN, Words

Numbers = Mapping[Action, int]

# Of the data: what a reader sees and no number of a transition depends on.
_LOOKS = frozenset(
    (
        "title",
        "controller",
        "word",
        "words",
        "said",
        "action_words",
        "comparison",
        "classes",
    )
)


def action_numbers(problems: Sequence[Problem]) -> Numbers:
    """Number the actions of all problems, those of E first."""
    own = problems[0].environment.alphabet
    others = {
        a
        for problem in problems
        for lts in (
            *problem.controller.components,
            *(m.lts for m in (*problem.properties, *problem.constraints)),
        )
        for a in lts.alphabet
    }
    return {a: i for i, a in enumerate((*own, *sorted(others.difference(own))))} | {
        TAU: -1
    }


def universe(environment: Lts) -> int:
    """Return the number of transitions over the states and actions of E."""
    return environment.size**2 * len(environment.alphabet)


def fingerprint(data: Mapping[str, Any]) -> str:
    """Return a fingerprint of the models, by which a link recognises its page.

    Words and titles do not affect it; any change of a model does.
    """

    def models(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {k: models(v) for k, v in value.items() if k not in _LOOKS}
        return [*map(models, value)] if isinstance(value, list) else value

    text = json.dumps(models(data), sort_keys=True)
    return sha256(text.encode()).hexdigest()[:10]


def identity(environment: Lts, transition: Transition, numbers: Numbers) -> int:
    """Return the number of a transition over the states and actions of E.

    One by `tau`, which only fault modes bring, has a number above all others.
    """
    source, action, target = transition
    if action == TAU:
        return universe(environment) + source * environment.size + target
    row = source * len(environment.alphabet) + numbers[action]
    return row * environment.size + target


def environment_data(
    environment: Lts, numbers: Numbers, words: Words = PLAIN
) -> dict[str, Any]:
    """Return E, with the number of its actions; if it is composed, its parts too.

    `of` has the states of the parts for each state of E; none for added states.
    """
    parts = environment.parts
    data = {
        "name": printable(words.component("E")),
        "actions": len(environment.alphabet),
        **_system(environment, numbers),
        "words": _state_words(environment, "E", words),
        "parts": [],
        "of": [],
    }
    if parts is not None:
        known = len(parts.codes)
        each = [parts.numbers(q) if q < known else () for q in range(environment.size)]
        data["of"] = [list(part) for part in each]
        data["parts"] = [
            _component(name, lts, numbers, words)
            for name, lts in zip(parts.names, parts.components, strict=True)
        ]
        told = [part["words"] or part["states"] for part in data["parts"]]
        data["words"] = [
            ", ".join(names[q] for names, q in zip(told, states, strict=True))
            if states
            else printable(environment.state_name(state))
            for state, states in enumerate(each)
        ]
    return data


def _component(title: str, lts: Lts, numbers: Numbers, words: Words) -> dict[str, Any]:
    return {
        "name": printable(title or "C"),
        "word": printable(words.component(title)),
        "alphabet": [numbers[a] for a in lts.alphabet if a in numbers],
        **_system(lts, numbers),
        "words": _state_words(lts, title or "C", words),
    }


def actions_data(numbers: Numbers, words: Words = PLAIN) -> dict[str, Any]:
    """Return the names of all actions, and the words for them."""
    names = [a for a, number in numbers.items() if number >= 0]
    return {
        "actions": list(map(printable, names)),
        "action_words": _told(names, map(words.action, names)),
    }


def mode_data(problem: Problem, numbers: Numbers) -> dict[str, Any]:
    """Return the fault modes, if any, and the steps that they bring.

    Each step is `[transition, …]`, then for each need the modes that meet it;
    `mode_names` are those of the case, without identifiers. `at_most` and `bounds`, by
    mode, are the budgets of deviated steps.
    """
    units = problem.units
    limits: dict[str, Any] = {"at_most": problem.at_most, "bounds": []}
    if units is None:
        return {"modes": [], "steps": [], **limits}
    steps = [
        [
            identity(problem.environment, step.transition, numbers),
            *(list(bits(need)) for need in step.needs),
        ]
        for step in units.steps
    ]
    each = enumerate(units.modes)
    limits["bounds"] = [[m, o.at_most] for m, o in each if o.at_most is not None]
    names = [mode.called for mode in units.modes]
    return {
        "modes": [*map(printable, names)],
        "mode_names": _told(names, (mode.name for mode in units.modes)),
        "steps": steps,
        **limits,
    }


def chance_data(
    problem: Problem, numbers: Numbers, events: Events | None
) -> dict[str, Any]:
    """Return the probability of each item, as far as given."""
    environment, units = problem.environment, problem.units
    known: dict[int, float] = {}
    for event in () if events is None else events.events:
        chance = nearest(event.chance)
        if units is None and not event.is_mode:
            known[identity(environment, min(event.transitions), numbers)] = chance
        elif units is not None and event.name in units.numbers:
            known[universe(environment) + units.numbers[event.name]] = chance
    return {"chances": [list(pair) for pair in sorted(known.items())]}


def design_data(
    problem: Problem, numbers: Numbers, name: str, words: Words = PLAIN
) -> dict[str, Any]:
    """Return C with its properties and the assumptions about E.

    Args:
        problem: The problem, for its controller and monitors.
        numbers: The numbers of the actions.
        name: Name of the design.
        words: Words for its names.
    """
    controller = problem.controller
    names = controller.component_names
    hidden = controller.hidden
    return {
        "name": printable(name),
        "controller": printable(words.component("C")),
        "components": [
            _component(title, lts, numbers, words)
            for title, lts in zip(names, controller.components, strict=True)
        ],
        "hidden": sorted(numbers[a] for a in hidden),
        "properties": [
            _monitor(m, problem, numbers, words) for m in problem.properties
        ],
        "constraints": [
            _monitor(m, problem, numbers, words) for m in problem.constraints
        ],
        "guards": [_requirement(r, problem, numbers) for r in problem.guards],
    }


def _requirement(
    requirement: Requirement, problem: Problem, numbers: Numbers
) -> dict[str, Any]:
    """A requirement on states, its condition to be read from left to right."""
    when = in_order(requirement.met, problem.environment, problem.extra_states)
    actions = sorted(numbers[a] for a in requirement.actions)
    return {"kind": requirement.kind, "actions": actions, "when": when}


def _monitor(
    monitor: Monitor, problem: Problem, numbers: Numbers, words: Words
) -> dict[str, Any]:
    asked = monitor.requirement
    return {
        "requirement": None if asked is None else _requirement(asked, problem, numbers),
        "name": printable(monitor.name),
        "said": printable(words.property(monitor.name)),
        "alphabet": [numbers[a] for a in monitor.lts.alphabet],
        **_system(monitor.lts, numbers),
        "fails_at_start": monitor.fails_at_start,
    }


def _system(lts: Lts, numbers: Numbers) -> dict[str, Any]:
    return {
        "initial": list(lts.initial),
        "states": [printable(lts.state_name(q)) for q in range(lts.size)],
        "transitions": [
            n for q, a, r in lts.transitions if a in numbers for n in (q, numbers[a], r)
        ],
    }


def _state_words(lts: Lts, component: str, words: Words) -> list[str] | None:
    names = list(map(lts.state_name, range(lts.size)))
    return _told(names, (words.state(component, name) for name in names))


def _told(names: Sequence[str], told: Iterable[str]) -> list[str] | None:
    """What names are called; `None` if each stands for itself."""
    found = list(told)
    return None if found == list(names) else list(map(printable, found))
