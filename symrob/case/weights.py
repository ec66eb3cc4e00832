"""How much a transition counts when the largest deviations are asked for.

In:  a TOML file of rules, and the environment for the names of its states.
Out: the weight of each transition.

    [[weight]]
    source = "MODE_CHOSEN"
    action = "up"
    target = "*"
    value = 5

A `*`, or leaving the key out, stands for every state or action; a state is
named or numbered. The last rule that fits counts; without one the weight is 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from symrob.case.keys import KeyProblem, is_number
from symrob.case.places import located
from symrob.errors import SymrobError
from symrob.files.kinds import recognised
from symrob.files.tomltext import read_toml
from symrob.lts import Lts, Transition
from symrob.problem import Units
from symrob.words import ANY, fits

Weight = Callable[[Transition], int]

_KEYS = ("source", "action", "target")


def _checked(
    path: str,
    keys: Sequence[str],
    problems: Callable[[Mapping[str, Any]], Iterator[tuple[str, str]]],
) -> list[dict[str, Any]]:
    """Return the rules of a file in which nothing is wrong.

    Args:
        path: The file.
        keys: What a rule may have beside its value.
        problems: What is wrong with these, of one rule: the key and why.

    Raises:
        SymrobError: The file cannot be read, or rules are wrong; all problems.
    """
    with recognised(path, "weights"):
        text, data = read_toml(path)
        wrong = _problems(data, (*keys, "value"), problems)
        if found := located(wrong, "weights-rule", path, text):
            raise SymrobError(found)
    rules: list[dict[str, Any]] = data["weight"]
    return rules


def _problems(
    data: Mapping[str, Any],
    keys: Sequence[str],
    problems: Callable[[Mapping[str, Any]], Iterator[tuple[str, str]]],
) -> Iterator[KeyProblem]:
    rules = data.get("weight")
    for key in data:
        if key != "weight":
            yield KeyProblem(f"unknown key '{key}'; expected [[weight]] tables", (key,))
    if not isinstance(rules, list) or not rules:
        yield KeyProblem("there is no [[weight]] table", ("weight",))
        return
    for number, rule in enumerate(rules):
        at = ("weight", number)
        named = f"rule {number + 1}"
        if not isinstance(rule, Mapping):
            yield KeyProblem(f"{named} must be a table", at)
            continue
        for key in rule:
            if key not in keys:
                message = f"{named}: unknown key '{key}'; expected {', '.join(keys)}"
                yield KeyProblem(message, (*at, key))
        if not is_number(rule.get("value"), 1):
            message = f"{named}: 'value' must be a whole number of at least 1"
            yield KeyProblem(message, (*at, "value"))
        for key, message in problems(rule):
            yield KeyProblem(f"{named}: {message}", (*at, key))


def load_weights(path: str, environment: Lts) -> Weight:
    """Read the rules of a file.

    Args:
        path: A TOML file as above.
        environment: Tells which states and actions there are.

    Raises:
        SymrobError: The file cannot be read, or rules are wrong; all problems.
    """

    def problems(rule: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        for key in ("source", "target"):
            try:
                _state(rule.get(key, ANY), environment)
            except KeyError:
                yield key, f"the environment has no state {rule[key]!r:.200}"
        if rule.get("action", ANY) not in (ANY, *environment.alphabet):
            yield "action", f"the environment has no action {rule['action']!r:.200}"

    checked = _checked(path, _KEYS, problems)
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
        units: Tells which modes there are.

    Returns:
        The weight of a mode by its number. The last rule that fits counts; without one
        it is 1.

    Raises:
        SymrobError: The file cannot be read, or rules are wrong; all problems.
    """
    weights = [1] * len(units)

    def problems(rule: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        name = rule.get("mode")
        if not isinstance(name, str) or not any(
            fits(name, mode.name) for mode in units.modes
        ):
            yield "mode", f"there is no fault mode {name!r:.60}"

    for rule in _checked(path, ("mode",), problems):
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
