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

from symrob.errors import Diagnostic, SymrobError
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
    problems: Callable[[Mapping[str, Any]], Iterator[str]],
) -> list[dict[str, Any]]:
    """Return the rules of a file in which nothing is wrong.

    Args:
        path: The file.
        keys: What a rule may have beside its value.
        problems: What is wrong with these, of one rule.

    Raises:
        SymrobError: The file cannot be read, or rules are wrong; all problems.
    """
    with recognised(path, "weights"):
        data = read_toml(path)[1]
        wrong = _problems(data, (*keys, "value"), problems)
        found = [Diagnostic("weights-rule", m, file=path) for m in wrong]
        if found:
            raise SymrobError(found)
    rules: list[dict[str, Any]] = data["weight"]
    return rules


def _problems(
    data: Mapping[str, Any],
    keys: Sequence[str],
    problems: Callable[[Mapping[str, Any]], Iterator[str]],
) -> Iterator[str]:
    rules = data.get("weight")
    for key in set(data) - {"weight"}:
        yield f"unknown key '{key}'; expected [[weight]] tables"
    if not isinstance(rules, list) or not rules:
        yield "there is no [[weight]] table"
        return
    for number, rule in enumerate(rules, 1):
        if not isinstance(rule, Mapping):
            yield f"rule {number} must be a table"
            continue
        for key in sorted(set(rule) - set(keys)):
            yield f"rule {number}: unknown key '{key}'; expected {', '.join(keys)}"
        value = rule.get("value")
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            yield f"rule {number}: 'value' must be a whole number of at least 1"
        yield from (f"rule {number}: {problem}" for problem in problems(rule))


def load_weights(path: str, environment: Lts) -> Weight:
    """Read the rules of a file.

    Args:
        path: A TOML file as above.
        environment: Tells which states and actions there are.

    Raises:
        SymrobError: The file cannot be read, or rules are wrong; all problems.
    """

    def problems(rule: Mapping[str, Any]) -> Iterator[str]:
        for key in ("source", "target"):
            try:
                _state(rule.get(key, ANY), environment)
            except KeyError:
                yield f"the environment has no state {rule[key]!r}"
        if rule.get("action", ANY) not in (ANY, *environment.alphabet):
            yield f"the environment has no action {rule['action']!r}"

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

    def problems(rule: Mapping[str, Any]) -> Iterator[str]:
        name = rule.get("mode")
        if not isinstance(name, str) or not any(
            fits(name, mode.name) for mode in units.modes
        ):
            yield f"there is no fault mode {name!r:.60}"

    for rule in _checked(path, ("mode",), problems):
        for m, mode in enumerate(units.modes):
            if fits(rule["mode"], mode.name):
                weights[m] = rule["value"]
    return weights.__getitem__


def _state(value: object, environment: Lts) -> int | None:
    """The number of a state that is named or numbered; `None` for any."""
    if value == ANY:
        return None
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
