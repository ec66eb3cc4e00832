"""Weights of transitions, for the largest deviations.

In:  a TOML file of rules, and the environment for the names of its states.
Out: the weight of each transition.

    [[weight]]
    source = "MODE_CHOSEN"
    action = "up"
    target = "*"
    value = 5

A `*` or a missing key stands for every state or action; a state is given by name or
number. The last matching rule counts; without one the weight is 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from symrob.case.places import load_table
from symrob.case.tables import A_COUNT, Key, KeyPath, KeyProblem, Keys, array_of
from symrob.errors import known_or_near
from symrob.lts import Lts, Transition
from symrob.problem import Units
from symrob.words import ANY, fits

Weight = Callable[[Transition], int]
# What is wrong with one rule, behind its key: the key in it, why, and a hint.
_Problem = tuple[str, str, str | None]
_Judge = Callable[[Mapping[str, Any]], Iterator[_Problem]]


def _checked(path: str, keys: Iterable[str], judge: _Judge) -> list[dict[str, Any]]:
    """Return the rules of a file in which nothing is wrong.

    Args:
        path: The file.
        keys: What a rule may have beside its value.
        judge: Judges these.

    Raises:
        SymrobError: The file cannot be read, or rules are wrong; all problems.
    """

    def of_rule(rule: Mapping[str, Any], at: KeyPath) -> Iterator[KeyProblem]:
        if "value" not in rule:
            yield KeyProblem("'weight.value' is missing", at)
        for key, message, hint in judge(rule):
            yield KeyProblem(message, (*at, key), hint)

    def of_all(data: Mapping[str, Any], _at: KeyPath) -> Iterator[KeyProblem]:
        if data.get("weight", []) == []:
            yield KeyProblem("there is no [[weight]] table", ("weight",))

    anything = Key(lambda _value: True, "a name or a number")
    rule = Keys({**dict.fromkeys(keys, anything), "value": A_COUNT}, together=of_rule)
    table = Keys({"weight": array_of(rule)}, together=of_all)
    data, _ = load_table(path, "weights", "weights-rule", table)
    rules: list[dict[str, Any]] = data["weight"]
    return rules


def load_weights(path: str, environment: Lts) -> Weight:
    """Read the rules of a file.

    Args:
        path: A TOML file as above.
        environment: E, for its states and actions.

    Raises:
        SymrobError: The file cannot be read, or rules are wrong; all problems.
    """

    def judge(rule: Mapping[str, Any]) -> Iterator[_Problem]:
        for key in ("source", "target"):
            try:
                _state(rule.get(key, ANY), environment)
            except KeyError:
                message = f"the environment has no state {rule[key]!r:.200}"
                states = map(environment.state_name, range(environment.size))
                yield key, message, known_or_near(str(rule[key]), states, "its states")
        actions, action = environment.alphabet, rule.get("action", ANY)
        if action not in (ANY, *actions):
            message = f"the environment has no action {action!r:.200}"
            hint = known_or_near(str(action), actions, "its actions")
            yield "action", message, hint

    checked = _checked(path, ("source", "action", "target"), judge)
    rules = [_rule(rule, environment) for rule in checked]

    def weight(transition: Transition) -> int:
        for source, action, target, value in reversed(rules):
            if (
                source in (None, transition.source)
                and action in (None, transition.action)
                and target in (None, transition.target)
            ):
                return value
        return 1

    return weight


def load_mode_weights(path: str, units: Units) -> Callable[[int], int]:
    """Read the rules of a file about fault modes: `mode` and `value`.

    Args:
        path: A TOML file of such rules; one `*` in a name stands for any text.
        units: The known modes.

    Returns:
        The weight of a mode by its number. The last matching rule counts; without one
        it is 1.

    Raises:
        SymrobError: The file cannot be read, or rules are wrong; all problems.
    """
    weights = [1] * len(units)

    def judge(rule: Mapping[str, Any]) -> Iterator[_Problem]:
        name = rule.get("mode")
        if not isinstance(name, str) or not any(
            fits(name, mode.name) for mode in units.modes
        ):
            hint = known_or_near(str(name), units.numbers, "fault modes")
            yield "mode", f"there is no fault mode {name!r:.60}", hint

    for rule in _checked(path, ("mode",), judge):
        for m, mode in enumerate(units.modes):
            if fits(rule["mode"], mode.name):
                weights[m] = rule["value"]
    return weights.__getitem__


def _state(value: object, environment: Lts) -> int | None:
    """The number of a state that is named or numbered; `None` for any."""
    if value == ANY:
        return None
    if isinstance(value, bool | float):
        raise KeyError(value)
    for number in range(environment.size):
        if value in (number, environment.state_name(number)):
            return number
    raise KeyError(value)


def _rule(
    rule: Mapping[str, Any], environment: Lts
) -> tuple[int | None, str | None, int | None, int]:
    action = rule.get("action", ANY)
    return (
        _state(rule.get("source", ANY), environment),
        None if action == ANY else action,
        _state(rule.get("target", ANY), environment),
        rule["value"],
    )
